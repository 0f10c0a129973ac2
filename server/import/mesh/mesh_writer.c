#include "import/mesh/mesh_writer.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/mesh_arrays.h"

#include <stdlib.h>
#include <string.h>

/* adding 0 converts -0 to 0 */
static struct vec3 position_of(const double at[3])
{
    return (struct vec3){(float)at[0] + 0.0f, (float)at[1] + 0.0f, (float)at[2] + 0.0f};
}

uint32_t *mesh_first_points(const double (*points)[3], uint32_t point_count, const struct influences *influences)
{
    uint32_t *first = mem_alloc(point_count * sizeof *first);
    struct vertex_set set;
    vertex_set_init(&set, point_count);
    for (uint32_t p = 0; p < point_count; p++) {
        const struct vec3 at = position_of(points[p]);
        uint32_t *slot = vertex_set_first(&set, hash64(HASH64_SEED, &at, sizeof at));
        for (; *slot != VERTEX_NONE; slot = vertex_set_next(&set, slot)) {
            const struct vec3 other = position_of(points[*slot]);
            if (memcmp(&other, &at, sizeof at) == 0 && influences_are_same(influences, *slot, p))
                break;
        }
        if (*slot == VERTEX_NONE)
            *slot = p;
        first[p] = *slot;
    }
    free(set.slots);
    return first;
}

/* --- corners to vertices and triangles --- */

void mesh_writer_start(struct mesh_writer *writer, size_t corner_max)
{
    free(writer->set.slots);
    vertex_set_init(&writer->set, corner_max);
    writer->vertex_count = writer->index_count = writer->corner_count = writer->closed_count = writer->left_out = 0;
}

void mesh_writer_corner(struct mesh_writer *writer, const struct mesh_vertex *vertex)
{
    writer->corners =
        mem_grow(writer->corners, &writer->corner_capacity, (size_t)writer->corner_count + 1, sizeof *writer->corners);
    writer->corners[writer->corner_count++] = *vertex;
}

static bool has_place(const struct mesh_writer *writer)
{
    for (uint32_t c = 0; c < writer->corner_count; c++) {
        const struct vec3 at = position_of(writer->points[writer->corners[c].point]);
        if (!vec3_is_finite(&at))
            return false;
    }
    return true;
}

static bool is_free_or_same(const struct mesh_writer *writer, const uint32_t *slot, const struct mesh_vertex *corner)
{
    return *slot == VERTEX_NONE || memcmp(&writer->vertices[*slot], corner, sizeof *corner) == 0;
}

/* The slot of a corner's vertex, or the free one for it. The first slots to look at go by the point, because polygons
 * beside each other share points, and memory that is near is fast. A point with more vertices than that goes by their
 * hashes. */
static uint32_t *slot_of(struct mesh_writer *writer, const struct mesh_vertex *corner)
{
    enum { SLOTS_PER_POINT = 4, NEAR_SLOTS = 8 };
    uint32_t *slot = vertex_set_first(&writer->set, (uint64_t)corner->point * SLOTS_PER_POINT);
    for (int i = 0; i < NEAR_SLOTS; i++) {
        if (is_free_or_same(writer, slot, corner))
            return slot;
        slot = vertex_set_next(&writer->set, slot);
    }
    slot = vertex_set_first(&writer->set, hash64(HASH64_SEED, corner, sizeof *corner));
    while (!is_free_or_same(writer, slot, corner))
        slot = vertex_set_next(&writer->set, slot);
    return slot;
}

/* The vertex of corner `c` of the open polygon. */
static uint32_t vertex_of(struct mesh_writer *writer, uint32_t c)
{
    const struct mesh_vertex *corner = &writer->corners[c];
    uint32_t *slot = slot_of(writer, corner);
    if (*slot == VERTEX_NONE) {
        const size_t count = (size_t)writer->vertex_count + 1;
        writer->vertices = mem_grow(writer->vertices, &writer->vertex_capacity, count, sizeof *writer->vertices);
        writer->first_corners =
            mem_grow(writer->first_corners, &writer->first_capacity, count, sizeof *writer->first_corners);
        writer->vertices[writer->vertex_count] = *corner;
        writer->first_corners[writer->vertex_count] = writer->closed_count + c;
        *slot = writer->vertex_count++;
    }
    return *slot;
}

static void turn(uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 3) {
        const uint32_t second = indices[i + 1];
        indices[i + 1] = indices[i + 2];
        indices[i + 2] = second;
    }
}

static void add_polygon(struct mesh_writer *writer)
{
    const uint32_t count = writer->corner_count, index_count = count > 2 ? 3 * (count - 2) : count;
    writer->found = mem_grow(writer->found, &writer->found_capacity, count, sizeof *writer->found);
    writer->places = mem_grow(writer->places, &writer->place_capacity, count, sizeof *writer->places);
    writer->indices = mem_grow(writer->indices, &writer->index_capacity, (size_t)writer->index_count + index_count,
                               sizeof *writer->indices);
    for (uint32_t c = 0; c < count; c++) {
        writer->found[c] = vertex_of(writer, c);
        memcpy(writer->places[c], writer->points[writer->corners[c].point], sizeof *writer->places);
    }
    uint32_t *out = writer->indices + writer->index_count;
    if (count <= 2)
        memcpy(out, writer->found, count * sizeof *out);
    else {
        triangulate(&writer->triangulator, (const double(*)[3])writer->places, count, out);
        for (uint32_t i = 0; i < index_count; i++)
            out[i] = writer->found[out[i]];
        if (writer->is_clockwise)
            turn(out, index_count);
    }
    writer->index_count += index_count;
}

void mesh_writer_close(struct mesh_writer *writer)
{
    if (has_place(writer))
        add_polygon(writer);
    else
        writer->left_out++;
    writer->closed_count += writer->corner_count;
    writer->corner_count = 0;
}

bool mesh_writer_end(struct mesh_writer *writer)
{
    free(writer->set.slots); /* before the model's arrays grow */
    writer->set = (struct vertex_set){0};
    if (writer->left_out > 0)
        bake_warn(writer->import->builder, "not_finite_repaired",
                  "%s: %u polygons or points are left out, because they lie at numbers that are not finite",
                  writer->where, writer->left_out);
    return writer->index_count > 0;
}

/* --- the primitive in the model --- */

static void fill(const struct mesh_writer *writer, const struct primitive *primitive)
{
    struct bake_builder *builder = writer->import->builder;
    const uint32_t flags = primitive->flags;
    for (uint32_t v = 0; v < writer->vertex_count; v++) {
        const struct mesh_vertex *vertex = &writer->vertices[v];
        const uint32_t out = primitive->vertex_first + v;
        double at[3];
        memcpy(at, writer->points[vertex->point], sizeof at);
        if (writer->out_from_points != NULL)
            dmat4_point(writer->out_from_points, writer->points[vertex->point], at);
        builder->positions[out] = position_of(at);
        builder->normals[out] = vertex->normal;
        if ((flags & PRIMITIVE_COLORS) != 0)
            builder->colors[out] = vertex->rgba;
        if ((flags & PRIMITIVE_TEXCOORDS) != 0)
            builder->texcoords[out] = vertex->texcoords[0];
        if ((flags & PRIMITIVE_SECOND_TEXCOORDS) != 0)
            builder->second_texcoords[out] = vertex->texcoords[1];
        if ((flags & PRIMITIVE_TANGENTS) != 0)
            builder->tangents[out] = vertex->tangent;
    }
}

static int put_influences(const struct mesh_writer *writer, struct err *err)
{
    if (writer->influences == NULL)
        return influences_put_none(writer->import, writer->vertex_count, err);
    for (uint32_t v = 0; v < writer->vertex_count; v++)
        if (influences_put_point(writer->import, writer->influences, writer->vertices[v].point, err) < 0)
            return err->code;
    return 0;
}

int mesh_writer_put(struct mesh_writer *writer, struct primitive *primitive, struct err *err)
{
    struct import *import = writer->import;
    if (mesh_add_vertices(import, primitive, writer->vertex_count, writer->where, err) < 0)
        return err->code;
    fill(writer, primitive);
    uint32_t *indices = mesh_add_indices(import, primitive, writer->index_count, writer->where, err);
    if (indices == NULL)
        return err->code;
    if (writer->index_count > 0)
        memcpy(indices, writer->indices, writer->index_count * sizeof *indices);
    mesh_repair(import, primitive, writer->where);
    return put_influences(writer, err);
}

void mesh_writer_fini(struct mesh_writer *writer)
{
    free(writer->vertices);
    free(writer->first_corners);
    free(writer->indices);
    free(writer->corners);
    free(writer->found);
    free(writer->places);
    free(writer->set.slots);
    triangulator_fini(&writer->triangulator);
}
