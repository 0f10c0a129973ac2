/* Applies the rules about the motion of clips: asks the server, which knows them (protocol/rules/motion_rules.def). */
#include "clients/cli/check/check.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

/* Keys that are parameters of /v1/check. They have defaults, so each is set. */
static const enum key_id SHARES[] = {KEY_MAX_JUMP, KEY_MAX_DRIFT, KEY_LEAST_MOTION};

enum ground { GROUND_ANY, GROUND_IN_PLACE, GROUND_TRAVELS };

/* What is asked: about one clip, the rest pose or all clips. */
struct question {
    const char *clip; /* "3"; "-": the rest pose; NULL: all clips */
    const char *loop; /* "auto", "no", "yes" */
    enum ground ground;
};

static void put_query(const struct inspection *model, const struct question *question, struct text *query)
{
    static const char *const GROUNDS[] = {"any", "in_place", "travels"};
    const char *root = rules_text(model->rules, KEY_ROOT_JOINT);
    if (question->clip != NULL)
        text_printf(query, "&clip=%s", question->clip);
    text_printf(query, "&loop=%s&ground=%s", question->loop, GROUNDS[question->ground]);
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++)
        text_printf(query, "&%s=%.17g", KEYS[SHARES[i]].name, rules_number(model->rules, SHARES[i]));
    if (question->ground != GROUND_ANY && root != NULL) {
        text_put(query, "&root=");
        text_put_url(query, root);
    }
}

/* Returns NULL after an error, which the connection has. The caller frees the answer. */
static cJSON *ask(const struct inspection *model, const struct question *question)
{
    struct text query = {0};
    cJSON *json = NULL;
    put_query(model, question, &query);
    const int rc = connection_request_json(model->connection, "check", model->source, query.at, NULL, &json);
    text_free(&query);
    return rc < 0 ? NULL : json;
}

/* Asks about one clip. */
static cJSON *ask_about(const struct inspection *model, const cJSON *clip, enum ground ground)
{
    char index[32];
    (void)snprintf(index, sizeof index, "%.0f", member_number(clip, "index"));
    const bool must_loop = rules_select(model->rules, KEY_LOOPS, member_text(clip, "name"));
    const struct question question = {.clip = index, .loop = must_loop ? "yes" : "no", .ground = ground};
    return ask(model, &question);
}

/* Returns whether a clip before has a finding of the rule with this subject. */
static bool is_known(const struct inspection *model, enum rule_id rule, const char *subject)
{
    bool is_found = false;
    for (size_t i = 0; i < model->findings->count && !is_found; i++)
        is_found = model->findings->at[i].rule == rule && strcmp(model->findings->at[i].subject, subject) == 0;
    return is_found;
}

/* Takes a finding. A vertex with a wrong weight is one, in however many clips it shows. */
static void take_finding(const struct inspection *model, const cJSON *finding)
{
    const char *name = member_text(finding, "rule"), *message = member_text(finding, "message");
    const int rule = rule_find(name, strlen(name));
    if (rule < 0)
        return; /* of a newer server */
    if (cJSON_IsTrue(json_get(finding, "note")))
        findings_note(model, (enum rule_id)rule, "%s", message);
    else if (rule != RULE_STRAY_WEIGHT || !is_known(model, RULE_STRAY_WEIGHT, member_text(finding, "subject")))
        findings_add(model, (enum rule_id)rule, member_text(finding, "subject"), "%s", message);
}

/* Takes the findings of a clip, or of the rest pose, from the part of an answer about it: of one rule, or of all (-1).
 */
static void take_findings(const struct inspection *model, const cJSON *part, int rule)
{
    const cJSON *finding;
    cJSON_ArrayForEach(finding, json_get(part, "findings"))
    {
        const char *name = member_text(finding, "rule");
        if (rule < 0 || rule_find(name, strlen(name)) == rule)
            take_finding(model, finding);
    }
}

/* Returns the first clip of an answer, or NULL. */
static const cJSON *first_part(const cJSON *answer)
{
    const cJSON *clips = json_get(answer, "clips");
    return clips == NULL ? NULL : clips->child;
}

static bool is_root_refused(const struct inspection *model)
{
    const int code = model->connection->posed.error.code;
    return rules_text(model->rules, KEY_ROOT_JOINT) != NULL &&
           (code == POSED_ERR_JOINT_NOT_FOUND || code == POSED_ERR_AMBIGUOUS_NAME);
}

/* Tells that root_joint of the rules is no joint of the model, which is a fault of the rules, or of the model's names,
 * and says nothing about motion. */
static void add_bad_root(const struct inspection *model, const cJSON *clip, enum rule_id rule)
{
    const char *root = rules_text(model->rules, KEY_ROOT_JOINT);
    const bool is_missing = model->connection->posed.error.code == POSED_ERR_JOINT_NOT_FOUND;
    struct nearest nearest = NEAREST_NONE;
    for (size_t i = 0; i < model->node_count; i++)
        nearest_consider(&nearest, member_text(model->nodes[i], "name"), root, strlen(root));
    nearest.name = is_missing ? nearest.name : NULL;
    findings_add(model, rule, subject_of("clip", clip).text,
                 "clip %.0f '%s' is not judged: root_joint of the rules is '%s', and the model has %s%s%s%s",
                 member_number(clip, "index"), member_text(clip, "name"), root,
                 is_missing ? "no such joint" : "several of this name", nearest.name != NULL ? "; did you mean '" : "",
                 nearest.name != NULL ? nearest.name : "", nearest.name != NULL ? "'?" : "");
}

/* Applies all rules, with what the clip must do over the ground. A root that the model lacks is a finding of the rule
 * about it, and the rest is asked again without it. */
static void check_clip(const struct inspection *model, const cJSON *clip, enum ground ground)
{
    cJSON *answer = ask_about(model, clip, ground);
    if (answer == NULL && is_root_refused(model)) {
        add_bad_root(model, clip, ground == GROUND_IN_PLACE ? RULE_NOT_IN_PLACE : RULE_NO_ROOT_MOTION);
        answer = ask_about(model, clip, GROUND_ANY);
    }
    if (answer == NULL)
        findings_add(model, RULE_NOT_POSED, subject_of("clip", clip).text, "clip %.0f '%s': %s",
                     member_number(clip, "index"), member_text(clip, "name"),
                     connection_error_message(model->connection, model->source));
    else
        take_findings(model, first_part(answer), -1);
    cJSON_Delete(answer);
}

/* Applies no-root-motion only, to a clip that check_clip() has checked for the rest. */
static void check_travels(const struct inspection *model, const cJSON *clip)
{
    cJSON *answer = ask_about(model, clip, GROUND_TRAVELS);
    if (answer != NULL)
        take_findings(model, first_part(answer), RULE_NO_ROOT_MOTION);
    else if (is_root_refused(model))
        add_bad_root(model, clip, RULE_NO_ROOT_MOTION);
    cJSON_Delete(answer);
}

/* Applies the rules to a model without clips. */
static void check_at_rest(const struct inspection *model)
{
    const struct question question = {.clip = "-", .loop = "no"};
    cJSON *answer = ask(model, &question);
    if (answer != NULL)
        take_findings(model, answer, -1);
    else
        findings_add(model, RULE_NOT_POSED, "model", "%s", connection_error_message(model->connection, model->source));
    cJSON_Delete(answer);
}

/* Asks about all clips at once, which spares their way and what the server finds out about the model. Returns NULL
 * where that gains nothing, and after an error: a clip, or the work of all, may be too much, and each is asked about
 * alone. */
static cJSON *ask_about_all(const struct inspection *model)
{
    const cJSON *clips = json_get(model->model, "clips"), *clip;
    const int count = cJSON_GetArraySize(clips);
    int looping = 0;
    cJSON_ArrayForEach(clip, clips) looping += rules_select(model->rules, KEY_LOOPS, member_text(clip, "name"));
    const struct question question = {.loop = looping == count ? "yes" : looping == 0 ? "no" : "auto"};
    return count < 2 ? NULL : ask(model, &question);
}

/* Takes the findings of a clip from its part of the answer about all. Returns false if that is missing, or not about
 * what the clip must do. */
static bool take_from_all(const struct inspection *model, const cJSON *part, const cJSON *clip)
{
    const cJSON *loop = json_get(part, "loop");
    if (!cJSON_IsBool(loop) || member_number(part, "index") != member_number(clip, "index") ||
        cJSON_IsTrue(loop) != rules_select(model->rules, KEY_LOOPS, member_text(clip, "name")))
        return false;
    take_findings(model, part, -1);
    return true;
}

void check_clips(const struct inspection *model)
{
    const cJSON *clip;
    cJSON *all = ask_about_all(model);
    const cJSON *part = first_part(all); /* in the order of the clips */
    if (cJSON_GetArraySize(json_get(model->model, "clips")) == 0)
        check_at_rest(model);
    cJSON_ArrayForEach(clip, json_get(model->model, "clips"))
    {
        const char *name = member_text(clip, "name");
        const bool is_in_place = rules_select(model->rules, KEY_IN_PLACE, name);
        const bool is_travelling = rules_select(model->rules, KEY_ROOT_MOTION, name);
        if (is_in_place || is_travelling || !take_from_all(model, part, clip))
            check_clip(model, clip, is_in_place ? GROUND_IN_PLACE : is_travelling ? GROUND_TRAVELS : GROUND_ANY);
        if (is_in_place && is_travelling)
            check_travels(model, clip);
        part = part == NULL ? NULL : part->next;
    }
    cJSON_Delete(all);
}
