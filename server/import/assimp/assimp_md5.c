/* assimp_md5.c - every .md5anim beside a .md5mesh becomes a clip of it. The format has no link between the two: it is
 * their joints that say whether they belong together. */
#include "import/assimp/assimp_clip.h"

#include <assimp/cimport.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char EXTENSION[] = ".md5anim";

/* The node that assimp puts above all joints, in meshes and in clips. */
static const struct aiString JOINTS = {.length = 15, .data = "<MD5_Hierarchy>"};

static bool is_same_name(const struct aiString *a, const struct aiString *b)
{
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

static const struct aiString *parent_name(const struct node_tree *tree, uint32_t i)
{
    static const struct aiString none = {0};
    const uint32_t parent = tree->nodes[i].parent;
    return parent == NODE_TREE_NONE ? &none : &tree->nodes[parent].node->mName;
}

/* A joint of `a` that `b` does not have below the same parent, or NULL. */
static const struct aiString *find_stranger(const struct node_tree *a, const struct node_tree *b)
{
    const uint32_t top = node_tree_find(a, &JOINTS);
    /* Parents come first, so the joints are one stretch behind their top node. */
    for (uint32_t i = top == NODE_TREE_NONE ? a->count : top + 1; i < a->count; i++) {
        const struct aiString *name = &a->nodes[i].node->mName;
        const uint32_t found = node_tree_find(b, name);
        if (found == NODE_TREE_NONE || !is_same_name(parent_name(a, i), parent_name(b, found)))
            return name;
    }
    return NULL;
}

static bool has_joints_of_mesh(struct assimp_job *job, const struct node_tree *clip, const char *file)
{
    struct bake_builder *builder = job->import->builder;
    const struct aiString *extra = find_stranger(clip, &job->tree), *lacking = find_stranger(&job->tree, clip);
    if (extra == NULL && lacking == NULL)
        return true;
    bake_warn(builder, "clip_joints_differ", "%s is no clip of this mesh: %s a joint '%s' where %s has none", file,
              extra != NULL ? "it has" : "it lacks", extra != NULL ? extra->data : lacking->data,
              extra != NULL ? "the mesh" : "it");
    return false;
}

/* assimp takes the number lines of the header for values of the first, so it never sees this one. */
double assimp_md5_rate(const uint8_t *bytes)
{
    static const char KEY[] = "frameRate";
    for (const char *line = (const char *)bytes; line != NULL; line = strpbrk(line, "\r\n")) {
        line += strspn(line, " \t\r\n");
        if (strncmp(line, KEY, sizeof KEY - 1) != 0 || strchr(" \t", line[sizeof KEY - 1]) == NULL)
            continue;
        const double rate = strtod(line + sizeof KEY - 1, NULL);
        return isfinite(rate) && rate > 0 ? rate : 0;
    }
    return 0;
}

static int add_clips(struct assimp_job *job, const struct aiScene *scene, const char *file, struct err *err)
{
    const uint8_t *bytes; /* read for assimp before, so this costs nothing */
    size_t size_bytes;
    if (source_files_read(job->import->files, file, SOURCE_COMPANION, &bytes, &size_bytes, err) < 0)
        return err->code;
    struct node_tree tree;
    if (node_tree_init(&tree, scene, job->import->limits, err) < 0)
        return err->code;
    int rc = 0;
    if (has_joints_of_mesh(job, &tree, file))
        for (uint32_t a = 0; a < scene->mNumAnimations && rc == 0; a++)
            rc = assimp_add_clip(job, scene->mAnimations[a],
                                 bake_text(job->import->builder, file, strlen(file) - strlen(EXTENSION)),
                                 assimp_md5_rate(bytes), err);
    node_tree_fini(&tree);
    return rc;
}

static int add_file(struct assimp_job *job, const char *file, struct err *err)
{
    const struct aiScene *scene = assimp_load(job->import, file, 0);
    if (scene == NULL || scene->mRootNode == NULL || scene->mNumAnimations == 0) {
        bake_warn(job->import->builder, "clip_unreadable", "%s cannot be read: %s", file,
                  scene == NULL ? "it does not follow the format" : "it holds no animation");
        if (scene != NULL)
            aiReleaseImport(scene);
        return 0;
    }
    const int rc = add_clips(job, scene, file, err);
    aiReleaseImport(scene);
    return rc < 0 ? err_prefix(err, "%s", file) : 0;
}

/* "bob" of "models/bob.md5mesh". */
static bool has_models_stem(const struct assimp_job *job, const char *file)
{
    const char *model = import_file_name(job->import);
    const size_t size = (size_t)(strrchr(model, '.') - model);
    return strlen(file) == size + strlen(EXTENSION) && memcmp(file, model, size) == 0;
}

int assimp_md5_clips(struct assimp_job *job, struct err *err)
{
    const char *const *files;
    size_t count;
    if (source_files_list(job->import->files, EXTENSION, &files, &count, err) < 0)
        return err->code;
    /* The clip of the mesh's own name first: it is the one shown when none is asked for. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            if (has_models_stem(job, files[i]) == (pass == 0) && add_file(job, files[i], err) < 0)
                return err->code;
    return 0;
}
