/* source_files.c - resolves the paths that a model names, reads the files and records every request. */
#include "import/source/source_files.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = IMPORT_PATH_SIZE, NAMES_BYTES_MAX = 1 << 20 };

struct read_file {
    char *path; /* under the root, without "." and ".." */
    enum source_role role;
    uint8_t *bytes; /* NULL when it could not be read */
    size_t size_bytes;
    struct import_file_reply reply; /* its stamp is zero when there is no such file */
    struct err err;                 /* why, when bytes is NULL */
};

struct source_files {
    struct file_client client;
    char *model_path;
    const struct limits *limits;
    struct read_file *items;
    size_t count, capacity;
    uint64_t size_bytes; /* of those that were read */
    /* of the last source_files_list(): */
    char *names_text;
    const char **names; /* [name_count], into names_text */
    size_t name_count;
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

static void free_names(struct source_files *files)
{
    free(files->names_text);
    free(files->names);
    files->names_text = NULL;
    files->names = NULL;
    files->name_count = 0;
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
    free_names(files);
    free(files->model_path);
    free(files);
}

/* What separates the parts of a path: of the model's own, and of one that a model names. */
static const char OWN_SEPARATORS[] = "/", MODEL_SEPARATORS[] = "/\\";

/* Appends the parts of `relative` to the path in `out`, which has `*length` bytes, and resolves "." and "..". The
 * kernel would resolve them in the same way, since no part may be a symbolic link. */
static int append_parts(char *out, size_t *length, const char *relative, const char *separators, struct err *err)
{
    for (const char *part = relative; *part != '\0';) {
        const size_t size = strcspn(part, separators);
        if (size == 2 && memcmp(part, "..", 2) == 0) {
            if (*length == 0)
                return err_set(err, ERR_COMPANION_MISSING, "'%s' lies outside the model root", relative);
            while (*length > 0 && out[--*length] != '/')
                ;
        } else if (size > 0 && !(size == 1 && part[0] == '.')) {
            if (*length + size + 2 > PATH_SIZE)
                return err_set(err, ERR_COMPANION_MISSING, "the path '%s' is too long", relative);
            if (*length > 0)
                out[(*length)++] = '/';
            memcpy(out + *length, part, size);
            *length += size;
        }
        part += size;
        part += *part != '\0';
    }
    out[*length] = '\0';
    return 0;
}

static bool is_absolute(const char *uri)
{
    const bool is_drive = ((uri[0] | 0x20) >= 'a' && (uri[0] | 0x20) <= 'z') && uri[1] == ':';
    return uri[0] == '/' || uri[0] == '\\' || is_drive;
}

/* The model's own path, normalised, into out[PATH_SIZE]. It names a file as it stands, also as 'C:x' or 'a\b'. */
static int resolve_model(const char *path, char *out, struct err *err)
{
    size_t length = 0;
    out[0] = '\0';
    if (path[0] == '/')
        return err_set(err, ERR_COMPANION_MISSING, "'%s' is an absolute path", path);
    if (append_parts(out, &length, path, OWN_SEPARATORS, err) < 0)
        return err->code;
    if (length == 0)
        return err_set(err, ERR_COMPANION_MISSING, "'%s' names no file", path);
    return 0;
}

/* `uri` relative to the folder of `model_path`, normalised, into out[PATH_SIZE]. */
static int resolve(const char *model_path, const char *uri, char *out, struct err *err)
{
    if (is_absolute(uri))
        return err_set(err, ERR_COMPANION_MISSING, "'%s' is an absolute path", uri);
    if (resolve_model(model_path, out, err) < 0)
        return err->code;
    size_t length = strlen(out);
    while (length > 0 && out[--length] != '/')
        ;
    if (append_parts(out, &length, uri, MODEL_SEPARATORS, err) < 0)
        return err->code;
    if (length == 0 || uri[0] == '\0')
        return err_set(err, ERR_COMPANION_MISSING, "'%s' names no file", uri);
    return 0;
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
static int read_all(const struct source_files *files, int fd, struct read_file *file)
{
    struct err *err = &file->err;
    const uint64_t limit = files->limits->value[LIMIT_FILE_BYTES];
    if (file->reply.stamp.size_bytes > limit)
        return err_set(err, ERR_MODEL_LIMIT, "'%s' has %llu bytes, more than %s", file->path,
                       (unsigned long long)file->reply.stamp.size_bytes, LIMIT_TEXT(files->limits, LIMIT_FILE_BYTES));
    const size_t size = (size_t)file->reply.stamp.size_bytes;
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for the %zu bytes of '%s'", size, file->path);
    if (read_bytes(fd, bytes, size) != 0) {
        free(bytes);
        return err_set(err, ERR_BAD_MODEL, "'%s' %s", file->path,
                       errno == 0 ? "became shorter while it was read" : "cannot be read");
    }
    file->bytes = bytes;
    file->size_bytes = size;
    return 0;
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
    if (fd >= 0)
        close(fd);
    files->size_bytes += file->size_bytes;
    return file;
}

static int read_path(struct source_files *files, const char *path, enum source_role role, const uint8_t **bytes,
                     size_t *size_bytes, struct err *err)
{
    const struct read_file *file = load(files, path, role);
    if (file == NULL)
        return err_set(err, ERR_MODEL_LIMIT, "the model refers to more files than %s ('%s' is one too many)",
                       LIMIT_TEXT(files->limits, LIMIT_SOURCE_FILES), path);
    if (file->bytes == NULL)
        return err_set(err, file->err.code, "%s", file->err.message);
    *bytes = file->bytes;
    *size_bytes = file->size_bytes;
    return 0;
}

int source_files_read(struct source_files *files, const char *uri, enum source_role role, const uint8_t **bytes,
                      size_t *size_bytes, struct err *err)
{
    char path[PATH_SIZE];
    *bytes = NULL;
    *size_bytes = 0;
    if (resolve(files->model_path, uri, path, err) < 0)
        return err->code;
    return read_path(files, path, role, bytes, size_bytes, err);
}

int source_files_read_model(struct source_files *files, const uint8_t **bytes, size_t *size_bytes, struct err *err)
{
    char path[PATH_SIZE];
    *bytes = NULL;
    *size_bytes = 0;
    if (resolve_model(files->model_path, path, err) == 0 &&
        read_path(files, path, SOURCE_MODEL, bytes, size_bytes, err) == 0)
        return 0;
    if (err->code == ERR_COMPANION_MISSING)
        err->code = ERR_MODEL_NOT_FOUND;
    return err->code;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* When a file appears or disappears, the model is stale. */
static void record_folder(struct source_files *files, const char *path, const struct import_file_reply *reply)
{
    struct read_file *folder = find(files, path) == NULL ? add(files, path, SOURCE_FOLDER) : NULL;
    if (folder == NULL)
        return;
    folder->reply = *reply;
    err_set(&folder->err, ERR_COMPANION_MISSING, "'%s' is not a regular file", path);
}

/* Takes the names, each ended by NUL, from the list's memory file. */
static int read_names(struct source_files *files, int fd, size_t size_bytes, const char *path, struct err *err)
{
    const size_t limit = (size_t)files->limits->value[LIMIT_SOURCE_FILES];
    files->names_text = mem_alloc(size_bytes <= NAMES_BYTES_MAX ? size_bytes + 1 : 0);
    if (size_bytes > NAMES_BYTES_MAX || read_bytes(fd, (uint8_t *)files->names_text, size_bytes) != 0)
        return err_set(err, ERR_INTERNAL, "cannot list '%s'", path);
    const char *end = files->names_text + size_bytes;
    for (const char *name = files->names_text; name < end && files->name_count < limit; name += strlen(name) + 1) {
        files->names = mem_realloc(files->names, (files->name_count + 1) * sizeof *files->names);
        files->names[files->name_count++] = name;
    }
    if (files->name_count > 0)
        qsort(files->names, files->name_count, sizeof *files->names, by_name);
    return 0;
}

/* `path` is normalised; one that does not exist holds nothing, and is recorded as that. */
static int list_folder(struct source_files *files, const char *path, const char *suffix, bool is_optional,
                       const char *const **names, size_t *count, struct err *err)
{
    struct import_file_reply reply;
    const int fd = file_client_ask(&files->client, IMPORT_FILE_LIST, path, suffix, &reply);
    int rc = 0;
    if (file_client_is_refusal(reply.error)) {
        *count = 0; /* a model that was uploaded as a single file has nothing beside it */
    } else if (reply.error != 0 && is_optional) {
        record_folder(files, path, &reply);
    } else if (reply.error != 0) {
        rc = file_client_error(path, reply.error, err);
    } else {
        record_folder(files, path, &reply);
        rc = read_names(files, fd, (size_t)reply.names_bytes, path, err);
    }
    if (fd >= 0)
        close(fd);
    *names = files->names;
    *count = files->name_count;
    return rc;
}

int source_files_list(struct source_files *files, const char *suffix, const char *const **names, size_t *count,
                      struct err *err)
{
    char path[PATH_SIZE];
    *names = NULL;
    *count = 0;
    free_names(files);
    if (resolve_model(files->model_path, path, err) < 0)
        return err->code;
    char *slash = strrchr(path, '/');
    strcpy(slash != NULL ? slash : path, slash != NULL ? "" : ".");
    return list_folder(files, path, suffix, false, names, count, err);
}

int source_files_list_in(struct source_files *files, const char *folder, const char *suffix, const char *const **names,
                         size_t *count, struct err *err)
{
    char path[PATH_SIZE];
    struct err outside = {0};
    *names = NULL;
    *count = 0;
    free_names(files);
    if (resolve(files->model_path, folder, path, &outside) < 0)
        return 0;
    return list_folder(files, path, suffix, true, names, count, err);
}

uint64_t source_files_bytes(const struct source_files *files) { return files->size_bytes; }

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
