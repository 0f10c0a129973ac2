#include "wire/reply/clip_warnings.h"

#include "wire/reply/clip_sources.h"
#include "wire/reply/face_warnings.h"
#include "wire/reply/reply_json.h"

#include <stdio.h>

/* Writes a warning for rules that rename no node of any file, {"code":"rename_unused",..}, or nothing. */
static void put_idle_rules(struct buf *out, const struct clip_sources *clips, bool has_comma)
{
    const struct name_map *names = &clip_sources_retarget(clips, 0)->names;
    struct buf text;
    buf_init(&text, 0);
    for (uint32_t i = 0; i < names->count; i++)
        if (clip_sources_rule_is_idle(clips, i))
            buf_printf(&text, "%s'%s'", text.size_bytes > 0 ? ", " : "", names->rules[i].text);
    if (text.size_bytes > 0) {
        json_comma(out, has_comma);
        buf_put_text(out, "{\"code\":\"rename_unused\",\"message\":");
        buf_put_text(&text, " of 'rename_joints' renames no node of the clips' files");
        json_put_string(out, text.data, text.size_bytes);
        buf_put_char(out, '}');
    }
    buf_fini(&text);
}

static void put_slide_warning(struct buf *out, double slide, bool has_locked_feet)
{
    struct buf text;
    buf_init(&text, 0);
    buf_printf(&text, "feet that stand in the clip slide by up to %.1f %% of the leg's length here%s", slide * 100,
               has_locked_feet ? "; with these legs, feet=lock cannot hold them in every pose"
                               : "; feet=lock keeps them where they stand");
    buf_put_text(out, "{\"code\":\"feet_slide\",\"message\":");
    json_put_string(out, text.data, text.size_bytes);
    buf_put_char(out, '}');
    buf_fini(&text);
}

static void put_rest_warning(struct buf *out, const struct retarget *retarget)
{
    char message[200];
    double turned_deg;
    const struct rest_reference *reference = retarget_reference(retarget, &turned_deg);
    const char *instead = "its limbs are matched by direction; clip_rest=frame:N names a frame that stands";
    if (!reference->is_posed)
        instead = "clip_rest=auto looks for a pose that stands";
    int size = snprintf(message, sizeof message, "the rest of the clips' file does not stand: %s", instead);
    if (reference->clip != POSE_REST)
        size = snprintf(message, sizeof message,
                        "the rest of the clips' file does not stand: frame %u of clip %d is taken, hips turned by %.0f",
                        reference->frame, (int)reference->clip, turned_deg);
    buf_put_text(out, "{\"code\":\"clip_rest\",\"message\":");
    json_put_string(out, message, (size_t)size);
    buf_put_char(out, '}');
}

static void put_swap_warning(struct buf *out, enum rest_swap swap)
{
    const bool is_model = swap == REST_SWAP_MODEL;
    json_printf(out, "{\"code\":\"sides_swapped\",\"message\":%s}",
                is_model ? "left and right are swapped in the model: at rest its left bones are on the right of the "
                           "body, so that the motion is mirrored; bones= names the joints"
                         : "left and right are swapped in the clips' file: at rest its left bones are on the right of "
                           "the body, so that the motion is mirrored; clip_bones= names the joints");
}

/* Names each limb with its angle: "leftLowerArm (12.4)". */
static void put_limb_warning(struct buf *out, const struct retarget_report *report)
{
    const bool has_locked_feet = retarget_has_locked_feet(report->retarget);
    struct buf text;
    buf_init(&text, 0);
    buf_put_text(&text, "limbs point elsewhere than in the clips' file, by up to these degrees:");
    for (int limb = 0; limb < LIMB_COUNT; limb++)
        if (report->limbs.most_deg[limb] > LIMB_WARNED_DEG && !(has_locked_feet && limb_is_leg(limb)))
            buf_printf(&text, " %s (%.1f)", ROLE_WORDS[LIMB_ROLES[limb]], report->limbs.most_deg[limb]);
    buf_put_text(out, "{\"code\":\"limbs_differ\",\"message\":");
    json_put_string(out, text.data, text.size_bytes);
    buf_put_char(out, '}');
    buf_fini(&text);
}

void clip_warnings_put(const struct reply_context *context, const struct retarget_report *report)
{
    struct buf *out = context->out;
    const struct clip_sources *clips = context->clips;
    const struct retarget *retarget = report->retarget;
    const bool is_by_rest = retarget_is_by_rest(retarget);
    double turned_deg;
    const struct rest_reference *reference = retarget_reference(retarget, &turned_deg);
    const bool has_unit = !is_by_rest && retarget_has_other_unit(&retarget->model, retarget->source);
    const bool has_up = !is_by_rest && retarget_has_other_up(&retarget->model, retarget->source);
    const bool has_slide = retarget_slide_thousandths(report->slide) > RETARGET_SLIDE_WARNED;
    if (has_unit)
        buf_put_text(out, "{\"code\":\"units_differ\",\"message\":\"the two files have other units of length\"}");
    json_comma(out, has_unit && has_up);
    if (has_up)
        buf_put_text(out, "{\"code\":\"axes_differ\",\"message\":\"the two files have other axes for up\"}");
    if (has_slide) /* the two other fields are for clips by name */
        put_slide_warning(out, report->slide, context->request->retarget.has_locked_feet);
    const bool has_rest = reference != NULL && reference->is_warned;
    if (has_rest) {
        json_comma(out, has_slide);
        put_rest_warning(out, retarget);
    }
    const bool has_limbs = retarget_report_limbs_differ(report);
    if (has_limbs) {
        json_comma(out, has_slide || has_rest);
        put_limb_warning(out, report);
    }
    const enum rest_swap swap = retarget_swap(retarget);
    if (swap != REST_SWAP_NONE) {
        json_comma(out, has_slide || has_rest || has_limbs);
        put_swap_warning(out, swap);
    }
    const bool has_one = has_unit || has_up || has_slide || has_rest || has_limbs || swap != REST_SWAP_NONE;
    put_idle_rules(out, clips, face_put_warnings(out, retarget, has_one));
}
