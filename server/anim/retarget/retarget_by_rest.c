/* retarget_by_rest.c - converts clips of another rig by rotations relative to the rests. The view has its own keys. */
#include "anim/retarget/retarget_internal.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of a view by rest besides struct retarget. */
struct rest_retarget {
    struct rest_motion motion;
    struct rest_face face;
    struct rest_clip_options options;
    bool has_locked_feet; /* stays when the options are gone */
    double *times;        /* keys of all converted clips */
    float *values;
};

void retarget_free_rest(struct rest_retarget *rest)
{
    if (rest == NULL)
        return;
    rest_motion_fini(&rest->motion);
    rest_face_fini(&rest->face);
    free(rest->times);
    free(rest->values);
    free(rest);
}

/* Counts work that all clips together may ask for. */
static void charge(struct retarget *retarget, uint64_t steps)
{
    uint64_t *left = &retarget->rest->options.max_steps;
    retarget->steps += steps;
    if (*left > 0) /* 0 is no limit, so at least one step stays */
        *left = steps < *left ? *left - steps : 1;
}

int retarget_set_rest(struct retarget *retarget, const struct rest_options *options, struct err *err)
{
    struct rest_retarget *rest = mem_zalloc(1, sizeof *rest);
    struct model *view = &retarget->model;
    retarget->rest = rest;
    rest->options = options->clip;
    rest->has_locked_feet = options->clip.has_locked_feet;
    view->key_times = NULL;
    view->key_values = NULL;
    view->key_time_count = view->key_value_count = 0;
    const int rc = rest_motion_init(&rest->motion, view, &options->model, retarget->source, &options->source,
                                    &options->clip_rest, rest->options.max_steps, retarget->partners, err);
    if (rc < 0)
        return rc;
    charge(retarget, rest->motion.reference.steps);
    rest_face_init(&rest->face, &rest->motion.model, retarget->source);
    rest->options.face = &rest->face;
    return 0;
}

const struct rest_face *retarget_face(const struct retarget *retarget)
{
    return retarget->rest == NULL ? NULL : &retarget->rest->face;
}

const struct rest_reference *retarget_reference(const struct retarget *retarget, double *hips_turned_deg)
{
    const struct rest_motion *motion = retarget->rest == NULL ? NULL : &retarget->rest->motion;
    *hips_turned_deg = motion == NULL ? 0 : motion->hips_turned_deg;
    return motion == NULL ? NULL : &motion->reference;
}

enum rest_swap retarget_swap(const struct retarget *retarget)
{
    return retarget->rest == NULL ? REST_SWAP_NONE : retarget->rest->motion.swap;
}

bool retarget_has_locked_feet(const struct retarget *retarget) { return retarget->rest->has_locked_feet; }

double retarget_scale(const struct retarget *retarget) { return retarget->rest->motion.scale; }

bool retarget_leaves_out(const struct retarget *retarget, const struct channel *channel)
{
    const int32_t partner = retarget->partners[channel->node];
    if (retarget->rest != NULL && retarget->rest->face.is_source[channel->node] != 0)
        return true;
    if (retarget->rest == NULL || partner < 0 || !path_is_transform(channel->path) || channel->path == PATH_ROTATION)
        return false;
    const struct rest_motion *motion = &retarget->rest->motion;
    return channel->path == PATH_SCALE || !motion->joints[motion->joint_of_node[partner]].has_translation;
}

/* Appends keys to the view's, and finds where they begin. False: indices would overflow. */
static bool add_keys(struct retarget *retarget, const double *times, uint32_t time_count, const float *values,
                     uint64_t value_count, struct channel *begin)
{
    struct rest_retarget *rest = retarget->rest;
    struct model *view = &retarget->model;
    begin->key_time_first = view->key_time_count;
    begin->value_first = view->key_value_count;
    if (value_count > UINT32_MAX - view->key_value_count || time_count > UINT32_MAX - view->key_time_count)
        return false;
    rest->times = mem_realloc(rest->times, ((size_t)view->key_time_count + time_count + 1) * sizeof *rest->times);
    rest->values = mem_realloc(rest->values, (view->key_value_count + (size_t)value_count + 1) * sizeof *rest->values);
    memcpy(rest->times + view->key_time_count, times, time_count * sizeof *times);
    memcpy(rest->values + view->key_value_count, values, (size_t)value_count * sizeof *values);
    view->key_times = rest->times;
    view->key_values = rest->values;
    view->key_time_count += time_count;
    view->key_value_count += (uint32_t)value_count;
    return true;
}

static void add_channel(struct retarget *retarget, struct clip *clip, const struct channel *channel)
{
    retarget->channels[retarget->model.channel_count++] = *channel;
    clip->channel_count++;
}

/* Copies the channels that are not transforms (morph weights and visibility), as by name. */
static bool copy_others(struct retarget *retarget, const struct clip *from, struct clip *clip)
{
    const struct model *source = retarget->source;
    retarget_reserve_channels(retarget, from->channel_count);
    for (uint32_t c = 0; c < from->channel_count; c++) {
        struct channel channel = source->channels[from->channel_first + c];
        const int32_t partner = retarget_partner(retarget, &channel);
        const uint64_t values = (uint64_t)channel.key_count * channel.component_count *
                                (channel.interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
        if (path_is_transform(channel.path) || partner < 0 ||
            rest_face_moves(&retarget->rest->face, (uint32_t)partner, channel.path))
            continue;
        channel.node = (uint32_t)partner;
        if (!add_keys(retarget, source->key_times + channel.key_time_first, channel.key_count,
                      source->key_values + channel.value_first, values, &channel))
            return false;
        add_channel(retarget, clip, &channel);
    }
    return true;
}

/* Takes over the numbers of the first clip without a copy, because there may be many. */
static void take_made(struct retarget *retarget, struct rest_clip *made)
{
    struct model *view = &retarget->model;
    view->key_times = retarget->rest->times = made->times;
    view->key_values = retarget->rest->values = made->values;
    view->key_time_count = made->time_count;
    view->key_value_count = (uint32_t)made->value_count;
    made->times = NULL;
    made->values = NULL;
}

static bool put_made(struct retarget *retarget, struct rest_clip *made, struct clip *clip)
{
    struct channel begin = {.interpolation = INTERPOLATION_LINEAR, .key_count = made->time_count};
    const float *values = made->values;
    if (retarget->rest->times == NULL)
        take_made(retarget, made);
    else if (!add_keys(retarget, made->times, made->time_count, made->values, made->value_count, &begin))
        return false;
    retarget_reserve_channels(retarget, made->channel_count);
    for (uint32_t c = 0; c < made->channel_count; c++) {
        struct channel channel = begin;
        channel.node = made->channels[c].node;
        channel.path = made->channels[c].path;
        channel.component_count = made->channels[c].component_count;
        channel.value_first += (uint32_t)(made->channels[c].values - values);
        add_channel(retarget, clip, &channel);
    }
    return true;
}

/* Only faces can match in nothing. */
static int no_match(const struct model *source, uint32_t clip, struct err *err)
{
    char name[SHORT_NAME_SIZE];
    return err_set(err, ERR_CLIP_NO_MATCH,
                   "clip '%s' moves nothing of this model, which has none of its expressions and no gaze",
                   short_name(source, source->clips[clip].name, name));
}

int retarget_clip_by_rest(struct retarget *retarget, uint32_t index, struct err *err)
{
    struct clip *clip = &retarget->clips[index];
    struct rest_clip made;
    int rc = rest_clip_init(&made, &retarget->rest->motion, index, &retarget->rest->options, err);
    clip->channel_first = retarget->model.channel_count;
    if (rc == 0 && (!put_made(retarget, &made, clip) || !copy_others(retarget, &retarget->source->clips[index], clip)))
        rc = err_set(err, ERR_TOO_MANY_FRAMES, "the clips have more keys than can be numbered");
    if (rc == 0 && clip->channel_count == 0 && retarget->source->clips[index].channel_count > 0)
        rc = no_match(retarget->source, index, err);
    retarget->slide = fmax(retarget->slide, made.slide);
    limb_angles_join(&retarget->limbs, &made.limbs);
    charge(retarget, made.steps);
    rest_clip_fini(&made);
    return rc;
}

uint64_t retarget_close_rest(struct retarget *retarget)
{
    struct rest_retarget *rest = retarget->rest;
    const struct model *view = &retarget->model;
    rest_motion_trim(&rest->motion);
    rest->options = (struct rest_clip_options){0};
    return sizeof *rest + view->key_time_count * sizeof(double) + view->key_value_count * sizeof(float) +
           rest_motion_held_bytes(&rest->motion) + rest_face_held_bytes(&rest->face);
}
