#include "import/collada/collada_xml.h"

#include "import/source/source_path.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns the child of the document that contains the element or is it; XML_NONE for the document. */
static uint32_t library_of(const struct xml *xml, uint32_t element)
{
    while (element != XML_NONE && xml->elements[element].depth > 1)
        element = xml->elements[element].parent;
    return element == 0 ? XML_NONE : element;
}

static const char KEPT[] = "asset library_visual_scenes library_nodes library_animations library_animation_clips "
                           "library_cameras library_controllers library_materials library_effects library_geometries "
                           "library_images scene";

static bool is_left_out(const struct xml *xml, uint32_t parent, const char *tag)
{
    if (parent == XML_NONE)
        return false;
    if (xml->elements[parent].depth == 0)
        return !xml_is_one_of(tag, KEPT);
    return strcmp(tag, "extra") == 0 && !xml_is(xml, library_of(xml, parent), "library_effects library_materials");
}

int collada_xml_parse(struct xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    static const struct xml_form FORM = {.key = "id", .has_text = true, .is_left_out = is_left_out};
    return xml_parse(xml, &FORM, bytes, size_bytes, err);
}

/* Returns the position of the '#' in "name#id" or "./name#id", which white space may precede; 0 for any other text. The
 * name may have percent-escapes. */
static size_t own_name_size(const char *text, const char *name)
{
    const size_t space = strspn(text, " \t\r\n"), start = space + (strncmp(text + space, "./", 2) == 0 ? 2 : 0);
    const size_t size = strcspn(text + start, "#/\\ \t\r\n"), name_size = strlen(name);
    if (text[start + size] != '#' || size < name_size || size > 3 * name_size)
        return 0;
    char *path = mem_strndup(text + start, size);
    uint8_t *decoded = mem_alloc(size + 1);
    const bool is_own =
        percent_decode(path, decoded) == name_size && strncasecmp((char *)decoded, name, name_size) == 0;
    free(path);
    free(decoded);
    return is_own ? start + size : 0;
}

void collada_xml_drop_own_name(struct xml *xml, const char *name)
{
    for (uint32_t a = 0; a < xml->attribute_count && name[0] != '\0'; a++)
        if (strcmp(xml->text + xml->attributes[a].name, xml->key) != 0)
            xml->attributes[a].value += (uint32_t)own_name_size(xml->text + xml->attributes[a].value, name);
    for (uint32_t e = 0; e < xml->element_count && name[0] != '\0'; e++)
        if (xml_is(xml, e, "skeleton") && xml->elements[e].text != XML_NONE)
            xml->elements[e].text += (uint32_t)own_name_size(xml_text(xml, e), name);
}

uint32_t xml_find_id(const struct xml *xml, const char *id, const char *tag)
{
    const uint32_t first = xml_key_place(xml, id);
    if (first == xml->key_count || strcmp(xml_get(xml, xml->by_key[first], "id"), id) != 0)
        return XML_NONE;
    for (uint32_t i = first; tag != NULL && i < xml->key_count; i++) {
        if (i > first && strcmp(xml_get(xml, xml->by_key[i], "id"), id) != 0)
            break;
        if (xml_is(xml, xml->by_key[i], tag))
            return xml->by_key[i];
    }
    return xml->by_key[first];
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
    const char *url = xml_get(xml, element, attribute);
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
