// size_t and ptrdiff_t are built into NVRTC.
#pragma once
#ifndef NULL
#define NULL 0
#endif
