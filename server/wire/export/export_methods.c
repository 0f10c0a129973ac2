/* export_methods.c - handles skins with dual quaternion skinning, which glTF lacks. They are
 * exported as linear skinning with a warning about the error; exact=1 refuses them. */
#include "anim/pose/skin.h"
#include "wire/export/export_internal.h"

#include <math.h>
#include <stdlib.h>

/* A vertex with one joint moves the same way with every method. */
static bool has_several(const struct model *model, uint32_t method, const struct primitive *p)
{
    for (uint32_t v = p->vertex_first; v < p->vertex_first + p->vertex_count; v++)
        if (model->influence_firsts[v + 1] - model->influence_firsts[v] > 1 &&
            (method == METHOD_DUAL_QUATERNION || model->dual_weights[v] > 0))
            return true;
    return false;
}

/* Sets is_dual[skin_count] to 1 for skins whose method matters; *vertices is the number that they draw. */
static void find_dual(const struct export *e, uint8_t *is_dual, uint64_t *vertices)
{
    const struct model *model = e->model;
    *vertices = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const uint32_t s = model->draws[d].skin, method = model->skins[s].method;
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        if (e->skin_places[s] == GLB_NONE || (method != METHOD_DUAL_QUATERNION && method != METHOD_BLENDED))
            continue;
        *vertices += p->vertex_count;
        if (has_several(model, method, p))
            is_dual[s] = 1;
    }
}

/* Memory for the largest comparison. */
struct comparison {
    struct skin_palette palette;
    struct vec3 *as_said, *linear;
    uint32_t skin;
    struct export_distance worst; /* node: the mesh's */
};

static bool start(struct export *e, uint32_t skin, struct comparison *comparison)
{
    const struct model *model = e->model;
    uint32_t most = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const uint32_t count = model->primitives[model->draws[d].primitive].vertex_count;
        most = model->draws[d].skin == skin && count > most ? count : most;
    }
    *comparison = (struct comparison){.skin = skin};
    const size_t joints = model->skins[skin].joint_count;
    comparison->palette.matrices = malloc((joints + 1) * sizeof *comparison->palette.matrices);
    comparison->palette.parts = malloc((joints + 1) * sizeof *comparison->palette.parts);
    comparison->as_said = malloc(((size_t)most + 1) * sizeof *comparison->as_said);
    comparison->linear = malloc(((size_t)most + 1) * sizeof *comparison->linear);
    return (comparison->palette.matrices != NULL && comparison->palette.parts != NULL && comparison->as_said != NULL &&
            comparison->linear != NULL) ||
           context_fail_memory(e->context);
}

static void end(struct comparison *comparison)
{
    free(comparison->palette.matrices);
    free(comparison->palette.parts);
    free(comparison->as_said);
    free(comparison->linear);
}

/* Compares all vertices of the skin in the pose e->before. */
static void compare(struct export *e, struct comparison *comparison, double time_s)
{
    const struct model *model = e->model;
    if (skin_palette_make(&comparison->palette, &e->before, model, comparison->skin, &DMAT4_IDENTITY, NULL) < 0)
        return;
    const uint32_t method = comparison->palette.method;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        if (model->draws[d].skin != comparison->skin)
            continue;
        skin_draw(model, d, &e->before, &comparison->palette, false, comparison->as_said);
        comparison->palette.method = METHOD_LINEAR;
        skin_draw(model, d, &e->before, &comparison->palette, false, comparison->linear);
        comparison->palette.method = method;
        for (uint32_t v = 0; v < model->primitives[model->draws[d].primitive].vertex_count; v++) {
            const struct vec3 *a = &comparison->as_said[v], *b = &comparison->linear[v];
            const double away[3] = {(double)a->x - (double)b->x, (double)a->y - (double)b->y,
                                    (double)a->z - (double)b->z};
            const double units = sqrt(dot3(away, away));
            if (units > comparison->worst.units)
                comparison->worst = (struct export_distance){units, time_s, model->draws[d].node};
        }
    }
}

/* Compares at the keys of a clip and between them; of many keys it chooses evenly spaced ones. */
static bool compare_clip(struct export *e, const struct export_clip *clip, struct comparison *comparison,
                         uint64_t steps, uint64_t most)
{
    size_t count;
    double *times = export_list_times(e, clip, &count);
    uint64_t looks = 0;
    if (times == NULL)
        return false;
    for (size_t i = 0; i < count && !buf_failed(e->out); i += 1 + 2 * count / most)
        for (size_t half = 0; half < 2 && i + half < count; half++, looks++) {
            const double time_s = half == 0 ? times[i] : (times[i] + times[i + 1]) / 2;
            pose_evaluate(&e->before, clip->source, (int32_t)clip->index, time_s);
            compare(e, comparison, time_s);
            context_check_stop(e->context);
        }
    free(times);
    return export_is_affordable(e, looks * steps);
}

static bool measure_skin(struct export *e, uint32_t skin, uint64_t vertices, struct comparison *comparison)
{
    enum { VERTICES_PER_STEP = 2, LEAST = 8 };
    const uint64_t steps = e->model->node_count + e->model->draw_count + vertices / VERTICES_PER_STEP + 1;
    const uint64_t most = e->context->limits->value[LIMIT_EVALUATIONS] / 8 / (e->clips.count + 1) / steps + LEAST;
    if (!export_is_affordable(e, steps))
        return false;
    context_check_stop(e->context);
    bool is_good = start(e, skin, comparison);
    if (is_good) {
        pose_evaluate(&e->before, e->model, POSE_REST, 0);
        compare(e, comparison, 0);
    }
    for (uint32_t i = 0; i < e->clips.count && is_good; i++)
        is_good = compare_clip(e, &e->clips.clips[i], comparison, steps, most);
    end(comparison);
    return is_good;
}

bool export_check_methods(struct export *e)
{
    uint64_t vertices;
    uint8_t *is_dual = export_array(e, e->model->skin_count, sizeof *is_dual);
    if (is_dual == NULL)
        return false;
    find_dual(e, is_dual, &vertices);
    for (uint32_t s = 0; s < e->model->skin_count; s++) {
        char name[SHORT_NAME_SIZE], where[EXPORT_DISTANCE_SIZE];
        struct comparison comparison;
        if (is_dual[s] == 0)
            continue;
        short_name(e->model, e->model->skins[s].name, name);
        if (e->context->request->export.is_exact)
            return export_refuse(e, "skin %u '%s' moves its vertices by dual quaternions, which glTF does not have", s,
                                 name);
        if (!measure_skin(e, s, vertices, &comparison))
            return false;
        export_approximate(
            e, "linear_skinning", fmax(export_share_of_size(e, &comparison.worst), EXPORT_WARNED),
            "skin %u '%s' moves its vertices by dual quaternions, which glTF does not have: vertices are off by %s", s,
            name, export_distance_label(e, &comparison.worst, where));
    }
    return true;
}
