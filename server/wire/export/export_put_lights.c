/* export_put_lights.c - writes lights as JSON (KHR_lights_punctual). The file has all lights of the model with the same
 * numbers. */
#include "wire/export/export_internal.h"

#include "base/sort.h"
#include "wire/encode/json.h"

uint32_t export_light_of(const struct export *e, uint32_t node)
{
    const uint32_t low = LOWER_BOUND(e->model->lights, e->model->light_count, node, node);
    const bool is_there = low < e->model->light_count && e->model->lights[low].node == node;
    return is_there && e->keeps[node] == KEEP_ALL ? low : GLB_NONE;
}

static void put_light(struct export *e, uint32_t index)
{
    struct buf *out = e->out;
    const struct model *model = e->model;
    const struct model_light *light = &model->lights[index];
    static const char *const KINDS[LIGHT_KIND_COUNT] = {
        [LIGHT_KIND_DIRECTIONAL] = "directional", [LIGHT_KIND_POINT] = "point", [LIGHT_KIND_SPOT] = "spot"};
    buf_put_char(out, '{');
    glb_put_name(out, model, light->name);
    json_printf(out, "\"type\":%s,\"color\":", KINDS[light->kind]);
    json_put_floats(out, light->color, 3);
    json_printf(out, ",\"intensity\":%f", (double)light->intensity);
    if (light->range > 0)
        json_printf(out, ",\"range\":%f", (double)light->range);
    if (light->kind == LIGHT_KIND_SPOT)
        json_printf(out, ",\"spot\":{\"innerConeAngle\":%f,\"outerConeAngle\":%f}", (double)light->inner_cone,
                    (double)light->outer_cone);
    export_put_extras(e, CARRY_LIGHT, index);
    buf_put_char(out, '}');
}

void export_put_lights(struct export *e)
{
    for (uint32_t l = 0; l < e->model->light_count && !buf_failed(e->out); l++) {
        buf_put_text(e->out, l == 0 ? "\"KHR_lights_punctual\":{\"lights\":[" : ",");
        put_light(e, l);
    }
    if (e->model->light_count == 0)
        return;
    buf_put_text(e->out, "]}");
    e->extensions |= 1U << GLB_LIGHTS;
}
