/* collada_anim.c - what samplers drive, and clips. */
#include "import/collada/collada.h"

#include "anim/bake/bake_check.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- channels --- */

struct animation_reader {
    struct collada *collada;
    struct bake_builder *builder;
    uint64_t param_count; /* of all samplers */
    uint32_t ignored_count;
    const char *ignored; /* the first target that moves something else */
};

/* Determines the values that a sampler of this width sets; false if the width does not fit. */
static bool fit_values(const struct xml *xml, const struct collada_target *target, uint32_t width,
                       struct collada_channel *channel)
{
    const struct step_kind *kind = step_kind_of(xml, target->element);
    *channel = (struct collada_channel){.element = target->element, .count = 1};
    if (target->value >= 0)
        channel->first = (uint32_t)target->value;
    else if (width == 1 && xml_is(xml, target->element, "rotate"))
        channel->first = 3; /* the angle, as some exporters mean it */
    else
        channel->count = width;
    if (kind == NULL) /* an array of weights */
        return true;
    return channel->count == 1 ? channel->first < kind->value_count : channel->count == kind->value_count;
}

static int add_channel(struct animation_reader *reading, uint32_t element, const char *target, struct err *err)
{
    struct collada *collada = reading->collada;
    const struct xml *xml = &collada->xml;
    struct collada_target found;
    struct collada_channel channel;
    if (!target_find(xml, target, &found)) {
        reading->ignored = reading->ignored_count++ == 0 ? target : reading->ignored;
        return 0;
    }
    const uint32_t from = xml_follow(xml, element, "source", "sampler");
    if (!xml_is(xml, from, "sampler"))
        return err_set(err, ERR_BAD_MODEL, "it has no sampler");
    struct collada_sampler *sampler = &collada->samplers[collada->sampler_count];
    const int rc = collada_sampler(xml, from, target, sampler, reading->builder, err);
    if (rc < 0)
        return rc;
    if (!fit_values(xml, &found, sampler->width, &channel)) {
        const uint32_t width = sampler->width;
        sampler_fini(sampler);
        return err_set(err, ERR_BAD_MODEL, "%u values at a key do not fit", width);
    }
    reading->param_count += (uint64_t)sampler->key_count * sampler->width;
    channel.place = element;
    channel.sampler = collada->sampler_count++;
    collada->channels[collada->channel_count++] = channel;
    return 0;
}

static int by_element_and_place(const void *a, const void *b)
{
    const struct collada_channel *i = a, *k = b;
    return i->element != k->element ? (i->element > k->element) - (i->element < k->element)
                                    : (i->place > k->place) - (i->place < k->place);
}

static bool is_in_library(const struct xml *xml, uint32_t element)
{
    while (xml->elements[element].depth > 1)
        element = xml->elements[element].parent;
    return xml_is(xml, element, "library_animations");
}

/* Fills samplers and channels. */
static int read_channels(struct collada *collada, const struct limits *limits, struct bake_builder *builder,
                         struct err *err)
{
    const struct xml *xml = &collada->xml;
    struct animation_reader reading = {.collada = collada, .builder = builder};
    uint32_t count = 0;
    for (uint32_t e = 0; e < xml->element_count; e++)
        count += xml_is(xml, e, "channel");
    collada->channels = mem_zalloc(count + 1, sizeof *collada->channels);
    collada->samplers = mem_zalloc(count + 1, sizeof *collada->samplers);
    for (uint32_t e = 0; e < xml->element_count; e++) {
        const char *target = xml_is(xml, e, "channel") && is_in_library(xml, e) ? xml_get(xml, e, "target") : NULL;
        struct err own;
        if (target == NULL)
            continue;
        const int rc = add_channel(&reading, e, target, &own);
        if (rc == ERR_BAD_MODEL)
            bake_warn(builder, "channel_unreadable", "channel '%s' is left out: %s", target, own.message);
        else if (rc < 0)
            return err_set(err, rc, "channel '%s': %s", target, own.message);
        if (reading.param_count > limits->value[LIMIT_KEYS])
            return err_set(err, ERR_MODEL_LIMIT, "the clips have more key values than %s",
                           LIMIT_TEXT(limits, LIMIT_KEYS));
    }
    if (reading.ignored_count > 0)
        bake_warn(builder, "channels_ignored",
                  "%u channels move something else than transforms and morph weights, '%s' among them",
                  reading.ignored_count, reading.ignored);
    qsort(collada->channels, collada->channel_count, sizeof *collada->channels, by_element_and_place);
    return 0;
}

/* --- clips --- */

bool collada_clip_is_whole(const struct collada_clip *clip) { return !(clip->end_s > clip->start_s); }

static bool clip_time(const struct xml *xml, uint32_t element, const char *attribute, double initial, double *value)
{
    const char *text = xml_get(xml, element, attribute);
    *value = initial;
    return text == NULL || (values_fixed(text, value, 1) == 1 && fabs(*value) <= BAKE_TIME_MAX / 2);
}

/* Collects the channels within the animations that a clip instances. */
static void mark(const struct collada *collada, uint32_t clip, bool *is_in)
{
    const struct xml *xml = &collada->xml;
    for (uint32_t e = xml_child(xml, clip, "instance_animation"); e != XML_NONE;
         e = xml_next(xml, e, "instance_animation")) {
        const uint32_t animation = xml_follow(xml, e, "url", "animation");
        for (uint32_t c = 0; animation != XML_NONE && c < collada->channel_count; c++)
            is_in[c] |=
                collada->channels[c].place > animation && collada->channels[c].place < xml->elements[animation].end;
    }
}

static int add_clip(struct collada *collada, struct collada_clip clip, const bool *is_in, struct err *err)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < collada->channel_count; c++)
        count += is_in[c];
    const size_t total = (size_t)collada->clip_channel_count + count;
    if (total >= UINT32_MAX)
        return err_set(err, ERR_MODEL_LIMIT, "the clips have %zu channels", total);
    collada->clip_channels = mem_realloc(collada->clip_channels, total * sizeof *collada->clip_channels);
    clip.channel_first = collada->clip_channel_count;
    clip.channel_count = count;
    for (uint32_t c = 0; c < collada->channel_count; c++)
        if (is_in[c])
            collada->clip_channels[collada->clip_channel_count++] = c;
    collada->clips = mem_realloc(collada->clips, (collada->clip_count + 1) * sizeof *collada->clips);
    collada->clips[collada->clip_count++] = clip;
    return 0;
}

static int add_named(struct collada *collada, uint32_t element, bool *is_in, bool *is_used, struct err *err)
{
    const struct xml *xml = &collada->xml;
    const char *name = xml_get(xml, element, "name");
    struct collada_clip clip = {.name = name != NULL ? name : xml_get(xml, element, "id")};
    /* A clip without an end lasts as long as its animations. */
    if (!clip_time(xml, element, "start", 0, &clip.start_s) || !clip_time(xml, element, "end", HUGE_VAL, &clip.end_s))
        return err_set(err, ERR_BAD_MODEL, "clip '%s' has a start or end that is no time",
                       clip.name != NULL ? clip.name : "");
    if (collada_clip_is_whole(&clip))
        clip.start_s = clip.end_s = 0;
    memset(is_in, 0, collada->channel_count);
    mark(collada, element, is_in);
    for (uint32_t c = 0; c < collada->channel_count; c++)
        is_used[c] |= is_in[c];
    return add_clip(collada, clip, is_in, err);
}

/* Fills clips from <animation_clip> elements; one more clip gets the channels that no other has. */
static int read_clips(struct collada *collada, struct err *err)
{
    const struct xml *xml = &collada->xml;
    bool *is_in = mem_zalloc(collada->channel_count + 1, sizeof *is_in);
    bool *is_used = mem_zalloc(collada->channel_count + 1, sizeof *is_used);
    int rc = 0;
    for (uint32_t l = xml_child(xml, 0, "library_animation_clips"); l != XML_NONE && rc == 0;
         l = xml_next(xml, l, "library_animation_clips"))
        for (uint32_t e = xml_child(xml, l, "animation_clip"); e != XML_NONE && rc == 0;
             e = xml_next(xml, e, "animation_clip"))
            rc = add_named(collada, e, is_in, is_used, err);
    uint32_t rest = 0;
    for (uint32_t c = 0; c < collada->channel_count; c++) {
        is_in[c] = !is_used[c];
        rest += is_in[c];
    }
    if (rc == 0 && rest > 0)
        rc = add_clip(collada, (struct collada_clip){0}, is_in, err);
    free(is_in);
    free(is_used);
    return rc;
}

/* --- the whole file --- */

static int read_scene(struct collada *collada, const char *name, const struct limits *limits,
                      struct bake_builder *builder, struct err *err)
{
    collada_xml_drop_own_name(&collada->xml, name);
    return collada_scene(collada, limits, builder, err);
}

int collada_read(struct collada *collada, const char *name, const uint8_t *bytes, size_t size_bytes,
                 const struct limits *limits, struct bake_builder *builder, struct err *err)
{
    *collada = (struct collada){0};
    if (collada_xml_parse(&collada->xml, bytes, size_bytes, err) == 0 && collada_version(&collada->xml, err) == 0 &&
        read_scene(collada, name, limits, builder, err) == 0 && read_channels(collada, limits, builder, err) == 0 &&
        read_clips(collada, err) == 0)
        return 0;
    collada_fini(collada);
    return err->code;
}

void collada_fini(struct collada *collada)
{
    for (uint32_t s = 0; s < collada->sampler_count; s++)
        sampler_fini(&collada->samplers[s]);
    free(collada->samplers);
    free(collada->nodes);
    free(collada->steps);
    free(collada->channels);
    free(collada->clips);
    free(collada->clip_channels);
    xml_fini(&collada->xml);
    *collada = (struct collada){0};
}
