/* request_points.c - parses and checks the points of a request for keypoints. */
#include "wire/request/request_parser.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The weights of a triangle's corners, which rounding may have moved: their sum is 1 up to this. */
static const double WEIGHTS_OFF = 1e-3;
/* Times times layers that a renderer takes (worker/render_job.h). */
enum { MOMENTS_MAX = 4096 };

/* --- one point --- */

static int bad(const char *name, const char *expected, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' must be %s", name, expected);
}

/* Copies a text into the request's memory, which has room for those of the body. */
static const char *keep_text(struct request *request, const char *text)
{
    char *kept = request->pose.memory.data + request->pose.memory.size_bytes;
    buf_put(&request->pose.memory, text, strlen(text) + 1);
    return kept;
}

static bool read_whole(const cJSON *item, uint32_t *out)
{
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(value >= 0 && value <= INT32_MAX) || floor(value) < value)
        return false;
    *out = (uint32_t)value;
    return true;
}

/* Takes an index, or a text: a name. */
static int take_selector(struct request *request, const cJSON *item, struct selector *out, struct err *err)
{
    *out = (struct selector){.kind = SELECT_INDEX};
    if (cJSON_IsString(item)) {
        *out = (struct selector){.kind = SELECT_NAME,
                                 .name = keep_text(request, item->valuestring),
                                 .name_bytes = strlen(item->valuestring)};
        return 0;
    }
    return read_whole(item, &out->index) ? 0 : bad(item->string, "an index or a name", err);
}

static int take_whole(const cJSON *item, uint32_t *out, struct err *err)
{
    return read_whole(item, out) ? 0 : bad(item->string, "a whole number from 0", err);
}

static int take_place(const cJSON *item, double out[3], struct err *err)
{
    int count = 0;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, item)
    {
        if (count == 3 || !cJSON_IsNumber(entry) || !(fabs(entry->valuedouble) <= (double)FLT_MAX))
            return bad(item->string, "a list of 3 numbers that a float can hold", err);
        out[count++] = entry->valuedouble + 0; /* avoids -0 */
    }
    return cJSON_IsArray(item) && count == 3 ? 0 : bad(item->string, "a list of 3 numbers that a float can hold", err);
}

static int take_member(struct request *request, struct request_point *point, const cJSON *item, struct err *err)
{
    const char *name = item->string;
    if (strcmp(name, "name") == 0) {
        point->name = cJSON_IsString(item) ? keep_text(request, item->valuestring) : NULL;
        return point->name != NULL ? 0 : bad(name, "a text", err);
    }
    if (strcmp(name, "joint") == 0 || strcmp(name, "mesh") == 0)
        return take_selector(request, item, &point->thing, err);
    if (strcmp(name, "node") == 0)
        return take_selector(request, item, &point->node, err);
    if (strcmp(name, "primitive") == 0)
        return take_whole(item, &point->primitive, err);
    if (strcmp(name, "triangle") == 0)
        return take_whole(item, &point->triangle, err);
    if (strcmp(name, "offset") == 0 || strcmp(name, "barycentric") == 0)
        return take_place(item, point->place, err);
    return err_set(err, ERR_UNKNOWN_PARAMETER,
                   "unknown parameter '%.64s'; a point takes name, and joint and offset, or mesh, node, primitive, "
                   "triangle and barycentric",
                   name);
}

static bool has(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name) != NULL;
}

/* A point is fixed to a joint or to a triangle. */
static int check_members(const cJSON *object, bool *is_on_surface, struct err *err)
{
    static const char *const OF_SURFACE[] = {"node", "primitive", "triangle", "barycentric"};
    *is_on_surface = has(object, "mesh");
    if (has(object, "joint") == *is_on_surface)
        return *is_on_surface ? err_set(err, ERR_BAD_PARAMETER,
                                        "parameter 'joint' does not go with 'mesh': a point has one of them")
                              : err_set(err, ERR_MISSING_PARAMETER, "a point needs the parameter 'joint' or 'mesh'");
    for (size_t i = 0; i < sizeof OF_SURFACE / sizeof *OF_SURFACE && !*is_on_surface; i++)
        if (has(object, OF_SURFACE[i]))
            return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' needs 'mesh'", OF_SURFACE[i]);
    if (*is_on_surface && has(object, "offset"))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'offset' needs 'joint'");
    for (size_t i = 2; i < sizeof OF_SURFACE / sizeof *OF_SURFACE && *is_on_surface; i++)
        if (!has(object, OF_SURFACE[i]))
            return err_set(err, ERR_MISSING_PARAMETER, "a point on a mesh needs the parameter '%s'", OF_SURFACE[i]);
    return 0;
}

/* Makes the sum of the weights 1, and none negative. */
static int finish_weights(double weights[3], struct err *err)
{
    double sum = 0;
    bool is_good = fabs(weights[0] + weights[1] + weights[2] - 1) <= WEIGHTS_OFF;
    for (int i = 0; i < 3; i++) {
        is_good = is_good && weights[i] >= -WEIGHTS_OFF;
        weights[i] = fmax(weights[i], 0);
        sum += weights[i];
    }
    if (!is_good)
        return bad("barycentric", "three weights from 0 whose sum is 1", err);
    for (int i = 0; i < 3; i++)
        weights[i] = fmin(weights[i] / sum, 1);
    return 0;
}

static int take_point(struct request *request, const cJSON *object, struct err *err)
{
    struct request_point point = {0};
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item)
            return err_set(err, ERR_DUPLICATE_PARAMETER, "parameter '%.64s' is given twice; it may be given once",
                           item->string);
        if (take_member(request, &point, item, err) < 0)
            return err->code;
    }
    if (check_members(object, &point.is_on_surface, err) < 0 ||
        (point.is_on_surface && finish_weights(point.place, err) < 0))
        return err->code;
    buf_put(&request->lists.points, &point, sizeof point);
    return 0;
}

int request_take_points(struct request *request, const cJSON *list, const struct limits *limits, struct err *err)
{
    uint32_t index = 0;
    const cJSON *object;
    if (request_count_objects(list, "points", limits->value[LIMIT_KEYPOINTS], err) < 0)
        return err->code;
    cJSON_ArrayForEach(object, list)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "name");
        if (take_point(request, object, err) < 0)
            return cJSON_IsString(name) ? err_prefix(err, "points[%u] '%.60s'", index, name->valuestring)
                                        : err_prefix(err, "points[%u]", index);
        index++;
    }
    return 0;
}

/* --- the request --- */

int request_complete_keypoints(struct request *request, const struct param_set *seen, const struct limits *limits,
                               struct err *err)
{
    const struct request_pose *pose = &request->pose;
    struct request_keypoints *keypoints = &request->keypoints;
    const uint64_t pixels = (uint64_t)request->picture.width * request->picture.height;
    if (keypoints->has_all && pose->joint_count > 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'joints' is all, and names joints");
    if (!keypoints->has_body && keypoints->point_count == 0 && pose->joint_count == 0)
        keypoints->has_all = true;
    if (pixels > limits->value[LIMIT_PICTURE_PIXELS])
        return err_set(err, ERR_BAD_PARAMETER, "%u x %u pixels are more than %s", request->picture.width,
                       request->picture.height, LIMIT_TEXT(limits, LIMIT_PICTURE_PIXELS));
    if (pose->time_count > limits->value[LIMIT_CELLS])
        return err_set(err, ERR_TOO_MANY_FRAMES, "parameter 't' names %u times; keypoints are of %llu at most",
                       pose->time_count, (unsigned long long)limits->value[LIMIT_CELLS]);
    if ((uint64_t)pose->time_count * pose->layer_count > MOMENTS_MAX)
        return err_set(err, ERR_TOO_MANY_FRAMES, "%u times of %u layers are more than %d moments of layers",
                       pose->time_count, pose->layer_count, MOMENTS_MAX);
    request->sheet.format = SHEET_POINTS;
    request->picture.flags |= PICTURE_ALLOW_EMPTY; /* what is not there hides nothing */
    return request_complete_camera(request, seen, err);
}
