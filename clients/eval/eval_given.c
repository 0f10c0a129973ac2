/* eval_given.c - motions of callers: frames of given poses, checked and prepared once. */
#include "clients/eval/eval_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSFORM = 10, TRANSLATION = 3, ROTATION = 4, SCALE = 3 };

static int find_node(const struct pe_model *model, const struct pe_given_frames *frames, uint32_t index, uint32_t *node,
                     struct pe_error *error)
{
    const uint32_t count = model->file.model.node_count;
    struct pe_error inner;
    if (frames->names != NULL && frames->names[index] != NULL) {
        const int rc = pe_find_node(model, frames->names[index], node, &inner);
        return rc < 0 ? eval_fail(error, rc, "nodes[%u]: %.400s", index, inner.message) : 0;
    }
    if (frames->nodes == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "nodes[%u] has neither an index nor a name", index);
    *node = frames->nodes[index];
    return *node < count ? 0 : eval_fail(error, PE_E_ARGUMENT, "nodes[%u]: node %u of %u", index, *node, count);
}

/* Fills the nodes in the caller's order, and the numbers of a frame that they need. */
static int put_nodes(const struct pe_model *model, const struct pe_given_frames *frames, struct given_pose *out,
                     struct pe_error *error)
{
    for (uint32_t i = 0; i < frames->node_count; i++) {
        const uint32_t parts = frames->parts != NULL ? frames->parts[i] : PE_WHOLE;
        uint32_t node = 0;
        const int rc = find_node(model, frames, i, &node, error);
        if (rc < 0)
            return rc;
        if (parts == 0 || parts > PE_WHOLE)
            return eval_fail(error, PE_E_ARGUMENT, "nodes[%u]: parts %u", i, parts);
        out->nodes[out->node_count++] = (struct given_node){.node = node, .parts = parts, .first = out->frame_values};
        out->frame_values += given_part_values(parts);
    }
    return 0;
}

/* Fills a frame; the nodes are in the caller's order. */
static void put_values(const struct pe_given_frames *frames, uint32_t frame, const struct given_pose *out)
{
    double *at = out->values + (size_t)frame * out->frame_values;
    for (uint32_t i = 0; i < out->node_count; i++) {
        static const uint32_t COUNTS[] = {TRANSLATION, ROTATION, SCALE};
        const double *from = frames->transforms + ((size_t)frame * frames->node_count + i) * TRANSFORM;
        for (int p = 0; p < 3; from += COUNTS[p++]) {
            if ((out->nodes[i].parts >> p & 1) == 0)
                continue;
            memcpy(at, from, COUNTS[p] * sizeof *at);
            at += COUNTS[p];
        }
    }
}

/* The face of the frames, while it is brought together. */
struct making {
    const struct pe_model *of;
    const struct pe_given_frames *frames;
    struct given_pose *out;
    struct asked_face asked;
    struct face_room room;
    struct given_weights face;
    uint32_t own; /* how many numbers of a frame are of nodes */
};

static int find_face(struct making *making, struct pe_error *error)
{
    struct given_pose *out = making->out;
    if (!eval_has_face(&making->asked))
        return 0;
    if (!eval_reserve_face(&making->room, &making->of->file.model))
        return eval_fail(error, PE_E_MEMORY, "no memory for a given pose");
    const int rc = eval_take_face(&making->face, &making->room, making->of, &making->asked, error);
    if (rc < 0)
        return rc;
    out->weights = calloc((size_t)making->face.count + 1, sizeof *out->weights);
    out->look.binds = calloc((size_t)making->of->look_bind_count + 1, sizeof *out->look.binds);
    if (out->weights == NULL || out->look.binds == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for a given pose");
    return eval_put_face(out, &making->face, making->of, &making->asked, error);
}

static int put_face(struct making *making, uint32_t frame, struct pe_error *error)
{
    const struct pe_given_frames *frames = making->frames;
    double *numbers = making->room.numbers;
    if (!eval_has_face(&making->asked))
        return 0;
    if (frames->weight_count > 0)
        memcpy(numbers, frames->weight_values + (size_t)frame * frames->weight_count,
               frames->weight_count * sizeof *numbers);
    if (frames->expression_count > 0)
        memcpy(numbers + frames->weight_count, frames->expression_values + (size_t)frame * frames->expression_count,
               frames->expression_count * sizeof *numbers);
    return eval_put_face_frame(making->out, &making->face, &making->room, making->of, frame, making->own, error);
}

static int put_times(const struct pe_given_frames *frames, struct given_pose *out, struct pe_error *error)
{
    if (frames->times_s == NULL && frames->frame_count > 1 && !(frames->rate > 0 && isfinite(frames->rate)))
        return eval_fail(error, PE_E_ARGUMENT, "there are no times, and the rate is not finite and above 0");
    for (uint32_t f = 0; f < frames->frame_count; f++) {
        const double time_s = frames->times_s != NULL ? frames->times_s[f] : f == 0 ? 0 : f / frames->rate;
        if (!(time_s >= 0) || !isfinite(time_s) || (f > 0 && !(time_s > out->times_s[f - 1])))
            return eval_fail(error, PE_E_ARGUMENT, "frame %u: its time is %.9g s; times begin at 0 or later and rise",
                             f, time_s);
        out->times_s[f] = time_s;
    }
    if (frames->frame_count == 1)
        out->times_s[0] = 0; /* it has no duration */
    return 0;
}

/* Makes room: nodes and times first, because the number of numbers of a frame comes later. */
static bool make_lists(const struct pe_given_frames *frames, struct given_pose *out)
{
    out->frame_count = frames->frame_count;
    out->nodes = calloc((size_t)frames->node_count + 1, sizeof *out->nodes);
    out->times_s = calloc(frames->frame_count, sizeof *out->times_s);
    return out->nodes != NULL && out->times_s != NULL;
}

static int fill(struct making *making, struct pe_error *error)
{
    const struct pe_given_frames *frames = making->frames;
    const struct pe_model *model = making->of;
    struct given_pose *out = making->out;
    if (!make_lists(frames, out))
        return eval_fail(error, PE_E_MEMORY, "no memory for a given pose");
    int rc = put_nodes(model, frames, out, error);
    making->own = out->frame_values;
    if (rc == 0)
        rc = put_times(frames, out, error);
    if (rc == 0)
        rc = find_face(making, error);
    if (rc < 0)
        return rc;
    out->frame_values += out->frame_values == 0; /* expressions may change nothing */
    if (SIZE_MAX / sizeof *out->values / out->frame_values < frames->frame_count ||
        (out->values = calloc((size_t)frames->frame_count * out->frame_values, sizeof *out->values)) == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for %u frames of %u numbers", frames->frame_count,
                         out->frame_values);
    for (uint32_t f = 0; f < frames->frame_count && rc == 0; f++) {
        put_values(frames, f, out);
        rc = put_face(making, f, error);
    }
    return rc < 0 ? rc : eval_finish_given(out, &model->file.model, frames->relative_to == PE_TO_REST, error);
}

static int check(struct pe_given **out, const struct pe_model *model, const struct pe_given_frames *frames,
                 struct pe_error *error)
{
    if (out == NULL || model == NULL || frames == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no model, no frames, or no place for the given pose");
    *out = NULL;
    if (frames->frame_count == 0 ||
        (frames->node_count + (uint64_t)frames->weight_count + frames->expression_count == 0 &&
         frames->look.kind == PE_LOOK_NONE))
        return eval_fail(error, PE_E_ARGUMENT,
                         "nothing is given: %u frames of %u nodes, %u morph weights and %u expressions",
                         frames->frame_count, frames->node_count, frames->weight_count, frames->expression_count);
    if (frames->node_count > model->file.model.node_count)
        return eval_fail(error, PE_E_ARGUMENT, "%u nodes of %u are given", frames->node_count,
                         model->file.model.node_count);
    if ((frames->node_count > 0 && frames->transforms == NULL) ||
        (frames->weight_count > 0 && (frames->weights == NULL || frames->weight_values == NULL)) ||
        (frames->expression_count > 0 && (frames->expressions == NULL || frames->expression_values == NULL)) ||
        frames->relative_to < PE_TO_PARENT || frames->relative_to > PE_TO_REST)
        return eval_fail(error, PE_E_ARGUMENT,
                         "transforms, weights or expressions are missing, or relative_to is unknown");
    return 0;
}

int pe_given_new(struct pe_given **out, const struct pe_model *model, const struct pe_given_frames *frames,
                 struct pe_error *error)
{
    int rc = check(out, model, frames, error);
    if (rc < 0)
        return rc;
    struct pe_given *given = calloc(1, sizeof *given);
    if (given == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for a given pose");
    given->of = model;
    struct making making = {.of = model,
                            .frames = frames,
                            .out = &given->pose,
                            .asked = {.weights = frames->weights,
                                      .expressions = frames->expressions,
                                      .weight_count = frames->weight_count,
                                      .expression_count = frames->expression_count,
                                      .look = &frames->look}};
    rc = fill(&making, error);
    eval_free_face(&making.room);
    if (rc < 0) {
        pe_given_free(given);
        return rc;
    }
    *out = given;
    return 0;
}

void pe_given_free(struct pe_given *given)
{
    if (given == NULL)
        return;
    given_pose_fini(&given->pose);
    free(given);
}

double pe_given_duration_s(const struct pe_given *given) { return given_pose_duration_s(&given->pose); }
