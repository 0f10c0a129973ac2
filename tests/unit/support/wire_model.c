#include "tests/unit/support/wire_model.h"

#include "anim/bake/bake.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

static void add_node(struct bake_builder *b, const char *name, int32_t parent, struct node shape)
{
    const struct str text = bake_textz(b, name);
    struct node *node = bake_add_node(b, 1);
    *node = shape;
    node->name = text;
    node->parent = parent;
    if (node->scale[0] == 0)
        for (int i = 0; i < 3; i++)
            node->scale[i] = 1;
    if (node->rotation[3] == 0)
        node->rotation[3] = 1;
}

/* Numbers that are exact in binary: at a key the answers do not depend on how an evaluator rounds. */
static void add_nodes(struct bake_builder *b)
{
    static const struct mat4 SHEARED = {{1, 0, 0, 0, 0.5f, 2, 0, 0, 0, 0.25f, 1, 0, 3, -1, 0.5f, 1}};
    *bake_add_node_matrix(b, 1) = SHEARED;
    *bake_add_weight(b, 1) = 0.5f;
    add_node(b, "root", -1,
             (struct node){.mesh = -1,
                           .skin = -1,
                           .matrix = -1,
                           .translation = {1, 2, 3},
                           .scale = {2, 1, 0.5f},
                           .rotation = {0.5f, 0.5f, 0.5f, 0.5f}});
    add_node(b, "bone \"A\"\n", 0,
             (struct node){.mesh = -1,
                           .skin = -1,
                           .matrix = -1,
                           .translation = {0.5f, 1, -0.25f},
                           .rotation = {0.5f, -0.5f, 0.5f, 0.5f}});
    add_node(b, "Bone", 1,
             (struct node){.mesh = -1,
                           .skin = -1,
                           .matrix = -1,
                           .translation = {0, 1.5f, 0},
                           .scale = {1, 3, 1},
                           .rotation = {0.5f, 0.5f, -0.5f, 0.5f}});
    add_node(b, "Bone", 0,
             (struct node){.mesh = 0, .skin = 0, .matrix = -1, .translation = {7, 7, 7}, .weight_count = 1});
    add_node(b, NULL, 5, (struct node){.mesh = 1, .skin = -1, .matrix = 0, .flags = NODE_SHEAR});
    add_node(
        b, "", 0,
        (struct node){
            .mesh = -1, .skin = -1, .matrix = -1, .translation = {0, 0, 4}, .rotation = {0.5f, 0.5f, 0.5f, -0.5f}});
    *bake_add_root(b, 1) = 0;
}

static void add_skin(struct bake_builder *b)
{
    const struct str name = bake_textz(b, "arm");
    struct skin *skin = bake_add_skin(b, 1);
    *skin = (struct skin){.name = name, .joint_first = 0, .joint_count = 2, .mesh_node = -1};
    struct joint *joints = bake_add_joint(b, 2);
    joints[0] = (struct joint){.node = 2, .joint_from_bind = {{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 2, 0, 0.5f, -3, 1, 1}}};
    joints[1] = (struct joint){.node = 1, .joint_from_bind = {{1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, -1, 0.25f, 1}}};
}

/* Vertex i of primitive p lies at (i + p, 2 - i, i * p + 1). */
static void add_primitive(struct bake_builder *b, uint32_t mesh, uint32_t p, int32_t material)
{
    struct primitive *primitive = bake_add_primitive(b, 1);
    *primitive = (struct primitive){.mesh = mesh,
                                    .vertex_first = 3 * p,
                                    .vertex_count = 3,
                                    .index_first = 3 * p,
                                    .index_count = 3,
                                    .material = material};
    struct vec3 *positions = bake_add_position(b, 3);
    struct vec3 *normals = bake_add_normal(b, 3);
    uint32_t *indices = bake_add_index(b, 3);
    for (uint32_t i = 0; i < 3; i++) {
        positions[i] = (struct vec3){(float)(i + p), 2 - (float)i, (float)(i * p + 1)};
        normals[i] = (struct vec3){0, 0.6f, 0.8f};
        indices[i] = 2 - i;
    }
}

static void add_meshes(struct bake_builder *b)
{
    const struct str body = bake_textz(b, "body"), skin_name = bake_textz(b, "skin \xc3\xa9");
    *bake_add_mesh(b, 1) = (struct mesh){.name = body, .primitive_count = 1};
    *bake_add_mesh(b, 1) = (struct mesh){.name = {.offset = STR_NONE}, .primitive_first = 1, .primitive_count = 2};
    struct material *material = bake_add_material(b, 1);
    *material = MATERIAL_PLAIN;
    material->name = skin_name;
    memcpy(material->base_color, (float[4]){1, 0.5f, 0.25f, 1}, sizeof material->base_color);
    material->textures[TEXTURE_BASE_COLOR].texture = 0;
    add_primitive(b, 0, 0, 0);
    add_primitive(b, 1, 1, -1);
    add_primitive(b, 1, 2, 0);
    b->primitives[0].morph_target_count = 1;
    *bake_add_morph_target(b, 1) = (struct morph_target){.name = {.offset = STR_NONE}, .normal_first = UINT32_MAX};
    struct vec3 *deltas = bake_add_morph_delta(b, 3);
    deltas[1] = (struct vec3){0.5f, -1, 4};
    /* vertices 0..2 are skinned, vertex 2 by both joints; the others follow joint 0 of their skin */
    uint32_t *firsts = bake_add_influence_first(b, 10);
    const uint32_t ends[] = {0, 1, 2, 4, 4, 4, 4, 4, 4, 4};
    memcpy(firsts, ends, sizeof ends);
    struct influence *influences = bake_add_influence(b, 4);
    influences[0] = (struct influence){0, 1};
    influences[1] = (struct influence){1, 1};
    influences[2] = (struct influence){0, 0.75f};
    influences[3] = (struct influence){1, 0.25f};
}

static void add_channel(struct bake_builder *b, uint32_t node, uint32_t path, const double *times, const float *values,
                        uint32_t key_count)
{
    const uint32_t components = path == PATH_ROTATION ? 4 : 3;
    struct channel *channel = bake_add_channel(b, 1);
    *channel = (struct channel){.node = node,
                                .path = path,
                                .component_count = components,
                                .key_count = key_count,
                                .key_time_first = b->key_time_count,
                                .value_first = b->key_value_count};
    memcpy(bake_add_key_time(b, key_count), times, key_count * sizeof *times);
    memcpy(bake_add_key_value(b, key_count * components), values, key_count * components * sizeof *values);
}

static void add_clip(struct bake_builder *b, const char *name, uint32_t channel_count)
{
    const struct str text = bake_textz(b, name);
    *bake_add_clip(b, 1) =
        (struct clip){.name = text, .channel_first = b->channel_count - channel_count, .channel_count = channel_count};
}

static void add_clips(struct bake_builder *b)
{
    static const double WAVE_TIMES[] = {0, 0.5, 2}, SHORT_TIMES[] = {0, 1};
    static const float TURNS[] = {0, 0, 0, 1, 0.5f, 0.5f, -0.5f, 0.5f, 0, 1, 0, 0};
    static const float MOVES[] = {0, 1.5f, 0, 1, 2, 3, -1, 0.5f, 0.125f};
    static const float FAR[] = {2e38f, 2e38f, 2e38f, 2e38f, 2e38f, 2e38f}, SCALES[] = {1, 1, 1, 3e38f, 1, 1};
    add_channel(b, 1, PATH_ROTATION, WAVE_TIMES, TURNS, 3);
    add_channel(b, 2, PATH_TRANSLATION, WAVE_TIMES, MOVES, 3);
    add_clip(b, "wave", 2);
    add_channel(b, 2, PATH_TRANSLATION, SHORT_TIMES, MOVES, 2);
    add_clip(b, "twin", 1);
    add_channel(b, 4, PATH_TRANSLATION, SHORT_TIMES, MOVES, 2);
    add_clip(b, "twin", 1);
    add_channel(b, 1, PATH_TRANSLATION, SHORT_TIMES, FAR, 2);
    add_channel(b, 0, PATH_SCALE, SHORT_TIMES, SCALES, 2);
    add_clip(b, NULL, 2);
}

static void add_rest(struct bake_builder *b)
{
    const struct str uri = bake_textz(b, "skin.png"), path = bake_textz(b, "arm.glb");
    *bake_add_texture(b, 1) = (struct texture){.uri = uri, .state = TEXTURE_MISSING};
    *bake_add_source_file(b, 1) = (struct source_file){.path = path, .role = SOURCE_MODEL, .size_bytes = 1234};
    *bake_add_source_file(b, 1) = (struct source_file){.path = uri, .role = SOURCE_TEXTURE, .is_missing = 1};
    bake_warn(b, "texture_missing", "there is no file '%s'", "skin.png");
}

const struct model *wire_model_finish(struct bake_builder *b, struct model *model)
{
    struct err err = {0};
    struct buf bytes;
    buf_init(&bytes, 0);
    assert_false(b->is_failed);
    if (bake_finish(b, &err) < 0 || bake_encode(b, &bytes, &err) < 0)
        fail_msg("%s", err.message);
    const size_t size = (bytes.size_bytes + BAKE_ALIGNMENT - 1) / BAKE_ALIGNMENT * BAKE_ALIGNMENT;
    void *block = aligned_alloc(BAKE_ALIGNMENT, size);
    assert_non_null(block);
    memcpy(block, bytes.data, bytes.size_bytes);
    if (bake_decode(block, bytes.size_bytes, model, &err) < 0)
        fail_msg("%s", err.message);
    buf_fini(&bytes);
    bake_builder_fini(b);
    return model;
}

static struct model_info *add_info(struct bake_builder *b)
{
    const struct str format = bake_textz(b, "GLB 2.0"), generator = bake_textz(b, NULL);
    struct model_info *info = bake_add_info(b, 1);
    *info = (struct model_info){.format = format,
                                .generator = generator,
                                .up = {0, 1, 0},
                                .forward = {0, 0, 1},
                                .unit_m = 1,
                                .flags = MODEL_HAS_UP | MODEL_HAS_UNIT};
    for (int i = 0; i < 32; i++)
        info->content_hash[i] = (uint8_t)(i * 8 + 1);
    return info;
}

/* Shared by all tests and immutable; never freed, and reachable to the end. */
const struct model *wire_model(void)
{
    static struct model model;
    struct bake_builder b;
    if (model.bytes != NULL)
        return &model;
    bake_builder_init(&b, 1 << 20);
    add_info(&b);
    add_nodes(&b);
    add_skin(&b);
    add_meshes(&b);
    add_clips(&b);
    struct marker *markers = bake_add_marker(&b, 2);
    markers[0] = (struct marker){.name = bake_textz(&b, "step"), .value = {.offset = STR_NONE}, .time_s = 0.5};
    markers[1] = (struct marker){.name = bake_textz(&b, "5004"), .value = bake_textz(&b, "hit.wav"), .time_s = 1.25};
    struct model_camera *camera = bake_add_camera(&b, 1);
    *camera =
        (struct model_camera){.name = bake_textz(&b, "shot"), .node = 1, .height = 0.5f, .width = 1.5f, .z_near = 0.1f};
    add_rest(&b);
    return wire_model_finish(&b, &model);
}

const struct model *wire_model_empty(void)
{
    static struct model model;
    struct bake_builder b;
    if (model.bytes != NULL)
        return &model;
    bake_builder_init(&b, 1 << 20);
    add_info(&b);
    *bake_add_influence_first(&b, 1) = 0;
    return wire_model_finish(&b, &model);
}

struct request wire_request(enum op op, const double *times_s, uint32_t time_count)
{
    return (struct request){.op = op,
                            .model = "arm.glb",
                            .pose.model = "arm.glb",
                            .pose.times_s = times_s,
                            .pose.time_count = time_count,
                            .what = WHAT_SCENE};
}

struct selector wire_index(uint32_t index) { return (struct selector){.kind = SELECT_INDEX, .index = index}; }

struct selector wire_name(const char *name)
{
    return (struct selector){.kind = SELECT_NAME, .name = name, .name_bytes = strlen(name)};
}

void wire_answer(const struct model *model, const struct request *request, struct reply *reply)
{
    struct workspace answer;
    struct limits limits;
    limits_default(&limits);
    workspace_init(&answer);
    reply_make(&answer, model, NULL, request, &limits, reply);
    workspace_fini(&answer);
}

static cJSON *parse(const struct reply *reply)
{
    assert_string_equal(reply->content_type, "application/json");
    cJSON *json = cJSON_ParseWithLength(reply->body.data, reply->body.size_bytes);
    if (json == NULL)
        fail_msg("not JSON: %.*s", (int)reply->body.size_bytes, reply->body.data);
    return json;
}

cJSON *wire_answer_json(const struct model *model, const struct request *request)
{
    struct reply reply;
    reply_init(&reply);
    wire_answer(model, request, &reply);
    if (reply.status != 200)
        fail_msg("%d: %.*s", reply.status, (int)reply.body.size_bytes, reply.body.data);
    cJSON *json = parse(&reply);
    reply_fini(&reply);
    return json;
}

cJSON *wire_answer_error(const struct model *model, const struct request *request, int code, cJSON **root)
{
    struct reply reply;
    reply_init(&reply);
    wire_answer(model, request, &reply);
    assert_int_equal(reply.code, code);
    assert_int_equal(reply.status, err_http_status(code));
    *root = parse(&reply);
    reply_fini(&reply);
    cJSON *error = wire_get(*root, "error");
    assert_string_equal(wire_get(error, "code")->valuestring, err_name(code));
    return error;
}

cJSON *wire_get(const cJSON *json, const char *key)
{
    cJSON *value = cJSON_GetObjectItemCaseSensitive(json, key);
    if (value == NULL)
        fail_msg("no \"%s\" in the answer", key);
    return value;
}

cJSON *wire_at(const cJSON *json, int index)
{
    cJSON *value = cJSON_GetArrayItem(json, index);
    if (value == NULL)
        fail_msg("no item %d in the answer's \"%s\"", index, json->string == NULL ? "" : json->string);
    return value;
}

void wire_check_floats(const cJSON *json, const float *expected, int count)
{
    assert_int_equal(cJSON_GetArraySize(json), count);
    for (int i = 0; i < count; i++) {
        const float value = (float)cJSON_GetNumberValue(cJSON_GetArrayItem(json, i));
        if (memcmp(&value, &expected[i], sizeof value) != 0)
            fail_msg("item %d is %.9g, expected %.9g", i, (double)value, (double)expected[i]);
    }
}

void wire_check_near(const cJSON *json, const float *expected, int count, double tolerance)
{
    assert_int_equal(cJSON_GetArraySize(json), count);
    for (int i = 0; i < count; i++)
        CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetArrayItem(json, i)), expected[i], tolerance);
}
