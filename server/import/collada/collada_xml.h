/* collada_xml.h - the parts of a COLLADA file that are read, as a tree of elements, and how elements refer to others.
 *
 * Libraries that make no model, such as those of physics, are left out, and <extra> everywhere but in effects and
 * materials. One thread. */
#pragma once

#include "import/xml/xml.h"

/* xml_parse(). */
int collada_xml_parse(struct xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err);

/* The first element of this id and this tag; for want of it, or where tag is NULL, the first of this id: files use one
 * id for things of several kinds. XML_NONE when there is none. */
uint32_t xml_find_id(const struct xml *xml, const char *id, const char *tag);
/* The first element of this tag with an attribute `sid`, anywhere below `from`; XML_NONE when there is none. */
uint32_t xml_find_sid(const struct xml *xml, uint32_t from, const char *tag, const char *sid);
/* What attribute `attribute` of `element`, "#id", refers to, of this tag as xml_find_id() has it; XML_NONE when it does
 * not. */
uint32_t xml_follow(const struct xml *xml, uint32_t element, const char *attribute, const char *tag);
/* The first <input> of element `parent` with this semantic, or XML_NONE. */
uint32_t xml_input(const struct xml *xml, uint32_t parent, const char *semantic);
