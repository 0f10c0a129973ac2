#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdio.h>
#include <string.h>

/* One mesh of one primitive whose binary chunk starts with `floats`; 'members' go into the primitive, accessor 0 is
 * `count` rows of VEC3 at byte 0, `more` further accessors over view 0. */
static void run_primitive(struct gltf_run *run, const char *members, int count, const char *more, const void *bin,
                          size_t bin_bytes)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'buffers':[{'byteLength':%zu}],'bufferViews':[{'buffer':0,'byteLength':%zu}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':%d,'type':'VEC3'}%s],"
             "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{%s}]}]}",
             bin_bytes, bin_bytes, count, more, members);
    gltf_run_glb(run, json, bin, bin_bytes);
}

static bool indices_are(const struct gltf_run *run, uint32_t topology, const char *expected)
{
    char text[256] = "";
    for (uint32_t i = 0; i < run->builder.index_count && i < 32; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%u ", run->builder.indices[i]);
    if (run->rc == 0 && run->builder.primitives[0].topology == topology && strcmp(text, expected) == 0)
        return true;
    print_error("have %s'%s', expected '%s'\n", run->err.message, text, expected);
    return false;
}

TEST(gltf_modes_are_unrolled)
{
    static const float FLOATS[15];
    static const struct {
        int mode, count;
        uint32_t topology;
        const char *indices;
        bool is_trimmed;
    } ROWS[] = {
        {0, 3, TOPOLOGY_POINTS, "0 1 2 ", false},
        {1, 5, TOPOLOGY_LINES, "0 1 2 3 ", true},
        {2, 3, TOPOLOGY_LINES, "0 1 1 2 2 0 ", false},
        {2, 1, TOPOLOGY_LINES, "", true},
        {3, 4, TOPOLOGY_LINES, "0 1 1 2 2 3 ", false},
        {4, 5, TOPOLOGY_TRIANGLES, "0 1 2 ", true},
        {5, 5, TOPOLOGY_TRIANGLES, "0 1 2 1 3 2 2 3 4 ", false},
        {5, 2, TOPOLOGY_TRIANGLES, "", true},
        {6, 5, TOPOLOGY_TRIANGLES, "1 2 0 2 3 0 3 4 0 ", false},
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char members[80];
        snprintf(members, sizeof members, "'mode':%d,'attributes':{'POSITION':0}", ROWS[i].mode);
        run_primitive(&run, members, ROWS[i].count, "", FLOATS, sizeof FLOATS);
        assert_true(indices_are(&run, ROWS[i].topology, ROWS[i].indices));
        assert_int_equal(gltf_warned(&run, "indices_trimmed"), ROWS[i].is_trimmed);
    }
    run_primitive(&run, "'mode':7,'attributes':{'POSITION':0}", 3, "", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "meshes[0].primitives[0].mode is 7"));
    gltf_run_fini(&run);
}

TEST(gltf_indices_of_each_type)
{
    struct {
        float positions[9];
        uint8_t bytes[4];
        uint16_t shorts[4];
        uint32_t words[3];
    } bin = {.bytes = {2, 1, 0, 255}, .shorts = {0, 2, 1, 3}, .words = {1, 2, 0}};
#define INDICES(offset, type, count)                                                                                   \
    ",{'bufferView':0,'byteOffset':" #offset ",'componentType':" #type ",'count':" #count ",'type':'SCALAR'}"
    static const char MEMBERS[] = "'indices':1,'attributes':{'POSITION':0}";
    struct gltf_run run;
    gltf_run_init(&run);
    run_primitive(&run, MEMBERS, 3, INDICES(36, 5121, 3), &bin, sizeof bin);
    assert_true(indices_are(&run, TOPOLOGY_TRIANGLES, "2 1 0 "));
    run_primitive(&run, MEMBERS, 3, INDICES(40, 5123, 3), &bin, sizeof bin);
    assert_true(indices_are(&run, TOPOLOGY_TRIANGLES, "0 2 1 "));
    run_primitive(&run, MEMBERS, 3, INDICES(48, 5125, 3), &bin, sizeof bin);
    assert_true(indices_are(&run, TOPOLOGY_TRIANGLES, "1 2 0 "));
    run_primitive(&run, MEMBERS, 3, INDICES(40, 5123, 4), &bin, sizeof bin);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "meshes[0].primitives[0]: index 3 is 3, but there are 3 vertices"));
    run_primitive(&run, MEMBERS, 3, INDICES(36, 5121, 4), &bin, sizeof bin);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "index 3 is 255, a primitive restart"));
    run_primitive(&run, MEMBERS, 3, INDICES(48, 5126, 3), &bin, sizeof bin);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "indices cannot be accessors[1], which is SCALAR of FLOAT"));
    run_primitive(&run, MEMBERS, 3, ",{'componentType':5121,'count':4000000000,'type':'SCALAR'}", &bin, sizeof bin);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "accessors[1]: its 4000000000 bytes of rows"));
    run.limits.value[LIMIT_ROWS_BYTES] = 10000000000;
    run_primitive(&run, MEMBERS, 3, ",{'componentType':5121,'count':4000000000,'type':'SCALAR'}", &bin, sizeof bin);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "indices"));
    gltf_run_fini(&run);
}

TEST(gltf_normals_are_made_by_angle)
{
    /* Two triangles share the edge 0-1: one in the plane z = 0, one in the plane y = 0 with three times its area. Both
     * have a right angle at 0. */
    static const float POSITIONS[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3};
    struct {
        float positions[12];
        uint8_t indices[6];
    } bin = {.indices = {0, 1, 2, 0, 3, 1}};
    memcpy(bin.positions, POSITIONS, sizeof POSITIONS);
    struct gltf_run run;
    gltf_run_init(&run);
    run_primitive(&run, "'indices':1,'attributes':{'POSITION':0}", 4, INDICES(48, 5121, 6), &bin, sizeof bin);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.primitives[0].flags, PRIMITIVE_FLAT);
    CHECK_NEAR(run.builder.normals[2].z, 1, 1e-7); /* only the first */
    CHECK_NEAR(run.builder.normals[3].y, 1, 1e-7);
    CHECK_NEAR(run.builder.normals[0].z, sqrt(0.5), 1e-6);
    CHECK_NEAR(run.builder.normals[0].y, sqrt(0.5), 1e-6);
    CHECK_NEAR(run.builder.normals[1].y / run.builder.normals[1].z, atan(3) / atan(1), 1e-6);
    gltf_run_fini(&run);
}

TEST(gltf_attributes_must_have_the_same_rows)
{
    static const float FLOATS[18] = {0, 0, 1, 0, 0, 1, 0, 0, 1, NAN, 0, 0};
    struct gltf_run run;
    gltf_run_init(&run);
    run_primitive(&run, "'attributes':{'POSITION':0,'NORMAL':1}", 3,
                  ",{'bufferView':0,'componentType':5126,'count':2,'type':'VEC3'}", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "NORMAL has 2 rows (accessors[1]), but POSITION has 3"));
    run_primitive(&run, "'attributes':{'POSITION':0,'NORMAL':1}", 3,
                  ",{'bufferView':0,'byteOffset':12,'componentType':5126,'count':3,'type':'VEC3'}", FLOATS,
                  sizeof FLOATS);
    assert_true(gltf_succeeded(&run));
    CHECK_NEAR(run.builder.normals[0].z, 1, 0);
    CHECK_NEAR(run.builder.normals[2].x, 0, 0);
    assert_true(gltf_warned(&run, "not_finite_repaired"));
    assert_int_equal(run.builder.primitives[0].flags, PRIMITIVE_FILE_NORMALS);
    run_primitive(&run, "'attributes':{'NORMAL':0}", 3, "", FLOATS, sizeof FLOATS);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.primitive_count, 1);
    assert_int_equal(run.builder.primitives[0].vertex_count, 0);
    assert_true(gltf_warned(&run, "primitive_without_positions"));
    gltf_run_fini(&run);
}

/* Primitives without colours or texture coordinates, before and behind one with them, are filled up. */
TEST(gltf_colors_and_texcoords_of_some)
{
    static const float FLOATS[] = {0, 0, 0, 0.5f, 1.5f, -1, 0.25f, 0.75f};
    static const char JSON[] =
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':32}],'bufferViews':[{'buffer':0,'byteLength':32}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':12,'componentType':5126,'count':1,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':24,'componentType':5126,'count':1,'type':'VEC2'},"
        "{'componentType':5126,'count':1,'type':'VEC2'}],"
        "'materials':[{},{'pbrMetallicRoughness':{'baseColorTexture':{'index':0,'texCoord':1,'extensions':{"
        "'KHR_texture_transform':{'offset':[10,20],'rotation':1.5707963267948966,'scale':[2,4]}}}}}],"
        "'textures':[{}],'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0}},"
        "{'mode':0,'material':1,'attributes':{'POSITION':0,'COLOR_0':1,'TEXCOORD_0':3,'TEXCOORD_1':2}},"
        "{'mode':0,'attributes':{'POSITION':0}}]}]}";
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run, JSON, FLOATS, sizeof FLOATS);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->position_count, 3);
    assert_int_equal(b->color_count, 3);
    assert_int_equal(b->texcoord_count, 3);
    assert_int_equal(b->colors[0].g, UINT16_MAX);
    const struct rgba16 expected = {UINT16_MAX / 2 + 1, UINT16_MAX, 0, UINT16_MAX};
    assert_memory_equal(&b->colors[1], &expected, sizeof expected);
    assert_int_equal(b->colors[2].b, UINT16_MAX);
    CHECK_NEAR(b->texcoords[1].x, 0.25, 0); /* of TEXCOORD_1, which the base colour takes */
    CHECK_NEAR(b->texcoords[1].y, 0.75, 0);
    /* scaled to (0.5, 3), a quarter turn to (3, -0.5), moved to (13, 19.5) */
    const float *m = b->materials[1].textures[TEXTURE_BASE_COLOR].uv_from_texcoord;
    CHECK_NEAR(m[0] * 0.25f + m[1] * 0.75f + m[2], 13, 1e-6);
    CHECK_NEAR(m[3] * 0.25f + m[4] * 0.75f + m[5], 19.5, 1e-6);
    assert_int_equal(b->materials[1].textures[TEXTURE_BASE_COLOR].texcoord_set, 0);
    CHECK_NEAR(b->texcoords[2].x, 0, 0);
    assert_int_equal(b->primitives[1].flags,
                     PRIMITIVE_TEXCOORDS | PRIMITIVE_SECOND_TEXCOORDS | PRIMITIVE_COLORS | PRIMITIVE_FLAT);
    assert_int_equal(b->primitives[2].flags, PRIMITIVE_FLAT);
    assert_int_equal(b->primitives[1].material, 1);
    assert_true(gltf_warned(&run, "texture_without_image"));
    gltf_run_fini(&run);
}

/* The normal texture lies on TEXCOORD_2 and the occlusion on TEXCOORD_0, which become the first and the second. */
TEST(gltf_second_texcoords_and_tangents)
{
    static const float FLOATS[] = {0, 0, 1, 0.5f, 1.5f, -2, 0.25f, 0.75f, 3, 4};
    static const char JSON[] =
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':40}],'bufferViews':[{'buffer':0,'byteLength':40}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':8,'componentType':5126,'count':1,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':24,'componentType':5126,'count':1,'type':'VEC2'},"
        "{'bufferView':0,'byteOffset':32,'componentType':5126,'count':1,'type':'VEC2'},"
        "{'componentType':5121,'count':3,'type':'SCALAR'}],"
        "'materials':[{'normalTexture':{'index':0,'texCoord':2},'occlusionTexture':{'index':0}},{}],"
        "'images':[{'uri':'bumps.png'}],'textures':[{'source':0}],"
        "'meshes':[{'primitives':[{'mode':0,'material':1,'attributes':{'POSITION':0,'NORMAL':0,'TANGENT':1}},"
        "{'mode':0,'material':0,'attributes':{'POSITION':0,'NORMAL':0,'TANGENT':1,"
        "'TEXCOORD_0':2,'TEXCOORD_1':2,'TEXCOORD_2':3}},"
        "{'material':0,'indices':4,'attributes':{'POSITION':0,'TANGENT':1,'TEXCOORD_0':2}}]}]}";
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run, JSON, FLOATS, sizeof FLOATS);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->second_texcoord_count, 3);
    assert_int_equal(b->tangent_count, 3);
    assert_int_equal(b->primitives[0].flags, PRIMITIVE_FILE_NORMALS); /* no normal texture: no use for tangents */
    assert_int_equal(b->primitives[1].flags,
                     PRIMITIVE_FILE_NORMALS | PRIMITIVE_TEXCOORDS | PRIMITIVE_SECOND_TEXCOORDS | PRIMITIVE_TANGENTS);
    assert_int_equal(b->materials[0].textures[TEXTURE_NORMAL].texcoord_set, 0);
    assert_int_equal(b->materials[0].textures[TEXTURE_OCCLUSION].texcoord_set, 1);
    CHECK_NEAR(b->texcoords[1].x, 3, 0);
    CHECK_NEAR(b->second_texcoords[1].y, 0.75, 0);
    CHECK_NEAR(b->tangents[0].x, 0, 0);
    CHECK_NEAR(b->tangents[1].y, 0.5, 0);
    CHECK_NEAR(b->tangents[1].w, -1, 0);
    /* without normals tangents are not to be used; and it has no TEXCOORD_2 */
    assert_int_equal(b->primitives[2].flags, PRIMITIVE_SECOND_TEXCOORDS | PRIMITIVE_FLAT);
    assert_true(gltf_warned(&run, "texcoord_missing"));
    gltf_run_fini(&run);
}

TEST(gltf_morph_targets)
{
    static const float FLOATS[] = {1, 2, 3, 10, 20, 30, 0, 0, 1, 7, 8, 9};
    static const char JSON[] =
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':48}],'bufferViews':[{'buffer':0,'byteLength':48}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':12,'componentType':5126,'count':1,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':24,'componentType':5126,'count':1,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':36,'componentType':5126,'count':1,'type':'VEC3'}],"
        "'nodes':[{'mesh':0},{'mesh':0,'weights':[0.25,-2]},{}],"
        "'meshes':[{'weights':[0.5,0],'extras':{'targetNames':['wide',7]},'primitives':[{'mode':0,"
        "'attributes':{'POSITION':0,'NORMAL':2},'targets':[{'POSITION':1},{'POSITION':1,'NORMAL':3}]}]}]}";
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run, JSON, FLOATS, sizeof FLOATS);
    assert_true(gltf_succeeded(&run));
    const struct bake_builder *b = &run.builder;
    assert_int_equal(b->morph_target_count, 2);
    assert_true(gltf_str_is(&run, b->morph_targets[0].name, "wide"));
    assert_true(gltf_str_is(&run, b->morph_targets[1].name, NULL));
    assert_int_equal(b->morph_targets[0].normal_first, UINT32_MAX);
    CHECK_NEAR(b->morph_deltas[b->morph_targets[0].position_first].y, 20, 0);
    CHECK_NEAR(b->morph_deltas[b->morph_targets[1].normal_first].z, 9, 0);
    assert_int_equal(b->nodes[0].weight_count, 2);
    CHECK_NEAR(b->weights[b->nodes[0].weight_first], 0.5, 0); /* the mesh's own */
    CHECK_NEAR(b->weights[b->nodes[1].weight_first + 1], -2, 0);
    assert_int_equal(b->nodes[2].weight_count, 0);
    gltf_run_fini(&run);
}

TEST(gltf_morph_weights_of_another_count)
{
    static const float FLOATS[3];
#define WEIGHTS_FILE(weights, targets)                                                                                 \
    "{'asset':{'version':'2.0'},'buffers':[{'byteLength':12}],'bufferViews':[{'buffer':0,'byteLength':12}],"           \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'}],'nodes':[{'mesh':0" weights           \
    "}],'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0}" targets "}]}]}"
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run, WEIGHTS_FILE(",'weights':[1]", ",'targets':[{},{}]"), FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "nodes[0].weights has 1 numbers, but the mesh has 2 morph targets"));
    gltf_run_glb(&run, WEIGHTS_FILE(",'weights':[1]", ""), FLOATS, sizeof FLOATS);
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_warned(&run, "weights_without_targets"));
    gltf_run_fini(&run);
}

TEST(gltf_attribute_sets_with_gaps)
{
    static const float FLOATS[3];
    struct gltf_run run;
    gltf_run_init(&run);
    run_primitive(&run, "'attributes':{'POSITION':0,'TEXCOORD_1':0}", 1, "", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "meshes[0].primitives[0] has a later set, but no TEXCOORD_0"));
    run_primitive(&run, "'attributes':{'POSITION':0,'COLOR_0':0,'COLOR_2':0}", 1, "", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "no COLOR_1"));
    run_primitive(&run, "'attributes':{'POSITION':0,'COLOR_64':0}", 1, "", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "COLOR_64"));
    gltf_run_fini(&run);
}
