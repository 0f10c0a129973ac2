/* property.c - the table of properties, and the pointers at them. */
#include "anim/model/property.h"

#include "anim/model/trig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LAYER_SLOT(slot) ((slot) < TEXTURE_SLOT_COUNT ? -1 : (int)LAYER_CLEARCOAT)
static const struct property FIXED[PROPERTY_LAYERS] = {
#define PROPERTY(id, kind, slot, pointer, count, type, field, least, most, missing)                                    \
    [PROPERTY_##id] = {PROPERTY_OF_##kind,                                                                             \
                       LAYER_SLOT(slot),                                                                               \
                       slot,                                                                                           \
                       NULL,                                                                                           \
                       pointer,                                                                                        \
                       NULL,                                                                                           \
                       count,                                                                                          \
                       offsetof(struct type, field),                                                                   \
                       least,                                                                                          \
                       most,                                                                                           \
                       missing},
#include "anim/model/property.def"
};

/* By enum property_kind. */
static const char *const PREFIXES[] = {"/materials/", "/materials/", "/extensions/KHR_lights_punctual/lights/",
                                       "/cameras/"};

static struct property of_layer(uint32_t number)
{
    const struct layer_number *row = &LAYER_NUMBERS[number];
    return (struct property){.kind = PROPERTY_OF_LAYER,
                             .layer = (int32_t)row->layer,
                             .slot = -1,
                             .extension = LAYER_EXTENSIONS[row->layer],
                             .member = row->member,
                             .count = row->count,
                             .offset = row->offset,
                             .least = row->least,
                             .most = row->most,
                             .missing = row->neutral};
}

static struct property of_transform(uint32_t slot, uint32_t part)
{
    static const char *const MEMBERS[TEXTURE_SLOT_COUNT] = {
        [TEXTURE_BASE_COLOR] = "pbrMetallicRoughness/baseColorTexture",
        [TEXTURE_METALLIC_ROUGHNESS] = "pbrMetallicRoughness/metallicRoughnessTexture",
        [TEXTURE_NORMAL] = "normalTexture",
        [TEXTURE_OCCLUSION] = "occlusionTexture",
        [TEXTURE_EMISSIVE] = "emissiveTexture"};
    static const char *const PARTS[] = {"offset", "scale", "rotation"};
    const struct layer_texture *layer = slot < TEXTURE_SLOT_COUNT ? NULL : &LAYER_TEXTURES[slot - TEXTURE_SLOT_COUNT];
    const bool is_rotation = part == TRANSFORM_ROTATION;
    return (struct property){.kind = layer == NULL ? PROPERTY_OF_MATERIAL : PROPERTY_OF_LAYER,
                             .layer = layer == NULL ? -1 : (int32_t)layer->layer,
                             .slot = (int32_t)slot,
                             .extension = layer == NULL ? NULL : LAYER_EXTENSIONS[layer->layer],
                             .member = layer == NULL ? MEMBERS[slot] : layer->member,
                             .of_transform = PARTS[part],
                             .count = is_rotation ? 1 : 2,
                             .least = -1e6f,
                             .most = 1e6f,
                             .missing = part == TRANSFORM_SCALE};
}

struct property property_of(uint32_t id)
{
    if (id < PROPERTY_LAYERS)
        return FIXED[id];
    if (id < PROPERTY_TRANSFORMS)
        return of_layer(id - PROPERTY_LAYERS);
    return of_transform((id - PROPERTY_TRANSFORMS) / TRANSFORM_PARTS, (id - PROPERTY_TRANSFORMS) % TRANSFORM_PARTS);
}

/* --- pointers --- */

static const char OF_EXTENSION[] = "extensions/", OF_TRANSFORM[] = "/extensions/KHR_texture_transform/";

void property_put_path(uint32_t id, char out[PROPERTY_POINTER_SIZE])
{
    const struct property property = property_of(id);
    const bool is_of_layer = property.extension != NULL, is_transform = property.of_transform != NULL;
    snprintf(out, PROPERTY_POINTER_SIZE, "%s%s%s%s%s%s", is_of_layer ? OF_EXTENSION : "",
             is_of_layer ? property.extension : "", is_of_layer ? "/" : "", property.member,
             is_transform ? OF_TRANSFORM : "", is_transform ? property.of_transform : "");
}

void property_put_pointer(uint32_t id, uint32_t index, char out[PROPERTY_POINTER_SIZE])
{
    const int size = snprintf(out, PROPERTY_POINTER_SIZE, "%s%u/", PREFIXES[property_of(id).kind], index);
    char path[PROPERTY_POINTER_SIZE];
    property_put_path(id, path);
    snprintf(out + size, PROPERTY_POINTER_SIZE - (size_t)size, "%s", path);
}

/* Moves *at behind `text`, or returns false. */
static bool pass(const char **at, const char *text)
{
    const size_t size = strlen(text);
    if (strncmp(*at, text, size) != 0)
        return false;
    *at += size;
    return true;
}

/* An index of RFC 6901: digits without leading zeros. */
static bool pass_index(const char **at, uint32_t *index)
{
    const char *digits = *at;
    uint64_t number = 0;
    while (**at >= '0' && **at <= '9' && number < UINT32_MAX)
        number = 10 * number + (uint64_t)(*(*at)++ - '0');
    *index = (uint32_t)number;
    return *at > digits && (*digits != '0' || *at == digits + 1) && number < UINT32_MAX && pass(at, "/");
}

static bool is_named(const struct property *property, const char *at)
{
    return (property->extension == NULL ||
            (pass(&at, OF_EXTENSION) && pass(&at, property->extension) && pass(&at, "/"))) &&
           pass(&at, property->member) &&
           (property->of_transform == NULL || (pass(&at, OF_TRANSFORM) && pass(&at, property->of_transform))) &&
           *at == '\0';
}

uint32_t property_find(const char *pointer, uint32_t *index)
{
    for (uint32_t kind = PROPERTY_OF_LAYER; kind <= PROPERTY_OF_CAMERA; kind++) {
        const char *at = pointer;
        if (!pass(&at, PREFIXES[kind]) || !pass_index(&at, index))
            continue;
        for (uint32_t id = 0; id < PROPERTY_COUNT; id++) {
            const struct property property = property_of(id);
            const bool is_kind =
                property.kind == kind || (kind == PROPERTY_OF_LAYER && property.kind == PROPERTY_OF_MATERIAL);
            if (is_kind && is_named(&property, at))
                return id;
        }
    }
    return PROPERTY_COUNT;
}

/* --- objects --- */

static bool is_drawn_of_material(const struct model *model, const struct property *property, uint32_t target)
{
    if (target >= model->material_count)
        return false;
    const struct material *material = &model->materials[target];
    const struct material_layers *layers = material_layers_of(model, material);
    return (property->layer < 0 || (layers != NULL && (layers->present & 1U << property->layer) != 0)) &&
           (property->slot < 0 || material_texture_at(model, material, (uint32_t)property->slot)->texture >= 0);
}

static bool is_drawn_of_light(const struct model *model, uint32_t id, uint32_t target)
{
    if (target >= model->light_count)
        return false;
    const struct model_light *light = &model->lights[target];
    return id == PROPERTY_LIGHT_RANGE                                           ? light->range > 0
           : id == PROPERTY_LIGHT_INNER_CONE || id == PROPERTY_LIGHT_OUTER_CONE ? light->kind == LIGHT_KIND_SPOT
                                                                                : true;
}

static bool is_drawn_of_camera(const struct model *model, uint32_t id, uint32_t target)
{
    if (target >= model->camera_count)
        return false;
    const struct model_camera *camera = &model->cameras[target];
    if (id >= PROPERTY_CAMERA_XMAG)
        return camera->kind == CAMERA_ORTHOGRAPHIC;
    return camera->kind == CAMERA_PERSPECTIVE && (id != PROPERTY_CAMERA_ASPECT || camera->width > 0) &&
           (id != PROPERTY_CAMERA_FAR || camera->z_far > 0);
}

bool property_is_drawn(const struct model *model, uint32_t id, uint32_t target)
{
    const struct property property = property_of(id);
    return property.kind == PROPERTY_OF_LIGHT    ? is_drawn_of_light(model, id, target)
           : property.kind == PROPERTY_OF_CAMERA ? is_drawn_of_camera(model, id, target)
                                                 : is_drawn_of_material(model, &property, target);
}

/* The rotation direction makes the extension's own example (offset 0,1, a quarter turn, scale 0.5) show the lower left
 * quadrant. The GLSL in its text has the transposed matrix. */
void texture_transform_matrix(const double offset[2], const double scale[2], double rotation, float uv_from_texcoord[6])
{
    static const double TURN = 6.283185307179586;
    const double angle = fabs(rotation) > TRIG_MAX ? remainder(rotation, TURN) : rotation;
    const double c = trig_cos(angle), s = trig_sin(angle);
    const double m[6] = {c * scale[0], s * scale[1], offset[0], -s * scale[0], c * scale[1], offset[1]};
    for (int i = 0; i < 6; i++)
        uv_from_texcoord[i] = (float)m[i];
}

/* [c*sx, s*sy, ox; -s*sx, c*sy, oy] */
void texture_transform_parts(const float uv_from_texcoord[6], double offset[2], double scale[2], double *rotation)
{
    const float *m = uv_from_texcoord;
    const double a = (double)m[0], b = (double)m[1], d = (double)m[3], e = (double)m[4];
    const double scale_y = sqrt(b * b + e * e);
    offset[0] = (double)m[2];
    offset[1] = (double)m[5];
    scale[0] = sqrt(a * a + d * d);
    scale[1] = a * e - b * d < 0 ? -scale_y : scale_y;
    *rotation = scale[0] > 0 ? trig_atan(-d, a) : trig_atan(b, e);
}
