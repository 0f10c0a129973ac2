/* Whole files through assimp. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ORIGIN[3] = {0, 0, 0};

/* A rotated joint, off the origin, below another; one vertex follows both. */
static const char MD5[] = "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\n\njoints {\n"
                          "\"hip\" -1 ( 1 2 3 ) ( 0 0 0 )\n"
                          "\"leg\" 0 ( 5 2 3 ) ( 0 0 -0.7071067811865476 )\n}\n"
                          "mesh {\nshader \"skin.tga\"\nnumverts 3\n"
                          "vert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 2\nvert 2 ( 0 1 ) 3 1\nnumtris 1\ntri 0 0 2 1\n"
                          "numweights 4\nweight 0 0 1 ( 1 1 1 )\nweight 1 0 0.25 ( 8 0 0 )\n"
                          "weight 2 1 0.75 ( 0 -4 0 )\nweight 3 1 1 ( 0 0 2 )\n}\n";

TEST(assimp_skins_md5_in_its_own_axes)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "leg.md5mesh", MD5);
    assimp_run_import(&run, "leg.md5mesh");
    assert_int_equal(run.rc, 0);
    const struct model *model = &run.model;
    CHECK_NEAR(model->infos->up[2], 1, 1e-6);
    assert_int_equal(model->skin_count, 1);
    assert_int_equal(model->skins[0].joint_count, 2);
    struct mat4 palette[2];
    pose_evaluate(&run.pose, model, POSE_REST, 0);
    assert_int_equal(pose_palette(&run.pose, model, 0, &DMAT4_IDENTITY, palette, &run.err), 0);
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 16; i++)
            CHECK_NEAR(palette[j].m[i], i % 5 == 0, 1e-5); /* bound as it stands */
    /* (2, 3, 4), then 0.25 * (9, 2, 3) + 0.75 * the leg's (0, -4, 0) turned to (4, 0, 0) about z: the
     * format's w is -sqrt(1 - x2 - y2 - z2), which here is a quarter turn forward */
    double blended[3] = {0};
    uint32_t found = 0;
    for (uint32_t v = 0; v < model->position_count; v++) {
        const struct vec3 *p = &model->positions[v];
        found += fabsf(p->x - 2) + fabsf(p->y - 3) + fabsf(p->z - 4) < 1e-4f;
        if (model->influence_firsts[v + 1] - model->influence_firsts[v] == 2) {
            blended[0] = (double)p->x;
            blended[1] = (double)p->y;
            blended[2] = (double)p->z;
        }
    }
    assert_int_equal(found, 1);
    CHECK_NEAR(blended[0], 9, 1e-4);
    CHECK_NEAR(blended[1], 2, 1e-4);
    CHECK_NEAR(blended[2], 3, 1e-4);
    assimp_run_fini(&run);
}

/* Two joints in two frames at 10 a second; the first stands at (1, 2, 3) plus what the frame adds in x. */
static const char MD5ANIM[] = "MD5Version 10\ncommandline \"\"\n\nnumFrames 2\nnumJoints 2\nframeRate 10\n"
                              "numAnimatedComponents 1\n\nhierarchy {\n\"hip\" -1 1 0\n\"%s\" 0 0 1\n}\n\n"
                              "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\n\n"
                              "baseframe {\n( 1 2 3 ) ( 0 0 0 )\n( 4 0 0 ) ( 0 0 -0.7071067811865476 )\n}\n\n"
                              "frame 0 {\n1\n}\n\nframe 1 {\n%d\n}\n\n";

static void put_md5anim(struct assimp_run *run, const char *path, const char *joint, int x)
{
    char text[1024];
    snprintf(text, sizeof text, MD5ANIM, joint, x);
    temp_tree_file(&run->tree, path, text);
}

TEST(assimp_makes_clips_of_all_md5anim_files_beside_the_mesh)
{
    static const char *const NAMES[] = {"leg", "a walk", "run.fast"};
    static const int32_t X[] = {7, 11, 13};
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "dir/leg.md5mesh", MD5);
    put_md5anim(&run, "dir/run.fast.MD5ANIM", "leg", 13);
    put_md5anim(&run, "dir/a walk.md5anim", "leg", 11);
    put_md5anim(&run, "dir/leg.md5anim", "leg", 7);
    put_md5anim(&run, "dir/stranger.md5anim", "arm", 1);
    temp_tree_file(&run.tree, "dir/broken.md5anim", "MD5Version 11\n");
    put_md5anim(&run, "elsewhere.md5anim", "leg", 1);
    assimp_run_import(&run, "dir/leg.md5mesh");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.clip_count, 3);
    const uint32_t hip = assimp_run_node(&run, "hip");
    for (uint32_t c = 0; c < 3; c++) {
        double out[3];
        const struct str name = run.model.clips[c].name;
        assert_int_equal(name.size_bytes, strlen(NAMES[c]));
        assert_memory_equal(run.model.text + name.offset, NAMES[c], name.size_bytes);
        CHECK_NEAR(run.model.clips[c].duration_s, 0.1, 1e-9);
        assimp_run_point(&run, (int32_t)c, 0.1, hip, ORIGIN, out);
        CHECK_NEAR(out[0], X[c], 1e-5);
        CHECK_NEAR(out[1], 2, 1e-5);
    }
    assert_true(assimp_run_warned(&run, "clip_joints_differ"));
    assert_true(assimp_run_warned(&run, "clip_unreadable"));
    assimp_run_fini(&run);
}

TEST(assimp_reads_md5anim_alone_at_its_own_rate)
{
    struct assimp_run run;
    assimp_run_init(&run);
    put_md5anim(&run, "leg.md5anim", "leg", 7);
    assimp_run_import(&run, "leg.md5anim");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.clip_count, 1);
    CHECK_NEAR(run.model.clips[0].duration_s, 0.1, 1e-9);
    /* assimp makes a mesh of octahedra for such files */
    assert_int_equal(run.model.mesh_count, 0);
    assert_int_equal(run.model.position_count, 0);
    assert_int_equal(run.model.skin_count, 0);
    assert_int_equal(run.model.material_count, 0);
    assimp_run_fini(&run);
}

/* assimp turns this format to y up. */
TEST(assimp_keeps_dxf_as_it_stands)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(
        &run.tree, "a.dxf",
        "0\nSECTION\n2\nENTITIES\n0\n3DFACE\n8\n0\n10\n1\n20\n2\n30\n3\n11\n4\n21\n1\n31\n-1\n12\n2\n22\n6\n32\n"
        "0.5\n13\n2\n23\n6\n33\n0.5\n0\nENDSEC\n0\nEOF\n");
    assimp_run_import(&run, "a.dxf");
    assert_int_equal(run.rc, 0);
    const struct model_info *info = run.model.infos;
    assert_int_equal(info->flags, MODEL_HAS_UP);
    CHECK_NEAR(info->up[2], 1, 1e-6);
    CHECK_NEAR(info->rest_min.y, 1, 1e-6);
    CHECK_NEAR(info->rest_max.y, 6, 1e-6);
    CHECK_NEAR(info->rest_max.z, 3, 1e-6);
    assimp_run_fini(&run);
}

TEST(assimp_says_why_it_cannot_read)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "bad.off", "OFF\nthree 1 0\n");
    assimp_run_import(&run, "bad.off");
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assert_true(run.err.message[0] != '\0');
    assimp_run_fini(&run);
}

TEST(assimp_keeps_the_node_limit)
{
    struct assimp_run run;
    assimp_run_init(&run);
    run.limits.value[LIMIT_NODES] = 2;
    temp_tree_file(&run.tree, "a.md5mesh", MD5);
    assimp_run_import(&run, "a.md5mesh");
    assert_int_equal(run.rc, ERR_MODEL_LIMIT);
    assimp_run_fini(&run);
}

/* Its FBX importer looks into files of every extension that their own importers refuse. */
static const char FBX[] =
    "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n\tCreator: \"c\"\n\tSceneInfo: "
    "\"SceneInfo::GlobalInfo\", \"UserData\" {\n\t\tProperties70:  {\n\t\t}\n\t}\n}\n"
    "GlobalSettings:  {\n\tProperties70:  {\n\t}\n}\n"
    "Objects:  {\n\tGeometry: 1, \"Geometry::g\", \"Mesh\" {\n\t\tVertices: *9 {\n\t\t\ta: 0,0,0,1,0,0,0,1,0\n\t\t}\n"
    "\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t\tGeometryVersion: 124\n\t}\n"
    "\tModel: 2, \"Model::m\", \"Mesh\" {\n\t\tVersion: 232\n\t}\n"
    "}\nConnections:  {\n\tC: \"OO\",2,0\n\tC: \"OO\",1,2\n}\n";

TEST(assimp_reads_no_fbx)
{
    static const char *const NAMES[] = {"a.fbx", "a.ase", "a.csm"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct assimp_run run;
        assimp_run_init(&run);
        temp_tree_file(&run.tree, NAMES[i], FBX);
        assimp_run_import(&run, NAMES[i]);
        assert_int_equal(run.rc, ERR_BAD_MODEL);
        assimp_run_fini(&run);
    }
}

/* Nor COLLADA, whose importer it asks likewise. */
TEST(assimp_reads_no_collada)
{
    static const char TEXT[] =
        "<?xml version=\"1.0\"?><!-- 1 < 2 --><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
        "version=\"1.4.1\"><library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"/><node "
        "id=\"m\"/></visual_scene>"
        "</library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";
    static const char *const NAMES[] = {"a.ase", "a.csm", "a.nff"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct assimp_run run;
        assimp_run_init(&run);
        temp_tree_file(&run.tree, NAMES[i], TEXT);
        assimp_run_import(&run, NAMES[i]);
        assert_int_equal(run.rc, ERR_BAD_MODEL);
        assimp_run_fini(&run);
    }
}

/* Nor BVH. */
TEST(assimp_reads_no_bvh)
{
    static const char TEXT[] =
        "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.1\n20\n";
    static const char *const NAMES[] = {"a.bvh", "a.ase", "a.csm", "a.nff"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct assimp_run run;
        assimp_run_init(&run);
        temp_tree_file(&run.tree, NAMES[i], TEXT);
        assimp_run_read(&run, NAMES[i], import_assimp);
        assert_int_equal(run.rc, ERR_BAD_MODEL);
        assimp_run_fini(&run);
    }
}

/* Nor OBJ. */
TEST(assimp_reads_no_obj)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assimp_run_read(&run, "a.obj", import_assimp);
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assimp_run_fini(&run);
}
