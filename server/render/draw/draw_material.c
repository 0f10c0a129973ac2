/* draw_material.c - a material as GL state: its program, textures and uniforms. */
#include "render/draw/draw.h"

#include "base/mem.h"

#include "anim/model/material_layers.h"

#include <string.h>

/* Lilac squares replace a texture that the file names but that is missing. They look like no real material. */
enum { MISSING_SIDE = 64, MISSING_SQUARES = 8, MISSING_LEVELS = 7, NEUTRAL_SIDE = 4, NEUTRAL_LEVELS = 3 };
static const uint8_t MISSING_COLORS[2][4] = {{205, 180, 222, 255}, {142, 98, 170, 255}};

static GLuint make_white(const struct gl *gl, uint32_t content)
{
    uint8_t levels[4 * (16 + 4 + 1)];
    const struct texture texture = {
        .width = NEUTRAL_SIDE, .height = NEUTRAL_SIDE, .level_count = NEUTRAL_LEVELS, .content = content};
    memset(levels, 255, sizeof levels);
    return gpu_model_make_texture(gl, &texture, levels);
}

static GLuint make_missing(const struct gl *gl)
{
    uint8_t levels[4 * MISSING_SIDE * MISSING_SIDE * 4 / 3 + 4], *texel = levels;
    const struct texture texture = {.width = MISSING_SIDE, .height = MISSING_SIDE, .level_count = MISSING_LEVELS};
    for (uint32_t side = MISSING_SIDE; side > 0; side /= 2)
        for (uint32_t y = 0; y < side; y++)
            for (uint32_t x = 0; x < side; x++, texel += 4)
                for (int c = 0; c < 4; c++) {
                    const uint32_t odd = (x * MISSING_SQUARES / side + y * MISSING_SQUARES / side) % 2;
                    texel[c] = side >= MISSING_SQUARES ? MISSING_COLORS[odd][c]
                                                       : (uint8_t)((MISSING_COLORS[0][c] + MISSING_COLORS[1][c]) / 2);
                }
    return gpu_model_make_texture(gl, &texture, levels);
}

void draw_make_textures(struct drawing *drawing)
{
    drawing->white = make_white(drawing->gl, TEXTURE_COLORS);
    drawing->white_data = make_white(drawing->gl, TEXTURE_DATA);
    drawing->missing = make_missing(drawing->gl);
}

/* Returns the texture of a slot, or 0 when it has no pixels. */
static GLuint find_texture(const struct loaded_model *loaded, const struct material *material, int slot)
{
    const int32_t texture = material->textures[slot].texture;
    return texture >= 0 ? loaded->gpu.textures[texture] : 0;
}

bool draw_needs_full(const struct loaded_model *loaded, const struct material *material, bool is_lit)
{
    for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
        const struct material_texture *placed = &material->textures[slot];
        if (placed->texture < 0 || (slot != TEXTURE_BASE_COLOR && !is_lit))
            continue;
        if (slot == TEXTURE_BASE_COLOR ? placed->texcoord_set != 0 : find_texture(loaded, material, slot) != 0)
            return true;
    }
    return false;
}

bool draw_has_bumps(const struct loaded_model *loaded, const struct material *material)
{
    return find_texture(loaded, material, TEXTURE_NORMAL) != 0 && material->normal_scale != 0;
}

static void bind(const struct drawing *drawing, const struct program *program, int slot, GLuint texture)
{
    const bool is_color = slot == TEXTURE_BASE_COLOR || slot == TEXTURE_EMISSIVE;
    drawing->gl->ActiveTexture(GL_TEXTURE0 + (GLenum)slot);
    drawing->gl->BindTexture(GL_TEXTURE_2D, texture != 0 ? texture : is_color ? drawing->white : drawing->white_data);
    drawing->gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, program->min_filter);
}

/* Filters are numbers for the shader rather than texture state, because llvmpipe would compile every combination of
 * state. */
static void set_filter(const struct drawing *drawing, const struct loaded_model *loaded,
                       const struct material *material, int slot, GLint uniform)
{
    const struct texture *texture = find_texture(loaded, material, slot) == 0
                                        ? NULL
                                        : &loaded->mapped.model.textures[material->textures[slot].texture];
    drawing->gl->Uniform2i(uniform, texture == NULL ? 0 : (GLint)texture->mag_filter,
                           texture == NULL ? 0 : (GLint)texture->min_filter);
}

static void set_textures(const struct drawing *drawing, const struct program *program,
                         const struct loaded_model *loaded, const struct material *material)
{
    const struct gl *gl = drawing->gl;
    float uvs[TEXTURE_SLOT_COUNT][6];
    GLint sets[TEXTURE_SLOT_COUNT];
    for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
        const struct material_texture *placed = &material->textures[slot];
        sets[slot] = (GLint)placed->texcoord_set;
        memcpy(uvs[slot], placed->uv_from_texcoord, sizeof uvs[slot]);
        if (slot != TEXTURE_BASE_COLOR)
            bind(drawing, program, slot, find_texture(loaded, material, slot));
    }
    const bool has_bumps = find_texture(loaded, material, TEXTURE_NORMAL) != 0;
    const bool has_shade = find_texture(loaded, material, TEXTURE_OCCLUSION) != 0;
    gl->UniformMatrix3x2fv(program->uvs_from_texcoord, TEXTURE_SLOT_COUNT, GL_TRUE, uvs[0]);
    gl->Uniform1iv(program->texcoord_sets, TEXTURE_SLOT_COUNT, sets);
    set_filter(drawing, loaded, material, TEXTURE_EMISSIVE, program->emissive_filter);
    gl->Uniform2f(program->bump_scale_shade, has_bumps ? material->normal_scale : 0,
                  has_shade ? material->occlusion_strength : 0);
}

/* Whether the file names a picture for the base colour, and its pixels are not there. */
static bool lacks_base_color(const struct loaded_model *loaded, const struct material *material)
{
    const struct model *model = &loaded->mapped.model;
    const int32_t texture = material->textures[TEXTURE_BASE_COLOR].texture;
    if (texture < 0 || loaded->gpu.textures[texture] != 0)
        return false;
    const struct str uri = model->textures[texture].uri;
    return uri.offset == STR_NONE || !texture_name_is_procedural(model->text + uri.offset, uri.size_bytes);
}

void draw_put_material(const struct drawing *drawing, const struct program *program, const struct loaded_model *loaded,
                       const struct material *material, const struct primitive *primitive, bool is_lit)
{
    const struct gl *gl = drawing->gl;
    const GLuint base = find_texture(loaded, material, TEXTURE_BASE_COLOR);
    const bool is_missing = (primitive->flags & PRIMITIVE_TEXCOORDS) != 0 && lacks_base_color(loaded, material);
    /* a light whose pattern texture is missing does not shine */
    const bool is_dark =
        material->textures[TEXTURE_EMISSIVE].texture >= 0 && find_texture(loaded, material, TEXTURE_EMISSIVE) == 0;
    const float glow[4] = {material->emissive[0], material->emissive[1], material->emissive[2], 0}, dark[4] = {0};
    bind(drawing, program, TEXTURE_BASE_COLOR, is_missing ? drawing->missing : base);
    if (program->is_full)
        set_textures(drawing, program, loaded, material);
    else
        gl->UniformMatrix3x2fv(program->uv_from_texcoord, 1, GL_TRUE,
                               material->textures[TEXTURE_BASE_COLOR].uv_from_texcoord);
    set_filter(drawing, loaded, material, TEXTURE_BASE_COLOR, program->base_color_filter);
    gl->Uniform4fv(program->base_color, 1, material->base_color);
    gl->Uniform4fv(program->emissive, 1, is_dark ? dark : glow);
    gl->Uniform2f(program->metal_rough, material->metallic, material->roughness);
    gl->Uniform1i(program->is_unlit, !is_lit);
    gl->Uniform1i(program->is_flat, (primitive->flags & PRIMITIVE_FLAT) != 0);
}

GLuint draw_texture(const struct loaded_model *loaded, const struct material *material, uint32_t slot)
{
    const int32_t texture = material_texture_at(&loaded->mapped.model, material, slot)->texture;
    return texture >= 0 ? loaded->gpu.textures[texture] : 0;
}

static bool has_filters(const struct loaded_model *loaded, const struct material *material, int slot)
{
    if (find_texture(loaded, material, slot) == 0)
        return false;
    const struct texture *texture = &loaded->mapped.model.textures[material->textures[slot].texture];
    return texture->mag_filter != 0 || texture->min_filter != 0;
}

/* True when the material, or some of its texels, reflects the environment like a mirror. */
static bool is_mirror(const struct loaded_model *loaded, const struct material *material)
{
    return material->metallic > 0 || material->roughness < DRAW_ROUGH ||
           find_texture(loaded, material, TEXTURE_METALLIC_ROUGHNESS) != 0;
}

/* Links the program on first use. */
static int use_program(struct drawing *drawing, unsigned kind, const struct posed_model *posed, struct err *err)
{
    if (drawing->programs[kind] == NULL)
        drawing->programs[kind] = mem_zalloc(1, sizeof *drawing->programs[kind]);
    struct program *program = drawing->programs[kind];
    if (program == drawing->used)
        return 0;
    if (program->name == 0 && program_init(program, drawing->gl, kind, err) < 0)
        return err->code;
    drawing->gl->UseProgram(program->name);
    drawing->used = program;
    if (program->camera_frame != drawing->frame_number) {
        draw_set_camera(drawing->gl, program, posed);
        if ((kind & PROGRAM_CHOSEN) != 0)
            draw_set_light(drawing, program);
    }
    program->camera_frame = drawing->frame_number;
    return 0;
}

int draw_set_material(struct drawing *drawing, const struct loaded_model *loaded, const struct posed_model *posed,
                      const struct material *material, const struct primitive *primitive, bool is_lit, struct err *err)
{
    const bool is_full = draw_needs_full(loaded, material, is_lit);
    const bool is_filtered = has_filters(loaded, material, TEXTURE_BASE_COLOR) ||
                             (is_full && has_filters(loaded, material, TEXTURE_EMISSIVE));
    const unsigned layers = is_lit ? draw_layers_kind(drawing, loaded, material) : 0;
    const unsigned kind = layers | (is_full ? PROGRAM_FULL : 0) | (is_filtered ? PROGRAM_FILTERS : 0) |
                          (primitive->topology == TOPOLOGY_POINTS ? PROGRAM_POINTS : 0) |
                          (is_lit && is_mirror(loaded, material) ? PROGRAM_MIRRORS : 0) |
                          (draw_has_chosen_light(drawing->picture) ? PROGRAM_CHOSEN : 0) |
                          (is_lit && (drawing->picture->flags & PICTURE_OWN_LIGHTS) != 0 ? PROGRAM_LIGHTS : 0) |
                          (drawing->is_gathered ? PROGRAM_GATHERED : 0) |
                          (drawing->is_gathered && is_lit && draw_has_bumps(loaded, material) ? PROGRAM_BUMPS : 0) |
                          (material->alpha_mode != ALPHA_OPAQUE ? PROGRAM_CUT : 0);
    if (use_program(drawing, kind, posed, err) < 0)
        return err->code;
    draw_put_material(drawing, drawing->used, loaded, material, primitive, is_lit);
    if (layers != 0)
        draw_put_layers(drawing, drawing->used, kind, loaded, material);
    return 0;
}
