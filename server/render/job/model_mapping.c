/* model_mapping.c - maps baked models and keeps the last files of clips. */
#include "render/job/model_mapping.h"

#include "anim/bake/bake.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int model_mapping_open(struct model_mapping *mapped, int fd, uint64_t size_bytes, struct err *err)
{
    const off_t held_bytes = lseek(fd, 0, SEEK_END); /* fstat() is a call that can look at every path */
    *mapped = (struct model_mapping){0};
    if (held_bytes < 0 || size_bytes == 0 || (uint64_t)held_bytes < size_bytes)
        return err_set(err, ERR_INTERNAL, "the job's model is shorter than %llu bytes", (unsigned long long)size_bytes);
    void *mapping = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED)
        return err_set(err, ERR_NO_MEMORY, "the renderer cannot map a model of %llu bytes: %s",
                       (unsigned long long)size_bytes, strerror(errno));
    mapped->mapping = mapping;
    mapped->mapping_bytes = size_bytes;
    return bake_decode(mapping, size_bytes, &mapped->model, err);
}

void model_mapping_close(struct model_mapping *mapped)
{
    if (mapped->mapping != NULL)
        munmap(mapped->mapping, mapped->mapping_bytes);
    *mapped = (struct model_mapping){0};
}

/* The file that was not used for longest, none of the job's; NULL: there is none. */
static struct clip_file *oldest(struct clip_files *files)
{
    struct clip_file *found = NULL;
    for (int i = 0; i < CLIP_FILES_MAX; i++) {
        struct clip_file *file = &files->files[i];
        const bool is_free = file->mapped.mapping != NULL && file->used <= files->begun;
        if (is_free && (found == NULL || file->used < found->used))
            found = file;
    }
    return found;
}

static struct clip_file *empty_place(struct clip_files *files)
{
    for (int i = 0; i < CLIP_FILES_MAX; i++)
        if (files->files[i].mapped.mapping == NULL)
            return &files->files[i];
    return NULL;
}

static uint64_t held_bytes(const struct clip_files *files)
{
    uint64_t bytes = 0;
    for (int i = 0; i < CLIP_FILES_MAX; i++)
        bytes += files->files[i].mapped.mapping_bytes;
    return bytes;
}

/* Returns an empty place, with room for so many bytes where that can be had; NULL: the job has all places. */
static struct clip_file *make_room(struct clip_files *files, uint64_t size_bytes)
{
    for (struct clip_file *file; (file = oldest(files)) != NULL;) {
        if (held_bytes(files) + size_bytes <= files->limit_bytes && empty_place(files) != NULL)
            break;
        model_mapping_close(&file->mapped);
    }
    return empty_place(files);
}

void clip_files_begin(struct clip_files *files) { files->begun = files->uses; }

int clip_files_get(struct clip_files *files, uint64_t key, int fd, uint64_t size_bytes, const struct model **out,
                   struct err *err)
{
    struct clip_file *file = NULL;
    *out = NULL;
    for (int i = 0; i < CLIP_FILES_MAX; i++)
        if (files->files[i].mapped.mapping != NULL && files->files[i].key == key)
            file = &files->files[i];
    if (file == NULL) {
        file = make_room(files, size_bytes);
        if (file == NULL)
            return err_set(err, ERR_INTERNAL, "a job has clips of more than %d files", CLIP_FILES_MAX);
        if (model_mapping_open(&file->mapped, fd, size_bytes, err) < 0) {
            model_mapping_close(&file->mapped);
            return err->code;
        }
        file->key = key;
    }
    file->used = ++files->uses;
    *out = &file->mapped.model;
    return 0;
}

void clip_files_fini(struct clip_files *files)
{
    for (int i = 0; i < CLIP_FILES_MAX; i++)
        model_mapping_close(&files->files[i].mapped);
}
