/* PNG and APNG files in posectl's reader: accepted files have their pixels, and are the same after writing and reading.
 */
#include "clients/cli/sheet/apng_file.h"
#include "render/image/image_sequence.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t PIXELS_MAX = 1 << 16;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apng_file file, again;
    struct text problem = {0};
    uint8_t *exact = malloc(size + (size == 0)); /* so that a read past the end is detected */
    if (exact == NULL)
        abort();
    if (size > 0)
        memcpy(exact, data, size);
    const int rc = apng_file_read(exact, size, PIXELS_MAX, &file, &problem);
    free(exact);
    if ((rc < 0) != (problem.size_bytes > 0) || (rc < 0 && file.pixels != NULL))
        abort();
    if (rc == 0) {
        const size_t count = (size_t)file.width * file.height * file.frame_count;
        const struct image_sequence sequence = {.pixels = file.pixels,
                                                .width = file.width,
                                                .height = file.height,
                                                .frame_count = file.frame_count,
                                                .durations_ms = file.durations_ms,
                                                .loops = file.loops,
                                                .form = {.has_alpha = true}};
        struct buf out;
        struct err err;
        buf_init(&out, 0);
        if (count > PIXELS_MAX || image_sequence_put(&out, SHEET_APNG, &sequence, &err) < 0 ||
            apng_file_read(out.data, out.size_bytes, PIXELS_MAX, &again, &problem) < 0 ||
            again.frame_count != file.frame_count || memcmp(again.pixels, file.pixels, 4 * count) != 0)
            abort();
        apng_file_free(&again);
        buf_fini(&out);
    }
    apng_file_free(&file);
    text_free(&problem);
    return 0;
}
