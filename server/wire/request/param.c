/* param.c - shared code of the parameter parsers, and the parsers of parameters other than fields, names, times and
 * cameras. */
#include "base/hex.h"
#include "base/nearest.h"
#include "base/picture/pass.h"
#include "wire/encode/number.h"
#include "wire/request/request_parser.h"

#include <stdio.h>
#include <string.h>

int param_bad(struct param_value *value, const char *expected)
{
    return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s' is '%.80s'; it must be %s", value->name, value->text,
                   expected);
}

char *param_next_entry(char **rest)
{
    char *entry = *rest;
    if (entry == NULL)
        return NULL;
    char *comma = strchr(entry, ',');
    *rest = comma == NULL ? NULL : comma + 1;
    if (comma != NULL)
        *comma = '\0';
    return entry;
}

/* Returns the index of `text` among words separated by |, or -1. */
static int place_of(const char *words, const char *text)
{
    const size_t size = strlen(text);
    for (int place = 0;; place++) {
        const size_t word = strcspn(words, "|");
        if (word == size && memcmp(words, text, size) == 0)
            return place;
        if (words[word] == '\0')
            return -1;
        words += word + 1;
    }
}

int param_word(struct param_value *value)
{
    enum { LIST_SIZE = 128 };
    int place = place_of(value->values, value->text);
    if (place < 0 && strcmp(value->values, "0|1") == 0)
        place = place_of("false|true", value->text);
    if (place >= 0)
        return place;
    char list[LIST_SIZE] = ""; /* "loop, clamp or mirror" */
    for (const char *word = value->values; *word != '\0'; word += *word == '|') {
        const size_t size = strcspn(word, "|"), used = strlen(list);
        const char *gap = word == value->values ? "" : word[size] == '\0' ? " or " : ", ";
        snprintf(list + used, sizeof list - used, "%s%.*s", gap, (int)size, word);
        word += size;
    }
    return param_bad(value, list);
}

int param_read_number(struct param_value *value, double least, double most, const char *expected, double *out)
{
    double number;
    if (!number_parse_double(value->text, &number) || number < least || number > most)
        return param_bad(value, expected);
    *out = number + 0; /* avoids -0 */
    return 0;
}

int param_picture_format(struct param_value *value)
{
    static const enum sheet_format FILES[] = {SHEET_PNG, SHEET_PNG, SHEET_JPEG, SHEET_WEBP_STILL, SHEET_NPZ, SHEET_EXR};
    const int word = param_word(value), json = 1;
    value->request->format = word == json ? FORMAT_JSON : FORMAT_PICTURE;
    value->request->sheet.format = word < 0 ? SHEET_PNG : FILES[word];
    return word;
}

int param_export_format(struct param_value *value)
{
    static const enum format FORMATS[] = {FORMAT_GLB, FORMAT_POSED};
    const int word = param_word(value);
    if (word >= 0)
        value->request->format = FORMATS[word];
    return word;
}

int param_environment_format(struct param_value *value)
{
    static const enum format FORMATS[] = {FORMAT_JSON, FORMAT_BIN, FORMAT_HDR};
    const int word = param_word(value);
    if (word >= 0)
        value->request->format = FORMATS[word];
    return word;
}

static bool read_color(const char *text, size_t size_bytes, uint8_t rgba[4])
{
    const char *const transparent = "transparent";
    if (size_bytes == strlen(transparent) && memcmp(text, transparent, size_bytes) == 0) {
        memset(rgba, 0, 4);
        return true;
    }
    if (size_bytes != 6 && size_bytes != 8)
        return false;
    rgba[3] = 255;
    for (size_t i = 0; i < size_bytes; i += 2) {
        const int high = hex_value(text[i]), low = hex_value(text[i + 1]);
        if (high < 0 || low < 0)
            return false;
        rgba[i / 2] = (uint8_t)(high * 16 + low);
    }
    return true;
}

int param_background(struct param_value *value)
{
    struct picture_spec *picture = &value->request->picture;
    const char *comma = memchr(value->text, ',', value->size_bytes), *end = value->text + value->size_bytes;
    const char *second = comma == NULL ? value->text : comma + 1;
    if (!read_color(value->text, (size_t)((comma == NULL ? end : comma) - value->text), picture->background) ||
        !read_color(second, (size_t)(end - second), picture->background_end))
        return param_bad(value, "transparent, RRGGBB or RRGGBBAA, or two of them with a comma between");
    return 0;
}

int param_what(struct param_value *value)
{
    static const unsigned BITS[] = {WHAT_LOCAL, WHAT_SCENE, WHAT_MATERIALS};
    char *rest = value->text;
    for (const char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        const int word = place_of(value->values, entry);
        if (word < 0)
            return err_set(value->err, ERR_BAD_PARAMETER,
                           "parameter 'what' has '%.80s'; it takes local, scene and materials", entry);
        value->request->what |= BITS[word];
    }
    return 0;
}

int param_passes(struct param_value *value)
{
    char *rest = value->text, list[PASS_LIST_SIZE];
    for (const char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        const int pass = place_of(value->values, entry);
        struct nearest nearest = NEAREST_NONE;
        for (int p = 0; p < PASS_COUNT; p++)
            nearest_consider(&nearest, PASS_INFO[p].word, entry, strlen(entry));
        if (pass < 0 && nearest.name != NULL)
            return err_set(value->err, ERR_BAD_PARAMETER, "parameter 'passes' has '%.80s'; did you mean '%s'?", entry,
                           nearest.name);
        if (pass < 0)
            return err_set(value->err, ERR_BAD_PARAMETER, "parameter 'passes' has '%.80s'; it takes %s", entry,
                           pass_list_words(list));
        value->request->picture.passes |= 1u << pass;
    }
    return 0;
}

int param_paths(struct param_value *value)
{
    char *rest = value->text;
    for (const char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        const int path = place_of(value->values, entry);
        if (path < 0)
            return err_set(
                value->err, ERR_BAD_PARAMETER,
                "parameter 'path' has '%.80s'; it takes translation, rotation, scale, weights, visibility and property",
                entry);
        value->request->paths |= 1u << path;
    }
    return 0;
}

int param_unit(struct param_value *value)
{
    static const double METRES[] = {1, 0.01, 0.001, 0.0254};
    const int word = place_of(value->values, value->text);
    if (word >= 0 && word < (int)(sizeof METRES / sizeof *METRES)) {
        value->request->export.unit_m = METRES[word];
        return 0;
    }
    return param_read_number(value, 1e-9, 1e9, "m, cm, mm, inch or a number of metres from 1e-9 to 1e9",
                             &value->request->export.unit_m);
}

int param_of_body(struct param_value *value)
{
    return err_set(value->err, ERR_BAD_PARAMETER,
                   "parameter '%s' does not fit a query: it is given in the JSON body of a POST", value->name);
}
