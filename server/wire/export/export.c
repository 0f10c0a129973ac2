#include "wire/glb/glb_size.h"
#include "wire/export/export.h"

#include "anim/posed_file/posed_file.h"
#include "base/version.h"
#include "wire/glb/axes.h"
#include "wire/export/export_optimize.h"
#include "wire/reply/reply_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- cost --- */

/* Copying this many bytes unchanged costs about as much as one node. */
static uint64_t copy_steps(const struct model *model, bool is_packed)
{
    enum { COPIED_BYTES_PER_STEP = 1024, PACKED_BYTES_PER_STEP = 16 };
    const uint64_t bytes_per_step = is_packed ? PACKED_BYTES_PER_STEP : COPIED_BYTES_PER_STEP;
    return model->node_count + (model->position_count * (uint64_t)sizeof(struct vec3) +
                                model->influence_count * (uint64_t)sizeof(struct influence) +
                                model->morph_delta_count * (uint64_t)sizeof(struct vec3) +
                                model->key_value_count * (uint64_t)sizeof(float)) /
                                   bytes_per_step;
}

/* --- animated nodes --- */

bool export_look_at_nodes(struct export *e)
{
    const struct model *model = e->model;
    e->is_moved = export_array(e, model->node_count, sizeof *e->is_moved);
    e->visibilities = export_array(e, model->node_count, sizeof *e->visibilities);
    uint8_t *shows_some = export_array(e, model->node_count, sizeof *shows_some);
    e->constraints = export_array(e, model->node_count, sizeof *e->constraints);
    if (e->is_moved == NULL || e->visibilities == NULL || shows_some == NULL || e->constraints == NULL)
        return false;
    for (uint32_t i = model->order_count; i-- > 0;) {
        const uint32_t n = model->node_order[i];
        const struct node *node = &model->nodes[n];
        if ((node->flags & NODE_HIDDEN) == 0)
            shows_some[n] = 1;
        if (shows_some[n] != 0 && node->parent >= 0)
            shows_some[node->parent] = 1;
    }
    for (uint32_t n = 0; n < e->own_node_count; n++) {
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
    for (uint32_t i = 0; i < model->constraint_count; i++) {
        e->is_moved[model->constraints[i].node] = 1;
        e->constraints[model->constraints[i].node] = &model->constraints[i];
    }
    export_warn_of_constraints(e);
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

/* --- axes and unit --- */

static void plan_axes(struct export *e)
{
    static const char NAMES[] = "xyz";
    const struct model_info *info = &e->model->infos[0];
    const struct request *request = e->context->request;
    const double unit_m = (double)info->unit_m,
                 scale = request->export.unit_m > 0 ? unit_m / request->export.unit_m : 1;
    e->has_axes =
        axes_convert(info, request->export.has_up ? (int32_t)request->export.up : -1, scale, e->top_from_scene);
    if (!request->export.has_up && !axes_are_up(info, 1)) {
        uint32_t axis = 0;
        for (uint32_t i = 1; i < 3; i++)
            axis = fabsf(info->up[i]) > fabsf(info->up[axis]) ? i : axis;
        export_warn(e, "up_axis", "the scene's up axis is %c%c, glTF's is +y: up=y turns the scene",
                    info->up[axis] < 0 ? '-' : '+', NAMES[axis]);
    }
    if (!(request->export.unit_m > 0) && info->unit_m != 1)
        export_warn(e, "unit", "one unit of the scene is %.7g m, glTF's is 1 m: unit=m scales the scene", unit_m);
}

/* --- the file --- */

static void put_asset(struct export *e)
{
    const struct model_info *info = &e->model->infos[0];
    struct buf *out = e->out;
    buf_put_text(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"posed " POSED_RELEASE "\"");
    put_carried(out, e->model, CARRY_ASSET, 0, "copyright", ",\"copyright\":");
    if (export_put_carried(e, CARRY_ASSET, 0, ",\"extensions\":{"))
        buf_put_char(out, '}');
    buf_put_text(out, ",\"extras\":");
    put_name_and_hash(out, e->model, e->context->request);
    json_printf(out, ",\"format\":%.*s", JSON_STR(e->model, info->format));
    if (info->generator.offset != STR_NONE)
        json_printf(out, ",\"generator\":%.*s", JSON_STR(e->model, info->generator));
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
    export_put_optimized(e);
    buf_put_text(out, ",\"approximations\":[");
    buf_put(out, e->approximations.data, e->approximations.size_bytes);
    buf_put_text(out, "],\"warnings\":[");
    buf_put(out, e->warnings.data, e->warnings.size_bytes);
    buf_put_char(out, ']');
    export_put_dropped(e);
    export_put_more_extras(e, CARRY_ASSET, 0);
    buf_put_text(out, "}}");
}

/* Writes "KHR_materials_variants":{..} unless empty. */
static void put_variants(struct export *e)
{
    const struct model *model = e->model;
    for (uint32_t v = 0; v < model->variant_count && !buf_failed(e->out); v++) {
        buf_put_text(e->out, v == 0 ? "\"KHR_materials_variants\":{\"variants\":[{\"name\":" : "},{\"name\":");
        json_printf(e->out, "%.*s", JSON_STR(model, model->variants[v].name));
    }
    if (model->variant_count == 0)
        return;
    buf_put_text(e->out, "}]}");
    e->extensions |= 1U << GLB_VARIANTS;
}

/* ,"extensions":{..} of the file */
static void put_extensions(struct export *e)
{
    const struct model *model = e->model;
    const bool has_own = model->light_count > 0 || model->variant_count > 0;
    static const char OPENING[] = ",\"extensions\":{";
    if (has_own)
        buf_put_text(e->out, OPENING);
    export_put_lights(e);
    json_comma(e->out, model->light_count > 0 && model->variant_count > 0);
    put_variants(e);
    if (export_put_carried(e, CARRY_DOCUMENT, 0, has_own ? "," : OPENING) || has_own)
        buf_put_char(e->out, '}');
}

/* The asset tells what the rest of the file came to, so it is written last and moved before the rest. */
static void put_asset_before(struct export *e, size_t begin)
{
    struct buf *out = e->out;
    const size_t end = out->size_bytes;
    put_asset(e);
    const size_t size_bytes = buf_failed(out) ? 0 : out->size_bytes - end;
    char *asset = malloc(size_bytes + 1);
    if (asset == NULL || buf_failed(out)) {
        buf_fail(out, BUF_FULL);
    } else {
        memcpy(asset, out->data + end, size_bytes);
        memmove(out->data + begin + size_bytes, out->data + begin, end - begin);
        memcpy(out->data + begin, asset, size_bytes);
    }
    free(asset);
}

static void put_all(struct export *e)
{
    struct err err;
    if (surfaces_put_pictures(&e->surfaces, e->glb, &err) < 0) {
        context_fail(e->context, &err);
        return;
    }
    if (glb_failed(e->glb)) { /* then the last pictures were not made */
        context_fail_too_large(e->context);
        return;
    }
    export_warn_of_textures(e);
    glb_start(e->out);
    const size_t begin = e->out->size_bytes;
    if (!export_put_nodes(e) || !export_put_meshes(e) || !export_put_skins(e) || !export_put_clips(e))
        return;
    e->extensions |= surfaces_put_materials(&e->surfaces, e->out);
    surfaces_put_textures(&e->surfaces, e->out);
    put_extensions(e);
    export_put_extras(e, CARRY_DOCUMENT, 0);
    if (e->optimizing != NULL)
        glb_end_groups(e->glb);
    e->extensions |= e->glb->unpacked_bytes > 0 ? 1U << GLB_MESHOPT_COMPRESSION : 0;
    glb_put_extensions(e->out, e->extensions, e->carried_names, e->carried_name_count);
    glb_put_arrays(e->glb, e->out);
    put_asset_before(e, begin);
    buf_put_char(e->out, '}');
    if (glb_failed(e->glb) || !glb_finish(e->glb, e->out))
        context_fail_too_large(e->context);
}

static bool plan(struct export *e)
{
    plan_axes(e);
    if (!export_find_root(e) || !export_add_root(e) || !export_start_optimizing(e) || !export_select(e) ||
        !export_choose_clips(e) || !export_unscale(e) || !export_plan_meshes(e) || !export_plan_grids(e) ||
        !export_take_clips(e) || !export_look_at_nodes(e) || !export_plan_nodes(e) || !export_fit_clips(e) ||
        !export_report_scales(e) || !export_check_methods(e) || !export_optimize(e))
        return false;
    struct err err;
    const struct buf *values = &e->clips.values;
    err_set(&err, ERR_NOT_FINITE, "'%s' has keys between which a value is not finite", e->context->request->model);
    if (!floats_are_finite((const float *)(const void *)values->data, values->size_bytes / sizeof(float)))
        return context_fail(e->context, &err);
    const uint64_t pixel_steps = surfaces_number(&e->surfaces) / SURFACES_PIXEL_BYTES_PER_STEP;
    e->surfaces.put_carried = export_put_carried_material;
    e->surfaces.context = e;
    export_plan_scenes(e);
    if (!export_plan_carried(e) || !export_plan_skeletons(e))
        return false;
    return export_is_affordable(e, copy_steps(e->model, e->glb->compression != GLB_PLAIN) + pixel_steps);
}

static void put_posed_file(struct reply_context *context, const struct blended_clip *blended)
{
    struct err err;
    struct export e = {.context = context,
                       .model = context->model,
                       .out = context->out,
                       .sample_rate = blended == NULL ? context->request->export.sample_rate : 0};
    struct model sampled;
    if (!context_is_affordable(context, copy_steps(context->model, false)))
        return;
    const bool is_sampled = e.sample_rate > 0;
    if ((!is_sampled || export_sample_model(&e, &sampled)) &&
        posed_file_write(is_sampled ? &sampled : context->model, context->out, &err) < 0 && !buf_failed(context->out))
        context_fail(context, &err);
    export_memory_free(&e.memory);
    export_share_free(&e.share);
    buf_fini(&e.clips.channels);
    buf_fini(&e.clips.times);
    buf_fini(&e.clips.values);
}

/* Says what the clips of layers move and layers do not. */
static void warn_of_blended(struct export *e)
{
    if (e->blended != NULL && e->blended->lacks_tracks)
        export_warn(e, "layers_move_nodes",
                    "clips of the layers show and hide nodes, or move numbers of materials, lights and cameras: layers "
                    "move nodes and morph targets only, as everywhere");
}

static void put_glb(struct reply_context *context, const struct blended_clip *blended)
{
    static const struct clip_sources NONE;
    struct export e = {.context = context,
                       .model = context->model,
                       .blended = blended,
                       .other_files = blended == NULL ? context->clips : &NONE,
                       .sample_rate = blended == NULL ? context->request->export.sample_rate : 0,
                       .glb = &context->workspace->glb,
                       .out = context->out};
    glb_clear(e.glb, context->limit_bytes);
    e.glb->compression = context->request->export.compression;
    buf_init(&e.warnings, context->limit_bytes);
    buf_init(&e.approximations, context->limit_bytes);
    buf_init(&e.dropped, context->limit_bytes);
    buf_init(&e.carried, context->limit_bytes);
    pose_init(&e.before);
    pose_init(&e.after);
    warn_of_blended(&e);
    if (plan(&e))
        put_all(&e);
    export_end_optimizing(&e);
    export_end_root(&e);
    pose_fini(&e.before);
    pose_fini(&e.after);
    export_memory_free(&e.memory);
    export_share_free(&e.share);
    buf_fini(&e.clips.channels);
    buf_fini(&e.clips.times);
    buf_fini(&e.clips.values);
    buf_fini(&e.clips.names);
    buf_fini(&e.warnings);
    buf_fini(&e.approximations);
    buf_fini(&e.dropped);
    buf_fini(&e.carried);
}

static void put_file(struct reply_context *context, const struct blended_clip *blended)
{
    if (context->request->format == FORMAT_POSED)
        put_posed_file(context, blended);
    else
        put_glb(context, blended);
}

void body_put_export(struct reply_context *context)
{
    const struct model *model = context->model;
    struct blended_clip blended;
    if (!request_is_blended(context->request)) {
        put_file(context, NULL);
        return;
    }
    if (blended_clip_init(&blended, context)) {
        context->model = &blended.model;
        put_file(context, &blended);
        context->model = model;
    }
    blended_clip_fini(&blended);
}

/* The poses that optimize=1 compares: two for a key, as far as the limit of steps lets it. */
static double cost_of_optimizing(const struct model *model, double key_numbers)
{
    enum { PACKED_VERTEX_NS = 400, REDUCED_NUMBER_NS = 100, TRIES = 3 };
    static const double TRY_NS_MOST = 4e8;
    double poses = 1;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const struct clip *clip = &model->clips[i];
        uint32_t most = 0;
        for (uint32_t c = clip->channel_first; c < clip->channel_first + clip->channel_count; c++)
            most = model->channels[c].key_count > most ? model->channels[c].key_count : most;
        poses += 2.0 * most;
    }
    const double pose_ns =
        2 * ((double)model->node_count * COST_NODE_NS + (double)model->position_count * COST_VERTEX_NS);
    return TRIES * fmin(poses * pose_ns, TRY_NS_MOST) +
           ((double)model->position_count + model->index_count) * PACKED_VERTEX_NS + key_numbers * REDUCED_NUMBER_NS;
}

double cost_of_export(const struct cost_input *input)
{
    const struct model *model = input->model;
    const double key_numbers = glb_key_numbers(model, input->request->export.sample_rate);
    return (request_is_blended(input->request) ? cost_of_blended_clip(input) : 0) +
           (input->request->export.is_optimized ? cost_of_optimizing(model, key_numbers) : 0) +
           (double)model->position_count * COST_VERTEX_NS + key_numbers * COST_KEY_NS +
           ((double)model->node_count + model->joint_count) * COST_NODE_NS + cost_of_textures(input);
}
