/* Resolves the arguments of a command: against local files for a private server, else as paths under the server's root.
 */
#include "clients/cli/server/paths.h"

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/pattern.h"
#include "clients/cli/server/session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The length of a pattern's folder without wildcards: of "birds/" in "birds/c*.fbx". */
static size_t plain_bytes(const char *pattern)
{
    size_t plain = 0;
    for (size_t i = 0; pattern[i] != '\0' && strchr("*?[", pattern[i]) == NULL; i++)
        if (pattern[i] == '/')
            plain = i + 1;
    return plain;
}

/* Sets out_start: the folder that was named is not part of the output's names. */
static void set_out_start(struct path_argument *argument)
{
    const char *path = argument->path, *slash = strrchr(path, '/');
    argument->out_start = argument->kind == PATH_FOLDER    ? strlen(path) + (path[0] != '\0')
                          : argument->kind == PATH_PATTERN ? plain_bytes(path)
                          : slash == NULL                  ? 0
                                                           : (size_t)(slash + 1 - path);
}

/* --- with a running server: paths are those under its root --- */

static void resolve_remote(struct path_argument *argument, const char *given)
{
    while (strncmp(given, "./", 2) == 0)
        given += 2;
    argument->path = must_copy(strcmp(given, ".") == 0 ? "" : given);
    size_t size = strlen(argument->path);
    const bool is_folder = size == 0 || argument->path[size - 1] == '/';
    while (size > 0 && argument->path[size - 1] == '/')
        argument->path[--size] = '\0';
    argument->kind = is_folder ? PATH_FOLDER : pattern_is_one(given) ? PATH_PATTERN : PATH_MODEL;
}

/* --- with a private server: local files --- */

/* The argument as an absolute path without symbolic links; a pattern keeps what follows its folder. 0, or -1. */
static int resolve(struct path_argument *argument, const char *given, char out[PATH_MAX])
{
    struct stat info;
    const bool is_pattern = stat(given, &info) != 0 && pattern_is_one(given);
    char folder[PATH_MAX];
    const size_t plain = is_pattern ? plain_bytes(given) : strlen(given);
    snprintf(folder, sizeof folder, "%.*s", plain == 0 ? 1 : (int)plain, plain == 0 ? "." : given);
    if (realpath(folder, out) == NULL || stat(out, &info) != 0) {
        terminal_error("'%s': %s", given, strerror(errno));
        return -1;
    }
    argument->kind = is_pattern ? PATH_PATTERN : S_ISDIR(info.st_mode) ? PATH_FOLDER : PATH_MODEL;
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
static int choose_folder(struct paths *paths, const struct args *args, char (*absolute)[PATH_MAX])
{
    const char *given = args_text(args, OPTION_MODELS, NULL);
    size_t rest;
    char resolved[PATH_MAX];
    if (realpath(given == NULL ? "." : given, resolved) == NULL || strlen(resolved) >= sizeof paths->folder) {
        terminal_error("'%s': %s", given == NULL ? "." : given, strerror(errno));
        return STATUS_USAGE;
    }
    snprintf(paths->folder, sizeof paths->folder, "%.4095s", resolved);
    bool is_all_beneath = true;
    for (size_t i = 0; i < paths->count; i++)
        if (!path_is_beneath(paths->folder, absolute[i], &rest)) {
            is_all_beneath = false;
            if (given != NULL) {
                terminal_error("'%s' is not under --models %s", args->positional[i], given);
                return STATUS_USAGE;
            }
        }
    if (is_all_beneath)
        return STATUS_DONE;
    for (size_t i = 0; i < paths->count; i++) {
        char folder[PATH_MAX];
        snprintf(folder, sizeof folder, "%s", absolute[i]);
        if (paths->arguments[i].kind == PATH_PATTERN)
            folder[plain_bytes(folder)] = '\0';
        if (paths->arguments[i].kind != PATH_FOLDER) {
            char *slash = strrchr(folder, '/');
            slash[slash == folder] = '\0';
        }
        if (i == 0)
            snprintf(paths->folder, sizeof paths->folder, "%.4095s", folder);
        else
            widen(paths->folder, folder);
    }
    return STATUS_DONE;
}

static int resolve_local(struct paths *paths, const struct args *args)
{
    char(*absolute)[PATH_MAX] = must_alloc(paths->count * sizeof *absolute);
    int status = STATUS_DONE;
    for (size_t i = 0; i < paths->count && status == STATUS_DONE; i++)
        if (resolve(&paths->arguments[i], args->positional[i], absolute[i]) < 0)
            status = STATUS_USAGE;
    if (status == STATUS_DONE)
        status = choose_folder(paths, args, absolute);
    for (size_t i = 0; i < paths->count && status == STATUS_DONE; i++) {
        size_t rest = 0;
        (void)path_is_beneath(paths->folder, absolute[i], &rest);
        paths->arguments[i].path = must_copy(absolute[i] + rest);
    }
    free(absolute);
    return status;
}

int paths_resolve(struct paths *paths, const struct args *args)
{
    *paths = (struct paths){.count = args->positional_count};
    if (args->positional_count == 0) {
        terminal_error("missing argument; usage: posectl %s %s", COMMANDS[args->command].name,
                       COMMANDS[args->command].arguments);
        return STATUS_USAGE;
    }
    paths->arguments = must_alloc(paths->count * sizeof *paths->arguments);
    int status = STATUS_DONE;
    if (session_address(args) == NULL)
        status = resolve_local(paths, args);
    else
        for (size_t i = 0; i < paths->count; i++)
            resolve_remote(&paths->arguments[i], args->positional[i]);
    if (status == STATUS_DONE && paths->count == 1) /* of several arguments, whole paths tell outputs apart */
        set_out_start(&paths->arguments[0]);
    return status;
}

int paths_resolve_root(struct paths *paths, const struct args *args)
{
    *paths = (struct paths){0};
    return session_address(args) != NULL ? STATUS_DONE : choose_folder(paths, args, NULL);
}

void paths_free(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->arguments[i].path);
    free(paths->arguments);
}
