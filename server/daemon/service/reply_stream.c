#include "daemon/service/reply_stream.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "wire/bodies/reply_cursor.h"

#include <stdlib.h>

struct reply_stream {
    struct body_stream base;
    struct reply_cursor *stream;
    const struct request *request;
    uint32_t model_count;
    const struct model *clips[REQUEST_SOURCES_MAX];
    struct imported_model *models[1 + REQUEST_SOURCES_MAX]; /* a reference each; the model, then those of the clips */
};

static struct reply_stream *source_of(const struct body_stream *base)
{
    return container_of(base, struct reply_stream, base);
}

static int next_piece(struct body_stream *base, struct buf *out, struct err *err)
{
    return reply_cursor_next(source_of(base)->stream, out, err);
}

/* A model that the cache has let go is here for those who still read of it. */
static size_t held_bytes(const struct body_stream *base)
{
    const struct reply_stream *source = source_of(base);
    size_t bytes = sizeof *source + reply_cursor_held_bytes(source->stream);
    for (uint32_t i = 0; i < source->model_count; i++)
        if (!source->models[i]->is_cached)
            bytes += source->models[i]->held_bytes / source->models[i]->ref_count;
    return bytes;
}

static void free_base(struct body_stream *base) { reply_stream_free(source_of(base)); }

struct reply_stream *reply_stream_new(const struct evaluation *evaluation, const struct kernel *kernel)
{
    struct reply_stream *source = mem_zalloc(1, sizeof *source);
    source->base.next = next_piece;
    source->base.held_bytes = held_bytes;
    source->base.free = free_base;
    source->request = evaluation->request;
    source->models[source->model_count++] = imported_model_ref(evaluation->imported);
    for (uint32_t i = 0; i < evaluation->clip_count; i++) {
        source->clips[i] = evaluation->sources[i];
        source->models[source->model_count++] = imported_model_ref(evaluation->clips[i]);
    }
    source->stream = reply_cursor_new(kernel, &source->base.is_stopped);
    return source;
}

void reply_stream_free(struct reply_stream *source)
{
    if (source == NULL)
        return;
    reply_cursor_free(source->stream);
    for (uint32_t i = 0; i < source->model_count; i++)
        imported_model_unref(source->models[i]);
    free(source);
}

void reply_stream_start(struct reply_stream *source, enum reply_pieces pieces, const struct limits *limits,
                        struct reply *reply, struct reply_cost *cost)
{
    if (reply_cursor_start(source->stream, &source->models[0]->model, source->clips, source->request, limits, pieces,
                           reply))
        reply->source = &source->base;
    *cost = *reply_cursor_cost(source->stream);
}

void reply_stream_stop(struct reply_stream *source) { source->base.is_stopped = true; }
