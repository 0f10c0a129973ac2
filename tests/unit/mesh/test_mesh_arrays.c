/* Flaws of meshes in files of several formats, one of each reader: all answer them alike (protocol/formats.md). */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/gltf/gltf_run.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Two triangles, the second of which has a point that is not finite, and is the first mesh that has colours; a third
 * one in a mesh without. */
static void write_gltf(const struct temp_tree *tree)
{
    static const char JSON[] =
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':124}],'bufferViews':[{'buffer':0,'byteLength':124}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':5,'type':'VEC3','min':[0,0,0],'max':[1,1,1]},"
        "{'bufferView':0,'byteOffset':60,'componentType':5121,'normalized':true,'count':5,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':80,'componentType':5121,'count':6,'type':'SCALAR'},"
        "{'bufferView':0,'byteOffset':88,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,1]}],"
        "'nodes':[{'mesh':0},{'mesh':1}],'scenes':[{'nodes':[0,1]}],'scene':0,"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':3}}]},"
        "{'primitives':[{'attributes':{'POSITION':0,'COLOR_0':1},'indices':2}]}]}";
    const struct {
        float positions[15];
        uint8_t colors[20];
        uint8_t indices[8];
        float others[9];
    } bin = {{0, 0, 0, 1, 0, 0, 0, 1, 0, (float)NAN, 0, 0, 1, 1, 0},
             {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9},
             {0, 1, 2, 2, 3, 4},
             {0, 0, 0, 1, 0, 0, 0, 1, 0}};
    uint8_t *bytes;
    const size_t size = gltf_make_glb(JSON, &bin, sizeof bin, &bytes);
    temp_tree_bytes(tree, "a.glb", bytes, size);
    free(bytes);
}

#define FBX_COLORS                                                                                                     \
    " LayerElementColor: 0 {\n MappingInformationType: \"AllSame\"\n ReferenceInformationType: \"Direct\"\n"           \
    " Colors: *4 { a: 0,0,0,1 }\n }\n Layer: 0 {\n LayerElement: {\n Type: \"LayerElementColor\"\n TypedIndex: 0\n"    \
    " }\n }\n"

static void write_fbx(const struct temp_tree *tree)
{
    temp_tree_file(tree, "a.fbx",
                   "; FBX 7.4.0 project file\nFBXHeaderExtension: {\n FBXVersion: 7400\n}\nObjects: {\n"
                   "Model: 1, \"Model::a\", \"Mesh\" {\n}\nModel: 2, \"Model::b\", \"Mesh\" {\n}\n"
                   "Geometry: 3, \"Geometry::\", \"Mesh\" {\n Vertices: *9 { a: 0,0,0,1,0,0,0,1,0 }\n"
                   " PolygonVertexIndex: *3 { a: 0,1,-3 }\n}\n"
                   "Geometry: 4, \"Geometry::\", \"Mesh\" {\n Vertices: *15 { a: 0,0,0,1,0,0,0,1,0,nan,0,0,1,1,0 }\n"
                   " PolygonVertexIndex: *6 { a: 0,1,-3,2,3,-5 }\n" FBX_COLORS "}\n}\n"
                   "Connections: {\nC: \"OO\",1,0\nC: \"OO\",2,0\nC: \"OO\",3,1\nC: \"OO\",4,2\n}\n");
}

#define DAE_ROWS(id, width, text, params)                                                                              \
    "<source id='" id "'><float_array id='" id "-a'>" text "</float_array><technique_common><accessor source='#" id    \
    "-a' count='5' stride='" width "'>" params "</accessor></technique_common></source>"
#define DAE_XYZ "<param name='X'/><param name='Y'/><param name='Z'/>"
#define DAE_RGB "<param name='R'/><param name='G'/><param name='B'/>"
#define DAE_MESH(id, points, sources, inputs, indices)                                                                 \
    "<geometry id='" id "'><mesh>" DAE_ROWS(id "-p", "3", points, DAE_XYZ) sources                                     \
        "<vertices id='" id "-v'><input "                                                                              \
        "semantic='POSITION' source='#" id "-p'/></vertices><triangles "                                               \
        "count='2'><input "                                                                                            \
        "semantic='VERTEX' source='#" id "-v' offset='0'/>" inputs "<p>" indices "</p></triangles></mesh>"             \
        "</geometry>"

static void write_collada(const struct temp_tree *tree)
{
    temp_tree_file(
        tree, "a.dae",
        "<COLLADA xmlns='http://www.collada.org/2008/03/COLLADASchema' version='1.5.0'><library_geometries>" DAE_MESH(
            "a", "0 0 0 1 0 0 0 1 0 0 0 0 0 0 0", "", "", "0 1 2")
            DAE_MESH(
                "b", "0 0 0 1 0 0 0 1 0 NaN 0 0 1 1 0", DAE_ROWS("c", "3", "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", DAE_RGB),
                "<input semantic='COLOR' source='#c' offset='0'/>",
                "0 1 2 2 3 4") "</library_geometries>"
                               "<library_visual_scenes><visual_scene id='s'><node><instance_geometry url='#a'/></node>"
                               "<node><instance_geometry url='#b'/></node></visual_scene></library_visual_scenes>"
                               "<scene><instance_visual_scene url='#s'/></scene></COLLADA>");
}

static void check_file(void (*write)(const struct temp_tree *tree), const char *file,
                       int (*read)(struct import *import, struct err *err))
{
    struct assimp_run run;
    assimp_run_repair(&run, write, file, read);
    const struct model *model = &run.model;
    assert_int_equal(model->primitive_count, 2);
    assert_int_equal(model->index_count, 6); /* a triangle of each: the one with the bad point is not there */
    const struct primitive *first = &model->primitives[0], *second = &model->primitives[1];
    assert_int_equal(first->vertex_count, 3);
    assert_int_equal(first->flags & PRIMITIVE_COLORS, 0);
    assert_int_equal(second->flags & PRIMITIVE_COLORS, PRIMITIVE_COLORS);
    for (uint32_t v = 0; v < model->position_count; v++)
        assert_true(isfinite(model->positions[v].x));
    assert_int_equal(model->color_count, model->position_count); /* all vertices have one: white */
    assert_int_equal(model->colors[first->vertex_first].r, UINT16_MAX);
    assert_true(model->colors[second->vertex_first].r < UINT16_MAX);
    assimp_run_fini(&run);
}

TEST(mesh_flaws_are_answered_alike_by_all_readers)
{
    check_file(write_gltf, "a.glb", import_gltf);
    check_file(write_fbx, "a.fbx", import_fbx);
    check_file(write_collada, "a.dae", import_collada);
}
