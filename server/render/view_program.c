#include "view_program.h"

#include "program.h"
#include "shader.h"
#include "shaders.h"

static int init(struct view_program *program, const struct gl *gl, const struct shader_sources *sources,
                struct err *err)
{
    *program = (struct view_program){0};
    if (shader_link(gl, sources, &program->name, err) < 0)
        return err->code;
    gl->UseProgram(program->name);
    program->joint_first = gl->GetUniformLocation(program->name, "joint_first");
    program->clip_from_view = gl->GetUniformLocation(program->name, "clip_from_view");
    program->uv_from_texcoord = gl->GetUniformLocation(program->name, "uv_from_texcoord");
    program->alpha_test = gl->GetUniformLocation(program->name, "alpha_test");
    program->surface = gl->GetUniformLocation(program->name, "surface");
    program->paint = gl->GetUniformLocation(program->name, "paint");
    program->depth_range = gl->GetUniformLocation(program->name, "depth_range");
    program->scale = gl->GetUniformLocation(program->name, "scale");
    gl->Uniform1i(gl->GetUniformLocation(program->name, "base_color_texture"), UNIT_BASE_COLOR);
    gl->Uniform1i(gl->GetUniformLocation(program->name, "palette"), UNIT_PALETTE);
    gl->Uniform1i(gl->GetUniformLocation(program->name, "influences"), UNIT_INFLUENCES);
    gl->Uniform1i(gl->GetUniformLocation(program->name, "ids"), UNIT_IDS);
    return gl_check(gl, "the shader program of a view", err);
}

int view_program_init(struct view_program *program, const struct gl *gl, struct err *err)
{
    const struct shader_sources sources = {.vertex = {shader_skin_vert, "skin.vert"},
                                           .fragment = {shader_view_frag, "view.frag"}};
    return init(program, gl, &sources, err);
}

int wire_program_init(struct view_program *program, const struct gl *gl, struct err *err)
{
    const struct shader_sources sources = {.vertex = {shader_skin_vert, "skin.vert"},
                                           .geometry = {shader_wire_geom, "wire.geom"},
                                           .fragment = {shader_wire_frag, "wire.frag"}};
    return init(program, gl, &sources, err);
}

void view_program_fini(struct view_program *program, const struct gl *gl)
{
    if (program->name != 0)
        gl->DeleteProgram(program->name);
    *program = (struct view_program){0};
}
