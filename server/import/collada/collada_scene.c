/* collada_scene.c - the nodes of the visual scene and the elements of their transforms. */
#include "import/collada/collada.h"

#include "base/mem.h"

enum { INSTANCE_DEPTH_MAX = 1024 };

const struct step_kind *step_kind_of(const struct xml *xml, uint32_t element)
{
    static const struct step_kind STEP_KINDS[] = {
        {"matrix", COLLADA_MATRIX, 16}, {"translate", COLLADA_TRANSLATE, 3}, {"rotate", COLLADA_ROTATE, 4},
        {"scale", COLLADA_SCALE, 3},    {"lookat", COLLADA_LOOKAT, 9},       {"skew", COLLADA_SKEW, 7},
    };
    for (size_t i = 0; i < sizeof STEP_KINDS / sizeof *STEP_KINDS; i++)
        if (xml_is(xml, element, STEP_KINDS[i].tag))
            return &STEP_KINDS[i];
    return NULL;
}

struct builder {
    struct collada *collada;
    const struct limits *limits;
    size_t node_capacity, step_capacity;
    struct err *err;
};

static int add_step(struct builder *builder, uint32_t element, const struct step_kind *kind)
{
    struct collada *collada = builder->collada;
    struct collada_step step = {.kind = kind->kind, .element = element};
    const int count = (int)kind->value_count;
    if (values_fixed(xml_text(&collada->xml, element), step.values, count) != count)
        return err_set(builder->err, ERR_BAD_MODEL, "a <%s> does not have %d numbers", kind->tag, count);
    collada->steps = mem_grow(collada->steps, &builder->step_capacity, collada->step_count + 1, sizeof step);
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
    const uint32_t node = collada->node_count++;
    collada->nodes = mem_grow(collada->nodes, &builder->node_capacity, collada->node_count, sizeof *collada->nodes);
    collada->nodes[node] = (struct collada_node){.element = element, .parent = parent};
    int rc = add_steps(builder, node);
    for (uint32_t e = xml_child(xml, element, "node"); e != XML_NONE && rc == 0; e = xml_next(xml, e, "node"))
        rc = add_node(builder, e, node, depth + 1);
    for (uint32_t e = xml_child(xml, element, "instance_node"); e != XML_NONE && rc == 0;
         e = xml_next(xml, e, "instance_node")) {
        const uint32_t instanced = xml_follow(xml, e, "url");
        if (xml_is(xml, instanced, "node"))
            rc = add_node(builder, instanced, node, depth + 1);
    }
    return rc;
}

int collada_scene(struct collada *collada, const struct limits *limits, struct err *err)
{
    const struct xml *xml = &collada->xml;
    const uint32_t scene = xml_child(xml, 0, "scene");
    const uint32_t shown = xml_follow(xml, xml_child(xml, scene, "instance_visual_scene"), "url");
    if (!xml_is(xml, shown, "visual_scene"))
        return err_set(err, ERR_BAD_MODEL, "<scene> shows no visual scene of the file");
    struct builder builder = {.collada = collada, .limits = limits, .err = err};
    return add_node(&builder, shown, XML_NONE, 0);
}

/* Of the controller `element`, directly or through a skin of it, the <morph>. */
static uint32_t morph_of(const struct xml *xml, uint32_t element)
{
    if (!xml_is(xml, element, "controller"))
        return XML_NONE;
    const uint32_t skin = xml_child(xml, element, "skin");
    if (skin == XML_NONE)
        return xml_child(xml, element, "morph");
    const uint32_t source = xml_follow(xml, skin, "source");
    return xml_is(xml, source, "controller") ? xml_child(xml, source, "morph") : XML_NONE;
}

uint32_t collada_weights(const struct collada *collada, uint32_t n)
{
    const struct xml *xml = &collada->xml;
    const uint32_t element = collada->nodes[n].element;
    for (uint32_t e = xml_child(xml, element, "instance_controller"); e != XML_NONE;
         e = xml_next(xml, e, "instance_controller")) {
        const uint32_t morph = morph_of(xml, xml_follow(xml, e, "url"));
        const uint32_t weights = xml_input(xml, xml_child(xml, morph, "targets"), "MORPH_WEIGHT");
        if (weights != XML_NONE)
            return xml_follow(xml, weights, "source");
    }
    return XML_NONE;
}
