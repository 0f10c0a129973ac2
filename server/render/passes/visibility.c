#include "render/passes/visibility.h"

#include <stdio.h>
#include <stdlib.h>

/* Blended materials with at least this alpha hide what is behind them. */
static const float HALF = 0.5f;
/* Larger targets are not kept. */
static const uint64_t KEPT_PIXELS_MAX = 2048 * 2048;

/* --- the target --- */

static void drop_target(struct visibility *visibility, const struct gl *gl)
{
    if (visibility->width == 0)
        return;
    gl->DeleteFramebuffers(1, &visibility->framebuffer);
    gl->DeleteRenderbuffers(1, &visibility->color);
    gl->DeleteRenderbuffers(1, &visibility->depth);
    visibility->width = visibility->height = 0;
}

static GLuint add_buffer(const struct gl *gl, GLenum format, GLenum attachment, uint32_t width, uint32_t height)
{
    GLuint buffer = 0;
    gl->GenRenderbuffers(1, &buffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl->RenderbufferStorage(GL_RENDERBUFFER, format, (GLsizei)width, (GLsizei)height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
    return buffer;
}

static int make_target(struct visibility *visibility, const struct gl *gl, uint32_t width, uint32_t height,
                       struct err *err)
{
    drop_target(visibility, gl);
    visibility->width = width;
    visibility->height = height;
    gl->GenFramebuffers(1, &visibility->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, visibility->framebuffer);
    visibility->color = add_buffer(gl, GL_RG32UI, GL_COLOR_ATTACHMENT0, width, height);
    visibility->depth = add_buffer(gl, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, width, height);
    const GLenum status = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    int rc = gl_check(gl, "the passes", err);
    if (rc == 0 && status != GL_FRAMEBUFFER_COMPLETE)
        rc = err_set(err, ERR_NO_MEMORY, "the renderer cannot make a target of %u x %u numbers (status 0x%04x)", width,
                     height, status);
    if (rc < 0)
        drop_target(visibility, gl);
    return rc;
}

static int bind_target(struct visibility *visibility, const struct gl *gl, uint32_t width, uint32_t height,
                       struct err *err)
{
    static const GLuint NOTHING[4];
    if ((visibility->width != width || visibility->height != height) &&
        make_target(visibility, gl, width, height, err) < 0)
        return err->code;
    gl->BindFramebuffer(GL_FRAMEBUFFER, visibility->framebuffer);
    gl->Viewport(0, 0, (GLsizei)width, (GLsizei)height);
    gl->DepthMask(GL_TRUE);
    gl->ClearBufferuiv(GL_COLOR, 0, NOTHING);
    gl->Clear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    return 0;
}

void visibility_trim(struct visibility *visibility, const struct gl *gl)
{
    if ((uint64_t)visibility->width * visibility->height > KEPT_PIXELS_MAX)
        drop_target(visibility, gl);
}

/* --- drawing --- */

static int init_program(struct visibility_program *program, const struct gl *gl, unsigned kind, struct err *err)
{
    char defines[128];
    snprintf(defines, sizeof defines, "#define VIEW\n#define VISIBILITY\n%s%s%s",
             (kind & VISIBILITY_CUT) != 0 ? "#define CUT\n#define FILTERS\n" : "",
             (kind & VISIBILITY_FULL) != 0 ? "#define FULL\n" : "",
             (kind & VISIBILITY_POINTS) != 0 ? "#define POINTS\n" : "");
    const struct shader_sources sources = {
        .vertex = SHADER_SKIN_VERT, .fragment = SHADER_VISIBILITY_FRAG, .define = defines};
    if (program_link(&program->base, gl, &sources, (kind & VISIBILITY_FULL) != 0, err) < 0)
        return err->code;
    program->number = gl->GetUniformLocation(program->base.name, "number");
    return 0;
}

/* One picture. */
struct visibility_pass {
    struct visibility *visibility;
    const struct drawing *drawing;
    const struct gl *gl;
    const struct loaded_model *loaded;
    const struct posed_model *posed;
    const struct visibility_program *program; /* in use, or NULL */
};

static int use_program(struct visibility_pass *pass, unsigned kind, struct err *err)
{
    struct visibility_program *program = &pass->visibility->programs[kind];
    if (program->base.name == 0 && init_program(program, pass->gl, kind, err) < 0)
        return err->code;
    if (pass->program == program)
        return 0;
    pass->program = program;
    pass->gl->UseProgram(program->base.name);
    draw_set_camera(pass->gl, &program->base, pass->posed);
    return 0;
}

/* Alpha is what it is in pictures: that of the material, the vertices and the texture. */
static int set_material(struct visibility_pass *pass, const struct material *material,
                        const struct primitive *primitive, uint32_t number, struct err *err)
{
    const struct gl *gl = pass->gl;
    const bool is_cut = material->alpha_mode != ALPHA_OPAQUE;
    const unsigned kind = (is_cut ? VISIBILITY_CUT : 0) |
                          (is_cut && draw_needs_full(pass->loaded, material, false) ? VISIBILITY_FULL : 0) |
                          (primitive->topology == TOPOLOGY_POINTS ? VISIBILITY_POINTS : 0);
    if (use_program(pass, kind, err) < 0)
        return err->code;
    gl->Uniform1ui(pass->program->number, number);
    if (!is_cut)
        return 0;
    draw_put_material(pass->drawing, &pass->program->base, pass->loaded, material, primitive, false);
    gl->Uniform2f(pass->program->base.alpha_range, material->alpha_mode == ALPHA_MASK ? material->alpha_cutoff : HALF,
                  DRAW_ALPHA_END);
    return 0;
}

static int draw_one(struct visibility_pass *pass, uint32_t d, struct err *err)
{
    const struct posed_draw *draw = &pass->posed->draws[d];
    const struct model *model = &pass->loaded->mapped.model;
    const struct primitive *primitive = &model->primitives[model->draws[draw->draw].primitive];
    if (set_material(pass, draw->material, primitive, d + 1, err) < 0 ||
        draw_bind_vertices(pass->drawing, pass->loaded, pass->posed, draw, err) < 0)
        return err->code;
    draw_set_culling(pass->gl, model, draw->material, draw);
    pass->gl->Uniform1i(pass->program->base.joint_first, draw_joint_first(model, pass->posed, draw));
    draw_indexed(pass->gl, primitive);
    return 0;
}

static int draw_bones(struct visibility_pass *pass, struct err *err)
{
    static const struct primitive SOLID = {.topology = TOPOLOGY_TRIANGLES};
    if (set_material(pass, &MATERIAL_PLAIN, &SOLID, 1, err) < 0)
        return err->code;
    draw_fill(pass->gl, pass->drawing->own.colors, pass->posed->skeleton.colors,
              pass->posed->skeleton.vertex_count * sizeof *pass->posed->skeleton.colors);
    draw_skeleton_mesh(pass->drawing, &pass->program->base, pass->posed);
    return 0;
}

static int draw_all(struct visibility_pass *pass, struct err *err)
{
    if (pass->posed->draw_count == 0)
        return draw_bones(pass, err);
    pass->gl->ActiveTexture(GL_TEXTURE0 + UNIT_INFLUENCES);
    pass->gl->BindTexture(GL_TEXTURE_BUFFER, pass->loaded->gpu.influences_texture);
    for (uint32_t d = 0; d < pass->posed->draw_count; d++)
        if (draw_one(pass, d, err) < 0)
            return err->code;
    return 0;
}

/* A lit picture may have sorted them by distance, which would decide between surfaces at one place. */
static int by_draw(const void *a, const void *b)
{
    const struct posed_draw *x = a, *y = b;
    return x->draw < y->draw ? -1 : x->draw > y->draw;
}

/* OpenGL's first row is the lowest. */
static void turn_over(struct visible *rows, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height / 2; y++) {
        struct visible *one = rows + (size_t)y * width, *other = rows + (size_t)(height - 1 - y) * width;
        for (uint32_t x = 0; x < width; x++) {
            const struct visible kept = one[x];
            one[x] = other[x];
            other[x] = kept;
        }
    }
}

int visibility_draw(struct visibility *visibility, struct drawing *drawing, const struct loaded_model *loaded,
                    struct posed_model *posed, uint32_t width, uint32_t height, struct visible *out, struct err *err)
{
    const struct gl *gl = drawing->gl;
    struct visibility_pass pass = {
        .visibility = visibility, .drawing = drawing, .gl = gl, .loaded = loaded, .posed = posed};
    const uint32_t side = width < height ? width : height;
    if (bind_target(visibility, gl, width, height, err) < 0 || draw_upload_palette(drawing, posed, err) < 0)
        return err->code;
    qsort(posed->draws, posed->draw_count, sizeof *posed->draws, by_draw);
    gl->LineWidth(1);
    gl->PointSize(draw_point_pixels(&loaded->mapped.model, posed, (float)side));
    if (draw_all(&pass, err) < 0 || gl_check(gl, "drawing the passes", err) < 0)
        return err->code;
    gl->ReadPixels(0, 0, (GLsizei)width, (GLsizei)height, GL_RG_INTEGER, GL_UNSIGNED_INT, out);
    if (gl_check(gl, "reading the passes", err) < 0)
        return err->code;
    turn_over(out, width, height);
    return 0;
}
