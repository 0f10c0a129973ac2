/* Relative costs of answers: a loop leaves to threads the answers with a high cost. */
#include "tests/unit/support/check.h"

#include "daemon/evaluation/evaluator.h"

static double cost_of(enum op op, enum format format, uint32_t times, uint32_t layers)
{
    static struct imported_model imported;
    imported.model.node_count = 100;
    imported.model.joint_count = 60;
    static struct request_pose list[3];
    const struct request request = {
        .pose.layers = list, .op = op, .format = format, .pose.time_count = times, .pose.layer_count = layers};
    return evaluation_cost_ns(&(struct evaluation){.request = &request, .imported = &imported});
}

TEST(evaluation_cost_of_json_is_that_of_printing)
{
    static const enum op OPS[] = {OP_PALETTE, OP_POSE};
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++)
        assert_true(cost_of(OPS[i], FORMAT_JSON, 1, 0) > 1.3 * cost_of(OPS[i], FORMAT_BIN, 1, 0));
}

TEST(evaluation_cost_grows_with_times_and_layers)
{
    const double one = cost_of(OP_POSE, FORMAT_BIN, 1, 0);
    assert_true(one > 10000 && one < EVALUATION_INLINE_NS / 4.0);
    assert_true(cost_of(OP_POSE, FORMAT_BIN, 10, 0) > 9 * one);
    assert_true(cost_of(OP_POSE, FORMAT_BIN, 1, 3) > 3 * one);
    assert_true(cost_of(OP_POSE, FORMAT_BIN, 1000, 0) > EVALUATION_INLINE_NS);
}
