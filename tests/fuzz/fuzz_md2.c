/* Arbitrary bytes as an MD2 model, and as a PCX picture: read, or refused with a reason. No companion files. */
#include "tests/fuzz/reader_target.h"

#include "import/texture/texture_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    struct err err = {0};
    struct image image;
    reader_limits(&limits);
    limits.value[LIMIT_WEIGHTS] = 1000;
    reader_run("fuzz.md2", import_md2, data, size, &limits);
    reader_check(image_decode(data, size, &limits, &image, &err), &err);
    image_fini(&image);
    return 0;
}
