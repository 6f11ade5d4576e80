// printf is built into NVRTC.
#pragma once
#ifndef NULL
#define NULL 0
#endif
