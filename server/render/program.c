#include "program.h"

#include "shaders.h"

static int compile(const struct gl *gl, GLenum type, const char *text, const char *what, GLuint *out, struct err *err)
{
    const GLuint shader = gl->CreateShader(type);
    GLint is_good = 0;
    gl->ShaderSource(shader, 1, &text, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    *out = shader;
    if (is_good)
        return 0;
    char words[400] = "";
    gl->GetShaderInfoLog(shader, sizeof words, NULL, words);
    return err_set(err, ERR_RENDER_FAILED, "%s does not compile: %s", what, words);
}

static int link(const struct gl *gl, GLuint name, struct err *err)
{
    GLint is_good = 0;
    gl->LinkProgram(name);
    gl->GetProgramiv(name, GL_LINK_STATUS, &is_good);
    if (is_good)
        return 0;
    char words[400] = "";
    gl->GetProgramInfoLog(name, sizeof words, NULL, words);
    return err_set(err, ERR_RENDER_FAILED, "the shaders do not link: %s", words);
}

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
    GLuint vertex = 0, fragment = 0;
    *program = (struct program){.name = gl->CreateProgram()};
    int rc = compile(gl, GL_VERTEX_SHADER, shader_skin_vert, "skin.vert", &vertex, err);
    if (rc == 0)
        rc = compile(gl, GL_FRAGMENT_SHADER, shader_mesh_frag, "mesh.frag", &fragment, err);
    if (rc == 0) {
        gl->AttachShader(program->name, vertex);
        gl->AttachShader(program->name, fragment);
        rc = link(gl, program->name, err);
    }
    gl->DeleteShader(vertex);
    gl->DeleteShader(fragment);
    if (rc < 0)
        return rc;
    gl->UseProgram(program->name);
    find_uniforms(program, gl);
    return gl_check(gl, "the shader program", err);
}

void program_fini(struct program *program, const struct gl *gl)
{
    gl->DeleteProgram(program->name);
    *program = (struct program){0};
}
