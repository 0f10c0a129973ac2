/* clip_restore.c - compiled clips again, from the times of their frames. */
#include "anim/compiled/clip_restore.h"

#include "anim/compiled/clip_plan.h"

#include <math.h>
#include <string.h>

/* What compiling measured, or chose by it. */
static void copy_decisions(struct compiled_clip *to, const struct compiled_clip *from)
{
    to->flags |= from->flags & COMPILED_F64_ANY;
    to->error = from->error;
    memcpy(to->blend_errors, from->blend_errors, sizeof to->blend_errors);
}

static bool are_times(const double *times, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(times[i]) || (i > 0 && times[i] < times[i - 1]))
            return false;
    return true;
}

/* Adds the frames of clip `c`. False: they are not those that are decided. */
static bool add_clip(struct bake_builder *builder, const struct model *decided, uint32_t c)
{
    const struct model model = bake_builder_view(builder);
    const struct compiled_clip *as = &decided->compiled_clips[c];
    struct compiled_clip *clip = &builder->compiled_clips[c];
    struct clip_plan plan;
    if (as->frame_count == 0)
        return true;
    if (as->frame_first > decided->frame_time_count || as->frame_count > decided->frame_time_count - as->frame_first)
        return false;
    const double *times = decided->frame_times + as->frame_first;
    if (as->frame_first != builder->frame_time_count || !are_times(times, as->frame_count))
        return false;
    clip_plan_init_at(&plan, &model, model.rig_places, c, times, as->frame_count);
    const bool is_added = clip_blocks_add(builder, &plan, clip);
    clip_plan_fini(&plan);
    copy_decisions(clip, as);
    return is_added && (builder->is_failed || memcmp(clip, as, sizeof *clip) == 0);
}

int clip_restore(const struct model *view, const struct model *decided, uint64_t limit_bytes,
                 struct clip_sections *sections, struct err *err)
{
    *sections = (struct clip_sections){0};
    if (decided->compiled_clip_count != view->clip_count || view->rig_skin_count == 0)
        return err_set(err, ERR_BAD_BAKE, "compiled_clips has %u elements for %u clips", decided->compiled_clip_count,
                       view->clip_count);
    struct bake_builder builder = clip_sections_borrow(view, limit_bytes);
    clip_sections_add_rest(&builder, view);
    bake_add_compiled_clip(&builder, view->clip_count);
    bool is_good = true;
    uint32_t c = 0;
    while (c < view->clip_count && is_good && !builder.is_failed)
        is_good = add_clip(&builder, decided, c++);
    clip_sections_take(sections, &builder);
    if (is_good && !builder.is_failed)
        return 0;
    clip_sections_fini(sections);
    return builder.is_failed ? err_set(err, ERR_NO_MEMORY,
                                       "no memory for the frames of clip %u: those of all clips may take 1 GiB", c - 1)
                             : err_set(err, ERR_BAD_BAKE, "compiled_clips[%u] is not what the clip's keys give", c - 1);
}
