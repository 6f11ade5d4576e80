// Signals belong to the stand-in driver: it turns accesses to unmapped pages into driver errors.
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "doctest/doctest.h"
