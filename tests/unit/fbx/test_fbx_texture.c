/* Textures of FBX: where their pictures are, how they are mapped, and their effect in a material. */
#include "tests/unit/fbx/fbx_material_run.h"
#include "tests/unit/support/check.h"

#include "import/fbx/fbx_texture.h"

#include <stdio.h>
#include <string.h>

static const uint8_t RED[8] = {200, 10, 10, 255, 200, 10, 10, 255};
/* RED as TGA in base64, in two pieces */
#define RED_BASE64 "\"AAACAAAAAAAAAAAAAgABACAo\",\"CgrI/woKyP8=\""

#define MATERIAL         "\tMaterial: 1, \"Material::m\", \"\" {\n\t}\n"
#define TEXTURE(records) "\tTexture: 11, \"Texture::t\", \"\" {\n" records "\n\t}\n"
#define TO_BASE_COLOR    "C: \"OP\",11,1,\"DiffuseColor\"\n"

/* --- paths --- */

TEST(fbx_texture_paths)
{
    static const struct {
        const char *file;    /* there is, beside a.fbx */
        const char *records; /* of the texture */
        const char *uri;     /* in the model: the path, of those given, by which it is found; NULL: it is missing */
        bool is_elsewhere;
    } ROWS[] = {
        {"skin.tga", "RelativeFilename: \"skin.tga\"", "skin.tga", false},
        {"tex/skin.tga", "RelativeFilename: \"tex\\skin.tga\"", "tex\\skin.tga", false},
        {"../skin.tga", "RelativeFilename: \"..\\skin.tga\"", "..\\skin.tga", false},
        {"skin.tga", "RelativeFilename: \"..\\..\\..\\else\\skin.tga\"", "..\\..\\..\\else\\skin.tga", true},
        {"else/skin.tga", "RelativeFilename: \"..\\..\\..\\else\\skin.tga\"", "..\\..\\..\\else\\skin.tga", true},
        {"tex/skin.tga", "FileName: \"C:\\Users\\me\\tex\\skin.tga\"", "C:\\Users\\me\\tex\\skin.tga", true},
        {"textures/Skin.TGA", "FileName: \"C:\\Users\\me\\tex\\skin.tga\"", "C:\\Users\\me\\tex\\skin.tga", true},
        {"../Textures/skin.tga", "FileName: \"D:\\skin.tga\"", "D:\\skin.tga", true},
        {"tex/skin.tga", "FileName: \"/home/me/tex/skin.tga\"", "/home/me/tex/skin.tga", true},
        {"skin.tga", "FileName: \"C:\\skin.tga\"", "C:\\skin.tga", true},
        {"new.tga", "RelativeFilename: \"old.tga\"\nFileName: \"C:\\x\\new.tga\"", "C:\\x\\new.tga", true},
        {"a/x.tga", "RelativeFilename: \"b\\x.tga\"\nFileName: \"a\\x.tga\"", "a\\x.tga", false},
        {"other.tga", "RelativeFilename: \"tex\\skin.tga\"", NULL, false},
        {"other.tga", "", NULL, false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct fbx_material_run run;
        char path[64], objects[512];
        fbx_material_run_init(&run);
        temp_tree_folder(&run.tree, "models");
        const bool is_above = strncmp(ROWS[i].file, "../", 3) == 0;
        snprintf(path, sizeof path, "%s%s", is_above ? "" : "models/", ROWS[i].file + (is_above ? 3 : 0));
        fbx_material_run_picture(&run, path, RED);
        snprintf(objects, sizeof objects, MATERIAL TEXTURE("%s"), ROWS[i].records);
        fbx_material_run_objects(&run, NULL, objects, TO_BASE_COLOR);
        const struct texture *texture = fbx_material_run_texture(&run, TEXTURE_BASE_COLOR);
        assert_int_equal(texture->state, ROWS[i].uri != NULL ? TEXTURE_FOUND : TEXTURE_MISSING);
        assert_int_equal(fbx_material_run_warned(&run, "texture_missing"), ROWS[i].uri == NULL);
        assert_int_equal(fbx_material_run_warned(&run, "file_found_elsewhere"), ROWS[i].is_elsewhere);
        if (ROWS[i].uri != NULL) {
            assert_int_equal(texture->uri.size_bytes, strlen(ROWS[i].uri));
            assert_memory_equal(run.builder.text + texture->uri.offset, ROWS[i].uri, texture->uri.size_bytes);
        }
        fbx_material_run_fini(&run);
    }
}

/* A Video may know the path that the texture does not. */
TEST(fbx_texture_path_of_its_video)
{
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_picture(&run, "models/skin.tga", RED);
    fbx_material_run_objects(&run, NULL,
                             MATERIAL TEXTURE("") "\tVideo: 12, \"Video::v\", \"Clip\" {\n\t\tProperties70:  {\n\t\t\t"
                                                  "P: \"Path\", \"KString\", \"XRefUrl\", \"\", \"C:\\skin.tga\"\n"
                                                  "\t\t}\n\t}\n",
                             TO_BASE_COLOR "C: \"OO\",12,11\n");
    assert_int_equal(fbx_material_run_texture(&run, TEXTURE_BASE_COLOR)->state, TEXTURE_FOUND);
    fbx_material_run_fini(&run);
}

/* --- embedded pictures --- */

#define VIDEO(id, path, content)                                                                                       \
    "\tVideo: " id ", \"Video::v\", \"Clip\" {\n\t\tFilename: \"" path "\"\n\t\tContent: " content "\n\t}\n"

TEST(fbx_embedded_textures)
{
    static const struct {
        const char *videos, *links;
    } ROWS[] = {
        {VIDEO("12", "C:\\tex\\skin.tga", RED_BASE64), "C: \"OO\",12,11\n"},
        /* the content belongs to another Video of the same file, or to an unlinked one */
        {VIDEO("12", "C:\\tex\\skin.tga", "\"\"") VIDEO("13", "C:\\tex\\skin.tga", RED_BASE64), "C: \"OO\",12,11\n"},
        {VIDEO("13", "D:/a/b.tga", RED_BASE64) VIDEO("12", "D:/skin.tga", RED_BASE64), ""},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct fbx_material_run run;
        char objects[2048], links[256];
        fbx_material_run_init(&run);
        snprintf(objects, sizeof objects, MATERIAL TEXTURE("\t\tRelativeFilename: \"tex\\skin.tga\"") "%s",
                 ROWS[i].videos);
        snprintf(links, sizeof links, TO_BASE_COLOR "C: \"OP\",11,1,\"EmissiveColor\"\n%s", ROWS[i].links);
        fbx_material_run_objects(&run, NULL, objects, links);
        const struct texture *texture = fbx_material_run_texture(&run, TEXTURE_BASE_COLOR);
        assert_int_equal(texture->state, TEXTURE_FOUND);
        assert_int_equal(texture->uri.size_bytes, 0);
        assert_memory_equal(run.builder.pixels + texture->pixel_first, RED, sizeof RED);
        assert_int_equal(run.builder.texture_count, 1); /* the two uses are one picture */
        fbx_material_run_fini(&run);
    }
}

TEST(fbx_embedded_texture_that_is_none)
{
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_objects(&run, NULL, MATERIAL TEXTURE("") VIDEO("12", "a.tga", "\"?\""),
                             TO_BASE_COLOR "C: \"OO\",12,11\n");
    assert_int_equal(fbx_material_run_texture(&run, TEXTURE_BASE_COLOR)->state, TEXTURE_BROKEN);
    assert_true(fbx_material_run_warned(&run, "texture_broken"));
    fbx_material_run_fini(&run);
}

/* --- layers --- */

TEST(fbx_first_layer_of_a_layered_texture)
{
    for (int layers = 1; layers <= 2; layers++) {
        struct fbx_material_run run;
        fbx_material_run_init(&run);
        fbx_material_run_picture(&run, "models/skin.tga", RED);
        fbx_material_run_objects(
            &run, NULL,
            MATERIAL TEXTURE(
                "\t\tRelativeFilename: \"skin.tga\"") "\tLayeredTexture: 12, \"LayeredTexture::l\", \"\" "
                                                      "{\n\t}\n\tTexture: 13, \"Texture::dirt\", \"\" {\n\t}\n",
            layers == 1 ? "C: \"OP\",12,1,\"DiffuseColor\"\nC: \"OO\",11,12\n"
                        : "C: \"OP\",12,1,\"DiffuseColor\"\nC: \"OO\",11,12\nC: \"OO\",13,12\n");
        assert_int_equal(fbx_material_run_texture(&run, TEXTURE_BASE_COLOR)->state, TEXTURE_FOUND);
        assert_int_equal(fbx_material_run_warned(&run, "texture_layers_ignored"), layers == 2);
        fbx_material_run_fini(&run);
    }
}

TEST(fbx_layered_texture_without_layers)
{
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_objects(&run, NULL, MATERIAL "\tLayeredTexture: 11, \"LayeredTexture::l\", \"\" {\n\t}\n",
                             TO_BASE_COLOR "C: \"OO\",11,11\n"); /* or itself */
    assert_int_equal(run.builder.materials[0].textures[TEXTURE_BASE_COLOR].texture, -1);
    fbx_material_run_fini(&run);
}

/* --- how it lies --- */

#define VECTOR(name, values) "P: \"" name "\", \"Vector\", \"\", \"A\"," values "\n"

TEST(fbx_texture_transforms)
{
    static const struct {
        const char *properties;
        double expected[6]; /* of coordinates whose v goes down */
    } ROWS[] = {
        {"", {1, 0, 0, 0, 1, 0}},
        /* u' = 4 u, (1 - v') = 2 (1 - v) */
        {VECTOR("Scaling", "4,2,1"), {4, 0, 0, 0, 2, -1}},
        {VECTOR("Translation", "0.25,0.125,0"), {1, 0, 0.25, 0, 1, -0.125}},
        /* a quarter turn: (u, w) to (-w, u), where w = 1 - v */
        {VECTOR("Rotation", "0,0,90"), {0, 1, -1, -1, 0, 1}},
        /* 4 u and 2 w, turned, moved: u' = -2 w + 0.5, w' = 4 u + 0.25 */
        {VECTOR("Scaling", "4,2,1") VECTOR("Rotation", "0,0,90") VECTOR("Translation", "0.5,0.25,0"),
         {0, 2, -1.5, -4, 0, 0.75}},
        /* about the picture's middle: u' = 2 u - 0.5, w' = 2 w - 0.5 */
        {VECTOR("Scaling", "2,2,1") VECTOR("TextureScalingPivot", "0.5,0.5,0"), {2, 0, -0.5, 0, 2, -0.5}},
        {VECTOR("Rotation", "0,0,180") VECTOR("TextureRotationPivot", "0.5,0.25,0"), {-1, 0, 1, 0, -1, 1.5}},
        {"P: \"UVSwap\", \"bool\", \"\", \"\",1\n" VECTOR("Scaling", "4,2,1"), {0, -4, 4, -2, 0, 1}},
        {VECTOR("Scaling", "1e300,1,1"), {1, 0, 0, 0, 1, 0}}, /* none that could be drawn */
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct fbx_material_run run;
        char objects[2048];
        fbx_material_run_init(&run);
        snprintf(objects, sizeof objects,
                 MATERIAL TEXTURE("\t\tRelativeFilename: \"skin.tga\"\n\t\tProperties70:  {\n%s\t\t}"),
                 ROWS[i].properties);
        fbx_material_run_objects(&run, NULL, objects, TO_BASE_COLOR);
        assert_false(fbx_material_run_warned(&run, "texture_transform_ignored"));
        for (int k = 0; k < 6; k++)
            CHECK_NEAR((double)run.builder.materials[0].textures[TEXTURE_BASE_COLOR].uv_from_texcoord[k],
                       ROWS[i].expected[k], 1e-6);
        fbx_material_run_fini(&run);
    }
}

TEST(fbx_texture_wrap_modes)
{
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_objects(&run, NULL,
                             MATERIAL TEXTURE("\t\tProperties70:  {\n"
                                              "P: \"WrapModeV\", \"enum\", \"\", \"\",1\n\t\t}"),
                             TO_BASE_COLOR);
    assert_int_equal(fbx_material_run_texture(&run, TEXTURE_BASE_COLOR)->wrap_s, TEXTURE_WRAP_REPEAT);
    assert_int_equal(fbx_material_run_texture(&run, TEXTURE_BASE_COLOR)->wrap_t, TEXTURE_WRAP_CLAMP);
    fbx_material_run_fini(&run);
}

/* --- what they are for --- */

#define NAMED_TEXTURE(id, path) "\tTexture: " id ", \"Texture::t\", \"\" {\n\t\tFileName: \"" path "\"\n\t}\n"
#define PROPERTIES(list)        "\tMaterial: 1, \"Material::m\", \"\" {\n\t\tProperties70:  {\n" list "\t\t}\n\t}\n"
#define REAL(name, value)       "P: \"" name "\", \"Number\", \"\", \"A\"," value "\n"

TEST(fbx_textures_of_physical_materials)
{
    static const uint8_t METAL[8] = {64, 64, 64, 255, 255, 255, 255, 255},
                         ROUGH[8] = {51, 51, 51, 255, 102, 102, 102, 255};
    static const struct {
        const char *properties, *color, *metallic, *roughness;
        bool is_gloss;
    } ROWS[] = {
        {REAL("Maya|roughness", "0.5"), "Maya|TEX_color_map|file", "Maya|TEX_metallic_map|file",
         "Maya|TEX_roughness_map|file", false},
        {REAL("Maya|base", "1"), "Maya|baseColor", "Maya|metalness", "Maya|specularRoughness", false},
        {REAL("3dsMax|Parameters|roughness_inv", "1") REAL("3dsMax|Parameters|roughness", "0"),
         "3dsMax|Parameters|base_color_map", "3dsMax|Parameters|metalness_map", "3dsMax|Parameters|roughness_map",
         true},
        {REAL("3dsMax|main|glossiness", "0"), "3dsMax|main|base_color_map", "3dsMax|main|metalness_map",
         "3dsMax|main|glossiness_map", true},
        {REAL("3dsMax|main|roughness", "0"), "3dsMax|main|baseColorMap", "3dsMax|main|metalnessMap",
         "3dsMax|main|roughnessMap", false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct fbx_material_run run;
        char objects[2048], links[512];
        fbx_material_run_init(&run);
        fbx_material_run_picture(&run, "models/color.tga", RED);
        fbx_material_run_picture(&run, "models/metal.tga", METAL);
        fbx_material_run_picture(&run, "models/rough.tga", ROUGH);
        snprintf(objects, sizeof objects,
                 PROPERTIES("%s") NAMED_TEXTURE("11", "color.tga") NAMED_TEXTURE("12", "metal.tga")
                     NAMED_TEXTURE("13", "rough.tga"),
                 ROWS[i].properties);
        snprintf(links, sizeof links,
                 "C: \"OP\",11,1,\"%s\"\nC: \"OP\",12,1,\"%s\"\nC: \"OP\",13,1,\"%s\"\n"
                 "C: \"OP\",13,1,\"DiffuseColor\"\n", /* what stands for it elsewhere does not count */
                 ROWS[i].color, ROWS[i].metallic, ROWS[i].roughness);
        fbx_material_run_objects(&run, NULL, objects, links);
        const struct material *m = &run.builder.materials[0];
        CHECK_NEAR(m->base_color[0], 1, 0); /* the texture is in the colour's place */
        CHECK_NEAR(m->metallic * m->roughness, 1, 0);
        assert_memory_equal(run.builder.pixels + fbx_material_run_texture(&run, TEXTURE_BASE_COLOR)->pixel_first, RED,
                            8);
        const uint8_t *packed =
            run.builder.pixels + fbx_material_run_texture(&run, TEXTURE_METALLIC_ROUGHNESS)->pixel_first;
        assert_int_equal(packed[1], ROWS[i].is_gloss ? 255 - 51 : 51);
        assert_int_equal(packed[5], ROWS[i].is_gloss ? 255 - 102 : 102);
        assert_int_equal(packed[2], 64);
        fbx_material_run_fini(&run);
    }
}

TEST(fbx_textures_that_are_switched_off)
{
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_objects(&run, NULL,
                             PROPERTIES(REAL("Maya|use_color_map", "0") REAL("Maya|use_normal_map", "1"))
                                 NAMED_TEXTURE("11", "a.tga"),
                             "C: \"OP\",11,1,\"Maya|TEX_color_map\"\nC: \"OP\",11,1,\"Maya|TEX_normal_map\"\n");
    assert_int_equal(run.builder.materials[0].textures[TEXTURE_BASE_COLOR].texture, -1);
    assert_true(run.builder.materials[0].textures[TEXTURE_NORMAL].texture >= 0);
    fbx_material_run_fini(&run);
}

TEST(fbx_opacity_texture_becomes_alpha)
{
    static const uint8_t HOLES[8] = {0, 0, 0, 255, 255, 255, 255, 255};
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_picture(&run, "models/color.tga", RED);
    fbx_material_run_picture(&run, "models/holes.tga", HOLES);
    fbx_material_run_objects(&run, NULL, MATERIAL NAMED_TEXTURE("11", "color.tga") NAMED_TEXTURE("12", "holes.tga"),
                             TO_BASE_COLOR "C: \"OP\",12,1,\"TransparentColor\"\n");
    static const uint8_t EXPECTED[8] = {200, 10, 10, 0, 200, 10, 10, 255};
    assert_int_equal(run.builder.materials[0].alpha_mode, ALPHA_MASK);
    assert_memory_equal(run.builder.pixels + fbx_material_run_texture(&run, TEXTURE_BASE_COLOR)->pixel_first, EXPECTED,
                        sizeof EXPECTED);
    fbx_material_run_fini(&run);
}

/* A bump map and its factor, and a texture under black light. */
TEST(fbx_heights_and_emission)
{
    static const uint8_t HEIGHTS[8] = {51, 51, 51, 255, 255, 255, 255, 255};
    struct fbx_material_run run;
    fbx_material_run_init(&run);
    fbx_material_run_picture(&run, "models/bump.tga", HEIGHTS);
    fbx_material_run_objects(&run, NULL,
                             PROPERTIES(REAL("BumpFactor", "50"))
                                 TEXTURE("\t\tFileName: \"bump.tga\"\n\t\tProperties70:  {\n"
                                         "P: \"WrapModeU\", \"enum\", \"\", \"\",1\n\t\t}"),
                             "C: \"OP\",11,1,\"Bump\"\nC: \"OP\",11,1,\"EmissiveColor\"\n");
    /* half of the step of 0.8 in each texel; the picture is 2 texels wide and 50 * 0.01 of that high: a slope of 0.4 */
    const uint8_t *normal = run.builder.pixels + fbx_material_run_texture(&run, TEXTURE_NORMAL)->pixel_first;
    CHECK_NEAR(normal[0], 127.5 * (1 - 0.4 / 1.0770330), 0.51);
    CHECK_NEAR(normal[2], 127.5 * (1 + 1 / 1.0770330), 0.51);
    CHECK_NEAR(run.builder.materials[0].emissive[1], 1, 0);
    fbx_material_run_fini(&run);
}

TEST(fbx_blender_keeps_roughness_in_the_shininess)
{
    for (int is_blender = 0; is_blender < 2; is_blender++) {
        struct fbx_material_run run;
        fbx_material_run_init(&run);
        fbx_material_run_picture(&run, "models/rough.tga", RED);
        fbx_material_run_objects(&run, is_blender ? "Blender (stable FBX IO)" : "Maya",
                                 MATERIAL NAMED_TEXTURE("11", "rough.tga"), "C: \"OP\",11,1,\"ShininessExponent\"\n");
        assert_int_equal(run.builder.materials[0].textures[TEXTURE_METALLIC_ROUGHNESS].texture, is_blender ? 0 : -1);
        fbx_material_run_fini(&run);
    }
}
