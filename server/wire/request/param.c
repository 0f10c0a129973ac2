/* param.c - what the parsers of parameters share, and the parsers of those that are no name, time or picture. */
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

/* The place of `text` among words with | between, or -1. */
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
    const int place = place_of(value->values, value->text);
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

int param_number(struct param_value *value, double least, double most, const char *expected, double *out)
{
    double number;
    if (!number_parse_double(value->text, &number) || number < least || number > most)
        return param_bad(value, expected);
    *out = number + 0; /* not -0 */
    return 0;
}

int param_space(struct param_value *value)
{
    const int word = param_word(value);
    value->request->space = (enum space)word;
    return word;
}

int param_layout(struct param_value *value)
{
    const int word = param_word(value);
    value->request->layout = (enum layout)word;
    return word;
}

int param_format(struct param_value *value)
{
    static const enum format FORMATS[] = {FORMAT_JSON, FORMAT_BIN, FORMAT_GLB};
    const int word = param_word(value);
    value->request->format = FORMATS[word];
    return word;
}

int param_picture_format(struct param_value *value)
{
    const int word = param_word(value);
    value->request->format = word == 0 ? FORMAT_PNG : FORMAT_JSON;
    return word;
}

int param_what(struct param_value *value)
{
    static const unsigned BITS[] = {WHAT_LOCAL, WHAT_SCENE};
    char *rest = value->text;
    for (const char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        const int word = place_of(value->values, entry);
        if (word < 0)
            return err_set(value->err, ERR_BAD_PARAMETER, "parameter 'what' has '%.80s'; it takes local and scene",
                           entry);
        value->request->what |= BITS[word];
    }
    return 0;
}

/* The place of the value among its words; of 0|1 also that of a JSON truth value. */
static int word_or_truth(struct param_value *value)
{
    const int truth = strcmp(value->values, "0|1") == 0 ? place_of("false|true", value->text) : -1;
    return truth >= 0 ? truth : param_word(value);
}

int param_flag(struct param_value *value, bool *out)
{
    const int word = word_or_truth(value);
    *out = word == 1;
    return word;
}

int param_bit(struct param_value *value, uint32_t bit, uint32_t *flags)
{
    const int word = word_or_truth(value);
    *flags |= word == 1 ? bit : 0;
    return word;
}

int param_indices(struct param_value *value) { return param_flag(value, &value->request->has_indices); }
int param_normals(struct param_value *value) { return param_flag(value, &value->request->has_normals); }
int param_textures(struct param_value *value)
{
    bool has_textures = true;
    const int rc = param_flag(value, &has_textures);
    value->request->has_no_textures = !has_textures;
    return rc;
}
int param_rest(struct param_value *value) { return param_flag(value, &value->request->has_rest); }

int param_count(struct param_value *value, uint64_t most, uint32_t *out)
{
    uint64_t count;
    if (!number_parse_uint(value->text, most < UINT32_MAX ? most : UINT32_MAX, &count) || count == 0)
        return err_set(value->err, ERR_BAD_PARAMETER,
                       "parameter '%s' is '%.80s'; it must be a whole number from 1 to %llu", value->name, value->text,
                       (unsigned long long)most);
    *out = (uint32_t)count;
    return 0;
}

int param_limit(struct param_value *value)
{
    return param_count(value, value->limits->value[LIMIT_LIST], &value->request->list_limit);
}

int param_root_motion(struct param_value *value)
{
    value->request->has_root_motion = true;
    return param_word(value);
}

int param_turn(struct param_value *value) { return param_flag(value, &value->request->has_turn); }

int param_prefix(struct param_value *value)
{
    value->request->prefix = value->text;
    return 0;
}

int param_after(struct param_value *value)
{
    value->request->after = value->text;
    return 0;
}

int param_of_body(struct param_value *value)
{
    return err_set(value->err, ERR_BAD_PARAMETER,
                   "parameter '%s' does not fit a query: it is given in the JSON body of a POST", value->name);
}

int param_weight(struct param_value *value)
{
    enum { WEIGHT_MAX = 1000 };
    double *weight = &value->request->weight;
    return number_parse_double(value->text, weight) && *weight >= 0 && *weight <= WEIGHT_MAX
               ? 0
               : param_bad(value, "a number from 0 to 1000");
}

int param_mode(struct param_value *value)
{
    const int word = param_word(value);
    value->request->is_additive = word == 1;
    return word;
}
