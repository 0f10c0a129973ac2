/* reply.h - the one reply struct, before a protocol frames it. Pure; moved, not shared, between owners. */
#pragma once

#include "base/blob.h"
#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Whether an answer may come in pieces: never; where its size is known from the start; any. */
enum reply_pieces { REPLY_WHOLE, REPLY_SIZED, REPLY_CHUNKED };
#define REPLY_REST_UNKNOWN UINT64_MAX

/* The rest of a body, which is made as it is taken. */
struct body_stream {
    /* Appends the next piece to the empty buffer. 1: more follow, 0: it was the last; negative ERR_: nothing follows,
     * and what came is not the answer. Any thread, one at a time. */
    int (*next)(struct body_stream *stream, struct buf *out, struct err *err);
    /* Memory that it holds; not during next(). */
    size_t (*held_bytes)(const struct body_stream *stream);
    /* Not during next(). On the thread of its owner. */
    void (*free)(struct body_stream *stream);
    _Atomic bool is_stopped; /* nobody needs the rest: next() ends soon */
};

struct reply {
    int status;                /* HTTP status; 200, 304, or the error table's */
    int code;                  /* 0 or an ERR_ value */
    const char *content_type;  /* static storage */
    const char *cache_control; /* static storage: REPLY_KEEP_.. or the value of the header; or NULL */
    const char *allow;         /* for 405; static storage, or NULL */
    int retry_after_s;         /* 0 = no header */
    char etag[80];             /* with its quotes; "" = none */
    bool is_vary_accept;
    bool is_vary_encoding;
    bool is_json;               /* the body, or that which a 304 stands for, is JSON about a model or a page's text */
    const char *content_coding; /* for Content-Encoding; static storage, or NULL */
    const char *file_of;        /* the model's path, the request's: the body is a file that has its name; or NULL */
    const char *file_word;      /* what follows the name; static storage, or NULL */
    const char
        *file_extension;    /* without a dot: "glb" and "posed" are for saving, others are shown too; static storage */
    uint32_t stale_s;       /* the files that the answer is from cannot be looked at, for so long; 0: they can */
    uint32_t warning_count; /* of the files that the answer is made from */
    struct buf unmatched;   /* anim/retarget/retarget_report.h; empty = no header. Of 200 */
    struct buf picture_lines; /* header lines about a picture, each with its CRLF, or empty. Of 200 */
    struct buf policy;        /* of a page: Content-Security-Policy; empty = no header. Of 200 */
    struct buf message;       /* of an error: its sentence, without NUL */
    bool has_content;         /* content_hash is that of the model that was asked about, also of an error about it */
    uint8_t content_hash[32];
    struct buf body;
    struct blob *blob;        /* the body instead of `body`, held; or NULL */
    struct body_stream *rest; /* what follows the body, owned; or NULL. It borrows the request */
    uint64_t rest_bytes;      /* likewise: its size, or REPLY_REST_UNKNOWN */
};

/* cache_control of answers about a model, by their addresses: what stands in the header is the configuration's
 * (wire/proxy/cache_policy.h). */
extern const char REPLY_KEEP_PLAIN[];     /* the request does not name the content that is meant */
extern const char REPLY_KEEP_IMMUTABLE[]; /* it does */

void reply_init(struct reply *reply);
void reply_fini(struct reply *reply);
/* Of what is there; more may follow. */
static inline size_t reply_body_bytes(const struct reply *reply)
{
    return reply->blob != NULL ? reply->blob->size_bytes : reply->body.size_bytes;
}
static inline const char *reply_body(const struct reply *reply)
{
    return reply->blob != NULL ? reply->blob->data : reply->body.data;
}
/* There is none: neither what is there nor what would follow. */
void reply_drop_body(struct reply *reply);

/* A thing that an unknown or ambiguous name could have meant. */
struct reply_candidate {
    uint32_t index;
    const char *name;
    size_t name_bytes; /* name NULL: unnamed */
};

/* Turns *reply into the error answer {"error":{"code":..,"message":..,"candidates":[..]}} of `err`; drops
 * whatever body it had. candidates may be NULL; at most 20 are listed. Returns err->code. */
int reply_error(struct reply *reply, const struct err *err, const struct reply_candidate *candidates,
                size_t candidate_count);
