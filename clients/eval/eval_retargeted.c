/* eval_retargeted.c - clips of other files, retargeted by names or by the bones of a human. */
#include "clients/eval/eval_internal.h"

#include "anim/compiled/clip_palette.h"

#include <stdlib.h>

_Static_assert((int)PE_REST_AUTO == (int)REST_AUTO && (int)PE_REST_ZERO == (int)REST_ZERO &&
                   (int)PE_REST_FRAME == (int)REST_FRAME,
               "rests have one number");

static uint32_t count_unmatched(const struct retarget *retarget, const struct model *source, uint32_t clip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < source->clips[clip].channel_count; i++)
        count += retarget_partner(retarget, &source->channels[source->clips[clip].channel_first + i]) < 0;
    return count;
}

/* rest: NULL for retargeting by name. */
static int make(struct pe_retargeted_clip **out, const struct pe_model *model, const struct pe_model *source,
                int32_t clip, const struct rest_options *rest, struct pe_error *error)
{
    static const struct name_map NO_RULES;
    struct err err;
    struct pe_retargeted_clip *made = calloc(1, sizeof *made);
    if (made == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for a retargeted clip");
    made->of = model;
    const int rc = retargeted_clip_new(&made->clip, &model->file.model, &source->file.model, &NO_RULES, rest,
                                       (uint32_t)clip, &err);
    if (rc < 0) {
        free(made);
        return eval_fail_by(error, &err);
    }
    made->unmatched_count = count_unmatched(&made->clip->retarget, &source->file.model, (uint32_t)clip);
    made->channel_count = source->file.model.clips[clip].channel_count;
    *out = made;
    return 0;
}

static int check(struct pe_retargeted_clip **out, const struct pe_model *model, const struct pe_model *source,
                 int32_t clip, struct pe_error *error)
{
    if (out == NULL || model == NULL || source == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no model, or no place for the retargeted clip");
    *out = NULL;
    if (clip < 0 || (uint32_t)clip >= source->file.model.clip_count)
        return eval_fail(error, PE_E_ARGUMENT, "there is no clip %d; there are %u", (int)clip,
                         source->file.model.clip_count);
    return 0;
}

int pe_retargeted_clip_new(struct pe_retargeted_clip **out, const struct pe_model *model, const struct pe_model *source,
                           int32_t clip, struct pe_error *error)
{
    const int rc = check(out, model, source, clip, error);
    return rc < 0 ? rc : make(out, model, source, clip, NULL, error);
}

int pe_retargeted_clip_new_by_rest(struct pe_retargeted_clip **out, const struct pe_model *model,
                                   const struct pe_model *source, int32_t clip, const struct pe_rest_options *options,
                                   struct pe_error *error)
{
    static const struct humanoid_choice ANY = {.map = HUMANOID_AUTO};
    static const struct pe_rest_options DEFAULTS = {.has_locked_feet = 0};
    struct rest_options rest = {.clip_rest = {.kind = REST_AUTO}};
    struct err err;
    const int rc = check(out, model, source, clip, error);
    if (rc < 0)
        return rc;
    options = options != NULL ? options : &DEFAULTS;
    if ((unsigned)options->clip_rest > PE_REST_FRAME)
        return eval_fail(error, PE_E_ARGUMENT, "there is no clip_rest %d", (int)options->clip_rest);
    rest.clip_rest = (struct rest_choice){(uint32_t)options->clip_rest, options->clip_rest_frame};
    rest.clip.has_locked_feet = options->has_locked_feet != 0;
    if (humanoid_find(&model->file.model, &ANY, &rest.model, &err) < 0 ||
        humanoid_check_order(&model->file.model, &rest.model, &err) < 0 ||
        humanoid_find(&source->file.model, &ANY, &rest.source, &err) < 0)
        return eval_fail_by(error, &err);
    return make(out, model, source, clip, &rest, error);
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
