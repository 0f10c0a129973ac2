/* collada_values.c - words and numbers of arrays, and the rows that accessors pick out of them. */
#include "import/collada/collada.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* The next word of *text, which moves behind it; its size, 0 at the end. */
static size_t next_word(const char **text, const char **word)
{
    while (is_space(**text))
        (*text)++;
    *word = *text;
    while (**text != '\0' && !is_space(**text))
        (*text)++;
    return (size_t)(*text - *word);
}

static bool number_of(const char *word, size_t size, double *value)
{
    char *end = NULL;
    *value = strtod(word, &end);
    return end == word + size && isfinite(*value);
}

/* Numbers separated by white space into *values (heap; NULL for none). Returns 0 or ERR_BAD_MODEL (what is no number,
 * or not finite). */
static int read_numbers(const char *text, double **values, size_t *count, struct err *err)
{
    size_t capacity = 0;
    const char *word;
    *values = NULL;
    *count = 0;
    for (size_t size = next_word(&text, &word); size > 0; size = next_word(&text, &word)) {
        *values = mem_grow(*values, &capacity, *count + 1, sizeof **values);
        if (!number_of(word, size, &(*values)[*count])) {
            free(*values);
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

/* How an accessor picks rows out of an array. */
struct param_layout {
    uint32_t array; /* element */
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
    const uint32_t source = xml_follow(xml, element, attribute);
    if (!xml_is(xml, source, "source"))
        return err_set(err, ERR_BAD_MODEL, "there is no source '%s'", url != NULL ? url : "");
    const uint32_t accessor = xml_child(xml, xml_child(xml, source, "technique_common"), "accessor");
    if (accessor == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "source '%s' has no accessor", url);
    layout->array = xml_follow(xml, accessor, "source");
    if (layout->array == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "the accessor of '%s' has no array", url);
    if (!number_attribute(xml, accessor, "count", 0, &layout->count) ||
        !number_attribute(xml, accessor, "stride", 1, &layout->stride) || layout->stride == 0 ||
        !number_attribute(xml, accessor, "offset", 0, &layout->offset))
        return err_set(err, ERR_BAD_MODEL, "the accessor of '%s' has a wrong count, stride or offset", url);
    return 0;
}

int rows_read(const struct xml *xml, uint32_t element, const char *attribute, struct value_rows *rows, struct err *err)
{
    struct param_layout layout;
    double *values;
    size_t count;
    *rows = (struct value_rows){0};
    if (find_layout(xml, element, attribute, &layout, err) < 0)
        return ERR_BAD_MODEL;
    int rc = read_numbers(xml_text(xml, layout.array), &values, &count, err);
    if (rc < 0)
        return err_prefix(err, "array '%s'", xml_get(xml, layout.array, "id"));
    /* the sizes are below 2^32, so that no product overflows */
    if (layout.offset + layout.count * layout.stride > count) {
        free(values);
        return err_set(err, ERR_BAD_MODEL, "array '%s' has %zu numbers, and %llu are wanted",
                       xml_get(xml, layout.array, "id"), count,
                       (unsigned long long)(layout.offset + layout.count * layout.stride));
    }
    if (layout.offset > 0)
        memmove(values, values + layout.offset, layout.count * layout.stride * sizeof *values);
    *rows = (struct value_rows){values, (uint32_t)layout.count, (uint32_t)layout.stride};
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
