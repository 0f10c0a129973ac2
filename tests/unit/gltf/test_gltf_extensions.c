/* Required extensions, invisible nodes, and unsupported kinds of pictures. */
#include "tests/unit/gltf/gltf_run.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TEST(gltf_extensions_that_may_be_required)
{
    static const struct {
        const char *name;
        bool is_left; /* with a warning that it is not used */
    } KNOWN[] = {
        {"KHR_mesh_quantization", false}, {"KHR_node_visibility", false},     {"KHR_materials_clearcoat", false},
        {"KHR_materials_ior", false},     {"KHR_texture_basisu", false},      {"KHR_lights_punctual", false},
        {"KHR_xmp_json_ld", true},        {"KHR_materials_variants", false},  {"MSFT_lod", true},
        {"FB_ngon_encoding", true},       {"CESIUM_primitive_outline", true}, {"VRMC_vrm", true},
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        char json[300];
        snprintf(json, sizeof json, "{'asset':{'version':'2.0'},'extensionsUsed':['%s'],'extensionsRequired':['%s']}",
                 KNOWN[i].name, KNOWN[i].name);
        gltf_run_json(&run, json);
        assert_true(gltf_succeeded(&run));
        assert_int_equal(gltf_warned(&run, "extension_ignored"), KNOWN[i].is_left);
    }
    gltf_run_json(&run,
                  "{'asset':{'version':'2.0'},'extensionsRequired':['KHR_lights_punctual','KHR_gaussian_splatting']}");
    assert_true(gltf_failed(&run, ERR_UNSUPPORTED_EXTENSION, "requires KHR_gaussian_splatting, which"));
    gltf_run_fini(&run);
}

TEST(gltf_nodes_below_one_that_is_not_visible_are_hidden)
{
    static const bool HIDDEN[] = {true, false, true, true, false, true};
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, "{'asset':{'version':'2.0'},'nodes':[{'children':[5]},"
                        "{'children':[2,4],'extensions':{'KHR_node_visibility':{'visible':true}}},"
                        "{'children':[3,0],'extensions':{'KHR_node_visibility':{'visible':false}}},"
                        "{'extensions':{'KHR_node_visibility':{'visible':true}}},"
                        "{'extensions':{'KHR_node_visibility':{}}},{}]}");
    assert_true(gltf_succeeded(&run));
    for (uint32_t n = 0; n < 6; n++)
        assert_int_equal((run.builder.nodes[n].flags & NODE_HIDDEN) != 0, HIDDEN[n]);
    gltf_run_json(&run, "{'asset':{'version':'2.0'},'nodes':[{'extensions':{'KHR_node_visibility':{'visible':0}}}]}");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "nodes[0].extensions.KHR_node_visibility.visible"));
    gltf_run_fini(&run);
}

TEST(gltf_pictures_of_kinds_that_are_not_read)
{
    static const struct {
        const char *extension, *bytes, *reason;
    } ROWS[] = {
        {"KHR_texture_basisu", "\xabKTX 20\xbb\r\n\x1a\n----", "KTX"},
        {"EXT_texture_avif",
         "\0\0\0\x1c"
         "ftypavif----",
         "AVIF"},
        {"MSFT_texture_dds", "DDS |-----------", "DDS"},
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char json[700];
        snprintf(json, sizeof json,
                 "{'asset':{'version':'2.0'},'extensionsRequired':['%s'],'buffers':[{'byteLength':16}],"
                 "'bufferViews':[{'buffer':0,'byteLength':16}],'images':[{'bufferView':0}],"
                 "'textures':[{'extensions':{'%s':{'source':0}}}],"
                 "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}}]}",
                 ROWS[i].extension, ROWS[i].extension);
        gltf_run_glb(&run, json, ROWS[i].bytes, 16);
        assert_true(gltf_succeeded(&run));
        assert_int_equal(run.builder.textures[run.builder.materials[0].textures[TEXTURE_BASE_COLOR].texture].state,
                         TEXTURE_BROKEN);
        const struct str why = run.builder.warnings[0].message;
        char text[200];
        snprintf(text, sizeof text, "%.*s", (int)why.size_bytes, run.builder.text + why.offset);
        assert_non_null(strstr(text, ROWS[i].reason));
    }
    gltf_run_fini(&run);
}

static bool bone_is(const struct gltf_run *run, uint32_t index, const char *name, uint32_t node)
{
    const struct humanoid_bone *bone = &run->builder.humanoid_bones[index];
    return gltf_str_is(run, bone->name, name) && bone->node == node;
}

TEST(gltf_faces_that_do_not_fit_are_left_out)
{
    static const char *const BINDS[] = {
        "{'node':9,'index':0}",
        "{'node':-1,'index':0}",
        "{'node':0.5,'index':0}",
        "{'node':'a','index':0}",
        "{'node':0,'index':0}",
        "{'node':0,'index':4294967296}",
        "{'index':0}",
        "7",
        "[]",
    };
    static const char *const AROUND[][2] = {
        {"'VRMC_vrm':{'expressions':{'preset':{'happy':{'morphTargetBinds':[",
         "],'materialColorBinds':[{'material':0,'type':'color','targetValue':[1,1,1,1e999]},{'material':3,'type':'"
         "color',"
         "'targetValue':[1,1,1,1]},{'material':0,'type':'none','targetValue':[1,1,1,1]},{'material':0,'type':'color',"
         "'targetValue':[1,1,1]}],'textureTransformBinds':[{'material':0,'scale':[1,1,1]}]},'a':5,'':{}},'custom':{"
         "'happy':{},'b':[]}},'lookAt':{'rangeMapVerticalUp':{'inputMaxValue':-5,'outputScale':1e999},"
         "'offsetFromHeadBone':[1,2]}}"},
        {"'VRM':{'blendShapeMaster':{'blendShapeGroups':[{'presetName':'joy','binds':[",
         "],'materialValues':[{'materialName':'m','propertyName':'_None','targetValue':[1,1,1,1]},{'materialName':'x',"
         "'propertyName':'_Color','targetValue':[1,1,1,1]},{'materialName':5},4]},{'presetName':'joy'},{},3]},"
         "'firstPerson':{'lookAtVerticalUp':{'xRange':0}}}"},
        {"'VRMC_vrm_animation':{'expressions':{'preset':{'sad':{},'happy':",
         ",'a':5,'lookUp':{'node':0}}},'lookAt':{'node':7}}"},
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof AROUND / sizeof *AROUND; i++)
        for (size_t b = 0; b < sizeof BINDS / sizeof *BINDS; b++) {
            char json[1400];
            snprintf(json, sizeof json,
                     "{'asset':{'version':'2.0'},'nodes':[{}],'materials':[{'name':'m'}],'extensions':{%s%s%s}}",
                     AROUND[i][0], BINDS[b], AROUND[i][1]);
            gltf_run_json(&run, json);
            assert_true(gltf_succeeded(&run));
            assert_true(gltf_warned(&run, "expressions_ignored"));
            assert_true(gltf_warned(&run, "expression_binds_ignored"));
            assert_int_equal(run.builder.expression_bind_count, 0);
            assert_int_equal(run.builder.gaze_count, 1);
            assert_int_equal(run.builder.gazes[0].node, -1);
            assert_true(run.builder.gazes[0].ranges[GAZE_UP].most_deg > 0);
        }
    gltf_run_fini(&run);
}

TEST(gltf_bones_of_a_human)
{
    static const char *const FILES[] = {
        "'VRM':{'humanoid':{'humanBones':[{'bone':'spine','node':2},{'bone':'hips','node':1},{'bone':'jaw','node':-1},"
        "{'bone':'hips','node':0},{'node':1},{'bone':5,'node':1},7]}}",
        "'VRMC_vrm':{'humanoid':{'humanBones':{'spine':{'node':2},'hips':{'node':1},'neck':{'node':3},'head':{'node':0."
        "5},"
        "'b\\u0001':{'node':0},'jaw':{'node':null},'leftEye':8}}},'VRM':{'humanoid':{'humanBones':[{'bone':'old','node'"
        ":0}]}}",
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        char json[700];
        snprintf(json, sizeof json, "{'asset':{'version':'2.0'},'nodes':[{},{},{}],'extensions':{%s}}", FILES[i]);
        gltf_run_json(&run, json);
        assert_true(gltf_succeeded(&run));
        assert_true(gltf_warned(&run, "humanoid_bones_ignored"));
        assert_int_equal(run.builder.humanoid_bone_count, 2);
        assert_true(bone_is(&run, 1, "spine", 2));
        assert_true(bone_is(&run, 0, "hips", i == 0 ? 0 : 1));
    }
    static const char *const NONE[] = {"'VRM':5", "'VRM':{'humanoid':[]}", "'VRM':{'humanoid':{'humanBones':'x'}}",
                                       "'X':1"};
    for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++) {
        char json[300];
        snprintf(json, sizeof json, "{'asset':{'version':'2.0'},'nodes':[{}],'extensions':{%s}}", NONE[i]);
        gltf_run_json(&run, json);
        assert_true(gltf_succeeded(&run));
        assert_int_equal(run.builder.humanoid_bone_count, 0);
    }
    gltf_run_json(&run, "{'asset':{'version':'2.0'},'nodes':[{}],'extensions':[1]}");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "extensions is an array"));
    gltf_run_fini(&run);
}

#define VARIANTS                                                                                                       \
    "'extensions':{'KHR_materials_variants':{'variants':[{'name':'day'},{'name':'night'},{'name':'dusk'}]}}"
#define MAPPED(mappings)                                                                                               \
    "{'asset':{'version':'2.0'}," VARIANTS ",'materials':[{},{},{}],'meshes':[{'primitives':[{'attributes':{}},"       \
    "{'attributes':{},'material':1,'extensions':{'KHR_materials_variants':{'mappings':[" mappings "]}}}]}]}"

TEST(gltf_variants_of_materials)
{
    static const struct variant_material EXPECTED[] = {{1, 0, 2, 0}, {1, 2, 0, 0}};
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, MAPPED("{'material':0,'variants':[2]},{'material':2,'variants':[0,2]}"));
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.variant_count, 3);
    assert_true(gltf_str_is(&run, run.builder.variants[1].name, "night"));
    assert_int_equal(run.builder.variant_material_count, 2);
    assert_memory_equal(run.builder.variant_materials, EXPECTED, sizeof EXPECTED);
    static const struct {
        const char *json, *message;
    } BAD[] = {
        {MAPPED("{'material':0,'variants':[3]}"), "mappings[0].variants has 3, but the file has 3 variants"},
        {MAPPED("{'material':0,'variants':[0]},{'material':0,'variants':[-1]}"), "mappings[1].variants has -1"},
        {MAPPED("{'material':0,'variants':[0.5]}"), "mappings[0].variants has 0.5"},
        {MAPPED("{'material':0,'variants':['x']}"), "variants"},
        {MAPPED("{'material':3,'variants':[0]}"), "mappings[0].material"},
        {MAPPED("{'material':0}"), "variants"},
        {MAPPED("7"), "mappings[0]"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        gltf_run_json(&run, BAD[i].json);
        assert_true(gltf_failed(&run, ERR_BAD_MODEL, BAD[i].message));
    }
    gltf_run_fini(&run);
}

/* --- lights --- */

#define LIGHTS(lights, nodes)                                                                                          \
    "{'asset':{'version':'2.0'},'extensions':{'KHR_lights_punctual':{'lights':[" lights "]}},'nodes':[" nodes "]}"
#define AT(index) "{'name':'n" index "','extensions':{'KHR_lights_punctual':{'light':" index "}}}"

TEST(gltf_lights_at_nodes)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run,
                  LIGHTS("{'type':'spot','color':[1,0.5,0.25],'intensity':30,'range':4,'spot':{'innerConeAngle':0.25,"
                         "'outerConeAngle':0.5}},{'type':'directional','name':'sun','range':3},{'type':'point'},"
                         "{'type':'spot'}",
                         "{}," AT("1") "," AT("0") "," AT("2") "," AT("3")));
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.light_count, 4);
    const struct model_light *lights = run.builder.lights;
    assert_true(gltf_str_is(&run, lights[0].name, "sun") && gltf_str_is(&run, lights[1].name, "n0"));
    assert_int_equal(lights[0].kind, LIGHT_KIND_DIRECTIONAL);
    assert_true(lights[0].range == 0 && lights[0].intensity == 1 && lights[0].color[2] == 1 && lights[0].node == 1);
    assert_int_equal(lights[1].kind, LIGHT_KIND_SPOT);
    assert_true(lights[1].color[2] == 0.25f && lights[1].intensity == 30 && lights[1].range == 4 &&
                lights[1].inner_cone == 0.25f && lights[1].outer_cone == 0.5f && lights[1].node == 2);
    assert_true(lights[2].kind == LIGHT_KIND_POINT && lights[2].outer_cone == 0);
    assert_true(lights[3].inner_cone == 0 && fabsf(lights[3].outer_cone - 0.785398f) < 1e-6f);
    gltf_run_fini(&run);
}

TEST(gltf_lights_that_cannot_be)
{
    static const char *const BAD[] = {"{'type':'area'}",
                                      "{'type':'point','intensity':-1}",
                                      "{'type':'point','color':[1,-1,1]}",
                                      "{'type':'point','range':0}",
                                      "{'type':'spot','spot':{'innerConeAngle':0.5,'outerConeAngle':0.5}}",
                                      "{'type':'spot','spot':{'outerConeAngle':1.6}}",
                                      "{'type':'spot','spot':{'innerConeAngle':-0.1}}"};
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char json[500];
        snprintf(json, sizeof json, LIGHTS("%s", AT("0")), BAD[i]);
        gltf_run_json(&run, json);
        assert_true(gltf_succeeded(&run));
        assert_true(gltf_warned(&run, "light_ignored"));
        assert_int_equal(run.builder.light_count, 0);
    }
    gltf_run_json(&run, LIGHTS("{'type':'point'}", AT("1")));
    assert_true(
        gltf_failed(&run, ERR_BAD_MODEL, "nodes[0].extensions.KHR_lights_punctual.light is 1, but the file has 1"));
    gltf_run_json(&run, LIGHTS("{'type':'point','color':[1,1]}", AT("0")));
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "color"));
    gltf_run_fini(&run);
}

TEST(gltf_lights_more_than_pictures_show)
{
    char json[4000] = "{'asset':{'version':'2.0'},'extensions':{'KHR_lights_punctual':{'lights':[{'type':'point'}]}},"
                      "'nodes':[";
    struct gltf_run run;
    gltf_run_init(&run);
    for (int n = 0; n <= MODEL_LIGHTS_DRAWN; n++)
        strcat(json, n == 0 ? AT("0") : "," AT("0"));
    strcat(json, "]}");
    gltf_run_json(&run, json);
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_warned(&run, "too_many_lights"));
    assert_int_equal(run.builder.light_count, MODEL_LIGHTS_DRAWN + 1);
    gltf_run_fini(&run);
}
