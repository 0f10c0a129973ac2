/* Lists models: walks the folders of a private server, or asks a running one page by page. */
#include "clients/cli/server/model_list.h"

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/pattern.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, IGNORE_BYTES = 1 << 20 };

/* Of the server, whose own lists end at the same depth. */
enum {
#define X(symbol, option, initial, unit, text) symbol,
#include "protocol/limits.def"
#undef X
};
static const uint64_t LIMITS[] = {
#define X(symbol, option, initial, unit, text) initial,
#include "protocol/limits.def"
#undef X
};

struct listing {
    const struct args *args;
    const struct paths *paths;
    const struct path_argument *argument; /* whose models are being listed */
    struct model_list *list;
    size_t room;
    struct {
        char *ending, *companion_of; /* "" for none */
    } * formats;
    size_t format_count;
};

/* The ignore files of the folders above, innermost first. */
struct ignores {
    const struct ignores *above;
    size_t folder_bytes; /* of the path, with its slash */
    char *lines;
};

static bool is_wanted(const struct listing *listing, const char *model)
{
    bool has_include = false, is_included = false;
    for (size_t i = 0; i < listing->args->repeated_count; i++) {
        const int option = listing->args->repeated[i].option;
        if (option != OPTION_INCLUDE && option != OPTION_EXCLUDE)
            continue;
        const char *pattern = listing->args->repeated[i].value;
        const bool is_hit =
            pattern_selects(pattern, model) || pattern_selects(pattern, model + listing->argument->out_start);
        if (option == OPTION_EXCLUDE && is_hit)
            return false;
        has_include |= option == OPTION_INCLUDE;
        is_included |= option == OPTION_INCLUDE && is_hit;
    }
    return is_included || !has_include;
}

static void add(struct listing *listing, const char *model, const char *source)
{
    const struct path_argument *argument = listing->argument;
    if ((argument->kind == PATH_PATTERN && !pattern_matches(argument->path, model)) || !is_wanted(listing, model))
        return;
    if (listing->list->count == listing->room) {
        listing->room = listing->room * 2 + 64;
        listing->list->items = must_grow(listing->list->items, listing->room * sizeof *listing->list->items);
    }
    listing->list->items[listing->list->count++] = (struct listed_model){
        .model = must_copy(model), .source = must_copy(source), .out = must_copy(model + argument->out_start)};
}

/* --- here --- */

/* The ending's format; -1 for none. */
static int format_of(const struct listing *listing, const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && dot != name && i < listing->format_count; i++)
        if (strcasecmp(dot + 1, listing->formats[i].ending) == 0)
            return (int)i;
    return -1;
}

/* A file that belongs to one of the same stem beside it. */
static bool is_companion(const struct listing *listing, int format, const char *path)
{
    char other[PATH_BYTES + 16];
    struct stat info;
    const char *of = listing->formats[format].companion_of;
    if (of[0] == '\0')
        return false;
    snprintf(other, sizeof other, "%.*s.%s", (int)(strrchr(path, '.') - path), path, of);
    return stat(other, &info) == 0;
}

static char *read_ignores(const char *folder)
{
    char path[PATH_BYTES * 2 + 32];
    snprintf(path, sizeof path, "%s/.posedignore", folder);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *lines = must_alloc(IGNORE_BYTES + 1);
    lines[fread(lines, 1, IGNORE_BYTES, file)] = '\0';
    fclose(file);
    return lines;
}

static bool is_ignored(const struct ignores *ignores, const char *path, bool is_folder)
{
    for (const struct ignores *at = ignores; at != NULL; at = at->above) {
        const int verdict = at->lines == NULL ? -1 : pattern_ignores(at->lines, path + at->folder_bytes, is_folder);
        if (verdict >= 0)
            return verdict == 1;
    }
    return false;
}

/* Where a symbolic link leads, under the root. One that leads nowhere or out of the root is left for the server to
 * refuse: the failure is reported then, and the model not just missing. false: it leads to something that is no file.
 */
static bool follow(const struct listing *listing, const char *full, const char *inner, char source[PATH_BYTES])
{
    const char *root = listing->paths->folder;
    struct stat info;
    size_t rest;
    char *target = realpath(full, NULL);
    if (target != NULL && (stat(target, &info) != 0 || !S_ISREG(info.st_mode))) {
        free(target);
        return false;
    }
    const bool is_inside = target != NULL && path_is_beneath(root, target, &rest);
    snprintf(source, PATH_BYTES, "%s", is_inside ? target + rest : inner);
    free(target);
    return true;
}

static void walk(struct listing *listing, const char *path, const struct ignores *above);

static void skip_folder(struct listing *listing, const char *folder, const char *why)
{
    terminal_error("cannot read folder %s: %s", folder, why);
    listing->list->unread++;
}

static void visit(struct listing *listing, const char *path, const char *name, const struct ignores *ignores)
{
    char inner[PATH_BYTES], full[PATH_BYTES * 2], source[PATH_BYTES];
    struct stat info;
    if (snprintf(inner, sizeof inner, "%s%s%s", path, path[0] == '\0' ? "" : "/", name) >= PATH_BYTES) {
        skip_folder(listing, inner, strerror(ENAMETOOLONG));
        return;
    }
    snprintf(full, sizeof full, "%s/%s", listing->paths->folder, inner);
    if (lstat(full, &info) != 0 || is_ignored(ignores, inner, S_ISDIR(info.st_mode)))
        return;
    if (S_ISDIR(info.st_mode)) {
        walk(listing, inner, ignores);
        return;
    }
    const int format = format_of(listing, name);
    if (format < 0 || is_companion(listing, format, full))
        return;
    if (S_ISREG(info.st_mode))
        add(listing, inner, inner);
    else if (S_ISLNK(info.st_mode) && follow(listing, full, inner, source))
        add(listing, inner, source);
}

/* The depth under the root of what lies in the folder. */
static uint64_t folders_of(const char *folder)
{
    uint64_t folders = folder[0] != '\0';
    for (; *folder != '\0'; folder++)
        folders += *folder == '/';
    return folders;
}

/* Recursive; the depth is bounded. */
static void walk(struct listing *listing, const char *path, const struct ignores *above)
{
    char full[PATH_BYTES * 2];
    struct dirent **names = NULL;
    snprintf(full, sizeof full, "%s/%s", listing->paths->folder, path);
    const bool is_deep = folders_of(path) > LIMITS[LIMIT_FOLDERS];
    const int count = is_deep ? -1 : scandir(full, &names, NULL, alphasort);
    if (count < 0) {
        skip_folder(listing, full, is_deep ? "it is nested deeper than a server lists" : strerror(errno));
        return;
    }
    struct ignores ignores = {above, strlen(path) + (path[0] != '\0'), read_ignores(full)};
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.')
            visit(listing, path, names[i]->d_name, &ignores);
        free(names[i]);
    }
    free(names);
    free(ignores.lines);
}

static int read_formats(struct listing *listing, struct connection *connection)
{
    struct posed_packet answer;
    const int rc = connection_request(connection, "/v1/formats", NULL, &answer);
    if (rc != 0)
        return connection_status(connection, rc);
    cJSON *json = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
    const cJSON *formats = json_get(json, "formats"), *format;
    listing->formats = must_alloc(((size_t)cJSON_GetArraySize(formats) + 1) * sizeof *listing->formats);
    cJSON_ArrayForEach(format, formats)
    {
        listing->formats[listing->format_count].ending = must_copy(json_text(format, "ending"));
        listing->formats[listing->format_count++].companion_of = must_copy(json_text(format, "companion_of"));
    }
    cJSON_Delete(json);
    return STATUS_DONE;
}

static void list_here(struct listing *listing)
{
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%.4095s", listing->argument->path);
    if (listing->argument->kind == PATH_MODEL) {
        add(listing, listing->argument->path, listing->argument->path);
        return;
    }
    if (listing->argument->kind == PATH_PATTERN) {
        const char *magic = strpbrk(folder, "*?[");
        char *slash = memrchr(folder, '/', (size_t)(magic - folder));
        *(slash == NULL ? folder : slash) = '\0';
    }
    walk(listing, folder, NULL);
}

/* --- on another server --- */

int model_list_pages(struct connection *connection, const char *query, bool is_one, model_page *take, void *context)
{
    struct text after = {0};
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
        if (rc != 0)
            break;
        cJSON *page = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
        take(context, &answer, page);
        text_put(&after, json_text(page, "next"));
        cJSON_Delete(page);
    } while (after.size_bytes > 0 && !is_one && !is_interrupted());
    text_free(&after);
    return connection_status(connection, rc);
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
        const char *model = json_text(entry, "model");
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

static void free_model(struct listed_model *model)
{
    free(model->model);
    free(model->source);
    free(model->out);
}

/* Two arguments may mean the same model. */
static void sort_once(struct model_list *list)
{
    size_t kept = 0;
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, by_model);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && strcmp(list->items[kept - 1].model, list->items[i].model) == 0)
            free_model(&list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* An argument that means no model is a mistake of the command line, or of whoever moved the files: to do nothing is not
 * success. watch waits for models to come. */
static int refuse_empty(struct listing *listing, const char *given)
{
    const struct args *args = listing->args;
    const bool is_filtered = args_has(args, OPTION_INCLUDE) || args_has(args, OPTION_EXCLUDE);
    struct text problem = {0};
    text_printf(&problem, listing->argument->kind == PATH_FOLDER ? "no model in '%s'" : "'%s' matches no model", given);
    text_put(&problem, is_filtered ? " that --include and --exclude let through" : "");
    if (args->command != COMMAND_WATCH)
        terminal_error("%s", problem.at);
    else if (!listing->list->is_empty_known)
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
    list->is_empty_known = true;
    sort_once(list);
    for (size_t i = 0; i < listing.format_count; i++) {
        free(listing.formats[i].ending);
        free(listing.formats[i].companion_of);
    }
    free(listing.formats);
    return status == STATUS_DONE ? refused : status;
}

void model_list_free(struct model_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_model(&list->items[i]);
    free(list->items);
    list->items = NULL;
    list->count = 0;
}
