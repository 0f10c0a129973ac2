/* x3d_xml.h - parses an X3D file into a tree of elements and resolves references. X3D keeps all values in attributes.
 * One thread. */
#pragma once

#include "import/xml/xml.h"

/* xml_parse(). */
int x3d_xml_parse(struct xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err);

/* Returns the attribute as a boolean. */
bool x3d_get_bool(const struct xml *xml, uint32_t element, const char *attribute, bool fallback);
/* Returns the first child with one of these tags, with USE resolved, or XML_NONE. */
uint32_t x3d_child(const struct xml *xml, uint32_t parent, const char *tags);
/* The same among children of a field: their containerField is `field`, or they have none. */
uint32_t x3d_field(const struct xml *xml, uint32_t parent, const char *tags, const char *field);
/* Resolves USE: returns the element itself, or the last DEF of its USE name before it; XML_NONE if no element has that
 * name. */
uint32_t x3d_used(const struct xml *xml, uint32_t element);
