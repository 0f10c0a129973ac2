/* model_mapping.c - maps baked models. */
#include "render/job/model_mapping.h"

#include "anim/bake/bake.h"

#include <errno.h>
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
