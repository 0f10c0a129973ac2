/* Walks local folders recursively, to the depth of the server's own lists, and reads .posedignore files. */
#include "clients/cli/server/model_walk.h"

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/paths.h"
#include "clients/cli/server/pattern.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, IGNORE_BYTES = 1 << 20 };

/* The server's own lists end at the same depth. */
enum {
#define X(symbol, option, initial, unit, group, text) symbol,
#include "protocol/limits.def"
#undef X
};
static const uint64_t LIMITS[] = {
#define X(symbol, option, initial, unit, group, text) initial,
#include "protocol/limits.def"
#undef X
};

/* The ignore files of the folders above, innermost first. */
struct ignores {
    const struct ignores *above;
    size_t folder_bytes; /* of the path, with its slash */
    char *lines;
};

/* Returns the format of the file's extension, or NULL. */
static const cJSON *format_of(const struct model_walk *walk, const char *name)
{
    const char *dot = strrchr(name, '.');
    const cJSON *format;
    cJSON_ArrayForEach(format, walk->formats)
    {
        if (dot != NULL && dot != name && strcasecmp(dot + 1, member_text(format, "ending")) == 0)
            return format;
    }
    return NULL;
}

/* Returns whether the file belongs to a model with the same stem in its folder. */
static bool is_companion(const cJSON *format, const char *path)
{
    char other[PATH_BYTES + 16];
    struct stat info;
    const char *of = member_text(format, "companion_of");
    if (of[0] == '\0')
        return false;
    snprintf(other, sizeof other, "%.*s.%s", (int)(strrchr(path, '.') - path), path, of);
    return stat(other, &info) == 0;
}

static char *read_ignores(const char *folder)
{
    char path[PATH_BYTES * 2 + 32];
    struct stat info;
    snprintf(path, sizeof path, "%s/.posedignore", folder);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe must not block */
    FILE *file = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? fdopen(fd, "rb") : NULL;
    if (file == NULL) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
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

/* Puts the target of a symbolic link, under the root. A dangling link, or one that leaves the root, stays, so that the
 * server refuses it: the run reports a failure, and the model is not just missing. Returns false if the target is not a
 * file. */
static bool follow(const struct model_walk *walk, const char *full, const char *inner, char source[PATH_BYTES])
{
    struct stat info;
    size_t rest;
    char *target = realpath(full, NULL);
    if (target != NULL && (stat(target, &info) != 0 || !S_ISREG(info.st_mode))) {
        free(target);
        return false;
    }
    const bool is_inside = target != NULL && path_is_beneath(walk->root, target, &rest) &&
                           !(walk->keeps_hidden_links && path_is_hidden(target + rest) && !path_is_hidden(inner));
    snprintf(source, PATH_BYTES, "%s", is_inside ? target + rest : inner);
    free(target);
    return true;
}

/* Reports a link to a folder, unless the walk finds the models at its target. */
static void leave_out(const struct model_walk *walk, const char *full, const char *inner)
{
    char walked[PATH_BYTES * 2];
    const bool is_whole = walk->folder[0] == '\0', is_top = strcmp(walk->root, "/") == 0;
    size_t rest;
    char *target = realpath(full, NULL);
    snprintf(walked, sizeof walked, "%s%s%s", is_top && !is_whole ? "" : walk->root, is_whole ? "" : "/", walk->folder);
    if (target != NULL && (!path_is_beneath(walked, target, &rest) || path_is_hidden(target + rest)))
        walk->left_out(walk->context, inner, target);
    free(target);
}

static void walk_folder(struct model_walk *walk, const char *path, const struct ignores *above);

static void skip_folder(struct model_walk *walk, const char *folder, const char *why)
{
    terminal_error("cannot read folder %s: %s", folder, why);
    walk->unread++;
}

static void visit(struct model_walk *walk, const char *path, const char *name, const struct ignores *ignores)
{
    char inner[PATH_BYTES], full[PATH_BYTES * 2], source[PATH_BYTES];
    struct stat info, target;
    if (snprintf(inner, sizeof inner, "%s%s%s", path, path[0] == '\0' ? "" : "/", name) >= PATH_BYTES) {
        skip_folder(walk, inner, strerror(ENAMETOOLONG));
        return;
    }
    snprintf(full, sizeof full, "%s/%s", walk->root, inner);
    if (lstat(full, &info) != 0 || is_ignored(ignores, inner, S_ISDIR(info.st_mode)))
        return;
    if (S_ISDIR(info.st_mode)) {
        walk_folder(walk, inner, ignores);
        return;
    }
    if (S_ISLNK(info.st_mode) && stat(full, &target) == 0 && S_ISDIR(target.st_mode)) {
        if (!is_ignored(ignores, inner, true)) /* a line that ends with a slash matches the link, too */
            leave_out(walk, full, inner);
        return;
    }
    const cJSON *format = format_of(walk, name);
    if (format == NULL || is_companion(format, full))
        return;
    if (S_ISREG(info.st_mode))
        walk->found(walk->context, inner, inner);
    else if (S_ISLNK(info.st_mode) && follow(walk, full, inner, source))
        walk->found(walk->context, inner, source);
}

/* Returns the depth under the root of the folder's contents. */
static uint64_t folders_of(const char *folder)
{
    uint64_t folders = folder[0] != '\0';
    for (; *folder != '\0'; folder++)
        folders += *folder == '/';
    return folders;
}

/* Recursive; the depth is bounded. */
static void walk_folder(struct model_walk *walk, const char *path, const struct ignores *above)
{
    char full[PATH_BYTES * 2];
    struct dirent **names = NULL;
    snprintf(full, sizeof full, "%s/%s", walk->root, path);
    const bool is_deep = folders_of(path) > LIMITS[LIMIT_FOLDERS];
    const int count = is_deep ? -1 : scandir(full, &names, NULL, alphasort);
    if (count < 0) {
        skip_folder(walk, full, is_deep ? "it is nested deeper than a server lists" : strerror(errno));
        return;
    }
    struct ignores ignores = {above, strlen(path) + (path[0] != '\0'), read_ignores(full)};
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.')
            visit(walk, path, names[i]->d_name, &ignores);
        free(names[i]);
    }
    free(names);
    free(ignores.lines);
}

void model_walk(struct model_walk *walk, const char *folder)
{
    walk->folder = folder;
    walk_folder(walk, folder, NULL);
}
