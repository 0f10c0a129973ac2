#include "wire/encode/reply.h"

#include "wire/encode/json.h"

enum { CANDIDATES_MAX = 20, OVERLOAD_RETRY_S = 1 };

const char REPLY_KEEP_PLAIN[] = "no-cache", REPLY_KEEP_IMMUTABLE[] = "public, max-age=31536000, immutable";

void reply_init(struct reply *reply) { *reply = (struct reply){.status = 200}; }

void reply_fini(struct reply *reply)
{
    buf_fini(&reply->body);
    if (reply->blob != NULL)
        blob_unref(reply->blob);
    if (reply->rest != NULL)
        reply->rest->free(reply->rest);
    buf_fini(&reply->message);
    buf_fini(&reply->unmatched);
    buf_fini(&reply->picture_lines);
    buf_fini(&reply->policy);
    reply_init(reply);
}

void reply_drop_body(struct reply *reply)
{
    buf_clear(&reply->body);
    if (reply->rest != NULL)
        reply->rest->free(reply->rest);
    reply->rest = NULL;
}

static void put_candidates(struct buf *out, const struct reply_candidate *candidates, size_t count)
{
    buf_put_text(out, ",\"candidates\":[");
    for (size_t i = 0; i < count && i < CANDIDATES_MAX; i++) {
        json_comma(out, i > 0);
        json_printf(out, "{\"index\":%u,\"name\":%.*s}", candidates[i].index, (int)candidates[i].name_bytes,
                    candidates[i].name);
    }
    buf_put_char(out, ']');
}

int reply_error(struct reply *reply, const struct err *err, const struct reply_candidate *candidates,
                size_t candidate_count)
{
    reply_fini(reply); /* the partial output may be large */
    *reply = (struct reply){
        .status = err_http_status(err->code),
        .code = err->code,
        .content_type = "application/json",
        .cache_control = "no-store", /* the next request may find the file repaired or the queue empty */
    };
    if (reply->status == 405)
        reply->allow = "GET, HEAD";
    if (reply->status == 503)
        reply->retry_after_s = OVERLOAD_RETRY_S;
    buf_put_text(&reply->message, err->message);
    json_printf(&reply->body, "{\"error\":{\"code\":%s,\"message\":%s", err_name(err->code), err->message);
    if (candidates != NULL)
        put_candidates(&reply->body, candidates, candidate_count);
    buf_put_text(&reply->body, "}}\n");
    return err->code;
}

/* Inserts two texts into a buffer. */
static void insert(struct buf *buf, size_t at, const char *a, const char *b)
{
    struct buf whole;
    buf_init(&whole, buf->limit_bytes);
    buf_put(&whole, buf->data, at);
    buf_put_text(&whole, a);
    buf_put_text(&whole, b);
    buf_put(&whole, buf->data + at, buf->size_bytes - at);
    buf_fini(buf);
    *buf = whole;
}

int reply_prefix(struct reply *reply, const char *prefix)
{
    const size_t head_bytes =
        sizeof "{\"error\":{\"code\":\"" - 1 + strlen(err_name(reply->code)) + sizeof "\",\"message\":\"" - 1;
    insert(&reply->message, 0, prefix, ": ");
    insert(&reply->body, head_bytes, prefix, ": ");
    return reply->code;
}
