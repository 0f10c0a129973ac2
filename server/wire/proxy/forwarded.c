#include "wire/proxy/forwarded.h"

#include "base/ascii.h"
#include "wire/http/url.h"

#include <stdio.h>
#include <string.h>

/* The client according to the entries read so far, from the first one on. An entry that does not name a trusted proxy,
 * or names nobody, invalidates the entries before it. */
struct chain {
    bool is_empty; /* no entry since the last unreadable one */
    char client[PEER_TEXT_SIZE];
};

static void forget(struct chain *chain) { *chain = (struct chain){.is_empty = true}; }

static void add_address(struct chain *chain, const struct trusted_proxies *proxies, const struct peer_address *address)
{
    if (chain->is_empty || !trusted_proxies_have(proxies, address))
        peer_address_format(address, chain->client);
    chain->is_empty = false;
}

/* --- X-Forwarded-For --- */

static void read_list(const char *list, const struct trusted_proxies *proxies, struct chain *chain)
{
    const char *entry;
    size_t bytes;
    while (url_next_entry(&list, &entry, &bytes)) {
        struct peer_address address;
        if (peer_address_parse(entry, bytes, &address))
            add_address(chain, proxies, &address);
        else
            forget(chain);
    }
}

/* --- Forwarded --- */

/* RFC 9110, 5.6.2. */
static bool is_token_char(char c) { return ascii_is_alnum(c) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL); }

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t"); }

/* Takes a token or a quoted string (RFC 9110, 5.6.4) into `out`; one that is too long counts as missing. */
static bool take_value(const char **text, char out[PEER_TEXT_SIZE])
{
    const char *at = *text;
    const bool is_quoted = *at == '"';
    size_t count = 0;
    at += is_quoted;
    while (is_quoted ? *at != '"' && *at != '\0' : is_token_char(*at)) {
        if (is_quoted && *at == '\\' && *++at == '\0')
            return false;
        if (count == PEER_TEXT_SIZE - 1)
            return false;
        out[count++] = *at++;
    }
    out[count] = '\0';
    if (count == 0 || (is_quoted && *at++ != '"'))
        return false;
    *text = at;
    return true;
}

/* True for "unknown", and for a name that begins with '_' instead of an address (RFC 7239, 6.2 and 6.3), with an
 * optional port of the same form. */
static bool is_identifier(const char *text)
{
    static const char CHARS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t name_bytes = strcspn(text, ":");
    if (!url_is_word(text, name_bytes, "unknown") &&
        !(text[0] == '_' && name_bytes > 1 && strspn(text, CHARS) == name_bytes))
        return false;
    const char *port = text + name_bytes + 1;
    return text[name_bytes] == '\0' || (*port != '\0' && port[strspn(port, CHARS)] == '\0');
}

/* Adds the node of an element: an address with an optional, possibly obfuscated port, or an identifier. */
static bool add_node(struct chain *chain, const struct trusted_proxies *proxies, const char *node)
{
    struct peer_address address;
    const char *colon = strrchr(node, ':');
    const bool has_hidden_port = colon != NULL && colon[1] == '_' && is_identifier(colon + 1);
    const size_t bytes = has_hidden_port ? (size_t)(colon - node) : strlen(node);
    /* an IPv6 address requires brackets here */
    const char *first = memchr(node, ':', bytes);
    const bool is_bare_v6 =
        node[0] != '[' && first != NULL && memchr(first + 1, ':', bytes - (size_t)(first + 1 - node)) != NULL;
    if (!is_bare_v6 && peer_address_parse(node, bytes, &address)) {
        add_address(chain, proxies, &address);
        return true;
    }
    if (!is_identifier(node))
        return false;
    chain->is_empty = false;
    snprintf(chain->client, sizeof chain->client, "%s", node);
    return true;
}

/* Takes an element such as "for=192.0.2.43;proto=https" and advances *text past it. False: it is malformed. */
static bool take_element(const char **text, struct chain *chain, const struct trusted_proxies *proxies)
{
    char node[PEER_TEXT_SIZE] = "", value[PEER_TEXT_SIZE];
    const char *at = *text;
    for (;;) {
        const char *name = at;
        while (is_token_char(*at))
            at++;
        const size_t name_bytes = (size_t)(at - name);
        if (name_bytes == 0 || *at++ != '=' || !take_value(&at, value))
            return false;
        if (url_is_word(name, name_bytes, "for")) {
            if (node[0] != '\0')
                return false;
            memcpy(node, value, sizeof node);
        }
        if (*at != ';')
            break;
        at++;
    }
    at = skip_blanks(at);
    if (*at != ',' && *at != '\0')
        return false;
    *text = at;
    if (node[0] == '\0') /* its author does not name the client */
        forget(chain);
    return node[0] == '\0' || add_node(chain, proxies, node);
}

/* Reads the whole header or nothing: a malformed element may be a client's open quote that swallows the proxies'
 * entries. */
static void read_forwarded(const char *text, const struct trusted_proxies *proxies, struct chain *chain)
{
    for (;; text++) {
        text = skip_blanks(text);
        if (*text != ',' && *text != '\0' && !take_element(&text, chain, proxies)) {
            forget(chain);
            return;
        }
        if (*text == '\0')
            return;
    }
}

void forwarded_client(const struct trusted_proxies *proxies, const char *x_forwarded_for, const char *forwarded,
                      char out[PEER_TEXT_SIZE])
{
    struct chain chain;
    forget(&chain);
    if (x_forwarded_for != NULL)
        read_list(x_forwarded_for, proxies, &chain);
    else if (forwarded != NULL)
        read_forwarded(forwarded, proxies, &chain);
    memcpy(out, chain.client, PEER_TEXT_SIZE);
}
