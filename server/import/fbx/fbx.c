/* fbx.c - import_fbx(): from a file's bytes to the builder, part by part (fbx.h). */
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

static int read_all(struct fbx *fbx, struct err *err)
{
    if (fbx_scene_read(&fbx->scene, fbx->import, err) < 0)
        return err->code;
    fbx_read_settings(fbx);
    if (fbx_read_nodes(fbx, err) < 0 || fbx_read_materials(fbx, err) < 0 || fbx_read_skins(fbx, err) < 0 ||
        fbx_read_meshes(fbx, err) < 0 || fbx_read_cameras(fbx, err) < 0 || fbx_read_clips(fbx, err) < 0)
        return err->code;
    fbx_simplify_scales(fbx);
    fbx_read_visibility(fbx);
    if (fbx_read_extras(fbx, err) < 0 || fbx_read_document(fbx, err) < 0)
        return err->code;
    return fbx->builder->is_failed ? import_full(fbx->import, err) : 0;
}

int import_fbx(struct import *import, struct err *err)
{
    struct fbx fbx;
    fbx_init(&fbx, import);
    const int rc = read_all(&fbx, err);
    fbx_fini(&fbx);
    return rc;
}
