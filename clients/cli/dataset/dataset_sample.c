/* Draws one sample of a data set: its picture and its arrays. */
#include "clients/cli/dataset/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dataset_put_name(struct text *out, const struct listed_model *item, size_t index, const char *extension)
{
    text_printf(out, "%s/%06zu.%s", item->out, index, extension);
}

static void put_clip(const struct dataset_moment *moment, struct text *out)
{
    if (moment->clip != NULL)
        text_printf(out, "&clip=%d", member_index(moment->clip, "index"));
    else if (moment->is_rest)
        text_put(out, "&clip=-");
}

static void put_query(const struct dataset *set, const char *hash, const struct dataset_moment *moment,
                      const struct dataset_choice *camera, const struct dataset_choice *light, struct text *out)
{
    text_printf(out, "&hash=%s", hash);
    put_clip(moment, out);
    if (moment->has_time)
        text_printf(out, "&t=%.9g", moment->time_s);
    text_put(out, camera->query);
    text_put(out, light->query);
    if (set->shows_empty)
        text_put(out, "&allow_empty=1");
}

static bool is_empty(const struct connection *connection, int rc)
{
    return rc == POSED_E_SERVER && connection->posed.error.code == POSED_ERR_NOTHING_TO_DRAW;
}

/* Asks what the picture of the query will show. Returns 0 and sets *about, or an enum posed_status. */
static int ask_about(const struct dataset *set, struct connection *connection, const struct listed_model *item,
                     const char *query, size_t index, cJSON **about)
{
    static const char *const MEMBERS[] = {"width", "height", "clip", "time"};
    const size_t light = index % set->light_count, camera = index / set->light_count % set->camera_count;
    struct text whole = {0};
    cJSON *answer;
    text_printf(&whole, "%s%s&format=json%s", set->picture_query, query, set->shows_empty ? "" : "&allow_empty=1");
    const int rc =
        connection_request_json(connection, "render", item->source, whole.at, set->cameras[camera].body, &answer);
    text_free(&whole);
    if (rc != 0)
        return rc;
    *about = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof MEMBERS / sizeof *MEMBERS; i++)
        cJSON_AddItemToObject(*about, MEMBERS[i], cJSON_DetachItemFromObjectCaseSensitive(answer, MEMBERS[i]));
    cJSON_AddItemToObject(*about, "numbers", cJSON_DetachItemFromObjectCaseSensitive(answer, "camera"));
    cJSON_AddNumberToObject(*about, "camera", (double)camera);
    if (set->lights[light].name != NULL)
        cJSON_AddStringToObject(*about, "light", set->lights[light].name);
    json_keep_bits(*about); /* what the manifest keeps has them too */
    cJSON_Delete(answer);
    return 0;
}

/* Writes a file of the sample, and adds it to the outputs with what is told about it. */
static int write_file(struct dataset *set, const struct listed_model *item, size_t index, const char *extension,
                      const struct posed_packet *answer, cJSON *about, cJSON *outputs, struct text *problem)
{
    struct text file = {0}, hash = {0};
    dataset_put_name(&file, item, index, extension);
    cJSON *output = pass_write_file(&set->pass, file.at, answer->data, answer->data_bytes, problem);
    if (output != NULL) {
        sha256_put(&hash, answer->data, answer->data_bytes);
        cJSON_AddStringToObject(output, "sha256", hash.at);
        cJSON_AddNumberToObject(output, "sample", (double)index);
        while (about != NULL && about->child != NULL) {
            cJSON *member = cJSON_DetachItemViaPointer(about, about->child);
            cJSON_AddItemToObject(output, member->string, member);
        }
        cJSON_AddItemToArray(outputs, output);
    }
    cJSON_Delete(about);
    text_free(&file);
    text_free(&hash);
    return output == NULL ? PASS_FAILED : 0;
}

/* Draws the picture. One that shows nothing is no error: the model may be beside what the camera sees. */
static int draw_picture(struct dataset *set, struct connection *connection, const struct listed_model *item,
                        const char *query, size_t index, cJSON *outputs, struct text *problem)
{
    const char *body = set->cameras[index / set->light_count % set->camera_count].body;
    struct text whole = {0};
    struct posed_packet answer;
    cJSON *about = NULL;
    int rc = ask_about(set, connection, item, query, index, &about);
    text_printf(&whole, "%s%s", set->picture_query, query);
    if (rc == 0)
        rc = connection_request_model(connection, "render", item->source, whole.at, body, &answer);
    if (is_empty(connection, rc)) {
        text_put(&whole, "&allow_empty=1");
        rc = connection_request_model(connection, "render", item->source, whole.at, body, &answer);
        cJSON_AddTrueToObject(about, "empty");
    }
    if (rc == 0)
        rc = write_file(set, item, index, "png", &answer, about, outputs, problem);
    else
        cJSON_Delete(about);
    text_free(&whole);
    return rc;
}

static int draw_arrays(struct dataset *set, struct connection *connection, const struct listed_model *item,
                       const char *query, const struct dataset_moment *moment, size_t index, cJSON *outputs,
                       struct text *problem)
{
    const size_t camera = index / set->light_count % set->camera_count;
    struct text whole = {0};
    struct posed_packet answer;
    text_printf(&whole, "%s%s%s", set->array_query, query, set->shows_empty ? "" : "&allow_empty=1");
    if (set->has_motion)
        text_printf(&whole, "&t2=%.9g", moment->time_s + (isnan(moment->step_s) ? 0 : moment->step_s));
    int rc = connection_request_model(connection, "render", item->source, whole.at, set->cameras[camera].body, &answer);
    if (rc == 0)
        rc = write_file(set, item, index, "npz", &answer, NULL, outputs, problem);
    text_free(&whole);
    return rc;
}

/* Returns the time of a picture, whose numbers are JSON as text. */
static double time_of(const cJSON *picture)
{
    const cJSON *time = json_get(picture, "time");
    return time != NULL && time->valuestring != NULL ? strtod(time->valuestring, NULL) : member_number(picture, "time");
}

static int find_keypoints(struct dataset *set, struct connection *connection, const struct listed_model *item,
                          const char *hash, const struct dataset_moment *moment, size_t index, cJSON *outputs,
                          struct text *problem)
{
    const struct dataset_choice *camera = &set->cameras[index / set->light_count % set->camera_count];
    struct text whole = {0};
    struct posed_packet answer;
    text_printf(&whole, "&hash=%s%s%s", hash, set->keypoint_query, camera->query);
    put_clip(moment, &whole);
    /* The server frames the pose of a moment that it picks, and of keypoints the clip. */
    if (!moment->has_time && strstr(set->keypoint_query, "&frame") == NULL)
        text_put(&whole, "&frame=pose");
    text_printf(&whole, "&t=%.17g", time_of(outputs->child));
    int rc = connection_request_model(connection, "keypoints", item->source, whole.at, camera->body, &answer);
    if (rc == 0)
        rc = write_file(set, item, index, "json", &answer, NULL, outputs, problem);
    text_free(&whole);
    return rc;
}

int dataset_sample(struct dataset *set, struct connection *connection, const struct listed_model *item,
                   const char *hash, const struct dataset_moment *moment, size_t index, cJSON **outputs,
                   struct text *problem)
{
    const size_t light = index % set->light_count, camera = index / set->light_count % set->camera_count;
    struct text query = {0};
    *outputs = cJSON_CreateArray();
    put_query(set, hash, moment, &set->cameras[camera], &set->lights[light], &query);
    int rc = draw_picture(set, connection, item, query.at, index, *outputs, problem);
    if (rc == 0 && set->array_query != NULL)
        rc = draw_arrays(set, connection, item, query.at, moment, index, *outputs, problem);
    if (rc == 0 && set->keypoint_query != NULL)
        rc = find_keypoints(set, connection, item, hash, moment, index, *outputs, problem);
    text_free(&query);
    if (rc != 0) {
        cJSON_Delete(*outputs);
        *outputs = NULL;
    }
    return rc;
}
