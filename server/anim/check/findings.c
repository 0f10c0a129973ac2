/* findings.c - the list of what a check finds: bounded for each rule and clip. */
#include "anim/check/check_internal.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum { PART_SIZE = 241 }; /* of a clip and of a joint in the subject of both */

const char *motion_rule_name(enum motion_rule rule)
{
    static const char *const NAMES[] = {
#define RULE(symbol, name, severity, text) [MOTION_##symbol] = name,
#include "protocol/rules/motion_rules.def"
#undef RULE
    };
    return NAMES[rule];
}

const char *whole_name(const struct model *model, struct str name, size_t *size_bytes)
{
    *size_bytes = name.offset == STR_NONE ? 0 : name.size_bytes;
    return *size_bytes == 0 ? "" : model->text + name.offset;
}

/* Writes "clip 'walk'", or "clip 3" for a thing without a name. Cuts it to size_bytes, including its NUL. */
static void put_thing(char *out, size_t size_bytes, const char *what, const struct model *model, struct str name,
                      int32_t index)
{
    size_t name_bytes;
    const char *text = whole_name(model, name, &name_bytes);
    const int limit_bytes = (int)(name_bytes < size_bytes ? name_bytes : size_bytes);
    const int wanted = name_bytes > 0 ? snprintf(out, size_bytes, "%s '%.*s'", what, limit_bytes, text)
                                      : snprintf(out, size_bytes, "%s %d", what, index);
    if (wanted >= (int)size_bytes)
        out[utf8_whole(out, size_bytes - 1)] = '\0';
}

struct finding *finding_add(struct clip_check *check, enum motion_rule rule, int32_t node, double time_s)
{
    struct check_report *report = check->report;
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
    if (check->clip >= 0)
        put_thing(finding->subject, sizeof finding->subject, "clip", check->model,
                  check->model->clips[check->clip].name, check->clip);
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
    char clip[PART_SIZE], joint[PART_SIZE];
    put_thing(clip, sizeof clip, "clip", check->model, check->model->clips[check->clip].name, check->clip);
    put_thing(joint, sizeof joint, "joint", check->model, check->model->nodes[finding->node].name, finding->node);
    snprintf(finding->subject, sizeof finding->subject, "%s, %s", clip, joint);
}

void finding_name_mesh(struct clip_check *check, struct finding *finding)
{
    char mesh[PART_SIZE], joint[PART_SIZE];
    put_thing(mesh, sizeof mesh, "mesh", check->model, check->model->meshes[finding->mesh].name, finding->mesh);
    put_thing(joint, sizeof joint, "joint", check->model, check->model->nodes[finding->node].name, finding->node);
    snprintf(finding->subject, sizeof finding->subject, "%s, %s", mesh, joint);
}

void finding_say(struct clip_check *check, struct finding *finding, const char *format, ...)
{
    char name[SHORT_NAME_SIZE];
    va_list arguments;
    const int head = check->clip < 0 ? 0
                                     : snprintf(finding->message, sizeof finding->message, "clip %d '%s'", check->clip,
                                                short_name(check->model, check->model->clips[check->clip].name, name));
    va_start(arguments, format);
    const int size = vsnprintf(finding->message + head, sizeof finding->message - (size_t)head, format, arguments);
    va_end(arguments);
    if (head + size >= (int)sizeof finding->message)
        finding->message[utf8_whole(finding->message, sizeof finding->message - 1)] = '\0';
}
