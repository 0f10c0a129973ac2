#include "tests/unit/hits/tube_rig.h"

#include "tests/unit/support/check.h"

#include <string.h>

enum { RINGS = 40, RING = 8, TARGETS = 3 };
_Static_assert(TUBE_VERTICES == RINGS * RING && TUBE_TRIANGLES == (RINGS - 1) * RING * 2, "rings of a tube");

static void add_influences(struct bake_builder *b, struct plain_random *random, uint32_t vertex, double along,
                           enum tube_kind kind)
{
    const uint32_t joint = (uint32_t)(along * (TUBE_JOINTS - 1));
    const float share = (float)plain_uniform(random, 0.1, 0.9),
                all = kind == TUBE_UNEVEN ? (float)plain_uniform(random, 0.3, 1.7) : 1;
    *bake_add_influence(b, 1) = (struct influence){joint, all * share};
    *bake_add_influence(b, 1) = (struct influence){joint + 1, all * (1 - share)};
    b->influence_firsts[vertex + 1] = b->influence_count;
}

static void add_targets(struct bake_builder *b, struct plain_random *random, struct primitive *primitive)
{
    for (uint32_t t = 0; t < TARGETS; t++) {
        const uint32_t first = b->morph_delta_count;
        *bake_add_morph_target(b, 1) = (struct morph_target){
            .name = {.offset = STR_NONE}, .position_first = t == 1 ? UINT32_MAX : first, .normal_first = UINT32_MAX};
        struct vec3 *deltas = t == 1 ? NULL : bake_add_morph_delta(b, TUBE_VERTICES);
        for (uint32_t v = 0; v < TUBE_VERTICES && deltas != NULL; v++)
            deltas[v] = (struct vec3){(float)plain_uniform(random, -0.5, 0.5), (float)plain_uniform(random, -0.5, 0.5),
                                      v % 3 == 0 ? 0 : (float)plain_uniform(random, -0.5, 0.5)};
    }
    primitive->morph_target_count = TARGETS;
}

/* A tube along y; some of its vertices belong to no triangle. */
static uint32_t add_tube(struct fixture *f, struct plain_random *random, enum tube_kind kind, bool has_joints)
{
    struct bake_builder *b = &f->builder;
    struct vec3 positions[TUBE_VERTICES];
    for (int v = 0; v < TUBE_VERTICES; v++) {
        const double angle = 0.785398 * (v % RING), radius = plain_uniform(random, 0.2, 0.3);
        positions[v] =
            (struct vec3){(float)(radius * cos(angle)), (float)(0.1 * (v / RING)), (float)(radius * sin(angle))};
    }
    const uint32_t mesh = fixture_mesh(f, positions, TUBE_VERTICES);
    const uint32_t p = b->primitive_count - 1, first = b->primitives[p].vertex_first;
    uint32_t *index = bake_add_index(b, 3 * TUBE_TRIANGLES - TUBE_VERTICES) - TUBE_VERTICES;
    for (uint32_t r = 0; r + 1 < RINGS; r++)
        for (uint32_t k = 0; k < RING; k++) {
            const uint32_t low = r * RING + k, next = r * RING + (k + 1) % RING;
            const uint32_t corners[6] = {low, next, low + RING, next, next + RING, low + RING};
            memcpy(index, corners, sizeof corners);
            index += 6;
        }
    b->primitives[p].topology = TOPOLOGY_TRIANGLES;
    b->primitives[p].index_count = 3 * TUBE_TRIANGLES;
    for (uint32_t v = 0; v < TUBE_VERTICES && has_joints; v++)
        add_influences(b, random, first + v, (double)v / TUBE_VERTICES, kind);
    if (kind == TUBE_MORPHED)
        add_targets(b, random, &b->primitives[p]);
    return mesh;
}

static void add_joints(struct fixture *f, struct plain_random *random)
{
    static const uint32_t NODES[TUBE_JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int32_t n = 0; n < TUBE_JOINTS; n++) {
        const double half = plain_uniform(random, -0.4, 0.4);
        const float place[3] = {n == 0 ? 3.f : 0, 0.5f, 0}, turn[4] = {(float)sin(half), 0, 0, (float)cos(half)};
        float scale[3];
        for (int i = 0; i < 3; i++)
            scale[i] = (float)plain_uniform(random, 0.8, 1.25) * (n == 5 && i == 0 ? -1 : 1);
        fixture_node(f, n - 1, place, turn, scale);
    }
    fixture_root(f, 0);
    fixture_skin(f, NODES, TUBE_JOINTS);
    for (uint32_t j = 0; j < TUBE_JOINTS; j++) { /* joints are where their rings are, all but */
        struct mat4 *m = &f->builder.joints[j].joint_from_bind;
        m->m[13] = -0.5f * (float)j;
        m->m[4] = (float)plain_uniform(random, -0.1, 0.1);
    }
}

static void add_clip(struct fixture *f, struct plain_random *random)
{
    static const double TIMES[] = {0, 1, 2};
    fixture_clip(f);
    for (uint32_t n = 0; n < TUBE_JOINTS; n++) {
        float turns[12];
        for (int k = 0; k < 3; k++) {
            const double half = plain_uniform(random, -0.5, 0.5);
            const float turn[4] = {0, 0, (float)sin(half), (float)cos(half)};
            memcpy(turns + 4 * k, turn, sizeof turn);
        }
        fixture_channel(f, n, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 3, turns);
    }
    f->builder.clips[0].duration_s = 2;
}

void tube_rig_init(struct tube_rig *rig, struct plain_random *random, enum tube_kind kind)
{
    struct fixture *f = &rig->fixture;
    struct bake_builder *b = &f->builder;
    fixture_init(f);
    add_joints(f, random);
    if (kind == TUBE_DUAL)
        b->skins[0].method = METHOD_DUAL_QUATERNION;
    for (int m = 0; m < TUBE_MESHES; m++) { /* the last moves with a joint and has no skin */
        const bool has_joints = m + 1 < TUBE_MESHES;
        const uint32_t mesh = add_tube(f, random, kind, has_joints);
        const uint32_t node = fixture_mesh_node(f, mesh, has_joints ? 0 : -1);
        for (int i = 0; i < 3; i++)
            b->nodes[node].translation[i] = (float)plain_uniform(random, -2, 2);
        if (kind != TUBE_MORPHED)
            continue;
        b->nodes[node].weight_first = b->weight_count;
        b->nodes[node].weight_count = TARGETS;
        float *weights = bake_add_weight(b, TARGETS);
        for (int t = 0; t < TARGETS; t++)
            weights[t] = (float)plain_uniform(random, -1, 2);
    }
    add_clip(f, random);
    fixture_finish(f);
    for (int p = 0; p < 2; p++) {
        rig->layers[p] = (struct blend_layer){.clip = 0, .clip_time_s = plain_uniform(random, 0, 2), .weight = 1};
        rig->entities[p] = (struct entity){.model = &f->model, .layers = &rig->layers[p], .layer_count = 1};
        rig->poses[p].entity = &rig->entities[p];
        plain_matrix(random, &rig->poses[p].world_from_scene);
    }
}

void tube_rig_skin(const struct tube_rig *rig, uint32_t d, int p, struct entity_work *work,
                   struct skin_palette *palette, double (*out)[3])
{
    const struct model *model = &rig->fixture.model;
    struct vec3 skinned[TUBE_VERTICES];
    struct err err;
    if (model->morph_target_count > 0)
        entity_evaluate_exact(work, &rig->entities[p]);
    else
        entity_evaluate(work, &rig->entities[p]);
    assert_int_equal(entity_palette(work, model->draws[d].skin, LAYOUT_MAT4, palette->matrices[0].m, &err), 0);
    skin_palette_take_apart(palette, model, model->draws[d].skin);
    skin_draw(model, d, &work->pose, palette, false, skinned);
    for (int v = 0; v < TUBE_VERTICES; v++)
        dmat4_point(&rig->poses[p].world_from_scene, DOUBLE3(skinned[v]), out[v]);
}
