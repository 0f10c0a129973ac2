/* md2.c - import_md2(). */
#include "import/quake/md2.h"

static void set_axes(struct model_info *info)
{
    info->up[0] = info->up[1] = 0;
    info->up[2] = 1;
    info->forward[0] = 1;
    info->forward[1] = info->forward[2] = 0;
    info->flags |= MODEL_HAS_UP | MODEL_HAS_FORWARD;
}

int import_md2(struct import *import, struct err *err)
{
    struct md2 md2 = {.import = import};
    if (md2_file_read(&md2.file, import->bytes, import->size_bytes, err) < 0)
        return err->code;
    set_axes(import->info);
    int rc = md2_read_material(&md2, err);
    if (rc == 0)
        rc = md2_read_mesh(&md2, err);
    if (rc == 0)
        rc = md2_read_clips(&md2, err);
    return rc;
}
