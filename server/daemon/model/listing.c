#include "daemon/model/listing.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
    FOLDERS_WATCHED_MAX = 4096,
    REST_FACTOR = 20,   /* without changes, walks take at most this share of the time */
    WATCHED_MS = 10000, /* changes without an event (through a mapping, or another name) are found by then */
};

uint64_t listing_now_ms(void) { return uv_hrtime() / 1000000; }

/* --- the walk --- */

struct watching {
    int root_fd;
    struct folder_watch_set *set; /* or NULL: the folders cannot all be watched */
    uint64_t count;
};

/* Before the names are read, so that no change between is missed. */
static void on_entering(void *user, const char *folder)
{
    struct watching *watching = user;
    if (watching->set == NULL)
        return;
    const size_t size = strlen(folder);
    char *path = mem_strndup(folder, size > 0 ? size - 1 : 0); /* without the slash */
    if (!folder_watch_add(watching->set, watching->root_fd, path, &watching->count)) {
        folder_watch_set_unref(watching->set);
        watching->set = NULL;
    }
    free(path);
}

/* --- folders --- */

struct folders {
    struct listing *listing;
    size_t capacity;
    size_t *open; /* indices of those around the file at hand, the root first */
    size_t open_count, open_capacity;
};

static void open_folder(struct folders *folders, const char *path, size_t size)
{
    struct listing *listing = folders->listing;
    if (listing->folder_count == folders->capacity) {
        folders->capacity = folders->capacity == 0 ? 16 : 2 * folders->capacity;
        listing->folders = mem_realloc(listing->folders, folders->capacity * sizeof *listing->folders);
    }
    if (folders->open_count == folders->open_capacity) {
        folders->open_capacity = folders->open_capacity == 0 ? 16 : 2 * folders->open_capacity;
        folders->open = mem_realloc(folders->open, folders->open_capacity * sizeof *folders->open);
    }
    folders->open[folders->open_count++] = listing->folder_count;
    listing->folders[listing->folder_count++] =
        (struct listed_folder){.path = mem_strndup(path, size), .version = HASH64_SEED};
}

/* Leaves the folders that do not contain the file, and enters the folders that do. */
static void move_to(struct folders *folders, const char *path)
{
    const struct listing *listing = folders->listing;
    for (;; folders->open_count--) {
        const char *top = listing->folders[folders->open[folders->open_count - 1]].path;
        if (strncmp(path, top, strlen(top)) == 0)
            break;
    }
    size_t size = strlen(listing->folders[folders->open[folders->open_count - 1]].path);
    for (const char *slash; (slash = strchr(path + size, '/')) != NULL;) {
        size = (size_t)(slash - path) + 1;
        open_folder(folders, path, size);
    }
}

static void count_file(struct folders *folders, const struct walk_file *file)
{
    struct listing *listing = folders->listing;
    move_to(folders, file->path);
    struct listed_folder *own = &listing->folders[folders->open[folders->open_count - 1]];
    const char *name = file->path + strlen(own->path);
    own->model_count++;
    own->size_bytes += file->stamp.size_bytes;
    own->version = hash64(own->version, name, strlen(name) + 1);
    own->version = hash64(own->version, &file->stamp.size_bytes, sizeof file->stamp.size_bytes);
    own->version = hash64(own->version, &file->stamp.mtime_ns, sizeof file->stamp.mtime_ns);
    for (size_t i = 0; i < folders->open_count; i++)
        listing->folders[folders->open[i]].total_count++;
}

/* Files and folders have the same order, because each folder ends in a slash, like the paths beneath it. */
static void find_folders(struct listing *listing)
{
    struct folders folders = {.listing = listing};
    open_folder(&folders, "", 0);
    for (size_t i = 0; i < listing->page.count; i++)
        count_file(&folders, &listing->page.files[i]);
    free(folders.open);
    listing->version = HASH64_SEED;
    for (size_t i = 0; i < listing->folder_count; i++) {
        const struct listed_folder *folder = &listing->folders[i];
        listing->version = hash64(listing->version, folder->path, strlen(folder->path) + 1);
        listing->version = hash64(listing->version, &folder->version, sizeof folder->version);
    }
}

/* --- life --- */

struct folder_watch_set *listing_watch(struct folder_watch *watch)
{
    return folder_watch_begin(watch, FOLDERS_WATCHED_MAX);
}

struct listing *listing_make(int root_fd, struct folder_watch_set *set)
{
    struct listing *listing = mem_zalloc(1, sizeof *listing);
    struct watching watching = {.root_fd = root_fd, .set = set};
    const struct walk_filter all = {
        .prefix = "", .after = "", .limit = SIZE_MAX, .entering = on_entering, .user = &watching};
    listing->refs = 1;
    listing->begun_ms = listing_now_ms();
    walk_models(root_fd, &all, &listing->page);
    find_folders(listing);
    listing->made_ms = listing_now_ms();
    listing->set = watching.set;
    listing->set_count = watching.count;
    return listing;
}

struct listing *listing_ref(struct listing *listing)
{
    atomic_fetch_add(&listing->refs, 1);
    return listing;
}

void listing_unref(struct listing *listing)
{
    if (listing == NULL || atomic_fetch_sub(&listing->refs, 1) > 1)
        return;
    for (size_t i = 0; i < listing->folder_count; i++)
        free(listing->folders[i].path);
    free(listing->folders);
    walk_page_fini(&listing->page);
    folder_watch_set_unref(listing->set);
    free(listing);
}

/* --- questions --- */

bool listing_is_current(const struct listing *listing, uint64_t holds_ms)
{
    const uint64_t age_ms = listing_now_ms() - listing->begun_ms;
    const uint64_t rest_ms = REST_FACTOR * (listing->made_ms - listing->begun_ms);
    if (listing->page.is_starved)
        return false;
    if (listing->set != NULL && !folder_watch_set_is_unchanged(listing->set, listing->set_count))
        return false;
    if (listing->set != NULL && holds_ms < WATCHED_MS)
        holds_ms = WATCHED_MS;
    return age_ms < holds_ms || age_ms < rest_ms;
}

static bool is_before(const char *path, const char *prefix, const char *after)
{
    return strcmp(path, prefix) < 0 || strcmp(path, after) <= 0;
}

size_t listing_first_file(const struct listing *listing, const char *prefix, const char *after)
{
    size_t low = 0, high = listing->page.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(listing->page.files[middle].path, prefix, after))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t listing_first_folder(const struct listing *listing, const char *prefix, const char *after)
{
    size_t i = 0;
    while (i < listing->folder_count && (strcmp(listing->folders[i].path, prefix) < 0 ||
                                         (after != NULL && strcmp(listing->folders[i].path, after) <= 0)))
        i++;
    return i;
}
