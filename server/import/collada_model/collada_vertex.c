#include "import/collada_model/collada_vertex.h"

#include "base/mem.h"
#include "import/mesh/corner_normals.h"
#include "import/mesh/vertex_values.h"

#include <stdlib.h>
#include <string.h>

/* --- one corner --- */

static const double *value_at(const struct collada_part *part, const struct collada_input *input, uint32_t corner)
{
    return input->rows->values + (size_t)collada_index(part, corner, input->offset) * input->rows->width;
}

static bool read_direction(const struct collada_part *part, const struct collada_input *input, uint32_t corner,
                           double out[3])
{
    return input != NULL && input->rows->width >= 3 && unit_direction(value_at(part, input, corner), out);
}

bool collada_file_normal(const struct collada_part *part, const struct collada_input *normals, uint32_t corner,
                         double out[3])
{
    return read_direction(part, normals, corner, out);
}

/* Where T grows upwards. */
static struct vec2 texcoord_at(const struct collada_part *part, const struct collada_input *input, uint32_t corner)
{
    if (input == NULL)
        return (struct vec2){0, 0};
    const double *value = value_at(part, input, corner);
    const double t = input->rows->width > 1 ? value[1] : 0;
    return (struct vec2){(float)value[0], (float)(1 - t)};
}

static struct rgba16 color_at(const struct collada_corners *corners, uint32_t corner)
{
    if (corners->colors == NULL)
        return RGBA16_WHITE;
    const double *value = value_at(corners->part, corners->colors, corner);
    return vertex_color_from_srgb(value[0], value[1], value[2], corners->has_alpha ? value[3] : 1);
}

/* The file's binormal points along growing T, upwards in the picture, like +Y of normal maps. */
static struct vec4 tangent_at(const struct collada_corners *corners, uint32_t corner, const double normal[3])
{
    double tangent[3], binormal[3], across[3];
    if (!read_direction(corners->part, corners->tangents, corner, tangent))
        return (struct vec4){0, 0, 0, 0};
    cross3(normal, tangent, across);
    const bool is_mirrored =
        read_direction(corners->part, corners->binormals, corner, binormal) && dot3(across, binormal) < 0;
    return (struct vec4){(float)tangent[0], (float)tangent[1], (float)tangent[2], is_mirrored ? -1 : 1};
}

void collada_corners_init(struct collada_corners *corners, const struct collada_mesh *mesh,
                          const struct collada_part *part)
{
    *corners = (struct collada_corners){.mesh = mesh,
                                        .part = part,
                                        .normals = collada_find_input(part, COLLADA_NORMAL, UINT32_MAX),
                                        .colors = collada_find_input(part, COLLADA_COLOR, UINT32_MAX)};
    if (corners->colors != NULL && corners->colors->rows->width < 3)
        corners->colors = NULL;
    const struct value_rows *rows = corners->colors == NULL ? NULL : corners->colors->rows;
    for (uint32_t r = 0; rows != NULL && rows->width > 3 && r < rows->count && !corners->has_alpha; r++)
        corners->has_alpha = rows->values[(size_t)r * rows->width + 3] > 0;
}

struct mesh_vertex collada_vertex_of(const struct collada_corners *corners, uint32_t corner)
{
    const struct collada_part *part = corners->part;
    double normal[3] = {0, 0, 1};
    if (!collada_file_normal(part, corners->normals, corner, normal) && corners->made_normals != NULL) {
        const struct vec3 *made = &corners->made_normals[corner];
        normal[0] = (double)made->x;
        normal[1] = (double)made->y;
        normal[2] = (double)made->z;
    }
    struct mesh_vertex vertex = {
        .point = collada_index(part, corner, part->position_offset),
        .normal = {(float)normal[0], (float)normal[1], (float)normal[2]},
        .texcoords = {texcoord_at(part, corners->uvs[0], corner), texcoord_at(part, corners->uvs[1], corner)},
        .rgba = color_at(corners, corner),
    };
    if (corners->tangents != NULL)
        vertex.tangent = tangent_at(corners, corner, normal);
    return vertex;
}

/* --- normals of faces --- */

static bool lacks_normals(const struct collada_part *part)
{
    const struct collada_input *normals = collada_find_input(part, COLLADA_NORMAL, UINT32_MAX);
    double normal[3];
    for (uint32_t c = 0; c < part->starts[part->face_count]; c++)
        if (!collada_file_normal(part, normals, c, normal))
            return true;
    return false;
}

static bool is_surface(const struct collada_part *part) { return part->topology == TOPOLOGY_TRIANGLES; }

/* Appends the faces of a part. */
static void add_faces(const struct collada_part *part, const uint32_t *first, uint32_t *corners, uint32_t *starts,
                      struct polygons *polygons)
{
    const uint32_t base = starts[polygons->polygon_count];
    for (uint32_t c = 0; c < part->starts[part->face_count]; c++)
        corners[base + c] = first[collada_index(part, c, part->position_offset)];
    for (uint32_t f = 0; f < part->face_count; f++)
        starts[++polygons->polygon_count] = base + part->starts[f + 1];
}

struct vec3 **collada_make_normals(const struct collada_mesh *mesh, const uint32_t *first_points, bool is_bent)
{
    struct vec3 **out = mem_zalloc((size_t)mesh->part_count + 1, sizeof(struct vec3 *));
    bool is_needed = false;
    size_t corner_count = 0, face_count = 0;
    for (uint32_t p = 0; p < mesh->part_count; p++) {
        const struct collada_part *part = &mesh->parts[p];
        is_needed |= is_surface(part) && lacks_normals(part);
        corner_count += part->starts[part->face_count];
        face_count += part->face_count;
    }
    if (!is_needed || corner_count >= UINT32_MAX)
        return out;
    uint32_t *corners = mem_alloc((corner_count + 1) * sizeof *corners);
    uint32_t *starts = mem_zalloc(face_count + 1, sizeof *starts);
    struct vec3 *normals = mem_alloc((corner_count + 1) * sizeof *normals);
    struct polygons polygons = {.points = (const double(*)[3])mesh->points,
                                .corners = corners,
                                .starts = starts,
                                .point_count = mesh->point_count};
    for (uint32_t p = 0; p < mesh->part_count; p++)
        if (is_surface(&mesh->parts[p]))
            add_faces(&mesh->parts[p], first_points, corners, starts, &polygons);
    uint32_t *groups = is_bent ? mem_alloc((face_count + 1) * sizeof *groups) : NULL;
    for (size_t f = 0; groups != NULL && f < face_count; f++)
        groups[f] = 1;
    const struct smoothing smoothing = {.kind = is_bent ? SMOOTHING_BY_GROUPS : SMOOTHING_BY_ANGLE, .groups = groups};
    corner_normals(&polygons, &smoothing, normals);
    free(groups);
    size_t at = 0;
    for (uint32_t p = 0; p < mesh->part_count; p++) {
        const struct collada_part *part = &mesh->parts[p];
        const uint32_t count = part->starts[part->face_count];
        if (!is_surface(part))
            continue;
        out[p] = mem_alloc(((size_t)count + 1) * sizeof **out);
        memcpy(out[p], normals + at, count * sizeof **out);
        at += count;
    }
    free(corners);
    free(starts);
    free(normals);
    return out;
}
