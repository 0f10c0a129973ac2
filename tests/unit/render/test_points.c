/* Points of a job: which jobs have them, what they may name, and where a body is painted. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include "base/picture/view.h"
#include "daemon/renderer/render_validate.h"
#include "render/image/openpose.h"
#include "render/job/job_check.h"
#include "render/job/job_points.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct render_work *work_of(enum sheet_format format, enum view view, uint32_t point_count)
{
    static struct render_work work;
    work = (struct render_work){.job = {.magic = RENDER_JOB_MAGIC,
                                        .picture = {.width = 8, .height = 6, .view = view},
                                        .width = 8,
                                        .height = 6,
                                        .cell_count = 1,
                                        .drawn_count = 1,
                                        .point_count = point_count,
                                        .format = format}};
    return &work;
}

TEST(point_jobs_have_the_points_of_their_kind)
{
    struct err err;
    assert_int_equal(job_check(work_of(SHEET_POINTS, VIEW_LIT, 1), &err), 0);
    assert_int_equal(job_check(work_of(SHEET_PNG, VIEW_OPENPOSE, RENDER_BODY_POINTS), &err), 0);
    assert_int_equal(job_check(work_of(SHEET_PNG, VIEW_LIT, 0), &err), 0);
    assert_int_equal(job_check(work_of(SHEET_POINTS, VIEW_LIT, 0), &err), ERR_BAD_PARAMETER);
    assert_int_equal(job_check(work_of(SHEET_POINTS, VIEW_OPENPOSE, RENDER_BODY_POINTS), &err), ERR_BAD_PARAMETER);
    assert_int_equal(job_check(work_of(SHEET_PNG, VIEW_OPENPOSE, RENDER_BODY_POINTS - 1), &err), ERR_BAD_PARAMETER);
    assert_int_equal(job_check(work_of(SHEET_PNG, VIEW_LIT, 1), &err), ERR_BAD_PARAMETER);
    assert_int_equal(job_check(work_of(SHEET_POINTS, VIEW_LIT, RENDER_POINTS_MAX + 1), &err), ERR_BAD_PARAMETER);
    struct render_work *work = work_of(SHEET_POINTS, VIEW_LIT, 1);
    work->job.tolerance = -1;
    assert_int_equal(job_check(work, &err), ERR_BAD_PARAMETER);
    work->job.tolerance = (double)NAN;
    assert_int_equal(job_check(work, &err), ERR_BAD_PARAMETER);
    work = work_of(SHEET_POINTS, VIEW_LIT, RENDER_POINTS_MAX / 2 + 1);
    work->job.cell_count = work->job.drawn_count = 2;
    assert_int_equal(job_check(work, &err), ERR_BAD_PARAMETER);
}

TEST(point_answers_have_the_size_of_their_job)
{
    static const char BYTES[4096];
    struct render_job *job = &work_of(SHEET_POINTS, VIEW_LIT, 3)->job;
    job->cell_count = 2;
    const size_t size_bytes = 2 * (sizeof(struct render_shown) + 3 * sizeof(struct render_keypoint));
    assert_true(size_bytes < sizeof BYTES);
    assert_true(render_picture_is_valid(job, BYTES, size_bytes));
    assert_false(render_picture_is_valid(job, BYTES, size_bytes - 1));
    assert_false(render_picture_is_valid(job, BYTES, size_bytes + 1));
}

/* Reads one point, behind some given bytes. */
static int read_one(const struct model *model, struct render_point point)
{
    const struct render_job job = {.point_count = 1, .given_bytes = 12};
    struct job_points points;
    struct err err;
    const int fd = memfd_create("points", MFD_CLOEXEC);
    assert_int_equal(write(fd, "given bytes!", 12), 12);
    assert_int_equal(write(fd, &point, sizeof point), sizeof point);
    const int rc = job_points_init(&points, &job, fd, model, &err);
    if (rc == 0)
        assert_memory_equal(points.points, &point, sizeof point);
    job_points_fini(&points);
    close(fd);
    return rc;
}

TEST(points_are_the_models)
{
    struct fixture f;
    fixture_init(&f);
    fixture_mesh_node(&f, fixture_square(&f, (struct vec3){0, 0, 0}, 1, NULL), -1);
    fixture_finish(&f);
    const struct model *model = &f.model;
    const uint32_t nodes = model->node_count;
    const double nan = (double)NAN;
#define READ(KIND, FIRST, SECOND, ...)                                                                                 \
    read_one(model, (struct render_point){.kind = (KIND), .first = (FIRST), .second = (SECOND), .place = {__VA_ARGS__}})
    assert_int_equal(READ(RENDER_POINT_NONE, 0, 0, 0), 0);
    assert_int_equal(READ(RENDER_POINT_NODE, 0, 0, 0), 0);
    assert_int_equal(READ(RENDER_POINT_NODE, nodes, 0, 0), ERR_BAD_PARAMETER);
    assert_int_equal(READ(RENDER_POINT_NODE, 0, 0, 0, nan, 0), ERR_BAD_PARAMETER);
    assert_int_equal(READ(RENDER_POINT_BETWEEN, 0, 0, 0), 0);
    assert_int_equal(READ(RENDER_POINT_BETWEEN, 0, nodes, 0), ERR_BAD_PARAMETER);
    assert_int_equal(READ(RENDER_POINT_BETWEEN, nodes, 0, 0), ERR_BAD_PARAMETER);
    assert_int_equal(READ(RENDER_POINT_SURFACE, 0, 1, 1, 0, 0), 0);
    assert_int_equal(READ(RENDER_POINT_SURFACE, 0, 2, 1, 0, 0), ERR_BAD_PARAMETER);
    assert_int_equal(READ(RENDER_POINT_SURFACE, 1, 0, 1, 0, 0), ERR_BAD_PARAMETER);
    assert_int_equal(READ(RENDER_POINT_SURFACE, 0, 0, nan, 0, 0), ERR_BAD_PARAMETER);
    assert_int_equal(READ(RENDER_POINT_SURFACE, 0, 0, -0.1, 1, 0.1), ERR_BAD_PARAMETER);
    assert_int_equal(READ(RENDER_POINT_KINDS, 0, 0, 0), ERR_BAD_PARAMETER);
#undef READ
    fixture_fini(&f);
}

TEST(openpose_paints_what_is_there_however_far)
{
    enum { SIDE = 128 };
    static uint8_t out[SIDE * SIDE * 4];
    struct openpose_point points[OPENPOSE_POINTS] = {{.is_there = false}};
    points[1] = (struct openpose_point){true, 64.5, 64.5};
    openpose_paint(points, SIDE, SIDE, out);
    const uint8_t *neck = out + ((SIDE - 1 - 64) * SIDE + 64) * 4;
    assert_memory_equal(neck, ((const uint8_t[]){255, 85, 0, 255}), 4);
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof out; i += 4)
        count += out[i + 3];
    assert_int_equal(count, 255 * 5);                       /* a disc of radius 1 around a sample's centre */
    points[2] = (struct openpose_point){true, 1e300, 64.5}; /* its limb leaves the picture */
    points[3] = (struct openpose_point){true, -1e300, -1e300};
    openpose_paint(points, SIDE, SIDE, out);
    assert_memory_equal(neck, ((const uint8_t[]){255, 85, 0, 255}), 4);
}
