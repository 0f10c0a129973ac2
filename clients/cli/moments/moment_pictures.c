/* Draws both models with one box, and compares the pictures. */
#include "clients/cli/moments/moment_pictures.h"

#include "clients/cli/moments/flip.h"
#include "clients/cli/moments/picture_file.h"
#include "clients/cli/moments/shared_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GLANCE_PIXELS = 96 };
static const double PITCH_DEG = 15;

/* --- moments --- */

static int index_at(const cJSON *pair, int side)
{
    const cJSON *index = cJSON_GetArrayItem(pair, side);
    return cJSON_IsNumber(index) && index->valuedouble >= 0 && index->valuedouble < 1e9 ? index->valueint : -1;
}

static bool is_taken(const struct moment *moments, size_t count, const struct moment *moment)
{
    for (size_t i = 0; i < count; i++)
        if (moments[i].clips[SIDE_NEW] == moment->clips[SIDE_NEW] &&
            moments[i].clips[SIDE_OLD] == moment->clips[SIDE_OLD])
            return true;
    return false;
}

static bool is_of(const char *kind, const char *const *kinds)
{
    while (*kinds != NULL && strcmp(*kinds, kind) != 0)
        kinds++;
    return *kinds != NULL;
}

/* Finds the moment for a difference in the binding: the worst moment of the first clip, because it shows only where
 * something moves. */
static bool find_moved(const cJSON *answer, struct moment *out)
{
    const cJSON *clip;
    cJSON_ArrayForEach(clip, json_get(answer, "clips"))
    {
        const cJSON *worst = json_get(clip, "worst");
        if (!cJSON_IsObject(worst) || !isfinite(member_number(worst, "time_s")))
            continue;
        for (int side = 0; side < SIDE_COUNT; side++)
            out->clips[side] = index_at(json_get(clip, "clips"), side);
        out->time_s = member_number(worst, "time_s");
        return out->clips[SIDE_OLD] >= 0 && out->clips[SIDE_NEW] >= 0;
    }
    return false;
}

/* Finds when the difference is visible. Returns false if no picture can show it. */
static bool find_moment(const cJSON *answer, const cJSON *difference, struct moment *out)
{
    static const char *const AT_REST[] = {
        "rest", "mesh",      "triangles",     "material", "texture", "joint_reparented",
        "unit", "placement", "morph_targets", NULL};
    static const char *const WHILE_MOVING[] = {"weights", NULL};
    const char *kind = member_text(difference, "kind");
    *out = (struct moment){.difference = difference, .clips = {-1, -1}};
    const bool is_shown = strcmp(kind, "morph_targets") == 0 && isfinite(member_number(difference, "time_s"));
    if (strcmp(kind, "pose") == 0 || is_shown) {
        const cJSON *clips = json_get(json_get(difference, "subject"), "clips");
        for (int side = 0; side < SIDE_COUNT; side++)
            out->clips[side] = index_at(clips, side);
        out->time_s = member_number(difference, "time_s");
        return isfinite(out->time_s) && out->clips[SIDE_OLD] >= 0 && out->clips[SIDE_NEW] >= 0;
    }
    if (is_of(kind, WHILE_MOVING))
        return find_moved(answer, out);
    return is_of(kind, AT_REST);
}

size_t moments_find(const cJSON *answer, struct moment *out, size_t most)
{
    const cJSON *difference;
    size_t count = 0;
    cJSON_ArrayForEach(difference, json_get(answer, "differences"))
    {
        struct moment moment;
        if (count < most && find_moment(answer, difference, &moment) && !is_taken(out, count, &moment))
            out[count++] = moment;
    }
    return count;
}

/* --- pictures --- */

static void put_time(struct text *query, int clip, double time_s)
{
    if (clip < 0)
        text_put(query, "&clip=-");
    else
        text_printf(query, "&clip=%d&t=%.9g&wrap=clamp", clip, time_s);
}

/* Asks for the box around a posed model. The box stays unchanged if the model has none. */
static int ask_box(struct connection *connection, const char *model, int clip, double time_s, double box[6],
                   struct text *problem)
{
    static const char *const ENDS[] = {"min", "max"};
    cJSON *json;
    struct text query = {0};
    put_time(&query, clip, time_s);
    int rc = connection_request_json(connection, "bounds", model, query.at, NULL, &json);
    for (int i = 0; i < 6; i++)
        box[i] = i < 3 ? HUGE_VAL : -HUGE_VAL;
    if (rc != 0) {
        text_put(problem, connection_error_message(connection, model));
        text_free(&query);
        return -1;
    }
    const cJSON *bounds = json_get(cJSON_GetArrayItem(json_get(json, "frames"), 0), "bounds");
    for (int i = 0; i < 6 && cJSON_IsObject(bounds); i++)
        box[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(bounds, ENDS[i / 3]), i % 3));
    if (strcmp(member_text(json, "source"), "nodes") == 0)
        rc = shared_view_ask_bones(connection, model, query.at, box, problem);
    cJSON_Delete(json);
    text_free(&query);
    return rc;
}

/* Both models through one camera. */
struct seen {
    struct text files[SIDE_COUNT];
    struct picture pixels[SIDE_COUNT];
};

static void seen_free(struct seen *seen)
{
    for (int side = 0; side < SIDE_COUNT; side++) {
        text_free(&seen->files[side]);
        free(seen->pixels[side].pixels);
    }
    *seen = (struct seen){0};
}

/* What the pictures of a moment have in common. */
struct drawing {
    struct connection *connection;
    const struct compared *compared;
    const struct moment *moment;
    struct shared_view view;
    double boxes[SIDE_COUNT][6];
};

static int draw_one(const struct drawing *drawing, int side, double yaw_deg, uint32_t size, struct seen *out,
                    struct text *problem)
{
    const double *box = drawing->boxes[side];
    struct posed_packet answer;
    struct text query = {0};
    put_time(&query, drawing->moment->clips[side], drawing->moment->time_s);
    text_printf(&query, "&width=%u&height=%u&background=ffffff&allow_empty=1&margin=0.01&yaw=%.9g&pitch=%.9g", size,
                size, drawing->view.front_deg[side] + yaw_deg, PITCH_DEG);
    for (int i = 0; i < 6 && box[0] <= box[3]; i++)
        text_printf(&query, "%s%.9g", i == 0 ? "&frame_box=" : ",", box[i]);
    const int rc = connection_request_model(drawing->connection, "render", drawing->compared->paths[side], query.at,
                                            NULL, &answer);
    text_free(&query);
    if (rc != 0) {
        text_put(problem, connection_error_message(drawing->connection, drawing->compared->paths[side]));
        return -1;
    }
    text_put_bytes(&out->files[side], (const char *)answer.data, answer.data_bytes);
    return picture_read(answer.data, answer.data_bytes, &out->pixels[side], problem);
}

/* `out` is empty. The caller calls seen_free() in any case. */
static int draw_both(const struct drawing *drawing, double yaw_deg, uint32_t size, struct seen *out,
                     struct text *problem)
{
    *out = (struct seen){0};
    for (int side = 0; side < SIDE_COUNT; side++)
        if (draw_one(drawing, side, yaw_deg, size, out, problem) < 0)
            return -1;
    const struct picture *a = &out->pixels[SIDE_OLD], *b = &out->pixels[SIDE_NEW];
    if (a->width == b->width && a->height == b->height)
        return 0;
    text_put(problem, "the pictures have different sizes");
    return -1;
}

/* Returns the differences of all pixels, which the caller frees, and their mean in *mean. */
static double *differences_of(const struct seen *seen, double *mean)
{
    const struct picture *before = &seen->pixels[SIDE_OLD];
    const size_t count = (size_t)before->width * before->height;
    double *differences = must_alloc(count * sizeof *differences);
    flip_compare(before->pixels, seen->pixels[SIDE_NEW].pixels, before->width, before->height, FLIP_PIXELS_PER_DEGREE,
                 differences);
    *mean = 0;
    for (size_t i = 0; i < count; i++)
        *mean += differences[i] / (double)count;
    return differences;
}

/* Chooses the side that shows the difference best: the usual one, unless another shows clearly more. */
static int choose_yaw(const struct drawing *drawing, double *yaw_deg, struct text *problem)
{
    static const double YAWS_DEG[] = {35, -35, 145, -145}, CLEARLY = 1.3;
    double best = 0;
    int rc = 0;
    for (size_t i = 0; i < sizeof YAWS_DEG / sizeof *YAWS_DEG && rc == 0; i++) {
        struct seen seen;
        double mean = 0;
        rc = draw_both(drawing, YAWS_DEG[i], GLANCE_PIXELS, &seen, problem);
        if (rc == 0)
            free(differences_of(&seen, &mean));
        if (i == 0 || mean > best * CLEARLY) {
            *yaw_deg = YAWS_DEG[i];
            best = mean;
        }
        seen_free(&seen);
    }
    return rc;
}

static int put_pictures(struct seen *seen, struct moment_pictures *out, struct text *problem)
{
    struct picture *heat = &seen->pixels[SIDE_OLD]; /* its file was written already */
    double *differences = differences_of(seen, &out->mean);
    for (size_t i = 0; i < (size_t)heat->width * heat->height; i++) {
        out->most = fmax(out->most, differences[i]);
        flip_heat(differences[i], heat->pixels + 3 * i);
    }
    free(differences);
    out->before = seen->files[SIDE_OLD];
    out->after = seen->files[SIDE_NEW];
    seen->files[SIDE_OLD] = seen->files[SIDE_NEW] = (struct text){0};
    return picture_put(heat, &out->heat, problem);
}

int moment_draw(struct connection *connection, const struct compared *compared, const struct moment *moment,
                uint32_t size, struct moment_pictures *out, struct text *problem)
{
    struct drawing drawing = {.connection = connection, .compared = compared, .moment = moment};
    struct seen seen = {0};
    double yaw_deg = 0;
    *out = (struct moment_pictures){.mean = 0};
    int rc = shared_view_find(connection, compared, &drawing.view, problem);
    for (int side = 0; side < SIDE_COUNT && rc == 0; side++)
        rc = ask_box(connection, compared->paths[side], moment->clips[side], moment->time_s, drawing.boxes[side],
                     problem);
    if (rc == 0) {
        shared_view_join(&drawing.view, drawing.boxes);
        rc = choose_yaw(&drawing, &yaw_deg, problem);
    }
    if (rc == 0)
        rc = draw_both(&drawing, yaw_deg, size, &seen, problem);
    if (rc == 0)
        rc = put_pictures(&seen, out, problem);
    seen_free(&seen);
    return rc;
}

void moment_pictures_free(struct moment_pictures *pictures)
{
    text_free(&pictures->before);
    text_free(&pictures->after);
    text_free(&pictures->heat);
}
