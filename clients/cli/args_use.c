/* What was given, as values and as the query and body of a request: args.h. */
#include "args.h"

#include <stdlib.h>

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

void args_put_query(const struct args *args, const char *model, struct text *out)
{
    text_put(out, "model=");
    text_put_url(out, model);
    for (size_t i = 0; i < args->parameter_count; i++) {
        if (args->parameters[i].is_json)
            continue;
        text_printf(out, "&%s=", args->parameters[i].name);
        text_put_url(out, args->parameters[i].value);
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
