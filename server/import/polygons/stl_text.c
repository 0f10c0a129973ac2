/* stl_text.c - reads ASCII STL: solid NAME, facets of a normal and a loop of three vertices, endsolid NAME. A file may
 * have several solids. White space separates words, and case is ignored. */
#include "import/polygons/facets.h"

#include "base/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORD_SHOWN_MAX = 40 };

struct stl_text {
    struct import *import;
    const char *at, *end;
    uint32_t line;
    struct err *err;
};

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Reads the next word; its length is 0 at the end. */
static size_t next_word(struct stl_text *reader, const char **word)
{
    for (; reader->at < reader->end && is_space(*reader->at); reader->at++)
        reader->line += *reader->at == '\n';
    *word = reader->at;
    while (reader->at < reader->end && !is_space(*reader->at))
        reader->at++;
    return (size_t)(reader->at - *word);
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return length == strlen(wanted) && strncasecmp(word, wanted, length) == 0;
}

static int unexpected(const struct stl_text *reader, const char *wanted, const char *word, size_t length)
{
    if (length == 0)
        return err_set(reader->err, ERR_BAD_MODEL, "line %u: the file ends where '%s' is expected", reader->line,
                       wanted);
    return err_set(reader->err, ERR_BAD_MODEL, "line %u: '%s' is expected, not '%.*s'", reader->line, wanted,
                   (int)(length < WORD_SHOWN_MAX ? length : WORD_SHOWN_MAX), word);
}

static int take(struct stl_text *reader, const char *wanted)
{
    const char *word;
    const size_t length = next_word(reader, &word);
    return is_word(word, length, wanted) ? 0 : unexpected(reader, wanted, word, length);
}

static int take_numbers(struct stl_text *reader, double out[3])
{
    for (int i = 0; i < 3; i++) {
        const char *word;
        char *end;
        const size_t length = next_word(reader, &word);
        out[i] = length == 0 ? 0 : strtod(word, &end);
        /* some C libraries print "nan(ind)" and the like, which mean a missing normal; "1,5" is no 1 */
        if (length == 0 || end == word || *end == ',')
            return unexpected(reader, "a number", word, length);
    }
    return 0;
}

/* Returns the rest of the line, trimmed. */
static struct str take_line(struct stl_text *reader)
{
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    const char *begin = reader->at;
    if (end == NULL)
        end = reader->end;
    reader->at = end;
    while (begin < end && is_space(*begin))
        begin++;
    while (begin < end && is_space(end[-1]))
        end--;
    const struct str none = {.offset = STR_NONE};
    return begin == end ? none : bake_text(reader->import->builder, begin, (size_t)(end - begin));
}

static int read_facet(struct stl_text *reader, struct facets *facets)
{
    double normal[3], points[3][3];
    if (take(reader, "normal") < 0 || take_numbers(reader, normal) < 0 || take(reader, "outer") < 0 ||
        take(reader, "loop") < 0)
        return reader->err->code;
    for (int i = 0; i < 3; i++)
        if (take(reader, "vertex") < 0 || take_numbers(reader, points[i]) < 0)
            return reader->err->code;
    if (take(reader, "endloop") < 0 || take(reader, "endfacet") < 0)
        return reader->err->code;
    facets_add(facets, normal, (const double(*)[3])points);
    return 0;
}

/* Reads a solid after the word "solid". Without endsolid it ends with its last facet. */
static int read_solid(struct stl_text *reader)
{
    struct facets facets = {0};
    const struct str name = take_line(reader);
    int rc = 0;
    for (;;) {
        const char *word;
        const size_t length = next_word(reader, &word);
        if (length == 0 || is_word(word, length, "endsolid"))
            break;
        rc = is_word(word, length, "facet") ? read_facet(reader, &facets) : unexpected(reader, "facet", word, length);
        if (rc < 0)
            break;
    }
    take_line(reader);
    char where[SHORT_NAME_SIZE + 16];
    snprintf(where, sizeof where, "the solid before line %u", reader->line + 1);
    if (rc == 0)
        rc = facets_add_mesh(reader->import, &facets, name, where, reader->err);
    facets_fini(&facets);
    return rc;
}

int stl_read_text(struct import *import, struct err *err)
{
    const char *bytes = (const char *)import->bytes;
    struct stl_text reader = {import, bytes, bytes + import->size_bytes, 1, err};
    for (;;) {
        const char *word;
        const size_t length = next_word(&reader, &word);
        if (length == 0)
            return 0;
        const int rc =
            is_word(word, length, "solid") ? read_solid(&reader) : unexpected(&reader, "solid", word, length);
        if (rc < 0)
            return rc;
    }
}
