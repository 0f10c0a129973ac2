/* flex_surface.c - collects the skinned triangles of a model, and which of their vertices are at the same point. */
#include "anim/flex/flex_internal.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

void flex_surface_fini(struct flex_surface *surface)
{
    free(surface->parts);
    free(surface->rest);
    free(surface->places);
    free(surface->corners);
    free(surface->strongest);
}

/* Draws that are shown, with a skin of the file. */
static bool is_measured(const struct model *model, const struct draw *draw)
{
    return (draw->flags & DRAW_IN_SCENE) != 0 && (model->skins[draw->skin].flags & SKIN_RIGID) == 0 &&
           model->primitives[draw->primitive].topology == TOPOLOGY_TRIANGLES;
}

/* Counts what is to be measured. Returns 0 or ERR_TOO_MANY_FRAMES. */
static int count_parts(const struct flex *flex, uint64_t *entries, uint64_t *triangles, uint32_t *parts)
{
    const struct model *model = flex->model;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        if (!is_measured(model, &model->draws[d]))
            continue;
        *entries += model->primitives[model->draws[d].primitive].vertex_count;
        *triangles += model->primitives[model->draws[d].primitive].index_count / 3;
        ++*parts;
    }
    if (*entries > FLEX_VERTICES_MOST || *triangles > FLEX_VERTICES_MOST)
        return err_set(flex->err, ERR_TOO_MANY_FRAMES,
                       "its skins draw %llu vertices and %llu triangles, and flex measures up to %d of each",
                       (unsigned long long)*entries, (unsigned long long)*triangles, FLEX_VERTICES_MOST);
    return 0;
}

static void add_part(struct flex *flex, uint32_t draw)
{
    const struct model *model = flex->model;
    struct flex_surface *surface = &flex->surface;
    const struct primitive *primitive = &model->primitives[model->draws[draw].primitive];
    const struct skin *skin = &model->skins[model->draws[draw].skin];
    surface->parts[surface->part_count++] = (struct flex_part){.draw = draw,
                                                               .skin = model->draws[draw].skin,
                                                               .primitive = model->draws[draw].primitive,
                                                               .entry_first = surface->entry_count,
                                                               .entry_count = primitive->vertex_count};
    for (uint32_t i = 0; i + 2 < primitive->index_count; i += 3, surface->triangle_count++)
        for (uint32_t c = 0; c < 3; c++)
            surface->corners[3 * surface->triangle_count + c] =
                surface->entry_count + model->indices[primitive->index_first + i + c];
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        surface->strongest[surface->entry_count++] =
            model->joints[model_strongest_joint(model, skin, primitive->vertex_first + v)].node;
}

/* --- places --- */

struct point {
    struct vec3 at;
    uint32_t entry;
};

static int compare_points(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    if (p->at.x < q->at.x || p->at.x > q->at.x)
        return p->at.x < q->at.x ? -1 : 1;
    if (p->at.y < q->at.y || p->at.y > q->at.y)
        return p->at.y < q->at.y ? -1 : 1;
    if (p->at.z < q->at.z || p->at.z > q->at.z)
        return p->at.z < q->at.z ? -1 : 1;
    return (p->entry > q->entry) - (p->entry < q->entry);
}

static int find_places(struct flex *flex)
{
    struct flex_surface *surface = &flex->surface;
    struct point *points = NULL;
    if (!flex_array(flex, &points, surface->entry_count, sizeof *points))
        return flex->err->code;
    for (uint32_t e = 0; e < surface->entry_count; e++)
        points[e] = (struct point){surface->rest[e], e};
    sort_in_place(points, surface->entry_count, sizeof *points, compare_points);
    for (uint32_t i = 0, first = 0; i < surface->entry_count; i++) {
        const struct vec3 *a = &points[first].at, *b = &points[i].at;
        if (a->x < b->x || a->y < b->y || a->z < b->z || a->x > b->x || a->y > b->y || a->z > b->z)
            first = i;
        surface->places[points[i].entry] = points[first].entry;
    }
    free(points);
    return 0;
}

/* Computes all entries at rest, and the size of the model. */
static int take_rest(struct flex *flex)
{
    struct flex_surface *surface = &flex->surface;
    struct box box = BOX_EMPTY;
    for (uint32_t e = 0; e < surface->entry_count; e++)
        flex->groups[e] = e;
    const int rc = flex_deform(flex, flex->groups, surface->entry_count, surface->rest);
    if (rc < 0)
        return rc;
    for (uint32_t e = 0; e < surface->entry_count; e++)
        box_add(&box, DOUBLE3(surface->rest[e]));
    flex->report->size = box_size(&box);
    return find_places(flex);
}

int flex_surface_make(struct flex *flex)
{
    const struct model *model = flex->model;
    struct flex_surface *surface = &flex->surface;
    uint64_t entries = 0, triangles = 0;
    uint32_t parts = 0;
    const int rc = count_parts(flex, &entries, &triangles, &parts);
    if (rc < 0)
        return rc;
    if (!flex_spend(flex, model->node_count, entries + triangles) ||
        !flex_array(flex, &surface->parts, parts, sizeof *surface->parts) ||
        !flex_array(flex, &surface->rest, entries, sizeof *surface->rest) ||
        !flex_array(flex, &surface->places, entries, sizeof *surface->places) ||
        !flex_array(flex, &surface->strongest, entries, sizeof *surface->strongest) ||
        !flex_array(flex, &surface->corners, 3 * triangles, sizeof *surface->corners) ||
        !flex_array(flex, &flex->groups, entries, sizeof *flex->groups) ||
        !flex_array(flex, &flex->shares, entries, sizeof *flex->shares) ||
        !flex_array(flex, &flex->bent, entries, sizeof *flex->bent) ||
        !flex_array(flex, &flex->counts, entries, sizeof *flex->counts) ||
        !flex_array(flex, &flex->beside, entries, sizeof *flex->beside) ||
        !flex_array(flex, &flex->marks, entries, sizeof *flex->marks))
        return flex->err->code;
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (is_measured(model, &model->draws[d]))
            add_part(flex, d);
    return take_rest(flex);
}
