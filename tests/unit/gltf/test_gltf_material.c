#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdio.h>

#define HEAD           "{'asset':{'version':'2.0'}"
#define COLOR(texture) "'pbrMetallicRoughness':{'baseColorTexture':{'index':" #texture "}}"

TEST(gltf_material_values)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'materials':[{},{'name':'glass','alphaMode':'BLEND','doubleSided':true,"
                             "'pbrMetallicRoughness':{'baseColorFactor':[0.1,0.2,0.3,0.4]}},"
                             "{'alphaMode':'MASK','alphaCutoff':0.25,'extensions':{'KHR_materials_unlit':{}}}]}");
    assert_true(gltf_succeeded(&run));
    const struct material *m = run.builder.materials;
    assert_int_equal(run.builder.material_count, 3);
    CHECK_NEAR(m[0].base_color[3], 1, 0);
    CHECK_NEAR(m[0].alpha_cutoff, 0.5, 0);
    assert_int_equal(m[0].textures[TEXTURE_BASE_COLOR].texture, -1);
    assert_true(gltf_str_is(&run, m[1].name, "glass"));
    CHECK_NEAR(m[1].base_color[1], 0.2f, 0);
    assert_int_equal(m[1].alpha_mode, ALPHA_BLEND);
    assert_int_equal(m[1].flags, MATERIAL_DOUBLE_SIDED);
    assert_int_equal(m[2].alpha_mode, ALPHA_MASK);
    CHECK_NEAR(m[2].alpha_cutoff, 0.25, 0);
    assert_int_equal(m[2].flags, MATERIAL_UNLIT);
    gltf_run_fini(&run);
}

TEST(gltf_material_metallic_roughness)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'images':[{'uri':'a.png'}],'textures':[{'source':0}],'materials':[{},"
                             "{'pbrMetallicRoughness':{'metallicFactor':0.25,'roughnessFactor':7,"
                             "'metallicRoughnessTexture':{'index':0}},'normalTexture':{'index':0,'scale':-2},"
                             "'occlusionTexture':{'index':0,'strength':0.75,'texCoord':1},"
                             "'emissiveTexture':{'index':0},'emissiveFactor':[1,0.5,0],"
                             "'extensions':{'KHR_materials_emissive_strength':{'emissiveStrength':4}}}]}");
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    CHECK_NEAR(b->materials[0].metallic, 1, 0); /* the specification's defaults */
    CHECK_NEAR(b->materials[0].roughness, 1, 0);
    const struct material *m = &b->materials[1];
    CHECK_NEAR(m->metallic, 0.25, 0);
    CHECK_NEAR(m->roughness, 1, 0);
    CHECK_NEAR(m->normal_scale, -2, 0);
    CHECK_NEAR(m->occlusion_strength, 0.75, 0);
    CHECK_NEAR(m->emissive[0], 4, 0);
    CHECK_NEAR(m->emissive[1], 2, 0);
    /* one image: a texture of numbers and one of colours */
    assert_int_equal(b->texture_count, 2);
    assert_int_equal(b->textures[0].content, TEXTURE_DATA);
    assert_int_equal(b->textures[1].content, TEXTURE_COLORS);
    const int32_t textures[TEXTURE_SLOT_COUNT] = {-1, 0, 0, 0, 1};
    const uint32_t sets[TEXTURE_SLOT_COUNT] = {0, 0, 0, 1, 0};
    for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
        assert_int_equal(m->textures[slot].texture, textures[slot]);
        assert_int_equal(m->textures[slot].texcoord_set, sets[slot]);
    }
    gltf_run_fini(&run);
}

TEST(gltf_material_on_three_sets_of_coordinates)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'images':[{'uri':'a.png'}],'textures':[{'source':0}],'materials':[{"
                             "'normalTexture':{'index':0,'texCoord':5},'emissiveTexture':{'index':0,'texCoord':9},"
                             "'occlusionTexture':{'index':0,'texCoord':7}}]}");
    assert_true(gltf_succeeded(&run));
    const struct material *m = run.builder.materials;
    assert_int_equal(m->textures[TEXTURE_NORMAL].texcoord_set, 0);
    assert_int_equal(m->textures[TEXTURE_EMISSIVE].texcoord_set, 1);
    assert_int_equal(m->textures[TEXTURE_OCCLUSION].texture, -1);
    assert_true(gltf_warned(&run, "texcoords_beyond_two"));
    gltf_run_fini(&run);
}

TEST(gltf_material_extensions_that_would_be_seen)
{
    struct gltf_run run;
    gltf_run_init(&run);
    static const char USED[] = HEAD ",'extensionsUsed':['KHR_materials_volume','KHR_materials_dispersion',"
                                    "'KHR_materials_diffuse_transmission'],'materials':[{'extensions':{";
    char json[600];
    snprintf(json, sizeof json, "%s%s", USED,
             "'KHR_materials_volume':{},'KHR_materials_dispersion':{'dispersion':0},"
             "'KHR_materials_diffuse_transmission':{'diffuseTransmissionFactor':0}}}]}");
    gltf_run_json(&run, json);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.warning_count, 0);
    snprintf(json, sizeof json, "%s%s", USED, "'KHR_materials_volume':{'thicknessFactor':0.5}}}]}");
    gltf_run_json(&run, json);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.warning_count, 1);
    assert_true(gltf_warned(&run, "material_extension_ignored"));
    snprintf(json, sizeof json, "%s%s", USED,
             "'KHR_materials_volume':{'thicknessFactor':1},'KHR_materials_unlit':{}}}]}");
    gltf_run_json(&run, json);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.warning_count, 0);
    gltf_run_fini(&run);
}

TEST(gltf_textures_of_one_image_and_wrap_are_one)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run,
                  HEAD ",'images':[{'uri':'my%20skin.png'},{'uri':'data:image/png;base64,AAAA'}],"
                       "'samplers':[{'wrapS':33071,'wrapT':33648},{},{'wrapS':10497}],"
                       "'textures':[{'source':0},{'source':0,'sampler':1},{'source':0,'sampler':2},"
                       "{'source':0,'sampler':0},{'source':1}],"
                       "'materials':[{" COLOR(0) "},{" COLOR(1) "},{" COLOR(2) "},{" COLOR(3) "},{" COLOR(4) "}]}");
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->texture_count, 3);
    const int32_t textures[] = {0, 0, 0, 1, 2};
    for (int i = 0; i < 5; i++)
        assert_int_equal(b->materials[i].textures[TEXTURE_BASE_COLOR].texture, textures[i]);
    assert_true(gltf_str_is(&run, b->textures[0].uri, "my skin.png"));
    assert_true(b->textures[0].state != TEXTURE_FOUND);
    assert_int_equal(b->textures[1].wrap_s, TEXTURE_WRAP_CLAMP);
    assert_int_equal(b->textures[1].wrap_t, TEXTURE_WRAP_MIRROR);
    assert_int_equal(b->textures[2].state, TEXTURE_BROKEN);
    gltf_run_fini(&run);
}

TEST(gltf_textures_that_are_wrong)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'images':[{'uri':'a.png'}],'samplers':[{'wrapT':1}],"
                             "'textures':[{'source':0,'sampler':0}],'materials':[{" COLOR(0) "}]}");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "materials[0]: samplers[0].wrapT is 1"));
    gltf_run_json(&run, HEAD ",'images':[{}],'textures':[{'source':0}],'materials':[{" COLOR(0) "}]}");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "images[0] has neither uri nor bufferView"));
    gltf_run_json(&run, HEAD ",'images':[{'uri':'data:;base64,!'}],'textures':[{'source':0}],"
                             "'materials':[{" COLOR(0) "}]}");
    assert_true(gltf_succeeded(&run) && gltf_warned(&run, "texture_broken")); /* a texture is never the model's fault */
    assert_int_equal(run.builder.textures[0].state, TEXTURE_BROKEN);
    gltf_run_fini(&run);
}

TEST(gltf_texture_of_webp)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run, HEAD ",'extensionsRequired':['EXT_texture_webp'],'images':[{'uri':'a.webp'},{'uri':'b.png'}],"
                             "'textures':[{'extensions':{'EXT_texture_webp':{'source':0}}},"
                             "{'source':1,'extensions':{'EXT_texture_webp':{'source':0}}}],"
                             "'materials':[{" COLOR(0) "},{" COLOR(1) "}]}");
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_str_is(&run, run.builder.textures[0].uri, "a.webp"));
    assert_true(gltf_str_is(&run, run.builder.textures[1].uri, "b.png"));
    gltf_run_fini(&run);
}

TEST(gltf_sampler_filters)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run,
                  HEAD ",'images':[{'uri':'a.png'}],'samplers':[{'magFilter':9728,'minFilter':9986},"
                       "{'magFilter':9729,'minFilter':9729},{'minFilter':9987}],"
                       "'textures':[{'source':0,'sampler':0},{'source':0,'sampler':1},{'source':0,'sampler':2},"
                       "{'source':0}],'materials':[{" COLOR(0) "},{" COLOR(1) "},{" COLOR(2) "},{" COLOR(3) "}]}");
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->texture_count, 3);
    assert_int_equal(b->textures[0].mag_filter, TEXTURE_MAG_NEAREST);
    assert_int_equal(b->textures[0].min_filter, TEXTURE_MIN_NEAREST_MIPMAP_LINEAR);
    assert_int_equal(b->textures[1].mag_filter, TEXTURE_MAG_LINEAR);
    assert_int_equal(b->textures[1].min_filter, TEXTURE_MIN_LINEAR);
    assert_int_equal(b->textures[2].min_filter, TEXTURE_MIN_LINEAR_MIPMAP_LINEAR);
    assert_int_equal(b->materials[3].textures[TEXTURE_BASE_COLOR].texture, 2); /* the default */
    gltf_run_json(&run, HEAD ",'images':[{'uri':'a.png'}],'samplers':[{'magFilter':9987}],"
                             "'textures':[{'source':0,'sampler':0}],'materials':[{" COLOR(0) "}]}");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "materials[0]: samplers[0].magFilter is 9987"));
    gltf_run_fini(&run);
}

/* An uncompressed TGA of 3 x 1: no power of two. */
static const uint8_t THREE[] = {0, 0, 2,  0,    0, 0, 0,   0, 0,   0, 0,   0, 3, 0,
                                1, 0, 24, 0x20, 0, 0, 255, 0, 255, 0, 255, 0, 0};

TEST(gltf_images_are_decoded_once)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run,
                 HEAD ",'buffers':[{'byteLength':27}],'bufferViews':[{'buffer':0,'byteLength':27}],"
                      "'images':[{'bufferView':0,'mimeType':'image/png'},{'bufferView':0,'mimeType':'image/png'}],"
                      "'samplers':[{'wrapS':33071},{'magFilter':9728}],"
                      "'textures':[{'source':0},{'source':1,'sampler':0},{'source':0,'sampler':1},{'source':1}],"
                      "'materials':[{" COLOR(0) "},{" COLOR(1) "},{" COLOR(2) "},{" COLOR(3) "}]}",
                 THREE, sizeof THREE);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->texture_count, 3);
    assert_int_equal(b->textures[0].state, TEXTURE_FOUND);
    assert_int_equal(b->textures[0].width, 4);
    assert_int_equal(b->textures[1].pixel_first, b->textures[0].pixel_first);
    assert_int_equal(b->textures[1].wrap_s, TEXTURE_WRAP_CLAMP);
    assert_int_equal(b->materials[3].textures[TEXTURE_BASE_COLOR].texture, 0);
    /* Enlarged by repeating, so that no texel mixes with its neighbour: 3 to 32. */
    assert_int_equal(b->textures[2].width, 32);
    assert_int_equal(b->textures[2].source_width, 3);
    for (uint32_t x = 0; x < 32; x++) {
        const uint8_t *pixel = b->pixels + b->textures[2].pixel_first + 4 * (size_t)x;
        const uint32_t from = x * 3 / 32;
        assert_int_equal(pixel[0], from == 0 ? 255 : 0);
        assert_int_equal(pixel[1], from == 1 ? 255 : 0);
        assert_int_equal(pixel[2], from == 2 ? 255 : 0);
    }
    gltf_run_fini(&run);
}

#define GLOSS "'extensions':{'KHR_materials_pbrSpecularGlossiness':{"

TEST(gltf_specular_glossiness_by_factors)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_json(&run,
                  HEAD ",'materials':[{" GLOSS "'diffuseFactor':[0,0,0,0.5],'specularFactor':[1,0.5,0.25],"
                       "'glossinessFactor':0.75}}},{" GLOSS "}},'pbrMetallicRoughness':{'roughnessFactor':0.5}}]}");
    assert_true(gltf_succeeded(&run));
    const struct material *m = run.builder.materials;
    CHECK_NEAR(m[0].metallic, 1, 1e-6);
    CHECK_NEAR(m[0].roughness, 0.25, 0);
    CHECK_NEAR(m[0].base_color[2], 0.25, 1e-6);
    CHECK_NEAR(m[0].base_color[3], 0.5, 0);
    CHECK_NEAR(m[1].roughness, 0.5, 0); /* the file says it itself */
    assert_int_equal(run.builder.warning_count, 1);
    assert_true(gltf_warned(&run, "material_approximated"));
    gltf_run_fini(&run);
}

/* Black, white and blue of metal: the specular colour is that of its metal, the diffuse texture is not seen. */
TEST(gltf_specular_glossiness_by_textures)
{
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run,
                 HEAD ",'extensionsRequired':['KHR_materials_pbrSpecularGlossiness'],'buffers':[{'byteLength':27}],"
                      "'bufferViews':[{'buffer':0,'byteLength':27}],'images':[{'bufferView':0}],"
                      "'textures':[{'source':0}],'materials':[{" GLOSS "'diffuseTexture':{'index':0},"
                      "'specularFactor':[0.5,0.5,0.5]}},'pbrMetallicRoughness':{}},"
                      "{" GLOSS "'diffuseTexture':{'index':0,'texCoord':1},'specularFactor':[0,0,0]}}}]}",
                 THREE, sizeof THREE);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    const struct material *m = b->materials;
    assert_int_equal(m[0].textures[TEXTURE_BASE_COLOR].texture, 1);
    assert_int_equal(m[0].textures[TEXTURE_METALLIC_ROUGHNESS].texture, 2);
    assert_int_equal(b->textures[2].content, TEXTURE_DATA);
    CHECK_NEAR(m[0].metallic, 1, 0);
    /* nothing but the factor reflects in the second: its texture stays as it is */
    assert_int_equal(m[1].textures[TEXTURE_BASE_COLOR].texture, 0);
    assert_int_equal(m[1].textures[TEXTURE_METALLIC_ROUGHNESS].texture, -1);
    CHECK_NEAR(m[1].metallic, 0, 0);
    CHECK_NEAR(m[1].base_color[0], 1, 0);
    gltf_run_fini(&run);
}
