/* bake_finish_nodes.c - the steps of bake_finish() for nodes, their matrices and the clips that move them. */
#include "anim/bake/bake_finish.h"

#include "anim/bake/bake_check.h"
#include "anim/model/mat.h"

#include <math.h>
#include <stdlib.h>

static int check_nodes(const struct bake_builder *b, struct err *err)
{
    for (uint32_t n = 0; n < b->node_count; n++) {
        const struct node *node = &b->nodes[n];
        const char *field = !bake_is_index(node->parent, b->node_count)          ? "parent"
                            : !bake_is_index(node->mesh, b->mesh_count)          ? "mesh"
                            : !bake_is_index(node->skin, b->skin_count)          ? "skin"
                            : !bake_is_index(node->matrix, b->node_matrix_count) ? "matrix"
                                                                                 : NULL;
        if (field != NULL)
            return bake_check_fail(err, "nodes", n, field);
    }
    for (uint32_t r = 0; r < b->root_count; r++)
        if (b->scene_roots[r] >= b->node_count)
            return bake_check_fail(err, "scene_roots", r, "node");
    for (uint32_t j = 0; j < b->joint_count; j++)
        if (b->joints[j].node >= b->node_count)
            return bake_check_fail(err, "joints", j, "node");
    for (uint32_t s = 0; s < b->skin_count; s++)
        if (b->skins[s].flags != 0 || !bake_is_range(b->skins[s].joint_first, b->skins[s].joint_count, b->joint_count))
            return bake_check_fail(err, "skins", s, "joints");
    return 0;
}

static int check_meshes(const struct bake_builder *b, struct err *err)
{
    for (uint32_t m = 0; m < b->mesh_count; m++)
        if (!bake_is_range(b->meshes[m].primitive_first, b->meshes[m].primitive_count, b->primitive_count))
            return bake_check_fail(err, "meshes", m, "primitives");
    for (uint32_t p = 0; p < b->primitive_count; p++)
        if (!bake_is_range(b->primitives[p].vertex_first, b->primitives[p].vertex_count, b->position_count) ||
            !bake_is_range(b->primitives[p].index_first, b->primitives[p].index_count, b->index_count) ||
            !bake_is_range(b->primitives[p].morph_target_first, b->primitives[p].morph_target_count,
                           b->morph_target_count))
            return bake_check_fail(err, "primitives", p, "vertices");
    if (b->normal_count != b->position_count || b->influence_first_count != b->position_count + 1 ||
        (b->texcoord_count != 0 && b->texcoord_count != b->position_count) ||
        (b->color_count != 0 && b->color_count != b->position_count))
        return err_set(err, ERR_BAD_MODEL, "the vertex arrays have different lengths");
    for (uint32_t v = 0; v <= b->position_count; v++)
        if (b->influence_firsts[v] > b->influence_count ||
            (v > 0 && b->influence_firsts[v] < b->influence_firsts[v - 1]))
            return bake_check_fail(err, "influence_firsts", v, "first");
    return 0;
}

int bake_finish_check_references(const struct bake_builder *b, struct err *err)
{
    int rc = check_nodes(b, err);
    if (rc == 0)
        rc = check_meshes(b, err);
    for (uint32_t c = 0; c < b->clip_count && rc == 0; c++)
        if (!bake_is_range(b->clips[c].channel_first, b->clips[c].channel_count, b->channel_count))
            rc = bake_check_fail(err, "clips", c, "channels");
    for (uint32_t c = 0; c < b->channel_count && rc == 0; c++)
        if (b->channels[c].node >= b->node_count || b->channels[c].path >= PATH_COUNT ||
            b->channels[c].key_count == 0 ||
            !bake_is_range(b->channels[c].key_time_first, b->channels[c].key_count, b->key_time_count))
            rc = bake_check_fail(err, "channels", c, "node");
    for (uint32_t c = 0; c < b->property_channel_count && rc == 0; c++) {
        const struct property_channel *at = &b->property_channels[c];
        if (at->clip >= b->clip_count || at->channel.key_count == 0 ||
            !bake_is_range(at->channel.key_time_first, at->channel.key_count, b->key_time_count))
            rc = bake_check_fail(err, "property_channels", c, "clip");
    }
    return rc;
}

/* glTF 2.0, 3.7.3.1 and 3.5.3: the last row is 0 0 0 1. Some files have rounded or missing ones. */
static void set_last_row(struct bake_builder *builder, struct mat4 *matrix, const char *what, uint32_t index)
{
    static const float ROW[4] = {0, 0, 0, 1};
    bool is_far = false;
    for (int c = 0; c < 4; c++) {
        is_far = is_far || fabsf(matrix->m[4 * c + 3] - ROW[c]) > 1e-4f;
        matrix->m[4 * c + 3] = ROW[c];
    }
    if (is_far)
        bake_warn(builder, "matrix_last_row", "the last row of %s %u was not 0 0 0 1", what, index);
}

static void decompose(const struct mat4 *matrix, struct node *node)
{
    struct trs trs;
    const struct dmat4 parent_from_node = dmat4_from_mat4(matrix);
    const bool is_exact = trs_from_dmat4(&parent_from_node, &trs);
    for (int i = 0; i < 3; i++) {
        node->translation[i] = (float)trs.translation[i];
        node->scale[i] = (float)trs.scale[i];
    }
    for (int i = 0; i < 4; i++)
        node->rotation[i] = (float)trs.rotation[i];
    node->flags = (node->flags & ~(uint32_t)NODE_SHEAR) | (is_exact ? 0 : NODE_SHEAR);
}

void bake_finish_matrices(struct bake_builder *builder)
{
    for (uint32_t m = 0; m < builder->node_matrix_count; m++)
        set_last_row(builder, &builder->node_matrices[m], "node matrix", m);
    for (uint32_t j = 0; j < builder->joint_count; j++)
        set_last_row(builder, &builder->joints[j].joint_from_bind, "inverse bind matrix", j);
    for (uint32_t n = 0; n < builder->node_count; n++) {
        struct node *node = &builder->nodes[n];
        /* The check that follows refuses a matrix that is not finite. */
        if (node->matrix >= 0 && floats_are_finite(builder->node_matrices[node->matrix].m, 16))
            decompose(&builder->node_matrices[node->matrix], node);
        else
            node->flags &= ~(uint32_t)NODE_SHEAR;
    }
}

void bake_finish_scales(struct bake_builder *builder)
{
    uint32_t *flags = &builder->infos[0].flags;
    *flags &= ~(uint32_t)MODEL_OWN_SCALES;
    for (uint32_t n = 0; n < builder->node_count; n++)
        if ((builder->nodes[n].flags & NODE_SCALES) != 0)
            *flags |= MODEL_OWN_SCALES;
}

/* Orders the nodes depth first, children by rising index. It does not recurse, because a file may nest a hundred
 * thousand nodes. It never reaches the nodes of a cycle. first_child, next_sibling: scratch, [node_count]. Returns how
 * many nodes it reached. */
static uint32_t order_nodes(const struct bake_builder *builder, int32_t *first_child, int32_t *next_sibling,
                            uint32_t *order)
{
    int32_t first_root = -1;
    for (uint32_t n = 0; n < builder->node_count; n++)
        first_child[n] = -1;
    for (uint32_t i = builder->node_count; i > 0; i--) {
        const int32_t n = (int32_t)(i - 1), parent = builder->nodes[n].parent;
        int32_t *list = parent < 0 ? &first_root : &first_child[parent];
        next_sibling[n] = *list;
        *list = n;
    }
    uint32_t count = 0;
    for (int32_t n = first_root, next; n >= 0; n = next) {
        order[count++] = (uint32_t)n;
        next = first_child[n];
        for (; next < 0 && n >= 0; n = builder->nodes[n].parent)
            next = next_sibling[n];
    }
    return count;
}

static int cycle(const struct bake_builder *builder, const uint32_t *order, uint32_t count, unsigned char *seen,
                 struct err *err)
{
    for (uint32_t i = 0; i < count; i++)
        seen[order[i]] = 1;
    int32_t n = 0;
    while (seen[n])
        n++;
    /* Unreached nodes are in a cycle or below one, so following parents ends in the cycle. */
    for (; seen[n] == 0; n = builder->nodes[n].parent)
        seen[n] = 2;
    return err_set(err, ERR_BAD_MODEL, "node %d is its own ancestor", (int)n);
}

/* Sets what follows from roots and order. `seen`: zeroed scratch of one byte a node. */
static void mark_scene(struct bake_builder *builder, unsigned char *seen)
{
    uint32_t kept = 0;
    for (uint32_t r = 0; r < builder->root_count; r++) {
        const uint32_t n = builder->scene_roots[r];
        if (!seen[n])
            builder->scene_roots[kept++] = n;
        seen[n] = 1;
    }
    builder->root_count = kept;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        struct node *node = &builder->nodes[builder->node_order[i]];
        const bool is_below = node->parent >= 0 && (builder->nodes[node->parent].flags & NODE_IN_SCENE) != 0;
        const bool is_in_scene = is_below || seen[builder->node_order[i]];
        node->flags = (node->flags & ~(uint32_t)NODE_IN_SCENE) | (is_in_scene ? NODE_IN_SCENE : 0);
    }
}

int bake_finish_order(struct bake_builder *builder, struct err *err)
{
    const size_t nodes = (size_t)builder->node_count + 1;
    int32_t *links = malloc(2 * nodes * sizeof *links);
    unsigned char *seen = calloc(nodes, 1);
    builder->order_count = 0;
    uint32_t *order = bake_add_order(builder, builder->node_count);
    int rc = 0;
    if (links == NULL || seen == NULL || order == NULL) {
        rc = err_set(err, order == NULL ? ERR_MODEL_LIMIT : ERR_NO_MEMORY, "no room to order %u nodes",
                     builder->node_count);
        goto done;
    }
    const uint32_t count = order_nodes(builder, links, links + nodes, order);
    if (count < builder->node_count) {
        rc = cycle(builder, order, count, seen, err);
        goto done;
    }
    mark_scene(builder, seen);
done:
    free(links);
    free(seen);
    return rc;
}

/* Keeps only the last of the channels that drive the same target in one clip; the others leave the clip's range.
 * `driven`: for each node and path, the last clip that drove it, from 1. */
static void drop_duplicates(struct bake_builder *builder, uint32_t c, uint32_t *driven)
{
    struct clip *clip = &builder->clips[c];
    const uint32_t end = clip->channel_first + clip->channel_count;
    uint32_t kept = end;
    for (uint32_t i = end; i > clip->channel_first; i--) {
        const struct channel channel = builder->channels[i - 1];
        uint32_t *last = &driven[PATH_COUNT * (size_t)channel.node + channel.path];
        if (*last != c + 1)
            builder->channels[--kept] = channel;
        else
            bake_warn(builder, "duplicate_channel", "clip %u drives node %u twice in the same way; the last one counts",
                      c, channel.node);
        *last = c + 1;
    }
    clip->channel_first = kept;
    clip->channel_count = end - kept;
}

int bake_finish_clips(struct bake_builder *builder, struct err *err)
{
    uint32_t *driven = calloc((size_t)builder->node_count + 1, PATH_COUNT * sizeof *driven);
    if (driven == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to check the clips of %u nodes", builder->node_count);
    for (uint32_t c = 0; c < builder->clip_count; c++) {
        drop_duplicates(builder, c, driven);
        struct clip *clip = &builder->clips[c];
        double start_s = HUGE_VAL, duration_s = fmax(clip->duration_s, 0); /* at least as long as the reader says */
        for (uint32_t i = 0; i < clip->channel_count; i++) {
            const struct channel *channel = &builder->channels[clip->channel_first + i];
            const double *times = builder->key_times + channel->key_time_first;
            start_s = fmin(start_s, times[0]);
            duration_s = fmax(duration_s, times[channel->key_count - 1]);
        }
        clip->start_s = clip->channel_count == 0 ? 0 : start_s;
        clip->duration_s = duration_s;
    }
    for (uint32_t i = 0; i < builder->property_channel_count; i++) {
        const struct channel *channel = &builder->property_channels[i].channel;
        double *duration_s = &builder->clips[builder->property_channels[i].clip].duration_s;
        *duration_s = fmax(*duration_s, builder->key_times[channel->key_time_first + channel->key_count - 1]);
    }
    free(driven);
    return 0;
}
