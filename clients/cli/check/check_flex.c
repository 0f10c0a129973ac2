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

/* Puts the names of the joints of an answer's "not_measured" for this reason, after what stands there: "; no vertex
 * follows 'a', 'b' and 3 more". */
static void put_unmeasured(const cJSON *joints, const char *why, const char *head, struct text *out)
{
    enum { NAMES_MOST = 8 };
    const cJSON *joint;
    size_t count = 0;
    cJSON_ArrayForEach(joint, joints)
    {
        if (strcmp(member_text(joint, "why"), why) != 0 || ++count > NAMES_MOST)
            continue;
        text_printf(out, "%s%s", count > 1 ? ", " : out->size_bytes > 0 ? "; " : "", count == 1 ? head : "");
        text_printf(out, "%s", subject_of("", joint).text + 1);
    }
    if (count > NAMES_MOST)
        text_printf(out, " and %zu more", count - NAMES_MOST);
}

/* Notes the joints that were not measured. */
static void take_unmeasured(const struct inspection *model, const cJSON *joints)
{
    struct text why = {0};
    const int count = cJSON_GetArraySize(joints);
    model->findings->unmeasured = (size_t)count;
    put_unmeasured(joints, "no_vertices", "no vertex follows ", &why);
    put_unmeasured(joints, "no_triangles", "no triangle deforms at ", &why);
    put_unmeasured(joints, "sheared", "the matrix is sheared of ", &why);
    if (count > 0)
        findings_note(model, RULE_FLEX_VOLUME, "%d joint%s not measured: %s", count, count == 1 ? " is" : "s are",
                      why.at == NULL ? "" : why.at);
    text_free(&why);
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
    take_unmeasured(&model, json_get(answer, "not_measured"));
    if (args_has(check->args, OPTION_FLEX_SHEET))
        model.findings->sheet_answer = answer;
    else
        cJSON_Delete(answer);
    text_free(&query);
}
