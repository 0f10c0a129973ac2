/* model_lights.c - converts the lights of a file (KHR_lights_punctual) to numbers for the shader. */
#include "render/draw/draw.h"

#include <math.h>
#include <string.h>

/* Stronger lights are clamped, so that products of floats stay finite. */
static const double POWER_MAX = 1e18;

static bool is_shown(const struct model *model, const struct posed_model *posed, uint32_t node)
{
    const uint32_t flags = model->nodes[node].flags;
    return (flags & NODE_IN_SCENE) != 0 && (posed->has_shown ? posed->is_shown[node] != 0 : (flags & NODE_HIDDEN) == 0);
}

/* False: the node has no such direction. */
static bool find_axis(const struct dmat4 *view_from_node, float out[4])
{
    double axis[3];
    dmat4_direction(view_from_node, (const double[3]){0, 0, -1}, axis);
    const double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (!(length > 0) || !isfinite(length))
        return false;
    for (int c = 0; c < 3; c++)
        out[c] = (float)(axis[c] / length);
    return true;
}

/* Sets the falloff between the cones, as the extension defines it. */
static void set_cone(const struct model_light *light, float axis[4], float color[4])
{
    axis[3] = 1;
    color[3] = 0;
    if (light->kind != LIGHT_KIND_SPOT)
        return;
    const double inner = cos((double)light->inner_cone), outer = cos((double)light->outer_cone);
    const double factor = 1 / fmax(0.001, inner - outer);
    color[3] = (float)factor;
    axis[3] = (float)(-outer * factor);
}

/* units: fragment units in a metre; scene_units: fragment units in a unit of the scene. False: it lights nothing. */
static bool set_light(const struct model_light *light, const struct dmat4 *view_from_node, double unit, double units,
                      double scene_units, float place[4], float axis[4], float color[4])
{
    const bool is_directional = light->kind == LIGHT_KIND_DIRECTIONAL;
    const double spread = is_directional ? 1 : units * units;
    if (!find_axis(view_from_node, axis) && light->kind != LIGHT_KIND_POINT)
        return false;
    for (int c = 0; c < 3; c++) {
        place[c] = (float)(view_from_node->m[12 + c] * unit);
        color[c] = (float)fmin((double)light->color[c] * (double)light->intensity * spread, POWER_MAX);
        if (!isfinite(place[c]) || !isfinite(color[c]))
            return false;
    }
    place[3] = is_directional ? -1 : (float)fmin((double)light->range * scene_units, POWER_MAX);
    set_cone(light, axis, color);
    return true;
}

void model_lights_find(struct model_lights *lights, const struct model *model, const struct posed_model *posed,
                       double unit)
{
    const struct dmat4 *view_from_scene = &posed->camera.view_from_scene;
    const double *x = view_from_scene->m;
    const double scene_units = hypot(hypot(x[0], x[1]), x[2]) * unit;
    const double units = scene_units / (double)model->infos[0].unit_m;
    memset(lights, 0, sizeof *lights);
    for (uint32_t i = 0; i < model->light_count && lights->count < MODEL_LIGHTS_DRAWN; i++) {
        const struct model_light *light = &model->lights[i];
        const uint32_t n = lights->count;
        if (!is_shown(model, posed, light->node))
            continue;
        const struct dmat4 view_from_node = dmat4_mul(view_from_scene, &posed->pose.scene_from_node[light->node]);
        lights->count += set_light(light, &view_from_node, unit, units, scene_units, lights->places[n], lights->axes[n],
                                   lights->colors[n]);
    }
}
