/* collada_values.c - reads words and numbers of arrays, and the rows that accessors select. */
#include "import/collada/collada.h"

#include "base/mem.h"
#include "import/text/text_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Returns the size of the next word and moves *text behind it; 0 at the end. */
static size_t next_word(const char **text, const char **word)
{
    while (is_space(**text))
        (*text)++;
    *word = *text;
    while (**text != '\0' && !is_space(**text))
        (*text)++;
    return (size_t)(*text - *word);
}

/* Reads "0,5" and "1,5e-05": exporters write the decimal comma of their user's language. */
static bool comma_number_of(const char *word, size_t size, double *value)
{
    char copy[64], *end = NULL;
    const char *comma = memchr(word, ',', size);
    if (comma == NULL || size >= sizeof copy || memchr(word, '.', size) != NULL)
        return false;
    memcpy(copy, word, size);
    copy[size] = '\0';
    copy[comma - word] = '.';
    *value = strtod(copy, &end);
    return end == copy + size && isfinite(*value);
}

static bool number_of(const char *word, size_t size, double *value)
{
    char *end = NULL;
    if (text_plain_number(word, size, value))
        return true;
    *value = strtod(word, &end);
    return (end == word + size && isfinite(*value)) || comma_number_of(word, size, value);
}

/* Whether the word stands for a non-finite value: "nan", "inf", "-1.#IND" and similar. */
static bool is_no_number(const char *word, size_t size)
{
    double value;
    char *end = NULL;
    if (memchr(word, '#', size) != NULL)
        return true;
    value = strtod(word, &end);
    return end == word + size && !isfinite(value);
}

/* Reads numbers separated by white space into *values (heap; NULL if there are no numbers). Returns 0 or ERR_BAD_MODEL
 * (not a number, or not finite; with may_be_nan the latter becomes NAN instead). */
static int read_numbers(const char *text, bool may_be_nan, double **values, size_t *count, struct err *err)
{
    size_t capacity = 0;
    const char *word;
    *values = NULL;
    *count = 0;
    for (size_t size = next_word(&text, &word); size > 0; size = next_word(&text, &word)) {
        *values = mem_grow(*values, &capacity, *count + 1, sizeof **values);
        if (!number_of(word, size, &(*values)[*count])) {
            if (may_be_nan && is_no_number(word, size)) {
                (*values)[(*count)++] = (double)NAN;
                continue;
            }
            free(*values);
            *values = NULL;
            return err_set(err, ERR_BAD_MODEL, "'%.*s' is not a number", size < 40 ? (int)size : 40, word);
        }
        (*count)++;
    }
    return 0;
}

int values_fixed(const char *text, double *out, int limit)
{
    const char *word;
    int count = 0;
    for (size_t size = next_word(&text, &word); size > 0 && count <= limit; size = next_word(&text, &word)) {
        double value;
        if (!number_of(word, size, &value))
            return -1;
        if (count < limit)
            out[count] = value;
        count++;
    }
    return count;
}

static const char ARRAYS[] = "float_array int_array bool_array Name_array IDREF_array SIDREF_array";

/* The rows that an accessor selects from an array. */
struct param_layout {
    uint32_t array, accessor; /* elements */
    uint64_t count, stride, offset;
};

static bool number_attribute(const struct xml *xml, uint32_t element, const char *attribute, uint64_t initial,
                             uint64_t *value)
{
    const char *text = xml_get(xml, element, attribute);
    char *end = NULL;
    *value = initial;
    if (text == NULL)
        return true;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *value < UINT32_MAX;
}

static int find_layout(const struct xml *xml, uint32_t element, const char *attribute, struct param_layout *layout,
                       struct err *err)
{
    const char *url = xml_get(xml, element, attribute);
    const uint32_t source = xml_follow(xml, element, attribute, "source");
    if (!xml_is(xml, source, "source"))
        return err_set(err, ERR_BAD_MODEL, "there is no source '%s'", url != NULL ? url : "");
    const uint32_t accessor = xml_child(xml, xml_child(xml, source, "technique_common"), "accessor");
    if (accessor == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "source '%s' has no accessor", url);
    layout->accessor = accessor;
    layout->array = xml_follow(xml, accessor, "source", NULL);
    if (xml_is(xml, layout->array, "source"))
        layout->array = xml_child(xml, layout->array, ARRAYS);
    if (layout->array == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "the accessor of '%s' has no array", url);
    if (!number_attribute(xml, accessor, "count", 0, &layout->count) ||
        !number_attribute(xml, accessor, "stride", 1, &layout->stride) || layout->stride == 0 ||
        !number_attribute(xml, accessor, "offset", 0, &layout->offset))
        return err_set(err, ERR_BAD_MODEL, "the accessor of '%s' has a wrong count, stride or offset", url);
    return 0;
}

/* The element's id for messages. */
static const char *id_of(const struct xml *xml, uint32_t element)
{
    const char *id = xml_get(xml, element, "id");
    return id != NULL ? id : "";
}

static int read_rows(const struct xml *xml, const struct param_layout *layout, bool may_be_nan, struct value_rows *rows,
                     struct err *err)
{
    double *values;
    size_t count;
    if (read_numbers(xml_text(xml, layout->array), may_be_nan, &values, &count, err) < 0)
        return err_prefix(err, "array '%s', line %u", id_of(xml, layout->array), xml_line(xml, layout->array));
    /* the sizes are below 2^32, so no product overflows */
    const uint64_t wanted = layout->offset + layout->count * layout->stride;
    if (wanted > count) {
        free(values);
        return err_set(err, ERR_BAD_MODEL, "array '%s', line %u, has %zu numbers, and %llu are wanted",
                       id_of(xml, layout->array), xml_line(xml, layout->array), count, (unsigned long long)wanted);
    }
    if (layout->offset > 0)
        memmove(values, values + layout->offset, layout->count * layout->stride * sizeof *values);
    *rows = (struct value_rows){values, (uint32_t)layout->count, (uint32_t)layout->stride};
    return 0;
}

int rows_read(const struct xml *xml, uint32_t element, const char *attribute, struct value_rows *rows, struct err *err)
{
    struct param_layout layout;
    *rows = (struct value_rows){0};
    if (find_layout(xml, element, attribute, &layout, err) < 0)
        return ERR_BAD_MODEL;
    return read_rows(xml, &layout, false, rows, err);
}

/* Returns the number of values of a <param> by its type: 16 for "float4x4". */
static uint32_t size_of_type(const char *type)
{
    unsigned rows = 1, columns = 1;
    if (type == NULL || sscanf(type, "%*[a-z_]%1ux%1u", &rows, &columns) < 1)
        return 1;
    return rows >= 1 && rows <= 4 && columns >= 1 && columns <= 4 ? rows * columns : 1;
}

/* A reader skips the values of a <param> without a name and values without a <param> (COLLADA 1.4.1, "accessor"). Fills
 * columns[limit] with the other columns; without any named <param> it takes all columns. */
static uint32_t named_columns(const struct xml *xml, const struct param_layout *layout, uint32_t *columns,
                              uint32_t limit)
{
    uint32_t count = 0, column = 0;
    for (uint32_t e = xml_child(xml, layout->accessor, "param"); e != XML_NONE && column < layout->stride;
         e = xml_next(xml, e, "param")) {
        const char *name = xml_get(xml, e, "name");
        const uint32_t end = column + size_of_type(xml_get(xml, e, "type"));
        for (; column < end && column < layout->stride; column++)
            if (name != NULL && name[0] != '\0' && count < limit)
                columns[count++] = column;
    }
    for (column = count; column == 0 && count < layout->stride && count < limit; count++)
        columns[count] = count;
    return count;
}

int columns_read(const struct xml *xml, uint32_t element, const char *attribute, struct value_rows *rows,
                 struct err *err)
{
    enum { COLUMNS_MAX = 64 };
    uint32_t columns[COLUMNS_MAX];
    struct param_layout layout;
    *rows = (struct value_rows){0};
    if (find_layout(xml, element, attribute, &layout, err) < 0 || read_rows(xml, &layout, true, rows, err) < 0)
        return ERR_BAD_MODEL;
    const uint32_t width = named_columns(xml, &layout, columns, COLUMNS_MAX);
    for (uint32_t r = 0; r < rows->count && width < rows->width; r++)
        for (uint32_t c = 0; c < width; c++) /* to where it was or before */
            rows->values[(size_t)r * width + c] = rows->values[(size_t)r * rows->width + columns[c]];
    rows->width = width < rows->width ? width : rows->width;
    return 0;
}

int indices_read(const struct xml *xml, uint32_t element, struct index_list *list, struct err *err)
{
    const char *word, *text = xml_text(xml, element);
    for (size_t size = next_word(&text, &word); size > 0; size = next_word(&text, &word)) {
        uint64_t value = 0;
        size_t at = 0;
        for (; at < size && word[at] >= '0' && word[at] <= '9' && value < UINT32_MAX; at++)
            value = value * 10 + (uint64_t)(word[at] - '0');
        const bool is_none = size == 2 && memcmp(word, "-1", 2) == 0;
        if (!is_none && (at < size || value >= UINT32_MAX))
            return err_set(err, ERR_BAD_MODEL, "'%.*s' in the <%s> on line %u is no index", size < 40 ? (int)size : 40,
                           word, xml->text + xml->elements[element].tag, xml_line(xml, element));
        list->items = mem_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
        list->items[list->count++] = is_none ? INDEX_NONE : (uint32_t)value;
    }
    return 0;
}

void rows_fini(struct value_rows *rows)
{
    free(rows->values);
    *rows = (struct value_rows){0};
}

int64_t names_read(const struct xml *xml, uint32_t element, const char *attribute, take_name *take, void *user,
                   struct err *err)
{
    struct param_layout layout;
    const char *word;
    if (find_layout(xml, element, attribute, &layout, err) < 0)
        return ERR_BAD_MODEL;
    const char *text = xml_text(xml, layout.array);
    uint64_t at = 0;
    uint32_t taken = 0;
    for (size_t size = next_word(&text, &word); size > 0 && taken < layout.count; size = next_word(&text, &word), at++)
        if (at >= layout.offset && (at - layout.offset) % layout.stride == 0)
            take(user, taken++, word, size);
    return taken;
}
