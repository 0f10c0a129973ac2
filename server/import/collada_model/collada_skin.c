/* collada_skin.c - finds the nodes of a skin's joints and their inverse bind matrices. */
#include "import/collada_model/collada_model.h"

#include "base/hash.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- names to nodes --- */

struct joint_search {
    const struct collada_model *model;
    uint32_t near;   /* the node of the instance */
    uint32_t *roots; /* [root_count]: nodes that <skeleton> elements name */
    uint32_t root_count;
};

/* Returns the first node at the least depth in first .. end - 1 whose attribute is this text, or -1. */
static int64_t find_in(const struct collada_model *model, uint32_t first, uint32_t end, const char *attribute,
                       const char *text)
{
    int64_t best = -1;
    for (uint32_t n = first; n < end; n++) {
        const char *own = xml_get(&model->collada.xml, model->collada.nodes[n].element, attribute);
        if (own != NULL && strcmp(own, text) == 0 && (best < 0 || model->depths[n] < model->depths[best]))
            best = n;
    }
    return best;
}

/* COLLADA 1.4.1, <skeleton>: joints are found by sid below the skeletons' roots, in the order of the roots. The last
 * sid of a path counts (1.5.0, <SIDREF_array>). As a fallback, joints are found by id, by name, and anywhere in the
 * scene. */
static int64_t find_joint(const struct joint_search *search, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    static const char *const ATTRIBUTES[] = {"sid", "id", "name"};
    const struct collada_model *model = search->model;
    int64_t found = -1;
    for (size_t a = 0; a < sizeof ATTRIBUTES / sizeof *ATTRIBUTES && found < 0; a++)
        for (uint32_t r = 0; r < search->root_count && found < 0; r++)
            found = find_in(model, search->roots[r], collada_node_end(model, search->roots[r]), ATTRIBUTES[a], name);
    for (size_t a = 0; a < sizeof ATTRIBUTES / sizeof *ATTRIBUTES && found < 0; a++)
        found = find_in(model, 1, model->collada.node_count, ATTRIBUTES[a], name);
    return found;
}

static int64_t find_by_id(const struct joint_search *search, const char *id)
{
    const uint32_t element = xml_find_id(&search->model->collada.xml, id[0] == '#' ? id + 1 : id, "node");
    const int64_t node = element == XML_NONE ? -1 : collada_node_of(search->model, element, search->near);
    return node >= 0 ? node : find_joint(search, id);
}

static void find_roots(struct joint_search *search, uint32_t instance)
{
    const struct xml *xml = &search->model->collada.xml;
    for (uint32_t e = xml_child(xml, instance, "skeleton"); e != XML_NONE; e = xml_next(xml, e, "skeleton")) {
        const char *url = xml_text(xml, e);
        url += strspn(url, " \t\r\n#");
        char *id = mem_strndup(url, strcspn(url, " \t\r\n"));
        const uint32_t element = xml_find_id(xml, id, "node");
        const int64_t node = element == XML_NONE ? -1 : collada_node_of(search->model, element, search->near);
        free(id);
        if (node < 0)
            continue;
        search->roots = mem_realloc(search->roots, (search->root_count + 1) * sizeof *search->roots);
        search->roots[search->root_count++] = (uint32_t)node;
    }
}

/* --- the joints of the file --- */

struct joint_reader {
    struct collada_model *model;
    struct joint_search search;
    uint32_t controller; /* element, for messages */
    bool is_by_id;       /* the names are ids */
    int64_t *nodes;      /* [count], -1: none */
    uint32_t count;
    size_t capacity;
};

static void take_joint(void *user, uint32_t index, const char *name, size_t size)
{
    struct joint_reader *reader = user;
    char *text = mem_strndup(name, size);
    const int64_t node = reader->is_by_id ? find_by_id(&reader->search, text) : find_joint(&reader->search, text);
    (void)index;
    reader->nodes = mem_grow(reader->nodes, &reader->capacity, reader->count + 1, sizeof *reader->nodes);
    reader->nodes[reader->count++] = node;
    if (node < 0)
        bake_warn(reader->model->builder, "bone_without_node", "no node is called '%s' like a joint of controller '%s'",
                  text, collada_id(&reader->model->collada.xml, reader->controller));
    free(text);
}

/* Sixteen numbers, row after row. */
static struct dmat4 matrix_of(const double *v)
{
    struct dmat4 m;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            m.m[4 * c + r] = v[4 * r + c];
    return m;
}

/* Fills rows of 16 with the inverse bind matrices. */
static int read_binds(const struct xml *xml, uint32_t joints, uint32_t count, struct value_rows *rows, struct err *err)
{
    const uint32_t input = xml_input(xml, joints, "INV_BIND_MATRIX");
    if (input == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "its <joints> have no INV_BIND_MATRIX");
    if (columns_read(xml, input, "source", rows, err) < 0)
        return err->code;
    const uint64_t numbers = (uint64_t)rows->count * rows->width;
    if (numbers < 16 * (uint64_t)count || (rows->width != 16 && rows->width != 1))
        return err_set(err, ERR_BAD_MODEL, "it has %u joints and inverse bind matrices for %llu", count,
                       (unsigned long long)(numbers / 16));
    return 0;
}

static int read_bind_shape(const struct xml *xml, uint32_t skin, struct dmat4 *out, struct err *err)
{
    double values[16];
    const uint32_t element = xml_child(xml, skin, "bind_shape_matrix");
    *out = DMAT4_IDENTITY;
    if (element == XML_NONE)
        return 0;
    if (values_fixed(xml_text(xml, element), values, 16) != 16)
        return err_set(err, ERR_BAD_MODEL, "its <bind_shape_matrix> does not have 16 numbers");
    *out = matrix_of(values);
    return 0;
}

/* --- the builder's skin --- */

/* Returns the builder's skin with the same joints and matrices, or -1. */
static int32_t find_same(const struct collada_model *model, const struct joint *joints, uint32_t count, uint64_t hash)
{
    const struct bake_builder *builder = model->builder;
    for (uint32_t s = 0; s < model->skin_count; s++)
        if (model->skin_hashes[s] == hash && builder->skins[s].joint_count == count &&
            memcmp(builder->joints + builder->skins[s].joint_first, joints, count * sizeof *joints) == 0)
            return (int32_t)s;
    return -1;
}

static int put_skin(struct collada_model *model, const struct joint *joints, uint32_t count, int32_t *out,
                    struct err *err)
{
    struct bake_builder *builder = model->builder;
    const uint64_t hash = hash64(HASH64_SEED, joints, count * sizeof *joints);
    *out = find_same(model, joints, count, hash);
    if (*out >= 0)
        return 0;
    if (import_check_limit(model->import, LIMIT_JOINTS, builder->joint_count, count, "a skin", err) < 0)
        return err->code;
    const struct skin skin = {
        .name = {.offset = STR_NONE}, .joint_first = builder->joint_count, .joint_count = count, .mesh_node = -1};
    struct joint *to = bake_add_joint(builder, count);
    if (to == NULL)
        return import_full(model->import, err);
    memcpy(to, joints, count * sizeof *joints);
    model->skin_hashes = mem_realloc(model->skin_hashes, (model->skin_count + 1) * sizeof *model->skin_hashes);
    model->skin_hashes[model->skin_count] = hash;
    *out = (int32_t)model->skin_count++;
    return import_put_skin(model->import, &skin, err);
}

/* joint_from_bind is inverse bind matrix * bind shape matrix (COLLADA 1.4.1, chapter 4, "Skinning in COLLADA"). For a
 * vertex that follows the bind shape itself it is the bind shape matrix alone. */
static int make_skin(struct joint_reader *reader, const struct value_rows *binds, const struct dmat4 *shape,
                     bool has_shape_joint, struct collada_skin *out, struct err *err)
{
    struct joint *joints = mem_zalloc((size_t)reader->count + 1, sizeof *joints);
    uint32_t count = 0;
    int rc = 0;
    out->joints = mem_alloc(((size_t)reader->count + 1) * sizeof *out->joints);
    out->joint_count = reader->count;
    out->is_whole = true;
    for (uint32_t j = 0; j < reader->count && rc == 0; j++) {
        const struct dmat4 bind = matrix_of(binds->values + 16 * (size_t)j), product = dmat4_mul(&bind, shape);
        out->joints[j] = reader->nodes[j] < 0 ? -1 : (int32_t)count;
        out->is_whole &= reader->nodes[j] >= 0;
        if (reader->nodes[j] < 0)
            continue;
        joints[count].joint_from_bind = mat4_from_dmat4(&product);
        joints[count].node = (uint32_t)reader->nodes[j];
        if (!floats_are_finite(joints[count].joint_from_bind.m, 16))
            rc = err_set(err, ERR_BAD_MODEL, "joint %u has an inverse bind matrix that is not finite", j);
        count++;
    }
    out->shape_joint = count;
    if (has_shape_joint) {
        joints[count].joint_from_bind = mat4_from_dmat4(shape);
        joints[count++].node = 0; /* the scene */
        if (!floats_are_finite(joints[count - 1].joint_from_bind.m, 16))
            rc = err_set(err, ERR_BAD_MODEL, "its <bind_shape_matrix> is not finite");
    }
    if (rc == 0 && count > 0)
        rc = put_skin(reader->model, joints, count, &out->skin, err);
    free(joints);
    return rc;
}

static int read_skin(struct joint_reader *reader, uint32_t skin, struct collada_skin *out, struct err *err)
{
    const struct xml *xml = &reader->model->collada.xml;
    const uint32_t joints = xml_child(xml, skin, "joints"), input = xml_input(xml, joints, "JOINT");
    struct value_rows binds = {0};
    struct dmat4 shape;
    if (input == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "its <joints> have no JOINT");
    reader->is_by_id = xml_child(xml, xml_follow(xml, input, "source", "source"), "IDREF_array") != XML_NONE;
    if (names_read(xml, input, "source", take_joint, reader, err) < 0 || read_bind_shape(xml, skin, &shape, err) < 0)
        return err->code;
    int rc = read_binds(xml, joints, reader->count, &binds, err);
    if (rc == 0)
        rc = make_skin(reader, &binds, &shape, collada_has_shape_joint(xml, skin), out, err);
    rows_fini(&binds);
    return rc;
}

int collada_skin_read(struct collada_model *model, uint32_t instance, uint32_t n, uint32_t skin,
                      struct collada_skin *out, struct err *err)
{
    const struct xml *xml = &model->collada.xml;
    struct joint_reader reader = {
        .model = model, .search = {.model = model, .near = n}, .controller = xml->elements[skin].parent};
    *out = (struct collada_skin){.skin = -1};
    find_roots(&reader.search, instance);
    const int rc = read_skin(&reader, skin, out, err);
    free(reader.search.roots);
    free(reader.nodes);
    if (rc < 0)
        return err_prefix(err, "controller '%s', line %u", collada_id(xml, reader.controller), xml_line(xml, skin));
    return 0;
}

void collada_skin_fini(struct collada_skin *skin)
{
    free(skin->joints);
    *skin = (struct collada_skin){.skin = -1};
}
