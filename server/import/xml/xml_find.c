/* xml_find.c - queries about the elements of a file. */
#include "import/xml/xml.h"

#include <string.h>

const char *xml_tag(const struct xml *xml, uint32_t element)
{
    return element == XML_NONE ? "" : xml->text + xml->elements[element].tag;
}

bool xml_is_one_of(const char *tag, const char *tags)
{
    const size_t length = strlen(tag);
    for (const char *at = tags; length > 0 && at != NULL; at = strchr(at, ' ')) {
        at += strspn(at, " ");
        if (strncmp(at, tag, length) == 0 && (at[length] == '\0' || at[length] == ' '))
            return true;
    }
    return false;
}

bool xml_is(const struct xml *xml, uint32_t element, const char *tags)
{
    return xml_is_one_of(xml_tag(xml, element), tags);
}

const char *xml_get(const struct xml *xml, uint32_t element, const char *attribute)
{
    const struct xml_element *from = element == XML_NONE ? NULL : &xml->elements[element];
    for (uint32_t i = 0; from != NULL && i < from->attribute_count; i++) {
        const struct xml_attribute *entry = &xml->attributes[from->attribute_first + i];
        if (strcmp(xml->text + entry->name, attribute) == 0)
            return xml->text + entry->value;
    }
    return NULL;
}

const char *xml_text(const struct xml *xml, uint32_t element)
{
    const uint32_t text = xml->elements[element].text;
    return text == XML_NONE ? "" : xml->text + text;
}

/* From element `e` on, siblings up to `end`. */
static uint32_t seek(const struct xml *xml, uint32_t e, uint32_t end, const char *tags)
{
    while (e < end && tags != NULL && !xml_is(xml, e, tags))
        e = xml->elements[e].end;
    return e < end ? e : XML_NONE;
}

uint32_t xml_child(const struct xml *xml, uint32_t parent, const char *tags)
{
    return parent == XML_NONE ? XML_NONE : seek(xml, parent + 1, xml->elements[parent].end, tags);
}

uint32_t xml_next(const struct xml *xml, uint32_t child, const char *tags)
{
    const struct xml_element *element = &xml->elements[child];
    const uint32_t end = element->parent == XML_NONE ? element->end : xml->elements[element->parent].end;
    return seek(xml, element->end, end, tags);
}

uint32_t xml_key_place(const struct xml *xml, const char *key)
{
    uint32_t first = 0, end = xml->key_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (strcmp(xml_get(xml, xml->by_key[middle], xml->key), key) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}
