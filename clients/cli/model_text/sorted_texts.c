/* Sorts texts. */
#include "clients/cli/model_text/model_text.h"

#include <stdlib.h>
#include <string.h>

void sorted_texts_take(struct sorted_texts *sorted, struct text *text)
{
    sorted->texts = must_grow(sorted->texts, (sorted->count + 1) * sizeof *sorted->texts);
    sorted->texts[sorted->count++] = text->at == NULL ? must_copy("") : text->at;
    *text = (struct text){0};
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

void sorted_texts_put(struct sorted_texts *sorted, struct text *out)
{
    if (sorted->count > 0)
        qsort(sorted->texts, sorted->count, sizeof *sorted->texts, by_text);
    for (size_t i = 0; i < sorted->count; i++) {
        text_put(out, sorted->texts[i]);
        free(sorted->texts[i]);
    }
    free(sorted->texts);
    *sorted = (struct sorted_texts){0};
}
