/* xml.h - parses an XML file to a tree of elements. Depth and number of elements are limited. Single-threaded. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XML_NONE UINT32_MAX

struct xml_attribute {
    uint32_t name, value; /* offsets in xml->text */
};

/* Elements are in the file's order, so the descendants of element e are e + 1 .. end - 1. */
struct xml_element {
    uint32_t tag;  /* offset in xml->text, without a namespace prefix */
    uint32_t line; /* line in the file, from 1 */
    uint32_t parent, end, depth;
    uint32_t attribute_first, attribute_count;
    uint32_t text; /* offset in xml->text of the character data of an element without children, or XML_NONE */
};

struct xml {
    struct xml_element *elements; /* [0] is the document element */
    struct xml_attribute *attributes;
    char *text;       /* NUL-terminated strings */
    const char *key;  /* the key of xml_form */
    uint32_t *by_key; /* [key_count]: elements with the key attribute, sorted by its value, then in file order */
    uint32_t element_count, attribute_count, key_count;
    size_t text_size;
    size_t element_capacity, attribute_capacity, text_capacity;
};

/* A reader's options for a file. */
struct xml_form {
    const char *key;    /* the attribute that identifies an element: "id" */
    bool has_text;      /* false if all data is in attributes */
    bool is_any_prefix; /* true: remove any prefix from tags; false: remove it only if the document element has the same
                           one */
    /* Whether to leave out an element `tag` in the element `parent` (XML_NONE: the document) with all its content. NULL
     * leaves out none. */
    bool (*is_left_out)(const struct xml *xml, uint32_t parent, const char *tag);
};

/* Returns 0, ERR_BAD_MODEL (not well-formed, or declares entities) or ERR_MODEL_LIMIT (too deep or too large), and
 * names the line. On failure *xml is empty. */
int xml_parse(struct xml *xml, const struct xml_form *form, const uint8_t *bytes, size_t size_bytes, struct err *err);
void xml_fini(struct xml *xml);

/* --- queries about an element; XML_NONE has no tag, no attributes and no children --- */

const char *xml_tag(const struct xml *xml, uint32_t element);
/* Whether a tag is in a list separated by spaces; an empty tag never is. */
bool xml_is_one_of(const char *tag, const char *tags);
bool xml_is(const struct xml *xml, uint32_t element, const char *tags);
/* The attribute's value, or NULL. */
const char *xml_get(const struct xml *xml, uint32_t element, const char *attribute);
/* The line on which the element starts. */
static inline uint32_t xml_line(const struct xml *xml, uint32_t element) { return xml->elements[element].line; }
/* The character data, or "". */
const char *xml_text(const struct xml *xml, uint32_t element);

/* The first child of element `parent` with one of these tags, and the next such child after `child`, or XML_NONE.
 * `tags` NULL matches any tag. */
uint32_t xml_child(const struct xml *xml, uint32_t parent, const char *tags);
uint32_t xml_next(const struct xml *xml, uint32_t child, const char *tags);

/* The first position in xml->by_key whose element has a key that is not less than `key`, or key_count. */
uint32_t xml_key_place(const struct xml *xml, const char *key);
