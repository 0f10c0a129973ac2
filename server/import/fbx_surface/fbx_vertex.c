#include "import/fbx_surface/fbx_vertex.h"

#include "base/mem.h"
#include "import/mesh/corner_normals.h"
#include "import/mesh/vertex_values.h"

#include <stdlib.h>

/* Converts three numbers to a unit vector. Returns false if they give no direction. */
static bool read_direction(const struct fbx_layer_element *element, const struct fbx_place *place, double out[3])
{
    const double *value = fbx_layer_element_at(element, place);
    return value != NULL && unit_direction(value, out);
}

static void turn(const double m[9], double v[3])
{
    const double from[3] = {v[0], v[1], v[2]};
    for (int k = 0; k < 3; k++)
        v[k] = m[k] * from[0] + m[3 + k] * from[1] + m[6 + k] * from[2];
    const double length = sqrt(dot3(v, v));
    for (int k = 0; k < 3 && length > 0; k++)
        v[k] /= length;
}

static struct vec2 texcoord_at(const struct fbx_layer_element *uvs, const struct fbx_place *place)
{
    const double *value = uvs == NULL ? NULL : fbx_layer_element_at(uvs, place);
    return value == NULL ? (struct vec2){0, 0} : (struct vec2){(float)value[0], (float)(1 - value[1])};
}

static struct rgba16 color_at(const struct fbx_layer_element *colors, const struct fbx_place *place)
{
    const double *value = fbx_layer_element_at(colors, place);
    return value == NULL ? RGBA16_WHITE : vertex_color_from_srgb(value[0], value[1], value[2], value[3]);
}

/* A file's binormal points along increasing v, which is up in the image, as in normal maps. */
static struct vec4 tangent_at(const struct fbx_surface *surface, const struct fbx_place *place, const double normal[3])
{
    double tangent[3], binormal[3], across[3];
    if (!read_direction(&surface->tangents, place, tangent))
        return (struct vec4){0, 0, 0, 0};
    cross3(normal, tangent, across);
    const bool is_mirrored = read_direction(&surface->binormals, place, binormal) && dot3(across, binormal) < 0;
    return (struct vec4){(float)tangent[0], (float)tangent[1], (float)tangent[2], is_mirrored ? -1 : 1};
}

struct mesh_vertex fbx_vertex_of(const struct fbx_corner_reader *reader, uint32_t polygon, uint32_t corner)
{
    const struct fbx_surface *surface = reader->surface;
    const struct fbx_place place = {.corner = corner, .control_point = surface->corners[corner], .polygon = polygon};
    double normal[3] = {0, 0, 1};
    if (!read_direction(&surface->normals, &place, normal) && reader->made_normals != NULL) {
        const struct vec3 *made = &reader->made_normals[corner];
        normal[0] = (double)made->x;
        normal[1] = (double)made->y;
        normal[2] = (double)made->z;
    }
    struct mesh_vertex vertex = {
        .point = place.control_point,
        .texcoords = {texcoord_at(reader->uvs[0], &place), texcoord_at(reader->uvs[1], &place)},
        .rgba = color_at(&surface->colors, &place),
    };
    if (reader->is_tangent_wanted)
        vertex.tangent = tangent_at(surface, &place, normal);
    turn(reader->normal_from_geometry, normal);
    vertex.normal = (struct vec3){(float)normal[0], (float)normal[1], (float)normal[2]};
    return vertex;
}

bool fbx_lacks_normals(const struct fbx_surface *surface)
{
    for (uint32_t p = 0; p < surface->size.polygon_count; p++)
        for (uint32_t c = surface->starts[p]; c < surface->starts[p + 1]; c++) {
            const struct fbx_place place = {.corner = c, .control_point = surface->corners[c], .polygon = p};
            const double *normal = fbx_layer_element_at(&surface->normals, &place);
            if (normal == NULL || !has_direction3(normal))
                return true;
        }
    return false;
}

static uint32_t *polygon_groups(const struct fbx_surface *surface)
{
    uint32_t *groups = mem_zalloc(surface->size.polygon_count, sizeof *groups);
    for (uint32_t p = 0; p < surface->size.polygon_count; p++) {
        const struct fbx_place place = {.polygon = p};
        const double *value = fbx_layer_element_at(&surface->smoothing, &place);
        /* A bit set; the highest bit is a minus sign in files that write it as int32_t. */
        groups[p] = value != NULL && *value >= INT32_MIN && *value <= UINT32_MAX ? (uint32_t)(int64_t)*value : 0;
    }
    return groups;
}

/* The corner at which an edge begins identifies it; 0 means that it is hard. */
static uint8_t *hard_edges(const struct fbx_surface *surface)
{
    uint8_t *is_hard = mem_zalloc(surface->size.corner_count, 1);
    for (uint32_t e = 0; e < surface->edge_count && e < surface->smoothing.value_count; e++)
        if (surface->edge_starts[e] < surface->size.corner_count)
            is_hard[surface->edge_starts[e]] = surface->smoothing.values[e] == 0;
    return is_hard;
}

struct vec3 *fbx_make_normals(const struct fbx_surface *surface)
{
    struct vec3 *normals = mem_alloc(surface->size.corner_count * sizeof *normals);
    const struct polygons polygons = {(const double(*)[3])surface->points, surface->corners, surface->starts,
                                      surface->size.point_count, surface->size.polygon_count};
    uint32_t *groups = NULL;
    uint8_t *is_hard = NULL;
    struct smoothing smoothing = {.kind = SMOOTHING_BY_ANGLE};
    if (surface->smoothing.mapping == FBX_BY_POLYGON) {
        smoothing.kind = SMOOTHING_BY_GROUPS;
        smoothing.groups = groups = polygon_groups(surface);
    } else if (surface->smoothing.mapping == FBX_BY_EDGE && surface->edge_count > 0) {
        smoothing.kind = SMOOTHING_BY_EDGES;
        smoothing.is_hard = is_hard = hard_edges(surface);
    }
    corner_normals(&polygons, &smoothing, normals);
    free(groups);
    free(is_hard);
    return normals;
}
