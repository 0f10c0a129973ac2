#include "tests/unit/support/fixture.h"

#include "anim/model/property.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

const float FIXTURE_ZERO[3] = {0, 0, 0}, FIXTURE_ONE[3] = {1, 1, 1}, FIXTURE_NO_TURN[4] = {0, 0, 0, 1};

void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    bake_builder_init(&fixture->builder, 0);
    bake_add_info(&fixture->builder, 1);
}

uint32_t fixture_node(struct fixture *fixture, int32_t parent, const float translation[3], const float rotation[4],
                      const float scale[3])
{
    struct node *node = bake_add_node(&fixture->builder, 1);
    *node = (struct node){.name = {.offset = STR_NONE}, .parent = parent, .mesh = -1, .skin = -1, .matrix = -1};
    memcpy(node->translation, translation, sizeof node->translation);
    memcpy(node->rotation, rotation, sizeof node->rotation);
    memcpy(node->scale, scale, sizeof node->scale);
    return fixture->builder.node_count - 1;
}

void fixture_root(struct fixture *fixture, uint32_t node) { *bake_add_root(&fixture->builder, 1) = node; }

uint32_t fixture_mesh(struct fixture *fixture, const struct vec3 *positions, uint32_t vertex_count)
{
    struct bake_builder *b = &fixture->builder;
    if (b->influence_first_count == 0)
        bake_add_influence_first(b, 1);
    *bake_add_mesh(b, 1) = (struct mesh){{.offset = STR_NONE}, b->primitive_count, 1};
    *bake_add_primitive(b, 1) = (struct primitive){.mesh = b->mesh_count - 1,
                                                   .topology = TOPOLOGY_POINTS,
                                                   .vertex_first = b->position_count,
                                                   .vertex_count = vertex_count,
                                                   .index_first = b->index_count,
                                                   .index_count = vertex_count,
                                                   .morph_target_first = b->morph_target_count,
                                                   .material = -1};
    memcpy(bake_add_position(b, vertex_count), positions, vertex_count * sizeof *positions);
    struct vec3 *normals = bake_add_normal(b, vertex_count);
    uint32_t *firsts = bake_add_influence_first(b, vertex_count), *indices = bake_add_index(b, vertex_count);
    for (uint32_t v = 0; v < vertex_count; v++) {
        normals[v] = (struct vec3){0, 0, 1};
        firsts[v] = b->influence_count;
        indices[v] = v;
    }
    return b->mesh_count - 1;
}

uint32_t fixture_square(struct fixture *fixture, struct vec3 middle, float half, const float *weights)
{
    struct bake_builder *b = &fixture->builder;
    static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    const struct vec3 positions[4] = {{middle.x - half, middle.y - half, middle.z},
                                      {middle.x + half, middle.y - half, middle.z},
                                      {middle.x + half, middle.y + half, middle.z},
                                      {middle.x - half, middle.y + half, middle.z}};
    const uint32_t mesh = fixture_mesh(fixture, positions, 4);
    struct primitive *primitive = &b->primitives[b->primitive_count - 1];
    bake_add_index(b, 2);
    memcpy(&b->indices[primitive->index_first], corners, sizeof corners);
    primitive->topology = TOPOLOGY_TRIANGLES;
    primitive->index_count = 6;
    for (uint32_t v = 0; v < 4; v++) {
        for (uint32_t j = 0; weights != NULL && j < 2; j++)
            if (weights[j] > 0)
                *bake_add_influence(b, 1) = (struct influence){j, weights[j]};
        b->influence_firsts[primitive->vertex_first + v + 1] = b->influence_count;
    }
    return mesh;
}

uint32_t fixture_mesh_node(struct fixture *fixture, uint32_t mesh, int32_t skin)
{
    const uint32_t node = fixture_node(fixture, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture->builder.nodes[node].mesh = (int32_t)mesh;
    fixture->builder.nodes[node].skin = skin;
    fixture_root(fixture, node);
    return node;
}

uint32_t fixture_skin(struct fixture *fixture, const uint32_t *nodes, uint32_t joint_count)
{
    struct bake_builder *b = &fixture->builder;
    *bake_add_skin(b, 1) = (struct skin){{.offset = STR_NONE}, b->joint_count, joint_count, -1, 0, METHOD_LINEAR};
    struct joint *joints = bake_add_joint(b, joint_count);
    for (uint32_t j = 0; j < joint_count; j++) {
        joints[j].node = nodes[j];
        for (int i = 0; i < 16; i += 5)
            joints[j].joint_from_bind.m[i] = 1;
    }
    return b->skin_count - 1;
}

uint32_t fixture_clip(struct fixture *fixture)
{
    struct bake_builder *b = &fixture->builder;
    *bake_add_clip(b, 1) = (struct clip){.name = {.offset = STR_NONE}, .channel_first = b->channel_count};
    return b->clip_count - 1;
}

void fixture_channel(struct fixture *fixture, uint32_t node, enum channel_path path, enum interpolation interpolation,
                     uint32_t component_count, const double *times, uint32_t key_count, const float *values)
{
    struct bake_builder *b = &fixture->builder;
    const uint32_t floats = key_count * component_count * (interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
    *bake_add_channel(b, 1) = (struct channel){.node = node,
                                               .path = path,
                                               .interpolation = interpolation,
                                               .component_count = component_count,
                                               .key_time_first = b->key_time_count,
                                               .key_count = key_count,
                                               .value_first = b->key_value_count};
    memcpy(bake_add_key_time(b, key_count), times, key_count * sizeof *times);
    memcpy(bake_add_key_value(b, floats), values, floats * sizeof *values);
    b->clips[b->clip_count - 1].channel_count++;
}

void *fixture_aligned_copy(const void *bytes, size_t size_bytes)
{
    void *copy = NULL;
    if (posix_memalign(&copy, BAKE_ALIGNMENT, size_bytes) != 0)
        abort();
    if (size_bytes > 0)
        memcpy(copy, bytes, size_bytes);
    return copy;
}

void fixture_finish(struct fixture *fixture)
{
    struct err err = {0};
    struct buf buf;
    buf_init(&buf, 0);
    if (bake_finish(&fixture->builder, &err) < 0 || bake_encode(&fixture->builder, &buf, &err) < 0)
        fail_msg("%s", err.message);
    fixture->block = fixture_aligned_copy(buf.data, buf.size_bytes);
    fixture->size_bytes = buf.size_bytes;
    buf_fini(&buf);
    if (bake_decode(fixture->block, fixture->size_bytes, &fixture->model, &err) < 0)
        fail_msg("%s", err.message);
}

void fixture_fini(struct fixture *fixture)
{
    bake_builder_fini(&fixture->builder);
    free(fixture->block);
    *fixture = (struct fixture){0};
}

/* The body: a triangle of skin 0 with two, one and no influences, one morph target, a picture on it. */
static void worked_body(struct fixture *f)
{
    struct bake_builder *b = &f->builder;
    const struct vec3 positions[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    fixture_mesh(f, positions, 3);
    struct primitive *primitive = &b->primitives[0];
    primitive->topology = TOPOLOGY_TRIANGLES;
    primitive->material = 0;
    primitive->flags = PRIMITIVE_TEXCOORDS | PRIMITIVE_COLORS;
    struct influence *influences = bake_add_influence(b, 3);
    influences[0] = (struct influence){0, 0.25f};
    influences[1] = (struct influence){1, 0.75f};
    influences[2] = (struct influence){1, 1};
    const uint32_t firsts[4] = {0, 2, 3, 3};
    memcpy(b->influence_firsts, firsts, sizeof firsts);
    primitive->morph_target_count = 1;
    *bake_add_morph_target(b, 1) = (struct morph_target){bake_textz(b, "smile"), 0, 3};
    bake_add_morph_delta(b, 6)[1] = (struct vec3){0, 0, 4};
}

static void worked_clips(struct fixture *f)
{
    const double times[3] = {0.5, 1, 2};
    const float turns[8] = {0, 0, 0, 1, 0, 0, 1, 0};
    const float places[9] = {1, 0, 0, 2, 0, 0, 3, 0, 0};
    const float weights[6] = {0, 0.25f, 1, 0, 1, 0};
    const float scales[3] = {1, 2, 3};
    const uint32_t wave = fixture_clip(f);
    f->builder.clips[wave].name = bake_textz(&f->builder, "wave");
    fixture_channel(f, 0, PATH_ROTATION, INTERPOLATION_LINEAR, 4, times, 2, turns);
    fixture_channel(f, 1, PATH_TRANSLATION, INTERPOLATION_STEP, 3, times, 3, places);
    fixture_channel(f, 2, PATH_WEIGHTS, INTERPOLATION_CUBICSPLINE, 1, times, 2, weights);
    fixture_clip(f);
    fixture_channel(f, 3, PATH_SCALE, INTERPOLATION_LINEAR, 3, times, 1, scales);
    const float arcs[18] = {0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 1, 0, 0, 2, 1, 0, 0, 0};
    fixture_clip(f);
    fixture_channel(f, 0, PATH_TRANSLATION, INTERPOLATION_CUBICSPLINE, 3, times, 2, arcs);
}

/* The base colour of the material, and the intensity of the second light, by keys of the first channels. */
static void worked_properties(struct bake_builder *b)
{
    const struct channel color = {.path = PATH_COUNT + PROPERTY_BASE_COLOR, .component_count = 4, .key_count = 2};
    const struct channel power = {.node = 1,
                                  .path = PATH_COUNT + PROPERTY_LIGHT_INTENSITY,
                                  .interpolation = INTERPOLATION_STEP,
                                  .component_count = 1,
                                  .key_count = 1,
                                  .value_first = 11};
    *bake_add_property_channel(b, 1) = (struct property_channel){0, color};
    *bake_add_property_channel(b, 1) = (struct property_channel){0, power};
}

static void worked_assets(struct bake_builder *b)
{
    struct material *cloth = bake_add_material(b, 1);
    *cloth = MATERIAL_PLAIN;
    cloth->name = bake_textz(b, "cloth");
    memcpy(cloth->base_color, (float[4]){1, 0.5f, 0.25f, 1}, sizeof cloth->base_color);
    memcpy(cloth->emissive, (float[3]){0, 2, 0}, sizeof cloth->emissive);
    cloth->metallic = 0.25f;
    cloth->textures[TEXTURE_NORMAL] = (struct material_texture){2, 1, {2, 0, 0.5f, 0, -1, 1}};
    cloth->layers = 0;
    struct material_layers *layers = bake_add_material_layer(b, 1);
    *layers = MATERIAL_LAYERS_NONE;
    layers->present = 1U << LAYER_CLEARCOAT;
    layers->clearcoat = 0.5f;
    layers->textures[TEXTURE_CLEARCOAT_ROUGHNESS - TEXTURE_SLOT_COUNT] = cloth->textures[TEXTURE_NORMAL];
    struct texture *textures = bake_add_texture(b, 3);
    textures[0] = (struct texture){
        .source_width = 3, .source_height = 1, .width = 2, .height = 1, .level_count = 2}; /* 8 + 4 bytes of pixels */
    textures[1] = (struct texture){.uri = bake_textz(b, "gone.png"), .state = TEXTURE_MISSING};
    textures[2] = (struct texture){.width = 1,
                                   .height = 1,
                                   .level_count = 1,
                                   .content = TEXTURE_DATA,
                                   .file_bytes = 80,
                                   .file = TEXTURE_FILE_PNG,
                                   .file_hash = {1, 2, 3}};
    struct picture_place *places = bake_add_picture_place(b, 3);
    places[0].source_file = places[1].source_file = -1;
    places[2] = (struct picture_place){.encoding = TEXTURE_BASE64, .offset = 892, .size_bytes = 108};
    memset(bake_add_pixel_byte(b, 12), 0x7f, 12);
    bake_warn(b, "texture_missing", "there is no 'gone.png'");
    *bake_add_source_file(b, 1) = (struct source_file){.path = bake_textz(b, "worked.glb"), .size_bytes = 1000};
    struct extra *extras = bake_add_extra(b, 3);
    extras[0] = (struct extra){EXTRA_NODE, 1, bake_textz(b, "{\"socket\":[1,2.5,null]}")};
    extras[1] = (struct extra){EXTRA_MATERIAL, 0, bake_textz(b, "\"wool\"")};
    extras[2] = (struct extra){EXTRA_CLIP, 1, bake_textz(b, "true")};
    struct carried *carried = bake_add_carried(b, 3);
    carried[0] = (struct carried){CARRY_ASSET, 0, bake_textz(b, "copyright"), bake_textz(b, "\"Ada\"")};
    carried[1] = (struct carried){CARRY_NODE, 1, bake_textz(b, "KHR_node_hoverability"), bake_textz(b, "{}")};
    carried[2] = (struct carried){CARRY_NODE, 1, bake_textz(b, "KHR_node_selectability"), bake_textz(b, "{}")};
}

static void worked_faces(struct bake_builder *b)
{
    struct expression *expressions = bake_add_expression(b, 2);
    expressions[0] = (struct expression){.name = bake_textz(b, "happy"),
                                         .flags = EXPRESSION_PRESET,
                                         .override_mouth = EXPRESSION_BLOCK,
                                         .node = -1,
                                         .bind_count = 2};
    expressions[1] = (struct expression){
        .name = bake_textz(b, "wink"), .flags = EXPRESSION_BINARY, .node = 1, .bind_first = 2, .bind_count = 1};
    uint32_t face = 0;
    while (b->nodes[face].weight_count == 0)
        face++;
    struct expression_bind *binds = bake_add_expression_bind(b, 3);
    binds[0] = (struct expression_bind){BIND_MORPH, face, 0, 0.5f, {0}};
    binds[1] = (struct expression_bind){BIND_COLOR, 0, EXPRESSION_RIM_COLOR, 0, {1, 0.5f, 0, 1}};
    binds[2] = (struct expression_bind){BIND_TEXTURE_TRANSFORM, 0, 0, 0, {1, 2, 0.5f, 0}};
    *bake_add_gaze(b, 1) = (struct gaze){
        .kind = GAZE_EXPRESSION, .node = 1, .offset = {0, 0.06f, 0}, .ranges = {{90, 10}, {60, 1}, {30, 2}, {20, 3}}};
}

void fixture_worked(struct fixture *f)
{
    const float half = 0.70710678f;
    const float places[3][3] = {{0, 2, 0}, {1, 0, 0}, {0, 0, 0}};
    const float turns[2][4] = {{0, 0, half, half}, {half, 0, 0, half}};
    const float wide[3] = {1, 2, 1};
    const struct vec3 line[2] = {{0, 0, 0}, {0, 0, 5}};
    const uint32_t joints[2] = {1, 0};
    fixture_init(f);
    struct bake_builder *b = &f->builder;
    b->infos[0].format = bake_textz(b, "test");
    fixture_node(f, 1, places[0], turns[0], FIXTURE_ONE); /* a child before its parent */
    fixture_node(f, -1, places[1], turns[1], wide);
    fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(f, 1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    b->nodes[0].name = bake_textz(b, "tip");
    b->nodes[1].name = bake_textz(b, "h\xc3\xbc"
                                     "fte");
    b->nodes[2].name = bake_textz(b, "");
    worked_body(f);
    b->nodes[2].mesh = 0;
    b->nodes[2].skin = (int32_t)fixture_skin(f, joints, 2);
    b->joints[1].joint_from_bind.m[13] = -2;
    *bake_add_weight(b, 1) = 0.5f;
    b->nodes[2].weight_count = 1;
    b->nodes[3].mesh = (int32_t)fixture_mesh(f, line, 2);
    b->primitives[1].topology = TOPOLOGY_LINES;
    struct marker *markers = bake_add_marker(b, 2);
    markers[0] =
        (struct marker){.clip = 0, .name = bake_textz(b, "step"), .value = bake_textz(b, "left"), .time_s = 0.5};
    markers[1] = (struct marker){.clip = 0, .value = {.offset = STR_NONE}, .name = bake_textz(b, "hit"), .time_s = 1.5};
    struct model_camera *cameras = bake_add_camera(b, 2);
    cameras[0] = (struct model_camera){
        .name = bake_textz(b, "eye"), .node = 0, .height = 0.5f, .width = 1.5f, .z_near = 0.1f, .z_far = 100};
    cameras[1] = (struct model_camera){
        .name = {.offset = STR_NONE}, .node = 2, .kind = CAMERA_ORTHOGRAPHIC, .height = 2, .width = 3, .z_far = 9};
    struct model_light *lights = bake_add_light(b, 2);
    lights[0] = (struct model_light){.name = {.offset = STR_NONE}, .node = 1, .color = {1, 0.5f, 0}, .intensity = 2};
    lights[1] = (struct model_light){.name = bake_textz(b, "lamp"),
                                     .node = 3,
                                     .kind = LIGHT_KIND_SPOT,
                                     .color = {1, 1, 1},
                                     .intensity = 40,
                                     .range = 5,
                                     .inner_cone = 0.25f,
                                     .outer_cone = 0.5f};
    struct hitbox *hitboxes = bake_add_hitbox(b, 2);
    hitboxes[0] = (struct hitbox){.rule = HITBOX_GIVEN,
                                  .volume = {.name = bake_textz(b, "head"),
                                             .node = 0,
                                             .kind = VOLUME_BOX,
                                             .rotation = {0, 0.6f, 0, 0.8f},
                                             .half = {0.5f, 0.25f, 1}}};
    hitboxes[1] = (struct hitbox){.rule = HITBOX_NONE,
                                  .volume = {.name = {.offset = STR_NONE}, .node = 1, .rotation = {0, 0, 0, 1}}};
    struct humanoid_bone *bones = bake_add_humanoid_bone(b, 2);
    bones[0] = (struct humanoid_bone){.name = bake_textz(b, "hips"), .node = 1};
    bones[1] = (struct humanoid_bone){.name = bake_textz(b, "hipsJoint"), .node = 0};
    struct variant *variants = bake_add_variant(b, 2);
    variants[0].name = bake_textz(b, "day");
    variants[1].name = bake_textz(b, "night");
    struct variant_material *variant_materials = bake_add_variant_material(b, 2);
    variant_materials[0] = (struct variant_material){.primitive = 0, .variant = 0, .material = 0};
    variant_materials[1] = (struct variant_material){.primitive = 0, .variant = 1, .material = -1};
    memset(bake_add_texcoord(b, b->position_count), 0, b->position_count * sizeof(struct vec2));
    memset(bake_add_second_texcoord(b, b->position_count), 0, b->position_count * sizeof(struct vec2));
    memset(bake_add_tangent(b, b->position_count), 0, b->position_count * sizeof(struct vec4));
    memset(bake_add_color(b, b->position_count), 0xff, b->position_count * sizeof(struct rgba16));
    memset(bake_add_dual_weight(b, b->position_count), 0, b->position_count * sizeof(float));
    b->nodes[3].matrix = 0;
    /* x axis (0,1,0), y axis (-2,0,0), z axis (0,0,1), then to (3,0,0) */
    *bake_add_node_matrix(b, 1) = (struct mat4){{0, 1, 0, 0, -2, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1}};
    fixture_root(f, 1);
    fixture_root(f, 2);
    worked_clips(f);
    worked_properties(b);
    worked_assets(b);
    worked_faces(b);
    b->materials[0].textures[TEXTURE_BASE_COLOR].texture = 0;
    fixture_finish(f);
}

/* 0 above 1 above 2, 3 above 4, and 5: 5 rolls like 4, 4 rotates like 2, 1 aims at 4, and 2 aims at 5. */
void fixture_constrained(struct fixture *f)
{
    static const int32_t PARENTS[] = {-1, 0, 1, -1, 3, -1};
    static const struct node_constraint CONSTRAINTS[] = {
        {1, 4, CONSTRAINT_AIM, AXIS_MINUS_Y, 1},
        {2, 5, CONSTRAINT_AIM, AXIS_X, 0.5f},
        {4, 2, CONSTRAINT_ROTATION, AXIS_X, 0},
        {5, 4, CONSTRAINT_ROLL, AXIS_Z, 1},
    };
    fixture_init(f);
    for (size_t n = 0; n < sizeof PARENTS / sizeof *PARENTS; n++)
        fixture_node(f, PARENTS[n], (const float[]){1, (float)n, 2}, FIXTURE_NO_TURN, FIXTURE_ONE);
    memcpy(bake_add_constraint(&f->builder, 4), CONSTRAINTS, sizeof CONSTRAINTS);
    fixture_finish(f);
}
