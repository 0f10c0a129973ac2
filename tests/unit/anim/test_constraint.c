/* Constraints at every pose: what they depend on, that evaluating twice changes nothing, and cases without an answer.
 */
#include "anim/pose/constraint.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float HALF = 0.70710678f;

/* A pose whose node 4 is turned by a quarter about z. */
static void turn(struct pose *pose, const struct model *model)
{
    pose_init(pose);
    pose_sample(pose, model, POSE_REST, 0);
    pose->local[2].rotation[2] = pose->local[2].rotation[3] = sqrt(0.5);
    pose_compose(pose, model);
}

TEST(constraint_evaluating_twice_changes_nothing)
{
    struct fixture f;
    struct pose pose;
    fixture_constrained(&f);
    turn(&pose, &f.model);
    double before[6][16];
    for (int n = 0; n < 6; n++)
        memcpy(before[n], pose.scene_from_node[n].m, sizeof before[n]);
    pose_compose(&pose, &f.model);
    for (int n = 0; n < 6; n++)
        assert_memory_equal(before[n], pose.scene_from_node[n].m, sizeof before[n]);
    pose_fini(&pose);
    fixture_fini(&f);
}

/* A rotation that a given pose sets stays where only rounding parts it from the constraint's, and only there. */
TEST(constraint_keeps_what_is_given_but_for_rounding)
{
    struct fixture f;
    struct pose pose;
    fixture_constrained(&f);
    const uint32_t led = f.model.constraints[0].node;
    turn(&pose, &f.model);
    double *rotation = pose.local[led].rotation, own[4], near[4], far[4];
    memcpy(own, rotation, sizeof own);
    for (int i = 0; i < 4; i++) {
        near[i] = own[i] + (i == 0 ? 1e-6 : 0);
        far[i] = own[i] + (i == 0 ? 1e-4 : 0);
    }
    memcpy(rotation, near, sizeof near);
    pose_compose(&pose, &f.model);
    assert_memory_equal(rotation, own, sizeof own);
    constraints_note_given(&pose, &f.model, led);
    memcpy(rotation, near, sizeof near);
    pose_compose(&pose, &f.model);
    assert_memory_equal(rotation, near, sizeof near);
    memcpy(rotation, far, sizeof far);
    pose_compose(&pose, &f.model);
    assert_memory_equal(rotation, own, sizeof own);
    pose_sample(&pose, &f.model, POSE_REST, 0); /* forgets it */
    pose.local[2].rotation[2] = pose.local[2].rotation[3] = sqrt(0.5);
    memcpy(rotation, near, sizeof near);
    pose_compose(&pose, &f.model);
    assert_memory_equal(rotation, own, sizeof own);
    pose_fini(&pose);
    fixture_fini(&f);
}

TEST(constraint_lists_of_nodes_are_all_nodes)
{
    struct fixture f;
    struct pose whole, part;
    static const uint32_t ONE[] = {3};
    uint8_t is_in[6] = {0, 0, 0, 1, 0, 0};
    fixture_constrained(&f);
    pose_init(&whole);
    pose_init(&part);
    pose_evaluate(&whole, &f.model, POSE_REST, 0);
    const struct node_list list = {ONE, 1, is_in};
    pose_sample_nodes(&part, &f.model, &list, POSE_REST, 0);
    pose_compose_nodes(&part, &f.model, &list);
    for (uint32_t n = 0; n < f.model.node_count; n++)
        assert_memory_equal(whole.scene_from_node[n].m, part.scene_from_node[n].m, sizeof whole.scene_from_node[n].m);
    pose_fini(&whole);
    pose_fini(&part);
    fixture_fini(&f);
}

/* Evaluates one constraint of node 0 with node 1 as its source, both at rest without a turn. */
static void evaluate(const struct node_constraint *at, const float place[3], const float rotation[4], double out[4])
{
    struct fixture f;
    struct pose pose;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, -1, place, FIXTURE_NO_TURN, FIXTURE_ONE);
    *bake_add_constraint(&f.builder, 1) = *at;
    fixture_finish(&f);
    pose_init(&pose);
    pose_sample(&pose, &f.model, POSE_REST, 0);
    for (int i = 0; i < 4; i++)
        pose.local[1].rotation[i] = (double)rotation[i];
    pose_compose(&pose, &f.model);
    memcpy(out, pose.local[0].rotation, 4 * sizeof *out);
    assert_true(pose.is_animated[0]);
    pose_fini(&pose);
    fixture_fini(&f);
}

static void check_rotation(const double q[4], double x, double y, double z, double w)
{
    const double expected[4] = {x, y, z, w};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(q[i], expected[i], 1e-7);
}

TEST(constraint_cases_without_an_answer_rest)
{
    const float far[3] = {0, 0, -2}, quarter[4] = {HALF, 0, 0, HALF}, half[4] = {0, 0, 1, 0};
    struct node_constraint aim = {0, 1, CONSTRAINT_AIM, AXIS_Z, 1}, roll = {0, 1, CONSTRAINT_ROLL, AXIS_X, 1};
    double q[4];
    evaluate(&aim, FIXTURE_ZERO, quarter, q); /* at the same place */
    check_rotation(q, 0, 0, 0, 1);
    evaluate(&aim, far, quarter, q); /* opposite: some half turn */
    CHECK_NEAR(q[3], 0, 1e-7);
    CHECK_NEAR(q[2], 0, 1e-7);
    aim.axis = AXIS_MINUS_Z;
    evaluate(&aim, far, quarter, q);
    check_rotation(q, 0, 0, 0, 1);
    evaluate(&roll, far, half, q); /* the axis ends up opposite */
    check_rotation(q, 0, 0, 0, 1);
    evaluate(&roll, far, quarter, q);
    check_rotation(q, sqrt(0.5), 0, 0, sqrt(0.5));
    roll.weight = 0;
    evaluate(&roll, far, quarter, q);
    check_rotation(q, 0, 0, 0, 1);
    roll.weight = 0.5f;
    evaluate(&roll, far, quarter, q);
    check_rotation(q, sin(acos(-1) / 8), 0, 0, cos(acos(-1) / 8));
}
