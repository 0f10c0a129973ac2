/* service_sheet.c - sheets and turntables: converts the plan of the cells for the renderer, and its picture into the
 * reply. */
#include "daemon/service/job.h"

#include "base/mem.h"
#include "wire/sheet/picture_json.h"
#include "wire/encode/picture_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void picture_cells_alloc(struct picture_cells *cells, uint32_t count, uint32_t layer_count)
{
    cells->count = count;
    cells->cells = mem_zalloc(count, sizeof *cells->cells);
    cells->layer_moments =
        layer_count == 0 ? NULL : mem_zalloc((size_t)count * layer_count, sizeof *cells->layer_moments);
}

static void put_moments(struct picture_cells *cells, const struct resolved_layers *layers, uint32_t c)
{
    for (uint32_t i = 0; i < layers->count; i++)
        cells->layer_moments[c * layers->count + i] =
            (struct render_layer_moment){layers->layers[i].clip_time_s, layers->layers[i].weight};
}

void picture_cells_set_times(struct picture_cells *cells, const struct picture_job *picture, uint32_t c, uint32_t frame)
{
    if (picture->drawing.blend.layer_count == 0)
        return;
    layers_set_times(picture->layers, &picture->job->call->request.pose, frame);
    put_moments(cells, picture->layers, c);
}

void picture_cells_set_later(struct picture_cells *cells, const struct picture_job *picture, uint32_t c, double time_s)
{
    if (picture->drawing.blend.layer_count == 0)
        return;
    layers_set_moment(picture->layers, &picture->job->call->request.pose, 0, time_s);
    put_moments(cells, picture->layers, c);
}

void picture_cells_free(struct picture_cells *cells)
{
    free(cells->cells);
    free(cells->layer_moments);
}

int service_sheet_plan(struct picture_job *picture, struct clip_span *span, struct err *err)
{
    const struct job *job = picture->job;
    const struct request *request = &job->call->request;
    const struct model *own = &job->models[0]->model;
    const struct model *const *clips =
        request->pose.clip_source == 0 ? &own : job->sources + request->pose.clip_source - 1;
    picture->plan = mem_zalloc(1, sizeof *picture->plan);
    sheet_plan_init(picture->plan);
    *span = (struct clip_span){0}; /* each cell has its own span */
    return sheet_plan_make(picture->plan, clips, picture->clip, request, &job->service->config->limits, err);
}

static void fill_cells(const struct picture_job *picture, struct picture_cells *cells)
{
    struct render_cell *to = cells->cells;
    const struct request *request = &picture->job->call->request;
    const struct sheet_cell *from = sheet_plan_cells(picture->plan);
    double end_s = 0;
    for (uint32_t c = 0; c < picture->plan->cell_count; c++) {
        const double start_s = end_s; /* rounds the sums, so that errors do not accumulate */
        end_s = fmin(start_s + from[c].duration_s, 1e9);
        to[c] = (struct render_cell){
            .clip = from[c].clip,
            .clip_source = from[c].clip_source,
            .clip_time_s = request->pose.layer_count == 0 ? from[c].clip_time_s : from[c].time_s,
            .yaw_deg = from[c].yaw_deg,
            .begin_s = from[c].begin_s,
            .end_s = from[c].end_s,
            .x = from[c].x,
            .y = from[c].y,
            .duration_ms = (uint32_t)(llround(fmin(end_s * 1000, 4e9)) - llround(fmin(start_s * 1000, 4e9))),
        };
        picture_cells_set_times(cells, picture, c, from[c].frame);
    }
}

static uint32_t captions_of(const struct picture_job *picture)
{
    const struct request *request = &picture->job->call->request;
    if ((request->sheet.flags & SHEET_CAPTIONS) == 0)
        return 0;
    const uint32_t yaw = picture->plan->direction_count > 1 ? RENDER_CAPTION_YAW : 0;
    return op_has(request->op, OP_TURNS) ? RENDER_CAPTION_YAW : RENDER_CAPTION_CLIP | RENDER_CAPTION_TIME | yaw;
}

/* Shortens "anims/run.fbx" to "run" and truncates it at a character boundary. */
static void put_source_name(char name[RENDER_SOURCE_NAME_SIZE], const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1, *dot = strrchr(base, '.');
    size_t size_bytes = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
    if (size_bytes >= RENDER_SOURCE_NAME_SIZE) {
        size_bytes = RENDER_SOURCE_NAME_SIZE - 1;
        while (size_bytes > 0 && ((unsigned char)base[size_bytes] & 0xc0) == 0x80)
            size_bytes--;
    }
    memcpy(name, base, size_bytes);
}

void service_sheet_fill(struct picture_job *picture, struct picture_cells *cells)
{
    const struct sheet_plan *plan = picture->plan;
    const struct request *request = &picture->job->call->request;
    struct render_job *drawing = &picture->drawing;
    picture_cells_alloc(cells, plan->cell_count, drawing->blend.layer_count);
    fill_cells(picture, cells);
    drawing->first_drawn = plan->first_drawn;
    drawing->drawn_count = plan->drawn_count;
    drawing->width = plan->width;
    drawing->height = plan->height;
    drawing->frame_rate = plan->frame_rate;
    drawing->loops = request->sheet.loops;
    drawing->captions = captions_of(picture);
    for (uint32_t s = 0; request->clip_file_count > 1 && s < request->clip_file_count; s++)
        put_source_name(drawing->sources[s].name, request->sources[s].path);
    drawing->caption_height = plan->layout.caption_height;
}

/* Reads the cameras of a worker. It checks their size and that they are finite, because the worker is not trusted. */
static bool read_shots(const struct blob *made, const struct sheet_plan *plan, struct sheet_cameras *shots)
{
    const size_t views_bytes = plan->cell_count * sizeof(struct render_cell_camera);
    struct render_cameras head;
    if (made->size_bytes != sizeof head + views_bytes)
        return false;
    memcpy(&head, made->data, sizeof head);
    for (size_t at = 0; at < made->size_bytes; at += sizeof(double)) {
        double number;
        memcpy(&number, made->data + at, sizeof number);
        if (at != offsetof(struct render_cameras, is_ortho) && !isfinite(number))
            return false;
    }
    memcpy(shots->clip_from_view.m, head.clip_from_view, sizeof head.clip_from_view);
    memcpy(shots->pivot, head.pivot, sizeof head.pivot);
    shots->is_ortho = head.is_ortho != 0;
    shots->views = mem_zalloc(plan->cell_count, sizeof *shots->views);
    shots->clip_times_s = mem_zalloc(plan->cell_count, sizeof *shots->clip_times_s);
    for (uint32_t c = 0; c < plan->cell_count; c++) {
        struct render_cell_camera view;
        memcpy(&view, made->data + sizeof head + c * sizeof view, sizeof view);
        memcpy(shots->views[c].m, view.view_from_scene, sizeof view.view_from_scene);
        shots->clip_times_s[c] = view.clip_time_s;
    }
    return true;
}

static void reply_manifest(const struct picture_job *picture, const struct blob *made, struct reply *reply)
{
    const struct job *job = picture->job;
    const struct request *request = &job->call->request;
    struct sheet_cameras shots = {0};
    struct err err;
    if (!read_shots(made, picture->plan, &shots)) {
        err_set(&err, ERR_RENDER_FAILED, "the renderer sent cameras that are none");
        reply_error(reply, &err, NULL, 0);
        return;
    }
    reply->content_type = "application/json";
    sheet_manifest_put(&reply->body, picture->plan, &shots, &job->models[0]->model, job->sources, request);
    free(shots.views);
    free(shots.clip_times_s);
}

void service_sheet_reply(const struct picture_job *picture, struct blob *made, struct reply *reply)
{
    const struct request *request = &picture->job->call->request;
    if (request->sheet.format == SHEET_JSON) {
        reply_manifest(picture, made, reply);
        return;
    }
    if (request->pose.layer_count == 0 && (request->sheet.flags & SHEET_ALL_CLIPS) == 0)
        reply_put_shown_clip(&picture->job->models[request->pose.clip_source]->model, picture->clip, reply);
    reply->content_type = PICTURE_FILE_KINDS[request->sheet.format].content_type;
    reply->file_of = request->model;
    reply->file_extension = PICTURE_FILE_KINDS[request->sheet.format].extension;
    reply->file_word = OP_INFO[request->op].name;
    reply->blob = blob_ref(made);
}
