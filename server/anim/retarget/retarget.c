/* retarget.c - matches the nodes of two models by name and copies channels. */
#include "anim/retarget/retarget.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(const struct node *node) { return node->name.offset != STR_NONE && node->name.size_bytes > 0; }

static struct name_part name_of(const struct model *model, uint32_t node)
{
    const struct str name = model->nodes[node].name;
    return (struct name_part){.text = model->text + name.offset, .size_bytes = name.size_bytes};
}

/* The nodes that have a name, sorted by it. */
struct entry {
    struct joined_name name;
    uint32_t node;
};
struct index {
    struct entry *entries;
    uint32_t count;
};

static int by_name(const void *a, const void *b)
{
    return joined_name_compare(&((const struct entry *)a)->name, &((const struct entry *)b)->name);
}

/* is_used: gets 1 for each rule that holds for a node; NULL without rules. */
static struct index index_names(const struct model *model, const struct name_map *names, uint8_t *is_used)
{
    struct index index = {.entries = mem_alloc((size_t)model->node_count * sizeof *index.entries)};
    for (uint32_t n = 0; n < model->node_count; n++) {
        struct entry *entry = &index.entries[index.count];
        if (!is_named(&model->nodes[n]))
            continue;
        const int32_t rule = name_map_apply(names, name_of(model, n), &entry->name);
        entry->node = n;
        index.count++;
        if (rule >= 0)
            is_used[rule] = 1;
    }
    qsort(index.entries, index.count, sizeof *index.entries, by_name);
    return index;
}

/* How many of the index, from `at` on, have the name of the one there. */
static uint32_t run_length(const struct index *index, uint32_t at)
{
    uint32_t end = at + 1;
    while (end < index->count && by_name(&index->entries[at], &index->entries[end]) == 0)
        end++;
    return end - at;
}

/* Both indices are sorted alike, so one walk over both finds all pairs. */
static void find_partners(struct retarget *retarget)
{
    static const struct name_map NO_RULES = {0};
    const struct model *model = &retarget->model, *source = retarget->source;
    struct index own = index_names(model, &NO_RULES, NULL);
    struct index other = index_names(source, &retarget->names, retarget->is_rule_used);
    for (uint32_t n = 0; n < source->node_count; n++)
        retarget->partners[n] = -1 - (is_named(&source->nodes[n]) ? RETARGET_MISSING : RETARGET_UNNAMED);
    for (uint32_t i = 0, k = 0; i < own.count && k < other.count;) {
        const int order = by_name(&own.entries[i], &other.entries[k]);
        if (order != 0) {
            *(order < 0 ? &i : &k) += 1;
            continue;
        }
        const uint32_t own_run = run_length(&own, i), other_run = run_length(&other, k);
        for (uint32_t m = 0; m < other_run; m++)
            retarget->partners[other.entries[k + m].node] =
                own_run == 1 && other_run == 1 ? (int32_t)own.entries[i].node : -1 - RETARGET_AMBIGUOUS;
        i += own_run;
        k += other_run;
    }
    free(own.entries);
    free(other.entries);
}

/* Clip names lie in the other file's text: the view gets a text that has both. */
static void copy_clips(struct retarget *retarget)
{
    struct model *model = &retarget->model;
    const struct model *source = retarget->source;
    size_t size_bytes = model->text_byte_count;
    for (uint32_t c = 0; c < source->clip_count; c++)
        if (source->clips[c].name.offset != STR_NONE)
            size_bytes += source->clips[c].name.size_bytes;
    retarget->text = mem_alloc(size_bytes + 1);
    retarget->clips = mem_alloc((size_t)source->clip_count * sizeof *retarget->clips + 1);
    memcpy(retarget->text, model->text, model->text_byte_count);
    size_t at = model->text_byte_count;
    for (uint32_t c = 0; c < source->clip_count; c++) {
        struct clip *clip = &retarget->clips[c];
        *clip = source->clips[c];
        clip->channel_first = clip->channel_count = 0;
        if (clip->name.offset == STR_NONE)
            continue;
        memcpy(retarget->text + at, source->text + clip->name.offset, clip->name.size_bytes);
        clip->name.offset = (uint32_t)at;
        at += clip->name.size_bytes;
    }
    model->text = retarget->text;
    model->text_byte_count = (uint32_t)size_bytes;
}

void retarget_init(struct retarget *retarget, const struct model *model, const struct model *source,
                   const struct name_map *names)
{
    *retarget = (struct retarget){
        .model = *model,
        .source = source,
        .names = names != NULL ? *names : (struct name_map){0},
        .partners = mem_alloc((size_t)source->node_count * sizeof *retarget->partners + 1),
        .is_played = mem_zalloc((size_t)source->clip_count + 1, 1),
    };
    retarget->is_rule_used = mem_zalloc((size_t)retarget->names.count + 1, 1);
    find_partners(retarget);
    copy_clips(retarget);
    struct model *view = &retarget->model;
    view->clips = retarget->clips;
    view->clip_count = source->clip_count;
    view->compiled_clips = NULL; /* they are the model's own */
    view->compiled_clip_count = 0;
    view->channels = NULL;
    view->channel_count = 0;
    view->key_times = source->key_times;
    view->key_time_count = source->key_time_count;
    view->key_values = source->key_values;
    view->key_value_count = source->key_value_count;
}

/* What a view by rest has beside that. */
struct rest_retarget {
    struct rest_motion motion;
    struct rest_clip_options options;
    double *times; /* all keys of the clips made */
    float *values;
};

static void free_rest(struct rest_retarget *rest)
{
    if (rest == NULL)
        return;
    rest_motion_fini(&rest->motion);
    free(rest->times);
    free(rest->values);
    free(rest);
}

void retarget_fini(struct retarget *retarget)
{
    free_rest(retarget->rest);
    free(retarget->partners);
    free(retarget->is_played);
    free(retarget->is_rule_used);
    free(retarget->clips);
    free(retarget->channels);
    free(retarget->text);
    *retarget = (struct retarget){0};
}

int32_t retarget_partner(const struct retarget *retarget, const struct channel *channel)
{
    const int32_t partner = retarget->partners[channel->node];
    if (partner >= 0 && channel->path == PATH_WEIGHTS &&
        retarget->model.nodes[partner].weight_count != channel->component_count)
        return -1 - RETARGET_WEIGHTS;
    return partner;
}

static void reserve_channels(struct retarget *retarget, uint32_t more)
{
    struct model *model = &retarget->model;
    if (more > retarget->channel_capacity - model->channel_count) {
        retarget->channel_capacity = model->channel_count + more;
        retarget->channels =
            mem_realloc(retarget->channels, (size_t)retarget->channel_capacity * sizeof *retarget->channels);
    }
    model->channels = retarget->channels;
}

/* --- by rest --- */

int retarget_set_rest(struct retarget *retarget, const struct rest_options *options, struct err *err)
{
    struct rest_retarget *rest = mem_zalloc(1, sizeof *rest);
    struct model *view = &retarget->model;
    retarget->rest = rest;
    rest->options = options->clip;
    view->key_times = NULL;
    view->key_values = NULL;
    view->key_time_count = view->key_value_count = 0;
    return rest_motion_init(&rest->motion, view, &options->model, retarget->source, &options->source,
                            retarget->partners, err);
}

double retarget_scale(const struct retarget *retarget) { return retarget->rest->motion.scale; }

bool retarget_leaves_out(const struct retarget *retarget, const struct channel *channel)
{
    const int32_t partner = retarget->partners[channel->node];
    if (retarget->rest == NULL || partner < 0 || !path_is_transform(channel->path) || channel->path == PATH_ROTATION)
        return false;
    const struct rest_motion *motion = &retarget->rest->motion;
    return channel->path == PATH_SCALE || !motion->joints[motion->joint_of_node[partner]].has_translation;
}

/* Room for more keys at the end of the view's; where they begin. False: indices would not fit. */
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

/* The channels that are no transforms, morph weights and visibility, are what they are by name. */
static bool copy_others(struct retarget *retarget, const struct clip *from, struct clip *clip)
{
    const struct model *source = retarget->source;
    reserve_channels(retarget, from->channel_count);
    for (uint32_t c = 0; c < from->channel_count; c++) {
        struct channel channel = source->channels[from->channel_first + c];
        const int32_t partner = retarget_partner(retarget, &channel);
        const uint64_t values = (uint64_t)channel.key_count * channel.component_count *
                                (channel.interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
        if (path_is_transform(channel.path) || partner < 0)
            continue;
        channel.node = (uint32_t)partner;
        if (!add_keys(retarget, source->key_times + channel.key_time_first, channel.key_count,
                      source->key_values + channel.value_first, values, &channel))
            return false;
        add_channel(retarget, clip, &channel);
    }
    return true;
}

/* Takes the numbers of the first clip as they are: there may be many. */
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
    reserve_channels(retarget, made->channel_count);
    for (uint32_t c = 0; c < made->channel_count; c++) {
        struct channel channel = begin;
        channel.node = made->channels[c].node;
        channel.path = made->channels[c].path;
        channel.component_count = channel.path == PATH_ROTATION ? 4 : 3;
        channel.value_first += (uint32_t)(made->channels[c].values - values);
        add_channel(retarget, clip, &channel);
    }
    return true;
}

static int make_by_rest(struct retarget *retarget, uint32_t index, struct err *err)
{
    struct clip *clip = &retarget->clips[index];
    struct rest_clip made;
    int rc = rest_clip_init(&made, &retarget->rest->motion, index, &retarget->rest->options, err);
    clip->channel_first = retarget->model.channel_count;
    if (rc == 0 && (!put_made(retarget, &made, clip) || !copy_others(retarget, &retarget->source->clips[index], clip)))
        rc = err_set(err, ERR_TOO_MANY_FRAMES, "the clips have more keys than can be numbered");
    retarget->slide = fmax(retarget->slide, made.slide);
    retarget->steps += made.steps;
    if (retarget->rest->options.max_steps > 0) /* of all clips together */
        retarget->rest->options.max_steps -= made.steps < retarget->rest->options.max_steps ? made.steps : 0;
    rest_clip_fini(&made);
    return rc;
}

/* --- by name --- */

bool retarget_rename(const struct retarget *retarget, uint32_t node, struct joined_name *out)
{
    const struct model *source = retarget->source;
    if (is_named(&source->nodes[node]) && name_map_apply(&retarget->names, name_of(source, node), out) >= 0)
        return true;
    *out = (struct joined_name){0};
    return false;
}

static int no_match(const struct retarget *retarget, const struct clip *from, struct err *err)
{
    const struct model *source = retarget->source;
    const uint32_t node = source->channels[from->channel_first].node;
    struct joined_name name;
    char clip[SHORT_NAME_SIZE], first[SHORT_NAME_SIZE], renamed[SHORT_NAME_SIZE];
    const bool is_renamed = retarget_rename(retarget, node, &name);
    return err_set(err, ERR_CLIP_NO_MATCH,
                   "clip '%s' moves nothing of this model: no node it moves ('%s'%s%s%s is the first) has the name of "
                   "one node of the model",
                   short_name(source, from->name, clip), short_name(source, source->nodes[node].name, first),
                   is_renamed ? ", renamed '" : "", joined_name_put(&name, renamed, sizeof renamed),
                   is_renamed ? "'," : "");
}

int retarget_clip(struct retarget *retarget, uint32_t index, struct err *err)
{
    const struct clip *from = &retarget->source->clips[index];
    struct model *model = &retarget->model;
    struct clip *clip = &retarget->clips[index];
    if (retarget->is_played[index] != 0)
        return 0;
    retarget->is_played[index] = 1;
    if (retarget->rest != NULL)
        return make_by_rest(retarget, index, err);
    reserve_channels(retarget, from->channel_count);
    clip->channel_first = model->channel_count;
    for (uint32_t c = 0; c < from->channel_count; c++) {
        const struct channel *channel = &retarget->source->channels[from->channel_first + c];
        const int32_t partner = retarget_partner(retarget, channel);
        if (partner < 0)
            continue;
        struct channel *added = &retarget->channels[model->channel_count++];
        *added = *channel;
        added->node = (uint32_t)partner;
        clip->channel_count++;
    }
    return clip->channel_count == 0 && from->channel_count > 0 ? no_match(retarget, from, err) : 0;
}

uint64_t retarget_close(struct retarget *retarget)
{
    const struct model *view = &retarget->model, *source = retarget->source;
    uint64_t size_bytes = sizeof *retarget + source->node_count * sizeof *retarget->partners +
                          source->clip_count * (sizeof *retarget->is_played + sizeof *retarget->clips) +
                          retarget->channel_capacity * sizeof *retarget->channels + view->text_byte_count;
    if (retarget->rest == NULL)
        return size_bytes;
    rest_motion_trim(&retarget->rest->motion);
    retarget->rest->options = (struct rest_clip_options){0};
    return size_bytes + sizeof *retarget->rest + view->key_time_count * sizeof(double) +
           view->key_value_count * sizeof(float) + rest_motion_held_bytes(&retarget->rest->motion);
}

bool retarget_has_other_unit(const struct model *model, const struct model *source)
{
    const struct model_info *a = &model->infos[0], *b = &source->infos[0];
    const double ratio = (double)a->unit_m / (double)b->unit_m;
    return (a->flags & b->flags & MODEL_HAS_UNIT) != 0 && !(fabs(ratio - 1) < 1e-3);
}

bool retarget_has_other_up(const struct model *model, const struct model *source)
{
    const struct model_info *a = &model->infos[0], *b = &source->infos[0];
    double dot = 0;
    for (int i = 0; i < 3; i++)
        dot += (double)a->up[i] * (double)b->up[i];
    return (a->flags & b->flags & MODEL_HAS_UP) != 0 && !(dot > 1 - 1e-3);
}
