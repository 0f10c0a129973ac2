/* walk.h - lists the model files beneath the root, a page at a time, in the byte order of their paths.
 *
 * It reads folders and waits for the disk: work threads. It skips hidden files and folders, links, companions of other
 * models, names that are not UTF-8, unknown extensions, and unreadable folders. */
#pragma once

#include "daemon/model/root.h"

#include <stdbool.h>
#include <stddef.h>

struct walk_filter {
    const char *prefix; /* only paths with this prefix; "" = all */
    const char *after;  /* only paths after this one; "" = all */
    size_t limit;       /* maximum number of paths */
    /* Called for each folder before its names are read: "" is the root, "a/b/" another. May be NULL. */
    void (*entering)(void *user, const char *folder);
    void *user;
};

struct walk_file {
    char *path;
    struct stamp stamp;
};

struct walk_page {
    struct walk_file *files; /* sorted; heap */
    size_t count;
    bool has_more;   /* the query's limit ended the page */
    bool is_starved; /* no descriptor or memory was free for a folder or a file: the page is useless */
    bool is_cut;     /* folders with more entries than walk.c reads were skipped */
    char *deep;      /* heap: the first folder with contents skipped for depth (LIMIT_FOLDERS) or path length */
};

/* Fills *out with the first models of the query; free it by walk_page_fini(). It skips unreadable files. */
void walk_models(int root_fd, const struct walk_filter *query, struct walk_page *out);
/* Finds the model in the folder of `path` that a typo most likely meant, among those that walk_models() lists; case
 * does not matter, and a missing or another extension is a small difference. It reads the names of WALK_NEAREST_NAMES
 * entries at most. Returns its path, on the heap, or NULL. */
enum { WALK_NEAREST_NAMES = 4096 };
char *walk_nearest(int root_fd, const char *path);
void walk_page_fini(struct walk_page *page);
