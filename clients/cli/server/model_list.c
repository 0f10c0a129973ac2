/* Lists models: walks the folders of a private server, or asks a running one page by page. */
#include "clients/cli/server/model_list.h"

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/model_walk.h"
#include "clients/cli/server/pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    const struct args *args;
    const struct paths *paths;
    const struct path_argument *argument; /* the argument whose models are being listed */
    struct model_list *list;
    size_t capacity;
    cJSON *formats; /* the server's answer */
    /* Symbolic links to folders: the first one, its target, and their number. */
    char *link, *target;
    size_t link_count;
};

static bool is_hit(const struct listing *listing, const char *pattern, const char *model)
{
    return pattern_selects(pattern, model) || pattern_selects(pattern, model + listing->argument->out_start);
}

static bool is_wanted(const struct listing *listing, const char *model)
{
    bool has_include = false, is_included = false;
    for (size_t i = 0; i < listing->args->repeated_count; i++) {
        const int option = listing->args->repeated[i].option;
        if (option != OPTION_INCLUDE && option != OPTION_EXCLUDE)
            continue;
        const bool is_selected = is_hit(listing, listing->args->repeated[i].value, model);
        if (option == OPTION_EXCLUDE && is_selected)
            return false;
        has_include |= option == OPTION_INCLUDE;
        is_included |= option == OPTION_INCLUDE && is_selected;
    }
    return is_included || !has_include;
}

/* A model_walk.found. */
static void add(void *context, const char *model, const char *source)
{
    struct listing *listing = context;
    const struct path_argument *argument = listing->argument;
    if ((argument->kind == PATH_PATTERN && !pattern_matches(argument->path, model)) || !is_wanted(listing, model))
        return;
    if (listing->list->count == listing->capacity) {
        listing->capacity = listing->capacity * 2 + 64;
        listing->list->items = must_grow(listing->list->items, listing->capacity * sizeof *listing->list->items);
    }
    listing->list->items[listing->list->count++] = (struct listed_model){
        .model = must_copy(model), .source = must_copy(source), .out = must_copy(model + argument->out_start)};
}

/* --- of a private server --- */

/* A model_walk.left_out. Counts no links for patterns and --include: those mean models, and the models behind the link
 * are unknown. */
static void count_link(void *context, const char *link, const char *target)
{
    struct listing *listing = context;
    struct text inside = {0};
    bool is_excluded = listing->argument->kind == PATH_PATTERN;
    text_printf(&inside, "%s/x", link); /* --exclude may mean all files in it */
    for (size_t i = 0; i < listing->args->repeated_count && !is_excluded; i++)
        is_excluded = listing->args->repeated[i].option == OPTION_EXCLUDE &&
                      is_hit(listing, listing->args->repeated[i].value, inside.at);
    text_free(&inside);
    if (!is_excluded && listing->link_count++ == 0) {
        listing->link = must_copy(link);
        listing->target = must_copy(target);
    }
}

/* Prints one line for all links of an argument, because a tree may have many. */
static void tell_links(struct listing *listing)
{
    if (listing->link_count == 1 && !listing->list->is_told)
        terminal_info("'%s' is a symbolic link to a folder and left out; to read that too, name %s", listing->link,
                      listing->target);
    else if (listing->link_count > 1 && !listing->list->is_told)
        terminal_info("'%s' and %zu more are symbolic links to folders and left out; to read the first too, name %s",
                      listing->link, listing->link_count - 1, listing->target);
    free(listing->link);
    free(listing->target);
    listing->link = listing->target = NULL;
    listing->link_count = 0;
}

static int read_formats(struct listing *listing, struct connection *connection)
{
    struct posed_packet answer;
    int rc = connection_request(connection, "/v1/formats", NULL, &answer);
    if (rc == 0)
        rc = connection_read_json(connection, &answer, &listing->formats);
    return connection_status(connection, rc);
}

static void list_here(struct listing *listing)
{
    const struct path_argument *argument = listing->argument;
    struct model_walk walk = {.root = listing->paths->folder,
                              .formats = json_get(listing->formats, "formats"),
                              .keeps_hidden_links = listing->paths->names_hidden,
                              .found = add,
                              .left_out = count_link,
                              .context = listing};
    if (argument->kind == PATH_LEAVES) {
        listing->list->unread++;
        return;
    }
    if (argument->kind == PATH_MODEL) {
        add(listing, argument->path, argument->path);
        return;
    }
    char *folder = must_copy(argument->path);
    if (argument->kind == PATH_PATTERN) {
        char *slash = memrchr(folder, '/', strcspn(folder, "*?["));
        *(slash == NULL ? folder : slash) = '\0';
    }
    model_walk(&walk, folder);
    listing->list->unread += walk.unread;
    tell_links(listing);
    free(folder);
}

/* --- of a running server --- */

int model_list_pages(struct connection *connection, const char *query, bool is_one, model_page *take, void *context)
{
    struct text after = {0};
    char *last = must_copy(""); /* pages are sorted by model */
    bool is_endless = false;
    int rc = 0;
    do {
        struct text target = {0};
        struct posed_packet answer;
        text_printf(&target, "/v1/models?%s", query[0] == '\0' ? "" : query + 1);
        if (after.size_bytes > 0) {
            text_put(&target, query[0] == '\0' ? "after=" : "&after=");
            text_put_url(&target, after.at);
        }
        rc = connection_request(connection, target.at, NULL, &answer);
        text_free(&target);
        text_free(&after);
        cJSON *page = NULL;
        if (rc != 0 || (rc = connection_read_json(connection, &answer, &page)) != 0)
            break;
        take(context, &answer, page);
        const char *next = member_text(page, "next");
        if (next[0] != '\0' && strcmp(next, last) <= 0) {
            terminal_error("the server's list of models does not go on after '%s'", last);
            is_endless = true;
        }
        free(last);
        last = must_copy(next);
        text_put(&after, is_endless ? "" : next);
        cJSON_Delete(page);
    } while (after.size_bytes > 0 && !is_one && !is_interrupted());
    text_free(&after);
    free(last);
    return is_endless ? STATUS_SERVER : connection_status(connection, rc);
}

static bool is_meant(const struct path_argument *argument, const char *model)
{
    const size_t size = strlen(argument->path);
    if (argument->kind == PATH_PATTERN)
        return true; /* add() checks it */
    if (argument->kind == PATH_MODEL && strcmp(model, argument->path) == 0)
        return true;
    return size == 0 || (strncmp(model, argument->path, size) == 0 && model[size] == '/');
}

static void take_page(void *context, const struct posed_packet *answer, const cJSON *page)
{
    struct listing *listing = context;
    const cJSON *entry;
    (void)answer;
    cJSON_ArrayForEach(entry, json_get(page, "models"))
    {
        const char *model = member_text(entry, "model");
        if (model[0] == '\0' || strstr(model, "../") != NULL || model[0] == '/') /* it will name local files */
            continue;
        if (is_meant(listing->argument, model))
            add(listing, model, model);
    }
}

static int list_there(struct listing *listing, struct connection *connection)
{
    struct text query = {0};
    char *prefix = must_copy(listing->argument->path);
    prefix[strcspn(prefix, "*?[")] = '\0';
    text_put(&query, "&limit=1000&prefix=");
    text_put_url(&query, prefix);
    const int status = model_list_pages(connection, query.at, false, take_page, listing);
    text_free(&query);
    free(prefix);
    return status;
}

/* --- both --- */

static int by_model(const void *a, const void *b)
{
    return strcmp(((const struct listed_model *)a)->model, ((const struct listed_model *)b)->model);
}

void model_list_free_item(struct listed_model *model)
{
    free(model->model);
    free(model->source);
    free(model->out);
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

bool model_is_in_shard(const struct args *args, const char *model)
{
    unsigned number, count;
    return !args_has(args, OPTION_SHARD) || !args_read_shard(args_text(args, OPTION_SHARD, ""), &number, &count) ||
           hash_of(model) % count == number - 1;
}

/* Keeps each model once, because two arguments may mean the same model. Keeps only models of this shard. */
static void sort_once(struct model_list *list, const struct args *args)
{
    size_t kept = 0;
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, by_model);
    for (size_t i = 0; i < list->count; i++) {
        if ((kept > 0 && strcmp(list->items[kept - 1].model, list->items[i].model) == 0) ||
            !model_is_in_shard(args, list->items[i].model))
            model_list_free_item(&list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* Refuses an argument that means no model. It is a mistake of the command line, or somebody has moved the files: doing
 * nothing would not be success. watch waits for models to appear. diff looks at both folders together. */
static int refuse_empty(struct listing *listing, const char *given)
{
    const struct args *args = listing->args;
    const bool is_filtered = args_has(args, OPTION_INCLUDE) || args_has(args, OPTION_EXCLUDE);
    struct text problem = {0};
    if (args->command == COMMAND_DIFF)
        return STATUS_DONE; /* all models of the other folder were added or removed */
    text_printf(&problem, listing->argument->kind == PATH_FOLDER ? "no model in '%s'" : "'%s' matches no model", given);
    text_put(&problem, is_filtered ? " that --include and --exclude let through" : "");
    if (args->command != COMMAND_WATCH)
        terminal_error("%s", problem.at);
    else if (!listing->list->is_told)
        terminal_info("%s yet", problem.at);
    text_free(&problem);
    return args->command == COMMAND_WATCH ? STATUS_DONE : STATUS_USAGE;
}

int model_list_read(struct model_list *list, const struct paths *paths, const struct args *args,
                    struct connection *connection)
{
    struct listing listing = {.args = args, .paths = paths, .list = list};
    const bool is_here = connection->session->is_private;
    int refused = STATUS_DONE; /* each argument without a model is named */
    int status = is_here ? read_formats(&listing, connection) : STATUS_DONE;
    list->unread = 0;
    for (size_t i = 0; i < paths->count && status == STATUS_DONE; i++) {
        const size_t count = list->count, unread = list->unread;
        listing.argument = &paths->arguments[i];
        if (is_here)
            list_here(&listing);
        else
            status = list_there(&listing, connection);
        const bool is_empty = list->count == count && list->unread == unread && !is_interrupted();
        if (is_empty && status == STATUS_DONE && refuse_empty(&listing, args->positional[i]) != STATUS_DONE)
            refused = STATUS_USAGE;
    }
    list->is_told = true;
    sort_once(list, args);
    cJSON_Delete(listing.formats);
    return status == STATUS_DONE ? refused : status;
}

void model_list_free(struct model_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        model_list_free_item(&list->items[i]);
    free(list->items);
    list->items = NULL;
    list->count = 0;
}
