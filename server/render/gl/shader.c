#include "render/gl/shader.h"

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
    char words[400] = "";
    gl->GetShaderInfoLog(shader, sizeof words, NULL, words);
    gl->DeleteShader(shader);
    return err_set(err, ERR_RENDER_FAILED, "%s does not compile: %s", source->name, words);
}

static int link(const struct gl *gl, GLuint program, const char *name, struct err *err)
{
    GLint is_good = 0;
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &is_good);
    if (is_good)
        return 0;
    char words[400] = "";
    gl->GetProgramInfoLog(program, sizeof words, NULL, words);
    return err_set(err, ERR_RENDER_FAILED, "the shaders of %s do not link: %s", name, words);
}

int shader_link(const struct gl *gl, const struct shader_sources *sources, GLuint *program, struct err *err)
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
