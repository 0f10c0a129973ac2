/* Classic materials, and the metallic-roughness ones that replace them. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- OBJ --- */

static const char OBJ[] = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n"
                          "usemtl m\nf 1/1 2/2 3/3\n";

/* A picture of 2 x 1, 32-bit TGA, rows top first; texels are RGBA here. */
static void put_tga(struct assimp_run *run, const char *path, const uint8_t texels[8])
{
    uint8_t bytes[18 + 8] = {[2] = 2, [12] = 2, [14] = 1, [16] = 32, [17] = 0x28};
    for (int t = 0; t < 2; t++) {
        const uint8_t bgra[4] = {texels[4 * t + 2], texels[4 * t + 1], texels[4 * t], texels[4 * t + 3]};
        memcpy(bytes + 18 + 4 * t, bgra, sizeof bgra);
    }
    temp_tree_bytes(&run->tree, path, bytes, sizeof bytes);
}

static const uint8_t RED[8] = {200, 10, 10, 255, 200, 10, 10, 255};

/* The material of a triangle; the run is the caller's to finish. */
static const struct material *import_obj(struct assimp_run *run, const char *mtl)
{
    temp_tree_file(&run->tree, "a.obj", OBJ);
    temp_tree_file(&run->tree, "a.mtl", mtl);
    assimp_run_import(run, "a.obj");
    assert_int_equal(run->rc, 0);
    return &run->model.materials[run->model.primitives[0].material];
}

TEST(assimp_shininess_becomes_roughness)
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
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        assimp_run_init(&run);
        const struct material *m = import_obj(&run, ROWS[i].mtl);
        CHECK_NEAR(m->roughness, ROWS[i].roughness, 1e-6);
        CHECK_NEAR(m->metallic, 0, 0);
        assimp_run_fini(&run);
    }
}

TEST(assimp_emission)
{
    struct assimp_run run;
    assimp_run_init(&run);
    put_tga(&run, "glow.tga", RED);
    put_tga(&run, "skin.tga", RED);
    const struct material *m = import_obj(&run, "newmtl m\nKe 1 0.5 0\nmap_Kd skin.tga\n");
    CHECK_NEAR(m->emissive[0], 1, 1e-6);
    CHECK_NEAR(m->emissive[1], 0.21404, 1e-4); /* sRGB 0.5 */
    assert_int_equal(m->textures[TEXTURE_EMISSIVE].texture, -1);
    assimp_run_fini(&run);
    assimp_run_init(&run);
    put_tga(&run, "glow.tga", RED);
    m = import_obj(&run, "newmtl m\nmap_Ke glow.tga\n");
    CHECK_NEAR(m->emissive[2], 1, 0); /* black under a texture: the texture says it all */
    assert_int_equal(m->textures[TEXTURE_EMISSIVE].texture, 0);
    assert_int_equal(run.model.textures[0].content, TEXTURE_COLORS);
    assimp_run_fini(&run);
}

TEST(assimp_takes_maps_of_normals_as_they_are)
{
    static const uint8_t NORMALS[8] = {128, 128, 255, 255, 200, 128, 230, 255};
    struct assimp_run run;
    assimp_run_init(&run);
    put_tga(&run, "bump.tga", NORMALS);
    put_tga(&run, "skin.tga", RED);
    const struct material *m = import_obj(&run, "newmtl m\nmap_Kd skin.tga\nmap_Bump bump.tga\n");
    assert_int_equal(m->textures[TEXTURE_BASE_COLOR].texture, 0);
    assert_int_equal(m->textures[TEXTURE_NORMAL].texture, 1);
    assert_int_equal(run.model.texture_count, 2);
    assert_int_equal(run.model.textures[1].content, TEXTURE_DATA);
    assert_memory_equal(run.model.pixels + run.model.textures[1].pixel_first, NORMALS, sizeof NORMALS);
    assimp_run_fini(&run);
}

/* Two columns, 0.2 and 1 high. */
TEST(assimp_makes_normals_of_heights)
{
    static const uint8_t HEIGHTS[8] = {51, 51, 51, 255, 255, 255, 255, 255};
    struct assimp_run run;
    assimp_run_init(&run);
    put_tga(&run, "bump.tga", HEIGHTS);
    put_tga(&run, "skin.tga", RED);
    const struct material *m = import_obj(&run, "newmtl m\nmap_Kd skin.tga\nmap_Bump -clamp on -bm 50 bump.tga\n");
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

TEST(assimp_mixes_opacity_into_the_base_colour)
{
    static const uint8_t HOLES[8] = {0, 0, 0, 255, 255, 255, 255, 255}, VEIL[8] = {128, 128, 128, 255, 90, 90, 90, 255};
    for (int is_veil = 0; is_veil < 2; is_veil++) {
        struct assimp_run run;
        assimp_run_init(&run);
        put_tga(&run, "holes.tga", is_veil ? VEIL : HOLES);
        put_tga(&run, "skin.tga", RED);
        const struct material *m = import_obj(&run, "newmtl m\nmap_Kd skin.tga\nmap_d holes.tga\n");
        assert_int_equal(m->alpha_mode, is_veil ? ALPHA_BLEND : ALPHA_MASK);
        assert_int_equal(run.model.texture_count, 1); /* the parts are not kept */
        const struct texture *texture = &run.model.textures[m->textures[TEXTURE_BASE_COLOR].texture];
        const uint8_t expected[8] = {200, 10, 10, is_veil ? 128 : 0, 200, 10, 10, is_veil ? 90 : 255};
        assert_memory_equal(run.model.pixels + texture->pixel_first, expected, sizeof expected);
        assimp_run_fini(&run);
    }
}

/* --- COLLADA --- */

/* --- X: the hardware's light, all of which goes through the texture --- */

TEST(assimp_x_emission_goes_through_the_texture)
{
    static const char X[] = "xof 0303txt 0032\nMesh m {\n3;\n0;0;0;,\n1;0;0;,\n0;1;0;;\n1;\n3;0,1,2;;\n"
                            "MeshTextureCoords {\n3;\n0;0;,\n1;0;,\n0;1;;\n}\n"
                            "MeshMaterialList {\n1;\n1;\n0;;\nMaterial {\n1;1;1;1;;\n0;\n0;0;0;;\n0.5;0.5;0.5;;\n"
                            "TextureFilename { \"skin.tga\"; }\n}\n}\n}\n";
    struct assimp_run run;
    assimp_run_init(&run);
    put_tga(&run, "skin.tga", RED);
    temp_tree_file(&run.tree, "a.x", X);
    assimp_run_import(&run, "a.x");
    assert_int_equal(run.rc, 0);
    const struct material *m = &run.model.materials[run.model.primitives[0].material];
    CHECK_NEAR(m->emissive[0], 0.21404, 1e-4);
    assert_int_equal(m->textures[TEXTURE_EMISSIVE].texture, m->textures[TEXTURE_BASE_COLOR].texture);
    CHECK_NEAR(m->roughness, 1, 0);
    assimp_run_fini(&run);
}

/* --- texture coordinates --- */

/* Its texture is laid twice along u and thrice along v. */
static const char AC3D[] = "AC3Db\nMATERIAL \"m\" rgb 1 1 1 amb 1 1 1 emis 0 0 0 spec 0 0 0 shi 0 trans 0\n"
                           "OBJECT world\nkids 1\nOBJECT poly\nname \"p\"\ntexture \"t.tga\"\ntexrep %s\n"
                           "numvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 1\nSURF 0x20\nmat 0\n"
                           "refs 3\n0 0.25 0.5\n1 0.75 0.5\n2 0.25 1\nkids 0\n";

TEST(assimp_repeats_and_moves_textures_of_ac3d)
{
    static const double ROWS[2][6] = {{1, 0, 0, 0, 1, 0}, {2, 0, 0.25, 0, 3, 1 - 3 - 0.125}}; /* v points down here */
    for (int is_moved = 0; is_moved < 2; is_moved++) {
        struct assimp_run run;
        char file[512];
        assimp_run_init(&run);
        snprintf(file, sizeof file, AC3D, is_moved ? "2 3\ntexoff 0.25 0.125" : "1 1");
        temp_tree_file(&run.tree, "a.ac", file);
        put_tga(&run, "t.tga", RED);
        assimp_run_import(&run, "a.ac");
        assert_int_equal(run.rc, 0);
        assert_false(assimp_run_warned(&run, "texture_transform_ignored"));
        const struct material *m = &run.model.materials[run.model.primitives[0].material];
        for (int i = 0; i < 6; i++)
            CHECK_NEAR((double)m->textures[TEXTURE_BASE_COLOR].uv_from_texcoord[i], ROWS[is_moved][i], 1e-6);
        for (uint32_t v = 0; v < run.model.position_count; v++) {
            const struct vec3 p = run.model.positions[v];
            CHECK_NEAR((double)run.model.texcoords[v].x, 0.25 + 0.5 * (double)p.x, 1e-6);
            CHECK_NEAR((double)run.model.texcoords[v].y, 0.5 - 0.5 * (double)p.y, 1e-6);
        }
        assimp_run_fini(&run);
    }
}

static const char ASE[] =
    "*3DSMAX_ASCIIEXPORT 200\n*MATERIAL_LIST {\n*MATERIAL_COUNT 1\n*MATERIAL 0 {\n*MATERIAL_NAME \"m\"\n*MAP_DIFFUSE "
    "{\n"
    "*BITMAP \"t.tga\"\n*UVW_U_TILING %s\n}\n}\n}\n*GEOMOBJECT {\n*NODE_NAME \"a\"\n*MESH {\n*MESH_NUMVERTEX 3\n"
    "*MESH_NUMFACES 1\n*MESH_VERTEX_LIST {\n*MESH_VERTEX 0 0 0 0\n*MESH_VERTEX 1 1 0 0\n*MESH_VERTEX 2 0 1 0\n}\n"
    "*MESH_FACE_LIST {\n*MESH_FACE 0: A: 0 B: 1 C: 2 AB: 1 BC: 1 CA: 1 *MESH_SMOOTHING 1 *MESH_MTLID 0\n}\n}\n"
    "*MATERIAL_REF 0\n}\n";

TEST(assimp_warns_of_transforms_of_texture_coordinates)
{
    for (int is_moved = 0; is_moved < 2; is_moved++) {
        struct assimp_run run;
        char file[1024];
        assimp_run_init(&run);
        snprintf(file, sizeof file, ASE, is_moved ? "2.0" : "1.0");
        temp_tree_file(&run.tree, "a.ase", file);
        put_tga(&run, "t.tga", RED);
        assimp_run_import(&run, "a.ase");
        assert_int_equal(run.rc, 0);
        assert_int_equal(assimp_run_warned(&run, "texture_transform_ignored"), is_moved);
        assimp_run_fini(&run);
    }
}

/* A ball whose texture is wrapped around it: rows of the picture are circles of latitude. */
TEST(assimp_projected_textures)
{
    const double pi = acos(-1);
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "ball.nff", "f 1 1 1 0.5 0.5 45 0 1 t.tga\ns 1 2 3 4\n");
    put_tga(&run, "t.tga", RED);
    assimp_run_import(&run, "ball.nff");
    assert_int_equal(run.rc, 0);
    assert_true((run.model.primitives[0].flags & PRIMITIVE_TEXCOORDS) != 0);
    assert_true(run.model.position_count > 20);
    for (uint32_t v = 0; v < run.model.position_count; v++) {
        const struct vec3 p = run.model.positions[v];
        CHECK_NEAR((double)run.model.texcoords[v].y, 0.5 + asin((double)p.z) / pi, 1e-3);
    }
    assimp_run_fini(&run);
}
