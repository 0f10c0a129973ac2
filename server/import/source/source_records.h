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

/* Bytes in memory, and the base64 that they were decoded from. Borrowed. */
struct decoded_text {
    const uint8_t *bytes;
    size_t size_bytes;
    const uint8_t *text;
    size_t text_bytes;
};

/* The place of the file of a picture, and its SHA-256. */
struct source_part {
    uint8_t hash[TEXTURE_HASH_SIZE];
    struct picture_place place;
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
    uint32_t listings, looks;     /* requests for lists; calls of source_files_names() */
    size_t names_bytes;           /* of all folders */
    struct decoded_text *decoded; /* of source_parts.c, like the following ones */
    size_t decoded_count, decoded_capacity;
    struct source_part *parts;
    size_t part_count, part_capacity;
    size_t text_end;        /* in the model's file, of the text found last */
    bool has_other_texts;   /* its texts are not in it as they were read */
    struct err unavailable; /* the error of an existing file that could not be read; code 0 without one */
};

/* The record of a normalised path, or NULL. */
struct read_file *source_record_find(const struct source_files *files, const char *path);
/* Adds a record; NULL when the model refers to too many files. */
struct read_file *source_record_add(struct source_files *files, const char *path, enum source_role role);

/* Reads `size` bytes into `bytes` and appends a NUL. Returns 0 or -1 (errno is 0 at the end of the file). */
int source_read_bytes(int fd, uint8_t *bytes, size_t size);

void source_names_free(struct name_list *list);
