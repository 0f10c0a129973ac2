#include "wire/keypoints/keypoints_json.h"

#include "anim/pose/pose.h"
#include "wire/reply/reply_json.h"
#include "wire/sheet/picture_json.h"

#include <math.h>

enum { COLUMN_PIXELS, COLUMN_DEPTHS, COLUMN_STATES, COLUMN_DRAWN_DEPTHS, COLUMN_DRAWN_JOINTS };
static const char *const COLUMNS[KEYPOINT_COLUMNS] = {"pixels", "depths", "states", "drawn_depths", "drawn_joints"};
static const char *const STATES[] = {"visible", "hidden", "outside"};

static void put_number(struct buf *out, double value)
{
    if (isfinite(value))
        json_put_double(out, value);
    else
        buf_put_text(out, "null");
}

/* --- the head --- */

static void put_surface(struct buf *out, const struct model *model, const struct resolved_point *point)
{
    const struct draw *draw = &model->draws[point->first];
    const uint32_t mesh = model->primitives[draw->primitive].mesh;
    json_printf(out, ",\"node\":%u,\"mesh\":%u,\"primitive\":%u,\"triangle\":%u,\"barycentric\":", draw->node, mesh,
                draw->primitive - model->meshes[mesh].primitive_first, point->second);
    json_put_doubles(out, point->place, 3);
}

static void put_point(struct buf *out, const struct model *model, const struct resolved_point *point)
{
    buf_put_text(out, "{\"name\":");
    json_put_string(out, point->name, point->name_bytes);
    if (point->kind == POINT_NODE)
        json_printf(out, ",\"joint\":%u", point->first);
    if (point->kind == POINT_NODE && dot3(point->place, point->place) > 0) {
        buf_put_text(out, ",\"offset\":");
        json_put_doubles(out, point->place, 3);
    }
    if (point->kind == POINT_BETWEEN)
        json_printf(out, ",\"joints\":[%u,%u]", point->first, point->second);
    if (point->kind == POINT_SURFACE)
        put_surface(out, model, point);
    buf_put_char(out, '}');
}

void keypoints_put_head(struct buf *out, const struct request *request, const struct model *model,
                        const struct model *clips, int32_t clip, double tolerance, const struct resolved_point *points,
                        uint32_t count)
{
    put_name_and_hash(out, model, request);
    buf_put_char(out, ',');
    put_clip_name(out, clips, clips == NULL ? POSE_REST : clip);
    json_printf(out, ",\"width\":%u,\"height\":%u,\"tolerance\":%g,\"points\":[", request->picture.width,
                request->picture.height, tolerance);
    for (uint32_t i = 0; i < count; i++) {
        json_comma(out, i > 0);
        put_point(out, model, &points[i]);
    }
    buf_put_text(out, "],\"frames\":[");
}

/* --- frames --- */

void keypoints_begin_frame(struct buf *out, uint32_t frame, double time_s, double clip_time_s,
                           const struct picture_camera *camera, const double *clip_from_view)
{
    json_comma(out, frame > 0);
    json_printf(out, "\n{\"time\":%g,\"clip_time\":%g,\"camera\":", time_s, clip_time_s);
    picture_put_camera(out, camera, clip_from_view);
}

void keypoints_begin_column(struct buf *out, int column)
{
    buf_printf(out, "%s,\"%s\":[", column > 0 ? "]" : "", COLUMNS[column]);
}

void keypoints_put(struct buf *out, int column, uint32_t index, const struct resolved_point *point,
                   const struct keypoint *found)
{
    json_comma(out, index > 0);
    switch (column) {
    case COLUMN_PIXELS:
        if (isfinite(found->pixel[0]) && isfinite(found->pixel[1]))
            json_put_doubles(out, found->pixel, 2);
        else
            buf_put_text(out, "null");
        break;
    case COLUMN_DEPTHS:
        put_number(out, found->depth);
        break;
    case COLUMN_STATES:
        if (point->kind == POINT_NONE)
            buf_put_text(out, "null");
        else
            buf_printf(out, "\"%s\"", STATES[found->state]);
        break;
    case COLUMN_DRAWN_DEPTHS:
        put_number(out, found->drawn_depth);
        break;
    default:
        put_index(out, "", found->drawn_joint);
    }
}

void keypoints_end_frame(struct buf *out) { buf_put_text(out, "]}"); }

void keypoints_end(struct buf *out) { buf_put_text(out, "\n]}\n"); }
