/* threemf_reader.h - the state of reading one model part, shared by its elements. */
#pragma once

#include "import/threemf/threemf.h"

/* The open element. */
enum threemf_context {
    IN_DOCUMENT,
    IN_MODEL,
    IN_METADATA,
    IN_RESOURCES,
    IN_OBJECT,
    IN_MESH,
    IN_VERTICES,
    IN_TRIANGLES,
    IN_COMPONENTS,
    IN_BUILD,
    IN_GROUP,
    IN_LEAF, /* its content is not read */
};

enum {
    PREFIXES_MAX = 64,
    PREFIX_BYTES = 32,
    NAMESPACE_BYTES = 160,
    FACT_NAME_BYTES = 64,
    FACT_BYTES = 1024,
    CONTEXTS_MAX = 16
};

struct threemf_reader {
    struct threemf *threemf;
    uint32_t part;
    struct err *err;
    enum threemf_context contexts[CONTEXTS_MAX]; /* [depth] is the innermost */
    unsigned depth;
    struct {
        char prefix[PREFIX_BYTES], name[NAMESPACE_BYTES];
    } prefixes[PREFIXES_MAX]; /* of the model element */
    uint32_t prefix_count;
    char fact_name[FACT_NAME_BYTES]; /* of the open metadata element */
    char fact[FACT_BYTES];
    size_t fact_bytes;
    struct buf facts; /* document_fact_add() */
};

/* Return the last object or group. */
static inline struct threemf_object *threemf_last_object(const struct threemf_reader *reader)
{
    return &reader->threemf->objects[reader->threemf->object_count - 1];
}
static inline struct threemf_group *threemf_last_group(const struct threemf_reader *reader)
{
    return &reader->threemf->groups[reader->threemf->group_count - 1];
}

/* Handles the start of an element. Returns 0 (entered), 1 (left out) or an error. */
typedef int threemf_start(struct threemf_reader *reader, const struct threemf_element *element);

/* threemf_extensions.c: refuses a part that requires an unknown extension. */
int threemf_check_extensions(struct threemf_reader *reader, const struct threemf_element *element);

/* threemf_object.c */
threemf_start threemf_start_object, threemf_start_vertex, threemf_start_triangle, threemf_start_component,
    threemf_start_item;

/* threemf_group.c */
threemf_start threemf_start_bases, threemf_start_colors, threemf_start_texture, threemf_start_texcoords,
    threemf_start_composites, threemf_start_multi, threemf_start_metallic, threemf_start_specular,
    threemf_start_display;
/* Adds a property of the open group. */
threemf_start threemf_start_property;

/* Adds a resource with the element's id; `index` is its place in the array of its kind. */
int threemf_add_resource(struct threemf_reader *reader, const struct threemf_element *element, enum threemf_kind kind,
                         uint32_t index, uint32_t *id);
/* Refuses the element if `have` items already reach `limit`. */
int threemf_check_limit(const struct threemf_reader *reader, const struct threemf_element *element, enum limit limit,
                        uint64_t have);
