/* eval_face.c - morph weights, expressions and looks of given poses. */
#include "anim/humanoid/expression.h"
#include "anim/retarget/rest_look.h"
#include "base/mem.h"
#include "clients/eval/eval_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PE_LOOK_NONE == (int)LOOK_NONE && (int)PE_LOOK_ANGLES == (int)LOOK_ANGLES &&
                   (int)PE_LOOK_POINT == (int)LOOK_POINT,
               "kinds of looks have one number");

/* --- of a model --- */

bool eval_faces_make(struct pe_model *of)
{
    const struct model *model = &of->file.model;
    of->expression_parts = malloc((size_t)model->expression_count + 1);
    if (of->expression_parts == NULL)
        return false;
    for (uint32_t e = 0; e < model->expression_count; e++)
        of->expression_parts[e] = expression_part(model, e);
    of->look_fault = (struct err){0};
    rest_look_find(&of->look, model, &of->look_fault);
    for (int i = 0; i < GAZE_LOOKS && model->gaze_count > 0 && model->gazes[0].kind == GAZE_EXPRESSION; i++) {
        const int32_t look = expression_find(model, GAZE_LOOK_WORDS[i], strlen(GAZE_LOOK_WORDS[i]));
        of->look_bind_count += look < 0 ? 0 : model->expressions[look].bind_count;
    }
    return true;
}

/* --- room --- */

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

bool eval_reserve_face(struct face_room *room, const struct model *model)
{
    const uint32_t weights = larger(room->weight_capacity, model->weight_count);
    const uint32_t expressions = larger(room->expression_capacity, model->expression_count);
    const uint32_t binds = larger(room->bind_capacity, model->expression_bind_count);
    const size_t numbers = (size_t)weights + expressions;
    if (!mem_try_resize(&room->expressions, numbers + GAZE_LOOKS, sizeof *room->expressions) ||
        !mem_try_resize(&room->shown, (size_t)expressions + 1, sizeof *room->shown) ||
        !mem_try_resize(&room->items, (size_t)weights + binds + 1, sizeof *room->items) ||
        !mem_try_resize(&room->binds, (size_t)binds + 1, sizeof *room->binds) ||
        !mem_try_resize(&room->numbers, numbers + 1, sizeof *room->numbers))
        return false;
    room->weight_capacity = weights;
    room->expression_capacity = expressions;
    room->bind_capacity = binds;
    return true;
}

void eval_free_face(struct face_room *room)
{
    free(room->expressions);
    free(room->shown);
    free(room->items);
    free(room->binds);
    free(room->numbers);
}

/* --- what a caller gives --- */

static int take_weights(struct given_weights *out, const struct asked_face *asked, struct pe_error *error)
{
    const struct model *model = out->model;
    if (asked->weight_count > model->weight_count)
        return eval_fail(error, PE_E_ARGUMENT, "%u morph weights of %u are given", asked->weight_count,
                         model->weight_count);
    for (uint32_t i = 0; i < asked->weight_count; i++) {
        const struct pe_given_weight *weight = &asked->weights[i];
        const uint32_t targets = weight->node < model->node_count ? model->nodes[weight->node].weight_count : 0;
        if (weight->target >= targets)
            return eval_fail(error, PE_E_ARGUMENT, "frame 0: weights[%u]: node %u of %u, morph target %u of %u", i,
                             weight->node, model->node_count, weight->target, targets);
        out->expressions[i] = -1;
        out->items[out->count++] = (struct given_target){
            .weight = model->nodes[weight->node].weight_first + weight->target, .node = weight->node, .asked = (int)i};
    }
    return 0;
}

static int take_expressions(struct given_weights *out, const struct pe_model *of, const struct asked_face *asked,
                            struct pe_error *error)
{
    const uint32_t count = out->model->expression_count;
    if (asked->expression_count > count)
        return eval_fail(error, PE_E_ARGUMENT, "%u expressions of %u are given", asked->expression_count, count);
    memset(out->shown, 0, count * sizeof *out->shown); /* marks what is given */
    for (uint32_t i = 0; i < asked->expression_count; i++) {
        const uint32_t expression = asked->expressions[i].expression;
        if (expression >= count)
            return eval_fail(error, PE_E_ARGUMENT, "frame 0: expressions[%u]: expression %u of %u", i, expression,
                             count);
        if (out->shown[expression] > 0)
            return eval_fail(error, PE_E_ARGUMENT, "frame 0: the expression '%.100s' is given twice",
                             eval_name(of, NAMES_EXPRESSIONS, expression));
        out->shown[expression] = 1;
        out->expressions[asked->weight_count + i] = (int32_t)expression;
    }
    return 0;
}

/* Fills target[3] as struct given_look has it. */
static int take_look(const struct pe_look *look, double target[3], struct pe_error *error)
{
    static const double DEGREES_MOST = 360, PLACE_MOST = 1e30; /* of the server */
    const bool is_point = look->kind == PE_LOOK_POINT;
    const double numbers[3] = {is_point ? look->point[0] : look->yaw_deg, is_point ? look->point[1] : look->pitch_deg,
                               is_point ? look->point[2] : 0};
    if (look->kind < PE_LOOK_NONE || look->kind > PE_LOOK_POINT)
        return eval_fail(error, PE_E_ARGUMENT, "look: its kind is unknown");
    for (int i = 0; i < 3 && look->kind != PE_LOOK_NONE; i++)
        if (!(fabs(numbers[i]) <= (is_point ? PLACE_MOST : DEGREES_MOST)))
            return eval_fail(error, PE_E_ARGUMENT, "look: number %d of the %s is too large, or not finite", i,
                             is_point ? "point" : "angles");
    for (int i = 0; i < 3; i++)
        target[i] = numbers[i] + 0; /* avoids -0 */
    return 0;
}

int eval_take_face(struct given_weights *out, const struct face_room *room, const struct pe_model *of,
                   const struct asked_face *asked, struct pe_error *error)
{
    double target[3];
    *out = (struct given_weights){.model = &of->file.model,
                                  .number_count = asked->weight_count + asked->expression_count,
                                  .expressions = room->expressions,
                                  .parts = of->expression_parts,
                                  .shown = room->shown,
                                  .items = room->items,
                                  .binds = room->binds};
    int rc = take_weights(out, asked, error);
    if (rc == 0)
        rc = take_expressions(out, of, asked, error);
    if (rc == 0)
        rc = take_look(asked->look, target, error);
    if (rc < 0)
        return rc;
    given_weights_look(out, (uint32_t)asked->look->kind, target); /* the room has the binds of all expressions */
    const int32_t twice = given_weights_bind(out);
    return twice < 0 ? 0
                     : eval_fail(error, PE_E_ARGUMENT, "frame 0: morph weight %u of node %u is given twice",
                                 asked->weights[twice].target, asked->weights[twice].node);
}

int eval_put_face(struct given_pose *out, const struct given_weights *face, const struct pe_model *of,
                  const struct asked_face *asked, struct pe_error *error)
{
    struct look_bind *binds = out->look.binds;
    const int32_t *looks = face->looks;
    double target[3];
    for (uint32_t w = 0; w < face->count; w++)
        out->weights[w] = (struct given_weight){
            .weight = face->items[w].weight, .node = face->items[w].node, .first = out->frame_values + w};
    out->weight_count = face->count;
    out->frame_values += face->count;
    if (asked->look->kind == PE_LOOK_NONE)
        return 0;
    if (of->look_fault.code < 0)
        return eval_fail_by(error, &of->look_fault);
    out->look = of->look;
    out->look.binds = binds;
    /* expressions that look may move nothing but materials, which the library does not have */
    if (out->look.eyes[0] < 0 && out->look.eyes[1] < 0 &&
        !(looks[0] >= 0 || looks[1] >= 0 || looks[2] >= 0 || looks[3] >= 0))
        return eval_fail(error, PE_E_ARGUMENT, "look: the model has neither eyes that turn nor expressions that look");
    take_look(asked->look, target, NULL);
    given_looks_find(&out->look, face, (uint32_t)asked->look->kind, target);
    out->look.share = out->frame_values++;
    return 0;
}

int eval_put_face_frame(struct given_pose *out, struct given_weights *face, const struct face_room *room,
                        const struct pe_model *of, uint32_t frame, uint32_t own, struct pe_error *error)
{
    double *values = out->values + (size_t)frame * out->frame_values;
    for (uint32_t i = 0; i < face->number_count; i++)
        if (face->expressions[i] >= 0 && !isfinite(room->numbers[i]))
            return eval_fail(error, PE_E_ARGUMENT, "frame %u: the weight of the expression '%.100s' is not finite",
                             frame, eval_name(of, NAMES_EXPRESSIONS, (uint32_t)face->expressions[i]));
    const double left = given_weights_put(face, room->numbers, values + own);
    if (own + face->count < out->frame_values)
        values[own + face->count] = left;
    return 0;
}
