/* Applies the rules about the motion of clips: asks the server, which knows them (protocol/motion_rules.def). */
#include "clients/cli/check/check.h"

#include <stdlib.h>
#include <string.h>

/* Keys that are parameters of /v1/check. They have defaults, so each is set. */
static const enum key_id SHARES[] = {KEY_MAX_JUMP, KEY_MAX_DRIFT, KEY_LEAST_MOTION};

/* Puts what is asked about a clip. */
static void put_query(const struct inspection *model, const cJSON *clip, bool has_ground, struct text *query)
{
    const char *name = member_text(clip, "name"), *root = rules_text(model->rules, KEY_ROOT_JOINT);
    const bool is_in_place = rules_select(model->rules, KEY_IN_PLACE, name);
    const bool is_ground = has_ground && (is_in_place || rules_select(model->rules, KEY_ROOT_MOTION, name));
    text_printf(query, "&clip=%.0f&loop=%s", member_number(clip, "index"),
                rules_select(model->rules, KEY_LOOPS, name) ? "yes" : "no");
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++)
        text_printf(query, "&%s=%.17g", KEYS[SHARES[i]].name, rules_number(model->rules, SHARES[i]));
    if (is_ground)
        text_printf(query, "&ground=%s", is_in_place ? "in_place" : "travels");
    if (is_ground && root != NULL) {
        text_put(query, "&root=");
        text_put_url(query, root);
    }
}

/* Asks about a clip. Returns NULL after an error, which the connection has. The caller frees the answer. */
static cJSON *ask(const struct inspection *model, const cJSON *clip, bool has_ground)
{
    struct text query = {0};
    cJSON *json = NULL;
    put_query(model, clip, has_ground, &query);
    const int rc = connection_request_json(model->connection, "check", model->source, query.at, NULL, &json);
    text_free(&query);
    return rc < 0 ? NULL : json;
}

static void take_finding(const struct inspection *model, const cJSON *finding)
{
    const char *name = member_text(finding, "rule"), *message = member_text(finding, "message");
    const int rule = rule_find(name, strlen(name));
    if (rule < 0)
        return; /* of a newer server */
    if (cJSON_IsTrue(json_get(finding, "note")))
        findings_note(model, (enum rule_id)rule, "%s", message);
    else
        findings_add(model, (enum rule_id)rule, member_text(finding, "subject"), "%s", message);
}

static void take_findings(const struct inspection *model, const cJSON *answer)
{
    const cJSON *clip, *finding;
    cJSON_ArrayForEach(clip, json_get(answer, "clips"))
    {
        cJSON_ArrayForEach(finding, json_get(clip, "findings")) take_finding(model, finding);
    }
}

/* Reports that the server cannot check the clip. Of a root that the model lacks, this is said under the rule about it,
 * and the rest is asked again. Returns that answer, or NULL. */
static cJSON *take_refusal(const struct inspection *model, const cJSON *clip)
{
    const int code = model->connection->posed.error.code;
    const bool is_of_root = rules_text(model->rules, KEY_ROOT_JOINT) != NULL &&
                            (code == POSED_ERR_JOINT_NOT_FOUND || code == POSED_ERR_AMBIGUOUS_NAME);
    const bool is_in_place = rules_select(model->rules, KEY_IN_PLACE, member_text(clip, "name"));
    const enum rule_id rule = !is_of_root ? RULE_NOT_POSED : is_in_place ? RULE_NOT_IN_PLACE : RULE_NO_ROOT_MOTION;
    findings_add(model, rule, subject_of("clip", clip).text, "clip %.0f '%s': %s", member_number(clip, "index"),
                 member_text(clip, "name"), connection_error_message(model->connection, model->source));
    return is_of_root ? ask(model, clip, false) : NULL;
}

void check_clips(const struct inspection *model)
{
    const cJSON *clip;
    cJSON_ArrayForEach(clip, json_get(model->model, "clips"))
    {
        cJSON *answer = ask(model, clip, true);
        if (answer == NULL)
            answer = take_refusal(model, clip);
        if (answer != NULL)
            take_findings(model, answer);
        cJSON_Delete(answer);
    }
}
