#include "clients/cli/convert/convert_request.h"

#include "clients/cli/server/estimate.h"
#include "clients/cli/command_line/commands.h"
#include "clients/cli/convert/convert_parts.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/long_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An answer that takes longer than WHOLE_S comes in parts of about PART_S. */
static const double WHOLE_S = 10, PART_S = 5;

void convert_request_put_query(const struct args *args, const char *hash, struct text *query)
{
    struct args some = *args;
    struct given_parameter *kept = must_alloc((args->parameter_count + 1) * sizeof *kept);
    some.parameters = kept;
    some.parameter_count = 0;
    for (size_t i = 0; i < args->parameter_count; i++)
        if (strcmp(args->parameters[i].name, "estimate") != 0)
            kept[some.parameter_count++] = args->parameters[i];
    text_put(query, "");
    args_put_query(&some, query);
    free(kept);
    if (args_has(args, OPTION_NO_TEXTURES) && args_parameter(args, "textures") == NULL)
        text_put(query, "&textures=none");
    if (args_has(args, OPTION_NAME)) {
        text_put(query, "&clip_names=");
        text_put_url(query, args_text(args, OPTION_NAME, ""));
    }
    if (hash != NULL)
        text_printf(query, "&hash=%s", hash);
}

/* Puts everything into one request. */
static void put_whole(const struct convert_request *request, struct text *query, char **body)
{
    const struct convert_clips *clips = request->clips;
    cJSON *json = convert_clips_body(clips, request->paths, 0, clips->file_count);
    convert_request_put_query(&clips->args, request->hash, query);
    *body = json == NULL ? NULL : cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
}

static int ask_whole(const struct convert_request *request, struct long_request_estimate *estimate,
                     struct posed_packet *answer)
{
    struct text query = {0};
    char *body = NULL;
    put_whole(request, &query, &body);
    const int rc = long_request_ask(request->connection, request->shown, "export", request->model, query.at, body,
                                    estimate, answer);
    free(body);
    text_free(&query);
    return rc;
}

/* Returns whether a parameter needs all clips in one request: only that shows what a rule renames, chooses how vertices
 * are stored, and blends clips. */
static bool needs_all_files(const struct args *args)
{
    static const char *const BLENDS[] = {"layers", "turn", "morph", "expression", "look"};
    for (size_t i = 0; i < sizeof BLENDS / sizeof *BLENDS; i++)
        if (args_parameter(args, BLENDS[i]) != NULL)
            return true;
    const char *optimize = args_parameter(args, "optimize");
    if (optimize != NULL && strcmp(optimize, "0") != 0)
        return true;
    const char *strict = args_parameter(args, "strict");
    return strict != NULL && strcmp(strict, "1") == 0 && args_parameter(args, "rename_joints") != NULL;
}

static size_t parts_at_once(const struct convert_parts *parts, double expected_s)
{
    const double count = ceil(fmax(1, expected_s / PART_S)), items = ceil((double)parts->item_count / count);
    return items < 1 ? 1 : items > CONVERT_FILES_MAX ? CONVERT_FILES_MAX : (size_t)items;
}

static int request_whole(const struct convert_request *request, double expected_s, struct posed_packet *answer)
{
    struct text query = {0};
    char *body = NULL;
    put_whole(request, &query, &body);
    const int rc = long_request_expected(request->connection, request->shown, expected_s, "export", request->model,
                                         query.at, body, answer);
    free(body);
    text_free(&query);
    return rc;
}

int convert_request_check(const struct convert_clips *clips)
{
    if (clips->file_count <= CONVERT_FILES_MAX || !needs_all_files(&clips->args))
        return STATUS_DONE;
    terminal_error("--optimize, a pose, layers, and --strict with rules for names take at most %d clip files",
                   CONVERT_FILES_MAX);
    return STATUS_USAGE;
}

static int request_many_files(const struct convert_request *request, struct text *joined, struct posed_packet *answer,
                              struct text *problem)
{
    struct convert_parts parts = {0};
    struct long_request_estimate estimate = {0};
    int rc = convert_parts_init(&parts, request);
    if (rc == 0)
        rc = convert_parts_expect(&parts, CONVERT_FILES_MAX, &estimate, answer);
    if (rc == 0 || rc == POSED_E_SERVER)
        rc = convert_parts_request(&parts, parts_at_once(&parts, estimate.seconds), estimate.seconds, joined, answer,
                                   problem);
    convert_parts_free(&parts);
    return rc;
}

int convert_request(const struct convert_request *request, struct text *joined, struct posed_packet *answer,
                    struct text *problem)
{
    struct convert_parts parts = {0};
    struct long_request_estimate estimate = {0};
    if (request->clips->file_count > CONVERT_FILES_MAX)
        return request_many_files(request, joined, answer, problem);
    int rc = ask_whole(request, &estimate, answer);
    if (rc != 0 && rc != POSED_E_SERVER) /* the request's own answer reports its errors */
        return rc;
    estimate.seconds = rc == 0 ? estimate.seconds : 0;
    const bool may_split = !needs_all_files(&request->clips->args);
    bool is_split = may_split && estimate.seconds > WHOLE_S;
    if (!is_split) {
        rc = request_whole(request, estimate.seconds, answer);
        is_split = may_split && convert_is_too_much(request->connection, rc);
    }
    if (is_split && convert_parts_init(&parts, request) == 0 && parts.item_count > 1)
        rc = convert_parts_request(&parts, parts_at_once(&parts, fmax(estimate.seconds, 2 * PART_S)), estimate.seconds,
                                   joined, answer, problem);
    else if (is_split)
        rc = request_whole(request, estimate.seconds, answer);
    convert_parts_free(&parts);
    return rc;
}

int convert_request_estimate(const struct convert_request *request)
{
    struct convert_parts parts = {0};
    struct long_request_estimate estimate;
    struct posed_packet answer;
    int rc = 0;
    if (request->clips->file_count > CONVERT_FILES_MAX) {
        rc = convert_parts_init(&parts, request);
        rc = rc != 0 ? rc : convert_parts_expect(&parts, CONVERT_FILES_MAX, &estimate, &answer);
    } else {
        rc = ask_whole(request, &estimate, &answer);
    }
    const int status = connection_status(request->connection, rc);
    if (status == STATUS_DONE && terminal.is_json && parts.item_count == 0)
        json_print(cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes));
    else if (status == STATUS_DONE && terminal.is_json)
        estimate_print_json(&estimate);
    else if (status == STATUS_DONE)
        estimate_print_line(&estimate);
    convert_parts_free(&parts);
    return status;
}
