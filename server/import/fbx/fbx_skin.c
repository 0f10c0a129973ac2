/* fbx_skin.c - converts the clusters of a geometry, in the file's order, to the joints of a skin.
 *
 * A joint's matrix goes from the mesh's node to the bone in the bind pose (fbx_bone_from_node()), after the geometric
 * transform for control points. Points without a cluster follow the mesh's own node, for which a skin has one more
 * joint, the last. */
#include "import/fbx/fbx_deform.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/mesh/vertex_set.h"

#include <stdlib.h>
#include <string.h>

static uint32_t bone_of(const struct fbx *fbx, uint32_t cluster)
{
    const uint32_t model = fbx_first_child(&fbx->scene, cluster, "Model", NULL);
    return model == FBX_NONE || fbx->node_of[model] < 0 ? FBX_NONE : (uint32_t)fbx->node_of[model];
}

static void warn_of_cluster(struct fbx *fbx, uint32_t geometry, uint32_t cluster)
{
    const struct fbx_scene *scene = &fbx->scene;
    if (fbx_child(&scene->file, scene->objects[cluster].record, "Indexes") != FBX_NONE)
        bake_warn(fbx->builder, "bone_without_node", "%s of %s has no bone: its weights are left out",
                  FBX_OBJECT_TEXT(scene, cluster), FBX_OBJECT_TEXT(scene, geometry));
}

static void find_clusters(struct fbx *fbx, uint32_t geometry, uint32_t skin, struct fbx_clusters *clusters)
{
    uint32_t link_count = 0;
    const struct fbx_link *links = fbx_children(&fbx->scene, skin, &link_count);
    *clusters = (struct fbx_clusters){.objects = mem_alloc(link_count * sizeof *clusters->objects),
                                      .nodes = mem_alloc(link_count * sizeof *clusters->nodes),
                                      .skin = skin};
    for (uint32_t i = 0; i < link_count; i++) {
        if (!fbx_object_is(&fbx->scene, links[i].child, "Deformer", "Cluster"))
            continue;
        const uint32_t bone = bone_of(fbx, links[i].child);
        if (bone == FBX_NONE) {
            warn_of_cluster(fbx, geometry, links[i].child);
            continue;
        }
        clusters->objects[clusters->count] = links[i].child;
        clusters->nodes[clusters->count++] = bone;
    }
}

static void clusters_fini(struct fbx_clusters *clusters)
{
    free(clusters->objects);
    free(clusters->nodes);
}

/* --- joints --- */

static int add_skin(struct fbx *fbx, struct fbx_bind_poses *poses, uint32_t node, const struct fbx_clusters *clusters,
                    const struct fbx_weights *weights, struct err *err)
{
    struct bake_builder *builder = fbx->builder;
    const bool has_own_joint = weights->has_loose_points;
    const struct skin skin = {.name = fbx_name(fbx, clusters->skin),
                              .joint_first = builder->joint_count,
                              .joint_count = clusters->count + has_own_joint,
                              .mesh_node = -1,
                              .method = weights->method};
    const struct dmat4 node_from_geometry = dmat4_from_trs(&fbx->node_from_geometry[node]);
    struct joint *joints = bake_add_joint(builder, skin.joint_count);
    if (joints == NULL)
        return import_full(fbx->import, err);
    for (uint32_t c = 0; c < clusters->count; c++) {
        const struct dmat4 from_node = fbx_bone_from_node(fbx, poses, node, clusters->objects[c], clusters->nodes[c]);
        const struct dmat4 from_geometry = dmat4_mul(&from_node, &node_from_geometry);
        joints[c] = (struct joint){.joint_from_bind = mat4_from_dmat4(&from_geometry), .node = clusters->nodes[c]};
    }
    if (has_own_joint)
        joints[clusters->count] = (struct joint){.joint_from_bind = mat4_from_dmat4(&node_from_geometry), .node = node};
    fbx->skin_of[node] = (int32_t)builder->skin_count;
    return import_put_skin(fbx->import, &skin, err);
}

/* --- nodes that show the same --- */

/* An earlier node with the same skin: no joint is the node itself, and the geometric transform is the same. Otherwise
 * returns -1, and later calls find this node's own skin. */
static int32_t shared_skin(const struct fbx *fbx, struct vertex_set *skinned, uint32_t node,
                           const struct fbx_weights *weights)
{
    if (weights->has_loose_points)
        return -1;
    const uint64_t by_weights = hash64(HASH64_SEED, &weights, sizeof weights);
    uint32_t *slot = vertex_set_first(skinned, hash64(by_weights, &fbx->node_from_geometry[node], sizeof(struct trs)));
    while (*slot != VERTEX_NONE &&
           (fbx->weights_of[*slot] != weights ||
            memcmp(&fbx->node_from_geometry[*slot], &fbx->node_from_geometry[node], sizeof(struct trs)) != 0))
        slot = vertex_set_next(skinned, slot);
    if (*slot != VERTEX_NONE)
        return fbx->skin_of[*slot];
    *slot = node;
    return -1;
}

static int read_skin(struct fbx *fbx, struct vertex_set *skinned, struct fbx_bind_poses *poses, uint32_t node,
                     uint32_t skin, struct err *err)
{
    const uint32_t first = fbx->shown_by[fbx->geometry_of[node]];
    if (first < node) {
        fbx->weights_of[node] = fbx->weights_of[first];
        if (fbx->weights_of[node] == NULL)
            return 0;
        fbx->skin_of[node] = shared_skin(fbx, skinned, node, fbx->weights_of[node]);
        if (fbx->skin_of[node] >= 0)
            return 0;
    }
    struct fbx_clusters clusters;
    find_clusters(fbx, fbx->geometry_of[node], skin, &clusters);
    int rc = 0;
    if (clusters.count > 0 && fbx->weights_of[node] == NULL)
        rc = fbx_weights_read(fbx, fbx->geometry_of[node], &clusters, &fbx->weights_of[node], err);
    if (rc == 0 && fbx->weights_of[node] != NULL) {
        if (first == node)
            shared_skin(fbx, skinned, node, fbx->weights_of[node]);
        rc = add_skin(fbx, poses, node, &clusters, fbx->weights_of[node], err);
    }
    clusters_fini(&clusters);
    return rc;
}

/* The first skin of a geometry; others are left out with a warning. */
static uint32_t skin_deformer_of(struct fbx *fbx, uint32_t geometry)
{
    uint32_t count = 0, found = FBX_NONE;
    const struct fbx_link *links = fbx_children(&fbx->scene, geometry, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!fbx_object_is(&fbx->scene, links[i].child, "Deformer", "Skin"))
            continue;
        if (found != FBX_NONE) {
            bake_warn(fbx->builder, "skins_ignored", "%s has several skins: the first one counts",
                      FBX_OBJECT_TEXT(&fbx->scene, geometry));
            break;
        }
        found = links[i].child;
    }
    return found;
}

int fbx_read_skins(struct fbx *fbx, struct err *err)
{
    fbx->skin_of = mem_alloc(fbx->node_count * sizeof *fbx->skin_of);
    fbx->weights_of = mem_zalloc(fbx->node_count, sizeof *fbx->weights_of);
    for (uint32_t n = 0; n < fbx->node_count; n++)
        fbx->skin_of[n] = -1;
    struct vertex_set skinned; /* of nodes */
    struct fbx_bind_poses poses = {0};
    vertex_set_init(&skinned, fbx->node_count);
    uint32_t *skins = mem_alloc(fbx->node_count * sizeof *skins);
    int rc = 0;
    for (uint32_t n = 0; n < fbx->node_count && rc == 0; n++) {
        const uint32_t geometry = fbx->geometry_of[n], first = geometry == FBX_NONE ? n : fbx->shown_by[geometry];
        skins[n] = geometry == FBX_NONE ? FBX_NONE : first < n ? skins[first] : skin_deformer_of(fbx, geometry);
        if (skins[n] != FBX_NONE)
            rc = read_skin(fbx, &skinned, &poses, n, skins[n], err);
    }
    free(skins);
    free(skinned.slots);
    fbx_bind_poses_fini(&poses);
    return rc;
}

void fbx_skins_fini(struct fbx *fbx)
{
    for (uint32_t n = 0; n < fbx->node_count && fbx->weights_of != NULL; n++) {
        struct fbx_weights *weights = fbx->weights_of[n];
        if (weights == NULL || fbx->shown_by[fbx->geometry_of[n]] < n) /* another node's */
            continue;
        fbx_weights_free(weights);
    }
    free(fbx->skin_of);
    free(fbx->weights_of);
}
