/* accept.h - which of our content types an Accept header asks for (RFC 9110, 12.5.1). Pure; any thread. */
#pragma once

#include "request.h"

/* FORMAT_BIN when the header names application/vnd.posed.frames itself (not by a wildcard) with a weight above 0
 * that is not below that of JSON; likewise FORMAT_GLB for model/gltf-binary, where the operation has it and its weight
 * is above that of frames; else FORMAT_JSON, also when the header is NULL, malformed, or takes none of them. */
enum format accept_format(const char *accept, bool has_glb);
