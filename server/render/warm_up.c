/* warm_up.c - builds the model of the first frame. */
#include "render/warm_up.h"

#include "anim/bake/bake.h"

#include <string.h>

/* Enough triangles for draw_gathered.c. */
enum { GATHERED_TRIANGLES = 1024 };
enum { QUAD_VERTICES = 4, QUAD_INDICES = 6, TEXTURE_SIDE = 4, TEXTURE_BYTES = 4 * (16 + 4 + 1) };

/* Adds a quad that two joints bend. is_heavy: with its triangles many times. */
static void add_quad(struct bake_builder *b, int32_t material, float z, bool is_heavy)
{
    static const uint32_t corners[QUAD_INDICES] = {0, 1, 2, 0, 2, 3};
    const uint32_t first = b->position_count, times = is_heavy ? GATHERED_TRIANGLES / 2 : 1;
    *bake_add_primitive(b, 1) = (struct primitive){.vertex_first = first,
                                                   .vertex_count = QUAD_VERTICES,
                                                   .index_first = b->index_count,
                                                   .index_count = times * QUAD_INDICES,
                                                   .morph_target_first = b->morph_target_count,
                                                   .material = material,
                                                   .flags = PRIMITIVE_FILE_NORMALS | PRIMITIVE_TEXCOORDS};
    for (uint32_t i = 0; i < times; i++)
        memcpy(bake_add_index(b, QUAD_INDICES), corners, sizeof corners);
    for (uint32_t v = 0; v < QUAD_VERTICES; v++) {
        const float x = v == 1 || v == 2 ? 1.0f : 0.0f, y = v >= 2 ? 1.0f : 0.0f;
        *bake_add_position(b, 1) = (struct vec3){x, y, z};
        *bake_add_normal(b, 1) = (struct vec3){0, 0, 1};
        *bake_add_texcoord(b, 1) = (struct vec2){x, 1 - y};
        *bake_add_influence_first(b, 1) = b->influence_count;
        *bake_add_influence(b, 1) = (struct influence){0, 0.75f};
        *bake_add_influence(b, 1) = (struct influence){1, 0.25f};
    }
}

static void add_nodes(struct bake_builder *b)
{
    for (int32_t n = 0; n < 2; n++) {
        *bake_add_node(b, 1) = (struct node){.name = {.offset = STR_NONE},
                                             .parent = n - 1,
                                             .mesh = n == 0 ? 0 : -1,
                                             .skin = n == 0 ? 0 : -1,
                                             .matrix = -1,
                                             .rotation = {0, 0, 0, 1},
                                             .scale = {1, 1, 1}};
        struct joint *joint = bake_add_joint(b, 1);
        joint->node = (uint32_t)n;
        for (int i = 0; i < 16; i += 5)
            joint->joint_from_bind.m[i] = 1;
    }
    *bake_add_root(b, 1) = 0;
    *bake_add_skin(b, 1) = (struct skin){.name = {.offset = STR_NONE}, .joint_count = 2, .mesh_node = -1};
}

/* has_textures: all of them, or none. */
static void add_material(struct bake_builder *b, float alpha, uint32_t alpha_mode, bool has_textures)
{
    struct material *material = bake_add_material(b, 1);
    *material = MATERIAL_PLAIN;
    material->base_color[3] = alpha;
    material->alpha_mode = alpha_mode;
    for (int slot = 0; has_textures && slot < TEXTURE_SLOT_COUNT; slot++)
        material->textures[slot].texture =
            slot == TEXTURE_BASE_COLOR || slot == TEXTURE_EMISSIVE ? TEXTURE_COLORS : TEXTURE_DATA;
}

/* Textures 0 and 1 have these values of enum texture_content. */
static void add_texture(struct bake_builder *b, uint32_t content)
{
    *bake_add_texture(b, 1) = (struct texture){.source_width = TEXTURE_SIDE,
                                               .source_height = TEXTURE_SIDE,
                                               .width = TEXTURE_SIDE,
                                               .height = TEXTURE_SIDE,
                                               .level_count = 3,
                                               .content = content,
                                               .pixel_first = b->pixel_byte_count};
    memset(bake_add_pixel_byte(b, TEXTURE_BYTES), 128, TEXTURE_BYTES);
}

int warm_up_model(bool has_all, struct buf *out, struct err *err)
{
    struct bake_builder b;
    bake_builder_init(&b, 0);
    bake_add_info(&b, 1)->format = bake_textz(&b, "warm-up");
    add_nodes(&b);
    *bake_add_mesh(&b, 1) = (struct mesh){.name = {.offset = STR_NONE}, .primitive_count = has_all ? 6 : 3};
    for (int32_t m = 0; m < 3; m++)
        add_quad(&b, m, 0.5f * (float)m, false);
    const int32_t heavy[] = {0, 2, 3};
    for (int m = 0; m < 3 && has_all; m++)
        add_quad(&b, heavy[m], 1.5f + 0.5f * (float)m, true);
    *bake_add_influence_first(&b, 1) = b.influence_count;
    add_material(&b, 1, ALPHA_OPAQUE, false);
    add_material(&b, 0.5f, ALPHA_BLEND, false);
    add_material(&b, 1, ALPHA_OPAQUE, has_all);
    add_material(&b, 1, ALPHA_OPAQUE, has_all);
    b.materials[3].textures[TEXTURE_NORMAL].texture = -1;
    add_texture(&b, TEXTURE_COLORS);
    add_texture(&b, TEXTURE_DATA);
    int rc = bake_finish(&b, err);
    if (rc == 0)
        rc = bake_encode(&b, out, err);
    bake_builder_fini(&b);
    return rc;
}
