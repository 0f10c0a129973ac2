/* eval_model.c - opens .posed files. */
#include "clients/eval/eval_internal.h"

#include "anim/bake/bake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void let_go(struct pe_model *model)
{
    if (model->holding == HELD_OWNED)
        free(model->bytes);
    else if (model->holding == HELD_MAPPED && model->bytes != NULL)
        munmap(model->bytes, model->size_bytes);
    model->bytes = NULL;
}

void pe_model_close(struct pe_model *model)
{
    if (model == NULL)
        return;
    posed_file_fini(&model->file);
    let_go(model);
    free(model->text);
    free(model->names);
    free(model->expression_parts);
    free(model);
}

static bool find_root(struct pe_model *model)
{
    uint8_t *marks = malloc((size_t)model->file.model.node_count + 1);
    if (marks == NULL)
        return false;
    model->root = root_motion_find_root(&model->file.model, marks);
    free(marks);
    return true;
}

/* Takes over the bytes as they are held, also on failure. */
static int open_bytes(void *bytes, size_t size_bytes, enum holding holding, struct pe_model **out,
                      struct pe_error *error)
{
    struct err err;
    struct pe_model held = {.bytes = bytes, .size_bytes = size_bytes, .holding = holding};
    struct pe_model *model = malloc(sizeof *model);
    if (model == NULL) {
        let_go(&held);
        return eval_fail(error, PE_E_MEMORY, "no memory for a model");
    }
    *model = held;
    const int rc = posed_file_open(&model->file, bytes, size_bytes, &err);
    if (rc < 0 || !eval_names_make(model) || !eval_faces_make(model) || !find_root(model)) {
        pe_model_close(model);
        return rc < 0 ? eval_fail_by(error, &err) : eval_fail(error, PE_E_MEMORY, "no memory for a model");
    }
    if (model->file.is_compiled)
        let_go(model);
    *out = model;
    return 0;
}

/* --- from a path --- */

static int fail_system(struct pe_error *error, int number, const char *path)
{
    errno = number; /* %m, because the text of strerror() is shared by threads */
    eval_fail(error, PE_E_SYSTEM, "cannot read '%s': %m", path);
    if (error != NULL)
        error->system = number;
    return PE_E_SYSTEM;
}

static void *aligned_room(size_t size_bytes)
{
    /* aligned_alloc() requires a multiple of the alignment */
    return aligned_alloc(BAKE_ALIGNMENT, (size_bytes / BAKE_ALIGNMENT + 1) * BAKE_ALIGNMENT);
}

/* Returns 0 or errno; EIO for a file that ends too early. */
static int read_whole(int fd, unsigned char *bytes, size_t size_bytes)
{
    size_t at = 0;
    while (at < size_bytes) {
        const ssize_t count = read(fd, bytes + at, size_bytes - at);
        if (count == 0)
            return EIO;
        if (count < 0 && errno != EINTR)
            return errno;
        at += count > 0 ? (size_t)count : 0;
    }
    return 0;
}

static int open_read(int fd, size_t size_bytes, const char *path, struct pe_model **model, struct pe_error *error)
{
    unsigned char *bytes = aligned_room(size_bytes);
    if (bytes == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for the %zu bytes of '%s'", size_bytes, path);
    const int number = read_whole(fd, bytes, size_bytes);
    if (number == 0)
        return open_bytes(bytes, size_bytes, HELD_OWNED, model, error);
    free(bytes);
    return fail_system(error, number, path);
}

static int open_mapped(int fd, size_t size_bytes, const char *path, struct pe_model **model, struct pe_error *error)
{
    void *bytes = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return fail_system(error, errno, path);
    return open_bytes(bytes, size_bytes, HELD_MAPPED, model, error);
}

static int open_file(int fd, unsigned flags, const char *path, struct pe_model **model, struct pe_error *error)
{
    struct stat stat;
    if (fstat(fd, &stat) < 0)
        return fail_system(error, errno, path);
    if (!S_ISREG(stat.st_mode))
        return fail_system(error, S_ISDIR(stat.st_mode) ? EISDIR : EINVAL, path);
    if (stat.st_size <= 0)
        return eval_fail(error, PE_E_DAMAGED, "'%s' has no bytes", path);
    const size_t size_bytes = (size_t)stat.st_size;
    return (flags & PE_OPEN_MAP) != 0 ? open_mapped(fd, size_bytes, path, model, error)
                                      : open_read(fd, size_bytes, path, model, error);
}

int pe_model_open(const char *path, unsigned flags, struct pe_model **model, struct pe_error *error)
{
    if (path == NULL || model == NULL || (flags & ~(unsigned)PE_OPEN_MAP) != 0)
        return eval_fail(error, PE_E_ARGUMENT, "no path, no place for the model, or unknown flags");
    *model = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* do not wait for a FIFO */
    if (fd < 0)
        return fail_system(error, errno, path);
    const int rc = open_file(fd, flags, path, model, error);
    close(fd);
    if (rc < 0 && rc != PE_E_SYSTEM && error != NULL && strstr(error->message, path) == NULL) {
        struct err named = {.code = -1};
        memcpy(named.message, error->message, sizeof named.message);
        err_prefix(&named, "'%s'", path);
        memcpy(error->message, named.message, sizeof named.message);
    }
    return rc;
}

/* --- from memory --- */

int pe_model_open_memory(const void *bytes, size_t size_bytes, struct pe_model **model, struct pe_error *error)
{
    if (bytes == NULL || model == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no bytes, or no place for the model");
    *model = NULL;
    void *copy = aligned_room(size_bytes);
    if (copy == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for the %zu bytes of a model", size_bytes);
    memcpy(copy, bytes, size_bytes);
    return open_bytes(copy, size_bytes, HELD_OWNED, model, error);
}

int pe_model_open_borrowed(const void *bytes, size_t size_bytes, struct pe_model **model, struct pe_error *error)
{
    if (bytes == NULL || model == NULL || (uintptr_t)bytes % BAKE_ALIGNMENT != 0)
        return eval_fail(error, PE_E_ARGUMENT, "no bytes at a multiple of %d, or no place for the model",
                         BAKE_ALIGNMENT);
    *model = NULL;
    void *place;
    memcpy(&place, &bytes, sizeof place); /* it is only read */
    return open_bytes(place, size_bytes, HELD_BORROWED, model, error);
}
