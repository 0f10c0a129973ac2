/* option_table.c - the table of options, with one row for each option and limit; reads and prints their values. */
#include "daemon/config/option_table.h"

#include "anim/kernel/kernel.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COUNT_MAX  UINT64_C(1000000)
#define PIXELS_MAX UINT64_C(268435456)              /* the square of the limit on a picture's side */
#define LARGER     UINT64_C(100)                    /* than its default a count may always be */
#define BYTES_MAX  (UINT64_C(1) << 46)              /* 64 TiB: sums of two still fit */
#define MS_MAX     (UINT64_C(7) * 24 * 3600 * 1000) /* a week */

#define FIELD(name) offsetof(struct config, name)

const char TCP_DEFAULT[] = "127.0.0.1:7879";

static const struct option TABLE[] = {
#define X(name, kind, field, value, initial, words, min, max, group, help)                                             \
    {name, OPTION_##kind, FIELD(field), value, initial, words, min, max, help, group, false},
#include "daemon/config/options.def"
#undef X
};

enum { TABLE_COUNT = sizeof TABLE / sizeof *TABLE };

size_t option_count(void) { return TABLE_COUNT + LIMIT_COUNT; }

struct option option_at(size_t index)
{
    if (index < TABLE_COUNT)
        return TABLE[index];
    const struct limit_info *info = &LIMIT_INFO[index - TABLE_COUNT];
    struct option option = {.name = info->option,
                            .kind = OPTION_NUMBER,
                            .offset = FIELD(limits.value) + (index - TABLE_COUNT) * sizeof(uint64_t),
                            .value = "N",
                            .min = 1,
                            .max = COUNT_MAX,
                            .help = info->text,
                            .group = info->group,
                            .is_limit = true};
    if (info->initial * LARGER > option.max)
        option.max = info->initial * LARGER;
    if (strcmp(info->unit, "bytes") == 0)
        option.kind = OPTION_BYTES, option.value = "SIZE", option.max = BYTES_MAX;
    else if (strcmp(info->unit, "ms") == 0)
        option.kind = OPTION_MS, option.value = "TIME", option.max = MS_MAX;
    else if (strcmp(info->unit, "s") == 0)
        option.kind = OPTION_S, option.value = "TIME", option.max = MS_MAX / 1000;
    else if (strcmp(info->unit, "pixels") == 0)
        option.max = PIXELS_MAX;
    if (index - TABLE_COUNT == LIMIT_STALE_TIME_MS)
        option.min = 0;
    const uint64_t most = limit_most((enum limit)(index - TABLE_COUNT));
    if (most != UINT64_MAX)
        option.max = most;
    return option;
}

int option_find(const char *name, size_t name_bytes)
{
    for (size_t i = 0; i < option_count(); i++) {
        const struct option option = option_at(i);
        if (name_bytes > 0 && strlen(option.name) == name_bytes && memcmp(option.name, name, name_bytes) == 0)
            return (int)i;
    }
    return -1;
}

void option_env(const struct option *option, char out[VARIABLE_SIZE])
{
    out[0] = '\0';
    if (option->kind == OPTION_FLAG || option->kind == OPTION_PROBE || option->name[0] == '\0')
        return;
    option_names_put_variable(option->name, out);
}

/* --------- values --------- */

struct unit {
    const char *name;
    uint64_t factor;
};

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)
static const struct unit BYTES_UNITS[] = {{"", 1},      {"b", 1},    {"k", KIB},   {"kb", KIB},  {"kib", KIB},
                                          {"m", MIB},   {"mb", MIB}, {"mib", MIB}, {"g", GIB},   {"gb", GIB},
                                          {"gib", GIB}, {"t", TIB},  {"tb", TIB},  {"tib", TIB}, {NULL, 0}};
static const struct unit MS_UNITS[] = {{"", 1},        {"ms", 1},      {"s", 1000}, {"m", 60000},
                                       {"min", 60000}, {"h", 3600000}, {NULL, 0}};
static const struct unit S_UNITS[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {NULL, 0}};
static const struct unit NO_UNITS[] = {{"", 1}, {NULL, 0}};

static const struct unit *units_of(enum option_kind kind)
{
    return kind == OPTION_BYTES ? BYTES_UNITS : kind == OPTION_MS ? MS_UNITS : kind == OPTION_S ? S_UNITS : NO_UNITS;
}

const char *option_bare_unit(const struct option *option)
{
    return option->kind == OPTION_MS ? "ms" : option->kind == OPTION_S ? "s" : NULL;
}

/* What a number of this kind is, with its bounds, and examples. */
static const char *const NUMBER_FORMS[][2] = {
    [OPTION_COUNT] = {"a whole number", ""},
    [OPTION_NUMBER] = {"a whole number", ""},
    [OPTION_BYTES] = {"a size", ", such as 1048576, 512m or 2g"},
    [OPTION_MS] = {"a time", ", such as 500ms, 10s, 2m or 1h"},
    [OPTION_S] = {"a time in whole seconds", ", such as 15s or 2m"},
};

/* Returns false unless `text` is digits and one of the units, and the product fits. */
static bool read_number(const char *text, const struct unit *units, uint64_t *out)
{
    if (!isdigit((unsigned char)*text))
        return false;
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    while (*end == ' ')
        end++;
    for (; units->name != NULL; units++)
        if (strcasecmp(end, units->name) == 0)
            return !__builtin_mul_overflow((uint64_t)value, units->factor, out);
    return false;
}

/* Returns the index of the text in "a|b|c", or -1. */
static int place_of(const char *words, const char *text, size_t length)
{
    for (int place = 0;; place++) {
        const size_t word = strcspn(words, "|");
        if (word == length && memcmp(words, text, length) == 0)
            return place;
        if (words[word] == '\0')
            return -1;
        words += word + 1;
    }
}

/* The largest unit that divides the value: 268435456 is "256m". */
static void put_number(enum option_kind kind, uint64_t value, struct buf *out)
{
    const struct unit *best = NULL;
    for (const struct unit *unit = units_of(kind); unit->name != NULL; unit++)
        if (strlen(unit->name) <= (kind == OPTION_MS ? 2 : 1) && value % unit->factor == 0 && value != 0 &&
            (best == NULL || unit->factor > best->factor))
            best = unit;
    const bool is_ms = kind == OPTION_MS && best != NULL && best->factor == 1;
    buf_printf(out, "%llu%s", (unsigned long long)(best == NULL ? value : value / best->factor),
               is_ms          ? "ms"
               : best == NULL ? ""
                              : best->name);
    if (kind == OPTION_S && best != NULL && best->factor == 1)
        buf_put_char(out, 's');
}

static int refuse_number(const struct option *option, const char *text, const char *source, struct err *err)
{
    const char *const *form = NUMBER_FORMS[option->kind];
    struct buf least, most;
    buf_init(&least, 0);
    buf_init(&most, 0);
    put_number(option->kind, option->min, &least);
    put_number(option->kind, option->max, &most);
    err_set(err, ERR_BAD_PARAMETER, "%s: '%.80s' is not %s from %.*s to %.*s%s", source, text, form[0],
            (int)least.size_bytes, least.data, (int)most.size_bytes, most.data, form[1]);
    buf_fini(&least);
    buf_fini(&most);
    return ERR_BAD_PARAMETER;
}

static int set_number(const struct option *option, void *field, const char *text, const char *source, struct err *err)
{
    uint64_t value = 0;
    if (!read_number(text, units_of(option->kind), &value) || value < option->min || value > option->max)
        return refuse_number(option, text, source, err);
    if (option->kind == OPTION_COUNT)
        *(uint32_t *)field = (uint32_t)value;
    else
        *(uint64_t *)field = value;
    return 0;
}

static int set_words(const struct option *option, uint32_t *field, const char *text, const char *source,
                     struct err *err)
{
    uint32_t set = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        const int place = place_of(option->words, at, length);
        if (place < 0)
            return err_set(err, ERR_BAD_PARAMETER, "%s: '%s' is no list of %s, such as %s", source, text, option->words,
                           option->initial);
        set |= UINT32_C(1) << place;
        at += length;
        if (*at == '\0')
            break;
    }
    *field = set;
    return 0;
}

int option_set(const struct option *option, struct config *config, const char *text, const char *source,
               struct err *err)
{
    void *field = (char *)config + option->offset;
    if (option->kind == OPTION_SET)
        return set_words(option, field, text, source, err);
    const int place = option->words == NULL ? 0 : place_of(option->words, text, strlen(text));
    if (place < 0)
        return err_set(err, ERR_BAD_PARAMETER, "%s: '%s' is not one of %s", source, text, option->words);
    switch (option->kind) {
    case OPTION_TEXT:
        if (*text == '\0')
            return err_set(err, ERR_BAD_PARAMETER, "%s: empty, needs %s", source, option->value);
        *(const char **)field = text;
        return 0;
    case OPTION_WORD:
    case OPTION_PROBE:
        *(const char **)field = text;
        return 0;
    case OPTION_CHOICE:
        memcpy(field, &place, sizeof place);
        return 0;
    case OPTION_FLAG:
        *(bool *)field = true;
        return 0;
    case OPTION_SET:
    case OPTION_COUNT:
    case OPTION_NUMBER:
    case OPTION_BYTES:
    case OPTION_MS:
    case OPTION_S:
        return set_number(option, field, text, source, err);
    }
    return 0;
}

/* Appends the words of the set, in the order of the table. */
static void put_words(const char *words, uint32_t set, struct buf *out)
{
    for (bool is_first = true; set != 0; set >>= 1) {
        const size_t length = strcspn(words, "|");
        if ((set & 1) != 0 && !is_first)
            buf_put_char(out, ',');
        if ((set & 1) != 0)
            buf_put(out, words, length), is_first = false;
        words += length + (words[length] != '\0');
    }
}

void option_put_value(const struct option *option, const struct config *config, struct buf *out)
{
    const void *field = (const char *)config + option->offset;
    switch (option->kind) {
    case OPTION_TEXT:
    case OPTION_WORD:
    case OPTION_PROBE:
        buf_put_text(out, *(const char *const *)field == NULL ? "" : *(const char *const *)field);
        break;
    case OPTION_CHOICE: {
        int place;
        memcpy(&place, field, sizeof place);
        const char *word = option->words;
        for (; place > 0; place--)
            word += strcspn(word, "|") + 1;
        buf_put(out, word, strcspn(word, "|"));
        break;
    }
    case OPTION_SET:
        put_words(option->words, *(const uint32_t *)field, out);
        break;
    case OPTION_FLAG:
        buf_put_text(out, *(const bool *)field ? "yes" : "no");
        break;
    case OPTION_COUNT:
        put_number(option->kind, *(const uint32_t *)field, out);
        break;
    case OPTION_NUMBER:
    case OPTION_BYTES:
    case OPTION_MS:
    case OPTION_S:
        put_number(option->kind, *(const uint64_t *)field, out);
        break;
    }
}
