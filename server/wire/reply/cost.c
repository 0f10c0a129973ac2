#include "wire/reply/cost.h"

#include "wire/picture/picture_plan.h"
#include "wire/reply/clip_sources.h"
#include "wire/request/request_given.h"

double cost_of_text(const struct model *model) { return (double)model->text_byte_count * COST_TEXT_BYTE_NS; }

double cost_of_list(const struct model *model)
{
    const double listed = (double)model->node_count + model->joint_count + model->skin_count + model->mesh_count +
                          model->primitive_count + model->clip_count + model->material_count + model->texture_count +
                          model->source_file_count + model->warning_count;
    return listed * COST_NODE_NS + ((double)model->position_count + model->channel_count) * COST_LOOK_NS +
           cost_of_text(model);
}

/* The numbers of things that a request names. */
struct named {
    double clips, nodes, skins;
    double given_values;              /* numbers of given poses */
    double given_frames;              /* frames of given poses with morph weights or expressions */
    double given_nodes, given_morphs; /* given poses with names of nodes, and with morph weights or expressions */
    bool is_by_name;                  /* something is given by name instead of index */
};

static void count_selectors(const struct selector *list, uint32_t count, double *things, struct named *named)
{
    *things += count;
    for (uint32_t i = 0; i < count && !named->is_by_name; i++)
        named->is_by_name = list[i].kind == SELECT_NAME;
}

static void count_given(const struct request_given *given, struct named *named)
{
    const bool has_weights = given->weight_count > 0 || given->look.kind != LOOK_NONE;
    bool is_by_name = false;
    for (uint32_t n = 0; n < given->node_count && !is_by_name; n++)
        is_by_name = given->nodes[n].node.kind == SELECT_NAME;
    named->given_values += (double)given->frame_count * given->frame_values;
    named->given_frames += has_weights ? given->frame_count : 0;
    named->given_morphs += has_weights;
    named->given_nodes += is_by_name;
    named->is_by_name = named->is_by_name || is_by_name || has_weights;
}

/* Counts a pose, its layers and their references. */
static void count_pose(const struct request_pose *pose, struct named *named)
{
    count_selectors(&pose->clip, pose->clip.kind == SELECT_NAME, &named->clips, named);
    count_selectors(pose->joints, pose->joint_count, &named->nodes, named);
    for (uint32_t l = 0; l < pose->layer_count; l++)
        count_pose(&pose->layers[l], named);
    if (pose->reference != NULL)
        count_pose(pose->reference, named);
    if (pose->given != NULL)
        count_given(pose->given, named);
}

static void count_named(const struct request *request, struct named *named)
{
    count_pose(&request->pose, named);
    if (request->on_top != NULL)
        count_given(request->on_top, named);
    count_selectors(&request->motion.root, request->motion.root.kind == SELECT_NAME, &named->nodes, named);
    count_selectors(&request->mesh, request->mesh.kind == SELECT_NAME, &named->nodes, named);
    count_selectors(&request->found, request->found.kind == SELECT_NAME, &named->nodes, named);
    count_selectors(request->skins, request->skin_count, &named->skins, named);
}

/* All names of a given pose are looked for in one pass over the model. Each frame has the weights that it moves. */
static double given_cost_ns(const struct named *named, const struct model *model)
{
    const double moved = (double)model->weight_count + model->expression_bind_count + model->expression_count;
    return (named->given_nodes * model->node_count + named->given_morphs * model->weight_count) * COST_GIVEN_NAME_NS +
           (named->given_values + named->given_frames * moved) * COST_GIVEN_VALUE_NS;
}

/* Each lookup searches the whole list. A missing name is compared with all names byte by byte, because the error
 * suggests similar ones. */
static double names_cost_ns(const struct named *named, const struct model *model)
{
    const double names = named->clips + named->nodes + named->skins;
    return (named->clips * model->clip_count + named->nodes * model->node_count + named->skins * model->skin_count) *
               COST_LOOK_NS +
           (names / COMPARED_BYTES_PER_NS + (named->is_by_name ? COST_LIKENESS_BYTE_NS : 0)) *
               (double)model->text_byte_count;
}

/* Clips may belong to sources. */
static double found_cost_ns(const struct cost_input *input, const struct named *named, const struct model *model)
{
    double ns = names_cost_ns(named, model) + given_cost_ns(named, model);
    for (uint32_t i = 0; i < input->request->source_count && named->is_by_name; i++)
        ns += names_cost_ns(named, input->sources[i]);
    return ns;
}

double cost_of_names(const struct cost_input *input, const struct request_pose *pose, const struct model *model)
{
    struct named named = {0};
    count_pose(pose, &named);
    return found_cost_ns(input, &named, model);
}

/* Estimates the clips of another file. Played clips are already retargeted (struct retargeted_clip_access), and are
 * only reported. */
static double partner_cost_ns(const struct model *model, const struct model *clips, const struct request *request)
{
    const double nodes = (double)model->node_count + clips->node_count;
    if (!request_has_all_clips(request))
        return nodes * COST_REPORT_NS;
    return nodes * COST_PARTNER_NS + (double)clips->node_count * request->retarget.renames.count * COST_RULE_NS +
           (request->retarget.is_by_rest ? nodes * COST_NODE_NS * COST_CLIP_POSES : 0) +
           ((double)model->text_byte_count + clips->channel_count) / COPIED_BYTES_PER_NS;
}

double cost_of_textures(const struct cost_input *input)
{
    const struct request *request = input->request;
    const struct model *model = input->model;
    double ns = 0;
    for (uint32_t t = 0; t < model->texture_count && request_has_textures(request); t++)
        if (model->textures[t].state == TEXTURE_FOUND)
            ns += (double)picture_encoded_bytes(model, t, &request->textures) * COST_PIXEL_BYTE_NS +
                  (double)picture_answer_bytes(model, t, &request->textures) / COPIED_BYTES_PER_NS;
    return ns;
}

double cost_of_lookup(const struct cost_input *input)
{
    struct named named = {0};
    count_named(input->request, &named);
    double ns = found_cost_ns(input, &named, input->model);
    for (uint32_t i = 0; i < input->request->source_count; i++)
        ns += partner_cost_ns(input->model, input->sources[i], input->request);
    return ns;
}
