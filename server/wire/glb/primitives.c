#include "wire/glb/primitives.h"

#include "wire/encode/json.h"

/* OpenGL's numbers, which the specification uses (3.7.2.1). */
static const uint32_t MODES[] = {[TOPOLOGY_TRIANGLES] = 4, [TOPOLOGY_LINES] = 1, [TOPOLOGY_POINTS] = 0};

bool glb_has_normals(const struct primitive *primitive)
{
    return (primitive->flags & PRIMITIVE_FILE_NORMALS) != 0 ||
           (primitive->topology == TOPOLOGY_TRIANGLES && (primitive->flags & PRIMITIVE_FLAT) == 0);
}

void glb_put_attributes(struct buf *out, const uint32_t *accessors)
{
    static const char *const NAMES[] = {[GLB_POSITION] = "\"attributes\":{\"POSITION\":",
                                        [GLB_NORMAL] = ",\"NORMAL\":",
                                        [GLB_TANGENT] = ",\"TANGENT\":",
                                        [GLB_TEXCOORD] = ",\"TEXCOORD_0\":",
                                        [GLB_SECOND_TEXCOORD] = ",\"TEXCOORD_1\":",
                                        [GLB_COLOR] = ",\"COLOR_0\":"};
    for (int a = GLB_POSITION; a <= GLB_COLOR; a++) {
        if (accessors[a] == GLB_NONE)
            continue;
        buf_put_text(out, NAMES[a]);
        json_put_uint(out, accessors[a]);
    }
}

void glb_put_mode(struct buf *out, const struct primitive *primitive)
{
    if (primitive->topology != TOPOLOGY_TRIANGLES)
        json_printf(out, ",\"mode\":%u", MODES[primitive->topology]);
}
