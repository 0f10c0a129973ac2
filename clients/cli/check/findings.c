/* Implements findings and their subjects: check.h. */
#include "clients/cli/check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct subject subject_of(const char *what, const cJSON *thing)
{
    struct subject subject;
    const double index = member_number(thing, json_get(thing, "index") != NULL ? "index" : "node");
    if (member_text(thing, "name")[0] != '\0')
        snprintf(subject.text, sizeof subject.text, "%s '%s'", what, member_text(thing, "name"));
    else
        snprintf(subject.text, sizeof subject.text, "%s %.0f", what, index);
    return subject;
}

struct subject subject_quoted(const char *code, const char *message, const char *source)
{
    struct subject subject;
    const char *slash = strrchr(source, '/');
    const size_t folder_bytes = slash == NULL ? 0 : (size_t)(slash + 1 - source);
    size_t size = (size_t)snprintf(subject.text, sizeof subject.text, "%.100s", code);
    for (const char *at = strchr(message, '\''); at != NULL; at = strchr(at + 1, '\'')) {
        const char *end = strchr(at + 1, '\'');
        const bool is_within_word = at > message && at[-1] != ' ' && at[-1] != '(';
        if (end == NULL || is_within_word)
            continue; /* an apostrophe */
        const char *first = at + 1 + (strncmp(at + 1, source, folder_bytes) == 0 ? folder_bytes : 0);
        const int written = snprintf(subject.text + size, sizeof subject.text - size, " '%.*s'",
                                     end > first ? (int)(end - first) : 0, first);
        if (written < 0 || (size_t)written >= sizeof subject.text - size)
            break;
        size += (size_t)written;
        at = end;
    }
    return subject;
}

/* Returns the message, which the caller frees. */
__attribute__((format(printf, 1, 0))) static char *write_message(const char *format, va_list arguments)
{
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    return must_copy(message);
}

void findings_note(const struct inspection *model, enum rule_id rule, const char *format, ...)
{
    va_list arguments;
    struct findings *findings = model->findings;
    if (model->rules->severities[rule] == SEVERITY_OFF)
        return;
    findings->notes = must_grow(findings->notes, (findings->note_count + 1) * sizeof *findings->notes);
    va_start(arguments, format);
    findings->notes[findings->note_count++] = (struct note){.rule = rule, .message = write_message(format, arguments)};
    va_end(arguments);
}

void findings_add(const struct inspection *model, enum rule_id rule, const char *subject, const char *format, ...)
{
    va_list arguments;
    struct findings *findings = model->findings;
    if (model->rules->severities[rule] == SEVERITY_OFF)
        return;
    findings->at = must_grow(findings->at, (findings->count + 1) * sizeof *findings->at);
    va_start(arguments, format);
    findings->at[findings->count++] = (struct finding){.rule = rule,
                                                       .severity = model->rules->severities[rule],
                                                       .subject = must_copy(subject),
                                                       .message = write_message(format, arguments)};
    va_end(arguments);
}
