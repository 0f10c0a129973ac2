/* retarget.c - a view of a model with the clips of another: their names and, by name, their channels. */
#include "anim/retarget/retarget_internal.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Clip names are in the other file's text, so the view gets a text with both. */
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
    retarget_find_partners(retarget);
    copy_clips(retarget);
    struct model *view = &retarget->model;
    view->clips = retarget->clips;
    view->clip_count = source->clip_count;
    view->compiled_clips = NULL; /* they belong to the model's own clips */
    view->compiled_clip_count = 0;
    view->channels = NULL;
    view->channel_count = 0;
    view->property_channels = NULL; /* likewise */
    view->property_channel_count = 0;
    view->key_times = source->key_times;
    view->key_time_count = source->key_time_count;
    view->key_values = source->key_values;
    view->key_value_count = source->key_value_count;
}

void retarget_fini(struct retarget *retarget)
{
    retarget_free_rest(retarget->rest);
    free(retarget->partners);
    free(retarget->is_played);
    free(retarget->is_rule_used);
    free(retarget->clips);
    free(retarget->channels);
    free(retarget->text);
    *retarget = (struct retarget){0};
}

/* --- channels --- */

void retarget_reserve_channels(struct retarget *retarget, uint32_t more)
{
    struct model *model = &retarget->model;
    if (more > retarget->channel_capacity - model->channel_count) {
        retarget->channel_capacity = model->channel_count + more;
        retarget->channels =
            mem_realloc(retarget->channels, (size_t)retarget->channel_capacity * sizeof *retarget->channels);
    }
    model->channels = retarget->channels;
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
                   "one node of the model%s",
                   short_name(source, from->name, clip), short_name(source, source->nodes[node].name, first),
                   is_renamed ? ", renamed '" : "", joined_name_put(&name, renamed, sizeof renamed),
                   is_renamed ? "'," : "",
                   source->humanoid_bone_count > 0 ? "; retarget=rest moves the bones of a human by their roles" : "");
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
        return retarget_clip_by_rest(retarget, index, err);
    retarget_reserve_channels(retarget, from->channel_count);
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
    const uint64_t size_bytes = sizeof *retarget + source->node_count * sizeof *retarget->partners +
                                source->clip_count * (sizeof *retarget->is_played + sizeof *retarget->clips) +
                                retarget->channel_capacity * sizeof *retarget->channels + view->text_byte_count;
    return retarget->rest == NULL ? size_bytes : size_bytes + retarget_close_rest(retarget);
}

/* --- spaces that both files state --- */

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
