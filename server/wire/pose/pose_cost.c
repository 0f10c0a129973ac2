/* pose_cost.c - cost and size of answers about a model at given times. */
#include "wire/pose/pose_bodies.h"

#include "wire/encode/frames.h"

/* Estimates all draws: a mesh counts once per node that draws it. Stops at COST_ENOUGH_NS. vertex_ns: cost of a vertex.
 */
static double draw_cost_ns(const struct model *model, double vertex_ns)
{
    double ns = (double)model->draw_count * COST_NODE_NS;
    for (uint32_t d = 0; d < model->draw_count && ns <= COST_ENOUGH_NS; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        ns += (double)p->vertex_count * (vertex_ns + (double)p->morph_target_count * COST_LOOK_NS);
    }
    return ns;
}

/* Returns the joints printed per frame; a request may repeat a skin. A name may refer to any skin, so the largest
 * counts. */
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

/* Returns the nodes printed per frame: all, or the requested ones; each subtree may contain all nodes. */
static double selected_count(const struct model *model, const struct request *request)
{
    double count = request->pose.joint_count == 0 ? model->node_count : 0;
    for (uint32_t i = 0; i < request->pose.joint_count; i++)
        count += request->pose.joints[i].scope == BLEND_NODE ? 1 : model->node_count;
    return count;
}

/* Estimates sampling all nodes at one time. */
static double sampling_cost_ns(const struct model *model)
{
    return ((double)model->node_count + model->constraint_count) * COST_NODE_NS +
           (double)model->weight_count * COST_LOOK_NS;
}

/* Estimates all frames and the work done once. */
static double frames_cost_ns(const struct cost_input *input, double frame_ns)
{
    const struct request *request = input->request;
    const double once_ns = cost_of_lookup(input) + cost_of_textures(input);
    if (request->bounds.is_over_clip)
        return once_ns + frame_ns * COST_CLIP_POSES;
    const double frames = request->pose.time_count == 0 ? 1 : request->pose.time_count;
    return once_ns + frames * frame_ns * (request->pose.layer_count > 0 ? 2 * request->pose.layer_count : 1);
}

static double item_ns(const struct request *request)
{
    return request->format == FORMAT_JSON ? COST_PRINTED_NODE_NS : COST_NODE_NS;
}

double cost_of_palette(const struct cost_input *input)
{
    const double joints_ns = joint_count(input->model, input->request) * item_ns(input->request);
    return frames_cost_ns(input, sampling_cost_ns(input->model) + joints_ns);
}

double cost_of_pose(const struct cost_input *input)
{
    const unsigned what = input->request->what;
    const double nodes_ns =
        what == WHAT_MATERIALS ? 0 : selected_count(input->model, input->request) * item_ns(input->request);
    const double looks_ns = (what & WHAT_MATERIALS) == 0 ? 0 : input->model->material_count * COST_PRINTED_NODE_NS;
    return frames_cost_ns(input, sampling_cost_ns(input->model) + nodes_ns + looks_ns);
}

static double vertices_cost_ns(const struct cost_input *input, double vertex_ns)
{
    const struct model *model = input->model;
    return frames_cost_ns(input, sampling_cost_ns(model) + (double)model->joint_count * COST_NODE_NS +
                                     draw_cost_ns(model, vertex_ns));
}

double cost_of_mesh(const struct cost_input *input)
{
    const struct request *request = input->request;
    const struct model *model = input->model;
    double once_ns = 0;
    if (request->vertices.has_attributes)
        once_ns += (double)model->position_count * COST_VERTEX_NS;
    if (request->vertices.has_weights)
        once_ns += ((double)model->influence_count + model->position_count) * COST_INFLUENCE_NS;
    return once_ns + vertices_cost_ns(input, request->format == FORMAT_JSON ? COST_PRINTED_VERTEX_NS : COST_VERTEX_NS);
}

double cost_of_bounds(const struct cost_input *input) { return vertices_cost_ns(input, COST_VERTEX_NS); }

/* --- sizes --- */

uint64_t bounds_bytes(const struct reply_context *context)
{
    enum { ROW_BYTES = 160 };
    const uint64_t frames = context->request->pose.time_count > 0 ? context->request->pose.time_count : 1;
    return ROW_BYTES * frames * (1 + (context->request->bounds.is_per_joint ? context->model->joint_count : 0));
}

/* Returns a lower bound for `things` items per frame; JSON has at least a digit and a comma per float. */
static uint64_t frames_least_bytes(const struct request *request, uint64_t things, uint64_t thing_floats)
{
    enum { JSON_FLOAT_BYTES = 2 };
    const uint64_t frames = request->pose.time_count > 0 ? request->pose.time_count : 1;
    return things * thing_floats * frames * (request->format == FORMAT_JSON ? JSON_FLOAT_BYTES : sizeof(float));
}

/* Counts things selected by index. Names, and selections that may be small, count as nothing. */
uint64_t palette_least_bytes(const struct cost_input *input)
{
    const struct request *request = input->request;
    const struct model *model = input->model;
    uint64_t joints = request->skin_count == 0 ? model->joint_count : 0;
    for (uint32_t i = 0; i < request->skin_count; i++) {
        const struct selector *skin = &request->skins[i];
        const bool is_known = skin->kind == SELECT_INDEX && skin->index < model->skin_count;
        joints += is_known ? model->skins[skin->index].joint_count : 0;
    }
    return frames_least_bytes(request, joints, layout_floats(request->layout));
}

uint64_t pose_least_bytes(const struct cost_input *input)
{
    enum { TRS_FLOATS = 10 }; /* the smallest size of a node; dual quaternions have 8 */
    const struct request *request = input->request;
    if (request->what == WHAT_MATERIALS)
        return 0;
    const uint64_t nodes = request->pose.joint_count == 0 ? input->model->node_count : request->pose.joint_count;
    const uint64_t floats = layout_floats(request->layout);
    return frames_least_bytes(request, nodes, floats < TRS_FLOATS ? floats : TRS_FLOATS);
}
