#include "daemon/evaluation/prepared_queries.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "wire/http/http_response.h"
#include "wire/http/url.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETS = 128, /* by hash; of the two queries in a set, the more recently found is first */
    WAYS = 2,
    TEXT_MAX = 2048,
    PARTS = 4,
};

struct prepared_queries {
    struct prepared_query *sets[SETS][WAYS]; /* or NULL */
    uint64_t generation;                     /* incremented when a query is removed */
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

struct prepared_queries *prepared_queries_new(void) { return mem_zalloc(1, sizeof(struct prepared_queries)); }

void prepared_queries_free(struct prepared_queries *queries)
{
    if (queries == NULL)
        return;
    for (int i = 0; i < SETS; i++)
        for (int j = 0; j < WAYS; j++)
            free_query(queries->sets[i][j]);
    free(queries);
}

/* --- keys --- */

static void set_part(struct query_key *key, int part, const char *text, size_t size_bytes)
{
    key->parts[part] = text;
    key->part_bytes[part] = size_bytes;
}

/* Returns the total size of all parts. */
static size_t text_bytes(const struct query_key *key)
{
    size_t sum_bytes = 0;
    for (int i = 0; i < PARTS; i++)
        sum_bytes += key->part_bytes[i];
    return sum_bytes;
}

static uint64_t hash_of(const struct query_key *key)
{
    uint64_t hash = hash64(HASH64_SEED, (unsigned char[]){key->protocol, key->has_time}, 2);
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
    *key = (struct query_key){.protocol = 'h',
                              .has_etag = true,
                              .if_none_match = http->if_none_match,
                              .is_any_tag = http_etag_is_any(http->if_none_match),
                              .has_time = url_find_time(http->target, http->target_bytes, &time)};
    if (!key->has_time)
        time = (struct url_time){.at = http->target_bytes};
    const size_t behind = time.at + time.size_bytes;
    key->time_s = time.time_s;
    set_part(key, 0, http->target, time.at);
    set_part(key, 1, http->target + behind, http->target_bytes - behind);
    set_part(key, 2, http->accept, http->accept == NULL ? 0 : strlen(http->accept));
    return text_bytes(key) <= TEXT_MAX;
}

bool query_key_of_packet(const struct packet *packet, const char *path, const char *hash, struct query_key *key)
{
    const char *payload = packet->payload;
    const size_t behind = PACKET_AT_QUERY_times + sizeof key->time_s;
    if (packet->kind != PACKET_PALETTE || packet->payload_bytes < behind ||
        get_u32(payload + PACKET_AT_QUERY_time_count) != 1 ||
        (get_u32(payload + PACKET_AT_QUERY_flags) & PACKET_QUERY_RANGE) != 0)
        return false;
    *key = (struct query_key){.protocol = 'p', .has_time = true, .time_s = get_f64(payload + PACKET_AT_QUERY_times)};
    set_part(key, 0, payload, PACKET_AT_QUERY_times);
    set_part(key, 1, payload + behind, packet->payload_bytes - behind);
    set_part(key, 2, path, strlen(path));
    set_part(key, 3, hash, hash == NULL ? 0 : strlen(hash));
    return isfinite(key->time_s) && text_bytes(key) <= TEXT_MAX;
}

/* --- finding --- */

static bool is_it(const struct prepared_query *query, const struct query_key *key)
{
    if (query == NULL || query->protocol != key->protocol || query->has_time != key->has_time)
        return false;
    const char *text = query->text;
    for (int i = 0; i < PARTS; text += query->part_bytes[i++])
        if (query->part_bytes[i] != key->part_bytes[i] ||
            (key->part_bytes[i] > 0 && memcmp(text, key->parts[i], key->part_bytes[i]) != 0))
            return false;
    return true;
}

static bool is_kept(const struct prepared_queries *queries, const struct query_hint *hint)
{
    return hint->queries == queries && hint->generation == queries->generation;
}

struct prepared_query *prepared_queries_hinted(const struct prepared_queries *queries, const struct query_hint *hint)
{
    return is_kept(queries, hint) && hint->query != NULL && hint->query->has_time ? hint->query : NULL;
}

struct prepared_query *prepared_queries_find(struct prepared_queries *queries, struct query_key *key,
                                             struct query_hint *hint)
{
    key->is_found = is_kept(queries, hint) && is_it(hint->query, key);
    if (key->is_found)
        return hint->query;
    key->hash = hash_of(key);
    struct prepared_query **set = queries->sets[key->hash % SETS], *found = NULL;
    for (int i = 0; i < WAYS && found == NULL; i++) {
        if (!is_it(set[i], key) || !set[i]->is_filled)
            continue;
        found = set[i];
        set[i] = set[0];
        set[0] = found;
    }
    key->is_found = found != NULL;
    *hint = (struct query_hint){queries, queries->generation, found};
    return found;
}

static struct prepared_query *new_query(const struct query_key *key)
{
    struct prepared_query *query = mem_zalloc(1, sizeof *query);
    query->text = mem_alloc(text_bytes(key) + 1);
    query->protocol = key->protocol;
    query->has_time = key->has_time;
    char *to = query->text;
    for (int i = 0; i < PARTS; to += query->part_bytes[i++]) {
        query->part_bytes[i] = key->part_bytes[i];
        if (key->part_bytes[i] > 0)
            memcpy(to, key->parts[i], key->part_bytes[i]);
    }
    return query;
}

void prepared_queries_add(struct prepared_queries *queries, const struct query_key *key, struct query_hint *place)
{
    *place = (struct query_hint){0};
    if (key->is_found) /* the query is stored but could not be answered from it */
        return;
    struct prepared_query **set = queries->sets[key->hash % SETS];
    int way = 0;
    while (way < WAYS && set[way] != NULL && !is_it(set[way], key))
        way++;
    if (way == WAYS) { /* a query seen once does not displace the most recently found one */
        way--;
        free_query(set[way]);
        set[way] = NULL;
        queries->generation++;
    }
    if (set[way] == NULL)
        set[way] = new_query(key);
    *place = (struct query_hint){queries, queries->generation, set[way]};
}

void prepared_queries_fill(const struct query_hint *place, struct request *request)
{
    struct prepared_query *query = place->query;
    if (place->queries != NULL && is_kept(place->queries, place) && !query->is_filled &&
        prepared_reply_is_possible(request, query->has_time)) {
        query->request = *request;
        query->is_filled = true;
        request_init(request);
    } else {
        request_fini(request);
    }
}
