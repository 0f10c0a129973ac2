/* mtl_map.c - reads the value of a map: options, which may precede or follow the file, and the file, whose name may
 * have blanks. */
#include "import/obj/obj.h"

#include <math.h>
#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

/* Options with one word, and those with one number or more. */
enum option_kind { OPTION_WORD, OPTION_NUMBERS };
static const struct {
    const char *name;
    enum option_kind kind;
    uint32_t most;
} OPTIONS[] = {
    {"-blendu", OPTION_WORD, 1},     {"-blendv", OPTION_WORD, 1},  {"-bm", OPTION_NUMBERS, 1},
    {"-boost", OPTION_NUMBERS, 1},   {"-cc", OPTION_WORD, 1},      {"-clamp", OPTION_WORD, 1},
    {"-colorspace", OPTION_WORD, 1}, {"-imfchan", OPTION_WORD, 1}, {"-mm", OPTION_NUMBERS, 2},
    {"-o", OPTION_NUMBERS, 3},       {"-s", OPTION_NUMBERS, 3},    {"-t", OPTION_NUMBERS, 3},
    {"-texres", OPTION_NUMBERS, 1},  {"-type", OPTION_WORD, 1},
};

static struct obj_text text_of(struct obj_word word)
{
    return (struct obj_text){word.begin, word.begin + word.length, 1};
}

/* u' = s u + o, with v growing upwards; the rows of our pictures go down. */
static void set_transform(struct mtl_map *map, bool is_scale, const double *values, uint32_t count)
{
    float *m = map->uv_from_texcoord;
    float scale[2] = {m[0], m[4]}, offset[2] = {m[2], 1 - m[4] - m[5]};
    for (uint32_t k = 0; k < count && k < 2; k++)
        (is_scale ? scale : offset)[k] = (float)values[k];
    for (int k = 0; k < 2; k++)
        if (!isfinite(scale[k]) || !isfinite(offset[k]))
            return;
    const float rows[6] = {scale[0], 0, offset[0], 0, scale[1], 1 - scale[1] - offset[1]};
    memcpy(m, rows, sizeof rows);
}

static void set_option(struct mtl_map *map, const char *name, struct obj_word word, const double *values,
                       uint32_t count)
{
    if (strcmp(name, "-clamp") == 0)
        map->is_clamped = obj_is(word, "on");
    else if (strcmp(name, "-bm") == 0)
        map->height_factor = fabs(values[0]) <= (double)HEIGHT_FACTOR_MAX ? (float)values[0] : 1;
    else if (strcmp(name, "-s") == 0 || strcmp(name, "-o") == 0)
        set_transform(map, name[1] == 's', values, count);
}

/* Reads one option with its values. False: something else comes next. */
static bool take_option(struct obj_text *text, struct mtl_map *map)
{
    struct obj_text ahead = *text;
    const struct obj_word word = obj_next_word(&ahead);
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        if (!obj_is(word, OPTIONS[i].name))
            continue;
        double values[3];
        struct obj_word value = {.begin = ""};
        uint32_t count = 0;
        if (OPTIONS[i].kind == OPTION_WORD)
            value = obj_next_word(&ahead);
        else
            count = obj_numbers(&ahead, values, OPTIONS[i].most);
        if (count == 0 && value.length == 0)
            return false;
        set_option(map, OPTIONS[i].name, value, values, count);
        *text = ahead;
        return true;
    }
    return false;
}

static struct mtl_map take_options(struct obj_text *text, const struct mtl_map *map)
{
    struct mtl_map out = *map;
    while (take_option(text, &out))
        ;
    return out;
}

/* Takes options off the end of a name. */
static void take_options_behind(struct obj_word *name, struct mtl_map *map)
{
    for (size_t at = 1; at < name->length; at++) {
        if (name->begin[at] != '-' || !is_space(name->begin[at - 1]))
            continue;
        struct obj_text text = text_of((struct obj_word){name->begin + at, name->length - at});
        const struct mtl_map found = take_options(&text, map);
        if (text.at < text.end) { /* options that begin before this place end here, too */
            at = (size_t)(text.at - name->begin);
            continue;
        }
        *map = found;
        for (name->length = at; name->length > 0 && is_space(name->begin[name->length - 1]);)
            name->length--;
        return;
    }
}

void mtl_read_map(struct obj_word rest, struct mtl_map *map)
{
    static const float IDENTITY[6] = UV_FROM_TEXCOORD_NONE;
    struct obj_text text = text_of(rest);
    memcpy(map->uv_from_texcoord, IDENTITY, sizeof IDENTITY);
    map->height_factor = 1;
    *map = take_options(&text, map);
    map->file = obj_rest(&text);
    take_options_behind(&map->file, map);
    const bool is_quoted =
        map->file.length >= 2 && map->file.begin[0] == '"' && map->file.begin[map->file.length - 1] == '"';
    map->file.begin += is_quoted;
    map->file.length -= is_quoted ? 2 : 0;
}
