/* The same weights in files of several formats, one of each reader: all make the same of them (protocol/formats.md). */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/gltf/gltf_run.h"
#include "tests/unit/ogre/ogre_write.h"
#include "tests/unit/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A triangle whose vertex at the origin has these weights of the joints `a` and `b`; the others follow b. */
struct weights {
    double a, b;
    unsigned b_index; /* of joint b in the file: 1, or a joint that the skin has not */
};

/* --- the files --- */

static void write_gltf(const struct temp_tree *tree, const struct weights *weights)
{
    static const char JSON[] =
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':96}],'bufferViews':[{'buffer':0,'byteLength':96}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]},"
        "{'bufferView':0,'byteOffset':36,'componentType':5121,'count':3,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':3,'type':'VEC4'}],"
        "'nodes':[{'name':'a'},{'name':'b'},{'name':'mesh','mesh':0,'skin':0}],'skins':[{'joints':[0,1]}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2}}]}]}";
    struct {
        float positions[9];
        uint8_t joints[12];
        float weights[12];
    } bin = {.positions = {0, 0, 0, 1, 0, 0, 0, 1, 0},
             .joints = {0, (uint8_t)weights->b_index, 0, 0, 1, 0, 0, 0, 1},
             .weights = {(float)weights->a, (float)weights->b, 0, 0, 1, 0, 0, 0, 1}};
    uint8_t *bytes;
    const size_t size = gltf_make_glb(JSON, &bin, sizeof bin, &bytes);
    temp_tree_bytes(tree, "a.glb", bytes, size);
    free(bytes);
}

#define FB
#define FBX_MATRICES " Transform: " FB
#define FBX_CLUSTER  ", \"SubDeformer::\", \"Cluster\" {\n" FBX_MATRICES " Indexes: "

static void write_fbx(const struct temp_tree *tree, const struct weights *weights)
{
    char text[3000];
    snprintf(text, sizeof text,
             "; FBX 7.4.0 project file\nFBXHeaderExtension: {\n FBXVersion: 7400\n}\nObjects: {\n"
             "Model: 1, \"Model::mesh\", \"Mesh\" {\n}\nModel: 2, \"Model::a\", \"LimbNode\" {\n}\n"
             "Model: 3, \"Model::b\", \"LimbNode\" {\n}\nGeometry: 4, \"Geometry::\", \"Mesh\" {\n"
             " Vertices: *9 { a: 0,0,0,1,0,0,0,1,0 }\n PolygonVertexIndex: *3 { a: 0,1,-3 }\n}\n"
             "Deformer: 5, \"Deformer::\", \"Skin\" {\n}\n"
             "Deformer: 6" FBX_CLUSTER "*1 { a: 0 }\n Weights: *1 { a: %.9g }\n}\n"
             "Deformer: 7" FBX_CLUSTER "*3 { a: 0,1,2 }\n Weights: *3 { a: %.9g,1,1 }\n}\n}\n"
             "Connections: {\nC: \"OO\",1,0\nC: \"OO\",2,0\nC: \"OO\",3,0\nC: \"OO\",4,1\nC: \"OO\",5,4\n"
             "C: \"OO\",6,5\nC: \"OO\",7,5\nC: \"OO\",2,6\nC: \"OO\",3,7\n}\n",
             weights->a, weights->b);
    temp_tree_file(tree, "a.fbx", text);
}

#define DAE_SOURCE(id, kind, count, stride, text)                                                                      \
    "<source id='" id "'><" kind " id='" id "-a'>" text "</" kind "><technique_common><accessor source='#" id          \
    "-a' count='" count "' stride='" stride                                                                            \
    "'><param name='X' type='float4x4'/></accessor></technique_common></source>"
#define DAE_UNIT "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 "

static void write_collada(const struct temp_tree *tree, const struct weights *weights)
{
    char text[4000];
    snprintf(
        text, sizeof text,
        "<COLLADA xmlns='http://www.collada.org/2008/03/COLLADASchema' version='1.5.0'><library_geometries>"
        "<geometry id='g'><mesh><source id='p'><float_array id='pa'>0 0 0 1 0 0 0 1 0</float_array>"
        "<technique_common><accessor source='#pa' count='3' stride='3'><param name='X'/><param name='Y'/>"
        "<param name='Z'/></accessor></technique_common></source><vertices id='v'><input semantic='POSITION' "
        "source='#p'/></vertices><triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/>"
        "<p>0 1 2</p></triangles></mesh></geometry></library_geometries><library_controllers>"
        "<controller id='k'><skin source='#g'>" DAE_SOURCE("j", "Name_array", "2", "1", "a b")
            DAE_SOURCE("m", "float_array", "2", "16", DAE_UNIT DAE_UNIT) DAE_SOURCE(
                "w", "float_array", "3", "1",
                "1 %.9g %.9g") "<joints><input "
                               "semantic='JOINT' source='#j'/><input semantic='INV_BIND_MATRIX' "
                               "source='#m'/></joints><vertex_weights "
                               "count='3'><input semantic='JOINT' source='#j' offset='0'/><input semantic='WEIGHT' "
                               "source='#w' "
                               "offset='1'/><vcount>2 1 1</vcount><v>0 1 %u 2 1 0 1 "
                               "0</v></vertex_weights></skin></controller>"
                               "</library_controllers><library_visual_scenes><visual_scene id='s'><node id='a' "
                               "name='a' sid='a'/>"
                               "<node id='b' name='b' sid='b'/><node name='mesh'><instance_controller "
                               "url='#k'/></node></visual_scene>"
                               "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>",
        weights->a, weights->b, weights->b_index);
    temp_tree_file(tree, "a.dae", text);
}

/* assimp's. */
static void write_x(const struct temp_tree *tree, const struct weights *weights)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "xof 0303txt 0032\nFrame root {\nFrame a {\n}\nFrame b {\n}\nFrame mesh {\nMesh m {\n3;\n0;0;0;,\n1;0;0;,\n"
        "0;1;0;;\n1;\n3;0,1,2;;\nXSkinMeshHeader {\n2;\n2;\n2;\n}\nSkinWeights {\n\"a\";\n1;\n0;\n%.9f;\n"
        "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;\n}\nSkinWeights "
        "{\n\"b\";\n3;\n0,1,2;\n%.9f,1.0,1.0;\n"
        "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;\n}\n}\n}\n}\n",
        weights->a, weights->b);
    temp_tree_file(tree, "a.x", text);
}

static void write_bone(struct buf *out, const char *name, uint16_t handle)
{
    const float place[7] = {0, 0, 0, 0, 0, 0, 1};
    ogre_write_chunk(out, 0x2000, 36); /* without a scale */
    ogre_write_line(out, name);
    OGRE_U16S(out, handle);
    buf_put(out, place, sizeof place);
}

static void write_assignment(struct buf *out, uint32_t vertex, unsigned bone, double weight)
{
    const float number = (float)weight;
    ogre_write_chunk(out, 0x4100, 0);
    ogre_write_u32(out, vertex);
    OGRE_U16S(out, (uint16_t)bone);
    buf_put(out, &number, sizeof number);
}

static void write_ogre(const struct temp_tree *tree, const struct weights *weights)
{
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    struct buf out;
    ogre_write_begin(&out, "[Serializer_v1.80]");
    write_bone(&out, "a", 0);
    write_bone(&out, "b", 1);
    ogre_write_end(&out, tree, "a.skeleton");
    ogre_write_mesh(&out, (const uint16_t[]){0, 1, 2}, 3, positions, 3, false);
    write_assignment(&out, 0, 0, weights->a);
    write_assignment(&out, 0, weights->b_index, weights->b);
    write_assignment(&out, 1, 1, 1);
    write_assignment(&out, 2, 1, 1);
    ogre_write_chunk(&out, 0x6000, 0);
    ogre_write_line(&out, "a.skeleton");
    ogre_write_chunk(&out, 0xa000, 0);
    ogre_write_chunk(&out, 0xa100, 0);
    OGRE_U16S(&out, 0);
    ogre_write_line(&out, "mesh");
    ogre_write_end(&out, tree, "a.mesh");
}

enum { GLTF, FBX, COLLADA, OGRE, X, FORMAT_COUNT };
static const struct {
    const char *file;
    void (*write)(const struct temp_tree *tree, const struct weights *weights);
    int (*read)(struct import *import, struct err *err);
} FORMATS[FORMAT_COUNT] = {{"a.glb", write_gltf, import_gltf},
                           {"a.fbx", write_fbx, import_fbx},
                           {"a.dae", write_collada, import_collada},
                           {"a.mesh", write_ogre, import_ogre},
                           {"a.x", write_x, import_assimp}};

/* --- what they become --- */

/* The weight that the vertex at the origin has of the joint whose node has this name. */
static float weight_of(const struct assimp_run *run, const char *joint_node)
{
    const struct model *model = &run->model;
    const uint32_t node = assimp_run_node(run, joint_node);
    uint32_t v = 0;
    float sum = 0;
    while (v < model->position_count && !(model->positions[v].x == 0 && model->positions[v].y == 0))
        v++;
    assert_true(v < model->position_count);
    assert_int_equal(model->skin_count, 1);
    for (uint32_t i = model->influence_firsts[v]; i < model->influence_firsts[v + 1]; i++) {
        assert_true(model->influences[i].weight > 0);
        if (model->joints[model->skins[0].joint_first + model->influences[i].joint].node == node)
            sum += model->influences[i].weight;
    }
    return sum;
}

static bool is_unweighted(const struct assimp_run *run) { return assimp_run_warned(run, "vertices_unweighted"); }

/* What all formats make of weights; bits of `not_in` are the formats that cannot say them. */
struct row {
    struct weights weights;
    float a, b;
    bool is_dropped, is_renormalised;
    unsigned not_in;
};

static void check_row(const struct row *row, int format)
{
    struct assimp_run run;
    assimp_run_init(&run);
    FORMATS[format].write(&run.tree, &row->weights);
    assimp_run_read(&run, FORMATS[format].file, FORMATS[format].read);
    const bool is_free = row->a + row->b == 0;
    print_message("%s: %g %g of joint %u\n", FORMATS[format].file, row->weights.a, row->weights.b,
                  row->weights.b_index);
    if (run.rc < 0)
        fail_msg("%s", run.err.message);
    CHECK_NEAR(weight_of(&run, "a"), row->a, 0);
    CHECK_NEAR(weight_of(&run, "b"), row->b, 0);
    assert_int_equal(assimp_run_warned(&run, "weights_dropped"), row->is_dropped);
    /* FBX leaves it to readers to divide by the sum, and vertices without weights follow their node there. */
    assert_int_equal(assimp_run_warned(&run, "weights_renormalised"), row->is_renormalised && format != FBX);
    assert_int_equal(is_unweighted(&run), is_free && format != FBX);
    assert_true(weight_of(&run, "mesh") == (is_free && format == FBX ? 1 : 0));
    assimp_run_fini(&run);
}

TEST(influences_of_all_readers_are_the_same)
{
    const struct row rows[] = {
        {{0.25, 0.75, 1}, 0.25f, 0.75f, false, false, 0},
        {{1, 1e-50, 1}, 1, 0, false, false, 0},         /* vanishes in float */
        {{3e38, 1e-30, 1}, 1, 0, false, true, 1u << X}, /* vanishes beside the other */
        {{0.9992, 0, 1}, 1, 0, false, false, 0},        /* rounding */
        {{0.995, 0, 1}, 1, 0, false, true, 0},          /* more than that */
        {{0.5, 0.5 / 3, 1}, 0.75f, 0.25f, false, true, 0},
        {{1, -0.5, 1}, 1, 0, true, false, 1u << X}, /* assimp drops it */
        {{(double)NAN, 1, 1}, 0, 1, true, false, 1u << X},
        {{1, (double)INFINITY, 1}, 1, 0, true, false, 1u << X},
        {{1, 0.5, 7}, 1, 0, true, false, 1u << FBX | 1u << X}, /* joint 7 of 2 */
        {{1, 0, 7}, 1, 0, false, false, 1u << FBX | 1u << X},  /* of weight 0 any */
        {{0, 0, 1}, 0, 0, false, false, 0},
        {{-1, (double)NAN, 1}, 0, 0, true, false, 1u << X},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int format = 0; format < FORMAT_COUNT; format++)
            if ((rows[i].not_in >> format & 1) == 0)
                check_row(&rows[i], format);
}
