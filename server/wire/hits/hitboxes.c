/* hitboxes.c - writes the hit volumes of a model as JSON. */
#include "wire/hits/raycast.h"

#include "anim/hits/hit_cache.h"
#include "wire/reply/reply_json.h"

static void put_volume(struct buf *out, const struct model *model, const struct set_volume *of)
{
    const struct hit_volume *volume = &of->volume;
    json_printf(out, "{\"joint\":%u,\"name\":%.*s", volume->node, JSON_STR(model, model->nodes[volume->node].name));
    json_printf(out, ",\"kind\":%s", volume_kind_name((enum volume_kind)volume->kind));
    if (volume->name.offset != STR_NONE)
        json_printf(out, ",\"volume\":%.*s", JSON_STR(model, volume->name));
    put_floats(out, volume->kind == VOLUME_CAPSULE ? ",\"from\":" : ",\"center\":", volume->center, 3);
    if (volume->kind == VOLUME_CAPSULE)
        put_floats(out, ",\"to\":", volume->end, 3);
    if (volume->kind == VOLUME_BOX) {
        put_floats(out, ",\"rotation\":", volume->rotation, 4);
        put_floats(out, ",\"half\":", volume->half, 3);
    } else {
        json_printf(out, ",\"radius\":%f", (double)volume->radius);
    }
    json_printf(out, ",\"vertices\":%u,\"outside\":%g,\"source\":%s}", of->vertex_count,
                of->vertex_count == 0 ? 0 : (double)of->outside_count / of->vertex_count,
                of->is_given ? "file" : "fit");
}

void body_put_hitboxes(struct reply_context *context)
{
    const struct model *model = context->model;
    const enum volume_kind fit = context->request->hits.fit;
    struct hit_cache *own = model->hits == NULL ? hit_cache_new() : NULL;
    const struct hit_set *set;
    struct err err;
    if (hit_cache_set(own != NULL ? own : model->hits, model, fit, context->limits->value[LIMIT_BOUNDS_VERTICES], &set,
                      &err) < 0) {
        err_prefix(&err, "%s", context->request->model);
        context_fail(context, &err);
    } else {
        put_name_and_hash(context->out, model, context->request);
        json_printf(context->out, ",\"fit\":%s,\"volumes\":[", volume_kind_name(fit));
        for (uint32_t v = 0; v < set->count; v++) {
            json_comma(context->out, v > 0);
            put_volume(context->out, model, &set->volumes[v]);
        }
        buf_put_text(context->out, "]}\n");
    }
    hit_cache_free(own);
}
