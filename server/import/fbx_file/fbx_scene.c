/* fbx_scene.c - converts a file's records to objects and links, step by step (fbx_scene.h). */
#include "import/fbx_file/fbx_scene.h"

#include "import/fbx_file/fbx_scene_internal.h"

#include <stdlib.h>

/* KTime has 46186158000 ticks per second in all versions before 8000. TCDefinition decides if FBXHeaderVersion is at
 * least 1004: 127 selects this rate, and any other value selects 141120000, the rate of FBX 8 ("FbxTime", FBX SDK
 * 2020). */
static double ticks_per_s(const struct fbx_file *file)
{
    enum { OLD_DEFINITION = 127, HEADER_VERSION = 1004, VERSION_NEW_TIME = 8000 };
    const uint32_t header = fbx_child(file, FBX_TOP, "FBXHeaderExtension");
    const uint32_t flags = fbx_child(file, header, "OtherFlags");
    const int64_t by_version = file->version < VERSION_NEW_TIME ? OLD_DEFINITION : 0;
    const bool is_counted = fbx_child_integer(file, header, "FBXHeaderVersion", 0) >= HEADER_VERSION;
    const int64_t definition = is_counted ? fbx_child_integer(file, flags, "TCDefinition", by_version) : by_version;
    return definition == OLD_DEFINITION ? 46186158000.0 : 141120000.0;
}

double fbx_ticks_s(const struct fbx_scene *scene, int64_t ticks) { return (double)ticks / scene->ticks_per_s; }

static bool is_scene(const struct fbx_file *file)
{
    return fbx_child(file, FBX_TOP, "Objects") != FBX_NONE || fbx_child(file, FBX_TOP, "Model") != FBX_NONE ||
           fbx_child(file, FBX_TOP, "FBXHeaderExtension") != FBX_NONE;
}

int fbx_scene_read(struct fbx_scene *scene, struct import *import, struct err *err)
{
    *scene = (struct fbx_scene){.import = import, .takes = FBX_NONE};
    if (fbx_file_read(&scene->file, import->bytes, import->size_bytes, import->limits, err) < 0)
        return err->code;
    if (!is_scene(&scene->file))
        return err_set(err, ERR_NOT_A_MODEL, "the file is no FBX file: it has neither objects nor models nor a header");
    scene->ticks_per_s = ticks_per_s(&scene->file);
    scene->takes = fbx_child(&scene->file, FBX_TOP, "Takes");
    if (fbx_read_objects(scene, err) < 0)
        return err->code;
    fbx_read_templates(scene);
    fbx_index_objects(scene);
    if (fbx_make_parts(scene, err) < 0 || fbx_read_links(scene, err) < 0)
        return err->code;
    fbx_index_links(scene);
    if (fbx_link_textures(scene, err) < 0)
        return err->code;
    fbx_give_old_settings(scene);
    fbx_index_given(scene);
    free(scene->links);
    scene->links = NULL;
    return 0;
}

void fbx_scene_fini(struct fbx_scene *scene)
{
    fbx_file_fini(&scene->file);
    free(scene->objects);
    free(scene->links);
    free(scene->links_by_parent);
    free(scene->links_by_child);
    free(scene->properties);
    free(scene->given);
    free(scene->ids);
    free(scene->names);
    *scene = (struct fbx_scene){.takes = FBX_NONE};
}
