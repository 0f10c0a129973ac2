#include "import/fbx_surface/fbx_surface.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static int read_points(struct fbx_surface *surface, const struct fbx_scene *scene, uint32_t geometry, struct err *err)
{
    const uint32_t record = fbx_child(&scene->file, geometry, "Vertices");
    double *numbers = NULL;
    uint32_t count = 0;
    if (fbx_doubles(&scene->file, record, &numbers, &count, err) < 0)
        return err->code;
    surface->points = (double(*)[3])(void *)numbers;
    surface->size.point_count = count / 3;
    return 0;
}

/* The last corner of a polygon is written as -1 - k, for control point k. A last polygon without this mark is still a
 * polygon. */
static int read_polygons(struct fbx_surface *surface, const struct fbx_scene *scene, uint32_t geometry, struct err *err)
{
    const uint32_t record = fbx_child(&scene->file, geometry, "PolygonVertexIndex");
    int32_t *indices = NULL;
    uint32_t count = 0;
    if (fbx_int32s(&scene->file, record, &indices, &count, err) < 0)
        return err->code;
    surface->corners = (uint32_t *)indices;
    surface->size.corner_count = count;
    uint32_t polygon_count = 0;
    for (uint32_t i = 0; i < count; i++)
        polygon_count += indices[i] < 0 || i + 1 == count;
    surface->starts = mem_alloc((polygon_count + 1) * sizeof *surface->starts);
    surface->starts[0] = 0;
    surface->size.polygon_count = polygon_count;
    uint32_t polygon = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_end = indices[i] < 0 || i + 1 == count;
        const uint32_t point = indices[i] < 0 ? ~(uint32_t)indices[i] : (uint32_t)indices[i];
        if (point >= surface->size.point_count)
            return fbx_bad(&scene->file, record, err, "corner %u is control point %u of %u", i, point,
                           surface->size.point_count);
        surface->corners[i] = point;
        if (is_end)
            surface->starts[++polygon] = i + 1;
    }
    return 0;
}

static int read_edges(struct fbx_surface *surface, const struct fbx_scene *scene, uint32_t geometry, struct err *err)
{
    int32_t *edges = NULL;
    const int rc =
        fbx_int32s(&scene->file, fbx_child(&scene->file, geometry, "Edges"), &edges, &surface->edge_count, err);
    surface->edge_starts = (uint32_t *)edges;
    return rc;
}

/* Files before 6000 have no layers: the values are in the geometry itself or in a "GeometryUVInfo". */
static bool is_old(const struct fbx_file *file, uint32_t geometry)
{
    return fbx_child(file, geometry, "GeometryUVInfo") != FBX_NONE ||
           fbx_child(file, geometry, "MaterialAssignation") != FBX_NONE ||
           fbx_child(file, geometry, "Normals") != FBX_NONE;
}

/* The counts decide the mapping of normals, and the version decides if they are equal. Files write the mapping of
 * materials. */
static int read_old_elements(struct fbx_surface *surface, const struct fbx_file *file, uint32_t geometry,
                             struct err *err)
{
    enum { VERSION_BY_POINT = 5000 };
    const uint32_t uv_info = fbx_child(file, geometry, "GeometryUVInfo");
    if (fbx_layer_element_read(&surface->normals, file, geometry, "Normals", NULL, 3, &surface->size, err) < 0 ||
        fbx_layer_element_read(&surface->materials, file, geometry, "Materials", NULL, 1, &surface->size, err) < 0)
        return err->code;
    if (file->version == VERSION_BY_POINT && surface->normals.value_count == surface->size.point_count)
        surface->normals.mapping = FBX_BY_CONTROL_POINT;
    const enum fbx_mapping materials = fbx_mapping_of(fbx_child_text(file, geometry, "MaterialAssignation"));
    if (materials != FBX_BY_NOTHING)
        surface->materials.mapping = materials;
    surface->uv_count = uv_info != FBX_NONE;
    return fbx_layer_element_read(&surface->uvs[0], file, uv_info, "TextureUV", "TextureUVVerticeIndex", 2,
                                  &surface->size, err);
}

/* Iterates over the layer elements of one name by number, and equal numbers in the file's order. `record` is FBX_NONE
 * before the first. */
struct element_cursor {
    uint32_t geometry;
    const char *name;
    uint32_t record;
    int64_t number;
};

static bool next_element(struct element_cursor *cursor, const struct fbx_file *file)
{
    uint32_t next = FBX_NONE;
    int64_t next_number = 0;
    for (uint32_t record = fbx_child(file, cursor->geometry, cursor->name); record != FBX_NONE;
         record = fbx_next(file, record, cursor->name)) {
        const int64_t number = fbx_integer(file, record, 0, 0);
        const bool is_passed = cursor->record != FBX_NONE &&
                               (number < cursor->number || (number == cursor->number && record <= cursor->record));
        if (is_passed || (next != FBX_NONE && number >= next_number))
            continue;
        next = record;
        next_number = number;
    }
    cursor->record = next;
    cursor->number = next_number;
    return next != FBX_NONE;
}

static int read_uvs(struct fbx_surface *surface, const struct fbx_file *file, uint32_t geometry, struct err *err)
{
    struct element_cursor cursor = {geometry, "LayerElementUV", FBX_NONE, 0};
    for (int tries = 0; tries < FBX_UV_SETS && next_element(&cursor, file); tries++) {
        struct fbx_layer_element *uvs = &surface->uvs[surface->uv_count];
        if (fbx_layer_element_read(uvs, file, cursor.record, "UV", "UVIndex", 2, &surface->size, err) < 0)
            return err->code;
        if (uvs->value_count > 0 && uvs->mapping != FBX_BY_NOTHING)
            surface->uv_count++;
        else
            fbx_layer_element_fini(uvs);
    }
    return 0;
}

/* Materials are numbers from 0 on: the values of their layer element are the indices themselves. */
struct element_kind {
    struct fbx_layer_element *element;
    const char *record, *values, *places;
    uint32_t width;
};

/* The first element with data counts, because exporters write some empty ones. */
static int read_element(const struct element_kind *kind, const struct fbx_surface *surface, const struct fbx_file *file,
                        uint32_t geometry, struct err *err)
{
    enum { TRIES_MAX = 8 };
    struct element_cursor cursor = {geometry, kind->record, FBX_NONE, 0};
    for (int tries = 0; tries < TRIES_MAX && next_element(&cursor, file); tries++) {
        if (fbx_layer_element_read(kind->element, file, cursor.record, kind->values, kind->places, kind->width,
                                   &surface->size, err) < 0)
            return err->code;
        if (kind->element->value_count > 0 && kind->element->mapping != FBX_BY_NOTHING)
            return 0;
        fbx_layer_element_fini(kind->element);
    }
    return 0;
}

static int read_elements(struct fbx_surface *surface, const struct fbx_file *file, uint32_t geometry, struct err *err)
{
    const struct element_kind KINDS[] = {
        {&surface->normals, "LayerElementNormal", "Normals", "NormalsIndex", 3},
        {&surface->tangents, "LayerElementTangent", "Tangents", "TangentsIndex", 3},
        {&surface->binormals, "LayerElementBinormal", "Binormals", "BinormalsIndex", 3},
        {&surface->colors, "LayerElementColor", "Colors", "ColorIndex", 4},
        {&surface->materials, "LayerElementMaterial", "Materials", NULL, 1},
        {&surface->smoothing, "LayerElementSmoothing", "Smoothing", NULL, 1},
    };
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (read_element(&KINDS[i], surface, file, geometry, err) < 0)
            return err->code;
    const uint32_t first = fbx_child(file, geometry, "LayerElementColor");
    surface->has_more_colors =
        first != FBX_NONE && fbx_next(file, first, "LayerElementColor") != FBX_NONE && surface->colors.value_count > 0;
    return read_uvs(surface, file, geometry, err);
}

int fbx_surface_read(struct fbx_surface *surface, const struct fbx_scene *scene, uint32_t object, struct err *err)
{
    *surface = (struct fbx_surface){0};
    const struct fbx_file *file = &scene->file;
    const uint32_t geometry = scene->objects[object].record;
    if (fbx_child(file, geometry, "Vertices") == FBX_NONE) /* polygons have no meaning without vertices */
        return 0;
    if (read_points(surface, scene, geometry, err) < 0 || read_polygons(surface, scene, geometry, err) < 0 ||
        read_edges(surface, scene, geometry, err) < 0)
        return err->code;
    return is_old(file, geometry) ? read_old_elements(surface, file, geometry, err)
                                  : read_elements(surface, file, geometry, err);
}

void fbx_surface_fini(struct fbx_surface *surface)
{
    free(surface->points);
    free(surface->corners);
    free(surface->starts);
    free(surface->edge_starts);
    fbx_layer_element_fini(&surface->normals);
    fbx_layer_element_fini(&surface->tangents);
    fbx_layer_element_fini(&surface->binormals);
    fbx_layer_element_fini(&surface->colors);
    fbx_layer_element_fini(&surface->materials);
    fbx_layer_element_fini(&surface->smoothing);
    for (uint32_t i = 0; i < FBX_UV_SETS; i++)
        fbx_layer_element_fini(&surface->uvs[i]);
    *surface = (struct fbx_surface){0};
}

const struct fbx_layer_element *fbx_surface_uvs(const struct fbx_surface *surface, struct fbx_span name, int place)
{
    for (uint32_t i = 0; name.size_bytes > 0 && i < surface->uv_count; i++)
        if (fbx_span_equal(surface->uvs[i].name, name))
            return &surface->uvs[i];
    return (uint32_t)place < surface->uv_count ? &surface->uvs[place] : NULL;
}
