/* option_names.c - names of options and variables, and what a misspelt one meant. */
#include "daemon/config/option_names.h"

#include "base/ascii.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static const char PREFIX[] = "POSED_";

enum name_kind { IS_OPTION, IS_FLAG, IS_OTHER };

static const struct {
    const char *name; /* "" for a limit without an option */
    enum name_kind kind;
} NAMES[] = {
#define X(name, kind, field, value, initial, words, min, max, group, help)                                             \
    {name, #kind[0] == 'F' || #kind[0] == 'P' ? IS_FLAG : IS_OPTION},
#include "daemon/config/options.def"
#undef X
#define X(limit, option, initial, unit, group, text) {option, IS_OPTION},
#include "protocol/limits.def"
#undef X
#define X(name) {name, IS_OTHER},
#include "daemon/config/other_variables.def"
#undef X
};

enum { NAME_COUNT = sizeof NAMES / sizeof *NAMES };

/* Options of other servers, by the names of ours. */
static const char *familiar(const char *name, size_t name_bytes)
{
    static const char *const FAMILIAR[][2] = {{"port", "http"},      {"host", "http"},    {"listen", "http"},
                                              {"bind", "http"},      {"address", "http"}, {"models", "root"},
                                              {"directory", "root"}, {"dir", "root"},     {"folder", "root"}};
    for (size_t i = 0; i < sizeof FAMILIAR / sizeof *FAMILIAR; i++)
        if (strlen(FAMILIAR[i][0]) == name_bytes && memcmp(FAMILIAR[i][0], name, name_bytes) == 0)
            return FAMILIAR[i][1];
    return NULL;
}

const char *option_names_meant(const char *name, size_t name_bytes)
{
    struct nearest nearest = NEAREST_NONE;
    const char *known = familiar(name, name_bytes);
    for (size_t i = 0; known == NULL && i < NAME_COUNT; i++)
        if (NAMES[i].name[0] != '\0' && NAMES[i].kind != IS_OTHER)
            nearest_consider(&nearest, NAMES[i].name, name, name_bytes);
    return known != NULL ? known : nearest.name;
}

/* --- variables --- */

void option_names_put_variable(const char *option, char out[VARIABLE_SIZE])
{
    size_t at = (size_t)snprintf(out, VARIABLE_SIZE, "%s%s", PREFIX, option);
    while (at-- > sizeof PREFIX - 1)
        out[at] = out[at] == '-' ? '_' : ascii_upper(out[at]);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t text_bytes = strlen(text), end_bytes = strlen(end);
    return text_bytes >= end_bytes && strcmp(text + text_bytes - end_bytes, end) == 0;
}

/* Kubernetes makes POSED_SERVICE_HOST, POSED_SERVICE_PORT_HTTP, POSED_PORT=tcp://10.0.0.7:7878,
 * POSED_PORT_7878_TCP_ADDR and more for a Service "posed", and POSED_WEB_PORT and so on for "posed-web". */
static bool is_of_kubernetes(const char *variable, const char *value)
{
    const char *port = strstr(variable, "_PORT_");
    return ends_with(variable, "_SERVICE_HOST") || strstr(variable, "_SERVICE_PORT") != NULL ||
           (ends_with(variable, "_PORT") && strstr(value, "://") != NULL) ||
           (port != NULL && ascii_is_digit(port[sizeof "_PORT_" - 1]));
}

/* POSED_1 and POSED_1_PACKETS: servers behind a proxy. */
static bool is_of_proxies(const char *variable)
{
    const char *after = variable + sizeof PREFIX - 1;
    return ascii_is_digit(after[0]) && (after[1] == '\0' || strcmp(after + 1, "_PACKETS") == 0);
}

/* Writes what the variable meant, "" for nothing known, and returns whether a program reads it. *flag: the option
 * without a variable that has its name, or NULL. */
static bool is_read(const char *variable, char meant[VARIABLE_SIZE], const char **flag)
{
    const char *after = variable + sizeof PREFIX - 1;
    char known[VARIABLE_SIZE], spelt[VARIABLE_SIZE];
    struct nearest nearest = NEAREST_NONE;
    size_t size = 0;
    for (; after[size] != '\0'; size++)
        spelt[size] = after[size] == '_' ? '-' : ascii_lower(after[size]);
    *flag = NULL;
    meant[0] = '\0';
    for (size_t i = 0; i < NAME_COUNT; i++) {
        option_names_put_variable(NAMES[i].name, known);
        if (NAMES[i].kind == IS_FLAG && strcmp(known, variable) == 0)
            *flag = NAMES[i].name;
        else if (NAMES[i].name[0] != '\0' && strcmp(known, variable) == 0)
            return true;
        else if (NAMES[i].name[0] != '\0' && NAMES[i].kind != IS_FLAG)
            nearest_consider(&nearest, NAMES[i].name, spelt, size);
    }
    const char *name = familiar(spelt, size);
    name = name == NULL ? nearest.name : name;
    if (name != NULL)
        option_names_put_variable(name, meant);
    return false;
}

bool option_names_unread(const char *entry, bool *is_similar, char sentence[VARIABLE_SENTENCE_SIZE])
{
    char variable[VARIABLE_SIZE], meant[VARIABLE_SIZE];
    const char *value = strchr(entry, '='), *flag;
    if (strncmp(entry, PREFIX, sizeof PREFIX - 1) != 0 || value == NULL || value[1] == '\0')
        return false;
    const int kept = snprintf(variable, sizeof variable, "%.*s", (int)(value - entry), entry);
    for (char *at = variable; *at != '\0'; at++)
        *at = ascii_is_visible(*at) ? *at : '?';
    if (is_of_kubernetes(variable, value) || is_of_proxies(variable) || is_read(variable, meant, &flag))
        return false;
    const char *more = kept < VARIABLE_SIZE ? "" : "...";
    *is_similar = flag != NULL || meant[0] != '\0';
    if (flag != NULL)
        snprintf(sentence, VARIABLE_SENTENCE_SIZE, "the variable %s has no effect: --%s is for the command line only",
                 variable, flag);
    else
        snprintf(sentence, VARIABLE_SENTENCE_SIZE, "the variable %s%s has no effect; %s%s%s", variable, more,
                 *is_similar ? "did you mean " : "posed --help names those that have", meant, *is_similar ? "?" : "");
    return true;
}
