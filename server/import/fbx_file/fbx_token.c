/* fbx_token.c - splits ASCII files into tokens, and parses words as numbers. */
#include "base/bytes.h"
#include "import/fbx_file/fbx_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_NUMBER_BYTES = 400, EXACT_DIGITS = 19, EXACT_POWER = 22 };

/* What a byte is between tokens. All bytes but these belong to words. */
enum byte_kind { BYTE_OF_WORD, BYTE_SPACE, BYTE_COMMA, BYTE_SIGN, BYTE_QUOTE, BYTE_COMMENT };

static const uint8_t KINDS[256] = {
    [0 ... ' '] = BYTE_SPACE, [','] = BYTE_COMMA, [':'] = BYTE_SIGN,  ['{'] = BYTE_SIGN,
    ['}'] = BYTE_SIGN,        ['*'] = BYTE_SIGN,  ['"'] = BYTE_QUOTE, [';'] = BYTE_COMMENT,
};

const uint8_t *fbx_pass_comment(const uint8_t *at, const uint8_t *end)
{
    while (at < end && *at != '\n' && *at != '\r')
        at++;
    return at;
}

static const uint8_t *pass_space(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (KINDS[*at] == BYTE_SPACE || KINDS[*at] == BYTE_COMMENT))
        at = KINDS[*at] == BYTE_COMMENT ? fbx_pass_comment(at, end) : at + 1;
    return at;
}

const uint8_t *fbx_pass_mark(const uint8_t *at, const uint8_t *end)
{
    static const uint8_t MARK[] = {0xef, 0xbb, 0xbf};
    return (size_t)(end - at) >= sizeof MARK && memcmp(at, MARK, sizeof MARK) == 0 ? at + sizeof MARK : at;
}

struct fbx_token fbx_next_token(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *first = pass_space(*at, end);
    *at = first;
    if (first == end)
        return (struct fbx_token){FBX_TOKEN_END, {first, 0}};
    if (KINDS[*first] == BYTE_QUOTE) {
        const uint8_t *quote = memchr(first + 1, '"', (size_t)(end - first - 1));
        *at = quote != NULL ? quote + 1 : end;
        return (struct fbx_token){quote != NULL ? FBX_TOKEN_QUOTE : FBX_TOKEN_BROKEN,
                                  {first + 1, (size_t)((quote != NULL ? quote : end) - first - 1)}};
    }
    const uint8_t *last = first + 1;
    const bool is_sign = KINDS[*first] == BYTE_SIGN || KINDS[*first] == BYTE_COMMA;
    while (!is_sign && last < end && KINDS[*last] == BYTE_OF_WORD)
        last++;
    *at = last;
    return (struct fbx_token){is_sign ? FBX_TOKEN_SIGN : FBX_TOKEN_WORD, {first, (size_t)(last - first)}};
}

uint32_t fbx_pass_words(const uint8_t **at, const uint8_t *end)
{
    uint32_t count = 0;
    bool is_within = false;
    for (; *at < end && KINDS[**at] <= BYTE_COMMA; ++*at) {
        const bool is_of_word = KINDS[**at] == BYTE_OF_WORD;
        count += is_of_word && !is_within;
        is_within = is_of_word;
    }
    return count;
}

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

static bool begins(const uint8_t *at, const uint8_t *end, const char *lower)
{
    for (; *lower != '\0'; lower++, at++)
        if (at == end || (*at | 0x20) != *lower)
            return false;
    return true;
}

/* The position after the digits and the '#' of "1.#INF", or `at` if these are missing. Files also have digits other
 * than 1. */
static const uint8_t *pass_hash(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *hash = at;
    while (hash < end && (is_digit(*hash) || *hash == '.'))
        hash++;
    return hash > at && hash < end && *hash == '#' ? hash + 1 : at;
}

/* "1.#INF00", "1.#QNAN", "-1.#IND" of Microsoft's C library, "inf", "-nan(ind)" of others. */
static bool special_number(struct fbx_span word, double *out)
{
    const uint8_t *at = word.bytes, *end = at + word.size_bytes;
    const bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const uint8_t *name = pass_hash(at, end);
    if (name == at && !begins(at, end, "inf") && !begins(at, end, "nan"))
        return false;
    at = name;
    if (begins(at, end, "inf"))
        *out = is_negative ? -(double)INFINITY : (double)INFINITY;
    else if (begins(at, end, "nan") || begins(at, end, "qnan") || begins(at, end, "snan") || begins(at, end, "ind"))
        *out = (double)NAN;
    else
        return false;
    return true;
}

/* A word as a decimal number: mantissa * 10^power. */
struct decimal {
    uint64_t mantissa;
    int digits; /* digits of the mantissa, without leading zeros */
    int power;
    bool is_negative, is_whole;
};

static const uint8_t *read_exponent(const uint8_t *at, const uint8_t *end, struct decimal *out)
{
    if (at == end || (*at | 0x20) != 'e')
        return at;
    out->is_whole = false;
    at++;
    const bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const uint8_t *first = at;
    int power = 0;
    for (; at < end && is_digit(*at); at++)
        power = power < 10000 ? power * 10 + (*at - '0') : power;
    out->power += is_negative ? -power : power;
    return at > first ? at : NULL;
}

/* Returns false if the word is not a decimal number. */
static bool read_decimal(struct fbx_span word, struct decimal *out)
{
    const uint8_t *at = word.bytes, *end = at + word.size_bytes;
    *out = (struct decimal){.is_whole = true, .is_negative = at < end && *at == '-'};
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    bool has_digit = false;
    for (; at < end && (is_digit(*at) || (*at == '.' && out->is_whole)); at++) {
        if (*at == '.') {
            out->is_whole = false;
            continue;
        }
        has_digit = true;
        out->power -= !out->is_whole;
        out->digits += out->digits > 0 || *at != '0';
        if (out->digits <= EXACT_DIGITS)
            out->mantissa = out->mantissa * 10 + (uint64_t)(*at - '0');
    }
    at = read_exponent(at, end, out);
    return has_digit && at == end;
}

static const double POWERS[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const uint64_t EXACT_MANTISSA = UINT64_C(1) << 53;

/* Exact: the product or quotient of two numbers that doubles hold exactly is rounded once (Clinger, How to read
 * floating point numbers accurately, 1990). Other numbers use the C library. */
static double real_of_decimal(struct fbx_span word, const struct decimal *decimal)
{
    if (decimal->digits <= EXACT_DIGITS && decimal->mantissa <= EXACT_MANTISSA && decimal->power >= -EXACT_POWER &&
        decimal->power <= EXACT_POWER) {
        const double mantissa = (double)decimal->mantissa;
        const double value =
            decimal->power < 0 ? mantissa / POWERS[-decimal->power] : mantissa * POWERS[decimal->power];
        return decimal->is_negative ? -value : value;
    }
    char text[WORD_NUMBER_BYTES + 1];
    memcpy(text, word.bytes, word.size_bytes);
    text[word.size_bytes] = '\0';
    return strtod(text, NULL);
}

bool fbx_word_number(struct fbx_span word, struct fbx_value *out)
{
    struct decimal decimal;
    if (word.size_bytes == 0 || word.size_bytes > WORD_NUMBER_BYTES)
        return false;
    if (!read_decimal(word, &decimal)) {
        out->kind = FBX_REAL;
        return special_number(word, &out->real);
    }
    const uint64_t most = (uint64_t)INT64_MAX + decimal.is_negative;
    if (decimal.is_whole && decimal.digits <= EXACT_DIGITS && decimal.mantissa <= most) {
        out->kind = FBX_INTEGER;
        out->integer = (int64_t)(decimal.is_negative ? 0 - decimal.mantissa : decimal.mantissa);
    } else {
        out->kind = FBX_REAL;
        out->real = real_of_decimal(word, &decimal);
    }
    return true;
}

/* Eight digits at once, in one word: pairs of digits, then of pairs, then of these (the first digit is in the lowest
 * byte). */
static bool read_eight(const uint8_t *at, uint64_t *out)
{
    uint64_t word = get_u64(at);
    if (((word & UINT64_C(0xf0f0f0f0f0f0f0f0)) |
         (((word + UINT64_C(0x0606060606060606)) & UINT64_C(0xf0f0f0f0f0f0f0f0)) >> 4)) != UINT64_C(0x3333333333333333))
        return false;
    word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    *out = (word & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
    return true;
}

static const uint8_t *read_digits(const uint8_t *at, const uint8_t *end, uint64_t *mantissa)
{
    uint64_t eight;
    for (; end - at >= 8 && read_eight(at, &eight); at += 8)
        *mantissa = *mantissa * 100000000 + eight;
    for (; at < end && is_digit(*at); at++)
        *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    return at;
}

bool fbx_next_number(const uint8_t **at, const uint8_t *end, struct fbx_value *out)
{
    const uint8_t *first = *at;
    while (first < end && (KINDS[*first] == BYTE_SPACE || KINDS[*first] == BYTE_COMMA))
        first++;
    const bool is_negative = first < end && *first == '-';
    first += is_negative;
    const uint8_t *limit = end - first > EXACT_DIGITS ? first + EXACT_DIGITS + 1 : end; /* with a point */
    uint64_t mantissa = 0;
    const uint8_t *point = read_digits(first, limit, &mantissa), *last = point;
    const bool is_whole = point == limit || *point != '.';
    if (!is_whole)
        last = read_digits(point + 1, limit, &mantissa);
    const bool is_ended = last < end ? KINDS[*last] != BYTE_OF_WORD : true;
    if (last - first - !is_whole < 1 || last - first - !is_whole > EXACT_DIGITS || !is_ended ||
        mantissa > (is_whole ? (uint64_t)INT64_MAX : EXACT_MANTISSA))
        return false;
    *at = last;
    out->kind = is_whole ? FBX_INTEGER : FBX_REAL;
    if (is_whole) {
        out->integer = is_negative ? -(int64_t)mantissa : (int64_t)mantissa;
    } else {
        const double value = (double)mantissa / POWERS[last - point - 1];
        out->real = is_negative ? -value : value;
    }
    return true;
}

/* There are three and none for the ampersand itself, so that one without a name stays as it is. */
static const struct {
    const char *name;
    uint8_t byte;
} ENTITIES[] = {{"&quot;", '"'}, {"&lf;", '\n'}, {"&cr;", '\r'}};

static struct fbx_span decoded(struct fbx_file *file, struct fbx_span raw)
{
    uint8_t *out = fbx_pool_take(file, raw.size_bytes);
    size_t size = 0;
    for (size_t i = 0; i < raw.size_bytes;) {
        size_t passed = 0;
        for (size_t e = 0; passed == 0 && e < sizeof ENTITIES / sizeof *ENTITIES; e++) {
            const size_t length = strlen(ENTITIES[e].name);
            if (raw.size_bytes - i >= length && memcmp(raw.bytes + i, ENTITIES[e].name, length) == 0) {
                out[size++] = ENTITIES[e].byte;
                passed = length;
            }
        }
        if (passed == 0)
            out[size++] = raw.bytes[i];
        i += passed > 0 ? passed : 1;
    }
    return (struct fbx_span){out, size};
}

void fbx_token_value(struct fbx_file *file, const struct fbx_token *token, struct fbx_value *out)
{
    if (token->kind == FBX_TOKEN_WORD && fbx_word_number(token->text, out))
        return;
    *out = (struct fbx_value){.kind = FBX_TEXT, .span = token->text};
    if (file != NULL && token->kind == FBX_TOKEN_QUOTE &&
        memchr(token->text.bytes, '&', token->text.size_bytes) != NULL)
        out->span = decoded(file, token->text);
}
