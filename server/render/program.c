#include "program.h"

#include "shader.h"
#include "shaders.h"

static void find_uniforms(struct program *program, const struct gl *gl)
{
    program->joint_first = gl->GetUniformLocation(program->name, "joint_first");
    program->clip_from_view = gl->GetUniformLocation(program->name, "clip_from_view");
    program->uv_from_texcoord = gl->GetUniformLocation(program->name, "uv_from_texcoord");
    program->base_color = gl->GetUniformLocation(program->name, "base_color");
    program->alpha_range = gl->GetUniformLocation(program->name, "alpha_range");
    program->is_blended = gl->GetUniformLocation(program->name, "is_blended");
    program->is_unlit = gl->GetUniformLocation(program->name, "is_unlit");
    program->is_flat = gl->GetUniformLocation(program->name, "is_flat");
    program->texture_filter = gl->GetUniformLocation(program->name, "texture_filter");
    gl->Uniform1i(gl->GetUniformLocation(program->name, "base_color_texture"), UNIT_BASE_COLOR);
    gl->Uniform1i(gl->GetUniformLocation(program->name, "palette"), UNIT_PALETTE);
    gl->Uniform1i(gl->GetUniformLocation(program->name, "influences"), UNIT_INFLUENCES);
}

int program_init(struct program *program, const struct gl *gl, struct err *err)
{
    const struct shader_sources sources = {.vertex = {shader_skin_vert, "skin.vert"},
                                           .fragment = {shader_mesh_frag, "mesh.frag"}};
    *program = (struct program){0};
    if (shader_link(gl, &sources, &program->name, err) < 0)
        return err->code;
    gl->UseProgram(program->name);
    find_uniforms(program, gl);
    return gl_check(gl, "the shader program", err);
}

void program_fini(struct program *program, const struct gl *gl)
{
    gl->DeleteProgram(program->name);
    *program = (struct program){0};
}
