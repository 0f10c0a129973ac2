/* request_canonical.c - one hash over the values of a request, which its ETag is made of. */
#include "base/hash.h"
#include "base/hex.h"
#include "wire/request/request_parser.h"

#include <string.h>

static uint64_t hash_uint(uint64_t state, uint64_t value) { return hash64(state, &value, sizeof value); }

/* The NUL is part of it, so that neighbours cannot run into each other; absent is not empty. */
static uint64_t hash_text(uint64_t state, const char *text)
{
    return text == NULL ? hash_uint(state, 0) : hash64(hash_uint(state, 1), text, strlen(text) + 1);
}

static uint64_t hash_selectors(uint64_t state, const struct selector *selectors, uint32_t count)
{
    state = hash_uint(state, count);
    for (uint32_t i = 0; i < count; i++) {
        state = hash_uint(state, (uint64_t)selectors[i].kind);
        state = hash_uint(state, selectors[i].index);
        state = hash_text(state, selectors[i].name);
        state = hash_uint(state, (uint64_t)selectors[i].scope);
    }
    return state;
}

/* In their order: the first that matches holds. */
static uint64_t hash_renames(uint64_t state, const struct name_map *renames)
{
    for (uint32_t i = 0; i < renames->count; i++)
        state = hash_text(state, renames->rules[i].text);
    return state;
}

static uint64_t hash_humanoid(uint64_t state, const struct humanoid_choice *choice)
{
    state = hash_uint(hash_uint(state, choice->map), choice->rule_count);
    for (uint32_t i = 0; i < choice->rule_count; i++)
        state = hash_text(hash_uint(state, (uint64_t)choice->rules[i].role), choice->rules[i].joint);
    return state;
}

/* Nothing where there are none, so that a query without layers is what it was. */
static uint64_t hash_layers(uint64_t state, const struct request *request)
{
    for (uint32_t i = 0; i < request->layer_count; i++) {
        const struct request *layer = &request->layers[i];
        state = hash_text(state, layer->canonical);
        state = hash_uint(state, (uint64_t)layer->wrap); /* which it may have from the request */
        state = hash_uint(state, layer->is_additive);
        state = hash_uint(state, layer->weight_count);
        state = hash64(state, layer->weights, layer->weight_count * sizeof *layer->weights);
        state = hash_text(state, layer->reference == NULL ? NULL : layer->reference->canonical);
    }
    return state;
}

/* The times are hashed last, so that a query at another time needs no more than them. */
void request_set_canonical_times(struct request *request)
{
    uint64_t h = hash_uint(request->canonical_rest, request->time_count);
    if (request->time_count > 0)
        h = hash64(h, request->times_s, request->time_count * sizeof *request->times_s);
    hex_put_number(request->canonical, h, 16);
    request->canonical[16] = '\0';
}

static uint64_t hash_span(uint64_t state, const struct request_span *span)
{
    const uint64_t given[] = {span->has_from, span->has_to, span->has_fps, span->has_speed, span->has_phase};
    const double amounts[] = {span->from, span->to, span->fps, span->speed, span->phase};
    return hash64(hash64(state, given, sizeof given), amounts, sizeof amounts);
}

/* What has a value in each request. */
static uint64_t hash_values(uint64_t state, const struct request *request)
{
    const uint64_t numbers[] = {
        (uint64_t)request->wrap, (uint64_t)request->space, (uint64_t)request->layout, (uint64_t)request->format,
        request->what,           request->has_indices,     request->has_normals,      request->has_rest,
        request->list_limit,     request->is_over_clip,    request->has_rate,         request->is_estimate,
        request->is_per_joint,   request->has_no_textures};
    state = hash64(state, numbers, sizeof numbers);
    state = hash64(state, &request->picture, sizeof request->picture);
    state = hash64(state, &request->sheet, sizeof request->sheet);
    state = hash_span(state, &request->span);
    const uint64_t motion[] = {request->has_root_motion, request->has_turn};
    return hash64(state, motion, sizeof motion);
}

/* The nodes and clips that it names beside those of the pose. */
static uint64_t hash_named(uint64_t state, const struct request *request)
{
    state = hash_selectors(state, &request->root, 1);
    state = hash_selectors(state, &request->target, 1);
    state = hash_selectors(state, &request->camera, 1);
    state = hash_selectors(state, &request->joint, 1);
    state = hash_selectors(state, &request->variant, 1);
    state = hash64(state, &request->rate, sizeof request->rate);
    return hash_selectors(state, request->clips, request->clip_count);
}

static uint64_t hash_export(uint64_t state, const struct request *request)
{
    const uint64_t exported[] = {request->has_no_clips, request->is_approximate, request->has_up, request->up};
    const double measures[] = {request->unit_m, request->sample_rate};
    return hash64(hash64(state, exported, sizeof exported), measures, sizeof measures);
}

/* Nothing where they are not given, so that a query without them is what it was before there were any. */
static uint64_t hash_optional_words(uint64_t state, const struct request *request)
{
    if (request->is_of_folders)
        state = hash_uint(hash_uint(state, PARAM_FOLDERS), 1);
    if (request->compression != GLB_PLAIN)
        state = hash_uint(hash_uint(state, PARAM_COMPRESS), request->compression);
    if (request->paths != 0)
        state = hash_uint(hash_uint(state, PARAM_PATH), request->paths);
    if (request->has_weights)
        state = hash_uint(state, PARAM_WEIGHTS);
    if (request->has_attributes)
        state = hash_uint(state, PARAM_ATTRIBUTES);
    if (OP_INFO[request->op].form == FORM_PNG)
        state = hash_uint(state, request->texture);
    if (request->clip_file != NULL)
        state = hash_text(state, request->clip_file);
    if (request->clip_hash != NULL)
        state = hash_text(state, request->clip_hash);
    if (request->environment != NULL)
        state = hash_text(hash_uint(state, PARAM_ENVIRONMENT), request->environment);
    return state;
}

/* Likewise: of clips of other files, and of the model that it compares with. */
static uint64_t hash_other_files(uint64_t state, const struct request *request)
{
    const bool has_files = op_has(request->op, OP_MANY_FILES) || request->clip_file_count > 1;
    state = hash_renames(state, &request->renames);
    for (uint32_t i = 0; has_files && i < request->source_count; i++)
        state = hash_text(state, request->sources[i].path);
    if (request->clip_names != NULL || request->is_strict)
        state = hash_uint(hash_text(state, request->clip_names), request->is_strict);
    if (request->with != NULL) {
        state = hash_text(state, request->with);
        state = hash_uint(state, request->has_tolerance);
        state = hash64(state, &request->tolerance, sizeof request->tolerance);
    }
    if (request->is_by_rest)
        state = hash_humanoid(hash_humanoid(hash_uint(state, 1 + request->has_locked_feet), &request->humanoid),
                              &request->clip_humanoid);
    return state;
}

void request_set_canonical(struct request *request)
{
    uint64_t h = hash_uint(HASH64_SEED, (uint64_t)request->op);
    h = hash_text(h, request->model);
    h = hash_text(h, request->hash);
    h = hash_selectors(h, &request->clip, 1);
    h = hash_selectors(h, request->skins, request->skin_count);
    h = hash_selectors(h, request->joints, request->joint_count);
    h = hash_selectors(h, &request->mesh, 1);
    h = hash_values(h, request);
    h = hash_named(h, request);
    h = hash_export(h, request);
    h = hash_text(h, request->prefix);
    h = hash_text(h, request->after);
    h = hash_layers(h, request);
    h = hash_optional_words(h, request);
    h = hash_other_files(h, request);
    if (request->fit != VOLUME_CAPSULE)
        h = hash_uint(hash_uint(h, PARAM_FIT), request->fit);
    request->canonical_rest = h;
    request_set_canonical_times(request);
}
