/* Finds the pairs of posectl diff: two models, or the models of two folders by their relative paths. */
#include "clients/cli/diff/diff.h"
#include "clients/cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

static void add_pair(struct diff *diff, const char *name, const struct listed_model *old,
                     const struct listed_model *new)
{
    diff->pairs = must_grow(diff->pairs, (diff->count + 1) * sizeof *diff->pairs);
    struct diff_pair *pair = &diff->pairs[diff->count++];
    *pair = (struct diff_pair){.name = must_copy(name)};
    pair->models[DIFF_OLD] = old == NULL ? NULL : must_copy(old->source);
    pair->models[DIFF_NEW] = new == NULL ? NULL : must_copy(new->source);
}

/* Returns the size in bytes of a path without its extension. */
static size_t stem_bytes(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash == NULL ? path : slash, '.');
    return dot == NULL ? strlen(path) : (size_t)(dot - path);
}

/* Returns the one model of a list whose name differs only in the extension. NULL: none, or several. */
static struct listed_model *find_stem(struct model_list *list, const bool *is_taken, const char *name, size_t *place)
{
    const size_t size = stem_bytes(name);
    struct listed_model *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (is_taken[i] || stem_bytes(list->items[i].out) != size || strncmp(list->items[i].out, name, size) != 0)
            continue;
        if (found != NULL)
            return NULL;
        found = &list->items[i];
        *place = i;
    }
    return found;
}

/* Matches the lists, which are sorted by path under their folders. A second step finds models that have another
 * extension now, because they were converted. */
static void match(struct diff *diff, struct model_list lists[DIFF_SIDES])
{
    struct model_list *old = &lists[DIFF_OLD], *new = &lists[DIFF_NEW];
    bool *is_taken[DIFF_SIDES] = {must_alloc(old->count + 1), must_alloc(new->count + 1)};
    for (size_t o = 0, n = 0; o < old->count && n < new->count;) {
        const int order = strcmp(old->items[o].out, new->items[n].out);
        if (order == 0) {
            add_pair(diff, new->items[n].out, &old->items[o], &new->items[n]);
            is_taken[DIFF_OLD][o] = is_taken[DIFF_NEW][n] = true;
        }
        o += order <= 0;
        n += order >= 0;
    }
    for (size_t n = 0; n < new->count; n++) {
        size_t o = 0, self = 0;
        if (is_taken[DIFF_NEW][n] || find_stem(new, is_taken[DIFF_NEW], new->items[n].out, &self) == NULL)
            continue;
        const struct listed_model *was = find_stem(old, is_taken[DIFF_OLD], new->items[n].out, &o);
        if (was == NULL)
            continue;
        add_pair(diff, new->items[n].out, was, &new->items[n]);
        is_taken[DIFF_OLD][o] = is_taken[DIFF_NEW][n] = true;
    }
    for (size_t n = 0; n < new->count; n++)
        if (!is_taken[DIFF_NEW][n])
            add_pair(diff, new->items[n].out, NULL, &new->items[n]);
    for (size_t o = 0; o < old->count; o++)
        if (!is_taken[DIFF_OLD][o])
            add_pair(diff, old->items[o].out, &old->items[o], NULL);
    free(is_taken[DIFF_OLD]);
    free(is_taken[DIFF_NEW]);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct diff_pair *)a)->name, ((const struct diff_pair *)b)->name);
}

/* Lists the models of one of the two arguments; `out` of each is its path under the argument. */
static int list_side(struct diff *diff, int side, struct model_list *list)
{
    struct path_argument argument = diff->context.paths.arguments[side];
    struct paths paths = {.arguments = &argument, .count = 1};
    struct args args = *diff->args;
    argument.out_start = strlen(argument.path) + (argument.path[0] != '\0');
    memcpy(paths.folder, diff->context.paths.folder, sizeof paths.folder);
    args.positional = &diff->args->positional[side];
    args.positional_count = 1;
    return model_list_read(list, &paths, &args, &diff->context.connection);
}

static int list_folders(struct diff *diff)
{
    struct model_list lists[DIFF_SIDES] = {{0}, {0}};
    int status = list_side(diff, DIFF_OLD, &lists[DIFF_OLD]);
    if (status == STATUS_DONE)
        status = list_side(diff, DIFF_NEW, &lists[DIFF_NEW]);
    if (status == STATUS_DONE && lists[DIFF_OLD].count + lists[DIFF_NEW].count == 0) {
        terminal_error("no model in '%s', nor in '%s'", diff->args->positional[DIFF_OLD],
                       diff->args->positional[DIFF_NEW]);
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE)
        match(diff, lists);
    if (diff->count > 0)
        qsort(diff->pairs, diff->count, sizeof *diff->pairs, by_name);
    for (int s = 0; s < DIFF_SIDES; s++) {
        if (lists[s].unread > 0 && status == STATUS_DONE)
            status = STATUS_USAGE; /* a folder that could not be read may differ */
        model_list_free(&lists[s]);
    }
    return status;
}

int diff_list_pairs(struct diff *diff)
{
    const struct path_argument *arguments = diff->context.paths.arguments;
    for (int s = 0; s < DIFF_SIDES; s++)
        if (arguments[s].kind == PATH_PATTERN || arguments[s].kind != arguments[DIFF_NEW].kind) {
            terminal_error("'%s' and '%s' must be two models or two folders", diff->args->positional[DIFF_OLD],
                           diff->args->positional[DIFF_NEW]);
            return STATUS_USAGE;
        }
    if (arguments[DIFF_OLD].kind == PATH_FOLDER)
        return list_folders(diff);
    struct listed_model models[DIFF_SIDES];
    for (int s = 0; s < DIFF_SIDES; s++)
        models[s] = (struct listed_model){.source = arguments[s].path};
    add_pair(diff, diff->args->positional[DIFF_NEW], &models[DIFF_OLD], &models[DIFF_NEW]);
    return STATUS_DONE;
}

void diff_free_pairs(struct diff *diff)
{
    for (size_t i = 0; i < diff->count; i++) {
        struct diff_pair *pair = &diff->pairs[i];
        free(pair->name);
        free(pair->models[DIFF_OLD]);
        free(pair->models[DIFF_NEW]);
        free(pair->message);
        cJSON_Delete(pair->answer);
    }
    free(diff->pairs);
    diff->pairs = NULL;
    diff->count = 0;
}
