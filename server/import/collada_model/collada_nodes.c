/* collada_nodes.c - the asset and the nodes of the scene. */
#include "import/collada_model/collada_model.h"

#include "import/collada/transform_stack.h"
#include "import/text/document_facts.h"

#include "base/buf.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *collada_id(const struct xml *xml, uint32_t element)
{
    const char *id = element == XML_NONE ? NULL : xml_get(xml, element, "id");
    return id != NULL ? id : "";
}

/* --- <asset> --- */

/* COLLADA 1.4.1, <up_axis>: the forward direction for each up axis. */
static void set_up(struct model_info *info, const char *axis)
{
    static const struct {
        const char *axis;
        float up[3], forward[3];
    } ROWS[] = {
        {"X_UP", {1, 0, 0}, {0, 0, 1}},
        {"Z_UP", {0, 0, 1}, {0, -1, 0}},
        {"Y_UP", {0, 1, 0}, {0, 0, 1}},
    };
    size_t row = 2;
    axis += strspn(axis, " \t\r\n");
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (strncmp(axis, ROWS[i].axis, 4) == 0)
            row = i;
    memcpy(info->up, ROWS[row].up, sizeof info->up);
    memcpy(info->forward, ROWS[row].forward, sizeof info->forward);
}

/* Sets the unit and the axes of an <asset>. A missing element means the schema's default: Y up and metres. */
static void set_space(const struct xml *xml, uint32_t asset, struct model_info *info)
{
    const uint32_t axis = xml_child(xml, asset, "up_axis"), unit = xml_child(xml, asset, "unit");
    const char *meter = unit == XML_NONE ? NULL : xml_get(xml, unit, "meter");
    double value;
    set_up(info, axis == XML_NONE ? "" : xml_text(xml, axis));
    info->unit_m = 1;
    if (meter != NULL && values_fixed(meter, &value, 1) == 1 && value > 0 && isnormal((float)value))
        info->unit_m = (float)value;
}

/* An <asset> below the document may give its element another unit or axis (COLLADA 1.4.1, <asset>). */
static void warn_of_nested(const struct collada_model *model, uint32_t asset)
{
    const struct xml *xml = &model->collada.xml;
    const struct model_info *info = model->import->info;
    for (uint32_t e = 1; e < xml->element_count; e++) {
        struct model_info own;
        if (!xml_is(xml, e, "asset") || e == asset)
            continue;
        set_space(xml, e, &own);
        const bool has_unit = xml_child(xml, e, "unit") != XML_NONE && fabsf(own.unit_m - info->unit_m) > 0;
        if (!has_unit && (xml_child(xml, e, "up_axis") == XML_NONE || memcmp(own.up, info->up, sizeof own.up) == 0))
            continue;
        const uint32_t parent = xml->elements[e].parent;
        bake_warn(model->builder, "asset_ignored",
                  "the <%s> on line %u has another %s than the file: it is left out, and the file's is used",
                  xml_tag(xml, parent), xml_line(xml, parent), has_unit ? "unit" : "axis");
        return;
    }
}

/* Appends text as a JSON string (RFC 8259, 7). */
static void put_json_string(struct buf *out, const char *text)
{
    buf_put_char(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            buf_put_char(out, '\\');
        buf_put_char(out, (unsigned char)*text < ' ' ? ' ' : *text);
    }
    buf_put_char(out, '"');
}

int collada_read_copyright(struct collada_model *model, struct err *err)
{
    const struct xml *xml = &model->collada.xml;
    const uint32_t contributor = xml_child(xml, xml_child(xml, 0, "asset"), "contributor");
    const uint32_t element = xml_child(xml, contributor, "copyright");
    if (element == XML_NONE || xml_text(xml, element)[0] == '\0')
        return 0;
    struct buf json;
    buf_init(&json, 2 * strlen(xml_text(xml, element)) + 3);
    put_json_string(&json, xml_text(xml, element));
    const int rc = import_add_carried(model->import, CARRY_ASSET, 0, "copyright", json.data, json.size_bytes,
                                      "asset.contributor.copyright", err);
    buf_fini(&json);
    return rc;
}

static void add_fact(const struct xml *xml, uint32_t parent, const char *name, struct buf *facts)
{
    const uint32_t element = parent == XML_NONE ? XML_NONE : xml_child(xml, parent, name);
    if (element != XML_NONE)
        document_fact_add(facts, name, xml_text(xml, element), strlen(xml_text(xml, element)));
}

int collada_read_facts(struct collada_model *model, struct err *err)
{
    static const char *const OF_ASSET[] = {"title", "subject", "keywords", "revision"};
    static const char *const OF_CONTRIBUTOR[] = {"author", "author_email", "author_website", "comments", "source_data"};
    const struct xml *xml = &model->collada.xml;
    const uint32_t asset = xml_child(xml, 0, "asset");
    const uint32_t contributor = asset == XML_NONE ? XML_NONE : xml_child(xml, asset, "contributor");
    struct buf facts;
    buf_init(&facts, 0);
    for (size_t i = 0; i < sizeof OF_ASSET / sizeof *OF_ASSET; i++)
        add_fact(xml, asset, OF_ASSET[i], &facts);
    for (size_t i = 0; i < sizeof OF_CONTRIBUTOR / sizeof *OF_CONTRIBUTOR; i++)
        add_fact(xml, contributor, OF_CONTRIBUTOR[i], &facts);
    const int rc = document_facts_put(model->import, &facts, "asset", err);
    buf_fini(&facts);
    return rc;
}

void collada_read_asset(struct collada_model *model)
{
    const struct xml *xml = &model->collada.xml;
    struct model_info *info = model->import->info;
    const uint32_t asset = xml_child(xml, 0, "asset");
    const uint32_t tool = xml_child(xml, xml_child(xml, asset, "contributor"), "authoring_tool");
    set_space(xml, asset, info);
    warn_of_nested(model, asset);
    info->flags |= MODEL_HAS_UP | MODEL_HAS_UNIT;
    if (tool != XML_NONE && xml_text(xml, tool)[0] != '\0')
        info->generator = bake_textz(model->builder, xml_text(xml, tool));
}

/* --- nodes --- */

/* The node takes its name, else its id, else its sid. The scene node takes its id. */
static const char *name_of(const struct collada_model *model, uint32_t n)
{
    static const char *const ATTRIBUTES[] = {"name", "id", "sid"};
    const struct xml *xml = &model->collada.xml;
    const uint32_t element = model->collada.nodes[n].element;
    const char *id = xml_get(xml, element, "id");
    if (n == 0 && id != NULL && id[0] != '\0')
        return id;
    for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++) {
        const char *text = xml_get(xml, element, ATTRIBUTES[i]);
        if (text != NULL && text[0] != '\0')
            return text;
    }
    return NULL;
}

const char *collada_node_name(const struct collada_model *model, uint32_t n)
{
    const char *name = name_of(model, n);
    return name != NULL ? name : "";
}

int collada_set_transform(struct collada_model *model, struct node *node, const struct dmat4 *parent_from_node,
                          struct err *err)
{
    struct trs trs;
    const bool is_trs = trs_from_dmat4(parent_from_node, &trs);
    for (int i = 0; i < 3; i++) {
        node->translation[i] = (float)trs.translation[i];
        node->scale[i] = (float)trs.scale[i];
    }
    for (int i = 0; i < 4; i++)
        node->rotation[i] = (float)trs.rotation[i];
    if (is_trs)
        return 0;
    const struct mat4 matrix = mat4_from_dmat4(parent_from_node);
    node->matrix = (int32_t)model->builder->node_matrix_count;
    node->flags |= NODE_SHEAR;
    return import_put_node_matrix(model->import, &matrix, err);
}

static bool is_finite(const struct dmat4 *m)
{
    for (int i = 0; i < 16; i++)
        if (!isfinite((float)m->m[i]))
            return false;
    return true;
}

static int add_node(struct collada_model *model, uint32_t n, struct err *err)
{
    const uint32_t parent = model->collada.nodes[n].parent;
    struct node node = {.parent = parent == XML_NONE ? -1 : (int32_t)parent, .mesh = -1, .skin = -1, .matrix = -1};
    struct transform_stack stack;
    transform_stack_init(&stack, &model->collada, n, NULL);
    const struct dmat4 product = transform_stack_matrix(&stack, 0);
    transform_stack_fini(&stack);
    /* The product with the identity has no negative zeros, which some files contain. */
    const struct dmat4 rest = dmat4_mul(&DMAT4_IDENTITY, &product);
    if (!is_finite(&rest))
        return err_set(err, ERR_BAD_MODEL, "the transform of node '%s', line %u, is not finite",
                       collada_node_name(model, n), xml_line(&model->collada.xml, model->collada.nodes[n].element));
    model->parent_from_node[n] = rest;
    model->depths[n] = parent == XML_NONE ? 0 : model->depths[parent] + 1;
    node.name = bake_textz(model->builder, name_of(model, n));
    if (collada_set_transform(model, &node, &rest, err) < 0)
        return err->code;
    return import_put_node(model->import, &node, err);
}

static int by_element_and_order(const void *a, const void *b, void *user)
{
    const struct collada_node *nodes = user;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    if (nodes[i].element != nodes[k].element)
        return nodes[i].element < nodes[k].element ? -1 : 1;
    return (i > k) - (i < k);
}

int collada_read_nodes(struct collada_model *model, struct err *err)
{
    const uint32_t count = model->collada.node_count;
    model->parent_from_node = mem_alloc(count * sizeof *model->parent_from_node);
    model->depths = mem_alloc(count * sizeof *model->depths);
    model->by_element = mem_alloc(count * sizeof *model->by_element);
    for (uint32_t n = 0; n < count; n++) {
        model->by_element[n] = n;
        if (add_node(model, n, err) < 0)
            return err->code;
    }
    qsort_r(model->by_element, count, sizeof *model->by_element, by_element_and_order, model->collada.nodes);
    return import_put_root(model->import, &(uint32_t){0}, err);
}

/* Returns the depth of the nearest common ancestor; a node counts as its own ancestor. */
static uint32_t common_depth(const struct collada_model *model, uint32_t a, uint32_t b)
{
    while (a != b) {
        uint32_t *deeper = model->depths[a] >= model->depths[b] ? &a : &b;
        *deeper = model->collada.nodes[*deeper].parent;
    }
    return model->depths[a];
}

int64_t collada_node_of(const struct collada_model *model, uint32_t element, uint32_t near)
{
    const struct collada *collada = &model->collada;
    uint32_t first = 0, end = collada->node_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (collada->nodes[model->by_element[middle]].element < element)
            first = middle + 1;
        else
            end = middle;
    }
    int64_t best = -1;
    uint32_t best_depth = 0;
    for (uint32_t i = first; i < collada->node_count && collada->nodes[model->by_element[i]].element == element; i++) {
        const uint32_t depth = common_depth(model, model->by_element[i], near);
        if (best < 0 || depth > best_depth) {
            best = model->by_element[i];
            best_depth = depth;
        }
    }
    return best;
}

uint32_t collada_node_end(const struct collada_model *model, uint32_t n)
{
    uint32_t end = n + 1;
    while (end < model->collada.node_count && model->depths[end] > model->depths[n])
        end++;
    return end;
}
