// memcpy and memset are built into NVRTC.
#pragma once
#include "stddef.h"
