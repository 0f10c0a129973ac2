#include "view_draw.h"

#include "influence.h"
#include "view_data.h"

#include <stdlib.h>

/* Of blended materials: what covers more than it lets through. */
static const float HALF = 0.5f;

/* One pass over the surfaces of a frame. */
struct view_pass {
    const struct views *views;
    const struct drawing *drawing;
    const struct gl *gl;
    const struct loaded *loaded;
    const struct frame *frame;
    const struct view_query *query;
    const struct view_program *program;
    enum view_paint paint;
};

/* Distances along the line of sight that GL's depths -1 and 1 stand for, of any projection. */
static void find_depth_range(const struct dmat4 *clip_from_view, float range[2])
{
    const double *m = clip_from_view->m;
    for (int end = 0; end < 2; end++) {
        const double depth = end == 0 ? -1 : 1; /* = (m[10] z + m[14]) / (m[11] z + m[15]) */
        range[end] = (float)-((depth * m[15] - m[14]) / (m[10] - depth * m[11]));
    }
}

static void use_program(struct view_pass *pass, const struct view_program *program, enum view_paint paint)
{
    const struct gl *gl = pass->gl;
    const struct mat4 clip_from_view = mat4_from_dmat4(&pass->frame->camera.clip_from_view);
    float range[2];
    find_depth_range(&pass->frame->camera.clip_from_view, range);
    pass->program = program;
    pass->paint = paint;
    gl->UseProgram(program->name);
    gl->UniformMatrix4fv(program->clip_from_view, 1, GL_FALSE, clip_from_view.m);
    gl->Uniform2f(program->depth_range, range[0], range[1]);
    gl->Uniform1i(program->scale, (GLint)pass->query->scale);
    gl->Uniform1i(program->paint, (GLint)paint);
}

/* What is see-through, and how: the shader multiplies factor, vertex colour and texture. */
static void set_alpha_test(const struct view_pass *pass, const struct material *material)
{
    const struct material_texture *map = &material->textures[TEXTURE_BASE_COLOR];
    const GLuint found = map->texture >= 0 ? pass->loaded->scene.textures[map->texture] : 0;
    float factor = material->base_color[3], least = -1;
    if (material->alpha_mode == ALPHA_MASK)
        least = material->alpha_cutoff;
    if (material->alpha_mode == ALPHA_BLEND) {
        factor = factor > 0 ? 1.0f : 0.0f;
        least = HALF;
    }
    pass->gl->ActiveTexture(GL_TEXTURE0 + UNIT_BASE_COLOR);
    pass->gl->BindTexture(GL_TEXTURE_2D, found != 0 ? found : pass->drawing->white);
    pass->gl->UniformMatrix3x2fv(pass->program->uv_from_texcoord, 1, GL_TRUE, map->uv_from_texcoord);
    pass->gl->Uniform2f(pass->program->alpha_test, factor, least);
}

/* Frees `colors`; NULL passes the error on that made it so. */
static int upload_colors(const struct view_pass *pass, struct rgba8 *colors, uint32_t count, struct err *err)
{
    if (colors == NULL)
        return err->code;
    draw_fill(pass->gl, pass->drawing->own.colors, colors, count * sizeof *colors);
    free(colors);
    return 0;
}

static int upload_ids(const struct view_pass *pass, uint32_t *colors, uint32_t count, struct err *err)
{
    const struct gl *gl = pass->gl;
    GLint texels_max = 0;
    if (colors == NULL)
        return err->code;
    gl->GetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &texels_max);
    if (count <= (uint32_t)texels_max) {
        gl->BindBuffer(GL_TEXTURE_BUFFER, pass->views->ids);
        gl->BufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)(count * sizeof *colors), colors, GL_STREAM_DRAW);
        gl->ActiveTexture(GL_TEXTURE0 + UNIT_IDS);
        gl->BindTexture(GL_TEXTURE_BUFFER, pass->views->ids_texture);
        gl->TexBuffer(GL_TEXTURE_BUFFER, GL_R32UI, pass->views->ids);
    }
    free(colors);
    return count <= (uint32_t)texels_max
               ? 0
               : err_set(err, ERR_MODEL_LIMIT, "a mesh has %u triangles, the renderer numbers %d", count, texels_max);
}

/* Fills own.colors or the ids where the paint needs them. */
static int upload_data(const struct view_pass *pass, const struct draw *draw, struct err *err)
{
    const struct model *model = &pass->loaded->mapped.model;
    const struct primitive *primitive = &model->primitives[draw->primitive];
    if (pass->paint == PAINT_HEAT || pass->paint == PAINT_COLORS)
        return upload_colors(pass, view_weight_colors(model, draw, pass->query->joint, err), primitive->vertex_count,
                             err);
    if (pass->paint == PAINT_ID)
        return upload_ids(pass, view_id_colors(model, draw, err), influence_element_count(primitive), err);
    return 0;
}

static int draw_one(const struct view_pass *pass, const struct frame_draw *draw, struct err *err)
{
    static const GLenum modes[] = {
        [TOPOLOGY_TRIANGLES] = GL_TRIANGLES, [TOPOLOGY_LINES] = GL_LINES, [TOPOLOGY_POINTS] = GL_POINTS};
    const struct gl *gl = pass->gl;
    const struct model *model = &pass->loaded->mapped.model;
    const struct draw *source = &model->draws[draw->draw];
    const struct primitive *primitive = &model->primitives[source->primitive];
    const struct material *material = draw_material(model, primitive);
    const bool is_morphed = draw->morph_first != FRAME_NOT_MORPHED;
    if ((is_morphed && draw_upload_morphed(pass->drawing, model, pass->frame, draw, err) < 0) ||
        upload_data(pass, source, err) < 0)
        return err->code;
    scene_bind_primitive(&pass->loaded->scene, gl, primitive, is_morphed ? &pass->drawing->own : NULL);
    if (pass->paint == PAINT_HEAT || pass->paint == PAINT_COLORS)
        scene_bind_colors(gl, pass->drawing->own.colors);
    draw_set_culling(gl, model, material, draw);
    set_alpha_test(pass, material);
    gl->Uniform2i(pass->program->surface, (primitive->flags & PRIMITIVE_FLAT) != 0,
                  primitive->topology == TOPOLOGY_TRIANGLES);
    gl->Uniform1i(pass->program->joint_first, (GLint)model->skins[source->skin].joint_first);
    gl->DrawElements(modes[primitive->topology], (GLsizei)primitive->index_count, GL_UNSIGNED_INT,
                     (const void *)((uintptr_t)primitive->index_first * sizeof(uint32_t)));
    return 0;
}

/* Draws the surfaces, or what is not a surface, or with neither all. */
enum topologies { ALL, TRIANGLES_ONLY, NO_TRIANGLES };
static int draw_surfaces(const struct view_pass *pass, enum topologies which, struct err *err)
{
    const struct model *model = &pass->loaded->mapped.model;
    pass->gl->ActiveTexture(GL_TEXTURE0 + UNIT_INFLUENCES);
    pass->gl->BindTexture(GL_TEXTURE_BUFFER, pass->loaded->scene.influences_texture);
    for (uint32_t d = 0; d < pass->frame->draw_count; d++) {
        const struct frame_draw *draw = &pass->frame->draws[d];
        const bool is_triangles = model->primitives[model->draws[draw->draw].primitive].topology == TOPOLOGY_TRIANGLES;
        if ((which == ALL || is_triangles == (which == TRIANGLES_ONLY)) && draw_one(pass, draw, err) < 0)
            return err->code;
    }
    return 0;
}

static int upload_bone_data(const struct view_pass *pass, struct err *err)
{
    const struct bones *bones = &pass->frame->bones;
    const uint32_t joint = pass->query->joint;
    if (pass->paint == PAINT_ID)
        return upload_ids(pass, view_bone_id_colors(bones, err), bones->vertex_count / 3, err);
    return upload_colors(pass,
                         pass->paint == PAINT_BONES ? view_bone_colors(bones, joint, err)
                                                    : view_bone_weight_colors(bones, joint, err),
                         bones->vertex_count, err);
}

static int draw_bones(const struct view_pass *pass, struct err *err)
{
    const struct gl *gl = pass->gl;
    const struct bones *bones = &pass->frame->bones;
    const struct vertex_arrays *own = &pass->drawing->own;
    if (upload_bone_data(pass, err) < 0)
        return err->code;
    draw_fill(gl, own->positions, bones->positions, bones->vertex_count * sizeof *bones->positions);
    draw_fill(gl, own->normals, bones->normals, bones->vertex_count * sizeof *bones->normals);
    scene_bind_arrays(gl, own);
    gl->Disable(GL_CULL_FACE);
    set_alpha_test(pass, &MATERIAL_PLAIN);
    gl->Uniform2i(pass->program->surface, 0, 1);
    gl->Uniform1i(pass->program->joint_first, (GLint)pass->frame->joint_count - 1);
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)bones->vertex_count);
    return 0;
}

/* The surfaces that are nearest to the eye and not behind a bone, over what is there like glass: each pixel once, also
 * where surfaces coincide. */
static int draw_ghost(struct view_pass *pass, struct err *err)
{
    const struct gl *gl = pass->gl;
    use_program(pass, &pass->views->paint, PAINT_GHOST);
    gl->ColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    int rc = draw_surfaces(pass, ALL, err);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->Enable(GL_BLEND);
    gl->Enable(GL_STENCIL_TEST);
    gl->StencilFunc(GL_EQUAL, 0, 0xff);
    gl->StencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    gl->DepthMask(GL_FALSE);
    if (rc == 0)
        rc = draw_surfaces(pass, ALL, err);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_STENCIL_TEST);
    gl->Disable(GL_BLEND);
    return rc;
}

/* Bones may reach out of the mesh that near and far hug: they are not cut off there. */
static int draw_skeleton(struct view_pass *pass, struct err *err)
{
    use_program(pass, &pass->views->paint, PAINT_BONES);
    pass->gl->Enable(GL_DEPTH_CLAMP);
    const int rc = pass->frame->bones.vertex_count > 0 ? draw_bones(pass, err) : 0;
    pass->gl->Disable(GL_DEPTH_CLAMP);
    return rc < 0 ? rc : draw_ghost(pass, err);
}

static int draw_wireframe(struct view_pass *pass, struct err *err)
{
    use_program(pass, &pass->views->wire, PAINT_LINE);
    if (pass->frame->draw_count == 0)
        return draw_bones(pass, err);
    if (draw_surfaces(pass, TRIANGLES_ONLY, err) < 0)
        return err->code;
    use_program(pass, &pass->views->paint, PAINT_LINE);
    return draw_surfaces(pass, NO_TRIANGLES, err);
}

static int draw_painted(struct view_pass *pass, struct err *err)
{
    static const enum view_paint paints[VIEW_COUNT] = {[VIEW_WEIGHTS] = PAINT_COLORS,
                                                       [VIEW_NORMALS] = PAINT_NORMAL,
                                                       [VIEW_DEPTH] = PAINT_DEPTH,
                                                       [VIEW_JOINTS] = PAINT_ID};
    const bool is_heat = pass->query->view == VIEW_WEIGHTS && pass->query->joint > 0;
    use_program(pass, &pass->views->paint, is_heat ? PAINT_HEAT : paints[pass->query->view]);
    return pass->frame->draw_count == 0 ? draw_bones(pass, err) : draw_surfaces(pass, ALL, err);
}

static int make_programs(struct views *views, const struct gl *gl, bool needs_wire, struct err *err)
{
    if (views->ids == 0) {
        gl->GenBuffers(1, &views->ids);
        gl->GenTextures(1, &views->ids_texture);
    }
    if (views->paint.name == 0 && view_program_init(&views->paint, gl, err) < 0)
        return err->code;
    return needs_wire && views->wire.name == 0 ? wire_program_init(&views->wire, gl, err) : 0;
}

int views_draw(struct views *views, struct drawing *drawing, const struct loaded *loaded, const struct frame *frame,
               const struct view_query *query, struct err *err)
{
    const struct gl *gl = drawing->gl;
    struct view_pass pass = {
        .views = views, .drawing = drawing, .gl = gl, .loaded = loaded, .frame = frame, .query = query};
    if (query->joint > loaded->mapped.model.node_count)
        return err_set(err, ERR_BAD_PARAMETER, "the model has no node %u", query->joint - 1);
    gl->LineWidth((float)query->scale);
    gl->PointSize(3 * (float)query->scale);
    int rc = make_programs(views, gl, query->view == VIEW_WIREFRAME, err);
    if (rc == 0)
        rc = draw_upload_palette(drawing, frame, err);
    if (rc == 0 && query->view == VIEW_SKELETON)
        rc = draw_skeleton(&pass, err);
    else if (rc == 0)
        rc = query->view == VIEW_WIREFRAME ? draw_wireframe(&pass, err) : draw_painted(&pass, err);
    gl->UseProgram(drawing->program.name);
    return rc < 0 ? rc : gl_check(gl, "drawing the view", err);
}

void views_fini(struct views *views, const struct gl *gl)
{
    view_program_fini(&views->paint, gl);
    view_program_fini(&views->wire, gl);
    gl->DeleteTextures(1, &views->ids_texture);
    gl->DeleteBuffers(1, &views->ids);
    *views = (struct views){0};
}
