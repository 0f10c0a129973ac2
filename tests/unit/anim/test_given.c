/* Given poses: rotations that were rounded, mixing of transforms, checks, moments, and stored bytes. */
#include "anim/given/given_pose.h"
#include "anim/given/given_rotation.h"
#include "anim/given/given_store.h"
#include "anim/given/trs_mix.h"
#include "tests/unit/support/chance_rig.h"
#include "tests/unit/support/check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* --- rotations --- */

static void random_rotation(double q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = 2 * chance() - 1;
        if (i < 3 && chance() < 0.1)
            q[i] *= chance() < 0.5 ? 0 : 1e-9;
        square += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(square);
}

TEST(given_rotations_that_were_rounded_keep_their_floats)
{
    chance_state = 41;
    for (int n = 0; n < RANDOM_CASES(100000); n++) {
        double q[4], again[4];
        float rounded[4];
        random_rotation(q);
        for (int i = 0; i < 4; i++) {
            rounded[i] = (float)q[i];
            q[i] = (double)rounded[i];
        }
        assert_true(rotation_repair(q));
        for (int i = 0; i < 4; i++)
            assert_true((float)q[i] == rounded[i] && (signbit(q[i]) != 0) == (signbit(rounded[i]) != 0));
        assert_true(fabs(sqrt(dot4(q, q)) - 1) <= 1e-15);
        memcpy(again, q, sizeof again);
        assert_true(rotation_repair(again));
        assert_memory_equal(again, q, sizeof q);
        quat_repair(again); /* what evaluation does to it */
        assert_memory_equal(again, q, sizeof q);
    }
}

TEST(given_rotations_of_other_lengths_are_normalized)
{
    static const double LENGTHS[] = {1e-310, 1e-200, 1e-20, 0.25, 0.99, 1.5, 1e30, 1e200, 1.7e308};
    chance_state = 42;
    for (size_t l = 0; l < sizeof LENGTHS / sizeof *LENGTHS; l++) {
        double unit[4], q[4];
        random_rotation(unit);
        for (int i = 0; i < 4; i++)
            q[i] = unit[i] * LENGTHS[l];
        assert_true(rotation_repair(q));
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(q[i], unit[i], l == 0 ? 1e-10 : 1e-14);
    }
    double kept[4] = {0, 0.6004, 0, 0.8003}; /* as quat_repair() has it: a file's own rounding */
    assert_true(rotation_repair(kept));
    assert_true(kept[1] == 0.6004 && kept[3] == 0.8003);
    double nothing[4] = {0, 0, -0.0, 0}, endless[4] = {0, HUGE_VAL, 0, 1}, none[4] = {0, 0, 0, (double)NAN};
    assert_false(rotation_repair(nothing));
    assert_false(rotation_repair(endless));
    assert_false(rotation_repair(none));
}

TEST(given_rotation_orders_turn_about_the_new_axes)
{
    const double degrees[3] = {30, -70, 200};
    for (int order = 0; order < ORDER_COUNT; order++) {
        double q[4], product[4] = {0, 0, 0, 1};
        rotation_from_degrees(degrees, (enum rotation_order)order, q);
        for (int i = 0; i < 3; i++) {
            const int axis = ROTATION_ORDERS[order][i] - 'x';
            double turn[4] = {0, 0, 0, cos(degrees[axis] / 360 * acos(-1))};
            turn[axis] = sin(degrees[axis] / 360 * acos(-1));
            quat_mul(product, turn, product);
        }
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(q[i], product[i], 1e-15);
    }
}

/* --- mixing --- */

static struct trs random_trs(void)
{
    struct trs out;
    for (int i = 0; i < 3; i++) {
        out.translation[i] = 4 * chance() - 2;
        out.scale[i] = 0.5 + chance();
    }
    random_rotation(out.rotation);
    quat_normalize(out.rotation);
    return out;
}

/* The angle between two rotations, whichever sign. */
static double angle_between(const double a[4], const double b[4]) { return 2 * acos(fmin(1, fabs(dot4(a, b)))); }

TEST(trs_replace_takes_a_share_of_what_is_given)
{
    chance_state = 7;
    for (int n = 0; n < 200; n++) {
        const struct trs was = random_trs(), of = random_trs();
        const uint32_t parts = 1 + (uint32_t)(chance() * 7);
        const double weight = n % 4 == 0 ? 1 : chance();
        struct trs out = was;
        trs_replace(&of, parts, weight, &out);
        for (int i = 0; i < 3; i++) {
            const double moved = was.translation[i] * (1 - weight) + of.translation[i] * weight;
            const double scaled = was.scale[i] * (1 - weight) + of.scale[i] * weight;
            CHECK_NEAR(out.translation[i], (parts & GIVEN_TRANSLATION) != 0 ? moved : was.translation[i], 1e-14);
            CHECK_NEAR(out.scale[i], (parts & GIVEN_SCALE) != 0 ? scaled : was.scale[i], 1e-14);
        }
        const double whole = angle_between(was.rotation, of.rotation);
        const double share = (parts & GIVEN_ROTATION) != 0 ? weight : 0;
        CHECK_NEAR(angle_between(was.rotation, out.rotation), share * whole, 1e-7);
        CHECK_NEAR(angle_between(of.rotation, out.rotation), (1 - share) * whole, 1e-7);
        if (weight >= 1 && parts == GIVEN_WHOLE)
            assert_memory_equal(&out, &of, sizeof out);
    }
}

TEST(trs_add_adds_the_difference_from_the_reference)
{
    chance_state = 8;
    for (int n = 0; n < 200; n++) {
        const struct trs was = random_trs(), pose = random_trs(), reference = random_trs();
        struct trs out = was, whole = reference;
        const double weight = chance();
        trs_add(&pose, &reference, GIVEN_WHOLE, 1, &whole);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(whole.translation[i], pose.translation[i], 1e-14); /* the reference becomes the pose */
            CHECK_NEAR(whole.scale[i], pose.scale[i], 1e-14);
        }
        CHECK_NEAR(angle_between(whole.rotation, pose.rotation), 0, 1e-7);
        trs_add(&pose, &reference, GIVEN_TRANSLATION | GIVEN_SCALE, weight, &out);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(out.translation[i],
                       was.translation[i] + weight * (pose.translation[i] - reference.translation[i]), 1e-14);
            CHECK_NEAR(out.scale[i], was.scale[i] * (1 + weight * (pose.scale[i] / reference.scale[i] - 1)), 1e-14);
        }
        assert_memory_equal(out.rotation, was.rotation, sizeof out.rotation);
    }
    struct trs flat = {.scale = {2, 2, 2}};
    const struct trs none = {.scale = {0, 1, 1}}, some = {.scale = {3, 1, 1}};
    trs_add(&some, &none, GIVEN_SCALE, 0.5, &flat);
    CHECK_NEAR(flat.scale[0], 3.5, 0); /* where the reference is 0: a sum */
}

/* --- checks --- */

enum { FRAMES = 3, FRAME_VALUES = 15 };

/* Two nodes and a weight in three frames. */
struct given_case {
    struct fixture f;
    struct given_node nodes[2];
    struct given_weight weights[1];
    double times_s[FRAMES], values[FRAMES][FRAME_VALUES];
    struct given_pose given;
};

static void make_case(struct given_case *of)
{
    fixture_init(&of->f);
    chance_state = 3;
    add_rig(&of->f, 6);
    add_skin(&of->f, 0, 6, 1);
    fixture_clip(&of->f);
    add_channel(&of->f, 2, PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    fixture_finish(&of->f);
    of->nodes[0] = (struct given_node){.node = 1, .parts = GIVEN_WHOLE, .first = 4};
    of->nodes[1] = (struct given_node){.node = 4, .parts = GIVEN_ROTATION};
    for (int f = 0; f < FRAMES; f++) {
        double(*at) = of->values[f];
        of->times_s[f] = f * f * 0.5; /* 0, 0.5, 2 */
        const double numbers[FRAME_VALUES] = {0, 0, 0, 2, f, 2, 3, 0.6, 0, 0.8, 0, 1, 1, 1, 0.25 * f};
        memcpy(at, numbers, sizeof numbers);
    }
    of->given = (struct given_pose){.nodes = of->nodes,
                                    .times_s = of->times_s,
                                    .values = of->values[0],
                                    .node_count = 2,
                                    .frame_count = FRAMES,
                                    .frame_values = FRAME_VALUES};
}

TEST(given_pose_says_which_number_is_wrong)
{
    static const struct {
        int frame, value;
        double number;
        const char *words;
    } BAD[] = {
        {1, 5, (double)NAN, "frame 1: the translation of node 1"},
        {2, 6, HUGE_VAL, "number 2 is not finite as a float"},
        {0, 12, 1e39, "frame 0: the scale of node 1"},
        {0, 8, -HUGE_VAL, "the rotation of node 1"},
        {2, 3, 0, "frame 2: the rotation of node 4"},
        {2, 3, 0, "a quaternion of length 0 is no rotation"},
    };
    struct given_case of = {0};
    struct err err;
    make_case(&of);
    assert_int_equal(given_pose_finish(&of.given, &of.f.model, &err), 0);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        double *at = &of.values[BAD[i].frame][BAD[i].value];
        const double was = *at;
        *at = BAD[i].number;
        assert_int_equal(given_pose_finish(&of.given, &of.f.model, &err), ERR_BAD_PARAMETER);
        assert_non_null(strstr(err.message, BAD[i].words));
        *at = was;
    }
    assert_int_equal(given_pose_finish(&of.given, &of.f.model, &err), 0);
    fixture_fini(&of.f);
}

TEST(given_pose_refuses_arrays_that_do_not_fit)
{
    struct given_case of = {0};
    struct err err;
    make_case(&of);
    const struct given_pose good = of.given;
    const struct given_node nodes[2] = {of.nodes[0], of.nodes[1]};
    for (int n = 0; n < 12; n++) {
        of.given = good;
        memcpy(of.nodes, nodes, sizeof nodes);
        of.times_s[0] = 0;
        of.times_s[2] = 2;
        of.weights[0] = (struct given_weight){.weight = 0, .node = 0, .first = 14};
        if (n == 0)
            of.nodes[1].node = 1; /* twice */
        else if (n == 1)
            of.nodes[1].node = of.f.model.node_count;
        else if (n == 2)
            of.nodes[1].node = 0; /* out of order */
        else if (n == 3)
            of.nodes[0].first = FRAME_VALUES - 9;
        else if (n == 4)
            of.nodes[0].first = UINT32_MAX;
        else if (n == 5)
            of.nodes[0].parts = 0;
        else if (n == 6)
            of.nodes[0].parts = 8;
        else if (n == 7)
            of.times_s[2] = 0.25; /* before the one before it */
        else if (n == 8)
            of.times_s[0] = -1;
        else if (n == 9)
            of.times_s[2] = (double)NAN;
        else if (n == 10)
            of.given.frame_count = 0;
        else {
            of.given.weights = of.weights; /* the model has no morph weights */
            of.given.weight_count = 1;
        }
        assert_int_equal(given_pose_finish(&of.given, &of.f.model, &err), ERR_BAD_PARAMETER);
        assert_non_null(strstr(err.message, "not one of this model"));
    }
    fixture_fini(&of.f);
}

TEST(given_pose_that_is_far_off_is_not_modest)
{
    struct given_case of = {0};
    struct err err;
    make_case(&of);
    assert_int_equal(given_pose_finish(&of.given, &of.f.model, &err), 0);
    assert_true((of.given.flags & GIVEN_MODEST) != 0 && (of.given.flags & GIVEN_COVERS) == 0);
    static const struct {
        int value;
        double number;
    } FAR[] = {{4, 1000}, {11, 9}, {11, 0.01}, {12, -1}};
    for (size_t i = 0; i < sizeof FAR / sizeof *FAR; i++) {
        const double was = of.values[1][FAR[i].value];
        of.values[1][FAR[i].value] = FAR[i].number;
        assert_int_equal(given_pose_finish(&of.given, &of.f.model, &err), 0);
        assert_int_equal(of.given.flags & GIVEN_MODEST, 0);
        of.values[1][FAR[i].value] = was;
    }
    for (int f = 0; f < FRAMES; f++) /* a tiny rotation is one, by which the kernels cannot divide */
        of.values[f][3] = 1e-20;
    assert_int_equal(given_pose_finish(&of.given, &of.f.model, &err), 0);
    assert_int_equal(of.given.flags & GIVEN_MODEST, 0);
    fixture_fini(&of.f);
}

/* Where all is given of all nodes, several numbers are compared at once. */
TEST(given_pose_of_whole_nodes_is_checked_as_single_numbers_are)
{
    enum { VALUES = 10, NODES = 6 };
    static const double REFUSED[] = {(double)NAN, -(double)NAN, HUGE_VAL, -HUGE_VAL, 1e39, -1e39};
    static const double FAR[] = {1000, -1000, 1e30, -1e30};
    static const double FAR_SCALES[] = {4.01, 0.2499, 0, -(double)0.0f, -1, -0.25, -1e30};
    struct given_case of = {0};
    struct given_node nodes[NODES];
    double values[NODES][VALUES], times_s[1] = {0};
    uint32_t places[NODES] = {0};
    struct err err;
    make_case(&of);
    struct model model = of.f.model;
    assert_true(model.node_count >= NODES);
    model.node_count = model.rig_place_count = model.rig_node_count = NODES;
    model.rig_places = places;
    struct model_info info = model.infos[0];
    info.rest_min = (struct vec3){-1, -1, -1};
    info.rest_max = (struct vec3){1, 1, 1};
    model.infos = &info;
    struct given_pose given = {.nodes = nodes,
                               .times_s = times_s,
                               .values = values[0],
                               .node_count = NODES,
                               .frame_count = 1,
                               .frame_values = NODES * VALUES};
    struct node rest[NODES];
    model.nodes = rest;
    for (uint32_t n = 0; n < NODES; n++) {
        const double usual[VALUES] = {0.1, -0.2, 0.1, 0.6, 0, -0.8, 0, 1, 3.9, 0.3};
        nodes[n] = (struct given_node){.node = n, .parts = GIVEN_WHOLE, .first = n * VALUES};
        memcpy(values[n], usual, sizeof usual);
        rest[n] = of.f.model.nodes[n];
        for (int k = 0; k < 3; k++) {
            rest[n].scale[k] = (float)(n + 1) * 0.5f + (float)k;
            values[n][7 + k] *= (double)rest[n].scale[k];
        }
    }
    assert_int_equal(given_pose_finish(&given, &model, &err), 0);
    assert_int_equal(given.flags, GIVEN_MODEST | GIVEN_COVERS);
    for (uint32_t n = 0; n < NODES; n++)
        for (uint32_t v = 0; v < VALUES; v++) {
            const double was = values[n][v];
            const bool is_rotation = v >= 3 && v < 7;
            for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
                values[n][v] = REFUSED[i];
                assert_int_equal(given_pose_finish(&given, &model, &err), ERR_BAD_PARAMETER);
            }
            for (size_t i = 0; i < sizeof FAR / sizeof *FAR && !is_rotation; i++) {
                values[n][v] = FAR[i];
                assert_int_equal(given_pose_finish(&given, &model, &err), 0);
                assert_int_equal(given.flags, GIVEN_COVERS);
            }
            for (size_t i = 0; i < sizeof FAR_SCALES / sizeof *FAR_SCALES && v >= 7; i++) {
                values[n][v] = FAR_SCALES[i] * (double)rest[n].scale[v - 7];
                assert_int_equal(given_pose_finish(&given, &model, &err), 0);
                assert_int_equal(given.flags, GIVEN_COVERS);
            }
            values[n][v] = was;
        }
    double rotation[4];
    memcpy(rotation, values[5] + 3, sizeof rotation);
    memset(values[5] + 3, 0, sizeof rotation);
    assert_int_equal(given_pose_finish(&given, &model, &err), ERR_BAD_PARAMETER);
    values[5][6] = 1e-20;
    assert_int_equal(given_pose_finish(&given, &model, &err), 0);
    assert_int_equal(given.flags, GIVEN_COVERS);
    memcpy(values[5] + 3, rotation, sizeof rotation);
    const float was_scale = rest[3].scale[1];
    const double was_value = values[3][8];
    rest[3].scale[1] = 2e38f; /* of which a multiple is infinite */
    values[3][8] = HUGE_VAL;
    assert_int_equal(given_pose_finish(&given, &model, &err), ERR_BAD_PARAMETER);
    rest[3].scale[1] = was_scale;
    values[3][8] = was_value;
    places[2] = UINT32_MAX;
    model.rig_node_count = NODES - 1;
    assert_int_equal(given_pose_finish(&given, &model, &err), 0);
    assert_int_equal(given.flags, GIVEN_MODEST | GIVEN_COVERS);
    given.node_count = NODES - 1;
    assert_int_equal(given_pose_finish(&given, &model, &err), 0);
    assert_int_equal(given.flags, GIVEN_MODEST);
    fixture_fini(&of.f);
}

/* --- moments --- */

TEST(given_pose_moments_lie_between_frames)
{
    static const struct {
        double time_s;
        uint32_t from, to;
        double u;
    } CASES[] = {{-5, 0, 0, 0},     {0, 0, 0, 0}, {0.125, 0, 1, 0.25}, {0.5, 1, 1, 0},
                 {1.25, 1, 2, 0.5}, {2, 2, 2, 0}, {99, 2, 2, 0}};
    struct given_case of = {0};
    struct err err;
    make_case(&of);
    assert_int_equal(given_pose_finish(&of.given, &of.f.model, &err), 0);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct given_moment moment = given_pose_moment(&of.given, CASES[i].time_s);
        struct trs local = {.translation = {9, 9, 9}, .scale = {9, 9, 9}};
        assert_true(moment.from == CASES[i].from && moment.to == CASES[i].to);
        CHECK_NEAR(moment.u, CASES[i].u, 1e-15);
        given_pose_local(&of.given, &of.nodes[0], &moment, &local);
        CHECK_NEAR(local.translation[0], moment.from + moment.u, 1e-15);
        CHECK_NEAR(dot4(local.rotation, local.rotation), 1, 1e-14);
        struct trs other = {.translation = {9, 9, 9}, .scale = {9, 9, 9}};
        given_pose_local(&of.given, &of.nodes[1], &moment, &other); /* a rotation of length 2, and nothing else */
        assert_true(other.rotation[3] == 1 && other.translation[0] == 9 && other.scale[2] == 9);
        const struct given_weight weight = {.first = 14};
        CHECK_NEAR(given_pose_weight(&of.given, &weight, &moment), 0.25 * (moment.from + moment.u), 1e-15);
    }
    fixture_fini(&of.f);
}

/* --- stored --- */

static int read_all(const char *bytes, size_t size_bytes, const struct model *model)
{
    struct given_pose given;
    struct err err;
    size_t at = 0;
    int rc = given_store_get(bytes, size_bytes, &at, &given, &err);
    if (rc == 0)
        rc = given_pose_finish(&given, model, &err);
    given_pose_fini(&given);
    return rc;
}

TEST(given_store_survives_any_bytes)
{
    struct given_case of = {0};
    struct buf stored;
    unsigned refused = 0, taken = 0;
    make_case(&of);
    buf_init(&stored, SIZE_MAX);
    given_store_put(&stored, &of.given);
    assert_int_equal(read_all((const char *)stored.data, stored.size_bytes, &of.f.model), 0);
    for (size_t size = 0; size < stored.size_bytes; size++) {
        char *cut = malloc(size + 1); /* so that sanitizers see a byte too many */
        memcpy(cut, stored.data, size);
        assert_int_equal(read_all(cut, size, &of.f.model), ERR_BAD_PARAMETER);
        free(cut);
    }
    char *changed = malloc(stored.size_bytes);
    for (size_t i = 0; i < stored.size_bytes; i++)
        for (int bit = 0; bit < 9; bit++) {
            memcpy(changed, stored.data, stored.size_bytes);
            changed[i] = bit == 8 ? (char)0xff : (char)(changed[i] ^ 1 << bit);
            const int rc = read_all(changed, stored.size_bytes, &of.f.model);
            assert_true(rc == 0 || rc == ERR_BAD_PARAMETER || rc == ERR_NO_MEMORY);
            refused += rc != 0;
            taken += rc == 0;
        }
    assert_true(refused > 100 && taken > 500);
    free(changed);
    buf_fini(&stored);
    fixture_fini(&of.f);
}

TEST(given_store_gives_what_was_put)
{
    struct given_case of = {0};
    struct buf stored;
    struct given_pose again;
    struct err err;
    size_t at = 8;
    make_case(&of);
    buf_init(&stored, SIZE_MAX);
    buf_put(&stored, "before..", 8);
    given_store_put(&stored, &of.given);
    assert_int_equal(given_store_get((const char *)stored.data, stored.size_bytes, &at, &again, &err), 0);
    assert_int_equal(at, stored.size_bytes);
    assert_memory_equal(again.nodes, of.nodes, sizeof of.nodes);
    assert_memory_equal(again.times_s, of.times_s, sizeof of.times_s);
    assert_memory_equal(again.values, of.values, sizeof of.values);
    given_pose_fini(&again);
    buf_fini(&stored);
    fixture_fini(&of.f);
}
