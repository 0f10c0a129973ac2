/* Groups notes. */
#include "clients/cli/diff_report/notes.h"

#include <stdlib.h>
#include <string.h>

struct found {
    const char *kind, *message;
    size_t pair;
};

static int by_text(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    const int kind = strcmp(x->kind, y->kind), message = strcmp(x->message, y->message);
    return kind != 0 ? kind : message != 0 ? message : (x->pair > y->pair) - (x->pair < y->pair);
}

void notes_find(const struct diff *diff, struct notes *out)
{
    struct found *found = NULL;
    size_t count = 0;
    *out = (struct notes){0};
    for (size_t i = 0; i < diff->count; i++) {
        const cJSON *note;
        cJSON_ArrayForEach(note, json_get(diff->pairs[i].answer, "notes"))
        {
            found = must_grow(found, (count + 1) * sizeof *found);
            found[count++] = (struct found){member_text(note, "kind"), member_text(note, "message"), i};
        }
    }
    if (count > 0)
        qsort(found, count, sizeof *found, by_text);
    out->groups = must_alloc((count + 1) * sizeof *out->groups);
    for (size_t i = 0; i < count; i++) {
        struct note_group *group = out->count > 0 ? &out->groups[out->count - 1] : NULL;
        if (group == NULL || strcmp(group->kind, found[i].kind) != 0 || strcmp(group->message, found[i].message) != 0) {
            group = &out->groups[out->count++];
            *group = (struct note_group){.kind = found[i].kind, .message = found[i].message};
        }
        group->models.pairs =
            must_grow(group->models.pairs, (group->models.pair_count + 1) * sizeof *group->models.pairs);
        group->models.pairs[group->models.pair_count++] = found[i].pair;
    }
    free(found);
}

void notes_free(struct notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->groups[i].models.pairs);
    free(notes->groups);
    *notes = (struct notes){0};
}

void notes_put(struct text *out, const struct diff *diff, const struct note_group *group)
{
    if (diff->count > 1) {
        changes_put_models(out, diff, &group->models);
        text_put(out, ": ");
    }
    text_put(out, group->message);
}
