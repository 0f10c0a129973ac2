#include "clients/cli/ask/output_format.h"

#include "clients/cli/output/terminal.h"

#include <string.h>
#include <strings.h>

/* What bounds has no format= for. */
static const char JSON_ALONE[] = "json";

/* The words of the command's format=, the server's own choice first. */
static const char *forms_of(const struct command *command)
{
    for (size_t i = 0; i < PARAMETER_COUNT; i++)
        if (strcmp(PARAMETERS[i].name, "format") == 0 && parameter_is_for(&PARAMETERS[i], command))
            return PARAMETERS[i].values;
    return JSON_ALONE;
}

/* The form of that name among the words "png|apng|..", as a text that lasts; NULL for none. */
static const char *find_form(const char *forms, const char *name)
{
    static const char *const FORMS[] = {"json", "bin", "glb", "png", "apng", "gif", "webp"};
    const char *word;
    size_t size = 0;
    while ((word = values_next_word(&forms, &size)) != NULL)
        for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++)
            if (strcasecmp(FORMS[i], name) == 0 && strlen(name) == size && strncmp(FORMS[i], word, size) == 0)
                return FORMS[i];
    return NULL;
}

/* Whether the ending is a form of any command's. */
static bool is_form(const char *ending)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (COMMANDS[i].operation[0] != '\0' && find_form(forms_of(&COMMANDS[i]), ending) != NULL)
            return true;
    return false;
}

static int refuse(const struct args *args, const char *file, const char *forms)
{
    struct text endings = {0};
    const char *word;
    size_t size = 0;
    while ((word = values_next_word(&forms, &size)) != NULL)
        text_printf(&endings, "%s.%.*s", endings.size_bytes == 0 ? "" : ", ", (int)size, word);
    terminal_error("%s writes %s, not '%s'", COMMANDS[args->command].name, endings.at, file);
    text_free(&endings);
    return STATUS_USAGE;
}

int output_format_choose(const struct args *args, const char **format)
{
    const char *file = args_text(args, OPTION_FILE, "-"), *given = args_parameter(args, "format");
    const char *slash = strrchr(file, '/'), *base = slash == NULL ? file : slash + 1, *dot = strrchr(base, '.');
    const char *forms = forms_of(&COMMANDS[args->command]);
    *format = NULL;
    if (dot == NULL || dot == base || dot[1] == '\0')
        return STATUS_DONE;
    const char *form = find_form(forms, dot + 1);
    if (given == NULL && form == NULL)
        return refuse(args, file, forms);
    if (given == NULL) {
        *format = strncmp(forms, form, strlen(form)) == 0 ? NULL : form;
        return STATUS_DONE;
    }
    const bool is_animated_png = strcmp(given, "apng") == 0 && strcasecmp(dot + 1, "png") == 0;
    if (strcasecmp(given, dot + 1) == 0 || is_animated_png || !is_form(dot + 1))
        return STATUS_DONE;
    terminal_error("--format %s and the ending of '%s' mean two things", given, file);
    return STATUS_USAGE;
}
