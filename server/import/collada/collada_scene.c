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
        return err_set(builder->err, ERR_BAD_MODEL, "the <%s> on line %u does not have %d numbers", kind->tag,
                       xml_line(&collada->xml, element), count);
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

/* Adds a node, then its children, then the nodes that it instances, each with its subtree. */
static int add_node(struct builder *builder, uint32_t element, uint32_t parent, uint32_t depth)
{
    struct collada *collada = builder->collada;
    const struct xml *xml = &collada->xml;
    const uint64_t limit = builder->limits->value[LIMIT_NODES];
    if (depth > INSTANCE_DEPTH_MAX || collada->node_count >= limit)
        return err_set(builder->err, ERR_MODEL_LIMIT, "nodes are more than %s, or nested deeper than %d",
                       LIMIT_TEXT(builder->limits, LIMIT_NODES), INSTANCE_DEPTH_MAX);
    const uint32_t node = collada->node_count++;
    collada->nodes = mem_grow(collada->nodes, &builder->node_capacity, collada->node_count, sizeof *collada->nodes);
    collada->nodes[node] = (struct collada_node){.element = element, .parent = parent};
    int rc = add_steps(builder, node);
    for (uint32_t e = xml_child(xml, element, "node"); e != XML_NONE && rc == 0; e = xml_next(xml, e, "node"))
        rc = add_node(builder, e, node, depth + 1);
    for (uint32_t e = xml_child(xml, element, "instance_node"); e != XML_NONE && rc == 0;
         e = xml_next(xml, e, "instance_node")) {
        const uint32_t instanced = xml_follow(xml, e, "url", "node");
        if (xml_is(xml, instanced, "node"))
            rc = add_node(builder, instanced, node, depth + 1);
    }
    return rc;
}

/* Returns the visual scene that <scene> instances; without <scene> the file's first one, with a warning. */
static uint32_t shown_scene(const struct xml *xml, struct bake_builder *builder)
{
    const uint32_t scene = xml_child(xml, 0, "scene");
    const uint32_t shown = xml_follow(xml, xml_child(xml, scene, "instance_visual_scene"), "url", "visual_scene");
    if (xml_is(xml, shown, "visual_scene"))
        return shown;
    uint32_t first = XML_NONE;
    for (uint32_t l = xml_child(xml, 0, "library_visual_scenes"); l != XML_NONE && first == XML_NONE;
         l = xml_next(xml, l, "library_visual_scenes"))
        first = xml_child(xml, l, "visual_scene");
    if (first != XML_NONE)
        bake_warn(builder, "scene_assumed",
                  "<scene> shows no visual scene of the file: the first one, on line %u, is taken",
                  xml_line(xml, first));
    return first;
}

int collada_scene(struct collada *collada, const struct limits *limits, struct bake_builder *warnings, struct err *err)
{
    const struct xml *xml = &collada->xml;
    const uint32_t shown = shown_scene(xml, warnings);
    if (shown == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "the file has no <visual_scene>: it shows nothing");
    struct builder builder = {.collada = collada, .limits = limits, .err = err};
    return add_node(&builder, shown, XML_NONE, 0);
}
