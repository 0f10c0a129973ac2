#include "import/fbx_surface/fbx_layer_element.h"

#include <stdlib.h>

enum fbx_mapping fbx_mapping_of(struct fbx_span text)
{
    static const struct {
        const char *text;
        enum fbx_mapping mapping;
    } MAPPINGS[] = {
        {"ByVertice", FBX_BY_CONTROL_POINT},
        {"ByVertex", FBX_BY_CONTROL_POINT},
        {"ByControlPoint", FBX_BY_CONTROL_POINT},
        {"ByPolygonVertex", FBX_BY_CORNER},
        {"ByPolygon", FBX_BY_POLYGON},
        {"ByEdge", FBX_BY_EDGE},
        {"AllSame", FBX_ALL_SAME},
    };
    for (size_t i = 0; i < sizeof MAPPINGS / sizeof *MAPPINGS; i++)
        if (fbx_span_is(text, MAPPINGS[i].text))
            return MAPPINGS[i].mapping;
    return FBX_BY_NOTHING;
}

/* Files of version 5000 write "ByPolygon" for values per corner, and earlier files write nothing. The count decides in
 * both cases. */
static enum fbx_mapping settle(enum fbx_mapping mapping, uint32_t count, const struct fbx_surface_size *size)
{
    if (mapping == FBX_BY_POLYGON && count == size->corner_count && count != size->polygon_count)
        return FBX_BY_CORNER;
    if (mapping != FBX_BY_NOTHING)
        return mapping;
    return count == size->corner_count    ? FBX_BY_CORNER
           : count == size->point_count   ? FBX_BY_CONTROL_POINT
           : count == size->polygon_count ? FBX_BY_POLYGON
           : count == 1                   ? FBX_ALL_SAME
                                          : FBX_BY_NOTHING;
}

int fbx_layer_element_read(struct fbx_layer_element *element, const struct fbx_file *file, uint32_t record,
                           const char *values, const char *places, uint32_t width, const struct fbx_surface_size *size,
                           struct err *err)
{
    *element = (struct fbx_layer_element){.name = fbx_child_text(file, record, "Name"), .width = width};
    if (record == FBX_NONE)
        return 0;
    uint32_t number_count = 0;
    if (fbx_doubles(file, fbx_child(file, record, values), &element->values, &number_count, err) < 0)
        return err->code;
    element->value_count = number_count / width;
    /* "Direct" means that any indices in the file are ignored. */
    const struct fbx_span reference = fbx_child_text(file, record, "ReferenceInformationType");
    if (places != NULL && !fbx_span_is(reference, "Direct") &&
        fbx_int32s(file, fbx_child(file, record, places), &element->places, &element->place_count, err) < 0)
        return err->code;
    const uint32_t count = element->places != NULL ? element->place_count : element->value_count;
    element->mapping = settle(fbx_mapping_of(fbx_child_text(file, record, "MappingInformationType")), count, size);
    return 0;
}

void fbx_layer_element_fini(struct fbx_layer_element *element)
{
    free(element->values);
    free(element->places);
    *element = (struct fbx_layer_element){0};
}

const double *fbx_layer_element_at(const struct fbx_layer_element *element, const struct fbx_place *place)
{
    uint32_t at = 0;
    switch (element->mapping) {
    case FBX_BY_CONTROL_POINT:
        at = place->control_point;
        break;
    case FBX_BY_CORNER:
        at = place->corner;
        break;
    case FBX_BY_POLYGON:
        at = place->polygon;
        break;
    case FBX_ALL_SAME:
        break;
    case FBX_BY_EDGE:
    case FBX_BY_NOTHING:
        return NULL;
    }
    if (element->places != NULL) {
        /* A negative index means that there is no value. */
        if (at >= element->place_count || element->places[at] < 0)
            return NULL;
        at = (uint32_t)element->places[at];
    }
    return at < element->value_count ? element->values + (size_t)at * element->width : NULL;
}
