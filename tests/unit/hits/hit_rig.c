#include "tests/unit/hits/hit_rig.h"

#include <string.h>

/* Triangles among random vertices, each of which follows one to three joints; joints 0: none. */
static uint32_t add_mesh(struct fixture *rig, struct plain_random *random, uint32_t joints)
{
    struct bake_builder *b = &rig->builder;
    struct vec3 positions[RIG_VERTICES];
    for (uint32_t v = 0; v < RIG_VERTICES; v++)
        positions[v] = (struct vec3){(float)plain_uniform(random, -1, 1), (float)plain_uniform(random, 0, 4),
                                     (float)plain_uniform(random, -1, 1)};
    const uint32_t mesh = fixture_mesh(rig, positions, RIG_VERTICES);
    struct primitive *primitive = &b->primitives[b->primitive_count - 1];
    primitive->topology = TOPOLOGY_TRIANGLES;
    for (uint32_t i = 0; i < RIG_VERTICES; i++)
        b->indices[primitive->index_first + i] = (uint32_t)plain_uniform(random, 0, RIG_VERTICES);
    for (uint32_t v = 0; v < RIG_VERTICES && joints > 0; v++) {
        const uint32_t count = 1 + (uint32_t)plain_uniform(random, 0, 3),
                       first = (uint32_t)plain_uniform(random, 0, joints);
        float left = 1;
        for (uint32_t i = 0; i < count; i++) {
            const float weight = i + 1 == count ? left : left * (float)plain_uniform(random, 0.1, 0.9);
            *bake_add_influence(b, 1) = (struct influence){(first + i) % joints, weight};
            left -= weight;
        }
        b->influence_firsts[primitive->vertex_first + v + 1] = b->influence_count;
    }
    return mesh;
}

static void add_chain(struct fixture *rig, struct plain_random *random)
{
    for (int32_t n = 0; n < RIG_JOINTS; n++) {
        float place[3], turn[4], scale[3];
        for (int i = 0; i < 4; i++)
            turn[i] = (float)plain_uniform(random, -1, 1);
        const double length =
            sqrt((double)(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]));
        for (int i = 0; i < 4; i++)
            turn[i] = (float)((double)turn[i] / length);
        for (int i = 0; i < 3; i++) {
            place[i] = (float)plain_uniform(random, n == 0 ? 3 : -0.6, n == 0 ? 5 : 0.6);
            scale[i] = (float)plain_uniform(random, 0.6, 1.6);
        }
        if (n == 4)
            scale[0] = -scale[0];
        fixture_node(rig, n - 1, place, turn, scale);
    }
    fixture_root(rig, 0);
}

static void add_clip(struct fixture *rig, struct plain_random *random)
{
    static const double TIMES[] = {0, 0.7, 2};
    fixture_clip(rig);
    for (uint32_t n = 0; n < RIG_JOINTS; n++) {
        float turns[12], places[9];
        for (int k = 0; k < 3; k++) {
            const double angle = plain_uniform(random, -0.5, 0.5);
            double axis[3];
            plain_direction(random, axis);
            for (int i = 0; i < 3; i++) {
                turns[4 * k + i] = (float)(axis[i] * sin(angle));
                places[3 * k + i] = (float)plain_uniform(random, -0.5, 0.5);
            }
            turns[4 * k + 3] = (float)cos(angle);
        }
        fixture_channel(rig, n, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 3, turns);
        fixture_channel(rig, n, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 3, places);
    }
    rig->builder.clips[0].duration_s = 2;
}

static void add_hitboxes(struct fixture *rig)
{
    static const struct hit_volume GIVEN[] = {{.name = {.offset = STR_NONE},
                                               .node = RIG_SOCKET,
                                               .kind = VOLUME_BOX,
                                               .center = {0.2f, 0, 0},
                                               .end = {0.2f, 0, 0},
                                               .rotation = {0.5f, 0.5f, 0.5f, 0.5f},
                                               .half = {0.3f, 0.1f, 0.2f}},
                                              {.name = {.offset = STR_NONE},
                                               .node = 2,
                                               .kind = VOLUME_SPHERE,
                                               .center = {0, 0.2f, 0},
                                               .end = {0, 0.2f, 0},
                                               .rotation = {0, 0, 0, 1},
                                               .radius = 0.3f},
                                              {.name = {.offset = STR_NONE},
                                               .node = 2,
                                               .kind = VOLUME_CAPSULE,
                                               .center = {0, 0.2f, 0},
                                               .end = {0.5f, 0.2f, 0.1f},
                                               .rotation = {0, 0, 0, 1},
                                               .radius = 0.2f}};
    for (size_t i = 0; i < sizeof GIVEN / sizeof *GIVEN; i++) {
        struct hitbox *hitbox = bake_add_hitbox(&rig->builder, 1);
        *hitbox = (struct hitbox){.rule = HITBOX_GIVEN, .volume = GIVEN[i]};
        if (i == 0)
            hitbox->volume.name = bake_long_text(&rig->builder, "shield", 6);
    }
    struct hit_volume none = {.name = {.offset = STR_NONE}, .node = 5, .rotation = {0, 0, 0, 1}};
    *bake_add_hitbox(&rig->builder, 1) = (struct hitbox){.rule = HITBOX_NONE, .volume = none};
    none.node = 1;
    none.kind = VOLUME_SPHERE;
    *bake_add_hitbox(&rig->builder, 1) = (struct hitbox){.rule = HITBOX_FIT, .volume = none};
}

void hit_rig_init(struct fixture *rig, struct plain_random *random)
{
    static const uint32_t FIRST[] = {0, 1, 2, 3, 4, 5}, SECOND[] = {4, 2, 0};
    fixture_init(rig);
    add_chain(rig, random);
    fixture_node(rig, 3, (const float[]){0.3f, 0.2f, -0.1f}, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_skin(rig, FIRST, 6);
    fixture_skin(rig, SECOND, 3);
    for (uint32_t j = 0; j < 9; j++) { /* bind spaces that are scaled and turned, and of other skins other ones */
        struct dmat4 matrix;
        plain_matrix(random, &matrix);
        for (int i = 0; i < 16; i++)
            matrix.m[i] *= i == 15 ? 1 : 0.5;
        rig->builder.joints[j].joint_from_bind = mat4_from_dmat4(&matrix);
    }
    fixture_mesh_node(rig, add_mesh(rig, random, 6), 0);
    fixture_mesh_node(rig, add_mesh(rig, random, 3), 1);
    const uint32_t rigid = fixture_node(rig, 4, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    rig->builder.nodes[rigid].mesh = (int32_t)add_mesh(rig, random, 0);
    add_clip(rig, random);
    add_hitboxes(rig);
    fixture_finish(rig);
}
