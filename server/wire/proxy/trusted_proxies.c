#include "wire/proxy/trusted_proxies.h"

#include "base/ascii.h"
#include "wire/http/http_target.h"
#include "wire/http/url.h"

#include <arpa/inet.h>
#include <string.h>

enum { V4_BITS = 32, V6_BITS = 128, PREFIX_DIGITS = 3, NAMED_BYTES = 80 };

struct trusted_network {
    struct peer_address base; /* PEER_IP; its host bits are 0 */
    unsigned prefix;          /* out of 128 bits */
};

void trusted_proxies_fini(struct trusted_proxies *proxies)
{
    buf_fini(&proxies->networks);
    *proxies = (struct trusted_proxies){0};
}

/* True when the first `bits` bits are equal. */
static bool has_prefix(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    const unsigned whole = bits / 8, rest = bits % 8;
    const uint8_t mask = (uint8_t)(0xff00 >> rest);
    return memcmp(a, b, whole) == 0 && (rest == 0 || ((a[whole] ^ b[whole]) & mask) == 0);
}

static bool parse_prefix(const char *text, size_t size_bytes, unsigned most, unsigned *out)
{
    *out = 0;
    if (size_bytes == 0 || size_bytes > PREFIX_DIGITS || (text[0] == '0' && size_bytes > 1))
        return false;
    for (size_t i = 0; i < size_bytes; i++) {
        if (!ascii_is_digit(text[i]))
            return false;
        *out = 10 * *out + (unsigned)(text[i] - '0');
    }
    return *out <= most;
}

static bool parse_network(const char *text, size_t size_bytes, struct trusted_network *out)
{
    const char *slash = size_bytes > 0 ? memchr(text, '/', size_bytes) : NULL;
    const size_t address_bytes = slash == NULL ? size_bytes : (size_t)(slash - text);
    uint8_t bytes[16];
    const bool is_v4 = http_is_address(AF_INET, text, address_bytes, bytes);
    const unsigned most = is_v4 ? V4_BITS : V6_BITS;
    unsigned prefix = most;
    if (!is_v4 && !http_is_address(AF_INET6, text, address_bytes, bytes))
        return false;
    if (slash != NULL && !parse_prefix(slash + 1, size_bytes - address_bytes - 1, most, &prefix))
        return false;
    out->base = peer_address_ip(is_v4, bytes, 0);
    out->prefix = prefix + (is_v4 ? V6_BITS - V4_BITS : 0);
    return true;
}

/* Returns the address of the network, with its host bits 0. */
static struct peer_address base_of(const struct trusted_network *network)
{
    struct peer_address base = network->base;
    for (unsigned bit = network->prefix; bit < V6_BITS; bit++)
        base.ip[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
    return base;
}

int trusted_proxies_add(struct trusted_proxies *proxies, const char *list, struct err *err)
{
    const char *entry;
    size_t bytes;
    if (proxies->networks.data == NULL)
        buf_init(&proxies->networks, 0);
    while (url_next_entry(&list, &entry, &bytes)) {
        const int named_bytes = (int)(bytes < NAMED_BYTES ? bytes : NAMED_BYTES);
        struct trusted_network network;
        if (url_is_word(entry, bytes, "unix")) {
            proxies->has_unix = true;
            continue;
        }
        if (!parse_network(entry, bytes, &network))
            return err_set(err, ERR_BAD_PARAMETER,
                           "'%.*s' is no network, such as 10.0.0.0/8 or fd00::/8, no address and not 'unix'",
                           named_bytes, entry);
        const struct peer_address base = base_of(&network);
        if (memcmp(base.ip, network.base.ip, sizeof base.ip) != 0) {
            char text[PEER_TEXT_SIZE];
            peer_address_format(&base, text);
            return err_set(err, ERR_BAD_PARAMETER, "'%.*s' has bits behind its prefix: the network is that of %s",
                           named_bytes, entry, text);
        }
        buf_put(&proxies->networks, &network, sizeof network);
    }
    return 0;
}

bool trusted_proxies_have(const struct trusted_proxies *proxies, const struct peer_address *address)
{
    const struct trusted_network *networks = (const void *)proxies->networks.data;
    const size_t count = proxies->networks.size_bytes / sizeof *networks;
    if (address->kind != PEER_IP)
        return address->kind == PEER_UNIX && proxies->has_unix;
    const bool is_v4 = peer_address_is_v4(address);
    for (size_t i = 0; i < count; i++)
        if (peer_address_is_v4(&networks[i].base) == is_v4 &&
            has_prefix(networks[i].base.ip, address->ip, networks[i].prefix))
            return true;
    return false;
}
