#include "check.h"
#include "gltf_run.h"

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
    assert_true(is_extra(&run, 0, EXTRA_NODE, 1, "{\"a\":[1,0.25,null,true],\"b\":\"\\n\u00e9\"}"));
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
