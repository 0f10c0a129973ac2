/* accept.h - selects the content type and the content coding of a response by the request's headers (RFC
 * 9110, 12.5.1, 12.5.3). Pure; any thread. */
#pragma once

#include "wire/http/coding.h"
#include "wire/request/request.h"

/* Returns FORMAT_BIN when the header names application/vnd.posed.frames itself (not by a wildcard) with a weight above
 * 0 and at least that of JSON. Returns FORMAT_GLB when it names model/gltf-binary likewise, the operation has that
 * form, and its weight exceeds that of frames. Otherwise, even when the header is NULL, malformed or accepts none of
 * them, returns FORMAT_JSON. */
enum format accept_format(const char *accept, bool has_glb);

/* Returns FORMAT_OPENMETRICS when the header names application/openmetrics-text itself with a weight above 0 and at
 * least that of text/plain; else FORMAT_METRICS. */
enum format accept_metrics_format(const char *accept);

/* Returns the coding that an Accept-Encoding header (or NULL) prefers (RFC 9110, 12.5.3). Of equal weights zstd wins
 * over gzip; "*" stands for gzip, which every client knows. Returns CODING_NONE when the header names neither with a
 * weight above 0, or prefers an uncoded body. A client that also refuses an uncoded body receives one all the same. */
enum coding accept_coding(const char *accept_encoding);
