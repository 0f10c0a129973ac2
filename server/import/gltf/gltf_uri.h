/* gltf_uri.h - the URIs of buffers and images: percent-escapes (RFC 3986) and data URIs (RFC 2397). Pure; any thread.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool uri_is_data(const char *uri);

/* Decodes the percent-escapes of a relative URI into a new NUL-terminated text (*out is the caller's: free()).
 * A '%' that no two hexadecimal digits follow stays, as exporters write plain file names here.
 * Returns 0 or ERR_BAD_MODEL (an escaped NUL). */
int uri_decode(const char *uri, char **out, struct err *err);

/* The bytes of a data URI, base64 or percent-encoded; *out is the caller's: free().
 * Base64 is of the standard alphabet with or without padding, nothing between; other characters are refused.
 * Returns 0 or ERR_BAD_MODEL (names the character). */
int uri_read_data(const char *uri, uint8_t **out, size_t *size_bytes, struct err *err);
