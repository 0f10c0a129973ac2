/* Applies the rules of posectl flex to one model: asks the server, which knows them. */
#include "clients/cli/check/check.h"

#include <string.h>

/* Reports one finding of the answer. A rule that this posectl does not know is one of a newer server's. */
static void take_finding(const struct inspection *model, const cJSON *finding)
{
    const char *name = member_text(finding, "rule");
    const int rule = rule_find(name, strlen(name));
    const struct subject subject = subject_of("joint", json_get(finding, "joint"));
    if (rule >= 0)
        findings_add(model, (enum rule_id)rule, subject.text, "%s", member_text(finding, "message"));
}

/* A joint that the command line names and a model lacks is a note, unless all models lack it. */
static void take_error(struct inspection *model)
{
    const struct connection *connection = model->connection;
    const struct posed_error *error = &connection->posed.error;
    const bool is_lacking = error->status == POSED_E_SERVER &&
                            (error->code == POSED_ERR_JOINT_NOT_FOUND || error->code == POSED_ERR_AMBIGUOUS_NAME);
    if (is_lacking) {
        struct text why = {0};
        text_put(&why, error->message);
        connection_put_candidates(connection, "; candidates: ", &why);
        findings_note(model, RULE_UNREADABLE, "not bent: %s", why.at);
        model->findings->lack = why.at;
    } else if (connection_blames_command_line(connection))
        model->findings->refusal = must_copy(error->message);
    else
        check_take_refusal(model);
}

void check_flex(const struct check *check, struct connection *connection, size_t index)
{
    cJSON *answer = NULL;
    const cJSON *finding;
    struct text query = {0};
    struct inspection model = inspection_of(check, connection, index);
    text_put(&query, "");
    args_put_query(check->args, &query);
    if (connection_request_json(connection, "flex", model.source, query.at, NULL, &answer) < 0)
        take_error(&model);
    cJSON_ArrayForEach(finding, json_get(answer, "findings")) take_finding(&model, finding);
    if (args_has(check->args, OPTION_FLEX_SHEET))
        model.findings->sheet_answer = answer;
    else
        cJSON_Delete(answer);
    text_free(&query);
}
