#include "import/x3d/x3d_xml.h"

#include <string.h>
#include <strings.h>

int x3d_xml_parse(struct xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    static const struct xml_form FORM = {.key = "DEF",
                                         .is_any_prefix = true}; /* some exporters give every element one */
    return xml_parse(xml, &FORM, bytes, size_bytes, err);
}

bool x3d_get_bool(const struct xml *xml, uint32_t element, const char *attribute, bool fallback)
{
    const char *value = xml_get(xml, element, attribute);
    if (value == NULL)
        return fallback;
    return strcasecmp(value, "true") == 0 || (strcasecmp(value, "false") != 0 && fallback);
}

uint32_t x3d_child(const struct xml *xml, uint32_t parent, const char *tags)
{
    const uint32_t child = xml_child(xml, parent, tags);
    return child == XML_NONE ? XML_NONE : x3d_used(xml, child);
}

uint32_t x3d_field(const struct xml *xml, uint32_t parent, const char *tags, const char *field)
{
    for (uint32_t e = xml_child(xml, parent, tags); e != XML_NONE; e = xml_next(xml, e, tags)) {
        const char *own = xml_get(xml, e, "containerField");
        if (own == NULL || strcmp(own, field) == 0)
            return x3d_used(xml, e);
    }
    return XML_NONE;
}

uint32_t x3d_used(const struct xml *xml, uint32_t element)
{
    const char *name = xml_get(xml, element, "USE");
    if (name == NULL)
        return element;
    uint32_t low = 0, high = xml->key_count; /* the first element after `element` with this name */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(xml_get(xml, xml->by_key[middle], "DEF"), name);
        if (order < 0 || (order == 0 && xml->by_key[middle] < element))
            low = middle + 1;
        else
            high = middle;
    }
    const uint32_t found = low > 0 ? xml->by_key[low - 1] : XML_NONE;
    return found != XML_NONE && strcmp(xml_get(xml, found, "DEF"), name) == 0 && xml_get(xml, found, "USE") == NULL
               ? found
               : XML_NONE;
}
