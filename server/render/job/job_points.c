#include "render/job/job_points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool is_triangle(const struct render_point *point, const struct model *model)
{
    if (point->first >= model->draw_count)
        return false;
    const struct primitive *primitive = &model->primitives[model->draws[point->first].primitive];
    bool is_good = primitive->topology == TOPOLOGY_TRIANGLES && point->second < primitive->index_count / 3;
    for (int i = 0; i < 3; i++)
        is_good = is_good && point->place[i] >= 0 && point->place[i] <= 1; /* false for NaN */
    return is_good;
}

static bool is_good(const struct render_point *point, const struct model *model)
{
    switch (point->kind) {
    case RENDER_POINT_NONE:
        return true;
    case RENDER_POINT_NODE:
        return point->first < model->node_count && isfinite(point->place[0]) && isfinite(point->place[1]) &&
               isfinite(point->place[2]);
    case RENDER_POINT_BETWEEN:
        return point->first < model->node_count && point->second < model->node_count;
    case RENDER_POINT_SURFACE:
        return is_triangle(point, model);
    default:
        return false;
    }
}

static int check(const struct job_points *points, const struct model *model, struct err *err)
{
    for (uint32_t i = 0; i < points->count; i++)
        if (!is_good(&points->points[i], model))
            return err_set(err, ERR_BAD_PARAMETER, "point %u of the job is not one of the model's", i);
    return 0;
}

int job_points_init(struct job_points *points, const struct render_job *job, int fd, const struct model *model,
                    struct err *err)
{
    const size_t size_bytes = (size_t)render_job_given_size(job);
    *points = (struct job_points){.count = job->point_count};
    if (points->count == 0)
        return 0;
    points->points = malloc(points->count * sizeof *points->points);
    if (points->points == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %u points", points->count);
    char *bytes = mmap(NULL, size_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return err_set(err, ERR_INTERNAL, "cannot map the points: %s", strerror(errno));
    memcpy(points->points, bytes + job->given_bytes, points->count * sizeof *points->points);
    munmap(bytes, size_bytes);
    return check(points, model, err);
}

void job_points_fini(struct job_points *points)
{
    free(points->points);
    *points = (struct job_points){0};
}
