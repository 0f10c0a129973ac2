/* Opens arbitrary bytes as a .posed file, unchanged and with the correct checksum, and uses everything of an accepted
 * model. */
#include "anim/posed_file/posed_file.h"

#include "anim/posed_file/posed_file_format.h"
#include "tests/unit/support/walk_model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_and_walk(const void *bytes, size_t size)
{
    struct posed_file file;
    struct err err;
    if (posed_file_open(&file, bytes, size, &err) < 0)
        return;
    walk_model(&file.model);
    posed_file_fini(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *block = NULL;
    struct posed_file_header header;
    if (posix_memalign(&block, BAKE_ALIGNMENT, size) != 0)
        abort();
    if (size > 0)
        memcpy(block, data, size);
    open_and_walk(block, size);
    if (size >= sizeof header) {
        memcpy(&header, block, sizeof header);
        header.checksum = posed_file_checksum(&header, (const char *)block + sizeof header, size - sizeof header);
        memcpy(block, &header, sizeof header);
        open_and_walk(block, size);
    }
    free(block);
    return 0;
}
