/* Materials of FBX: the parameters of Lambert and Phong and of physical materials, and which layers of texture
 * coordinates their textures name. */
#include "tests/unit/fbx/fbx_material_run.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <string.h>

#define COLOR(name, values) "P: \"" name "\", \"Color\", \"\", \"A\"," values "\n"
#define REAL(name, value)   "P: \"" name "\", \"Number\", \"\", \"A\"," value "\n"

static double linear(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4); }

TEST(fbx_lambert)
{
    const struct material m = fbx_material_of(NULL, "Lambert",
                                              COLOR("DiffuseColor", "1,0.5,0.25") REAL("DiffuseFactor", "0.8")
                                                  COLOR("Diffuse", "9,9,9") REAL("ShininessExponent", "36"));
    CHECK_NEAR(m.base_color[0], linear(0.8), 1e-6);
    CHECK_NEAR(m.base_color[1], linear(0.4), 1e-6);
    CHECK_NEAR(m.base_color[2], linear(0.2), 1e-6);
    CHECK_NEAR(m.base_color[3], 1, 0);
    CHECK_NEAR(m.roughness, 1, 0); /* no highlight, whatever else the file says */
    CHECK_NEAR(m.metallic, 0, 0);
    assert_int_equal(m.alpha_mode, ALPHA_OPAQUE);
    assert_int_equal(m.flags, MATERIAL_DOUBLE_SIDED);
}

TEST(fbx_shininess)
{
    static const struct {
        const char *model, *properties;
        double roughness;
    } ROWS[] = {
        {"phong", REAL("ShininessExponent", "36"), 0.4}, /* 1 - sqrt(36) / 10 */
        {"Phong", REAL("Shininess", "25"), 0.5},
        {"phong", REAL("ShininessExponent", "400"), 0},
        {"phong", REAL("ShininessExponent", "0"), 1},
        {"phong", "", 1},
        {"phong", REAL("ShininessExponent", "36") COLOR("SpecularColor", "0,0,0"), 1},
        {"phong", REAL("ShininessExponent", "36") REAL("SpecularFactor", "0"), 1},
        {"unknown", REAL("ShininessExponent", "36"), 0.4},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        CHECK_NEAR(fbx_material_of(NULL, ROWS[i].model, ROWS[i].properties).roughness, ROWS[i].roughness, 1e-6);
}

TEST(fbx_opacity)
{
    static const struct {
        const char *properties;
        double opacity;
    } ROWS[] = {
        {"", 1},
        {REAL("Opacity", "0.25") COLOR("TransparentColor", "1,1,1"), 0.25},
        {COLOR("TransparentColor", "0.25,0.5,0.75") REAL("TransparencyFactor", "0.5"), 0.75},
        {COLOR("TransparentColor", "0.5,0.5,0.5"), 0.5},
        {COLOR("TransparentColor", "0,0,0") REAL("TransparencyFactor", "1"), 1},
        {COLOR("TransparentColor", "1,1,1"), 1}, /* nothing would be visible: the written value means the opposite */
        {REAL("Opacity", "0"), 1},
        {REAL("Opacity", "17"), 1},
        {REAL("Opacity", "1e400"), 1},
        {REAL("TransparencyFactor", "0.5"), 1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct material m = fbx_material_of(NULL, "phong", ROWS[i].properties);
        CHECK_NEAR(m.base_color[3], ROWS[i].opacity, 1e-6);
        assert_int_equal(m.alpha_mode, ROWS[i].opacity < 1 ? ALPHA_BLEND : ALPHA_OPAQUE);
    }
}

TEST(fbx_emission)
{
    struct material m = fbx_material_of(NULL, "phong", COLOR("EmissiveColor", "1,0.5,0") REAL("EmissiveFactor", "0.5"));
    CHECK_NEAR(m.emissive[0], linear(0.5), 1e-6);
    CHECK_NEAR(m.emissive[1], linear(0.25), 1e-6);
    m = fbx_material_of(NULL, "phong", COLOR("EmissiveColor", "1,1,1") REAL("EmissiveFactor", "0"));
    CHECK_NEAR(m.emissive[0], 0, 0);
    /* the weight of a physical material is of light: above 1 too, and not sRGB */
    m = fbx_material_of(NULL, "unknown", COLOR("Maya|emissionColor", "0.5,0.5,0.5") REAL("Maya|emission", "4"));
    CHECK_NEAR(m.emissive[0], 4 * linear(0.5), 1e-5);
}

TEST(fbx_blender_keeps_metallic_in_the_reflection_factor)
{
    static const char METAL[] =
        COLOR("SpecularColor", "1,1,1") REAL("ShininessExponent", "36") REAL("ReflectionFactor", "0.75");
    CHECK_NEAR(fbx_material_of("Blender (stable FBX IO) - 4.0.0 - 5.8.12", "Phong", METAL).metallic, 0.75, 0);
    CHECK_NEAR(fbx_material_of("FBX SDK/FBX Plugins version 2016.0", "Phong", METAL).metallic, 0, 0);
    CHECK_NEAR(fbx_material_of(NULL, "Phong", METAL).metallic, 0, 0);
}

TEST(fbx_templates_have_what_a_material_has_not)
{
    static const char TEXT[] =
        "; FBX 7.4.0 project file\nDefinitions:  {\n\tObjectType: \"Material\" {\n\t\tPropertyTemplate: "
        "\"FbxSurfacePhong\" {\n\t\t\tProperties70:  {\n" COLOR("DiffuseColor", "0.5,0.5,0.5")
            REAL("ShininessExponent", "25") "\t\t\t}\n\t\t}\n\t}\n}\n"
                                            "Objects:  {\n\tMaterial: 3, \"Material::m\", \"\" {\n\t}\n}\n";
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_read(&run, NULL, TEXT, sizeof TEXT - 1);
    assert_int_equal(run.rc, 0);
    CHECK_NEAR(run.builder.materials[0].base_color[0], linear(0.5), 1e-6);
    CHECK_NEAR(run.builder.materials[0].roughness, 0.5, 1e-6);
    fbx_material_run_fini(&run);
}

#define CLASSIC COLOR("DiffuseColor", "1,0,0") REAL("ShininessExponent", "36") REAL("Opacity", "1")

TEST(fbx_physical_materials)
{
    static const struct {
        const char *properties;
        double color, opacity, metallic, roughness;
    } ROWS[] = {
        /* Stingray PBS */
        {CLASSIC COLOR("Maya|base_color", "0.5,0.5,0.5") REAL("Maya|metallic", "0.75") REAL("Maya|roughness", "0.25"),
         0.21404, 1, 0.75, 0.25},
        /* Standard Surface, Arnold */
        {CLASSIC REAL("Maya|base", "0.5") COLOR("Maya|baseColor", "0.5,0.5,0.5") REAL("Maya|metalness", "1")
             REAL("Maya|specularRoughness", "0.3") COLOR("Maya|opacity", "0.25,0.5,0.75"),
         0.10702, 0.5, 1, 0.3},
        {COLOR("Maya|baseColor", "1,1,1") REAL("Maya|opacity", "0.5"), 1, 0.5, 0, 1},
        /* 3ds Max: Physical Material, whose roughness means glossiness */
        {CLASSIC REAL("3dsMax|Parameters|base_weight", "0.5") COLOR("3dsMax|Parameters|base_color", "1,1,1")
             REAL("3dsMax|Parameters|metalness", "0.5") REAL("3dsMax|Parameters|roughness", "0.2")
                 REAL("3dsMax|Parameters|roughness_inv", "1"),
         0.5, 1, 0.5, 0.8},
        /* PBR Material (Metal/Rough), (Spec/Gloss) */
        {CLASSIC COLOR("3dsMax|main|basecolor", "1,1,1") REAL("3dsMax|main|metalness", "0.5")
             REAL("3dsMax|main|roughness", "0.2") REAL("3dsMax|main|useGlossiness", "2"),
         1, 1, 0.5, 0.2},
        {CLASSIC COLOR("3dsMax|main|basecolor", "1,1,1") REAL("3dsMax|main|roughness", "0.2")
             REAL("3dsMax|main|useGlossiness", "1"),
         1, 1, 0, 0.8},
        {CLASSIC COLOR("3dsMax|main|basecolor", "1,1,1") REAL("3dsMax|main|glossiness", "0.9"), 1, 1, 0, 0.1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct material m = fbx_material_of(NULL, "unknown", ROWS[i].properties);
        CHECK_NEAR(m.base_color[1], ROWS[i].color, 1e-4);
        CHECK_NEAR(m.base_color[3], ROWS[i].opacity, 1e-6);
        CHECK_NEAR(m.metallic, ROWS[i].metallic, 1e-6);
        CHECK_NEAR(m.roughness, ROWS[i].roughness, 1e-6);
    }
}

TEST(fbx_gltf_material_of_3ds_max)
{
    static const char FORMAT[] =
        "P: \"3dsMax|main|baseColor\", \"ColorAndAlpha\", \"\", \"A\",1,0.5,0,0.25\n" REAL("3dsMax|main|alphaMode", "2")
            REAL("3dsMax|main|alphaCutoff", "0.75") REAL("3dsMax|main|normal", "0.5")
                REAL("3dsMax|main|ambientOcclusion", "0.3") REAL("3dsMax|extension|unlit", "1")
                    REAL("3dsMax|main|DoubleSided", "0");
    const struct material m = fbx_material_of(NULL, "unknown", FORMAT);
    assert_int_equal(m.alpha_mode, ALPHA_MASK);
    CHECK_NEAR(m.alpha_cutoff, 0.75, 0);
    CHECK_NEAR(m.base_color[3], 0.25, 0);
    CHECK_NEAR(m.base_color[1], linear(0.5), 1e-6);
    CHECK_NEAR(m.normal_scale, 0.5, 0);
    CHECK_NEAR(m.occlusion_strength, 0.3, 1e-6);
    assert_int_equal(m.flags, MATERIAL_UNLIT);
}

#define MATERIAL(id, name) "\tMaterial: " id ", \"Material::" name "\", \"\" {\n\t}\n"

TEST(fbx_materials_are_in_the_files_order_and_slots_in_that_of_the_links)
{
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_objects(&run, NULL,
                             MATERIAL("30", "a") "\tModel: 2, \"Model::x\", \"Mesh\" {\n\t}\n" MATERIAL("20", "b")
                                 MATERIAL("10", ""),
                             "C: \"OO\",10,2\nC: \"OO\",30,2\nC: \"OO\",10,2\nC: \"OP\",20,2,\"other\"\n");
    assert_int_equal(run.builder.material_count, 3);
    assert_int_equal(run.builder.materials[1].name.size_bytes, 1);
    assert_int_equal(run.builder.text[run.builder.materials[1].name.offset], 'b');
    uint32_t object = fbx_object_of_id(&run.fbx.scene, 2), geometry = FBX_NONE;
    struct fbx_slots slots;
    run.fbx.object_of = &object;
    run.fbx.geometry_of = &geometry;
    fbx_slots_of(&run.fbx, 0, NULL, &slots);
    assert_int_equal(slots.count, 3);
    assert_int_equal(slots.materials[0], 2);
    assert_int_equal(slots.materials[1], 0);
    assert_int_equal(slots.materials[2], 2);
    fbx_slots_fini(&slots);
    run.fbx.object_of = run.fbx.geometry_of = NULL;
    fbx_material_run_fini(&run);
}

/* --- layers of texture coordinates --- */

#define TEXTURE(id, uv_set, path)                                                                                      \
    "\tTexture: " id ", \"Texture::t\", \"\" {\n\t\tRelativeFilename: \"" path                                         \
    "\"\n\t\tProperties70:  {\n\t\t\tP: \"UVSet\", \"KString\", \"\", \"\", \"" uv_set "\"\n\t\t}\n\t}\n"

TEST(fbx_textures_name_their_layers)
{
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_objects(&run, NULL,
                             MATERIAL("1", "m") MATERIAL("2", "plain") TEXTURE("11", "detail", "a.png")
                                 TEXTURE("12", "default", "b.png") TEXTURE("13", "other", "c.png"),
                             "C: \"OP\",11,1,\"DiffuseColor\"\nC: \"OP\",12,1,\"NormalMap\"\n"
                             "C: \"OP\",13,1,\"EmissiveColor\"\n");
    assert_true(fbx_material_run_warned(&run, "texcoords_beyond_two"));
    const struct material *m = &run.builder.materials[0];
    assert_int_equal(m->textures[TEXTURE_BASE_COLOR].texcoord_set, 0);
    assert_int_equal(m->textures[TEXTURE_NORMAL].texcoord_set, 1);
    assert_int_equal(m->textures[TEXTURE_EMISSIVE].texture, -1);

    struct fbx_surface surface = {.uv_count = 3};
    surface.uvs[0].name = fbx_span_of("first");
    surface.uvs[1].name = fbx_span_of("other");
    surface.uvs[2].name = fbx_span_of("detail");
    const struct fbx_layer_element *uvs[2];
    fbx_corner_uvs(&run.fbx, 0, &surface, uvs);
    assert_ptr_equal(uvs[0], &surface.uvs[2]);
    assert_ptr_equal(uvs[1], &surface.uvs[0]);
    fbx_corner_uvs(&run.fbx, 1, &surface, uvs); /* without textures */
    assert_ptr_equal(uvs[0], &surface.uvs[0]);
    assert_null(uvs[1]);
    fbx_corner_uvs(&run.fbx, -1, &surface, uvs);
    assert_ptr_equal(uvs[0], &surface.uvs[0]);
    assert_ptr_equal(uvs[1], &surface.uvs[1]);
    surface.uv_count = 1; /* "detail" is not there */
    fbx_corner_uvs(&run.fbx, 0, &surface, uvs);
    assert_ptr_equal(uvs[0], &surface.uvs[0]);
    assert_ptr_equal(uvs[1], &surface.uvs[0]);
    fbx_material_run_fini(&run);
}

/* --- damage --- */

TEST(fbx_materials_of_any_part_of_a_file)
{
    static const char TEXT[] = "; FBX 7.4.0 project file\nObjects:  {\n" MATERIAL("1", "m") TEXTURE("11", "", "a.png")
        TEXTURE("12", "", "b.png") "\tLayeredTexture: 13, \"LayeredTexture::l\", \"\" {\n\t}\n"
                                   "\tVideo: 14, \"Video::v\", \"Clip\" {\n\t\tFilename: \"b.png\"\n\t\tContent: ,\n"
                                   "\t\t\"AAAA\"\n\t}\n}\nConnections:  {\nC: \"OP\",11,1,\"DiffuseColor\"\n"
                                   "C: \"OP\",13,1,\"Bump\"\nC: \"OO\",12,13\nC: \"OO\",13,13\nC: \"OO\",14,12\n}\n";
    for (size_t size = 0; size < sizeof TEXT; size++) {
        struct fbx_material_run run;
        fbx_material_run_init(&run);
        fbx_material_run_read(&run, NULL, TEXT, size);
        assert_true(run.rc == 0 || run.rc == ERR_BAD_MODEL || run.rc == ERR_NOT_A_MODEL);
        fbx_material_run_fini(&run);
    }
}
