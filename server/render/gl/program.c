/* program.c - compiles and links shaders, and finds their uniforms and samplers. */
#include "render/gl/program.h"

#include "shaders.h"

#include <stdio.h>
#include <string.h>

/* The program keeps what is attached to it: the shader's name is given back at once. */
static int attach(const struct gl *gl, GLuint program, GLenum type, const struct shader_source *source,
                  const char *define, struct err *err)
{
    if (source->text == NULL)
        return 0;
    const GLuint shader = gl->CreateShader(type);
    GLint is_good = 0;
    const char *const rest = strchr(source->text, '\n') + 1;
    const char *const texts[4] = {source->text, define == NULL ? "" : define, rest,
                                  source->more == NULL ? "" : source->more};
    const GLint sizes[4] = {(GLint)(rest - source->text), -1, -1, -1};
    gl->ShaderSource(shader, 4, texts, sizes);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    if (is_good) {
        gl->AttachShader(program, shader);
        gl->DeleteShader(shader);
        return 0;
    }
    char log[400] = "";
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    gl->DeleteShader(shader);
    return err_set(err, ERR_RENDER_FAILED, "%s does not compile: %s", source->name, log);
}

static int link(const struct gl *gl, GLuint program, const char *name, struct err *err)
{
    GLint is_good = 0;
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &is_good);
    if (is_good)
        return 0;
    char log[400] = "";
    gl->GetProgramInfoLog(program, sizeof log, NULL, log);
    return err_set(err, ERR_RENDER_FAILED, "the shaders of %s do not link: %s", name, log);
}

/* *program is 0 after a failure. */
static int link_shaders(const struct gl *gl, const struct shader_sources *sources, GLuint *program, struct err *err)
{
    *program = gl->CreateProgram();
    if (attach(gl, *program, GL_VERTEX_SHADER, &sources->vertex, sources->define, err) == 0 &&
        attach(gl, *program, GL_GEOMETRY_SHADER, &sources->geometry, sources->define, err) == 0 &&
        attach(gl, *program, GL_FRAGMENT_SHADER, &sources->fragment, sources->define, err) == 0 &&
        link(gl, *program, sources->fragment.name, err) == 0)
        return 0;
    gl->DeleteProgram(*program);
    *program = 0;
    return err->code;
}

static void find_uniforms(struct program *program, const struct gl *gl)
{
#define X(uniform) program->uniform = gl->GetUniformLocation(program->name, #uniform);
    PROGRAM_UNIFORMS
#undef X
}

static void tie_samplers(const struct program *program, const struct gl *gl)
{
    static const char *const NAMES[] = {
        [TEXTURE_BASE_COLOR] = "base_color_texture",
        [TEXTURE_METALLIC_ROUGHNESS] = "metal_rough_texture",
        [TEXTURE_NORMAL] = "normal_texture",
        [TEXTURE_OCCLUSION] = "occlusion_texture",
        [TEXTURE_EMISSIVE] = "emissive_texture",
        [UNIT_PALETTE] = "palette",
        [UNIT_INFLUENCES] = "influences",
        [UNIT_IDS] = "ids",
    };
    for (int unit = 0; unit < (int)(sizeof NAMES / sizeof *NAMES); unit++)
        gl->Uniform1i(gl->GetUniformLocation(program->name, NAMES[unit]), unit);
}

int program_link(struct program *program, const struct gl *gl, const struct shader_sources *sources, bool is_full,
                 struct err *err)
{
    *program = (struct program){.is_full = is_full, .min_filter = GL_LINEAR_MIPMAP_LINEAR};
    if (link_shaders(gl, sources, &program->name, err) < 0)
        return err->code;
    gl->UseProgram(program->name);
    find_uniforms(program, gl);
    tie_samplers(program, gl);
    return gl_check(gl, "the shader program", err);
}

int program_init(struct program *program, const struct gl *gl, unsigned kind, struct err *err)
{
    char defines[64];
    snprintf(defines, sizeof defines, "%s%s%s", (kind & PROGRAM_FULL) != 0 ? "#define FULL\n" : "",
             (kind & PROGRAM_FILTERS) != 0 ? "#define FILTERS\n" : "",
             (kind & PROGRAM_POINTS) != 0 ? "#define POINTS\n" : "");
    const struct shader_sources sources = {.vertex = {.text = shader_skin_vert, .name = "skin.vert"},
                                           .fragment = {.text = shader_mesh_frag, .name = "mesh.frag"},
                                           .define = defines};
    if (program_link(program, gl, &sources, (kind & PROGRAM_FULL) != 0, err) < 0)
        return err->code;
    program->min_filter = GL_LINEAR_MIPMAP_NEAREST;
    return 0;
}
