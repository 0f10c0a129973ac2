/* The command line and the environment. The input is texts separated by NULs: arguments first, then variables
 * NAME=VALUE after an empty text. No crash. An accepted value is accepted again in its printed form. */
#include "daemon/config/options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS_MAX = 120 };

static char *variables[TEXTS_MAX];
static int variable_count;

static char *get_variable(const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < variable_count; i++)
        if (strncmp(variables[i], name, length) == 0 && variables[i][length] == '=')
            return variables[i] + length + 1;
    return NULL;
}

/* A sanitizer build has no limits on address space, which no option can express. */
static bool is_none(const char *line)
{
    const char *value = strchr(line, '=');
    return value != NULL && strcmp(value, "=0") == 0 && value - line > 7 && memcmp(value - 7, "_MEMORY", 7) == 0;
}

static void check_again(const struct config *config, const struct system_limits *machine)
{
    struct buf first, second;
    buf_init(&first, 0);
    buf_init(&second, 0);
    options_print(&first, config);
    buf_put_char(&first, '\0');
    variable_count = 0;
    char *lines = malloc(first.size_bytes);
    if (lines == NULL)
        abort();
    memcpy(lines, first.data, first.size_bytes);
    for (char *line = strtok(lines, "\n"); line != NULL && variable_count < TEXTS_MAX; line = strtok(NULL, "\n"))
        variables[variable_count++] = line;
    char *arguments[] = {(char *)"posed", NULL};
    struct config again;
    struct err err;
    for (int i = variable_count - 1; i >= 0; i--)
        if (is_none(variables[i]))
            variables[i] = variables[--variable_count];
    if (variable_count < TEXTS_MAX) {
        if (options_parse(&again, 1, arguments, get_variable, machine, &err) < 0)
            abort();
        options_print(&second, &again);
        buf_put_char(&second, '\0');
        if (strcmp(first.data, second.data) != 0)
            abort();
    }
    free(lines);
    buf_fini(&first);
    buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct system_limits machine = {.cores = 4, .memory_bytes = UINT64_C(8) << 30};
    char *texts = malloc(size + 1);
    if (texts == NULL)
        abort();
    if (size > 0)
        memcpy(texts, data, size);
    texts[size] = '\0';
    char *arguments[TEXTS_MAX + 2] = {(char *)"posed"};
    int argument_count = 1;
    bool is_environment = false;
    variable_count = 0;
    for (char *text = texts; text <= texts + size && argument_count + variable_count < TEXTS_MAX;
         text += strlen(text) + 1) {
        if (!is_environment && *text == '\0')
            is_environment = true;
        else if (is_environment)
            variables[variable_count++] = text;
        else
            arguments[argument_count++] = text;
    }
    struct config config;
    struct err err = {0};
    const int action = options_parse(&config, argument_count, arguments, get_variable, &machine, &err);
    if (action < 0 && (err.code != action || err.message[0] == '\0'))
        abort();
    /* a newline in a text would end its line, so such values cannot be printed and read back */
    const bool has_newline = size > 0 && memchr(data, '\n', size) != NULL;
    if ((action == OPTIONS_SERVE || action == OPTIONS_CHECK) && !has_newline)
        check_again(&config, &machine);
    free(texts);
    return 0;
}
