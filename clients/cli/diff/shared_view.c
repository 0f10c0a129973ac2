/* Finds one camera by asking for that of each model. */
#include "clients/cli/diff/shared_view.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The rotation of view_from_scene, which is column-major, by its rows. False: the answer has none. */
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

static int ask_json(struct connection *connection, const char *operation, const char *model, const char *query,
                    cJSON **out, struct text *problem)
{
    struct posed_packet answer;
    *out = NULL;
    if (connection_request_model(connection, operation, model, query, NULL, &answer) != 0)
        text_put(problem, connection_error_message(connection, model));
    else
        *out = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
    return *out == NULL ? -1 : 0;
}

/* The same direction for models that say other fronts. is_converted: the scenes differ in axes, and the fronts are
 * those of one model. */
static void turn_to_old(struct shared_view *view, bool is_converted)
{
    const struct view_axes *old = &view->axes[SIDE_OLD];
    struct view_axes *new = &view->axes[SIDE_NEW];
    view->front_deg[SIDE_OLD] = view->front_deg[SIDE_NEW] = 0;
    if (is_converted || dot(old->rows[1], new->rows[1]) < 1 - 1e-6)
        return;
    /* yaw goes from the front towards the model's left, which is to the right of who looks at its front */
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
        const double unit_m = json_number(model, "unit_m");
        out->axes[side].unit = unit_m > 0 && isfinite(unit_m) ? unit_m : 1;
        cJSON_Delete(model);
    }
    turn_to_old(out, cJSON_IsTrue(json_get(compared->answer, "up_converted")));
    return 0;
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
            for (int i = 0; i < 3; i++) {
                point[i] = 0;
                for (int r = 0; r < 3; r++)
                    point[i] += view->axes[side].rows[r][i] * seen[r] / view->axes[side].unit;
            }
            widen(boxes[side], point);
        }
}
