// malloc and free are built into NVRTC; there is no exit, rand or getenv on the device.
#pragma once
#include "stddef.h"
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
