/* Checks one model: asks the server what the model contains, and applies all rules. */
#include "clients/cli/check/check.h"

#include "clients/cli/server/limit_hint.h"
#include "clients/cli/server/skipped_model.h"

#include <stdlib.h>
#include <string.h>

static void check_warnings(const struct inspection *model)
{
    const cJSON *warning;
    cJSON_ArrayForEach(warning, json_get(model->model, "warnings"))
    {
        const char *code = member_text(warning, "code"), *message = member_text(warning, "message");
        const enum rule_id rule = rule_of_warning(code);
        if (strcmp(code, "texture_procedural") == 0) {
            findings_note(model, RULE_MISSING_TEXTURE, "%s: %s", code, message);
            continue;
        }
        findings_add(model, rule, subject_quoted(code, message, model->source).text, "%s: %s", code, message);
    }
}

/* Reports a valid file that contains nothing for posed to read. */
static void check_content(const struct inspection *model)
{
    const cJSON *counts = json_get(model->model, "counts");
    if (member_number(counts, "vertices") == 0 && member_number(counts, "joints") == 0 &&
        member_number(counts, "clips") == 0)
        findings_add(model, RULE_NOTHING, "model", "the model has %.0f nodes, and no vertex, joint or clip",
                     member_number(counts, "nodes"));
}

/* Reports the model under the rule about the cause, or else under `unreadable`. The severity is at least that of
 * `unreadable`. */
static void add_unreadable(const struct inspection *model)
{
    const struct connection *connection = model->connection;
    const enum severity *severities = model->rules->severities;
    struct findings *findings = model->findings;
    const bool has_rule =
        connection->posed.error.code == POSED_ERR_BAD_KEYS && severities[RULE_BAD_KEYS] != SEVERITY_OFF;
    const size_t before = findings->count;
    const char *message = connection_error_message(connection, model->source);
    struct text hint = {0};
    char code[64];
    connection_error_code(connection, code);
    text_put(&hint, "");
    limit_hint_put(connection, &hint);
    findings_add(model, has_rule ? RULE_BAD_KEYS : RULE_UNREADABLE, subject_quoted(code, message, model->source).text,
                 "%s: %s%s", code, message, hint.at);
    text_free(&hint);
    if (findings->count > before && findings->at[before].severity < severities[RULE_UNREADABLE])
        findings->at[before].severity = severities[RULE_UNREADABLE];
    findings->is_unreadable = true;
}

void check_take_refusal(const struct inspection *model)
{
    struct text why = {0};
    model->findings->is_skipped = skipped_model_is(model->connection, model->models, model->index, &why);
    if (model->findings->is_skipped)
        findings_note(model, RULE_UNREADABLE, "not checked: %s", why.at);
    else
        add_unreadable(model);
    text_free(&why);
}

void inspection_find_nodes(struct inspection *model)
{
    const cJSON *node, *skin, *joint;
    size_t count = 0;
    model->node_count = (size_t)cJSON_GetArraySize(json_get(model->model, "nodes"));
    model->nodes = must_alloc((model->node_count + 1) * sizeof *model->nodes);
    model->is_joint = must_alloc(model->node_count + 1);
    cJSON_ArrayForEach(node, json_get(model->model, "nodes")) model->nodes[count++] = node;
    cJSON_ArrayForEach(skin, json_get(model->model, "skins"))
    {
        cJSON_ArrayForEach(joint, json_get(skin, "joints"))
        {
            const double place = member_number(joint, "node");
            if (!cJSON_IsTrue(json_get(skin, "rigid")) && place >= 0 && place < (double)model->node_count)
                model->is_joint[(size_t)place] = true;
        }
    }
}

void inspection_free_nodes(struct inspection *model)
{
    free(model->nodes);
    free(model->is_joint);
}

struct inspection inspection_of(const struct check *check, struct connection *connection, size_t index)
{
    return (struct inspection){.rules = check->sets[index],
                               .connection = connection,
                               .models = &check->models,
                               .index = index,
                               .source = check->models.items[index].source,
                               .findings = &check->findings[index]};
}

void check_model(const struct check *check, struct connection *connection, size_t index)
{
    cJSON *json;
    struct inspection model = inspection_of(check, connection, index);
    if (connection_request_json(connection, "model", model.source, "", NULL, &json) < 0) {
        check_take_refusal(&model);
        return;
    }
    model.model = json;
    inspection_find_nodes(&model);
    check_warnings(&model);
    check_content(&model);
    check_budgets(&model);
    check_names(&model);
    check_skeleton(&model);
    check_frames(&model);
    check_clips(&model);
    inspection_free_nodes(&model);
    cJSON_Delete(json);
}
