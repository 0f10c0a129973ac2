/* HTTP bytes, fed as a whole and in pieces: never a crash, and the same requests and errors both ways. Each request is
 * also what a fresh parser reads, however it repeats the one before. The first byte chooses the size of the pieces. */
#include "base/hash.h"
#include "wire/http/http_parser.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t hash_text(uint64_t state, const char *text)
{
    return text == NULL ? hash64(state, "", 1) : hash64(state, text, strlen(text) + 1);
}

static uint64_t hash_request(uint64_t state, const struct http_request *request)
{
    state = hash_text(state, request->method);
    state = hash_text(state, request->target);
    state = hash_text(state, request->host);
    state = hash_text(state, request->accept);
    state = hash_text(state, request->accept_encoding);
    state = hash_text(state, request->if_none_match);
    state = hash_text(state, request->content_type);
    state = hash_text(state, request->authorization);
    state = hash_text(state, request->origin);
    state = hash_text(state, request->forwarded_for);
    state = hash_text(state, request->forwarded);
    state = hash_text(state, request->traceparent);
    state = hash_text(state, request->upgrade);
    state = hash_text(state, request->request_id);
    state = hash64(state, &request->has_body, sizeof request->has_body);
    state = hash64(state, &request->has_preflight_method, sizeof request->has_preflight_method);
    state = hash64(state, &request->is_head, sizeof request->is_head);
    state = hash64(state, &request->is_http_1_0, sizeof request->is_http_1_0);
    state = hash64(state, request->body, request->body_bytes);
    return hash64(state, &request->is_keep_alive, sizeof request->is_keep_alive);
}

static void require(int is_true)
{
    if (!is_true)
        abort();
}

/* A request that was read from these bytes; GET and HEAD have no body that matters. */
static void require_as_fresh(const struct limits *limits, const struct http_request *request, const char *bytes,
                             size_t size_bytes)
{
    struct http_parser fresh;
    struct err err;
    size_t used_bytes;
    http_parser_init(&fresh, limits);
    require(http_parser_feed(&fresh, bytes, size_bytes, &used_bytes, &err) == HTTP_COMPLETE);
    require(used_bytes == size_bytes && !fresh.request.is_repeat);
    require(hash_request(HASH64_SEED, &fresh.request) == hash_request(HASH64_SEED, request));
    if (request->is_repeat && request->number_bytes > 0) {
        const char *number = request->target + request->number_at;
        require(request->number_at + request->number_bytes <= request->target_bytes);
        require(strncmp(number - 2, "t=", 2) == 0 && strchr("?&", number[-3]) != NULL);
        require(strspn(number, "0123456789.-e") == request->number_bytes);
    }
    http_parser_fini(&fresh);
}

/* A sink for the bodies of PUT that fails at its 41st byte. */
struct collector {
    struct http_sink sink;
    char bytes[64];
    size_t size_bytes;
};

enum { COLLECTOR_FULL = 40 };

static int collect(struct http_sink *sink, const char *bytes, size_t size_bytes, struct err *err)
{
    struct collector *to = (struct collector *)sink;
    require(size_bytes > 0 && to->size_bytes + size_bytes <= sizeof to->bytes);
    memcpy(to->bytes + to->size_bytes, bytes, size_bytes);
    to->size_bytes += size_bytes;
    return to->size_bytes <= COLLECTOR_FULL ? 0 : err_set(err, ERR_OVERLOADED, "full");
}

/* Feeds pieces of at most `piece_bytes` and returns a hash of all results. */
static uint64_t outcome(const struct limits *limits, const char *bytes, size_t size, size_t piece_bytes)
{
    struct http_parser parser;
    http_parser_init(&parser, limits);
    uint64_t state = HASH64_SEED;
    int rc = HTTP_NEED_MORE;
    size_t request_at = 0;
    struct collector collector = {.sink = {collect, sizeof collector.bytes}};
    for (size_t at = 0; at < size && rc >= 0;) {
        const size_t left = size - at;
        const size_t part = left < piece_bytes ? left : piece_bytes;
        struct err err = {0};
        size_t used = SIZE_MAX;
        rc = http_parser_feed(&parser, bytes + at, part, &used, &err);
        require(used <= part && (rc < 0 || used > 0));
        require(rc != HTTP_NEED_MORE || used == part);
        at += used;
        if (rc == HTTP_HEAD_DONE) {
            require(strcmp(parser.request.method, "PUT") == 0 && parser.phase == HTTP_PHASE_BODY);
            if (parser.request.target[0] == '/')
                (void)http_parser_set_sink(&parser, &collector.sink, &err);
            collector.size_bytes = 0;
        }
        if (rc == HTTP_COMPLETE) {
            require(parser.request.method != NULL && parser.request.target != NULL);
            require(parser.request.target_bytes == strlen(parser.request.target));
            state = hash_request(state, &parser.request);
            state = hash64(state, collector.bytes, parser.sink == NULL ? 0 : collector.size_bytes);
            if (strcmp(parser.request.method, "PUT") != 0)
                require_as_fresh(limits, &parser.request, bytes + request_at, at - request_at);
            request_at = at;
        }
        if (rc < 0) {
            require(err.code == rc && err.message[0] != '\0' && parser.phase == HTTP_PHASE_FAILED);
            state = hash64(state, &rc, sizeof rc);
        }
    }
    state = hash64(state, &parser.phase, sizeof parser.phase);
    http_parser_fini(&parser);
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct limits limits;
    limits_default(&limits);
    /* small enough for small inputs to exceed */
    limits.value[LIMIT_URL_BYTES] = 200;
    limits.value[LIMIT_HEADER_BYTES] = 300;
    limits.value[LIMIT_HEADER_COUNT] = 12;
    limits.value[LIMIT_BODY_BYTES] = 100;
    const char *bytes = (const char *)data + 1;
    const size_t piece_bytes = (size_t)data[0] + 1;
    require(outcome(&limits, bytes, size - 1, SIZE_MAX) == outcome(&limits, bytes, size - 1, piece_bytes));
    return 0;
}
