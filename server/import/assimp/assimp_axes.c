/* assimp_axes.c - reads axes and unit. The scene keeps the file's own, so this file undoes assimp's conversion at the
 * root. */
#include "import/assimp/assimp.h"

#include <math.h>
#include <string.h>

/* The forward direction of a format's models, in the file's own axes. In engines of the Quake family an entity with a
 * rotation of 0 degrees faces +x (AngleVectors() of Quake's mathlib.c). In Blitz3D it faces +z (MoveEntity), which
 * becomes -z in right-handed axes. For IQM, which belongs to no engine, the direction is a guess. */
static const struct facing {
    const char *extensions;
    float forward[3];
    uint32_t says; /* MODEL_HAS_FORWARD if the direction is certain */
} FACING[] = {
    {"md3 mdc mdl", {1, 0, 0}, MODEL_HAS_FORWARD},
    {"b3d", {0, 0, -1}, MODEL_HAS_FORWARD},
    {"iqm", {1, 0, 0}, 0},
};

/* Undoes the rotation to Y-up that assimp's reader of some formats puts into an extra root node. Row `r` of the root's
 * rotation is assimp's axis r in the file's axes: rows y and z give up and forward. */
static void undo_root(struct assimp_job *job)
{
    struct model_info *info = job->import->info;
    struct dmat4 *root = &job->tree.nodes[0].parent_from_node;
    const double *m = root->m;
    const double unit = sqrt(m[1] * m[1] + m[5] * m[5] + m[9] * m[9]);
    if (!(unit > 0) || m[12] != 0 || m[13] != 0 || m[14] != 0)
        return;
    for (int c = 0; c < 3; c++) {
        info->up[c] = (float)(m[4 * c + 1] / unit);
        info->forward[c] = (float)(m[4 * c + 2] / unit);
    }
    info->flags |= MODEL_HAS_UP;
    *root = DMAT4_IDENTITY;
}

static void say_z_up(struct model_info *info)
{
    info->up[0] = info->up[1] = 0;
    info->up[2] = 1;
    info->forward[0] = info->forward[2] = 0;
    info->forward[1] = -1;
    info->flags |= MODEL_HAS_UP;
}

/* IFC: assimp has converted lengths to metres and made y up. The site's placement is on the same node and stays. */
static void undo_ifc(struct assimp_job *job)
{
    static const struct dmat4 Z_FROM_Y = {{1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1}};
    struct model_info *info = job->import->info;
    struct dmat4 *root = &job->tree.nodes[0].parent_from_node;
    *root = dmat4_mul(&Z_FROM_Y, root);
    say_z_up(info);
    info->unit_m = 1;
    info->flags |= MODEL_HAS_UNIT;
}

void assimp_axes(struct assimp_job *job)
{
    struct model_info *info = job->import->info;
    const struct aiString *generator = assimp_metadata(job->scene->mMetaData, "SourceAsset_Generator", AI_AISTRING);
    if (generator != NULL)
        info->generator = assimp_text(job->import->builder, generator);
    if (assimp_is_format(job, "md5mesh md5anim 3ds ase dxf mdl md3 mdc"))
        undo_root(job);
    /* assimp keeps these axes, and the formats' own programs have z up: Blender, trueSpace, Valve's engines,
     * Quick3D. */
    if (assimp_is_format(job, "blend cob smd q3o q3s"))
        say_z_up(info);
    for (size_t i = 0; i < sizeof FACING / sizeof *FACING; i++)
        if (assimp_is_format(job, FACING[i].extensions)) {
            memcpy(info->forward, FACING[i].forward, sizeof info->forward);
            info->flags |= FACING[i].says;
        }
    if (assimp_is_format(job, "ifc"))
        undo_ifc(job);
}
