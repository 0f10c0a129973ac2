/* hits_cost.c - the cost of answers about volumes and rays. The cost of hits is only counted during the cast. */
#include "wire/hits/raycast.h"

#include "anim/hits/hit_cache.h"
#include "wire/request/crowd_request.h"
#include "wire/request/request_raycast.h"

/* Estimates fitting volumes to the vertices, once per content, and for each node that draws them. Stops at
 * COST_ENOUGH_NS. */
static double fit_cost_ns(const struct model *model, enum volume_kind fit)
{
    if (model->hits != NULL && hit_cache_has_set(model->hits, fit))
        return 0;
    double ns = (double)model->position_count * COST_FIT_NS;
    for (uint32_t d = 0; d < model->draw_count && ns <= COST_ENOUGH_NS; d++)
        ns += (model->primitives[model->draws[d].primitive].vertex_count + 1.0) * COST_FIT_NS;
    return ns;
}

/* Returns how many poses an entity of a raycast needs; each layer counts. */
static uint32_t raycast_poses(const struct request *request, uint32_t index)
{
    const struct raycast_target *target = &request->hits.raycast->targets[index];
    return 1 + raycast_layers(request, target->begin) +
           (target->end >= 0 ? 1 + raycast_layers(request, (uint32_t)target->end) : 0);
}

/* Estimates sorting a model's triangles and their blocks, once per content, and then the boxes of each pose. */
static double mesh_cost_ns(const struct model *model)
{
    const bool is_there = model->hits != NULL && hit_cache_has_mesh(model->hits);
    return (double)hit_mesh_vertices(model) * COST_VERTEX_NS +
           (double)model->index_count * (is_there ? COST_BOX_NS : COST_ORDER_NS);
}

double cost_of_hitboxes(const struct cost_input *input)
{
    const struct model *model = input->model;
    return fit_cost_ns(model, input->request->hits.fit) + (double)model->node_count * COST_VOLUME_NS +
           cost_of_text(model);
}

/* Estimates the names of an entity of a JSON raycast; a binary one uses indices for clips and nodes. */
static double entity_names_cost_ns(const struct cost_input *input, const struct raycast_target *target,
                                   const struct model *model)
{
    const struct request_pose *poses = input->request->hits.raycast->poses;
    if (poses == NULL)
        return 0;
    return cost_of_names(input, &poses[target->begin], model) +
           (target->end >= 0 ? cost_of_names(input, &poses[target->end], model) : 0);
}

double cost_of_raycast(const struct cost_input *input)
{
    const struct request *request = input->request;
    const struct request_raycast *raycast = request->hits.raycast;
    double ns = (double)raycast->ray_count * COST_RAY_NS + (double)raycast->entity_count * COST_CAST_ENTITY_NS;
    for (uint32_t e = 0; e < raycast->entity_count && ns <= COST_ENOUGH_NS; e++) {
        const struct model *model = raycast_model(request, e, input->model, input->sources);
        ns += entity_names_cost_ns(input, &raycast->targets[e], model);
        ns += (double)raycast_poses(request, e) * (double)pose_step_count(model) * COST_CAST_JOINT_NS;
        ns += request->hits.is_of_meshes
                  ? mesh_cost_ns(model) + (double)model->draw_count * raycast->ray_count * COST_DRAW_NS
                  : fit_cost_ns(model, request->hits.fit);
    }
    return ns;
}
