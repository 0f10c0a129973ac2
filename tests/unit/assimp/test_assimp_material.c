/* Classic materials, and the metallic-roughness ones that replace them. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint8_t RED[8] = {200, 10, 10, 255, 200, 10, 10, 255};

/* --- X: the hardware's light, all of which goes through the texture --- */

/* The power and the colour of the highlight are left open. */
static const char X[] = "xof 0303txt 0032\nMesh m {\n3;\n0;0;0;,\n1;0;0;,\n0;1;0;;\n1;\n3;0,1,2;;\n"
                        "MeshTextureCoords {\n3;\n0;0;,\n1;0;,\n0;1;;\n}\n"
                        "MeshMaterialList {\n1;\n1;\n0;;\nMaterial {\n1;1;1;1;;\n%d;\n%d;%d;%d;;\n0.5;0.5;0.5;;\n"
                        "TextureFilename { \"skin.tga\"; }\n}\n}\n}\n";

/* The run is the caller's to finish. */
static const struct material *import_x(struct assimp_run *run, int power, int specular)
{
    char file[sizeof X + 32];
    snprintf(file, sizeof file, X, power, specular, specular, specular);
    assimp_run_init(run);
    assimp_run_put_tga(run, "skin.tga", RED);
    temp_tree_file(&run->tree, "a.x", file);
    assimp_run_import(run, "a.x");
    assert_int_equal(run->rc, 0);
    return &run->model.materials[run->model.primitives[0].material];
}

TEST(assimp_x_emission_goes_through_the_texture)
{
    struct assimp_run run;
    const struct material *m = import_x(&run, 0, 0);
    CHECK_NEAR(m->emissive[0], 0.21404, 1e-4);
    assert_int_equal(m->textures[TEXTURE_EMISSIVE].texture, m->textures[TEXTURE_BASE_COLOR].texture);
    CHECK_NEAR(m->roughness, 1, 0);
    assimp_run_fini(&run);
}

TEST(assimp_shininess_becomes_roughness)
{
    static const struct {
        int power, specular;
        double roughness;
    } ROWS[] = {
        {6, 1, 0.70710678},   /* alpha = sqrt(2 / 8) = 0.5 */
        {198, 1, 0.31622777}, /* alpha = sqrt(2 / 200) = 0.1 */
        {198, 0, 1},          /* no highlight */
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        const struct material *m = import_x(&run, ROWS[i].power, ROWS[i].specular);
        CHECK_NEAR(m->roughness, ROWS[i].roughness, 1e-6);
        CHECK_NEAR(m->metallic, 0, 0);
        assimp_run_fini(&run);
    }
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
        assimp_run_put_tga(&run, "t.tga", RED);
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
        assimp_run_put_tga(&run, "t.tga", RED);
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
    assimp_run_put_tga(&run, "t.tga", RED);
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
