/* The table of rules, severities and findings: check.h. */
#include "clients/cli/check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct rule RULES[RULE_COUNT] = {
#define RULE(symbol, name, severity, text) {name, severity, text},
#include "clients/cli/check/rules.def"
};

static const char *const SEVERITY_NAMES[SEVERITY_COUNT] = {"off", "info", "warning", "error"};

const char *severity_name(enum severity severity) { return SEVERITY_NAMES[severity]; }

int severity_find(const char *name)
{
    for (int i = 0; i < SEVERITY_COUNT; i++)
        if (strcmp(SEVERITY_NAMES[i], name) == 0)
            return i;
    return -1;
}

void findings_add(const struct check *check, struct findings *findings, enum rule_id rule, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    if (check->severities[rule] == SEVERITY_OFF)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    findings->at = must_grow(findings->at, (findings->count + 1) * sizeof *findings->at);
    findings->at[findings->count++] = (struct finding){rule, check->severities[rule], must_copy(message)};
}
