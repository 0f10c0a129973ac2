/* The models in folders and behind patterns: model_list_read() of places.h. */
#include "clients/cli/server/paths.h"

#include "clients/cli/server/pattern.h"
#include "clients/cli/output/terminal.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, IGNORE_BYTES = 1 << 20 };

/* The server's: what lies deeper is in no list of its. */
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
    struct paths *places;
    const struct path_argument *place; /* whose models are being listed */
    struct listed_model *items;
    size_t count, room;
    struct {
        char *ending, *companion_of; /* "" for none */
    } * formats;
    size_t format_count;
    int status;
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
            pattern_selects(pattern, model) || pattern_selects(pattern, model + listing->place->out_start);
        if (option == OPTION_EXCLUDE && is_hit)
            return false;
        has_include |= option == OPTION_INCLUDE;
        is_included |= option == OPTION_INCLUDE && is_hit;
    }
    return is_included || !has_include;
}

static void add(struct listing *listing, const char *model, const char *source)
{
    const struct path_argument *place = listing->place;
    if ((place->kind == PATH_PATTERN && !pattern_matches(place->path, model)) || !is_wanted(listing, model))
        return;
    if (listing->count == listing->room) {
        listing->room = listing->room * 2 + 64;
        listing->items = must_grow(listing->items, listing->room * sizeof *listing->items);
    }
    listing->items[listing->count++] = (struct listed_model){
        .model = must_copy(model), .source = must_copy(source), .out = must_copy(model + place->out_start)};
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

/* Where a link leads, under the root. One that leads nowhere or out of the root is left for the server to refuse: a
 * failure with a name, not a model that nobody misses. false: to what is no file. */
static bool follow(const struct listing *listing, const char *full, const char *inner, char source[PATH_BYTES])
{
    const char *root = listing->places->folder;
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

static void skip(struct listing *listing, const char *folder, const char *why)
{
    terminal_error("cannot look into %s: %s", folder, why);
    listing->places->unread++;
}

static void look_at(struct listing *listing, const char *path, const char *name, const struct ignores *ignores)
{
    char inner[PATH_BYTES], full[PATH_BYTES * 2], source[PATH_BYTES];
    struct stat info;
    if (snprintf(inner, sizeof inner, "%s%s%s", path, path[0] == '\0' ? "" : "/", name) >= PATH_BYTES) {
        skip(listing, inner, strerror(ENAMETOOLONG));
        return;
    }
    snprintf(full, sizeof full, "%s/%s", listing->places->folder, inner);
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

/* How many folders of the root what is in the folder lies in. */
static uint64_t folders_of(const char *folder)
{
    uint64_t folders = folder[0] != '\0';
    for (; *folder != '\0'; folder++)
        folders += *folder == '/';
    return folders;
}

/* Its depth is bounded, and with it the stack. */
static void walk(struct listing *listing, const char *path, const struct ignores *above)
{
    char full[PATH_BYTES * 2];
    struct dirent **names = NULL;
    snprintf(full, sizeof full, "%s/%s", listing->places->folder, path);
    const bool is_deep = folders_of(path) > LIMITS[LIMIT_FOLDERS];
    const int count = is_deep ? -1 : scandir(full, &names, NULL, alphasort);
    if (count < 0) {
        skip(listing, full, is_deep ? "it lies deeper in the models' folder than a server lists" : strerror(errno));
        return;
    }
    struct ignores ignores = {above, strlen(path) + (path[0] != '\0'), read_ignores(full)};
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.')
            look_at(listing, path, names[i]->d_name, &ignores);
        free(names[i]);
    }
    free(names);
    free(ignores.lines);
}

static int read_formats(struct listing *listing, struct connection *link)
{
    struct posed_packet answer;
    const int status = connection_request_or_report(link, "/v1/formats", NULL, &answer);
    if (status != STATUS_DONE)
        return status;
    cJSON *json = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
    const cJSON *formats = cJSON_GetObjectItemCaseSensitive(json, "formats"), *format;
    listing->formats = must_alloc(((size_t)cJSON_GetArraySize(formats) + 1) * sizeof *listing->formats);
    cJSON_ArrayForEach(format, formats)
    {
        const char *ending = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(format, "ending"));
        const char *of = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(format, "companion_of"));
        if (ending == NULL)
            continue;
        listing->formats[listing->format_count].ending = must_copy(ending);
        listing->formats[listing->format_count++].companion_of = must_copy(of == NULL ? "" : of);
    }
    cJSON_Delete(json);
    return STATUS_DONE;
}

static void list_here(struct listing *listing)
{
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%.4095s", listing->place->path);
    if (listing->place->kind == PATH_MODEL) {
        add(listing, listing->place->path, listing->place->path);
        return;
    }
    if (listing->place->kind == PATH_PATTERN) {
        const char *magic = strpbrk(folder, "*?[");
        char *slash = memrchr(folder, '/', (size_t)(magic - folder));
        *(slash == NULL ? folder : slash) = '\0';
    }
    walk(listing, folder, NULL);
}

/* --- on another server --- */

static bool is_meant(const struct path_argument *place, const char *model)
{
    const size_t size = strlen(place->path);
    if (place->kind == PATH_PATTERN)
        return true; /* add() looks closer */
    if (place->kind == PATH_MODEL && strcmp(model, place->path) == 0)
        return true;
    return size == 0 || (strncmp(model, place->path, size) == 0 && model[size] == '/');
}

static int list_there(struct listing *listing, struct connection *link)
{
    char *after = must_copy(""), *prefix = must_copy(listing->place->path);
    int status = STATUS_DONE;
    prefix[strcspn(prefix, "*?[")] = '\0';
    while (after != NULL && status == STATUS_DONE && !is_interrupted()) {
        struct text target = {0};
        struct posed_packet answer;
        text_put(&target, "/v1/models?limit=1000&prefix=");
        text_put_url(&target, prefix);
        text_put(&target, after[0] == '\0' ? "" : "&after=");
        text_put_url(&target, after);
        status = connection_request_or_report(link, target.at, NULL, &answer);
        text_free(&target);
        free(after);
        after = NULL;
        if (status != STATUS_DONE)
            break;
        cJSON *json = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
        const cJSON *entry;
        cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(json, "models"))
        {
            const char *model = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "model"));
            if (model == NULL || strstr(model, "../") != NULL || model[0] == '/') /* it will name files here */
                continue;
            if (is_meant(listing->place, model))
                add(listing, model, model);
        }
        const char *next = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "next"));
        after = next == NULL ? NULL : must_copy(next);
        cJSON_Delete(json);
    }
    free(after);
    free(prefix);
    return status;
}

/* --- both --- */

static int by_model(const void *a, const void *b)
{
    return strcmp(((const struct listed_model *)a)->model, ((const struct listed_model *)b)->model);
}

/* Two arguments may mean the same model. */
static void drop_repeated(struct listing *listing)
{
    size_t kept = 0;
    for (size_t i = 0; i < listing->count; i++) {
        if (kept > 0 && strcmp(listing->items[kept - 1].model, listing->items[i].model) == 0) {
            free(listing->items[i].model);
            free(listing->items[i].source);
            free(listing->items[i].out);
        } else
            listing->items[kept++] = listing->items[i];
    }
    listing->count = kept;
}

/* What means no model is a mistake of the command line, or of who moved the files: nothing done is not all done. watch
 * waits for what will come. */
static int refuse_empty(struct listing *listing, const char *given)
{
    const struct args *args = listing->args;
    const bool is_filtered = args_has(args, OPTION_INCLUDE) || args_has(args, OPTION_EXCLUDE);
    struct text problem = {0};
    text_printf(&problem, listing->place->kind == PATH_FOLDER ? "no model in '%s'" : "'%s' means no model", given);
    text_put(&problem, is_filtered ? " that --include and --exclude let through" : "");
    if (args->command != COMMAND_WATCH)
        terminal_error("%s", problem.at);
    else if (!listing->places->is_waiting)
        terminal_info("%s yet", problem.at);
    text_free(&problem);
    return args->command == COMMAND_WATCH ? STATUS_DONE : STATUS_USAGE;
}

int model_list_read(struct paths *places, const struct args *args, struct connection *link, struct listed_model **items,
                    size_t *count)
{
    struct listing listing = {.args = args, .places = places};
    const bool is_here = link->session->is_private;
    int refused = STATUS_DONE; /* each such place is named */
    if (is_here)
        listing.status = read_formats(&listing, link);
    for (size_t i = 0; i < places->count && listing.status == STATUS_DONE; i++) {
        const size_t before = listing.count, unread = places->unread;
        listing.place = &places->place[i];
        if (is_here)
            list_here(&listing);
        else
            listing.status = list_there(&listing, link);
        const bool is_empty = listing.count == before && places->unread == unread && !is_interrupted();
        if (is_empty && listing.status == STATUS_DONE && refuse_empty(&listing, args->positional[i]) != STATUS_DONE)
            refused = STATUS_USAGE;
    }
    places->is_waiting = true;
    if (listing.count > 0) {
        qsort(listing.items, listing.count, sizeof *listing.items, by_model);
        drop_repeated(&listing);
    }
    for (size_t i = 0; i < listing.format_count; i++) {
        free(listing.formats[i].ending);
        free(listing.formats[i].companion_of);
    }
    free(listing.formats);
    *items = listing.items;
    *count = listing.count;
    return listing.status == STATUS_DONE ? refused : listing.status;
}
