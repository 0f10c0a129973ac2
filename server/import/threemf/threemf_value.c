/* threemf_value.c - parses attribute values: numbers, indices, colours, lists. */
#include "import/threemf/threemf_xml.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *text) { return text + strspn(text, " \t\r\n"); }

static bool is_at_end(const char *text) { return *text == '\0' || strchr(" \t\r\n", *text) != NULL; }

/* ST_Number is a decimal number, without the words and hexadecimal digits that strtod() also accepts. */
int threemf_next_number(const char **text, double *out)
{
    const char *at = skip_space(*text);
    if (*at == '\0')
        return 0;
    const char *digits = at + (*at == '-' || *at == '+');
    if (strchr("0123456789.", *digits) == NULL || *digits == '\0' || (digits[0] == '0' && (digits[1] | 32) == 'x'))
        return -1;
    char *end;
    *out = strtod(at, &end);
    if (end == at || !is_at_end(end) || !isfinite((float)*out))
        return -1;
    *text = end;
    return 1;
}

int threemf_next_index(const char **text, uint32_t *out)
{
    const char *at = skip_space(*text);
    if (*at == '\0')
        return 0;
    uint64_t value = 0;
    const char *digit = at + (*at == '+');
    const char *first = digit;
    for (; *digit >= '0' && *digit <= '9' && value <= INT32_MAX; digit++)
        value = 10 * value + (uint64_t)(*digit - '0');
    if (digit == first || value > INT32_MAX || !is_at_end(digit))
        return -1;
    *out = (uint32_t)value;
    *text = digit;
    return 1;
}

static int missing(const struct threemf_element *element, const char *name, bool is_required)
{
    return is_required ? threemf_fail(element, ERR_BAD_MODEL, "it has no attribute '%s'", name) : 0;
}

int threemf_number(const struct threemf_element *element, const char *name, bool is_required, double *out)
{
    const char *value = threemf_get(element, NS_NONE, name), *at = value;
    if (value == NULL)
        return missing(element, name, is_required);
    if (threemf_next_number(&at, out) == 1 && *skip_space(at) == '\0')
        return 0;
    return threemf_fail(element, ERR_BAD_MODEL, "%s '%.40s' is not a number", name, value);
}

int threemf_index(const struct threemf_element *element, const char *name, bool is_required, uint32_t *out)
{
    const char *value = threemf_get(element, NS_NONE, name), *at = value;
    if (value == NULL)
        return missing(element, name, is_required);
    if (threemf_next_index(&at, out) == 1 && *skip_space(at) == '\0')
        return 0;
    return threemf_fail(element, ERR_BAD_MODEL, "%s '%.40s' is not a whole number below 2^31", name, value);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

int threemf_color(const struct threemf_element *element, const char *name, bool is_required, uint8_t rgba[4])
{
    const char *value = threemf_get(element, NS_NONE, name);
    if (value == NULL)
        return missing(element, name, is_required);
    const char *at = skip_space(value);
    const size_t size = strcspn(at, " \t\r\n");
    bool is_color = at[0] == '#' && (size == 7 || size == 9) && *skip_space(at + size) == '\0';
    rgba[3] = 255;
    for (size_t i = 0; is_color && 2 * i + 1 < size; i++) {
        const int high = hex_digit(at[2 * i + 1]), low = hex_digit(at[2 * i + 2]);
        is_color = high >= 0 && low >= 0;
        if (is_color)
            rgba[i] = (uint8_t)(16 * high + low);
    }
    if (is_color)
        return 0;
    return threemf_fail(element, ERR_BAD_MODEL, "%s '%.40s' is not a colour such as #RRGGBB", name, value);
}
