#include "clients/cli/pass/output_names.h"

#include <stdlib.h>
#include <string.h>

struct name {
    char *text;
    size_t index; /* of the model */
    bool is_whole;
};

static char *name_of(const char *out, const char *extension, bool is_whole)
{
    const char *slash = strrchr(out, '/'), *base = slash == NULL ? out : slash + 1, *dot = strrchr(base, '.');
    struct text name = {0};
    text_put_bytes(&name, out, is_whole || dot == NULL || dot == base ? strlen(out) : (size_t)(dot - out));
    text_put(&name, extension);
    return name.at;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* Makes the names of neighbours that are equal whole. Returns whether any was not. Whole names differ, but one may
 * equal another model's short name, which then becomes whole at the next turn. */
static bool make_whole(struct name *names, size_t count, const struct model_list *list, const char *extension)
{
    bool has_changed = false;
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && strcmp(names[first].text, names[end].text) == 0)
            end++;
        for (size_t i = first; end - first > 1 && i < end; i++)
            if (!names[i].is_whole)
                names[i].is_whole = has_changed = true;
    }
    for (size_t i = 0; has_changed && i < count; i++) {
        free(names[i].text);
        names[i].text = name_of(list->items[names[i].index].out, extension, names[i].is_whole);
    }
    return has_changed;
}

size_t output_names_set(struct model_list *list, const char *extension, size_t *first)
{
    struct name *names = must_alloc((list->count + 1) * sizeof *names);
    size_t whole = 0;
    *first = list->count;
    for (size_t i = 0; i < list->count; i++)
        names[i] = (struct name){name_of(list->items[i].out, extension, false), i, false};
    do {
        if (list->count > 0)
            qsort(names, list->count, sizeof *names, by_text);
    } while (make_whole(names, list->count, list, extension));
    for (size_t i = 0; i < list->count; i++) {
        struct listed_model *item = &list->items[names[i].index];
        free(item->out);
        item->out = names[i].text;
        whole += names[i].is_whole;
        if (names[i].is_whole && names[i].index < *first)
            *first = names[i].index;
    }
    free(names);
    return whole;
}
