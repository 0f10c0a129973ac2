/* fbx_layer_element.h - one attribute of a geometry's surface: normals, texture coordinates, materials, ... One thread.
 *
 * A layer element gives values and, by its mapping and reference modes, says which of them a corner of a polygon has
 * (FBX SDK reference, FbxLayerElement). Files before 6000 keep the same in other records; both arrive here alike. */
#pragma once

#include "import/fbx_file/fbx_scene.h"

enum fbx_mapping {
    FBX_BY_NOTHING, /* there is no such element, or its mapping is unknown */
    FBX_BY_CONTROL_POINT,
    FBX_BY_CORNER, /* "ByPolygonVertex" */
    FBX_BY_POLYGON,
    FBX_BY_EDGE,
    FBX_ALL_SAME,
};

struct fbx_layer_element {
    struct fbx_span name;
    enum fbx_mapping mapping;
    uint32_t width;  /* numbers of a value */
    double *values;  /* [value_count * width], heap */
    int32_t *places; /* [place_count]: which value, or NULL: values in order; heap */
    uint32_t value_count, place_count;
};

/* Where in a surface a value is asked for. */
struct fbx_place {
    uint32_t corner, control_point, polygon;
};

/* How many of each there are: they tell what a mapping means that a file gives loosely. */
struct fbx_surface_size {
    uint32_t corner_count, point_count, polygon_count;
};

/* Reads a record "LayerElementNormal" and its like: its values are in the child `values`, its indices in `places`
 * ("Normals", "NormalsIndex"). Returns 0, ERR_BAD_MODEL or ERR_MODEL_LIMIT; fbx_layer_element_fini() is needed and safe
 * in any case. FBX_NONE gives an element without values. */
int fbx_layer_element_read(struct fbx_layer_element *element, const struct fbx_file *file, uint32_t record,
                           const char *values, const char *places, uint32_t width, const struct fbx_surface_size *size,
                           struct err *err);
/* The mapping of this name, FBX_BY_NOTHING: it is unknown. */
enum fbx_mapping fbx_mapping_of(struct fbx_span text);
void fbx_layer_element_fini(struct fbx_layer_element *element);

/* The value's `width` numbers, or NULL where the surface has none there. */
const double *fbx_layer_element_at(const struct fbx_layer_element *element, const struct fbx_place *place);
