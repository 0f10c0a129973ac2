/* service_estimate.c - answers estimate=1: the duration and size of an answer, without making it.
 *
 * It scales rough cost formulas by measured durations of such work on this server (pace.h). When models are not in
 * memory it reports only the imports. */
#include "daemon/service/job.h"

#include "base/picture/pass.h"
#include "base/picture/view.h"
#include "wire/operations/reply_estimate.h"
#include "wire/encode/json.h"
#include "wire/keypoints/point_resolve.h"

#include <math.h>

enum { CELL_JSON_BYTES = 400, POINT_JSON_BYTES = 100, INDICES_A_TRIANGLE = 3, PICTURE_PIXEL_BYTES = 4 };

static double evaluator_cost_ns(const struct evaluation *evaluation)
{
    const struct cost_input input = evaluation_cost_input(evaluation);
    return reply_cost_ns(&input);
}

static double picture_cost_ns(const struct picture_job *picture)
{
    const struct request *request = &picture->job->call->request;
    const struct model *model = &picture->job->models[0]->model;
    const bool is_onion = picture->plan == NULL && request->picture.view == VIEW_ONION;
    const struct sheet_plan *plan = picture->plan;
    const bool is_points = request->sheet.format == SHEET_POINTS;
    const double cells = plan != NULL ? plan->drawn_count
                         : is_onion   ? VIEW_ONION_TIMES
                         : is_points  ? request->pose.time_count
                                      : 1;
    const double posed = plan != NULL ? plan->cell_count - plan->drawn_count : 0;
    const double pixels =
        plan != NULL ? (double)plan->width * plan->height : (double)request->picture.width * request->picture.height;
    const double triangles = (double)model->index_count / INDICES_A_TRIANGLE;
    return cells * (COST_CELL_NS + triangles * COST_TRIANGLE_NS) +
           posed * (COST_CAMERA_POSE_NS + triangles * COST_CAMERA_TRIANGLE_NS) + pixels * COST_PIXEL_NS;
}

/* True when the answer is text about the picture instead of the picture. */
static bool is_text(const struct request *request)
{
    return OP_INFO[request->op].form == FORM_PICTURE
               ? request->format == FORMAT_JSON
               : request->sheet.format == SHEET_JSON || request->sheet.format == SHEET_POINTS;
}

/* Estimates the file size of a picture from its pixels, both background and model. */
static double picture_file_bytes(const struct picture_job *picture)
{
    static const double PIXEL_FILE_BYTES = 0.5;
    const struct request *request = &picture->job->call->request;
    if (request->sheet.format == SHEET_POINTS)
        return POINT_JSON_BYTES * (double)(picture->points.size_bytes / sizeof(struct resolved_point)) *
               request->pose.time_count;
    if (is_text(request))
        return CELL_JSON_BYTES * (picture->plan != NULL ? (double)picture->plan->drawn_count : 1);
    if (request->picture.passes != 0)
        return PIXEL_FILE_BYTES * request->picture.width * request->picture.height *
               pass_pixel_bytes(request->picture.passes) / PICTURE_PIXEL_BYTES;
    return PIXEL_FILE_BYTES * (picture->plan != NULL ? (double)picture->plan->width * picture->plan->height
                                                     : (double)request->picture.width * request->picture.height);
}

/* --- measurements --- */

void service_learn_import(struct service *service, uint64_t duration_ns)
{
    pace_learn(&service->paces.import, COST_IMPORT_NS, (double)duration_ns);
}

void service_learn_answer(const struct job *job)
{
    const struct evaluation evaluation = job_evaluation(job);
    const struct request *request = evaluation.request;
    if (job->reply.code != 0 || job->reply.rest != NULL)
        return;
    pace_learn(&job->service->paces.answers[request->op], evaluator_cost_ns(&evaluation), (double)job->cpu_ns);
}

void service_learn_picture(const struct picture_job *picture, uint64_t duration_ns, uint64_t file_bytes)
{
    struct paces *paces = &picture->job->service->paces;
    const struct request *request = &picture->job->call->request;
    pace_learn(&paces->pictures, picture_cost_ns(picture), (double)duration_ns);
    if (!is_text(request))
        pace_learn(&paces->files[request->sheet.format], picture_file_bytes(picture), (double)file_bytes);
}

/* --- estimates --- */

struct estimate {
    double wait_ns, work_ns;
    uint64_t bytes;                /* UINT64_MAX: nothing is known */
    uint32_t imports;              /* of models that are not in memory */
    bool is_measured;              /* this server has measured such work */
    const struct sheet_plan *plan; /* of a sheet or turntable; otherwise NULL */
    uint32_t rows_at_once;         /* likewise */
};

/* Rounds to microseconds, which exceeds the precision of an estimate. */
static double round_s(double ns)
{
    static const double US_PER_S = 1e6, NS_PER_US = 1e3;
    return round(ns / NS_PER_US) / US_PER_S;
}

/* Describes the whole sheet, whatever part of it the request covers. */
static void put_sheet(const struct estimate *estimate, struct buf *out)
{
    const struct sheet_plan *plan = estimate->plan;
    json_printf(out, ",\"sheet\":{\"cells\":%u,\"rows\":%u,\"rows_at_once\":%u}", plan->cell_count, plan->layout.rows,
                estimate->rows_at_once);
}

static void put_estimate(const struct estimate *estimate, struct reply *reply)
{
    const double wait_s = round_s(estimate->wait_ns), seconds = round_s(estimate->wait_ns + estimate->work_ns);
    reply->status = 200;
    reply->content_type = "application/json";
    reply->cache_control = "no-store"; /* it describes the current state */
    json_printf(&reply->body, "{\"estimate\":{\"seconds\":%g,\"wait_seconds\":%g,\"bytes\":", seconds, wait_s);
    if (estimate->bytes == UINT64_MAX)
        buf_put_text(&reply->body, "null");
    else
        json_printf(&reply->body, "%llu", (unsigned long long)estimate->bytes);
    json_printf(&reply->body, ",\"imports\":%u,\"measured\":", estimate->imports);
    buf_put_text(&reply->body, estimate->is_measured ? "true" : "false");
    if (estimate->plan != NULL)
        put_sheet(estimate, &reply->body);
    buf_put_text(&reply->body, "}}\n");
}

static void finish(struct job *job, const struct estimate *estimate)
{
    struct reply reply;
    reply_init(&reply);
    put_estimate(estimate, &reply);
    job_finish(job, &reply);
}

/* Assumes that queued jobs take as long as this one, spread over the workers. */
static double wait_ns(uint64_t waiting, uint64_t workers, double work_ns)
{
    return workers == 0 ? 0 : (double)waiting * work_ns / (double)workers;
}

bool service_estimate_measure(const struct job *job, struct workspace *workspace, uint64_t *bytes, struct reply *reply)
{
    const struct evaluation evaluation = job_evaluation(job);
    return reply_estimate(workspace, &evaluation.imported->model, evaluation.sources, evaluation.request,
                          &job->service->config->limits, bytes, reply);
}

void service_estimate_finish(struct job *job, uint64_t bytes)
{
    struct service *service = job->service;
    const struct evaluation evaluation = job_evaluation(job);
    const enum op op = evaluation.request->op;
    const struct pace *pace = &service->paces.answers[op];
    struct estimate estimate = {.is_measured = pace->count > 0, .bytes = bytes};
    estimate.work_ns = pace_apply(pace, evaluator_cost_ns(&evaluation));
    estimate.wait_ns = wait_ns(service->work_queue.count, SERVICE_WORK_MAX, estimate.work_ns);
    finish(job, &estimate);
}

/* Estimates by measuring each frame and the requested parts of the model. */
static void estimate_answer(struct job *job)
{
    const struct evaluation evaluation = job_evaluation(job);
    uint64_t bytes;
    struct reply reply;
    reply_init(&reply);
    if (evaluation_cost_ns(&evaluation) > EVALUATION_INLINE_NS) {
        service_answer_estimate(job);
        return;
    }
    if (service_estimate_measure(job, &job->service->evaluator.workspace, &bytes, &reply)) {
        reply_fini(&reply);
        service_estimate_finish(job, bytes);
    } else {
        job_finish(job, &reply);
    }
}

void service_answer_or_estimate(struct job *job)
{
    job->call->request.is_estimate ? estimate_answer(job) : service_answer(job);
}

void service_estimate_picture(struct picture_job *picture)
{
    struct job *job = picture->job;
    const struct service *service = job->service;
    const struct request *request = &job->call->request;
    const struct pace *file = &service->paces.files[request->sheet.format];
    struct estimate estimate = {.is_measured = service->paces.pictures.count > 0, .plan = picture->plan};
    if (picture->plan != NULL)
        estimate.rows_at_once = sheet_plan_rows_at_once(picture->plan, request, &service->config->limits);
    estimate.work_ns = pace_apply(&service->paces.pictures, picture_cost_ns(picture));
    const double bytes =
        request->format == FORMAT_JSON ? picture_file_bytes(picture) : pace_apply(file, picture_file_bytes(picture));
    estimate.bytes = (uint64_t)llround(bytes);
    estimate.wait_ns =
        wait_ns(render_pool_waiting(service->renders), service->config->render_workers, estimate.work_ns);
    finish(job, &estimate);
}

bool service_estimate_imports(struct job *job)
{
    struct service *service = job->service;
    const struct request *request = &job->call->request;
    struct estimate estimate = {.bytes = UINT64_MAX, .is_measured = service->paces.import.count > 0};
    estimate.imports += !cache_has(service->cache, request->model);
    for (uint32_t i = 0; i < request->source_count; i++)
        estimate.imports += !cache_has(service->cache, request->sources[i].path);
    if (op_has(request->op, OP_PICTURE) && request->environment != NULL)
        estimate.imports += !cache_has(service->cache, request->environment);
    if (estimate.imports == 0)
        return false;
    estimate.work_ns = pace_apply(&service->paces.import, COST_IMPORT_NS) * estimate.imports;
    finish(job, &estimate);
    return true;
}
