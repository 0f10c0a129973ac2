/* gpu_model.c - uploads a model and binds its arrays. */
#include "render/draw/gpu_model.h"

#include "render/draw/mask_levels.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

static GLuint make_buffer(const struct gl *gl, GLenum target, const void *items, uint64_t count, size_t item_bytes,
                          struct gpu_model *gpu)
{
    GLuint buffer = 0;
    if (count == 0)
        return 0;
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(target, buffer);
    gl->BufferData(target, (GLsizeiptr)(count * item_bytes), items, GL_STATIC_DRAW);
    gpu->size_bytes += count * item_bytes;
    return buffer;
}

static void make_vertices(struct gpu_model *gpu, const struct gl *gl, const struct model *model)
{
    /* the index buffer binding belongs to the bound vertex array object, the renderer's only one */
    gpu->indices = make_buffer(gl, GL_ELEMENT_ARRAY_BUFFER, model->indices, model->index_count, 4, gpu);
    const struct {
        const void *items;
        uint64_t count;
        size_t item_bytes;
    } arrays[ATTRIBUTE_COUNT] = {
        [ATTRIBUTE_POSITION] = {model->positions, model->position_count, sizeof *model->positions},
        [ATTRIBUTE_NORMAL] = {model->normals, model->normal_count, sizeof *model->normals},
        [ATTRIBUTE_TEXCOORD] = {model->texcoords, model->texcoord_count, sizeof *model->texcoords},
        [ATTRIBUTE_COLOR] = {model->colors, model->color_count, sizeof *model->colors},
        [ATTRIBUTE_SECOND_TEXCOORD] = {model->second_texcoords, model->second_texcoord_count,
                                       sizeof *model->second_texcoords},
        [ATTRIBUTE_TANGENT] = {model->tangents, model->tangent_count, sizeof *model->tangents},
        [ATTRIBUTE_INFLUENCE_RANGE] = {model->influence_firsts, model->influence_first_count,
                                       sizeof *model->influence_firsts},
    };
    for (int a = 0; a < ATTRIBUTE_COUNT; a++)
        gpu->buffers[a] = make_buffer(gl, GL_ARRAY_BUFFER, arrays[a].items, arrays[a].count, arrays[a].item_bytes, gpu);
}

static int make_influences(struct gpu_model *gpu, const struct gl *gl, const struct model *model, struct err *err)
{
    static const struct influence NONE = {0, 0};
    GLint texels_max = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &texels_max);
    if (model->influence_count > (uint32_t)texels_max)
        return err_set(err, ERR_MODEL_LIMIT, "the model has %u influences, the renderer takes %d",
                       model->influence_count, texels_max);
    const bool has_any = model->influence_count > 0;
    gpu->influences = make_buffer(gl, GL_TEXTURE_BUFFER, has_any ? model->influences : &NONE,
                                  has_any ? model->influence_count : 1, sizeof NONE, gpu);
    gl->GenTextures(1, &gpu->influences_texture);
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_INFLUENCES);
    gl->BindTexture(GL_TEXTURE_BUFFER, gpu->influences_texture);
    gl->TexBuffer(GL_TEXTURE_BUFFER, GL_RG32UI, gpu->influences);
    return 0;
}

GLuint gpu_model_make_texture(const struct gl *gl, const struct texture *texture, const uint8_t *levels)
{
    static const GLint wraps[] = {
        [TEXTURE_WRAP_REPEAT] = GL_REPEAT,
        [TEXTURE_WRAP_CLAMP] = GL_CLAMP_TO_EDGE,
        [TEXTURE_WRAP_MIRROR] = GL_MIRRORED_REPEAT,
    };
    GLuint name = 0;
    gl->GenTextures(1, &name);
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_BASE_COLOR);
    gl->BindTexture(GL_TEXTURE_2D, name);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wraps[texture->wrap_s]);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wraps[texture->wrap_t]);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)texture->level_count - 1);
    uint32_t width = texture->width, height = texture->height;
    for (uint32_t level = 0; level < texture->level_count; level++) {
        gl->TexImage2D(GL_TEXTURE_2D, (GLint)level, texture->content == TEXTURE_DATA ? GL_RGBA8 : GL_SRGB8_ALPHA8,
                       (GLsizei)width, (GLsizei)height, 0, GL_RGBA, GL_UNSIGNED_BYTE, levels);
        levels += (size_t)width * height * 4;
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
    }
    return name;
}

static void make_textures(struct gpu_model *gpu, const struct gl *gl, const struct model *model)
{
    gpu->texture_count = model->texture_count;
    gpu->textures = mem_zalloc((size_t)model->texture_count + 1, sizeof *gpu->textures);
    for (uint32_t t = 0; t < model->texture_count; t++) {
        const struct texture *texture = &model->textures[t];
        if (texture->state != TEXTURE_FOUND)
            continue;
        uint8_t *masked = mask_levels_make(model, t);
        gpu->textures[t] =
            gpu_model_make_texture(gl, texture, masked != NULL ? masked : model->pixels + texture->pixel_first);
        free(masked);
        gpu->size_bytes += (uint64_t)texture->width * texture->height * 4 * 4 / 3;
    }
}

int gpu_model_init(struct gpu_model *gpu, const struct gl *gl, const struct model *model, struct err *err)
{
    *gpu = (struct gpu_model){0};
    make_vertices(gpu, gl, model);
    int rc = make_influences(gpu, gl, model, err);
    if (rc == 0) {
        make_textures(gpu, gl, model);
        rc = gl_check(gl, "the model's buffers and textures", err);
    }
    if (rc < 0)
        gpu_model_fini(gpu, gl);
    return rc;
}

void gpu_model_fini(struct gpu_model *gpu, const struct gl *gl)
{
    gl->DeleteBuffers(ATTRIBUTE_COUNT, gpu->buffers);
    gl->DeleteBuffers(1, &gpu->indices);
    gl->DeleteBuffers(1, &gpu->influences);
    gl->DeleteTextures(1, &gpu->influences_texture);
    if (gpu->textures != NULL)
        gl->DeleteTextures((GLsizei)gpu->texture_count, gpu->textures);
    free(gpu->textures);
    *gpu = (struct gpu_model){0};
}

static const void *offset_of(uint64_t items, size_t item_bytes)
{
    return (const void *)(uintptr_t)(items * item_bytes);
}

static void bind_as(const struct gl *gl, GLuint index, GLuint buffer, GLint components, GLenum type, const void *offset)
{
    if (buffer == 0) {
        gl->DisableVertexAttribArray(index);
        if (index == ATTRIBUTE_COLOR)
            gl->VertexAttrib4f(index, 1, 1, 1, 1);
        return;
    }
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->EnableVertexAttribArray(index);
    gl->VertexAttribPointer(index, components, type, type != GL_FLOAT, 0, offset);
}

static void bind(const struct gl *gl, GLuint index, GLuint buffer, GLint components, const void *offset)
{
    bind_as(gl, index, buffer, components, GL_FLOAT, offset);
}

static void bind_no_influences(const struct gl *gl)
{
    gl->DisableVertexAttribArray(ATTRIBUTE_INFLUENCE_RANGE);
    gl->VertexAttribI4ui(ATTRIBUTE_INFLUENCE_RANGE, 0, 0, 0, 0);
}

/* The first and the end of vertex v are items v and v + 1 of one array, so there are two components with a stride of
 * one. */
static void bind_influences(const struct gpu_model *gpu, const struct gl *gl, uint64_t first)
{
    gl->BindBuffer(GL_ARRAY_BUFFER, gpu->buffers[ATTRIBUTE_INFLUENCE_RANGE]);
    gl->EnableVertexAttribArray(ATTRIBUTE_INFLUENCE_RANGE);
    gl->VertexAttribIPointer(ATTRIBUTE_INFLUENCE_RANGE, 2, GL_UNSIGNED_INT, sizeof(uint32_t),
                             offset_of(first, sizeof(uint32_t)));
}

void gpu_model_bind_primitive(const struct gpu_model *gpu, const struct gl *gl, const struct primitive *primitive,
                              const struct vertex_arrays *own)
{
    const uint64_t first = primitive->vertex_first;
    const void *points = own != NULL ? NULL : offset_of(first, sizeof(struct vec3));
    bind(gl, ATTRIBUTE_POSITION, own != NULL ? own->positions : gpu->buffers[ATTRIBUTE_POSITION], 3, points);
    bind(gl, ATTRIBUTE_NORMAL, own != NULL ? own->normals : gpu->buffers[ATTRIBUTE_NORMAL], 3, points);
    const bool has_texcoords = (primitive->flags & PRIMITIVE_TEXCOORDS) != 0;
    const bool has_colors = (primitive->flags & PRIMITIVE_COLORS) != 0;
    bind(gl, ATTRIBUTE_TEXCOORD, has_texcoords ? gpu->buffers[ATTRIBUTE_TEXCOORD] : 0, 2,
         offset_of(first, sizeof(struct vec2)));
    const bool has_second = (primitive->flags & PRIMITIVE_SECOND_TEXCOORDS) != 0;
    const bool has_tangents = (primitive->flags & PRIMITIVE_TANGENTS) != 0;
    bind(gl, ATTRIBUTE_SECOND_TEXCOORD, has_second ? gpu->buffers[ATTRIBUTE_SECOND_TEXCOORD] : 0, 2,
         offset_of(first, sizeof(struct vec2)));
    const GLuint own_tangents = has_tangents && own != NULL ? own->tangents : 0;
    const GLuint file_tangents = has_tangents ? gpu->buffers[ATTRIBUTE_TANGENT] : 0;
    bind(gl, ATTRIBUTE_TANGENT, own_tangents != 0 ? own_tangents : file_tangents, 4,
         own_tangents != 0 ? NULL : offset_of(first, sizeof(struct vec4)));
    bind_as(gl, ATTRIBUTE_COLOR, has_colors ? gpu->buffers[ATTRIBUTE_COLOR] : 0, 4, GL_UNSIGNED_SHORT,
            offset_of(first, sizeof(struct rgba16)));
    if (own != NULL && own->is_skinned)
        bind_no_influences(gl);
    else
        bind_influences(gpu, gl, first);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->indices);
}

void gpu_model_bind_colors(const struct gl *gl, GLuint buffer)
{
    bind_as(gl, ATTRIBUTE_COLOR, buffer, 4, GL_UNSIGNED_BYTE, NULL);
}

void gpu_model_bind_arrays(const struct gl *gl, const struct vertex_arrays *arrays)
{
    bind(gl, ATTRIBUTE_POSITION, arrays->positions, 3, NULL);
    bind(gl, ATTRIBUTE_NORMAL, arrays->normals, 3, NULL);
    bind(gl, ATTRIBUTE_TEXCOORD, 0, 2, NULL);
    bind(gl, ATTRIBUTE_SECOND_TEXCOORD, 0, 2, NULL);
    bind(gl, ATTRIBUTE_TANGENT, 0, 4, NULL);
    gpu_model_bind_colors(gl, arrays->colors);
    bind_no_influences(gl);
}
