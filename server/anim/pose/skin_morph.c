/* skin_morph.c - adds the deltas of morph targets to positions and normals.
 *
 * Vertices go by blocks, and a block goes target by target: a target of weight 0 costs one look for each block. Each
 * vertex gets the deltas in the order of the targets, so the bits do not depend on the blocks. */
#include "anim/pose/skin.h"

enum {
    BLOCK = 64,
    DELTAS_PER_VERTEX = 32, /* this many deltas take the time of one skinned vertex */
    LOOKS_PER_DELTA = 4     /* and this many weights of 0 that of one delta */
};

/* Some vertices of a primitive, as indices in it: places[count], or `first` and those after it when places is NULL. */
struct block {
    const uint32_t *places;
    uint32_t first, count;
};

/* Adds the weighted deltas of all targets to sums[count]: of normals with `is_normal`, else of positions. */
static void add_targets(const struct model *model, const struct primitive *primitive, bool is_normal,
                        const double *weights, uint32_t weight_count, const struct block *block, double (*sums)[3])
{
    const struct morph_target *targets = model->morph_targets + primitive->morph_target_first;
    for (uint32_t t = 0; t < primitive->morph_target_count && t < weight_count; t++) {
        const uint32_t first = is_normal ? targets[t].normal_first : targets[t].position_first;
        if (weights[t] == 0 || first == UINT32_MAX)
            continue;
        for (uint32_t i = 0; i < block->count; i++) {
            const uint32_t place = block->places != NULL ? block->places[i] : block->first + i;
            const struct vec3 *delta = &model->morph_deltas[first + place];
            sums[i][0] += weights[t] * (double)delta->x;
            sums[i][1] += weights[t] * (double)delta->y;
            sums[i][2] += weights[t] * (double)delta->z;
        }
    }
}

static uint32_t block_size(uint32_t count, uint32_t first) { return count - first < BLOCK ? count - first : BLOCK; }

static void set_sum(const struct vec3 *base, double sum[3])
{
    sum[0] = (double)base->x;
    sum[1] = (double)base->y;
    sum[2] = (double)base->z;
}

static void morph(const struct model *model, const struct primitive *primitive, const struct vec3 *base, bool is_normal,
                  const double *weights, uint32_t weight_count, struct vec3 *out)
{
    struct block block = {.first = 0};
    for (; block.first < primitive->vertex_count; block.first += BLOCK) {
        double sums[BLOCK][3];
        block.count = block_size(primitive->vertex_count, block.first);
        for (uint32_t i = 0; i < block.count; i++)
            set_sum(&base[block.first + i], sums[i]);
        add_targets(model, primitive, is_normal, weights, weight_count, &block, sums);
        for (uint32_t i = 0; i < block.count; i++)
            out[block.first + i] = (struct vec3){(float)sums[i][0], (float)sums[i][1], (float)sums[i][2]};
    }
}

void skin_morph_positions(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                          struct vec3 *out)
{
    const struct primitive *p = &model->primitives[primitive];
    morph(model, p, model->positions + p->vertex_first, false, weights, weight_count, out);
}

void skin_morph_normals(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                        struct vec3 *out)
{
    const struct primitive *p = &model->primitives[primitive];
    morph(model, p, model->normals + p->vertex_first, true, weights, weight_count, out);
}

void skin_morph_binds(const struct model *model, uint32_t primitive, const uint32_t *places, uint32_t count,
                      const double *weights, uint32_t weight_count, double (*binds)[3])
{
    const struct primitive *p = &model->primitives[primitive];
    for (uint32_t first = 0; first < count; first += BLOCK) {
        const struct block block = {.places = places + first, .count = block_size(count, first)};
        for (uint32_t i = 0; i < block.count; i++)
            set_sum(&model->positions[p->vertex_first + block.places[i]], binds[first + i]);
        add_targets(model, p, false, weights, weight_count, &block, binds + first);
    }
}

void skin_morph_places(const struct model *model, uint32_t primitive, const uint32_t *places, uint32_t count,
                       const double *weights, uint32_t weight_count, struct vec3 *out)
{
    for (uint32_t first = 0; first < count; first += BLOCK) {
        double binds[BLOCK][3];
        const uint32_t size = block_size(count, first);
        skin_morph_binds(model, primitive, places + first, size, weights, weight_count, binds);
        for (uint32_t i = 0; i < size; i++)
            out[first + i] = (struct vec3){(float)binds[i][0], (float)binds[i][1], (float)binds[i][2]};
    }
}

uint64_t skin_morph_work(const struct model *model, uint32_t primitive, const double *weights, uint32_t weight_count,
                         uint64_t count)
{
    const struct primitive *p = &model->primitives[primitive];
    const struct morph_target *targets = model->morph_targets + p->morph_target_first;
    const uint32_t seen = p->morph_target_count < weight_count ? p->morph_target_count : weight_count;
    uint64_t active = 0;
    for (uint32_t t = 0; t < seen; t++)
        active += weights[t] != 0 && targets[t].position_first != UINT32_MAX;
    return (count * active + seen * (count / BLOCK + 1) / LOOKS_PER_DELTA) / DELTAS_PER_VERTEX;
}

uint64_t skin_draw_work(const struct model *model, uint32_t draw, const struct pose *pose)
{
    const struct draw *d = &model->draws[draw];
    const struct node *node = &model->nodes[d->node];
    const uint32_t count = model->primitives[d->primitive].vertex_count;
    if (model->primitives[d->primitive].morph_target_count == 0)
        return count;
    return count + skin_morph_work(model, d->primitive, pose->weights + node->weight_first, node->weight_count, count);
}
