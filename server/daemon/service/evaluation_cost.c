#include "daemon/service/evaluator.h"

/* Rough costs, to tell microseconds from milliseconds: sampling, multiplying and printing one node or joint (or any
 * other thing of a list); moving and printing one vertex; looking at one vertex, weight or morph delta; compressing
 * one byte of a texture. */
enum { COST_NODE_NS = 300, COST_VERTEX_NS = 100, COST_LOOK_NS = 2, COST_PIXEL_BYTE_NS = 10 };
/* Finding the partner of a node in another file, and what else that takes of its size. */
enum { COST_PARTNER_NS = 500, COPIED_BYTES_PER_NS = 4 };
enum { COST_CLIP_POSES = 1000 }; /* of a whole clip: keys are not counted to find out */

/* Everything that /v1/model lists or adds up. */
static double list_cost_ns(const struct model *model)
{
    const double listed = (double)model->node_count + model->joint_count + model->skin_count + model->mesh_count +
                          model->primitive_count + model->clip_count + model->material_count + model->texture_count +
                          model->source_file_count + model->warning_count;
    return listed * COST_NODE_NS + ((double)model->position_count + model->channel_count) * COST_LOOK_NS;
}

/* A mesh counts for each node that draws it; stops counting when that is enough. */
static double draw_cost_ns(const struct model *model)
{
    double ns = (double)model->draw_count * COST_NODE_NS;
    for (uint32_t d = 0; d < model->draw_count && ns <= EVALUATION_INLINE_NS; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        ns += (double)p->vertex_count * (COST_VERTEX_NS + (double)p->morph_target_count * COST_LOOK_NS);
    }
    return ns;
}

/* Joints that are printed in each frame; a skin may be asked for many times. By name, any skin: the largest sum. */
static double joint_count(const struct model *model, const struct request *request)
{
    double count = request->skin_count == 0 ? model->joint_count : 0;
    for (uint32_t i = 0; i < request->skin_count; i++) {
        const struct selector *skin = &request->skins[i];
        const bool is_known = skin->kind == SELECT_INDEX && skin->index < model->skin_count;
        count += is_known ? model->skins[skin->index].joint_count : model->joint_count;
    }
    return count;
}

/* Nodes that are printed in each frame: all, or those asked for; a subtree may be all of them again. */
static double selected_count(const struct model *model, const struct request *request)
{
    double count = request->joint_count == 0 ? model->node_count : 0;
    for (uint32_t i = 0; i < request->joint_count; i++)
        count += request->joints[i].scope == BLEND_NODE ? 1 : model->node_count;
    return count;
}

static double frame_cost_ns(const struct model *model, const struct request *request)
{
    const double ns = (double)model->node_count * COST_NODE_NS + (double)model->weight_count * COST_LOOK_NS;
    switch (request->op) {
    case OP_PALETTE:
        return ns + joint_count(model, request) * COST_NODE_NS;
    case OP_POSE:
        return ns + selected_count(model, request) * COST_NODE_NS;
    default:
        return ns + (double)model->joint_count * COST_NODE_NS + draw_cost_ns(model);
    }
}

/* Each name is looked for in the whole list. */
static double lookup_cost_ns(const struct model *model, const struct request *request)
{
    return ((double)request->joint_count * model->node_count + (double)request->skin_count * model->skin_count) *
           COST_LOOK_NS;
}

/* Playing the clips of another file. */
static double partner_cost_ns(const struct model *model, const struct model *clips)
{
    return ((double)model->node_count + clips->node_count) * COST_PARTNER_NS +
           ((double)model->text_byte_count + clips->channel_count) / COPIED_BYTES_PER_NS;
}

double evaluation_cost_ns(const struct model *model, const struct model *const *sources, const struct request *request)
{
    if (request->op == OP_OPEN)
        return 0;
    if (request->op == OP_FIND)
        return (double)model->node_count * COST_LOOK_NS + (double)model->joint_count * COST_LOOK_NS;
    if (request->op == OP_MODEL)
        return list_cost_ns(model);
    const bool has_pictures = request->format == FORMAT_GLB && !request->has_no_textures;
    double once_ns =
        lookup_cost_ns(model, request) + (has_pictures ? (double)model->pixel_byte_count * COST_PIXEL_BYTE_NS : 0);
    for (uint32_t i = 0; i < request->source_count; i++)
        once_ns += partner_cost_ns(model, sources[i]);
    const double frame_ns = frame_cost_ns(model, request);
    if (request->is_over_clip)
        return once_ns + frame_ns * COST_CLIP_POSES;
    const double frames = request->time_count == 0 ? 1 : request->time_count;
    return once_ns + frames * frame_ns * (request->layer_count > 0 ? 2 * request->layer_count : 1);
}
