/* Blocks of this format version, kept as files: seeds for the fuzzer, and a guard for the version rule. This test fails
 * if the layout or meaning changes and BAKE_VERSION does not. WRITE_SEEDS=1 writes the files again. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_file(const char *path, const struct fixture *fixture)
{
    FILE *file = fopen(path, getenv("WRITE_SEEDS") != NULL ? "w+b" : "rb");
    if (file == NULL)
        fail_msg("cannot open '%s' (tests run in the repository's root)", path);
    if (getenv("WRITE_SEEDS") != NULL) {
        fwrite(fixture->block, 1, fixture->size_bytes, file);
        rewind(file);
    }
    char *bytes = calloc(1, fixture->size_bytes + 1);
    const size_t size_bytes = fread(bytes, 1, fixture->size_bytes + 1, file);
    fclose(file);
    const bool is_same = size_bytes == fixture->size_bytes && memcmp(bytes, fixture->block, size_bytes) == 0;
    free(bytes);
    if (!is_same)
        fail_msg("'%s' is not what is encoded today: if that is meant, increment BAKE_VERSION and write it anew", path);
}

TEST(bake_golden_blocks_are_of_this_version)
{
    struct fixture fixture;
    fixture_init(&fixture);
    fixture_finish(&fixture);
    check_file("tests/fuzz/corpus/bake/smallest.bin", &fixture);
    fixture_fini(&fixture);
    fixture_worked(&fixture);
    check_file("tests/fuzz/corpus/bake/worked.bin", &fixture);
    fixture_fini(&fixture);
    fixture_constrained(&fixture);
    check_file("tests/fuzz/corpus/bake/constrained.bin", &fixture);
    fixture_fini(&fixture);
}
