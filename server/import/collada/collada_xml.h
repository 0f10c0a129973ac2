/* collada_xml.h - parses a COLLADA file into a tree of elements and resolves references between them.
 *
 * The tree omits libraries without model content, such as physics, and every <extra> outside effects and materials. One
 * thread. */
#pragma once

#include "import/xml/xml.h"

/* xml_parse(). */
int collada_xml_parse(struct xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err);

/* Shortens references that begin with the file's own name, "name#id", to "#id". */
void collada_xml_drop_own_name(struct xml *xml, const char *name);

/* Returns the first element with this id and tag. Without one, or if tag is NULL, it returns the first element with
 * this id, because files use one id for elements of several kinds. XML_NONE: no element has the id. */
uint32_t xml_find_id(const struct xml *xml, const char *id, const char *tag);
/* Returns the first element below `from`, at any depth, with this tag and sid, or XML_NONE. */
uint32_t xml_find_sid(const struct xml *xml, uint32_t from, const char *tag, const char *sid);
/* Returns the element to which attribute `attribute` ("#id") of `element` refers, looked up like xml_find_id(), or
 * XML_NONE. */
uint32_t xml_follow(const struct xml *xml, uint32_t element, const char *attribute, const char *tag);
/* Returns the first <input> of element `parent` with this semantic, or XML_NONE. */
uint32_t xml_input(const struct xml *xml, uint32_t parent, const char *semantic);
