/* walk.c - walks the root depth-first in the byte order of paths, without recursion. */
#include "daemon/model/walk.h"

#include "base/ascii.h"
#include "base/file_formats.h"
#include "base/half_life.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "daemon/model/source_access.h"
#include "daemon/support/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, ENTRIES_MAX = 500000 };

/* A folder under the walk with its sorted names. Names of folders end in '/', so that the order of names matches the
 * order of the paths beneath them. */
struct walk_folder {
    char **names;
    size_t count, next;
    size_t path_length; /* of the folder itself in walk.path */
};

struct walk {
    int root_fd;
    const struct walk_filter *query;
    struct walk_page *page;
    char path[PATH_SIZE]; /* of the current entry */
    size_t capacity;      /* of page->files */
    size_t entries_left;
    size_t depth, depth_max;
    struct walk_folder folders[]; /* the root and those on the way from it */
};

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* True if a folder ("a/b/") can contain results of the query. */
static bool may_hold(const struct walk_filter *query, const char *folder)
{
    const bool is_in_prefix = starts_with(folder, query->prefix) || starts_with(query->prefix, folder);
    return is_in_prefix && strncmp(query->after, folder, strlen(folder)) <= 0;
}

static bool is_asked_for(const struct walk_filter *query, const char *path)
{
    return starts_with(path, query->prefix) && strcmp(path, query->after) > 0;
}

/* The type by a stat where the file system does not say it in the folder. */
static unsigned char type_of(int folder_fd, const struct dirent *entry)
{
    struct stat stat;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type;
    source_enter();
    const int rc = fstatat(folder_fd, entry->d_name, &stat, AT_SYMLINK_NOFOLLOW);
    source_leave(rc != 0 ? errno : 0, entry->d_name);
    if (rc != 0)
        return DT_UNKNOWN;
    return S_ISREG(stat.st_mode) ? DT_REG : S_ISDIR(stat.st_mode) ? DT_DIR : DT_UNKNOWN;
}

/* The name to keep, or NULL. */
static char *name_of(int folder_fd, const struct dirent *entry)
{
    const size_t size = strlen(entry->d_name);
    if (entry->d_name[0] == '.' || !utf8_is_valid(entry->d_name, size))
        return NULL;
    const unsigned char type = type_of(folder_fd, entry);
    if (type == DT_REG)
        return file_format_of(entry->d_name) != NULL ? mem_strdup(entry->d_name) : NULL;
    if (type != DT_DIR)
        return NULL;
    char *name = mem_alloc(size + 2);
    memcpy(name, entry->d_name, size);
    memcpy(name + size, "/", 2);
    return name;
}

/* The folder at walk->path, or something in it. */
static void leave_out(struct walk *walk)
{
    if (walk->page->deep == NULL)
        walk->page->deep = mem_strdup(walk->path);
}

static void read_names(struct walk *walk, struct walk_folder *folder, DIR *dir)
{
    size_t capacity = 0;
    for (struct dirent *entry; (entry = source_readdir(dir, walk->path)) != NULL;) {
        if (walk->entries_left == 0) {
            walk->page->is_cut = true;
            break;
        }
        walk->entries_left--;
        char *name = name_of(dirfd(dir), entry);
        if (name == NULL)
            continue;
        if (folder->count == capacity) {
            capacity = capacity == 0 ? 16 : 2 * capacity;
            folder->names = mem_realloc(folder->names, capacity * sizeof *folder->names);
        }
        folder->names[folder->count++] = name;
    }
    if (folder->count > 0)
        qsort(folder->names, folder->count, sizeof *folder->names, by_bytes);
}

/* Goes into the folder at walk->path ("" or ending in '/'). */
static void enter(struct walk *walk)
{
    if (walk->depth == walk->depth_max) {
        leave_out(walk);
        return;
    }
    if (walk->query->entering != NULL)
        walk->query->entering(walk->query->user, walk->path);
    DIR *dir = fd_open_names(root_open_folder(walk->root_fd, walk->path));
    if (dir == NULL) {
        walk->page->is_starved = walk->page->is_starved || err_is_shortage(errno);
        return;
    }
    struct walk_folder *folder = &walk->folders[walk->depth++];
    *folder = (struct walk_folder){.path_length = strlen(walk->path)};
    read_names(walk, folder, dir);
    closedir(dir);
}

static void leave(struct walk *walk)
{
    struct walk_folder *folder = &walk->folders[--walk->depth];
    for (size_t i = 0; i < folder->count; i++)
        free(folder->names[i]);
    free(folder->names);
}

/* True when the folder also has the model that this file belongs to. */
static bool is_companion(const struct walk_folder *folder, const char *name)
{
    const struct file_format *format = file_format_of(name);
    if (format == NULL || format->companion_of[0] == '\0')
        return false;
    const size_t stem_size = (size_t)(strrchr(name, '.') - name) + 1; /* with its dot */
    size_t low = 0, high = folder->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strncmp(folder->names[middle], name, stem_size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < folder->count && strncmp(folder->names[i], name, stem_size) == 0; i++)
        if (strcasecmp(folder->names[i] + stem_size, format->companion_of) == 0)
            return true;
    return false;
}

static bool has_name(const struct walk_folder *folder, const char *name)
{
    return bsearch(&name, folder->names, folder->count, sizeof *folder->names, by_bytes) != NULL;
}

/* True for the sequences and textures of a Half-Life model, which are in files beside it with the same extension. Opens
 * files only if their names suggest it. */
static bool is_half_life_part(const struct walk *walk, const struct walk_folder *folder, const char *name)
{
    const char *dot = strrchr(name, '.');
    if (dot == NULL || strcasecmp(dot, ".mdl") != 0)
        return false;
    const size_t stem = (size_t)(dot - name);
    const bool has_digits = stem > 2 && ascii_is_digit(dot[-1]) && ascii_is_digit(dot[-2]);
    const bool has_letter = stem > 1 && ascii_lower(dot[-1]) == 't';
    const enum half_life_part part = has_digits ? HALF_LIFE_SEQUENCES : HALF_LIFE_TEXTURES;
    char model[NAME_MAX + 1];
    if (!has_digits && !has_letter)
        return false;
    snprintf(model, sizeof model, "%.*s%s", (int)(stem - half_life_suffix_bytes(part)), name, dot);
    struct stamp stamp;
    struct err err;
    if (!has_name(folder, model) || root_stat_model(walk->root_fd, walk->path, &stamp, &err) < 0)
        return false;
    uint8_t head[HALF_LIFE_HEADER_BYTES];
    const int fd = root_open_beneath(walk->root_fd, walk->path, O_RDONLY | O_NONBLOCK);
    source_enter();
    const ssize_t size_bytes = fd < 0 ? -1 : pread(fd, head, sizeof head, 0);
    source_leave(fd >= 0 && size_bytes < 0 ? errno : 0, walk->path);
    if (fd >= 0)
        close(fd);
    return size_bytes > 0 && half_life_part_of(head, (size_t)size_bytes) == part;
}

static void add_file(struct walk *walk)
{
    struct walk_page *page = walk->page;
    struct stamp stamp;
    struct err err;
    if (root_stat_model(walk->root_fd, walk->path, &stamp, &err) < 0) {
        page->is_starved = page->is_starved || err.code == ERR_OVERLOADED;
        return;
    }
    if (page->count == walk->query->limit) {
        page->has_more = true;
        return;
    }
    if (page->count == walk->capacity) {
        walk->capacity = walk->capacity == 0 ? 16 : 2 * walk->capacity;
        page->files = mem_realloc(page->files, walk->capacity * sizeof *page->files);
    }
    page->files[page->count++] = (struct walk_file){.path = mem_strdup(walk->path), .stamp = stamp};
}

/* Steps to the next name of the innermost folder. */
static void step(struct walk *walk)
{
    struct walk_folder *folder = &walk->folders[walk->depth - 1];
    if (folder->next == folder->count) {
        leave(walk);
        return;
    }
    const char *name = folder->names[folder->next++];
    const size_t size = strlen(name);
    if (folder->path_length + size >= PATH_SIZE) {
        walk->path[folder->path_length] = '\0';
        leave_out(walk);
        return;
    }
    memcpy(walk->path + folder->path_length, name, size + 1);
    if (name[size - 1] == '/') {
        if (may_hold(walk->query, walk->path))
            enter(walk);
    } else if (is_asked_for(walk->query, walk->path) && !is_companion(folder, name) &&
               !is_half_life_part(walk, folder, name)) {
        add_file(walk);
    }
}

void walk_models(int root_fd, const struct walk_filter *query, struct walk_page *out)
{
    *out = (struct walk_page){0};
    const size_t depth_max = (size_t)LIMIT_INFO[LIMIT_FOLDERS].initial + 1;
    struct walk *walk = mem_zalloc(1, sizeof *walk + depth_max * sizeof *walk->folders);
    walk->depth_max = depth_max;
    walk->root_fd = root_fd;
    walk->query = query;
    walk->page = out;
    walk->entries_left = ENTRIES_MAX;
    enter(walk);
    while (walk->depth > 0 && !out->has_more && !out->is_starved)
        step(walk);
    while (walk->depth > 0)
        leave(walk);
    free(walk);
}

/* --- the nearest name --- */

static bool has_stem_of(const char *name, const char *given)
{
    const size_t stem = (size_t)(strrchr(name, '.') - name);
    return strncasecmp(name, given, stem) == 0 &&
           (given[stem] == '\0' || (given[stem] == '.' && strchr(given + stem + 1, '.') == NULL));
}

static void lower(const char *name, char out[NAME_MAX + 1])
{
    size_t size = 0;
    for (; size < NAME_MAX && name[size] != '\0'; size++)
        out[size] = ascii_lower(name[size]);
    out[size] = '\0';
}

/* Returns `least` if there are no fewer edits, or if the names are not alike. */
static size_t edits_between(const char *name, const char *lower_given, size_t least)
{
    char lower_name[NAME_MAX + 1];
    struct nearest nearest = {NULL, least};
    if (has_stem_of(name, lower_given))
        return 1;
    lower(name, lower_name);
    nearest_consider(&nearest, lower_name, lower_given, strlen(lower_given));
    return nearest.edits;
}

char *walk_nearest(int root_fd, const char *path)
{
    const struct walk_filter all = {.prefix = "", .after = ""};
    const char *slash = strrchr(path, '/'), *given = slash == NULL ? path : slash + 1;
    const size_t folder_size = (size_t)(given - path);
    struct walk_page page = {0};
    char *nearest = NULL, lower_given[NAME_MAX + 1];
    if (folder_size + NAME_MAX >= PATH_SIZE || path[0] == '.' || strstr(path, "/.") != NULL)
        return NULL;
    struct walk *walk = mem_zalloc(1, sizeof *walk + sizeof *walk->folders);
    *walk = (struct walk){
        .root_fd = root_fd, .query = &all, .page = &page, .entries_left = WALK_NEAREST_NAMES, .depth_max = 1};
    memcpy(walk->path, path, folder_size);
    lower(given, lower_given);
    enter(walk);
    const struct walk_folder *folder = walk->folders;
    for (size_t i = 0, least = SIZE_MAX; walk->depth > 0 && i < folder->count; i++) {
        const char *name = folder->names[i];
        const size_t size = strlen(name),
                     edits = name[size - 1] == '/' ? least : edits_between(name, lower_given, least);
        if (edits >= least)
            continue;
        memcpy(walk->path + folder_size, name, size + 1);
        if (is_companion(folder, name) || is_half_life_part(walk, folder, name))
            continue;
        least = edits;
        free(nearest);
        nearest = mem_strdup(walk->path);
    }
    if (walk->depth > 0)
        leave(walk);
    free(walk);
    return nearest;
}

void walk_page_fini(struct walk_page *page)
{
    for (size_t i = 0; i < page->count; i++)
        free(page->files[i].path);
    free(page->files);
    free(page->deep);
    *page = (struct walk_page){0};
}
