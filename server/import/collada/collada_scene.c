/* collada_scene.c - the nodes of the visual scene and the elements of their transforms. */
#include "import/collada/collada.h"
#include "import/collada/collada_values.h"

#include "base/mem.h"

#include <string.h>

enum { INSTANCE_DEPTH_MAX = 1024 };

static const struct step_kind {
    const char *tag;
    enum collada_kind kind;
    int param_count;
} STEP_KINDS[] = {
    {"matrix", COLLADA_MATRIX, 16}, {"translate", COLLADA_TRANSLATE, 3}, {"rotate", COLLADA_ROTATE, 4},
    {"scale", COLLADA_SCALE, 3},    {"lookat", COLLADA_LOOKAT, 9},       {"skew", COLLADA_SKEW, 7},
};

static const struct step_kind *step_kind_of(const struct xml *xml, uint32_t element)
{
    for (size_t i = 0; i < sizeof STEP_KINDS / sizeof *STEP_KINDS; i++)
        if (xml_is(xml, element, STEP_KINDS[i].tag))
            return &STEP_KINDS[i];
    return NULL;
}

struct builder {
    struct collada *collada;
    const struct limits *limits;
    uint32_t node_capacity, step_capacity;
    struct err *err;
};

static int add_step(struct builder *builder, uint32_t element, const struct step_kind *kind)
{
    struct collada *collada = builder->collada;
    struct collada_step step = {.kind = kind->kind, .element = element};
    if (values_fixed(xml_text(&collada->xml, element), step.values, kind->param_count) != kind->param_count)
        return err_set(builder->err, ERR_BAD_MODEL, "a <%s> does not have %d numbers", kind->tag, kind->param_count);
    if (collada->step_count == builder->step_capacity) {
        builder->step_capacity = 2 * builder->step_capacity + 64;
        collada->steps = mem_realloc(collada->steps, builder->step_capacity * sizeof *collada->steps);
    }
    collada->steps[collada->step_count++] = step;
    return 0;
}

static int add_steps(struct builder *builder, uint32_t node)
{
    struct collada *collada = builder->collada;
    const uint32_t element = collada->nodes[node].element;
    collada->nodes[node].step_first = collada->step_count;
    for (uint32_t e = xml_child(&collada->xml, element, NULL); e != XML_NONE; e = xml_next(&collada->xml, e, NULL)) {
        const struct step_kind *kind = step_kind_of(&collada->xml, e);
        if (kind == NULL)
            continue;
        if (add_step(builder, e, kind) < 0)
            return builder->err->code;
        collada->nodes[node].step_count++;
    }
    return 0;
}

/* A node, the children it has, then those it instances, each with all below it. */
static int add_node(struct builder *builder, uint32_t element, uint32_t parent, uint32_t depth)
{
    struct collada *collada = builder->collada;
    const struct xml *xml = &collada->xml;
    const uint64_t limit = builder->limits->value[LIMIT_NODES];
    if (depth > INSTANCE_DEPTH_MAX || collada->node_count >= limit)
        return err_set(builder->err, ERR_MODEL_LIMIT, "nodes are more than %llu, or nested deeper than %d",
                       (unsigned long long)limit, INSTANCE_DEPTH_MAX);
    if (collada->node_count == builder->node_capacity) {
        builder->node_capacity = 2 * builder->node_capacity + 64;
        collada->nodes = mem_realloc(collada->nodes, builder->node_capacity * sizeof *collada->nodes);
    }
    const uint32_t node = collada->node_count++;
    collada->nodes[node] = (struct collada_node){.element = element, .parent = parent};
    int rc = add_steps(builder, node);
    for (uint32_t e = xml_child(xml, element, "node"); e != XML_NONE && rc == 0; e = xml_next(xml, e, "node"))
        rc = add_node(builder, e, node, depth + 1);
    for (uint32_t e = xml_child(xml, element, "instance_node"); e != XML_NONE && rc == 0;
         e = xml_next(xml, e, "instance_node")) {
        const uint32_t instanced = xml_follow(xml, e, "url");
        if (instanced != XML_NONE && xml_is(xml, instanced, "node"))
            rc = add_node(builder, instanced, node, depth + 1);
    }
    return rc;
}

int collada_scene(struct collada *collada, const struct limits *limits, struct err *err)
{
    const struct xml *xml = &collada->xml;
    const uint32_t scene = xml_child(xml, 0, "scene");
    const uint32_t instance = scene == XML_NONE ? XML_NONE : xml_child(xml, scene, "instance_visual_scene");
    const uint32_t shown = instance == XML_NONE ? XML_NONE : xml_follow(xml, instance, "url");
    if (shown == XML_NONE || !xml_is(xml, shown, "visual_scene"))
        return err_set(err, ERR_BAD_MODEL, "<scene> shows no visual scene of the file");
    struct builder builder = {.collada = collada, .limits = limits, .err = err};
    return add_node(&builder, shown, XML_NONE, 0);
}

/* Of the controller `element`, directly or through a skin of it, the <morph>. */
static uint32_t morph_of(const struct xml *xml, uint32_t element)
{
    if (element == XML_NONE || !xml_is(xml, element, "controller"))
        return XML_NONE;
    const uint32_t skin = xml_child(xml, element, "skin");
    if (skin == XML_NONE)
        return xml_child(xml, element, "morph");
    const uint32_t source = xml_follow(xml, skin, "source");
    return source == XML_NONE || !xml_is(xml, source, "controller") ? XML_NONE : xml_child(xml, source, "morph");
}

uint32_t collada_weights(const struct collada *collada, uint32_t n)
{
    const struct xml *xml = &collada->xml;
    const uint32_t element = collada->nodes[n].element;
    for (uint32_t e = xml_child(xml, element, "instance_controller"); e != XML_NONE;
         e = xml_next(xml, e, "instance_controller")) {
        const uint32_t morph = morph_of(xml, xml_follow(xml, e, "url"));
        const uint32_t targets = morph == XML_NONE ? XML_NONE : xml_child(xml, morph, "targets");
        for (uint32_t i = targets == XML_NONE ? XML_NONE : xml_child(xml, targets, "input"); i != XML_NONE;
             i = xml_next(xml, i, "input")) {
            const char *semantic = xml_get(xml, i, "semantic");
            if (semantic != NULL && strcmp(semantic, "MORPH_WEIGHT") == 0)
                return xml_follow(xml, i, "source");
        }
    }
    return XML_NONE;
}
