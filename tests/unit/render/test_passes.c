/* Passes: rays of cameras, places on triangles and lines, jobs that cannot be, and the files. */
#include "tests/unit/support/check.h"

#include "base/picture/view.h"
#include "daemon/renderer/render_validate.h"
#include "render/job/job_check.h"
#include "render/passes/npz_file.h"
#include "render/passes/pass_element.h"
#include "render/passes/pass_png.h"

#include <math.h>
#include <string.h>

/* --- cameras --- */

/* A perspective whose middle is not that of the picture, and a flat camera likewise. */
static struct pass_camera camera_of(bool is_flat)
{
    static const struct dmat4 LENS = {{2.5, 0, 0, 0, 0.1, 3.5, 0, 0, 0.3, -0.2, -1.2, -1, 0, 0, -2.2, 0}};
    static const struct dmat4 FLAT = {{0.4, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, -0.1, 0, 0.2, -0.3, -1, 1}};
    struct pass_camera camera;
    pass_camera_init(&camera, &DMAT4_IDENTITY, is_flat ? &FLAT : &LENS, 320, 200);
    return camera;
}

TEST(pass_rays_lead_to_the_pixels_of_their_points)
{
    for (int is_flat = 0; is_flat < 2; is_flat++) {
        const struct pass_camera camera = camera_of(is_flat != 0);
        for (int i = 0; i < 200; i++) {
            const double x = i * 1.6 + 0.5, y = i % 20 * 10.0 + 0.25;
            const struct pass_ray ray = pass_camera_ray(&camera, x, y);
            double point[3], pixel[2];
            for (int k = 0; k < 3; k++)
                point[k] = ray.from[k] + (1 + i) * ray.along[k];
            assert_true(pass_camera_pixel(&camera, point, pixel));
            assert_true(fabs(pixel[0] - x) < 1e-10 && fabs(pixel[1] - y) < 1e-10);
            assert_true(point[2] < 0);
        }
    }
}

TEST(pass_cameras_do_not_see_what_is_behind_them)
{
    const struct pass_camera camera = camera_of(false);
    double pixel[2];
    assert_false(pass_camera_pixel(&camera, (const double[3]){0, 0, 1}, pixel));
    assert_true(isnan(pixel[0]) && isnan(pixel[1]));
    assert_false(pass_camera_pixel(&camera, (const double[3]){1, 2, 0}, pixel));
}

/* --- places --- */

static struct pass_element element_of(uint32_t corner_count, const double view[3][3])
{
    static const struct pass_surface BONES;
    struct pass_element element = {.surface = &BONES, .node = 7, .corner_count = corner_count};
    memcpy(element.view, view, sizeof element.view);
    return element;
}

static void check_weights(const double found[3], double one, double two, double three)
{
    const double expected[3] = {one, two, three};
    for (int c = 0; c < 3; c++)
        if (!(fabs(found[c] - expected[c]) < 1e-12))
            fail_msg("weight %d is %.17g, not %.17g", c, found[c], expected[c]);
}

TEST(pass_places_on_triangles_are_where_rays_meet_them)
{
    static const double CORNERS[3][3] = {{-1, -1, -3}, {2, -1, -6}, {-1, 3, -4}},
                        EDGE_ON[3][3] = {{0, 0, -1}, {0, 0, -2}, {0, 0, -3}};
    struct pass_element element = element_of(3, CORNERS);
    double weights[3], point[3];
    for (int turn = 0; turn < 2; turn++) { /* both windings */
        for (int i = 1; i < 10; i++) {
            const double wanted[3] = {0.1 * i * 0.3, 0.1 * i * 0.7, 1 - 0.1 * i};
            for (int k = 0; k < 3; k++)
                point[k] =
                    wanted[0] * element.view[0][k] + wanted[1] * element.view[1][k] + wanted[2] * element.view[2][k];
            pass_element_weigh(&element, &(struct pass_ray){.along = {point[0] * i, point[1] * i, point[2] * i}},
                               weights);
            check_weights(weights, wanted[0], wanted[1], wanted[2]);
            pass_element_weigh(&element, &(struct pass_ray){.from = {point[0], point[1], 0}, .along = {0, 0, -1}},
                               weights);
            check_weights(weights, wanted[0], wanted[1], wanted[2]);
        }
        const double kept[3] = {element.view[0][0], element.view[0][1], element.view[0][2]};
        memcpy(element.view[0], element.view[1], sizeof kept);
        memcpy(element.view[1], kept, sizeof kept);
    }
    pass_element_weigh(&element, &(struct pass_ray){.from = {-1.5, 1, 0}, .along = {0, 0, -1}},
                       weights); /* beside it */
    assert_true(weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0);
    assert_true(fabs(weights[0] + weights[1] + weights[2] - 1) < 1e-12);
    element = element_of(3, EDGE_ON);
    pass_element_weigh(&element, &(struct pass_ray){.along = {0, 0, -1}}, weights);
    check_weights(weights, 1.0 / 3, 1.0 / 3, 1.0 / 3);
}

TEST(pass_places_on_lines_are_the_nearest)
{
    static const double CORNERS[3][3] = {{-1, 0, -2}, {3, 0, -2}, {0}};
    const struct pass_element line = element_of(2, CORNERS), point = element_of(1, CORNERS);
    double weights[3];
    pass_element_weigh(&line, &(struct pass_ray){.from = {0, 0.3, 0}, .along = {0, 0, -1}}, weights);
    check_weights(weights, 0.75, 0.25, 0);
    pass_element_weigh(&line, &(struct pass_ray){.along = {1, 0, -1}}, weights);
    check_weights(weights, 0.25, 0.75, 0);
    pass_element_weigh(&line, &(struct pass_ray){.from = {9, 0, 0}, .along = {0, 0, -1}}, weights);
    check_weights(weights, 0, 1, 0);
    pass_element_weigh(&line, &(struct pass_ray){.from = {9, 0, -2}, .along = {1, 0, 0}}, weights); /* along the line */
    check_weights(weights, 0.5, 0.5, 0);
    pass_element_weigh(&point, &(struct pass_ray){.from = {9, 0, 0}, .along = {0, 0, -1}}, weights);
    check_weights(weights, 1, 0, 0);
}

TEST(pass_joints_are_those_with_the_largest_sum)
{
    static const struct draw DRAW;
    static const double CORNERS[3][3];
    const struct pass_surface surface = {.draw = &DRAW};
    struct pass_joint joints[] = {{.node = 5, .weights = {1, 0, 0.5}}, {.node = 3, .weights = {0, 1, 0.5}}};
    struct pass_element element = element_of(3, CORNERS);
    assert_int_equal(pass_element_joint(&element, (const double[3]){1, 0, 0}), 7); /* bones */
    element.surface = &surface;
    assert_int_equal(pass_element_joint(&element, (const double[3]){1, 0, 0}), -1);
    element.joints = joints;
    element.joint_count = 2;
    assert_int_equal(pass_element_joint(&element, (const double[3]){0.6, 0.4, 0}), 5);
    assert_int_equal(pass_element_joint(&element, (const double[3]){0.3, 0.4, 0.3}), 3);
    assert_int_equal(pass_element_joint(&element, (const double[3]){0.5, 0.5, 0}), 3); /* equal: the smaller index */
}

/* --- jobs --- */

static struct render_work *work_of(uint32_t passes, enum sheet_format format)
{
    static struct render_work work;
    work = (struct render_work){.job = {.magic = RENDER_JOB_MAGIC,
                                        .picture = {.width = 8, .height = 6, .passes = passes},
                                        .width = 8,
                                        .height = 6,
                                        .cell_count = 1,
                                        .drawn_count = 1,
                                        .format = format}};
    return &work;
}

TEST(pass_jobs_are_of_one_cell_and_fit_their_file)
{
    struct err err;
    static const struct {
        uint32_t passes, format;
        int rc;
    } ROWS[] = {{1u << PASS_DEPTH, SHEET_NPZ, 0},
                {PASS_ALL & ~(1u << PASS_MOTION), SHEET_NPZ, 0},
                {1u << PASS_DEPTH, SHEET_PNG, 0},
                {1u << PASS_JOINT, SHEET_PNG, 0},
                {0, SHEET_NPZ, ERR_BAD_PARAMETER},
                {PASS_ALL + 1, SHEET_NPZ, ERR_BAD_PARAMETER},
                {UINT32_MAX, SHEET_NPZ, ERR_BAD_PARAMETER},
                {1u << PASS_MOTION, SHEET_NPZ, ERR_BAD_PARAMETER}, /* without another pose */
                {1u << PASS_COLOR, SHEET_PNG, ERR_BAD_PARAMETER},
                {1u << PASS_UV, SHEET_PNG, ERR_BAD_PARAMETER},
                {1u << PASS_DEPTH | 1u << PASS_NODE, SHEET_PNG, ERR_BAD_PARAMETER},
                {1u << PASS_DEPTH, SHEET_JPEG, ERR_BAD_PARAMETER},
                {1u << PASS_DEPTH, SHEET_APNG, ERR_BAD_PARAMETER},
                {1u << PASS_DEPTH, SHEET_JSON, ERR_BAD_PARAMETER}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (job_check(work_of(ROWS[i].passes, ROWS[i].format), &err) != ROWS[i].rc)
            fail_msg("row %zu", i);
#define REFUSED(...)                                                                                                   \
    do {                                                                                                               \
        struct render_work *work = work_of(1u << PASS_DEPTH | 1u << PASS_MOTION, SHEET_NPZ);                           \
        work->job.later_count = 1;                                                                                     \
        assert_int_equal(job_check(work, &err), 0);                                                                    \
        __VA_ARGS__;                                                                                                   \
        assert_int_equal(job_check(work, &err), ERR_BAD_PARAMETER);                                                    \
    } while (0)
    REFUSED(work->job.later_count = 0);
    REFUSED(work->job.later_count = 2);
    REFUSED(work->job.picture.passes = 1u << PASS_DEPTH);
    REFUSED(work->job.picture.passes = 0);
    REFUSED(work->job.cell_count = work->job.drawn_count = 2);
    REFUSED(work->job.picture.view = VIEW_DEPTH);
    REFUSED(work->job.picture.width = 4);
    REFUSED(work->job.picture.width = work->job.width = work->job.picture.height = work->job.height = 8192);
    REFUSED(work->cells[1].clip_time_s = (double)NAN);
    REFUSED(work->cells[1].begin_s = (double)INFINITY);
#undef REFUSED
}

/* --- files --- */

/* kind: of the camera; PICTURE_CAMERA_NONE: the file lacks it. */
static void put_arrays(struct buf *out, uint32_t kind)
{
    const struct picture_camera camera = {.kind = kind, .fx = 3, .fy = 4};
    struct camera_array arrays[CAMERA_ARRAYS];
    struct npz_file file;
    struct err err;
    uint8_t color[NPZ_HEADER_BYTES + 8 * 6 * 4] = {0}, depth[NPZ_HEADER_BYTES + 8 * 6 * 4] = {0};
    for (size_t i = 0; i < 8 * 6 * 4; i++)
        color[NPZ_HEADER_BYTES + i] = (uint8_t)(i * i);
    buf_init(out, 0);
    npz_file_init(&file, out);
    assert_int_equal(npz_file_put(&file, "color", color, "u1", 6, 8, 4, &err), 0);
    assert_int_equal(npz_file_put(&file, "depth", depth, "f4", 6, 8, 1, &err), 0);
    picture_camera_arrays(&camera, arrays);
    for (int i = 0; i < CAMERA_ARRAYS && kind != PICTURE_CAMERA_NONE; i++) {
        uint8_t bytes[NPZ_HEADER_BYTES + sizeof arrays[i].values] = {0};
        assert_int_equal(npz_file_put(&file, arrays[i].name, bytes, "f8", arrays[i].rows, arrays[i].columns, 1, &err),
                         0);
    }
    assert_int_equal(npz_file_end(&file, &err), 0);
}

TEST(pass_files_are_checked_before_they_are_sent)
{
    struct buf file;
    const struct render_job *job = &work_of(1u << PASS_COLOR | 1u << PASS_DEPTH, SHEET_NPZ)->job;
    put_arrays(&file, PICTURE_CAMERA_NONE);
    assert_false(render_picture_is_valid(job, file.data, file.size_bytes));
    buf_fini(&file);
    put_arrays(&file, PICTURE_CAMERA_ORTHOGRAPHIC);
    assert_true(render_picture_is_valid(job, file.data, file.size_bytes));
    buf_fini(&file);
    put_arrays(&file, PICTURE_CAMERA_PERSPECTIVE);
    char *bytes = file.data;
    assert_true(render_picture_is_valid(job, bytes, file.size_bytes));
    for (size_t cut = 0; cut < file.size_bytes; cut++)
        assert_false(render_picture_is_valid(job, bytes, cut));
    /* The directory: names, sizes and places. What readers compute from the arrays (sums) may be wrong. */
    const size_t camera = 12 + 28 + 28 + 12; /* names */
    const size_t rows = 2 * (46 + 9) + CAMERA_ARRAYS * 46 + camera, directory = file.size_bytes - 22 - rows;
    size_t refused = 0;
    for (size_t at = directory; at < file.size_bytes; at++) {
        bytes[at] ^= 1;
        refused += !render_picture_is_valid(job, bytes, file.size_bytes);
        bytes[at] ^= 1;
    }
    assert_true(refused >= (2 + CAMERA_ARRAYS) * (4 + 4 + 4 + 2 + 4) + 2 * 9 + camera + 14);
    for (int i = 0; i < 4; i++) { /* packed bytes of the first row: beyond the file */
        bytes[directory + 20 + (size_t)i] ^= 0x7f;
        assert_false(render_picture_is_valid(job, bytes, file.size_bytes));
        bytes[directory + 20 + (size_t)i] ^= 0x7f;
    }
    assert_false(render_picture_is_valid(&work_of(1u << PASS_COLOR, SHEET_NPZ)->job, bytes, file.size_bytes));
    assert_false(
        render_picture_is_valid(&work_of(1u << PASS_COLOR | 1u << PASS_NODE, SHEET_NPZ)->job, bytes, file.size_bytes));
    struct render_job wide = work_of(1u << PASS_COLOR | 1u << PASS_DEPTH, SHEET_NPZ)->job;
    wide.width = wide.picture.width = 9;
    assert_false(render_picture_is_valid(&wide, bytes, file.size_bytes));
    buf_fini(&file);
}

TEST(pass_pictures_refuse_indices_that_16_bits_cannot_hold)
{
    static const int32_t FINE[] = {-1, 0, PASS_ID_MAX}, LARGE[] = {-1, 0, PASS_ID_MAX + 1};
    struct render_pass_range range;
    struct err err;
    struct buf out;
    buf_init(&out, 0);
    assert_int_equal(pass_png_put(&out, PASS_NODE, FINE, 3, 1, false, &range, &err), 0);
    assert_int_equal(pass_png_put(&out, PASS_NODE, LARGE, 3, 1, false, &range, &err), ERR_BAD_PARAMETER);
    assert_non_null(strstr(err.message, "index 65535"));
    const float far[] = {INFINITY, INFINITY, INFINITY}, same[] = {2, INFINITY, 2};
    assert_int_equal(pass_png_put(&out, PASS_DEPTH, far, 3, 1, false, &range, &err), 0);
    assert_true(range.least == 0 && range.most == 0);
    assert_int_equal(pass_png_put(&out, PASS_DEPTH, same, 3, 1, true, &range, &err), 0);
    assert_true(range.least == 2 && range.most == 2);
    buf_fini(&out);
}
