#include "wire/http/access.h"

#include "base/hex.h"
#include "wire/http/http_target.h"
#include "wire/http/url.h"

#include <arpa/inet.h>

void access_init(struct access *access) { *access = (struct access){.is_any_host = true}; }

static void wipe(struct buf *secrets)
{
    if (secrets->size_bytes > 0)
        explicit_bzero(secrets->data, secrets->size_bytes);
    buf_fini(secrets);
}

void access_fini(struct access *access)
{
    buf_fini(&access->hosts);
    buf_fini(&access->origins);
    buf_fini(&access->frames);
    wipe(&access->tokens);
    wipe(&access->revoked);
}

/* --- lists --- */

/* Iterate over the NUL-terminated texts of a buffer; NULL after the last. */
static const char *first_of(const struct buf *texts) { return texts->size_bytes > 0 ? texts->data : NULL; }

static const char *next_of(const struct buf *texts, const char *text)
{
    const char *next = text + strlen(text) + 1;
    return next < texts->data + texts->size_bytes ? next : NULL;
}

static void put_lower_text(struct buf *out, const char *text, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        buf_put_char(out, ascii_lower(text[i]));
}

static void put_lower(struct buf *out, const char *text, size_t size_bytes)
{
    put_lower_text(out, text, size_bytes);
    buf_put_char(out, '\0');
}

static bool is_name_char(char c) { return ascii_is_alnum(c) || c == '-' || c == '_' || c == '.'; }
static bool is_v6_char(char c) { return hex_value(c) >= 0 || c == ':' || c == '.'; }

/* A DNS name or IPv4 address, or an IPv6 address in brackets. */
static bool is_host_name(const char *name, size_t size_bytes)
{
    if (size_bytes == 0 || size_bytes > 255)
        return false;
    const bool is_v6 = name[0] == '[';
    if (is_v6 && (size_bytes < 4 || name[size_bytes - 1] != ']'))
        return false;
    for (size_t i = is_v6 ? 1 : 0; i < size_bytes - (is_v6 ? 1 : 0); i++)
        if (is_v6 ? !is_v6_char(name[i]) : !is_name_char(name[i]))
            return false;
    return true;
}

int access_allow_hosts(struct access *access, const char *list, struct err *err)
{
    const char *name;
    size_t bytes;
    access->is_any_host = false;
    while (url_next_entry(&list, &name, &bytes)) {
        if (bytes == 1 && name[0] == '*') {
            access->is_any_host = true;
            continue;
        }
        const size_t star = bytes > 2 && name[0] == '*' && name[1] == '.' ? 1 : 0;
        if (!is_host_name(name + star, bytes - star) || (star == 0 && name[0] == '.'))
            return err_set(err, ERR_BAD_PARAMETER,
                           "'%.*s' is not a host name, such as posed.example.org or *.example.org",
                           (int)(bytes < 80 ? bytes : 80), name);
        put_lower(&access->hosts, name + star, bytes - star);
    }
    return 0;
}

static bool is_origin(const char *text, size_t bytes)
{
    const size_t scheme = http_scheme_bytes(text, bytes);
    size_t end = bytes;
    while (end > scheme && ascii_is_digit(text[end - 1]))
        end--;
    const bool has_port = end < bytes && bytes - end <= 5 && end > scheme && text[end - 1] == ':';
    return scheme > 0 && is_host_name(text + scheme, (has_port ? end - 1 : bytes) - scheme);
}

int access_allow_origins(struct access *access, const char *list, struct err *err)
{
    const char *origin;
    size_t bytes;
    while (url_next_entry(&list, &origin, &bytes)) {
        if (!(bytes == 1 && origin[0] == '*') && !is_origin(origin, bytes))
            return err_set(err, ERR_BAD_PARAMETER, "'%.*s' is not an origin, such as https://editor.example:8443, or *",
                           (int)(bytes < 80 ? bytes : 80), origin);
        put_lower(&access->origins, origin, bytes);
    }
    return 0;
}

int access_put_frame_ancestors(const char *list, struct buf *out, struct err *err)
{
    const char *entry;
    size_t bytes;
    for (bool is_first = true; url_next_entry(&list, &entry, &bytes); is_first = false) {
        const size_t scheme = http_scheme_bytes(entry, bytes);
        const bool is_below = bytes > scheme + 2 && scheme > 0 && memcmp(entry + scheme, "*.", 2) == 0;
        const bool is_self = url_is_word(entry, bytes, "self"), is_any = bytes == 1 && entry[0] == '*';
        char name[320];
        const size_t skipped = is_below ? 2 : 0; /* "*." is not part of the name */
        if (scheme + skipped < bytes && bytes < sizeof name) {
            memcpy(name, entry, scheme);
            memcpy(name + scheme, entry + scheme + skipped, bytes - scheme - skipped);
        }
        if (!is_self && !is_any && (bytes >= sizeof name || !is_origin(name, bytes - skipped)))
            return err_set(
                err, ERR_BAD_PARAMETER,
                "'%.*s' is not an origin, such as https://wiki.example or https://*.example.org, nor self or *",
                (int)(bytes < 80 ? bytes : 80), entry);
        if (!is_first)
            buf_put_char(out, ' ');
        if (is_self)
            buf_put_text(out, "'self'");
        else
            put_lower_text(out, entry, bytes);
    }
    return 0;
}

int access_add_tokens(struct access *access, const char *text, size_t size_bytes, struct err *err)
{
    const char *const end = text + size_bytes;
    for (unsigned line = 1; text < end; line++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline == NULL ? end : newline;
        size_t bytes = (size_t)(stop - text);
        if (bytes > 0 && text[bytes - 1] == '\r')
            bytes--;
        bool is_visible = true;
        for (size_t i = 0; i < bytes; i++)
            is_visible = is_visible && ascii_is_visible(text[i]);
        if (bytes > 0 && text[0] != '#') {
            if (!is_visible || bytes < ACCESS_TOKEN_MIN_BYTES || bytes > ACCESS_TOKEN_MAX_BYTES)
                return err_set(err, ERR_BAD_PARAMETER, "line %u is not a token of %d to %d visible characters", line,
                               ACCESS_TOKEN_MIN_BYTES, ACCESS_TOKEN_MAX_BYTES);
            buf_put(&access->tokens, text, bytes);
            buf_put_char(&access->tokens, '\0');
        }
        text = newline == NULL ? end : newline + 1;
    }
    if (access->tokens.size_bytes == 0)
        return err_set(err, ERR_BAD_PARAMETER, "there is no token in it");
    return 0;
}

/* --- hosts --- */

/* Returns the length of the name in "name:port", without a trailing dot, which does not change the name. 0: the text
 * has no name. */
static inline size_t name_bytes_of(const char *host)
{
    if (host[0] == '[') {
        const char *bracket = strchr(host, ']');
        return bracket == NULL || (bracket[1] != '\0' && bracket[1] != ':') ? 0 : (size_t)(bracket - host) + 1;
    }
    const size_t bytes = strcspn(host, ":");
    return bytes > 1 && host[bytes - 1] == '.' ? bytes - 1 : bytes;
}

/* 127.0.0.0/8 as four decimal numbers. Other spellings are names, which a resolver may map to any address. */
static bool is_loopback_v4(const char *text, size_t bytes)
{
    unsigned char address[4];
    return http_is_address(AF_INET, text, bytes, address) && address[0] == 127;
}

bool access_is_loopback(const char *host)
{
    static const char BELOW[] = ".localhost";
    const size_t bytes = name_bytes_of(host), below = sizeof BELOW - 1;
    if (url_is_word(host, bytes, "localhost") || url_is_word(host, bytes, "[::1]") || is_loopback_v4(host, bytes))
        return true;
    return host[0] != '[' && bytes > below && strncasecmp(host + bytes - below, BELOW, below) == 0;
}

static bool is_host_allowed(const struct access *access, bool is_any_host, const char *host)
{
    if (is_any_host || host == NULL || access_is_loopback(host)) /* no Host: HTTP/1.0, which browsers do not send */
        return true;
    const size_t bytes = name_bytes_of(host);
    for (const char *name = first_of(&access->hosts); name != NULL; name = next_of(&access->hosts, name)) {
        const size_t length = strlen(name);
        if (name[0] == '.' ? bytes > length && strncasecmp(host + bytes - length, name, length) == 0
                           : url_is_word(host, bytes, name))
            return true;
    }
    return false;
}

/* --- tokens --- */

/* Compares in a time that does not depend on where the texts differ. */
static bool is_same_secret(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    unsigned char difference = a_bytes == b_bytes ? 0 : 1;
    for (size_t i = 0; i < b_bytes; i++)
        difference |= (unsigned char)((a_bytes > 0 ? a[i % a_bytes] : 0) ^ b[i]);
    return difference == 0;
}

const char *access_bearer_token(const char *authorization)
{
    static const char SCHEME[] = "Bearer";
    const size_t scheme = sizeof SCHEME - 1;
    if (authorization == NULL || strncasecmp(authorization, SCHEME, scheme) != 0 || authorization[scheme] != ' ')
        return NULL;
    const char *token = authorization + scheme;
    return token + strspn(token, " ");
}

static bool is_token_known(const struct access *access, const char *authorization)
{
    const char *token = access_bearer_token(authorization);
    return token != NULL && access_knows_token(access, token);
}

bool access_knows_token(const struct access *access, const char *token)
{
    const size_t bytes = strlen(token);
    bool is_known = false;
    for (const char *known = first_of(&access->tokens); known != NULL; known = next_of(&access->tokens, known))
        is_known |= is_same_secret(token, bytes, known, strlen(known));
    return is_known;
}

static bool has_text(const struct buf *texts, const char *wanted)
{
    for (const char *text = first_of(texts); text != NULL; text = next_of(texts, text))
        if (strcmp(text, wanted) == 0)
            return true;
    return false;
}

uint32_t access_compare_tokens(struct access *access, const struct access *before)
{
    uint32_t added_count = 0;
    for (const char *token = first_of(&access->tokens); token != NULL; token = next_of(&access->tokens, token))
        added_count += !has_text(&before->tokens, token);
    for (const char *token = first_of(&before->tokens); token != NULL; token = next_of(&before->tokens, token))
        if (!has_text(&access->tokens, token))
            buf_put(&access->revoked, token, strlen(token) + 1);
    return added_count;
}

bool access_is_revoked(const struct access *access, const char *token) { return has_text(&access->revoked, token); }

static bool is_edit(const char *method) { return strcmp(method, "PUT") == 0 || strcmp(method, "DELETE") == 0; }

/* True for requests that reveal nothing: probes, which orchestrators send by address and without secrets, and the pages
 * for people with their files, which prompt for the token. */
static bool is_public(const struct http_request *request, bool with_page)
{
    static const char *const PATHS[] = {"/healthz", "/livez", "/readyz", "/"}, *const PAGES[] = {"/m/", "/embed/",
                                                                                                 "/page/"};
    const size_t bytes = strcspn(request->target, "?");
    for (size_t i = 0; i < (with_page ? 4u : 3u); i++)
        if (url_is_word(request->target, bytes, PATHS[i]))
            return true;
    for (size_t i = 0; with_page && i < sizeof PAGES / sizeof *PAGES; i++)
        if (strncmp(request->target, PAGES[i], strlen(PAGES[i])) == 0)
            return true;
    return false;
}

/* True for a WebSocket: any page may try to open one, and could read its data. Its token comes in the hello
 * (protocol/tcp.md). */
static bool is_stream(const struct http_request *request)
{
    return url_is_word(request->target, strcspn(request->target, "?"), "/v1/stream");
}

/* --- decisions --- */

const char *access_cors_origin(const struct access *access, const char *origin)
{
    if (origin == NULL)
        return NULL;
    const char *found = NULL;
    for (const char *allowed = first_of(&access->origins); allowed != NULL;
         allowed = next_of(&access->origins, allowed)) {
        if (strcmp(allowed, "*") == 0)
            return "*";
        if (strcasecmp(allowed, origin) == 0)
            found = origin;
    }
    return found;
}

/* True for a page of this server: "http://" or "https://" and the Host. */
static bool is_own_origin(const char *origin, const char *host)
{
    const char *rest = strstr(origin, "://");
    return rest != NULL && host != NULL && strcasecmp(rest + 3, host) == 0;
}

int access_check(const struct access *access, const struct http_request *request, struct err *err)
{
    if (is_public(request, false))
        return 0;
    if (!is_host_allowed(access, access->is_any_host, request->host))
        return err_set(err, ERR_HOST_NOT_ALLOWED, "this server does not answer as host '%.80s'; see --allow-host",
                       request->host);
    if (access_is_preflight(access, request))
        return 0; /* a preflight has no token, even if the actual request will have one */
    const bool is_edit_or_stream = is_edit(request->method) || is_stream(request);
    if (is_edit_or_stream && request->origin != NULL && !is_own_origin(request->origin, request->host) &&
        access_cors_origin(access, request->origin) == NULL)
        return err_set(err, ERR_ORIGIN_NOT_ALLOWED, "pages of '%.80s' may not %s; see --cors", request->origin,
                       is_stream(request) ? "open streams" : "change models");
    const bool needs_token = access->scope == ACCESS_TOKEN_ALL
                                 ? !is_public(request, true) && !(is_stream(request) && request->authorization == NULL)
                             : access->scope == ACCESS_TOKEN_EDITS ? is_edit(request->method)
                                                                   : false;
    if (needs_token && !is_token_known(access, request->authorization))
        return err_set(err, ERR_UNAUTHORIZED,
                       request->authorization == NULL ? "this needs a token: Authorization: Bearer TOKEN"
                                                      : "the token is not one of this server's");
    return 0;
}

int access_check_admin(const struct access *access, const struct http_request *request, struct err *err)
{
    const size_t bytes = strcspn(request->target, "?");
    if (is_public(request, false))
        return 0;
    if (!url_is_word(request->target, bytes, "/metrics"))
        return err_set(err, ERR_NOT_FOUND,
                       "no resource '%.*s' here: --admin has /metrics, /healthz, /livez and /readyz",
                       (int)(bytes < 64 ? bytes : 64), request->target);
    if (!is_host_allowed(access, access->is_any_admin_host, request->host))
        return err_set(err, ERR_HOST_NOT_ALLOWED, "this server does not answer as host '%.80s'; see --allow-host",
                       request->host);
    return 0;
}
