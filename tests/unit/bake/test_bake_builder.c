/* Input of importers to the builder: limits, repairs, and models whose parts do not fit together. */
#include "anim/bake/bake.h"

#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/walk_model.h"

#include <string.h>

static void check_text(const struct bake_builder *b, struct str str, const char *expected)
{
    assert_int_equal(str.size_bytes, strlen(expected));
    assert_memory_equal(b->text + str.offset, expected, str.size_bytes);
}

TEST(bake_text_is_repaired)
{
    struct bake_builder b;
    bake_builder_init(&b, 0);
    check_text(&b,
               bake_textz(&b, "h\xc3\xbc"
                              "fte"),
               "h\xc3\xbc"
               "fte");
    check_text(&b, bake_text(&b, "a\0b\xff", 4), "a?b?");
    check_text(&b, bake_textz(&b, ""), "");
    assert_int_equal(bake_textz(&b, NULL).offset, STR_NONE);
    assert_int_equal(bake_textz(&b, NULL).size_bytes, 0);
    bake_builder_fini(&b);
}

/* 4096 bytes are 1365 characters of three bytes and one byte more. */
TEST(bake_text_is_cut_at_a_character)
{
    struct bake_builder b;
    struct err err = {0};
    char euros[4098], letters[4096];
    for (int i = 0; i < 4098; i++)
        euros[i] = "\xe2\x82\xac"[i % 3];
    memset(letters, 'x', sizeof letters);
    bake_builder_init(&b, 0);
    assert_int_equal(bake_text(&b, letters, sizeof letters).size_bytes, 4096);
    assert_int_equal(b.warning_count, 0);
    const struct str cut = bake_text(&b, euros, sizeof euros);
    assert_int_equal(cut.size_bytes, 4095);
    assert_memory_equal(b.text + cut.offset, euros, 4095);
    assert_int_equal(b.warning_count, 1);
    /* and no reader takes a longer one */
    memset(bake_add_text_byte(&b, 4097), 'x', 4097);
    *bake_add_node(&b, 1) = (struct node){.name = {b.text_byte_count - 4097, 4097},
                                          .parent = -1,
                                          .mesh = -1,
                                          .skin = -1,
                                          .matrix = -1,
                                          .rotation = {0, 0, 0, 1},
                                          .scale = {1, 1, 1}};
    assert_int_equal(bake_finish(&b, &err), ERR_BAD_MODEL);
    assert_non_null(strstr(err.message, "nodes[0].name"));
    bake_builder_fini(&b);
}

TEST(bake_builder_keeps_its_limit)
{
    struct bake_builder b;
    struct err err = {0};
    bake_builder_init(&b, 1000);
    assert_non_null(bake_add_index(&b, 250));
    assert_non_null(bake_add_index(&b, 0));
    assert_null(bake_add_index(&b, 1));
    assert_true(b.is_failed);
    assert_int_equal(b.index_count, 250);
    assert_null(bake_add_node(&b, 0)); /* and stays failed */
    assert_int_equal(bake_textz(&b, "x").offset, STR_NONE);
    bake_warn(&b, "code", "nothing happens");
    assert_int_equal(bake_finish(&b, &err), ERR_MODEL_LIMIT);
    bake_builder_fini(&b);
}

TEST(bake_builder_refuses_counts_that_overflow)
{
    struct bake_builder b;
    bake_builder_init(&b, 0);
    assert_non_null(bake_add_index(&b, 1));
    assert_null(bake_add_index(&b, UINT32_MAX));
    assert_true(b.is_failed);
    bake_builder_fini(&b);
}

TEST(bake_builder_zeroes_what_it_adds)
{
    struct bake_builder b;
    bake_builder_init(&b, 0);
    for (int i = 0; i < 100; i++) {
        struct joint *joint = bake_add_joint(&b, 3);
        for (size_t n = 0; n < 3 * sizeof *joint; n++)
            assert_int_equal(((char *)joint)[n], 0);
        memset(joint, 0xff, 3 * sizeof *joint);
    }
    assert_int_equal(b.joint_count, 300);
    bake_builder_fini(&b);
}

TEST(bake_warn_keeps_each_once_and_a_hundred)
{
    struct bake_builder b;
    bake_builder_init(&b, 0);
    for (int twice = 0; twice < 2; twice++) {
        bake_warn(&b, "broken_text", "node '%s'", "\xff");
        bake_warn(&b, "other", "node '%s'", "\xff");
        bake_warn(&b, "other", "%s", "");
    }
    assert_int_equal(b.warning_count, 3);
    check_text(&b, b.warnings[0].code, "broken_text");
    check_text(&b, b.warnings[0].message, "node '?'");
    for (int i = 0; i < 300; i++)
        bake_warn(&b, "many", "number %d", i);
    assert_int_equal(b.warning_count, 101);
    check_text(&b, b.warnings[99].message, "number 96");
    check_text(&b, b.warnings[100].code, "more");
    bake_builder_fini(&b);
}

TEST(bake_warn_cuts_long_messages_at_a_character)
{
    char text[2000];
    struct bake_builder b;
    bake_builder_init(&b, 0);
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = i % 2 == 0 ? '\xc3' : '\xbc';
    text[sizeof text - 1] = '\0';
    bake_warn(&b, "long", "%s", text);
    const struct str message = b.warnings[0].message;
    assert_int_equal(message.size_bytes % 2, 0);
    assert_null(memchr(b.text + message.offset, '?', message.size_bytes));
    bake_builder_fini(&b);
}

TEST(bake_finish_refuses_a_cycle)
{
    struct fixture f;
    struct err err = {0};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 2, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE); /* below the cycle */
    fixture_node(&f, 3, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 2, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    assert_int_equal(bake_finish(&f.builder, &err), ERR_BAD_MODEL);
    assert_true(strcmp(err.message, "node 2 is its own ancestor") == 0 ||
                strcmp(err.message, "node 3 is its own ancestor") == 0);
    fixture_fini(&f);
}

TEST(bake_finish_refuses_what_points_outside)
{
    struct fixture f;
    struct err err = {0};
    fixture_init(&f);
    fixture_node(&f, 7, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    assert_int_equal(bake_finish(&f.builder, &err), ERR_BAD_MODEL);
    assert_non_null(strstr(err.message, "nodes[0].parent"));
    f.builder.nodes[0].parent = -1;
    f.builder.nodes[0].mesh = 0;
    assert_int_equal(bake_finish(&f.builder, &err), ERR_BAD_MODEL);
    assert_non_null(strstr(err.message, "nodes[0].mesh"));
    fixture_fini(&f);
}

TEST(bake_finish_refuses_joints_that_the_skin_lacks)
{
    struct fixture f;
    struct err err = {0};
    const struct vec3 position = {0, 0, 0};
    const uint32_t joint = 0;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    f.builder.nodes[0].mesh = (int32_t)fixture_mesh(&f, &position, 1);
    f.builder.nodes[0].skin = (int32_t)fixture_skin(&f, &joint, 1);
    *bake_add_influence(&f.builder, 1) = (struct influence){5, 1};
    f.builder.influence_firsts[1] = 1;
    assert_int_equal(bake_finish(&f.builder, &err), ERR_BAD_MODEL);
    assert_int_equal(err.code, ERR_BAD_MODEL);
    assert_non_null(strstr(err.message, "refers to joint 5"));
    fixture_fini(&f);
}

/* One mesh with influences of joint 1, under a skinned node 2 and an unskinned node 3 moved to (0,0,9). */
static void shared_mesh(struct fixture *f, bool is_skinned_too)
{
    const struct vec3 positions[2] = {{1, 2, 3}, {4, 5, 6}};
    const float up[3] = {0, 0, 9};
    const uint32_t joints[2] = {0, 1};
    fixture_init(f);
    for (int n = 0; n < 3; n++)
        fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(f, -1, up, FIXTURE_NO_TURN, FIXTURE_ONE);
    for (uint32_t n = 0; n < 4; n++)
        fixture_root(f, n);
    struct bake_builder *b = &f->builder;
    b->nodes[3].mesh = (int32_t)fixture_mesh(f, positions, 2);
    const int32_t skin = (int32_t)fixture_skin(f, joints, 2);
    if (is_skinned_too) {
        b->nodes[2].mesh = 0;
        b->nodes[2].skin = skin;
    }
    *bake_add_influence(b, 1) = (struct influence){1, 1};
    b->influence_firsts[1] = b->influence_firsts[2] = 1;
    bake_add_dual_weight(b, 2)[1] = 0.75f;
    b->primitives[0].morph_target_count = 1;
    *bake_add_morph_target(b, 1) = (struct morph_target){{.offset = STR_NONE}, 0, UINT32_MAX};
    bake_add_morph_delta(b, 2);
    fixture_finish(f);
}

TEST(bake_finish_frees_a_mesh_without_a_skin_from_its_joints)
{
    struct fixture f;
    shared_mesh(&f, false);
    assert_int_equal(f.model.mesh_count, 1);
    assert_int_equal(f.model.influence_count, 0);
    assert_int_equal(f.model.skin_count, 2);
    assert_int_equal(f.model.warning_count, 1);
    CHECK_NEAR(f.model.infos[0].rest_max.z, 15, 0);
    walk_model(&f.model);
    fixture_fini(&f);
}

TEST(bake_finish_copies_a_mesh_used_with_and_without_a_skin)
{
    struct fixture f;
    shared_mesh(&f, true);
    const struct model *m = &f.model;
    assert_int_equal(m->mesh_count, 2);
    assert_int_equal(m->nodes[2].mesh, 0); /* the file's index stays with the skin */
    assert_int_equal(m->nodes[3].mesh, 1);
    assert_int_equal(m->influence_count, 1);
    assert_int_equal(m->position_count, 4);
    assert_int_equal(m->dual_weight_count, 4);
    CHECK_NEAR(m->dual_weights[3], 0.75, 0);
    const struct primitive *copy = &m->primitives[1];
    assert_int_equal(copy->vertex_first, 2);
    assert_int_equal(copy->index_first, 2);
    assert_int_equal(copy->morph_target_first, 1);
    CHECK_NEAR(m->positions[3].y, 5, 0);
    CHECK_NEAR(m->infos[0].rest_min.z, 3, 0);
    CHECK_NEAR(m->infos[0].rest_max.z, 15, 0);
    walk_model(m);
    fixture_fini(&f);
}

TEST(bake_finish_keeps_the_last_of_two_channels_for_one_thing)
{
    struct fixture f;
    struct pose pose;
    const double times[2] = {0, 1};
    const float first[6] = {1, 0, 0, 1, 0, 0}, second[3] = {2, 0, 0};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 2, first);
    fixture_channel(&f, 0, PATH_SCALE, INTERPOLATION_LINEAR, 3, times, 1, second);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 1, second);
    fixture_finish(&f);
    assert_int_equal(f.model.clips[0].channel_count, 2);
    assert_int_equal(f.model.warning_count, 1);
    CHECK_NEAR(f.model.clips[0].duration_s, 0, 0); /* of the channels that count */
    pose_init(&pose);
    pose_evaluate(&pose, &f.model, 0, 0);
    CHECK_NEAR(pose.local[0].translation[0], 2, 0);
    CHECK_NEAR(pose.local[0].scale[0], 2, 0);
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(bake_finish_durations)
{
    struct fixture f;
    const double before[2] = {-3, -1}, across[2] = {-0.5, 4};
    const float places[6] = {0};
    fixture_init(&f);
    for (int n = 0; n < 2; n++)
        fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_clip(&f);
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, before, 2, places);
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, before, 2, places);
    fixture_channel(&f, 1, PATH_SCALE, INTERPOLATION_LINEAR, 3, across, 2, places);
    fixture_finish(&f);
    const double expected[3][2] = {{0, 0}, {-3, 0}, {-3, 4}}; /* start, duration; never negative */
    for (int c = 0; c < 3; c++) {
        CHECK_NEAR(f.model.clips[c].start_s, expected[c][0], 0);
        CHECK_NEAR(f.model.clips[c].duration_s, expected[c][1], 0);
    }
    fixture_fini(&f);
}

TEST(bake_finish_keeps_a_clip_that_is_longer_than_its_keys)
{
    struct fixture f;
    const double times[2] = {0.5, 2};
    const float places[6] = {0};
    const double given_s[5] = {0, 1, 3, 3, -1}, expected_s[5] = {2, 2, 3, 3, 0};
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    for (int c = 0; c < 5; c++) {
        const uint32_t clip = fixture_clip(&f);
        if (c < 3)
            fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, times, 2, places);
        f.builder.clips[clip].duration_s = given_s[c];
    }
    fixture_finish(&f);
    for (int c = 0; c < 5; c++) {
        CHECK_NEAR(f.model.clips[c].start_s, c < 3 ? 0.5 : 0, 0);
        CHECK_NEAR(f.model.clips[c].duration_s, expected_s[c], 0);
    }
    fixture_fini(&f);
}

TEST(bake_finish_scene_flags_and_bounds_leave_out_other_nodes)
{
    struct fixture f;
    const struct vec3 position = {1, 1, 1};
    const float far[3] = {100, 0, 0};
    fixture_init(&f);
    fixture_node(&f, 1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, -1, far, FIXTURE_NO_TURN, FIXTURE_ONE);
    const int32_t mesh = (int32_t)fixture_mesh(&f, &position, 1);
    f.builder.nodes[0].mesh = f.builder.nodes[2].mesh = mesh;
    fixture_root(&f, 1);
    fixture_root(&f, 1); /* named twice: once is enough */
    fixture_finish(&f);
    assert_int_equal(f.model.root_count, 1);
    assert_int_equal(f.model.nodes[0].flags, NODE_IN_SCENE);
    assert_int_equal(f.model.nodes[2].flags, 0);
    assert_int_equal(f.model.draw_count, 2);
    assert_int_equal(f.model.draws[0].flags, DRAW_IN_SCENE);
    assert_int_equal(f.model.draws[1].flags, 0);
    CHECK_NEAR(f.model.infos[0].rest_max.x, 1, 0);
    fixture_fini(&f);
}

TEST(bake_encode_keeps_to_the_buffer)
{
    struct fixture f;
    struct err err = {0};
    struct buf small;
    fixture_worked(&f);
    buf_init(&small, f.size_bytes - 1);
    assert_int_equal(bake_encode(&f.builder, &small, &err), ERR_MODEL_LIMIT);
    buf_fini(&small);
    fixture_fini(&f);
}
