/* Resolves the arguments of a command: against local files for a private server, else as paths under the server's root.
 */
#include "clients/cli/server/paths.h"

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/missing_path.h"
#include "clients/cli/server/pattern.h"
#include "clients/cli/server/session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the size in bytes of the part of a pattern without wildcards: "birds/" in "birds/c*.fbx". */
static size_t plain_bytes(const char *pattern)
{
    size_t plain = 0;
    for (size_t i = 0; pattern[i] != '\0' && strchr("*?[", pattern[i]) == NULL; i++)
        if (pattern[i] == '/')
            plain = i + 1;
    return plain;
}

void path_argument_name_outputs(struct path_argument *argument)
{
    const char *path = argument->path, *slash = strrchr(path, '/');
    argument->out_start = argument->kind == PATH_FOLDER    ? strlen(path) + (path[0] != '\0')
                          : argument->kind == PATH_PATTERN ? plain_bytes(path)
                          : slash == NULL                  ? 0
                                                           : (size_t)(slash + 1 - path);
}

/* --- with a running server: paths are those under its root --- */

bool path_is_remote_folder(const char *given)
{
    const char *slash = strrchr(given, '/'), *base = slash == NULL ? given : slash + 1;
    return !pattern_is_one(given) && (base[0] == '\0' || strcmp(base, ".") == 0 || strchr(base, '.') == NULL);
}

static void resolve_remote(struct path_argument *argument, const char *given)
{
    while (strncmp(given, "./", 2) == 0)
        given += 2;
    argument->path = must_copy(strcmp(given, ".") == 0 ? "" : given);
    size_t size = strlen(argument->path);
    const bool is_folder = path_is_remote_folder(given);
    while (size > 0 && argument->path[size - 1] == '/')
        argument->path[--size] = '\0';
    argument->kind = is_folder ? PATH_FOLDER : pattern_is_one(given) ? PATH_PATTERN : PATH_MODEL;
}

/* --- with a private server: local files --- */

/* An argument as a local file. All paths are absolute. */
struct local {
    char named[PATH_MAX];  /* the name without "." and ".." parts; links are kept */
    char target[PATH_MAX]; /* without symbolic links; a pattern keeps what follows its folder. "": a dangling link */
    bool is_here;          /* named beneath the current folder */
    bool is_link;          /* the last part is a symbolic link */
};

bool path_is_beneath(const char *folder, const char *path, size_t *rest)
{
    const size_t size = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    if (strncmp(folder, path, size) != 0 || (path[size] != '/' && path[size] != '\0'))
        return false;
    *rest = path[size] == '\0' ? size : size + 1;
    return true;
}

bool path_is_hidden(const char *path) { return path[0] == '.' || strstr(path, "/.") != NULL; }

static bool is_beneath(const char *folder, const char *path)
{
    size_t rest;
    return path_is_beneath(folder, path, &rest);
}

/* Cuts the last part off an absolute path. */
static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    slash[slash == path] = '\0';
}

/* Puts "FOLDER/GIVEN", or GIVEN if it is absolute. Removes "", "." and ".." parts textually, without looking at files.
 * Returns false if the path is too long. */
static bool name_absolutely(const char *folder, const char *given, char out[PATH_MAX])
{
    size_t size = 0;
    out[0] = '\0';
    if (given[0] != '/' && strcmp(folder, "/") != 0)
        size = (size_t)snprintf(out, PATH_MAX, "%s", folder);
    for (const char *part = given; *part != '\0';) {
        const size_t bytes = strcspn(part, "/");
        if (bytes == 2 && memcmp(part, "..", 2) == 0) {
            const char *slash = strrchr(out, '/');
            size = slash == NULL ? 0 : (size_t)(slash - out);
        } else if (bytes > 0 && (bytes != 1 || part[0] != '.')) {
            if (size + 1 + bytes >= PATH_MAX)
                return false;
            out[size] = '/';
            memcpy(out + size + 1, part, bytes);
            size += 1 + bytes;
        }
        out[size] = '\0';
        part += bytes + (part[bytes] == '/');
    }
    if (size == 0)
        snprintf(out, PATH_MAX, "/");
    return true;
}

/* The current folder, without links and under the shell's name, which may contain links. */
struct here {
    char folder[PATH_MAX], shell[PATH_MAX];
};

static void find_here(struct here *here)
{
    struct stat folder, shell;
    const char *pwd = getenv("PWD");
    here->shell[0] = '\0';
    if (realpath(".", here->folder) == NULL)
        snprintf(here->folder, sizeof here->folder, "/");
    if (pwd != NULL && pwd[0] == '/' && stat(".", &folder) == 0 && stat(pwd, &shell) == 0 &&
        folder.st_dev == shell.st_dev && folder.st_ino == shell.st_ino && !name_absolutely("/", pwd, here->shell))
        here->shell[0] = '\0';
}

/* Sets the name of the argument. If it is outside the current folder, links are resolved in its folder. */
static bool set_named(struct local *local, const struct here *here, const char *plain)
{
    char folder[PATH_MAX], moved[PATH_MAX];
    size_t rest;
    if (!name_absolutely(here->folder, plain, local->named))
        return false;
    if (plain[0] == '/' && here->shell[0] != '\0' && path_is_beneath(here->shell, local->named, &rest)) {
        snprintf(moved, sizeof moved, "%s", local->named + rest);
        if (!name_absolutely(here->folder, moved, local->named))
            return false;
    }
    local->is_here = is_beneath(here->folder, local->named);
    if (local->is_here || strcmp(local->named, "/") == 0)
        return true;
    snprintf(moved, sizeof moved, "%s", local->named);
    cut_last(moved);
    const char *last = strrchr(local->named, '/') + 1;
    if (realpath(moved, folder) == NULL)
        return true;
    snprintf(moved, sizeof moved, "%s", last);
    return name_absolutely(folder, moved, local->named);
}

/* Sets the kind and `out`. Returns 0, or -1 after printing the error. */
static int resolve(struct path_argument *argument, const char *given, const struct here *here, struct local *out)
{
    struct stat info;
    const bool is_pattern = lstat(given, &info) != 0 && pattern_is_one(given);
    const size_t plain_size = is_pattern ? plain_bytes(given) : strlen(given);
    char plain[PATH_MAX];
    *out = (struct local){.is_here = false};
    if (!is_pattern && lstat(given, &info) != 0) {
        missing_path_report(given);
        return -1;
    }
    snprintf(plain, sizeof plain, "%.*s", plain_size == 0 ? 1 : (int)plain_size, plain_size == 0 ? "." : given);
    if (plain_size >= sizeof plain || !set_named(out, here, plain)) {
        terminal_error("'%s': %s", given, strerror(ENAMETOOLONG));
        return -1;
    }
    out->is_link = lstat(out->named, &info) == 0 && S_ISLNK(info.st_mode);
    if (realpath(plain, out->target) == NULL || stat(out->target, &info) != 0) {
        if (is_pattern) {
            terminal_error("'%s': %s", given, strerror(errno));
            return -1;
        }
        out->target[0] = '\0'; /* a dangling link is a model that cannot be read */
    }
    argument->kind = is_pattern                                        ? PATH_PATTERN
                     : out->target[0] != '\0' && S_ISDIR(info.st_mode) ? PATH_FOLDER
                                                                       : PATH_MODEL;
    return 0;
}

/* Shortens `folder` until it contains `path` too. */
static void widen(char *folder, const char *path)
{
    while (!is_beneath(folder, path))
        cut_last(folder);
}

/* Finds the folder that the root must contain because of the argument. Returns false for a link, which does not count.
 */
static bool find_home(const struct path_argument *argument, const struct local *local, const struct here *here,
                      bool is_alone, char out[PATH_MAX])
{
    const bool is_folder = argument->kind != PATH_MODEL;
    const bool follows =
        local->is_here ? is_beneath(here->folder, local->target) : is_folder && (!local->is_link || is_alone);
    snprintf(out, PATH_MAX, "%s", follows ? local->target : local->named);
    if (!follows || !is_folder)
        cut_last(out);
    return follows || !local->is_here;
}

/* Chooses the current folder if everything is named in it, else the folder that contains everything that is named. */
static void choose_named(struct paths *paths, const struct local *locals, const struct here *here)
{
    char home[PATH_MAX];
    bool are_all_here = true, has_any = false;
    for (size_t i = 0; i < paths->count; i++)
        are_all_here &= locals[i].is_here;
    snprintf(paths->folder, sizeof paths->folder, "%s", here->folder);
    for (size_t i = 0; i < paths->count && !are_all_here; i++) {
        if (!find_home(&paths->arguments[i], &locals[i], here, paths->count == 1, home))
            continue;
        if (has_any)
            widen(paths->folder, home);
        else
            snprintf(paths->folder, sizeof paths->folder, "%s", home);
        has_any = true;
    }
}

static int choose_given(struct paths *paths, const char *given)
{
    char resolved[PATH_MAX];
    if (realpath(given, resolved) == NULL || strlen(resolved) >= sizeof paths->folder) {
        terminal_error("'%s': %s", given, strerror(errno));
        return STATUS_USAGE;
    }
    snprintf(paths->folder, sizeof paths->folder, "%.4095s", resolved);
    return STATUS_DONE;
}

/* Sets the path under the root. It is the target's path if the root contains the target. Returns 0 or an exit status.
 */
static int set_path(struct paths *paths, size_t index, const struct args *args, const struct local *local)
{
    struct path_argument *argument = &paths->arguments[index];
    const char *given = args->positional[index], *models = args_text(args, OPTION_MODELS, NULL);
    size_t rest = 0;
    if (local->target[0] != '\0' && path_is_beneath(paths->folder, local->target, &rest)) {
        argument->path = must_copy(local->target + rest);
        return STATUS_DONE;
    }
    const bool is_named = path_is_beneath(paths->folder, local->named, &rest);
    if (!is_named && models != NULL) {
        terminal_error("'%s' is not under --models %s", given, models);
        return STATUS_USAGE;
    }
    argument->path = must_copy(is_named ? local->named + rest : "");
    if (argument->kind == PATH_MODEL && is_named) /* the server refuses it, along with the other models */
        return STATUS_DONE;
    argument->kind = PATH_LEAVES;
    terminal_error("'%s' leads through a symbolic link out of %s; name %s, or --models", given, paths->folder,
                   local->target[0] == '\0' ? "its target" : local->target);
    return STATUS_DONE;
}

/* Returns whether the user named a hidden file. A hidden target of a link does not count. */
static bool is_named_hidden(const struct paths *paths, const struct local *local)
{
    size_t rest;
    return path_is_beneath(paths->folder, local->named, &rest) && path_is_hidden(local->named + rest);
}

/* If the server serves hidden models because the user named some, other arguments that are links to hidden models stay
 * links. The server refuses them. */
static void keep_hidden_links(struct paths *paths, const struct local *locals)
{
    size_t rest;
    for (size_t i = 0; i < paths->count; i++)
        paths->names_hidden |= is_named_hidden(paths, &locals[i]);
    for (size_t i = 0; i < paths->count && paths->names_hidden; i++) {
        struct path_argument *argument = &paths->arguments[i];
        if (argument->kind != PATH_MODEL || !path_is_hidden(argument->path) || is_named_hidden(paths, &locals[i]) ||
            !path_is_beneath(paths->folder, locals[i].named, &rest))
            continue;
        free(argument->path);
        argument->path = must_copy(locals[i].named + rest);
    }
}

/* Appends the pattern to its folder: until here the argument is that folder. */
static void append_pattern(struct path_argument *argument, const char *given)
{
    struct text whole = {0};
    text_put(&whole, argument->path);
    text_put(&whole, argument->path[0] == '\0' ? "" : "/");
    text_put(&whole, given + plain_bytes(given));
    free(argument->path);
    argument->path = whole.at;
}

static int resolve_local(struct paths *paths, const struct args *args)
{
    struct local *locals = must_alloc(paths->count * sizeof *locals);
    struct here here;
    const char *given = args_text(args, OPTION_MODELS, NULL);
    int status = STATUS_DONE;
    find_here(&here);
    for (size_t i = 0; i < paths->count && status == STATUS_DONE; i++)
        if (resolve(&paths->arguments[i], args->positional[i], &here, &locals[i]) < 0)
            status = STATUS_USAGE;
    if (status == STATUS_DONE && given != NULL)
        status = choose_given(paths, given);
    else if (status == STATUS_DONE)
        choose_named(paths, locals, &here);
    size_t left = 0;
    for (size_t i = 0; i < paths->count && status == STATUS_DONE; i++) {
        status = set_path(paths, i, args, &locals[i]);
        left += paths->arguments[i].kind == PATH_LEAVES;
    }
    if (status == STATUS_DONE && left == paths->count)
        status = STATUS_USAGE; /* nothing is left to do */
    if (status == STATUS_DONE)
        keep_hidden_links(paths, locals);
    for (size_t i = 0; i < paths->count && status == STATUS_DONE; i++)
        if (paths->arguments[i].kind == PATH_PATTERN)
            append_pattern(&paths->arguments[i], args->positional[i]);
    free(locals);
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
    if (status == STATUS_DONE && paths->count == 1) /* several need whole paths to be distinct */
        path_argument_name_outputs(&paths->arguments[0]);
    return status;
}

int paths_resolve_root(struct paths *paths, const struct args *args)
{
    *paths = (struct paths){0};
    return session_address(args) != NULL ? STATUS_DONE : choose_given(paths, args_text(args, OPTION_MODELS, "."));
}

void paths_free(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->arguments[i].path);
    free(paths->arguments);
}
