#include "wire/export/export.h"

#include "anim/pose/scale_effect.h"
#include "base/version.h"
#include "wire/export/axes.h"
#include "wire/export/export_parts.h"
#include "wire/reply/reply_json.h"

#include <string.h>

/* --- what glTF cannot say --- */

static bool check_scales(struct export *e)
{
    const struct model *model = e->model;
    if ((model->infos[0].flags & MODEL_OWN_SCALES) == 0)
        return true;
    uint8_t *has_effect = export_array(e, model->node_count, sizeof *has_effect);
    for (uint32_t i = 0; has_effect != NULL && i <= e->clips.count; i++) {
        const int32_t clip = i == 0 ? POSE_REST : (int32_t)e->clips.clips[i - 1].index;
        scale_effect_find(i == 0 ? model : e->clips.clips[i - 1].source, clip, has_effect);
        for (uint32_t n = 0; n < model->node_count; n++) {
            char name[SHORT_NAME_SIZE];
            if (has_effect[n] != 0 && e->keeps[n] != KEEP_NOTHING)
                return export_refuse(e, "node %u '%s' does not inherit the scales above it as glTF has them", n,
                                     short_name(model, model->nodes[n].name, name));
        }
    }
    return has_effect != NULL;
}

/* A vertex of one joint moves as that, whatever the method is. */
static bool is_linear(const struct model *model, uint32_t s)
{
    const struct skin *skin = &model->skins[s];
    if (skin->method != METHOD_DUAL_QUATERNION && skin->method != METHOD_BLENDED)
        return true;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        for (uint32_t v = p->vertex_first; model->draws[d].skin == s && v < p->vertex_first + p->vertex_count; v++)
            if (model->influence_firsts[v + 1] - model->influence_firsts[v] > 1 &&
                (skin->method == METHOD_DUAL_QUATERNION || model->dual_weights[v] > 0))
                return false;
    }
    return true;
}

static bool check_methods(struct export *e)
{
    for (uint32_t s = 0; s < e->model->skin_count; s++) {
        char name[SHORT_NAME_SIZE];
        if (e->skin_places[s] != GLB_NONE && !is_linear(e->model, s))
            return export_refuse(e, "skin %u '%s' moves its vertices by dual quaternions, which glTF does not have", s,
                                 short_name(e->model, e->model->skins[s].name, name));
    }
    return true;
}

/* --- cost --- */

bool export_is_affordable(struct export *e, uint64_t steps)
{
    struct reply_cost *cost = &e->context->workspace->cost;
    const uint64_t limit = e->context->limits->value[LIMIT_EVALUATIONS];
    cost->evaluations += steps;
    if (cost->evaluations <= limit)
        return true;
    struct err err;
    err_set(&err, ERR_TOO_MANY_FRAMES, "to export '%s' takes %llu steps, more than one request may ask for (%llu)",
            e->context->request->model, (unsigned long long)cost->evaluations, (unsigned long long)limit);
    return context_fail(e->context, &err);
}

/* What is copied as it is: so many bytes are about the work for one node. */
static uint64_t copy_steps(const struct model *model)
{
    enum { BYTES_PER_STEP = 1024 };
    return model->node_count + (model->position_count * (uint64_t)sizeof(struct vec3) +
                                model->influence_count * (uint64_t)sizeof(struct influence) +
                                model->morph_delta_count * (uint64_t)sizeof(struct vec3) +
                                model->key_value_count * (uint64_t)sizeof(float)) /
                                   BYTES_PER_STEP;
}

/* --- nodes that clips change --- */

bool export_look_at_nodes(struct export *e)
{
    const struct model *model = e->model;
    e->is_moved = export_array(e, model->node_count, sizeof *e->is_moved);
    e->visibilities = export_array(e, model->node_count, sizeof *e->visibilities);
    uint8_t *shows_some = export_array(e, model->node_count, sizeof *shows_some);
    if (e->is_moved == NULL || e->visibilities == NULL || shows_some == NULL)
        return false;
    for (uint32_t i = model->order_count; i-- > 0;) {
        const uint32_t n = model->node_order[i];
        const struct node *node = &model->nodes[n];
        if ((node->flags & NODE_HIDDEN) == 0)
            shows_some[n] = 1;
        if (shows_some[n] != 0 && node->parent >= 0)
            shows_some[node->parent] = 1;
    }
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct node *node = &model->nodes[n];
        const bool is_below =
            node->parent >= 0 && (model->nodes[node->parent].flags & NODE_HIDDEN) != 0 && shows_some[node->parent] == 0;
        if ((node->flags & NODE_HIDDEN) == 0 || (is_below && (node->flags & NODE_HIDES) == 0))
            continue;
        if (shows_some[n] == 0)
            e->visibilities[n] = VISIBLE_NO;
        else if (node->mesh >= 0 && e->keeps[n] == KEEP_ALL)
            export_warn(e, "hidden_node_shown",
                        "node %u is hidden and nodes below it are not, which glTF cannot say: here it is shown", n);
    }
    const struct channel *channels = (const struct channel *)(const void *)e->clips.channels.data;
    for (size_t c = 0; c < e->clips.channels.size_bytes / sizeof *channels; c++) {
        const uint32_t n = channels[c].node;
        if (path_is_transform(channels[c].path))
            e->is_moved[n] = 1;
        else if (channels[c].path == PATH_VISIBILITY && e->visibilities[n] == VISIBLE_NOT_SAID)
            e->visibilities[n] = VISIBLE_YES;
    }
    return true;
}

/* --- the file --- */

static void put_asset(struct export *e)
{
    const struct model_info *info = &e->model->infos[0];
    struct buf *out = e->out;
    buf_put_text(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"posed " POSED_VERSION "\",\"extras\":");
    put_name_and_hash(out, e->model, e->context->request);
    json_printf(out, ",\"format\":%.*s", JSON_STR(e->model, info->format));
    if (info->frame_rate > 0)
        json_printf(out, ",\"frame_rate\":%f", (double)info->frame_rate);
    for (uint32_t b = 0; b < e->model->humanoid_bone_count; b++) {
        const struct humanoid_bone *bone = &e->model->humanoid_bones[b];
        json_printf(out, b == 0 ? ",\"humanoid\":{%.*s:%u" : ",%.*s:%u", JSON_STR(e->model, bone->name), bone->node);
    }
    if (e->model->humanoid_bone_count > 0)
        buf_put_char(out, '}');
    surfaces_put_texture_states(&e->surfaces, out);
    export_put_clip_files(e);
    buf_put_text(out, ",\"warnings\":[");
    buf_put(out, e->warnings.data, e->warnings.size_bytes);
    buf_put_text(out, "]}}");
}

/* ,"extensions":{..} of the file */
static void put_variants(struct export *e)
{
    const struct model *model = e->model;
    for (uint32_t v = 0; v < model->variant_count && !buf_failed(e->out); v++) {
        buf_put_text(e->out,
                     v == 0 ? ",\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":" : "},{\"name\":");
        json_printf(e->out, "%.*s", JSON_STR(model, model->variants[v].name));
    }
    if (model->variant_count == 0)
        return;
    buf_put_text(e->out, "}]}}");
    e->extensions |= 1U << GLB_VARIANTS;
}

static void put_all(struct export *e)
{
    struct err err;
    if (surfaces_put_pictures(&e->surfaces, e->glb, &err) < 0) {
        context_fail(e->context, &err);
        return;
    }
    glb_start(e->out);
    put_asset(e);
    export_put_nodes(e);
    if (!export_put_meshes(e) || !export_put_skins(e) || !export_put_clips(e))
        return;
    e->extensions |= surfaces_put_materials(&e->surfaces, e->out);
    surfaces_put_textures(&e->surfaces, e->out);
    put_variants(e);
    glb_put_extensions(e->out, e->extensions);
    glb_put_arrays(e->glb, e->out);
    buf_put_char(e->out, '}');
    if (glb_failed(e->glb) || !glb_finish(e->glb, e->out))
        context_fail_too_large(e->context);
}

static bool plan(struct export *e)
{
    if (!export_select(e) || !export_plan_meshes(e) || !export_take_clips(e) || !check_scales(e) || !check_methods(e) ||
        !export_look_at_nodes(e) || !export_plan_nodes(e) || !export_fit_clips(e))
        return false;
    if (buf_failed(&e->clips.channels) || buf_failed(&e->clips.times) || buf_failed(&e->clips.values))
        return context_fail_too_large(e->context);
    const uint64_t pixel_steps = surfaces_number(&e->surfaces) / SURFACES_PIXEL_BYTES_PER_STEP;
    return export_is_affordable(e, copy_steps(e->model) + pixel_steps);
}

void body_put_export(struct reply_context *context)
{
    struct export e = {
        .context = context, .model = context->model, .glb = &context->workspace->glb, .out = context->out};
    glb_clear(e.glb, context->limit_bytes);
    buf_init(&e.warnings, context->limit_bytes);
    if (plan(&e))
        put_all(&e);
    export_memory_free(&e.memory);
    export_share_free(&e.share);
    buf_fini(&e.clips.channels);
    buf_fini(&e.clips.times);
    buf_fini(&e.clips.values);
    buf_fini(&e.clips.names);
    buf_fini(&e.warnings);
}
