/* collada_instance.c - adds instances of geometries and controllers to nodes, with materials for their parts.
 *
 * A node of the model shows one mesh with one skin. The geometries of a file's node form one mesh, and each controller
 * forms its own. Further meshes go to unnamed child nodes, which follow all other nodes, so that the file's nodes keep
 * their indices. Instances of the same geometry with the same materials share a mesh. */
#include "import/collada_model/collada_primitive.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/vertex_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mesh of the builder and its sources. */
struct made_mesh {
    uint32_t *key; /* [key_count]; heap */
    size_t key_count;
    uint32_t mesh;
    uint32_t weight_first, weight_count; /* rest weights of the first node that shows it */
    uint32_t weight_source;
    bool has_node; /* a node owns them; the next node gets a copy */
};

struct instance_reader {
    struct collada_model *model;
    struct made_mesh *made;
    uint32_t made_count;
    size_t made_capacity, key_capacity;
    uint32_t *key; /* the key of the lookup */
    size_t key_count;
    struct vertex_set by_key; /* of made meshes */
    uint32_t instance_count, failed_count;
    char first_failure[ERR_MESSAGE_SIZE];
};

/* --- which mesh it is --- */

/* Returns the <geometry> or <controller> that an instance names. */
static uint32_t shown_by(const struct xml *xml, uint32_t instance)
{
    return xml_follow(xml, instance, "url", xml_is(xml, instance, "instance_controller") ? "controller" : "geometry");
}

static void put_key(struct instance_reader *reader, uint32_t word)
{
    reader->key = mem_grow(reader->key, &reader->key_capacity, reader->key_count + 1, sizeof *reader->key);
    reader->key[reader->key_count++] = word;
}

/* Adds an instance's shape and materials to the key. */
static void key_instance(struct instance_reader *reader, uint32_t instance, uint32_t target, uint32_t geometry)
{
    const struct xml *xml = &reader->model->collada.xml;
    put_key(reader, target);
    for (uint32_t e = collada_first_primitive(xml, geometry); e != XML_NONE; e = collada_next_primitive(xml, e)) {
        const struct collada_binding binding = collada_bind(reader->model, instance, e);
        put_key(reader, (uint32_t)binding.material);
        put_key(reader, binding.sets[0]);
        put_key(reader, binding.sets[1]);
    }
}

/* Returns the mesh with this key, or NULL; then *slot is its place in the hash table. */
static struct made_mesh *find_made(struct instance_reader *reader, uint32_t **slot)
{
    if (2 * (size_t)reader->made_count + 2 >
        reader->by_key.mask) { /* grows the table and rehashes the present meshes */
        free(reader->by_key.slots);
        vertex_set_init(&reader->by_key, 4 * ((size_t)reader->made_count + 16));
        for (uint32_t m = 0; m < reader->made_count; m++) {
            const struct made_mesh *made = &reader->made[m];
            uint32_t *at =
                vertex_set_first(&reader->by_key, hash64(HASH64_SEED, made->key, made->key_count * sizeof *made->key));
            while (*at != VERTEX_NONE)
                at = vertex_set_next(&reader->by_key, at);
            *at = m;
        }
    }
    *slot =
        vertex_set_first(&reader->by_key, hash64(HASH64_SEED, reader->key, reader->key_count * sizeof *reader->key));
    for (; **slot != VERTEX_NONE; *slot = vertex_set_next(&reader->by_key, *slot)) {
        struct made_mesh *made = &reader->made[**slot];
        if (made->key_count == reader->key_count &&
            memcmp(made->key, reader->key, reader->key_count * sizeof *reader->key) == 0)
            return made;
    }
    return NULL;
}

/* --- one mesh --- */

static int read_targets(struct collada_mesh_reader *reader, uint32_t morph, struct err *err)
{
    struct collada_model *model = reader->model;
    const struct xml *xml = &model->collada.xml;
    if (collada_morph_read(&reader->morph, xml, morph, model->import->limits, err) < 0)
        return err->code;
    reader->targets = mem_zalloc((size_t)reader->morph.count + 1, sizeof *reader->targets);
    for (uint32_t t = 0; t < reader->morph.count; t++) {
        struct collada_morph_target *target = &reader->targets[t];
        const uint32_t geometry = reader->morph.geometries[t];
        if (geometry != XML_NONE &&
            collada_mesh_read(&target->mesh, xml, geometry, model->import->limits, model->builder, err) < 0)
            return err->code;
        target->is_usable = geometry != XML_NONE && target->mesh.point_count == reader->geometry.point_count;
        if (!target->is_usable)
            bake_warn(model->builder, "morph_target_ignored",
                      "the <morph> on line %u: target %u, '%s', is no mesh of as many vertices as its base",
                      xml_line(xml, morph), t, collada_id(xml, geometry));
    }
    return 0;
}

static int read_shape(struct collada_mesh_reader *reader, const struct collada_shape *shape,
                      const struct collada_skin *skin, struct err *err)
{
    struct collada_model *model = reader->model;
    const struct xml *xml = &model->collada.xml;
    if (collada_mesh_read(&reader->geometry, xml, shape->geometry, model->import->limits, model->builder, err) < 0)
        return err->code;
    reader->first_points =
        mesh_first_points((const double(*)[3])reader->geometry.points, reader->geometry.point_count, NULL);
    reader->may_weld = skin->skin < 0 && shape->morph == XML_NONE;
    reader->made_normals = collada_make_normals(&reader->geometry, reader->first_points, !reader->may_weld);
    if (skin->skin >= 0 &&
        collada_weights_read(&reader->influences, xml, shape->skin, skin->joints, skin->joint_count, skin->shape_joint,
                             reader->geometry.point_count, model->builder, err) < 0)
        return err->code;
    snprintf(reader->where, sizeof reader->where, "geometry '%s'", collada_id(xml, shape->geometry));
    reader->writer = (struct mesh_writer){.import = model->import,
                                          .where = reader->where,
                                          .points = (const double(*)[3])reader->geometry.points,
                                          .influences = skin->skin >= 0 ? &reader->influences : NULL};
    return shape->morph != XML_NONE ? read_targets(reader, shape->morph, err) : 0;
}

static void reader_fini(struct collada_mesh_reader *reader)
{
    for (uint32_t t = 0; t < reader->morph.count && reader->targets != NULL; t++)
        collada_mesh_fini(&reader->targets[t].mesh);
    free(reader->targets);
    for (uint32_t p = 0; p < reader->geometry.part_count && reader->made_normals != NULL; p++)
        free(reader->made_normals[p]);
    free(reader->made_normals);
    free(reader->first_points);
    mesh_writer_fini(&reader->writer);
    collada_morph_fini(&reader->morph);
    influences_fini(&reader->influences);
    collada_mesh_fini(&reader->geometry);
}

/* Adds the rest weights of the mesh's targets to the builder. */
static int put_weights(struct collada_mesh_reader *reader, struct made_mesh *made, struct err *err)
{
    struct collada_model *model = reader->model;
    const struct collada_morph *morph = &reader->morph;
    made->weight_first = model->builder->weight_count;
    made->weight_count = morph->count;
    made->weight_source = morph->weight_source;
    if (import_check_limit(model->import, LIMIT_WEIGHTS, made->weight_first, morph->count, "a morph", err) < 0)
        return err->code;
    float *weights = bake_add_weight(model->builder, morph->count);
    if (weights == NULL)
        return import_full(model->import, err);
    for (uint32_t t = 0; t < morph->count; t++)
        weights[t] = morph->weights[t] >= -1e6 && morph->weights[t] <= 1e6 ? (float)morph->weights[t] : 0;
    return 0;
}

/* Adds the parts of one instance to the current mesh. */
static int add_parts(struct collada_model *model, uint32_t mesh, uint32_t instance, const struct collada_shape *shape,
                     const struct collada_skin *skin, struct made_mesh *made, struct err *err)
{
    struct collada_mesh_reader reader = {.model = model, .mesh = mesh, .morph = {.weight_source = XML_NONE}};
    const struct xml *xml = &model->collada.xml;
    const uint32_t before = model->builder->primitive_count;
    int rc = read_shape(&reader, shape, skin, err);
    for (uint32_t p = 0; p < reader.geometry.part_count && rc == 0; p++) {
        const struct collada_binding binding = collada_bind(model, instance, reader.geometry.parts[p].element);
        rc = collada_add_primitive(&reader, p, &binding, err);
    }
    if (rc == 0 && model->builder->primitive_count == before && xml_child(xml, shape->geometry, "mesh") != XML_NONE)
        bake_warn(model->builder, "geometry_not_read", "geometry '%s', line %u, has neither faces nor lines",
                  collada_id(xml, shape->geometry), xml_line(xml, shape->geometry));
    if (rc == 0 && shape->morph != XML_NONE)
        rc = put_weights(&reader, made, err);
    reader_fini(&reader);
    return rc;
}

/* --- nodes --- */

/* Instances that share a mesh: all geometries of a node, or one controller. */
struct group {
    uint32_t *instances; /* [count] */
    struct collada_shape *shapes;
    uint32_t count;
    struct collada_skin skin;
};

static int make_mesh(struct instance_reader *reader, const struct group *group, struct made_mesh *made, struct err *err)
{
    struct collada_model *model = reader->model;
    struct bake_builder *builder = model->builder;
    const struct xml *xml = &model->collada.xml;
    const struct mesh mesh = {.name = bake_textz(builder, collada_id(xml, group->shapes[0].geometry)),
                              .primitive_first = builder->primitive_count};
    made->mesh = builder->mesh_count;
    made->weight_source = XML_NONE;
    if (import_put_mesh(model->import, &mesh, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < group->count; i++)
        if (add_parts(model, made->mesh, group->instances[i], &group->shapes[i], &group->skin, made, err) < 0)
            return err->code;
    builder->meshes[made->mesh].primitive_count = builder->primitive_count - mesh.primitive_first;
    return 0;
}

/* Returns the mesh of a group, which it makes if it is new; NULL on failure. */
static struct made_mesh *mesh_of(struct instance_reader *reader, const struct group *group, struct err *err)
{
    const struct xml *xml = &reader->model->collada.xml;
    uint32_t *slot;
    reader->key_count = 0;
    /* weights refer to the file's joints, which equal the skin's if all of them have nodes */
    put_key(reader, group->skin.skin < 0 ? 0 : group->skin.is_whole ? 1 : 2 + (uint32_t)group->skin.skin);
    for (uint32_t i = 0; i < group->count; i++)
        key_instance(reader, group->instances[i], shown_by(xml, group->instances[i]), group->shapes[i].geometry);
    struct made_mesh *found = find_made(reader, &slot);
    if (found != NULL)
        return found;
    struct made_mesh made = {.key_count = reader->key_count};
    if (make_mesh(reader, group, &made, err) < 0)
        return NULL;
    made.key = mem_alloc(reader->key_count * sizeof *made.key);
    memcpy(made.key, reader->key, reader->key_count * sizeof *made.key);
    reader->made = mem_grow(reader->made, &reader->made_capacity, (size_t)reader->made_count + 1, sizeof made);
    reader->made[reader->made_count] = made;
    *slot = reader->made_count;
    return &reader->made[reader->made_count++];
}

/* Each node has rest weights of its own. */
static int put_copy(struct collada_model *model, const struct made_mesh *made, struct err *err)
{
    struct bake_builder *builder = model->builder;
    if (import_check_limit(model->import, LIMIT_WEIGHTS, builder->weight_count, made->weight_count, "a morph", err) < 0)
        return err->code;
    float *weights = bake_add_weight(builder, made->weight_count);
    if (weights == NULL)
        return import_full(model->import, err);
    memcpy(weights, builder->weights + made->weight_first, made->weight_count * sizeof *weights);
    return 0;
}

static int give_weights(struct collada_model *model, uint32_t n, struct made_mesh *made, struct err *err)
{
    struct node *node = &model->builder->nodes[n];
    node->weight_first = made->has_node ? model->builder->weight_count : made->weight_first;
    node->weight_count = made->weight_count;
    if (made->weight_count == 0)
        return 0;
    if (made->has_node && put_copy(model, made, err) < 0)
        return err->code;
    made->has_node = true;
    model->morphed = mem_realloc(model->morphed, (model->morphed_count + 1) * sizeof *model->morphed);
    model->morphed[model->morphed_count++] = (struct morphed_node){n, made->weight_source};
    return 0;
}

static int show(struct instance_reader *reader, const struct group *group, uint32_t n, struct err *err)
{
    struct collada_model *model = reader->model;
    struct bake_builder *builder = model->builder;
    struct made_mesh *made = mesh_of(reader, group, err);
    if (made == NULL)
        return err->code;
    uint32_t place = n;
    if (builder->nodes[n].mesh >= 0) {
        struct node added = {.name = {.offset = STR_NONE}, .parent = (int32_t)n, .skin = -1, .matrix = -1};
        place = builder->node_count;
        if (import_check_limit(model->import, LIMIT_NODES, place, 1, "an instance", err) < 0 ||
            collada_set_transform(model, &added, &DMAT4_IDENTITY, err) < 0 ||
            import_put_node(model->import, &added, err) < 0)
            return err->code;
    }
    builder->nodes[place].mesh = (int32_t)made->mesh;
    builder->nodes[place].skin = group->skin.skin;
    return give_weights(model, place, made, err);
}

/* --- instances --- */

/* Whether the geometry of a skin is gone. Exporters of skeletons and motion alone leave it out. */
static bool is_bare_skin(const struct xml *xml, const struct collada_shape *shape)
{
    const uint32_t base = shape->morph != XML_NONE ? shape->morph : shape->skin;
    return shape->skin != XML_NONE && xml_follow(xml, base, "source", "geometry") == XML_NONE;
}

/* Finds the shape of an instance; false with a warning if the file lacks it. */
static bool find_shape(struct instance_reader *reader, uint32_t instance, struct collada_shape *shape)
{
    struct collada_model *model = reader->model;
    const struct xml *xml = &model->collada.xml;
    const uint32_t target = shown_by(xml, instance);
    const char *url = xml_get(xml, instance, "url");
    struct err err = {0};
    int rc = 0;
    *shape = (struct collada_shape){XML_NONE, XML_NONE, XML_NONE};
    reader->instance_count++;
    if (target == XML_NONE)
        rc = err_set(&err, ERR_BAD_MODEL, "the <%s> on line %u names '%s', which is not in the file",
                     xml->text + xml->elements[instance].tag, xml_line(xml, instance), url != NULL ? url : "");
    else
        rc = collada_shape_find(xml, target, shape, model->builder, &err);
    if (rc == 0)
        return true;
    if (!is_bare_skin(xml, shape) && reader->failed_count++ == 0)
        memcpy(reader->first_failure, err.message, sizeof err.message);
    bake_warn(model->builder, "instance_ignored", "%s", err.message);
    return false;
}

static int show_geometries(struct instance_reader *reader, uint32_t n, struct err *err)
{
    const struct xml *xml = &reader->model->collada.xml;
    const uint32_t element = reader->model->collada.nodes[n].element;
    struct group group = {.skin = {.skin = -1}};
    size_t instance_capacity = 0, shape_capacity = 0;
    for (uint32_t e = xml_child(xml, element, "instance_geometry"); e != XML_NONE;
         e = xml_next(xml, e, "instance_geometry")) {
        struct collada_shape shape;
        if (!find_shape(reader, e, &shape))
            continue;
        shape.skin = shape.morph = XML_NONE; /* this element may not instance a controller */
        group.instances = mem_grow(group.instances, &instance_capacity, group.count + 1, sizeof *group.instances);
        group.shapes = mem_grow(group.shapes, &shape_capacity, group.count + 1, sizeof *group.shapes);
        group.instances[group.count] = e;
        group.shapes[group.count++] = shape;
    }
    const int rc = group.count == 0 ? 0 : show(reader, &group, n, err);
    free(group.instances);
    free(group.shapes);
    return rc;
}

static int show_controllers(struct instance_reader *reader, uint32_t n, struct err *err)
{
    const struct xml *xml = &reader->model->collada.xml;
    const uint32_t element = reader->model->collada.nodes[n].element;
    for (uint32_t e = xml_child(xml, element, "instance_controller"); e != XML_NONE;
         e = xml_next(xml, e, "instance_controller")) {
        struct collada_shape shape;
        struct group group = {.instances = &e, .shapes = &shape, .count = 1, .skin = {.skin = -1}};
        if (!find_shape(reader, e, &shape))
            continue;
        int rc = shape.skin == XML_NONE ? 0 : collada_skin_read(reader->model, e, n, shape.skin, &group.skin, err);
        if (rc == 0)
            rc = show(reader, &group, n, err);
        collada_skin_fini(&group.skin);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int collada_read_instances(struct collada_model *model, struct err *err)
{
    struct instance_reader reader = {.model = model};
    vertex_set_init(&reader.by_key, 16);
    int rc = 0;
    for (uint32_t n = 0; n < model->collada.node_count && rc == 0; n++) {
        rc = show_geometries(&reader, n, err);
        if (rc == 0)
            rc = show_controllers(&reader, n, err);
    }
    if (rc == 0 && reader.failed_count > 0 && reader.failed_count == reader.instance_count)
        rc = err_set(err, ERR_BAD_MODEL, "nothing that the file shows can be read: %s", reader.first_failure);
    for (uint32_t m = 0; m < reader.made_count; m++)
        free(reader.made[m].key);
    free(reader.made);
    free(reader.key);
    free(reader.by_key.slots);
    return rc;
}
