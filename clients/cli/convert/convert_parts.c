#include "clients/cli/convert/convert_parts.h"

#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/long_progress.h"
#include "clients/cli/server/long_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items `first` up to `end`. The model's clips come first, if all of them are wanted, then the files. */
struct range {
    size_t first, end;
};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Puts the query. Only the first part has the parameters for the clips of the model, the textures and the compression
 * of meshes. */
static void put_query(const struct args *args, bool is_first, struct text *out)
{
    static const char *const LEFT_OUT[] = {"estimate", "clip_names", "clips", "clip_name", "textures"};
    struct args some = *args;
    struct given_parameter *kept = must_alloc((args->parameter_count + 1) * sizeof *kept);
    some.parameters = kept;
    some.parameter_count = 0;
    for (size_t i = 0; i < args->parameter_count; i++) {
        const struct given_parameter *given = &args->parameters[i];
        const bool is_draco = strcmp(given->name, "compress") == 0 && strcmp(given->value, "draco") == 0;
        if (!is_one_of(given->name, LEFT_OUT, is_first ? 2 : 5) && (is_first || !is_draco))
            kept[some.parameter_count++] = *given;
    }
    text_put(out, "");
    args_put_query(&some, out);
    free(kept);
    if (!is_first || (args_has(args, OPTION_NO_TEXTURES) && args_parameter(args, "textures") == NULL))
        text_put(out, "&textures=none");
}

static size_t files_before(const struct convert_parts *parts, size_t item)
{
    return item < parts->own_count ? 0 : item - parts->own_count;
}

static void put_clips(const struct convert_parts *parts, const struct range *range, cJSON *body)
{
    const bool is_first = range->first == 0;
    if (parts->own_count > 0 ? range->first >= parts->own_count : !is_first) {
        cJSON_AddStringToObject(body, "clips", "-");
    } else if (parts->own_count > range->end || (parts->own_count > 0 && !is_first)) {
        cJSON *list = cJSON_AddArrayToObject(body, "clips");
        for (size_t i = range->first; i < range->end && i < parts->own_count; i++)
            cJSON_AddItemToArray(list, cJSON_CreateNumber((double)i));
    }
}

static void put_part(const struct convert_parts *parts, const struct range *range, struct text *query, char **body)
{
    const struct convert_clips *clips = parts->request->clips;
    const size_t first = files_before(parts, range->first), count = files_before(parts, range->end) - first;
    cJSON *json = convert_clips_body(clips, parts->request->paths, first, count);
    json = json == NULL ? cJSON_CreateObject() : json;
    put_query(&clips->args, range->first == 0, query);
    if (args_parameter(&clips->args, "hash") == NULL)
        text_printf(query, "&hash=%s",
                    parts->request->hash != NULL ? parts->request->hash : member_text(parts->about, "hash"));
    if (count > 0) {
        text_put(query, "&clip_names=");
        text_put_url(query, CLIP_NAMES_OF_PARTS);
    }
    put_clips(parts, range, json);
    *body = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
}

int convert_parts_expect(const struct convert_parts *parts, size_t at_once, struct long_request_estimate *estimate,
                         struct posed_packet *answer)
{
    const struct convert_request *request = parts->request;
    const struct range range = {0, at_once};
    struct text query = {0};
    char *body = NULL;
    put_part(parts, &range, &query, &body);
    const int rc = long_request_ask(request->connection, request->shown, "export", request->model, query.at, body,
                                    estimate, answer);
    const double share = (double)parts->item_count / (double)at_once;
    estimate->seconds *= share;
    estimate->bytes = estimate->bytes < 0 ? -1 : estimate->bytes * share;
    free(body);
    text_free(&query);
    return rc;
}

int convert_parts_init(struct convert_parts *parts, const struct convert_request *request)
{
    const struct convert_clips *clips = request->clips;
    *parts = (struct convert_parts){.request = request};
    const int rc = connection_request_json(request->connection, "model", request->model, "", NULL, &parts->about);
    if (rc != 0)
        return rc;
    const bool is_chosen =
        args_parameter(&clips->args, "clips") != NULL || args_parameter(&clips->args, "clip_name") != NULL;
    parts->own_count = is_chosen ? 0 : (size_t)cJSON_GetArraySize(json_get(parts->about, "clips"));
    parts->item_count = parts->own_count + clips->file_count;
    parts->files = must_alloc((clips->file_count + 1) * sizeof *parts->files);
    for (size_t i = 0; i < clips->file_count; i++)
        parts->files[i] = convert_clips_path(clips, request->paths, i);
    return 0;
}

void convert_parts_free(struct convert_parts *parts)
{
    glb_join_free(&parts->join);
    clip_names_free(&parts->names);
    free(parts->files);
    cJSON_Delete(parts->about);
}

/* Adds the names of the model's clips, which may repeat. In a GLB file they are unique. */
static void add_names(struct convert_parts *parts, const struct range *range, const cJSON *glb)
{
    const size_t first = files_before(parts, range->first), count = files_before(parts, range->end) - first;
    const size_t before = parts->names.clip_count;
    clip_names_add(&parts->names, glb, parts->files + first, (int)first, count);
    for (size_t i = before; i < parts->names.clip_count && parts->own_count > 0; i++) {
        struct named_clip *clip = &parts->names.clips[i];
        const size_t index = range->first + i - before;
        const cJSON *name = json_get(cJSON_GetArrayItem(json_get(parts->about, "clips"), (int)index), "name");
        struct text own = {0};
        if (clip->file >= 0 || index >= parts->own_count)
            continue;
        text_put(&own, cJSON_IsString(name) ? name->valuestring : "");
        if (own.size_bytes == 0)
            text_printf(&own, "%zu", index);
        free(clip->name);
        clip->name = own.at;
    }
}

/* Returns 1 if the part does not fit the others, else the same as connection_request(), or -1 after printing an error.
 */
static int take_part(struct convert_parts *parts, const struct range *range, struct posed_packet *answer,
                     struct text *problem)
{
    const struct convert_request *request = parts->request;
    struct text query = {0};
    char *body = NULL;
    put_part(parts, range, &query, &body);
    int rc = connection_request_model(request->connection, "export", request->model, query.at, body, answer);
    free(body);
    text_free(&query);
    if (rc != 0)
        return rc;
    cJSON *glb = glb_parse(answer->data, answer->data_bytes, NULL, NULL);
    add_names(parts, range, glb);
    cJSON_Delete(glb);
    return glb_join_add(&parts->join, answer->data, answer->data_bytes, problem) < 0 ? 1 : 0;
}

bool convert_is_too_much(const struct connection *connection, int rc)
{
    char code[64];
    if (rc != POSED_E_SERVER)
        return false;
    connection_error_code(connection, code);
    return strcmp(code, "too_many_frames") == 0;
}

static int take_parts(struct convert_parts *parts, size_t at_once, double expected_s, struct posed_packet *answer,
                      struct text *problem)
{
    struct long_progress progress;
    const double start_s = now_s();
    size_t done = 0;
    int rc = 0;
    long_progress_begin(&progress, parts->request->shown, parts->request->model, expected_s);
    while (rc == 0 && done < parts->item_count && !is_interrupted()) {
        const size_t left = parts->item_count - done;
        const struct range range = {done, done + (left < at_once ? left : at_once)};
        rc = take_part(parts, &range, answer, problem);
        if (convert_is_too_much(parts->request->connection, rc) && at_once > 1) {
            at_once = (at_once + 1) / 2;
            rc = 0;
        } else {
            done = range.end;
        }
        long_progress_expect(&progress, (now_s() - start_s) * ((double)parts->item_count / fmax((double)done, 1) - 1));
    }
    long_progress_end(&progress);
    return rc;
}

static int put_joined(struct convert_parts *parts, struct text *joined, struct posed_packet *answer,
                      struct text *problem)
{
    const struct convert_clips *clips = parts->request->clips;
    if (clips->file_count > 0)
        clip_names_set(&parts->names, parts->join.json, parts->files, clips->file_count,
                       args_has(&clips->args, OPTION_NAME) ? args_text(&clips->args, OPTION_NAME, "")
                                                           : args_parameter(&clips->args, "clip_names"));
    if (glb_join_put(&parts->join, joined, problem) < 0)
        return CONVERT_FAILED;
    answer->data = (const unsigned char *)joined->at;
    answer->data_bytes = joined->size_bytes;
    return 0;
}

int convert_parts_request(struct convert_parts *parts, size_t at_once, double expected_s, struct text *joined,
                          struct posed_packet *answer, struct text *problem)
{
    const int rc = take_parts(parts, at_once, expected_s, answer, problem);
    if (is_interrupted()) {
        text_free(problem);
        text_put(problem, "interrupted");
        return CONVERT_FAILED;
    }
    return rc == 1 ? CONVERT_FAILED : rc != 0 ? rc : put_joined(parts, joined, answer, problem);
}
