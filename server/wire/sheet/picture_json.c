#include "wire/sheet/picture_json.h"

#include "anim/pose/pose.h"
#include "base/ascii.h"
#include "wire/reply/reply_json.h"

#include <math.h>
#include <string.h>

/* Writes the key and the number, or null if it is not finite. */
static void put_number(struct buf *out, const char *key, double value)
{
    buf_put_text(out, key);
    if (isfinite(value))
        json_put_double(out, value);
    else
        buf_put_text(out, "null");
}

static void put_numbers(struct buf *out, const char *key, const double *values, int count)
{
    bool is_finite = true;
    buf_put_text(out, key);
    for (int i = 0; i < count; i++)
        is_finite = is_finite && isfinite(values[i]);
    if (!is_finite) { /* a perspective picture does not show a point beside the camera */
        buf_put_text(out, "null");
        return;
    }
    json_put_doubles(out, values, (size_t)count);
}

/* --- one picture --- */

static const char *projection_word(bool is_ortho) { return is_ortho ? "orthographic" : "perspective"; }

void picture_put_camera(struct buf *out, const struct picture_camera *camera, const double *clip_from_view)
{
    double opencv[16];
    picture_camera_turn(camera->view_from_scene, opencv);
    buf_put_text(out, "{\"view_from_scene\":");
    json_put_doubles(out, camera->view_from_scene, 16);
    buf_put_text(out, ",\"clip_from_view\":");
    json_put_doubles(out, clip_from_view, 16);
    json_printf(out, ",\"projection\":%s,\"fx\":%g,\"fy\":%g,\"cx\":%g,\"cy\":%g,\"near\":%g,\"far\":%g",
                projection_word(camera->kind == PICTURE_CAMERA_ORTHOGRAPHIC), camera->fx, camera->fy, camera->cx,
                camera->cy, camera->near, camera->far);
    buf_put_text(out, ",\"camera_from_scene\":{\"opencv\":");
    json_put_doubles(out, opencv, 16);
    buf_put_text(out, ",\"opengl\":");
    json_put_doubles(out, camera->view_from_scene, 16);
    buf_put_text(out, "}}");
}

void reply_put_shown_clip(const struct model *clips, int32_t clip, struct reply *reply)
{
    static const char HEX[] = "0123456789ABCDEF";
    struct buf *out = &reply->picture_lines;
    if (clip == POSE_REST) {
        buf_put_text(out, "X-Posed-Clip: -\r\n");
        return;
    }
    const struct str name = clips->clips[clip].name;
    buf_printf(out, "X-Posed-Clip: %d ", clip);
    for (uint32_t i = 0; name.offset != STR_NONE && i < name.size_bytes; i++) {
        const unsigned char c = (unsigned char)clips->text[name.offset + i];
        if (ascii_is_alnum((char)c) || c == '-' || c == '.' || c == '_' || c == '~')
            buf_put_char(out, (char)c);
        else
            buf_put(out, (const char[]){'%', HEX[c >> 4], HEX[c & 15]}, 3);
    }
    buf_put_text(out, "\r\n");
}

void reply_put_shown(const struct picture_shown *shown, struct reply *reply)
{
    struct buf *out = &reply->picture_lines;
    if (shown->clips != NULL)
        reply_put_shown_clip(shown->clips, shown->clip, reply);
    json_printf(out, "X-Posed-Time: %g\r\nX-Posed-Camera: ", shown->time_s);
    picture_put_camera(out, shown->camera, shown->clip_from_view);
    buf_put_text(out, "\r\n");
}

/* Each says: number = offset + scale * value; value 0 is background. */
void reply_put_pass(enum pass pass, double least, double most, struct reply *reply)
{
    static const double WHITE = UINT16_MAX;
    double offset = -1, scale = 1; /* PASS_AS_ID */
    if (PASS_INFO[pass].picture == PASS_AS_UNIT)
        scale = 2 / WHITE;
    if (PASS_INFO[pass].picture == PASS_AS_RANGE) {
        scale = (most - least) / (WHITE - 1);
        offset = least - scale;
    }
    json_printf(&reply->picture_lines, "X-Posed-Pass: {\"pass\":%s,\"offset\":%g,\"scale\":%g}\r\n",
                PASS_INFO[pass].word, offset, scale);
}

void body_put_picture(const struct request *request, const struct picture_shown *shown, struct reply *reply)
{
    struct buf *out = &reply->body;
    reply->content_type = "application/json";
    json_printf(out, "{\"model\":%s,", request->model);
    put_clip_name(out, shown->clips, shown->clip);
    json_printf(out, ",\"width\":%u,\"height\":%u,\"time\":%g,\"clip_time\":%g,\"camera\":", request->picture.width,
                request->picture.height, shown->time_s, shown->clip_time_s);
    picture_put_camera(out, shown->camera, shown->clip_from_view);
    buf_put_text(out, "}\n");
}

/* --- the manifest of a sheet --- */

/* A camera of the file may move from cell to cell; values of one view then do not hold for the others. */
static bool is_moving(const struct sheet_plan *plan, const struct sheet_cameras *cameras, const struct request *request)
{
    for (uint32_t c = 1; c < plan->cell_count && request_has_own_camera(request); c++)
        for (int k = 0; k < 16; k++)
            if (cameras->views[c].m[k] != cameras->views[0].m[k])
                return true;
    return false;
}

/* Returns the depth of a scene point in front of the camera, by which a perspective divides; 0 when it is not in front,
 * or `view` is NULL. seen: the point in view space. */
static double find_depth(const struct sheet_cameras *cameras, const struct dmat4 *view, const double point[3],
                         double seen[3])
{
    const double *clip = cameras->clip_from_view.m;
    if (view == NULL)
        return 0;
    dmat4_point(view, point, seen);
    return fmax(clip[11] * seen[2] + clip[15], 0);
}

/* Projects a scene point to a pixel of a cell, from its top left corner; whole numbers lie between pixels. The result
 * is not finite when the point is not in front of the camera, or `view` is NULL. */
static void find_pixel(const struct sheet_plan *plan, const struct sheet_cameras *cameras, const struct dmat4 *view,
                       const double point[3], double out[2])
{
    const double *clip = cameras->clip_from_view.m;
    double seen[3];
    const double w = find_depth(cameras, view, point, seen);
    const double x = clip[0] * seen[0] + clip[8] * seen[2] + clip[12];
    const double y = clip[5] * seen[1] + clip[9] * seen[2] + clip[13];
    out[0] = w > 0 ? (1 + x / w) / 2 * plan->layout.cell_width : (double)NAN;
    out[1] = w > 0 ? (1 - y / w) / 2 * plan->layout.cell_height : (double)NAN;
}

/* Returns how many pixels a unit of the scene spans at the pivot, perpendicular to the line of sight; NAN as above. */
static double find_scale(const struct sheet_plan *plan, const struct sheet_cameras *cameras, const struct dmat4 *view)
{
    double seen[3];
    const double w = find_depth(cameras, view, cameras->pivot, seen);
    return w > 0 ? cameras->clip_from_view.m[5] / w / 2 * plan->layout.cell_height : (double)NAN;
}

/* Whether a parameter of the query does not affect the picture: those that ask for the manifest, the rate, which PNG
 * lacks, and the balancer's. */
static bool is_not_of_picture(const char *part, size_t part_bytes)
{
    static const char ASKED[] = "format=json", *const NAMES[] = {"play_rate", "route"};
    const char *equals = memchr(part, '=', part_bytes);
    const size_t name_bytes = equals == NULL ? part_bytes : (size_t)(equals - part);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (name_bytes == strlen(NAMES[i]) && memcmp(part, NAMES[i], name_bytes) == 0)
            return true;
    return part_bytes == sizeof ASKED - 1 && memcmp(part, ASKED, part_bytes) == 0;
}

/* Writes the query without the parameters of the manifest, and with the content hash. */
static void put_picture(struct buf *out, const struct model *model, const struct request *request)
{
    const char *at = request->view.target_text;
    struct buf url;
    if (at == NULL) {
        buf_put_text(out, ",\"picture\":null");
        return;
    }
    buf_init(&url, SIZE_MAX);
    const size_t path_bytes = strcspn(at, "?");
    buf_put(&url, at, path_bytes);
    at += path_bytes + (at[path_bytes] == '?');
    char separator = '?';
    while (*at != '\0') {
        const size_t part_bytes = strcspn(at, "&");
        if (part_bytes > 0 && !is_not_of_picture(at, part_bytes)) {
            buf_put_char(&url, separator);
            buf_put(&url, at, part_bytes);
            separator = '&';
        }
        at += part_bytes + (at[part_bytes] == '&');
    }
    if (op_has(request->op, OP_TURNS)) /* otherwise it would be an animation */
        buf_put_text(&url, "&format=png");
    if (request->hash == NULL) {
        char hash[HASH_DIGITS_SIZE];
        buf_printf(&url, "&hash=%s", hash_digits(model, hash));
    }
    json_printf(out, ",\"picture\":%.*s", buf_failed(&url) ? 0 : (int)url.size_bytes, buf_failed(&url) ? "" : url.data);
    buf_fini(&url);
}

/* Returns the rate per second of the cells [first, end); NAN when they are not evenly spaced. The last frame of a loop
 * lasts until the loop restarts, and counts only if it is the only one. */
static double find_rate(const struct sheet_cell *cells, uint32_t first, uint32_t end)
{
    const double duration_s = cells[first].duration_s;
    for (uint32_t c = first + 1; c < end; c++) {
        const bool is_last = c + 1 == end || cells[c + 1].frame != cells[c].frame + 1;
        const bool is_alike = fabs(cells[c].duration_s - duration_s) <= 1e-9 * duration_s;
        if (!is_alike && (!is_last || cells[c].frame == 0))
            return (double)NAN;
    }
    return 1 / duration_s;
}

static bool is_same_clip(const struct sheet_cell *one, const struct sheet_cell *other)
{
    return one->clip == other->clip && one->clip_source == other->clip_source;
}

static uint32_t end_of_clip(const struct sheet_plan *plan, uint32_t first)
{
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    uint32_t c = first;
    while (c < plan->cell_count && is_same_clip(&cells[c], &cells[first]))
        c++;
    return c;
}

/* Writes ,"clip_file":".." of a cell with a clip of another file. */
static void put_clip_file(struct buf *out, const struct sheet_cell *cell, const struct request *request)
{
    if (cell->clip_source > 0)
        json_printf(out, ",\"clip_file\":%s", request->sources[cell->clip_source - 1].path);
}

/* Writes every clip once, in the order of the cells. */
static void put_clips(struct buf *out, const struct sheet_plan *plan, const struct model *model,
                      const struct model *const *sources, const struct request *request)
{
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    bool is_first = true;
    buf_put_text(out, ",\"clips\":[");
    for (uint32_t c = 0; c < plan->cell_count && request->pose.layer_count == 0; c++) {
        if (cells[c].clip == POSE_REST || (c > 0 && is_same_clip(&cells[c], &cells[c - 1])))
            continue;
        const struct model *clips = cells[c].clip_source == 0 ? model : sources[cells[c].clip_source - 1];
        const struct clip *clip = &clips->clips[cells[c].clip];
        json_comma(out, !is_first);
        json_printf(out, "{\"index\":%d,\"name\":%.*s,\"duration\":%g", cells[c].clip, JSON_STR(clips, clip->name),
                    clip->duration_s);
        put_number(out, ",\"fps\":", find_rate(cells, c, end_of_clip(plan, c)));
        put_clip_file(out, &cells[c], request);
        buf_put_char(out, '}');
        is_first = false;
    }
    buf_put_char(out, ']');
}

/* Takes the camera of a direction from its first cell. */
static void put_directions(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *cameras,
                           const struct request *request)
{
    static const double ORIGIN[3];
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    const bool is_standing = !is_moving(plan, cameras, request);
    uint32_t next = 0;
    buf_put_text(out, ",\"directions\":[");
    for (uint32_t c = 0; c < plan->cell_count && next < plan->direction_count; c++) {
        if (cells[c].direction != next)
            continue;
        double origin[2];
        find_pixel(plan, cameras, is_standing ? &cameras->views[c] : NULL, ORIGIN, origin);
        buf_put_text(out, next == 0 ? "{" : ",{");
        if (request_has_own_camera(request)) {
            buf_put_text(out, "\"yaw\":null,\"pitch\":null");
        } else {
            put_number(out, "\"yaw\":", request->picture.yaw_deg + cells[c].yaw_deg);
            put_number(out, ",\"pitch\":", request->picture.pitch_deg);
        }
        put_numbers(out, ",\"origin\":", origin, 2);
        if (is_standing)
            put_numbers(out, ",\"view_from_scene\":", cameras->views[c].m, 16);
        else
            buf_put_text(out, ",\"view_from_scene\":null");
        buf_put_char(out, '}');
        next++;
    }
    buf_put_char(out, ']');
}

static void put_cells(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *cameras,
                      const struct request *request)
{
    const bool is_picked = (request->picture.flags & PICTURE_AUTO_TIME) != 0;
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    buf_put_text(out, ",\"cells\":[");
    for (uint32_t c = 0; c < plan->cell_count; c++) {
        const struct sheet_cell *cell = &cells[c];
        json_comma(out, c > 0);
        json_printf(
            out,
            "\n{\"x\":%u,\"y\":%u,\"width\":%u,\"height\":%u,\"column\":%u,\"row\":%u,\"direction\":%u,\"frame\":%u",
            cell->x, cell->y, plan->layout.cell_width, plan->layout.cell_height, cell->column, cell->row,
            cell->direction, cell->frame);
        put_index(out, ",\"clip\":", request->pose.layer_count > 0 ? POSE_REST : cell->clip);
        put_clip_file(out, cell, request);
        put_number(out, ",\"time\":", is_picked ? cameras->clip_times_s[c] - cell->begin_s : cell->time_s);
        if (request->pose.layer_count == 0)
            put_number(out, ",\"clip_time\":", is_picked ? cameras->clip_times_s[c] : cell->clip_time_s);
        put_number(out, ",\"duration\":", cell->duration_s);
        if (request_has_own_camera(request))
            put_numbers(out, ",\"view_from_scene\":", cameras->views[c].m, 16);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]");
}

void sheet_manifest_put(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *cameras,
                        const struct model *model, const struct model *const *sources, const struct request *request)
{
    const struct dmat4 *view = is_moving(plan, cameras, request) ? NULL : &cameras->views[0];
    double anchor[2];
    find_pixel(plan, cameras, view, cameras->pivot, anchor);
    put_name_and_hash(out, model, request);
    put_picture(out, model, request);
    json_printf(
        out, ",\"width\":%u,\"height\":%u,\"columns\":%u,\"rows\":%u,\"gap\":%u,\"padding\":%u,\"caption_height\":%u",
        plan->width, plan->height, plan->layout.widest, plan->layout.rows, plan->layout.gap, plan->layout.padding,
        plan->layout.caption_height);
    put_numbers(out, ",\"anchor\":", anchor, 2);
    put_numbers(out, ",\"pivot\":", cameras->pivot, 3);
    put_number(out, ",\"pixels_per_unit\":", find_scale(plan, cameras, view));
    json_printf(out, ",\"projection\":%s", projection_word(cameras->is_ortho));
    put_numbers(out, ",\"clip_from_view\":", cameras->clip_from_view.m, 16);
    put_number(out, ",\"fps\":", find_rate(sheet_plan_cells(plan), 0, plan->cell_count));
    put_clips(out, plan, model, sources, request);
    put_directions(out, plan, cameras, request);
    put_cells(out, plan, cameras, request);
    buf_put_text(out, "}\n");
}
