/* glb_size.h - how large a GLB file becomes, about. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/cost.h"

bytes_fn glb_bytes;
