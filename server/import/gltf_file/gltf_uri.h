/* gltf_uri.h - the URIs of buffers and images: percent-escapes (RFC 3986) and data URIs (RFC 2397). Pure; any thread.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool uri_is_data(const char *uri);

/* Decodes the percent-escapes of a relative URI to a new NUL-terminated text. The caller frees *out with free(). A '%'
 * without two hexadecimal digits after it stays, because exporters write plain file names here. Returns 0 or
 * ERR_BAD_MODEL (an escaped NUL). */
int uri_decode(const char *uri, char **out, struct err *err);

/* The bytes of a data URI. */
struct data_uri {
    uint8_t *bytes; /* heap, the caller's */
    size_t size_bytes;
    const char *base64; /* in the URI, to its end; NULL: the bytes are not in base64 */
    bool has_blanks;    /* in its base64, which leaves them out */
};

/* Decodes a data URI, base64 or percent-encoded. Base64 uses the standard alphabet with or without padding. Blanks and
 * line breaks between its characters do not count, as in browsers (WHATWG Infra Standard, "forgiving-base64 decode");
 * any other character is an error. Returns 0 or ERR_BAD_MODEL (names the character). */
int uri_read_data(const char *uri, struct data_uri *out, struct err *err);
