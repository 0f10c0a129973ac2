/* What a proxy says about its client: the first bytes of a connection as a PROXY header, as a whole and byte by byte;
 * then, separated by NULs, a list of trusted proxies, X-Forwarded-For, Forwarded and traceparent. No crash. The
 * division of the bytes does not decide whether they are a header. The logged client is one word. */
#include "wire/proxy/forwarded.h"
#include "wire/proxy/proxy_header.h"
#include "wire/proxy/trace_context.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS = 4 };

static void expect(bool is_true)
{
    if (!is_true)
        abort();
}

static void expect_word(const char *text)
{
    static const char CHARS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:[]_-";
    expect(strlen(text) < PEER_TEXT_SIZE && text[strspn(text, CHARS)] == '\0');
}

static void check_header(const char *bytes, size_t size)
{
    struct proxy_header header, grown;
    struct err err;
    char text[PEER_TEXT_SIZE];
    size_t used, grown_used;
    const int rc = proxy_header_read(bytes, size, &header, &used, &err);
    expect(used <= size && (used > 0) == (rc == PROXY_HEADER_READ));
    if (rc == PROXY_HEADER_NEED_MORE)
        expect(size < PROXY_HEADER_MAX_BYTES);
    peer_address_format(&header.source, text);
    expect_word(text);
    for (size_t end = 0; end < size; end++) {
        const int now = proxy_header_read(bytes, end, &grown, &grown_used, &err);
        if (now == PROXY_HEADER_NEED_MORE)
            continue;
        expect(now == rc && grown_used == used);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1), *texts[TEXTS], client[PEER_TEXT_SIZE], trace[TRACEPARENT_SIZE];
    struct trusted_proxies proxies = {0};
    struct err err;
    expect(bytes != NULL);
    if (size > 0)
        memcpy(bytes, data, size);
    check_header(bytes, size);
    bytes[size] = '\0';
    char *text = bytes;
    for (int i = 0; i < TEXTS; i++) {
        texts[i] = text;
        text += strlen(text);
        text += text < bytes + size ? 1 : 0;
    }
    (void)trusted_proxies_add(&proxies, texts[0], &err);
    forwarded_client(&proxies, texts[1], NULL, client);
    expect_word(client);
    forwarded_client(&proxies, NULL, texts[2], client);
    expect_word(client);
    expect(trace_context_read(texts[3], trace) == (trace[0] != '\0'));
    trusted_proxies_fini(&proxies);
    free(bytes);
    return 0;
}
