/* err.c - the table of errors, and messages that are safe to log and to send. */
#include "base/err.h"

#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct row {
    int code, http;
    const char *name, *meaning;
} ROWS[] = {
#define X(symbol, number, http, name, meaning) {-(number), http, name, meaning},
#include "protocol/errors.def"
#undef X
};

static const struct row *find(int code)
{
    const struct row *internal = NULL;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        if (ROWS[i].code == code)
            return &ROWS[i];
        if (ROWS[i].code == ERR_INTERNAL)
            internal = &ROWS[i];
    }
    return internal;
}

/* Cuts a message between two characters, and replaces what could forge a log line or break JSON. */
static void clean(char *message)
{
    size_t size = strlen(message);
    if (size == ERR_MESSAGE_SIZE - 1)
        size = utf8_whole(message, size);
    message[size] = '\0';
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)message[i] < 0x20 || message[i] == 0x7f)
            message[i] = '?';
    utf8_repair(message, size);
}

int err_set(struct err *err, int code, const char *format, ...)
{
    assert(code < 0);
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
        clean(err->message);
        err->code = code;
    }
    return code;
}

int err_prefix(struct err *err, const char *format, ...)
{
    if (err == NULL)
        return ERR_INTERNAL;
    char prefix[ERR_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    char message[2 * ERR_MESSAGE_SIZE + 2];
    snprintf(message, sizeof message, "%s: %s", prefix, err->message);
    memcpy(err->message, message, sizeof err->message - 1);
    err->message[sizeof err->message - 1] = '\0';
    clean(err->message);
    return err->code;
}

const char *err_name(int code) { return find(code)->name; }
int err_http_status(int code) { return find(code)->http; }
const char *err_meaning(int code) { return find(code)->meaning; }

int err_from_number(unsigned number)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if ((unsigned)-ROWS[i].code == number)
            return ROWS[i].code;
    return ERR_INTERNAL;
}

bool err_is_shortage(int error)
{
    return error == EAGAIN /* of fork() */ || error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

bool err_is_source(int error)
{
    switch (error) {
    case EIO:
    case ESTALE:   /* NFS: the handle's file system no longer exists */
    case ENOTCONN: /* FUSE: the process behind it has ended */
    case ENODEV:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETUNREACH:
    case ENETRESET:
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case ETIMEDOUT:
    case ESHUTDOWN:
    case EREMOTEIO:
    case ENOLINK:
    case ENOMEDIUM:
        return true;
    default:
        return false;
    }
}
