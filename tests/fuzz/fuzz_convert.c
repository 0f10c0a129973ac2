/* Arbitrary bytes as a LightWave object to be rewritten for assimp, and as a 3D Studio file whose keyframer is read.
 */
#include "import/assimp/assimp.h"
#include "import/assimp/assimp_lwo.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct buf buf;
    bool has_textures;
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    buf_init(&buf, 0);
    const int rc = assimp_lwo_convert(copy, size, &buf, &has_textures, &err);
    if (rc < 0 && (err.code != rc || err.message[0] == '\0'))
        abort();
    buf_fini(&buf);
    if (assimp_3ds_false_keyframer(copy, size) > size)
        abort();
    free(copy);
    return 0;
}
