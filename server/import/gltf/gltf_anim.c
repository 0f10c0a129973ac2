/* gltf_anim.c - animations: clips and their channels (glTF 2.0, 3.11). */
#include "import/gltf/gltf_keys.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATH_COUNT = sizeof GLTF_PATHS / sizeof *GLTF_PATHS };

/* One clip while it is read. */
struct clip_reader {
    struct gltf *gltf;
    uint32_t clip;
    struct gltf_list samplers;
    uint32_t *clip_of; /* [node][path]: the last clip + 1 that animates it */
};

/* Fills node, path and component_count. Returns 1, 0 (the channel moves nothing: a warning tells why) or a negative
 * code. */
static int read_target(struct clip_reader *reader, const cJSON *target, struct key_source *source, struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    if (json_member(json_member(target, "extensions"), "KHR_animation_pointer") != NULL) {
        bake_warn(builder, "channel_ignored", "%s uses KHR_animation_pointer, which is not supported", source->where);
        return 0;
    }
    const char *name = json_text(target, "path");
    const int path = json_word(name, GLTF_PATHS, PATH_COUNT);
    if (path < 0)
        return err_set(err, ERR_BAD_MODEL, "%s.target.path is '%.20s', which is none of glTF's", source->where, name);
    const int64_t node = json_index(target, "node");
    if (node < 0) {
        bake_warn(builder, "channel_ignored", "%s names no node", source->where);
        return 0;
    }
    const uint32_t weight_count = builder->nodes[node].weight_count;
    if (path == PATH_WEIGHTS && weight_count == 0) {
        bake_warn(builder, "channel_ignored", "%s moves morph weights of nodes[%u], which has none", source->where,
                  (uint32_t)node);
        return 0;
    }
    uint32_t *clip_of = &reader->clip_of[node * PATH_COUNT + path];
    if (*clip_of == reader->clip + 1) {
        bake_warn(builder, "channel_ignored", "%s moves the %s of nodes[%u], as a channel before it does",
                  source->where, name, (uint32_t)node);
        return 0;
    }
    *clip_of = reader->clip + 1;
    static const uint32_t COMPONENTS[] = {[PATH_TRANSLATION] = 3, [PATH_ROTATION] = 4, [PATH_SCALE] = 3};
    source->channel.node = (uint32_t)node;
    source->channel.path = (uint32_t)path;
    source->channel.component_count = path == PATH_WEIGHTS ? weight_count : COMPONENTS[path];
    return 1;
}

static int read_channel(struct clip_reader *reader, const cJSON *json, uint32_t index, struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    struct key_source source = {0};
    snprintf(source.where, sizeof source.where, "animations[%u].channels[%u]", reader->clip, index);
    const uint64_t sampler = json_count(json, "sampler", 0);
    if (sampler >= reader->samplers.count)
        return err_set(err, ERR_BAD_MODEL, "%s.sampler is %llu, but the animation has %u samplers", source.where,
                       (unsigned long long)sampler, reader->samplers.count);
    const int is_moving = read_target(reader, json_member(json, "target"), &source, err);
    if (is_moving <= 0)
        return is_moving;
    char sampler_where[64];
    snprintf(sampler_where, sizeof sampler_where, "animations[%u].samplers[%u]", reader->clip, (uint32_t)sampler);
    if (gltf_read_keys(reader->gltf, reader->samplers.items[sampler], sampler_where, &source, err) < 0)
        return err->code;
    if (import_put_channel(reader->gltf->import, &source.channel, err) < 0)
        return err->code;
    builder->clips[reader->clip].channel_count++;
    return 0;
}

static int read_clip(struct clip_reader *reader, struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    const cJSON *json = gltf_item(reader->gltf, GLTF_ANIMATIONS, reader->clip);
    reader->samplers = gltf_list_of(json_member(json, "samplers"));
    builder->clips[reader->clip].name = gltf_name(reader->gltf, json, GLTF_ANIMATIONS, reader->clip);
    builder->clips[reader->clip].channel_first = builder->channel_count;
    uint32_t index = 0;
    int rc = 0;
    for (const cJSON *item = json_first(json, "channels"); item != NULL && rc == 0; item = item->next)
        rc = read_channel(reader, item, index++, err);
    free(reader->samplers.items);
    return rc;
}

int gltf_read_animations(struct gltf *gltf, struct err *err)
{
    const uint32_t count = gltf->lists[GLTF_ANIMATIONS].count;
    gltf->times = mem_zalloc(gltf->lists[GLTF_ACCESSORS].count, sizeof *gltf->times);
    gltf->values = mem_zalloc(gltf->lists[GLTF_ACCESSORS].count, sizeof *gltf->values);
    struct clip_reader reader = {
        .gltf = gltf, .clip_of = mem_zalloc((size_t)gltf->builder->node_count * PATH_COUNT, sizeof(uint32_t))};
    int rc = bake_add_clip(gltf->builder, count) == NULL ? import_full(gltf->import, err) : 0;
    for (; reader.clip < count && rc == 0; reader.clip++)
        rc = read_clip(&reader, err);
    free(reader.clip_of);
    return rc;
}
