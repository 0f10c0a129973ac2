/* Applies the rules about motion: clips that move nothing, clips that move the model over the ground, and clips that
 * must not. */
#include "clients/cli/check/check.h"

#include <math.h>

enum { POSES = 17, FRAMES_MAX = 500, FLOATS_MAX = 4000000, RATE = 60 };

/* --- clip-without-motion --- */

/* Puts the clip's times at 60 frames a second, or fewer if a request cannot have that many. A short blink may lie
 * between the 17 times of check_clips.c. */
static void put_times(struct text *query, const struct inspection *model, double duration_s)
{
    double most = FLOATS_MAX / 16.0 / (double)(model->node_count + 1);
    most = fmin(FRAMES_MAX, fmax(POSES, most));
    const double rate = fmin(RATE, most / duration_s);
    text_printf(query, "&t=0:%.17g:%.17g&t=%.17g", duration_s, rate, duration_s);
}

/* Returns the greatest motion of nodes and vertices over all those times. */
static double find_motion(const struct inspection *model, const cJSON *clip)
{
    struct text times = {0}, query = {0};
    struct posed_packet answer;
    const cJSON *mesh = NULL;
    uint32_t node;
    put_times(&times, model, member_number(clip, "duration"));
    text_printf(&query, "&clip=%.0f&wrap=clamp&format=bin%s", member_number(clip, "index"), times.at);
    const int rc = connection_request_model(model->connection, "pose", model->source, query.at, NULL, &answer);
    double most = rc < 0 ? HUGE_VAL : node_motion_most(&answer, model->size * NODE_REACH, &node);
    if (!(most >= model->size * rules_number(model->rules, KEY_LEAST_MOTION)))
        most = fmax(most, morph_motion_most(model, clip, times.at, &mesh));
    text_free(&times);
    text_free(&query);
    return most;
}

static void check_still(const struct inspection *model, const cJSON *clip, double most)
{
    const double least = model->size * rules_number(model->rules, KEY_LEAST_MOTION);
    if (model->rules->severities[RULE_STILL_CLIP] == SEVERITY_OFF || most >= least)
        return;
    most = find_motion(model, clip);
    if (most >= least)
        return;
    if (clip_is_pose(clip))
        findings_note(model, RULE_STILL_CLIP, "clip %.0f '%s' is a pose, and moves nothing",
                      member_number(clip, "index"), member_text(clip, "name"));
    else if (most > 0)
        findings_add(model, RULE_STILL_CLIP, subject_of("clip", clip).text,
                     "clip %.0f '%s' moves nothing further than %.2g of the model's size", member_number(clip, "index"),
                     member_text(clip, "name"), most / model->size);
    else
        findings_add(model, RULE_STILL_CLIP, subject_of("clip", clip).text, "clip %.0f '%s' moves nothing",
                     member_number(clip, "index"), member_text(clip, "name"));
}

/* --- in place, or with root motion --- */

static double length_of(const cJSON *translation)
{
    double length = 0;
    const cJSON *number;
    cJSON_ArrayForEach(number, translation) length = hypot(length, cJSON_GetNumberValue(number));
    return length;
}

/* Returns the greatest distance of the model's ground point from its start; *time_s: when. 0: the model has no root, so
 * it does not move. -1: the file has no root of that name; the server's message is in the connection. */
static double find_drift(const struct inspection *model, const cJSON *clip, double *time_s)
{
    const char *root = rules_text(model->rules, KEY_ROOT_JOINT);
    const double duration_s = member_number(clip, "duration");
    cJSON *json;
    struct text query = {0};
    double most = 0;
    text_printf(&query, "&clip=%.0f&wrap=clamp&root_motion=extract&joints=0&format=json&t=0",
                member_number(clip, "index"));
    for (int i = 1; i < POSES; i++)
        text_printf(&query, ",%.17g", duration_s * i / (POSES - 1));
    if (root != NULL) {
        text_put(&query, "&root=");
        text_put_url(&query, root);
    }
    const int rc = connection_request_json(model->connection, "pose", model->source, query.at, NULL, &json);
    text_free(&query);
    if (rc < 0)
        return root == NULL ? 0 : -1;
    const cJSON *frame;
    cJSON_ArrayForEach(frame, json_get(json, "frames"))
    {
        const double length = length_of(json_get(json_get(frame, "root_motion"), "translation"));
        if (length > most) {
            most = length;
            *time_s = member_number(frame, "time");
        }
    }
    cJSON_Delete(json);
    return most;
}

static void check_ground(const struct inspection *model, const cJSON *clip, bool is_in_place)
{
    const enum rule_id rule = is_in_place ? RULE_NOT_IN_PLACE : RULE_NO_ROOT_MOTION;
    const double index = member_number(clip, "index"), share = rules_number(model->rules, KEY_MAX_DRIFT);
    const char *name = member_text(clip, "name");
    double time_s = 0;
    if (model->rules->severities[rule] == SEVERITY_OFF ||
        !rules_select(model->rules, is_in_place ? KEY_IN_PLACE : KEY_ROOT_MOTION, name))
        return;
    const double drift = find_drift(model, clip, &time_s);
    if (drift < 0)
        findings_add(model, rule, subject_of("clip", clip).text, "clip %.0f '%s': %s", index, name,
                     connection_error_message(model->connection, model->source));
    else if (is_in_place && drift > share * model->size)
        findings_add(model, rule, subject_of("clip", clip).text,
                     "clip %.0f '%s' moves the model over the ground by %.2g of its size at %.3f s, more than %.2g",
                     index, name, drift / model->size, time_s, share);
    else if (!is_in_place && drift <= share * model->size)
        findings_add(model, rule, subject_of("clip", clip).text,
                     "clip %.0f '%s' moves the model over the ground by %.2g of its size, not by more than %.2g", index,
                     name, model->size > 0 ? drift / model->size : 0, share);
}

void check_motion(const struct inspection *model, const cJSON *clip, double most)
{
    check_still(model, clip, most);
    check_ground(model, clip, true);
    check_ground(model, clip, false);
}
