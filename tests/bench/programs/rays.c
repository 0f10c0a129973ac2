/* rays - how long a game server's shots take: rays at posed characters, posing included.
 *
 *   rays [-r ROUNDS] [-e CHARACTERS] [-n RAYS] [-k KERNEL]
 *
 * Characters have 65 joints with a capsule each, fitted to 24 vertices around every bone, and stand all over a field of
 * 60 x 60 m; one clip turns all joints. Rays begin at the height of eyes, anywhere on the field, go 50 m, and are
 * chosen so that one in ten hits somebody. Prints JSON: median and spread (half of the distance of the quartiles) over
 * the rounds, in microseconds, of a whole request (pose all, order, cast all), and of its parts; the same of balls of
 * 0.1 m, of characters that move between two poses, and of meshes. */
#include "anim/bake/bake.h"
#include "anim/hits/hit_mesh.h"
#include "base/mem.h"
#include "tests/bench/programs/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOINTS = 65, RING = 8, RINGS = 3, ROUNDS_MAX = 1001, BONE_VERTICES = RING * RINGS };

static double now_us(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e3; }

static double random_from(double low, double high) { return low + (high - low) * next_random(); }

/* --- a character: a trunk of nine joints, four limbs of fourteen --- */

static int32_t parent_of(uint32_t joint)
{
    const uint32_t limb = (joint - 9) / 14;
    return joint == 0             ? -1
           : joint < 9            ? (int32_t)joint - 1
           : (joint - 9) % 14 > 0 ? (int32_t)joint - 1
           : limb < 2             ? 6
                                  : 0;
}

static void add_node(struct bake_builder *b, uint32_t joint)
{
    static const float SIDES[4][3] = {{0.18f, 0, 0}, {-0.18f, 0, 0}, {0.1f, -0.05f, 0}, {-0.1f, -0.05f, 0}};
    struct node *node = bake_add_node(b, 1);
    *node = (struct node){.name = {.offset = STR_NONE},
                          .parent = parent_of(joint),
                          .mesh = -1,
                          .skin = -1,
                          .matrix = -1,
                          .rotation = {0, 0, 0, 1},
                          .scale = {1, 1, 1}};
    const uint32_t limb = joint < 9 ? 0 : (joint - 9) / 14;
    node->translation[1] = joint == 0 ? 0.95f : joint < 9 ? 0.09f : -0.06f;
    if (joint >= 9 && (joint - 9) % 14 == 0)
        memcpy(node->translation, SIDES[limb], sizeof SIDES[limb]);
}

static void add_mesh(struct bake_builder *b)
{
    enum { VERTICES = JOINTS * BONE_VERTICES, FACES = JOINTS * RING * (RINGS - 1) * 2 };
    *bake_add_mesh(b, 1) = (struct mesh){{.offset = STR_NONE}, 0, 1};
    *bake_add_primitive(b, 1) = (struct primitive){.vertex_count = VERTICES, .index_count = 3 * FACES, .material = -1};
    struct vec3 *positions = bake_add_position(b, VERTICES), *normals = bake_add_normal(b, VERTICES);
    uint32_t *firsts = bake_add_influence_first(b, VERTICES + 1), *index = bake_add_index(b, 3 * FACES);
    struct influence *influences = bake_add_influence(b, VERTICES);
    for (uint32_t v = 0; v < VERTICES; v++) {
        const uint32_t joint = v / BONE_VERTICES, ring = v % BONE_VERTICES / RING;
        const double angle = (v % RING) * 2 * acos(-1) / RING, radius = joint < 9 ? 0.14 : 0.05;
        positions[v] = (struct vec3){(float)(radius * cos(angle)), (float)(ring * (joint < 9 ? 0.045 : -0.03)),
                                     (float)(radius * sin(angle))};
        normals[v] = (struct vec3){(float)cos(angle), 0, (float)sin(angle)};
        influences[v] = (struct influence){joint, 1};
        firsts[v + 1] = v + 1;
    }
    for (uint32_t f = 0; f < FACES / 2; f++) {
        const uint32_t at = f / (RING * (RINGS - 1)) * BONE_VERTICES + f % (RING * (RINGS - 1)),
                       next = at % RING + 1 < RING ? at + 1 : at + 1 - RING;
        const uint32_t corners[6] = {at, next, at + RING, next, next + RING, at + RING};
        memcpy(index + 6 * f, corners, sizeof corners);
    }
}

static void add_clip(struct bake_builder *b)
{
    enum { FRAMES = 60 };
    double *times = bake_add_key_time(b, FRAMES);
    for (int f = 0; f < FRAMES; f++)
        times[f] = f / 30.0;
    *bake_add_clip(b, 1) = (struct clip){.name = {.offset = STR_NONE}, .channel_count = JOINTS};
    for (uint32_t c = 0; c < JOINTS; c++) {
        const uint32_t first = b->key_value_count;
        float *values = bake_add_key_value(b, FRAMES * 4);
        double axis[3], length = 0;
        for (int i = 0; i < 3; i++) {
            axis[i] = random_from(-1, 1);
            length += axis[i] * axis[i];
        }
        for (int f = 0; f < FRAMES; f++) {
            const double half = 0.12 * sin(2 * acos(-1) * (f / 60.0 + 0.1 * c));
            for (int i = 0; i < 3; i++)
                values[4 * f + i] = (float)(axis[i] / sqrt(length) * sin(half));
            values[4 * f + 3] = (float)cos(half);
        }
        *bake_add_channel(b, 1) = (struct channel){
            .node = c, .path = PATH_ROTATION, .component_count = 4, .key_count = FRAMES, .value_first = first};
    }
}

static void make_character(struct model *model)
{
    struct bake_builder b;
    struct buf buf;
    struct err err = {0};
    bake_builder_init(&b, 0);
    bake_add_info(&b, 1);
    for (uint32_t j = 0; j < JOINTS; j++)
        add_node(&b, j);
    *bake_add_skin(&b, 1) = (struct skin){{.offset = STR_NONE}, 0, JOINTS, -1, 0, METHOD_LINEAR};
    struct joint *joints = bake_add_joint(&b, JOINTS);
    for (uint32_t j = 0; j < JOINTS; j++) {
        joints[j].node = j;
        for (int i = 0; i < 16; i += 5)
            joints[j].joint_from_bind.m[i] = 1;
    }
    add_mesh(&b);
    struct node *body = bake_add_node(&b, 1);
    *body = (struct node){
        .name = {.offset = STR_NONE}, .parent = -1, .matrix = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    uint32_t *roots = bake_add_root(&b, 2);
    roots[0] = 0;
    roots[1] = JOINTS;
    add_clip(&b);
    buf_init(&buf, 0);
    if (bake_finish(&b, &err) < 0 || bake_encode(&b, &buf, &err) < 0) {
        fprintf(stderr, "rays: %s\n", err.message);
        exit(1);
    }
    void *block = aligned_alloc(BAKE_ALIGNMENT, (buf.size_bytes + 63) / 64 * 64);
    memcpy(block, buf.data, buf.size_bytes);
    if (bake_decode(block, buf.size_bytes, model, &err) < 0) {
        fprintf(stderr, "rays: %s\n", err.message);
        exit(1);
    }
    buf_fini(&buf);
    bake_builder_fini(&b);
}

/* --- a field of them --- */

struct field {
    struct model model;
    struct hit_set *set;
    struct hit_mesh *mesh;
    struct entity_work work;
    struct hit_scene scene;
    struct mesh_work mesh_work;
    struct hit_list hits;
    struct blend_layer *layers; /* [2 * count] */
    struct entity *entities;
    struct scene_pose *poses;
    struct hit_ray *rays;
    uint32_t count, ray_count;
};

static void place_characters(struct field *field)
{
    field->layers = mem_zalloc(2 * field->count, sizeof *field->layers);
    field->entities = mem_zalloc(2 * field->count, sizeof *field->entities);
    field->poses = mem_zalloc(2 * field->count, sizeof *field->poses);
    for (uint32_t i = 0; i < 2 * field->count; i++) {
        struct scene_pose *pose = &field->poses[i];
        const bool is_end = i >= field->count;
        const double time_s = is_end ? field->layers[i - field->count].clip_time_s + 1 / 60.0 : random_from(0, 1.9);
        field->layers[i] = (struct blend_layer){.clip_time_s = time_s, .weight = 1};
        field->entities[i] = (struct entity){.model = &field->model, .layers = &field->layers[i], .layer_count = 1};
        pose->entity = &field->entities[i];
        const double yaw = random_from(0, 6.28), turn[4] = {0, sin(yaw / 2), 0, cos(yaw / 2)};
        struct trs trs = {.translation = {random_from(-30, 30), 0, random_from(-30, 30)}, .scale = {1, 1, 1}};
        memcpy(trs.rotation, turn, sizeof turn);
        pose->world_from_scene = dmat4_from_trs(&trs);
        if (is_end) {
            pose->world_from_scene = field->poses[i - field->count].world_from_scene;
            pose->world_from_scene.m[12] += 0.08; /* 5 m a second at 60 ticks a second */
        }
    }
}

static uint32_t add_all(struct field *field, bool is_moving)
{
    struct err err;
    hit_scene_clear(&field->scene);
    for (uint32_t e = 0; e < field->count; e++)
        if (hit_scene_add(&field->scene, &field->work, e, 1, field->set, &field->poses[e],
                          is_moving ? &field->poses[field->count + e] : NULL, &err) < 0)
            exit(1);
    return field->count;
}

static void cast_all(struct field *field)
{
    field->hits.count = 0;
    for (uint32_t r = 0; r < field->ray_count; r++)
        hit_scene_cast(&field->scene, r, &field->rays[r], &field->hits);
}

/* Chooses rays so that one in ten hits. */
static void choose_rays(struct field *field)
{
    uint32_t hit_count = 0, count = 0;
    field->rays = mem_zalloc(field->ray_count, sizeof *field->rays);
    add_all(field, false);
    hit_scene_order(&field->scene);
    while (count < field->ray_count) {
        struct hit_ray ray = {.origin = {random_from(-30, 30), 1.6, random_from(-30, 30)},
                              .direction = {random_from(-1, 1), random_from(-0.12, 0.12), random_from(-1, 1)},
                              .most = 50,
                              .at = random_from(0, 1),
                              .mask = 1,
                              .ignored = (uint32_t)HIT_NONE};
        unit3(ray.direction);
        field->hits.count = 0;
        hit_scene_cast(&field->scene, 0, &ray, &field->hits);
        const bool is_hit = field->hits.count > 0, is_wanted = hit_count * 10 < count + 1;
        if (is_hit != is_wanted)
            continue;
        hit_count += is_hit;
        field->rays[count++] = ray;
    }
}

/* --- rounds --- */

static void print(const char *name, double *us, int rounds, size_t hits, bool is_last)
{
    qsort(us, (size_t)rounds, sizeof *us, by_size);
    printf("\"%s\":{\"us\":%.1f,\"spread\":%.1f,\"hits\":%zu}%s", name, us[rounds / 2],
           (us[rounds * 3 / 4] - us[rounds / 4]) / 2, hits, is_last ? "}\n" : ",");
}

static void measure(struct field *field, const char *name, int rounds, bool is_moving)
{
    static double all[ROUNDS_MAX], pose[ROUNDS_MAX], order[ROUNDS_MAX], cast[ROUNDS_MAX];
    for (int r = 0; r < rounds; r++) {
        const double begin = now_us();
        add_all(field, is_moving);
        const double posed = now_us();
        hit_scene_order(&field->scene);
        const double ordered = now_us();
        cast_all(field);
        const double end = now_us();
        all[r] = end - begin;
        pose[r] = posed - begin;
        order[r] = ordered - posed;
        cast[r] = end - ordered;
    }
    printf("{\"what\":\"%s\",\"characters\":%u,\"joints\":%d,\"rays\":%u,", name, field->count, JOINTS,
           field->ray_count);
    print("pose", pose, rounds, field->hits.count, false);
    print("order", order, rounds, field->hits.count, false);
    print("cast", cast, rounds, field->hits.count, false);
    print("all", all, rounds, field->hits.count, true);
}

static void measure_meshes(struct field *field, int rounds)
{
    static double all[ROUNDS_MAX];
    const struct mesh_rays rays = {field->rays, field->ray_count, &field->hits};
    struct err err;
    for (int r = 0; r < rounds; r++) {
        const double begin = now_us();
        field->hits.count = 0;
        hit_mesh_begin(&field->mesh_work, &rays);
        for (uint32_t e = 0; e < field->count; e++)
            if (hit_mesh_cast(&field->mesh_work, &field->work, field->mesh, e, 1, &field->poses[e], NULL, &rays, &err) <
                0)
                exit(1);
        all[r] = now_us() - begin;
    }
    printf("{\"what\":\"meshes\",\"characters\":%u,\"triangles\":%u,\"rays\":%u,", field->count,
           field->model.primitives[0].index_count / 3, field->ray_count);
    print("all", all, rounds, field->hits.count, true);
}

int main(int argc, char **argv)
{
    struct field field = {.count = 120, .ray_count = 1000, .hits = {.count_most = SIZE_MAX, .steps_most = UINT64_MAX}};
    int rounds = 51, option;
    struct err err;
    const char *kernel = NULL;
    while ((option = getopt(argc, argv, "r:e:n:k:")) != -1) {
        if (option == 'r')
            rounds = atoi(optarg);
        else if (option == 'e')
            field.count = (uint32_t)atoi(optarg);
        else if (option == 'n')
            field.ray_count = (uint32_t)atoi(optarg);
        else if (option == 'k')
            kernel = optarg;
        else
            return 2;
    }
    if (rounds < 1 || rounds > ROUNDS_MAX || field.count < 1 || field.ray_count < 1)
        return 2;
    make_character(&field.model);
    if (hit_set_new(&field.model, VOLUME_CAPSULE, UINT64_MAX, &field.set, &err) < 0)
        return 1;
    field.mesh = hit_mesh_new(&field.model);
    entity_work_init(&field.work);
    if (kernel != NULL)
        field.work.compiled.kernel = kernel_find(kernel);
    hit_scene_init(&field.scene);
    mesh_work_init(&field.mesh_work);
    place_characters(&field);
    choose_rays(&field);
    measure(&field, "rays", rounds, false);
    measure(&field, "rays, moving characters", rounds, true);
    measure_meshes(&field, rounds < 11 ? rounds : 11);
    for (uint32_t r = 0; r < field.ray_count; r++)
        field.rays[r].radius = 0.1;
    measure(&field, "balls", rounds < 11 ? rounds : 11, false);
    return 0;
}
