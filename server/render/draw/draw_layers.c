/* draw_layers.c - layers of materials as GL state, and the picture that is seen through clear ones. */
#include "render/draw/draw.h"

#include "anim/model/color.h"
#include "anim/model/material_layers.h"

#include <math.h>
#include <string.h>

/* If a model needs more different programs, one with all layers replaces them, because compiling each takes time. */
enum { LAYER_PROGRAMS_MAX = 2 };

static unsigned kind_of(const struct material_layers *layers)
{
    static const unsigned KINDS[LAYER_COUNT] = {[LAYER_CLEARCOAT] = PROGRAM_CLEARCOAT,
                                                [LAYER_SHEEN] = PROGRAM_SHEEN,
                                                [LAYER_IRIDESCENCE] = PROGRAM_IRIDESCENCE,
                                                [LAYER_ANISOTROPY] = PROGRAM_ANISOTROPY,
                                                [LAYER_TRANSMISSION] = PROGRAM_TRANSMISSION};
    unsigned kind = PROGRAM_LAYERS | PROGRAM_CHOSEN | PROGRAM_MIRRORS;
    for (int layer = 0; layer < LAYER_COUNT; layer++)
        kind |= (layers->present & 1U << layer) != 0 ? KINDS[layer] : 0;
    for (int slot = 0; slot < LAYER_SLOT_COUNT; slot++)
        kind |= layers->textures[slot].texture >= 0 ? PROGRAM_LAYER_TEXTURES : 0;
    /* whose vertices have directions along the surface and both sets of texture coordinates */
    return (kind & (PROGRAM_LAYER_TEXTURES | PROGRAM_ANISOTROPY)) != 0 ? kind | PROGRAM_FULL : kind;
}

void draw_layers_start(struct drawing *drawing, const struct model *model)
{
    unsigned kinds[LAYER_PROGRAMS_MAX], all = 0, count = 0;
    for (uint32_t i = 0; i < model->material_layer_count && count <= LAYER_PROGRAMS_MAX; i++) {
        const unsigned kind = kind_of(&model->material_layers[i]);
        unsigned known = 0;
        while (known < count && kinds[known] != kind)
            known++;
        if (known == count && count < LAYER_PROGRAMS_MAX)
            kinds[count] = kind;
        count += known == count;
    }
    for (uint32_t i = 0; i < model->material_layer_count && count > LAYER_PROGRAMS_MAX; i++)
        all |= kind_of(&model->material_layers[i]);
    drawing->layer_kind = all;
}

unsigned draw_layers_kind(const struct drawing *drawing, const struct loaded_model *loaded,
                          const struct material *material)
{
    const struct material_layers *layers = material_layers_of(&loaded->mapped.model, material);
    return layers == NULL ? 0 : drawing->layer_kind != 0 ? drawing->layer_kind : kind_of(layers);
}

bool draw_is_clear(const struct model *model, const struct material *material)
{
    const struct material_layers *layers = material_layers_of(model, material);
    return layers != NULL && (layers->present & 1U << LAYER_TRANSMISSION) != 0 &&
           (material->flags & MATERIAL_UNLIT) == 0;
}

static void put_textures(const struct drawing *drawing, const struct program *program,
                         const struct loaded_model *loaded, const struct material *material,
                         const struct material_layers *layers)
{
    const struct gl *gl = drawing->gl;
    float uvs[LAYER_SLOT_COUNT][6];
    GLint sets[LAYER_SLOT_COUNT];
    for (uint32_t i = 0; i < LAYER_SLOT_COUNT; i++) {
        const GLuint texture = draw_texture(loaded, material, TEXTURE_SLOT_COUNT + i);
        const bool is_color = LAYER_TEXTURES[i].content == TEXTURE_COLORS;
        sets[i] = (GLint)layers->textures[i].texcoord_set;
        memcpy(uvs[i], layers->textures[i].uv_from_texcoord, sizeof uvs[i]);
        gl->ActiveTexture(GL_TEXTURE0 + UNIT_LAYERS + i);
        gl->BindTexture(GL_TEXTURE_2D, texture != 0 ? texture : is_color ? drawing->white : drawing->white_data);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, program->min_filter);
    }
    gl->UniformMatrix3x2fv(program->layer_uvs, LAYER_SLOT_COUNT, GL_TRUE, uvs[0]);
    gl->Uniform1iv(program->layer_sets, LAYER_SLOT_COUNT, sets);
}

/* Returns how many mip levels up a roughness of 1 looks in what is behind, which spreads the light accordingly. The
 * less a surface refracts, the fewer. */
static float blur_levels(const struct drawing *drawing, float ior)
{
    const uint32_t width = drawing->picture->width, height = drawing->picture->height;
    const float refracting = fminf(fmaxf(2 * ior - 2, 0), 1);
    return refracting * log2f((float)(width > height ? width : height));
}

/* Uses the middle colour of a gradient background. */
static void put_beneath(const struct gl *gl, const struct program *program, const struct picture_spec *picture)
{
    float linear[4] = {0};
    for (int c = 0; c < 3; c++) {
        const float alpha = (float)picture->background[3] / 255, white = 1 - alpha;
        const float mean = (float)(picture->background[c] + picture->background_end[c]) / 510;
        linear[c] = linear_from_srgb(white + alpha * mean);
    }
    gl->Uniform4fv(program->beneath, 1, linear);
}

void draw_put_layers(const struct drawing *drawing, const struct program *program, unsigned kind,
                     const struct loaded_model *loaded, const struct material *material)
{
    const struct gl *gl = drawing->gl;
    const struct material_layers *l = material_layers_of(&loaded->mapped.model, material);
    const float edge = (l->ior - 1) / (l->ior + 1), f0 = edge * edge;
    const bool has_bumps = draw_texture(loaded, material, TEXTURE_CLEARCOAT_NORMAL) != 0;
    const bool has_directions = draw_texture(loaded, material, TEXTURE_ANISOTROPY) != 0;
    gl->Uniform4fv(
        program->dielectric, 1,
        (float[4]){f0 * l->specular_color[0], f0 * l->specular_color[1], f0 * l->specular_color[2], l->specular});
    gl->Uniform4fv(program->coat, 1,
                   (float[4]){l->clearcoat, l->clearcoat_roughness, has_bumps ? l->clearcoat_normal_scale : 0, 0});
    gl->Uniform4fv(program->sheen, 1,
                   (float[4]){l->sheen_color[0], l->sheen_color[1], l->sheen_color[2], l->sheen_roughness});
    gl->Uniform4fv(program->film, 1,
                   (float[4]){l->iridescence, l->iridescence_ior, l->iridescence_thickness_min_nm,
                              l->iridescence_thickness_max_nm});
    gl->Uniform4fv(
        program->stretch, 1,
        (float[4]){l->anisotropy, cosf(l->anisotropy_rotation), sinf(l->anisotropy_rotation), has_directions ? 1 : 0});
    gl->Uniform2f(program->clear, l->transmission, blur_levels(drawing, l->ior));
    put_beneath(gl, program, drawing->picture);
    if ((kind & PROGRAM_LAYER_TEXTURES) != 0)
        put_textures(drawing, program, loaded, material, l);
}

static void bind_behind(const struct drawing *drawing)
{
    drawing->gl->ActiveTexture(GL_TEXTURE0 + UNIT_BEHIND);
    drawing->gl->BindTexture(GL_TEXTURE_2D, drawing->behind);
}

void draw_keep_behind(const struct drawing *drawing, uint32_t width, uint32_t height)
{
    const struct gl *gl = drawing->gl;
    bind_behind(drawing);
    gl->CopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 0, 0, (GLsizei)width, (GLsizei)height, 0);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->GenerateMipmap(GL_TEXTURE_2D);
}

void draw_drop_behind(const struct drawing *drawing)
{
    bind_behind(drawing);
    drawing->gl->CopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 0, 0, 1, 1, 0);
}
