/* program.c - compiles and links shaders, and finds their uniforms and samplers. */
#include "render/gl/program.h"

#include "anim/light/environment.h"

#include "shaders.h"

#include <stdio.h>
#include <string.h>

#define VERSION "#version 330 core\n"

/* The beginning of the fragment shaders that draw surfaces. */
#define SURFACE_TEXTS shader_varyings_glsl, shader_surface_glsl

const struct shader_source SHADER_SKIN_VERT = {"skin.vert", {shader_skin_vert}};
const struct shader_source SHADER_WIRE_GEOM = {"wire.geom", {shader_wire_geom}};
const struct shader_source SHADER_WIRE_FRAG = {"wire.frag", {shader_wire_frag}};
const struct shader_source SHADER_VIEW_FRAG = {"view.frag", {SURFACE_TEXTS, shader_tone_glsl, shader_view_frag}};
const struct shader_source SHADER_VISIBILITY_FRAG = {"visibility.frag", {SURFACE_TEXTS, shader_visibility_frag}};
const struct shader_source SHADER_MESH_FRAG = {"mesh.frag",
                                               {SURFACE_TEXTS, shader_environment_glsl, shader_lights_glsl,
                                                shader_tone_glsl, shader_layers_glsl, shader_mesh_frag}};

const struct shader_source SHADER_GATHERED_VERT = {"gathered.vert", {shader_gathered_vert}};
const struct shader_source SHADER_GATHERED_FRAG = {"mesh.frag, gathered",
                                                   {shader_varyings_glsl, shader_gathered_glsl, shader_surface_glsl,
                                                    shader_environment_glsl, shader_tone_glsl, shader_mesh_frag}};

/* The program keeps attached shaders, so their names are deleted at once. */
static int attach(const struct gl *gl, GLuint program, GLenum type, const struct shader_source *source,
                  const char *define, struct err *err)
{
    if (source->texts[0] == NULL)
        return 0;
    const GLuint shader = gl->CreateShader(type);
    GLint is_good = 0;
    const char *texts[2 + SHADER_TEXTS_MAX] = {VERSION, define == NULL ? "" : define};
    GLsizei count = 2;
    while (count < 2 + SHADER_TEXTS_MAX && source->texts[count - 2] != NULL) {
        texts[count] = source->texts[count - 2];
        count++;
    }
    gl->ShaderSource(shader, count, texts, NULL);
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
        [UNIT_ENVIRONMENT] = "environment_map",
        [UNIT_GATHERED] = "gathered_samples",
        [UNIT_BEHIND] = "behind",
        "clearcoat_texture",
        "clearcoat_roughness_texture",
        "clearcoat_normal_texture",
        "specular_texture",
        "specular_color_texture",
        "sheen_color_texture",
        "sheen_roughness_texture",
        "iridescence_texture",
        "iridescence_thickness_texture",
        "anisotropy_texture",
        "transmission_texture",
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

/* Writes the default light as constants of the shader, because llvmpipe reloads a uniform for every eight samples. */
static void put_irradiance(char *out, size_t size)
{
    const struct environment_harmonics *light = &ENVIRONMENT_STUDIO.harmonics;
    int n = snprintf(out, size, "#define IRRADIANCE vec3[9](");
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
        n += snprintf(out + n, size - (size_t)n, "%svec3(%.5f, %.5f, %.5f)", i > 0 ? ", " : "", (double)light->c[i][0],
                      (double)light->c[i][1], (double)light->c[i][2]);
    snprintf(out + n, size - (size_t)n, ")\n");
}

/* Writes the #defines of a kind of program. */
static void put_defines(unsigned kind, char *out, size_t size)
{
    static const struct {
        unsigned bit;
        const char *name;
    } DEFINES[] = {{PROGRAM_FULL, "FULL"},
                   {PROGRAM_FILTERS, "FILTERS"},
                   {PROGRAM_POINTS, "POINTS"},
                   {PROGRAM_MIRRORS, "MIRRORS"},
                   {PROGRAM_GATHERED, "GATHERED"},
                   {PROGRAM_BUMPS, "BUMPS"},
                   {PROGRAM_CUT, "CUT"},
                   {PROGRAM_LAYERS, "LAYERS"},
                   {PROGRAM_LAYER_TEXTURES, "LAYER_TEXTURES"},
                   {PROGRAM_CLEARCOAT, "CLEARCOAT"},
                   {PROGRAM_SHEEN, "SHEEN"},
                   {PROGRAM_IRIDESCENCE, "IRIDESCENCE"},
                   {PROGRAM_ANISOTROPY, "ANISOTROPY"},
                   {PROGRAM_TRANSMISSION, "TRANSMISSION"},
                   {PROGRAM_LIGHTS, "LIGHTS"}};
    *out = '\0';
    if ((kind & PROGRAM_CHOSEN) == 0)
        put_irradiance(out, size);
    size_t n = strlen(out);
    for (size_t i = 0; i < sizeof DEFINES / sizeof *DEFINES; i++)
        if ((kind & DEFINES[i].bit) != 0)
            n += (size_t)snprintf(out + n, size - n, "#define %s\n", DEFINES[i].name);
}

int program_init(struct program *program, const struct gl *gl, unsigned kind, struct err *err)
{
    char defines[1024];
    put_defines(kind, defines, sizeof defines);
    const bool is_gathered = (kind & PROGRAM_GATHERED) != 0;
    const struct shader_sources sources = {.vertex = is_gathered ? SHADER_GATHERED_VERT : SHADER_SKIN_VERT,
                                           .fragment = is_gathered ? SHADER_GATHERED_FRAG : SHADER_MESH_FRAG,
                                           .define = defines};
    if (program_link(program, gl, &sources, (kind & PROGRAM_FULL) != 0, err) < 0)
        return err->code;
    program->min_filter = GL_LINEAR_MIPMAP_NEAREST;
    return 0;
}
