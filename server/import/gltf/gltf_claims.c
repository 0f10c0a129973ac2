#include "import/gltf/gltf_claims.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const GLTF_PATHS[] = {[PATH_TRANSLATION] = "translation",
                                  [PATH_ROTATION] = "rotation",
                                  [PATH_SCALE] = "scale",
                                  [PATH_WEIGHTS] = "weights",
                                  [PATH_VISIBILITY] = "visibility"};

enum { SINGLE_WEIGHTS = PATH_COUNT, COLUMNS };

void gltf_claims_init(struct gltf_claims *claims, const struct gltf *gltf)
{
    const struct bake_builder *builder = gltf->builder;
    const uint32_t mesh_count = gltf->lists[GLTF_MESHES].count;
    *claims = (struct gltf_claims){
        .gltf = gltf,
        .of_path = mem_zalloc((size_t)builder->node_count * COLUMNS, sizeof(uint32_t)),
        .of_weight = mem_zalloc(builder->weight_count, sizeof(uint32_t)),
        .of_mesh = mem_zalloc(mesh_count, sizeof(uint32_t)),
        .of_mesh_weight = mem_zalloc(builder->weight_count, sizeof(uint32_t)),
        .first_node = mem_zalloc(mesh_count, sizeof(uint32_t)),
        .next_node = mem_zalloc(builder->node_count, sizeof(uint32_t)),
    };
    for (uint32_t n = gltf->lists[GLTF_NODES].count; n-- > 0;) {
        const cJSON *node = gltf_item(gltf, GLTF_NODES, n);
        const int64_t mesh = json_index(node, "mesh");
        if (mesh < 0 || json_member(node, "weights") != NULL)
            continue;
        claims->next_node[n] = claims->first_node[mesh];
        claims->first_node[mesh] = n + 1;
    }
}

void gltf_claims_fini(struct gltf_claims *claims)
{
    free(claims->of_path);
    free(claims->of_weight);
    free(claims->of_mesh);
    free(claims->of_mesh_weight);
    free(claims->first_node);
    free(claims->next_node);
}

/* Whether a node has the morph weights that the target moves. */
static bool has_weights(const struct gltf_claims *claims, const struct gltf_target *target, const char *where)
{
    struct bake_builder *builder = claims->gltf->builder;
    const uint32_t weight_count = builder->nodes[target->node].weight_count;
    if (weight_count > 0 && target->weight < (int64_t)weight_count)
        return true;
    bake_warn(builder, "channel_ignored", "%s moves morph weights of nodes[%u], which has %s", where,
              (uint32_t)target->node, weight_count == 0 ? "none" : "fewer");
    return false;
}

static uint32_t *row_of(const struct gltf_claims *claims, const struct gltf_target *target)
{
    return claims->of_path + (size_t)target->node * COLUMNS;
}

static size_t weight_of(const struct gltf_claims *claims, const struct gltf_target *target)
{
    return claims->gltf->builder->nodes[target->node].weight_first + (size_t)target->weight;
}

bool gltf_claims_node(struct gltf_claims *claims, const struct gltf_target *target, const char *where)
{
    const bool is_single = target->weight >= 0;
    if (target->path == PATH_WEIGHTS && !has_weights(claims, target, where))
        return false;
    uint32_t *row = row_of(claims, target);
    uint32_t *own = is_single ? &claims->of_weight[weight_of(claims, target)] : &row[target->path];
    if (*own == claims->clip || row[target->path] == claims->clip ||
        (!is_single && target->path == PATH_WEIGHTS && row[SINGLE_WEIGHTS] == claims->clip)) {
        bake_warn(claims->gltf->builder, "channel_ignored", "%s moves the %s of nodes[%u], as a channel before it does",
                  where, GLTF_PATHS[target->path], (uint32_t)target->node);
        return false;
    }
    *own = claims->clip;
    if (is_single)
        row[SINGLE_WEIGHTS] = claims->clip;
    return true;
}

/* A channel that the mesh has already had is known here: looking at all its nodes again would take the product of both
 * numbers. */
bool gltf_claims_mesh(struct gltf_claims *claims, const struct gltf_target *target, const char *where)
{
    struct gltf_target first = *target;
    if (!gltf_claims_next(claims, &first))
        return true;
    if (!has_weights(claims, &first, where))
        return false;
    uint32_t *whole = &claims->of_mesh[target->mesh];
    uint32_t *own = target->weight >= 0 ? &claims->of_mesh_weight[weight_of(claims, &first)] : whole;
    if (*whole == claims->clip || *own == claims->clip) {
        bake_warn(claims->gltf->builder, "channel_ignored",
                  "%s moves the weights of meshes[%u], as a channel before it does", where, (uint32_t)target->mesh);
        return false;
    }
    *own = claims->clip;
    return true;
}

bool gltf_claims_next(const struct gltf_claims *claims, struct gltf_target *target)
{
    target->node = (int64_t)(target->node < 0 ? claims->first_node[target->mesh] : claims->next_node[target->node]) - 1;
    return target->node >= 0;
}
