/* collada_controller.c - follows an instance through its controllers to a mesh, and reads the targets of a morph. */
#include "import/collada_mesh/collada_mesh.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CHAIN_MAX = 8 };

static const char *id_of(const struct xml *xml, uint32_t element)
{
    const char *id = element == XML_NONE ? NULL : xml_get(xml, element, "id");
    return id != NULL ? id : "";
}

/* Adds one controller to *shape and returns its source, or XML_NONE with *err set. */
static uint32_t take(const struct xml *xml, uint32_t controller, struct collada_shape *shape,
                     struct bake_builder *builder, struct err *err)
{
    const uint32_t skin = xml_child(xml, controller, "skin"), morph = xml_child(xml, controller, "morph");
    const uint32_t own = skin != XML_NONE ? skin : morph;
    uint32_t *place = skin != XML_NONE ? &shape->skin : &shape->morph;
    if (own == XML_NONE || *place != XML_NONE) {
        err_set(err, ERR_BAD_MODEL, "controller '%s', line %u, %s", id_of(xml, controller), xml_line(xml, controller),
                own == XML_NONE    ? "has neither <skin> nor <morph>"
                : skin != XML_NONE ? "is a skin of a skin, which is not read"
                                   : "is a morph of a morph, which is not read");
        return XML_NONE;
    }
    if (own == skin && shape->morph != XML_NONE)
        bake_warn(builder, "morph_before_skin",
                  "controller '%s', line %u, is a skin that a morph deforms: the morph is applied before the skin",
                  id_of(xml, controller), xml_line(xml, controller));
    *place = own;
    const uint32_t source = xml_follow(xml, own, "source", "geometry");
    const char *url = xml_get(xml, own, "source");
    if (source == XML_NONE)
        err_set(err, ERR_BAD_MODEL, "controller '%s', line %u, deforms '%s', which is not in the file",
                id_of(xml, controller), xml_line(xml, controller), url != NULL ? url : "");
    return source;
}

int collada_shape_find(const struct xml *xml, uint32_t element, struct collada_shape *shape,
                       struct bake_builder *builder, struct err *err)
{
    *shape = (struct collada_shape){XML_NONE, XML_NONE, XML_NONE};
    for (int i = 0; i < CHAIN_MAX && xml_is(xml, element, "controller"); i++) {
        element = take(xml, element, shape, builder, err);
        if (element == XML_NONE)
            return err->code;
    }
    if (!xml_is(xml, element, "geometry"))
        return err_set(err, ERR_BAD_MODEL, "line %u: '%s' is no geometry", xml_line(xml, element), id_of(xml, element));
    shape->geometry = element;
    return 0;
}

/* --- morphs --- */

struct target_list {
    const struct xml *xml;
    struct collada_morph *morph;
    size_t capacity;
};

static void take_target(void *user, uint32_t index, const char *name, size_t size)
{
    struct target_list *list = user;
    struct collada_morph *morph = list->morph;
    (void)index;
    char *id = mem_strndup(name, size);
    const uint32_t found = xml_find_id(list->xml, id[0] == '#' ? id + 1 : id, "geometry");
    free(id);
    morph->geometries = mem_grow(morph->geometries, &list->capacity, morph->count + 1, sizeof *morph->geometries);
    morph->geometries[morph->count++] = xml_is(list->xml, found, "geometry") ? found : XML_NONE;
}

static int read_weights(struct collada_morph *morph, const struct xml *xml, uint32_t input, struct err *err)
{
    struct value_rows rows;
    if (columns_read(xml, input, "source", &rows, err) < 0)
        return err->code;
    morph->weight_source = xml_follow(xml, input, "source", "source");
    for (uint32_t i = 0; i < morph->count && i < rows.count; i++)
        morph->weights[i] = rows.values[(size_t)i * rows.width];
    rows_fini(&rows);
    return 0;
}

static int read_morph(struct collada_morph *morph, const struct xml *xml, uint32_t element, const struct limits *limits,
                      struct err *err)
{
    const uint32_t targets = xml_child(xml, element, "targets");
    const uint32_t of = xml_input(xml, targets, "MORPH_TARGET"), by = xml_input(xml, targets, "MORPH_WEIGHT");
    struct target_list list = {xml, morph, 0};
    const char *method = xml_get(xml, element, "method");
    morph->is_relative = method != NULL && strcmp(method, "RELATIVE") == 0;
    if (of == XML_NONE || by == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "it has no %s", of == XML_NONE ? "MORPH_TARGET" : "MORPH_WEIGHT");
    if (names_read(xml, of, "source", take_target, &list, err) < 0)
        return err->code;
    if (morph->count > limits->value[LIMIT_WEIGHTS])
        return err_set(err, ERR_MODEL_LIMIT, "it has %u targets, more than %s", morph->count,
                       LIMIT_TEXT(limits, LIMIT_WEIGHTS));
    morph->weights = mem_zalloc((size_t)morph->count + 1, sizeof *morph->weights);
    return read_weights(morph, xml, by, err);
}

int collada_morph_read(struct collada_morph *morph, const struct xml *xml, uint32_t element,
                       const struct limits *limits, struct err *err)
{
    *morph = (struct collada_morph){.weight_source = XML_NONE};
    if (read_morph(morph, xml, element, limits, err) < 0)
        return err_prefix(err, "the <morph> on line %u", xml_line(xml, element));
    return 0;
}

void collada_morph_fini(struct collada_morph *morph)
{
    free(morph->geometries);
    free(morph->weights);
    *morph = (struct collada_morph){.weight_source = XML_NONE};
}
