/* service_render.c - pictures: resolves the clip and times of a request, and passes it to the render pool. */
#include "daemon/service/job.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "base/picture/pass.h"
#include "base/picture/view.h"
#include "wire/sheet/picture_json.h"
#include "wire/encode/picture_files.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/select.h"
#include "wire/http/http_response.h"

_Static_assert((int)SHEET_CELLS_MAX <= (int)RENDER_CELLS_MAX, "what can be planned can be drawn");
_Static_assert((int)BLEND_LAYERS_MAX == (int)RENDER_LAYERS_MAX && (int)BLEND_MASKS_MAX == (int)RENDER_MASKS_MAX &&
                   (int)REQUEST_CLIP_FILES_MAX == (int)RENDER_SOURCES_MAX,
               "what can be blended can be drawn");

/* Returns the model with the clip of a request without layers. */
static const struct model *clips_model(const struct job *job)
{
    return &job->models[job->call->request.pose.clip_source]->model;
}

/* True when the client's copy is valid: *reply is then the 304. Otherwise *reply has its ETag and caching headers. */
static bool is_not_modified(const struct job *job, struct reply *reply)
{
    const struct evaluation evaluation = job_evaluation(job);
    return evaluation_is_not_modified(&evaluation, render_pool_renderer(job->service->renders), reply);
}

/* Prefixes an error with the picture that it concerns. */
static void fail_picture(struct picture_job *picture, const struct err *why)
{
    struct job *job = picture->job;
    const struct request *request = &job->call->request;
    struct err err = *why;
    const bool is_about_model =
        err.code != ERR_OVERLOADED && err.code != ERR_UNAVAILABLE && err.code != ERR_SHUTTING_DOWN;
    const bool has_times = picture->plan != NULL                   ? picture->plan->cell_count > 1
                           : request->sheet.format == SHEET_POINTS ? request->pose.time_count > 1
                                                                   : request->picture.view == VIEW_ONION;
    if (is_about_model && has_times)
        err_prefix(&err, "'%s'", request->model); /* the worker adds the time to the message */
    else if (is_about_model)
        err_name_pose(clips_model(job), request, picture->clip,
                      request->pose.time_count > 0 ? request->pose.times_s[0] : 0, &err);
    job_fail(job, &err);
}

/* Returns the value of t= that shows the same pose. */
static double time_of(const struct picture_job *picture, const struct render_shown *shown)
{
    const struct request *request = &picture->job->call->request;
    const bool is_picked = (request->picture.flags & PICTURE_AUTO_TIME) != 0;
    return is_picked ? shown->clip_time_s - picture->begin_s : request->pose.times_s[request->pose.time_count - 1];
}

static void put_picture(const struct picture_job *picture, struct blob *png, const struct render_notes *notes,
                        struct reply *reply)
{
    const struct render_shown *shown = &notes->shown;
    const struct request *request = &picture->job->call->request;
    const struct picture_shown told = {.time_s = time_of(picture, shown),
                                       .clip_time_s = shown->clip_time_s,
                                       .camera = &shown->camera,
                                       .clip_from_view = shown->clip_from_view,
                                       .clips = request->pose.layer_count > 0 ? NULL : clips_model(picture->job),
                                       .clip = picture->clip};
    reply_put_shown(&told, reply);
    if (request->picture.passes != 0 && request->sheet.format == SHEET_PNG)
        reply_put_pass(pass_only(request->picture.passes), notes->range.least, notes->range.most, reply);
    reply->content_type = PICTURE_FILE_KINDS[request->sheet.format].content_type;
    if (request->format == FORMAT_JSON)
        body_put_picture(request, &told, reply);
    else
        reply->blob = blob_ref(png);
}

/* The renderer's numbers are finite, but values computed from them may overflow. */
static void check_told(struct reply *reply)
{
    struct err err;
    if (reply->code != 0 || (!buf_failed(&reply->body) && !buf_failed(&reply->picture_lines)))
        return;
    err_set(&err, ERR_RENDER_FAILED, "the picture's camera is beyond numbers");
    reply_error(reply, &err, NULL, 0);
}

static void on_done(struct render_waiter *waiter, struct blob *png, const struct render_notes *notes,
                    const struct err *err)
{
    struct picture_job *picture = container_of(waiter, struct picture_job, waiter);
    struct job *job = picture->job;
    job_leave_queue(job, waiter->started_ns);
    if (png == NULL) {
        fail_picture(picture, err);
        return;
    }
    struct reply reply;
    reply_init(&reply);
    if (waiter->started_ns > 0)
        service_learn_picture(picture, uv_hrtime() - waiter->started_ns, png->size_bytes);
    if (!is_not_modified(job, &reply)) {
        if (picture->plan != NULL)
            service_sheet_reply(picture, png, &reply);
        else if (job->call->request.sheet.format == SHEET_POINTS)
            service_points_reply(picture, png, &reply);
        else
            put_picture(picture, png, notes, &reply);
        check_told(&reply);
        buf_put_text(&reply.unmatched, notes->unmatched);
        reply.warning_count = reply_count_warnings(&job->models[0]->model, job->sources, job->model_count - 1, &reply);
    }
    job_finish(job, &reply);
}

/* Returns the cell of a clip time of the played span. */
static struct render_cell cell_at(const struct picture_job *picture, const struct clip_span *span, double clip_time_s)
{
    const struct request *request = &picture->job->call->request;
    return (struct render_cell){
        .clip = picture->clip,
        .clip_source = request->pose.layer_count == 0 ? request->pose.clip_source : 0,
        .clip_time_s = clip_time_s,
        .begin_s = span->from_s,
        .end_s = span->to_s,
    };
}

/* Fills one cell, or the cells of an onion view, which are spread evenly over the clip without t=, or those of
 * keypoints. Behind them comes the moment that a pass of motion leads to. */
static void fill_cells(struct picture_job *picture, const struct clip_span *span, struct picture_cells *cells)
{
    const struct request *request = &picture->job->call->request;
    const bool is_onion = request->picture.view == VIEW_ONION;
    const bool is_spread = is_onion && (request->picture.flags & PICTURE_AUTO_TIME) != 0 && span->to_s > span->from_s;
    const bool has_times = is_onion || request->sheet.format == SHEET_POINTS;
    const uint32_t count = is_spread ? VIEW_ONION_TIMES : has_times ? request->pose.time_count : 1;
    const uint32_t later_count = pass_has(request->picture.passes, PASS_MOTION);
    if (is_onion)
        picture->drawing.picture.flags &= ~(uint32_t)PICTURE_AUTO_TIME;
    picture_cells_alloc(cells, count + later_count, picture->drawing.blend.layer_count);
    cells->count = count;
    picture->drawing.later_count = later_count;
    for (uint32_t c = 0; c < count; c++) {
        cells->cells[c] = cell_at(picture, span,
                                  is_spread ? span->from_s + (span->to_s - span->from_s) * c / count
                                            : clip_time_in_span(span, request->pose.times_s[c]));
        picture_cells_set_times(cells, picture, c, c);
    }
    if (later_count > 0) {
        cells->cells[count] = cell_at(picture, span, clip_time_in_span(span, request->t2_s));
        picture_cells_set_later(cells, picture, count, request->t2_s);
    }
}

int service_check_renderers(const struct service *service, const struct request *request, struct err *err)
{
    const bool may_be_unmodified = request->if_none_match != NULL && render_pool_renderer(service->renders)[0] != '\0';
    return may_be_unmodified ? 0 : render_pool_check(service->renders, err);
}

static void start_picture(struct job *job)
{
    struct picture_job *picture = mem_zalloc(1, sizeof *picture);
    picture->job = job;
    picture->waiter.done = on_done;
    buf_init(&picture->given, SIZE_MAX / 4);
    buf_init(&picture->points, SIZE_MAX / 4);
    const struct request *request = &job->call->request;
    picture->drawing = (struct render_job){.has_turn = request->motion.has_turn,
                                           .width = request->picture.width,
                                           .height = request->picture.height,
                                           .format = request->sheet.format,
                                           .quality = request->sheet.quality,
                                           .picture = request->picture};
    job->picture = picture;
}

/* Converts renames to the workers' form; a request has no more than fit. */
static void put_renames(struct buf *out, const struct name_map *renames)
{
    for (uint32_t i = 0; i < renames->count; i++)
        buf_put(out, renames->rules[i].text, renames->rules[i].text_bytes + 1);
}

static int submit(struct picture_job *picture, const struct clip_span *span, struct err *err)
{
    struct job *job = picture->job;
    const struct request *request = &job->call->request;
    struct picture_cells cells;
    if (picture->plan != NULL) {
        service_sheet_fill(picture, &cells);
    } else {
        fill_cells(picture, span, &cells);
        picture->drawing.drawn_count = cells.count;
    }
    struct buf renames;
    buf_init(&renames, RENDER_RENAME_BYTES_MAX);
    put_renames(&renames, &request->retarget.renames);
    service_points_fill(picture);
    picture->drawing.cell_count = cells.count;
    picture->drawing.rename_bytes = (uint32_t)renames.size_bytes;
    const struct render_spec spec = {.job = &picture->drawing,
                                     .cells = cells.cells,
                                     .layer_moments = cells.layer_moments,
                                     .renames = renames.data,
                                     .given = picture->given.data,
                                     .imported = job->models[0],
                                     .clips = job->models + 1,
                                     .clip_count = request->source_count,
                                     .environment =
                                         request->environment != NULL ? job->models[job->model_count - 1] : NULL};
    job_enter(job, JOB_DRAWS);
    const int rc = render_pool_submit(job->service->renders, &spec, &picture->waiter, err);
    picture_cells_free(&cells);
    buf_fini(&renames);
    buf_fini(&picture->given); /* the pool has its own copy, which waits */
    return rc;
}

void service_picture_draw(struct job *job)
{
    const struct request *request = &job->call->request;
    struct picture_job *picture = job->picture;
    struct err err;
    struct reply reply;
    struct clip_span span;
    reply_init(&reply);
    const struct model *clips = clips_model(job);
    if (select_clip(clips, &request->pose, &picture->clip, &reply) < 0 || !service_picture_find(picture, &reply)) {
        job_finish(job, &reply);
        return;
    }
    const double duration_s = picture->clip == POSE_REST ? 0 : clips->clips[picture->clip].duration_s;
    if (!op_has(request->op, OP_CELLS) ? span_resolve(&request->pose, duration_s, &span, &err) < 0
                                       : service_sheet_plan(picture, &span, &err) < 0) {
        job_fail(job, &err);
        return;
    }
    if (picture->rest_err.code != 0) {
        job_fail(job, &picture->rest_err);
        return;
    }
    if (request->is_estimate) {
        service_estimate_picture(picture);
        return;
    }
    picture->begin_s = span.from_s;
    /* another renderer draws other pixels, so no copy is valid while the renderer is unknown */
    const bool is_renderer_known = render_pool_renderer(job->service->renders)[0] != '\0';
    if (is_renderer_known && is_not_modified(job, &reply)) {
        job_finish(job, &reply);
        return;
    }
    reply_fini(&reply);
    if (submit(picture, &span, &err) < 0)
        job_fail(job, &err);
}

void service_render(struct job *job)
{
    start_picture(job);
    if (!service_resolve(job))
        service_picture_draw(job);
}
