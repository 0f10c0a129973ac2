/* Arbitrary bytes as an Ogre mesh, as a skeleton and as a material script: read and finished, or refused with a reason.
 * No companion files. */
#include "tests/fuzz/reader_target.h"

#include "import/ogre/ogre_script.h"
#include "import/ogre/ogre_skeleton.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    struct ogre_skeleton skeleton;
    struct ogre_script script = {0};
    struct err err = {0};
    reader_limits(&limits);
    limits.value[LIMIT_WEIGHTS] = 1000;
    reader_run("fuzz.mesh", import_ogre, data, size, &limits);
    uint8_t *copy = reader_copy(data, size);
    reader_check(ogre_skeleton_read(&skeleton, "fuzz.skeleton", copy, size, &err), &err);
    ogre_skeleton_fini(&skeleton);
    ogre_script_read(&script, (const char *)copy, size);
    ogre_script_fini(&script);
    free(copy);
    return 0;
}
