/* Clips of one model on another: by name, whatever the order of nodes; what has no partner is listed. */
#include "check.h"
#include "fixture.h"

#include "../../server/anim/pose.h"
#include "../../server/anim/retarget.h"

#include <string.h>

static const double TIMES[2] = {0, 1};
static const float QUARTER_TURN_Z[4] = {0, 0, 0.70710678F, 0.70710678F};
static const float UNEVEN[3] = {2, 1, 0.5F};

static uint32_t add_node(struct fixture *f, const char *name, int32_t parent, const float t[3], const float r[4])
{
    const uint32_t n = fixture_node(f, parent, t, r, FIXTURE_ONE);
    f->builder.nodes[n].name = bake_textz(&f->builder, name);
    return n;
}

/* root (turned, unevenly scaled, off the origin) > hip > knee, and others of no use. */
static void make_model(struct fixture *f)
{
    const float at[3] = {5, -1, 2}, hip[3] = {0, 1, 0}, knee[3] = {0, 2, 0};
    fixture_init(f);
    add_node(f, "twin", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "twin", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, NULL, -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    const uint32_t root = fixture_node(f, -1, at, QUARTER_TURN_Z, UNEVEN);
    add_node(f, "hip", (int32_t)root, hip, FIXTURE_NO_TURN);
    add_node(f, "knee", (int32_t)root + 1, knee, FIXTURE_NO_TURN);
    fixture_root(f, root);
    fixture_clip(f);
    f->builder.clips[0].name = bake_textz(&f->builder, "own");
    fixture_finish(f);
}

/* The same rig in another order, with clips 'none' (of strangers only) and 'walk'. */
static void make_clips(struct fixture *f)
{
    const float values[6] = {1, 1, 1, 3, 5, 7}, turns[8] = {0, 0, 0, 1, 1, 0, 0, 0};
    fixture_init(f);
    add_node(f, "knee", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "stranger", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "hip", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "twin", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, NULL, -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    fixture_clip(f);
    f->builder.clips[0].name = bake_textz(&f->builder, "none");
    fixture_channel(f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_clip(f);
    f->builder.clips[1].name = bake_textz(&f->builder, "walk");
    fixture_channel(f, 2, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_channel(f, 0, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 2, turns);
    fixture_channel(f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_channel(f, 1, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 2, turns);
    fixture_channel(f, 3, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_channel(f, 4, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_channel(f, 5, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_finish(f);
}

struct pair {
    struct fixture model, clips;
    struct retarget retarget;
};

static void setup(struct pair *pair)
{
    make_model(&pair->model);
    make_clips(&pair->clips);
    retarget_init(&pair->retarget, &pair->model.model, &pair->clips.model);
}

static void teardown(struct pair *pair)
{
    retarget_fini(&pair->retarget);
    fixture_fini(&pair->model);
    fixture_fini(&pair->clips);
}

TEST(retarget_moves_nodes_of_the_same_name)
{
    struct pair pair;
    struct err err;
    setup(&pair);
    const struct model *view = &pair.retarget.model;
    assert_int_equal(view->clip_count, 2);
    assert_int_equal(view->clips[1].name.size_bytes, 4);
    assert_memory_equal(view->text + view->clips[1].name.offset, "walk", 4);
    assert_memory_equal(view->text + view->nodes[4].name.offset, "hip", 3);
    assert_int_equal(retarget_clip(&pair.retarget, 1, &err), 0);
    assert_int_equal(retarget_clip(&pair.retarget, 1, &err), 0); /* once is enough */
    assert_int_equal(view->clips[1].channel_count, 2);
    struct pose pose;
    pose_init(&pose);
    pose_evaluate(&pose, view, 1, 1);
    /* hip at (3, 5, 7) in the root: scaled to (6, 5, 3.5), turned to (-5, 6, 3.5), moved by (5, -1, 2) */
    double p[3];
    const double origin[3] = {0, 0, 0}, down[3] = {0, 1, 0};
    dmat4_point(&pose.scene_from_node[4], origin, p);
    CHECK_NEAR(p[0], 0, 1e-6);
    CHECK_NEAR(p[1], 5, 1e-6);
    CHECK_NEAR(p[2], 5.5, 1e-6);
    /* the knee is 2 above the hip, and half a turn about x takes its own y to -y: 1 above the hip, (3, 6, 7) */
    dmat4_point(&pose.scene_from_node[5], down, p);
    CHECK_NEAR(p[0], -1, 1e-6);
    CHECK_NEAR(p[1], 5, 1e-6);
    CHECK_NEAR(p[2], 5.5, 1e-6);
    pose_fini(&pose);
    teardown(&pair);
}

TEST(retarget_lists_what_has_no_partner)
{
    static const struct retarget_miss MISSES[] = {
        {1, RETARGET_MISSING}, {3, RETARGET_AMBIGUOUS}, {4, RETARGET_UNNAMED}, {5, RETARGET_UNNAMED}};
    struct pair pair;
    struct err err;
    setup(&pair);
    assert_int_equal(retarget_clip(&pair.retarget, 1, &err), 0);
    assert_int_equal(pair.retarget.miss_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pair.retarget.misses[i].node, MISSES[i].node);
        assert_int_equal(pair.retarget.misses[i].reason, MISSES[i].reason);
    }
    const uint8_t moved[6] = {0, 0, 0, 0, 1, 1};
    assert_memory_equal(pair.retarget.is_moved, moved, sizeof moved);
    teardown(&pair);
}

TEST(retarget_refuses_a_clip_that_moves_nothing)
{
    struct pair pair;
    struct err err;
    setup(&pair);
    assert_int_equal(retarget_clip(&pair.retarget, 0, &err), ERR_CLIP_NO_MATCH);
    assert_non_null(strstr(err.message, "'none'"));
    assert_non_null(strstr(err.message, "'stranger'"));
    teardown(&pair);
}

/* Names that the clips' file has twice are no better than those that the model has twice. */
TEST(retarget_takes_a_model_for_its_own_clips)
{
    struct fixture f;
    struct retarget retarget;
    struct err err;
    make_clips(&f);
    retarget_init(&retarget, &f.model, &f.model);
    assert_int_equal(retarget_clip(&retarget, 1, &err), 0);
    assert_int_equal(retarget.model.clips[1].channel_count, 5); /* all but the unnamed ones' */
    assert_int_equal(retarget.miss_count, 2);
    retarget_fini(&retarget);
    fixture_fini(&f);
    make_model(&f);
    retarget_init(&retarget, &f.model, &f.model);
    assert_int_equal(retarget.partners[0], -1 - RETARGET_AMBIGUOUS);
    assert_int_equal(retarget.partners[5], 5);
    retarget_fini(&retarget);
    fixture_fini(&f);
}

TEST(retarget_compares_units_and_axes)
{
    struct pair pair;
    setup(&pair);
    struct model_info own = pair.model.model.infos[0], other = pair.clips.model.infos[0];
    pair.retarget.model.infos = &own;
    struct model source = pair.clips.model;
    source.infos = &other;
    pair.retarget.source = &source;
    own.unit_m = 0.01F;
    other.up[1] = 0;
    other.up[2] = 1;
    assert_false(retarget_has_other_unit(&pair.retarget)); /* neither file says */
    assert_false(retarget_has_other_up(&pair.retarget));
    own.flags = other.flags = MODEL_HAS_UNIT | MODEL_HAS_UP;
    assert_true(retarget_has_other_unit(&pair.retarget));
    assert_true(retarget_has_other_up(&pair.retarget));
    other = own;
    assert_false(retarget_has_other_unit(&pair.retarget));
    assert_false(retarget_has_other_up(&pair.retarget));
    teardown(&pair);
}
