/* Answers about a skin of dual quaternions: its method, its vertices, their normals and their bounds. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/wire_model.h"

#include <string.h>

static const double HALF = 0.70710678118654752;
static const double TIMES[] = {0};

/* Joint 1 turns by a quarter about z around (0, 2, 0); the vertices follow joint 0, joint 1, and both by half. */
static void init(struct fixture *f, uint32_t method)
{
    const struct vec3 positions[3] = {{3, 2, 0}, {3, 2, 0}, {3, 2, 1}};
    const struct influence influences[4] = {{0, 1}, {1, 1}, {0, 0.5f}, {1, 0.5f}};
    const uint32_t firsts[4] = {0, 1, 2, 4}, joints[2] = {0, 1};
    const float place[3] = {2, 2, 0}, turn[4] = {0, 0, 0.70710678f, 0.70710678f};
    fixture_init(f);
    fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(f, 0, place, turn, FIXTURE_ONE);
    fixture_root(f, 0);
    const uint32_t mesh = fixture_mesh(f, positions, 3);
    struct bake_builder *b = &f->builder;
    memcpy(bake_add_influence(b, 4), influences, sizeof influences);
    memcpy(b->influence_firsts, firsts, sizeof firsts);
    for (int v = 0; v < 3; v++)
        b->normals[v] = (struct vec3){1, 0, 0};
    b->primitives[0].flags = PRIMITIVE_FILE_NORMALS;
    const uint32_t skin = fixture_skin(f, joints, 2);
    b->skins[skin].method = method;
    bake_add_dual_weight(b, 3)[2] = 0.5f;
    fixture_mesh_node(f, mesh, (int32_t)skin);
    fixture_finish(f);
}

static void check_method(enum op op, const struct fixture *f, const char *expected)
{
    const struct request request = wire_request(op, TIMES, op == OP_MODEL ? 0 : 1);
    cJSON *json = wire_answer_json(&f->model, &request);
    const cJSON *method = cJSON_GetObjectItem(wire_at(wire_get(json, "skins"), 0), "method");
    if (expected == NULL)
        assert_null(method);
    else
        assert_string_equal(method->valuestring, expected);
    cJSON_Delete(json);
}

TEST(answers_name_a_method_that_is_not_linear)
{
    static const char *const METHODS[] = {NULL, "rigid", "dual_quaternion", "blended"};
    for (uint32_t m = METHOD_LINEAR; m <= METHOD_BLENDED; m++) {
        struct fixture f;
        init(&f, m);
        check_method(OP_PALETTE, &f, METHODS[m]);
        check_method(OP_MODEL, &f, METHODS[m]);
        fixture_fini(&f);
    }
}

static void check_mesh(uint32_t method, const float positions[9], const float normals[9])
{
    struct fixture f;
    init(&f, method);
    struct request request = wire_request(OP_MESH, TIMES, 1);
    request.vertices.has_normals = true;
    cJSON *json = wire_answer_json(&f.model, &request);
    const cJSON *frame = wire_at(wire_get(json, "frames"), 0);
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(wire_at(wire_at(wire_get(frame, "positions"), 0), i)->valuedouble, positions[i], 1e-6);
        if (normals != NULL)
            CHECK_NEAR(wire_at(wire_at(wire_get(frame, "normals"), 0), i)->valuedouble, normals[i], 1e-6);
    }
    cJSON_Delete(json);
    request = wire_request(OP_BOUNDS, TIMES, 1);
    json = wire_answer_json(&f.model, &request);
    const cJSON *max = wire_get(wire_get(wire_at(wire_get(json, "frames"), 0), "bounds"), "max");
    const float top = positions[7] > 5 ? positions[7] : 5;
    CHECK_NEAR(wire_at(max, 1)->valuedouble, top, 1e-6);
    CHECK_NEAR(wire_at(max, 2)->valuedouble, 1, 1e-6);
    cJSON_Delete(json);
    fixture_fini(&f);
}

TEST(answer_mesh_goes_by_the_method_of_the_skin)
{
    const float h = (float)HALF;
    check_mesh(METHOD_LINEAR, (const float[9]){3, 2, 0, 0, 5, 0, 1.5f, 3.5f, 1}, NULL);
    check_mesh(METHOD_DUAL_QUATERNION, (const float[9]){3, 2, 0, 0, 5, 0, 3 * h, 2 + 3 * h, 1},
               (const float[9]){1, 0, 0, 0, 1, 0, h, h, 0});
    check_mesh(METHOD_BLENDED, (const float[9]){3, 2, 0, 0, 5, 0, 0.75f + 1.5f * h, 2.75f + 1.5f * h, 1}, NULL);
}
