/* temp_tree.h - a folder of files that lives as long as a test. */
#pragma once

#include <stddef.h>

struct temp_tree {
    char path[64];
    int fd; /* O_PATH, as the model root is */
};

void temp_tree_init(struct temp_tree *tree);
void temp_tree_fini(struct temp_tree *tree); /* removes it with everything inside */
/* Paths are under the tree; folders on the way are made. */
void temp_tree_file(const struct temp_tree *tree, const char *path, const char *text);
void temp_tree_bytes(const struct temp_tree *tree, const char *path, const void *bytes, size_t size);
void temp_tree_link(const struct temp_tree *tree, const char *path, const char *target);
void temp_tree_folder(const struct temp_tree *tree, const char *path);

/* From here on this process can open nothing, until temp_tree_feed(). */
void temp_tree_starve(void);
void temp_tree_feed(void);

/* A chain of so many folders, each in the one before, the first of which is `name`, with a file in the last. */
void temp_tree_deep(const struct temp_tree *tree, const char *name, int levels);
