/* draw_vertices.c - the sources of a draw's vertices: palettes, morphed and skinned vertices. */
#include "render/draw/draw.h"

#include "anim/pose/skin.h"

#include <stdlib.h>

/* Uploads three texels a joint: the rows of view_from_bind. */
int draw_upload_palette(const struct drawing *drawing, const struct posed_model *posed, struct err *err)
{
    const struct gl *gl = drawing->gl;
    const size_t size_bytes = (size_t)posed->joint_count * 12 * sizeof(float);
    float *rows = malloc(size_bytes);
    if (rows == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %u joints", posed->joint_count);
    for (uint32_t j = 0; j < posed->joint_count; j++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++)
                rows[12 * (size_t)j + (size_t)(4 * r + c)] = posed->palette[j].m[4 * c + r];
    gl->BindBuffer(GL_TEXTURE_BUFFER, drawing->palette);
    gl->BufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)size_bytes, rows, GL_STREAM_DRAW);
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_PALETTE);
    gl->BindTexture(GL_TEXTURE_BUFFER, drawing->palette_texture);
    gl->TexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, drawing->palette);
    free(rows);
    return 0;
}

void draw_fill(const struct gl *gl, GLuint buffer, const void *items, size_t size_bytes)
{
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size_bytes, items, GL_STREAM_DRAW);
}

/* Fills the own buffers with a morphed primitive. */
static int upload_morphed(const struct drawing *drawing, const struct model *model, const struct posed_model *posed,
                          const struct posed_draw *draw, struct err *err)
{
    const struct draw *source = &model->draws[draw->draw];
    const struct node *node = &model->nodes[source->node];
    const size_t size_bytes = model->primitives[source->primitive].vertex_count * sizeof(struct vec3);
    struct vec3 *normals = malloc(size_bytes + 1);
    if (normals == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a morphed mesh");
    skin_morph_normals(model, source->primitive, posed->pose.weights + node->weight_first, node->weight_count, normals);
    draw_fill(drawing->gl, drawing->own.positions, posed->morphed + draw->morph_first, size_bytes);
    draw_fill(drawing->gl, drawing->own.normals, normals, size_bytes);
    free(normals);
    return 0;
}

/* Fills the own buffers with a skinned primitive in view space. */
static int upload_skinned(const struct drawing *drawing, const struct model *model, const struct posed_model *posed,
                          const struct posed_draw *draw, struct err *err)
{
    const struct draw *source = &model->draws[draw->draw];
    const struct primitive *primitive = &model->primitives[source->primitive];
    const struct skin_palette palette = posed_model_palette(posed, model, source->skin);
    const size_t count = primitive->vertex_count;
    struct vec4 *out = malloc(count * sizeof *out + 1); /* reused for each attribute */
    if (out == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a skinned mesh");
    skin_draw(model, draw->draw, &posed->pose, &palette, false, (struct vec3 *)(void *)out);
    draw_fill(drawing->gl, drawing->own.positions, out, count * sizeof(struct vec3));
    skin_draw(model, draw->draw, &posed->pose, &palette, true, (struct vec3 *)(void *)out);
    draw_fill(drawing->gl, drawing->own.normals, out, count * sizeof(struct vec3));
    if ((primitive->flags & PRIMITIVE_TANGENTS) != 0) {
        skin_tangents(model, source->primitive, &palette, out);
        draw_fill(drawing->gl, drawing->own_tangents, out, count * sizeof(struct vec4));
    }
    free(out);
    return 0;
}

int draw_bind_vertices(const struct drawing *drawing, const struct loaded_model *loaded,
                       const struct posed_model *posed, const struct posed_draw *draw, struct err *err)
{
    const struct model *model = &loaded->mapped.model;
    const struct draw *source = &model->draws[draw->draw];
    const bool is_morphed = draw->morph_first != NOT_MORPHED, is_skinned = skin_has_parts(model, source->skin);
    struct vertex_arrays own = drawing->own;
    if (is_skinned) {
        own.is_skinned = true;
        own.tangents = drawing->own_tangents;
        if (upload_skinned(drawing, model, posed, draw, err) < 0)
            return err->code;
    } else if (is_morphed && upload_morphed(drawing, model, posed, draw, err) < 0) {
        return err->code;
    }
    gpu_model_bind_primitive(&loaded->gpu, drawing->gl, &model->primitives[source->primitive],
                             is_skinned || is_morphed ? &own : NULL);
    return 0;
}

GLint draw_joint_first(const struct model *model, const struct posed_model *posed, const struct posed_draw *draw)
{
    const uint32_t skin = model->draws[draw->draw].skin;
    return (GLint)(skin_has_parts(model, skin) ? posed->joint_count - 1 : model->skins[skin].joint_first);
}

GLint draw_scene_joint(const struct posed_model *posed) { return (GLint)posed->joint_count - 2; }
