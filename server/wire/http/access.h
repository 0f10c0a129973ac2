/* access.h - access control: Host names, bearer tokens and the origins of web pages.
 *
 * It decides from the head of a request alone, so a refused request costs neither its body nor a model. A policy is
 * built once from text and is read-only afterwards. Pure; any thread.
 *
 * Host: the owner of a domain can point it at 127.0.0.1 or an internal address and so reach servers there through a
 * visitor's browser (DNS rebinding). The browser still sends that domain as Host. Loopback names are always allowed
 * because they cannot be rebound; the policy lists the others. Origin: CORS follows the Fetch standard
 * (https://fetch.spec.whatwg.org/#http-cors-protocol). Token: RFC 6750, 2.1, "Authorization: Bearer TOKEN". */
#pragma once

#include "base/buf.h"
#include "wire/http/http_parser.h"

#include <stdbool.h>
#include <string.h>

enum access_scope {
    ACCESS_TOKEN_NONE,  /* no request needs a token */
    ACCESS_TOKEN_EDITS, /* PUT and DELETE need one */
    ACCESS_TOKEN_ALL,   /* all requests need one, except probes and the pages for people, which prompt for it */
};

enum { ACCESS_TOKEN_MIN_BYTES = 16, ACCESS_TOKEN_MAX_BYTES = 256 };

struct access {
    enum access_scope scope;
    bool is_any_host, is_any_admin_host;
    struct buf hosts; /* lower-case names, each NUL-terminated; one that begins with '.' matches every name below it */
    struct buf origins; /* "https://example.org", or "*" for any; each NUL-terminated */
    struct buf tokens;  /* each NUL-terminated */
    struct buf revoked; /* likewise: tokens of the previous policy that this one lacks */
    struct buf frames;  /* sources of frame-ancestors in CSP syntax, without NUL; empty: no page may frame us */
};

/* Allows any host, no origins, and needs no token. */
void access_init(struct access *access);
void access_fini(struct access *access);

/* Adds the names of "a.example, *.example.org, 10.0.0.7, [fd00::1]". From then on only these and loopback names are
 * allowed; "*" alone allows any. A name has no port. ERR_BAD_PARAMETER names the invalid entry. */
int access_allow_hosts(struct access *access, const char *list, struct err *err);

/* Adds origins: "https://editor.example, http://localhost:5173" or "*". An origin is a scheme, a host and an optional
 * port, without a path. */
int access_allow_origins(struct access *access, const char *list, struct err *err);

/* Appends the frame-ancestors sources (https://www.w3.org/TR/CSP3/#directive-frame-ancestors) of a list: self, origins
 * such as https://wiki.example:8443 (the host may be "*.example.org"), or "*" alone. ERR_BAD_PARAMETER names the
 * invalid entry. */
int access_put_frame_ancestors(const char *list, struct buf *out, struct err *err);

/* Adds the tokens of a file's text, one a line, each of 16 to 256 visible characters. Empty lines and lines that begin
 * with '#' are skipped. ERR_BAD_PARAMETER names the line, or says that the file has no token. Messages never contain a
 * token. */
int access_add_tokens(struct access *access, const char *text, size_t size_bytes, struct err *err);

/* True for "localhost", names below ".localhost" (RFC 6761, 6.3), 127.0.0.0/8 and [::1], with or without port. */
bool access_is_loopback(const char *host);

/* Checks whether the request may proceed. It reads only method, target, host, origin and authorization. Returns 0,
 * ERR_HOST_NOT_ALLOWED, ERR_UNAUTHORIZED, or ERR_ORIGIN_NOT_ALLOWED for an edit or a stream that another site's page
 * requests. */
int access_check(const struct access *access, const struct http_request *request, struct err *err);

/* The same check for requests to --admin, which need no token: ERR_NOT_FOUND for unknown paths. Probes may use any
 * Host. */
int access_check_admin(const struct access *access, const struct http_request *request, struct err *err);

/* Returns the Access-Control-Allow-Origin value for a request's Origin header (or NULL): "*", the origin itself, or
 * NULL when the browser must withhold the response from the page. */
const char *access_cors_origin(const struct access *access, const char *origin);

/* Returns a pointer to the token within an Authorization header (or NULL); NULL when it has no token. */
const char *access_bearer_token(const char *authorization);
/* Fills access->revoked and returns how many tokens the policy has that the previous one lacked. It compares every
 * token with every other. */
uint32_t access_compare_tokens(struct access *access, const struct access *before);
/* Whether the change to this policy revoked the token. */
bool access_is_revoked(const struct access *access, const char *token);
/* Whether the policy has the token. The time it takes does not depend on where the tokens differ. */
bool access_knows_token(const struct access *access, const char *token);

/* Whether responses depend on Origin, for the Vary header. */
static inline bool access_is_vary(const struct access *access)
{
    return access->origins.size_bytes > 0 && strcmp(access->origins.data, "*") != 0;
}

/* True for the OPTIONS request that a browser sends before the request of a page whose origin is allowed. */
static inline bool access_is_preflight(const struct access *access, const struct http_request *request)
{
    return request->has_preflight_method && strcmp(request->method, "OPTIONS") == 0 &&
           access_cors_origin(access, request->origin) != NULL;
}
