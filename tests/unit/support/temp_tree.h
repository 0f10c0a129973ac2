/* temp_tree.h - a folder of files that lives as long as a test. */
#pragma once

#include <stddef.h>

struct temp_tree {
    char path[64];
    int fd; /* O_PATH, like the model root */
};

void temp_tree_init(struct temp_tree *tree);
void temp_tree_fini(struct temp_tree *tree); /* removes it with everything inside */
/* Paths are relative to the tree. Missing folders are made. */
void temp_tree_file(const struct temp_tree *tree, const char *path, const char *text);
void temp_tree_bytes(const struct temp_tree *tree, const char *path, const void *bytes, size_t size);
void temp_tree_link(const struct temp_tree *tree, const char *path, const char *target);
void temp_tree_folder(const struct temp_tree *tree, const char *path);

/* After this call the process can open nothing, until temp_tree_feed(). */
void temp_tree_starve(void);
void temp_tree_feed(void);

/* Makes a chain of `levels` folders, each in the previous one. The first is `name`, and the last contains a file. */
void temp_tree_deep(const struct temp_tree *tree, const char *name, int levels);
