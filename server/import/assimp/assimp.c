/* assimp.c - import_assimp() reads with assimp every format without a reader of our own; holds settings and workarounds
 * for Debian's 5.2.5. */
#include "import/assimp/assimp.h"
#include "import/assimp/assimp_lwo.h"
#include "import/assimp/assimp_mend.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deeper scenes are not released, because assimp's recursive destructor could overflow the stack. The process ends
 * soon. */
enum { RELEASED_DEPTH_MAX = 4096 };

/* No step changes bones or removes nodes, so the palette's order and all sockets stay. */
static const unsigned STEPS =
    aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_JoinIdenticalVertices | aiProcess_GenUVCoords;

/* assimp's name for the node that it adds above all bones of a Half-Life model. */
static const struct aiString MDL_BONES = {.length = 11, .data = "<MDL_bones>"};

/* assimp's MD5 reader skips a joints section without an empty line before it. */
static int check_md5(const struct assimp_job *job, struct err *err)
{
    if (!assimp_is_format(job, "md5mesh"))
        return 0;
    for (uint32_t m = 0; m < job->scene->mNumMeshes; m++)
        if (job->scene->mMeshes[m]->mNumBones > 0)
            return 0;
    return err_set(err, ERR_BAD_MODEL, "no joints could be read; the 'joints {' line needs an empty line before it");
}

/* Reports errors and losses of the LWO conversion; assimp_io.c repeats the conversion for assimp. */
static int check_lwo(const struct import *import, struct err *err)
{
    struct buf buf;
    bool has_textures;
    buf_init(&buf, 0);
    const int rc = assimp_lwo_convert(import->bytes, import->size_bytes, &buf, &has_textures, err);
    buf_fini(&buf);
    if (has_textures)
        bake_warn(import->builder, "textures_ignored",
                  "surfaces have pictures that lie by projection, which are not read of LightWave 5 objects");
    return rc;
}

static int add_clips(struct assimp_job *job, struct err *err)
{
    if (assimp_clips(job, assimp_is_format(job, "md5anim") ? assimp_md5_rate(job->import->bytes) : 0, err) < 0)
        return err->code;
    return assimp_is_format(job, "md5mesh") ? assimp_md5_clips(job, err) : 0;
}

static int convert(struct assimp_job *job, struct err *err)
{
    const struct aiScene *scene = job->scene;
    if (scene->mRootNode == NULL)
        return err_set(err, ERR_BAD_MODEL, "the file has no scene");
    if (node_tree_init(&job->tree, scene, job->import->limits, err) < 0)
        return err->code;
    if (scene->mNumMeshes == 0 && scene->mNumAnimations == 0 && job->tree.count <= 1)
        return err_set(err, ERR_BAD_MODEL, "the file holds no mesh, no skeleton and no animation");
    if (assimp_is_format(job, "mdl"))
        node_tree_join_siblings(&job->tree, &MDL_BONES);
    if (assimp_is_format(job, "3ds"))
        assimp_3ds_names(job);
    if (check_md5(job, err) < 0)
        return err->code;
    job->is_skeleton = assimp_is_format(job, "md5anim");
    assimp_warn(job);
    assimp_axes(job);
    if (assimp_materials(job, err) < 0)
        return err->code;
    if (assimp_skins(job, err) < 0 || assimp_nodes(job, err) < 0 || add_clips(job, err) < 0 ||
        assimp_extras(job, err) < 0)
        return err->code;
    import_sort_markers(job->import);
    return 0;
}

static bool has_faces(const struct aiScene *scene)
{
    for (uint32_t m = 0; scene != NULL && m < scene->mNumMeshes; m++)
        if (scene->mMeshes[m]->mNumFaces > 0)
            return true;
    return false;
}

int import_assimp(struct import *import, struct err *err)
{
    const struct file_format *format = file_format_of(import->path);
    struct assimp_job job = {.import = import, .extension = format != NULL ? format->extension : ""};
    if (assimp_is_format(&job, "mdl") && assimp_mdl_check(import, err) < 0)
        return err->code;
    if (assimp_is_format(&job, "lwo") && check_lwo(import, err) < 0)
        return err->code;
    const bool is_blend = assimp_is_format(&job, "blend");
    if (is_blend && assimp_check_blend(import->bytes, import->size_bytes, true, err) < 0)
        return err->code;
    job.scene = assimp_load(import, import_file_name(import), STEPS);
    if (is_blend && !has_faces(job.scene) && assimp_check_blend(import->bytes, import->size_bytes, false, err) < 0)
        return err->code;
    if (job.scene == NULL) {
        fprintf(stderr, "posed-import: assimp: %s\n", aiGetErrorString());
        return assimp_failure(job.extension, format != NULL ? format->name : "3D", aiGetErrorString(), err);
    }
    const int rc = convert(&job, err);
    const bool is_released = job.tree.depth <= RELEASED_DEPTH_MAX;
    skin_list_fini(&job.skins);
    node_tree_fini(&job.tree);
    free(job.shown_names);
    free(job.texcoords);
    texture_mixer_fini(&job.mixer);
    if (is_released)
        aiReleaseImport(job.scene);
    return rc;
}
