/* gltf_pointer.c - KHR_animation_pointer (Khronos): channels that name their target with a JSON pointer (RFC 6901). */
#include "import/gltf/gltf.h"

#include <string.h>

bool gltf_pointer_read(const struct gltf *gltf, const char *pointer, int64_t *node, int *path)
{
    static const char *const MEMBERS[] = {[PATH_TRANSLATION] = "translation",
                                          [PATH_ROTATION] = "rotation",
                                          [PATH_SCALE] = "scale",
                                          [PATH_WEIGHTS] = "weights",
                                          [PATH_VISIBILITY] = "extensions/KHR_node_visibility/visible"};
    static const char NODES[] = "/nodes/";
    if (strncmp(pointer, NODES, sizeof NODES - 1) != 0)
        return false;
    const char *at = pointer + sizeof NODES - 1;
    const bool is_canonical = *at != '0' || at[1] == '/'; /* RFC 6901, 4: no leading zeros */
    uint64_t index = 0;
    const char *digits = at;
    while (*at >= '0' && *at <= '9' && index < gltf->lists[GLTF_NODES].count)
        index = 10 * index + (uint64_t)(*at++ - '0');
    if (at == digits || !is_canonical || *at != '/' || index >= gltf->lists[GLTF_NODES].count)
        return false;
    *node = (int64_t)index;
    *path = json_word(at + 1, MEMBERS, PATH_COUNT);
    return *path >= 0;
}
