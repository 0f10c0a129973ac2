/* x3d_xml.h - an X3D file as a tree of elements, by expat. X3D keeps everything in attributes, so text is left out.
 *
 * The file is hostile: no entity may be declared, nothing outside the file is ever opened, depth and number of elements
 * are limited. One thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X3D_NONE UINT32_MAX

/* Elements stand in the file's order, so those below element e are e + 1 .. end - 1. */
struct x3d_element {
    size_t tag; /* into xml->text */
    uint32_t parent, end, line;
    uint32_t attribute_first, attribute_count;
};

struct x3d_attribute {
    size_t name, value; /* into xml->text */
};

struct x3d_xml {
    struct x3d_element *elements; /* [0] is the document's element */
    struct x3d_attribute *attributes;
    char *text;     /* NUL-terminated pieces */
    uint32_t *defs; /* [def_count]: elements with a DEF, sorted by it, then by their order */
    uint32_t element_count, attribute_count, def_count;
    size_t element_capacity, attribute_capacity, text_capacity, text_size;
};

/* Returns 0, ERR_BAD_MODEL (not well-formed, declares entities) or ERR_MODEL_LIMIT; messages name the line. `xml` is
 * zeroes before; x3d_xml_fini() frees it in any case. */
int x3d_xml_parse(struct x3d_xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err);
void x3d_xml_fini(struct x3d_xml *xml);

/* --- questions about an element; one that is X3D_NONE has no tag, no children and no attributes --- */

const char *x3d_tag(const struct x3d_xml *xml, uint32_t element);
/* Whether its tag is one of these, with spaces between. */
bool x3d_is(const struct x3d_xml *xml, uint32_t element, const char *tags);
/* The attribute's value, or NULL. */
const char *x3d_get(const struct x3d_xml *xml, uint32_t element, const char *attribute);
/* The attribute as a boolean. */
bool x3d_get_bool(const struct x3d_xml *xml, uint32_t element, const char *attribute, bool fallback);

/* The first child, the next sibling, or X3D_NONE. */
uint32_t x3d_first(const struct x3d_xml *xml, uint32_t parent);
uint32_t x3d_next(const struct x3d_xml *xml, uint32_t child);
/* The first child with one of these tags; one that only USEs another is that one. X3D_NONE where there is none. */
uint32_t x3d_child(const struct x3d_xml *xml, uint32_t parent, const char *tags);
/* What the element stands for: itself, or the last element of its USE that is defined before it; X3D_NONE where nothing
 * has that name. */
uint32_t x3d_used(const struct x3d_xml *xml, uint32_t element);
