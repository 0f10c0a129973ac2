/* query_memo.h - queries that come again and again, each time at another time: such as every player of a clip asks.
 *
 * What comes a second time, the same but for its time, is parsed once more, prepared (answer_prepared.h) and kept; from
 * then on only its time is read. Nothing else is remembered: access is checked, and the model asked for, each time. A
 * few hundred queries, those used least recently give way. Loop thread only; one memo a loop. */
#pragma once

#include "wire/bodies/prepared_reply.h"
#include "wire/http/http_parser.h"
#include "wire/packet/packet.h"

struct prepared_queries;

/* What a query is recognised by, and the time it asks for. Borrowed from the request. */
struct query_key {
    const char *parts[4];
    size_t part_bytes[4];
    unsigned char language; /* so that those of several cannot be taken for each other */
    bool has_time;          /* time_s is what follows the first part; otherwise the query says its time otherwise */
    double time_s;
    bool has_etag;             /* the answer has one */
    const char *if_none_match; /* or NULL */
    uint64_t hash;             /* of parts and language */
    bool is_there;             /* prepared_queries_find() has found it */
};

struct prepared_query {
    struct request request;
    struct prepared_reply *prepared; /* for the model below, or NULL: its answers cannot be */
    uint64_t model_key;              /* of struct imported_model */
    bool is_quick;                   /* they take a few microseconds at most */
    /* the rest is private to query_memo.c */
    unsigned char language;
    bool has_time;
    char *text; /* the parts of its key, one behind the other */
    size_t part_bytes[4];
};

/* Remembers nothing yet. */
struct prepared_queries *prepared_queries_new(void);
void prepared_queries_free(struct prepared_queries *memo);

/* False: the query is none that is remembered. */
bool query_key_of_http(const struct http_request *http, struct query_key *key);
/* path and hash: of the model, hash NULL where any content will do. */
bool query_key_of_packet(const struct packet *packet, const char *path, const char *hash, struct query_key *key);

/* What somebody asked last, and so is likely to ask next. Zeroed: nothing. */
struct query_hint {
    const struct prepared_queries *memo;
    uint64_t generation; /* of the memo: in another the query may be gone */
    struct prepared_query *query;
};

/* The query with the key's parts, or NULL: likely that of the hint, which is then that one. Valid until the next call
 * of prepared_queries_add(). */
struct prepared_query *prepared_queries_find(struct prepared_queries *memo, struct query_key *key,
                                             struct query_hint *hint);

/* The query was found good. NULL: it is there, or came for the first time; else a new one, whose request is to be
 * filled before the next call of anything here. */
struct prepared_query *prepared_queries_add(struct prepared_queries *memo,
                                            const struct query_key *key); /* after prepared_queries_find() */

/* Memory for the body of an answer, kept from one to the next. */
void prepared_queries_lend_body(struct prepared_queries *memo, struct buf *body);
void prepared_queries_take_body(struct prepared_queries *memo, struct buf *body);
