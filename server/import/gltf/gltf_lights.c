/* gltf_lights.c - KHR_lights_punctual (Khronos): reads lights, each placed at its node. */
#include "import/gltf/gltf.h"

#include <math.h>
#include <string.h>

static const cJSON *extension_of(const cJSON *object)
{
    return json_member(json_member(object, "extensions"), "KHR_lights_punctual");
}

static bool is_amount(float number) { return number >= 0 && isfinite(number); }

/* Returns false if the numbers are invalid for a light. */
static bool read_cone(const cJSON *json, struct model_light *light)
{
    const cJSON *spot = json_member(json, "spot");
    light->inner_cone = (float)json_number(spot, "innerConeAngle", 0);
    light->outer_cone = (float)json_number(spot, "outerConeAngle", 0.78539816339744831);
    return light->inner_cone >= 0 && light->inner_cone < light->outer_cone && light->outer_cone <= 1.5708f;
}

/* Returns false if the numbers are invalid for a light. */
static bool read_light(const cJSON *json, struct model_light *light)
{
    static const char *const KINDS[LIGHT_KIND_COUNT] = {
        [LIGHT_KIND_DIRECTIONAL] = "directional", [LIGHT_KIND_POINT] = "point", [LIGHT_KIND_SPOT] = "spot"};
    const char *type = json_text(json, "type");
    while (light->kind < LIGHT_KIND_COUNT && strcmp(type, KINDS[light->kind]) != 0)
        light->kind++;
    light->color[0] = light->color[1] = light->color[2] = 1;
    json_floats(json, "color", 3, light->color);
    light->intensity = (float)json_number(json, "intensity", 1);
    const bool has_range = light->kind != LIGHT_KIND_DIRECTIONAL && json_member(json, "range") != NULL;
    light->range = has_range ? (float)json_number(json, "range", 0) : 0;
    return light->kind < LIGHT_KIND_COUNT && is_amount(light->color[0]) && is_amount(light->color[1]) &&
           is_amount(light->color[2]) && is_amount(light->intensity) && is_amount(light->range) &&
           (light->range > 0 || !has_range) && (light->kind != LIGHT_KIND_SPOT || read_cone(json, light));
}

static void warn_of_many(struct gltf *gltf)
{
    const struct bake_builder *builder = gltf->builder;
    if (builder->light_count <= MODEL_LIGHTS_DRAWN)
        return;
    bake_warn(gltf->builder, "too_many_lights",
              "the file has %u lights at nodes: light=file shows the first %d of those in the scene, nodes[%u] has the "
              "next one",
              builder->light_count, MODEL_LIGHTS_DRAWN, builder->lights[MODEL_LIGHTS_DRAWN].node);
}

int gltf_read_lights(struct gltf *gltf, struct err *err)
{
    gltf->lights = gltf_list_of(json_member(extension_of(gltf->root), "lights"));
    int rc = 0;
    for (uint32_t n = 0; n < gltf->builder->node_count && rc == 0; n++) {
        const int64_t index = json_index(extension_of(gltf_item(gltf, GLTF_NODES, n)), "light");
        if (index < 0)
            continue;
        if (index >= gltf->lights.count) {
            rc = err_set(err, ERR_BAD_MODEL,
                         "nodes[%u].extensions.KHR_lights_punctual.light is %lld, but the file has %u lights", n,
                         (long long)index, gltf->lights.count);
            break;
        }
        const cJSON *json = gltf->lights.items[index];
        struct model_light light = {.node = n};
        if (!read_light(json, &light)) {
            bake_warn(gltf->builder, "light_ignored",
                      "extensions.KHR_lights_punctual.lights[%lld] has a type, power or cone that no light can have",
                      (long long)index);
            continue;
        }
        const char *name = json_text(json, "name");
        light.name = name != NULL ? bake_textz(gltf->builder, name) : gltf->builder->nodes[n].name;
        rc = import_put_light(gltf->import, &light, err);
    }
    warn_of_many(gltf);
    return rc;
}
