/* Which files need no comparison: a GLB file without a "uri" has nothing beside it, so the same bytes are the same
 * model.
 */
#include "clients/cli/diff/diff.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapping {
    const unsigned char *bytes; /* NULL: not mapped */
    size_t size_bytes;
    dev_t device;
    ino_t inode;
};

static struct mapping map_file(const struct diff *diff, const char *model)
{
    struct text path = {0};
    struct stat info;
    struct mapping mapping = {0};
    text_printf(&path, "%s/%s", diff->context.session.folder, model);
    const int fd = open(path.at, O_RDONLY | O_CLOEXEC);
    text_free(&path);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED)
            mapping = (struct mapping){bytes, (size_t)info.st_size, info.st_dev, info.st_ino};
    }
    if (fd >= 0)
        close(fd);
    return mapping;
}

static void unmap(struct mapping *mapping)
{
    if (mapping->bytes != NULL)
        munmap((void *)(uintptr_t)mapping->bytes, mapping->size_bytes);
}

/* GLB 2.0, 5: magic, version, length; then the JSON chunk with its length and kind. Any file beside it is a "uri"
 * there, or, escaped, may be one. */
static bool is_alone(const struct mapping *file)
{
    enum { HEAD = 20 };
    uint32_t json_bytes;
    if (file->size_bytes < HEAD || memcmp(file->bytes, "glTF", 4) != 0)
        return false;
    memcpy(&json_bytes, file->bytes + 12, sizeof json_bytes);
    return json_bytes <= file->size_bytes - HEAD && memcmp(file->bytes + 16, "JSON", 4) == 0 &&
           memmem(file->bytes + HEAD, json_bytes, "uri", 3) == NULL &&
           memchr(file->bytes + HEAD, '\\', json_bytes) == NULL;
}

bool diff_is_same_file(const struct diff *diff, const struct diff_pair *pair)
{
    if (strcmp(pair->models[DIFF_OLD], pair->models[DIFF_NEW]) == 0)
        return false; /* the server says whether it can be read, and that at once */
    if (!diff->context.session.is_private)
        return false;
    struct mapping old = map_file(diff, pair->models[DIFF_OLD]), new = map_file(diff, pair->models[DIFF_NEW]);
    const bool is_same = old.bytes != NULL && new.bytes != NULL &&old.size_bytes == new.size_bytes &&is_alone(&new) &&
                         memcmp(old.bytes, new.bytes, old.size_bytes) == 0;
    unmap(&old);
    unmap(&new);
    return is_same;
}
