/* ogre.c - import_ogre(): from a file's bytes to the builder, part by part (ogre.h). */
#include "import/ogre/ogre.h"

#include <stdlib.h>

/* Ogre is right-handed and y points up; nothing says what a unit is, or which way a model faces. */
static void set_axes(const struct ogre *ogre)
{
    struct model_info *info = ogre->import->info;
    info->up[0] = info->up[2] = 0;
    info->up[1] = 1;
    info->flags |= MODEL_HAS_UP;
}

static int read_all(struct ogre *ogre, struct err *err)
{
    if (ogre_mesh_read(&ogre->mesh, ogre->import->bytes, ogre->import->size_bytes, err) < 0)
        return err->code;
    set_axes(ogre);
    if (ogre_read_bones(ogre, err) < 0 || ogre_read_materials(ogre, err) < 0 || ogre_read_submeshes(ogre, err) < 0 ||
        ogre_read_clips(ogre, err) < 0)
        return err->code;
    return ogre->builder->is_failed ? import_full(ogre->import, err) : 0;
}

int import_ogre(struct import *import, struct err *err)
{
    struct ogre ogre = {.import = import, .builder = import->builder, .skin = -1};
    err->code = 0;
    const int rc = read_all(&ogre, err);
    for (size_t i = 0; ogre.linked != NULL && i < ogre.skeleton.link_count; i++)
        ogre_skeleton_fini(&ogre.linked[i]);
    free(ogre.linked);
    ogre_skeleton_fini(&ogre.skeleton);
    ogre_mesh_fini(&ogre.mesh);
    free(ogre.surfaces);
    return rc;
}
