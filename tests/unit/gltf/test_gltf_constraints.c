/* Constraints of nodes (VRMC_node_constraint) as the reader takes them: their order, and those that it leaves out. */
#include "tests/unit/gltf/gltf_run.h"

#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

#define RULE(kind, more)                                                                                               \
    "{'extensions':{'VRMC_node_constraint':{'specVersion':'1.0','constraint':{'" kind "':{" more "}}}}}"

static void read(struct gltf_run *run, const char *nodes)
{
    char json[4096];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'extensionsRequired':['VRMC_node_constraint'],"
             "'extensionsUsed':['VRMC_node_constraint'],'nodes':[%s]}",
             nodes);
    gltf_run_json(run, json);
    assert_true(gltf_succeeded(run));
    assert_false(gltf_warned(run, "extension_ignored"));
}

TEST(gltf_constraints_that_cannot_be_evaluated_are_left_out)
{
    static const char *const WRONG[] = {
        RULE("roll", "'source':1"),
        RULE("roll", "'source':1,'rollAxis':'PositiveX'"),
        RULE("roll", "'source':1,'rollAxis':1"),
        RULE("aim", "'source':1,'aimAxis':'X'"),
        RULE("aim", "'source':0,'aimAxis':'NegativeX'"), /* itself */
        RULE("rotation", "'source':0"),
        RULE("rotation", "'source':2"),
        RULE("rotation", "'source':-1"),
        RULE("rotation", "'source':0.5"),
        RULE("rotation", "'source':'1'"),
        RULE("rotation", "'weight':1"),
        RULE("rotation", "'source':1,'weight':'1'"),
        RULE("turn", "'source':1"),
        RULE("rotation", "'source':1},'roll':{'source':1,'rollAxis':'X'"),
        "{'extensions':{'VRMC_node_constraint':{'specVersion':'2.0','constraint':{'rotation':{'source':1}}}}}",
        "{'extensions':{'VRMC_node_constraint':{'constraint':{'rotation':{'source':1}}}}}",
        "{'extensions':{'VRMC_node_constraint':{'specVersion':'1.0','constraint':[]}}}",
        "{'extensions':{'VRMC_node_constraint':{'specVersion':'1.0','constraint':{'rotation':7}}}}",
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        char nodes[600];
        snprintf(nodes, sizeof nodes, "%s,{}", WRONG[i]);
        read(&run, nodes);
        assert_int_equal(run.builder.constraint_count, 0);
        assert_true(gltf_warned(&run, "constraints_ignored"));
    }
    read(&run,
         RULE("rotation", "'source':1,'weight':-3") "," RULE("roll", "'source':2,'rollAxis':'Y','weight':1e999") ",{}");
    assert_int_equal(run.builder.constraint_count, 2);
    assert_true(run.builder.constraints[0].weight == 1 && run.builder.constraints[1].weight == 0);
    assert_true(gltf_warned(&run, "constraint_weights_limited"));
    assert_false(gltf_warned(&run, "constraints_ignored"));
    gltf_run_fini(&run);
}

/* Reads nodes and checks which have a constraint, in this order. */
static void check(struct gltf_run *run, const char *nodes, const uint32_t *order, uint32_t count, bool has_circle)
{
    read(run, nodes);
    assert_int_equal(run->builder.constraint_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(run->builder.constraints[i].node, order[i]);
    assert_int_equal(gltf_warned(run, "constraints_ignored"), has_circle);
}

TEST(gltf_constraints_stand_in_the_order_of_evaluation)
{
    struct gltf_run run;
    gltf_run_init(&run);
    /* each like the next */
    check(&run,
          RULE("rotation", "'source':1") "," RULE("rotation", "'source':2") "," RULE("rotation", "'source':3") ",{}",
          (const uint32_t[]){2, 1, 0}, 3, false);
    /* a circle, and one that depends on it */
    check(&run, RULE("rotation", "'source':1") "," RULE("rotation", "'source':2") "," RULE("rotation", "'source':1"),
          (const uint32_t[]){0}, 1, true);
    /* like its child, which it moves: the child's own rotation does not depend on it */
    check(&run,
          "{'children':[1],'extensions':{'VRMC_node_constraint':{'specVersion':'1.0','constraint':{'rotation':{'source'"
          ":1}}}}},{}",
          (const uint32_t[]){0}, 1, false);
    /* at its child, whose place depends on it */
    check(&run,
          "{'children':[1],'extensions':{'VRMC_node_constraint':{'specVersion':'1.0','constraint':{'aim':{'source':1,'"
          "aimAxis':'PositiveX'}}}}},{}",
          NULL, 0, true);
    /* two that aim at each other's child; a third aims at the first itself, whose place is fixed */
    check(&run,
          "{'children':[1],'extensions':{'VRMC_node_constraint':{'specVersion':'1.0','constraint':{'aim':{'source':3,'"
          "aimAxis':'PositiveX'}}}}},{},"
          "{'children':[3],'extensions':{'VRMC_node_constraint':{'specVersion':'1.0','constraint':{'aim':{'source':1,'"
          "aimAxis':'PositiveX'}}}}},{}," RULE("aim", "'source':0,'aimAxis':'NegativeZ'"),
          (const uint32_t[]){4}, 1, true);
    /* an aim waits for the constraint of an ancestor of its source */
    check(&run,
          RULE("aim", "'source':2,'aimAxis':'PositiveZ'") ",{'children':[2],'extensions':{'VRMC_node_constraint':{'"
                                                          "specVersion':'1.0',"
                                                          "'constraint':{'roll':{'source':3,'rollAxis':'Z'}}}}},{},{}",
          (const uint32_t[]){1, 0}, 2, false);
    gltf_run_fini(&run);
}
