/* draw_light.c - the light of a picture as GL state: the map of its environment, and what a chosen light is. */
#include "render/draw/draw.h"

#include <math.h>

static const struct environment *const LIGHTS[LIGHT_COUNT] = {
    [LIGHT_STUDIO] = &ENVIRONMENT_STUDIO, [LIGHT_OUTDOOR] = &ENVIRONMENT_OUTDOOR, [LIGHT_FLAT] = &ENVIRONMENT_FLAT};

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

void draw_bind_light(struct drawing *drawing, const struct picture_spec *picture)
{
    const struct gl *gl = drawing->gl;
    GLuint *map = &drawing->light_maps[picture->light];
    drawing->picture = picture;
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_ENVIRONMENT);
    if (*map == 0)
        *map = make_map(gl, LIGHTS[picture->light]);
    gl->BindTexture(GL_TEXTURE_2D, *map);
}

bool draw_has_chosen_light(const struct picture_spec *picture)
{
    return picture->light != LIGHT_STUDIO || picture->tone != TONE_NEUTRAL || picture->exposure_stops != 0;
}

void draw_set_light(const struct drawing *drawing, const struct program *program)
{
    const struct gl *gl = drawing->gl;
    const struct picture_spec *picture = drawing->picture;
    gl->Uniform3fv(program->irradiance, ENVIRONMENT_HARMONICS, LIGHTS[picture->light]->harmonics.c[0]);
    gl->Uniform1f(program->exposure, (float)exp2(picture->exposure_stops));
    gl->Uniform1i(program->tone, (GLint)picture->tone);
}
