/* The records of the disk cache from arbitrary bytes: unchanged, and with a corrected size and checksum, to get
 * further. An accepted record written again must have the same bytes. */
#include "daemon/disk/disk_record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(struct buf *again, const uint8_t *data, size_t size)
{
    if (again->size_bytes != size || memcmp(again->data, data, size) != 0)
        abort();
    buf_fini(again);
}

static void decode_both(const uint8_t *data, size_t size)
{
    struct disk_index index;
    struct disk_head head;
    struct buf again;
    struct err err;
    buf_init(&again, 0);
    if (disk_index_decode(data, size, &index, &err) == 0) {
        disk_index_encode(&index, &again);
        check_same(&again, data, size);
        sources_free(index.sources);
    }
    if (disk_head_decode(data, size, &head, &err) == 0) {
        disk_head_encode(&head, &again);
        check_same(&again, data, size);
        sources_free(head.sources);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode_both(data, size);
    if (size < DISK_PREFIX_SIZE + 8 || size > DISK_RECORD_MAX)
        return 0;
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    for (int i = 0; i < 4; i++)
        copy[12 + i] = (uint8_t)(size >> 8 * i);
    const uint64_t sum = XXH3_64bits(copy, size - 8);
    memcpy(copy + size - 8, &sum, 8);
    decode_both(copy, size);
    free(copy);
    return 0;
}
