#include "wire/bodies/body_picture.h"

#include "wire/encode/json.h"

#include <string.h>

static void put_matrix(struct buf *out, const char *name, const double m[16])
{
    buf_put_text(out, name);
    for (int i = 0; i < 16; i++) {
        buf_put_char(out, i == 0 ? '[' : ',');
        json_put_double(out, m[i]);
    }
    buf_put_char(out, ']');
}

static void put_camera(struct buf *out, const struct picture_shown *shown)
{
    put_matrix(out, "{\"view_from_scene\":", shown->view_from_scene);
    put_matrix(out, ",\"clip_from_view\":", shown->clip_from_view);
    buf_put_char(out, '}');
}

void reply_put_shown(const struct picture_shown *shown, struct reply *reply)
{
    struct buf *out = &reply->picture_lines;
    buf_put_text(out, "X-Posed-Time: ");
    json_put_double(out, shown->time_s);
    buf_put_text(out, "\r\nX-Posed-Camera: ");
    put_camera(out, shown);
    buf_put_text(out, "\r\n");
}

void body_put_picture(const struct request *request, const struct picture_shown *shown, struct reply *reply)
{
    struct buf *out = &reply->body;
    reply->content_type = "application/json";
    buf_put_text(out, "{\"model\":");
    json_put_string(out, request->model, strlen(request->model));
    buf_printf(out, ",\"width\":%u,\"height\":%u,\"time\":", request->picture.width, request->picture.height);
    json_put_double(out, shown->time_s);
    buf_put_text(out, ",\"clip_time\":");
    json_put_double(out, shown->clip_time_s);
    buf_put_text(out, ",\"camera\":");
    put_camera(out, shown);
    buf_put_text(out, "}\n");
}
