/* evaluation_cost.c - how long an answer takes, about: whether the loop makes it, or a thread. */
#include "daemon/evaluation/evaluator.h"

#include "anim/hits/hit_cache.h"
#include "wire/bodies/body_crowd.h"
#include "wire/crowd/crowd_request.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/crowd_entity.h"
#include "wire/request/request_raycast.h"

#include <math.h>
#include <string.h>

/* Rough costs, to tell microseconds from milliseconds: sampling, multiplying and printing one node or joint (or any
 * other thing of a list); moving one vertex; printing it, too; looking at one vertex, weight or morph delta;
 * compressing one byte of a texture. */
enum {
    COST_NODE_NS = 300,
    COST_PRINTED_NODE_NS = 650, /* in JSON */
    COST_VERTEX_NS = 100,
    COST_PRINTED_VERTEX_NS = 300,
    COST_LOOK_NS = 2,
    COST_PIXEL_BYTE_NS = 10
};
/* Printing a byte of text; comparing one with that of a name that is looked for; telling how like that it is. */
enum { COST_TEXT_BYTE_NS = 4, COMPARED_BYTES_PER_NS = 8, COST_LIKENESS_BYTE_NS = 4 };
/* Printing a time or a value of a key. */
enum { COST_KEY_NS = 60 };
/* Printing the joint and the weight of an influence. */
enum { COST_INFLUENCE_NS = 60 };
/* Finding the partner of a node in another file, trying one rule on its name, and what else that takes of its size. */
enum { COST_PARTNER_NS = 500, COST_RULE_NS = 5, COPIED_BYTES_PER_NS = 4 };
enum { COST_REPORT_NS = 20 };    /* looking at a node for what has no partner */
enum { COST_CLIP_POSES = 1000 }; /* of a whole clip: keys are not counted to find out */

/* Everything that /v1/model lists or adds up. */
static double list_cost_ns(const struct model *model)
{
    const double listed = (double)model->node_count + model->joint_count + model->skin_count + model->mesh_count +
                          model->primitive_count + model->clip_count + model->material_count + model->texture_count +
                          model->source_file_count + model->warning_count;
    return listed * COST_NODE_NS + ((double)model->position_count + model->channel_count) * COST_LOOK_NS +
           (double)model->text_byte_count * COST_TEXT_BYTE_NS;
}

/* A mesh counts for each node that draws it; stops counting when that is enough. vertex_ns: of one vertex. */
static double draw_cost_ns(const struct model *model, double vertex_ns)
{
    double ns = (double)model->draw_count * COST_NODE_NS;
    for (uint32_t d = 0; d < model->draw_count && ns <= EVALUATION_INLINE_NS; d++) {
        const struct primitive *p = &model->primitives[model->draws[d].primitive];
        ns += (double)p->vertex_count * (vertex_ns + (double)p->morph_target_count * COST_LOOK_NS);
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
    const bool is_json = request->format == FORMAT_JSON;
    const double vertex_ns = request->op == OP_MESH && is_json ? COST_PRINTED_VERTEX_NS : COST_VERTEX_NS,
                 node_ns = is_json ? COST_PRINTED_NODE_NS : COST_NODE_NS;
    switch (request->op) {
    case OP_PALETTE:
        return ns + joint_count(model, request) * node_ns;
    case OP_POSE:
        return ns + selected_count(model, request) * node_ns;
    default:
        return ns + (double)model->joint_count * COST_NODE_NS + draw_cost_ns(model, vertex_ns);
    }
}

/* How many things a request names. */
struct named {
    double clips, nodes, skins;
    bool is_by_name; /* something is not told by its index */
};

static void count_selectors(const struct selector *list, uint32_t count, double *things, struct named *named)
{
    *things += count;
    for (uint32_t i = 0; i < count && !named->is_by_name; i++)
        named->is_by_name = list[i].kind == SELECT_NAME;
}

/* Its layers, and their references, name clips and nodes, too. */
static void count_named(const struct request *request, struct named *named)
{
    count_selectors(&request->clip, request->clip.kind == SELECT_NAME, &named->clips, named);
    count_selectors(&request->root, request->root.kind == SELECT_NAME, &named->nodes, named);
    count_selectors(&request->mesh, request->mesh.kind == SELECT_NAME, &named->nodes, named);
    count_selectors(&request->found, request->found.kind == SELECT_NAME, &named->nodes, named);
    count_selectors(request->joints, request->joint_count, &named->nodes, named);
    count_selectors(request->skins, request->skin_count, &named->skins, named);
    for (uint32_t l = 0; l < request->layer_count; l++)
        count_named(&request->layers[l], named);
    if (request->reference != NULL)
        count_named(request->reference, named);
}

/* Each name is looked for in the whole list. One that is not there is compared with all that are, byte by byte: the
 * answer tells which are like it. */
static double names_cost_ns(const struct named *named, const struct model *model)
{
    const double names = named->clips + named->nodes + named->skins;
    return (named->clips * model->clip_count + named->nodes * model->node_count + named->skins * model->skin_count) *
               COST_LOOK_NS +
           (names / COMPARED_BYTES_PER_NS + (named->is_by_name ? COST_LIKENESS_BYTE_NS : 0)) *
               (double)model->text_byte_count;
}

/* Clips may be those of other files. */
static double lookup_cost_ns(const struct evaluation *evaluation, const struct request *request)
{
    struct named named = {0};
    count_named(request, &named);
    double ns = names_cost_ns(&named, &evaluation->imported->model);
    for (uint32_t i = 0; i < evaluation->request->source_count && named.is_by_name; i++)
        ns += names_cost_ns(&named, evaluation->sources[i]);
    return ns;
}

/* All keys of the clips' file: of one clip there are fewer. Stops counting when that is enough. */
static double key_cost_ns(const struct model *clips)
{
    double ns = 0;
    for (uint32_t c = 0; c < clips->channel_count && ns <= EVALUATION_INLINE_NS; c++)
        ns += (double)clips->channels[c].key_count * (1 + 3 * clips->channels[c].component_count) * COST_KEY_NS;
    return ns;
}

static double texture_cost_ns(const struct model *model, const struct request *request)
{
    if (request->texture >= model->texture_count || model->textures[request->texture].state != TEXTURE_FOUND)
        return 0;
    const struct texture *texture = &model->textures[request->texture];
    return 4.0 * texture->width * texture->height * COST_PIXEL_BYTE_NS;
}

/* Playing the clips of another file. Those that are played are ready (struct view_access), and only told about. */
static double partner_cost_ns(const struct model *model, const struct model *clips, const struct request *request)
{
    const double nodes = (double)model->node_count + clips->node_count;
    if (!request_has_all_clips(request))
        return nodes * COST_REPORT_NS;
    return nodes * COST_PARTNER_NS + (double)clips->node_count * request->renames.count * COST_RULE_NS +
           (request->is_by_rest ? nodes * COST_NODE_NS * COST_CLIP_POSES : 0) +
           ((double)model->text_byte_count + clips->channel_count) / COPIED_BYTES_PER_NS;
}

/* Fitting volumes to the vertices, once for each content, and for each node that draws them. Stops counting when that
 * is enough. */
static double fit_cost_ns(const struct model *model, enum volume_kind fit)
{
    enum { COST_FIT_NS = 2000 };
    if (model->hits != NULL && hit_cache_has_set(model->hits, fit))
        return 0;
    double ns = (double)model->position_count * COST_FIT_NS;
    for (uint32_t d = 0; d < model->draw_count && ns <= EVALUATION_INLINE_NS; d++)
        ns += (model->primitives[model->draws[d].primitive].vertex_count + 1.0) * COST_FIT_NS;
    return ns;
}

/* Poses that an entity of a raycast takes, those of its layers counted each. */
static uint32_t raycast_poses(const struct request *request, uint32_t index)
{
    const struct raycast_entity *entity = &request->raycast->entities[index];
    const struct raycast_target *target = request->raycast->targets;
    if (target == NULL)
        return 1 + entity->poses->begin.layer_count +
               (entity->poses->end != NULL ? 1 + entity->poses->end->layer_count : 0);
    target += index;
    const struct crowd_entity *poses = request->crowd->entities;
    return poses[target->begin].layer_count + (target->end >= 0 ? 1u + poses[target->end].layer_count : 1u);
}

/* The order of a model's triangles and their blocks, once for each content; then, for each pose, boxes of all. */
static double mesh_cost_ns(const struct model *model)
{
    enum { COST_ORDER_NS = 400, COST_BOX_NS = 2 };
    const bool is_there = model->hits != NULL && hit_cache_has_mesh(model->hits);
    return (double)hit_mesh_vertices(model) * COST_VERTEX_NS +
           (double)model->index_count * (is_there ? COST_BOX_NS : COST_ORDER_NS);
}

/* Of an entity of a JSON raycast, in its own model and in all that its clips may be from. */
static double entity_names_cost_ns(const struct evaluation *evaluation, const struct raycast_entity *entity,
                                   const struct model *model)
{
    struct named named = {0};
    count_named(&entity->poses->begin, &named);
    if (entity->poses->end != NULL)
        count_named(entity->poses->end, &named);
    double ns = names_cost_ns(&named, model);
    for (uint32_t i = 0; i < evaluation->request->source_count && named.is_by_name; i++)
        ns += names_cost_ns(&named, evaluation->sources[i]);
    return ns;
}

/* Posing the entities, and beginning with the rays. What these meet is counted as they are cast. */
static double raycast_cost_ns(const struct evaluation *evaluation)
{
    enum { COST_JOINT_NS = 50, COST_RAY_NS = 200, COST_ENTITY_NS = 300, COST_DRAW_NS = 30 };
    const struct request *request = evaluation->request;
    const struct request_raycast *raycast = request->raycast;
    double ns = (double)raycast->ray_count * COST_RAY_NS + (double)raycast->entity_count * COST_ENTITY_NS;
    for (uint32_t e = 0; e < raycast->entity_count && ns <= EVALUATION_INLINE_NS; e++) {
        const struct raycast_entity *entity = &raycast->entities[e];
        const struct model *model =
            entity->source == 0 ? &evaluation->imported->model : evaluation->sources[entity->source - 1];
        const double poses = raycast_poses(request, e);
        if (raycast->targets == NULL) /* else clips and nodes are told by index */
            ns += entity_names_cost_ns(evaluation, entity, model);
        ns += poses * ((double)model->node_count + model->weight_count) * COST_JOINT_NS;
        ns += request->is_of_meshes
                  ? mesh_cost_ns(model) + (double)model->draw_count * raycast->ray_count * COST_DRAW_NS
                  : fit_cost_ns(model, request->fit);
    }
    return ns;
}

/* Beside the poses: checking an entity and, where it is wrong, saying why; its masks, and the clips of other files that
 * it plays, each of which is looked for among those that were found before. */
static double crowd_entity_cost_ns(const struct evaluation *evaluation)
{
    enum { COST_ENTITY_NS = 2000, COST_LAYER_NS = 50, COST_MASK_NODE_NS = 5, COST_JOINT_NS = 20, COST_FOUND_NS = 1 };
    const struct crowd_request *crowd = evaluation->request->crowd;
    const struct crowd_files files = {
        .crowd = crowd, .model = evaluation_own_model(evaluation), .sources = evaluation->sources};
    double ns = (double)crowd->entity_count * COST_ENTITY_NS, others = 0, clips = 0;
    if (crowd->mask_count == 0 && crowd->item_count == 0 && crowd->model_count <= 1) /* most crowds */
        return ns + (double)crowd->layer_count * COST_LAYER_NS;
    for (uint32_t m = 0; m < crowd->model_count; m++)
        clips += crowd_files_model(&files, m) == NULL ? 0 : crowd_files_model(&files, m)->clip_count;
    for (uint32_t i = 0; i < crowd->entity_count && ns <= EVALUATION_INLINE_NS; i++) {
        const struct crowd_entity *entity = &crowd->entities[i];
        const struct crowd_wanted *wanted = &crowd->wanted[entity->wanted];
        const struct model *model = crowd_files_model(&files, entity->model);
        for (uint32_t l = 0; l < entity->layer_count; l++) {
            const struct crowd_layer *layer = &crowd->layers[entity->first_layer + l];
            ns += COST_LAYER_NS + (layer->mask < 0 ? 0 : crowd->masks[layer->mask].count * COST_MASK_NODE_NS);
            others += layer->clip_model != 0;
        }
        if (model != NULL && wanted->what == CROWD_PALETTE && wanted->item_count > 0 &&
            (uint32_t)wanted->skin < model->skin_count) /* all joints of the skin are made */
            ns += (double)model->skins[wanted->skin].joint_count * COST_JOINT_NS;
    }
    return ns + others * fmin(others, clips) * COST_FOUND_NS;
}

static double crowd_cost_ns(const struct evaluation *evaluation)
{
    enum { COST_STEP_NS = 60, BYTES_PER_NS = 2, JSON_FACTOR = 100 };
    const struct request *request = evaluation->request;
    const struct model *model = evaluation_own_model(evaluation);
    const struct crowd_size size = crowd_size_of(request, model, evaluation->sources);
    return fmax((double)size.steps * COST_STEP_NS, crowd_entity_cost_ns(evaluation)) +
           (double)size.bytes / BYTES_PER_NS * (request->format == FORMAT_JSON ? JSON_FACTOR : 1);
}

double evaluation_cost_ns(const struct evaluation *evaluation)
{
    const struct model *model = evaluation_own_model(evaluation), *const *sources = evaluation->sources;
    const struct request *request = evaluation->request;
    if (request->op == OP_CROWD)
        return crowd_cost_ns(evaluation);
    if (request->op == OP_OPEN)
        return 0;
    if (request->op == OP_COMPARE)
        return HUGE_VAL; /* always for a work thread */
    if (request->op == OP_FIND)
        return ((double)model->node_count + model->joint_count) * COST_LOOK_NS +
               (double)model->text_byte_count / COMPARED_BYTES_PER_NS;
    if (request->op == OP_MODEL)
        return list_cost_ns(model);
    if (request->op == OP_HITBOXES)
        return fit_cost_ns(model, request->fit) + (double)model->node_count * COST_NODE_NS +
               (double)model->text_byte_count * COST_TEXT_BYTE_NS;
    if (request->op == OP_RAYCAST)
        return raycast_cost_ns(evaluation);
    if (request->op == OP_EXPORT)
        return 2.0 * EVALUATION_INLINE_NS; /* never on a loop */
    const bool has_pictures = request->format == FORMAT_GLB && !request->has_no_textures;
    double once_ns =
        lookup_cost_ns(evaluation, request) + (has_pictures ? (double)model->pixel_byte_count * COST_PIXEL_BYTE_NS : 0);
    for (uint32_t i = 0; i < request->source_count; i++)
        once_ns += partner_cost_ns(model, sources[i], request);
    if (request->op == OP_TEXTURE)
        return once_ns + texture_cost_ns(model, request);
    if (request->op == OP_KEYS)
        return once_ns + list_cost_ns(model) +
               key_cost_ns(request->clip_source > 0 ? sources[request->clip_source - 1] : model);
    const double frame_ns = frame_cost_ns(model, request);
    if (request->is_over_clip)
        return once_ns + frame_ns * COST_CLIP_POSES;
    const double frames = request->time_count == 0 ? 1 : request->time_count;
    if (request->has_attributes)
        once_ns += (double)model->position_count * COST_VERTEX_NS;
    if (request->has_weights)
        once_ns += ((double)model->influence_count + model->position_count) * COST_INFLUENCE_NS;
    return once_ns + frames * frame_ns * (request->layer_count > 0 ? 2 * request->layer_count : 1);
}

/* Floats of one frame that the request names by index; by name, or where they may be few, none are counted. */
static uint64_t frame_floats_least(const struct model *model, const struct request *request)
{
    uint64_t items = 0;
    if (request->op == OP_PALETTE && request->skin_count == 0)
        items = model->joint_count;
    else if (request->op == OP_POSE)
        items = request->joint_count == 0 ? model->node_count : request->joint_count;
    for (uint32_t i = 0; i < request->skin_count && request->op == OP_PALETTE; i++) {
        const struct selector *skin = &request->skins[i];
        items +=
            skin->kind == SELECT_INDEX && skin->index < model->skin_count ? model->skins[skin->index].joint_count : 0;
    }
    enum { TRS_FLOATS = 10 }; /* as few as a node may be told by; dual quaternions have 8 */
    const uint64_t floats = layout_floats(request->layout);
    return items * (floats < TRS_FLOATS || request->op == OP_PALETTE ? floats : TRS_FLOATS);
}

uint64_t evaluation_least_bytes(const struct evaluation *evaluation)
{
    enum { JSON_FLOAT_BYTES = 2 }; /* a digit and a comma */
    const struct request *request = evaluation->request;
    const struct model *model = evaluation_own_model(evaluation);
    const uint64_t float_bytes = request->format == FORMAT_JSON ? JSON_FLOAT_BYTES : sizeof(float);
    if (request->op == OP_CROWD)
        return crowd_size_of(request, model, evaluation->sources).bytes / sizeof(float) * float_bytes;
    if (request->op != OP_PALETTE && request->op != OP_POSE)
        return 0;
    return frame_floats_least(model, request) * (request->time_count > 0 ? request->time_count : 1) * float_bytes;
}
