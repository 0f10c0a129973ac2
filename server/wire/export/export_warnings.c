/* export_warnings.c - reports what the file changes, and what it cannot express. */
#include "wire/encode/json.h"
#include "wire/export/export_internal.h"

#include <stdarg.h>
#include <stdio.h>

/* Appends {"code":..,"message":..}, with the share unless it is negative. */
__attribute__((format(printf, 4, 0))) static void put(struct buf *out, const char *code, double share_of_size,
                                                      const char *format, va_list arguments)
{
    struct err text; /* truncated at a character boundary, without control characters */
    char message[ERR_MESSAGE_SIZE];
    vsnprintf(message, sizeof message, format, arguments);
    err_set(&text, ERR_NOT_IN_GLTF, "%s", message);
    json_comma(out, out->size_bytes > 0);
    json_printf(out, "{\"code\":%s,\"message\":%s", code, text.message);
    if (share_of_size >= 0)
        json_printf(out, ",\"share_of_size\":%f", share_of_size);
    buf_put_char(out, '}');
}

void export_warn(struct export *e, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(&e->warnings, code, -1, format, arguments);
    va_end(arguments);
}

void export_approximate(struct export *e, const char *code, double share_of_size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(&e->approximations, code, share_of_size, format, arguments);
    va_end(arguments);
    if (share_of_size < EXPORT_WARNED)
        return;
    va_start(arguments, format);
    put(&e->warnings, code, -1, format, arguments);
    va_end(arguments);
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
