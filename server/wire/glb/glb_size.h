/* glb_size.h - estimates the size of a GLB file. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/cost.h"

bytes_fn glb_bytes;
