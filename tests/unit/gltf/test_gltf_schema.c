/* The whole path from a JSON text: errors in a file's types and indices, and their messages. */
#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#define HEAD "{'asset':{'version':'2.0'}"

static const struct row {
    const char *json;
    int code;
    const char *message;
} WRONG[] = {
    {"{}", ERR_BAD_MODEL, "asset is missing"},
    {"{'asset':{}}", ERR_BAD_MODEL, "asset.version is missing"},
    {"{'asset':{'version':'1.0'},'nodes':{}}", ERR_NOT_A_MODEL, "glTF 1.0"},
    {"{'nodes':{}}", ERR_NOT_A_MODEL, "glTF 1.0"},
    {"{'asset':{'version':'3.0'}}", ERR_NOT_A_MODEL, "'3.0'"},
    {"{'asset':{'version':'2.0','minVersion':'2.1'}}", ERR_NOT_A_MODEL, "minVersion"},
    {HEAD ",'nodes':{}}", ERR_BAD_MODEL, "nodes is an object, expected an array"},
    {HEAD ",'nodes':[7]}", ERR_BAD_MODEL, "nodes[0] is a number, expected an object"},
    {HEAD ",'nodes':[{},{'children':3}]}", ERR_BAD_MODEL, "nodes[1].children is a number, expected an array"},
    {HEAD ",'nodes':[{'children':['a']}]}", ERR_BAD_MODEL, "nodes[0].children[0] is a text, expected a number"},
    {HEAD ",'nodes':[{'children':[1]}]}", ERR_BAD_MODEL, "nodes[0].children[0] is 1, but the file has 1 nodes"},
    {HEAD ",'nodes':[{'mesh':0}]}", ERR_BAD_MODEL, "nodes[0].mesh is 0, but the file has 0 meshes"},
    {HEAD ",'nodes':[{'mesh':-1}]}", ERR_BAD_MODEL, "nodes[0].mesh is -1, expected a whole number"},
    {HEAD ",'nodes':[{'mesh':0.5}]}", ERR_BAD_MODEL, "nodes[0].mesh is 0.5, expected a whole number"},
    {HEAD ",'nodes':[{'mesh':1e300}]}", ERR_BAD_MODEL, "expected a whole number"},
    {HEAD ",'nodes':[{'name':7}]}", ERR_BAD_MODEL, "nodes[0].name is a number, expected a text"},
    {HEAD ",'nodes':[{'name':null}]}", ERR_BAD_MODEL, "nodes[0].name is null, expected a text"},
    {HEAD ",'nodes':[{'scale':[1,2]}]}", ERR_BAD_MODEL, "nodes[0].scale has 2 numbers, expected 3"},
    {HEAD ",'nodes':[{'scale':[1,1e999,1]}]}", ERR_BAD_MODEL, "nodes[0].scale[1] does not fit"},
    {HEAD ",'nodes':[{'scale':[1,1e39,1]}]}", ERR_BAD_MODEL, "nodes[0].scale[1] does not fit"},
    {HEAD ",'scene':0}", ERR_BAD_MODEL, "scene is 0, but the file has 0 scenes"},
    {HEAD ",'meshes':[{'primitives':[{'attributes':{'POSITION':2}}]}]}", ERR_BAD_MODEL,
     "meshes[0].primitives[0].attributes.POSITION is 2, but the file has 0 accessors"},
    {HEAD ",'meshes':[{'primitives':[{'attributes':[]}]}]}", ERR_BAD_MODEL,
     "attributes is an array, expected an object"},
    {HEAD ",'meshes':[{'primitives':[{}]}]}", ERR_BAD_MODEL, "meshes[0].primitives[0].attributes is missing"},
    {HEAD ",'materials':[{'doubleSided':1}]}", ERR_BAD_MODEL, "doubleSided is a number, expected true or false"},
    {HEAD ",'extensionsRequired':[1]}", ERR_BAD_MODEL, "extensionsRequired[0] is a number, expected a text"},
    {HEAD ",'extensionsRequired':['X_z','KHR_materials_unlit','X_y']}", ERR_UNSUPPORTED_EXTENSION,
     "requires X_z, X_y,"},
    {HEAD ",'buffers':[{'byteLength':8}],'bufferViews':[{'buffer':0,'byteOffset':4,'byteLength':5}]}", ERR_BAD_MODEL,
     "bufferViews[0] ends at byte 9, but buffers[0] has 8 bytes"},
    {HEAD ",'materials':[{'alphaMode':'GLASS'}]}", ERR_BAD_MODEL, "materials[0].alphaMode is 'GLASS'"},
    {HEAD ",'skins':[{'joints':[]}]}", ERR_BAD_MODEL, "skins[0].joints is empty"},
};

TEST(gltf_wrong_types_and_indices_are_named)
{
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        gltf_run_json(&run, WRONG[i].json);
        assert_true(gltf_failed(&run, WRONG[i].code, WRONG[i].message));
    }
    gltf_run_fini(&run);
}

TEST(gltf_of_nothing_is_a_model)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'extras':null,'unknown':[null],'extensionsUsed':['EXT_lights_ies'],"
                             "'extensionsRequired':['KHR_mesh_quantization']}");
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.node_count, 0);
    assert_true(gltf_warned(&run, "extension_ignored"));
    assert_true(gltf_str_is(&run, run.builder.infos[0].format, "glTF 2.0"));
    assert_int_equal(run.builder.infos[0].flags, MODEL_HAS_UP | MODEL_HAS_FORWARD | MODEL_HAS_UNIT);
    gltf_run_fini(&run);
}

TEST(gltf_names_are_kept_or_repaired)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'nodes':[{'name':'A'},{'name':'A'},{'name':''},{},{'name':'B\xff'}]}");
    assert_true(gltf_succeeded(&run));
    const char *const names[] = {"A", "A", "", NULL, "B?"};
    for (int i = 0; i < 5; i++)
        assert_true(gltf_str_is(&run, run.builder.nodes[i].name, names[i]));
    assert_true(gltf_warned(&run, "name_repaired"));
    gltf_run_fini(&run);
}
