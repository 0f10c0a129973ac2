#include "baked.h"

#include "../anim/bake.h"
#include "../base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void put_hex(char *out, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * count] = '\0';
}

int baked_open(int fd, uint64_t key, struct baked **out, struct err *err)
{
    *out = NULL;
    /* From here on nobody can change the bytes under the check, a surviving child of the importer neither. */
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
        return err_set(err, ERR_INTERNAL, "cannot seal the importer's result: %s", strerror(errno));
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return err_set(err, ERR_INTERNAL, "cannot stat the importer's result: %s", strerror(errno));
    const size_t size_bytes = (size_t)stat.st_size;
    if (size_bytes == 0)
        return err_set(err, ERR_BAD_BAKE, "the importer's result is empty");
    void *bytes = mmap(NULL, size_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return err_set(err, ERR_INTERNAL, "cannot map the importer's result: %s", strerror(errno));
    struct model model;
    if (bake_decode(bytes, size_bytes, &model, err) < 0) {
        munmap(bytes, size_bytes);
        return err->code;
    }
    struct baked *baked = mem_zalloc(1, sizeof *baked);
    *baked = (struct baked){.model = model, .fd = fd, .key = key, .ref_count = 1};
    put_hex(baked->hash, model.infos[0].content_hash, sizeof model.infos[0].content_hash);
    *out = baked;
    return 0;
}

struct baked *baked_ref(struct baked *baked)
{
    baked->ref_count++;
    return baked;
}

void baked_unref(struct baked *baked)
{
    if (baked == NULL || --baked->ref_count > 0)
        return;
    munmap((void *)(uintptr_t)baked->model.bytes, baked->model.size_bytes);
    close(baked->fd);
    free(baked);
}
