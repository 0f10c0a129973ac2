/* fbx_layer_element.h - one attribute of a geometry's surface: normals, texture coordinates, materials, ...
 * Single-threaded.
 *
 * A layer element holds values. Its mapping and reference modes assign them to polygon corners (FBX SDK reference,
 * FbxLayerElement). Files before 6000 store the same data in other records; this reader gives both in one form. */
#pragma once

#include "import/fbx_file/fbx_scene.h"

enum fbx_mapping {
    FBX_BY_NOTHING, /* the element does not exist or its mapping is unknown */
    FBX_BY_CONTROL_POINT,
    FBX_BY_CORNER, /* "ByPolygonVertex" */
    FBX_BY_POLYGON,
    FBX_BY_EDGE,
    FBX_ALL_SAME,
};

struct fbx_layer_element {
    struct fbx_span name;
    enum fbx_mapping mapping;
    uint32_t width;  /* numbers per value */
    double *values;  /* [value_count * width], heap */
    int32_t *places; /* [place_count]: value indices, or NULL if values are in order; heap */
    uint32_t value_count, place_count;
};

/* The position on a surface for which a value is requested. */
struct fbx_place {
    uint32_t corner, control_point, polygon;
};

/* The sizes of a surface. They resolve a mapping that a file states ambiguously. */
struct fbx_surface_size {
    uint32_t corner_count, point_count, polygon_count;
};

/* Reads a record "LayerElementNormal" or one like it. The child `values` holds its values and the child `places` its
 * indices ("Normals", "NormalsIndex"). FBX_NONE gives an element without values. Returns 0, ERR_BAD_MODEL or
 * ERR_MODEL_LIMIT. The caller calls fbx_layer_element_fini() in any case. */
int fbx_layer_element_read(struct fbx_layer_element *element, const struct fbx_file *file, uint32_t record,
                           const char *values, const char *places, uint32_t width, const struct fbx_surface_size *size,
                           struct err *err);
/* The mapping with this name, or FBX_BY_NOTHING if the name is unknown. */
enum fbx_mapping fbx_mapping_of(struct fbx_span text);
void fbx_layer_element_fini(struct fbx_layer_element *element);

/* The `width` numbers of the value at `place`, or NULL if the element has none there. */
const double *fbx_layer_element_at(const struct fbx_layer_element *element, const struct fbx_place *place);
