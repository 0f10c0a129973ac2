/* posectl check: checks many models at the same time, then prints one report. */
#include "clients/cli/check/check.h"

#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"
#include "clients/cli/server/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the severities of the rules, changed by --severity RULE=LEVEL. */
static int set_severities(struct check *check)
{
    for (int i = 0; i < RULE_COUNT; i++)
        check->severities[i] = (enum severity)severity_find(RULES[i].severity);
    for (size_t i = 0; i < check->args->repeated_count; i++) {
        const char *value = check->args->repeated[i].value, *equals = strchr(value, '=');
        int rule = RULE_COUNT;
        if (check->args->repeated[i].option != OPTION_SEVERITY)
            continue;
        for (int k = 0; k < RULE_COUNT && equals != NULL; k++)
            if (strlen(RULES[k].name) == (size_t)(equals - value) &&
                strncmp(RULES[k].name, value, (size_t)(equals - value)) == 0)
                rule = k;
        const int severity = equals == NULL ? -1 : severity_find(equals + 1);
        if (rule == RULE_COUNT || severity < 0) {
            terminal_error("--severity takes RULE=LEVEL with the level error, warning, info or off, not '%s'; posectl "
                           "check --rules lists the rules",
                           value);
            return STATUS_USAGE;
        }
        check->severities[rule] = (enum severity)severity;
    }
    return STATUS_DONE;
}

static enum outcome check_one(struct connection *connection, size_t index, const char **label, void *context)
{
    struct check *check = context;
    struct findings *findings = &check->findings[index];
    *label = check->models.items[index].model;
    check_model(check, connection, check->models.items[index].source, findings);
    findings->is_done = true;
    return findings->is_unreadable ? OUTCOME_FAILED : OUTCOME_MADE;
}

static int list_rules(const struct check *check)
{
    struct text out = {0};
    for (int i = 0; i < RULE_COUNT && terminal.is_json; i++)
        text_printf(&out, "%s{\"rule\":\"%s\",\"severity\":\"%s\",\"text\":\"%s\"}%s", i == 0 ? "[" : ",\n",
                    RULES[i].name, severity_name(check->severities[i]), RULES[i].text,
                    i + 1 == RULE_COUNT ? "]\n" : "");
    for (int i = 0; i < RULE_COUNT && !terminal.is_json; i++) {
        text_put_column(&out, RULES[i].name, 23);
        text_put_column(&out, severity_name(check->severities[i]), 9);
        text_printf(&out, "%s\n", RULES[i].text);
    }
    const int status = output_give("-", out.at, out.size_bytes);
    text_free(&out);
    return status;
}

/* Writes the report. STATUS_FAILED where a finding is as severe as --fail-on. */
static int give_report(const struct check *check)
{
    const char *format = args_text(check->args, OPTION_FORMAT, terminal.is_json ? "json" : "text");
    const char *fail_on = args_text(check->args, OPTION_FAIL_ON, "error");
    const char *file = args_text(check->args, OPTION_FILE, NULL);
    const int threshold = strcmp(fail_on, "never") == 0 ? SEVERITY_COUNT : severity_find(fail_on);
    struct text out = {0};
    if (file != NULL && strcmp(file, "-") != 0)
        terminal.has_colour = false;
    if (strcmp(format, "json") == 0)
        check_report_json(check, &out);
    else if (strcmp(format, "junit") == 0)
        check_report_junit(check, &out);
    else if (strcmp(format, "sarif") == 0)
        check_report_sarif(check, &out);
    else
        check_report_text(check, &out);
    int status = output_give(file, out.at, out.size_bytes);
    text_free(&out);
    for (size_t i = 0; i < check->models.count && status == STATUS_DONE; i++)
        for (size_t k = 0; k < check->findings[i].count; k++)
            if ((int)check->findings[i].at[k].severity >= threshold)
                status = STATUS_FAILED;
    return status;
}

static int check_models(struct check *check, struct command_context *context)
{
    struct progress progress = {.what = "check"};
    int status = context_open(context, check->args, pool_jobs(check->args));
    if (status == STATUS_DONE)
        status = model_list_read(&check->models, &context->paths, check->args, &context->connection);
    check->findings = must_alloc((check->models.count + 1) * sizeof *check->findings);
    if (status == STATUS_DONE)
        status = pool_run(&context->session, pool_jobs(check->args), check->models.count, check_one, check, &progress);
    check->seconds = now_s() - progress.start_s;
    if (status == STATUS_DONE)
        status = give_report(check);
    return status == STATUS_DONE && check->models.unread > 0 ? STATUS_FAILED : status;
}

int run_check(const struct args *args)
{
    struct check check = {.args = args};
    struct command_context context = {0};
    int status = set_severities(&check);
    if (status == STATUS_DONE && args_has(args, OPTION_RULES))
        return list_rules(&check);
    if (status == STATUS_DONE)
        status = check_models(&check, &context);
    for (size_t i = 0; i < check.models.count && check.findings != NULL; i++) {
        for (size_t k = 0; k < check.findings[i].count; k++)
            free(check.findings[i].at[k].message);
        free(check.findings[i].at);
    }
    free(check.findings);
    model_list_free(&check.models);
    context_close(&context);
    return status;
}
