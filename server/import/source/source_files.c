/* source_files.c - reads files, lists folders and records every request. */
#include "import/source/source_files.h"

#include "import/source/import.h"
#include "import/source/source_path.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Limits on the calls of source_files_names() and on the names it keeps, because a hostile model can name many missing
 * files in large folders. */
enum { LOOKS_MAX = 1 << 16, KEPT_NAMES_BYTES_MAX = 4 * IMPORT_NAMES_BYTES_MAX };

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

struct source_files *source_files_new(const struct file_client *client, const char *model_path,
                                      const struct limits *limits)
{
    struct source_files *files = mem_zalloc(1, sizeof *files);
    files->client = *client;
    files->model_path = mem_strdup(model_path);
    files->limits = limits;
    return files;
}

static void free_names(struct name_list *list)
{
    free(list->text);
    free(list->names);
    *list = (struct name_list){0};
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
    free_names(&files->named);
    for (uint32_t i = 0; i < files->folder_count; i++) {
        free(files->folders[i].path);
        free_names(&files->folders[i].list);
    }
    free(files->model_path);
    free(files);
}

/* Reads `size` bytes into `bytes` and appends a NUL. Returns 0 or -1 (errno is 0 at the end of the file). */
static int read_bytes(int fd, uint8_t *bytes, size_t size)
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
    if (read_bytes(fd, bytes, size) != 0) {
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

static struct read_file *find(const struct source_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0)
            return &files->items[i];
    return NULL;
}

/* Adds a record; NULL when the model refers to too many files. */
static struct read_file *add(struct source_files *files, const char *path, enum source_role role)
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
    struct read_file *file = find(files, path);
    if (file != NULL)
        return file;
    file = add(files, path, role);
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

/* --- folders --- */

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int by_name_in_any_case(const void *a, const void *b)
{
    const int order = strcasecmp(*(const char *const *)a, *(const char *const *)b);
    return order != 0 ? order : by_name(a, b);
}

/* Records the folder, so the model becomes stale when a file appears or disappears. Returns false if it cannot be
 * recorded. */
static bool record_folder(struct source_files *files, const char *path, enum source_role role,
                          const struct import_file_reply *reply)
{
    struct read_file *folder = find(files, path);
    if (folder != NULL) {
        if (folder->role != SOURCE_FOLDER) /* it may have been requested as a file; now its names count too */
            folder->role = role;
        return true;
    }
    folder = add(files, path, role);
    if (folder == NULL)
        return false;
    folder->reply = *reply;
    err_set(&folder->err, ERR_COMPANION_MISSING, "'%s' is not a regular file", path);
    return true;
}

/* Takes the names, each ended by NUL, from the list's memory file; at most `most`. */
static int read_names(struct name_list *list, int fd, size_t size_bytes, size_t most, const char *path, struct err *err)
{
    if (size_bytes > IMPORT_NAMES_BYTES_MAX)
        return err_set(err, ERR_INTERNAL, "cannot list '%s'", path);
    list->text = mem_alloc(size_bytes + 1);
    if (read_bytes(fd, (uint8_t *)list->text, size_bytes) != 0)
        return err_set(err, ERR_INTERNAL, "cannot list '%s'", path);
    const char *end = list->text + size_bytes;
    size_t capacity = 0;
    for (const char *name = list->text; name < end && list->count < most; name += strlen(name) + 1) {
        list->names = mem_grow(list->names, &capacity, list->count + 1, sizeof *list->names);
        list->names[list->count++] = name;
    }
    return 0;
}

/* Requests the names in a folder that end in `suffix`; there are none if the model may not access it. role:
 * SOURCE_FOLDER or SOURCE_SEARCHED. */
static int list_folder(struct source_files *files, const char *path, const char *suffix, enum source_role role,
                       size_t most, struct name_list *list, struct err *err)
{
    if (files->listings == IMPORT_FOLDERS_MAX)
        return err_set(err, ERR_MODEL_LIMIT, "the model lists more than %d folders", IMPORT_FOLDERS_MAX);
    files->listings++;
    struct import_file_reply reply;
    const int fd = file_client_ask(&files->client, IMPORT_FILE_LIST, path, suffix, &reply);
    int rc = 0;
    if (reply.error != 0 && !file_client_is_refusal(reply.error))
        rc = file_client_error(path, reply.error, err);
    else if (reply.error == 0 && record_folder(files, path, role, &reply))
        rc = read_names(list, fd, (size_t)reply.names_bytes, most, path, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* The names that source_files_list() gives, of a normalised path. */
static int list_names(struct source_files *files, const char *path, const char *suffix, const char *const **names,
                      size_t *count, struct err *err)
{
    struct name_list *list = &files->named;
    free_names(list);
    const size_t most = (size_t)files->limits->value[LIMIT_SOURCE_FILES];
    const int rc = list_folder(files, path, suffix, SOURCE_FOLDER, most, list, err);
    if (list->count > 0)
        qsort(list->names, list->count, sizeof *list->names, by_name);
    *names = list->names;
    *count = list->count;
    return rc;
}

int source_files_list(struct source_files *files, const char *suffix, const char *const **names, size_t *count,
                      struct err *err)
{
    char path[SOURCE_PATH_SIZE];
    *names = NULL;
    *count = 0;
    if (source_path_of_model(files->model_path, path, err) < 0)
        return err->code;
    char *slash = strrchr(path, '/');
    strcpy(slash != NULL ? slash : path, slash != NULL ? "" : ".");
    return list_names(files, path, suffix, names, count, err);
}

int source_files_list_in(struct source_files *files, const char *folder, const char *suffix, const char *const **names,
                         size_t *count, struct err *err)
{
    char path[SOURCE_PATH_SIZE];
    struct err why = {0};
    *names = NULL;
    *count = 0;
    if (source_path_resolve(files->model_path, folder, path, &why) < 0)
        return 0;
    const int rc = list_names(files, path, suffix, names, count, &why);
    return rc == 0 || rc == ERR_COMPANION_MISSING ? 0 : err_set(err, rc, "%s", why.message);
}

static const struct name_list *find_list(const struct source_files *files, const char *path)
{
    for (uint32_t i = 0; i < files->folder_count; i++)
        if (strcmp(files->folders[i].path, path) == 0)
            return &files->folders[i].list;
    return NULL;
}

size_t source_files_names(struct source_files *files, const char *path, const char *const **names)
{
    *names = NULL;
    if (files->looks == LOOKS_MAX)
        return 0;
    files->looks++;
    const struct name_list *known = find_list(files, path);
    if (known == NULL && files->folder_count < IMPORT_FOLDERS_MAX && files->names_bytes < KEPT_NAMES_BYTES_MAX) {
        struct listed_folder *folder = &files->folders[files->folder_count++];
        struct err err;
        folder->path = mem_strdup(path);
        if (list_folder(files, path, "", SOURCE_SEARCHED, SIZE_MAX, &folder->list, &err) < 0)
            free_names(&folder->list);
        for (size_t i = 0; i < folder->list.count; i++)
            files->names_bytes += strlen(folder->list.names[i]) + 1;
        if (folder->list.count > 0)
            qsort(folder->list.names, folder->list.count, sizeof *folder->list.names, by_name_in_any_case);
        known = &folder->list;
    }
    *names = known != NULL ? known->names : NULL;
    return known != NULL ? known->count : 0;
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
