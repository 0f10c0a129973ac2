#include "daemon/service/prepared_queries.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "wire/http/url_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETS = 128, /* by hash; of each two queries, the one used last in front */
    WAYS = 2,
    SEEN = 1024, /* hashes of what came once */
    TEXT_MAX = 2048,
    KEPT_BODY_BYTES = 65536,
    PARTS = 4,
};

struct prepared_queries {
    struct prepared_query *sets[SETS][WAYS]; /* or NULL */
    uint64_t seen[SEEN];
    uint64_t generation; /* counts up when a query is gone */
    struct buf body;
};

static void free_query(struct prepared_query *query)
{
    if (query == NULL)
        return;
    prepared_reply_free(query->prepared);
    request_fini(&query->request);
    free(query->text);
    free(query);
}

struct prepared_queries *prepared_queries_new(void)
{
    struct prepared_queries *memo = mem_zalloc(1, sizeof *memo);
    buf_init(&memo->body, 0);
    return memo;
}

void prepared_queries_free(struct prepared_queries *memo)
{
    if (memo == NULL)
        return;
    for (int i = 0; i < SETS; i++)
        for (int j = 0; j < WAYS; j++)
            free_query(memo->sets[i][j]);
    buf_fini(&memo->body);
    free(memo);
}

/* --- keys --- */

static void set_part(struct query_key *key, int part, const char *text, size_t size_bytes)
{
    key->parts[part] = text;
    key->part_bytes[part] = size_bytes;
}

static bool is_short(const struct query_key *key)
{
    size_t text_bytes = 0;
    for (int i = 0; i < PARTS; i++)
        text_bytes += key->part_bytes[i];
    return text_bytes <= TEXT_MAX;
}

static uint64_t hash_of(const struct query_key *key)
{
    uint64_t hash = hash64(HASH64_SEED, (unsigned char[]){key->language, key->has_time}, 2);
    for (int i = 0; i < PARTS; i++)
        hash = hash64(hash, key->parts[i], key->part_bytes[i]);
    return hash;
}

bool query_key_of_http(const struct http_request *http, struct query_key *key)
{
    static const char PATH[] = "/v1/palette?";
    struct url_time time = {.at = http->target_bytes};
    if (strcmp(http->method, "GET") != 0 || strncmp(http->target, PATH, sizeof PATH - 1) != 0)
        return false;
    *key = (struct query_key){.language = 'h',
                              .has_etag = true,
                              .if_none_match = http->if_none_match,
                              .has_time = url_find_time(http->target, http->target_bytes, &time)};
    if (!key->has_time)
        time = (struct url_time){.at = http->target_bytes};
    const size_t behind = time.at + time.size_bytes;
    key->time_s = time.time_s;
    set_part(key, 0, http->target, time.at);
    set_part(key, 1, http->target + behind, http->target_bytes - behind);
    set_part(key, 2, http->accept, http->accept == NULL ? 0 : strlen(http->accept));
    return is_short(key);
}

bool query_key_of_packet(const struct packet *packet, const char *path, const char *hash, struct query_key *key)
{
    const char *payload = packet->payload;
    const size_t behind = PACKET_AT_QUERY_times + sizeof key->time_s;
    if (packet->kind != PACKET_PALETTE || packet->payload_bytes < behind ||
        get_u32(payload + PACKET_AT_QUERY_time_count) != 1 ||
        (get_u32(payload + PACKET_AT_QUERY_flags) & PACKET_QUERY_RANGE) != 0)
        return false;
    *key = (struct query_key){.language = 'p', .has_time = true, .time_s = get_f64(payload + PACKET_AT_QUERY_times)};
    set_part(key, 0, payload, PACKET_AT_QUERY_times);
    set_part(key, 1, payload + behind, packet->payload_bytes - behind);
    set_part(key, 2, path, strlen(path));
    set_part(key, 3, hash, hash == NULL ? 0 : strlen(hash));
    return isfinite(key->time_s) && is_short(key);
}

/* --- finding --- */

static bool is_it(const struct prepared_query *query, const struct query_key *key)
{
    if (query == NULL || query->language != key->language || query->has_time != key->has_time)
        return false;
    const char *text = query->text;
    for (int i = 0; i < PARTS; text += query->part_bytes[i++])
        if (query->part_bytes[i] != key->part_bytes[i] ||
            (key->part_bytes[i] > 0 && memcmp(text, key->parts[i], key->part_bytes[i]) != 0))
            return false;
    return true;
}

static struct prepared_query *find(struct prepared_queries *memo, const struct query_key *key)
{
    struct prepared_query **set = memo->sets[key->hash % SETS];
    if (is_it(set[0], key))
        return set[0];
    if (!is_it(set[1], key))
        return NULL;
    struct prepared_query *found = set[1];
    set[1] = set[0];
    set[0] = found;
    return found;
}

struct prepared_query *prepared_queries_find(struct prepared_queries *memo, struct query_key *key,
                                             struct query_hint *hint)
{
    key->is_there = hint->memo == memo && hint->generation == memo->generation && is_it(hint->query, key);
    if (key->is_there)
        return hint->query;
    key->hash = hash_of(key);
    struct prepared_query *query = find(memo, key);
    key->is_there = query != NULL;
    *hint = (struct query_hint){memo, memo->generation, query};
    return query;
}

struct prepared_query *prepared_queries_add(struct prepared_queries *memo, const struct query_key *key)
{
    uint64_t *seen = &memo->seen[key->hash / SETS % SEEN];
    if (key->is_there) /* though it could not be answered again */
        return NULL;
    if (*seen != key->hash) {
        *seen = key->hash;
        return NULL;
    }
    struct prepared_query **set = memo->sets[key->hash % SETS];
    struct prepared_query *query = mem_zalloc(1, sizeof *query);
    size_t text_bytes = 0;
    for (int i = 0; i < PARTS; i++)
        text_bytes += key->part_bytes[i];
    query->text = mem_alloc(text_bytes + 1);
    query->language = key->language;
    query->has_time = key->has_time;
    char *to = query->text;
    for (int i = 0; i < PARTS; to += query->part_bytes[i++]) {
        query->part_bytes[i] = key->part_bytes[i];
        if (key->part_bytes[i] > 0)
            memcpy(to, key->parts[i], key->part_bytes[i]);
    }
    free_query(set[1]);
    memo->generation++;
    set[1] = set[0];
    set[0] = query;
    return query;
}

/* --- bodies --- */

void prepared_queries_lend_body(struct prepared_queries *memo, struct buf *body)
{
    *body = memo->body;
    buf_clear(body);
    buf_init(&memo->body, 0);
}

void prepared_queries_take_body(struct prepared_queries *memo, struct buf *body)
{
    if (body->data == NULL || memo->body.data != NULL || body->capacity_bytes > KEPT_BODY_BYTES)
        return;
    memo->body = *body;
    buf_init(body, body->limit_bytes);
}
