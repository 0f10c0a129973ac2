/* Clearcoat, specular, index of refraction, sheen, iridescence, anisotropy and transmission of materials. */
#include "tests/unit/gltf/gltf_run.h"
#include "tests/unit/support/check.h"

#include "anim/model/material_layers.h"

#include <stdio.h>

#define IMAGES                                                                                                         \
    "{'asset':{'version':'2.0'},'images':[{'uri':'a.png'},{'uri':'b.png'}],"                                           \
    "'textures':[{'source':0},{'source':1}],"

static const struct material_layers *import_layers(struct gltf_run *run, const char *extensions)
{
    char json[1500];
    snprintf(json, sizeof json, IMAGES "'materials':[{'extensions':{%s}}]}", extensions);
    gltf_run_json(run, json);
    assert_true(gltf_succeeded(run));
    const int32_t layers = run->builder.materials[0].layers;
    assert_int_equal(layers, run->builder.material_layer_count == 0 ? -1 : 0);
    return layers < 0 ? NULL : run->builder.material_layers;
}

TEST(gltf_layers_of_all_kinds)
{
    struct gltf_run run;
    gltf_run_init(&run);
    const struct material_layers *l = import_layers(
        &run, "'KHR_materials_clearcoat':{'clearcoatFactor':0.5,'clearcoatRoughnessFactor':0.25,"
              "'clearcoatTexture':{'index':0,'texCoord':1,'extensions':{'KHR_texture_transform':{'offset':[2,3],"
              "'scale':[4,5]}}},'clearcoatNormalTexture':{'index':0,'scale':-2}},"
              "'KHR_materials_specular':{'specularFactor':0.75,'specularColorFactor':[2,0.5,0],"
              "'specularColorTexture':{'index':1}},'KHR_materials_ior':{'ior':1.25},"
              "'KHR_materials_sheen':{'sheenColorFactor':[0.1,0.2,0.3],'sheenRoughnessFactor':0.4,"
              "'sheenRoughnessTexture':{'index':1}},"
              "'KHR_materials_iridescence':{'iridescenceFactor':1,'iridescenceIor':1.5,"
              "'iridescenceThicknessMinimum':700,'iridescenceThicknessMaximum':200},"
              "'KHR_materials_anisotropy':{'anisotropyStrength':0.6,'anisotropyRotation':-7,"
              "'anisotropyTexture':{'index':0}},"
              "'KHR_materials_transmission':{'transmissionFactor':0.9,'transmissionTexture':{'index':0}}");
    assert_int_equal(l->present, (1U << LAYER_COUNT) - 1);
    const float got[] = {l->clearcoat,
                         l->clearcoat_roughness,
                         l->clearcoat_normal_scale,
                         l->specular,
                         l->specular_color[0],
                         l->specular_color[2],
                         l->ior,
                         l->sheen_color[1],
                         l->sheen_roughness,
                         l->iridescence,
                         l->iridescence_ior,
                         l->iridescence_thickness_min_nm,
                         l->iridescence_thickness_max_nm,
                         l->anisotropy,
                         l->anisotropy_rotation,
                         l->transmission};
    static const float EXPECTED[] = {0.5f, 0.25f, -2,   0.75f, 2,   0,    1.25f, 0.2f,
                                     0.4f, 1,     1.5f, 700,   200, 0.6f, -7,    0.9f};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        CHECK_NEAR(got[i], EXPECTED[i], 0);
    const struct material_texture *coat = &l->textures[TEXTURE_CLEARCOAT - TEXTURE_SLOT_COUNT];
    const struct model view = bake_builder_view(&run.builder);
    static const float PLACE[6] = {4, 0, 2, 0, 5, 3};
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(coat->uv_from_texcoord[i], PLACE[i], 1e-6);
    assert_int_equal(coat->texcoord_set, 0); /* the first that the material names: TEXCOORD_1 */
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT; slot++) {
        const int32_t texture = material_texture_at(&view, view.materials, slot)->texture;
        if (texture >= 0)
            assert_int_equal(view.textures[texture].content, texture_slot_content(slot));
    }
    assert_int_equal(run.builder.warning_count, 2); /* that there are no such pictures */
    gltf_run_fini(&run);
}

TEST(gltf_layers_without_effect_are_none)
{
    static const char *const NONE[] = {
        "'KHR_materials_clearcoat':{'clearcoatRoughnessFactor':1,'clearcoatTexture':{'index':0}}",
        "'KHR_materials_specular':{'specularFactor':1,'specularColorFactor':[1,1,1]}",
        "'KHR_materials_ior':{}",
        "'KHR_materials_sheen':{'sheenColorFactor':[0,0,0],'sheenRoughnessFactor':1,'sheenColorTexture':{'index':0}}",
        "'KHR_materials_iridescence':{'iridescenceIor':2}",
        "'KHR_materials_anisotropy':{'anisotropyRotation':1}",
        "'KHR_materials_transmission':{'transmissionFactor':-1}",
        "'KHR_materials_clearcoat':{'clearcoatFactor':1},'KHR_materials_unlit':{}",
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++) {
        assert_null(import_layers(&run, NONE[i]));
        assert_int_equal(run.builder.texture_count, 0); /* nor is a picture decoded for one */
        assert_int_equal(run.builder.warning_count, 0);
    }
    /* the texture alone has an effect */
    const struct material_layers *l = import_layers(&run, "'KHR_materials_specular':{'specularTexture':{'index':0}}");
    assert_int_equal(l->present, 1U << LAYER_SPECULAR);
    gltf_run_fini(&run);
}

TEST(gltf_layers_are_limited)
{
    struct gltf_run run;
    gltf_run_init(&run);
    const struct material_layers *l = import_layers(
        &run, "'KHR_materials_clearcoat':{'clearcoatFactor':9,'clearcoatRoughnessFactor':-1},'KHR_materials_ior':{'ior'"
              ":0.5},'KHR_materials_iridescence':{'iridescenceFactor':2,'iridescenceIor':0,"
              "'iridescenceThicknessMaximum':1e30}");
    CHECK_NEAR(l->clearcoat, 1, 0);
    CHECK_NEAR(l->clearcoat_roughness, 0, 0);
    CHECK_NEAR(l->ior, 1, 0);
    CHECK_NEAR(l->iridescence_ior, 1, 0);
    CHECK_NEAR(l->iridescence_thickness_max_nm, 1e6, 0);
    CHECK_NEAR(import_layers(&run, "'KHR_materials_ior':{'ior':0}")->ior, 0, 0);
    static const char *const BAD[][2] = {
        {"'KHR_materials_sheen':{'sheenColorFactor':[1,1]}", "sheenColorFactor has 2 numbers"},
        {"'KHR_materials_transmission':{'transmissionFactor':'x'}", "transmissionFactor is a text"},
        {"'KHR_materials_anisotropy':{'anisotropyTexture':{'index':9}}", "anisotropyTexture.index"},
        {"'KHR_materials_iridescence':[]", "KHR_materials_iridescence is an array"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char json[600];
        snprintf(json, sizeof json, IMAGES "'materials':[{'extensions':{%s}}]}", BAD[i][0]);
        gltf_run_json(&run, json);
        assert_true(gltf_failed(&run, ERR_BAD_MODEL, BAD[i][1]));
    }
    gltf_run_fini(&run);
}

/* Three sets of coordinates: a layer's texture is left out, not the base's. */
TEST(gltf_layers_give_way_where_there_are_too_many_sets)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, IMAGES "'materials':[{'normalTexture':{'index':0},'occlusionTexture':{'index':0,'texCoord':1},"
                               "'extensions':{'KHR_materials_clearcoat':{'clearcoatFactor':1,"
                               "'clearcoatTexture':{'index':0,'texCoord':2}}}}]}");
    assert_true(gltf_succeeded(&run));
    assert_true(run.builder.materials[0].textures[TEXTURE_OCCLUSION].texture >= 0);
    assert_int_equal(run.builder.material_layers[0].textures[0].texture, -1);
    assert_true(gltf_warned(&run, "texcoords_beyond_two"));
    gltf_run_fini(&run);
}
