/* Broken numbers of vertices in files of several formats, one of each reader: all answer them alike
 * (protocol/formats.md). */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/gltf/gltf_run.h"
#include "tests/unit/ogre/ogre_write.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdlib.h>

/* Vertices 0 and 1 have a normal that is no direction, vertex 0 a broken texture coordinate, vertex 3 no place. The
 * triangles are 0 1 2, 2 3 4, 0 1 1; the last has no area. A morph target moves vertex 1, and vertex 0 to nowhere. */
static const uint16_t INDICES[9] = {0, 1, 2, 2, 3, 4, 0, 1, 1};

static void write_gltf(const struct temp_tree *tree)
{
    static const char JSON[] =
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':240}],'bufferViews':[{'buffer':0,'byteLength':240}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':5,'type':'VEC3','min':[0,0,0],'max':[1,1,1]},"
        "{'bufferView':0,'byteOffset':60,'componentType':5126,'count':5,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':120,'componentType':5126,'count':5,'type':'VEC2'},"
        "{'bufferView':0,'byteOffset':160,'componentType':5126,'count':5,'type':'VEC3','min':[0,0,0],'max':[1,1,1]},"
        "{'bufferView':0,'byteOffset':220,'componentType':5123,'count':9,'type':'SCALAR'}],"
        "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'TEXCOORD_0':2},"
        "'targets':[{'POSITION':3}],'indices':4}]}]}";
    const float nan = (float)NAN;
    const struct {
        float positions[15], normals[15], texcoords[10], moves[15];
        uint16_t indices[10];
    } bin = {{0, 0, 0, 1, 0, 0, 0, 1, 0, nan, 0, 0, 1, 1, 0},
             {nan, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0},
             {nan, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
             {nan, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
             {0, 1, 2, 2, 3, 4, 0, 1, 1}};
    uint8_t *bytes;
    const size_t size = gltf_make_glb(JSON, &bin, sizeof bin, &bytes);
    temp_tree_bytes(tree, "a.glb", bytes, size);
    free(bytes);
}

#define FBX_LAYER(kind, list)                                                                                          \
    " LayerElement" kind                                                                                               \
    ": 0 {\n MappingInformationType: \"ByVertice\"\n ReferenceInformationType: \"Direct\"\n " list " }\n"
#define FBX_TYPE(kind) " LayerElement: {\n Type: \"LayerElement" kind "\"\n TypedIndex: 0\n }\n"

static void write_fbx(const struct temp_tree *tree)
{
    temp_tree_file(
        tree, "a.fbx",
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {\n FBXVersion: 7400\n}\nObjects: {\n"
        "Model: 1, \"Model::a\", \"Mesh\" {\n}\n"
        "Geometry: 2, \"Geometry::\", \"Mesh\" {\n Vertices: *15 { a: 0,0,0,1,0,0,0,1,0,nan,0,0,1,1,0 }\n"
        " PolygonVertexIndex: *9 { a: 0,1,-3,2,3,-5,0,1,-2 }\n" FBX_LAYER(
            "Normal", "Normals: *15 { a: nan,0,0,0,0,0,1,0,0,1,0,0,1,0,0 }\n")
            FBX_LAYER("UV", "UV: *10 { a: nan,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5 }\n") " Layer: 0 {\n" FBX_TYPE(
                "Normal") FBX_TYPE("UV") " }\n}\n"
                                         "Deformer: 3, \"Deformer::\", \"BlendShape\" {\n}\n"
                                         "Deformer: 4, \"SubDeformer::\", \"BlendShapeChannel\" {\n}\n"
                                         "Geometry: 5, \"Geometry::\", \"Shape\" {\n Indexes: *2 { a: 0,1 }\n"
                                         " Vertices: *6 { a: nan,0,0,0,0,1 }\n}\n}\n"
                                         "Connections: {\nC: \"OO\",1,0\nC: \"OO\",2,1\nC: \"OO\",3,2\n"
                                         "C: \"OO\",4,3\nC: \"OO\",5,4\n}\n");
}

#define DAE_ROWS(id, width, text)                                                                                      \
    "<source id='" id "'><float_array id='" id "-a'>" text "</float_array><technique_common><accessor source='#" id    \
    "-a' count='5' stride='" width "'><param name='X'/><param name='Y'/>" /* closed below */
#define DAE_END "</accessor></technique_common></source>"

static void write_collada(const struct temp_tree *tree)
{
    temp_tree_file(
        tree, "a.dae",
        "<COLLADA xmlns='http://www.collada.org/2008/03/COLLADASchema' version='1.5.0'><library_geometries>"
        "<geometry id='g'><mesh>" DAE_ROWS("p", "3", "0 0 0 1 0 0 0 1 0 NaN 0 0 1 1 0") "<param name='Z'/>" DAE_END
            DAE_ROWS("n", "3", "NaN 0 0 0 0 0 1 0 0 1 0 0 1 0 0") "<param name='Z'/>" DAE_END DAE_ROWS(
                "t", "2", "NaN 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5") DAE_END
        "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='3'>"
        "<input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#n' offset='0'/>"
        "<input semantic='TEXCOORD' source='#t' offset='0' set='0'/><p>0 1 2 2 3 4 0 1 1</p></triangles></mesh>"
        "</geometry></library_geometries><library_visual_scenes><visual_scene id='s'><node>"
        "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
        "<scene><instance_visual_scene url='#s'/></scene></COLLADA>");
}

static void write_ply(const struct temp_tree *tree)
{
    temp_tree_file(tree, "a.ply",
                   "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
                   "property float nx\nproperty float ny\nproperty float nz\nproperty float u\nproperty float v\n"
                   "element face 3\nproperty list uchar int vertex_indices\nend_header\n0 0 0 nan 0 0 nan 0.5\n"
                   "1 0 0 0 0 0 0.5 0.5\n0 1 0 1 0 0 0.5 0.5\nnan 0 0 1 0 0 0.5 0.5\n1 1 0 1 0 0 0.5 0.5\n"
                   "3 0 1 2\n3 2 3 4\n3 0 1 1\n");
}

static void write_ogre(const struct temp_tree *tree)
{
    const float nan = (float)NAN;
    const float vertices[5 * 8] = {0,    0,    0,    nan,  0, 0, nan, 0.5f, 1,    0,    0,    0,   0, 0,
                                   0.5f, 0.5f, 0,    1,    0, 1, 0,   0,    0.5f, 0.5f, nan,  0,   0, 1,
                                   0,    0,    0.5f, 0.5f, 1, 1, 0,   1,    0,    0,    0.5f, 0.5f};
    const float moves[2][3] = {{nan, 0, 0}, {0, 0, 1}};
    struct buf out;
    ogre_write_mesh(&out, INDICES, 9, vertices, 5, true);
    ogre_write_chunk(&out, 0xc000, 0);
    ogre_write_chunk(&out, 0xc100, 0);
    ogre_write_line(&out, "pose");
    OGRE_U16S(&out, 1); /* of submesh 0 */
    buf_put(&out, "\0", 1);
    for (uint32_t i = 0; i < 2; i++) {
        ogre_write_chunk(&out, 0xc111, 0);
        ogre_write_u32(&out, i);
        buf_put(&out, moves[i], sizeof moves[i]);
    }
    ogre_write_end(&out, tree, "a.mesh");
}

static void write_obj(const struct temp_tree *tree)
{
    temp_tree_file(tree, "a.obj",
                   "v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 0 0\nv 1 1 0\nvt nan 1\nvt 0.5 0.5\nvn nan 0 0\nvn 0 0 0\n"
                   "vn 1 0 0\nf 1/1/1 2/2/2 3/2/3\nf 3/2/3 4/2/3 5/2/3\nf 1/1/1 2/2/2 2/2/2\n");
}

static uint32_t vertex_at(const struct model *model, float x, float y)
{
    for (uint32_t i = 0; i < model->index_count; i++) {
        const struct vec3 at = model->positions[model->indices[i]];
        if (at.x == x && at.y == y)
            return model->indices[i];
    }
    fail_msg("no vertex at %g %g", (double)x, (double)y);
    return 0;
}

static void check_vec3(struct vec3 v, float x, float y, float z)
{
    CHECK_NEAR(v.x, x, 1e-6);
    CHECK_NEAR(v.y, y, 1e-6);
    CHECK_NEAR(v.z, z, 1e-6);
}

static void check_file(void (*write)(const struct temp_tree *tree), const char *file,
                       int (*read)(struct import *import, struct err *err), bool has_target)
{
    struct assimp_run run;
    assimp_run_repair(&run, write, file, read);
    const struct model *model = &run.model;
    assert_int_equal(model->primitive_count, 1);
    assert_int_equal(model->index_count, 6);
    const uint32_t a = vertex_at(model, 0, 0), b = vertex_at(model, 1, 0), c = vertex_at(model, 0, 1);
    check_vec3(model->normals[a], 0, 0, 1);
    check_vec3(model->normals[b], 0, 0, 1);
    check_vec3(model->normals[c], 1, 0, 0);
    assert_true(model->texcoords[a].x == 0 && model->texcoords[a].y == 0);
    assert_true(model->texcoords[b].x == 0.5f);
    assert_int_equal(model->morph_target_count, has_target);
    if (has_target) {
        const struct vec3 *moves = model->morph_deltas + model->morph_targets[0].position_first;
        check_vec3(moves[a], 0, 0, 0);
        check_vec3(moves[b], 0, 0, 1);
    }
    assimp_run_fini(&run);
}

TEST(mesh_numbers_that_are_broken_are_answered_alike_by_all_readers)
{
    check_file(write_gltf, "a.glb", import_gltf, true);
    check_file(write_fbx, "a.fbx", import_fbx, true);
    check_file(write_collada, "a.dae", import_collada, false);
    check_file(write_ply, "a.ply", import_ply, false);
    check_file(write_ogre, "a.mesh", import_ogre, true);
    check_file(write_obj, "a.obj", import_obj, false);
}
