#include "daemon/service/answer_source.h"

#include "base/mem.h"
#include "wire/answer/answer_stream.h"

#include <stdlib.h>

struct answer_source {
    struct reply_source base;
    struct answer_stream *stream;
    const struct request *request;
    uint32_t model_count;
    const struct model *clips[REQUEST_SOURCES_MAX];
    struct baked *models[1 + REQUEST_SOURCES_MAX]; /* a reference each; the model, then those of the clips */
};

static struct answer_source *source_of(const struct reply_source *base)
{
    return (struct answer_source *)(uintptr_t)base; /* its first member */
}

static int next_piece(struct reply_source *base, struct buf *out, struct err *err)
{
    return answer_stream_next(source_of(base)->stream, out, err);
}

/* A model that the cache has let go is here for those who still read of it. */
static size_t held_bytes(const struct reply_source *base)
{
    const struct answer_source *source = source_of(base);
    size_t bytes = sizeof *source + answer_stream_held_bytes(source->stream);
    for (uint32_t i = 0; i < source->model_count; i++)
        if (!source->models[i]->is_cached)
            bytes += source->models[i]->held_bytes / source->models[i]->ref_count;
    return bytes;
}

static void free_base(struct reply_source *base) { answer_source_free(source_of(base)); }

struct answer_source *answer_source_new(const struct evaluation *evaluation, const struct kernel *kernel)
{
    struct answer_source *source = mem_zalloc(1, sizeof *source);
    source->base.next = next_piece;
    source->base.held_bytes = held_bytes;
    source->base.free = free_base;
    source->request = evaluation->request;
    source->models[source->model_count++] = baked_ref(evaluation->baked);
    for (uint32_t i = 0; i < evaluation->clip_count; i++) {
        source->clips[i] = evaluation->sources[i];
        source->models[source->model_count++] = baked_ref(evaluation->clips[i]);
    }
    source->stream = answer_stream_new(kernel, &source->base.is_stopped);
    return source;
}

void answer_source_free(struct answer_source *source)
{
    if (source == NULL)
        return;
    answer_stream_free(source->stream);
    for (uint32_t i = 0; i < source->model_count; i++)
        baked_unref(source->models[i]);
    free(source);
}

void answer_source_start(struct answer_source *source, enum reply_pieces pieces, const struct limits *limits,
                         struct reply *reply, struct answer_cost *cost)
{
    if (answer_stream_start(source->stream, &source->models[0]->model, source->clips, source->request, limits, pieces,
                            reply))
        reply->source = &source->base;
    *cost = *answer_stream_cost(source->stream);
}

void answer_source_stop(struct answer_source *source) { source->base.is_stopped = true; }
