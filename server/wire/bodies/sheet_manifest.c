#include "wire/bodies/sheet_manifest.h"

#include "anim/pose/pose.h"
#include "wire/reply/reply_context.h"
#include "wire/encode/json.h"

#include <math.h>
#include <string.h>

static void put_key(struct buf *out, const char *name) { buf_printf(out, ",\"%s\":", name); }

static void put_uint(struct buf *out, const char *name, uint64_t value)
{
    put_key(out, name);
    json_put_uint(out, value);
}

static void put_number(struct buf *out, const char *name, double value)
{
    put_key(out, name);
    if (isfinite(value))
        json_put_double(out, value);
    else
        buf_put_text(out, "null");
}

static void put_numbers(struct buf *out, const char *name, const double *values, int count)
{
    bool is_finite = true;
    put_key(out, name);
    for (int i = 0; i < count; i++)
        is_finite = is_finite && isfinite(values[i]);
    if (!is_finite) { /* a point beside a camera in perspective is nowhere in its picture */
        buf_put_text(out, "null");
        return;
    }
    for (int i = 0; i < count; i++) {
        buf_put_char(out, i == 0 ? '[' : ',');
        json_put_double(out, values[i]);
    }
    buf_put_char(out, ']');
}

/* A camera of the file can move from cell to cell; then what is true of one view is not of the others. */
static bool has_own_camera(const struct request *request) { return request->camera.kind != SELECT_NONE; }

static bool is_moving(const struct sheet_plan *plan, const struct sheet_cameras *shots, const struct request *request)
{
    for (uint32_t c = 1; c < plan->cell_count && has_own_camera(request); c++)
        for (int k = 0; k < 16; k++)
            if (shots->views[c].m[k] != shots->views[0].m[k])
                return true;
    return false;
}

/* The pixel of a cell, from its top left corner, where a point of the scene is; whole numbers are between pixels. Not
 * finite: it is not before the camera, or `view` is NULL. */
static void find_pixel(const struct sheet_plan *plan, const struct sheet_cameras *shots, const struct dmat4 *view,
                       const double point[3], double out[2])
{
    const double *clip = shots->clip_from_view.m;
    double seen[3];
    out[0] = out[1] = (double)NAN;
    if (view == NULL)
        return;
    dmat4_point(view, point, seen);
    const double w = clip[11] * seen[2] + clip[15];
    if (!(w > 0))
        return;
    out[0] = (1 + clip[0] * seen[0] / w) / 2 * plan->layout.cell_width;
    out[1] = (1 - clip[5] * seen[1] / w) / 2 * plan->layout.cell_height;
}

/* How many pixels are one unit of the scene, across the line of sight, where the pivot is; NAN as above. */
static double find_scale(const struct sheet_plan *plan, const struct sheet_cameras *shots, const struct dmat4 *view)
{
    const double *clip = shots->clip_from_view.m;
    double seen[3];
    if (view == NULL)
        return (double)NAN;
    dmat4_point(view, shots->pivot, seen);
    const double w = clip[11] * seen[2] + clip[15];
    return w > 0 ? clip[5] / w / 2 * plan->layout.cell_height : (double)NAN;
}

/* Whether a part of the query is of the manifest alone: what asks for it, and the rate, which a PNG does not take. */
static bool is_of_manifest(const char *part, size_t part_bytes)
{
    static const char ASKED[] = "format=json", RATE[] = "play_rate=";
    return (part_bytes == sizeof ASKED - 1 && memcmp(part, ASKED, part_bytes) == 0) ||
           (part_bytes >= sizeof RATE - 1 && memcmp(part, RATE, sizeof RATE - 1) == 0);
}

/* The query without what is of the manifest alone, and with the content that it is about. */
static void put_picture(struct buf *out, const struct model *model, const struct request *request)
{
    const char *at = request->target_text;
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
        if (part_bytes > 0 && !is_of_manifest(at, part_bytes)) {
            buf_put_char(&url, separator);
            buf_put(&url, at, part_bytes);
            separator = '&';
        }
        at += part_bytes + (at[part_bytes] == '&');
    }
    if (request->op == OP_TURNTABLE) /* which would be an animation */
        buf_put_text(&url, "&format=png");
    if (request->hash == NULL) {
        buf_put_text(&url, "&hash=");
        put_hash(&url, model);
    }
    put_key(out, "picture");
    json_put_string(out, buf_failed(&url) ? "" : url.data, buf_failed(&url) ? 0 : url.size_bytes);
    buf_fini(&url);
}

/* Frames a second of the cells [first, end); NAN where they are not evenly spaced. The last of a loop lasts as long as
 * is left to its begin, and counts only where it is alone. */
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

static uint32_t end_of_clip(const struct sheet_plan *plan, uint32_t first)
{
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    uint32_t c = first;
    while (c < plan->cell_count && cells[c].clip == cells[first].clip)
        c++;
    return c;
}

/* Every clip once, in the order of the cells. */
static void put_clips(struct buf *out, const struct sheet_plan *plan, const struct model *clips,
                      const struct request *request)
{
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    bool is_first = true;
    buf_put_text(out, ",\"clips\":[");
    for (uint32_t c = 0; c < plan->cell_count && request->layer_count == 0; c++) {
        if (cells[c].clip == POSE_REST || (c > 0 && cells[c].clip == cells[c - 1].clip))
            continue;
        const struct clip *clip = &clips->clips[cells[c].clip];
        buf_put_text(out, is_first ? "{\"index\":" : ",{\"index\":");
        json_put_uint(out, (unsigned)cells[c].clip);
        put_key(out, "name");
        json_put_str(out, clips, clip->name);
        put_number(out, "duration", clip->duration_s);
        put_number(out, "fps", find_rate(cells, c, end_of_clip(plan, c)));
        buf_put_char(out, '}');
        is_first = false;
    }
    buf_put_char(out, ']');
}

/* The cell that first looks from a direction has its camera. */
static void put_directions(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *shots,
                           const struct request *request)
{
    static const double ORIGIN[3];
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    const bool is_standing = !is_moving(plan, shots, request);
    uint32_t next = 0;
    buf_put_text(out, ",\"directions\":[");
    for (uint32_t c = 0; c < plan->cell_count && next < plan->direction_count; c++) {
        if (cells[c].direction != next)
            continue;
        double origin[2];
        find_pixel(plan, shots, is_standing ? &shots->views[c] : NULL, ORIGIN, origin);
        buf_put_text(out, next == 0 ? "{" : ",{");
        if (has_own_camera(request)) {
            buf_put_text(out, "\"yaw\":null,\"pitch\":null");
        } else {
            buf_put_text(out, "\"yaw\":");
            json_put_double(out, request->picture.yaw_deg + cells[c].yaw_deg);
            put_number(out, "pitch", request->picture.pitch_deg);
        }
        put_numbers(out, "origin", origin, 2);
        if (is_standing)
            put_numbers(out, "view_from_scene", shots->views[c].m, 16);
        else
            buf_put_text(out, ",\"view_from_scene\":null");
        buf_put_char(out, '}');
        next++;
    }
    buf_put_char(out, ']');
}

static void put_cells(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *shots,
                      const struct request *request)
{
    const bool is_picked = (request->picture.flags & PICTURE_AUTO_TIME) != 0;
    const struct sheet_cell *cells = sheet_plan_cells(plan);
    buf_put_text(out, ",\"cells\":[");
    for (uint32_t c = 0; c < plan->cell_count; c++) {
        const struct sheet_cell *cell = &cells[c];
        buf_put_text(out, c == 0 ? "\n{\"x\":" : ",\n{\"x\":");
        json_put_uint(out, cell->x);
        put_uint(out, "y", cell->y);
        put_uint(out, "width", plan->layout.cell_width);
        put_uint(out, "height", plan->layout.cell_height);
        put_uint(out, "column", cell->column);
        put_uint(out, "row", cell->row);
        put_uint(out, "direction", cell->direction);
        put_uint(out, "frame", cell->frame);
        put_key(out, "clip");
        json_put_index(out, request->layer_count > 0 ? POSE_REST : cell->clip);
        put_number(out, "time", is_picked ? shots->clip_times_s[c] - cell->begin_s : cell->time_s);
        if (request->layer_count == 0)
            put_number(out, "clip_time", is_picked ? shots->clip_times_s[c] : cell->clip_time_s);
        put_number(out, "duration", cell->duration_s);
        if (has_own_camera(request))
            put_numbers(out, "view_from_scene", shots->views[c].m, 16);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]");
}

void sheet_manifest_put(struct buf *out, const struct sheet_plan *plan, const struct sheet_cameras *shots,
                        const struct model *model, const struct model *clips, const struct request *request)
{
    const struct dmat4 *view = is_moving(plan, shots, request) ? NULL : &shots->views[0];
    double anchor[2];
    find_pixel(plan, shots, view, shots->pivot, anchor);
    put_name_and_hash(out, model, request);
    put_picture(out, model, request);
    put_uint(out, "width", plan->width);
    put_uint(out, "height", plan->height);
    put_uint(out, "columns", plan->layout.widest);
    put_uint(out, "rows", plan->layout.rows);
    put_uint(out, "gap", plan->layout.gap);
    put_uint(out, "padding", plan->layout.padding);
    put_uint(out, "caption_height", plan->layout.caption_height);
    put_numbers(out, "anchor", anchor, 2);
    put_numbers(out, "pivot", shots->pivot, 3);
    put_number(out, "pixels_per_unit", find_scale(plan, shots, view));
    buf_printf(out, ",\"projection\":\"%s\"", shots->is_ortho ? "orthographic" : "perspective");
    put_numbers(out, "clip_from_view", shots->clip_from_view.m, 16);
    put_number(out, "fps", find_rate(sheet_plan_cells(plan), 0, plan->cell_count));
    put_clips(out, plan, clips, request);
    put_directions(out, plan, shots, request);
    put_cells(out, plan, shots, request);
    buf_put_text(out, "}\n");
}
