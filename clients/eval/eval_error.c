/* eval_error.c - converts failures to status and message. */
#include "clients/eval/eval_internal.h"

#include "base/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)PE_MESSAGE_MAX >= (int)ERR_MESSAGE_SIZE, "a message has room");

int eval_fail(struct pe_error *error, int status, const char *format, ...)
{
    if (error == NULL)
        return status;
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    error->status = status;
    error->system = 0;
    return status;
}

static int status_of(int code)
{
    switch (code) {
    case ERR_BAD_BAKE:
        return PE_E_DAMAGED;
    case ERR_MODEL_LIMIT:
    case ERR_TOO_MANY_FRAMES:
        return PE_E_LIMIT;
    case ERR_CLIP_NO_MATCH:
    case ERR_NO_HUMANOID:
        return PE_E_NOT_FOUND;
    case ERR_NO_MEMORY:
        return PE_E_MEMORY;
    case ERR_NOT_FINITE:
        return PE_E_NOT_FINITE;
    case ERR_NOT_RIGID:
        return PE_E_NOT_RIGID;
    default:
        return PE_E_ARGUMENT;
    }
}

int eval_fail_by(struct pe_error *error, const struct err *err)
{
    return eval_fail(error, status_of(err->code), "%s", err->message);
}

const char *pe_version(void) { return posed_version(); }
int pe_file_version(void) { return POSED_FILE_VERSION; }
