/* gltf_pointer.c - KHR_animation_pointer (Khronos): channels that name their target with a JSON pointer (RFC 6901). */
#include "import/gltf/gltf.h"

#include <string.h>

/* Reads an index below `count` at *at (RFC 6901, 4: no leading zeros) and moves *at behind it. */
static bool read_index(const char **at, uint32_t count, int64_t *out)
{
    const char *digits = *at, *end = digits;
    uint64_t index = 0;
    while (*end >= '0' && *end <= '9' && index < count)
        index = 10 * index + (uint64_t)(*end++ - '0');
    *at = end;
    *out = (int64_t)index;
    return end > digits && (*digits != '0' || end == digits + 1) && index < count;
}

/* "weights" or "weights/3". */
static bool read_weight(const char *text, struct gltf_target *out)
{
    static const char WEIGHTS[] = "weights";
    if (strncmp(text, WEIGHTS, sizeof WEIGHTS - 1) != 0)
        return false;
    const char *at = text + sizeof WEIGHTS - 1;
    out->path = PATH_WEIGHTS;
    if (*at == '\0')
        return true;
    return *at++ == '/' && read_index(&at, UINT32_MAX, &out->weight) && *at == '\0';
}

bool gltf_pointer_read(const struct gltf *gltf, const char *pointer, struct gltf_target *out)
{
    static const char *const MEMBERS[] = {[PATH_TRANSLATION] = "translation",
                                          [PATH_ROTATION] = "rotation",
                                          [PATH_SCALE] = "scale",
                                          [PATH_WEIGHTS] = "weights",
                                          [PATH_VISIBILITY] = "extensions/KHR_node_visibility/visible"};
    static const char NODES[] = "/nodes/", MESHES[] = "/meshes/";
    *out = (struct gltf_target){.node = -1, .mesh = -1, .path = -1, .weight = -1};
    if (strncmp(pointer, MESHES, sizeof MESHES - 1) == 0) {
        pointer += sizeof MESHES - 1;
        return read_index(&pointer, gltf->lists[GLTF_MESHES].count, &out->mesh) && *pointer == '/' &&
               read_weight(pointer + 1, out);
    }
    if (strncmp(pointer, NODES, sizeof NODES - 1) != 0)
        return false;
    pointer += sizeof NODES - 1;
    if (!read_index(&pointer, gltf->lists[GLTF_NODES].count, &out->node) || *pointer != '/')
        return false;
    if (read_weight(pointer + 1, out))
        return true;
    out->path = json_word(pointer + 1, MEMBERS, PATH_COUNT);
    return out->path >= 0;
}
