#include "wire/proxy/trace_context.h"

#include "base/ascii.h"

#include <stddef.h>
#include <string.h>

enum { TRACE_AT = 3, PARENT_AT = 36, FLAGS_AT = 53, TEXT_BYTES = TRACEPARENT_SIZE - 1, SAMPLED = 1 };

/* True for lower-case digits only. */
static bool are_digits(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!ascii_is_digit(text[i]) && !(text[i] >= 'a' && text[i] <= 'f'))
            return false;
    return true;
}

static bool are_zeros(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text[i] != '0')
            return false;
    return true;
}

bool trace_context_read(const char *traceparent, char out[TRACEPARENT_SIZE])
{
    out[0] = '\0';
    if (traceparent == NULL || strnlen(traceparent, TEXT_BYTES) < TEXT_BYTES)
        return false;
    const char *trace = traceparent + TRACE_AT, *parent = traceparent + PARENT_AT, *flags = traceparent + FLAGS_AT;
    const bool has_form = are_digits(traceparent, 2) && trace[-1] == '-' && are_digits(trace, 32) &&
                          parent[-1] == '-' && are_digits(parent, 16) && flags[-1] == '-' && are_digits(flags, 2);
    const bool is_later = has_form && !are_zeros(traceparent, 2);
    const char behind = traceparent[TEXT_BYTES];
    if (!has_form || memcmp(traceparent, "ff", 2) == 0 || are_zeros(trace, 32) || are_zeros(parent, 16))
        return false;
    if (behind != '\0' && !(is_later && behind == '-'))
        return false;
    memcpy(out, traceparent, TEXT_BYTES);
    out[TEXT_BYTES] = '\0';
    if (is_later) { /* of a later version only the flag defined in this one is kept */
        const bool is_sampled = (flags[1] <= '9' ? flags[1] - '0' : flags[1] - 'a' + 10) & SAMPLED;
        memcpy(out, "00", 2);
        memcpy(out + FLAGS_AT, is_sampled ? "01" : "00", 2);
    }
    return true;
}

void trace_context_id(const char traceparent[TRACEPARENT_SIZE], char out[TRACE_ID_SIZE])
{
    const size_t bytes = traceparent[0] == '\0' ? 0 : TRACE_ID_SIZE - 1;
    memcpy(out, traceparent + TRACE_AT, bytes);
    out[bytes] = '\0';
}
