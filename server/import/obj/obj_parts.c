/* obj_parts.c - gathers the polygons of each part, material and topology from all over the file, as primitives. */
#include "import/obj/obj.h"

#include "base/mem.h"
#include "import/polygons/polygon_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE_SIZE = 64 };

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

/* Its polygons: the points that they use, and the file's numbers of their other values. The arrays have room for all
 * polygons of the file. */
struct gathered {
    double (*points)[3], (*colors)[4]; /* [point_count]; colors only where the file has them */
    uint32_t *corners, *texcoords, *normals, *starts, *groups;
    uint32_t point_count, corner_count, polygon_count;
    size_t point_capacity, color_capacity;
    bool has_texcoords, has_normals, has_groups;
    uint32_t *local_of; /* [obj->point_count]: OBJ_NONE between primitives */
};

static void gathered_init(struct gathered *gathered, const struct obj *obj)
{
    *gathered = (struct gathered){
        .corners = mem_alloc(obj->corner_count * sizeof(uint32_t)),
        .texcoords = mem_alloc(obj->corner_count * sizeof(uint32_t)),
        .normals = mem_alloc(obj->corner_count * sizeof(uint32_t)),
        .starts = mem_alloc(((size_t)obj->polygon_count + 1) * sizeof(uint32_t)),
        .groups = mem_alloc(obj->polygon_count * sizeof(uint32_t)),
        .local_of = mem_alloc(obj->point_count * sizeof(uint32_t)),
    };
    memset(gathered->local_of, 0xff, obj->point_count * sizeof(uint32_t));
}

static void gathered_fini(struct gathered *gathered)
{
    free(gathered->points);
    free(gathered->colors);
    free(gathered->corners);
    free(gathered->texcoords);
    free(gathered->normals);
    free(gathered->starts);
    free(gathered->groups);
    free(gathered->local_of);
}

static uint32_t gather_point(struct gathered *gathered, const struct obj *obj, uint32_t point)
{
    uint32_t *local = &gathered->local_of[point];
    if (*local != OBJ_NONE)
        return *local;
    *local = gathered->point_count++;
    const size_t count = gathered->point_count;
    gathered->points = mem_grow(gathered->points, &gathered->point_capacity, count, sizeof *gathered->points);
    memcpy(gathered->points[*local], obj->points[point], sizeof *gathered->points);
    if (obj->colors != NULL) {
        gathered->colors = mem_grow(gathered->colors, &gathered->color_capacity, count, sizeof *gathered->colors);
        memcpy(gathered->colors[*local], obj->colors[point], sizeof *gathered->colors);
    }
    return *local;
}

/* The file's last value is for corners without. */
static uint32_t gather_value(uint32_t index, uint32_t count, bool *has_values)
{
    *has_values |= index < count;
    return index < count ? index : count;
}

static void gather_polygon(struct gathered *gathered, const struct obj *obj, uint32_t polygon, uint32_t smoothing)
{
    gathered->groups[gathered->polygon_count++] = smoothing;
    gathered->has_groups &= smoothing != OBJ_NONE;
    for (uint32_t i = obj->starts[polygon]; i < obj->starts[polygon + 1]; i++) {
        const struct obj_corner *from = &obj->corners[i];
        const uint32_t c = gathered->corner_count++;
        gathered->corners[c] = gather_point(gathered, obj, from->point);
        gathered->texcoords[c] = gather_value(from->texcoord, obj->texcoord_count, &gathered->has_texcoords);
        gathered->normals[c] = gather_value(from->normal, obj->normal_count, &gathered->has_normals);
    }
    gathered->starts[gathered->polygon_count] = gathered->corner_count;
}

static void gather(struct gathered *gathered, const struct obj *obj, const struct span *spans, uint32_t count)
{
    gathered->point_count = gathered->corner_count = gathered->polygon_count = gathered->starts[0] = 0;
    gathered->has_texcoords = gathered->has_normals = false;
    gathered->has_groups = true;
    for (uint32_t s = 0; s < count; s++)
        for (uint32_t p = spans[s].run.polygon_first; p < spans[s].polygon_end; p++)
            gather_polygon(gathered, obj, p, spans[s].run.smoothing);
    for (uint32_t s = 0; s < count; s++)
        for (uint32_t c = obj->starts[spans[s].run.polygon_first]; c < obj->starts[spans[s].polygon_end]; c++)
            gathered->local_of[obj->corners[c].point] = OBJ_NONE;
}

static int add_primitive(const struct obj *obj, const struct gathered *gathered, const struct obj_run *run,
                         uint32_t mesh, const char *where, struct err *err)
{
    const bool has_normals = gathered->has_normals && run->topology == TOPOLOGY_TRIANGLES;
    const struct polygon_mesh from = {
        .polygons = {(const double(*)[3])gathered->points, gathered->corners, gathered->starts, gathered->point_count,
                     gathered->polygon_count},
        .topology = run->topology,
        .smoothing = {.kind = gathered->has_groups ? SMOOTHING_BY_GROUPS : SMOOTHING_BY_ANGLE,
                      .groups = gathered->groups},
        .normals = {has_normals ? obj->normals[0] : NULL, gathered->normals},
        .texcoords = {gathered->has_texcoords ? obj->texcoords[0] : NULL, gathered->texcoords},
        .colors = {obj->colors != NULL ? gathered->colors[0] : NULL, NULL},
    };
    const uint32_t material = run->material != OBJ_NONE ? run->material : obj->materials.count;
    return polygon_mesh_add(obj->import, &from, mesh, (int32_t)material, where, err);
}

/* --- parts --- */

/* The mesh of a part has a group's name, or that of the object of an unnamed group. */
static int add_mesh(const struct obj *obj, uint32_t part, char where[WHERE_SIZE], struct err *err)
{
    const struct obj_name *group = &obj->parts.items[part];
    const bool is_named = group->word.length > 0 || group->owner == OBJ_NONE;
    const struct obj_word word = is_named ? group->word : obj->objects.items[group->owner].word;
    struct str name = {.offset = STR_NONE};
    snprintf(where, WHERE_SIZE, "the file");
    if (word.length > 0) {
        name = bake_text(obj->import->builder, word.begin, word.length);
        snprintf(where, WHERE_SIZE, "part '%.*s'", obj_shown(word), word.begin);
    }
    return polygon_mesh_add_root(obj->import, name, err);
}

int obj_add_parts(struct obj *obj, struct err *err)
{
    uint32_t span_count;
    int rc = 0, mesh = -1;
    char where[WHERE_SIZE];
    struct gathered gathered;
    struct span *spans = sort_runs(obj, &span_count);
    gathered_init(&gathered, obj);
    for (uint32_t s = 0, end; s < span_count && rc == 0; s = end) {
        const struct obj_run *run = &spans[s].run;
        for (end = s + 1; end < span_count && spans[end].run.part == run->part &&
                          spans[end].run.material == run->material && spans[end].run.topology == run->topology;)
            end++;
        if (s == 0 || spans[s - 1].run.part != run->part)
            mesh = add_mesh(obj, run->part, where, err);
        gather(&gathered, obj, &spans[s], end - s);
        rc = mesh < 0 ? mesh : add_primitive(obj, &gathered, run, (uint32_t)mesh, where, err);
    }
    free(spans);
    gathered_fini(&gathered);
    return rc;
}
