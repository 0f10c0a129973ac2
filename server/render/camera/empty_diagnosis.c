/* empty_diagnosis.c - classifies each surface that left no pixel. */
#include "render/camera/empty_diagnosis.h"

#include "anim/pose/skin.h"
#include "render/draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The reasons why a surface left no pixel; the first that applies. */
enum fate { FATE_OUTSIDE, FATE_NO_AREA, FATE_TRANSPARENT, FATE_BACK, FATE_SMALL, FATE_OTHER, FATE_COUNT };

static const char *const WORDS[FATE_COUNT] = {
    [FATE_OUTSIDE] = "outside of the camera's view", [FATE_NO_AREA] = "without area",
    [FATE_TRANSPARENT] = "fully transparent",        [FATE_BACK] = "with their backs to the camera",
    [FATE_SMALL] = "smaller than a pixel",           [FATE_OTHER] = "between the picture's samples",
};
static const char *const ADVICE[FATE_COUNT] = {
    [FATE_OUTSIDE] = "look at 'target', 'distance' or the camera of the file",
    [FATE_NO_AREA] = "the pose or the file has nothing with an area",
    [FATE_TRANSPARENT] = "look at the alpha of their materials; view=skeleton shows the nodes",
    [FATE_BACK] = "another 'yaw' shows their fronts",
    [FATE_SMALL] = "ask for a larger picture, or with frame=pose for this pose alone",
    [FATE_OTHER] = "ask for a larger picture",
};

/* A smaller alpha leaves no trace in 8 bits. */
static const double TRACE = 0.5 / 255;

struct seen {
    const struct posed_model *posed;
    const uint32_t *samples;
    uint64_t counts[FATE_COUNT];
};

/* A surface by its corners in clip space. */
struct surface {
    double clip[3][4], view[3][3];
    uint32_t corner_count; /* 1..3 */
    bool is_culled, is_mirrored, is_transparent;
};

static bool is_outside(const struct surface *s)
{
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2) {
            uint32_t beyond = 0;
            for (uint32_t c = 0; c < s->corner_count; c++)
                beyond += !(sign * s->clip[c][axis] <= s->clip[c][3]);
            if (beyond == s->corner_count)
                return true;
        }
    return false;
}

/* True when the area exceeds rounding errors. */
static bool has_area(const struct surface *s)
{
    double a[3], b[3], across[3];
    for (int i = 0; i < 3; i++) {
        a[i] = s->view[1][i] - s->view[0][i];
        b[i] = s->view[2][i] - s->view[0][i];
    }
    cross3(a, b, across);
    return dot3(across, across) > 1e-10 * dot3(a, a) * dot3(b, b);
}

/* Projects the corners to samples. False: one is behind the eye. */
static bool project(const struct surface *s, const uint32_t samples[2], double out[3][2])
{
    for (uint32_t c = 0; c < s->corner_count; c++) {
        if (!(s->clip[c][3] > 0))
            return false;
        for (int i = 0; i < 2; i++)
            out[c][i] = (s->clip[c][i] / s->clip[c][3] + 1) / 2 * samples[i];
    }
    return true;
}

static enum fate fate_of(const struct surface *s, const uint32_t samples[2])
{
    double at[3][2];
    if (is_outside(s))
        return FATE_OUTSIDE;
    if (s->corner_count == 3 && !has_area(s))
        return FATE_NO_AREA;
    if (s->is_transparent)
        return FATE_TRANSPARENT;
    if (!project(s, samples, at))
        return FATE_OTHER;
    if (s->corner_count == 3) {
        const double area =
            (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) - (at[2][0] - at[0][0]) * (at[1][1] - at[0][1]);
        if (s->is_culled && (s->is_mirrored ? -area : area) <= 0)
            return FATE_BACK;
    }
    double size = HUGE_VAL;
    for (int i = 0; i < 2; i++) {
        double low = at[0][i], high = at[0][i];
        for (uint32_t c = 1; c < s->corner_count; c++) {
            low = fmin(low, at[c][i]);
            high = fmax(high, at[c][i]);
        }
        size = fmin(size, high - low);
    }
    return size < 1 ? FATE_SMALL : FATE_OTHER;
}

static void see(struct seen *seen, struct surface *s, const struct vec3 *view_points, const uint32_t *corners)
{
    const double *m = seen->posed->camera.clip_from_view.m;
    for (uint32_t c = 0; c < s->corner_count; c++) {
        const struct vec3 p = view_points[corners[c]];
        const double view[4] = {(double)p.x, (double)p.y, (double)p.z, 1};
        for (int r = 0; r < 4; r++) {
            s->clip[c][r] = 0;
            for (int k = 0; k < 4; k++)
                s->clip[c][r] += m[4 * k + r] * view[k];
            if (r < 3)
                s->view[c][r] = view[r];
        }
    }
    seen->counts[fate_of(s, seen->samples)]++;
}

/* Returns the greatest alpha that a material can produce. */
static double greatest_alpha(const struct model *model, const struct material *material)
{
    const int32_t index = material->textures[TEXTURE_BASE_COLOR].texture;
    const struct texture *texture = index >= 0 ? &model->textures[index] : NULL;
    uint8_t most = 0;
    if (texture == NULL || texture->state != TEXTURE_FOUND)
        return (double)material->base_color[3];
    const uint8_t *texel = model->pixels + texture->pixel_first;
    for (uint64_t i = 0; i < (uint64_t)texture->width * texture->height && most < 255; i++)
        most = texel[4 * i + 3] > most ? texel[4 * i + 3] : most;
    return (double)material->base_color[3] * most / 255;
}

/* Returns the greatest alpha of a primitive's vertices. */
static double greatest_vertex_alpha(const struct model *model, const struct primitive *primitive)
{
    uint16_t most = 0;
    if ((primitive->flags & PRIMITIVE_COLORS) == 0 || model->color_count == 0)
        return 1;
    for (uint32_t v = 0; v < primitive->vertex_count; v++) {
        const uint16_t alpha = model->colors[primitive->vertex_first + v].a;
        most = alpha > most ? alpha : most;
    }
    return (double)most / UINT16_MAX;
}

static bool is_transparent(const struct model *model, const struct primitive *primitive,
                           const struct material *material)
{
    if (material->alpha_mode == ALPHA_OPAQUE)
        return false;
    const double alpha = greatest_alpha(model, material) * greatest_vertex_alpha(model, primitive);
    return material->alpha_mode == ALPHA_MASK ? alpha < (double)material->alpha_cutoff : alpha < TRACE;
}

static int see_draw(struct seen *seen, const struct model *model, const struct posed_draw *draw, struct err *err)
{
    const struct posed_model *posed = seen->posed;
    const struct draw *source = &model->draws[draw->draw];
    const struct primitive *primitive = &model->primitives[source->primitive];
    const struct material *material = draw->material;
    const struct skin_palette palette = posed_model_palette(posed, model, source->skin);
    const uint32_t corner_count = primitive_corner_count(primitive);
    struct vec3 *points = malloc(primitive->vertex_count * sizeof *points + 1);
    if (points == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to look at %u vertices", primitive->vertex_count);
    skin_positions(model, source->primitive, &palette, posed_model_bind(posed, model, draw), points);
    struct surface surface = {.corner_count = corner_count,
                              .is_culled = draw_has_culling(model, material, draw),
                              .is_mirrored = draw->is_mirrored,
                              .is_transparent = is_transparent(model, primitive, material)};
    for (uint32_t i = 0; i + corner_count <= primitive->index_count; i += corner_count)
        see(seen, &surface, points, model->indices + primitive->index_first + i);
    free(points);
    return 0;
}

static void see_bones(struct seen *seen)
{
    const struct skeleton_mesh *skeleton = &seen->posed->skeleton;
    for (uint32_t v = 0; v + 3 <= skeleton->vertex_count; v += 3) {
        struct vec3 points[3];
        struct surface surface = {.corner_count = 3};
        for (uint32_t c = 0; c < 3; c++) {
            double at[3];
            dmat4_point(&seen->posed->camera.view_from_scene, DOUBLE3(skeleton->positions[v + c]), at);
            points[c] = (struct vec3){(float)at[0], (float)at[1], (float)at[2]};
        }
        see(seen, &surface, points, (const uint32_t[3]){0, 1, 2});
    }
}

/* Returns the most common reason. About half of a closed shape faces away from any camera, so that is the reason only
 * where there is no other. */
static int find_reason(const uint64_t counts[FATE_COUNT])
{
    int most = FATE_BACK;
    for (int f = 0; f < FATE_COUNT; f++)
        if (f != FATE_BACK && counts[f] > 0 && (most == FATE_BACK || counts[f] > counts[most]))
            most = f;
    return most != FATE_BACK && counts[FATE_BACK] > 4 * counts[most] ? FATE_BACK : most;
}

int empty_diagnosis_explain(const struct posed_model *posed, const struct model *model, const uint32_t samples[2],
                            struct err *err)
{
    struct seen seen = {.posed = posed, .samples = samples};
    char text[360];
    uint64_t total = 0;
    for (uint32_t d = 0; d < posed->draw_count; d++)
        if (see_draw(&seen, model, &posed->draws[d], err) < 0)
            return err->code;
    if (posed->draw_count == 0)
        see_bones(&seen);
    for (int f = 0; f < FATE_COUNT; f++)
        total += seen.counts[f];
    size_t at = 0;
    for (int f = 0; f < FATE_COUNT; f++)
        if (seen.counts[f] > 0 && at < sizeof text)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%llu %s", at == 0 ? "" : ", ",
                                   (unsigned long long)seen.counts[f], WORDS[f]);
    return err_set(err, ERR_NOTHING_TO_DRAW, "no pixel shows the model; of its %llu surfaces are %s: %s",
                   (unsigned long long)total, text, ADVICE[find_reason(seen.counts)]);
}
