/* walk.h - lists the model files beneath the root, a page at a time, in the byte order of their paths.
 *
 * Reads folders and waits for the disk: work threads. It leaves out hidden files and folders, links, companions of
 * other models, names that are not UTF-8, unknown extensions, and folders that may not be read. */
#pragma once

#include "daemon/model/root.h"

#include <stdbool.h>
#include <stddef.h>

struct walk_filter {
    const char *prefix; /* only paths that start so; "" = all */
    const char *after;  /* only paths behind this one; "" = all */
    size_t limit;       /* paths at most */
    /* Told of each folder before its names are read: "" is the root, "a/b/" another. NULL: nobody. */
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
    bool is_starved; /* no descriptor or memory was free for a folder or a file: the page says nothing */
    bool is_cut;     /* folders with more entries than walk.c reads were left out */
    char *deep; /* heap: the first folder of which something was left out for its depth (LIMIT_FOLDERS) or its path's
                   length */
};

/* Fills *out with the first models that the query wants; walk_page_fini() it. What cannot be read is left out. */
void walk_models(int root_fd, const struct walk_filter *query, struct walk_page *out);
void walk_page_fini(struct walk_page *page);
