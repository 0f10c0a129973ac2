/* draw_light.c - the light of a picture as GL state: the map of its environment, and a chosen light. */
#include "render/draw/draw.h"

#include "anim/light/panorama.h"
#include "base/mem.h"

#include <math.h>

static const struct environment *const LIGHTS[LIGHT_FILE] = {
    [LIGHT_STUDIO] = &ENVIRONMENT_STUDIO, [LIGHT_OUTDOOR] = &ENVIRONMENT_OUTDOOR, [LIGHT_FLAT] = &ENVIRONMENT_FLAT};

/* A panorama is sampled at this many pixels around, which is the detail of the map. */
enum { PANORAMA_WIDTH = 512 };

static GLuint make_map(const struct gl *gl, const struct environment *light)
{
    GLuint name = 0;
    gl->GenTextures(1, &name);
    gl->BindTexture(GL_TEXTURE_2D, name);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, ENVIRONMENT_LEVELS - 1);
    const uint16_t(*texels)[4] = light->map;
    for (GLint level = 0; level < ENVIRONMENT_LEVELS; level++) {
        const GLsizei side = ENVIRONMENT_SIDE >> level;
        gl->TexImage2D(GL_TEXTURE_2D, level, GL_RGBA16F, side, side, 0, GL_RGBA, GL_HALF_FLOAT, texels);
        texels += (size_t)side * (size_t)side;
    }
    return name;
}

/* --- lights of files --- */

/* Returns the light of that key and yaw, or the least recently used one. */
static struct file_light *find_file_light(struct drawing *drawing, uint64_t key, double yaw_deg)
{
    struct file_light *found = &drawing->file_lights[0];
    for (int i = 0; i < FILE_LIGHTS_MAX; i++) {
        struct file_light *at = &drawing->file_lights[i];
        if (at->key == key && at->yaw_deg == yaw_deg)
            return at;
        if (at->used < found->used)
            found = at;
    }
    return found;
}

int draw_set_environment(struct drawing *drawing, const struct model *model, uint64_t key, double yaw_deg,
                         struct err *err)
{
    struct file_light *at = find_file_light(drawing, key, yaw_deg);
    struct panorama panorama;
    drawing->file_light = at;
    at->used = ++drawing->file_light_count;
    if (at->key == key && at->yaw_deg == yaw_deg)
        return 0;
    at->key = 0;
    at->light = at->light != NULL ? at->light : mem_zalloc(1, sizeof *at->light);
    panorama_init(&panorama, model, PANORAMA_WIDTH, yaw_deg);
    if (environment_make(panorama_radiance, &panorama, panorama.height, NULL, NULL, at->light) < 0)
        return err_set(err, ERR_NO_MEMORY, "no memory for the environment of the picture");
    if (at->map != 0)
        drawing->gl->DeleteTextures(1, &at->map);
    at->map = 0;
    at->key = key;
    at->yaw_deg = yaw_deg;
    return 0;
}

/* --- the light of a picture --- */

static const struct environment *light_of(const struct drawing *drawing, const struct picture_spec *picture)
{
    return picture->light == LIGHT_FILE ? drawing->file_light->light : LIGHTS[picture->light];
}

void draw_bind_light(struct drawing *drawing, const struct picture_spec *picture)
{
    const struct gl *gl = drawing->gl;
    GLuint *map = picture->light == LIGHT_FILE ? &drawing->file_light->map : &drawing->light_maps[picture->light];
    drawing->picture = picture;
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_ENVIRONMENT);
    if (*map == 0)
        *map = make_map(gl, light_of(drawing, picture));
    gl->BindTexture(GL_TEXTURE_2D, *map);
}

bool draw_has_chosen_light(const struct picture_spec *picture)
{
    return picture->light != LIGHT_STUDIO || picture->tone != TONE_NEUTRAL || picture->exposure_stops != 0;
}

/* Sets the model's own lights. Where nothing else shines, it adds as little ambient light as Blender's default world
 * has, so that unlit parts are dark but keep a form. */
static float set_model_lights(const struct drawing *drawing, const struct program *program)
{
    const struct gl *gl = drawing->gl;
    const struct picture_spec *picture = drawing->picture;
    const struct model_lights *lights = &drawing->model_lights;
    if ((picture->flags & PICTURE_OWN_LIGHTS) == 0)
        return 1;
    const float around = picture->light == LIGHT_FILE ? 1 : 0.05f;
    gl->Uniform1f(program->around, around);
    gl->Uniform1i(program->light_count, (GLint)lights->count);
    gl->Uniform4fv(program->light_places, MODEL_LIGHTS_DRAWN, lights->places[0]);
    gl->Uniform4fv(program->light_axes, MODEL_LIGHTS_DRAWN, lights->axes[0]);
    gl->Uniform4fv(program->light_colors, MODEL_LIGHTS_DRAWN, lights->colors[0]);
    return around;
}

void draw_set_light(const struct drawing *drawing, const struct program *program)
{
    const struct gl *gl = drawing->gl;
    const struct picture_spec *picture = drawing->picture;
    struct environment_harmonics harmonics = light_of(drawing, picture)->harmonics;
    const float around = set_model_lights(drawing, program);
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
        for (int c = 0; c < 3; c++)
            harmonics.c[i][c] *= around;
    gl->Uniform3fv(program->irradiance, ENVIRONMENT_HARMONICS, harmonics.c[0]);
    gl->Uniform1f(program->exposure, (float)exp2(picture->exposure_stops));
    gl->Uniform1i(program->tone, (GLint)picture->tone);
}
