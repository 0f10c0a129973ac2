#include "anim/entity/entity_clip.h"

#include "anim/entity/entity_sampler.h"

#include <stdlib.h>
#include <string.h>

uint64_t entity_clip_steps(const struct entity_motion *motion)
{
    const struct entity *entity = &motion->entity;
    const uint64_t poses = entity->layer_count == 0 ? 1 : 2 * (uint64_t)entity->layer_count,
                   times = 2 * (uint64_t)motion->time_count;
    uint64_t steps =
        poses * (pose_step_count(entity->model) + 1); /* below 2^41; a time costs something without nodes too */
    for (uint32_t i = 0; i < entity->layer_count && entity->layers != NULL; i++)
        if (entity->layers[i].given != NULL && entity->layers[i].given->material_count > 0)
            steps += entity->model->material_count;
    return steps > UINT64_MAX / times ? UINT64_MAX : steps * times;
}

/* Plans the keys of a channel. */
static int plan_keys(const struct entity_sampler *sampler, struct entity_clip *made, uint8_t moves,
                     struct channel *channel, struct err *err)
{
    const uint64_t most = sampler->motion->max_values < UINT32_MAX ? sampler->motion->max_values : UINT32_MAX;
    channel->interpolation = INTERPOLATION_LINEAR;
    channel->key_count = moves == MOVES_IN_TIME ? made->time_count : 1;
    channel->value_first = (uint32_t)made->value_count;
    made->value_count += (uint64_t)channel->key_count * channel->component_count;
    return made->value_count <= most
               ? 0
               : err_set(err, ERR_TOO_MANY_FRAMES, "a clip of %u poses has more than %llu numbers in its keys",
                         made->time_count, (unsigned long long)most);
}

static int plan_channels(const struct entity_sampler *sampler, struct entity_clip *made, struct err *err)
{
    for (uint32_t n = 0; n < sampler->model->node_count; n++)
        for (uint32_t path = 0; path <= PATH_WEIGHTS; path++) {
            const uint8_t moves = sampler->moves[(size_t)n * (PATH_WEIGHTS + 1) + path];
            struct channel channel = {.node = n, .path = path};
            entity_sampler_path(sampler, n, path, &channel.component_count);
            if (moves == MOVES_NOT)
                continue;
            if (plan_keys(sampler, made, moves, &channel, err) < 0)
                return err->code;
            made->channels[made->channel_count++] = channel;
        }
    return 0;
}

/* Whether some part of the group of part p moves. */
static bool group_moves(const uint8_t moves[LOOKS_PARTS], uint32_t p)
{
    for (uint32_t other = 0; other < LOOKS_PARTS; other++)
        if (moves[other] != MOVES_NOT && looks_part(other).group == looks_part(p).group)
            return true;
    return false;
}

static int plan_looks(const struct entity_sampler *sampler, struct entity_clip *made, struct err *err)
{
    for (uint32_t i = 0; i < sampler->looks.count; i++) {
        const uint32_t material = sampler->looks.materials[i];
        const uint8_t *moves = &sampler->look_moves[(size_t)i * LOOKS_PARTS];
        for (uint32_t p = 0; p < LOOKS_PARTS; p++) {
            const struct looks_part part = looks_part(p);
            struct channel channel = {
                .node = material, .path = PATH_COUNT + part.property, .component_count = part.count};
            if (!group_moves(moves, p) || !property_is_drawn(sampler->model, part.property, material))
                continue;
            if (plan_keys(sampler, made, moves[p], &channel, err) < 0)
                return err->code;
            made->properties[made->property_count++] = (struct property_channel){.channel = channel};
        }
    }
    return 0;
}

/* Writes the key of a channel at time t, if it has one. `from`: its place in the row. */
static void put_key(const struct entity_sampler *sampler, struct entity_clip *made, const struct channel *channel,
                    uint32_t t, size_t from)
{
    if (t < channel->key_count)
        memcpy(made->values + channel->value_first + (size_t)t * channel->component_count, sampler->row + from,
               channel->component_count * sizeof *made->values);
}

/* Channels of materials stand as they were planned, so their places come in the same order. */
static void put_looks(const struct entity_sampler *sampler, struct entity_clip *made, uint32_t t)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < sampler->looks.count; i++)
        for (uint32_t p = 0; p < LOOKS_PARTS && next < made->property_count; p++) {
            const struct looks_part part = looks_part(p);
            const struct channel *channel = &made->properties[next].channel;
            if (channel->node != sampler->looks.materials[i] || channel->path != PATH_COUNT + part.property)
                continue;
            put_key(sampler, made, channel, t, entity_sampler_part(sampler, i, &part));
            next++;
        }
}

static int fill(struct entity_sampler *sampler, struct entity_clip *made, struct err *err)
{
    for (uint32_t t = 0; t < made->time_count; t++) {
        if (entity_sampler_evaluate(sampler, t, err) < 0)
            return err->code;
        for (uint32_t c = 0; c < made->channel_count; c++) {
            const struct channel *channel = &made->channels[c];
            uint32_t count;
            put_key(sampler, made, channel, t, entity_sampler_path(sampler, channel->node, channel->path, &count));
        }
        put_looks(sampler, made, t);
    }
    return 0;
}

static int make(struct entity_sampler *sampler, struct entity_clip *made, struct err *err)
{
    if (entity_sampler_find_moves(sampler, err) < 0 || plan_channels(sampler, made, err) < 0 ||
        plan_looks(sampler, made, err) < 0)
        return err->code;
    made->values = malloc((made->value_count + 1) * sizeof *made->values);
    if (made->values == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a clip of %u poses", made->time_count);
    return fill(sampler, made, err);
}

int entity_clip_init(struct entity_clip *made, struct entity_work *work, const struct entity_motion *motion,
                     struct err *err)
{
    struct entity_sampler sampler;
    const uint32_t nodes = motion->entity.model->node_count;
    *made = (struct entity_clip){.time_count = motion->time_count};
    int rc = entity_sampler_init(&sampler, work, motion, err);
    made->channels = calloc((size_t)nodes * (PATH_WEIGHTS + 1) + 1, sizeof *made->channels);
    made->properties = calloc((size_t)sampler.looks.count * LOOKS_PARTS + 1, sizeof *made->properties);
    made->times_s = malloc(made->time_count * sizeof *made->times_s);
    if (rc == 0 && (made->channels == NULL || made->properties == NULL || made->times_s == NULL))
        rc = err_set(err, ERR_NO_MEMORY, "no memory for a clip of %u poses", made->time_count);
    if (rc == 0) {
        memcpy(made->times_s, motion->times_s, made->time_count * sizeof *made->times_s);
        rc = make(&sampler, made, err);
    }
    entity_sampler_fini(&sampler);
    return rc;
}

void entity_clip_fini(struct entity_clip *made)
{
    free(made->channels);
    free(made->properties);
    free(made->times_s);
    free(made->values);
    *made = (struct entity_clip){.channels = NULL};
}
