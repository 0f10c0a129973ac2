/* hit_scene.c - poses entities, keeps a ball around each volume and a box around each entity, and orders them. */
#include "anim/hits/hit_scene.h"

#include "anim/hits/affine.h"
#include "base/mem.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_FLOATS = 12, BALL_LANES = 8 };

void hit_scene_init(struct hit_scene *scene) { *scene = (struct hit_scene){0}; }

void hit_scene_fini(struct hit_scene *scene)
{
    free(scene->entities);
    free(scene->rows);
    free(scene->balls);
    free(scene->palette);
    free(scene->order);
    box_tree_fini(&scene->tree);
}

size_t hit_scene_held_bytes(const struct hit_scene *scene)
{
    return scene->capacity * sizeof *scene->entities + scene->order_capacity * sizeof *scene->order +
           (scene->row_capacity + scene->ball_capacity + scene->palette_capacity) * sizeof(float) +
           scene->tree.box_capacity * sizeof(struct box);
}

void hit_scene_clear(struct hit_scene *scene) { scene->count = scene->row_count = scene->ball_count = 0; }

/* --- matrices --- */

/* The rows of all volumes in the pose evaluated last, into out[12 * count]. */
static int put_rows(struct hit_scene *scene, struct entity_work *work, const struct hit_set *set, float *out,
                    struct err *err)
{
    for (uint32_t s = 0; s < set->skin_count; s++) {
        if (entity_palette(work, set->skins[s], LAYOUT_MAT3X4, scene->palette, err) < 0)
            return err->code;
        for (uint32_t v = 0; v < set->count; v++)
            if (set->volumes[v].skin == (int32_t)set->skins[s])
                memcpy(out + (size_t)ROW_FLOATS * v, scene->palette + (size_t)ROW_FLOATS * set->volumes[v].joint,
                       ROW_FLOATS * sizeof *out);
    }
    if (set->node_count == 0)
        return 0;
    if (entity_nodes(work, set->nodes, set->node_count, LAYOUT_MAT3X4, scene->palette, err) < 0)
        return err->code;
    for (uint32_t v = 0, n = 0; v < set->count; v++)
        if (set->volumes[v].skin < 0)
            memcpy(out + (size_t)ROW_FLOATS * v, scene->palette + (size_t)ROW_FLOATS * n++, ROW_FLOATS * sizeof *out);
    return 0;
}

void hit_scene_bind(const struct hit_scene *scene, const struct scene_entity *entity, uint32_t volume, double at,
                    struct dmat4 *out)
{
    const float *rows = scene->rows + entity->row_first + (size_t)ROW_FLOATS * volume;
    affine_times_rows(&entity->begin, rows, out);
    if (!entity->is_moving)
        return;
    struct dmat4 end;
    affine_times_rows(&entity->end, rows + (size_t)ROW_FLOATS * entity->set->count, &end);
    affine_between(out, &end, at, out);
}

void hit_scene_matrix(const struct hit_scene *scene, size_t entity, uint32_t volume, double at, struct dmat4 *out)
{
    const struct scene_entity *e = &scene->entities[entity];
    struct dmat4 world;
    hit_scene_bind(scene, e, volume, at, &world);
    *out = dmat4_mul(&world, &e->set->volumes[volume].bind_from_joint);
}

/* --- balls --- */

struct ball {
    double middle[3], radius;
};

/* As affine_stretch(), of rows. */
static float stretch_of(const float *r)
{
    const float xx = r[0] * r[0] + r[4] * r[4] + r[8] * r[8], yy = r[1] * r[1] + r[5] * r[5] + r[9] * r[9],
                zz = r[2] * r[2] + r[6] * r[6] + r[10] * r[10];
    const float xy = fabsf(r[0] * r[1] + r[4] * r[5] + r[8] * r[9]),
                xz = fabsf(r[0] * r[2] + r[4] * r[6] + r[8] * r[10]),
                yz = fabsf(r[1] * r[2] + r[5] * r[6] + r[9] * r[10]);
    const float a = xx + xy + xz, b = yy + xy + yz, c = zz + xz + yz, most = a > b ? a : b;
    return sqrtf(most > c ? most : c);
}

/* stretch: that of world. */
static void pose_ball(const struct dmat4 *world, double stretch, const float rows[ROW_FLOATS],
                      const struct set_volume *volume, struct ball *out)
{
    const double *c = volume->center, *w = world->m;
    double scene[3];
    for (int r = 0; r < 3; r++)
        scene[r] = (double)rows[4 * r] * c[0] + (double)rows[4 * r + 1] * c[1] + (double)rows[4 * r + 2] * c[2] +
                   (double)rows[4 * r + 3];
    for (int r = 0; r < 3; r++)
        out->middle[r] = w[r] * scene[0] + w[4 + r] * scene[1] + w[8 + r] * scene[2] + w[12 + r];
    out->radius = volume->radius * (double)stretch_of(rows) * stretch;
}

/* The ball around a ball that goes straight from one place to another. */
static void join_balls(struct ball *ball, const struct ball *end)
{
    double way2 = 0;
    for (int i = 0; i < 3; i++) {
        const double half = (end->middle[i] - ball->middle[i]) / 2;
        ball->middle[i] += half;
        way2 += half * half;
    }
    ball->radius = fmax(ball->radius, end->radius) + sqrt(way2);
}

static void find_ball(const struct hit_scene *scene, const struct scene_entity *entity, const double stretches[2],
                      uint32_t volume, struct ball *ball)
{
    const struct set_volume *of = &entity->set->volumes[volume];
    const float *rows = scene->rows + entity->row_first + (size_t)ROW_FLOATS * volume;
    pose_ball(&entity->begin, stretches[0], rows, of, ball);
    if (!entity->is_moving)
        return;
    struct ball end;
    pose_ball(&entity->end, stretches[1], rows + (size_t)ROW_FLOATS * entity->set->count, of, &end);
    join_balls(ball, &end);
}

/* Balls are a little larger than they are, and become floats seen from the middle of the entity. */
static void place_balls(struct hit_scene *scene, struct scene_entity *entity)
{
    const double SLACK = 4e-6;
    const double stretches[2] = {affine_stretch(&entity->begin), affine_stretch(&entity->end)};
    float *balls = scene->balls + entity->ball_first;
    struct ball *all = mem_alloc(((size_t)entity->set->count + 1) * sizeof *all);
    entity->box = BOX_EMPTY;
    for (uint32_t v = 0; v < entity->set->count; v++) {
        find_ball(scene, entity, stretches, v, &all[v]);
        all[v].radius *= 1 + SLACK;
        for (int i = 0; i < 3; i++) {
            const double low = all[v].middle[i] - all[v].radius, high = all[v].middle[i] + all[v].radius;
            entity->box.min[i] = low < entity->box.min[i] ? low : entity->box.min[i];
            entity->box.max[i] = high > entity->box.max[i] ? high : entity->box.max[i];
        }
    }
    const double size = box_is_empty(&entity->box) ? 0 : box_size(&entity->box);
    for (int i = 0; i < 3; i++)
        entity->middle[i] = size > 0 ? entity->box.min[i] / 2 + entity->box.max[i] / 2 : 0;
    for (uint32_t v = 0; v < entity->ball_stride; v++) {
        const bool is_one = v < entity->set->count;
        for (int i = 0; i < 3; i++)
            balls[(size_t)i * entity->ball_stride + v] = is_one ? (float)(all[v].middle[i] - entity->middle[i]) : 0;
        balls[3 * (size_t)entity->ball_stride + v] = is_one ? (float)(all[v].radius + SLACK * size) : -FLT_MAX;
    }
    free(all);
}

/* --- entities --- */

static void *grow(void *items, size_t *capacity, size_t count, size_t item_bytes)
{
    return count > *capacity ? mem_grow(items, capacity, count, item_bytes) : items;
}

int hit_scene_add(struct hit_scene *scene, struct entity_work *work, uint32_t id, uint32_t mask,
                  const struct hit_set *set, const struct scene_pose *begin, const struct scene_pose *end,
                  struct err *err)
{
    const uint32_t stride = (set->count + BALL_LANES - 1) / BALL_LANES * BALL_LANES;
    const size_t rows = (size_t)ROW_FLOATS * set->count * (end != NULL ? 2 : 1);
    const uint32_t most = set->joint_most > set->node_count ? set->joint_most : set->node_count;
    scene->palette = grow(scene->palette, &scene->palette_capacity, (size_t)ROW_FLOATS * most + 1, sizeof(float));
    scene->rows = grow(scene->rows, &scene->row_capacity, scene->row_count + rows + 1, sizeof(float));
    scene->balls = grow(scene->balls, &scene->ball_capacity, scene->ball_count + (size_t)4 * stride + 1, sizeof(float));
    scene->entities = grow(scene->entities, &scene->capacity, scene->count + 1, sizeof *scene->entities);
    struct scene_entity *entity = &scene->entities[scene->count];
    *entity = (struct scene_entity){.id = id,
                                    .mask = mask,
                                    .set = set,
                                    .is_moving = end != NULL,
                                    .begin = begin->world_from_scene,
                                    .end = end != NULL ? end->world_from_scene : begin->world_from_scene,
                                    .row_first = scene->row_count,
                                    .ball_first = scene->ball_count,
                                    .ball_stride = stride};
    entity_evaluate(work, begin->entity);
    int rc = put_rows(scene, work, set, scene->rows + scene->row_count, err);
    if (rc == 0 && end != NULL) {
        entity_evaluate(work, end->entity);
        rc = put_rows(scene, work, set, scene->rows + scene->row_count + rows / 2, err);
    }
    if (rc < 0)
        return rc;
    place_balls(scene, entity);
    scene->row_count += rows;
    scene->ball_count += (size_t)4 * stride;
    scene->count++;
    return 0;
}

void hit_scene_order(struct hit_scene *scene)
{
    const uint32_t count = (uint32_t)scene->count;
    double(*middles)[3] = mem_alloc((scene->count + 1) * sizeof *middles);
    for (uint32_t e = 0; e < count; e++)
        memcpy(middles[e], scene->entities[e].middle, sizeof middles[e]);
    scene->order = grow(scene->order, &scene->order_capacity, scene->count + 1, sizeof *scene->order);
    box_tree_order((const double(*)[3])middles, count, scene->order);
    box_tree_resize(&scene->tree, count);
    for (uint32_t leaf = 0; leaf < scene->tree.leaf_count; leaf++)
        for (uint32_t p = box_tree_place(&scene->tree, leaf); p < box_tree_place(&scene->tree, leaf + 1); p++)
            box_join(box_tree_leaf(&scene->tree, leaf), &scene->entities[scene->order[p]].box);
    box_tree_refit(&scene->tree);
    free(middles);
}
