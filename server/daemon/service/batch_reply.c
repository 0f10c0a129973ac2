#include "daemon/service/batch_reply.h"

#include "base/buf.h"

void batch_reply_init(struct batch_reply *batch, const struct limits *limits)
{
    reply_init(&batch->reply);
    batch->reply.content_type = "application/json";
    batch->reply.cache_control = "no-store";
    batch->left = *limits;
    batch->count = 0;
    buf_put_text(&batch->reply.body, "{\"results\":[");
}

void batch_reply_put(struct batch_reply *batch, const struct reply *item)
{
    size_t size_bytes = item->body.size_bytes;
    while (size_bytes > 0 && item->body.data[size_bytes - 1] == '\n')
        size_bytes--;
    buf_put_text(&batch->reply.body, batch->count++ == 0 ? "\n" : ",\n");
    buf_put(&batch->reply.body, item->body.data, size_bytes);
    uint64_t *left = &batch->left.value[LIMIT_ANSWER_BYTES];
    if (item->code == 0)
        *left -= size_bytes < *left ? size_bytes : *left - 1; /* 0 would mean no limit */
}

void batch_reply_put_error(struct batch_reply *batch, const struct err *err)
{
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    batch_reply_put(batch, &reply);
    reply_fini(&reply);
}

void batch_reply_end(struct batch_reply *batch) { buf_put_text(&batch->reply.body, "]}\n"); }
