/* fbx_mesh.c - geometries to meshes.
 *
 * A mesh without a skin is in its node's space: the geometric transform is in its vertices. Nodes share a mesh where
 * they show the same geometry with the same materials, geometric transform and skin. */
#include "import/fbx/fbx_material.h"
#include "import/fbx/fbx_primitive.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/vertex_set.h"

#include <stdlib.h>
#include <string.h>

/* The properties shared by the polygons of one primitive. */
struct part {
    uint32_t topology; /* TOPOLOGY_ */
    int32_t material;
};

/* A list that is too short repeats its last number. A number without a material means the first material: files that
 * lost some materials still have one on each polygon. */
static int32_t material_at(const struct fbx_surface *surface, const struct fbx_slots *slots, uint32_t polygon)
{
    const struct fbx_layer_element *materials = &surface->materials;
    const uint32_t corner = surface->starts[polygon];
    const struct fbx_place place = {corner, surface->corners[corner], polygon};
    const double *value = fbx_layer_element_at(materials, &place);
    if (value == NULL && materials->value_count > 0)
        value = materials->values + materials->value_count - 1;
    const double slot = value == NULL ? 0 : *value;
    if (slots->count == 0)
        return -1;
    return slots->materials[slot >= 0 && slot < slots->count ? (uint32_t)slot : 0];
}

static int compare_parts(const void *a, const void *b, void *user)
{
    const struct part *parts = user;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    if (parts[i].material != parts[k].material)
        return parts[i].material < parts[k].material ? -1 : 1;
    if (parts[i].topology != parts[k].topology)
        return parts[i].topology < parts[k].topology ? -1 : 1;
    return i < k ? -1 : i > k;
}

/* Fills `parts`, and `order` with the polygons sorted by part. */
static void sort_polygons(const struct fbx_surface *surface, const struct fbx_slots *slots, struct part *parts,
                          uint32_t *order)
{
    const uint32_t count = surface->size.polygon_count;
    bool is_sorted = true;
    for (uint32_t p = 0; p < count; p++) {
        const uint32_t corner_count = surface->starts[p + 1] - surface->starts[p];
        parts[p].topology = corner_count > 2    ? TOPOLOGY_TRIANGLES
                            : corner_count == 2 ? TOPOLOGY_LINES
                                                : TOPOLOGY_POINTS;
        parts[p].material = material_at(surface, slots, p);
        order[p] = p;
        is_sorted = is_sorted && (p == 0 || compare_parts(&order[p - 1], &order[p], parts) < 0);
    }
    if (!is_sorted)
        qsort_r(order, count, sizeof *order, compare_parts, parts);
}

static int add_primitives(struct fbx_mesh_reader *reader, const struct fbx_slots *slots, struct err *err)
{
    const uint32_t count = reader->surface.size.polygon_count;
    struct part *parts = mem_alloc(count * sizeof *parts);
    uint32_t *order = mem_alloc(count * sizeof *order);
    sort_polygons(&reader->surface, slots, parts, order);
    int rc = 0;
    for (uint32_t begin = 0, end; begin < count && rc == 0; begin = end) {
        const struct part *part = &parts[order[begin]];
        for (end = begin + 1; end < count && memcmp(part, &parts[order[end]], sizeof *part) == 0;)
            end++;
        rc = fbx_add_primitive(reader, part->topology, part->material, order + begin, end - begin, err);
    }
    free(parts);
    free(order);
    return rc;
}

/* The matrix for the vertices. It is the identity with a skin, whose matrices begin in geometry space. */
static void set_space(struct fbx_mesh_reader *reader)
{
    struct trs trs = reader->fbx->node_from_geometry[reader->node];
    if (reader->fbx->skin_of[reader->node] >= 0)
        trs = (struct trs){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    reader->out_from_geometry = dmat4_from_trs(&trs);
    reader->writer.is_clockwise = trs.scale[0] * trs.scale[1] * trs.scale[2] < 0;
    struct dmat4 inverse;
    dmat4_invert(&reader->out_from_geometry, &inverse); /* the identity if the matrix is singular */
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++)
            reader->corners.normal_from_geometry[3 * column + row] = inverse.m[4 * row + column];
}

static int add_mesh(struct fbx_mesh_reader *reader, const struct fbx_slots *slots, struct err *err)
{
    struct fbx *fbx = reader->fbx;
    struct bake_builder *builder = fbx->builder;
    const struct fbx_surface *surface = &reader->surface;
    const uint32_t corner_count = surface->size.corner_count;
    /* Each corner gives at least one index, so a number above the limit is refused before allocation. */
    if (import_check_limit(fbx->import, LIMIT_INDICES, builder->index_count, corner_count,
                           FBX_OBJECT_TEXT(&fbx->scene, reader->geometry), err) < 0)
        return err->code;
    reader->mesh = builder->mesh_count;
    const struct mesh mesh = {.name = fbx_name(fbx, reader->geometry), .primitive_first = builder->primitive_count};
    if (import_put_mesh(fbx->import, &mesh, err) < 0)
        return err->code;
    reader->writer = (struct mesh_writer){.import = fbx->import,
                                          .where = FBX_OBJECT_TEXT(&fbx->scene, reader->geometry),
                                          .points = (const double(*)[3])surface->points,
                                          .out_from_points = &reader->out_from_geometry,
                                          .influences = reader->weights == NULL ? NULL : &reader->weights->influences};
    set_space(reader);
    reader->corners.surface = surface;
    reader->corners.made_normals = fbx_lacks_normals(surface) ? fbx_make_normals(surface) : NULL;
    const int rc = add_primitives(reader, slots, err);
    free(reader->corners.made_normals);
    free(reader->places);
    mesh_writer_fini(&reader->writer);
    builder->meshes[reader->mesh].primitive_count = builder->primitive_count - mesh.primitive_first;
    return rc;
}

/* Adds space for a node's rest weights; each node has its own. Returns NULL with *err set on failure. */
static float *new_weights(struct fbx *fbx, uint32_t n, uint32_t count, struct err *err)
{
    struct node *node = &fbx->builder->nodes[n];
    if (import_check_limit(fbx->import, LIMIT_WEIGHTS, fbx->builder->weight_count, count,
                           FBX_OBJECT_TEXT(&fbx->scene, fbx->object_of[n]), err) < 0)
        return NULL;
    node->weight_first = fbx->builder->weight_count;
    node->weight_count = count;
    float *weights = bake_add_weight(fbx->builder, count);
    if (weights == NULL)
        import_full(fbx->import, err);
    return weights;
}

static int copy_weights(struct fbx *fbx, uint32_t n, const struct node *other, struct err *err)
{
    const uint32_t first = other->weight_first, count = other->weight_count;
    float *weights = new_weights(fbx, n, count, err);
    if (weights == NULL)
        return err->code;
    memcpy(weights, fbx->builder->weights + first, count * sizeof *weights);
    return 0;
}

/* The rest weights of the node's blend shapes. */
static int add_weights(struct fbx_mesh_reader *reader, struct err *err)
{
    const struct fbx_blend *blend = &reader->blend;
    float *weights = new_weights(reader->fbx, reader->node, blend->target_count, err);
    if (weights == NULL)
        return err->code;
    for (uint32_t c = 0; c < blend->channel_count; c++) {
        double values[FBX_CHANNEL_SHAPES_MAX];
        const struct fbx_channel *channel = &blend->channels[c];
        fbx_channel_weights(channel, channel->percent, values);
        for (uint32_t s = 0; s < channel->shape_count; s++)
            weights[channel->target_first + s] = (float)values[s];
    }
    return 0;
}

/* Nodes whose meshes were read. */
struct shown {
    struct vertex_set nodes;
    struct fbx_slots *slots; /* [node_count] */
};

static bool shows_same(const struct fbx *fbx, const struct shown *shown, uint32_t n, uint32_t k)
{
    const struct fbx_slots *a = &shown->slots[n], *b = &shown->slots[k];
    return fbx->geometry_of[n] == fbx->geometry_of[k] && (fbx->skin_of[n] < 0) == (fbx->skin_of[k] < 0) &&
           memcmp(&fbx->node_from_geometry[n], &fbx->node_from_geometry[k], sizeof(struct trs)) == 0 &&
           a->count == b->count &&
           (a->count == 0 || memcmp(a->materials, b->materials, a->count * sizeof *a->materials) == 0);
}

/* An earlier node that shows the same mesh, or -1; later calls then find this node. The skins of two nodes have the
 * same joints, except for the node itself. */
static int64_t same_node(const struct fbx *fbx, struct shown *shown, uint32_t node)
{
    const struct fbx_slots *slots = &shown->slots[node];
    uint64_t hash = hash64(HASH64_SEED, &fbx->geometry_of[node], sizeof *fbx->geometry_of);
    hash = hash64(hash, &fbx->node_from_geometry[node], sizeof(struct trs));
    if (slots->count > 0)
        hash = hash64(hash, slots->materials, slots->count * sizeof *slots->materials);
    uint32_t *slot = vertex_set_first(&shown->nodes, hash);
    while (*slot != VERTEX_NONE && !shows_same(fbx, shown, node, *slot))
        slot = vertex_set_next(&shown->nodes, slot);
    if (*slot != VERTEX_NONE)
        return *slot;
    *slot = node;
    return -1;
}

static void check_caches(struct fbx *fbx, uint32_t geometry)
{
    if (fbx_first_child(&fbx->scene, geometry, "Deformer", "VertexCacheDeformer") != FBX_NONE)
        bake_warn(fbx->builder, "caches_ignored", "%s takes its vertices from a cache file, which is not read",
                  FBX_OBJECT_TEXT(&fbx->scene, geometry));
}

static int read_mesh(struct fbx_mesh_reader *reader, const struct fbx_slots *slots, struct err *err)
{
    struct fbx *fbx = reader->fbx;
    check_caches(fbx, reader->geometry);
    if (fbx_surface_read(&reader->surface, &fbx->scene, reader->geometry, err) < 0)
        return err->code;
    if (fbx_blend_read(fbx, reader->geometry, &reader->blend, err) < 0 || add_mesh(reader, slots, err) < 0)
        return err->code;
    fbx->builder->nodes[reader->node].mesh = (int32_t)reader->mesh;
    return add_weights(reader, err);
}

static int read_node(struct fbx *fbx, struct shown *shown, uint32_t n, struct err *err)
{
    struct node *node = &fbx->builder->nodes[n];
    node->skin = fbx->skin_of[n];
    const int64_t same = same_node(fbx, shown, n);
    if (same >= 0) {
        const struct node *other = &fbx->builder->nodes[same];
        node->mesh = other->mesh;
        return other->weight_count == 0 ? 0 : copy_weights(fbx, n, other, err);
    }
    struct fbx_mesh_reader reader = {
        .fbx = fbx, .node = n, .geometry = fbx->geometry_of[n], .weights = fbx->weights_of[n]};
    const int rc = read_mesh(&reader, &shown->slots[n], err);
    fbx_surface_fini(&reader.surface);
    fbx_blend_fini(&reader.blend);
    return rc;
}

int fbx_read_meshes(struct fbx *fbx, struct err *err)
{
    struct shown shown = {.slots = mem_zalloc((size_t)fbx->node_count + 1, sizeof *shown.slots)};
    vertex_set_init(&shown.nodes, fbx->node_count);
    int rc = 0;
    for (uint32_t n = 0; n < fbx->node_count && rc == 0; n++) {
        if (fbx->geometry_of[n] == FBX_NONE)
            continue;
        const uint32_t first = fbx->shown_by[fbx->geometry_of[n]];
        fbx_slots_of(fbx, n, first < n ? &shown.slots[first] : NULL, &shown.slots[n]);
        rc = read_node(fbx, &shown, n, err);
    }
    for (uint32_t n = 0; n < fbx->node_count; n++)
        fbx_slots_fini(&shown.slots[n]);
    free(shown.slots);
    free(shown.nodes.slots);
    return rc;
}
