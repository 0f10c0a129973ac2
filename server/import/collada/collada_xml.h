/* collada_xml.h - the parts of a COLLADA file that are read, as a tree of elements. By expat.
 *
 * The file is hostile: no entity may be declared, nothing outside the file is ever opened, depth and number of
 * elements are limited. Libraries that make no model, such as those of physics, are left out, and <extra> everywhere
 * but in effects and materials. One thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XML_NONE UINT32_MAX

struct xml_attribute {
    uint32_t name, value; /* into xml->text */
};

/* Elements stand in the file's order, so those below element e are e + 1 .. end - 1. */
struct xml_element {
    uint32_t tag;  /* into xml->text, without a namespace's prefix */
    uint32_t line; /* of the file, from 1 */
    uint32_t parent, end, depth;
    uint32_t attribute_first, attribute_count;
    uint32_t text; /* character data of an element without children, into xml->text, or XML_NONE */
};

struct xml {
    struct xml_element *elements; /* [0] is the document's element */
    struct xml_attribute *attributes;
    char *text;      /* NUL-terminated pieces */
    uint32_t *by_id; /* [id_count] elements with an id, sorted by it, then by their order */
    uint32_t element_count, attribute_count, id_count;
    size_t text_size;
    size_t element_capacity, attribute_capacity, text_capacity;
};

/* Returns 0, ERR_BAD_MODEL (not well-formed, declares entities) or ERR_MODEL_LIMIT (too deep, too much); on failure
 * *xml is empty. */
int xml_parse(struct xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err);
void xml_fini(struct xml *xml);

/* --- questions about an element; one that is XML_NONE has no tag, no children and refers to nothing --- */

/* Whether the element has this tag. */
bool xml_is(const struct xml *xml, uint32_t element, const char *tag);
/* The attribute's value, or NULL. */
const char *xml_get(const struct xml *xml, uint32_t element, const char *attribute);
/* The line on which it starts. */
static inline uint32_t xml_line(const struct xml *xml, uint32_t element) { return xml->elements[element].line; }
/* Character data; "" where there is none. */
const char *xml_text(const struct xml *xml, uint32_t element);

/* The first child of element `parent` with this tag, the next one behind `child`, or XML_NONE. tag NULL: any. */
uint32_t xml_child(const struct xml *xml, uint32_t parent, const char *tag);
uint32_t xml_next(const struct xml *xml, uint32_t child, const char *tag);

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
