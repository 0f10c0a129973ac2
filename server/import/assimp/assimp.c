/* Every format but glTF, by assimp: settings and repairs for Debian's 5.2.5. */
#include "import/assimp/assimp_io.h"
#include "import/assimp/assimp.h"
#include "import/collada/collada.h"
#include "import/fbx/fbx_takes.h"
#include "import/source/formats.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this depth assimp's recursive destructor could overflow the stack; the process ends soon anyway. */
enum { RELEASED_DEPTH_MAX = 4096 };

/* Nothing that touches bones or drops nodes: the palette's order and every socket stay. */
static const unsigned STEPS =
    aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_JoinIdenticalVertices | aiProcess_GenUVCoords;

/* What assimp calls the node of its own making above all bones of a Half-Life model. */
static const struct aiString MDL_BONES = {.length = 11, .data = "<MDL_bones>"};

struct str assimp_text(struct bake_builder *builder, const struct aiString *name)
{
    return bake_text(builder, name->length == 0 ? NULL : name->data, name->length);
}

int32_t assimp_node_named(const struct assimp_job *job, const struct aiString *name)
{
    const uint32_t i = node_tree_find(&job->tree, name);
    return i == NODE_TREE_NONE ? -1 : (int32_t)job->tree.nodes[i].model_node;
}

int assimp_no_room(const struct assimp_job *job, struct err *err)
{
    return err_set(err, ERR_MODEL_LIMIT, "the model takes more bytes than %s, or than there is memory",
                   LIMIT_TEXT(job->import->limits, LIMIT_BAKED_BYTES));
}

static const char *file_name(const struct import *import)
{
    const char *slash = strrchr(import->path, '/');
    return slash != NULL ? slash + 1 : import->path;
}

static bool is_model(const struct import *import, const char *file) { return strcmp(file_name(import), file) == 0; }

const struct aiScene *assimp_load_file(struct import *import, const char *file, unsigned steps, bool by_name)
{
    struct assimp_io io;
    uint8_t *widened = NULL;
    size_t widened_bytes;
    assimp_io_init(&io, import->files, file);
    const struct file_format *format = file_format_of(file);
    if (is_model(import, file) && format != NULL && strcmp(format->ending, "fbx") == 0 &&
        fbx_widen_takes(import->bytes, import->size_bytes, &widened, &widened_bytes)) {
        io.bytes = widened;
        io.size_bytes = widened_bytes;
    }
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_MD5_NO_ANIM_AUTOLOAD, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, by_name);
    const struct aiScene *scene = aiImportFileExWithProperties(file, steps, &io.io, settings);
    aiReleasePropertyStore(settings);
    free(widened);
    return scene;
}

const struct aiScene *assimp_load(struct import *import, bool by_name)
{
    return assimp_load_file(import, file_name(import), by_name ? 0 : STEPS, by_name);
}

static int load_error(struct err *err)
{
    const char *why = aiGetErrorString();
    if (strstr(why, "bad_alloc") != NULL || strstr(why, "bad allocation") != NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory");
    return err_set(err, ERR_BAD_MODEL, "%s", why[0] != '\0' ? why : "assimp cannot read it");
}

/* assimp's MD5 reader passes over a joints section that no empty line precedes. */
static int check_md5(const struct assimp_job *job, struct err *err)
{
    if (strcmp(job->ending, "md5mesh") != 0)
        return 0;
    for (uint32_t m = 0; m < job->scene->mNumMeshes; m++)
        if (job->scene->mMeshes[m]->mNumBones > 0)
            return 0;
    return err_set(err, ERR_BAD_MODEL, "no joints could be read; the 'joints {' line needs an empty line before it");
}

static int convert(struct assimp_job *job, struct err *err)
{
    const struct aiScene *scene = job->scene;
    if (scene->mRootNode == NULL)
        return err_set(err, ERR_BAD_MODEL, "the file has no scene");
    if (node_tree_init(&job->tree, scene, job->import->limits, err) < 0)
        return err->code;
    if (scene->mNumMeshes == 0 && scene->mNumAnimations == 0 && job->tree.model_node_count <= 1)
        return err_set(err, ERR_BAD_MODEL, "the file holds no mesh, no skeleton and no animation");
    if (strcmp(job->ending, "mdl") == 0)
        node_tree_join_siblings(&job->tree, &MDL_BONES);
    if (check_md5(job, err) < 0 || assimp_collada(job, err) < 0)
        return err->code;
    job->is_skeleton = strcmp(job->ending, "md5anim") == 0 || strcmp(job->ending, "bvh") == 0;
    assimp_warn(job);
    assimp_axes(job);
    if (assimp_materials(job, err) < 0)
        return err->code;
    assimp_find_attributes(job);
    if (assimp_skins(job, err) < 0 || assimp_nodes(job, err) < 0 || assimp_clips(job, err) < 0 ||
        assimp_extras(job, err) < 0)
        return err->code;
    return 0;
}

int import_assimp(struct import *import, struct err *err)
{
    const struct file_format *format = file_format_of(import->path);
    struct assimp_job job = {.import = import, .ending = format != NULL ? format->ending : ""};
    job.scene = assimp_load(import, false);
    if (job.scene == NULL)
        return load_error(err);
    const int rc = convert(&job, err);
    const bool is_released = job.tree.depth <= RELEASED_DEPTH_MAX;
    skin_list_fini(&job.skins);
    node_tree_fini(&job.tree);
    free(job.shown.names);
    free(job.texture_images);
    free(job.texcoords);
    texture_mixer_fini(&job.mixer);
    if (job.collada != NULL)
        collada_fini(job.collada);
    free(job.collada);
    if (is_released)
        aiReleaseImport(job.scene);
    return rc;
}
