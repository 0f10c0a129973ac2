#include "wire/crowd/crowd_views.h"

#include "base/mem.h"

#include <stdlib.h>

/* One that was looked for. */
struct crowd_view {
    const struct model *model, *source;
    uint32_t clip;
    struct clip_view *view; /* a reference; NULL: it cannot be made, as every entity that plays it is told */
    struct err err;
};

void crowd_views_init(struct crowd_views *views, struct workspace *workspace)
{
    *views = (struct crowd_views){.workspace = workspace};
    buf_init(&views->parameters, 0);
}

void crowd_views_fini(struct crowd_views *views)
{
    for (uint32_t i = 0; i < views->count; i++)
        clip_view_unref(views->views[i].view);
    free(views->views);
    buf_fini(&views->parameters);
    *views = (struct crowd_views){0};
}

/* Entities that follow each other commonly play the same, so the search begins with what was found last. */
static struct crowd_view *find(struct crowd_views *views, const struct model *model, const struct model *source,
                               uint32_t clip)
{
    for (uint32_t i = 0; i < views->count; i++) {
        const uint32_t at = (views->last + i) % views->count;
        struct crowd_view *view = &views->views[at];
        if (view->clip != clip || view->source != source || view->model != model)
            continue;
        views->last = at;
        return view;
    }
    return NULL;
}

/* False: the request has ended. */
static bool may_make(struct crowd_views *views)
{
    struct view_access *access = &views->workspace->views;
    if (!access->is_only_there)
        return true;
    access->is_missing = true;
    err_set(&views->ended, ERR_INTERNAL, "a clip of another file is not ready");
    return false;
}

/* From the store, or made; neither where the request has ended, or with found->err. */
static void fill(struct crowd_views *views, struct crowd_view *found)
{
    static const struct name_map NO_RULES;
    struct view_store *store = views->workspace->views.store;
    const struct view_key key = {.model = found->model, .source = found->source, .parameters = &views->parameters};
    view_parameters_put(&views->parameters, found->clip, VIEW_BY_NAMES, &NO_RULES);
    if (store != NULL && !buf_failed(&views->parameters))
        found->view = store->find(store, &key);
    if (found->view != NULL || !may_make(views))
        return;
    if (clip_view_new(&found->view, found->model, found->source, &NO_RULES, NULL, found->clip, &found->err) == 0 &&
        store != NULL)
        store->put(store, &key, found->view);
}

/* Another one, for which there is room. NULL: the request has ended. */
static struct crowd_view *add(struct crowd_views *views, const struct model *model, const struct model *source,
                              uint32_t clip)
{
    const struct workspace *workspace = views->workspace;
    if (workspace->is_stopped != NULL && *workspace->is_stopped) {
        err_set(&views->ended, ERR_REQUEST_TIMEOUT, "nobody needs the answer any more");
        return NULL;
    }
    if (views->count == CROWD_VIEWS_MAX) {
        err_set(&views->ended, ERR_TOO_MANY_FRAMES,
                "the entities play more than %d clips of other files; ask for fewer at once", CROWD_VIEWS_MAX);
        return NULL;
    }
    views->views = mem_realloc(views->views, (views->count + 1) * sizeof *views->views);
    views->last = views->count++;
    struct crowd_view *added = &views->views[views->last];
    *added = (struct crowd_view){.model = model, .source = source, .clip = clip};
    fill(views, added);
    return views->ended.code == 0 ? added : NULL;
}

const struct model *crowd_views_find(struct crowd_views *views, const struct model *model, const struct model *source,
                                     uint32_t clip, struct err *err)
{
    struct crowd_view *found = views->ended.code == 0 ? find(views, model, source, clip) : NULL;
    if (found == NULL && views->ended.code == 0)
        found = add(views, model, source, clip);
    if (found != NULL && found->view != NULL)
        return &found->view->retarget.model;
    *err = found != NULL ? found->err : views->ended;
    return NULL;
}
