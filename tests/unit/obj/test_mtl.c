/* MTL: values of materials, options of maps, and where libraries and pictures are found. */
#include "tests/unit/obj/obj_run.h"
#include "tests/unit/support/check.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char OBJ[] = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n"
                          "usemtl m\nf 1/1 2/2 3/3\n";

static const uint8_t RED[8] = {200, 10, 10, 255, 200, 10, 10, 255};

/* The material of a triangle; the run is the caller's to finish. */
static const struct material *import_obj_of(struct assimp_run *run, const char *mtl)
{
    temp_tree_file(&run->tree, "a.obj", OBJ);
    temp_tree_file(&run->tree, "a.mtl", mtl);
    assimp_run_import(run, "a.obj");
    assert_int_equal(run->rc, 0);
    return &run->model.materials[run->model.primitives[0].material];
}

TEST(mtl_shininess_becomes_roughness)
{
    static const struct {
        const char *mtl;
        double roughness;
    } ROWS[] = {
        {"newmtl m\nillum 2\nKs 1 1 1\nNs 6\n", 0.70710678},   /* alpha = sqrt(2 / 8) = 0.5 */
        {"newmtl m\nillum 2\nKs 1 1 1\nNs 198\n", 0.31622777}, /* alpha = sqrt(2 / 200) = 0.1 */
        {"newmtl m\nillum 2\nKs 0 0 0\nNs 198\n", 1},          /* no highlight */
        {"newmtl m\nillum 1\nKs 1 1 1\nNs 198\n", 1},          /* nor here: light without one */
        {"newmtl m\nKd 1 1 1\n", 1},
        {"newmtl m\nKs 1 1 1\nNs 6\n", 0.70710678}, /* no model of light */
        {"newmtl m\nKs 1 1 1\nNs 6\nPr 0.25\n", 0.25},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        assimp_run_init(&run);
        const struct material *m = import_obj_of(&run, ROWS[i].mtl);
        CHECK_NEAR(m->roughness, ROWS[i].roughness, 1e-6);
        CHECK_NEAR(m->metallic, 0, 0);
        assimp_run_fini(&run);
    }
}

TEST(mtl_emission)
{
    struct assimp_run run;
    assimp_run_init(&run);
    assimp_run_put_tga(&run, "glow.tga", RED);
    assimp_run_put_tga(&run, "skin.tga", RED);
    const struct material *m = import_obj_of(&run, "newmtl m\nKe 1 0.5 0\nmap_Kd skin.tga\n");
    CHECK_NEAR(m->emissive[0], 1, 1e-6);
    CHECK_NEAR(m->emissive[1], 0.21404, 1e-4); /* sRGB 0.5 */
    assert_int_equal(m->textures[TEXTURE_EMISSIVE].texture, -1);
    assimp_run_fini(&run);
    assimp_run_init(&run);
    assimp_run_put_tga(&run, "glow.tga", RED);
    m = import_obj_of(&run, "newmtl m\nmap_Ke glow.tga\n");
    CHECK_NEAR(m->emissive[2], 1, 0); /* black under a texture: the texture says it all */
    assert_int_equal(m->textures[TEXTURE_EMISSIVE].texture, 0);
    assert_int_equal(run.model.textures[0].content, TEXTURE_COLORS);
    assimp_run_fini(&run);
}

TEST(mtl_takes_maps_of_normals_as_they_are)
{
    static const uint8_t NORMALS[8] = {128, 128, 255, 255, 200, 128, 230, 255};
    struct assimp_run run;
    assimp_run_init(&run);
    assimp_run_put_tga(&run, "bump.tga", NORMALS);
    assimp_run_put_tga(&run, "skin.tga", RED);
    const struct material *m = import_obj_of(&run, "newmtl m\nmap_Kd skin.tga\nmap_Bump bump.tga\n");
    assert_int_equal(m->textures[TEXTURE_BASE_COLOR].texture, 0);
    assert_int_equal(m->textures[TEXTURE_NORMAL].texture, 1);
    assert_int_equal(run.model.texture_count, 2);
    assert_int_equal(run.model.textures[1].content, TEXTURE_DATA);
    assert_memory_equal(run.model.pixels + run.model.textures[1].pixel_first, NORMALS, sizeof NORMALS);
    assimp_run_fini(&run);
}

/* Two columns, 0.2 and 1 high. */
TEST(mtl_makes_normals_of_heights)
{
    static const uint8_t HEIGHTS[8] = {51, 51, 51, 255, 255, 255, 255, 255};
    struct assimp_run run;
    assimp_run_init(&run);
    assimp_run_put_tga(&run, "bump.tga", HEIGHTS);
    assimp_run_put_tga(&run, "skin.tga", RED);
    const struct material *m = import_obj_of(&run, "newmtl m\nmap_Kd skin.tga\nmap_Bump -clamp on -bm 50 bump.tga\n");
    const int32_t normals = m->textures[TEXTURE_NORMAL].texture;
    assert_true(normals >= 0);
    assert_int_equal(run.model.texture_count, 2); /* the heights went */
    assert_int_equal(run.model.textures[normals].content, TEXTURE_DATA);
    /* half of the step of 0.8 in each texel; the picture is 2 texels wide and 50 * 0.01 of that high: a slope of 0.4 */
    const uint8_t *texels = run.model.pixels + run.model.textures[normals].pixel_first;
    for (int t = 0; t < 2; t++) {
        CHECK_NEAR(texels[4 * t], 127.5 * (1 - 0.4 / sqrt(1.16)), 0.51);
        CHECK_NEAR(texels[4 * t + 1], 127.5, 0.51);
        CHECK_NEAR(texels[4 * t + 2], 127.5 * (1 + 1 / sqrt(1.16)), 0.51);
        assert_int_equal(texels[4 * t + 3], 255);
    }
    assimp_run_fini(&run);
}

TEST(mtl_mixes_opacity_into_the_base_colour)
{
    static const uint8_t HOLES[8] = {0, 0, 0, 255, 255, 255, 255, 255}, VEIL[8] = {128, 128, 128, 255, 90, 90, 90, 255};
    for (int is_veil = 0; is_veil < 2; is_veil++) {
        struct assimp_run run;
        assimp_run_init(&run);
        assimp_run_put_tga(&run, "holes.tga", is_veil ? VEIL : HOLES);
        assimp_run_put_tga(&run, "skin.tga", RED);
        const struct material *m = import_obj_of(&run, "newmtl m\nmap_Kd skin.tga\nmap_d holes.tga\n");
        assert_int_equal(m->alpha_mode, is_veil ? ALPHA_BLEND : ALPHA_MASK);
        assert_int_equal(run.model.texture_count, 1); /* the parts are not kept */
        const struct texture *texture = &run.model.textures[m->textures[TEXTURE_BASE_COLOR].texture];
        const uint8_t expected[8] = {200, 10, 10, is_veil ? 128 : 0, 200, 10, 10, is_veil ? 90 : 255};
        assert_memory_equal(run.model.pixels + texture->pixel_first, expected, sizeof expected);
        assimp_run_fini(&run);
    }
}

/* --- values --- */

TEST(mtl_values_as_programs_write_them)
{
    static const struct {
        const char *mtl;
        float color[4], metallic, emission;
        const char *warning;
    } ROWS[] = {
        {"newmtl m\nKd 1 0 0\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\n", {1, 1, 1, 1}, 0, 0, NULL},
        {"\tnewmtl\tm \r\n\tkd\t1 0 0\r\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\rKd 1 0 0\r", {1, 0, 0, 1}, 0, 0, NULL},
        {"\xef\xbb\xbfnewmtl m\nKd 1 0 0\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nKd 1,0 0,0 .0\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nKd 1\n", {1, 1, 1, 1}, 0, 0, NULL},
        {"newmtl m\nKd 0\n", {0, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nKd 1 0 0 1 # red\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nKd 1 0 0\nKd\n", {1, 0, 0, 1}, 0, 0, "elements_ignored"},
        {"newmtl m\nKd 1 0 0\nKd xyz 0.3 0.3 0.3\n", {1, 0, 0, 1}, 0, 0, "elements_ignored"},
        {"newmtl m\nKd 1 0 0\nKd spectral file.rfl 1\n", {1, 0, 0, 1}, 0, 0, "elements_ignored"},
        {"newmtl m\nKd 1 0 0\nKd nan 0 0\n", {1, 0, 0, 1}, 0, 0, "elements_ignored"},
        {"newmtl m\nKd 1 0 0\nadobe_density 0\nPccns 1-1\n", {1, 0, 0, 1}, 0, 0, "elements_ignored"},
        {"newmtl m\nKd 1 0 0\naniso 0\nPs\nPc 0.3\nPcr .1\nanisor 0.2\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nKd 1 0 0\ndecal x.png\ndisp x.png\nmap_Disp x.png\nmap_aat on\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nKd 1 0 0\nrefl -type sphere x.png\nTf spectral x.rfl\nKa xyz 0 0 0\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nNi nan\nsharpness 60\nKd 1 0 0\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nd 0.5\n", {1, 1, 1, 0.5f}, 0, 0, NULL},
        {"newmtl m\nd -halo 0.5\n", {1, 1, 1, 0.5f}, 0, 0, NULL},
        {"newmtl m\nd\n", {1, 1, 1, 1}, 0, 0, "elements_ignored"},
        {"newmtl m\nd 0\n", {1, 1, 1, 1}, 0, 0, NULL}, /* of exporters that mean 1 */
        {"newmtl m\nTr .25\n", {1, 1, 1, 0.75f}, 0, 0, NULL},
        {"newmtl m\nd 1\nTr 0\n", {1, 1, 1, 1}, 0, 0, NULL},
        {"newmtl m\nPm 1\nPr roughness\n", {1, 1, 1, 1}, 1, 0, "elements_ignored"},
        {"newmtl m\nKe 1 0 0\n", {1, 1, 1, 1}, 0, 1, NULL},
        {"Kd 0 0 0\nmap_Kd x.png\nd 0.5\nnewmtl m\nKd 1 0 0\n", {1, 0, 0, 1}, 0, 0, "elements_ignored"},
        {"newmtl other\nKd 0 0 0\nfoo\nnewmtl m\nKd 1 0 0\nnewmtl more\nKd 0 1 0\n", {1, 0, 0, 1}, 0, 0, NULL},
        {"newmtl m\nKd 1 0 0\nnewmtl m\nd 0.5\n", {1, 0, 0, 0.5f}, 0, 0, NULL},
        {"newmtl n\n", {1, 1, 1, 1}, 0, 0, "material_missing"},
        {"", {1, 1, 1, 1}, 0, 0, "material_missing"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        print_message("%s\n", ROWS[i].mtl);
        assimp_run_init(&run);
        const struct material *m = import_obj_of(&run, ROWS[i].mtl);
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(m->base_color[k], ROWS[i].color[k], 1e-6);
        CHECK_NEAR(m->metallic, ROWS[i].metallic, 0);
        CHECK_NEAR(m->emissive[0], ROWS[i].emission, 1e-6);
        assert_int_equal(m->alpha_mode, ROWS[i].color[3] < 1 ? ALPHA_BLEND : ALPHA_OPAQUE);
        assert_true((m->flags & MATERIAL_DOUBLE_SIDED) != 0); /* OBJ does not say that backs are not seen */
        assert_true(obj_run_is_text(&run, m->name, "m"));
        assert_int_equal(run.model.warning_count, ROWS[i].warning != NULL);
        if (ROWS[i].warning != NULL)
            assert_true(assimp_run_warned(&run, ROWS[i].warning));
        assimp_run_fini(&run);
    }
}

TEST(mtl_constant_light_is_unlit)
{
    for (int illumination = 0; illumination < 3; illumination++) {
        char mtl[64];
        struct assimp_run run;
        assimp_run_init(&run);
        snprintf(mtl, sizeof mtl, "newmtl m\nillum %d.0\n", illumination);
        const struct material *m = import_obj_of(&run, mtl);
        assert_int_equal((m->flags & MATERIAL_UNLIT) != 0, illumination == 0);
        assimp_run_fini(&run);
    }
}

TEST(mtl_colours_multiply_pictures)
{
    struct assimp_run run;
    for (int is_black = 0; is_black < 2; is_black++) {
        assimp_run_init(&run);
        assimp_run_put_tga(&run, "t.tga", RED);
        const struct material *m = import_obj_of(&run, is_black ? "newmtl m\nmap_Kd t.tga\nKd 0 0 0\n"
                                                                : "newmtl m\nmap_Kd t.tga\nKd 1 0.5 0\n");
        CHECK_NEAR(m->base_color[1], is_black ? 1 : 0.21404, 1e-4); /* black stands for the picture alone */
        CHECK_NEAR(m->base_color[2], is_black ? 1 : 0, 1e-6);
        assimp_run_fini(&run);
    }
}

TEST(mtl_names_may_have_blanks)
{
    struct assimp_run run;
    obj_run_good(&run, "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl  two  blanks # 1 \nf 1 2 3\n",
                 "newmtl two  blanks\nKd 0 0 0\nnewmtl two  blanks # 1\t \nKd 1 0 0\n");
    CHECK_NEAR(run.model.materials[0].base_color[0], 1, 0);
    assert_int_equal(run.model.warning_count, 0);
    assimp_run_fini(&run);
}

/* --- maps --- */

TEST(mtl_maps_have_options_on_both_sides)
{
    static const struct {
        const char *value;
        float uv_from_texcoord[6];
        uint32_t wrap;
    } ROWS[] = {
        {"t.tga", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"\"t.tga\"", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"-blendu off -blendv on -cc on -imfchan m -type sphere -colorspace sRGB -texres 512 t.tga",
         {1, 0, 0, 0, 1, 0},
         TEXTURE_WRAP_REPEAT},
        {"-bm 1 -boost 2 -mm 0 1 -t 0.1 0.1 0.1 t.tga", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"-mm 0.5 -t 0.1 t.tga", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"-clamp on t.tga", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_CLAMP},
        {"-clamp off t.tga", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"-o 0.5 t.tga", {1, 0, 0.5f, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"-o .5 .25 0 t.tga", {1, 0, 0.5f, 0, 1, -0.25f}, TEXTURE_WRAP_REPEAT},
        {"-s 2 t.tga", {2, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"-s 2 4 1 -o 0.5 0.25 t.tga", {2, 0, 0.5f, 0, 4, 1 - 4 - 0.25f}, TEXTURE_WRAP_REPEAT},
        {"-o 0.5 0.25 -bm 0.3 -s 2 4 1 t.tga", {2, 0, 0.5f, 0, 4, 1 - 4 - 0.25f}, TEXTURE_WRAP_REPEAT},
        {"t.tga -o 0.5 0.25 -s 2 4 1 -clamp on", {2, 0, 0.5f, 0, 4, 1 - 4 - 0.25f}, TEXTURE_WRAP_CLAMP},
        {"-s 2 4 t.tga -o 0.5 0.25", {2, 0, 0.5f, 0, 4, 1 - 4 - 0.25f}, TEXTURE_WRAP_REPEAT},
        {"-s nan 1 t.tga", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"my texture.tga", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"-texres 512 my texture.tga \t", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
        {"-s 2 2 a -o -s b.tga", {2, 0, 0, 0, 2, -1}, TEXTURE_WRAP_REPEAT},
        {"-nothing x.tga", {1, 0, 0, 0, 1, 0}, TEXTURE_WRAP_REPEAT},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char mtl[200];
        struct assimp_run run;
        print_message("%s\n", ROWS[i].value);
        assimp_run_init(&run);
        assimp_run_put_tga(&run, "t.tga", RED);
        assimp_run_put_tga(&run, "my texture.tga", RED);
        assimp_run_put_tga(&run, "a -o -s b.tga", RED);
        assimp_run_put_tga(&run, "-nothing x.tga", RED);
        snprintf(mtl, sizeof mtl, "newmtl m\nmap_Kd %s\n", ROWS[i].value);
        const struct material *m = import_obj_of(&run, mtl);
        const struct material_texture *base = &m->textures[TEXTURE_BASE_COLOR];
        assert_int_equal(run.model.texture_count, 1);
        assert_int_equal(run.model.textures[0].state, TEXTURE_FOUND);
        assert_int_equal(run.model.textures[0].wrap_s, ROWS[i].wrap);
        for (int k = 0; k < 6; k++)
            CHECK_NEAR(base->uv_from_texcoord[k], ROWS[i].uv_from_texcoord[k], 1e-6);
        assimp_run_fini(&run);
    }
}

/* More than 100,000 options, which take no longer than others. */
TEST(mtl_maps_have_any_number_of_options)
{
    enum { OPTIONS = 200000 };
    static const char OPTION[] = " -s 2";
    for (int is_name = 0; is_name < 2; is_name++) {
        struct assimp_run run;
        char *mtl = mem_zalloc(100 + OPTIONS * (sizeof OPTION - 1), 1);
        char *at = mtl + sprintf(mtl, "newmtl m\nmap_Kd %s", is_name ? "u.tga" : "t.tga");
        for (int i = 0; i < OPTIONS; i++, at += sizeof OPTION - 1)
            memcpy(at, OPTION, sizeof OPTION);
        strcpy(at, is_name ? " y\n" : "\n");
        assimp_run_init(&run);
        assimp_run_put_tga(&run, "t.tga", RED);
        const struct material *m = import_obj_of(&run, mtl);
        assert_int_equal(run.model.textures[0].state, is_name ? TEXTURE_MISSING : TEXTURE_FOUND);
        CHECK_NEAR(m->textures[TEXTURE_BASE_COLOR].uv_from_texcoord[0], is_name ? 1 : 2, 0);
        assimp_run_fini(&run);
        free(mtl);
    }
}

TEST(mtl_map_without_a_file_is_none)
{
    static const char *const MTL[] = {"newmtl m\nmap_Kd\n", "newmtl m\nmap_Kd \"\"\n", "newmtl m\nmap_Kd -s 1 1\n",
                                      "newmtl m\nmap_Kd t.tga\nmap_Kd \n"};
    for (size_t i = 0; i < sizeof MTL / sizeof *MTL; i++) {
        struct assimp_run run;
        assimp_run_init(&run);
        import_obj_of(&run, MTL[i]);
        assert_int_equal(run.model.texture_count, 0);
        assert_int_equal(run.model.warning_count, 0);
        assimp_run_fini(&run);
    }
}

TEST(mtl_physical_maps)
{
    static const uint8_t GREY[8] = {51, 51, 51, 255, 204, 204, 204, 255};
    static const uint8_t UP[8] = {128, 128, 255, 255, 128, 128, 255, 255};
    struct assimp_run run;
    assimp_run_init(&run);
    assimp_run_put_tga(&run, "r.tga", GREY);
    assimp_run_put_tga(&run, "n.tga", UP);
    const struct material *m =
        import_obj_of(&run, "newmtl m\nPm 0.5\nmap_Pr r.tga\nnorm -bm 2 n.tga\nbump r.tga\nmap_Ke r.tga\n");
    const int32_t packed = m->textures[TEXTURE_METALLIC_ROUGHNESS].texture;
    const uint8_t *texels = run.model.pixels + run.model.textures[packed].pixel_first;
    assert_int_equal(texels[1], 51);
    assert_int_equal(texels[5], 204);
    assert_int_equal(texels[2], 128);
    CHECK_NEAR(m->roughness, 1, 0);
    const int32_t normals = m->textures[TEXTURE_NORMAL].texture; /* norm counts before bump */
    assert_int_equal(run.model.pixels[run.model.textures[normals].pixel_first + 2], 255);
    CHECK_NEAR(m->emissive[0], 1, 0);
    assimp_run_fini(&run);
}

/* --- where files are --- */

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n"

static void import_at(struct assimp_run *run, const char *path, const char *mtllib)
{
    char text[300];
    snprintf(text, sizeof text, "%s" TRIANGLE, mtllib);
    temp_tree_file(&run->tree, path, text);
    assimp_run_import(run, path);
    assert_int_equal(run->rc, 0);
}

TEST(mtl_libraries_are_several_and_have_blanks)
{
    static const char *const LINES[] = {"mtllib a.mtl b.mtl\n", "mtllib b.mtl\tm 5.mtl  a.mtl \n",
                                        "mtllib b.mtl\nmtllib a.mtl\nmtllib a.mtl\n",
                                        "mtllib m 5.mtl\nmtllib ./a.mtl\n"};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        struct assimp_run run;
        assimp_run_init(&run);
        temp_tree_file(&run.tree, "a.mtl", "newmtl m\nKd 1 0 0\n");
        temp_tree_file(&run.tree, "b.mtl", "newmtl other\nKd 0 1 0\n");
        temp_tree_file(&run.tree, "m 5.mtl", "newmtl more\nKd 0 1 0\n");
        import_at(&run, "x.obj", LINES[i]);
        CHECK_NEAR(run.model.materials[0].base_color[1], 0, 0);
        assert_int_equal(run.model.warning_count, 0);
        assimp_run_fini(&run);
    }
}

/* Each file is read once, at its first name: names without end would take time without end. */
TEST(mtl_libraries_are_read_once)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.mtl", "newmtl m\nKd 1 0 0\n");
    temp_tree_file(&run.tree, "b.mtl", "newmtl m\nKd 0 1 0\n");
    import_at(&run, "x.obj", "mtllib a.mtl b.mtl a.mtl\nmtllib ./a.mtl\nmtllib c/../A.mtl\n");
    CHECK_NEAR(run.model.materials[0].base_color[0], 0, 0);
    CHECK_NEAR(run.model.materials[0].base_color[1], 1, 0);
    assimp_run_fini(&run);
}

/* A renamed model finds the library of its new name. */
TEST(mtl_library_of_the_models_name_stands_for_one_that_is_missing)
{
    for (int is_there = 0; is_there < 2; is_there++) {
        struct assimp_run run;
        assimp_run_init(&run);
        temp_tree_file(&run.tree, is_there ? "in/x.y.mtl" : "in/y.mtl", "newmtl m\nKd 1 0 0\n");
        import_at(&run, "in/x.y.obj", "mtllib was.mtl\n");
        CHECK_NEAR(run.model.materials[0].base_color[1], !is_there, 0);
        assert_true(assimp_run_warned(&run, "companion_missing"));
        assert_int_equal(assimp_run_warned(&run, "material_missing"), !is_there);
        assimp_run_fini(&run);
    }
}

TEST(mtl_pictures_lie_beside_the_library)
{
    static const struct {
        const char *library, *map, *picture;
    } ROWS[] = {
        {"in/mats/a.mtl", "t.tga", "in/mats/t.tga"},
        {"in/mats/a.mtl", "pics/t.tga", "in/mats/pics/t.tga"},
        {"in/mats/a.mtl", "..\\pics\\t.tga", "in/pics/t.tga"},
        {"in/mats/a.mtl", "t.tga", "in/t.tga"}, /* then as everywhere: beside the model */
        {"in/mats/a.mtl", "T.TGA", "in/textures/t.tga"},
        {"mats/a.mtl", "t.tga", "mats/t.tga"},
        {"mats/a.mtl", "C:\\art\\t.tga", "in/t.tga"},
        {"in/a.mtl", "t.tga", "in/t.tga"},
        {"a.mtl", "t.tga", "t.tga"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char mtl[100], line[100];
        struct assimp_run run;
        print_message("%s %s %s\n", ROWS[i].library, ROWS[i].map, ROWS[i].picture);
        assimp_run_init(&run);
        snprintf(mtl, sizeof mtl, "newmtl m\nmap_Kd %s\n", ROWS[i].map);
        snprintf(line, sizeof line, "mtllib %s%s\n", strncmp(ROWS[i].library, "in/", 3) == 0 ? "" : "../",
                 ROWS[i].library + (strncmp(ROWS[i].library, "in/", 3) == 0 ? 3 : 0));
        temp_tree_file(&run.tree, ROWS[i].library, mtl);
        assimp_run_put_tga(&run, ROWS[i].picture, RED);
        import_at(&run, "in/x.obj", line);
        assert_int_equal(run.model.texture_count, 1);
        assert_int_equal(run.model.textures[0].state, TEXTURE_FOUND);
        assimp_run_fini(&run);
    }
}

/* A picture beside the library comes before one of the same name beside the model. */
TEST(mtl_pictures_beside_the_library_come_first)
{
    static const uint8_t GREEN[8] = {0, 200, 0, 255, 0, 200, 0, 255};
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "mats/a.mtl", "newmtl m\nmap_Kd t.tga\n");
    assimp_run_put_tga(&run, "t.tga", RED);
    assimp_run_put_tga(&run, "mats/t.tga", GREEN);
    import_at(&run, "x.obj", "mtllib mats/a.mtl\n");
    assert_int_equal(run.model.pixels[run.model.textures[0].pixel_first], 0);
    assimp_run_fini(&run);
}

TEST(mtl_may_be_utf16)
{
    static const char MTL[] = "newmtl m\nKd 1 0 0\n";
    char wide[2 * sizeof MTL] = "\xff\xfe";
    for (size_t i = 0; i < sizeof MTL - 1; i++)
        wide[2 + 2 * i] = MTL[i];
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_bytes(&run.tree, "a.mtl", wide, sizeof wide);
    import_at(&run, "x.obj", "mtllib a.mtl\n");
    CHECK_NEAR(run.model.materials[0].base_color[1], 0, 0);
    assimp_run_fini(&run);
}

/* The libraries lie outside the root: no material, and nothing of the files is read. */
TEST(mtl_opens_nothing_outside_the_root)
{
    struct assimp_run run;
    assimp_run_init(&run);
    import_at(&run, "a.obj", "mtllib /etc/passwd\nmtllib ../../etc/passwd\n");
    source_files_record(run.files, &run.builder);
    for (uint32_t i = 1; i < run.builder.source_file_count; i++)
        assert_true(run.builder.source_files[i].is_missing || run.builder.source_files[i].role == SOURCE_SEARCHED);
    assert_true(assimp_run_warned(&run, "companion_missing"));
    assimp_run_fini(&run);
}

/* --- every cut and change --- */

static const char WHOLE[] =
    "Kd 0 0 0\nnewmtl m\nKd 1,0 .5e0 0\nNs 10\nd -halo 0.5\nillum 2\nmap_Kd -s 2 2 -o .5 t.tga -bm 1\n"
    "norm \"a b.tga\"\nPm 1\nxyz\n";

static void read_once(struct assimp_run *run, const char *mtl, size_t size_bytes)
{
    static const char MODEL[] = "mtllib a.mtl\n" TRIANGLE;
    temp_tree_bytes(&run->tree, "a.mtl", mtl, size_bytes);
    run->err = (struct err){0};
    obj_run_bytes(run, MODEL, sizeof MODEL - 1);
    assert_int_equal(run->rc, 0); /* a library never makes a model unreadable */
    assimp_run_end_one(run);
}

TEST(mtl_every_cut_and_change_has_an_answer)
{
    static const char BYTES[] = "\t\n\r #-.,/0e\\\"x\xff"; /* and NUL */
    char copy[sizeof WHOLE];
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.obj", "");
    for (size_t i = 0; i < sizeof WHOLE; i++)
        read_once(&run, WHOLE, i);
    for (size_t i = 0; i + 1 < sizeof WHOLE; i++)
        for (size_t k = 0; k < sizeof BYTES; k++) {
            memcpy(copy, WHOLE, sizeof copy);
            copy[i] = BYTES[k];
            read_once(&run, copy, sizeof copy - 1);
        }
    assimp_run_fini(&run);
}
