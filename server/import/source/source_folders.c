/* source_folders.c - lists folders: files of one extension, and all names for a search. */
#include "import/source/source_records.h"

#include "import/source/source_path.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Limits on the calls of source_files_names() and on the names it keeps, because a hostile model can name many missing
 * files in large folders. */
enum { LOOKS_MAX = 1 << 16, KEPT_NAMES_BYTES_MAX = 4 * IMPORT_NAMES_BYTES_MAX };

void source_names_free(struct name_list *list)
{
    free(list->text);
    free(list->names);
    *list = (struct name_list){0};
}

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
    struct read_file *folder = source_record_find(files, path);
    if (folder != NULL) {
        if (folder->role != SOURCE_FOLDER) /* it may have been requested as a file; now its names count too */
            folder->role = role;
        return true;
    }
    folder = source_record_add(files, path, role);
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
    if (source_read_bytes(fd, (uint8_t *)list->text, size_bytes) != 0)
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
    source_names_free(list);
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
            source_names_free(&folder->list);
        for (size_t i = 0; i < folder->list.count; i++)
            files->names_bytes += strlen(folder->list.names[i]) + 1;
        if (folder->list.count > 0)
            qsort(folder->list.names, folder->list.count, sizeof *folder->list.names, by_name_in_any_case);
        known = &folder->list;
    }
    *names = known != NULL ? known->names : NULL;
    return known != NULL ? known->count : 0;
}
