#include "tests/unit/obj/obj_run.h"

#include "tests/unit/support/check.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void obj_run_bytes(struct assimp_run *run, const char *bytes, size_t size_bytes)
{
    struct import import = assimp_run_start(run, "a.obj");
    uint8_t *copy = mem_zalloc(size_bytes + 1, 1);
    memcpy(copy, bytes, size_bytes);
    import.bytes = copy;
    import.size_bytes = size_bytes;
    run->rc = import_obj(&import, &run->err);
    free(copy);
}

void obj_run_text(struct assimp_run *run, const char *text, const char *mtl)
{
    assimp_run_init(run);
    temp_tree_file(&run->tree, "a.obj", "");
    if (mtl != NULL)
        temp_tree_file(&run->tree, "a.mtl", mtl);
    obj_run_bytes(run, text, strlen(text));
    if (run->rc == 0)
        assimp_run_finish(run);
}

void obj_run_good(struct assimp_run *run, const char *text, const char *mtl)
{
    obj_run_text(run, text, mtl);
    if (run->rc < 0)
        fail_msg("%s", run->err.message);
}

uint32_t obj_run_vertex(const struct assimp_run *run, double x, double y, double z)
{
    for (uint32_t i = 0; i < run->model.index_count; i++) {
        const struct vec3 at = run->model.positions[run->model.indices[i]];
        if (fabs((double)at.x - x) < 1e-6 && fabs((double)at.y - y) < 1e-6 && fabs((double)at.z - z) < 1e-6)
            return run->model.indices[i];
    }
    fail_msg("no vertex at %g %g %g", x, y, z);
    return 0;
}

bool obj_run_is_text(const struct assimp_run *run, struct str str, const char *text)
{
    return str.offset != STR_NONE && str.size_bytes == strlen(text) &&
           memcmp(run->model.text + str.offset, text, str.size_bytes) == 0;
}
