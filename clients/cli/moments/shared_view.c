/* Finds one camera by asking for the camera of each model. */
#include "clients/cli/moments/shared_view.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Reads the rotation of view_from_scene, which is column-major, into rows. Returns false if the answer has none. */
static bool read_axes(const cJSON *answer, struct view_axes *out)
{
    const cJSON *view = json_get(json_get(answer, "camera"), "view_from_scene");
    if (cJSON_GetArraySize(view) != 16)
        return false;
    const cJSON *entry = view->child;
    for (int i = 0; i < 12; i++, entry = entry->next)
        if (i % 4 < 3)
            out->rows[i % 4][i / 4] = cJSON_GetNumberValue(entry);
    return isfinite(dot(out->rows[0], out->rows[0]) + dot(out->rows[1], out->rows[1]));
}

static void widen(double box[6], const double point[3])
{
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(box[i], point[i]);
        box[3 + i] = fmax(box[3 + i], point[i]);
    }
}

static void corner_of(const double box[6], int corner, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = box[(corner >> i & 1) * 3 + i];
}

/* Converts from the axes of a camera. The unit does not count. */
static void to_scene(const struct view_axes *axes, const double seen[3], double scene[3])
{
    for (int i = 0; i < 3; i++)
        scene[i] = axes->rows[0][i] * seen[0] + axes->rows[1][i] * seen[1] + axes->rows[2][i] * seen[2];
}

static int ask_json(struct connection *connection, const char *operation, const char *model, const char *query,
                    cJSON **out, struct text *problem)
{
    if (connection_request_json(connection, operation, model, query, NULL, out) == 0)
        return 0;
    text_put(problem, connection_error_message(connection, model));
    return -1;
}

/* An orthographic camera that frames the pose without a margin shows the box in its own numbers: its sides, and near
 * and far. */
int shared_view_ask_bones(struct connection *connection, const char *model, const char *when, double box[6],
                          struct text *problem)
{
    struct text query = {0};
    struct view_axes axes;
    cJSON *answer;
    text_printf(&query, "%s&camera=front&ortho=1&frame=pose&margin=0&width=8&height=8&allow_empty=1&format=json", when);
    const int rc = ask_json(connection, "render", model, query.at, &answer, problem);
    text_free(&query);
    if (rc < 0)
        return -1;
    const cJSON *camera = json_get(answer, "camera");
    const cJSON *view = json_get(camera, "view_from_scene"), *clip = json_get(camera, "clip_from_view");
    const bool is_read = read_axes(answer, &axes) && cJSON_GetArraySize(clip) == 16;
    double seen[6], corner[3], point[3];
    for (int i = 0; i < 3 && is_read; i++) {
        /* Clip space, from -1 to 1, is scale * seen + shift; seen is rows * scene + offset. */
        const double scale = cJSON_GetNumberValue(cJSON_GetArrayItem(clip, 5 * i));
        const double shift = cJSON_GetNumberValue(cJSON_GetArrayItem(clip, 12 + i));
        const double offset = cJSON_GetNumberValue(cJSON_GetArrayItem(view, 12 + i));
        seen[i] = fmin((-1 - shift) / scale, (1 - shift) / scale) - offset;
        seen[3 + i] = fmax((-1 - shift) / scale, (1 - shift) / scale) - offset;
    }
    cJSON_Delete(answer);
    for (int i = 0; i < 6; i++)
        box[i] = i < 3 ? HUGE_VAL : -HUGE_VAL;
    for (int n = 0; n < 8 && is_read; n++) {
        corner_of(seen, n, corner);
        to_scene(&axes, corner, point);
        widen(box, point);
    }
    return 0;
}

/* Finds the same direction for models whose files name different fronts. is_converted: the scenes differ in axes, and
 * both fronts are the same side of one model. */
static void turn_to_old(struct shared_view *view, bool is_converted)
{
    const struct view_axes *old = &view->axes[SIDE_OLD];
    struct view_axes *new = &view->axes[SIDE_NEW];
    view->front_deg[SIDE_OLD] = view->front_deg[SIDE_NEW] = 0;
    if (is_converted || dot(old->rows[1], new->rows[1]) < 1 - 1e-6)
        return;
    /* The yaw goes from the front towards the model's left, which is to the right of an observer who looks at the
     * front. */
    const double turn = atan2(dot(old->rows[2], new->rows[0]), dot(old->rows[2], new->rows[2]));
    view->front_deg[SIDE_NEW] = turn * 180 / 3.14159265358979323846;
    memcpy(new->rows, old->rows, sizeof new->rows);
}

int shared_view_find(struct connection *connection, const struct compared *compared, struct shared_view *out,
                     struct text *problem)
{
    *out = (struct shared_view){0};
    const bool is_unit_converted = cJSON_IsTrue(json_get(compared->answer, "unit_converted"));
    for (int side = 0; side < SIDE_COUNT; side++) {
        cJSON *camera, *model;
        out->axes[side].unit = 1;
        if (ask_json(connection, "render", compared->paths[side],
                     "&clip=-&camera=front&width=8&height=8&allow_empty=1&format=json", &camera, problem) < 0)
            return -1;
        const bool is_read = read_axes(camera, &out->axes[side]);
        cJSON_Delete(camera);
        if (!is_read) {
            text_put(problem, "the server does not tell its camera");
            return -1;
        }
        if (!is_unit_converted)
            continue;
        if (ask_json(connection, "model", compared->paths[side], "", &model, problem) < 0)
            return -1;
        const double unit_m = member_number(model, "unit_m");
        out->axes[side].unit = unit_m > 0 && isfinite(unit_m) ? unit_m : 1;
        cJSON_Delete(model);
    }
    turn_to_old(out, cJSON_IsTrue(json_get(compared->answer, "up_converted")));
    return 0;
}

void shared_view_join(const struct shared_view *view, double boxes[SIDE_COUNT][6])
{
    double common[6] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, point[3], seen[3];
    for (int side = 0; side < SIDE_COUNT; side++)
        for (int corner = 0; corner < 8 && boxes[side][0] <= boxes[side][3]; corner++) {
            corner_of(boxes[side], corner, point);
            for (int i = 0; i < 3; i++)
                seen[i] = dot(view->axes[side].rows[i], point) * view->axes[side].unit;
            widen(common, seen);
        }
    for (int side = 0; side < SIDE_COUNT && common[0] <= common[3]; side++)
        for (int corner = 0; corner < 8; corner++) {
            corner_of(common, corner, seen);
            for (int i = 0; i < 3; i++)
                seen[i] /= view->axes[side].unit;
            to_scene(&view->axes[side], seen, point);
            widen(boxes[side], point);
        }
}
