/* GET /v1/mesh with format=glb: protocol/glb.md. Other programs open such files in tests/api and tests/web. */
#include "anim/bake/bake.h"
#include "anim/model/material_layers.h"
#include "base/bytes.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/png_pixels.h"
#include "tests/unit/support/wire_model.h"

#include <math.h>
#include <string.h>

static const double TIMES[] = {0.3, 1.25};

struct file {
    struct reply reply;
    cJSON *json;
    const uint8_t *bin;
    uint32_t bin_bytes;
};

/* Answers and takes the file apart, checking its frame (glTF 2.0, 4.4). */
static struct file open_answer(const struct model *model, const struct request *request)
{
    struct file file = {0};
    reply_init(&file.reply);
    wire_answer(model, request, &file.reply);
    if (file.reply.status != 200)
        fail_msg("%d: %.*s", file.reply.status, (int)file.reply.body.size_bytes, file.reply.body.data);
    assert_string_equal(file.reply.content_type, "model/gltf-binary");
    assert_true(file.reply.is_vary_accept);
    assert_ptr_equal(file.reply.file_of, request->model);
    const uint8_t *bytes = (const uint8_t *)file.reply.body.data;
    const size_t size_bytes = file.reply.body.size_bytes;
    assert_memory_equal(bytes, "glTF\2\0\0\0", 8);
    assert_int_equal(get_u32(bytes + 8), size_bytes);
    const uint32_t json_bytes = get_u32(bytes + 12);
    assert_int_equal(json_bytes % 4, 0);
    assert_memory_equal(bytes + 16, "JSON", 4);
    file.json = cJSON_ParseWithLength((const char *)bytes + 20, json_bytes);
    assert_non_null(file.json);
    file.bin_bytes = get_u32(bytes + 20 + json_bytes);
    assert_memory_equal(bytes + 24 + json_bytes, "BIN\0", 4);
    file.bin = bytes + 28 + json_bytes;
    assert_int_equal(28 + json_bytes + file.bin_bytes, size_bytes);
    assert_int_equal(file.bin_bytes % 4, 0);
    const uint32_t buffer_bytes =
        (uint32_t)wire_get(wire_at(wire_get(file.json, "buffers"), 0), "byteLength")->valuedouble;
    assert_in_range(file.bin_bytes - buffer_bytes, 0, 3);
    return file;
}

static void close_answer(struct file *file)
{
    cJSON_Delete(file->json);
    reply_fini(&file->reply);
}

static const uint8_t *view(const struct file *file, int index, uint32_t *size_bytes)
{
    const cJSON *json = wire_at(wire_get(file->json, "bufferViews"), index);
    const uint32_t offset = (uint32_t)wire_get(json, "byteOffset")->valuedouble;
    *size_bytes = (uint32_t)wire_get(json, "byteLength")->valuedouble;
    assert_int_equal(offset % 4, 0);
    assert_true(*size_bytes > 0 && offset <= file->bin_bytes && *size_bytes <= file->bin_bytes - offset);
    return file->bin + offset;
}

static const cJSON *primitive(const struct file *file, int mesh, int place)
{
    return wire_at(wire_get(wire_at(wire_get(file->json, "meshes"), mesh), "primitives"), place);
}

/* The bytes of an attribute, or of "indices"; checks the accessor's type and count. */
static const uint8_t *array(const struct file *file, const cJSON *of, const char *name, int component, const char *type,
                            uint32_t count, uint32_t element_bytes)
{
    uint32_t size_bytes;
    const bool is_indices = strcmp(name, "indices") == 0;
    const int index = wire_get(is_indices ? of : wire_get(of, "attributes"), name)->valueint;
    const cJSON *accessor = wire_at(wire_get(file->json, "accessors"), index);
    assert_int_equal(wire_get(accessor, "componentType")->valueint, component);
    assert_string_equal(wire_get(accessor, "type")->valuestring, type);
    assert_int_equal(wire_get(accessor, "count")->valueint, count);
    const int at = wire_get(accessor, "bufferView")->valueint;
    const uint8_t *bytes = view(file, at, &size_bytes);
    assert_int_equal(size_bytes, count * element_bytes);
    assert_int_equal(wire_get(wire_at(wire_get(file->json, "bufferViews"), at), "target")->valueint,
                     is_indices ? 34963 : 34962);
    return bytes;
}

static const float *floats(const struct file *file, int mesh, int place, const char *name, const char *type,
                           uint32_t count)
{
    return (const float *)(const void *)array(file, primitive(file, mesh, place), name, 5126, type, count,
                                              4 * (uint32_t)(type[3] - '0')); /* VEC2, VEC3, VEC4 */
}

/* Positions, normals and indices equal the JSON answer's, bit for bit; min and max are the positions'. */
TEST(answer_glb_has_the_bits_of_the_json)
{
    struct request request = wire_request(OP_MESH, TIMES + 1, 1);
    static const int PLACES[3][2] = {{0, 0}, {1, 0}, {1, 1}};
    request.vertices.has_normals = request.vertices.has_indices = true;
    cJSON *json = wire_answer_json(wire_model(), &request);
    const cJSON *frame = wire_at(wire_get(json, "frames"), 0);
    request.format = FORMAT_GLB;
    struct file file = open_answer(wire_model(), &request);
    for (int e = 0; e < 3; e++) {
        const cJSON *of = primitive(&file, PLACES[e][0], PLACES[e][1]);
        const float *positions = floats(&file, PLACES[e][0], PLACES[e][1], "POSITION", "VEC3", 3);
        wire_check_floats(wire_at(wire_get(frame, "positions"), e), positions, 9);
        wire_check_floats(wire_at(wire_get(frame, "normals"), e),
                          floats(&file, PLACES[e][0], PLACES[e][1], "NORMAL", "VEC3", 3), 9);
        const uint8_t *indices = array(&file, of, "indices", 5125, "SCALAR", 3, 4);
        for (int i = 0; i < 3; i++)
            assert_int_equal(get_u32(indices + 4 * i), wire_at(wire_at(wire_get(json, "indices"), e), i)->valueint);
        const cJSON *accessor =
            wire_at(wire_get(file.json, "accessors"), wire_get(wire_get(of, "attributes"), "POSITION")->valueint);
        for (int c = 0; c < 3; c++) {
            const float a = positions[c], b = positions[3 + c], d = positions[6 + c];
            const float min = fminf(fminf(a, b), d), max = fmaxf(fmaxf(a, b), d);
            assert_true((float)wire_at(wire_get(accessor, "min"), c)->valuedouble == min);
            assert_true((float)wire_at(wire_get(accessor, "max"), c)->valuedouble == max);
        }
        assert_null(cJSON_GetObjectItem(of, "mode"));
        assert_null(cJSON_GetObjectItem(wire_get(of, "attributes"), "COLOR_0"));
    }
    assert_null(cJSON_GetObjectItem(primitive(&file, 1, 0), "material"));
    assert_int_equal(wire_get(primitive(&file, 1, 1), "material")->valueint, 0);
    close_answer(&file);
    cJSON_Delete(json);
}

/* +Y up and metres already: the mesh nodes are the scene. */
TEST(answer_glb_nodes_and_extras)
{
    struct request request = wire_request(OP_MESH, TIMES, 1);
    request.format = FORMAT_GLB;
    request.pose.clip = wire_name("wave");
    struct file file = open_answer(wire_model(), &request);
    const cJSON *nodes = wire_get(file.json, "nodes"), *asset = wire_get(file.json, "asset");
    assert_int_equal(cJSON_GetArraySize(nodes), 2);
    assert_string_equal(wire_get(wire_at(nodes, 0), "name")->valuestring, "Bone");
    assert_null(cJSON_GetObjectItem(wire_at(nodes, 1), "name"));
    assert_int_equal(wire_get(wire_at(nodes, 1), "mesh")->valueint, 1);
    const cJSON *roots = wire_get(wire_at(wire_get(file.json, "scenes"), 0), "nodes");
    assert_int_equal(cJSON_GetArraySize(roots), 2);
    assert_int_equal(wire_at(roots, 1)->valueint, 1);
    assert_string_equal(wire_get(wire_at(wire_get(file.json, "meshes"), 0), "name")->valuestring, "body");
    assert_string_equal(wire_get(asset, "version")->valuestring, "2.0");
    const cJSON *extras = wire_get(asset, "extras");
    assert_string_equal(wire_get(extras, "model")->valuestring, "arm.glb");
    assert_string_equal(wire_get(wire_get(extras, "clip"), "name")->valuestring, "wave");
    assert_true(wire_get(wire_get(extras, "frame"), "clip_time")->valuedouble == 0.3);
    const cJSON *texture = wire_at(wire_get(extras, "textures"), 0);
    assert_string_equal(wire_get(texture, "uri")->valuestring, "skin.png");
    assert_string_equal(wire_get(texture, "state")->valuestring, "missing");
    assert_null(cJSON_GetObjectItem(file.json, "textures"));
    const cJSON *material = wire_at(wire_get(file.json, "materials"), 0);
    const float color[] = {1, 0.5f, 0.25f, 1};
    wire_check_floats(wire_get(wire_get(material, "pbrMetallicRoughness"), "baseColorFactor"), color, 4);
    close_answer(&file);
}

/* --- a model with all the rest: Z up, centimetres --- */

enum { LEFT, RIGHT, APART, NODES };

static void add_texture(struct bake_builder *b, const char *uri, uint8_t shade)
{
    const struct str text = bake_textz(b, uri);
    const uint32_t first = b->pixel_byte_count;
    uint8_t *pixels = bake_add_pixel_byte(b, 2 * 2 * 4 + 4);
    for (uint8_t i = 0; i < 20; i++)
        pixels[i] = (uint8_t)(i % 4 == 3 ? 255 : shade + i);
    *bake_add_texture(b, 1) = (struct texture){.uri = text,
                                               .state = TEXTURE_FOUND,
                                               .source_width = 2,
                                               .source_height = 2,
                                               .width = 2,
                                               .height = 2,
                                               .level_count = 2,
                                               .wrap_s = TEXTURE_WRAP_CLAMP,
                                               .wrap_t = TEXTURE_WRAP_MIRROR,
                                               .mag_filter = TEXTURE_MAG_NEAREST,
                                               .min_filter = TEXTURE_MIN_NEAREST_MIPMAP_LINEAR,
                                               .pixel_first = first};
}

static void add_materials(struct bake_builder *b)
{
    add_texture(b, "nobody.png", 100);
    add_texture(b, "C:\\art\\skin.png", 7);
    add_texture(b, "bumps.png", 50);
    b->textures[2].content = TEXTURE_DATA;
    const struct str names[] = {bake_textz(b, "unused"), bake_textz(b, "skin"), bake_textz(b, "dots")};
    struct material *materials = bake_add_material(b, 3);
    for (int m = 0; m < 3; m++) {
        materials[m] = MATERIAL_PLAIN;
        materials[m].name = names[m];
        materials[m].textures[TEXTURE_BASE_COLOR].texture = m < 2 ? m : -1;
    }
    memcpy(materials[1].base_color, (float[4]){2, 1, 0.5f, -1}, sizeof materials[1].base_color);
    memcpy(materials[1].emissive, (float[3]){2, 0, 4}, sizeof materials[1].emissive);
    materials[1].metallic = 0.5f;
    materials[1].roughness = 0.25f;
    materials[1].normal_scale = -2;
    /* a quarter turn, scaled by 2 and, mirrored, by 3; moved */
    materials[1].textures[TEXTURE_NORMAL] = (struct material_texture){2, 1, {0, -3, 5, -2, 0, 6}};
    materials[1].alpha_cutoff = 0.25f;
    materials[1].alpha_mode = ALPHA_MASK;
    materials[1].flags = MATERIAL_DOUBLE_SIDED | MATERIAL_UNLIT;
    materials[2].alpha_mode = ALPHA_BLEND;
    materials[2].layers = 0;
    struct material_layers *layers = bake_add_material_layer(b, 1);
    *layers = MATERIAL_LAYERS_NONE;
    layers->present = 1U << LAYER_CLEARCOAT | 1U << LAYER_SHEEN;
    layers->clearcoat = 0.5f;
    layers->sheen_color[1] = 0.25f;
    const struct str node = bake_textz(b, "{\"side\":\"right\"}"), skin = bake_textz(b, "{\"wet\":true}");
    *bake_add_extra(b, 1) = (struct extra){.owner = EXTRA_NODE, .index = RIGHT, .json = node};
    *bake_add_extra(b, 1) = (struct extra){.owner = EXTRA_MATERIAL, .index = 1, .json = skin};
}

/* Primitives of 3 vertices: coloured triangle with coordinates; one without; points; one that draws nothing. */
static void add_primitives(struct bake_builder *b)
{
    static const struct primitive SHAPES[] = {{.material = 1,
                                               .flags = PRIMITIVE_TEXCOORDS | PRIMITIVE_SECOND_TEXCOORDS |
                                                        PRIMITIVE_TANGENTS | PRIMITIVE_COLORS | PRIMITIVE_FILE_NORMALS,
                                               .index_count = 3},
                                              {.material = 1, .flags = PRIMITIVE_FLAT, .index_count = 3},
                                              {.material = 2, .topology = TOPOLOGY_POINTS, .index_count = 3},
                                              {.material = 0}};
    for (uint32_t p = 0; p < 4; p++) {
        struct primitive *primitive = bake_add_primitive(b, 1);
        *primitive = SHAPES[p];
        primitive->vertex_first = b->position_count;
        primitive->vertex_count = 3;
        primitive->index_first = b->index_count;
        uint32_t *indices = bake_add_index(b, SHAPES[p].index_count);
        struct vec3 *positions = bake_add_position(b, 3), *normals = bake_add_normal(b, 3);
        struct vec2 *texcoords = bake_add_texcoord(b, 3), *second = bake_add_second_texcoord(b, 3);
        struct vec4 *tangents = bake_add_tangent(b, 3);
        struct rgba16 *colors = bake_add_color(b, 3);
        for (uint32_t i = 0; i < 3; i++) {
            if (i < SHAPES[p].index_count)
                indices[i] = i;
            positions[i] = (struct vec3){(float)(i == 1) + 0.1f, (float)(i == 2), (float)p};
            normals[i] = (struct vec3){0, 0, 1};
            texcoords[i] = (struct vec2){0.5f * (float)i, 1};
            second[i] = (struct vec2){7, (float)i};
            tangents[i] = (struct vec4){1, 0, 0, 1};
            colors[i] = fixture_color(10 * i, 20, 30, 255);
        }
    }
}

static const struct model *make_model(void)
{
    static struct model model;
    static const char *const NAMES[] = {"left", "right", "apart"};
    struct bake_builder b;
    if (model.bytes != NULL)
        return &model;
    bake_builder_init(&b, 1 << 20);
    const struct str format = bake_textz(&b, "FBX"), mesh_name = bake_textz(&b, "7");
    *bake_add_info(&b, 1) = (struct model_info){.format = format,
                                                .generator = {.offset = STR_NONE},
                                                .up = {0, 0, 1},
                                                .forward = {0, -1, 0},
                                                .unit_m = 0.01f,
                                                .flags = MODEL_HAS_UP | MODEL_HAS_UNIT};
    for (int n = 0; n < NODES; n++) {
        const struct str name = bake_textz(&b, NAMES[n]);
        struct node *node = bake_add_node(&b, 1);
        *node = (struct node){.name = name,
                              .parent = -1,
                              .skin = -1,
                              .matrix = -1,
                              .translation = {5, -3, 2 * (float)n},
                              .rotation = {0.5f, 0.5f, 0.5f, 0.5f},
                              .scale = {n == LEFT ? -2.0f : 2.0f, 1, 3}};
        if (n != APART)
            *bake_add_root(&b, 1) = (uint32_t)n;
    }
    *bake_add_mesh(&b, 1) = (struct mesh){.name = mesh_name, .primitive_count = 4};
    add_materials(&b);
    add_primitives(&b);
    return wire_model_finish(&b, &model);
}

static struct request glb_request(void)
{
    struct request request = wire_request(OP_MESH, TIMES, 1);
    request.format = FORMAT_GLB;
    return request;
}

/* Two of the three nodes are in the scene; the primitive that draws nothing is left out. */
TEST(answer_glb_holds_what_is_drawn)
{
    struct request request = glb_request();
    struct file file = open_answer(make_model(), &request);
    assert_int_equal(cJSON_GetArraySize(wire_get(file.json, "meshes")), 2);
    assert_int_equal(cJSON_GetArraySize(wire_get(wire_at(wire_get(file.json, "meshes"), 0), "primitives")), 3);
    const cJSON *nodes = wire_get(file.json, "nodes");
    assert_int_equal(cJSON_GetArraySize(nodes), 3);
    assert_string_equal(wire_get(wire_at(nodes, 0), "name")->valuestring, "left");
    assert_null(cJSON_GetObjectItem(wire_at(nodes, 0), "extras"));
    assert_string_equal(wire_get(wire_get(wire_at(nodes, 1), "extras"), "side")->valuestring, "right");
    close_answer(&file);
    request.mesh = wire_name("7");
    file = open_answer(make_model(), &request);
    close_answer(&file);
    request.mesh = (struct selector){0};
    cJSON *root;
    const cJSON *error = wire_answer_error(wire_model_empty(), &request, ERR_NOTHING_TO_DRAW, &root);
    assert_string_equal(wire_get(error, "message")->valuestring, "'arm.glb' has no geometry");
    cJSON_Delete(root);
}

/* x stays, z goes up, -y comes to the front; centimetres become metres. Vertices stay in the source's scene space. */
TEST(answer_glb_turns_the_axes_with_one_node)
{
    struct request request = glb_request();
    struct file file = open_answer(make_model(), &request);
    const cJSON *nodes = wire_get(file.json, "nodes"), *top = wire_at(nodes, 2);
    static const float MATRIX[] = {0.01f, 0, 0, 0, 0, 0, -0.01f, 0, 0, 0.01f, 0, 0, 0, 0, 0, 1};
    wire_check_floats(wire_get(top, "matrix"), MATRIX, 16);
    assert_string_equal(wire_get(top, "name")->valuestring, "gltf_from_scene");
    assert_int_equal(cJSON_GetArraySize(wire_get(top, "children")), 2);
    const cJSON *roots = wire_get(wire_at(wire_get(file.json, "scenes"), 0), "nodes");
    assert_int_equal(cJSON_GetArraySize(roots), 1);
    assert_int_equal(wire_at(roots, 0)->valueint, 2);
    request.format = FORMAT_JSON;
    cJSON *json = wire_answer_json(make_model(), &request);
    wire_check_floats(wire_at(wire_get(wire_at(wire_get(json, "frames"), 0), "positions"), 0),
                      floats(&file, 0, 0, "POSITION", "VEC3", 3), 9);
    cJSON_Delete(json);
    close_answer(&file);
}

/* The cross product of a triangle's edges and its normals agree also where the node mirrors. */
TEST(answer_glb_turns_mirrored_triangles)
{
    struct request request = glb_request();
    struct file file = open_answer(make_model(), &request);
    for (int mesh = 0; mesh < 2; mesh++) {
        const float *p = floats(&file, mesh, 0, "POSITION", "VEC3", 3);
        const float *n = floats(&file, mesh, 0, "NORMAL", "VEC3", 3);
        const uint8_t *indices = array(&file, primitive(&file, mesh, 0), "indices", 5125, "SCALAR", 3, 4);
        const float *a = p + 3 * get_u32(indices), *b = p + 3 * get_u32(indices + 4), *c = p + 3 * get_u32(indices + 8);
        double along = 0;
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            along += (double)n[i] *
                     ((double)(b[j] - a[j]) * (double)(c[k] - a[k]) - (double)(b[k] - a[k]) * (double)(c[j] - a[j]));
        }
        assert_true(along > 0.1);
        assert_int_equal(get_u32(indices + 4), mesh == LEFT ? 2 : 1);
        /* a flat one is rotated too, and its normals are left to the viewer */
        const cJSON *flat = primitive(&file, mesh, 1);
        assert_null(cJSON_GetObjectItem(wire_get(flat, "attributes"), "NORMAL"));
        assert_int_equal(get_u32(array(&file, flat, "indices", 5125, "SCALAR", 3, 4) + 4), mesh == LEFT ? 2 : 1);
    }
    /* what the pose does not change is there once */
    assert_int_equal(wire_get(wire_get(primitive(&file, 0, 0), "attributes"), "COLOR_0")->valueint >= 0, 1);
    assert_int_equal(get_u32(array(&file, primitive(&file, 1, 2), "indices", 5125, "SCALAR", 3, 4) + 4), 1);
    close_answer(&file);
}

TEST(answer_glb_shares_what_the_pose_does_not_change)
{
    struct request request = glb_request();
    request.mesh = wire_index(0);
    struct file file = open_answer(make_model(), &request);
    const cJSON *one = primitive(&file, 0, 2), *other = primitive(&file, 1, 2);
    assert_int_equal(wire_get(one, "indices")->valueint, wire_get(other, "indices")->valueint);
    assert_int_not_equal(wire_get(wire_get(one, "attributes"), "POSITION")->valueint,
                         wire_get(wire_get(other, "attributes"), "POSITION")->valueint);
    close_answer(&file);
}

TEST(answer_glb_attributes)
{
    struct request request = glb_request();
    struct file file = open_answer(make_model(), &request);
    static const float TEXCOORDS[] = {0, 1, 0.5f, 1, 1, 1}, ZEROS[6];
    static const float SECOND[] = {7, 0, 7, 1, 7, 2};
    assert_memory_equal(floats(&file, 0, 0, "TEXCOORD_0", "VEC2", 3), TEXCOORDS, sizeof TEXCOORDS);
    /* textured without coordinates: the first pixel everywhere, as the renderer draws it */
    assert_memory_equal(floats(&file, 0, 1, "TEXCOORD_0", "VEC2", 3), ZEROS, sizeof ZEROS);
    assert_memory_equal(floats(&file, 0, 0, "TEXCOORD_1", "VEC2", 3), SECOND, sizeof SECOND);
    assert_memory_equal(floats(&file, 0, 1, "TEXCOORD_1", "VEC2", 3), ZEROS, sizeof ZEROS);
    const uint8_t *colors = array(&file, primitive(&file, 1, 0), "COLOR_0", 5121, "VEC4", 3, 4);
    static const uint8_t COLORS[] = {0, 20, 30, 255, 10, 20, 30, 255, 20, 20, 30, 255};
    assert_memory_equal(colors, COLORS, sizeof COLORS);
    /* x is turned to y; the left node mirrors it, and with it the side of the bitangent */
    static const float LEFT_TANGENT[] = {0, -1, 0, -1}, RIGHT_TANGENT[] = {0, 1, 0, 1};
    assert_memory_equal(floats(&file, 0, 0, "TANGENT", "VEC4", 3), LEFT_TANGENT, sizeof LEFT_TANGENT);
    assert_memory_equal(floats(&file, 1, 0, "TANGENT", "VEC4", 3), RIGHT_TANGENT, sizeof RIGHT_TANGENT);
    assert_null(cJSON_GetObjectItem(wire_get(primitive(&file, 0, 1), "attributes"), "TANGENT"));
    const cJSON *points = primitive(&file, 0, 2);
    assert_true(cJSON_IsNumber(wire_get(points, "mode")) && wire_get(points, "mode")->valueint == 0);
    assert_null(cJSON_GetObjectItem(wire_get(points, "attributes"), "NORMAL"));
    close_answer(&file);
}

TEST(answer_glb_materials)
{
    struct request request = glb_request();
    struct file file = open_answer(make_model(), &request);
    static const float COLOR[] = {1, 1, 0.5f, 0};
    const cJSON *materials = wire_get(file.json, "materials"), *skin = wire_at(materials, 0);
    assert_int_equal(cJSON_GetArraySize(materials), 2);
    assert_string_equal(wire_get(skin, "name")->valuestring, "skin");
    wire_check_floats(wire_get(wire_get(skin, "pbrMetallicRoughness"), "baseColorFactor"), COLOR, 4);
    assert_true(wire_get(wire_get(skin, "pbrMetallicRoughness"), "metallicFactor")->valuedouble == 0.5);
    assert_true(wire_get(wire_get(skin, "pbrMetallicRoughness"), "roughnessFactor")->valuedouble == 0.25);
    static const float EMISSIVE[] = {0.5f, 0, 1}, OFFSET[] = {5, 6}, SCALE[] = {2, -3};
    wire_check_floats(wire_get(skin, "emissiveFactor"), EMISSIVE, 3);
    const cJSON *extensions = wire_get(skin, "extensions"), *bumps = wire_get(skin, "normalTexture");
    const cJSON *strength = wire_get(extensions, "KHR_materials_emissive_strength");
    assert_true(wire_get(strength, "emissiveStrength")->valuedouble == 4);
    assert_int_equal(wire_get(bumps, "index")->valueint, 1);
    assert_int_equal(wire_get(bumps, "texCoord")->valueint, 1);
    assert_true(wire_get(bumps, "scale")->valuedouble == -2);
    const cJSON *transform = wire_get(wire_get(bumps, "extensions"), "KHR_texture_transform");
    wire_check_floats(wire_get(transform, "offset"), OFFSET, 2);
    wire_check_floats(wire_get(transform, "scale"), SCALE, 2);
    CHECK_NEAR(wire_get(transform, "rotation")->valuedouble, 1.5707964, 1e-7);
    assert_int_equal(cJSON_GetArraySize(wire_get(file.json, "extensionsUsed")), 5);
    assert_string_equal(wire_get(skin, "alphaMode")->valuestring, "MASK");
    assert_true(wire_get(skin, "alphaCutoff")->valuedouble == 0.25);
    assert_true(cJSON_IsTrue(wire_get(skin, "doubleSided")));
    wire_get(wire_get(skin, "extensions"), "KHR_materials_unlit");
    assert_string_equal(wire_at(wire_get(file.json, "extensionsUsed"), 0)->valuestring, "KHR_materials_unlit");
    assert_true(cJSON_IsTrue(wire_get(wire_get(skin, "extras"), "wet")));
    assert_string_equal(wire_get(wire_at(materials, 1), "alphaMode")->valuestring, "BLEND");
    const cJSON *layers = wire_get(wire_at(materials, 1), "extensions");
    assert_true(wire_get(wire_get(layers, "KHR_materials_clearcoat"), "clearcoatFactor")->valuedouble == 0.5);
    assert_true(wire_at(wire_get(wire_get(layers, "KHR_materials_sheen"), "sheenColorFactor"), 1)->valuedouble == 0.25);
    assert_int_equal(cJSON_GetArraySize(layers), 2);
    assert_null(cJSON_GetObjectItem(wire_get(wire_at(materials, 1), "pbrMetallicRoughness"), "baseColorFactor"));
    close_answer(&file);
}

/* Of the two textures only the used one, with level 0 of the model. */
TEST(answer_glb_embeds_textures)
{
    struct request request = glb_request();
    struct file file = open_answer(make_model(), &request);
    const cJSON *image = wire_at(wire_get(file.json, "images"), 0),
                *sampler = wire_at(wire_get(file.json, "samplers"), 0);
    struct png_pixels read;
    struct buf png;
    uint32_t size_bytes;
    assert_int_equal(cJSON_GetArraySize(wire_get(file.json, "images")), 2);
    assert_string_equal(wire_get(image, "name")->valuestring, "skin.png");
    assert_string_equal(wire_get(image, "mimeType")->valuestring, "image/png");
    assert_int_equal(wire_get(sampler, "magFilter")->valueint, 9728);
    assert_int_equal(wire_get(sampler, "minFilter")->valueint, 9986);
    assert_int_equal(wire_get(sampler, "wrapS")->valueint, 33071);
    assert_int_equal(wire_get(sampler, "wrapT")->valueint, 33648);
    const uint8_t *bytes = view(&file, wire_get(image, "bufferView")->valueint, &size_bytes);
    buf_init(&png, 0);
    buf_put(&png, bytes, size_bytes);
    png_pixels_init(&read, &png);
    assert_int_equal(read.width, 2);
    assert_memory_equal(read.pixels, make_model()->pixels + 20, 16);
    png_pixels_fini(&read);
    buf_fini(&png);
    close_answer(&file);
    request.textures.form = TEXTURES_NONE;
    file = open_answer(make_model(), &request);
    assert_null(cJSON_GetObjectItem(file.json, "images"));
    const cJSON *skin = wire_at(wire_get(file.json, "materials"), 0);
    assert_null(cJSON_GetObjectItem(wire_get(skin, "pbrMetallicRoughness"), "baseColorTexture"));
    assert_null(cJSON_GetObjectItem(wire_get(primitive(&file, 0, 1), "attributes"), "TEXCOORD_0"));
    const cJSON *texture = wire_at(wire_get(wire_get(wire_get(file.json, "asset"), "extras"), "textures"), 0);
    assert_string_equal(wire_get(texture, "state")->valuestring, "left_out");
    close_answer(&file);
}

TEST(answer_glb_refuses_what_is_not_finite)
{
    static const double LATE[] = {0.9};
    struct request request = wire_request(OP_MESH, LATE, 1);
    cJSON *root;
    request.format = FORMAT_GLB;
    request.pose.clip = wire_index(3);
    wire_answer_error(wire_model(), &request, ERR_NOT_FINITE, &root);
    cJSON_Delete(root);
}

/* Same question, same bytes, whatever was answered before with the same memory. */
TEST(answer_glb_does_not_depend_on_what_came_before)
{
    struct workspace answer;
    struct limits limits;
    struct reply first, second, other;
    struct request request = glb_request(), textureless = glb_request();
    textureless.textures.form = TEXTURES_NONE;
    limits_default(&limits);
    workspace_init(&answer);
    reply_init(&first);
    reply_init(&second);
    reply_init(&other);
    reply_make(&answer, make_model(), NULL, &request, &limits, &first);
    reply_make(&answer, wire_model(), NULL, &textureless, &limits, &other);
    reply_make(&answer, make_model(), NULL, &request, &limits, &second);
    assert_int_equal(first.body.size_bytes, second.body.size_bytes);
    assert_memory_equal(first.body.data, second.body.data, first.body.size_bytes);
    reply_fini(&first);
    reply_fini(&second);
    reply_fini(&other);
    workspace_fini(&answer);
}
