/* ogre_script.c - parses material scripts: lines of words, and blocks in braces. */
#include "import/ogre/ogre_script.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 16, DEPTH_MAX = 8 };

enum block { BLOCK_OTHER, BLOCK_MATERIAL, BLOCK_TECHNIQUE, BLOCK_PASS, BLOCK_UNIT };

struct word {
    const char *text;
    size_t size_bytes;
};

struct script_reader {
    const char *at, *end;
    struct ogre_script *script;
    struct word words[WORDS_MAX]; /* of the current statement */
    int word_count;
    enum block blocks[DEPTH_MAX];
    int depth; /* nesting depth, which may exceed DEPTH_MAX */
    /* of the current material: */
    struct ogre_script_material *material; /* or NULL */
    int techniques, passes;
    bool has_texture;
};

static bool word_is(const struct word *word, const char *text)
{
    return word->size_bytes == strlen(text) && memcmp(word->text, text, word->size_bytes) == 0;
}

static bool says(const struct script_reader *reader, const char *first, const char *second)
{
    return reader->word_count > 1 && word_is(&reader->words[0], first) && word_is(&reader->words[1], second);
}

/* Returns a word as a finite number, or `otherwise`. */
static float number(const struct script_reader *reader, int index, float otherwise)
{
    char text[32];
    if (index >= reader->word_count || reader->words[index].size_bytes >= sizeof text)
        return otherwise;
    memcpy(text, reader->words[index].text, reader->words[index].size_bytes);
    text[reader->words[index].size_bytes] = '\0';
    char *end;
    const float value = strtof(text, &end);
    return end > text && isfinite(value) ? value : otherwise;
}

static void read_color(const struct script_reader *reader, float *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = number(reader, i + 1, out[i]);
}

/* --- attributes --- */

/* "scene_blend alpha_blend" or "scene_blend src_alpha one_minus_src_alpha". */
static bool blends(const struct script_reader *reader)
{
    return says(reader, "scene_blend", "alpha_blend") ||
           (says(reader, "scene_blend", "src_alpha") && reader->word_count > 2 &&
            word_is(&reader->words[2], "one_minus_src_alpha"));
}

static void read_pass(struct script_reader *reader, struct ogre_script_material *to)
{
    const struct word *first = &reader->words[0];
    if (says(reader, "diffuse", "vertexcolour"))
        to->has_vertex_colors = true;
    else if (word_is(first, "diffuse"))
        read_color(reader, to->diffuse, 4);
    else if (word_is(first, "specular")) {
        read_color(reader, to->specular, 3);
        to->shininess = number(reader, reader->word_count > 5 ? 5 : 4, to->shininess);
    } else if (word_is(first, "emissive") || word_is(first, "self_illumination"))
        read_color(reader, to->emissive, 3);
    else if (word_is(first, "lighting"))
        to->is_unlit = says(reader, "lighting", "off");
    else if (word_is(first, "cull_hardware"))
        to->is_two_sided = says(reader, "cull_hardware", "none");
    else if (word_is(first, "scene_blend"))
        to->is_blended = blends(reader);
    else if (word_is(first, "alpha_rejection")) {
        to->is_rejecting =
            says(reader, "alpha_rejection", "greater") || says(reader, "alpha_rejection", "greater_equal");
        to->rejected_alpha = fminf(fmaxf(number(reader, 2, 0) / 255, 0), 1);
    }
}

static void read_address(const struct script_reader *reader, struct ogre_script_material *to)
{
    to->is_clamped = says(reader, "tex_address_mode", "clamp") || says(reader, "tex_address_mode", "border");
    to->is_mirrored = says(reader, "tex_address_mode", "mirror");
}

static void read_unit(struct script_reader *reader, struct ogre_script_material *to)
{
    const struct word *first = &reader->words[0];
    if (word_is(first, "texture") && reader->word_count > 1) {
        free(to->texture);
        to->texture = mem_strndup(reader->words[1].text, reader->words[1].size_bytes);
        reader->has_texture = true;
    } else if (word_is(first, "env_map") && !says(reader, "env_map", "off")) {
        free(to->texture); /* a reflection lies by no coordinates */
        to->texture = NULL;
        reader->has_texture = false;
    } else if (word_is(first, "tex_coord_set")) {
        to->texcoord_set = (uint32_t)fminf(fmaxf(number(reader, 1, 0), 0), 7);
    } else if (word_is(first, "tex_address_mode")) {
        read_address(reader, to);
    } else if (word_is(first, "scale")) {
        read_color(reader, to->scale, 2);
    } else if (word_is(first, "scroll")) {
        read_color(reader, to->scroll, 2);
    } else if (word_is(first, "rotate")) {
        to->rotate_degrees = number(reader, 1, 0);
    }
}

static void end_statement(struct script_reader *reader)
{
    const enum block block = reader->depth > 0 && reader->depth <= DEPTH_MAX ? reader->blocks[reader->depth - 1] : 0;
    if (reader->word_count > 0 && reader->material != NULL && block == BLOCK_PASS)
        read_pass(reader, reader->material);
    else if (reader->word_count > 0 && reader->material != NULL && block == BLOCK_UNIT)
        read_unit(reader, reader->material);
    reader->word_count = 0;
}

/* --- blocks --- */

static struct ogre_script_material copy_of(const struct ogre_script_material *parent)
{
    struct ogre_script_material copy = {.diffuse = {1, 1, 1, 1}, .scale = {1, 1}};
    if (parent != NULL)
        copy = *parent;
    copy.texture = copy.texture == NULL ? NULL : mem_strdup(copy.texture);
    return copy;
}

/* "material NAME", or "material NAME : PARENT". */
static void open_material(struct script_reader *reader)
{
    struct ogre_script *script = reader->script;
    const struct word name = reader->word_count > 1 ? reader->words[1] : (struct word){"", 0};
    const struct word *parent = reader->word_count > 3 && word_is(&reader->words[2], ":") ? &reader->words[3] : NULL;
    const struct ogre_script_material made =
        copy_of(parent == NULL ? NULL : ogre_script_find(script, parent->text, parent->size_bytes));
    script->materials =
        mem_grow(script->materials, &script->material_capacity, script->material_count + 1, sizeof *script->materials);
    reader->material = &script->materials[script->material_count++];
    *reader->material = made;
    reader->material->name = mem_strndup(name.text, name.size_bytes);
    reader->techniques = reader->passes = 0;
    reader->has_texture = false;
}

static enum block open_inner(struct script_reader *reader, enum block outer)
{
    const struct word *first = &reader->words[0];
    if (reader->word_count == 0)
        return BLOCK_OTHER;
    if (outer == BLOCK_MATERIAL && word_is(first, "technique")) {
        reader->passes = 0;
        return reader->techniques++ == 0 ? BLOCK_TECHNIQUE : BLOCK_OTHER;
    }
    if (outer == BLOCK_TECHNIQUE && word_is(first, "pass"))
        return reader->passes++ == 0 ? BLOCK_PASS : BLOCK_OTHER;
    if (outer == BLOCK_PASS && word_is(first, "texture_unit") && !reader->has_texture)
        return BLOCK_UNIT;
    return BLOCK_OTHER;
}

static void open_block(struct script_reader *reader)
{
    enum block block = BLOCK_OTHER;
    const bool is_abstract = reader->word_count > 1 && word_is(&reader->words[0], "abstract");
    if (is_abstract)
        memmove(reader->words, reader->words + 1, (size_t)--reader->word_count * sizeof *reader->words);
    if (reader->depth == 0 && reader->word_count > 0 && word_is(&reader->words[0], "material")) {
        open_material(reader);
        block = BLOCK_MATERIAL;
    } else if (reader->depth > 0 && reader->depth < DEPTH_MAX) {
        block = open_inner(reader, reader->blocks[reader->depth - 1]);
    }
    if (reader->depth < DEPTH_MAX)
        reader->blocks[reader->depth] = block;
    reader->depth++;
    reader->word_count = 0;
}

static void close_block(struct script_reader *reader)
{
    end_statement(reader);
    if (reader->depth > 0 && --reader->depth == 0)
        reader->material = NULL;
}

/* --- words --- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Skips white space and comments. Returns true at the end of a line. */
static bool skip_blank(struct script_reader *reader)
{
    bool is_new_line = false;
    while (reader->at < reader->end) {
        if (is_blank(*reader->at)) {
            is_new_line |= *reader->at++ == '\n';
        } else if (reader->end - reader->at > 1 && memcmp(reader->at, "//", 2) == 0) {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (reader->end - reader->at > 1 && memcmp(reader->at, "/*", 2) == 0) {
            const char *close = memmem(reader->at + 2, (size_t)(reader->end - reader->at) - 2, "*/", 2);
            reader->at = close == NULL ? reader->end : close + 2;
        } else {
            break;
        }
    }
    return is_new_line;
}

static struct word next_word(struct script_reader *reader)
{
    const char *begin = reader->at;
    if (*begin == '"') {
        const char *close = memchr(begin + 1, '"', (size_t)(reader->end - begin) - 1);
        const char *end = close == NULL ? reader->end : close;
        reader->at = close == NULL ? reader->end : close + 1;
        return (struct word){begin + 1, (size_t)(end - begin) - 1};
    }
    while (reader->at < reader->end && !is_blank(*reader->at) && *reader->at != '{' && *reader->at != '}')
        reader->at++;
    return (struct word){begin, (size_t)(reader->at - begin)};
}

void ogre_script_read(struct ogre_script *script, const char *text, size_t size_bytes)
{
    struct script_reader reader = {.at = text, .end = text + size_bytes, .script = script};
    bool is_ended = false; /* the statement, unless a block follows it */
    for (;;) {
        is_ended |= skip_blank(&reader);
        if (reader.at == reader.end)
            break;
        if (*reader.at == '{' || *reader.at == '}') {
            if (*reader.at++ == '{')
                open_block(&reader);
            else
                close_block(&reader);
            is_ended = false;
            continue;
        }
        if (is_ended)
            end_statement(&reader);
        is_ended = false;
        const struct word word = next_word(&reader);
        if (reader.word_count < WORDS_MAX)
            reader.words[reader.word_count++] = word;
    }
}

void ogre_script_fini(struct ogre_script *script)
{
    for (size_t i = 0; i < script->material_count; i++) {
        free(script->materials[i].name);
        free(script->materials[i].texture);
    }
    free(script->materials);
    *script = (struct ogre_script){0};
}

const struct ogre_script_material *ogre_script_find(const struct ogre_script *script, const char *name,
                                                    size_t size_bytes)
{
    for (size_t i = 0; i < script->material_count; i++)
        if (strlen(script->materials[i].name) == size_bytes && memcmp(script->materials[i].name, name, size_bytes) == 0)
            return &script->materials[i];
    return NULL;
}
