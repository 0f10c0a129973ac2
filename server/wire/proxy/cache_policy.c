#include "wire/proxy/cache_policy.h"

#include "base/ascii.h"
#include "wire/http/url.h"

#include <stdio.h>
#include <string.h>

enum { YEAR_S = 31536000, SECONDS_DIGITS = 8, NAMED_BYTES = 40 };

enum directive { MAX_AGE, STALE_WHILE_REVALIDATE, STALE_IF_ERROR, DIRECTIVE_COUNT };
static const char *const DIRECTIVES[DIRECTIVE_COUNT] = {"max-age", "stale-while-revalidate", "stale-if-error"};

static bool parse_seconds(const char *text, size_t size_bytes, unsigned *out)
{
    *out = 0;
    if (size_bytes == 0 || size_bytes > SECONDS_DIGITS)
        return false;
    for (size_t i = 0; i < size_bytes; i++) {
        if (!ascii_is_digit(text[i]))
            return false;
        *out = 10 * *out + (unsigned)(text[i] - '0');
    }
    return *out <= YEAR_S;
}

static int parse_directive(const char *entry, size_t bytes, int seconds[DIRECTIVE_COUNT], struct err *err)
{
    const int named_bytes = (int)(bytes < NAMED_BYTES ? bytes : NAMED_BYTES);
    const char *equals = bytes > 0 ? memchr(entry, '=', bytes) : NULL;
    const size_t name_bytes = equals == NULL ? bytes : (size_t)(equals - entry);
    for (int i = 0; i < DIRECTIVE_COUNT; i++) {
        unsigned value;
        if (!url_is_word(entry, name_bytes, DIRECTIVES[i]))
            continue;
        if (seconds[i] >= 0)
            return err_set(err, ERR_BAD_PARAMETER, "'%s' is there twice", DIRECTIVES[i]);
        if (equals == NULL || !parse_seconds(equals + 1, bytes - name_bytes - 1, &value))
            return err_set(err, ERR_BAD_PARAMETER, "'%.*s' needs a number of seconds from 0 to %d, such as %s=60",
                           named_bytes, entry, YEAR_S, DIRECTIVES[i]);
        seconds[i] = (int)value;
        return 0;
    }
    return err_set(err, ERR_BAD_PARAMETER,
                   "'%.*s' is none of max-age=SECONDS, stale-while-revalidate=SECONDS and stale-if-error=SECONDS, and "
                   "not no-cache alone",
                   named_bytes, entry);
}

int cache_policy_parse(const char *text, bool is_private, struct cache_policy *out, struct err *err)
{
    const char *whose = is_private ? "private" : "public", *entry;
    int seconds[DIRECTIVE_COUNT] = {-1, -1, -1};
    size_t bytes;
    snprintf(out->immutable, sizeof out->immutable, "%s, max-age=%d, immutable", whose, YEAR_S);
    if (url_is_word(text, strlen(text), "no-cache")) {
        snprintf(out->plain, sizeof out->plain,
                 "no-cache"); /* a shared cache then revalidates with the token of each client */
        return 0;
    }
    while (url_next_entry(&text, &entry, &bytes))
        if (parse_directive(entry, bytes, seconds, err) < 0)
            return err->code;
    if (seconds[MAX_AGE] < 0)
        return err_set(err, ERR_BAD_PARAMETER, "max-age is missing");
    int at = snprintf(out->plain, sizeof out->plain, "%s", whose);
    for (int i = 0; i < DIRECTIVE_COUNT; i++)
        if (seconds[i] >= 0)
            at += snprintf(out->plain + at, sizeof out->plain - (size_t)at, ", %s=%d", DIRECTIVES[i], seconds[i]);
    return 0;
}
