/* draw.c - draws the passes of a lit picture. */
#include "render/draw/draw_gathered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From this alpha on, blended surfaces count as opaque and hide each other by depth. Otherwise a whole figure marked as
 * blended would be transparent. */
static const float SOLID_ALPHA = 0.995f;
/* Fewer triangles hardly hide each other. */
enum { SORTED_MIN = 64 };

int drawing_init(struct drawing *drawing, const struct gl *gl, struct err *err)
{
    *drawing = (struct drawing){.gl = gl};
    gl->GenVertexArrays(1, &drawing->vertex_array);
    gl->BindVertexArray(drawing->vertex_array);
    draw_make_textures(drawing);
    gl->GenBuffers(1, &drawing->palette);
    gl->GenTextures(1, &drawing->palette_texture);
    gl->GenBuffers(1, &drawing->own_indices);
    gl->GenTextures(1, &drawing->behind);
    gl->GenBuffers(1, &drawing->own.positions);
    gl->GenBuffers(1, &drawing->own.normals);
    gl->GenBuffers(1, &drawing->own.colors);
    gl->GenBuffers(1, &drawing->own_tangents);
    gl->EnableVertexAttribArray(ATTRIBUTE_POSITION);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA); /* premultiplied "over" */
    gl->CullFace(GL_BACK);
    return gl_check(gl, "the renderer's own buffers", err);
}

void draw_indexed(const struct gl *gl, const struct primitive *primitive)
{
    static const GLenum modes[] = {
        [TOPOLOGY_TRIANGLES] = GL_TRIANGLES, [TOPOLOGY_LINES] = GL_LINES, [TOPOLOGY_POINTS] = GL_POINTS};
    gl->DrawElements(modes[primitive->topology], (GLsizei)primitive->index_count, GL_UNSIGNED_INT,
                     (const void *)((uintptr_t)primitive->index_first * sizeof(uint32_t)));
}

void draw_skeleton_mesh(const struct drawing *drawing, const struct program *program, const struct posed_model *posed)
{
    const struct gl *gl = drawing->gl;
    const struct skeleton_mesh *skeleton = &posed->skeleton;
    draw_fill(gl, drawing->own.positions, skeleton->positions, skeleton->vertex_count * sizeof *skeleton->positions);
    draw_fill(gl, drawing->own.normals, skeleton->normals, skeleton->vertex_count * sizeof *skeleton->normals);
    gpu_model_bind_arrays(gl, &drawing->own);
    gl->Disable(GL_CULL_FACE);
    gl->Uniform1i(program->joint_first, draw_scene_joint(posed));
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)skeleton->vertex_count);
}

/* glTF defines the back of a triangle (2.0, 3.9.2 doubleSided). The winding of other formats is unreliable. */
bool draw_has_culling(const struct model *model, const struct material *material, const struct posed_draw *draw)
{
    const struct str format = model->infos[0].format;
    const bool is_gltf =
        format.size_bytes >= 3 && format.offset != STR_NONE &&
        (strncmp(model->text + format.offset, "glT", 3) == 0 || strncmp(model->text + format.offset, "GLB", 3) == 0);
    return is_gltf && !draw->is_mixed && (material->flags & MATERIAL_DOUBLE_SIDED) == 0;
}

void draw_set_culling(const struct gl *gl, const struct model *model, const struct material *material,
                      const struct posed_draw *draw)
{
    if (!draw_has_culling(model, material, draw)) {
        gl->Disable(GL_CULL_FACE);
        return;
    }
    gl->Enable(GL_CULL_FACE);
    gl->FrontFace(draw->is_mirrored ? GL_CW : GL_CCW);
}

static void set_alpha(const struct drawing *drawing, const struct material *material, bool is_soft)
{
    const struct gl *gl = drawing->gl;
    float low = DRAW_ALPHA_ANY, high = DRAW_ALPHA_END;
    if (material->alpha_mode == ALPHA_MASK) {
        low = material->alpha_cutoff;
        high = drawing->scale > 1 ? DRAW_ALPHA_SMOOTH : high;
    } else if (material->alpha_mode == ALPHA_BLEND)
        *(is_soft ? &high : &low) = SOLID_ALPHA;
    gl->Uniform2f(drawing->used->alpha_range, low, high);
    gl->Uniform1i(drawing->used->is_blended, is_soft);
}

/* Draws triangles in another order than the file's. Blended surfaces go from far to near, because they may overlap
 * themselves; others from near to far, so that hidden parts are not shaded. */
static int draw_sorted(struct drawing *drawing, const struct model *model, const struct posed_model *posed,
                       const struct posed_draw *draw, bool is_soft, struct err *err)
{
    const struct gl *gl = drawing->gl;
    const struct draw *source = &model->draws[draw->draw];
    const struct vec3 *bind = posed_model_bind(posed, model, draw);
    const struct skin_palette palette = posed_model_palette(posed, model, source->skin);
    if (depth_order_sort(&drawing->order, model, source->primitive, &palette, bind, is_soft, err) < 0)
        return err->code;
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, drawing->own_indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(drawing->order.index_count * sizeof(uint32_t)),
                   drawing->order.indices, GL_STREAM_DRAW);
    gl->DrawElements(GL_TRIANGLES, (GLsizei)drawing->order.index_count, GL_UNSIGNED_INT, NULL);
    return 0;
}

static bool is_worth_sorting(const struct primitive *primitive)
{
    const uint32_t triangles = primitive->index_count / 3;
    return primitive->topology == TOPOLOGY_TRIANGLES && triangles >= SORTED_MIN && triangles <= DEPTH_ORDER_MAX;
}

static bool is_lit_surface(const struct material *material, const struct primitive *primitive)
{
    /* lines and points have no surface that can be lit */
    return primitive->topology == TOPOLOGY_TRIANGLES && (material->flags & MATERIAL_UNLIT) == 0;
}

/* True when the occlusion must know which surfaces are lit. */
static bool needs_marks(const struct picture_spec *picture, const struct model *model, const struct posed_model *posed)
{
    bool is_lit = true;
    for (uint32_t d = 0; d < posed->draw_count; d++)
        is_lit = is_lit && is_lit_surface(posed->draws[d].material,
                                          &model->primitives[model->draws[posed->draws[d].draw].primitive]);
    return (picture->flags & PICTURE_OCCLUSION) != 0 && !is_lit;
}

void draw_mark_surfaces(const struct drawing *drawing)
{
    const struct gl *gl = drawing->gl;
    if (!drawing->has_marks) {
        gl->Disable(GL_STENCIL_TEST);
        return;
    }
    gl->Enable(GL_STENCIL_TEST);
    gl->StencilFunc(GL_ALWAYS, DRAW_MARK_LIT, 0xff);
    gl->StencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
}

/* The passes in order: solid materials, clear ones, and the translucent parts of blended ones. */
enum draw_pass { PASS_SOLID, PASS_CLEAR, PASS_SOFT };

static int draw_one(struct drawing *drawing, const struct loaded_model *loaded, const struct posed_model *posed,
                    const struct posed_draw *draw, enum draw_pass pass, struct err *err)
{
    const bool is_soft = pass == PASS_SOFT;
    const struct gl *gl = drawing->gl;
    const struct model *model = &loaded->mapped.model;
    const struct draw *source = &model->draws[draw->draw];
    const struct primitive *primitive = &model->primitives[source->primitive];
    const struct material *material = draw->material;
    if (is_soft ? material->alpha_mode != ALPHA_BLEND : draw_is_clear(model, material) != (pass == PASS_CLEAR))
        return 0;
    if (draw_bind_vertices(drawing, loaded, posed, draw, err) < 0)
        return err->code;
    draw_set_culling(gl, model, material, draw);
    const bool is_surface = primitive->topology == TOPOLOGY_TRIANGLES, is_lit = is_lit_surface(material, primitive);
    if (draw_set_material(drawing, loaded, posed, material, primitive, is_lit, err) < 0)
        return err->code;
    set_alpha(drawing, material, is_soft);
    if (drawing->has_marks)
        gl->StencilFunc(GL_ALWAYS, is_lit ? DRAW_MARK_LIT : DRAW_MARK_UNLIT, 0xff);
    gl->Uniform1i(drawing->used->joint_first, draw_joint_first(model, posed, draw));
    if (is_soft ? is_surface : is_worth_sorting(primitive))
        return draw_sorted(drawing, model, posed, draw, is_soft, err);
    draw_indexed(gl, primitive);
    return 0;
}

static int draw_bones(struct drawing *drawing, const struct loaded_model *loaded, const struct posed_model *posed,
                      struct err *err)
{
    static const struct primitive SURFACE = {.topology = TOPOLOGY_TRIANGLES};
    const struct skeleton_mesh *skeleton = &posed->skeleton;
    if (draw_set_material(drawing, loaded, posed, &MATERIAL_PLAIN, &SURFACE, true, err) < 0)
        return err->code;
    set_alpha(drawing, &MATERIAL_PLAIN, false);
    draw_fill(drawing->gl, drawing->own.colors, skeleton->colors, skeleton->vertex_count * sizeof *skeleton->colors);
    draw_skeleton_mesh(drawing, drawing->used, posed);
    return 0;
}

static int far_first(const void *a, const void *b)
{
    const struct posed_draw *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance > y->distance ? -1 : 1;
    return x->draw < y->draw ? -1 : x->draw > y->draw;
}

static int draw_pass(struct drawing *drawing, const struct loaded_model *loaded, const struct posed_model *posed,
                     enum draw_pass pass, struct err *err)
{
    for (uint32_t d = 0; d < posed->draw_count; d++)
        if (!(pass == PASS_SOLID && posed->draws[d].is_gathered) &&
            draw_one(drawing, loaded, posed, &posed->draws[d], pass, err) < 0)
            return err->code;
    return 0;
}

static bool has_blended(const struct model *model)
{
    for (uint32_t m = 0; m < model->material_count; m++)
        if (model->materials[m].alpha_mode == ALPHA_BLEND)
            return true;
    return false;
}

static int draw_blended(struct drawing *drawing, const struct loaded_model *loaded, struct posed_model *posed,
                        struct err *err)
{
    const struct gl *gl = drawing->gl;
    qsort(posed->draws, posed->draw_count, sizeof *posed->draws, far_first);
    gl->Enable(GL_BLEND);
    gl->DepthMask(GL_FALSE);
    const int rc = draw_pass(drawing, loaded, posed, PASS_SOFT, err);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    return rc;
}

static bool has_clear(const struct model *model)
{
    for (uint32_t m = 0; m < model->material_count; m++)
        if (draw_is_clear(model, &model->materials[m]))
            return true;
    return false;
}

/* samples: the width and height of the render target. */
static int draw_model(struct drawing *drawing, const struct loaded_model *loaded, struct posed_model *posed,
                      const uint32_t samples[2], struct err *err)
{
    const bool is_clear = has_clear(&loaded->mapped.model);
    const struct gl *gl = drawing->gl;
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_INFLUENCES);
    gl->BindTexture(GL_TEXTURE_BUFFER, loaded->gpu.influences_texture);
    draw_layers_start(drawing, &loaded->mapped.model);
    if (draw_gathered(drawing, loaded, posed, err) < 0 || draw_pass(drawing, loaded, posed, PASS_SOLID, err) < 0)
        return err->code;
    if (is_clear) {
        draw_keep_behind(drawing, samples[0], samples[1]);
        if (draw_pass(drawing, loaded, posed, PASS_CLEAR, err) < 0)
            return err->code;
    }
    const int rc = has_blended(&loaded->mapped.model) ? draw_blended(drawing, loaded, posed, err) : 0;
    if (is_clear)
        draw_drop_behind(drawing);
    return rc;
}

float draw_depth_range(const struct posed_model *posed, float range[2])
{
    const double *m = posed->camera.clip_from_view.m;
    int exponent = 0;
    for (int end = 0; end < 2; end++) {
        const double depth = end == 0 ? -1 : 1; /* = (m[10] z + m[14]) / (m[11] z + m[15]) */
        range[end] = (float)-((depth * m[15] - m[14]) / (m[10] - depth * m[11]));
    }
    const float larger = fmaxf(fabsf(range[0]), fabsf(range[1]));
    if (isfinite(larger))
        frexpf(larger, &exponent);
    return ldexpf(1, exponent < 126 ? -exponent : -126);
}

void draw_set_camera(const struct gl *gl, const struct program *program, const struct posed_model *posed)
{
    const struct mat4 clip_from_view = mat4_from_dmat4(&posed->camera.clip_from_view);
    const bool is_flat = clip_from_view.m[11] == 0; /* w does not depend on the distance: orthographic */
    const float eye[4] = {0, 0, is_flat, !is_flat};
    float range[2];
    gl->UniformMatrix4fv(program->clip_from_view, 1, GL_FALSE, clip_from_view.m);
    gl->Uniform4fv(program->eye, 1, eye);
    gl->Uniform1f(program->unit, draw_depth_range(posed, range));
}

/* The discs nearly touch when the points are spread over the picture. Few points are drawn at most as large as a bead,
 * and many at least large enough to see. */
float draw_point_pixels(const struct model *model, const struct posed_model *posed, float side)
{
    double count = 0;
    for (uint32_t d = 0; d < posed->draw_count; d++) {
        const struct primitive *primitive = &model->primitives[model->draws[posed->draws[d].draw].primitive];
        count += primitive->topology == TOPOLOGY_POINTS ? primitive->index_count : 0;
    }
    const float even = count > 0 ? side / (float)sqrt(count) : 0;
    return fmaxf(fminf(even, side / 24), fmaxf(side / 128, 3));
}

int draw_posed_model(struct drawing *drawing, const struct loaded_model *loaded, struct posed_model *posed,
                     const struct picture_spec *picture, uint32_t scale, struct err *err)
{
    const struct gl *gl = drawing->gl;
    const uint32_t side = picture->width < picture->height ? picture->width : picture->height;
    if (draw_upload_palette(drawing, posed, err) < 0)
        return err->code;
    drawing->used = NULL; /* a view may have used its own */
    drawing->frame_number++;
    const uint32_t samples[2] = {picture->width * scale, picture->height * scale};
    drawing->scale = scale;
    if ((picture->flags & PICTURE_OWN_LIGHTS) != 0) {
        float range[2];
        model_lights_find(&drawing->model_lights, &loaded->mapped.model, posed, (double)draw_depth_range(posed, range));
    }
    draw_bind_light(drawing, picture);
    gl->LineWidth((float)scale);
    gl->PointSize((float)scale * draw_point_pixels(&loaded->mapped.model, posed, (float)side));
    drawing->has_marks = needs_marks(picture, &loaded->mapped.model, posed);
    draw_mark_surfaces(drawing);
    const int rc = posed->draw_count == 0 ? draw_bones(drawing, loaded, posed, err)
                                          : draw_model(drawing, loaded, posed, samples, err);
    gl->Disable(GL_STENCIL_TEST);
    return rc < 0 ? rc : gl_check(gl, "drawing the model", err);
}
