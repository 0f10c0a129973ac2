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
