/* collada_bind.c - finds the material of a geometry's part in one instance, and the texture coordinates of its
 * textures. */
#include "import/collada_model/collada_primitive.h"

#include "base/sort.h"
#include <stdlib.h>
#include <string.h>

static int32_t material_of(const struct collada_model *model, uint32_t element)
{
    const uint32_t first = LOWER_BOUND(model->materials, model->material_count, element, element);
    return first < model->material_count && model->materials[first].element == element ? (int32_t)first : -1;
}

/* Returns the <instance_material> for a symbol; else the first one, because some files have one with the wrong
 * symbol. */
static uint32_t find_instance_material(const struct xml *xml, uint32_t instance, const char *symbol)
{
    const uint32_t common = xml_child(xml, xml_child(xml, instance, "bind_material"), "technique_common");
    for (uint32_t e = xml_child(xml, common, "instance_material"); e != XML_NONE;
         e = xml_next(xml, e, "instance_material")) {
        const char *own = xml_get(xml, e, "symbol");
        if (own != NULL && symbol != NULL && strcmp(own, symbol) == 0)
            return e;
    }
    return xml_child(xml, common, "instance_material");
}

static bool has_set(const struct xml *xml, uint32_t primitive, uint32_t set)
{
    for (uint32_t e = xml_child(xml, primitive, "input"); e != XML_NONE; e = xml_next(xml, e, "input")) {
        const char *semantic = xml_get(xml, e, "semantic"), *own = xml_get(xml, e, "set");
        if (semantic != NULL && strcmp(semantic, "TEXCOORD") == 0 && strtoul(own != NULL ? own : "0", NULL, 10) == set)
            return true;
    }
    return false;
}

/* Returns the primitive element's set for a texture's coordinate name: from <bind_vertex_input>, else the number in the
 * name ("CHANNEL1"), else the first set. */
static uint32_t set_of(const struct xml *xml, uint32_t instance_material, uint32_t primitive, const char *texcoord)
{
    for (uint32_t e = xml_child(xml, instance_material, "bind_vertex_input"); e != XML_NONE;
         e = xml_next(xml, e, "bind_vertex_input")) {
        const char *semantic = xml_get(xml, e, "semantic"), *set = xml_get(xml, e, "input_set");
        if (semantic == NULL || strcmp(semantic, texcoord) != 0)
            continue;
        const unsigned long number = strtoul(set != NULL ? set : "0", NULL, 10);
        return number < SET_NONE && has_set(xml, primitive, (uint32_t)number) ? (uint32_t)number : SET_FIRST;
    }
    const char *digits = texcoord;
    while (*digits != '\0' && (*digits < '0' || *digits > '9'))
        digits++;
    const unsigned long number = strtoul(digits, NULL, 10);
    return *digits != '\0' && number < SET_NONE && has_set(xml, primitive, (uint32_t)number) ? (uint32_t)number
                                                                                             : SET_FIRST;
}

struct collada_binding collada_bind(const struct collada_model *model, uint32_t instance, uint32_t primitive)
{
    const struct xml *xml = &model->collada.xml;
    const char *symbol = xml_get(xml, primitive, "material");
    const uint32_t bound = find_instance_material(xml, instance, symbol);
    uint32_t element = xml_follow(xml, bound, "target", "material");
    if (bound == XML_NONE && symbol != NULL) /* it may be the material's id */
        element = xml_find_id(xml, symbol, "material");
    struct collada_binding binding = {.material = element == XML_NONE ? -1 : material_of(model, element),
                                      .sets = {SET_FIRST, SET_NONE}};
    for (int place = 0; place < 2 && binding.material >= 0; place++) {
        const char *texcoord = model->materials[binding.material].texcoords[place];
        if (texcoord != NULL)
            binding.sets[place] = set_of(xml, bound, primitive, texcoord);
    }
    return binding;
}
