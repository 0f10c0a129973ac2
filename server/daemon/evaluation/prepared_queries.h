/* prepared_queries.h - queries that come again and again, each time at another time: such as every player of a clip
 * asks.
 *
 * The request of a query that was answered is kept, and prepared (prepared_reply.h) when the query comes again, the
 * same but for its time; from then on only the time is read. Nothing else is kept: access is checked, and the model
 * asked for, each time. A few hundred queries, of which those give way that came once, then those used least recently.
 * Loop thread only; each loop has its own. */
#pragma once

#include "wire/operations/prepared_reply.h"
#include "wire/http/http_parser.h"
#include "wire/packet/packet.h"

struct shared_model;
struct prepared_queries;

/* What a query is recognised by, and the time it asks for. Borrowed from the request. */
struct query_key {
    const char *parts[4];
    size_t part_bytes[4];
    unsigned char protocol; /* so that those of several cannot be taken for each other */
    bool has_time;          /* time_s is what follows the first part; otherwise the query says its time otherwise */
    double time_s;
    bool has_etag;             /* the answer has one */
    const char *if_none_match; /* or NULL */
    uint64_t hash;             /* of parts and protocol */
    bool is_found;             /* by prepared_queries_find() */
};

struct prepared_query {
    struct request request;
    struct prepared_reply *prepared; /* for the model below, or NULL: its answers cannot be */
    uint64_t model_key;              /* of struct imported_model */
    bool is_quick;                   /* they take a few microseconds at most */
    /* Private to the dispatcher: the model that it found the last time, unless one of its models went since. */
    struct shared_model *shared;
    uint64_t model_generation;
    /* Private to prepared_queries.c: */
    bool is_filled; /* there is a request */
    unsigned char protocol;
    bool has_time;
    char *text; /* the parts of its key, one behind the other */
    size_t part_bytes[4];
};

/* Remembers nothing yet. */
struct prepared_queries *prepared_queries_new(void);
void prepared_queries_free(struct prepared_queries *queries);

/* False: the query is none that is remembered. */
bool query_key_of_http(const struct http_request *http, struct query_key *key);
/* path and hash: of the model, hash NULL where any content will do. */
bool query_key_of_packet(const struct packet *packet, const char *path, const char *hash, struct query_key *key);

/* What somebody asked last, and so is likely to ask next. Zeroed: nothing. */
struct query_hint {
    const struct prepared_queries *queries;
    uint64_t generation; /* of the queries: in another the query may be gone */
    struct prepared_query *query;
};

/* The query with the key's parts, or NULL: likely that of the hint, which is then that one. Valid until the next call
 * of prepared_queries_add(). */
struct prepared_query *prepared_queries_find(struct prepared_queries *queries, struct query_key *key,
                                             struct query_hint *hint);

/* For a query that was not answered by what prepared_queries_find() found, if anything: *place is where its request
 * goes once it is answered. */
void prepared_queries_add(struct prepared_queries *queries, const struct query_key *key, struct query_hint *place);
/* Moves the request to its place, or ends it: there is no place, or not any more, or the request is of no use there. */
void prepared_queries_fill(const struct query_hint *place, struct request *request);
