#include "daemon/service/evaluator.h"

#include "anim/hits/hit_cache.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/version.h"
#include "wire/crowd/crowd_request.h"
#include "wire/request/request_raycast.h"
#include "wire/bodies/body_crowd.h"
#include "wire/encode/picture_files.h"
#include "wire/http/http_response.h"
#include "wire/reply/clip_sources.h"
#include "daemon/service/prepared_queries.h"
#include "daemon/support/stats.h"

#include <math.h>
#include <string.h>

void evaluator_init(struct evaluator *evaluator, const struct config *config, struct budget *budget,
                    struct view_store *views)
{
    evaluator->config = config;
    evaluator->budget = budget;
    workspace_init(&evaluator->workspace);
    evaluator->workspace.entity.compiled.kernel = kernel_find(config->kernel);
    evaluator->workspace.views = (struct view_access){.store = views, .is_only_there = true};
}

/* Tells /v1/stats of the poses that were evaluated since the last time. */
static void count_poses(struct entity_work *entities)
{
    stats_add(STAT_POSES_COMPILED, entities->compiled_count);
    stats_add(STAT_POSES_EXACT, entities->exact_count);
    entities->compiled_count = entities->exact_count = 0;
}

void evaluator_fini(struct evaluator *evaluator) { workspace_fini(&evaluator->workspace); }

void evaluation_end_reply(struct reply *reply, const struct imported_model *imported)
{
    reply->has_content = imported != NULL;
    if (imported != NULL)
        memcpy(reply->content_hash, imported->model.infos[0].content_hash, sizeof reply->content_hash);
}

/* --- estimates of how long an answer takes --- */

enum {
    EVALUATION_QUICK_NS = 50000, /* several answers as quick as this need no look at the clock */
};

/* Rough costs, to tell microseconds from milliseconds: sampling, multiplying and printing one node or joint (or any
 * other thing of a list); moving and printing one vertex; looking at one vertex, weight or morph delta; compressing
 * one byte of a texture. */
enum { COST_NODE_NS = 300, COST_VERTEX_NS = 100, COST_LOOK_NS = 2, COST_PIXEL_BYTE_NS = 10 };
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

/* Fitting volumes to the vertices, once for each content. */
static double fit_cost_ns(const struct model *model, enum volume_kind fit)
{
    enum { COST_FIT_NS = 2000 };
    return model->hits != NULL && hit_cache_has_set(model->hits, fit) ? 0 : (double)model->position_count * COST_FIT_NS;
}

/* Poses that an entity of a raycast takes, those of its layers counted each. */
static uint32_t raycast_poses(const struct request *request, uint32_t index)
{
    const struct raycast_entity *entity = &request->raycast->entities[index];
    const struct raycast_target *target = request->raycast->targets;
    if (target == NULL)
        return 1 + entity->begin.layer_count + (entity->end != NULL ? 1 + entity->end->layer_count : 0);
    target += index;
    const struct crowd_entity *poses = request->crowd->entities;
    return poses[target->begin].layer_count + (target->end >= 0 ? 1u + poses[target->end].layer_count : 1u);
}

/* Posing the entities and casting the rays. */
static double raycast_cost_ns(const struct evaluation *evaluation)
{
    enum { COST_JOINT_NS = 50, COST_RAY_NS = 1000, COST_ENTITY_NS = 10 };
    const struct request_raycast *raycast = evaluation->request->raycast;
    double ns = (double)raycast->ray_count * (COST_RAY_NS + (double)raycast->entity_count * COST_ENTITY_NS);
    for (uint32_t e = 0; e < raycast->entity_count && ns <= EVALUATION_INLINE_NS; e++) {
        const struct raycast_entity *entity = &raycast->entities[e];
        const struct model *model =
            entity->source == 0 ? &evaluation->imported->model : evaluation->sources[entity->source - 1];
        ns += (double)raycast_poses(evaluation->request, e) * model->node_count * COST_JOINT_NS;
        ns += evaluation->request->is_of_meshes
                  ? (double)hit_mesh_vertices(model) * COST_VERTEX_NS + (double)model->index_count * COST_LOOK_NS
                  : fit_cost_ns(model, evaluation->request->fit);
    }
    return ns;
}

/* The request's own model; NULL: there is none. */
static const struct model *own_model(const struct evaluation *evaluation)
{
    return evaluation->imported == NULL ? NULL : &evaluation->imported->model;
}

static double crowd_cost_ns(const struct evaluation *evaluation)
{
    enum { COST_STEP_NS = 60, BYTES_PER_NS = 2, JSON_FACTOR = 100 };
    const struct request *request = evaluation->request;
    const struct model *model = own_model(evaluation);
    const double bytes = (double)crowd_answer_bytes(request, model, evaluation->sources);
    return (double)crowd_steps(request, model, evaluation->sources) * COST_STEP_NS +
           bytes / BYTES_PER_NS * (request->format == FORMAT_JSON ? JSON_FACTOR : 1);
}

double evaluation_cost_ns(const struct evaluation *evaluation)
{
    const struct model *model = own_model(evaluation), *const *sources = evaluation->sources;
    const struct request *request = evaluation->request;
    if (request->op == OP_CROWD)
        return crowd_cost_ns(evaluation);
    if (request->op == OP_OPEN)
        return 0;
    if (request->op == OP_COMPARE)
        return HUGE_VAL; /* always for a work thread */
    if (request->op == OP_FIND)
        return (double)model->node_count * COST_LOOK_NS + (double)model->joint_count * COST_LOOK_NS;
    if (request->op == OP_MODEL)
        return list_cost_ns(model);
    if (request->op == OP_HITBOXES)
        return fit_cost_ns(model, request->fit) + (double)model->node_count * COST_NODE_NS;
    if (request->op == OP_RAYCAST)
        return raycast_cost_ns(evaluation);
    if (request->op == OP_EXPORT)
        return 2.0 * EVALUATION_INLINE_NS; /* never on a loop */
    const bool has_pictures = request->format == FORMAT_GLB && !request->has_no_textures;
    double once_ns =
        lookup_cost_ns(model, request) + (has_pictures ? (double)model->pixel_byte_count * COST_PIXEL_BYTE_NS : 0);
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

/* --- entity tags --- */

enum { HASH_DIGITS = 16, MAKER_DIGITS = 8 };
_Static_assert(1 + 2 * (HASH_DIGITS + 1) + MAKER_DIGITS + 1 + ETAG_FORMAT_MAX + 2 <= ETAG_SIZE, "a tag has room");

void etag_make(const struct etag_source *source, char out[ETAG_SIZE])
{
    uint64_t maker = hash64(HASH64_SEED, POSED_VERSION, sizeof POSED_VERSION);
    maker = hash64(maker, source->renderer, strlen(source->renderer));
    for (size_t i = 0; i < source->clips_count; i++)
        maker = hash64(maker, source->clips[i], strlen(source->clips[i]));
    char *to = out;
    *to++ = '"';
    memcpy(to, source->hash, HASH_DIGITS);
    to[HASH_DIGITS] = '-';
    to += HASH_DIGITS + 1;
    memcpy(to, source->canonical, HASH_DIGITS);
    to[HASH_DIGITS] = '-';
    to += HASH_DIGITS + 1;
    hex_put_number(to, maker >> 32, MAKER_DIGITS);
    to[MAKER_DIGITS] = '-';
    to += MAKER_DIGITS + 1;
    for (const char *c = source->format; *c != '\0'; c++)
        *to++ = *c;
    *to++ = '"';
    *to = '\0';
}

/* The form of the answer, as the tag names it. */
static const char *format_of(const struct request *request)
{
    static const char *const FORMATS[] = {[FORMAT_JSON] = "json", [FORMAT_BIN] = "bin", [FORMAT_GLB] = "glb",
                                          [FORMAT_PNG] = "png",   [FORMAT_HDR] = "hdr", [FORMAT_POSED] = "posed"};
    const bool is_sheet = request->op == OP_SHEET || request->op == OP_TURNTABLE;
    if (is_sheet || (request->op == OP_RENDER && request->format == FORMAT_PICTURE))
        return PICTURE_FILE_KINDS[request->sheet.format].word;
    return FORMATS[request->op == OP_RENDER ? FORMAT_JSON : reply_format(request)];
}

bool evaluation_is_not_modified(const struct evaluation *evaluation, const char *renderer, struct reply *reply)
{
    const struct request *request = evaluation->request;
    static const char NO_FILE[] = "0000000000000000";         /* what is not of a file is of the server's version */
    if (request->op == OP_CROWD || request->op == OP_RAYCAST) /* no client asks for the same one again */
        return false;
    const char *clip_hashes[REQUEST_SOURCES_MAX];
    for (uint32_t i = 0; i < evaluation->clip_count; i++)
        clip_hashes[i] = evaluation->clips[i]->hash;
    const struct etag_source source = {
        .hash = evaluation->imported != NULL ? evaluation->imported->hash : NO_FILE,
        .canonical = request->canonical,
        .clips = clip_hashes,
        .clips_count = evaluation->clip_count,
        .renderer = op_is_picture(request->op) ? renderer : "",
        .format = format_of(request),
    };
    etag_make(&source, reply->etag);
    reply->cache_control = request_names_content(request) ? REPLY_KEEP_IMMUTABLE : REPLY_KEEP_PLAIN;
    reply->is_vary_accept = op_has_binary(request->op);
    reply->is_json = strcmp(source.format, "json") == 0;
    if (!http_etag_matches(request->if_none_match, reply->etag))
        return false;
    reply->status = 304;
    return true;
}

static void take_from(uint64_t *left, uint64_t spent) { *left -= spent < *left ? spent : *left; }

/* Takes the cost from what the other queries of the batch may use. */
static void spend(struct limits *limits, const struct reply_cost *cost)
{
    if (limits == NULL)
        return;
    take_from(&limits->value[LIMIT_FRAMES], cost->frames);
    take_from(&limits->value[LIMIT_EVALUATIONS], cost->evaluations);
    take_from(&limits->value[LIMIT_BOUNDS_VERTICES], cost->vertices);
}

void evaluation_finish(const struct evaluation *evaluation, const struct reply_cost *cost, struct reply *reply)
{
    if (reply->code != 0)
        return;
    spend(evaluation->left, cost);
    if (evaluation->request->op == OP_CROWD)
        return;
    reply->warning_count =
        reply_count_warnings(&evaluation->imported->model, evaluation->sources, evaluation->clip_count, reply);
    reply->is_json =
        reply->is_json || (evaluation->request->op == OP_RAYCAST && evaluation->request->format == FORMAT_JSON);
    const bool has_tag = reply->etag[0] != '\0'; /* and it is not the one that the client has */
    if (!has_tag && evaluation_is_not_modified(evaluation, "", reply))
        reply_drop_body(reply);
}

/* Refuses a large answer when unread answers already fill the memory for clients. */
static void refuse_without_room(struct budget *budget, struct reply *reply)
{
    struct err err;
    if (reply->body.size_bytes <= BUDGET_SMALL_BYTES || budget_has_room(budget, reply->body.size_bytes))
        return;
    stats_add(STAT_CLIENT_MEMORY_REFUSED, 1);
    err_set(&err, ERR_OVERLOADED, "answers that clients have not read yet fill --client-memory %llu",
            (unsigned long long)budget->max_bytes);
    reply_error(reply, &err, NULL, 0);
}

bool evaluator_answer(struct evaluator *evaluator, const struct evaluation *evaluation, double *spent_ns,
                      struct reply *reply)
{
    const struct request *request = evaluation->request;
    /* "*" matches everything that exists; whether the clip exists is only known after the evaluation */
    if (!http_etag_is_any(request->if_none_match) && evaluation_is_not_modified(evaluation, "", reply)) {
        evaluation_end_reply(reply, evaluation->imported);
        return true;
    }
    const double cost_ns = evaluation_cost_ns(evaluation);
    if (*spent_ns + cost_ns > EVALUATION_INLINE_NS)
        return false;
    evaluator->workspace.views.is_missing = false;
    reply_make(&evaluator->workspace, own_model(evaluation), evaluation->sources, request,
               evaluation->left != NULL ? evaluation->left : &evaluator->config->limits, reply);
    count_poses(&evaluator->workspace.entity);
    if (evaluator->workspace.views.is_missing) {
        reply_fini(reply);
        reply_init(reply);
        return false;
    }
    *spent_ns += cost_ns;
    refuse_without_room(evaluator->budget, reply);
    evaluation_finish(evaluation, &evaluator->workspace.cost, reply);
    evaluation_end_reply(reply, evaluation->imported);
    return true;
}

/* Once for each content of the model. */
static void prepare(struct evaluator *evaluator, struct prepared_query *query, struct imported_model *imported)
{
    const struct evaluation evaluation = {.request = &query->request, .imported = imported}; /* it has no sources */
    const struct model *model = &imported->model;
    const struct limits *limits = &evaluator->config->limits;
    prepared_reply_free(query->prepared);
    query->prepared = NULL;
    query->model_key = imported->key;
    const double cost_ns = evaluation_cost_ns(&evaluation);
    query->is_quick = cost_ns <= EVALUATION_QUICK_NS;
    if (cost_ns > EVALUATION_INLINE_NS)
        return;
    query->prepared = prepared_reply_new(&evaluator->workspace, model, &query->request, query->has_time, limits);
    if (query->prepared != NULL && prepared_reply_bytes(query->prepared) > BUDGET_SMALL_BYTES) {
        prepared_reply_free(query->prepared);
        query->prepared = NULL;
    }
}

bool evaluator_answer_query(struct evaluator *evaluator, struct prepared_query *query, const struct query_key *key,
                            struct imported_model *imported, struct reply *reply)
{
    const struct evaluation evaluation = {.request = &query->request, .imported = imported};
    if (query->model_key != imported->key)
        prepare(evaluator, query, imported);
    if (query->prepared == NULL || http_etag_is_any(key->if_none_match))
        return false;
    if (key->has_time)
        request_set_time(&query->request, key->time_s);
    if (key->has_etag) {
        query->request.if_none_match = key->if_none_match;
        if (key->has_time)
            request_set_canonical_times(&query->request);
        if (evaluation_is_not_modified(&evaluation, "", reply)) {
            evaluation_end_reply(reply, imported);
            return true;
        }
    }
    const bool is_made = prepared_reply_make(query->prepared, &evaluator->workspace, &imported->model, reply);
    count_poses(&evaluator->workspace.entity);
    if (!is_made) {
        reply_fini(reply);
        return false;
    }
    reply->warning_count = imported->model.warning_count;
    evaluation_end_reply(reply, imported);
    return true;
}

bool evaluator_append_reply(struct evaluator *evaluator, struct prepared_query *query, double time_s,
                            const struct imported_model *imported, struct buf *out)
{
    if (query->model_key != imported->key || query->prepared == NULL || !prepared_reply_is_steady(query->prepared))
        return false;
    request_set_time(&query->request, time_s);
    prepared_reply_append(query->prepared, &evaluator->workspace, &imported->model, out);
    return true;
}

void evaluator_finish_replies(struct evaluator *evaluator, struct prepared_query *query, struct buf *out)
{
    prepared_reply_finish(query->prepared, &evaluator->workspace, out);
}
