/* differences.c - the list of a comparison's differences: bounded, and sorted at the end. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *difference_name(enum difference_kind kind)
{
    static const char *const NAMES[] = {
#define X(symbol, name, text) [symbol] = name,
#include "protocol/differences.def"
#undef X
    };
    return NAMES[kind];
}

bool compare_is_stopped(const struct compare *compare)
{
    return compare->options->is_stopped != NULL && *compare->options->is_stopped;
}

void compare_charge(struct compare *compare, uint64_t steps)
{
    compare->steps_left -= steps < compare->steps_left ? steps : compare->steps_left;
}

struct difference difference_empty(enum difference_kind kind)
{
    return (struct difference){.kind = kind,
                               .clips = {-1, -1},
                               .nodes = {-1, -1},
                               .materials = {-1, -1},
                               .meshes = {-1, -1},
                               .time_s = (double)NAN,
                               .distance = (double)NAN,
                               .vertex_distance = (double)NAN,
                               .angle_deg = (double)NAN};
}

struct difference *difference_add(struct compare *compare, enum difference_kind kind)
{
    struct comparison *out = compare->out;
    if (compare->counts[kind] == DIFFERENCES_MOST) {
        out->left_out[kind]++;
        return NULL;
    }
    compare->counts[kind]++;
    out->differences =
        mem_grow(out->differences, &out->capacity, (size_t)out->difference_count + 1, sizeof *out->differences);
    struct difference *difference = &out->differences[out->difference_count++];
    *difference = difference_empty(kind);
    return difference;
}

void difference_say(struct difference *difference, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(difference->message, sizeof difference->message, format, arguments);
    va_end(arguments);
    if (size >= (int)sizeof difference->message)
        difference->message[utf8_whole(difference->message, sizeof difference->message - 1)] = '\0';
}

void note_say(struct compare *compare, const char *kind, const char *format, ...)
{
    struct comparison *out = compare->out;
    va_list arguments;
    if (out->note_count == COMPARISON_NOTES_MOST)
        return;
    struct comparison_note *note = &out->notes[out->note_count++];
    note->kind = kind;
    va_start(arguments, format);
    vsnprintf(note->message, sizeof note->message, format, arguments);
    va_end(arguments);
}

void difference_set_number(struct difference *difference, enum compare_side side, double value)
{
    difference->values[side] = (struct difference_value){.kind = VALUE_NUMBER, .number = value};
}

void difference_set_text(struct difference *difference, enum compare_side side, const char *text)
{
    struct difference_value *value = &difference->values[side];
    value->kind = VALUE_TEXT;
    snprintf(value->text, sizeof value->text, "%s", text);
    value->text[utf8_whole(value->text, strlen(value->text))] = '\0';
}

void difference_set_name(struct compare *compare, struct difference *difference, enum compare_side side,
                         struct str name)
{
    char text[SHORT_NAME_SIZE];
    if (name.offset == STR_NONE)
        difference->values[side].kind = VALUE_NULL;
    else
        difference_set_text(difference, side, short_name(compare->sides[side].model, name, text));
}

const char *compare_thing(const struct model *model, const char *what, struct str name, uint32_t index,
                          char out[THING_SIZE])
{
    char text[SHORT_NAME_SIZE];
    if (name.offset == STR_NONE || name.size_bytes == 0)
        snprintf(out, THING_SIZE, "%.10s %u", what, index);
    else
        snprintf(out, THING_SIZE, "%.10s '%s'", what, short_name(model, name, text));
    return out;
}

/* Sorts by kind, then by the new file's clip, then the farthest first, then by node. */
static int compare_differences(const void *left, const void *right)
{
    const struct difference *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->clips[COMPARE_NEW] != b->clips[COMPARE_NEW])
        return a->clips[COMPARE_NEW] < b->clips[COMPARE_NEW] ? -1 : 1;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance > b->distance ? -1 : 1;
    for (int i = COMPARE_SIDES - 1; i >= 0; i--)
        if (a->nodes[i] != b->nodes[i])
            return a->nodes[i] < b->nodes[i] ? -1 : 1;
    return 0;
}

void differences_sort(struct comparison *comparison)
{
    if (comparison->difference_count > 1)
        qsort(comparison->differences, comparison->difference_count, sizeof *comparison->differences,
              compare_differences);
}

void comparison_fini(struct comparison *comparison)
{
    free(comparison->differences);
    free(comparison->clips);
    *comparison = (struct comparison){0};
}
