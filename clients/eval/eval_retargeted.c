/* eval_retargeted.c - clips of other files, retargeted by names. */
#include "clients/eval/eval_internal.h"

#include "anim/compiled/clip_palette.h"

#include <stdlib.h>

static uint32_t count_unmatched(const struct retarget *retarget, const struct model *source, uint32_t clip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < source->clips[clip].channel_count; i++)
        count += retarget_partner(retarget, &source->channels[source->clips[clip].channel_first + i]) < 0;
    return count;
}

int pe_retargeted_clip_new(struct pe_retargeted_clip **out, const struct pe_model *model, const struct pe_model *source,
                           int32_t clip, struct pe_error *error)
{
    static const struct name_map NO_RULES;
    struct err err;
    if (out == NULL || model == NULL || source == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no model, or no place for the retargeted clip");
    *out = NULL;
    if (clip < 0 || (uint32_t)clip >= source->file.model.clip_count)
        return eval_fail(error, PE_E_ARGUMENT, "there is no clip %d; there are %u", (int)clip,
                         source->file.model.clip_count);
    struct pe_retargeted_clip *made = calloc(1, sizeof *made);
    if (made == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for a retargeted clip");
    made->of = model;
    const int rc = retargeted_clip_new(&made->clip, &model->file.model, &source->file.model, &NO_RULES, NULL,
                                       (uint32_t)clip, &err);
    if (rc < 0) {
        free(made);
        return rc == ERR_CLIP_NO_MATCH ? eval_fail(error, PE_E_NOT_FOUND, "%s", err.message)
                                       : eval_fail_by(error, &err);
    }
    made->unmatched_count = count_unmatched(&made->clip->retarget, &source->file.model, (uint32_t)clip);
    made->channel_count = source->file.model.clips[clip].channel_count;
    *out = made;
    return 0;
}

void pe_retargeted_clip_free(struct pe_retargeted_clip *clip)
{
    if (clip == NULL)
        return;
    retargeted_clip_unref(clip->clip);
    free(clip);
}

void pe_retargeted_clip_info(const struct pe_retargeted_clip *clip, struct pe_retargeted_clip_info *out)
{
    const struct model *model = &clip->clip->retarget.model;
    *out = (struct pe_retargeted_clip_info){
        .duration_s = model->clips[clip->clip->clip].duration_s,
        .channel_count = clip->channel_count,
        .unmatched_count = clip->unmatched_count,
        .is_compiled = clip_palette_is_compiled(model, (int32_t)clip->clip->clip),
        .evaluation = eval_evaluation(model, clip->clip->clip),
    };
}
