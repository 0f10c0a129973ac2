/* Applies the rules about the motion of clips: asks the server, which knows them (protocol/rules/motion_rules.def). */
#include "clients/cli/check/check.h"

#include <stdlib.h>
#include <string.h>

/* Keys that are parameters of /v1/check. They have defaults, so each is set. */
static const enum key_id SHARES[] = {KEY_MAX_JUMP, KEY_MAX_DRIFT, KEY_LEAST_MOTION};

enum ground { GROUND_ANY, GROUND_IN_PLACE, GROUND_TRAVELS };

/* Puts what is asked about a clip, or about the rest pose (NULL). */
static void put_query(const struct inspection *model, const cJSON *clip, enum ground ground, struct text *query)
{
    static const char *const VALUES[] = {"any", "in_place", "travels"};
    const char *name = clip == NULL ? "" : member_text(clip, "name"), *root = rules_text(model->rules, KEY_ROOT_JOINT);
    if (clip == NULL)
        text_put(query, "&clip=-&loop=no");
    else
        text_printf(query, "&clip=%.0f&loop=%s&ground=%s", member_number(clip, "index"),
                    rules_select(model->rules, KEY_LOOPS, name) ? "yes" : "no", VALUES[ground]);
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++)
        text_printf(query, "&%s=%.17g", KEYS[SHARES[i]].name, rules_number(model->rules, SHARES[i]));
    if (ground != GROUND_ANY && root != NULL) {
        text_put(query, "&root=");
        text_put_url(query, root);
    }
}

/* Asks about a clip, or about the rest pose (NULL). Returns NULL after an error, which the connection has. The caller
 * frees the answer. */
static cJSON *ask(const struct inspection *model, const cJSON *clip, enum ground ground)
{
    struct text query = {0};
    cJSON *json = NULL;
    put_query(model, clip, ground, &query);
    const int rc = connection_request_json(model->connection, "check", model->source, query.at, NULL, &json);
    text_free(&query);
    return rc < 0 ? NULL : json;
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

/* Takes the findings of an answer: of one rule, or of all (-1). */
static void take_findings(const struct inspection *model, const cJSON *answer, int rule)
{
    const cJSON *clip, *finding;
    cJSON_ArrayForEach(finding, json_get(answer, "findings")) take_finding(model, finding);
    cJSON_ArrayForEach(clip, json_get(answer, "clips"))
    {
        cJSON_ArrayForEach(finding, json_get(clip, "findings"))
        {
            const char *name = member_text(finding, "rule");
            if (rule < 0 || rule_find(name, strlen(name)) == rule)
                take_finding(model, finding);
        }
    }
}

static bool is_root_refused(const struct inspection *model)
{
    const int code = model->connection->posed.error.code;
    return rules_text(model->rules, KEY_ROOT_JOINT) != NULL &&
           (code == POSED_ERR_JOINT_NOT_FOUND || code == POSED_ERR_AMBIGUOUS_NAME);
}

static void add_refusal(const struct inspection *model, const cJSON *clip, enum rule_id rule)
{
    findings_add(model, rule, subject_of("clip", clip).text, "clip %.0f '%s': %s", member_number(clip, "index"),
                 member_text(clip, "name"), connection_error_message(model->connection, model->source));
}

/* Applies all rules, with what the clip must do over the ground. A root that the model lacks is a finding of the rule
 * about it, and the rest is asked again without it. */
static void check_clip(const struct inspection *model, const cJSON *clip, enum ground ground)
{
    cJSON *answer = ask(model, clip, ground);
    if (answer == NULL && is_root_refused(model)) {
        add_refusal(model, clip, ground == GROUND_IN_PLACE ? RULE_NOT_IN_PLACE : RULE_NO_ROOT_MOTION);
        answer = ask(model, clip, GROUND_ANY);
    }
    if (answer == NULL)
        add_refusal(model, clip, RULE_NOT_POSED);
    else
        take_findings(model, answer, -1);
    cJSON_Delete(answer);
}

/* Applies no-root-motion only, to a clip that check_clip() has checked for the rest. */
static void check_travels(const struct inspection *model, const cJSON *clip)
{
    cJSON *answer = ask(model, clip, GROUND_TRAVELS);
    if (answer != NULL)
        take_findings(model, answer, RULE_NO_ROOT_MOTION);
    else if (is_root_refused(model))
        add_refusal(model, clip, RULE_NO_ROOT_MOTION);
    cJSON_Delete(answer);
}

/* Applies the rules to a model without clips. */
static void check_at_rest(const struct inspection *model)
{
    cJSON *answer = ask(model, NULL, GROUND_ANY);
    if (answer != NULL)
        take_findings(model, answer, -1);
    else
        findings_add(model, RULE_NOT_POSED, "model", "%s", connection_error_message(model->connection, model->source));
    cJSON_Delete(answer);
}

void check_clips(const struct inspection *model)
{
    const cJSON *clip;
    if (cJSON_GetArraySize(json_get(model->model, "clips")) == 0)
        check_at_rest(model);
    cJSON_ArrayForEach(clip, json_get(model->model, "clips"))
    {
        const char *name = member_text(clip, "name");
        const bool is_in_place = rules_select(model->rules, KEY_IN_PLACE, name);
        const bool is_travelling = rules_select(model->rules, KEY_ROOT_MOTION, name);
        check_clip(model, clip, is_in_place ? GROUND_IN_PLACE : is_travelling ? GROUND_TRAVELS : GROUND_ANY);
        if (is_in_place && is_travelling)
            check_travels(model, clip);
    }
}
