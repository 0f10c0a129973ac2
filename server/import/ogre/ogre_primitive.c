/* ogre_primitive.c - converts a submesh to a primitive of the vertices that its faces use. */
#include "import/mesh/influences.h"
#include "import/mesh/mesh_arrays.h"
#include "import/mesh/vertex_values.h"
#include "import/ogre/ogre.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct primitive_reader {
    struct ogre *ogre;
    struct err *err;
    uint32_t submesh;
    const struct ogre_submesh *from;
    const struct ogre_geometry *geometry;
    char where[OGRE_WHERE_SIZE];
    uint32_t *vertices; /* [vertex_count]: of the geometry */
    uint32_t *places;   /* [geometry->vertex_count]: index of a used vertex in the primitive, or OGRE_NONE */
    uint32_t *indices;  /* [index_count] */
    uint32_t vertex_count, index_count;
    struct primitive out;
};

/* --- faces --- */

static uint32_t index_at(const struct primitive_reader *reader, uint32_t i)
{
    const struct ogre_submesh *from = reader->from;
    return from->has_wide_indices ? ogre_u32_at(&reader->ogre->mesh.stream, from->indices + 4 * (size_t)i)
                                  : ogre_u16_at(&reader->ogre->mesh.stream, from->indices + 2 * (size_t)i);
}

static uint32_t place_of(struct primitive_reader *reader, uint32_t i)
{
    const uint32_t vertex = index_at(reader, i);
    if (reader->places[vertex] == OGRE_NONE) {
        reader->places[vertex] = reader->vertex_count;
        reader->vertices[reader->vertex_count++] = vertex;
    }
    return reader->places[vertex];
}

static void add_items(struct primitive_reader *reader)
{
    const uint32_t count = reader->from->index_count, operation = reader->from->operation;
    const uint32_t corners = operation == OGRE_POINTS                                  ? 1
                             : operation == OGRE_LINES || operation == OGRE_LINE_STRIP ? 2
                                                                                       : 3;
    const bool is_list = operation == OGRE_POINTS || operation == OGRE_LINES || operation == OGRE_TRIANGLES;
    for (uint32_t i = 0; count >= corners && i <= count - corners; i += is_list ? corners : 1) {
        const bool is_turned = operation == OGRE_TRIANGLE_STRIP && i % 2 == 1;
        const uint32_t first = operation == OGRE_TRIANGLE_FAN ? 0 : i;
        const uint32_t item[3] = {first, i + (is_turned ? 2 : 1), i + (is_turned ? 1 : 2)};
        for (uint32_t c = 0; c < corners; c++)
            reader->indices[reader->index_count++] = place_of(reader, item[c]);
    }
    if (is_list && count % corners != 0)
        bake_warn(reader->ogre->builder, "indices_trimmed", "%s has %u indices, which make no whole triangles or lines",
                  reader->where, count);
    reader->out.topology = corners == 1 ? TOPOLOGY_POINTS : corners == 2 ? TOPOLOGY_LINES : TOPOLOGY_TRIANGLES;
}

static int read_faces(struct primitive_reader *reader)
{
    const struct ogre_submesh *from = reader->from;
    const uint64_t most = 3 * (uint64_t)from->index_count;
    if (from->operation < OGRE_POINTS || from->operation > OGRE_TRIANGLE_FAN)
        return err_set(reader->err, ERR_BAD_MODEL, "%s is drawn by the unknown operation %u", reader->where,
                       from->operation);
    if (import_check_limit(reader->ogre->import, LIMIT_INDICES, reader->ogre->builder->index_count, most, reader->where,
                           reader->err) < 0) /* before memory is asked for */
        return reader->err->code;
    for (uint32_t i = 0; i < from->index_count; i++)
        if (index_at(reader, i) >= reader->geometry->vertex_count)
            return err_set(reader->err, ERR_BAD_MODEL, "index %u of %s is vertex %u, but there are %u", i,
                           reader->where, index_at(reader, i), reader->geometry->vertex_count);
    reader->indices = mem_alloc((size_t)most * sizeof *reader->indices);
    const size_t vertices =
        from->index_count < reader->geometry->vertex_count ? from->index_count : reader->geometry->vertex_count;
    reader->vertices = mem_alloc((vertices + 1) * sizeof *reader->vertices);
    reader->places = mem_alloc(((size_t)reader->geometry->vertex_count + 1) * sizeof *reader->places);
    memset(reader->places, 0xff, reader->geometry->vertex_count * sizeof *reader->places); /* OGRE_NONE */
    add_items(reader);
    uint32_t *out =
        mesh_add_indices(reader->ogre->import, &reader->out, reader->index_count, reader->where, reader->err);
    if (out == NULL)
        return reader->err->code;
    memcpy(out, reader->indices, reader->out.index_count * sizeof *out);
    return 0;
}

/* --- vertices --- */

static void read_positions(struct primitive_reader *reader)
{
    struct ogre *ogre = reader->ogre;
    const struct ogre_element *element = ogre_element_of(reader->geometry, OGRE_POSITION, 0);
    struct vec3 *positions = ogre->builder->positions + reader->out.vertex_first;
    for (uint32_t v = 0; v < reader->out.vertex_count; v++) {
        double at[4];
        ogre_element_value(&ogre->mesh, element, reader->vertices[v], at);
        positions[v] = (struct vec3){(float)at[0], (float)at[1], (float)at[2]};
    }
}

/* The file's normals may have any length. */
static void read_normals(const struct primitive_reader *reader, const struct ogre_element *element, struct vec3 *out)
{
    for (uint32_t v = 0; element != NULL && v < reader->out.vertex_count; v++) {
        double value[4], n[3];
        ogre_element_value(&reader->ogre->mesh, element, reader->vertices[v], value);
        const double *normal = unit_direction(value, n) ? n : value;
        out[v] = (struct vec3){(float)normal[0], (float)normal[1], (float)normal[2]};
    }
}

/* Returns the texture coordinates for the material's slot 0 or 1, or NULL. */
static const struct ogre_element *texcoords_of(const struct primitive_reader *reader, int place)
{
    const int64_t set = reader->ogre->surfaces[reader->submesh].texcoords.sets[place];
    return set < 0 && place > 0 ? NULL : ogre_element_of(reader->geometry, OGRE_TEXCOORD, set < 0 ? 0 : (uint16_t)set);
}

static void read_texcoords(const struct primitive_reader *reader, const struct ogre_element *element, struct vec2 *out)
{
    for (uint32_t v = 0; element != NULL && v < reader->out.vertex_count; v++) {
        double uv[4];
        ogre_element_value(&reader->ogre->mesh, element, reader->vertices[v], uv);
        out[v] = (struct vec2){(float)uv[0], (float)uv[1]};
    }
}

static void read_colors(const struct primitive_reader *reader, const struct ogre_element *element, struct rgba16 *out)
{
    for (uint32_t v = 0; element != NULL && v < reader->out.vertex_count; v++) {
        double c[4];
        ogre_element_value(&reader->ogre->mesh, element, reader->vertices[v], c);
        out[v] = vertex_color_from_srgb(c[0], c[1], c[2], c[3]);
    }
}

static int read_vertices(struct primitive_reader *reader)
{
    struct bake_builder *builder = reader->ogre->builder;
    const struct ogre_element *texcoords[2] = {texcoords_of(reader, 0), texcoords_of(reader, 1)};
    const struct ogre_element *colors = reader->ogre->surfaces[reader->submesh].has_vertex_colors
                                            ? ogre_element_of(reader->geometry, OGRE_DIFFUSE, 0)
                                            : NULL;
    const struct ogre_element *normals = ogre_element_of(reader->geometry, OGRE_NORMAL, 0);
    reader->out.flags = (normals != NULL ? PRIMITIVE_FILE_NORMALS : 0u) | (colors != NULL ? PRIMITIVE_COLORS : 0u) |
                        (texcoords[0] != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                        (texcoords[1] != NULL ? PRIMITIVE_SECOND_TEXCOORDS : 0u);
    if (mesh_add_vertices(reader->ogre->import, &reader->out, reader->vertex_count, reader->where, reader->err) < 0)
        return reader->err->code;
    const uint32_t first = reader->out.vertex_first;
    read_positions(reader);
    read_normals(reader, normals, builder->normals + first);
    read_texcoords(reader, texcoords[0], builder->texcoords + first);
    read_texcoords(reader, texcoords[1], builder->second_texcoords + first);
    read_colors(reader, colors, builder->colors + first);
    mesh_repair(reader->ogre->import, &reader->out, reader->where);
    return 0;
}

/* --- influences --- */

/* A bone that the skeleton lacks is not a joint. */
static int read_influences(struct primitive_reader *reader, bool is_skinned)
{
    const struct ogre_geometry *geometry = reader->geometry;
    const struct ogre_skeleton *skeleton = &reader->ogre->skeleton;
    const uint32_t count = reader->out.vertex_count;
    struct weight_list list = {0};
    if (!is_skinned)
        return influences_put_none(reader->ogre->import, count, reader->err);
    for (size_t i = 0; i < geometry->assignment_count; i++) {
        const struct ogre_assignment *from = &geometry->assignments[i];
        if (from->vertex >= geometry->vertex_count) {
            free(list.items);
            return err_set(reader->err, ERR_BAD_MODEL, "bone assignment %zu of %s is of vertex %u, but there are %u", i,
                           reader->where, from->vertex, geometry->vertex_count);
        }
        if (reader->places[from->vertex] != OGRE_NONE)
            weight_list_add(&list, reader->places[from->vertex], (uint32_t)skeleton->bone_of[from->bone],
                            (double)from->weight);
    }
    struct influences influences;
    influences_make(&influences, &list, count, (uint32_t)skeleton->bone_count, JOINT_NONE);
    influences_warn(reader->ogre->builder, &influences.repairs, count, reader->where);
    int rc = 0;
    for (uint32_t v = 0; v < count && rc == 0; v++)
        rc = influences_put_point(reader->ogre->import, &influences, v, reader->err);
    influences_fini(&influences);
    return rc;
}

/* --- all --- */

static int read_all(struct primitive_reader *reader, bool is_skinned)
{
    struct ogre *ogre = reader->ogre;
    if (ogre_element_of(reader->geometry, OGRE_POSITION, 0) == NULL)
        return err_set(reader->err, ERR_BAD_MODEL, "%s has no positions", reader->where);
    if (read_faces(reader) < 0 || read_vertices(reader) < 0 || read_influences(reader, is_skinned) < 0 ||
        ogre_add_targets(ogre, reader->submesh, reader->vertices, reader->out.vertex_count, &reader->out, reader->err) <
            0)
        return reader->err->code;
    return mesh_put(ogre->import, &reader->out, reader->where, reader->err);
}

int ogre_add_primitive(struct ogre *ogre, uint32_t submesh, uint32_t mesh, bool is_skinned, struct err *err)
{
    struct primitive_reader reader = {.ogre = ogre,
                                      .err = err,
                                      .submesh = submesh,
                                      .from = &ogre->mesh.submeshes[submesh],
                                      .geometry = ogre_geometry_of(ogre, submesh),
                                      .out = {.mesh = mesh, .material = ogre->surfaces[submesh].material}};
    ogre_where(ogre, submesh, reader.where);
    const int rc = read_all(&reader, is_skinned);
    free(reader.vertices);
    free(reader.places);
    free(reader.indices);
    return rc;
}
