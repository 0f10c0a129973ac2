/* debug_view.c - the views that are not lit: their programs and passes over the surfaces of a pose. */
#include "render/draw/debug_view.h"

#include "render/pose/influence.h"
#include "render/pose/debug_view_data.h"

#include <stdlib.h>

/* Blended materials with at least this alpha are solid. */
static const float HALF = 0.5f;

/* The paints of view.frag, which has the same numbers. */
enum debug_view_paint {
    PAINT_HEAT,   /* red of the vertices as a weight */
    PAINT_COLORS, /* colours of the vertices, sRGB, lightly shaded */
    PAINT_BONES,  /* the same, linear, strongly shaded */
    PAINT_NORMAL,
    PAINT_DEPTH,
    PAINT_ID,    /* ids of UNIT_IDS, unchanged */
    PAINT_GHOST, /* premultiplied glass */
    PAINT_LINE
};

/* --- programs --- */

/* has_edges: wires of triangles. Otherwise surfaces, lines and points in one of the paints. */
static int init_program(struct debug_view_program *program, const struct gl *gl, bool has_edges, bool is_full,
                        struct err *err)
{
    const struct shader_sources paint = {
        .vertex = SHADER_SKIN_VERT,
        .fragment = SHADER_VIEW_FRAG,
        .define = is_full ? "#define VIEW\n#define IDS\n#define FILTERS\n#define CUT\n#define FULL\n"
                          : "#define VIEW\n#define IDS\n#define FILTERS\n#define CUT\n"};
    const struct shader_sources wire = {.vertex = SHADER_SKIN_VERT,
                                        .geometry = SHADER_WIRE_GEOM,
                                        .fragment = SHADER_WIRE_FRAG,
                                        .define = is_full ? "#define VIEW\n#define FULL\n" : "#define VIEW\n"};
    *program = (struct debug_view_program){.paint = -1};
    if (program_link(&program->base, gl, has_edges ? &wire : &paint, is_full, err) < 0)
        return err->code;
    program->topology = gl->GetUniformLocation(program->base.name, "topology");
    program->paint = gl->GetUniformLocation(program->base.name, "paint");
    program->depth_range = gl->GetUniformLocation(program->base.name, "depth_range");
    program->scale = gl->GetUniformLocation(program->base.name, "scale");
    return 0;
}

/* --- passes --- */

/* One pass over the surfaces of a frame. */
struct debug_view_pass {
    struct debug_views *views;
    const struct drawing *drawing;
    const struct gl *gl;
    const struct loaded_model *loaded;
    const struct posed_model *posed;
    const struct debug_view_query *query;
    bool has_edges;                           /* uses the wire programs, otherwise the painting ones */
    enum debug_view_paint paint;              /* of the painting programs */
    const struct debug_view_program *program; /* in use, or NULL */
};

static void begin_pass(struct debug_view_pass *pass, bool has_edges, enum debug_view_paint paint)
{
    pass->has_edges = has_edges;
    pass->paint = paint;
    pass->program = NULL;
}

static int use_program(struct debug_view_pass *pass, bool is_full, struct err *err)
{
    const struct gl *gl = pass->gl;
    struct debug_view_program *program = &(pass->has_edges ? pass->views->wire : pass->views->paint)[is_full];
    if (program->base.name == 0 && init_program(program, gl, pass->has_edges, is_full, err) < 0)
        return err->code;
    if (pass->program == program)
        return 0;
    float range[2];
    const float unit = draw_depth_range(pass->posed, range);
    pass->program = program;
    gl->UseProgram(program->base.name);
    draw_set_camera(gl, &program->base, pass->posed);
    gl->Uniform2f(program->depth_range, unit * range[0], unit * range[1]);
    gl->Uniform1i(program->scale, (GLint)pass->query->scale);
    gl->Uniform1i(program->paint, (GLint)pass->paint);
    return 0;
}

/* Normals are those of lighting; other paints need no bumps. Alpha decides what is transparent: factor, vertex colour
 * and texture. */
static int set_material(struct debug_view_pass *pass, const struct material *material,
                        const struct primitive *primitive, struct err *err)
{
    const struct gl *gl = pass->gl;
    const bool has_bumps = pass->paint == PAINT_NORMAL && !pass->has_edges;
    float color[4] = {0, 0, 0, material->base_color[3]}, least = DRAW_ALPHA_ANY, end = DRAW_ALPHA_END;
    if (use_program(pass, draw_needs_full(pass->loaded, material, has_bumps), err) < 0)
        return err->code;
    draw_put_material(pass->drawing, &pass->program->base, pass->loaded, material, primitive, has_bumps);
    if (material->alpha_mode == ALPHA_MASK) {
        least = material->alpha_cutoff;
        end = pass->query->scale > 1 ? DRAW_ALPHA_SMOOTH : end;
    }
    if (material->alpha_mode == ALPHA_BLEND) {
        color[3] = color[3] > 0 ? 1.0f : 0.0f;
        least = HALF;
    }
    gl->Uniform4fv(pass->program->base.base_color, 1, color);
    gl->Uniform2f(pass->program->base.alpha_range, least, end);
    gl->Uniform1i(pass->program->topology, (GLint)primitive->topology);
    return 0;
}

/* Uploads and frees `colors`; for NULL returns the error that caused it. */
static int upload_colors(const struct debug_view_pass *pass, struct rgba8 *colors, uint32_t count, struct err *err)
{
    if (colors == NULL)
        return err->code;
    draw_fill(pass->gl, pass->drawing->own.colors, colors, count * sizeof *colors);
    free(colors);
    return 0;
}

static int upload_ids(const struct debug_view_pass *pass, uint32_t *colors, uint32_t count, struct err *err)
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

/* Fills own.colors, or the ids, where the paint needs them. */
static int upload_data(const struct debug_view_pass *pass, const struct draw *draw, struct err *err)
{
    const struct model *model = &pass->loaded->mapped.model;
    const struct primitive *primitive = &model->primitives[draw->primitive];
    if (pass->paint == PAINT_HEAT || pass->paint == PAINT_COLORS)
        return upload_colors(pass, debug_view_weight_colors(model, draw, pass->query->joint, err),
                             primitive->vertex_count, err);
    if (pass->paint == PAINT_ID)
        return upload_ids(pass, debug_view_id_colors(model, draw, err), influence_element_count(primitive), err);
    return 0;
}

static int draw_one(struct debug_view_pass *pass, const struct posed_draw *draw, struct err *err)
{
    const struct gl *gl = pass->gl;
    const struct model *model = &pass->loaded->mapped.model;
    const struct draw *source = &model->draws[draw->draw];
    const struct primitive *primitive = &model->primitives[source->primitive];
    const struct material *material = draw->material;
    if (upload_data(pass, source, err) < 0 || set_material(pass, material, primitive, err) < 0 ||
        draw_bind_vertices(pass->drawing, pass->loaded, pass->posed, draw, err) < 0)
        return err->code;
    if (pass->paint == PAINT_HEAT || pass->paint == PAINT_COLORS)
        gpu_model_bind_colors(gl, pass->drawing->own.colors);
    draw_set_culling(gl, model, material, draw);
    gl->Uniform1i(pass->program->base.joint_first, draw_joint_first(model, pass->posed, draw));
    draw_indexed(gl, primitive);
    return 0;
}

/* Selects what to draw: all, only surfaces, or everything except surfaces. */
enum topologies { ALL, TRIANGLES_ONLY, NO_TRIANGLES };
static int draw_surfaces(struct debug_view_pass *pass, enum topologies which, struct err *err)
{
    const struct model *model = &pass->loaded->mapped.model;
    pass->gl->ActiveTexture(GL_TEXTURE0 + UNIT_INFLUENCES);
    pass->gl->BindTexture(GL_TEXTURE_BUFFER, pass->loaded->gpu.influences_texture);
    for (uint32_t d = 0; d < pass->posed->draw_count; d++) {
        const struct posed_draw *draw = &pass->posed->draws[d];
        const bool is_triangles = model->primitives[model->draws[draw->draw].primitive].topology == TOPOLOGY_TRIANGLES;
        if ((which == ALL || is_triangles == (which == TRIANGLES_ONLY)) && draw_one(pass, draw, err) < 0)
            return err->code;
    }
    return 0;
}

static int upload_bone_data(const struct debug_view_pass *pass, struct err *err)
{
    const struct skeleton_mesh *skeleton = &pass->posed->skeleton;
    if (pass->paint == PAINT_ID)
        return upload_ids(pass, debug_view_bone_id_colors(skeleton, err), skeleton->vertex_count / 3, err);
    struct rgba8 *colors = debug_view_bone_colors(skeleton, pass->query->joint, pass->paint != PAINT_BONES, err);
    return upload_colors(pass, colors, skeleton->vertex_count, err);
}

static int draw_bones(struct debug_view_pass *pass, struct err *err)
{
    static const struct primitive SOLID = {.topology = TOPOLOGY_TRIANGLES};
    if (upload_bone_data(pass, err) < 0 || set_material(pass, &MATERIAL_PLAIN, &SOLID, err) < 0)
        return err->code;
    draw_skeleton_mesh(pass->drawing, &pass->program->base, pass->posed);
    return 0;
}

/* Draws the surfaces nearest to the eye that are not behind a bone, like glass over what is there. Each pixel is drawn
 * once, also where surfaces coincide. */
static int draw_ghost(struct debug_view_pass *pass, struct err *err)
{
    const struct gl *gl = pass->gl;
    begin_pass(pass, false, PAINT_GHOST);
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

/* Bones, or wires of volumes, may extend beyond the mesh that near and far enclose; they are not clipped there. */
static int draw_skeleton(struct debug_view_pass *pass, struct err *err)
{
    begin_pass(pass, false, PAINT_BONES);
    pass->gl->Enable(GL_DEPTH_CLAMP);
    const int rc = pass->posed->skeleton.vertex_count > 0 ? draw_bones(pass, err) : 0;
    pass->gl->Disable(GL_DEPTH_CLAMP);
    return rc < 0 ? rc : draw_ghost(pass, err);
}

static int draw_wireframe(struct debug_view_pass *pass, struct err *err)
{
    begin_pass(pass, true, PAINT_LINE);
    if (pass->posed->draw_count == 0)
        return draw_bones(pass, err);
    if (draw_surfaces(pass, TRIANGLES_ONLY, err) < 0)
        return err->code;
    begin_pass(pass, false, PAINT_LINE);
    return draw_surfaces(pass, NO_TRIANGLES, err);
}

static int draw_painted(struct debug_view_pass *pass, struct err *err)
{
    static const enum debug_view_paint paints[VIEW_COUNT] = {[VIEW_WEIGHTS] = PAINT_COLORS,
                                                             [VIEW_NORMALS] = PAINT_NORMAL,
                                                             [VIEW_DEPTH] = PAINT_DEPTH,
                                                             [VIEW_JOINTS] = PAINT_ID};
    const bool is_heat = pass->query->view == VIEW_WEIGHTS && pass->query->joint > 0;
    begin_pass(pass, false, is_heat ? PAINT_HEAT : paints[pass->query->view]);
    return pass->posed->draw_count == 0 ? draw_bones(pass, err) : draw_surfaces(pass, ALL, err);
}

int debug_views_draw(struct debug_views *views, struct drawing *drawing, const struct loaded_model *loaded,
                     const struct posed_model *posed, const struct debug_view_query *query, struct err *err)
{
    const struct gl *gl = drawing->gl;
    struct debug_view_pass pass = {
        .views = views, .drawing = drawing, .gl = gl, .loaded = loaded, .posed = posed, .query = query};
    if (query->joint > loaded->mapped.model.node_count)
        return err_set(err, ERR_BAD_PARAMETER, "the model has no node %u", query->joint - 1);
    gl->LineWidth((float)query->scale);
    gl->PointSize((float)query->scale * draw_point_pixels(&loaded->mapped.model, posed, (float)query->side));
    if (views->ids == 0) {
        gl->GenBuffers(1, &views->ids);
        gl->GenTextures(1, &views->ids_texture);
    }
    int rc = draw_upload_palette(drawing, posed, err);
    if (rc == 0 && (query->view == VIEW_SKELETON || query->view == VIEW_HITBOXES))
        rc = draw_skeleton(&pass, err);
    else if (rc == 0)
        rc = query->view == VIEW_WIREFRAME ? draw_wireframe(&pass, err) : draw_painted(&pass, err);
    return rc < 0 ? rc : gl_check(gl, "drawing the view", err);
}
