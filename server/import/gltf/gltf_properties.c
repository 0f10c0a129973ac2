#include "import/gltf/gltf_properties.h"

#include "base/mem.h"

#include <stdlib.h>

void gltf_properties_mark(struct gltf *gltf)
{
    const uint32_t material_count = gltf->lists[GLTF_MATERIALS].count;
    gltf->animated_layers = mem_zalloc((size_t)material_count + 1, sizeof *gltf->animated_layers);
    for (uint32_t c = 0; c < gltf->lists[GLTF_ANIMATIONS].count; c++)
        for (const cJSON *item = json_first(gltf_item(gltf, GLTF_ANIMATIONS, c), "channels"); item != NULL;
             item = item->next) {
            const cJSON *extensions = json_member(json_member(item, "target"), "extensions");
            const char *pointer = json_text(json_member(extensions, "KHR_animation_pointer"), "pointer");
            uint32_t index;
            const uint32_t id = pointer == NULL ? PROPERTY_COUNT : property_find(pointer, &index);
            if (id < PROPERTY_COUNT && property_of(id).layer >= 0 && index < material_count)
                gltf->animated_layers[index] |= 1U << property_of(id).layer;
        }
}

/* --- the objects of the model --- */

static void add_user(struct gltf_users *users, int64_t of_file, uint32_t of_model)
{
    users->next[of_model] = users->first[of_file];
    users->first[of_file] = of_model + 1;
}

static struct gltf_users users_of(uint32_t file_count, uint32_t model_count)
{
    return (struct gltf_users){.first = mem_zalloc((size_t)file_count + 1, sizeof(uint32_t)),
                               .next = mem_zalloc((size_t)model_count + 1, sizeof(uint32_t))};
}

void gltf_properties_init(struct gltf_properties *properties, struct gltf *gltf)
{
    const struct bake_builder *builder = gltf->builder;
    *properties = (struct gltf_properties){
        .gltf = gltf,
        .lights = users_of(gltf->lights.count, builder->light_count),
        .cameras = users_of(gltf->lists[GLTF_CAMERAS].count, builder->camera_count),
    };
    for (uint32_t i = 0; i < builder->light_count; i++) {
        const cJSON *extensions = json_member(gltf_item(gltf, GLTF_NODES, builder->lights[i].node), "extensions");
        add_user(&properties->lights, json_index(json_member(extensions, "KHR_lights_punctual"), "light"), i);
    }
    for (uint32_t i = 0; i < builder->camera_count; i++)
        add_user(&properties->cameras, json_index(gltf_item(gltf, GLTF_NODES, builder->cameras[i].node), "camera"), i);
}

void gltf_properties_fini(struct gltf_properties *properties)
{
    free(properties->lights.first);
    free(properties->lights.next);
    free(properties->cameras.first);
    free(properties->cameras.next);
    free(properties->channels);
}

static const struct gltf_users *users_for(const struct gltf_properties *properties, uint32_t property)
{
    const uint32_t kind = property_of(property).kind;
    return kind == PROPERTY_OF_LIGHT ? &properties->lights : kind == PROPERTY_OF_CAMERA ? &properties->cameras : NULL;
}

/* Returns the model's first object of the target + 1, or 0. */
static uint32_t first_user(const struct gltf_properties *properties, const struct gltf_target *target)
{
    const struct gltf_users *users = users_for(properties, target->property);
    return users == NULL ? target->object + 1 : users->first[target->object];
}

bool gltf_properties_are_drawn(const struct gltf_properties *properties, const struct gltf_target *target,
                               const char *where)
{
    const struct model model = bake_builder_view(properties->gltf->builder);
    const uint32_t first = first_user(properties, target); /* the others have the same numbers */
    if (first > 0 && property_is_drawn(&model, target->property, first - 1))
        return true;
    char pointer[PROPERTY_POINTER_SIZE];
    property_put_pointer(target->property, target->object, pointer);
    bake_warn(properties->gltf->builder, "channel_ignored", "%s points at '%s', which no picture shows", where,
              pointer);
    import_drop(properties->gltf->import, "channel", "channel of KHR_animation_pointer", where);
    return false;
}

void gltf_properties_add(struct gltf_properties *properties, const struct gltf_target *target,
                         const struct channel *channel)
{
    properties->channels = mem_grow(properties->channels, &properties->capacity, (size_t)properties->count + 1,
                                    sizeof *properties->channels);
    properties->channels[properties->count] = *channel;
    properties->channels[properties->count++].node = target->object;
}

/* --- the end of a clip --- */

static int by_target(const void *a, const void *b)
{
    const struct channel *x = a, *y = b;
    return x->node != y->node   ? (x->node > y->node ? 1 : -1)
           : x->path != y->path ? (x->path > y->path ? 1 : -1)
                                : (x->reserved > y->reserved) - (x->reserved < y->reserved);
}

static int by_model_target(const void *a, const void *b)
{
    const struct property_channel *x = a, *y = b;
    return by_target(&x->channel, &y->channel);
}

static void sort(const struct gltf_properties *properties)
{
    if (properties->count > 0)
        qsort(properties->channels, properties->count, sizeof *properties->channels, by_target);
}

/* The first channel in the file counts. */
static void drop_duplicates(struct gltf_properties *properties)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < properties->count; i++) {
        const struct channel at = properties->channels[i];
        const struct channel *before = kept > 0 ? &properties->channels[kept - 1] : NULL;
        if (before != NULL && before->node == at.node && before->path == at.path)
            bake_warn(properties->gltf->builder, "channel_ignored",
                      "animations[%u].channels[%u] moves what channels[%u] before it points at", properties->clip,
                      at.reserved, before->reserved);
        else
            properties->channels[kept++] = at;
    }
    properties->count = kept;
}

/* Adds a channel that holds a material's own value. */
static int add_constant(struct gltf_properties *properties, uint32_t material, uint32_t id, struct err *err)
{
    struct bake_builder *builder = properties->gltf->builder;
    const struct property property = property_of(id);
    const struct gltf_target target = {.property = id, .object = material};
    char name[64];
    const cJSON *owner = gltf_property_owner(properties->gltf, id, material, name);
    const struct channel channel = {.path = PATH_COUNT + id,
                                    .interpolation = INTERPOLATION_STEP,
                                    .component_count = property.count,
                                    .key_time_first = builder->key_time_count,
                                    .key_count = 1,
                                    .value_first = builder->key_value_count};
    double *time = bake_add_key_time(builder, 1);
    float *values = bake_add_key_value(builder, property.count);
    if (time == NULL || values == NULL)
        return import_full(properties->gltf->import, err);
    for (uint32_t i = 0; i < property.count; i++)
        values[i] = property.missing;
    if (property.count == 1)
        values[0] = (float)json_number(owner, name, (double)property.missing);
    else
        json_floats(owner, name, property.count, values);
    gltf_properties_add(properties, &target, &channel);
    return 0;
}

/* Returns the number of parts of the value that the property is a part of, and the first of them in *first. */
static uint32_t parts_of(uint32_t id, uint32_t *first)
{
    const bool is_transform = id >= PROPERTY_TRANSFORMS;
    *first = is_transform ? id - (id - PROPERTY_TRANSFORMS) % TRANSFORM_PARTS : PROPERTY_EMISSIVE;
    return is_transform                                                  ? (uint32_t)TRANSFORM_PARTS
           : id == PROPERTY_EMISSIVE || id == PROPERTY_EMISSIVE_STRENGTH ? 2
                                                                         : 0;
}

/* Adds the parts that the sorted channels [.. end) lack of the value that channel `i` begins. Moves *i to its end. */
static int complete(struct gltf_properties *properties, uint32_t *i, uint32_t end, struct err *err)
{
    const struct channel begin = properties->channels[(*i)++];
    uint32_t first;
    const uint32_t count = parts_of(begin.path - PATH_COUNT, &first);
    if (count == 0)
        return 0;
    uint32_t known = 1U << (begin.path - PATH_COUNT - first);
    for (; *i < end; ++*i) {
        const struct channel *at = &properties->channels[*i];
        const uint32_t part = at->path - PATH_COUNT - first;
        if (at->node != begin.node || part >= count)
            break;
        known |= 1U << part;
    }
    for (uint32_t part = 0; part < count; part++)
        if ((known & 1U << part) == 0 && add_constant(properties, begin.node, first + part, err) < 0)
            return err->code;
    return 0;
}

/* Gives each object of the model its channels, in order. */
static int put_channels(const struct gltf_properties *properties, struct err *err)
{
    struct bake_builder *builder = properties->gltf->builder;
    const uint32_t begin = builder->property_channel_count;
    for (uint32_t i = 0; i < properties->count; i++) {
        struct property_channel added = {properties->clip, properties->channels[i]};
        const struct gltf_target target = {.property = added.channel.path - PATH_COUNT, .object = added.channel.node};
        const struct gltf_users *users = users_for(properties, target.property);
        added.channel.reserved = 0;
        for (uint32_t at = first_user(properties, &target); at > 0; at = users == NULL ? 0 : users->next[at - 1]) {
            added.channel.node = at - 1;
            if (import_put_property_channel(properties->gltf->import, &added, err) < 0)
                return err->code;
        }
    }
    if (builder->property_channel_count > begin)
        qsort(builder->property_channels + begin, builder->property_channel_count - begin,
              sizeof *builder->property_channels, by_model_target);
    return 0;
}

int gltf_properties_end_clip(struct gltf_properties *properties, struct err *err)
{
    sort(properties);
    drop_duplicates(properties);
    const uint32_t end = properties->count;
    for (uint32_t i = 0; i < end;)
        if (complete(properties, &i, end, err) < 0)
            return err->code;
    const int rc = put_channels(properties, err);
    properties->count = 0;
    return rc;
}
