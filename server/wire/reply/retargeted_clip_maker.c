#include "wire/reply/retargeted_clip_maker.h"

#include <string.h>

void retargeted_clip_maker_init(struct retargeted_clip_maker *maker, struct reply_context *context)
{
    *maker = (struct retargeted_clip_maker){.context = context, .model = context->own_model};
    const uint64_t max_steps = rest_max_steps(context->request, context->limits);
    for (uint32_t s = 0; s < context->clips->count; s++)
        maker->steps_left[s] = max_steps;
    buf_init(&maker->parameters, 0);
}

void retargeted_clip_maker_fini(struct retargeted_clip_maker *maker) { buf_fini(&maker->parameters); }

/* False: making the clip may take too long here. */
static bool may_make(const struct retargeted_clip_maker *maker)
{
    struct retargeted_clip_access *retargeted_clips = &maker->context->workspace->retargeted_clips;
    struct err err;
    if (!retargeted_clips->is_only_there)
        return true;
    retargeted_clips->is_missing = true;
    err_set(&err, ERR_INTERNAL, "a clip of another file is not ready");
    return context_fail(maker->context, &err);
}

static bool fail(const struct retargeted_clip_maker *maker, uint32_t source, struct err *err)
{
    const struct request *request = maker->context->request;
    err_prefix(err, "'%s' on '%s'", request->sources[source].path, request->model);
    return context_fail(maker->context, err);
}

static bool resolve(struct retargeted_clip_maker *maker)
{
    struct reply_context *context = maker->context;
    struct err err;
    if (maker->is_resolved)
        return true;
    maker->is_resolved = true;
    return rest_resolve(&maker->rest, context->request, maker->model, context->clips->sources, &err) == 0 ||
           context_fail(context, &err);
}

static struct rest_options rest_options(const struct retargeted_clip_maker *maker, uint32_t source)
{
    return (struct rest_options){.model = maker->rest.model,
                                 .source = maker->rest.sources[source],
                                 .clip_rest = maker->context->request->retarget.clip_rest,
                                 .clip = {.has_locked_feet = maker->context->request->retarget.has_locked_feet,
                                          .max_steps = maker->steps_left[source],
                                          .is_stopped = maker->context->workspace->is_stopped}};
}

/* --- keys --- */

static void put_number(struct buf *out, uint64_t number) { buf_put(out, &number, sizeof number); }

/* Includes the NUL, so that adjacent texts cannot merge. */
static void put_text(struct buf *out, const char *text) { buf_put(out, text, strlen(text) + 1); }

static void put_humanoid(struct buf *out, const struct humanoid_choice *choice)
{
    put_number(out, choice->map);
    put_number(out, choice->rule_count);
    for (uint32_t i = 0; i < choice->rule_count; i++) {
        put_number(out, (uint64_t)choice->rules[i].role);
        put_text(out, choice->rules[i].joint);
    }
}

/* Writes everything in a request, besides the two models, that determines a retargeted clip. */
static void put_parameters(struct retargeted_clip_maker *maker, uint32_t source, uint32_t clip)
{
    const struct request *request = maker->context->request;
    struct buf *out = &maker->parameters;
    const bool is_by_rest = rest_is_of(request, source);
    const enum retarget_way way = !is_by_rest                         ? RETARGET_BY_NAMES
                                  : request->retarget.has_locked_feet ? RETARGET_BY_REST_LOCKED
                                                                      : RETARGET_BY_REST;
    retargeted_clip_parameters_put(out, clip, way, &request->retarget.renames);
    if (is_by_rest) {
        put_humanoid(out, &request->retarget.humanoid);
        put_humanoid(out, &request->retarget.clip_humanoid);
        put_number(out, request->retarget.clip_rest.kind);
        put_number(out, request->retarget.clip_rest.frame);
    }
}

/* --- retargeted clips --- */

static void add_view(struct clip_sources *clips, uint32_t source, struct retargeted_clip *retargeted)
{
    clips->retargeted_clips[clips->retargeted_count].retargeted = retargeted;
    clips->retargeted_clips[clips->retargeted_count].source = source;
    clips->retargeted_count++;
}

static bool has_view(const struct clip_sources *clips, uint32_t source, uint32_t clip)
{
    for (uint32_t i = 0; i < clips->retargeted_count; i++)
        if (clips->retargeted_clips[i].source == source && clips->retargeted_clips[i].retargeted->clip == clip)
            return true;
    return false;
}

/* Charges the same work for a cached clip as for a new one. */
static void count_steps(struct retargeted_clip_maker *maker, uint32_t source, uint64_t steps)
{
    uint64_t *left = &maker->steps_left[source];
    *left -= steps < *left ? steps : 0;
    maker->context->workspace->cost.evaluations += steps;
}

static struct retargeted_clip *make(struct retargeted_clip_maker *maker, const struct retargeted_clip_key *key,
                                    uint32_t source, uint32_t clip)
{
    const struct request *request = maker->context->request;
    struct retargeted_clip_store *store = maker->context->workspace->retargeted_clips.store;
    struct retargeted_clip *retargeted;
    struct err err;
    if (!may_make(maker) || (request->retarget.is_by_rest && !resolve(maker)))
        return NULL;
    const struct rest_options options = rest_options(maker, source);
    if (retargeted_clip_new(&retargeted, maker->model, key->source, &request->retarget.renames,
                            rest_is_of(request, source) ? &options : NULL, clip, &err) < 0) {
        fail(maker, source, &err);
        return NULL;
    }
    if (store != NULL)
        store->put(store, key, retargeted);
    return retargeted;
}

bool retargeted_clip_maker_play(struct retargeted_clip_maker *maker, uint32_t source, uint32_t clip)
{
    struct clip_sources *clips = maker->context->clips;
    struct retargeted_clip_store *store = maker->context->workspace->retargeted_clips.store;
    struct retargeted_clip *retargeted = NULL;
    if (has_view(clips, source, clip))
        return true;
    put_parameters(maker, source, clip);
    const struct retargeted_clip_key key = {
        .model = maker->model, .source = clips->sources[source], .parameters = &maker->parameters};
    if (store != NULL && !buf_failed(&maker->parameters))
        retargeted = store->find(store, &key);
    if (retargeted != NULL &&
        retargeted->retarget.steps > maker->steps_left[source]) { /* reports the same error as making it */
        retargeted_clip_unref(retargeted);
        retargeted = NULL;
    }
    if (retargeted == NULL)
        retargeted = make(maker, &key, source, clip);
    if (retargeted == NULL)
        return false;
    add_view(clips, source, retargeted);
    count_steps(maker, source, retargeted->retarget.steps);
    return true;
}

/* --- files of which no clip, or all, are played --- */

bool retargeted_clip_maker_own(struct retargeted_clip_maker *maker, uint32_t source, bool all_clips)
{
    struct reply_context *context = maker->context;
    const struct request *request = context->request;
    struct retarget *own = &context->clips->own[source];
    struct err err;
    if (!may_make(maker) || (request->retarget.is_by_rest && !resolve(maker)))
        return false;
    retarget_init(own, maker->model, context->clips->sources[source], &request->retarget.renames);
    const struct rest_options options = rest_options(maker, source);
    if (rest_is_of(request, source) && retarget_set_rest(own, &options, &err) < 0)
        return fail(maker, source, &err);
    for (uint32_t c = 0; all_clips && c < own->source->clip_count; c++)
        retarget_clip(own, c, &err); /* then a clip that moves nothing here has no channels, which is not an error */
    count_steps(maker, source, own->steps);
    return true;
}
