#include "daemon/evaluation/evaluator.h"

#include "base/hash.h"
#include "base/hex.h"
#include "wire/encode/picture_files.h"
#include "wire/http/http_response.h"
#include "wire/reply/answer_version.h"
#include "wire/reply/clip_sources.h"
#include "daemon/evaluation/prepared_queries.h"
#include "daemon/support/stats.h"

#include <math.h>
#include <string.h>

void evaluator_init(struct evaluator *evaluator, const struct config *config, struct budget *budget,
                    struct retargeted_clip_store *retargeted_clips)
{
    evaluator->config = config;
    evaluator->budget = budget;
    workspace_init(&evaluator->workspace);
    evaluator->workspace.entity.compiled.kernel = kernel_find(config->kernel);
    evaluator->workspace.retargeted_clips =
        (struct retargeted_clip_access){.store = retargeted_clips, .is_only_there = true};
}

/* Adds the poses evaluated since the last call to /v1/stats. */
static void count_poses(struct entity_work *entities)
{
    stats_add(STAT_POSES_COMPILED, entities->compiled_count);
    stats_add(STAT_POSES_CUBIC, entities->cubic_count);
    stats_add(STAT_POSES_EXACT, entities->exact_count);
    entities->compiled_count = entities->cubic_count = entities->exact_count = 0;
}

void evaluator_fini(struct evaluator *evaluator) { workspace_fini(&evaluator->workspace); }

void evaluation_end_reply(struct reply *reply, const struct imported_model *imported)
{
    reply->has_content = imported != NULL;
    if (imported != NULL)
        memcpy(reply->content_hash, imported->model.infos[0].content_hash, sizeof reply->content_hash);
}

enum {
    EVALUATION_QUICK_NS = 50000, /* several answers this fast do not justify reading the clock */
};

/* --- entity tags --- */

enum { HASH_DIGITS = 16, MAKER_DIGITS = 8, CANONICAL_AT = 1 + HASH_DIGITS + 1 };
_Static_assert(1 + 2 * (HASH_DIGITS + 1) + MAKER_DIGITS + 1 + ETAG_FORMAT_MAX + 2 <= ETAG_SIZE, "a tag has room");

void etag_make(const struct etag_source *source, char out[ETAG_SIZE])
{
    uint64_t maker = hash64(HASH64_SEED, source->maker, strlen(source->maker));
    maker = hash64(maker, source->renderer, strlen(source->renderer));
    for (size_t i = 0; i < source->clips_count; i++)
        maker = hash64(maker, source->clips[i], strlen(source->clips[i]));
    char *to = out;
    *to++ = '"';
    memcpy(to, source->hash, HASH_DIGITS);
    to[HASH_DIGITS] = '-';
    to = out + CANONICAL_AT;
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

/* Returns the format of the answer as in the tag. */
static const char *format_of(const struct request *request)
{
    static const char *const FORMATS[] = {[FORMAT_JSON] = "json", [FORMAT_BIN] = "bin", [FORMAT_GLB] = "glb",
                                          [FORMAT_PNG] = "png",   [FORMAT_HDR] = "hdr", [FORMAT_POSED] = "posed"};
    const enum op_form form = OP_INFO[request->op].form;
    if (form == FORM_SHEET || (form == FORM_PICTURE && request->format == FORMAT_PICTURE))
        return PICTURE_FILE_KINDS[request->sheet.format].word;
    return FORMATS[reply_format(request)];
}

bool evaluation_is_not_modified(const struct evaluation *evaluation, const char *renderer, struct reply *reply)
{
    const struct request *request = evaluation->request;
    static const char NO_FILE[] = "0000000000000000"; /* an answer without a file depends on the server's version */
    if (op_has(request->op, OP_ENTITIES))
        return false;
    const char *clip_hashes[REQUEST_SOURCES_MAX];
    for (uint32_t i = 0; i < evaluation->clip_count; i++)
        clip_hashes[i] = evaluation->clips[i]->hash;
    const struct etag_source source = {
        .hash = evaluation->imported != NULL ? evaluation->imported->hash : NO_FILE,
        .canonical = request->canonical,
        .clips = clip_hashes,
        .clips_count = evaluation->clip_count,
        .renderer = op_has(request->op, OP_PICTURE) ? renderer : "",
        .format = format_of(request),
        .maker = ANSWER_MAKER,
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

/* Subtracts the cost from what the batch may still use. */
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
    if (op_has(evaluation->request->op, OP_ENTITY_ERRORS)) /* the body has its warnings */
        return;
    reply->warning_count =
        reply_count_warnings(&evaluation->imported->model, evaluation->sources, evaluation->clip_count, reply);
    const bool has_tag = reply->etag[0] != '\0'; /* the client's copy has another tag */
    if (!has_tag && evaluation_is_not_modified(evaluation, "", reply))
        reply_drop_body(reply);
}

/* Refuses an answer of `body_bytes` bytes when unread answers already fill the memory for clients. */
static bool is_refused_without_capacity(struct budget *budget, uint64_t body_bytes, struct reply *reply)
{
    struct err err;
    if (body_bytes <= BUDGET_SMALL_BYTES || budget_has_capacity(budget, body_bytes))
        return false;
    stats_add(STAT_CLIENT_MEMORY_REFUSED, 1);
    err_set(&err, ERR_OVERLOADED, "answers that clients have not read yet fill --client-memory %llu",
            (unsigned long long)budget->max_bytes);
    reply_error(reply, &err, NULL, 0);
    return true;
}

/* Leaves no time for other work on the loop before its next iteration, and empties *reply. Returns false. */
static bool give_up(double *spent_ns, struct reply *reply)
{
    *spent_ns = EVALUATION_INLINE_NS;
    reply_fini(reply);
    reply_init(reply);
    return false;
}

double evaluation_cost_ns(const struct evaluation *evaluation)
{
    const struct cost_input input = evaluation_cost_input(evaluation);
    /* a loop reads no files, as textures need */
    const bool is_elsewhere = op_has(evaluation->request->op, OP_OFF_LOOP) || request_has_textures(evaluation->request);
    return is_elsewhere ? HUGE_VAL : reply_cost_ns(&input);
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
    const struct cost_input input = evaluation_cost_input(evaluation);
    const double cost_ns = evaluation_cost_ns(evaluation) + (evaluation->left != NULL ? COST_QUERY_NS : 0);
    if (*spent_ns + cost_ns > EVALUATION_INLINE_NS)
        return give_up(spent_ns, reply);
    /* no need to compute the least size when the largest answer fits */
    if (!budget_could_take(evaluator->budget, evaluator->config->limits.value[LIMIT_ANSWER_BYTES]) &&
        is_refused_without_capacity(evaluator->budget, reply_least_bytes(&input), reply))
        return true;
    evaluator->workspace.retargeted_clips.is_missing = evaluator->workspace.is_too_long = false;
    evaluator->workspace.work_ns_most = (uint64_t)(EVALUATION_INLINE_NS - *spent_ns - cost_ns) + 1;
    reply_make(&evaluator->workspace, evaluation_own_model(evaluation), evaluation->sources, request,
               evaluation->left != NULL ? evaluation->left : &evaluator->config->limits, reply);
    count_poses(&evaluator->workspace.entity);
    if (evaluator->workspace.retargeted_clips.is_missing || evaluator->workspace.is_too_long)
        return give_up(spent_ns, reply);
    *spent_ns += cost_ns + (double)evaluator->workspace.cost.hits_ns;
    is_refused_without_capacity(evaluator->budget, reply->body.size_bytes, reply);
    evaluation_finish(evaluation, &evaluator->workspace.cost, reply);
    evaluation_end_reply(reply, evaluation->imported);
    return true;
}

/* Prepares the query, once per content of the model. */
static void prepare(struct evaluator *evaluator, struct prepared_query *query, struct imported_model *imported)
{
    const struct evaluation evaluation = {.request = &query->request, .imported = imported}; /* it has no sources */
    const struct model *model = &imported->model;
    const struct limits *limits = &evaluator->config->limits;
    prepared_reply_free(query->prepared);
    query->prepared = NULL;
    query->validators.etag[0] = '\0';
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

/* The same as evaluation_is_not_modified(). */
static bool is_query_not_modified(struct prepared_query *query, const struct evaluation *evaluation,
                                  struct reply *reply)
{
    struct prepared_validators *validators = &query->validators;
    const char *if_none_match = query->request.if_none_match;
    if (validators->etag[0] == '\0') {
        const bool is_valid = evaluation_is_not_modified(evaluation, "", reply);
        memcpy(validators->etag, reply->etag, sizeof validators->etag);
        validators->cache_control = reply->cache_control;
        validators->is_vary_accept = reply->is_vary_accept;
        validators->is_json = reply->is_json;
        return is_valid;
    }
    memcpy(reply->etag, validators->etag, sizeof reply->etag);
    memcpy(reply->etag + CANONICAL_AT, query->request.canonical, HASH_DIGITS);
    reply->cache_control = validators->cache_control;
    reply->is_vary_accept = validators->is_vary_accept;
    reply->is_json = validators->is_json;
    /* a list that matches has the tag somewhere; "*" does not come here */
    if (if_none_match == NULL || strstr(if_none_match, reply->etag) == NULL ||
        !http_etag_matches(if_none_match, reply->etag))
        return false;
    reply->status = 304;
    return true;
}

bool evaluator_answer_query(struct evaluator *evaluator, struct prepared_query *query, const struct query_key *key,
                            struct imported_model *imported, struct reply *reply)
{
    const struct evaluation evaluation = {.request = &query->request, .imported = imported};
    if (query->model_key != imported->key)
        prepare(evaluator, query, imported);
    if (query->prepared == NULL || key->is_any_tag)
        return false;
    if (key->has_time)
        request_set_time(&query->request, key->time_s);
    if (key->has_etag) {
        query->request.if_none_match = key->if_none_match;
        if (key->has_time)
            request_set_canonical_times(&query->request);
        if (is_query_not_modified(query, &evaluation, reply)) {
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
