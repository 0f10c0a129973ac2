/* The differences between two models: a rig under a rotated, unevenly scaled root off the origin, written with other
 * joint axes, and with one change. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include "anim/compare/compare.h"
#include "anim/pose/skin.h"

#include <string.h>

#define HALF 0.70710678F
static const float QUARTER_Z[4] = {0, 0, HALF, HALF}, QUARTER_X[4] = {HALF, 0, 0, HALF};

struct rig {
    bool is_turned;    /* the joints have other axes, by a quarter turn about x */
    float key[4];      /* of the shoulder at 1 s */
    const char *elbow; /* its name */
    float weights[2];  /* of all vertices: shoulder, elbow */
    bool has_wrapper;  /* a node above everything, which some tools add */
    double end_s;      /* of the clip */
    const char *clip;  /* its name */
};

static const struct rig PLAIN = {
    .key = {0, 0, HALF, HALF}, .elbow = "elbow.L", .weights = {0.75F, 0.25F}, .end_s = 1, .clip = "wave"};

static void turn(const float q[4], bool is_turned, float out[4])
{
    double product[4];
    const double a[4] = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
    const double b[4] = {(double)QUARTER_X[0], 0, 0, (double)QUARTER_X[3]};
    quat_mul(a, b, product);
    for (int i = 0; i < 4; i++)
        out[i] = is_turned ? (float)product[i] : q[i];
}

/* The inverse bind matrix: the identity, or the turn back. */
static void set_bind(struct fixture *f, uint32_t joint, bool is_turned)
{
    const struct trs back = {.rotation = {-(double)HALF, 0, 0, (double)HALF}, .scale = {1, 1, 1}};
    const struct dmat4 matrix = dmat4_from_trs(&back);
    if (is_turned)
        f->builder.joints[joint].joint_from_bind = mat4_from_dmat4(&matrix);
}

static void make(struct fixture *f, const struct rig *rig)
{
    const float at[3] = {5, -1, 2}, uneven[3] = {2, 1, 0.5F}, shoulder[3] = {0, 1, 0};
    const float elbow[3] = {0, rig->is_turned ? 0 : 2, rig->is_turned ? -2 : 0};
    float rest[4], keys[8];
    turn(FIXTURE_NO_TURN, rig->is_turned, rest);
    turn(FIXTURE_NO_TURN, rig->is_turned, keys);
    turn(rig->key, rig->is_turned, keys + 4);
    fixture_init(f);
    const uint32_t root = fixture_node(f, -1, at, QUARTER_Z, uneven);
    const uint32_t a = fixture_node(f, (int32_t)root, shoulder, rest, FIXTURE_ONE);
    const uint32_t b = fixture_node(f, (int32_t)a, elbow, FIXTURE_NO_TURN, FIXTURE_ONE);
    f->builder.nodes[root].name = bake_textz(&f->builder, "root");
    f->builder.nodes[a].name = bake_textz(&f->builder, "shoulder");
    f->builder.nodes[b].name = bake_textz(&f->builder, rig->elbow);
    if (rig->has_wrapper) {
        const uint32_t wrapper = fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        f->builder.nodes[root].parent = (int32_t)wrapper;
        fixture_root(f, wrapper);
    } else {
        fixture_root(f, root);
    }
    const uint32_t joints[2] = {a, b};
    const uint32_t skin = fixture_skin(f, joints, 2);
    set_bind(f, 0, rig->is_turned);
    set_bind(f, 1, rig->is_turned);
    const uint32_t mesh = fixture_square(f, (struct vec3){1, 2, 3}, 0.5F, rig->weights);
    fixture_root(f, fixture_mesh_node(f, mesh, (int32_t)skin));
    fixture_clip(f);
    const double times_s[2] = {0, rig->end_s};
    f->builder.clips[0].name = bake_textz(&f->builder, rig->clip);
    fixture_channel(f, a, PATH_ROTATION, INTERPOLATION_LINEAR, 4, times_s, 2, keys);
    fixture_finish(f);
}

struct pair {
    struct fixture old, new;
    struct comparison comparison;
};

static void compare(struct pair *pair, const struct rig *old, const struct rig *new)
{
    const struct compare_options options = {.tolerance = COMPARE_TOLERANCE, .steps = 1000000};
    struct err err;
    make(&pair->old, old);
    make(&pair->new, new);
    if (compare_models(&pair->old.model, &pair->new.model, &options, &pair->comparison, &err) < 0)
        fail_msg("%s", err.message);
}

static void end(struct pair *pair)
{
    comparison_fini(&pair->comparison);
    fixture_fini(&pair->old);
    fixture_fini(&pair->new);
}

static void check_equal(const struct pair *pair)
{
    for (uint32_t i = 0; i < pair->comparison.difference_count; i++)
        print_message("%s: %s\n", difference_name(pair->comparison.differences[i].kind),
                      pair->comparison.differences[i].message);
    assert_int_equal(pair->comparison.difference_count, 0);
    assert_int_equal(pair->comparison.clip_count, 1);
}

TEST(compare_other_joint_axes_are_the_same)
{
    struct pair pair;
    struct rig turned = PLAIN;
    turned.is_turned = turned.has_wrapper = true;
    turned.elbow = "elbowL"; /* as three.js writes it */
    compare(&pair, &PLAIN, &turned);
    check_equal(&pair);
    assert_true(pair.comparison.clips[0].distance < 1e-5 * pair.comparison.size);
    end(&pair);
}

/* The greatest distance of a vertex between both at 1 s. */
static double vertices_apart(const struct pair *pair)
{
    const struct model *models[2] = {&pair->old.model, &pair->new.model};
    struct vec3 places[2][4];
    double most = 0;
    for (int s = 0; s < 2; s++) {
        struct mat4 matrices[2];
        struct skin_palette palette = {.matrices = matrices};
        struct pose pose;
        pose_init(&pose);
        pose_evaluate(&pose, models[s], 0, 1);
        assert_int_equal(skin_palette_make(&palette, &pose, models[s], 0, &DMAT4_IDENTITY, NULL), 0);
        skin_draw(models[s], 0, &pose, &palette, false, places[s]);
        pose_fini(&pose);
    }
    for (int v = 0; v < 4; v++) {
        const double way[3] = {(double)places[0][v].x - (double)places[1][v].x,
                               (double)places[0][v].y - (double)places[1][v].y,
                               (double)places[0][v].z - (double)places[1][v].z};
        most = fmax(most, sqrt(dot3(way, way)));
    }
    return most;
}

TEST(compare_tells_a_key_with_joint_time_and_distance)
{
    struct pair pair;
    struct rig changed = PLAIN;
    changed.is_turned = true;
    changed.weights[0] = 1; /* so that the vertices follow the joint and nothing else */
    changed.weights[1] = 0;
    struct rig old = changed;
    old.is_turned = false;
    const double half = (45 + 4) * M_PI / 180; /* 8 degrees more */
    changed.key[2] = (float)sin(half);
    changed.key[3] = (float)cos(half);
    compare(&pair, &old, &changed);
    assert_int_equal(pair.comparison.difference_count, 1);
    const struct difference *told = &pair.comparison.differences[0];
    assert_int_equal(told->kind, DIFFERENCE_POSE);
    assert_int_equal(told->nodes[COMPARE_OLD], 1);
    assert_int_equal(told->nodes[COMPARE_NEW], 1);
    assert_float_equal(told->time_s, 1, 1e-12);
    assert_float_equal(told->vertex_distance, vertices_apart(&pair), 1e-5);
    assert_true(told->distance >= told->vertex_distance);
    assert_non_null(strstr(told->message, "clip 'wave': joint 'shoulder'"));
    end(&pair);
}

TEST(compare_by_phase_where_the_clip_is_slower)
{
    struct pair pair;
    struct rig changed = PLAIN;
    changed.end_s = 1.25;
    changed.clip = "Armature|wave|BaseLayer"; /* as Blender writes what it has read from FBX */
    compare(&pair, &PLAIN, &changed);
    assert_int_equal(pair.comparison.difference_count, 2);
    assert_int_equal(pair.comparison.differences[0].kind, DIFFERENCE_CLIP_RENAMED);
    assert_int_equal(pair.comparison.differences[1].kind, DIFFERENCE_CLIP_LENGTH);
    assert_true(pair.comparison.clips[0].is_by_phase && pair.comparison.clips[0].distance < 1e-5);
    assert_true(vertices_apart(&pair) > 0.1); /* both at 1 s */
    end(&pair);
    struct rig turned = changed;
    turned.key[2] = 0.5F; /* by 60 degrees: a joint is told beside the length */
    turned.key[3] = 0.8660254F;
    compare(&pair, &PLAIN, &turned);
    assert_int_equal(pair.comparison.difference_count, 3);
    const struct difference *told = &pair.comparison.differences[2];
    assert_int_equal(told->kind, DIFFERENCE_POSE);
    assert_float_equal(told->time_s, 1.25, 1e-12);
    end(&pair);
}

TEST(compare_tells_names_and_weights)
{
    struct pair pair;
    struct rig changed = PLAIN;
    changed.elbow = "wrist";
    compare(&pair, &PLAIN, &changed);
    assert_int_equal(pair.comparison.difference_count, 1);
    assert_int_equal(pair.comparison.differences[0].kind, DIFFERENCE_JOINT_RENAMED);
    assert_string_equal(pair.comparison.differences[0].values[COMPARE_NEW].text, "wrist");
    end(&pair);
    changed = PLAIN;
    changed.weights[0] = 0.65F;
    changed.weights[1] = 0.35F;
    compare(&pair, &PLAIN, &changed);
    assert_int_equal(pair.comparison.difference_count, 2); /* of both joints */
    for (int i = 0; i < 2; i++)
        assert_int_equal(pair.comparison.differences[i].kind, DIFFERENCE_WEIGHTS);
    end(&pair);
}

TEST(compare_ends_when_it_is_stopped_and_when_it_costs_too_much)
{
    struct pair pair;
    const _Atomic bool is_stopped = true;
    struct compare_options options = {.tolerance = COMPARE_TOLERANCE, .steps = 1000000, .is_stopped = &is_stopped};
    struct err err;
    make(&pair.old, &PLAIN);
    make(&pair.new, &PLAIN);
    assert_int_equal(compare_models(&pair.old.model, &pair.new.model, &options, &pair.comparison, &err),
                     ERR_REQUEST_TIMEOUT);
    comparison_fini(&pair.comparison);
    options.is_stopped = NULL;
    options.steps = 3;
    assert_int_equal(compare_models(&pair.old.model, &pair.new.model, &options, &pair.comparison, &err),
                     ERR_TOO_MANY_FRAMES);
    end(&pair);
}
