/* Writes a table as C: arrays in a source file, and a header for it. The source is C99. C++ compiles it, too. */
#include "clients/cli/bake/bake.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- names --- */

/* Makes an identifier: letters, digits and '_', no digit first. */
static char *identifier(const char *name)
{
    struct text out = {0};
    text_put(&out, name[0] == '\0' || isdigit((unsigned char)name[0]) ? "_" : "");
    for (const char *at = name; *at != '\0'; at++) {
        const bool is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9');
        text_put_bytes(&out, is_letter ? at : "_", 1);
    }
    return out.at;
}

static char *upper(const char *text)
{
    char *out = must_copy(text);
    for (char *at = out; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    return out;
}

/* Returns the prefix of all names: HERO for "hero.h". */
static char *prefix_of(const char *header_name)
{
    const char *slash = strrchr(header_name, '/'), *base = slash == NULL ? header_name : slash + 1;
    char *stem = must_copy(base);
    stem[strcspn(stem, ".")] = '\0';
    char *prefix = identifier(stem);
    free(stem);
    return prefix;
}

static void put_string(struct text *out, const char *text)
{
    text_put(out, "\"");
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c < ' ' || c >= 127 || c == '"' || c == '\\' || c == '?') /* '?' could begin a trigraph */
            text_printf(out, "\\%03o", c);
        else
            text_put_bytes(out, at, 1);
    }
    text_put(out, "\"");
}

/* Puts "HERO_CLIP_WALK = 0, ..". If a name repeats, the second gets _2 at its end, and so on. */
static void put_names(struct text *out, const char *prefix, const char *kind, const char *(*name_of)(const void *at),
                      const void *first, size_t item_bytes, size_t count)
{
    char *big = upper(prefix), **taken = must_alloc((count + 1) * sizeof *taken);
    text_put(out, "enum {\n");
    for (size_t i = 0; i < count; i++) {
        char *name = identifier(name_of((const char *)first + i * item_bytes)), *named = upper(name);
        struct text unique = {0};
        bool is_taken = true;
        for (unsigned n = 1; is_taken; n++) {
            text_free(&unique);
            text_put(&unique, named);
            if (n > 1)
                text_printf(&unique, "_%u", n);
            is_taken = strcmp(unique.at, "COUNT") == 0;
            for (size_t k = 0; k < i && !is_taken; k++)
                is_taken = strcmp(taken[k], unique.at) == 0;
        }
        taken[i] = unique.at;
        text_printf(out, "    %s_%s_%s = %zu,\n", big, kind, unique.at, i);
        free(name);
        free(named);
    }
    text_printf(out, "    %s_%s_COUNT = %zu\n};\n", big, kind, count);
    for (size_t i = 0; i < count; i++)
        free(taken[i]);
    free(taken);
    free(big);
}

static const char *clip_name(const void *clip) { return ((const struct bake_clip *)clip)->name; }
static const char *item_name(const void *item) { return ((const struct bake_item *)item)->name; }

/* --- files --- */

static const char *explain(enum bake_values values)
{
    return values == BAKE_TRS     ? "translation x y z, rotation (quaternion) x y z w, scale x y z, in the scene"
           : values == BAKE_LOCAL ? "translation x y z, rotation (quaternion) x y z w, scale x y z, in the parent"
           : values == BAKE_MATRIX
               ? "4x4 matrices scene_from_item for column vectors, column after column"
               : "4x4 matrices scene_from_joint * joint_from_bind for column vectors, column after column";
}

static void put_header(const struct bake *bake, const char *prefix, struct text *out)
{
    char *big = upper(prefix);
    text_printf(out, "/* Made by posectl bake: %zu frames, %g a second. */\n", bake->frame_count, bake->fps);
    text_printf(out, "#ifndef POSED_BAKE_%s_H\n#define POSED_BAKE_%s_H\n\n", big, big);
    text_put(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    put_names(out, prefix, "CLIP", clip_name, bake->clips, sizeof *bake->clips, bake->clip_count);
    put_names(out, prefix, "ITEM", item_name, bake->items, sizeof *bake->items, bake->item_count);
    text_printf(out, "enum { %s_FRAME_COUNT = %zu, %s_FLOATS = %zu };\n\n", big, bake->frame_count, big,
                bake_floats(bake->values));
    text_printf(
        out,
        "/* Frame i of a clip is at i / fps seconds, the last one at the clip's end. loop: the last pose is the "
        "first one again. */\nstruct %s_clip {\n    const char *name;\n    double duration_s, fps;\n    unsigned "
        "first_frame, frame_count;\n    int loop;\n};\n",
        prefix);
    text_printf(out, "extern const struct %s_clip %s_clips[%s_CLIP_COUNT];\n", prefix, prefix, big);
    text_printf(out, "extern const char *const %s_item_names[%s_ITEM_COUNT];\n", prefix, big);
    text_printf(out, "/* Clip times in seconds. */\nextern const double %s_times_s[%s_FRAME_COUNT];\n", prefix, big);
    text_printf(out, "/* %s. */\nextern const float %s_values[%s_FRAME_COUNT][%s_ITEM_COUNT][%s_FLOATS];\n",
                explain(bake->values), prefix, big, big, big);
    text_put(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    free(big);
}

/* Puts a float constant. Its digits restore the same float, and it is never an integer constant. */
static void put_float(struct text *out, float value)
{
    struct text digits = {0};
    text_printf(&digits, "%.9g", (double)value);
    text_printf(out, "%s%sf", digits.at, strpbrk(digits.at, ".e") == NULL ? ".0" : "");
    text_free(&digits);
}

static void put_values(const struct bake *bake, struct text *out)
{
    const size_t floats = bake_floats(bake->values);
    for (size_t f = 0; f < bake->frame_count; f++) {
        text_put(out, "    {");
        for (size_t i = 0; i < bake->item_count; i++) {
            text_put(out, i == 0 ? "{" : ",\n     {");
            for (size_t k = 0; k < floats; k++) {
                text_put(out, k == 0 ? "" : ", ");
                put_float(out, bake->numbers[(f * bake->item_count + i) * floats + k]);
            }
            text_put(out, "}");
        }
        text_put(out, "},\n");
    }
}

void bake_put_c(const struct bake *bake, const char *header_name, struct text *source, struct text *header)
{
    char *prefix = prefix_of(header_name), *big = upper(prefix);
    const char *slash = strrchr(header_name, '/');
    put_header(bake, prefix, header);
    text_printf(source, "/* Made by posectl bake. */\n#include \"%s\"\n\n", slash == NULL ? header_name : slash + 1);
    text_printf(source, "const struct %s_clip %s_clips[%s_CLIP_COUNT] = {\n", prefix, prefix, big);
    for (size_t c = 0; c < bake->clip_count; c++) {
        const struct bake_clip *clip = &bake->clips[c];
        text_put(source, "    {");
        put_string(source, clip->name);
        text_put(source, ", ");
        bake_put_double(source, clip->duration_s);
        text_put(source, ", ");
        bake_put_double(source, bake->fps);
        text_printf(source, ", %zuu, %zuu, %d},\n", clip->first_frame, clip->frame_count, clip->is_loop);
    }
    text_printf(source, "};\nconst char *const %s_item_names[%s_ITEM_COUNT] = {\n", prefix, big);
    for (size_t i = 0; i < bake->item_count; i++) {
        text_put(source, "    ");
        put_string(source, bake->items[i].name);
        text_put(source, ",\n");
    }
    text_printf(source, "};\nconst double %s_times_s[%s_FRAME_COUNT] = {\n", prefix, big);
    for (size_t f = 0; f < bake->frame_count; f++) {
        text_put(source, "    ");
        bake_put_double(source, bake->times_s[f]);
        text_put(source, ",\n");
    }
    text_printf(source, "};\nconst float %s_values[%s_FRAME_COUNT][%s_ITEM_COUNT][%s_FLOATS] = {\n", prefix, big, big,
                big);
    put_values(bake, source);
    text_put(source, "};\n");
    free(prefix);
    free(big);
}
