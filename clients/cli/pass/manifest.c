/* Reads, appends to and rewrites a file of OUT/.posectl. */
#include "clients/cli/pass/manifest.h"

#include "clients/cli/output/output.h"
#include "clients/cli/output/regular_file.h"
#include "clients/cli/output/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *model_of(const cJSON *entry) { return member_text(entry, "model"); }

struct line {
    cJSON *entry;
    size_t number;
};

static int by_model_and_line(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int order = strcmp(model_of(x->entry), model_of(y->entry));
    return order != 0 ? order : x->number < y->number ? -1 : 1;
}

/* Keeps the last entry of each model. */
static void take_lines(struct manifest *manifest, struct line *lines, size_t count)
{
    if (count > 0)
        qsort(lines, count, sizeof *lines, by_model_and_line);
    manifest->entries = must_alloc((count + 1) * sizeof(cJSON *));
    manifest->count = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_last = i + 1 == count || strcmp(model_of(lines[i].entry), model_of(lines[i + 1].entry)) != 0;
        if (is_last)
            manifest->entries[manifest->count++] = lines[i].entry;
        else
            cJSON_Delete(lines[i].entry);
    }
}

static void load(struct manifest *manifest, const char *path)
{
    struct line *lines = NULL;
    size_t count = 0, capacity = 0, line_room = 0;
    char *line = NULL;
    FILE *file = regular_file_read(path);
    ssize_t size;
    while (file != NULL && (size = getline(&line, &line_room, file)) > 0) {
        cJSON *entry = cJSON_ParseWithLength(line, (size_t)size);
        if (model_of(entry)[0] == '\0') {
            cJSON_Delete(entry);
            continue;
        }
        if (count == capacity) {
            capacity = capacity * 2 + 64;
            lines = must_grow(lines, capacity * sizeof *lines);
        }
        lines[count] = (struct line){entry, count};
        count++;
    }
    if (file != NULL)
        fclose(file);
    free(line);
    take_lines(manifest, lines, count);
    free(lines);
}

static void remove_leftovers(const char *folder)
{
    DIR *names = opendir(folder);
    const struct dirent *name;
    while (names != NULL && (name = readdir(names)) != NULL)
        if (strncmp(name->d_name, "tmp-", 4) == 0)
            unlinkat(dirfd(names), name->d_name, 0);
    if (names != NULL)
        closedir(names);
}

static int open_in(const struct manifest *manifest, const char *name, int flags)
{
    char path[sizeof manifest->folder + 32];
    snprintf(path, sizeof path, "%s/%s", manifest->folder, name);
    const int fd = regular_file_open(path, flags | O_CREAT | O_NOFOLLOW);
    if (fd < 0 && errno == 0)
        terminal_error("'%s' is no regular file", path);
    else if (fd < 0)
        terminal_error("cannot write %s: %s", path, strerror(errno));
    return fd;
}

/* Checks for links that somebody may have committed into OUT. A run appends to the manifest and removes the folder's
 * temporary files, wherever links lead. */
static bool has_link(const char *out, const char *name)
{
    static const char *const PARTS[] = {"", "/lock", "/"};
    struct text path = {0}, problem = {0};
    for (size_t i = 0; i < 3 && problem.size_bytes == 0; i++) {
        text_printf(&path, "%s/.posectl%s%s", out, PARTS[i], i == 2 ? name : "");
        if (output_is_link(path.at, &problem))
            terminal_error("%s", problem.at);
        text_free(&path);
    }
    const bool is_found = problem.size_bytes > 0;
    text_free(&problem);
    return is_found;
}

int manifest_open(struct manifest *manifest, const char *out, const char *name)
{
    char path[sizeof manifest->folder + 32];
    *manifest = (struct manifest){.name = name, .journal_fd = -1, .lock_fd = -1};
    pthread_mutex_init(&manifest->mutex, NULL);
    snprintf(manifest->folder, sizeof manifest->folder, "%.4000s/.posectl", out);
    snprintf(path, sizeof path, "%s/%.24s", manifest->folder, manifest->name);
    if (has_link(out, name))
        return STATUS_SERVER;
    if (output_make_folders(path) < 0) {
        terminal_error("cannot write into %s: %s", out, strerror(errno));
        return STATUS_SERVER;
    }
    if ((manifest->lock_fd = open_in(manifest, "lock", O_RDWR)) < 0)
        return STATUS_SERVER;
    if (flock(manifest->lock_fd, LOCK_EX | LOCK_NB) < 0) {
        terminal_error("another posectl is writing to %s", out);
        return STATUS_SERVER;
    }
    remove_leftovers(manifest->folder);
    load(manifest, path);
    manifest->journal_fd = open_in(manifest, manifest->name, O_WRONLY | O_APPEND);
    if (manifest->journal_fd < 0)
        return STATUS_SERVER;
    if (write(manifest->journal_fd, "\n", 1) < 0) /* ends a line that a killed run left unfinished */
        terminal_info("cannot write into %s: %s", manifest->folder, strerror(errno));
    return STATUS_DONE;
}

void manifest_close(struct manifest *manifest)
{
    if (manifest->folder[0] == '\0')
        return;
    for (size_t i = 0; i < manifest->count; i++)
        cJSON_Delete(manifest->entries[i]);
    free(manifest->entries);
    if (manifest->journal_fd >= 0)
        close(manifest->journal_fd);
    if (manifest->lock_fd >= 0)
        close(manifest->lock_fd);
    pthread_mutex_destroy(&manifest->mutex);
}

static int by_name(const void *name, const void *entry) { return strcmp(name, model_of(*(cJSON *const *)entry)); }

const cJSON *manifest_find(const struct manifest *manifest, const char *model)
{
    cJSON **found = manifest->count == 0
                        ? NULL
                        : bsearch(model, manifest->entries, manifest->count, sizeof *manifest->entries, by_name);
    return found == NULL ? NULL : *found;
}

static void put_entry(struct text *out, const cJSON *entry)
{
    char *line = cJSON_PrintUnformatted(entry);
    if (line != NULL) {
        text_put(out, line);
        text_put(out, "\n");
    }
    free(line);
}

void manifest_append(struct manifest *manifest, const cJSON *entry)
{
    struct text line = {0};
    put_entry(&line, entry);
    pthread_mutex_lock(&manifest->mutex);
    if (line.size_bytes > 0 && write(manifest->journal_fd, line.at, line.size_bytes) < 0)
        terminal_info("cannot write into %s: %s", manifest->folder, strerror(errno));
    pthread_mutex_unlock(&manifest->mutex);
    text_free(&line);
}

static int save(struct manifest *manifest)
{
    struct text all = {0}, problem = {0};
    char path[sizeof manifest->folder + 32];
    for (size_t i = 0; i < manifest->count; i++)
        put_entry(&all, manifest->entries[i]);
    snprintf(path, sizeof path, "%s/%.24s", manifest->folder, manifest->name);
    const int rc = output_write(path, manifest->folder, all.at, all.size_bytes, &problem);
    if (rc < 0)
        terminal_error("%s", problem.at);
    else { /* later entries are appended to the new file */
        close(manifest->journal_fd);
        manifest->journal_fd = open_in(manifest, manifest->name, O_WRONLY | O_APPEND);
    }
    text_free(&all);
    text_free(&problem);
    return rc < 0 ? STATUS_SERVER : STATUS_DONE;
}

int manifest_merge(struct manifest *manifest, cJSON **entries, size_t count)
{
    struct line *lines = must_alloc((manifest->count + count + 1) * sizeof *lines);
    size_t line_count = 0, taken = 0;
    for (size_t i = 0; i < manifest->count; i++)
        lines[line_count++] = (struct line){manifest->entries[i], i};
    for (size_t i = 0; i < count; i++)
        if (entries[i] != NULL) {
            lines[line_count] = (struct line){entries[i], line_count};
            line_count++;
            taken++;
        }
    free(manifest->entries);
    take_lines(manifest, lines, line_count);
    free(lines);
    return taken > 0 ? save(manifest) : STATUS_DONE;
}

cJSON *manifest_remove(struct manifest *manifest, size_t index)
{
    cJSON *entry = manifest->entries[index];
    memmove(manifest->entries + index, manifest->entries + index + 1,
            (manifest->count - index - 1) * sizeof *manifest->entries);
    manifest->count--;
    return entry;
}
