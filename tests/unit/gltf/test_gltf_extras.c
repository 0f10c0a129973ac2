#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdio.h>
#include <string.h>

static bool is_extra(const struct gltf_run *run, uint32_t i, enum extra_owner owner, uint32_t index, const char *json)
{
    const struct extra *extra = &run->builder.extras[i];
    return extra->owner == owner && extra->index == index && gltf_str_is(run, extra->json, json);
}

TEST(gltf_extras_of_nodes_materials_and_animations)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(
        &run,
        "{'asset':{'version':'2.0'},'nodes':[{},{'extras': { 'a' : [ 1, 2.5e-1, null, true ], 'b':'\\n\u00e9' } },"
        "{'extras':7}],'materials':[{'extras':'wool'}],'animations':[{'extras':{},'channels':[],"
        "'samplers':[]}],'meshes':[{'extras':1,'primitives':[{'attributes':{}}]}],'extras':{'x':1}}");
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.extra_count, 4);
    assert_true(is_extra(&run, 0, EXTRA_NODE, 1, "{\"a\":[1,2.5e-1,null,true],\"b\":\"\\n\u00e9\"}"));
    assert_true(is_extra(&run, 1, EXTRA_NODE, 2, "7"));
    assert_true(is_extra(&run, 2, EXTRA_MATERIAL, 0, "\"wool\""));
    assert_true(is_extra(&run, 3, EXTRA_CLIP, 0, "{}"));
    gltf_run_fini(&run);
}

TEST(gltf_extras_are_bounded)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run.limits.value[LIMIT_EXTRAS_BYTES] = 8;
    gltf_run_json(&run, "{'asset':{'version':'2.0'},'nodes':[{'extras':'12345'},{'extras':'6789'},{'extras':1}]}");
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_warned(&run, "extras_dropped"));
    assert_int_equal(run.builder.extra_count, 2);
    assert_true(is_extra(&run, 1, EXTRA_NODE, 2, "1"));
    gltf_run_fini(&run);
}

/* Where the exporter's text and a double's printed form differ. */
TEST(gltf_extras_keep_every_digit)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run,
                  "\xef\xbb\xbf {'asset':{'version':'2.0'} , 'extras' : [ { 'nodes' : '}]' } ] ,\n"
                  "'\\u006eodes' : [ { 'name' : '\\\\', 'extras' : [ 12345678901234567890 , 1.10,\t1e400, -0.0 ,\r\n"
                  "'a , \\' ] b' , '\\u0000\\ud83e\\udd8a' ] , 'extras' : 2 } , { 'extras':{ } } ,"
                  "{'extras':' '} ] , 'nodes':7 }");
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.extra_count, 3);
    /* The test's JSON has ' for ", also behind the backslash. */
    assert_true(is_extra(&run, 0, EXTRA_NODE, 0,
                         "[12345678901234567890,1.10,1e400,-0.0,\"a , \\\" ] b\",\"\\u0000\\ud83e\\udd8a\"]"));
    assert_true(is_extra(&run, 1, EXTRA_NODE, 1, "{}"));
    assert_true(is_extra(&run, 2, EXTRA_NODE, 2, "\" \""));
    gltf_run_fini(&run);
}

TEST(gltf_extras_longer_than_a_name)
{
    static char json[20000], expected[10000];
    size_t size = (size_t)sprintf(json, "{'asset':{'version':'2.0'},'nodes':[{'extras':[");
    size_t expected_size = (size_t)sprintf(expected, "[");
    for (int i = 0; i < 1000; i++) {
        size += (size_t)sprintf(json + size, "%s %d.50", i > 0 ? " ," : "", i);
        expected_size += (size_t)sprintf(expected + expected_size, "%s%d.50", i > 0 ? "," : "", i);
    }
    sprintf(json + size, "]}]}");
    sprintf(expected + expected_size, "]");
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, json);
    assert_true(gltf_succeeded(&run));
    assert_true(strlen(expected) > LIMIT_INFO[LIMIT_NAME_BYTES].initial);
    assert_true(is_extra(&run, 0, EXTRA_NODE, 0, expected));
    gltf_run_fini(&run);
}

/* cJSON takes numbers that JSON does not have, and bytes that are not UTF-8. */
TEST(gltf_extras_that_are_not_json_are_left_out)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, "{'asset':{'version':'2.0'},'nodes':[{'extras':[01]},{'extras':1.},{'extras':'\xff'}]}");
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_warned(&run, "extras_dropped"));
    assert_int_equal(run.builder.extra_count, 1);
    assert_true(is_extra(&run, 0, EXTRA_NODE, 2, "\"?\""));
    gltf_run_fini(&run);
}

static bool is_carried(const struct gltf_run *run, enum carry_owner owner, uint32_t index, const char *member,
                       const char *json)
{
    for (uint32_t i = 0; i < run->builder.carried_count; i++) {
        const struct carried *at = &run->builder.carried_members[i];
        if (at->owner == owner && at->index == index && gltf_str_is(run, at->member, member))
            return gltf_str_is(run, at->json, json);
    }
    return json == NULL;
}

/* Every digit and the order stay; posed's own members go. */
TEST(gltf_members_that_only_exports_have_again)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(
        &run,
        "{'asset':{'version':'2.0','generator':'posed 1','copyright':'Ada','extras':{'x':1.250, 'hash':2,'a':[ ]}},"
        "'extras':[1],'scene':1,'scenes':[{'nodes':[ 1 ]},{'name':'shown','nodes':[0]}],"
        "'nodes':[{'extensions':{'KHR_node_selectability':{'selectable':false},'X_other':{}}},{'mesh':0}],"
        "'meshes':[{'extras':{'targetNames':[],'k':0},'primitives':[{'attributes':{'POSITION':0},'extras':3}]}],"
        "'accessors':[{'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[0,0,0]}]}");
    assert_true(gltf_succeeded(&run));
    assert_true(is_carried(&run, CARRY_ASSET, 0, "copyright", "\"Ada\""));
    assert_true(is_carried(&run, CARRY_ASSET, 0, "extras", "{\"x\":1.250,\"a\":[]}"));
    assert_true(is_carried(&run, CARRY_DOCUMENT, 0, "extras", "[1]"));
    assert_true(is_carried(&run, CARRY_DOCUMENT, 0, "scene", "1"));
    assert_true(is_carried(&run, CARRY_SCENE, 0, "nodes", "[1]"));
    assert_true(is_carried(&run, CARRY_SCENE, 1, "nodes", NULL));
    assert_true(is_carried(&run, CARRY_SCENE, 1, "name", "\"shown\""));
    assert_true(is_carried(&run, CARRY_NODE, 0, "KHR_node_selectability", "{\"selectable\":false}"));
    assert_true(is_carried(&run, CARRY_NODE, 0, "X_other", NULL));
    assert_true(is_carried(&run, CARRY_MESH, 0, "extras", "{\"k\":0}"));
    assert_true(is_carried(&run, CARRY_PRIMITIVE, 0, "extras", "3"));
    assert_true(is_carried(&run, CARRY_NOTHING, 0, "extension", "\"X_other: nodes[0]\""));
    gltf_run_fini(&run);
}

TEST(gltf_carried_members_are_bounded)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run.limits.value[LIMIT_EXTRAS_BYTES] = 8;
    gltf_run_json(&run, "{'asset':{'version':'2.0','copyright':'12345'},'extras':'6789','nodes':[{}]}");
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_warned(&run, "extras_dropped"));
    assert_int_equal(run.builder.carried_count, 1);
    gltf_run_fini(&run);
}
