/* The fragment shaders are also valid in GLSL ES 3.00, for browsers, with any definitions. Skipped if there is no GL.
 */
#include "render/cells.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/shared_renderer.h"

#include <string.h>

static void check_compiles(const struct gl *gl, const struct shader_source *source, const char *defines)
{
    const char *texts[2 + SHADER_TEXTS_MAX] = {"#version 300 es\n", defines};
    GLsizei count = 2;
    for (; count < 2 + SHADER_TEXTS_MAX && source->texts[count - 2] != NULL; count++)
        texts[count] = source->texts[count - 2];
    const GLuint shader = gl->CreateShader(GL_FRAGMENT_SHADER);
    GLint is_good = 0;
    char log[1000] = "";
    gl->ShaderSource(shader, count, texts, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    gl->DeleteShader(shader);
    if (!is_good)
        fail_msg("%s with %s: %s", source->name, defines, log);
}

TEST(shader_texts_are_valid_in_browsers)
{
    static const char IRRADIANCE[] = "#define IRRADIANCE vec3[9](vec3(1.0), vec3(0.0), vec3(0.0), vec3(0.0), "
                                     "vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0))\n";
    static const char *const PARTS[] = {"#define FULL\n",    "#define FILTERS\n", "#define POINTS\n",
                                        "#define MIRRORS\n", "#define LIGHTS\n",  "#define CUT\n",
                                        IRRADIANCE};
    enum { COUNT = sizeof PARTS / sizeof *PARTS };
    const struct gl *gl = &shared_renderer()->gl;
    for (unsigned kind = 0; kind < 1u << COUNT; kind++) {
        char defines[512] = "";
        for (unsigned i = 0; i < COUNT; i++)
            if ((kind >> i & 1) != 0)
                strcat(defines, PARTS[i]);
        check_compiles(gl, &SHADER_MESH_FRAG, defines);
    }
    static const char *const LAYERS[] = {"#define CLEARCOAT\n",
                                         "#define SHEEN\n",
                                         "#define LIGHTS\n",
                                         "#define CUT\n",
                                         "#define IRIDESCENCE\n",
                                         "#define TRANSMISSION\n",
                                         "#define ANISOTROPY\n#define FULL\n",
                                         "#define LAYER_TEXTURES\n#define FULL\n"};
    enum { LAYERS_COUNT = sizeof LAYERS / sizeof *LAYERS };
    for (unsigned kind = 0; kind < 1u << LAYERS_COUNT; kind++) {
        char defines[512] = "#define MIRRORS\n#define LAYERS\n";
        for (unsigned i = 0; i < LAYERS_COUNT; i++)
            if ((kind >> i & 1) != 0)
                strcat(defines, LAYERS[i]);
        check_compiles(gl, &SHADER_MESH_FRAG, defines);
    }
    check_compiles(gl, &SHADER_VIEW_FRAG, "#define VIEW\n#define FILTERS\n#define CUT\n");
    check_compiles(gl, &SHADER_VIEW_FRAG, "#define VIEW\n#define FILTERS\n#define CUT\n#define FULL\n");
}
