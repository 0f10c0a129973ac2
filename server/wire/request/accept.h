/* accept.h - which of our content types and codings a request's headers ask for (RFC 9110, 12.5.1, 12.5.3). Pure; any
 * thread. */
#pragma once

#include "wire/http/coding.h"
#include "wire/request/request.h"

/* FORMAT_BIN when the header names application/vnd.posed.frames itself (not by a wildcard) with a weight above 0
 * that is not below that of JSON; likewise FORMAT_GLB for model/gltf-binary, where the operation has it and its weight
 * is above that of frames; else FORMAT_JSON, also when the header is NULL, malformed, or takes none of them. */
enum format accept_format(const char *accept, bool has_glb);

/* FORMAT_OPENMETRICS when the header names application/openmetrics-text itself with a weight above 0 that is not below
 * that of text/plain; else FORMAT_METRICS. */
enum format accept_metrics_format(const char *accept);

/* The coding that an Accept-Encoding header (or NULL) likes best (RFC 9110, 12.5.3), zstd before gzip where it likes
 * both alike;
 * "*" stands for gzip, which everybody knows. CODING_NONE when it names neither with a weight above 0, or likes a body
 * without coding better. One that refuses that too gets it all the same. */
enum coding accept_coding(const char *accept_encoding);
