#include "import/polygons/ply.h"

#include "base/ascii.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_MAX_BYTES = 4096, WORDS_MAX = 6 };

struct lines {
    const uint8_t *bytes;
    size_t at, size_bytes;
    char end; /* of a line */
    uint32_t line;
    char text[LINE_MAX_BYTES]; /* the line, in words that NULs end */
    char rest[LINE_MAX_BYTES]; /* the line from its third word on */
    const char *words[WORDS_MAX];
    int count;
};

/* Splits the next line into words. Returns false at the end, or if a line is too long for a header. */
static bool next_line(struct lines *lines)
{
    const uint8_t *begin = lines->bytes + lines->at;
    const uint8_t *end = memchr(begin, lines->end, lines->size_bytes - lines->at);
    if (end == NULL || end - begin >= LINE_MAX_BYTES)
        return false;
    const size_t length = (size_t)(end - begin);
    memcpy(lines->text, begin, length);
    lines->text[length] = '\0';
    lines->at += length + 1;
    lines->line++;
    lines->count = 0;
    lines->rest[0] = '\0';
    for (char *at = lines->text;;) {
        at += strspn(at, " \t\r\v\f");
        if (*at == '\0' || lines->count == WORDS_MAX)
            return true;
        if (lines->count == 2) {
            memcpy(lines->rest, at, strlen(at) + 1);
            for (size_t size = strlen(at); size > 0 && strchr(" \t\r\v\f", lines->rest[size - 1]) != NULL;)
                lines->rest[--size] = '\0';
        }
        lines->words[lines->count++] = at;
        at += strcspn(at, " \t\r\v\f");
        if (*at != '\0')
            *at++ = '\0';
    }
}

static int fail(const struct lines *lines, const char *why, struct err *err)
{
    return err_set(err, ERR_BAD_MODEL, "line %u of the header: %s", lines->line, why);
}

static bool read_type(const char *word, enum ply_type *out)
{
    static const char *const NAMES[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                           {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
    for (int i = 0; i < 8; i++)
        if (strcasecmp(word, NAMES[i][0]) == 0 || strcasecmp(word, NAMES[i][1]) == 0) {
            *out = (enum ply_type)i;
            return true;
        }
    return false;
}

static void set_name(char out[PLY_NAME_SIZE], const char *word)
{
    size_t i = 0;
    for (; word[i] != '\0' && i + 1 < PLY_NAME_SIZE; i++)
        out[i] = ascii_lower(word[i]);
    out[i] = '\0';
}

static int read_format(const struct lines *lines, struct ply_header *out, struct err *err)
{
    static const char *const NAMES[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int i = 0; lines->count >= 2 && i < 3; i++)
        if (strcasecmp(lines->words[1], NAMES[i]) == 0) {
            out->encoding = (enum ply_encoding)i;
            return 0;
        }
    return fail(lines, "the format is none of ascii, binary_little_endian, binary_big_endian", err);
}

static int read_element(const struct lines *lines, struct ply_header *out, struct err *err)
{
    if (lines->count != 3)
        return fail(lines, "an element has a name and a count", err);
    if (out->element_count == PLY_ELEMENTS_MAX)
        return fail(lines, "more than 64 kinds of elements", err);
    char *end;
    errno = 0;
    const unsigned long long count = strtoull(lines->words[2], &end, 10);
    if (!ascii_is_digit(lines->words[2][0]) || *end != '\0' || errno != 0 || count > UINT32_MAX)
        return fail(lines, "the count of an element is no number below 2^32", err);
    struct ply_element *element = &out->elements[out->element_count++];
    set_name(element->name, lines->words[1]);
    element->count = (uint32_t)count;
    element->property_first = out->property_count;
    element->property_count = 0;
    return 0;
}

static int read_property(const struct lines *lines, struct ply_header *out, struct err *err)
{
    const bool is_list = lines->count >= 2 && strcasecmp(lines->words[1], "list") == 0;
    struct ply_property property = {.is_list = is_list};
    if (out->element_count == 0)
        return fail(lines, "a property before any element", err);
    if (out->property_count == PLY_PROPERTIES_MAX)
        return fail(lines, "more than 256 properties", err);
    if (lines->count != (is_list ? 5 : 3))
        return fail(lines, "a property has a type and a name, a list two types and a name", err);
    if (!read_type(lines->words[is_list ? 3 : 1], &property.type) ||
        (is_list && !read_type(lines->words[2], &property.count_type)))
        return fail(lines, "the type of a property is none that PLY has", err);
    set_name(property.name, lines->words[lines->count - 1]);
    /* for a mesh without faces, Blender 2.7 omits the element 'face' but writes its list property */
    if (is_list && strncmp(property.name, "vertex_ind", 10) == 0 &&
        strcmp(out->elements[out->element_count - 1].name, "vertex") == 0)
        return 0;
    out->properties[out->property_count++] = property;
    out->elements[out->element_count - 1].property_count++;
    return 0;
}

/* Lines end in LF, CR LF or CR, in all of a file as in its first line. */
static char line_end_of(const uint8_t *bytes, size_t size_bytes)
{
    size_t at = 0;
    while (at < size_bytes && strchr(" \t\r\n\v\f", bytes[at]) != NULL && bytes[at] != '\0')
        at++;
    while (at < size_bytes && bytes[at] != '\r' && bytes[at] != '\n')
        at++;
    return at + 1 < size_bytes && bytes[at] == '\r' && bytes[at + 1] != '\n' ? '\r' : '\n';
}

int ply_header_read(struct ply_header *out, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    struct lines lines = {.bytes = bytes, .size_bytes = size_bytes, .end = line_end_of(bytes, size_bytes)};
    bool has_format = false;
    *out = (struct ply_header){.line_end = lines.end};
    do {
        if (!next_line(&lines))
            return fail(&lines, "the file does not begin with 'ply'", err);
    } while (lines.count == 0);
    if (strcasecmp(lines.words[0], "ply") != 0)
        return fail(&lines, "the file does not begin with 'ply'", err);
    while (next_line(&lines)) {
        const char *word = lines.count == 0 ? "comment" : lines.words[0];
        int rc = 0;
        if (strcasecmp(word, "end_header") == 0) {
            out->size_bytes = lines.at;
            out->line_count = lines.line;
            return has_format ? 0 : fail(&lines, "the header has no 'format'", err);
        }
        if (strcasecmp(word, "format") == 0) {
            rc = read_format(&lines, out, err);
            has_format = true;
        } else if (strcasecmp(word, "element") == 0)
            rc = read_element(&lines, out, err);
        else if (strcasecmp(word, "property") == 0)
            rc = read_property(&lines, out, err);
        else if (strcasecmp(word, "comment") == 0 && lines.count > 2 && strcasecmp(lines.words[1], "TextureFile") == 0)
            snprintf(out->texture, sizeof out->texture, "%.*s", (int)sizeof out->texture - 1, lines.rest);
        if (rc < 0)
            return rc;
    }
    return fail(&lines, "the header has no 'end_header'", err);
}

int ply_property_find(const struct ply_header *header, const struct ply_element *element, const char *names)
{
    for (const char *name = names; *name != '\0';) {
        const size_t length = strcspn(name, "|");
        for (uint32_t p = 0; p < element->property_count; p++) {
            const char *have = header->properties[element->property_first + p].name;
            if (strlen(have) == length && memcmp(have, name, length) == 0)
                return (int)p;
        }
        name += length + (name[length] == '|');
    }
    return -1;
}
