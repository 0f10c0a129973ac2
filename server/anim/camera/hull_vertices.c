/* hull_vertices.c - groups vertices by the joint that moves them and takes the hull of each group. */
#include "anim/camera/hull_vertices.h"

#include "anim/pose/bounds.h"
#include "anim/camera/hull.h"
#include "anim/pose/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 2e-4; /* of a primitive's size */
/* The most vertices times targets that are examined. Beyond it every vertex of the primitive counts. */
static const uint64_t MORPHED_MAX = 4000000;

/* Working memory for one primitive. */
struct group_work {
    const struct model *model;
    const struct primitive *primitive;
    const uint8_t *is_used; /* for the primitive's vertices */
    bool is_dual;           /* a skin with dual quaternions draws it */
    uint8_t *is_outer;      /* [vertex_count of the primitive], the result */
    uint32_t *order;        /* its used vertices, by group */
    uint32_t *groups;       /* of the vertices */
    struct vec3 *points;    /* of a group */
    uint32_t *picked;
    uint32_t used_count;
    double tolerance;
};

static bool work_init(struct group_work *work, uint32_t vertex_count)
{
    const size_t count = (size_t)vertex_count + 1;
    work->is_outer = malloc(count);
    work->order = malloc(count * sizeof *work->order);
    work->groups = malloc(count * sizeof *work->groups);
    work->points = malloc(count * sizeof *work->points);
    work->picked = malloc(count * sizeof *work->picked);
    return work->is_outer != NULL && work->order != NULL && work->groups != NULL && work->points != NULL &&
           work->picked != NULL;
}

static void work_fini(struct group_work *work)
{
    free(work->is_outer);
    free(work->order);
    free(work->groups);
    free(work->points);
    free(work->picked);
}

/* Vertices of one group keep their relative places as far as the same joint moves them: vertices that follow it
 * entirely, and, in groups of their own, vertices that follow it about equally. */
static uint32_t group_of(const struct model *model, uint32_t vertex)
{
    enum { SHARES = 5 };
    const uint32_t joint = bounds_main_joint(model, vertex);
    double weight = 0;
    for (uint32_t i = model->influence_firsts[vertex]; i < model->influence_firsts[vertex + 1]; i++)
        if (model->influences[i].joint == joint)
            weight += (double)model->influences[i].weight;
    const bool is_whole = weight > 0.999 || model->influence_firsts[vertex] == model->influence_firsts[vertex + 1];
    return joint * (SHARES + 1) + (is_whole ? SHARES : (uint32_t)(weight * SHARES));
}

/* Sorts the used vertices by group with a counting sort. */
static void order_by_group(struct group_work *work)
{
    const struct primitive *primitive = work->primitive;
    uint32_t count = 0;
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        work->groups[v] = group_of(work->model, primitive->vertex_first + v);
    uint32_t last = 0;
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        last = work->groups[v] > last ? work->groups[v] : last;
    uint32_t *firsts = calloc((size_t)last + 2, sizeof *firsts);
    for (uint32_t v = 0; v < primitive->vertex_count && firsts != NULL; v++)
        firsts[work->groups[v] + 1] += work->is_used[v] != 0;
    for (uint32_t g = 0; g <= last && firsts != NULL; g++)
        firsts[g + 1] += firsts[g];
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        if (work->is_used[v]) {
            work->order[firsts != NULL ? firsts[work->groups[v]]++ : count] = v;
            count++;
        }
    free(firsts);
    work->used_count = count;
}

/* Marks the outermost points of the group order[first..end), moved by the deltas from `delta` on (NULL: none). */
static void mark_group(struct group_work *work, uint32_t first, uint32_t end, const struct vec3 *deltas)
{
    const struct vec3 *bind = work->model->positions + work->primitive->vertex_first;
    for (uint32_t i = first; i < end; i++) {
        struct vec3 p = bind[work->order[i]];
        if (deltas != NULL) {
            const struct vec3 delta = deltas[work->order[i]];
            p = (struct vec3){p.x + delta.x, p.y + delta.y, p.z + delta.z};
        }
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
            for (uint32_t k = first; k < end; k++)
                work->is_outer[work->order[k]] = 1;
            return;
        }
        work->points[i - first] = p;
    }
    const uint32_t found = hull_pick(work->points, end - first, work->tolerance, work->picked);
    for (uint32_t i = 0; i < found; i++)
        work->is_outer[work->order[first + work->picked[i]]] = 1;
}

static void mark_groups(struct group_work *work, const struct vec3 *deltas)
{
    for (uint32_t first = 0, end; first < work->used_count; first = end) {
        end = first + 1;
        while (end < work->used_count && work->groups[work->order[end]] == work->groups[work->order[first]])
            end++;
        mark_group(work, first, end, deltas);
    }
}

static double size_of(const struct group_work *work)
{
    struct box box = BOX_EMPTY;
    for (uint32_t i = 0; i < work->used_count; i++)
        box_add(&box, DOUBLE3(work->model->positions[work->primitive->vertex_first + work->order[i]]));
    return box_size(&box);
}

static void mark_primitive(struct group_work *work)
{
    const struct primitive *primitive = work->primitive;
    const struct morph_target *targets = work->model->morph_targets + primitive->morph_target_first;
    memset(work->is_outer, 0, primitive->vertex_count);
    if (work->is_dual || (uint64_t)primitive->vertex_count * primitive->morph_target_count > MORPHED_MAX) {
        memcpy(work->is_outer, work->is_used, primitive->vertex_count);
        return;
    }
    order_by_group(work);
    work->tolerance = TOLERANCE * size_of(work);
    mark_groups(work, NULL);
    for (uint32_t t = 0; t < primitive->morph_target_count; t++)
        if (targets[t].position_first != UINT32_MAX)
            mark_groups(work, work->model->morph_deltas + targets[t].position_first);
}

/* Returns [primitive_count]: 1 for primitives that dual quaternions move. NULL: no memory. */
static uint8_t *find_dual(const struct model *model)
{
    uint8_t *is_dual = calloc((size_t)model->primitive_count + 1, 1);
    for (uint32_t d = 0; d < model->draw_count && is_dual != NULL; d++)
        if (skin_has_parts(model, model->draws[d].skin))
            is_dual[model->draws[d].primitive] = 1;
    return is_dual;
}

int hull_vertices_init(struct hull_vertices *hull, const struct model *model, const uint8_t *is_used, struct err *err)
{
    struct group_work work = {.model = model};
    uint32_t largest = 0, count = 0;
    uint64_t all = 0; /* primitives may share vertices */
    for (uint32_t p = 0; p < model->primitive_count; p++) {
        largest = model->primitives[p].vertex_count > largest ? model->primitives[p].vertex_count : largest;
        all += model->primitives[p].vertex_count;
    }
    hull->firsts = calloc((size_t)model->primitive_count + 1, sizeof *hull->firsts);
    hull->vertices = malloc((all + 1) * sizeof *hull->vertices);
    uint8_t *is_dual = find_dual(model);
    if (all > UINT32_MAX || hull->firsts == NULL || hull->vertices == NULL || is_dual == NULL ||
        !work_init(&work, largest)) {
        work_fini(&work);
        free(is_dual);
        return err_set(err, ERR_NO_MEMORY, "no memory for the outline of %llu vertices", (unsigned long long)all);
    }
    for (uint32_t p = 0; p < model->primitive_count; p++) {
        const uint32_t first = model->primitives[p].vertex_first;
        work.primitive = &model->primitives[p];
        work.is_dual = is_dual[p] != 0;
        work.is_used = is_used + first;
        mark_primitive(&work);
        hull->firsts[p] = count;
        for (uint32_t v = 0; v < work.primitive->vertex_count; v++)
            if (work.is_outer[v])
                hull->vertices[count++] = first + v;
        hull->firsts[p + 1] = count;
    }
    work_fini(&work);
    free(is_dual);
    return 0;
}

void hull_vertices_fini(struct hull_vertices *hull)
{
    free(hull->vertices);
    free(hull->firsts);
    *hull = (struct hull_vertices){0};
}

void hull_vertices_positions(const struct hull_vertices *hull, const struct model *model, uint32_t primitive,
                             const struct skin_palette *palette, const double *weights, uint32_t weight_count,
                             struct vec3 *out)
{
    enum { AT_ONCE = 64 };
    const uint32_t *vertices = hull->vertices + hull->firsts[primitive];
    const uint32_t vertex_first = model->primitives[primitive].vertex_first;
    uint32_t places[AT_ONCE], count;
    double binds[AT_ONCE][3];
    for (uint32_t first = 0; first < hull_vertices_count(hull, primitive); first += count) {
        for (count = 0; count < AT_ONCE && first + count < hull_vertices_count(hull, primitive); count++)
            places[count] = vertices[first + count] - vertex_first;
        skin_morph_binds(model, primitive, places, count, weights, weight_count, binds);
        for (uint32_t i = 0; i < count; i++)
            skin_position(model, vertices[first + i], palette, binds[i], &out[first + i]);
    }
}
