/* gltf_anim.c - animations: clips and what their channels move (glTF 2.0, 3.11). */
#include "import/gltf/gltf_claims.h"
#include "import/gltf/gltf_keys.h"
#include "import/gltf/gltf_properties.h"
#include "import/gltf/gltf_weights.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

/* The state of reading one clip. */
struct clip_reader {
    struct gltf *gltf;
    uint32_t clip;
    struct gltf_list samplers;
    struct gltf_claims claims;
    struct gltf_weight_parts parts;
    struct gltf_properties properties;
};

/* Finds what the channel animates. Returns 1, 0 with a warning (the channel moves nothing) or a negative code. */
static int read_target(struct clip_reader *reader, const cJSON *json, const char *where, struct gltf_target *out,
                       struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    const char *name = json_text(json, "path");
    const cJSON *pointer = json_member(json_member(json, "extensions"), "KHR_animation_pointer");
    if (pointer != NULL)
        return gltf_pointer_read(reader->gltf, json_text(pointer, "pointer"), where, out);
    *out = (struct gltf_target){.node = json_index(json, "node"),
                                .mesh = -1,
                                .path = json_word(name, GLTF_PATHS, PATH_VISIBILITY),
                                .weight = -1,
                                .property = GLTF_NO_PROPERTY};
    if (out->path < 0)
        return err_set(err, ERR_BAD_MODEL, "%s.target.path is '%.20s', which is none of glTF's", where, name);
    if (out->node < 0)
        bake_warn(builder, "channel_ignored", "%s names no node", where);
    return out->node >= 0;
}

static int read_keys(struct clip_reader *reader, uint32_t sampler, struct gltf_key_source *source, struct err *err)
{
    char where[64];
    snprintf(where, sizeof where, "animations[%u].samplers[%u]", reader->clip, sampler);
    return gltf_read_keys(reader->gltf, reader->samplers.items[sampler], where, source, err);
}

static int add_channel(struct clip_reader *reader, const struct gltf_target *target, uint32_t sampler,
                       struct gltf_key_source *source, struct err *err)
{
    static const uint32_t COMPONENTS[] = {
        [PATH_TRANSLATION] = 3, [PATH_ROTATION] = 4, [PATH_SCALE] = 3, [PATH_VISIBILITY] = 1};
    struct gltf *gltf = reader->gltf;
    if (!gltf_claims_node(&reader->claims, target, source->where))
        return 0;
    source->channel.node = (uint32_t)target->node;
    source->channel.path = (uint32_t)target->path;
    source->channel.component_count = target->weight >= 0            ? 1
                                      : target->path == PATH_WEIGHTS ? gltf->builder->nodes[target->node].weight_count
                                                                     : COMPONENTS[target->path];
    source->what = GLTF_PATHS[target->path];
    if (read_keys(reader, sampler, source, err) < 0)
        return err->code;
    if (target->weight >= 0) {
        gltf_weight_parts_add(&reader->parts, &source->channel, (uint32_t)target->weight);
        return 0;
    }
    return import_put_channel(gltf->import, &source->channel, err);
}

static int add_property(struct clip_reader *reader, const struct gltf_target *target, uint32_t sampler, uint32_t index,
                        struct gltf_key_source *source, struct err *err)
{
    char pointer[PROPERTY_POINTER_SIZE];
    property_put_pointer(target->property, target->object, pointer);
    source->what = pointer;
    source->channel.path = PATH_COUNT + target->property;
    source->channel.component_count = property_of(target->property).count;
    source->channel.reserved = index;
    if (!gltf_properties_are_drawn(&reader->properties, target, source->where))
        return 0;
    if (read_keys(reader, sampler, source, err) < 0)
        return err->code;
    gltf_properties_add(&reader->properties, target, &source->channel);
    return 0;
}

static int read_channel(struct clip_reader *reader, const cJSON *json, uint32_t index, struct err *err)
{
    struct gltf_key_source source = {0};
    struct gltf_target target;
    snprintf(source.where, sizeof source.where, "animations[%u].channels[%u]", reader->clip, index);
    const uint64_t sampler = json_count(json, "sampler", 0);
    if (sampler >= reader->samplers.count)
        return err_set(err, ERR_BAD_MODEL, "%s.sampler is %llu, but the animation has %u samplers", source.where,
                       (unsigned long long)sampler, reader->samplers.count);
    int rc = read_target(reader, json_member(json, "target"), source.where, &target, err);
    if (rc <= 0)
        return rc;
    if (target.property != GLTF_NO_PROPERTY)
        return add_property(reader, &target, (uint32_t)sampler, index, &source, err);
    if (target.mesh < 0)
        return add_channel(reader, &target, (uint32_t)sampler, &source, err);
    rc = 0;
    if (gltf_claims_mesh(&reader->claims, &target, source.where))
        while (rc == 0 && gltf_claims_next(&reader->claims, &target))
            rc = add_channel(reader, &target, (uint32_t)sampler, &source, err);
    return rc;
}

static int read_clip(struct clip_reader *reader, struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    const cJSON *json = gltf_item(reader->gltf, GLTF_ANIMATIONS, reader->clip);
    reader->samplers = gltf_list_of(json_member(json, "samplers"));
    builder->clips[reader->clip].name = gltf_name(reader->gltf, json, GLTF_ANIMATIONS, reader->clip);
    builder->clips[reader->clip].channel_first = builder->channel_count;
    reader->claims.clip = reader->clip + 1;
    reader->properties.clip = reader->clip;
    uint32_t index = 0;
    int rc = 0;
    for (const cJSON *item = json_first(json, "channels"); item != NULL && rc == 0; item = item->next)
        rc = read_channel(reader, item, index++, err);
    if (rc == 0)
        rc = gltf_weight_parts_put(&reader->parts, reader->gltf, err);
    if (rc == 0)
        rc = gltf_properties_end_clip(&reader->properties, err);
    builder->clips[reader->clip].channel_count = builder->channel_count - builder->clips[reader->clip].channel_first;
    free(reader->samplers.items);
    return rc;
}

int gltf_read_animations(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_ANIMATIONS].count;
    gltf->times = mem_zalloc(gltf->lists[GLTF_ACCESSORS].count, sizeof *gltf->times);
    gltf->values = mem_zalloc(gltf->lists[GLTF_ACCESSORS].count, sizeof *gltf->values);
    struct clip_reader reader = {.gltf = gltf};
    if (count > 0)
        gltf_claims_init(&reader.claims, gltf);
    gltf_properties_init(&reader.properties, gltf);
    int rc = bake_add_clip(gltf->builder, count) == NULL ? import_full(gltf->import, err) : 0;
    for (; reader.clip < count && rc == 0; reader.clip++)
        rc = read_clip(&reader, err);
    gltf_claims_fini(&reader.claims);
    gltf_properties_fini(&reader.properties);
    gltf_weight_parts_fini(&reader.parts);
    return rc;
}
