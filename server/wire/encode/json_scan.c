#include "wire/encode/json_scan.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

struct scan {
    const char *text;
    size_t size_bytes, at;
    struct err *err;
};

static int refuse(const struct scan *scan, size_t at, const char *fault)
{
    return err_set(scan->err, ERR_BAD_REQUEST, "the body is not JSON at byte %zu: %s", at, fault);
}

/* The byte at the scan's place, or -1 behind the end. */
static int byte_at(const struct scan *scan)
{
    return scan->at < scan->size_bytes ? (unsigned char)scan->text[scan->at] : -1;
}

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

static bool skip_digits(struct scan *scan)
{
    const size_t first = scan->at;
    while (is_digit(byte_at(scan)))
        scan->at++;
    return scan->at > first;
}

/* RFC 8259, section 6. */
static int scan_number(struct scan *scan)
{
    const size_t first = scan->at;
    scan->at += byte_at(scan) == '-';
    const bool is_zero = byte_at(scan) == '0';
    bool is_good = is_zero || is_digit(byte_at(scan));
    scan->at += is_zero;
    if (is_good && !is_zero)
        skip_digits(scan);
    if (is_good && byte_at(scan) == '.') {
        scan->at++;
        is_good = skip_digits(scan);
    }
    if (is_good && (byte_at(scan) == 'e' || byte_at(scan) == 'E')) {
        scan->at++;
        scan->at += byte_at(scan) == '+' || byte_at(scan) == '-';
        is_good = skip_digits(scan);
    }
    const int next = byte_at(scan);
    if (!is_good || is_digit(next) || next == '.' || next == '-' || next == '+')
        return refuse(scan, first, "a malformed number");
    return 0;
}

/* Behind "\u": four hex digits, not all zero. */
static int scan_code(struct scan *scan)
{
    bool is_nul = true;
    for (int i = 0; i < 4; i++, scan->at++) {
        const int c = byte_at(scan);
        if (c <= 0 || strchr("0123456789abcdefABCDEF", c) == NULL)
            return refuse(scan, scan->at, "\\u needs four hex digits");
        is_nul = is_nul && c == '0';
    }
    return is_nul ? refuse(scan, scan->at, "a NUL character in a text") : 0;
}

static int scan_string(struct scan *scan)
{
    const size_t first = scan->at++;
    for (;;) {
        const int c = byte_at(scan);
        if (c < 0)
            return refuse(scan, first, "a text without an end");
        if (c < 0x20)
            return refuse(scan, scan->at, "a control character in a text; it is written as \\u escape");
        scan->at++;
        if (c == '"')
            return 0;
        if (c != '\\')
            continue;
        const int escaped = byte_at(scan);
        if (escaped <= 0 || strchr("\"\\/bfnrtu", escaped) == NULL)
            return refuse(scan, scan->at, "a backslash before what it cannot escape");
        scan->at++;
        if (escaped == 'u' && scan_code(scan) < 0)
            return scan->err->code;
    }
}

/* A word (true, false, null): cJSON knows which there are. */
static int scan_word(struct scan *scan)
{
    const size_t first = scan->at;
    while (byte_at(scan) >= 'a' && byte_at(scan) <= 'z')
        scan->at++;
    return scan->at > first ? 0 : refuse(scan, first, "a character that cannot stand there");
}

/* One token that is no bracket, no comma, no colon and no white space. */
static int scan_value(struct scan *scan)
{
    const int c = byte_at(scan);
    if (c == '"')
        return scan_string(scan);
    return c == '-' || is_digit(c) ? scan_number(scan) : scan_word(scan);
}

int json_scan(const char *text, size_t size_bytes, const struct json_scan_limits *limits, struct err *err)
{
    struct err own;
    struct scan scan = {text, size_bytes, 0, err != NULL ? err : &own};
    unsigned depth = 0;
    size_t values = 0;
    if (!utf8_is_valid(text, size_bytes))
        return err_set(err, ERR_BAD_REQUEST, "the body is not JSON: it is not valid UTF-8");
    while (scan.at < size_bytes) {
        const char c = text[scan.at];
        const bool is_opening = c == '{' || c == '[', is_closing = c == '}' || c == ']';
        if (is_opening && ++depth > limits->depth)
            return err_set(err, ERR_BAD_REQUEST, "the body's brackets are nested deeper than %u", limits->depth);
        if (is_closing && depth-- == 0)
            return refuse(&scan, scan.at, "a bracket closes that was not opened");
        if (is_opening || is_closing || (c != '\0' && strchr(",: \t\r\n", c) != NULL))
            scan.at++;
        else if (scan_value(&scan) < 0)
            return scan.err->code;
        else
            values++;
        values += is_opening;
        if (values > limits->values)
            return err_set(err, ERR_BODY_TOO_LARGE, "the body has more than %zu values", limits->values);
    }
    return 0;
}
