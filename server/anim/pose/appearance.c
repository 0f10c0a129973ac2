#include "anim/pose/appearance.h"

#include "anim/model/property.h"
#include "anim/pose/sample.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct property_channel *appearance_channels(const struct model *model, uint32_t clip, uint32_t *count)
{
    const uint32_t all = model->property_channel_count;
    const uint32_t first = LOWER_BOUND(model->property_channels, all, clip, clip);
    *count = LOWER_BOUND(model->property_channels, all, clip, clip + 1) - first;
    return *count > 0 ? model->property_channels + first : NULL; /* a model without any has no array */
}

/* --- values --- */

/* Samples a channel, within the property's limits. */
static void sample_property(const struct model *model, const struct channel *channel, double time_s, double out[4])
{
    const struct property property = property_of(channel->path - PATH_COUNT);
    const double least = (double)property.least, most = (double)property.most;
    sample_channel(model, channel, time_s, out);
    for (uint32_t i = 0; i < property.count; i++)
        out[i] = out[i] > least ? out[i] < most ? out[i] : most : least;
}

static void *object_of(struct appearance *appearance, const struct model *model, uint32_t kind, uint32_t target)
{
    switch (kind) {
    case PROPERTY_OF_MATERIAL:
        return &appearance->materials[target];
    case PROPERTY_OF_LAYER:
        return &appearance->layers[model->materials[target].layers];
    case PROPERTY_OF_LIGHT:
        return &appearance->lights[target];
    default:
        return &appearance->cameras[target];
    }
}

static void set_number(struct appearance *appearance, const struct model *model, const struct channel *channel,
                       double time_s)
{
    const struct property property = property_of(channel->path - PATH_COUNT);
    double values[4];
    sample_property(model, channel, time_s, values);
    float *out =
        (float *)(void *)((char *)object_of(appearance, model, property.kind, channel->node) + property.offset);
    for (uint32_t i = 0; i < property.count; i++)
        out[i] = (float)values[i];
}

/* The parts that follow each other in the table are parts of one value: the channels at[0 .. count) of one target. */
static uint32_t count_parts(const struct property_channel *at, uint32_t most, uint32_t first_id, uint32_t id_count)
{
    uint32_t count = 0;
    while (count < most && at[count].channel.node == at->channel.node &&
           at[count].channel.path - PATH_COUNT - first_id < id_count)
        count++;
    return count;
}

static uint32_t set_transform(struct appearance *appearance, const struct model *model,
                              const struct property_channel *at, uint32_t most, double time_s)
{
    const uint32_t slot = (at->channel.path - PATH_COUNT - PROPERTY_TRANSFORMS) / TRANSFORM_PARTS;
    const uint32_t first_id = PROPERTY_TRANSFORMS + slot * TRANSFORM_PARTS;
    const uint32_t count = count_parts(at, most, first_id, TRANSFORM_PARTS);
    double parts[TRANSFORM_PARTS][4] = {[TRANSFORM_SCALE] = {1, 1}};
    for (uint32_t i = 0; i < count; i++)
        sample_property(model, &at[i].channel, time_s, parts[at[i].channel.path - PATH_COUNT - first_id]);
    struct material_texture *texture =
        slot < TEXTURE_SLOT_COUNT
            ? &appearance->materials[at->channel.node].textures[slot]
            : &appearance->layers[model->materials[at->channel.node].layers].textures[slot - TEXTURE_SLOT_COUNT];
    texture_transform_matrix(parts[TRANSFORM_OFFSET], parts[TRANSFORM_SCALE], parts[TRANSFORM_ROTATION][0],
                             texture->uv_from_texcoord);
    return count;
}

static uint32_t set_emissive(struct appearance *appearance, const struct model *model,
                             const struct property_channel *at, uint32_t most, double time_s)
{
    const uint32_t count = count_parts(at, most, PROPERTY_EMISSIVE, 2);
    double parts[2][4] = {{0}, {1}};
    for (uint32_t i = 0; i < count; i++)
        sample_property(model, &at[i].channel, time_s, parts[at[i].channel.path - PATH_COUNT - PROPERTY_EMISSIVE]);
    for (int i = 0; i < 3; i++)
        appearance->materials[at->channel.node].emissive[i] = (float)(parts[0][i] * parts[1][0]);
    return count;
}

/* Sets what `at` moves. Returns the number of channels that this took. */
static uint32_t set_property(struct appearance *appearance, const struct model *model,
                             const struct property_channel *at, uint32_t most, double time_s)
{
    const uint32_t id = at->channel.path - PATH_COUNT;
    if (id >= PROPERTY_TRANSFORMS)
        return set_transform(appearance, model, at, most, time_s);
    if (id == PROPERTY_EMISSIVE || id == PROPERTY_EMISSIVE_STRENGTH)
        return set_emissive(appearance, model, at, most, time_s);
    set_number(appearance, model, &at->channel, time_s);
    return 1;
}

/* Keeps rules between numbers that move on their own. */
static void repair(struct appearance *appearance, const struct model *model, uint32_t kind, uint32_t target)
{
    if (kind == PROPERTY_OF_LAYER) {
        struct material_layers *layers = &appearance->layers[model->materials[target].layers];
        layers->ior = material_ior(layers->ior);
    } else if (kind == PROPERTY_OF_LIGHT) {
        struct model_light *light = &appearance->lights[target];
        if (light->kind == LIGHT_KIND_SPOT && !(light->inner_cone < light->outer_cone))
            light->inner_cone = light->outer_cone * 0.999f;
    } else if (kind == PROPERTY_OF_CAMERA) {
        struct model_camera *camera = &appearance->cameras[target];
        if (camera->z_far != 0 && !(camera->z_far > camera->z_near))
            camera->z_far = camera->z_near * 1.001f + 1e-20f;
    }
}

/* --- arrays --- */

/* A copy of an array of the model. */
#define COPY(to, capacity, plural, singular)                                                                           \
    appearance->to =                                                                                                   \
        mem_reserve(appearance->to, &appearance->capacity, model->singular##_count, sizeof *appearance->to);           \
    if (appearance->to == NULL && model->singular##_count > 0)                                                         \
        return err_set(err, ERR_NO_MEMORY, "no memory for %u " #plural " of a clip", model->singular##_count);         \
    if (model->singular##_count > 0)                                                                                   \
    memcpy(appearance->to, model->plural, model->singular##_count * sizeof *appearance->to)

static int copy_arrays(struct appearance *appearance, const struct model *model, struct err *err)
{
    COPY(materials, material_capacity, materials, material);
    COPY(layers, layer_capacity, material_layers, material_layer);
    COPY(lights, light_capacity, lights, light);
    COPY(cameras, camera_capacity, cameras, camera);
    return 0;
}

int appearance_evaluate(struct appearance *appearance, const struct model *model, int32_t clip, double clip_time_s,
                        struct err *err)
{
    uint32_t count = 0;
    const struct property_channel *channels = clip < 0 ? NULL : appearance_channels(model, (uint32_t)clip, &count);
    appearance->is_animated = false;
    if (count == 0)
        return 0;
    if (copy_arrays(appearance, model, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < count;)
        i += set_property(appearance, model, &channels[i], count - i, clip_time_s);
    for (uint32_t i = 0; i < count; i++)
        repair(appearance, model, property_of(channels[i].channel.path - PATH_COUNT).kind, channels[i].channel.node);
    appearance->is_animated = true;
    return 0;
}

/* --- given poses --- */

/* Puts `share` less of each number and `sums` in its place; a pose of weight below 1 does less. */
static void give_numbers(float *numbers, uint32_t count, const double values[GIVEN_MATERIAL_VALUES], double weight)
{
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = (float)((double)numbers[i] * (1 - weight * values[0]) + weight * values[1 + i]);
}

/* Scales the columns of the matrix, and moves its translation, as scale and offset change. */
static void give_transform(struct material_texture *texture, const double values[GIVEN_MATERIAL_VALUES], double weight)
{
    float *m = texture->uv_from_texcoord;
    for (int k = 0; k < 2; k++) {
        const double x = (double)m[k], y = (double)m[3 + k], scale = sqrt(x * x + y * y);
        const double changed = scale * (1 - weight * values[0]) + weight * values[1 + k];
        const double factor = scale > 0 ? changed / scale : 1;
        m[k] = (float)(x * factor);
        m[3 + k] = (float)(y * factor);
        m[3 * k + 2] = (float)((double)m[3 * k + 2] * (1 - weight * values[0]) + weight * values[3 + k]);
    }
}

static void give_part(struct appearance *appearance, const struct given_material *at,
                      const double values[GIVEN_MATERIAL_VALUES], double weight)
{
    struct material *material = &appearance->materials[at->material];
    if (at->part == GIVEN_BASE_COLOR)
        give_numbers(material->base_color, 4, values, weight);
    else if (at->part == GIVEN_EMISSIVE)
        give_numbers(material->emissive, 3, values, weight);
    else
        for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++)
            give_transform(&material->textures[slot], values, weight);
    for (int i = 0; i < 4; i++)
        material->base_color[i] = fminf(1, fmaxf(0, material->base_color[i]));
    for (int i = 0; i < 3; i++)
        material->emissive[i] = fmaxf(0, material->emissive[i]);
}

/* What expressions add to materials to look at a point. */
struct looking {
    const struct given_look *look;
    uint32_t bind; /* the next one */
    double weights[GAZE_LOOKS];
};

static struct looking start_looking(const struct give *give, const struct given_moment *moment,
                                    const struct dmat4 *scene_from_node)
{
    struct looking looking = {.look = &give->given->look};
    double yaw_deg, pitch_deg;
    if (looking.look->kind == LOOK_NONE)
        return looking;
    given_look_angles(looking.look, &scene_from_node[looking.look->head], &yaw_deg, &pitch_deg);
    given_look_weights(looking.look, yaw_deg, pitch_deg, given_pose_look_share(give->given, moment), looking.weights);
    while (looking.bind < looking.look->bind_count && looking.look->binds[looking.bind].material == LOOK_NO_MATERIAL)
        looking.bind++;
    return looking;
}

/* Adds to the values of a material. Calls are by rising material. */
static void add_looks(struct looking *looking, uint32_t material, double values[GIVEN_MATERIAL_VALUES])
{
    for (; looking->bind < looking->look->bind_count; looking->bind++) {
        const struct look_bind *bind = &looking->look->binds[looking->bind];
        const double weight = looking->weights[bind->look];
        if (bind->material != (int32_t)material)
            return;
        values[0] += weight;
        for (int k = 0; k < 4; k++)
            values[1 + k] += weight * (double)bind->values[k];
    }
}

int appearance_give(struct appearance *appearance, const struct model *model, const struct give *give,
                    const struct dmat4 *scene_from_node, struct err *err)
{
    const struct given_pose *given = give->given;
    const struct given_moment moment = given_pose_moment(given, give->time_s);
    if (given->material_count == 0)
        return 0;
    if (!appearance->is_animated && copy_arrays(appearance, model, err) < 0)
        return err->code;
    appearance->is_animated = true;
    struct looking looking = start_looking(give, &moment, scene_from_node);
    for (uint32_t i = 0; i < given->material_count; i++) {
        double values[GIVEN_MATERIAL_VALUES];
        given_pose_material(given, &given->materials[i], &moment, values);
        add_looks(&looking, i, values);
        give_part(appearance, &given->materials[i], values, give->weight);
    }
    return 0;
}

struct model appearance_view(const struct appearance *appearance, const struct model *model)
{
    struct model view = *model;
    if (!appearance->is_animated)
        return view;
    view.materials = appearance->materials;
    view.material_layers = appearance->layers;
    view.lights = appearance->lights;
    view.cameras = appearance->cameras;
    return view;
}

void appearance_fini(struct appearance *appearance)
{
    free(appearance->materials);
    free(appearance->layers);
    free(appearance->lights);
    free(appearance->cameras);
    *appearance = (struct appearance){0};
}
