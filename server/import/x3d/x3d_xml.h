/* x3d_xml.h - an X3D file as a tree of elements, and how they refer to others. X3D keeps everything in attributes. One
 * thread. */
#pragma once

#include "import/xml/xml.h"

/* xml_parse(). */
int x3d_xml_parse(struct xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err);

/* The attribute as a boolean. */
bool x3d_get_bool(const struct xml *xml, uint32_t element, const char *attribute, bool fallback);
/* The first child with one of these tags; one that only USEs another is that one. XML_NONE where there is none. */
uint32_t x3d_child(const struct xml *xml, uint32_t parent, const char *tags);
/* What the element stands for: itself, or the last element of its USE that is defined before it; XML_NONE where nothing
 * has that name. */
uint32_t x3d_used(const struct xml *xml, uint32_t element);
