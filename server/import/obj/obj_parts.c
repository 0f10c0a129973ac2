/* obj_parts.c - gathers the polygons of each part, material and topology from all over the file, as primitives. */
#include "import/obj/obj.h"

#include "base/mem.h"
#include "import/polygons/polygon_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run with the end that the next one gives it. */
struct span {
    struct obj_run run;
    uint32_t polygon_end;
};

static int by_primitive(const void *left, const void *right)
{
    const struct obj_run *a = &((const struct span *)left)->run, *b = &((const struct span *)right)->run;
    const uint32_t keys[][2] = {{a->part, b->part},
                                {a->material, b->material},
                                {a->topology, b->topology},
                                {a->polygon_first, b->polygon_first}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Returns the runs that have polygons, those of a primitive next to each other. */
static struct span *sort_runs(const struct obj *obj, uint32_t *count)
{
    struct span *spans = mem_alloc(obj->run_count * sizeof *spans);
    *count = 0;
    for (uint32_t r = 0; r < obj->run_count; r++) {
        const uint32_t end = r + 1 < obj->run_count ? obj->runs[r + 1].polygon_first : obj->polygon_count;
        if (end > obj->runs[r].polygon_first)
            spans[(*count)++] = (struct span){obj->runs[r], end};
    }
    qsort(spans, *count, sizeof *spans, by_primitive);
    return spans;
}

/* --- one primitive --- */

/* Its polygons, with the points that they use and the file's numbers of their other values. */
struct gathered {
    double (*points)[3];
    uint32_t *corners, *starts, *colors, *texcoords, *normals, *groups;
    uint32_t point_count, corner_count, polygon_count;
    size_t point_capacity;
    bool has_texcoords, has_normals, has_groups;
};

static void gathered_init(struct gathered *gathered, const struct obj *obj, const struct span *spans, uint32_t count)
{
    size_t corners = 0, polygons = 0;
    for (uint32_t s = 0; s < count; s++) {
        polygons += spans[s].polygon_end - spans[s].run.polygon_first;
        corners += obj->starts[spans[s].polygon_end] - obj->starts[spans[s].run.polygon_first];
    }
    *gathered = (struct gathered){
        .corners = mem_alloc(corners * sizeof(uint32_t)),
        .starts = mem_alloc((polygons + 1) * sizeof(uint32_t)),
        .colors = obj->colors != NULL ? mem_alloc(corners * sizeof(uint32_t)) : NULL,
        .texcoords = obj->texcoord_count > 0 ? mem_alloc(corners * sizeof(uint32_t)) : NULL,
        .normals = obj->normal_count > 0 ? mem_alloc(corners * sizeof(uint32_t)) : NULL,
        .groups = mem_alloc(polygons * sizeof(uint32_t)),
        .has_groups = true,
    };
}

static void gathered_fini(struct gathered *gathered)
{
    free(gathered->points);
    free(gathered->corners);
    free(gathered->starts);
    free(gathered->colors);
    free(gathered->texcoords);
    free(gathered->normals);
    free(gathered->groups);
}

/* The last value is for corners without. */
static uint32_t value_of(uint32_t index, uint32_t count, bool *has_values)
{
    *has_values |= index < count;
    return index < count ? index : count;
}

static void gather_corner(struct gathered *gathered, const struct obj *obj, const struct obj_corner *from,
                          uint32_t *local_of)
{
    const uint32_t c = gathered->corner_count++;
    uint32_t *local = &local_of[from->point];
    if (*local == OBJ_NONE) {
        *local = gathered->point_count++;
        gathered->points =
            mem_grow(gathered->points, &gathered->point_capacity, gathered->point_count, sizeof *gathered->points);
        memcpy(gathered->points[*local], obj->points[from->point], sizeof *gathered->points);
    }
    gathered->corners[c] = *local;
    if (gathered->colors != NULL)
        gathered->colors[c] = from->point;
    if (gathered->texcoords != NULL)
        gathered->texcoords[c] = value_of(from->texcoord, obj->texcoord_count, &gathered->has_texcoords);
    if (gathered->normals != NULL)
        gathered->normals[c] = value_of(from->normal, obj->normal_count, &gathered->has_normals);
}

/* local_of[point_count] is all OBJ_NONE before and after. */
static void gather(struct gathered *gathered, const struct obj *obj, const struct span *spans, uint32_t count,
                   uint32_t *local_of)
{
    for (uint32_t s = 0; s < count; s++) {
        gathered->has_groups &= spans[s].run.smoothing != OBJ_NONE;
        for (uint32_t p = spans[s].run.polygon_first; p < spans[s].polygon_end; p++) {
            gathered->groups[gathered->polygon_count] = spans[s].run.smoothing;
            gathered->starts[gathered->polygon_count++] = gathered->corner_count;
            for (uint32_t c = obj->starts[p]; c < obj->starts[p + 1]; c++)
                gather_corner(gathered, obj, &obj->corners[c], local_of);
        }
    }
    gathered->starts[gathered->polygon_count] = gathered->corner_count;
    for (uint32_t s = 0; s < count; s++)
        for (uint32_t c = obj->starts[spans[s].run.polygon_first]; c < obj->starts[spans[s].polygon_end]; c++)
            local_of[obj->corners[c].point] = OBJ_NONE;
}

static int add_primitive(const struct obj *obj, const struct span *spans, uint32_t count, uint32_t mesh,
                         uint32_t *local_of, const char *where, struct err *err)
{
    struct gathered gathered;
    const struct obj_run *run = &spans[0].run;
    gathered_init(&gathered, obj, spans, count);
    gather(&gathered, obj, spans, count, local_of);
    const bool has_normals = gathered.has_normals && run->topology == TOPOLOGY_TRIANGLES;
    const struct polygon_mesh from = {
        .polygons = {(const double(*)[3])gathered.points, gathered.corners, gathered.starts, gathered.point_count,
                     gathered.polygon_count},
        .topology = run->topology,
        .smoothing = {.kind = gathered.has_groups ? SMOOTHING_BY_GROUPS : SMOOTHING_BY_ANGLE,
                      .groups = gathered.groups},
        .normals = {has_normals ? obj->normals[0] : NULL, gathered.normals},
        .texcoords = {gathered.has_texcoords ? obj->texcoords[0] : NULL, gathered.texcoords},
        .colors = {obj->colors != NULL ? obj->colors[0] : NULL, gathered.colors},
    };
    const uint32_t material = run->material < obj->materials.count ? run->material : obj->materials.count;
    const int rc = polygon_mesh_add(obj->import, &from, mesh, (int32_t)material, where, err);
    gathered_fini(&gathered);
    return rc;
}

/* --- parts --- */

/* A group's name, or that of the object of an unnamed group. */
static struct obj_word name_of(const struct obj *obj, uint32_t part)
{
    const struct obj_name *name = &obj->parts.items[part];
    return name->word.length > 0 || name->owner == OBJ_NONE ? name->word : obj->objects.items[name->owner].word;
}

int obj_add_parts(struct obj *obj, struct err *err)
{
    uint32_t span_count, mesh = 0;
    struct span *spans = sort_runs(obj, &span_count);
    uint32_t *local_of = mem_alloc(obj->point_count * sizeof *local_of);
    memset(local_of, 0xff, obj->point_count * sizeof *local_of);
    char where[SHORT_NAME_SIZE + 16] = "";
    int rc = 0;
    for (uint32_t s = 0, end; s < span_count && rc >= 0; s = end) {
        const struct obj_run *run = &spans[s].run;
        for (end = s + 1; end < span_count && spans[end].run.part == run->part &&
                          spans[end].run.material == run->material && spans[end].run.topology == run->topology;)
            end++;
        if (s == 0 || spans[s - 1].run.part != run->part) {
            const struct obj_word name = name_of(obj, run->part);
            const struct str none = {.offset = STR_NONE};
            rc = polygon_mesh_add_root(
                obj->import, name.length > 0 ? bake_text(obj->import->builder, name.begin, name.length) : none, err);
            snprintf(where, sizeof where, "part '%.*s'", obj_shown(name), name.begin);
            mesh = (uint32_t)rc;
        }
        if (rc >= 0)
            rc = add_primitive(obj, &spans[s], end - s, mesh, local_of, where, err);
    }
    free(spans);
    free(local_of);
    return rc < 0 ? rc : 0;
}
