/* findings.c - the list of what a check finds: bounded for each rule and clip. */
#include "anim/check/check_internal.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *motion_rule_name(enum motion_rule rule)
{
    static const char *const NAMES[] = {
#define RULE(symbol, name, severity, text) [MOTION_##symbol] = name,
#include "protocol/motion_rules.def"
#undef RULE
    };
    return NAMES[rule];
}

/* Appends "clip 'walk'", or "clip 3" for a thing without a name. */
static void put_thing(struct finding *finding, const char *what, const char *name, int32_t index)
{
    const size_t used = strlen(finding->subject);
    if (name[0] != '\0')
        snprintf(finding->subject + used, sizeof finding->subject - used, "%s '%s'", what, name);
    else
        snprintf(finding->subject + used, sizeof finding->subject - used, "%s %d", what, index);
}

struct finding *finding_add(struct clip_check *check, enum motion_rule rule, int32_t node, double time_s)
{
    struct check_report *report = check->report;
    char name[SHORT_NAME_SIZE];
    if (check->counts[rule] == FINDINGS_MOST) {
        report->left_out++;
        return NULL;
    }
    check->counts[rule]++;
    report->findings = mem_grow(report->findings, &report->capacity, (size_t)report->count + 1, sizeof(struct finding));
    struct finding *finding = &report->findings[report->count++];
    *finding = (struct finding){.rule = rule,
                                .clip = check->clip,
                                .node = node,
                                .mesh = -1,
                                .time_s = time_s,
                                .value = (double)NAN,
                                .limit = (double)NAN};
    put_thing(finding, "clip", short_name(check->model, check->model->clips[check->clip].name, name), check->clip);
    return finding;
}

void finding_measure(struct finding *finding, double value, double limit, const char *unit)
{
    finding->value = value;
    finding->limit = limit;
    finding->unit = unit;
}

void finding_name_joint(struct clip_check *check, struct finding *finding)
{
    char name[SHORT_NAME_SIZE];
    snprintf(finding->subject + strlen(finding->subject), sizeof finding->subject - strlen(finding->subject), ", ");
    put_thing(finding, "joint", short_name(check->model, check->model->nodes[finding->node].name, name), finding->node);
}

void finding_say(struct clip_check *check, struct finding *finding, const char *format, ...)
{
    char name[SHORT_NAME_SIZE];
    va_list arguments;
    const int head = snprintf(finding->message, sizeof finding->message, "clip %d '%s'", check->clip,
                              short_name(check->model, check->model->clips[check->clip].name, name));
    va_start(arguments, format);
    const int size = vsnprintf(finding->message + head, sizeof finding->message - (size_t)head, format, arguments);
    va_end(arguments);
    if (head + size >= (int)sizeof finding->message)
        finding->message[utf8_whole(finding->message, sizeof finding->message - 1)] = '\0';
}

void check_report_fini(struct check_report *report)
{
    free(report->findings);
    *report = (struct check_report){0};
}
