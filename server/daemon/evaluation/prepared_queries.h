/* prepared_queries.h - recognises repeated queries that differ only in their time, as every player of a clip sends
 * them.
 *
 * After a query was answered, its request is kept. When the query repeats with another time, it is prepared
 * (prepared_reply.h), and from then on only its time is parsed. Each query looks the model up, and checks access unless
 * its head repeats one that was allowed (daemon/conn/http_begin.h). A few hundred queries are kept; those seen once
 * are evicted first, then the least recently used. Each loop has its own, for its thread only. */
#pragma once

#include "wire/operations/prepared_reply.h"
#include "wire/http/http_parser.h"
#include "wire/packet/packet.h"

struct shared_model;
struct prepared_queries;

/* The parts by which a query is recognised, and its time. Borrowed from the request. */
struct query_key {
    const char *parts[4];
    size_t part_bytes[4];
    unsigned char protocol; /* distinguishes the queries of several protocols */
    bool has_time;          /* time_s follows the first part; otherwise the query gives its time in another way */
    double time_s;
    bool has_etag;             /* the answer has an ETag */
    const char *if_none_match; /* or NULL */
    bool is_any_tag;           /* it is "*" */
    uint64_t hash;             /* of the parts and the protocol */
    bool is_found;             /* set by prepared_queries_find() */
};

/* What a reply says of its validity. From one reply about a model to the next only the digits of the time change. */
struct prepared_validators {
    char etag[sizeof((struct reply *)NULL)->etag]; /* "": no reply yet */
    const char *cache_control;
    bool is_vary_accept, is_json;
};

struct prepared_query {
    struct request request;
    struct prepared_reply *prepared; /* for the model below; NULL: its answers cannot be prepared */
    uint64_t model_key;              /* key of struct imported_model */
    bool is_quick;                   /* its answers take a few microseconds at most */
    struct prepared_validators validators;
    /* Private to the dispatcher: the model found last time, unless a model was removed since. */
    struct shared_model *shared;
    uint64_t model_generation;
    /* Private to prepared_queries.c: */
    bool is_filled; /* has a request */
    unsigned char protocol;
    bool has_time;
    char *text; /* the concatenated parts of its key */
    size_t part_bytes[4];
};

/* Creates an empty store. */
struct prepared_queries *prepared_queries_new(void);
void prepared_queries_free(struct prepared_queries *queries);

/* False: the query cannot be prepared. */
bool query_key_of_http(const struct http_request *http, struct query_key *key);
/* path and hash identify the model; hash NULL accepts any content. */
bool query_key_of_packet(const struct packet *packet, const char *path, const char *hash, struct query_key *key);

/* The last query of a client, which it is likely to repeat. Zeroed, it is empty. */
struct query_hint {
    const struct prepared_queries *queries;
    uint64_t generation; /* of the queries; after it changes the query may have been removed */
    struct prepared_query *query;
};

/* Returns the query with the key's parts, or NULL, and tries that of the hint first. The hint is set to the result.
 * Valid until the next prepared_queries_add(). */
struct prepared_query *prepared_queries_find(struct prepared_queries *queries, struct query_key *key,
                                             struct query_hint *hint);

/* Returns the query of the hint if it is still kept and its time varies, or NULL. */
struct prepared_query *prepared_queries_hinted(const struct prepared_queries *queries, const struct query_hint *hint);

/* Reserves a place for a query that prepared_queries_find() did not find or could not answer. *place receives its
 * request after it is answered. */
void prepared_queries_add(struct prepared_queries *queries, const struct query_key *key, struct query_hint *place);
/* Moves the request to its place. Ends the request when the place is missing or was taken, or the request is
 * unsuitable. */
void prepared_queries_fill(const struct query_hint *place, struct request *request);
