/* export_optimize.c - optimize=1: the steps, and the report. */
#include "wire/export/export_optimize.h"
#include "wire/optimize/quantize.h"
#include "wire/reply/reply_json.h"

#include <stdlib.h>

bool export_start_optimizing(struct export *e)
{
    const struct request_export *request = &e->context->request->export;
    if (!request->is_optimized)
        return true;
    struct export_optimizing *optimizing = export_array(e, 1, sizeof *optimizing);
    if (optimizing == NULL)
        return false;
    e->optimizing = optimizing;
    buf_init(&optimizing->decoded, SIZE_MAX / 4);
    e->glb->groups = glb_groups_new();
    return e->glb->groups != NULL || context_fail_memory(e->context);
}

void export_end_optimizing(struct export *e)
{
    glb_groups_free(e->glb->groups);
    e->glb->groups = NULL;
    if (e->optimizing != NULL)
        buf_fini(&e->optimizing->decoded);
}

/* --- the steps --- */

/* Stores keys and vertices without any loss. */
static bool give_up(struct export *e)
{
    struct export_optimizing *optimizing = e->optimizing;
    optimizing->units = 0;
    optimizing->weight_bits = 0;
    optimizing->worst = (struct export_distance){.units = 0};
    for (uint32_t m = 0; m < e->model->mesh_count; m++)
        optimizing->grids[m].bits = 0;
    return export_optimize_clips(e);
}

/* Rounds weights to as few bits as do, from WEIGHT_BITS[first] on. *is_near: some do. */
static bool choose_weight_bits(struct export *e, int first, bool *is_near)
{
    /* always stored in 16: some readers scale weights in place */
    static const int WEIGHT_BITS[] = {8, 10, 12, 14, 16};
    enum { TRIES = sizeof WEIGHT_BITS / sizeof *WEIGHT_BITS, FINEST_GRID_FROM = 2 };
    struct export_optimizing *optimizing = e->optimizing;
    const struct export_distance of_joints = optimizing->worst;
    *is_near = false;
    for (int i = first; i < TRIES && !*is_near; i++) {
        optimizing->weight_bits = WEIGHT_BITS[i];
        if (i == FINEST_GRID_FROM)
            export_refine_grids(e);
        optimizing->worst = of_joints;
        if (!export_measure_vertices(e))
            return false;
        *is_near = optimizing->worst.units <= optimizing->units;
    }
    return true;
}

bool export_optimize(struct export *e)
{
    /* by which share joints may be off, so that vertices, which may be far from them, have the rest */
    static const double JOINT_SHARES[] = {0.6, 0.1, 0.02};
    enum { ROUNDS = sizeof JOINT_SHARES / sizeof *JOINT_SHARES, LATER_FIRST = 2 };
    struct export_optimizing *optimizing = e->optimizing;
    if (optimizing == NULL)
        return true;
    optimizing->places = export_array(e, e->model->position_count, sizeof *optimizing->places);
    optimizing->place_counts = export_array(e, e->model->primitive_count, sizeof *optimizing->place_counts);
    optimizing->place_firsts = export_array(e, e->model->primitive_count, sizeof *optimizing->place_firsts);
    bool is_good = optimizing->places != NULL && optimizing->place_counts != NULL && optimizing->place_firsts != NULL,
         is_near = false;
    for (uint32_t p = 1; is_good && p < e->model->primitive_count; p++)
        optimizing->place_firsts[p] = optimizing->place_firsts[p - 1] + e->model->primitives[p - 1].vertex_count;
    for (int r = 0; r < ROUNDS && is_good && !is_near; r++) {
        optimizing->joints_share = JOINT_SHARES[r];
        optimizing->worst = (struct export_distance){.units = 0};
        is_good = export_optimize_clips(e);
        if (!(optimizing->units > 0))
            return is_good;
        is_good = is_good && choose_weight_bits(e, r == 0 ? 0 : LATER_FIRST, &is_near);
    }
    return is_good && (is_near || give_up(e));
}

/* --- the report --- */

/* Lists of names of what the file lacks. */
struct dropped {
    struct export *e;
    const char *key;
    bool is_begun;
};

static void drop(struct dropped *dropped, struct str name)
{
    struct buf *out = dropped->e->out;
    if (!dropped->is_begun)
        json_printf(out, ",%s:[", dropped->key);
    json_comma(out, dropped->is_begun);
    json_printf(out, "%.*s", JSON_STR(dropped->e->model, name));
    dropped->is_begun = true;
}

static void end_dropped(const struct dropped *dropped)
{
    if (dropped->is_begun)
        buf_put_char(dropped->e->out, ']');
}

/* Appends ,"attributes":[..],"materials":[..],"skins":[..],"meshes":[..] without the empty ones. */
static void put_dropped(struct export *e)
{
    static const char *const ATTRIBUTES[] = {"TEXCOORD_0", "TEXCOORD_1", "TANGENT"};
    bool is_first = true;
    for (int a = 0; a < 3; a++) {
        if (!e->optimizing->dropped_attributes[a])
            continue;
        json_printf(e->out, is_first ? ",\"attributes\":[%s" : ",%s", ATTRIBUTES[a]);
        is_first = false;
    }
    if (!is_first)
        buf_put_char(e->out, ']');
    const struct model *model = e->model;
    struct dropped materials = {e, "materials", false}, skins = {e, "skins", false}, meshes = {e, "meshes", false};
    for (uint32_t m = 0; m < model->material_count; m++)
        if (e->surfaces.materials[m] == GLB_NONE)
            drop(&materials, model->materials[m].name);
    end_dropped(&materials);
    for (uint32_t s = 0; s < model->skin_count; s++)
        if (e->skin_places[s] == GLB_NONE && (model->skins[s].flags & SKIN_RIGID) == 0)
            drop(&skins, model->skins[s].name);
    end_dropped(&skins);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (e->mesh_places[2 * (size_t)m] == GLB_NONE && e->mesh_places[2 * (size_t)m + 1] == GLB_NONE)
            drop(&meshes, model->meshes[m].name);
    end_dropped(&meshes);
}

void export_put_optimized(struct export *e)
{
    const struct export_optimizing *optimizing = e->optimizing;
    struct buf *out = e->out;
    if (optimizing == NULL)
        return;
    uint64_t merged_bytes;
    const uint32_t merged = glb_groups_merged(e->glb->groups, &merged_bytes);
    const double size = e->size > 0 ? e->size : 1;
    json_printf(out, ",\"optimized\":{\"share_of_size_most\":%f,\"share_of_size\":%f", optimizing->units_most / size,
                optimizing->worst.units / size);
    json_printf(out, ",\"time\":%f,\"node\":%u,\"poses\":%llu,\"normal_degrees\":%f", optimizing->worst.time_s,
                optimizing->worst.node, (unsigned long long)optimizing->compared, optimizing->normal_degrees);
    json_printf(out, ",\"keys\":[%llu,%llu],\"vertices\":[%llu,%llu]", (unsigned long long)optimizing->keys,
                (unsigned long long)optimizing->kept_keys, (unsigned long long)optimizing->vertices,
                (unsigned long long)optimizing->kept_vertices);
    json_printf(out, ",\"weight_bits\":%u,\"still_channels\":%u,\"equal_arrays\":%u", (uint32_t)optimizing->weight_bits,
                optimizing->still_channels, merged);
    put_dropped(e);
    buf_put_char(out, '}');
}
