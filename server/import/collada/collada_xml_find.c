/* collada_xml_find.c - questions about the elements of a file. */
#include "import/collada/collada_xml.h"

#include <string.h>

bool xml_is(const struct xml *xml, uint32_t element, const char *tag)
{
    return element != XML_NONE && strcmp(xml->text + xml->elements[element].tag, tag) == 0;
}

const char *xml_get(const struct xml *xml, uint32_t element, const char *attribute)
{
    const struct xml_element *from = &xml->elements[element];
    for (uint32_t i = 0; i < from->attribute_count; i++) {
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
static uint32_t seek(const struct xml *xml, uint32_t e, uint32_t end, const char *tag)
{
    while (e < end && tag != NULL && !xml_is(xml, e, tag))
        e = xml->elements[e].end;
    return e < end ? e : XML_NONE;
}

uint32_t xml_child(const struct xml *xml, uint32_t parent, const char *tag)
{
    return parent == XML_NONE ? XML_NONE : seek(xml, parent + 1, xml->elements[parent].end, tag);
}

uint32_t xml_next(const struct xml *xml, uint32_t child, const char *tag)
{
    const struct xml_element *element = &xml->elements[child];
    const uint32_t end = element->parent == XML_NONE ? element->end : xml->elements[element->parent].end;
    return seek(xml, element->end, end, tag);
}

uint32_t xml_find_id(const struct xml *xml, const char *id, const char *tag)
{
    uint32_t first = 0, end = xml->id_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (strcmp(xml_get(xml, xml->by_id[middle], "id"), id) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == xml->id_count || strcmp(xml_get(xml, xml->by_id[first], "id"), id) != 0)
        return XML_NONE;
    for (uint32_t i = first; tag != NULL && i < xml->id_count; i++) {
        if (i > first && strcmp(xml_get(xml, xml->by_id[i], "id"), id) != 0)
            break;
        if (xml_is(xml, xml->by_id[i], tag))
            return xml->by_id[i];
    }
    return xml->by_id[first];
}

uint32_t xml_find_sid(const struct xml *xml, uint32_t from, const char *tag, const char *sid)
{
    for (uint32_t e = from; e != XML_NONE && e < xml->elements[from].end; e++) {
        const char *own = xml_is(xml, e, tag) ? xml_get(xml, e, "sid") : NULL;
        if (own != NULL && strcmp(own, sid) == 0)
            return e;
    }
    return XML_NONE;
}

uint32_t xml_follow(const struct xml *xml, uint32_t element, const char *attribute, const char *tag)
{
    const char *url = element == XML_NONE ? NULL : xml_get(xml, element, attribute);
    return url == NULL || url[0] != '#' ? XML_NONE : xml_find_id(xml, url + 1, tag);
}

uint32_t xml_input(const struct xml *xml, uint32_t parent, const char *semantic)
{
    for (uint32_t e = xml_child(xml, parent, "input"); e != XML_NONE; e = xml_next(xml, e, "input")) {
        const char *own = xml_get(xml, e, "semantic");
        if (own != NULL && strcmp(own, semantic) == 0)
            return e;
    }
    return XML_NONE;
}
