/* mesh_blocks.c - boxes of the vertices that joints and morph targets move, and their images in a pose. */
#include "anim/hits/mesh_blocks.h"

#include "base/mem.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_LEAVES = 8 };

/* Relative margins of bounds: more than rounding to float, and some dozens of operations in double, lose. */
static const double FLOAT_SLACK = 1e-7, DOUBLE_SLACK = 1e-12;
/* Larger numbers may not be finite as floats. */
static const double MOST = (double)FLT_MAX / 4;

uint32_t mesh_block_count(uint32_t triangle_count)
{
    const uint32_t leaves = box_tree_leaves(triangle_count);
    return leaves > BLOCK_LEAVES ? leaves / BLOCK_LEAVES : 1;
}

/* --- once per model --- */

static const struct mesh_box EMPTY = {{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};

static void add_point(struct mesh_box *box, const struct vec3 *point)
{
    const float at[3] = {point->x, point->y, point->z};
    for (int i = 0; i < 3; i++) {
        box->min[i] = at[i] < box->min[i] ? at[i] : box->min[i];
        box->max[i] = at[i] > box->max[i] ? at[i] : box->max[i];
    }
}

/* The blocks of a primitive while they are made. */
struct making {
    struct mesh_blocks *out;
    const struct model *model;
    const struct primitive *primitive;
    size_t *slots;      /* for each joint: its part in the block, below part_first where there is none */
    uint8_t *has_owner; /* for each vertex of the primitive: some triangle uses it */
    size_t part_first;
};

static struct mesh_part *part_of(struct making *making, uint32_t joint)
{
    struct mesh_blocks *out = making->out;
    const size_t slot = making->slots[joint];
    if (slot >= making->part_first && slot < out->part_count && out->parts[slot].joint == joint)
        return &out->parts[slot];
    if (out->part_count == out->part_capacity)
        out->parts = mem_grow(out->parts, &out->part_capacity, out->part_count + 1, sizeof *out->parts);
    making->slots[joint] = out->part_count;
    out->parts[out->part_count] = (struct mesh_part){joint, EMPTY};
    return &out->parts[out->part_count++];
}

static void add_vertex(struct making *making, struct mesh_block *block, struct mesh_box *shapes, uint32_t v)
{
    const struct model *model = making->model;
    const struct primitive *primitive = making->primitive;
    const uint32_t vertex = primitive->vertex_first + v, first = model->influence_firsts[vertex],
                   end = model->influence_firsts[vertex + 1];
    const struct morph_target *targets = model->morph_targets + primitive->morph_target_first;
    static const struct vec3 STILL = {0, 0, 0};
    double sum = first == end ? 1 : 0;
    for (uint32_t i = first; i < end; i++) {
        add_point(&part_of(making, model->influences[i].joint)->bind, &model->positions[vertex]);
        sum += (double)model->influences[i].weight;
    }
    if (first == end)
        add_point(&part_of(making, 0)->bind, &model->positions[vertex]);
    block->least = sum < block->least ? sum : block->least;
    block->most = sum > block->most ? sum : block->most;
    for (uint32_t t = 0; t < primitive->morph_target_count; t++)
        add_point(&shapes[t], targets[t].position_first != UINT32_MAX
                                  ? &model->morph_deltas[targets[t].position_first + v]
                                  : &STILL);
}

static struct mesh_block *begin_block(struct making *making, uint32_t block, struct mesh_box *shapes)
{
    struct mesh_block *begun = &making->out->blocks[block];
    making->part_first = making->out->part_count;
    *begun = (struct mesh_block){.part_first = (uint32_t)making->part_first, .has_bound = true, .least = HUGE_VAL};
    for (uint32_t t = 0; t < making->primitive->morph_target_count; t++)
        shapes[t] = EMPTY;
    return begun;
}

/* Compares the cost of a primitive's blocks with the primitive: a vertex that all triangles share would be repeated in
 * every block, with all its joints or all targets. */
static bool is_affordable(const struct making *making, const uint32_t *indices, uint32_t count)
{
    enum { TIMES_MOST = 16 };
    const struct primitive *primitive = making->primitive;
    const uint32_t *firsts = making->model->influence_firsts + primitive->vertex_first;
    const uint64_t targets = primitive->morph_target_count, corners = 3 * (uint64_t)count;
    uint64_t cost = corners * (1 + targets);
    for (uint64_t i = 0; i < corners; i++)
        cost += firsts[indices[i] + 1] - firsts[indices[i]];
    return cost <=
           TIMES_MOST * (corners + firsts[primitive->vertex_count] - firsts[0] + targets * primitive->vertex_count);
}

static void make_primitive(struct making *making, uint32_t p, const uint32_t *order, uint32_t count)
{
    struct mesh_blocks *out = making->out;
    const struct primitive *primitive = making->primitive;
    const uint32_t *indices = making->model->indices + primitive->index_first;
    const uint32_t blocks = mesh_block_count(count), targets = primitive->morph_target_count;
    struct mesh_box *shapes = out->shapes + out->shape_firsts[p];
    if (!is_affordable(making, indices, count)) {
        for (uint32_t b = 0; b <= blocks; b++)
            out->blocks[out->firsts[p] + b].part_first = (uint32_t)out->part_count;
        return;
    }
    memset(making->has_owner, 0, primitive->vertex_count);
    for (uint32_t b = 0; b < blocks; b++) {
        struct mesh_block *block = begin_block(making, out->firsts[p] + b, shapes);
        for (uint64_t i = (uint64_t)count * b / blocks; i < (uint64_t)count * (b + 1) / blocks; i++)
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t v = indices[3 * order[i] + c];
                add_vertex(making, block, shapes, v);
                making->has_owner[v] = 1;
            }
        shapes += targets;
    }
    struct mesh_block *rest = begin_block(making, out->firsts[p] + blocks, shapes);
    for (uint32_t v = 0; v < primitive->vertex_count; v++)
        if (!making->has_owner[v])
            add_vertex(making, rest, shapes, v);
}

/* Counts blocks and the boxes of targets before allocation. */
static void count_all(struct mesh_blocks *blocks, const struct model *model, const uint32_t *firsts,
                      uint64_t *shape_count, uint32_t *vertex_most)
{
    for (uint32_t p = 0; p < model->primitive_count; p++) {
        const uint32_t count = firsts[p + 1] - firsts[p], of = count > 0 ? mesh_block_count(count) + 1 : 0;
        blocks->firsts[p + 1] = blocks->firsts[p] + of;
        blocks->shape_firsts[p] = *shape_count;
        *shape_count += (uint64_t)of * model->primitives[p].morph_target_count;
        if (model->primitives[p].vertex_count > *vertex_most)
            *vertex_most = model->primitives[p].vertex_count;
    }
    blocks->block_count = blocks->firsts[model->primitive_count];
}

void mesh_blocks_init(struct mesh_blocks *blocks, const struct model *model, const uint32_t *order,
                      const uint32_t *firsts)
{
    uint64_t shape_count = 0;
    uint32_t vertex_most = 0, joint_most = 1;
    *blocks = (struct mesh_blocks){0};
    blocks->firsts = mem_zalloc((size_t)model->primitive_count + 1, sizeof *blocks->firsts);
    blocks->shape_firsts = mem_zalloc((size_t)model->primitive_count + 1, sizeof *blocks->shape_firsts);
    count_all(blocks, model, firsts, &shape_count, &vertex_most);
    for (uint32_t i = 0; i < model->influence_count; i++)
        joint_most = model->influences[i].joint >= joint_most ? model->influences[i].joint + 1 : joint_most;
    blocks->blocks = mem_zalloc((size_t)blocks->block_count + 1, sizeof *blocks->blocks);
    blocks->shapes = mem_zalloc((size_t)shape_count + 1, sizeof *blocks->shapes);
    struct making making = {.out = blocks,
                            .model = model,
                            .slots = mem_zalloc(joint_most, sizeof *making.slots),
                            .has_owner = mem_zalloc((size_t)vertex_most + 1, 1)};
    for (uint32_t p = 0; p < model->primitive_count; p++) {
        making.primitive = &model->primitives[p];
        if (firsts[p + 1] > firsts[p])
            make_primitive(&making, p, order + firsts[p], firsts[p + 1] - firsts[p]);
    }
    blocks->blocks[blocks->block_count].part_first = (uint32_t)blocks->part_count;
    blocks->size_bytes = blocks->block_count * sizeof *blocks->blocks + blocks->part_capacity * sizeof *blocks->parts +
                         (size_t)shape_count * sizeof *blocks->shapes;
    free(making.slots);
    free(making.has_owner);
}

void mesh_blocks_fini(struct mesh_blocks *blocks)
{
    free(blocks->blocks);
    free(blocks->firsts);
    free(blocks->parts);
    free(blocks->shapes);
    free(blocks->shape_firsts);
}

/* --- in a pose --- */

/* Bounds how far morph targets move the vertices of a block in either direction; sum: of all terms, for the rounding
 * error. */
struct moved {
    double low[3], high[3], sum[3];
};

static void find_moved(const struct mesh_blocks *blocks, const struct blocks_pose *pose, uint32_t block,
                       struct moved *out)
{
    const struct draw *draw = &pose->model->draws[pose->draw];
    const struct primitive *primitive = &pose->model->primitives[draw->primitive];
    const uint32_t weight_count = pose->model->nodes[draw->node].weight_count;
    const struct mesh_box *shapes =
        blocks->shapes + blocks->shape_firsts[draw->primitive] + (size_t)block * primitive->morph_target_count;
    *out = (struct moved){{0}, {0}, {0}};
    for (uint32_t t = 0; t < primitive->morph_target_count && t < weight_count; t++)
        for (int i = 0; i < 3 && pose->weights[t] != 0; i++) {
            const double a = pose->weights[t] * (double)shapes[t].min[i],
                         b = pose->weights[t] * (double)shapes[t].max[i];
            out->low[i] += a < b ? a : b;
            out->high[i] += a < b ? b : a;
            out->sum[i] += fabs(a) + fabs(b);
        }
}

/* Computes the centre and half sides of a box's image. `lost`: relative rounding error of the computation. */
static void image_of(const double columns[4][3], const double middle[3], const double half[3], double image[3],
                     double reach[3])
{
    for (int r = 0; r < 3; r++) {
        double sum = fabs(columns[3][r]);
        image[r] = columns[3][r];
        reach[r] = 0;
        for (int c = 0; c < 3; c++) {
            image[r] += columns[c][r] * middle[c];
            reach[r] += fabs(columns[c][r]) * half[c];
            sum += fabs(columns[c][r] * middle[c]);
        }
        reach[r] += DOUBLE_SLACK * (sum + reach[r]);
    }
}

/* Computes the bind box of a part, with morph targets. */
static void bind_box(const struct mesh_part *part, const struct moved *moved, double middle[3], double half[3])
{
    for (int i = 0; i < 3; i++) {
        const double low = (double)part->bind.min[i] + moved->low[i], high = (double)part->bind.max[i] + moved->high[i];
        middle[i] = low / 2 + high / 2;
        half[i] = (high - low) / 2;
        half[i] += FLOAT_SLACK * (fabs(middle[i]) + half[i]) +
                   DOUBLE_SLACK * (moved->sum[i] + fabs((double)part->bind.min[i]) + fabs((double)part->bind.max[i])) +
                   (double)FLT_MIN;
    }
}

static void columns_of(const struct mat4 *m, double columns[4][3])
{
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 3; r++)
            columns[c][r] = (double)m->m[4 * c + r];
}

/* A vertex is a point of the box times a number between `least` and `most`, rounded to float. */
static bool scale_box(struct box *box, double least, double most)
{
    bool is_bounded = true;
    for (int i = 0; i < 3; i++) {
        box->min[i] *= box->min[i] < 0 ? most : least;
        box->max[i] *= box->max[i] > 0 ? most : least;
        const double lost = FLOAT_SLACK * fmax(fabs(box->min[i]), fabs(box->max[i])) + (double)FLT_MIN;
        box->min[i] -= lost;
        box->max[i] += lost;
        is_bounded = is_bounded && box->min[i] >= -MOST && box->max[i] <= MOST;
    }
    return is_bounded;
}

static bool to_world(const struct dmat4 *world_from_scene, const struct box *scene, struct box *out)
{
    double columns[4][3], middle[3], half[3], image[3], reach[3];
    bool is_finite = true;
    for (int i = 0; i < 3; i++) {
        middle[i] = scene->min[i] / 2 + scene->max[i] / 2;
        half[i] = (scene->max[i] - scene->min[i]) / 2;
    }
    for (int c = 0; c < 4; c++)
        memcpy(columns[c], world_from_scene->m + 4 * c, sizeof columns[c]);
    image_of((const double(*)[3])columns, middle, half, image, reach);
    for (int i = 0; i < 3; i++) {
        const double low = image[i] - reach[i], high = image[i] + reach[i];
        is_finite = is_finite && isfinite(low) && isfinite(high);
        out->min[i] = low < out->min[i] ? low : out->min[i];
        out->max[i] = high > out->max[i] ? high : out->max[i];
    }
    return is_finite;
}

bool mesh_block_bound(const struct mesh_blocks *blocks, const struct blocks_pose *pose, uint32_t block, struct box *out)
{
    const struct mesh_block *of = &blocks->blocks[blocks->firsts[pose->model->draws[pose->draw].primitive] + block];
    struct box scene = BOX_EMPTY;
    struct moved moved;
    if (!of->has_bound || pose->palette->method >= METHOD_DUAL_QUATERNION)
        return false;
    if (of[0].part_first == of[1].part_first)
        return true; /* it has no vertices */
    find_moved(blocks, pose, block, &moved);
    for (uint32_t p = of[0].part_first; p < of[1].part_first; p++) {
        double columns[4][3], middle[3], half[3], image[3], reach[3];
        columns_of(&pose->palette->matrices[blocks->parts[p].joint], columns);
        bind_box(&blocks->parts[p], &moved, middle, half);
        image_of((const double(*)[3])columns, middle, half, image, reach);
        for (int i = 0; i < 3; i++) {
            const double low = image[i] - reach[i], high = image[i] + reach[i];
            if (!(low >= -MOST && high <= MOST && fabs(middle[i]) + half[i] <= MOST))
                return false;
            scene.min[i] = low < scene.min[i] ? low : scene.min[i];
            scene.max[i] = high > scene.max[i] ? high : scene.max[i];
        }
    }
    return scale_box(&scene, of->least, of->most) && to_world(pose->world_from_scene, &scene, out);
}
