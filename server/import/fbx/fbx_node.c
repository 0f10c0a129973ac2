/* fbx_node.c - converts every Model to a node: names, parents, rest transforms, the scene's roots. */
#include "import/fbx/fbx.h"

#include "anim/pose/scale_frame.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- transforms --- */

/* An integer property within 0..largest, or the fallback. */
static int64_t choice(const struct fbx *fbx, uint32_t object, const char *name, int64_t largest, int64_t fallback)
{
    int64_t value = fallback;
    fbx_property_integer(&fbx->scene, object, name, &value);
    return value >= 0 && value <= largest ? value : fallback;
}

/* Reads a vector if it exists and is finite. Otherwise *out keeps its value; *is_broken is set if the vector exists. */
static void read_vector(const struct fbx_scene *scene, uint32_t object, const char *name, double out[3],
                        bool *is_broken)
{
    double value[3];
    if (!fbx_property_real3(scene, object, name, value))
        return;
    if (fbx_fits_float(value, 3))
        memcpy(out, value, sizeof value);
    else
        *is_broken = true;
}

static bool read_transform(const struct fbx *fbx, uint32_t object, struct fbx_transform_values *out)
{
    const struct fbx_scene *scene = &fbx->scene;
    int64_t is_active = 1, is_for_limits = 0;
    bool is_broken = false;
    *out = FBX_TRANSFORM_NONE;
    read_vector(scene, object, "Lcl Translation", out->translation, &is_broken);
    read_vector(scene, object, "Lcl Rotation", out->rotation_deg, &is_broken);
    read_vector(scene, object, "Lcl Scaling", out->scaling, &is_broken);
    read_vector(scene, object, "PreRotation", out->pre_rotation_deg, &is_broken);
    read_vector(scene, object, "PostRotation", out->post_rotation_deg, &is_broken);
    read_vector(scene, object, "RotationOffset", out->rotation_offset, &is_broken);
    read_vector(scene, object, "RotationPivot", out->rotation_pivot, &is_broken);
    read_vector(scene, object, "ScalingOffset", out->scaling_offset, &is_broken);
    read_vector(scene, object, "ScalingPivot", out->scaling_pivot, &is_broken);
    out->order = (enum fbx_rotation_order)choice(fbx, object, "RotationOrder", FBX_ORDER_COUNT - 1, FBX_ORDER_XYZ);
    fbx_property_integer(scene, object, "RotationActive", &is_active);
    fbx_property_integer(scene, object, "RotationSpaceForLimitOnly", &is_for_limits);
    out->is_rotation_space = is_active != 0 && is_for_limits == 0;
    return !is_broken;
}

void fbx_transform_values(const struct fbx *fbx, uint32_t object, struct fbx_transform_values *out)
{
    read_transform(fbx, object, out);
}

static struct trs node_from_geometry(const struct fbx *fbx, uint32_t object, bool *is_broken)
{
    struct fbx_geometric_values values = FBX_GEOMETRIC_NONE;
    read_vector(&fbx->scene, object, "GeometricTranslation", values.translation, is_broken);
    read_vector(&fbx->scene, object, "GeometricRotation", values.rotation_deg, is_broken);
    read_vector(&fbx->scene, object, "GeometricScaling", values.scaling, is_broken);
    return fbx_geometric_trs(&values);
}

/* FbxTransform::EInheritType: RrSs, RSrs, Rrs. */
static uint32_t scale_flags(const struct fbx *fbx, uint32_t object)
{
    static const uint32_t FLAGS[3] = {NODE_SCALE_BY_AXIS, 0, NODE_SCALE_OWN};
    return FLAGS[choice(fbx, object, "InheritType", 2, 1)];
}

static bool trs_fits_float(const struct trs *trs)
{
    return fbx_fits_float(trs->translation, 3) && fbx_fits_float(trs->rotation, 4) && fbx_fits_float(trs->scale, 3);
}

static void store_trs(const struct trs *trs, struct node *node)
{
    for (int i = 0; i < 3; i++) {
        node->translation[i] = (float)trs->translation[i];
        node->scale[i] = (float)trs->scale[i];
    }
    for (int i = 0; i < 4; i++)
        node->rotation[i] = (float)trs->rotation[i];
}

/* The last of several meshes of a Model counts, as with the SDK's GetMesh(). */
static uint32_t last_geometry(const struct fbx *fbx, uint32_t object)
{
    uint32_t count, geometry = FBX_NONE;
    const struct fbx_link *links = fbx_children(&fbx->scene, object, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].property.size_bytes > 0 || !fbx_object_is(&fbx->scene, links[i].child, "Geometry", "Mesh"))
            continue;
        if (geometry != FBX_NONE && geometry != links[i].child)
            bake_warn(fbx->builder, "meshes_ignored", "%s has several meshes: the last one counts",
                      FBX_OBJECT_TEXT(&fbx->scene, object));
        geometry = links[i].child;
    }
    return geometry;
}

static int read_node(struct fbx *fbx, uint32_t n, struct trs *rest, struct err *err)
{
    const uint32_t object = fbx->object_of[n];
    const struct str name = fbx_name(fbx, object);
    struct node *node = &fbx->builder->nodes[n];
    struct fbx_transform_values values;
    bool is_broken = !read_transform(fbx, object, &values);
    *rest = fbx_transform_trs(&values);
    *node = (struct node){.name = name, .parent = -1, .mesh = -1, .skin = -1, .matrix = -1};
    node->flags = scale_flags(fbx, object);
    store_trs(rest, node);
    fbx->geometry_of[n] = last_geometry(fbx, object);
    fbx->node_from_geometry[n] = node_from_geometry(fbx, object, &is_broken);
    if (is_broken)
        bake_warn(fbx->builder, "not_finite_repaired",
                  "%s has a transform that is not finite: what is not, is left out",
                  FBX_OBJECT_TEXT(&fbx->scene, object));
    if (!trs_fits_float(rest) || !trs_fits_float(&fbx->node_from_geometry[n]))
        return err_set(err, ERR_BAD_MODEL, "%s has a transform that is not finite",
                       FBX_OBJECT_TEXT(&fbx->scene, object));
    return 0;
}

/* --- the tree --- */

/* The Model to which it is linked; of several, the last in the file's order of objects. */
static int32_t parent_of(struct fbx *fbx, uint32_t n)
{
    uint32_t count, found = 0;
    int32_t parent = -1;
    const struct fbx_link *links = fbx_parents(&fbx->scene, fbx->object_of[n], &count);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t other = fbx->node_of[links[i].parent];
        if (links[i].property.size_bytes > 0 || links[i].child_property.size_bytes > 0 || other < 0)
            continue;
        found += other != parent;
        parent = other > parent ? other : parent;
    }
    if (found > 1)
        bake_warn(fbx->builder, "several_parents", "%s hangs from several nodes: only one of them moves it",
                  FBX_OBJECT_TEXT(&fbx->scene, fbx->object_of[n]));
    return parent;
}

/* Each node has at most one parent, so a node is in a cycle if the walk up from it returns to it. Each node is visited
 * once: `walk` holds the number of the walk that visited it. */
static int check_cycles(const struct fbx *fbx, struct err *err)
{
    const struct node *nodes = fbx->builder->nodes;
    uint32_t *walk = mem_zalloc((size_t)fbx->node_count + 1, sizeof *walk);
    int rc = 0;
    for (uint32_t start = 0; start < fbx->node_count && rc == 0; start++) {
        int32_t at = (int32_t)start;
        while (at >= 0 && walk[at] == 0) {
            walk[at] = start + 1;
            at = nodes[at].parent;
        }
        if (at >= 0 && walk[at] == start + 1)
            rc =
                err_set(err, ERR_BAD_MODEL, "%s is its own ancestor", FBX_OBJECT_TEXT(&fbx->scene, fbx->object_of[at]));
    }
    free(walk);
    return rc;
}

static int read_tree(struct fbx *fbx, struct err *err)
{
    for (uint32_t n = 0; n < fbx->node_count; n++)
        fbx->builder->nodes[n].parent = parent_of(fbx, n);
    if (check_cycles(fbx, err) < 0)
        return err->code;
    for (uint32_t n = 0; n < fbx->node_count; n++)
        if (fbx->builder->nodes[n].parent < 0 && import_put_root(fbx->import, &n, err) < 0)
            return err->code;
    return 0;
}

/* A parent may follow its child in the file, so this walks up to the nearest completed node and then back down. */
static void compose_rest(struct fbx *fbx, const struct trs *rests)
{
    const struct node *nodes = fbx->builder->nodes;
    struct scale_frame *frames = mem_alloc(fbx->node_count * sizeof *frames);
    uint32_t *path = mem_alloc(fbx->node_count * sizeof *path);
    bool *is_done = mem_zalloc((size_t)fbx->node_count + 1, sizeof *is_done);
    for (uint32_t n = 0; n < fbx->node_count; n++) {
        uint32_t length = 0;
        for (int32_t at = (int32_t)n; at >= 0 && !is_done[at]; at = nodes[at].parent)
            path[length++] = (uint32_t)at;
        while (length > 0) {
            const uint32_t at = path[--length];
            const int32_t parent = nodes[at].parent;
            frames[at] = scale_frame_below(parent < 0 ? NULL : &frames[parent], &rests[at], nodes[at].flags);
            fbx->scene_from_node[at] = scale_frame_matrix(&frames[at]);
            is_done[at] = true;
        }
    }
    free(frames);
    free(path);
    free(is_done);
}

/* --- all --- */

static void find_models(struct fbx *fbx)
{
    const uint32_t count = fbx->scene.object_count;
    fbx->node_of = mem_alloc((size_t)count * sizeof *fbx->node_of);
    fbx->object_of = mem_alloc((size_t)count * sizeof *fbx->object_of);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_node = i != FBX_ROOT && fbx_object_is(&fbx->scene, i, "Model", NULL);
        fbx->node_of[i] = is_node ? (int32_t)fbx->node_count : -1;
        if (is_node)
            fbx->object_of[fbx->node_count++] = i;
    }
}

static void find_first_nodes(struct fbx *fbx)
{
    const size_t bytes = fbx->scene.object_count * sizeof *fbx->shown_by;
    fbx->shown_by = mem_alloc(bytes);
    memset(fbx->shown_by, 0xff, bytes); /* FBX_NONE */
    for (uint32_t n = fbx->node_count; n-- > 0;)
        if (fbx->geometry_of[n] != FBX_NONE)
            fbx->shown_by[fbx->geometry_of[n]] = n;
}

int fbx_read_nodes(struct fbx *fbx, struct err *err)
{
    find_models(fbx);
    const uint32_t count = fbx->node_count;
    if (import_check_limit(fbx->import, LIMIT_NODES, 0, count, "nodes", err) < 0)
        return err->code;
    if (bake_add_node(fbx->builder, count) == NULL)
        return import_full(fbx->import, err);
    fbx->geometry_of = mem_alloc(count * sizeof *fbx->geometry_of);
    fbx->scene_from_node = mem_alloc(count * sizeof *fbx->scene_from_node);
    fbx->node_from_geometry = mem_alloc(count * sizeof *fbx->node_from_geometry);
    struct trs *rests = mem_alloc(count * sizeof *rests);
    int rc = 0;
    for (uint32_t n = 0; n < count && rc == 0; n++)
        rc = read_node(fbx, n, &rests[n], err);
    if (rc == 0) {
        find_first_nodes(fbx);
        rc = read_tree(fbx, err);
    }
    if (rc == 0)
        compose_rest(fbx, rests);
    free(rests);
    return rc;
}
