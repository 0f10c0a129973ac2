/* request_layers.c - checks the layers of a blend, alone and together, and lists the other files from which a request
 * and its layers take clips. */
#include "wire/request/request_given.h"
#include "wire/request/request_parser.h"

#include <stdlib.h>
#include <string.h>

/* Rejects parameters of the request that its layers have themselves. */
static int check_shared(const struct param_set *seen, struct err *err)
{
    static const int OF_LAYERS[] = {PARAM_CLIP, PARAM_CLIP_NAME, PARAM_FROM,  PARAM_TO,
                                    PARAM_FPS,  PARAM_SPEED,     PARAM_PHASE, PARAM_END};
    const char *given = param_given(seen, OF_LAYERS);
    return given == NULL
               ? 0
               : err_set(err, ERR_BAD_PARAMETER, "parameter '%s' stands in the layers when there are layers", given);
}

int request_check_layers(struct request *request, const struct param_set *seen, const struct limits *limits,
                         struct err *err)
{
    uint64_t joints = 0;
    const bool has_frames = request->op != OP_EXPORT; /* those of an export depend on the layers' lengths */
    if (check_shared(seen, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < request->pose.layer_count; i++) {
        struct request_pose *layer = &request->pose.layers[i];
        layer->model = request->model;
        if (!layer->has_wrap)
            layer->wrap = request->pose.wrap;
        if (has_frames && layer->time_count > 1 && layer->time_count != request->pose.time_count)
            return err_set(err, ERR_BAD_PARAMETER,
                           "layers[%u]: parameter 't' has %u times for %u frames; it takes none, one, or as many", i,
                           layer->time_count, request->pose.time_count);
        if (has_frames && layer->weight_count > 1 && layer->weight_count != request->pose.time_count)
            return err_set(err, ERR_BAD_PARAMETER,
                           "layers[%u]: parameter 'weight' has %u numbers for %u frames; it takes one, or as many", i,
                           layer->weight_count, request->pose.time_count);
        joints += layer->joint_count + (layer->given != NULL ? request_given_names(layer->given) : 0);
        if (layer->reference != NULL) {
            layer->reference->model = request->model;
            if (layer->reference->time_count > 1)
                return err_set(err, ERR_BAD_PARAMETER, "layers[%u]: reference: parameter 't' takes one time", i);
        }
    }
    if (joints > limits->value[LIMIT_LAYER_JOINTS])
        return err_set(err, ERR_BAD_PARAMETER, "the layers name %llu joints and morph targets, more than %llu",
                       (unsigned long long)joints, (unsigned long long)limits->value[LIMIT_LAYER_JOINTS]);
    return 0;
}

/* --- other files --- */

int request_add_source(struct request *request, const char *path, const char *hash, struct err *err)
{
    if (request->sources == NULL)
        request->sources = calloc(REQUEST_SOURCES_MAX, sizeof *request->sources);
    if (request->sources == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the files of a request");
    request->sources[request->source_count++] = (struct request_source){.path = path, .hash = hash};
    return 0;
}

static int add_source(struct request *request, struct request_pose *part, const struct limits *limits, struct err *err)
{
    const enum limit files = op_has(request->op, OP_MANY_FILES) ? LIMIT_EXPORT_FILES : LIMIT_CLIP_FILES;
    const uint64_t limit = op_has(request->op, OP_ENTITIES) ? REQUEST_SOURCES_MAX /* including the models of entities */
                                                            : limits->value[files];
    uint32_t at = 0;
    if (part->clip_file == NULL)
        return 0;
    while (at < request->source_count && strcmp(request->sources[at].path, part->clip_file) != 0)
        at++;
    if (at == limit || at == REQUEST_SOURCES_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'clip_file' names more than %llu files",
                       (unsigned long long)limit);
    if (at == request->source_count && request_add_source(request, part->clip_file, NULL, err) < 0)
        return err->code;
    struct request_source *source = &request->sources[at];
    if (source->hash != NULL && part->clip_hash != NULL && strcmp(source->hash, part->clip_hash) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'clip_hash' says of '%.200s' that it is %s and %s",
                       part->clip_file, source->hash, part->clip_hash);
    source->hash = source->hash != NULL ? source->hash : part->clip_hash;
    part->clip_source = at + 1;
    return 0;
}

/* Checks the clip files of a sheet. */
static int check_sheet_files(const struct request *request, struct err *err)
{
    if (request->clip_file_count < 2)
        return 0;
    if ((request->sheet.flags & SHEET_ALL_CLIPS) == 0)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'clip_file' names %u files: a sheet of several needs clips=all",
                       request->clip_file_count);
    if (request->pose.clip_hash != NULL)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'clip_hash' does not go with several 'clip_file': it is the content of one");
    return 0;
}

/* Lists the clip files of a request that accepts several, each once. */
static int add_files(struct request *request, const struct limits *limits, struct err *err)
{
    for (uint32_t i = 0; i < request->file_count; i++) {
        struct request_pose part = {.clip_file = request->files[i]};
        if (add_source(request, &part, limits, err) < 0)
            return err->code;
    }
    if (op_has(request->op, OP_CELLS))
        request->clip_file_count = request->source_count;
    const char *alone = request->export.clip_names != NULL ? "clip_names" : "strict";
    return request->source_count > 0 || (request->export.clip_names == NULL && !request->export.is_strict) ||
                   request->pose.layer_count > 0
               ? 0
               : err_set(err, ERR_BAD_PARAMETER, "parameter '%s' needs 'clip_file', whose clips it is about", alone);
}

/* A part without a file of its own inherits the clip file of `from`. */
static void inherit(struct request_pose *part, const struct request_pose *from)
{
    if (part->clip_file != NULL)
        return;
    part->clip_file = from->clip_file;
    part->clip_hash = from->clip_hash;
}

int request_collect_layers(struct request *request, struct request_pose *of, const struct limits *limits,
                           struct err *err)
{
    for (uint32_t i = 0; i < of->layer_count; i++) {
        struct request_pose *layer = &of->layers[i];
        if (layer->given != NULL)
            continue;
        inherit(layer, of);
        if (layer->reference != NULL)
            inherit(layer->reference, layer);
        if (add_source(request, layer, limits, err) < 0 ||
            (layer->reference != NULL && add_source(request, layer->reference, limits, err) < 0))
            return err_prefix(err, "layers[%u]", i);
    }
    return 0;
}

int request_collect_sources(struct request *request, const struct limits *limits, struct err *err)
{
    if ((request->compare.with != NULL && request_add_source(request, request->compare.with, NULL, err) < 0) ||
        add_files(request, limits, err) < 0 || check_sheet_files(request, err) < 0 ||
        add_source(request, &request->pose, limits, err) < 0 ||
        request_collect_layers(request, &request->pose, limits, err) < 0)
        return err->code;
    if (request->retarget.is_by_rest && request->source_count == 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'retarget' needs 'clip_file', whose clips are retargeted");
    if (request->retarget.renames.count > 0 && request->source_count == 0)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'rename_joints' needs 'clip_file', whose nodes get other names");
    return 0;
}
