/* access.h - who may ask: Host names, bearer tokens and the origins of web pages.
 *
 * Pure: decides from a request's head alone, so that a refused request costs neither its body nor a model. A policy is
 * made once from texts and is read-only afterwards, from any thread.
 *
 * Host: a web page whose name its owner points at 127.0.0.1 or an inner address reaches servers there with the
 * visitor's browser (DNS rebinding), but has to send its own name as Host. Loopback names are always allowed, they
 * cannot be rebound; which others are is the policy's.
 * Origin: CORS as the Fetch standard has it (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * Token: RFC 6750, 2.1, "Authorization: Bearer TOKEN". */
#pragma once

#include "base/buf.h"
#include "wire/http/http_parser.h"

#include <stdbool.h>
#include <string.h>

enum access_scope {
    ACCESS_TOKEN_NONE,  /* no token is asked for */
    ACCESS_TOKEN_EDITS, /* PUT and DELETE need one */
    ACCESS_TOKEN_ALL,   /* everything does, but the probes and the pages for people, which ask for it */
};

enum { ACCESS_TOKEN_MIN_BYTES = 16, ACCESS_TOKEN_MAX_BYTES = 256 };

struct access {
    enum access_scope scope;
    bool is_any_host, is_any_admin_host;
    struct buf hosts;   /* names in lower case, each with a NUL; one that begins with '.' is all below it */
    struct buf origins; /* "https://example.org", or "*" for any, each with a NUL */
    struct buf tokens;  /* each with a NUL */
    struct buf revoked; /* likewise: of the policy before, and not of this one */
    struct buf frames;  /* of frame-ancestors, in the words of CSP, without NUL; empty: no page */
};

/* Any host, no origins, no tokens. */
void access_init(struct access *access);
void access_fini(struct access *access);

/* Adds the names of "a.example, *.example.org, 10.0.0.7, [fd00::1]" and from now on takes only them and loopback
 * names; "*" alone is any. ERR_BAD_PARAMETER names what is no host name; a port is no part of it. */
int access_allow_hosts(struct access *access, const char *list, struct err *err);

/* Adds origins, "https://editor.example, http://localhost:5173" or "*": a scheme, a host and perhaps a port, no path.
 */
int access_allow_origins(struct access *access, const char *list, struct err *err);

/* Appends the sources of frame-ancestors (https://www.w3.org/TR/CSP3/#directive-frame-ancestors) that a list means:
 * self, origins such as https://wiki.example:8443, their host perhaps "*.example.org", or "*" alone. ERR_BAD_PARAMETER
 * names what is none. */
int access_put_frame_ancestors(const char *list, struct buf *out, struct err *err);

/* Adds the tokens of a file's text: one a line of 16 to 256 visible characters; empty lines and those that begin with
 * '#' are left out. ERR_BAD_PARAMETER names the line, or says that there is none. Tokens are never in a message. */
int access_add_tokens(struct access *access, const char *text, size_t size_bytes, struct err *err);

/* True for "localhost", names below ".localhost" (RFC 6761, 6.3), 127.0.0.0/8 and [::1], with or without port. */
bool access_is_loopback(const char *host);

/* Whether the request may go on. Needs method, target, host, origin and authorization of it only.
 * 0, ERR_HOST_NOT_ALLOWED, ERR_ORIGIN_NOT_ALLOWED (an edit or a stream that another site's page wants),
 * ERR_UNAUTHORIZED. */
int access_check(const struct access *access, const struct http_request *request, struct err *err);

/* The same for requests to --admin, which have no token: ERR_NOT_FOUND for paths that are not there. Probes come under
 * any name. */
int access_check_admin(const struct access *access, const struct http_request *request, struct err *err);

/* The value of Access-Control-Allow-Origin for a request with this Origin header (or NULL): "*", the origin itself, or
 * NULL where the browser shall keep the answer from the page. */
const char *access_cors_origin(const struct access *access, const char *origin);

/* The token of an Authorization header (or NULL), within it; NULL: it has none. */
const char *access_bearer_token(const char *authorization);
/* Fills access->revoked. Returns how many tokens the policy has that the one before lacked. Takes as long as comparing
 * all with all. */
uint32_t access_compare_tokens(struct access *access, const struct access *before);
/* Whether the token was revoked with the change to this policy. */
bool access_is_revoked(const struct access *access, const char *token);
/* Whether the token is one of the policy's. Takes the same time wherever it differs. */
bool access_knows_token(const struct access *access, const char *token);

/* Whether answers differ by Origin, for the Vary header. */
static inline bool access_is_vary(const struct access *access)
{
    return access->origins.size_bytes > 0 && strcmp(access->origins.data, "*") != 0;
}

/* True for the OPTIONS that a browser sends ahead of a request from a page whose origin is allowed. */
static inline bool access_is_preflight(const struct access *access, const struct http_request *request)
{
    return request->has_preflight_method && strcmp(request->method, "OPTIONS") == 0 &&
           access_cors_origin(access, request->origin) != NULL;
}
