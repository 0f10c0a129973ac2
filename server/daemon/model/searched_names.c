/* searched_names.c - compares the names of a folder with the parts of an import's paths. */
#include "daemon/model/searched_names.h"

#include "base/mem.h"
#include "daemon/model/root.h"
#include "daemon/model/source_access.h"
#include "daemon/support/fd.h"
#include "worker/import_files.h"

#include <dirent.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Borrowed parts of paths, in the order of by_part() once they are sorted. */
struct part {
    const char *text;
    size_t size_bytes;
    bool is_picture;
};

struct parts {
    struct part *items;
    size_t count, capacity;
};

static int by_part(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    const size_t shared_bytes = x->size_bytes < y->size_bytes ? x->size_bytes : y->size_bytes;
    const int order = strncasecmp(x->text, y->text, shared_bytes);
    return order != 0 ? order : (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

static void add_parts(struct parts *parts, const char *path, bool is_picture)
{
    for (const char *text = path; *text != '\0';) {
        const size_t size_bytes = strcspn(text, "/");
        parts->items = mem_grow(parts->items, &parts->capacity, parts->count + 1, sizeof *parts->items);
        parts->items[parts->count++] = (struct part){text, size_bytes, is_picture && text[size_bytes] == '\0'};
        text += size_bytes;
        text += *text != '\0';
    }
}

static void parts_init(struct parts *parts, const struct sources *sources)
{
    static const char *const FOLDERS[] = {IMPORT_SEARCH_FOLDERS, IMPORT_SEARCH_FOLDERS_ABOVE};
    *parts = (struct parts){0};
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        add_parts(parts, FOLDERS[i], false);
    for (uint32_t i = 0; i < sources->count; i++)
        if (!source_is_folder(&sources->items[i]))
            add_parts(parts, sources->items[i].path, sources->items[i].role == SOURCE_TEXTURE);
    qsort(parts->items, parts->count, sizeof *parts->items, by_part);
}

/* The index of the first part that is not less. */
static size_t first_part(const struct parts *parts, const struct part *part)
{
    size_t low = 0;
    for (size_t high = parts->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (by_part(&parts->items[middle], part) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_picture(const char *extension)
{
    static const char *const EXTENSIONS[] = {IMPORT_PICTURE_EXTENSIONS};
    for (size_t i = 0; i < sizeof EXTENSIONS / sizeof *EXTENSIONS; i++)
        if (strcasecmp(extension, EXTENSIONS[i]) == 0)
            return true;
    return false;
}

/* Whether a part that begins with the name's first `size_bytes` is a picture for which the name can stand. */
static bool has_picture(const struct parts *parts, const char *name, size_t size_bytes, bool is_stem)
{
    const struct part part = {name, size_bytes, false};
    for (size_t i = first_part(parts, &part); i < parts->count; i++) {
        const struct part *found = &parts->items[i];
        if (found->size_bytes < size_bytes || strncasecmp(found->text, name, size_bytes) != 0 ||
            (is_stem && found->size_bytes > size_bytes))
            return false;
        if (found->is_picture && memchr(found->text + size_bytes, '.', found->size_bytes - size_bytes) == NULL)
            return true;
    }
    return false;
}

/* A picture stands for one of the same name with any other extension, or without one (import/source/source_search.h).
 */
static bool parts_have(const struct parts *parts, const char *name)
{
    const struct part part = {name, strlen(name), false};
    const char *dot = strrchr(name, '.');
    if (bsearch(&part, parts->items, parts->count, sizeof part, by_part) != NULL)
        return true;
    if (dot == NULL || !is_picture(dot + 1))
        return false;
    const size_t stem_bytes = (size_t)(dot - name);
    return has_picture(parts, name, stem_bytes, true) || has_picture(parts, name, stem_bytes + 1, false);
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

bool searched_names_hash(int root_fd, const char *path, const struct sources *sources, uint8_t hash[SOURCE_HASH_SIZE])
{
    DIR *dir = fd_open_names(root_open_folder(root_fd, path));
    if (dir == NULL)
        return false;
    struct parts parts;
    char **names = NULL;
    size_t count = 0, capacity = 0;
    parts_init(&parts, sources);
    for (struct dirent *entry; (entry = source_readdir(dir, path)) != NULL;) {
        if (!parts_have(&parts, entry->d_name))
            continue;
        names = mem_grow(names, &capacity, count + 1, sizeof *names);
        names[count++] = mem_strdup(entry->d_name);
    }
    closedir(dir);
    if (count > 0)
        qsort(names, count, sizeof *names, by_bytes);
    struct sha256_ctx sha;
    sha256_init(&sha);
    for (size_t i = 0; i < count; i++) {
        sha256_update(&sha, strlen(names[i]) + 1, (const uint8_t *)names[i]);
        free(names[i]);
    }
    sha256_digest(&sha, SOURCE_HASH_SIZE, hash);
    free(names);
    free(parts.items);
    return true;
}
