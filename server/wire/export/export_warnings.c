/* export_warnings.c - reports what the file changes, and what it cannot express. */
#include "wire/encode/json.h"
#include "wire/export/export_internal.h"

#include <stdarg.h>
#include <stdio.h>

void export_warn(struct export *e, const char *code, const char *format, ...)
{
    struct err text; /* truncated at a character boundary, without control characters */
    char message[ERR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    err_set(&text, ERR_NOT_IN_GLTF, "%s", message);
    json_comma(&e->warnings, e->warnings.size_bytes > 0);
    json_printf(&e->warnings, "{\"code\":%s,\"message\":%s}", code, text.message);
}

bool export_refuse(struct export *e, const char *format, ...)
{
    struct err err;
    char message[ERR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    err_set(&err, ERR_NOT_IN_GLTF, "'%s': %s", e->context->request->model, message);
    return context_fail(e->context, &err);
}
