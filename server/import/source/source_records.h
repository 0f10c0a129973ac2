/* source_records.h - the files and folders of one model, as source_files.c and source_folders.c keep them. */
#pragma once

#include "import/source/source_files.h"

struct read_file {
    char *path; /* under the root, without "." and ".." */
    enum source_role role;
    uint8_t *bytes; /* NULL when it could not be read */
    size_t size_bytes;
    struct import_file_reply reply; /* its stamp is zero when there is no such file */
    struct err err;                 /* why, when bytes is NULL */
};

/* Names in a folder, or of some of its files. */
struct name_list {
    char *text;
    const char **names; /* [count], into text */
    size_t count;
};

struct listed_folder {
    char *path;
    struct name_list list;
};

struct source_files {
    struct file_client client;
    char *model_path;
    const struct limits *limits;
    struct read_file *items;
    size_t count, capacity;
    uint64_t size_bytes;    /* total size of the files read */
    struct name_list named; /* of the last source_files_list() */
    struct listed_folder folders[IMPORT_FOLDERS_MAX];
    uint32_t folder_count;
    uint32_t listings, looks; /* requests for lists; calls of source_files_names() */
    size_t names_bytes;       /* of all folders */
    struct err unavailable;   /* the error of an existing file that could not be read; code 0 without one */
};

/* The record of a normalised path, or NULL. */
struct read_file *source_record_find(const struct source_files *files, const char *path);
/* Adds a record; NULL when the model refers to too many files. */
struct read_file *source_record_add(struct source_files *files, const char *path, enum source_role role);

/* Reads `size` bytes into `bytes` and appends a NUL. Returns 0 or -1 (errno is 0 at the end of the file). */
int source_read_bytes(int fd, uint8_t *bytes, size_t size);

void source_names_free(struct name_list *list);
