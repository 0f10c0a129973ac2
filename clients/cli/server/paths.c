#include "clients/cli/server/paths.h"

#include "clients/cli/server/pattern.h"
#include "clients/cli/output/terminal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_server(const struct args *args)
{
    const char *from_environment = getenv("POSED_SERVER");
    return args_has(args, OPTION_SERVER) || (from_environment != NULL && from_environment[0] != '\0');
}

/* So much of a pattern is a plain folder: "birds/" of "birds/c*.fbx". */
static size_t plain_bytes(const char *pattern)
{
    size_t plain = 0;
    for (size_t i = 0; pattern[i] != '\0' && strchr("*?[", pattern[i]) == NULL; i++)
        if (pattern[i] == '/')
            plain = i + 1;
    return plain;
}

static size_t name_start(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

/* --- with another server: paths are as they lie there --- */

static void resolve_remote(struct path_argument *place, const char *given)
{
    while (strncmp(given, "./", 2) == 0)
        given += 2;
    place->path = must_copy(strcmp(given, ".") == 0 ? "" : given);
    size_t size = strlen(place->path);
    const bool is_folder = size == 0 || place->path[size - 1] == '/';
    while (size > 0 && place->path[size - 1] == '/')
        place->path[--size] = '\0';
    place->kind = is_folder ? PATH_FOLDER : pattern_is_one(given) ? PATH_PATTERN : PATH_MODEL;
    place->out_start = place->kind == PATH_FOLDER    ? size + (size > 0)
                       : place->kind == PATH_PATTERN ? plain_bytes(place->path)
                                                     : name_start(place->path);
}

/* --- with a private one: files here --- */

/* The argument as an absolute path without links; a pattern keeps what is behind its folder. 0, or -1. */
static int resolve(struct path_argument *place, const char *given, char out[PATH_MAX])
{
    struct stat info;
    const bool is_pattern = stat(given, &info) != 0 && pattern_is_one(given);
    char folder[PATH_MAX];
    const size_t plain = is_pattern ? plain_bytes(given) : strlen(given);
    snprintf(folder, sizeof folder, "%.*s", (int)plain, plain == 0 ? "." : given);
    if (plain == 0)
        snprintf(folder, sizeof folder, ".");
    if (realpath(folder, out) == NULL || stat(out, &info) != 0) {
        terminal_error("'%s': %s", given, strerror(errno));
        return -1;
    }
    place->kind = is_pattern ? PATH_PATTERN : S_ISDIR(info.st_mode) ? PATH_FOLDER : PATH_MODEL;
    if (!is_pattern)
        return 0;
    const size_t size = strlen(out);
    if (size + 1 + strlen(given + plain) >= PATH_MAX) {
        terminal_error("'%s': %s", given, strerror(ENAMETOOLONG));
        return -1;
    }
    snprintf(out + size, PATH_MAX - size, "%s%s", size == 1 ? "" : "/", given + plain);
    return 0;
}

bool path_is_beneath(const char *folder, const char *path, size_t *rest)
{
    const size_t size = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    if (strncmp(folder, path, size) != 0 || (path[size] != '/' && path[size] != '\0'))
        return false;
    *rest = path[size] == '\0' ? size : size + 1;
    return true;
}

/* Cuts `folder` back until it holds `path` too. */
static void widen(char *folder, const char *path)
{
    size_t rest;
    while (!path_is_beneath(folder, path, &rest)) {
        char *slash = strrchr(folder, '/');
        slash[slash == folder] = '\0';
    }
}

/* --models, else the current folder if everything lies in it, else the folder that holds everything. */
static int choose_folder(struct paths *places, const struct args *args, char (*paths)[PATH_MAX])
{
    const char *given = args_text(args, OPTION_MODELS, NULL);
    size_t rest;
    char resolved[PATH_MAX];
    if (realpath(given == NULL ? "." : given, resolved) == NULL || strlen(resolved) >= sizeof places->folder) {
        terminal_error("'%s': %s", given == NULL ? "." : given, strerror(errno));
        return STATUS_USAGE;
    }
    snprintf(places->folder, sizeof places->folder, "%.4095s", resolved);
    bool is_all_beneath = true;
    for (size_t i = 0; i < places->count; i++)
        if (!path_is_beneath(places->folder, paths[i], &rest)) {
            is_all_beneath = false;
            if (given != NULL) {
                terminal_error("'%s' does not lie beneath --models %s", args->positional[i], given);
                return STATUS_USAGE;
            }
        }
    if (is_all_beneath)
        return STATUS_DONE;
    for (size_t i = 0; i < places->count; i++) {
        char folder[PATH_MAX];
        snprintf(folder, sizeof folder, "%s", paths[i]);
        if (places->place[i].kind == PATH_PATTERN)
            folder[plain_bytes(folder)] = '\0';
        if (places->place[i].kind != PATH_FOLDER) {
            char *slash = strrchr(folder, '/');
            slash[slash == folder] = '\0';
        }
        if (i == 0)
            snprintf(places->folder, sizeof places->folder, "%.4095s", folder);
        else
            widen(places->folder, folder);
    }
    return STATUS_DONE;
}

static int resolve_local(struct paths *places, const struct args *args)
{
    char(*paths)[PATH_MAX] = must_alloc(places->count * sizeof *paths);
    int status = STATUS_DONE;
    for (size_t i = 0; i < places->count && status == STATUS_DONE; i++)
        if (resolve(&places->place[i], args->positional[i], paths[i]) < 0)
            status = STATUS_USAGE;
    if (status == STATUS_DONE)
        status = choose_folder(places, args, paths);
    for (size_t i = 0; i < places->count && status == STATUS_DONE; i++) {
        struct path_argument *place = &places->place[i];
        size_t rest = 0;
        (void)path_is_beneath(places->folder, paths[i], &rest);
        place->path = must_copy(paths[i] + rest);
        place->out_start = place->kind == PATH_FOLDER    ? strlen(place->path) + (place->path[0] != '\0')
                           : place->kind == PATH_PATTERN ? plain_bytes(place->path)
                                                         : name_start(place->path);
    }
    free(paths);
    return status;
}

int paths_resolve(struct paths *places, const struct args *args)
{
    *places = (struct paths){.count = args->positional_count};
    if (args->positional_count == 0) {
        terminal_error("say which: posectl %s %s", COMMANDS[args->command].name, COMMANDS[args->command].arguments);
        return STATUS_USAGE;
    }
    places->place = must_alloc(places->count * sizeof *places->place);
    int status = STATUS_DONE;
    if (!has_server(args))
        status = resolve_local(places, args);
    else
        for (size_t i = 0; i < places->count; i++)
            resolve_remote(&places->place[i], args->positional[i]);
    for (size_t i = 0; i < places->count && places->count > 1; i++) /* whose tree would it be? */
        places->place[i].out_start = 0;
    return status;
}

int paths_resolve_root(struct paths *places, const struct args *args)
{
    *places = (struct paths){0};
    return has_server(args) ? STATUS_DONE : choose_folder(places, args, NULL);
}

void paths_free(struct paths *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->place[i].path);
    free(places->place);
}

void model_list_free(struct listed_model *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(items[i].model);
        free(items[i].source);
        free(items[i].out);
    }
    free(items);
}
