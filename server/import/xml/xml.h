/* xml.h - an XML file as a tree of elements. Depth and number of elements are limited. One thread. */
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
    char *text;       /* NUL-terminated pieces */
    const char *key;  /* as in xml_form */
    uint32_t *by_key; /* [key_count] elements with that attribute, sorted by it, then by their order */
    uint32_t element_count, attribute_count, key_count;
    size_t text_size;
    size_t element_capacity, attribute_capacity, text_capacity;
};

/* What a reader wants of a file. */
struct xml_form {
    const char *key;    /* the attribute that names an element: "id" */
    bool has_text;      /* false: everything is in attributes */
    bool is_any_prefix; /* of tags: cut off whatever it is, and not only where the document's element has it too */
    /* Whether an element `tag` in the element `parent` (XML_NONE: of the document) is left out with all that is in it;
     * NULL: none is. */
    bool (*is_left_out)(const struct xml *xml, uint32_t parent, const char *tag);
};

/* Returns 0, ERR_BAD_MODEL (not well-formed, declares entities) or ERR_MODEL_LIMIT (too deep, too much), with the line;
 * on failure *xml is empty. */
int xml_parse(struct xml *xml, const struct xml_form *form, const uint8_t *bytes, size_t size_bytes, struct err *err);
void xml_fini(struct xml *xml);

/* --- questions about an element; one that is XML_NONE has no tag, no attributes and no children --- */

const char *xml_tag(const struct xml *xml, uint32_t element);
/* Whether a tag is one of these, with spaces between; the empty one is none. */
bool xml_is_one_of(const char *tag, const char *tags);
bool xml_is(const struct xml *xml, uint32_t element, const char *tags);
/* The attribute's value, or NULL. */
const char *xml_get(const struct xml *xml, uint32_t element, const char *attribute);
/* The line on which it starts. */
static inline uint32_t xml_line(const struct xml *xml, uint32_t element) { return xml->elements[element].line; }
/* Character data; "" where there is none. */
const char *xml_text(const struct xml *xml, uint32_t element);

/* The first child of element `parent` with one of these tags, the next one behind `child`, or XML_NONE. NULL: any. */
uint32_t xml_child(const struct xml *xml, uint32_t parent, const char *tags);
uint32_t xml_next(const struct xml *xml, uint32_t child, const char *tags);

/* The first place of xml->by_key, up to key_count, whose element has a key that is not below this one. */
uint32_t xml_key_place(const struct xml *xml, const char *key);
