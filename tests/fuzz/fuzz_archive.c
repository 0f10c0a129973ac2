/* The output of an importer that unpacks a zip: no read outside it, and every path may be written. */
#include "daemon/upload/archive.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *bytes = malloc(size == 0 ? 1 : size); /* aligned, of exactly this size */
    if (bytes == NULL)
        abort();
    if (size > 0)
        memcpy(bytes, data, size);
    struct archive archive;
    struct err err;
    if (archive_check(bytes, size, &archive, &err) == 0) {
        unsigned sum = 0;
        for (uint32_t i = 0; i < archive.count; i++) {
            char path[ARCHIVE_PATH_SIZE];
            archive_path(&archive, i, path);
            if (path[0] == '/' || path[0] == '\0' || strstr(path, "..") == path || strstr(path, "/../") != NULL)
                abort();
            for (uint64_t at = 0; at < archive.entries[i].size_bytes; at++)
                sum += (unsigned char)archive.data[archive.entries[i].data_offset + at];
        }
        if (archive_find_model(&archive, "hero", &err) == (int)sum && sum > archive.count)
            abort();
    }
    free(bytes);
    return 0;
}
