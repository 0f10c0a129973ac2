/* reply.h - the struct for all replies, before a protocol frames it. Pure; owners move it and never share it. */
#pragma once

#include "base/blob.h"
#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Whether an answer may come in pieces: never; only with a known total size; always. */
enum reply_pieces { REPLY_WHOLE, REPLY_SIZED, REPLY_CHUNKED };
#define REPLY_REST_UNKNOWN UINT64_MAX

/* The rest of a body, generated while it is sent. */
struct body_stream {
    /* Appends the next piece to the empty buffer. Returns 1 when more follow, 0 after the last one, or a negative ERR_:
     * nothing follows, and the pieces so far are not a valid answer. Any thread, one at a time. */
    int (*next)(struct body_stream *stream, struct buf *out, struct err *err);
    /* Returns the memory that the stream holds. Not during next(). */
    size_t (*held_bytes)(const struct body_stream *stream);
    /* Frees the stream on its owner's thread. Not during next(). */
    void (*free)(struct body_stream *stream);
    _Atomic bool is_stopped; /* the rest is not needed any more: next() ends soon */
};

struct reply {
    int status;                /* HTTP status: 200, 304, or one of the error table */
    int code;                  /* 0 or an ERR_ value */
    const char *content_type;  /* static storage */
    const char *cache_control; /* static storage: one of REPLY_KEEP_, or the value of the header; or NULL */
    const char *allow;         /* for 405; static storage, or NULL */
    int retry_after_s;         /* 0 = no header */
    char etag[80];             /* with quotes; "": none */
    bool is_vary_accept;
    bool is_vary_encoding;
    bool is_json; /* the body (or the body that a 304 refers to) is JSON about a model or the text of a page */
    const char *content_coding; /* for Content-Encoding; static storage, or NULL */
    const char *file_of; /* path of the model, borrowed from the request: the body is a file named after it; or NULL */
    const char *file_word;      /* suffix of that name; static storage, or NULL */
    const char *file_extension; /* without a dot; "glb" and "posed" are downloads, others are displayed too; static */
    uint32_t stale_s; /* the files behind the answer have been inaccessible for this long; 0: they are accessible */
    uint32_t warning_count;   /* of the files behind the answer */
    struct buf unmatched;     /* anim/retarget/retarget_report.h; empty: no header. Only with 200 */
    struct buf picture_lines; /* header lines about a picture, each with CRLF, or empty. Only with 200 */
    struct buf policy;        /* Content-Security-Policy of a page; empty: no header. Only with 200 */
    struct buf message;       /* message of an error, without NUL */
    bool has_content; /* content_hash is set; it is the hash of the requested model, also in an error about it */
    uint8_t content_hash[32];
    struct buf body;
    struct blob *blob;        /* a reference to the body, used instead of `body`; or NULL */
    struct body_stream *rest; /* the rest of the body, owned; or NULL. It borrows the request */
    uint64_t rest_bytes;      /* size of the rest, or REPLY_REST_UNKNOWN */
};

/* The cache_control of responses about a model. Code compares the addresses; the configuration sets the header's text
 * (wire/proxy/cache_policy.h). */
extern const char REPLY_KEEP_PLAIN[];     /* the request does not specify the content hash */
extern const char REPLY_KEEP_IMMUTABLE[]; /* the request specifies it */

void reply_init(struct reply *reply);
void reply_fini(struct reply *reply);
/* The part of the body in memory; more may follow. */
static inline size_t reply_body_bytes(const struct reply *reply)
{
    return reply->blob != NULL ? reply->blob->size_bytes : reply->body.size_bytes;
}
static inline const char *reply_body(const struct reply *reply)
{
    return reply->blob != NULL ? reply->blob->data : reply->body.data;
}
/* Drops the body, including its rest. */
void reply_drop_body(struct reply *reply);

/* A thing that an unknown or ambiguous name may refer to. */
struct reply_candidate {
    uint32_t index;
    const char *name;
    size_t name_bytes; /* name NULL: unnamed */
};

/* Replaces *reply by the error answer {"error":{"code":..,"message":..,"candidates":[..]}} of `err` and drops its body.
 * candidates may be NULL; it lists at most 20. Returns err->code. */
int reply_error(struct reply *reply, const struct err *err, const struct reply_candidate *candidates,
                size_t candidate_count);
/* Puts `prefix` and ": " before the message of an error answer, and keeps its candidates. prefix: ASCII that JSON need
 * not escape, such as "layers[2]". Returns reply->code. */
int reply_prefix(struct reply *reply, const char *prefix);
