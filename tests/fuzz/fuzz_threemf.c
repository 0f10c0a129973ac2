/* Arbitrary bytes as a 3MF file: a package if they begin like a zip, else the root model part of a package, so that its
 * checksums are correct. Read and finished, or refused with a reason. */
#include "tests/fuzz/reader_target.h"
#include "tests/fuzz/support/stored_zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t PICTURE[] = "\x89PNG\r\n\x1a\n";
    const struct stored_file files[] = {{"3D/3dmodel.model", data, size}, {"3D/t.png", PICTURE, sizeof PICTURE - 1}};
    struct limits limits;
    reader_limits(&limits);
    limits.value[LIMIT_NODES] = 1000;
    if (size >= 2 && data[0] == 'P' && data[1] == 'K') {
        reader_run("fuzz.3mf", import_threemf, data, size, &limits);
        return 0;
    }
    struct buf zip;
    buf_init(&zip, 0);
    stored_zip(&zip, files, 2);
    reader_run("fuzz.3mf", import_threemf, (const uint8_t *)zip.data, zip.size_bytes, &limits);
    buf_fini(&zip);
    return 0;
}
