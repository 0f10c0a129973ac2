#include "wire/reply/clip_sources.h"

#include "anim/retarget/retarget_report.h"
#include "base/mem.h"
#include "wire/reply/clip_warnings.h"
#include "wire/reply/reply_json.h"
#include "wire/reply/retargeted_clip_maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clip_sources_init(struct clip_sources *clips, const struct model *const *sources, const struct request *request)
{
    clips->sources = sources;
    clips->count = request->source_count;
    clips->own = clips->count == 0 ? NULL : mem_zalloc(clips->count, sizeof *clips->own);
    clips->retargeted_count = 0;
}

void clip_sources_fini(struct clip_sources *clips)
{
    for (uint32_t i = 0; i < clips->retargeted_count; i++)
        retargeted_clip_unref(clips->retargeted_clips[i].retargeted);
    for (uint32_t i = 0; i < clips->count; i++)
        if (clips->own[i].source != NULL)
            retarget_fini(&clips->own[i]);
    free(clips->own);
    clips->own = NULL;
    clips->count = clips->retargeted_count = 0;
}

/* Returns one of the source's retargeted clips, or NULL. */
static const struct retargeted_clip *any_retargeted_clip(const struct clip_sources *clips, uint32_t source)
{
    for (uint32_t i = 0; i < clips->retargeted_count; i++)
        if (clips->retargeted_clips[i].source == source)
            return clips->retargeted_clips[i].retargeted;
    return NULL;
}

const struct retarget *clip_sources_retarget(const struct clip_sources *clips, uint32_t source)
{
    const struct retargeted_clip *retargeted = any_retargeted_clip(clips, source);
    return retargeted != NULL ? &retargeted->retarget : &clips->own[source];
}

/* Measures all clips of the source in the reply. */
static void measure(const struct clip_sources *clips, uint32_t source, struct retarget_report *report)
{
    report->slide = clips->own[source].slide;
    report->limbs = clips->own[source].limbs;
    for (uint32_t i = 0; i < clips->retargeted_count; i++) {
        const struct retarget *retarget = &clips->retargeted_clips[i].retargeted->retarget;
        if (clips->retargeted_clips[i].source != source)
            continue;
        report->slide = fmax(report->slide, retarget->slide);
        limb_angles_join(&report->limbs, &retarget->limbs);
    }
}

uint32_t reply_count_warnings(const struct model *model, const struct model *const *sources, uint32_t source_count,
                              const struct reply *reply)
{
    const int32_t slide =
        retarget_text_slide(&reply->unmatched); /* retargeting by rest pose equalises units and axes */
    uint32_t count = model->warning_count + retarget_text_has_idle_rules(&reply->unmatched) +
                     (slide > RETARGET_SLIDE_WARNED) + retarget_text_warnings(&reply->unmatched);
    for (uint32_t i = 0; i < source_count; i++)
        count += sources[i]->warning_count + (slide < 0 && retarget_has_other_unit(model, sources[i])) +
                 (slide < 0 && retarget_has_other_up(model, sources[i]));
    return count;
}

/* --- played clips --- */

/* A clip in the answer, and the part of the request that names it. */
struct played {
    const struct request_pose *part;
    int32_t clip;
};

static uint32_t list_played(const struct reply_context *context, struct played out[PLAYED_MAX])
{
    const struct resolved_layers *layers = &context->workspace->layers;
    uint32_t count = 0;
    if (context->request->pose.layer_count == 0)
        out[count++] = (struct played){&context->request->pose, context->clip};
    for (uint32_t i = 0; i < layers->count && context->request->pose.layer_count > 0; i++) {
        const struct request_pose *layer = &context->request->pose.layers[i];
        const struct blend_layer *found = &layers->layers[i];
        out[count++] = (struct played){layer, found->clip};
        if (found->is_additive && found->given == NULL)
            out[count++] = (struct played){layer->reference != NULL ? layer->reference : layer, found->reference_clip};
    }
    return count;
}

/* Adds all clips of the reply's file. */
static void report_all(const struct reply_context *context, struct retarget_report *report)
{
    for (uint32_t c = 0; context->has_all_clips && c < report->retarget->source->clip_count; c++)
        retarget_report_add(report, (int32_t)c);
}

/* Returns the model with a part's clip; NULL for the model itself, also for the rest pose. */
static const struct model *retargeted_clip_of(const struct reply_context *context, const struct request_pose *part,
                                              int32_t clip)
{
    const struct clip_sources *clips = context->clips;
    for (uint32_t i = 0; i < clips->retargeted_count; i++)
        if (clips->retargeted_clips[i].source + 1 == part->clip_source &&
            clips->retargeted_clips[i].retargeted->clip == (uint32_t)clip)
            return &clips->retargeted_clips[i].retargeted->retarget.model;
    return NULL;
}

bool clip_sources_play(struct reply_context *context)
{
    struct resolved_layers *layers = &context->workspace->layers;
    const struct request *request = context->request;
    struct played played[PLAYED_MAX];
    struct retargeted_clip_maker maker;
    const uint32_t count = list_played(context, played);
    bool is_good = true;
    retargeted_clip_maker_init(&maker, context);
    for (uint32_t i = 0; i < count && is_good; i++)
        if (played[i].part->clip_source > 0 && played[i].clip != POSE_REST)
            is_good = retargeted_clip_maker_play(&maker, played[i].part->clip_source - 1, (uint32_t)played[i].clip);
    for (uint32_t s = 0; s < context->clips->count && is_good; s++)
        if (any_retargeted_clip(context->clips, s) == NULL)
            is_good =
                retargeted_clip_maker_own(&maker, s, context->has_all_clips && request->pose.clip_source == s + 1);
    retargeted_clip_maker_fini(&maker);
    for (uint32_t i = 0; i < layers->count; i++) {
        const struct request_pose *layer = &request->pose.layers[i];
        struct blend_layer *found = &layers->layers[i];
        found->source = retargeted_clip_of(context, layer, found->clip);
        found->reference_source =
            retargeted_clip_of(context, layer->reference != NULL ? layer->reference : layer, found->reference_clip);
    }
    if (is_good && request->pose.layer_count == 0 && request->pose.clip_source > 0) {
        const struct model *retargeted = retargeted_clip_of(context, &request->pose, context->clip);
        context->model = retargeted != NULL
                             ? retargeted
                             : &clip_sources_retarget(context->clips, request->pose.clip_source - 1)->model;
    }
    return is_good;
}

/* --- unmatched nodes --- */

/* Writes ,"renamed":"..", the name that the rules give to a node that stays unmatched. */
static void put_renamed(struct buf *out, const struct retarget *retarget, uint32_t node)
{
    struct joined_name name;
    struct buf text;
    if (!retarget_rename(retarget, node, &name))
        return;
    buf_init(&text, 0);
    for (int i = 0; i < 3; i++)
        buf_put(&text, name.parts[i].text, name.parts[i].size_bytes);
    buf_put_text(out, ",\"renamed\":");
    json_put_string(out, text.data, text.size_bytes);
    buf_fini(&text);
}

static void put_misses(struct buf *out, const struct retarget_report *report)
{
    static const char *const REASONS[] = {[RETARGET_MISSING] = "missing",
                                          [RETARGET_AMBIGUOUS] = "ambiguous",
                                          [RETARGET_UNNAMED] = "unnamed",
                                          [RETARGET_WEIGHTS] = "weights"};
    for (uint32_t i = 0; i < report->miss_count && !buf_failed(out); i++) {
        json_comma(out, i > 0);
        put_node_head(out, report->retarget->source, report->misses[i].node);
        put_renamed(out, report->retarget, report->misses[i].node);
        json_printf(out, ",\"reason\":%s}", REASONS[report->misses[i].reason]);
    }
}

static void put_still_joints(struct buf *out, const struct retarget_report *report)
{
    const struct model *model = &report->retarget->model;
    bool is_first = true;
    for (uint32_t n = 0; n < model->node_count; n++) {
        if (!retarget_report_is_still(report, n))
            continue;
        json_comma(out, !is_first);
        is_first = false;
        put_node_head(out, model, n);
        buf_put_char(out, '}');
    }
}

bool clip_sources_rule_is_idle(const struct clip_sources *clips, uint32_t rule)
{
    uint32_t uses = 0;
    for (uint32_t s = 0; s < clips->count; s++)
        uses += clip_sources_retarget(clips, s)->is_rule_used[rule];
    return uses == 0;
}

static void start_report(const struct reply_context *context, uint32_t source, struct retarget_report *report)
{
    retarget_report_init(report, clip_sources_retarget(context->clips, source));
    measure(context->clips, source, report);
}

/* Writes ,"limbs":[{"role":..,"degrees":..},..]: those that point elsewhere. Nothing when there are none. */
static void put_limbs(struct buf *out, const struct retarget_report *report)
{
    bool is_first = true;
    for (int limb = 0; limb < LIMB_COUNT; limb++) {
        const double angle_deg = report->limbs.most_deg[limb];
        if (!(angle_deg > LIMB_WARNED_DEG))
            continue;
        buf_put_text(out, is_first ? ",\"limbs\":[" : ",");
        is_first = false;
        json_printf(out, "{\"role\":%s,\"degrees\":%g}", ROLE_WORDS[LIMB_ROLES[limb]], angle_deg);
    }
    buf_put_text(out, is_first ? "" : "]");
}

/* Writes ,"retarget":{..}; "rest" only where the file's rest does not serve as it is. */
static void put_retarget(struct reply_context *context, const struct retarget_report *report)
{
    struct buf *out = context->out;
    double turned_deg;
    const struct rest_reference *reference = retarget_reference(report->retarget, &turned_deg);
    json_printf(out, ",\"retarget\":{\"feet\":%s,\"scale\":%g,\"slide\":%g",
                context->request->retarget.has_locked_feet ? "lock" : "free", retarget_scale(report->retarget),
                report->slide);
    if (reference->is_posed || reference->is_warned || reference->lowering > 0) {
        buf_put_text(out, ",\"rest\":{");
        if (reference->clip != POSE_REST)
            json_printf(out, "\"clip\":%d,\"frame\":%u,\"time_s\":%g,", (int)reference->clip, reference->frame,
                        reference->time_s);
        json_printf(out, "\"matched_by\":%s,\"hips_turned_deg\":%g,\"lowered\":%g}",
                    reference->is_posed ? "direction" : "rest", turned_deg, reference->lowering);
    }
    put_limbs(out, report);
    buf_put_char(out, '}');
}

/* Writes {..} of a source and its played clips. */
static void put_source(struct reply_context *context, uint32_t source, const struct retarget_report *report)
{
    struct buf *out = context->out;
    char hash[HASH_DIGITS_SIZE];
    json_printf(out, "{\"model\":%s,\"hash\":%s,\"unmatched\":{\"nodes\":[", context->request->sources[source].path,
                hash_digits(report->retarget->source, hash));
    put_misses(out, report);
    buf_put_text(out, "],\"joints\":[");
    put_still_joints(out, report);
    buf_put_text(out, "]},\"warnings\":[");
    clip_warnings_put(context, report);
    buf_put_char(out, ']');
    if (retarget_is_by_rest(report->retarget))
        put_retarget(context, report);
    buf_put_char(out, '}');
}

void clip_sources_put_file(struct reply_context *context, uint32_t source)
{
    struct retarget_report report;
    struct played played[PLAYED_MAX];
    const uint32_t count = list_played(context, played);
    start_report(context, source, &report);
    for (uint32_t i = 0; i < count; i++)
        if (played[i].part->clip_source == source + 1)
            retarget_report_add(&report, played[i].clip);
    report_all(context, &report);
    put_source(context, source, &report);
    retarget_report_fini(&report);
}

/* Writes ,"clip_file":{..} of everything played from exactly the clip_file of `part`. */
static void put_clip_file(struct reply_context *context, const struct request_pose *part)
{
    struct retarget_report report;
    struct played played[PLAYED_MAX];
    const uint32_t count = list_played(context, played);
    start_report(context, part->clip_source - 1, &report);
    for (uint32_t i = 0; i < count; i++)
        if (played[i].part->clip_file == part->clip_file)
            retarget_report_add(&report, played[i].clip);
    report_all(context, &report);
    buf_put_text(context->out, ",\"clip_file\":");
    put_source(context, part->clip_source - 1, &report);
    retarget_report_fini(&report);
}

void clip_sources_put(struct reply_context *context)
{
    if (context->request->pose.clip_source != 0)
        put_clip_file(context, &context->request->pose);
}

void clip_sources_put_layer(struct reply_context *context, uint32_t layer)
{
    const struct request_pose *part = &context->request->pose.layers[layer], *reference = part->reference;
    if (part->clip_source != 0 && part->clip_file != context->request->pose.clip_file)
        put_clip_file(context, part);
    if (reference == NULL || reference->clip_source == 0 || reference->clip_file == part->clip_file)
        return;
    buf_put_text(context->out, ",\"reference\":{");
    put_clip_name(context->out, context->clips->sources[reference->clip_source - 1],
                  context->workspace->layers.layers[layer].reference_clip);
    put_clip_file(context, reference);
    buf_put_char(context->out, '}');
}

void clip_sources_put_unmatched(struct reply_context *context)
{
    struct retarget_report reports[REQUEST_SOURCES_MAX];
    struct played played[PLAYED_MAX];
    int32_t own[PLAYED_MAX];
    uint32_t own_count = 0;
    const struct clip_sources *clips = context->clips;
    if (clips->count == 0)
        return;
    const uint32_t count = list_played(context, played);
    for (uint32_t s = 0; s < clips->count; s++)
        start_report(context, s, &reports[s]);
    for (uint32_t i = 0; i < count; i++) {
        if (played[i].part->clip_source == 0)
            own[own_count++] = played[i].clip;
        else
            retarget_report_add(&reports[played[i].part->clip_source - 1], played[i].clip);
    }
    for (uint32_t s = 0; s < clips->count; s++)
        if (op_has(context->request->op, OP_ALL_CLIPS) || context->request->pose.clip_source == s + 1)
            report_all(context, &reports[s]);
    const bool has_own = context->own_clips != NULL;
    retarget_report_put(reports, clips->count, context->model, has_own ? context->own_clips : own,
                        has_own ? context->own_clip_count : own_count, &context->reply->unmatched);
    for (uint32_t s = 0; s < clips->count; s++)
        retarget_report_fini(&reports[s]);
}
