/* ogre_bones.c - adds the bones of a skeleton as nodes, and the skin that binds vertices to them.
 *
 * A bone inherits its parent's scale per axis, along its own axes (OgreNode.cpp, Node::updateFromParentImpl).
 * NODE_SCALE_BY_AXIS marks such nodes. If all scales are uniform, a plain node gives the same result. */
#include "import/ogre/ogre.h"
#include "import/source/source_search.h"

#include "anim/pose/scale_frame.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_NAME_SIZE = 1024 };

/* --- files --- */

/* Reads the file that a text names. Returns 0, 1 if it is not available (*err explains why), or an error of the
 * model. */
static int open_skeleton(struct ogre *ogre, struct ogre_text name, struct ogre_skeleton *out, struct err *err)
{
    char file[FILE_NAME_SIZE];
    struct source_bytes from;
    if (name.size_bytes == 0 || name.size_bytes >= sizeof file || memchr(name.text, '\0', name.size_bytes) != NULL) {
        err_set(err, ERR_COMPANION_MISSING, "the name of the skeleton is none of a file");
        return 1;
    }
    memcpy(file, name.text, name.size_bytes);
    file[name.size_bytes] = '\0';
    const int rc = source_search(ogre->import, file, SOURCE_COMPANION, &from, err);
    if (rc == ERR_COMPANION_MISSING || rc == ERR_FORBIDDEN || rc == ERR_LFS_POINTER)
        return 1;
    if (rc < 0)
        return rc;
    return ogre_skeleton_read(out, file, from.bytes, from.size_bytes, err);
}

static int read_links(struct ogre *ogre, struct err *err)
{
    const struct ogre_skeleton *skeleton = &ogre->skeleton;
    ogre->linked = mem_zalloc(skeleton->link_count + 1, sizeof *ogre->linked);
    for (size_t i = 0; i < skeleton->link_count; i++) {
        const int rc = open_skeleton(ogre, skeleton->links[i].file, &ogre->linked[i], err);
        if (rc < 0)
            return rc;
        if (rc > 0)
            bake_warn(ogre->builder, "clips_not_read", "the clips of a linked skeleton are not read: %s", err->message);
        err->code = 0;
    }
    return 0;
}

static int read_skeleton(struct ogre *ogre, struct err *err)
{
    if (ogre->mesh.skeleton.size_bytes == 0)
        return 0;
    const int rc = open_skeleton(ogre, ogre->mesh.skeleton, &ogre->skeleton, err);
    if (rc < 0)
        return rc;
    if (rc > 0) {
        bake_warn(ogre->builder, "skeleton_not_read", "the mesh is shown as bound: %s", err->message);
        err->code = 0;
        return 0;
    }
    ogre->has_skeleton = ogre->skeleton.bone_count > 0;
    return read_links(ogre, err);
}

/* --- scales --- */

static bool is_uneven(const double scale[3]) { return scale[0] != scale[1] || scale[0] != scale[2]; }

static bool has_uneven_keys(const struct ogre_skeleton *skeleton)
{
    for (size_t a = 0; a < skeleton->animation_count; a++)
        for (size_t t = 0; t < skeleton->animations[a].track_count; t++) {
            const struct ogre_bone_track *track = &skeleton->animations[a].tracks[t];
            for (size_t k = 0; k < track->key_count; k++)
                if (is_uneven(track->keys[k].change.scale))
                    return true;
        }
    return false;
}

static void look_at_scales(struct ogre *ogre)
{
    bool is_found = has_uneven_keys(&ogre->skeleton);
    for (size_t i = 0; i < ogre->skeleton.bone_count; i++)
        is_found |= is_uneven(ogre->skeleton.bones[i].parent_from_bone.scale);
    for (size_t i = 0; i < ogre->skeleton.link_count; i++)
        is_found |= has_uneven_keys(&ogre->linked[i]);
    ogre->has_uneven_scales = is_found;
    if (is_found)
        bake_warn(ogre->builder, "bone_scales_approximated",
                  "bones have scales that differ by axis: they act along the bone's axes, in Ogre along the model's");
}

/* --- nodes --- */

static int add_node(struct ogre *ogre, const struct ogre_bone *bone, struct err *err)
{
    const struct trs *local = &bone->parent_from_bone;
    struct node node = {.name = ogre_put_text(ogre, bone->name),
                        .parent = bone->parent,
                        .mesh = -1,
                        .skin = -1,
                        .matrix = -1,
                        .flags = ogre->has_uneven_scales && bone->parent >= 0 ? NODE_SCALE_BY_AXIS : 0};
    for (int i = 0; i < 4; i++) {
        node.rotation[i] = (float)local->rotation[i];
        if (i < 3) {
            node.translation[i] = (float)local->translation[i];
            node.scale[i] = (float)local->scale[i];
        }
    }
    const uint32_t index = ogre->builder->node_count;
    if (import_put_node(ogre->import, &node, err) < 0)
        return err->code;
    return bone->parent < 0 ? import_put_root(ogre->import, &index, err) : 0;
}

/* Computes the bind transforms of all bones, parents first. */
static int find_frames(struct ogre *ogre, struct scale_frame *frames, struct err *err)
{
    enum { UNKNOWN, ON_PATH, KNOWN };
    const struct ogre_skeleton *skeleton = &ogre->skeleton;
    uint8_t *states = mem_zalloc(skeleton->bone_count, 1);
    int32_t *path = mem_alloc(skeleton->bone_count * sizeof *path);
    for (size_t b = 0; b < skeleton->bone_count && err->code == 0; b++) {
        size_t length = 0;
        int32_t at = (int32_t)b;
        for (; at >= 0 && states[at] == UNKNOWN; at = skeleton->bones[at].parent) {
            states[at] = ON_PATH;
            path[length++] = at;
        }
        if (at >= 0 && states[at] == ON_PATH)
            err_set(err, ERR_BAD_MODEL, "bone %u of the skeleton is below itself", skeleton->bones[at].handle);
        while (length > 0 && err->code == 0) {
            const struct ogre_bone *bone = &skeleton->bones[path[--length]];
            const struct scale_frame *parent = bone->parent < 0 ? NULL : &frames[bone->parent];
            const uint32_t flags = ogre->builder->nodes[path[length]].flags;
            frames[path[length]] = scale_frame_below(parent, &bone->parent_from_bone, flags);
            states[path[length]] = KNOWN;
        }
    }
    free(states);
    free(path);
    return err->code;
}

static int add_skin(struct ogre *ogre, const struct scale_frame *frames, struct err *err)
{
    const uint32_t count = (uint32_t)ogre->skeleton.bone_count;
    const struct skin skin = {.name = {.offset = STR_NONE}, .joint_count = count, .mesh_node = -1};
    struct joint *joints = bake_add_joint(ogre->builder, count);
    if (joints == NULL)
        return import_full(ogre->import, err);
    for (uint32_t b = 0; b < count; b++) {
        const struct dmat4 scene_from_bone = scale_frame_matrix(&frames[b]);
        struct dmat4 bone_from_scene;
        if (!dmat4_invert(&scene_from_bone, &bone_from_scene))
            return err_set(err, ERR_BAD_MODEL, "bone %u of the skeleton is scaled to nothing where it is bound",
                           ogre->skeleton.bones[b].handle);
        joints[b] = (struct joint){.joint_from_bind = mat4_from_dmat4(&bone_from_scene), .node = b};
    }
    ogre->skin = 0;
    return import_put_skin(ogre->import, &skin, err);
}

int ogre_read_bones(struct ogre *ogre, struct err *err)
{
    if (read_skeleton(ogre, err) < 0)
        return err->code;
    if (!ogre->has_skeleton)
        return 0;
    if (import_check_limit(ogre->import, LIMIT_NODES, 0, ogre->skeleton.bone_count, "the skeleton", err) < 0 ||
        import_check_limit(ogre->import, LIMIT_JOINTS, 0, ogre->skeleton.bone_count, "the skeleton", err) < 0)
        return err->code;
    look_at_scales(ogre);
    for (size_t i = 0; i < ogre->skeleton.bone_count; i++)
        if (add_node(ogre, &ogre->skeleton.bones[i], err) < 0)
            return err->code;
    struct scale_frame *frames = mem_zalloc(ogre->skeleton.bone_count, sizeof *frames);
    int rc = find_frames(ogre, frames, err);
    if (rc == 0)
        rc = add_skin(ogre, frames, err);
    free(frames);
    return rc;
}
