/* fbx_state.c - begins and ends a struct fbx. */
#include "import/fbx/fbx.h"

#include <stdlib.h>

void fbx_init(struct fbx *fbx, struct import *import)
{
    *fbx = (struct fbx){.import = import, .builder = import->builder};
}

void fbx_fini(struct fbx *fbx)
{
    fbx_skins_fini(fbx);
    fbx_scene_fini(&fbx->scene);
    free(fbx->node_of);
    free(fbx->material_of);
    free(fbx->material_uvs);
    free(fbx->clip_of);
    free(fbx->clip_starts_s);
    free(fbx->object_of);
    free(fbx->shown_by);
    free(fbx->geometry_of);
    free(fbx->scene_from_node);
    free(fbx->node_from_geometry);
    *fbx = (struct fbx){0};
}
