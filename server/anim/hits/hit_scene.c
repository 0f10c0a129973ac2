/* hit_scene.c - poses entities, keeps a ball around each volume and a box around each entity, and orders them. */
#include "anim/hits/hit_scene.h"

#include "anim/shape/affine.h"
#include "anim/hits/hit_rows.h"
#include "base/mem.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

void hit_scene_init(struct hit_scene *scene) { *scene = (struct hit_scene){0}; }

void hit_scene_fini(struct hit_scene *scene)
{
    free(scene->entities);
    free(scene->rows);
    free(scene->balls);
    free(scene->palette);
    free(scene->ends);
    free(scene->order);
    free(scene->middles);
    free(scene->places);
    box_tree_fini(&scene->tree);
}

size_t hit_scene_held_bytes(const struct hit_scene *scene)
{
    return scene->capacity * sizeof *scene->entities +
           scene->order_capacity * (sizeof *scene->order + sizeof *scene->middles + sizeof *scene->places) +
           (scene->row_capacity + scene->ball_capacity + scene->palette_capacity + scene->end_capacity) *
               sizeof(float) +
           scene->tree.box_capacity * sizeof(struct box);
}

void hit_scene_clear(struct hit_scene *scene) { scene->count = scene->row_count = scene->ball_count = 0; }

/* --- matrices --- */

static const float *rows_of(const struct hit_scene *scene, const struct scene_entity *entity, bool is_end)
{
    return scene->rows + entity->row_first + (is_end ? (size_t)HIT_ROW_FLOATS * entity->set->stride : 0);
}

void hit_scene_bind(const struct hit_scene *scene, const struct scene_entity *entity, uint32_t volume, double at,
                    struct dmat4 *out)
{
    struct dmat4 poses[2];
    for (int p = 0; p < (entity->is_moving ? 2 : 1); p++) {
        const float *rows = rows_of(scene, entity, p == 1);
        float matrix[HIT_ROW_FLOATS];
        for (int k = 0; k < HIT_ROW_FLOATS; k++)
            matrix[k] = rows[(size_t)k * entity->set->stride + volume];
        affine_times_rows(p == 0 ? &entity->begin : &entity->end, matrix, &poses[p]);
    }
    if (entity->is_moving)
        affine_between(&poses[0], &poses[1], at, out);
    else
        *out = poses[0];
}

void hit_scene_matrix(const struct hit_scene *scene, size_t entity, uint32_t volume, double at, struct dmat4 *out)
{
    const struct scene_entity *e = &scene->entities[entity];
    struct dmat4 world;
    hit_scene_bind(scene, e, volume, at, &world);
    *out = dmat4_mul(&world, &e->set->volumes[volume].bind_from_joint);
}

/* --- balls: x, y, z and radius in four arrays, in loops that the compiler vectorizes --- */

/* Computes the balls of a set in a pose, in its scene space, from rows. Stretches are bounded as in affine_stretch().
 */
static void pose_balls(const struct hit_set *set, const float *restrict rows, float *restrict out)
{
    const size_t n = set->stride;
    const float *restrict of = set->balls;
    for (size_t v = 0; v < n; v++) {
        const float a = rows[v], b = rows[n + v], c = rows[2 * n + v], d = rows[4 * n + v], e = rows[5 * n + v],
                    f = rows[6 * n + v], g = rows[8 * n + v], h = rows[9 * n + v], i = rows[10 * n + v];
        const float x = of[v], y = of[n + v], z = of[2 * n + v];
        out[v] = a * x + b * y + c * z + rows[3 * n + v];
        out[n + v] = d * x + e * y + f * z + rows[7 * n + v];
        out[2 * n + v] = g * x + h * y + i * z + rows[11 * n + v];
        const float xy = fabsf(a * b + d * e + g * h), xz = fabsf(a * c + d * f + g * i),
                    yz = fabsf(b * c + e * f + h * i);
        const float first = a * a + d * d + g * g + xy + xz, second = b * b + e * e + h * h + xy + yz,
                    third = c * c + f * f + i * i + xz + yz, most = first > second ? first : second;
        out[3 * n + v] = of[3 * n + v] * sqrtf(most > third ? most : third);
    }
}

/* Moves balls to the world, relative to `middle`. */
static void move_balls(size_t n, const struct dmat4 *world, const double middle[3], float *restrict balls)
{
    const double *w = world->m;
    const float stretch = (float)affine_stretch(world), ox = (float)(w[12] - middle[0]),
                oy = (float)(w[13] - middle[1]), oz = (float)(w[14] - middle[2]);
    float m[9];
    for (int k = 0; k < 9; k++)
        m[k] = (float)w[4 * (k / 3) + k % 3];
    for (size_t v = 0; v < n; v++) {
        const float x = balls[v], y = balls[n + v], z = balls[2 * n + v];
        balls[v] = m[0] * x + m[3] * y + m[6] * z + ox;
        balls[n + v] = m[1] * x + m[4] * y + m[7] * z + oy;
        balls[2 * n + v] = m[2] * x + m[5] * y + m[8] * z + oz;
        balls[3 * n + v] *= stretch;
    }
}

/* Encloses balls that move straight from one place to another. */
static void join_balls(size_t n, const float *restrict ends, float *restrict balls)
{
    for (size_t v = 0; v < n; v++) {
        const float x = (ends[v] - balls[v]) / 2, y = (ends[n + v] - balls[n + v]) / 2,
                    z = (ends[2 * n + v] - balls[2 * n + v]) / 2;
        const float radius = balls[3 * n + v], other = ends[3 * n + v];
        balls[v] += x;
        balls[n + v] += y;
        balls[2 * n + v] += z;
        balls[3 * n + v] = (radius > other ? radius : other) + sqrtf(x * x + y * y + z * z);
    }
}

/* Computes the box around all balls, whose coordinates are relative to `middle`. */
static void box_balls(size_t n, const float *balls, const double middle[3], struct box *out)
{
    for (int axis = 0; axis < 3; axis++) {
        const float *at = balls + (size_t)axis * n, *radii = balls + 3 * n;
        float low[HIT_LANES], high[HIT_LANES];
        for (int k = 0; k < HIT_LANES; k++) {
            low[k] = HUGE_VALF;
            high[k] = -HUGE_VALF;
        }
        for (size_t v = 0; v < n; v += HIT_LANES)
            for (int k = 0; k < HIT_LANES; k++) {
                const float l = at[v + (size_t)k] - radii[v + (size_t)k], h = at[v + (size_t)k] + radii[v + (size_t)k];
                low[k] = l < low[k] ? l : low[k];
                high[k] = h > high[k] ? h : high[k];
            }
        out->min[axis] = HUGE_VAL;
        out->max[axis] = -HUGE_VAL;
        for (int k = 0; k < HIT_LANES; k++) {
            const double l = middle[axis] + (double)low[k], h = middle[axis] + (double)high[k];
            out->min[axis] = l < out->min[axis] ? l : out->min[axis];
            out->max[axis] = h > out->max[axis] ? h : out->max[axis];
        }
    }
}

/* Places the balls in the world relative to the middle of the entity, about the centre of all volumes in the first
 * pose. */
static void place_balls(struct hit_scene *scene, struct scene_entity *entity)
{
    static const double ORIGIN[3] = {0, 0, 0};
    const struct hit_set *set = entity->set;
    const size_t n = set->stride;
    float *balls = scene->balls + entity->ball_first;
    struct box of_scene;
    double middle[3] = {0, 0, 0};
    pose_balls(set, rows_of(scene, entity, false), balls);
    box_balls(n, balls, ORIGIN, &of_scene);
    for (int i = 0; i < 3 && box_size(&of_scene) > 0; i++)
        middle[i] = of_scene.min[i] / 2 + of_scene.max[i] / 2;
    dmat4_point(&entity->begin, middle, entity->middle);
    move_balls(n, &entity->begin, entity->middle, balls);
    if (entity->is_moving) {
        float *ends = scene->ends;
        pose_balls(set, rows_of(scene, entity, true), ends);
        move_balls(n, &entity->end, entity->middle, ends);
        join_balls(n, ends, balls);
    }
    /* the error of floats grows with all numbers that were added: the places of the balls in their scene, and the size
     * of everything */
    double lost = 0;
    for (int i = 0; i < 3; i++)
        lost += fabs(middle[i]) * affine_stretch(&entity->begin);
    box_balls(n, balls, entity->middle, &entity->box);
    const float more = (float)(HIT_FLOAT_SLACK * (lost + (box_is_empty(&entity->box) ? 0 : box_size(&entity->box))));
    for (size_t v = 0; v < n; v++)
        balls[3 * n + v] += more;
    for (int i = 0; i < 3; i++) {
        entity->box.min[i] -= (double)more;
        entity->box.max[i] += (double)more;
    }
}

/* --- room --- */

static bool reserve_more(void *array, size_t *capacity, size_t count, size_t item_bytes)
{
    if (count <= *capacity)
        return true;
    if (!mem_try_resize(array, count, item_bytes))
        return false;
    *capacity = count;
    return true;
}

static bool reserve_order(struct hit_scene *scene, size_t count)
{
    if (count <= scene->order_capacity)
        return true;
    if (!mem_try_resize(&scene->order, count, sizeof *scene->order) ||
        !mem_try_resize(&scene->middles, count, sizeof *scene->middles) ||
        !mem_try_resize(&scene->places, count, sizeof *scene->places))
        return false;
    scene->order_capacity = count;
    return true;
}

/* Returns the floats that an entity with the set needs. */
static size_t palette_floats(const struct hit_set *set)
{
    return (size_t)HIT_ROW_FLOATS * (set->joint_most > set->node_count ? set->joint_most : set->node_count) + 1;
}
static size_t row_floats(const struct hit_set *set, int pose_count)
{
    return (size_t)HIT_ROW_FLOATS * set->stride * (size_t)pose_count;
}
static size_t ball_floats(const struct hit_set *set) { return (size_t)4 * set->stride; }

bool hit_scene_reserve(struct hit_scene *scene, const struct hit_set *set, uint32_t count)
{
    const size_t entities = scene->capacity + count;
    return entities <= UINT32_MAX &&
           reserve_more(&scene->palette, &scene->palette_capacity, palette_floats(set), sizeof(float)) &&
           reserve_more(&scene->ends, &scene->end_capacity, ball_floats(set) + 1, sizeof(float)) &&
           reserve_more(&scene->rows, &scene->row_capacity, scene->row_capacity + count * row_floats(set, 2) + 1,
                        sizeof(float)) &&
           reserve_more(&scene->balls, &scene->ball_capacity, scene->ball_capacity + count * ball_floats(set) + 1,
                        sizeof(float)) &&
           reserve_order(scene, entities) && box_tree_reserve(&scene->tree, (uint32_t)entities) &&
           reserve_more(&scene->entities, &scene->capacity, entities, sizeof *scene->entities);
}

bool hit_scene_has_capacity(const struct hit_scene *scene, const struct hit_set *set)
{
    return scene->count < scene->capacity && scene->count < scene->order_capacity &&
           palette_floats(set) <= scene->palette_capacity && ball_floats(set) < scene->end_capacity &&
           scene->row_count + row_floats(set, 2) < scene->row_capacity &&
           scene->ball_count + ball_floats(set) < scene->ball_capacity;
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
    const size_t rows = row_floats(set, end != NULL ? 2 : 1);
    scene->palette = grow(scene->palette, &scene->palette_capacity, palette_floats(set), sizeof(float));
    scene->rows = grow(scene->rows, &scene->row_capacity, scene->row_count + rows + 1, sizeof(float));
    scene->balls = grow(scene->balls, &scene->ball_capacity, scene->ball_count + ball_floats(set) + 1, sizeof(float));
    if (end != NULL)
        scene->ends = grow(scene->ends, &scene->end_capacity, ball_floats(set) + 1, sizeof(float));
    scene->entities = grow(scene->entities, &scene->capacity, scene->count + 1, sizeof *scene->entities);
    struct scene_entity *entity = &scene->entities[scene->count];
    *entity = (struct scene_entity){.id = id,
                                    .mask = mask,
                                    .set = set,
                                    .is_moving = end != NULL,
                                    .begin = begin->world_from_scene,
                                    .end = end != NULL ? end->world_from_scene : begin->world_from_scene,
                                    .row_first = scene->row_count,
                                    .ball_first = scene->ball_count};
    entity_evaluate(work, begin->entity);
    int rc = hit_rows_put(set, work, scene->palette, scene->rows + scene->row_count, err);
    if (rc == 0 && end != NULL) {
        entity_evaluate(work, end->entity);
        rc = hit_rows_put(set, work, scene->palette, scene->rows + scene->row_count + rows / 2, err);
    }
    if (rc < 0)
        return rc;
    place_balls(scene, entity);
    scene->row_count += rows;
    scene->ball_count += ball_floats(set);
    scene->count++;
    return 0;
}

void hit_scene_order(struct hit_scene *scene)
{
    const uint32_t count = (uint32_t)scene->count;
    if (scene->count > scene->order_capacity && !reserve_order(scene, scene->count + scene->count / 2))
        mem_exhausted();
    for (uint32_t e = 0; e < count; e++)
        memcpy(scene->middles[e], scene->entities[e].middle, sizeof scene->middles[e]);
    box_tree_order((const double(*)[3])scene->middles, count, scene->places, scene->order);
    box_tree_resize(&scene->tree, count);
    for (uint32_t leaf = 0; leaf < scene->tree.leaf_count; leaf++)
        for (uint32_t p = box_tree_place(&scene->tree, leaf); p < box_tree_place(&scene->tree, leaf + 1); p++)
            box_join(box_tree_leaf(&scene->tree, leaf), &scene->entities[scene->order[p]].box);
    box_tree_refit(&scene->tree);
}
