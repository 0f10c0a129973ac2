/* source_files.c - reads files and records every request. */
#include "import/source/source_records.h"

#include "import/source/import.h"
#include "import/source/source_path.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct source_files *source_files_new(const struct file_client *client, const char *model_path,
                                      const struct limits *limits)
{
    struct source_files *files = mem_zalloc(1, sizeof *files);
    files->client = *client;
    files->model_path = mem_strdup(model_path);
    files->limits = limits;
    return files;
}

void source_files_free(struct source_files *files)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].bytes);
    }
    free(files->items);
    source_names_free(&files->named);
    free(files->decoded);
    free(files->parts);
    for (uint32_t i = 0; i < files->folder_count; i++) {
        free(files->folders[i].path);
        source_names_free(&files->folders[i].list);
    }
    free(files->model_path);
    free(files);
}

int source_read_bytes(int fd, uint8_t *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        const ssize_t n = read(fd, bytes + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = 0;
        if (n <= 0)
            return -1;
        got += (size_t)n;
    }
    bytes[size] = 0;
    return 0;
}

/* Fills file->bytes from the open regular file. */
static int read_all(struct source_files *files, int fd, struct read_file *file)
{
    struct err *err = &file->err;
    const uint64_t limit = files->limits->value[LIMIT_FILE_BYTES];
    if (file->reply.stamp.size_bytes > limit)
        return err_set(err, ERR_MODEL_LIMIT, "'%s' has %llu bytes, more than %s", file->path,
                       (unsigned long long)file->reply.stamp.size_bytes, LIMIT_TEXT(files->limits, LIMIT_FILE_BYTES));
    const size_t size = (size_t)file->reply.stamp.size_bytes;
    /* a model without a texture is one that says so; without a companion it would be another model */
    uint8_t *bytes = file->role == SOURCE_TEXTURE ? malloc(size + 1) : mem_alloc(size + 1);
    if (bytes == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for the %zu bytes of '%s'", size, file->path);
    if (source_read_bytes(fd, bytes, size) != 0) {
        free(bytes);
        if (err_is_source(errno)) {
            err_set(err, ERR_SOURCE_UNAVAILABLE, "'%s' cannot be read: %s; try again later", file->path,
                    strerror(errno));
            files->unavailable = *err;
            return err->code;
        }
        return err_set(err, ERR_BAD_MODEL, "'%s' %s", file->path,
                       errno == 0 ? "became shorter while it was read" : "cannot be read");
    }
    file->bytes = bytes;
    file->size_bytes = size;
    return 0;
}

/* Textures say it with the name that the model gives them, and format_check() says it of the model. */
static void refuse_pointer(struct read_file *file)
{
    if (file->role != SOURCE_COMPANION || file->bytes == NULL || !format_is_lfs_pointer(file->bytes, file->size_bytes))
        return;
    err_set(&file->err, ERR_LFS_POINTER, "'%s' is a Git LFS pointer, not the file; fetch it with 'git lfs pull'",
            file->path);
    free(file->bytes);
    file->bytes = NULL;
    file->size_bytes = 0;
}

struct read_file *source_record_find(const struct source_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0)
            return &files->items[i];
    return NULL;
}

struct read_file *source_record_add(struct source_files *files, const char *path, enum source_role role)
{
    if (files->count >= files->limits->value[LIMIT_SOURCE_FILES])
        return NULL;
    files->items = mem_grow(files->items, &files->capacity, files->count + 1, sizeof *files->items);
    struct read_file *file = &files->items[files->count++];
    *file = (struct read_file){.path = mem_strdup(path), .role = role};
    return file;
}

/* The file at a normalised path, read at the first call; NULL when the model refers to too many files. */
static struct read_file *load(struct source_files *files, const char *path, enum source_role role)
{
    struct read_file *file = source_record_find(files, path);
    if (file != NULL)
        return file;
    file = source_record_add(files, path, role);
    if (file == NULL)
        return NULL;
    const int fd = file_client_ask(&files->client, IMPORT_FILE_OPEN, path, "", &file->reply);
    if (file->reply.error != 0)
        file_client_error(path, file->reply.error, &file->err);
    else
        read_all(files, fd, file);
    refuse_pointer(file);
    if (fd >= 0)
        close(fd);
    files->size_bytes += file->size_bytes;
    return file;
}

int source_files_check(const struct source_files *files, struct err *err)
{
    if (files->unavailable.code != 0)
        *err = files->unavailable;
    return files->unavailable.code;
}

int source_files_read_at(struct source_files *files, const char *path, enum source_role role, struct source_bytes *out,
                         struct err *err)
{
    *out = (struct source_bytes){0};
    const struct read_file *file = load(files, path, role);
    if (file == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the model refers to more files than %s ('%s' is one too many)",
                       LIMIT_TEXT(files->limits, LIMIT_SOURCE_FILES), path);
    if (file->bytes == NULL)
        return err_set(err, file->err.code, "%s", file->err.message);
    *out = (struct source_bytes){.bytes = file->bytes, .size_bytes = file->size_bytes, .path = file->path};
    return 0;
}

static int read_path(struct source_files *files, const char *path, enum source_role role, const uint8_t **bytes,
                     size_t *size_bytes, struct err *err)
{
    struct source_bytes found;
    const int rc = source_files_read_at(files, path, role, &found, err);
    *bytes = found.bytes;
    *size_bytes = found.size_bytes;
    return rc;
}

int source_files_read(struct source_files *files, const char *uri, enum source_role role, const uint8_t **bytes,
                      size_t *size_bytes, struct err *err)
{
    char path[SOURCE_PATH_SIZE];
    *bytes = NULL;
    *size_bytes = 0;
    if (source_path_resolve(files->model_path, uri, path, err) < 0)
        return err->code;
    return read_path(files, path, role, bytes, size_bytes, err);
}

int source_files_read_model(struct source_files *files, const uint8_t **bytes, size_t *size_bytes, struct err *err)
{
    char path[SOURCE_PATH_SIZE];
    *bytes = NULL;
    *size_bytes = 0;
    if (source_path_of_model(files->model_path, path, err) == 0 &&
        read_path(files, path, SOURCE_MODEL, bytes, size_bytes, err) == 0)
        return 0;
    if (err->code == ERR_COMPANION_MISSING)
        err->code = ERR_MODEL_NOT_FOUND;
    return err->code;
}

const char *source_files_model(const struct source_files *files) { return files->model_path; }

uint64_t source_files_bytes(const struct source_files *files) { return files->size_bytes; }

void source_files_warn(const struct source_files *files, struct bake_builder *builder)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].err.code == ERR_LFS_POINTER)
            bake_warn(builder, "lfs_pointer", "%s", files->items[i].err.message);
}

void source_files_record(const struct source_files *files, struct bake_builder *builder)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct read_file *file = &files->items[i];
        struct source_file *source = bake_add_source_file(builder, 1);
        if (source != NULL)
            *source = (struct source_file){
                .path = bake_textz(builder, file->path),
                .role = file->role,
                .is_missing = file->reply.stamp.inode == 0,
                .size_bytes = file->reply.stamp.size_bytes,
                .mtime_ns = file->reply.stamp.mtime_ns,
                .ctime_ns = file->reply.stamp.ctime_ns,
                .inode = file->reply.stamp.inode,
            };
    }
}
