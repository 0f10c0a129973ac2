#include "request_values.h"

#include "query.h"

#include <string.h>

int value_bad(struct value *value, const char *expected)
{
    return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s' is '%.80s'; it must be %s", value->name, value->text,
                   expected);
}

char *value_next_entry(char **rest)
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

struct request_lists *value_lists(struct value *value) { return value->request->blocks; }

int value_word(const char *text, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

int value_number(struct value *value, double least, double most, const char *expected, double *out)
{
    double number;
    if (!query_double(value->text, &number) || number < least || number > most)
        return value_bad(value, expected);
    *out = number + 0; /* not -0 */
    return 0;
}

int value_space(struct value *value)
{
    static const char *const WORDS[] = {[SPACE_SCENE] = "scene", [SPACE_ROOT] = "root", [SPACE_MESH] = "mesh"};
    const int word = value_word(value->text, WORDS, 3);
    if (word < 0)
        return value_bad(value, "scene, root or mesh");
    value->request->space = (enum space)word;
    return 0;
}

int value_layout(struct value *value)
{
    static const char *const WORDS[] = {
        [LAYOUT_MAT4] = "mat4", [LAYOUT_MAT3X4] = "mat3x4", [LAYOUT_DUALQUAT] = "dualquat"};
    const int word = value_word(value->text, WORDS, 3);
    if (word < 0)
        return value_bad(value, "mat4, mat3x4 or dualquat");
    value->request->layout = (enum layout)word;
    return 0;
}

int value_format(struct value *value)
{
    static const char *const WORDS[] = {
        [FORMAT_JSON] = "json", [FORMAT_BIN] = "bin", [FORMAT_GLB] = "glb", [FORMAT_PNG] = "png"};
    const enum op op = value->request->op;
    const int word = value_word(value->text, WORDS, 4);
    if (op == OP_RENDER && word != FORMAT_PNG && word != FORMAT_JSON)
        return value_bad(value, "png or json");
    if (op != OP_RENDER && (word < 0 || word == FORMAT_PNG || (word == FORMAT_GLB && op != OP_MESH)))
        return value_bad(value, op == OP_MESH ? "json, bin or glb" : "json or bin");
    value->request->format = (enum format)word;
    return 0;
}

int value_what(struct value *value)
{
    static const char *const WORDS[] = {"local", "scene"};
    static const unsigned BITS[] = {WHAT_LOCAL, WHAT_SCENE};
    char *rest = value->text;
    for (const char *entry = value_next_entry(&rest); entry != NULL; entry = value_next_entry(&rest)) {
        const int word = value_word(entry, WORDS, 2);
        if (word < 0)
            return err_set(value->err, ERR_BAD_PARAMETER, "parameter 'what' has '%.80s'; it takes local and scene",
                           entry);
        value->request->what |= BITS[word];
    }
    return 0;
}

int value_flag(struct value *value, bool *out)
{
    static const char *const WORDS[] = {"0", "1", "false", "true"}; /* the words are JSON's */
    const int word = value_word(value->text, WORDS, 4);
    *out = word == 1 || word == 3;
    return word < 0 ? value_bad(value, "0 or 1") : 0;
}

int value_indices(struct value *value) { return value_flag(value, &value->request->has_indices); }
int value_normals(struct value *value) { return value_flag(value, &value->request->has_normals); }
int value_textures(struct value *value)
{
    bool has_textures = true;
    const int rc = value_flag(value, &has_textures);
    value->request->has_no_textures = !has_textures;
    return rc;
}
int value_rest(struct value *value) { return value_flag(value, &value->request->has_rest); }

int value_count(struct value *value, uint64_t most, uint32_t *out)
{
    uint64_t count;
    if (!query_uint(value->text, most < UINT32_MAX ? most : UINT32_MAX, &count) || count == 0)
        return err_set(value->err, ERR_BAD_PARAMETER,
                       "parameter '%s' is '%.80s'; it must be a whole number from 1 to %llu", value->name, value->text,
                       (unsigned long long)most);
    *out = (uint32_t)count;
    return 0;
}

int value_limit(struct value *value)
{
    return value_count(value, value->limits->value[LIMIT_LIST], &value->request->list_limit);
}

int value_root_motion(struct value *value)
{
    value->request->has_root_motion = true;
    return strcmp(value->text, "extract") == 0 ? 0 : value_bad(value, "extract");
}

int value_turn(struct value *value) { return value_flag(value, &value->request->has_turn); }

int value_prefix(struct value *value)
{
    value->request->prefix = value->text;
    return 0;
}

int value_after(struct value *value)
{
    value->request->after = value->text;
    return 0;
}

int value_of_body(struct value *value)
{
    return err_set(value->err, ERR_BAD_PARAMETER,
                   "parameter '%s' does not fit a query: it is given in the JSON body of a POST", value->name);
}

int value_weight(struct value *value)
{
    enum { WEIGHT_MAX = 1000 };
    double *weight = &value->request->weight;
    return query_double(value->text, weight) && *weight >= 0 && *weight <= WEIGHT_MAX
               ? 0
               : value_bad(value, "a number from 0 to 1000");
}

int value_mode(struct value *value)
{
    static const char *const WORDS[] = {"override", "additive"};
    const int word = value_word(value->text, WORDS, 2);
    value->request->is_additive = word == 1;
    return word < 0 ? value_bad(value, "override or additive") : 0;
}
