/* What was given, as values and as the query and body of a request: args.h. */
#include "clients/cli/command_line/args.h"

#include <stdlib.h>
#include <string.h>

void args_free(struct args *args)
{
    free(args->repeated);
    free(args->parameters);
    free(args->positional);
}

bool args_has(const struct args *args, enum option_id option) { return args->values[option] != NULL; }

const char *args_text(const struct args *args, enum option_id option, const char *fallback)
{
    return args->values[option] == NULL ? fallback : args->values[option];
}

double args_number(const struct args *args, enum option_id option, double fallback)
{
    return args->values[option] == NULL ? fallback : strtod(args->values[option], NULL);
}

const char *args_parameter(const struct args *args, const char *name)
{
    for (size_t i = 0; i < args->parameter_count; i++)
        if (strcmp(args->parameters[i].name, name) == 0)
            return args->parameters[i].value;
    return NULL;
}

void args_put_query(const struct args *args, struct text *out)
{
    for (size_t i = 0; i < args->parameter_count; i++) {
        if (args->parameters[i].is_json)
            continue;
        text_printf(out, "&%s=", args->parameters[i].name);
        text_put_url(out, args->parameters[i].value);
    }
    for (size_t i = 0; i < args->repeated_count; i++) {
        if (args->repeated[i].option != OPTION_PARAM)
            continue;
        const char *equals = strchr(args->repeated[i].value, '=');
        text_printf(out, "&%.*s=", (int)(equals - args->repeated[i].value), args->repeated[i].value);
        text_put_url(out, equals + 1);
    }
}

bool args_put_body(const struct args *args, struct text *out)
{
    bool has_any = false;
    for (size_t i = 0; i < args->parameter_count; i++) {
        if (!args->parameters[i].is_json)
            continue;
        text_printf(out, "%s\"%s\":%s", has_any ? "," : "{", args->parameters[i].name, args->parameters[i].value);
        has_any = true;
    }
    if (has_any)
        text_put(out, "}");
    return has_any;
}
