#include "wire/crowd/crowd_clips.h"

#include "base/mem.h"

#include <stdlib.h>

/* A clip that an entity has requested. */
struct crowd_clip {
    const struct model *model, *source;
    uint32_t clip;
    struct retargeted_clip
        *retargeted; /* a reference; NULL: it cannot be made, and each entity that plays it reports this error */
    struct err err;
};

void crowd_clips_init(struct crowd_clips *retargeted_clips, struct workspace *workspace)
{
    *retargeted_clips = (struct crowd_clips){.workspace = workspace};
    buf_init(&retargeted_clips->parameters, 0);
}

void crowd_clips_fini(struct crowd_clips *retargeted_clips)
{
    for (uint32_t i = 0; i < retargeted_clips->count; i++)
        retargeted_clip_unref(retargeted_clips->retargeted_clips[i].retargeted);
    free(retargeted_clips->retargeted_clips);
    buf_fini(&retargeted_clips->parameters);
    *retargeted_clips = (struct crowd_clips){0};
}

/* Consecutive entities often play the same clip, so the search begins with the last result. */
static struct crowd_clip *find(struct crowd_clips *retargeted_clips, const struct model *model,
                               const struct model *source, uint32_t clip)
{
    for (uint32_t i = 0; i < retargeted_clips->count; i++) {
        const uint32_t at = (retargeted_clips->last + i) % retargeted_clips->count;
        struct crowd_clip *retargeted = &retargeted_clips->retargeted_clips[at];
        if (retargeted->clip != clip || retargeted->source != source || retargeted->model != model)
            continue;
        retargeted_clips->last = at;
        return retargeted;
    }
    return NULL;
}

/* False: the request has ended. */
static bool may_make(struct crowd_clips *retargeted_clips)
{
    struct retargeted_clip_access *access = &retargeted_clips->workspace->retargeted_clips;
    if (!access->is_only_there)
        return true;
    access->is_missing = true;
    err_set(&retargeted_clips->ended, ERR_INTERNAL, "a clip of another file is not ready");
    return false;
}

/* Takes the clip from the store, or makes it. On failure the request has ended, or found->err is set. */
static void fill(struct crowd_clips *retargeted_clips, struct crowd_clip *found)
{
    static const struct name_map NO_RULES;
    struct retargeted_clip_store *store = retargeted_clips->workspace->retargeted_clips.store;
    const struct retargeted_clip_key key = {
        .model = found->model, .source = found->source, .parameters = &retargeted_clips->parameters};
    retargeted_clip_parameters_put(&retargeted_clips->parameters, found->clip, RETARGET_BY_NAMES, &NO_RULES);
    if (store != NULL && !buf_failed(&retargeted_clips->parameters))
        found->retargeted = store->find(store, &key);
    if (found->retargeted != NULL || !may_make(retargeted_clips))
        return;
    if (retargeted_clip_new(&found->retargeted, found->model, found->source, &NO_RULES, NULL, found->clip,
                            &found->err) == 0 &&
        store != NULL)
        store->put(store, &key, found->retargeted);
}

/* Adds a clip; the caller ensures room. NULL: the request has ended. */
static struct crowd_clip *add(struct crowd_clips *retargeted_clips, const struct model *model,
                              const struct model *source, uint32_t clip)
{
    const struct workspace *workspace = retargeted_clips->workspace;
    if (workspace->is_stopped != NULL && *workspace->is_stopped) {
        err_set(&retargeted_clips->ended, ERR_REQUEST_TIMEOUT, "nobody needs the answer any more");
        return NULL;
    }
    if (retargeted_clips->count == CROWD_VIEWS_MAX) {
        err_set(&retargeted_clips->ended, ERR_TOO_MANY_FRAMES,
                "the entities play more than %d clips of other files; ask for fewer at once", CROWD_VIEWS_MAX);
        return NULL;
    }
    retargeted_clips->retargeted_clips = mem_realloc(
        retargeted_clips->retargeted_clips, (retargeted_clips->count + 1) * sizeof *retargeted_clips->retargeted_clips);
    retargeted_clips->last = retargeted_clips->count++;
    struct crowd_clip *added = &retargeted_clips->retargeted_clips[retargeted_clips->last];
    *added = (struct crowd_clip){.model = model, .source = source, .clip = clip};
    fill(retargeted_clips, added);
    return retargeted_clips->ended.code == 0 ? added : NULL;
}

const struct model *crowd_clips_find(struct crowd_clips *retargeted_clips, const struct model *model,
                                     const struct model *source, uint32_t clip, struct err *err)
{
    struct crowd_clip *found = retargeted_clips->ended.code == 0 ? find(retargeted_clips, model, source, clip) : NULL;
    if (found == NULL && retargeted_clips->ended.code == 0)
        found = add(retargeted_clips, model, source, clip);
    if (found != NULL && found->retargeted != NULL)
        return &found->retargeted->retarget.model;
    *err = found != NULL ? found->err : retargeted_clips->ended;
    return NULL;
}
