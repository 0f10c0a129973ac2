#include "answer_clips.h"

#include "json.h"

#include <string.h>

static bool play(struct task *task, int32_t clip)
{
    struct err err;
    if (clip == POSE_REST || retarget_clip(task->retarget, (uint32_t)clip, &err) == 0)
        return true;
    err_prefix(&err, "'%s' on '%s'", task->request->clip_file, task->request->model);
    parts_fail(task, &err);
    return false;
}

bool answer_play_clips(struct task *task)
{
    const struct answer_layers *layers = &task->answer->layers;
    if (task->retarget == NULL)
        return true;
    bool is_good = play(task, task->clip);
    for (uint32_t i = 0; i < layers->count && is_good; i++)
        is_good = play(task, layers->layers[i].clip) &&
                  (!layers->layers[i].is_additive || play(task, layers->layers[i].reference_clip));
    return is_good;
}

/* Nodes of the clips' file whose channels move nothing here. */
static void put_misses(struct buf *out, const struct retarget *retarget)
{
    static const char *const REASONS[] = {[RETARGET_MISSING] = "missing",
                                          [RETARGET_AMBIGUOUS] = "ambiguous",
                                          [RETARGET_UNNAMED] = "unnamed",
                                          [RETARGET_WEIGHTS] = "weights"};
    for (uint32_t i = 0; i < retarget->miss_count; i++) {
        if (i > 0)
            buf_put_char(out, ',');
        parts_put_node_head(out, retarget->source, retarget->misses[i].node);
        buf_put_text(out, ",\"reason\":\"");
        buf_put_text(out, REASONS[retarget->misses[i].reason]);
        buf_put_text(out, "\"}");
    }
}

/* Joints of the model that no channel of the clips moves: they keep their rest. */
static void put_still_joints(struct buf *out, const struct retarget *retarget)
{
    const struct model *model = &retarget->model;
    bool is_first = true;
    for (uint32_t n = 0; n < model->node_count; n++) {
        if ((model->nodes[n].flags & NODE_JOINT) == 0 || retarget->is_moved[n] != 0)
            continue;
        if (!is_first)
            buf_put_char(out, ',');
        is_first = false;
        parts_put_node_head(out, model, n);
        buf_put_char(out, '}');
    }
}

static void put_warnings(struct buf *out, const struct retarget *retarget)
{
    const bool has_unit = retarget_has_other_unit(retarget), has_up = retarget_has_other_up(retarget);
    if (has_unit)
        buf_put_text(out, "{\"code\":\"units_differ\",\"message\":\"the two files have other units of length\"}");
    if (has_unit && has_up)
        buf_put_char(out, ',');
    if (has_up)
        buf_put_text(out, "{\"code\":\"axes_differ\",\"message\":\"the two files have other axes for up\"}");
}

void answer_put_clip_file(struct task *task)
{
    struct buf *out = task->out;
    const struct retarget *retarget = task->retarget;
    if (retarget == NULL)
        return;
    buf_put_text(out, ",\"clip_file\":{\"model\":");
    json_put_string(out, task->request->clip_file, strlen(task->request->clip_file));
    buf_put_text(out, ",\"hash\":\"");
    parts_put_hash(out, retarget->source);
    buf_put_text(out, "\",\"unmatched\":{\"nodes\":[");
    put_misses(out, retarget);
    buf_put_text(out, "],\"joints\":[");
    put_still_joints(out, retarget);
    buf_put_text(out, "]},\"warnings\":[");
    put_warnings(out, retarget);
    buf_put_text(out, "]}");
}
