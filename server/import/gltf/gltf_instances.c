/* gltf_instances.c - EXT_mesh_gpu_instancing (Khronos vendor extension). Each instance of a node's mesh becomes an
 * unnamed child node, after all nodes of the file. */
#include "import/gltf/gltf_accessor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char EXTENSION[] = "EXT_mesh_gpu_instancing";

/* The attributes of one node. Accessors of missing attributes are not open. */
enum part { PART_TRANSLATION, PART_ROTATION, PART_SCALE, PART_COUNT };
static const char *const PARTS[PART_COUNT] = {"TRANSLATION", "ROTATION", "SCALE"};

struct instances {
    char where[80]; /* "nodes[3].extensions.EXT_mesh_gpu_instancing" */
    struct accessor parts[PART_COUNT];
    bool has[PART_COUNT];
    uint32_t count;
};

static int open_parts(struct gltf *gltf, const cJSON *attributes, struct instances *instances, struct err *err)
{
    for (int part = 0; part < PART_COUNT; part++) {
        const int64_t index = json_index(attributes, PARTS[part]);
        char where[120];
        if (index < 0)
            continue;
        snprintf(where, sizeof where, "%s.%s", instances->where, PARTS[part]);
        const struct accessor_use use = {where, part == PART_ROTATION ? ACCESSOR_VEC4 : ACCESSOR_VEC3,
                                         part == PART_ROTATION ? ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16
                                                               : ACCESSOR_F32};
        struct accessor *accessor = &instances->parts[part];
        if (accessor_open(gltf, (uint32_t)index, &use, accessor, err) < 0)
            return err->code;
        if (instances->count != 0 && accessor->count != instances->count)
            return err_set(err, ERR_BAD_MODEL, "%s has %u rows, where another attribute has %u", where, accessor->count,
                           instances->count);
        instances->count = accessor->count;
        instances->has[part] = true;
    }
    return 0;
}

/* Writes one row to out[width]. Leaves *out unchanged if the attribute is missing. */
static int read_part(const struct instances *instances, enum part part, uint32_t row, float *out, struct err *err)
{
    double values[4] = {0};
    if (!instances->has[part])
        return 0;
    accessor_row(&instances->parts[part], row, values);
    for (uint32_t i = 0; i < instances->parts[part].width; i++) {
        out[i] = (float)values[i];
        if (!isfinite(out[i]))
            return err_set(err, ERR_BAD_MODEL, "%s.%s: row %u has a number that is not finite", instances->where,
                           PARTS[part], row);
    }
    return 0;
}

static int read_transform(const struct instances *instances, uint32_t row, struct node *node, struct err *err)
{
    if (read_part(instances, PART_TRANSLATION, row, node->translation, err) < 0 ||
        read_part(instances, PART_ROTATION, row, node->rotation, err) < 0 ||
        read_part(instances, PART_SCALE, row, node->scale, err) < 0)
        return err->code;
    const float *q = node->rotation;
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
        return err_set(err, ERR_BAD_MODEL, "%s.ROTATION: row %u has no length", instances->where, row);
    return 0;
}

static int add_weights(struct gltf *gltf, const struct instances *instances, const struct node *from, struct node *node,
                       struct err *err)
{
    if (from->weight_count == 0)
        return 0;
    node->weight_first = gltf->builder->weight_count;
    node->weight_count = from->weight_count;
    if (import_check_limit(gltf->import, LIMIT_WEIGHTS, gltf->builder->weight_count, from->weight_count,
                           instances->where, err) < 0)
        return err->code;
    float *weights = bake_add_weight(gltf->builder, from->weight_count);
    if (weights == NULL)
        return import_full(gltf->import, err);
    memcpy(weights, gltf->builder->weights + from->weight_first, from->weight_count * sizeof *weights);
    return 0;
}

static int add_nodes(struct gltf *gltf, uint32_t index, const struct instances *instances, struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    if (import_check_limit(gltf->import, LIMIT_NODES, builder->node_count, instances->count, instances->where, err) < 0)
        return err->code;
    struct node *added = bake_add_node(builder, instances->count);
    if (added == NULL)
        return import_full(gltf->import, err);
    struct node *from = &builder->nodes[index];
    for (uint32_t i = 0; i < instances->count; i++) {
        added[i] = (struct node){.parent = (int32_t)index,
                                 .mesh = from->mesh,
                                 .skin = -1,
                                 .matrix = -1,
                                 .rotation = {0, 0, 0, 1},
                                 .scale = {1, 1, 1},
                                 .flags = from->flags & NODE_HIDDEN};
        if (read_transform(instances, i, &added[i], err) < 0 || add_weights(gltf, instances, from, &added[i], err) < 0)
            return err->code;
    }
    from->mesh = -1;
    return 0;
}

static int read_node(struct gltf *gltf, uint32_t index, struct err *err)
{
    const struct node *node = &gltf->builder->nodes[index];
    const cJSON *extensions = json_member(gltf_item(gltf, GLTF_NODES, index), "extensions");
    const cJSON *attributes = json_member(json_member(extensions, EXTENSION), "attributes");
    struct instances instances = {0};
    if (attributes == NULL || node->mesh < 0)
        return 0;
    if (node->skin >= 0) {
        bake_warn(gltf->builder, "instances_ignored", "nodes[%u] has a skin: its mesh is drawn once", index);
        return 0;
    }
    snprintf(instances.where, sizeof instances.where, "nodes[%u].extensions.%s", index, EXTENSION);
    if (open_parts(gltf, attributes, &instances, err) < 0)
        return err->code;
    return instances.count == 0 ? 0 : add_nodes(gltf, index, &instances, err);
}

int gltf_read_instances(struct gltf *gltf, struct err *err)
{
    for (uint32_t n = 0; n < gltf->lists[GLTF_NODES].count; n++)
        if (read_node(gltf, n, err) < 0)
            return err->code;
    return 0;
}
