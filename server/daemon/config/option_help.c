/* option_help.c - the text of --help. */
#include "daemon/config/option_table.h"
#include "daemon/config/options.h"

#include "base/wrap.h"

#include <string.h>

enum {
    NAMES_COLUMNS = 30,   /* column of the options, left of their texts */
    NARROW_COLUMNS = 80,  /* fewer are too few for that: texts stand below their options */
    INDENT_COLUMNS = 8,   /* then the column of the texts */
    COLUMNS_LEAST = 40,   /* words are not broken */
    COLUMNS_MOST = 120,   /* longer lines are hard to read */
    COLUMNS_DEFAULT = 80, /* if stdout is not a terminal */
};

static const char INTRODUCTION[] =
    "A flag wins over its environment variable, the variable over the default. Sizes take k, m, g, t; times take ms, "
    "s, m, h; an @FILE has one entry a line. SIGTERM or SIGINT stops it once answers under way are sent; a second one "
    "at once. SIGHUP reads tokens and lists in files again and opens the log file again; it stops the server only "
    "where its terminal is closed. Exit status 2: the configuration is bad.";

/* Puts the words in lines. They begin at column `indent`, where the caller has put the first, and end at `columns`. */
static void put_wrapped(struct buf *out, const char *words, size_t indent, size_t columns)
{
    for (size_t line; (line = wrap_line_bytes(words, columns - indent)) > 0;) {
        buf_put(out, words, line);
        words += line + (words[line] == ' ');
        if (*words != '\0')
            buf_printf(out, "\n%*s", (int)indent, "");
    }
    buf_put_char(out, '\n');
}

/* "POSED_LOG, default text", or as much of it as there is. */
static void put_variable(struct buf *out, const struct option *option, const struct config *defaults, size_t indent,
                         size_t columns)
{
    char env[VARIABLE_SIZE];
    struct buf text, value;
    option_env(option, env);
    if (env[0] == '\0')
        return;
    buf_init(&value, 0);
    option_put_value(option, defaults, &value);
    buf_init(&text, 0);
    buf_put_text(&text, env);
    if (value.size_bytes > 0)
        buf_printf(&text, ", default %.*s", (int)value.size_bytes, value.data);
    const char *unit = option_bare_unit(option);
    if (unit != NULL)
        buf_printf(&text, "; a bare number is %s", unit);
    buf_put_char(&text, '\0');
    buf_printf(out, "%*s", (int)indent, "");
    put_wrapped(out, text.data, indent, columns);
    buf_fini(&text);
    buf_fini(&value);
}

static void put_option(struct buf *out, const struct option *option, const struct config *defaults, size_t columns)
{
    const size_t indent = columns < NARROW_COLUMNS ? INDENT_COLUMNS : NAMES_COLUMNS, start = out->size_bytes;
    buf_printf(out, "  --%s%s%s", option->name, option->value == NULL ? "" : " ",
               option->value == NULL ? "" : option->value);
    const size_t width = out->size_bytes - start;
    if (width >= indent)
        buf_printf(out, "\n%*s", (int)indent, "");
    else
        buf_printf(out, "%*s", (int)(indent - width), "");
    put_wrapped(out, option->help, indent, columns);
    put_variable(out, option, defaults, indent, columns);
}

void options_help(struct buf *out, const struct system_limits *machine, size_t columns)
{
    struct config defaults;
    columns = columns == 0              ? COLUMNS_DEFAULT
              : columns < COLUMNS_LEAST ? COLUMNS_LEAST
              : columns > COLUMNS_MOST  ? COLUMNS_MOST
                                        : columns;
    options_defaults(&defaults, machine);
    put_wrapped(out, "posed - serves poses and pictures of animated 3D models", 0, columns);
    buf_put_text(out, "\n  ");
    put_wrapped(out, "posed [--root DIR] [--http ADDR:PORT] [options]", 2, columns);
    buf_put_char(out, '\n');
    put_wrapped(out, INTRODUCTION, 0, columns);
    const char *group = "";
    for (size_t i = 0; i < option_count(); i++) {
        const struct option option = option_at(i);
        if (option.name[0] == '\0')
            continue;
        if (strcmp(group, option.group) != 0)
            buf_printf(out, "\n%s%s:\n", option.is_limit ? "Limits of " : "", option.group);
        group = option.group;
        put_option(out, &option, &defaults, columns);
    }
    buf_printf(out, "\n  --help, --version\n");
}
