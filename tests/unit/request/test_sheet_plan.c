/* server/wire/sheet/sheet_plan.h: the times of a sheet, and the places of their cells. */
#include "wire/sheet/sheet_plan.h"
#include "anim/pose/pose.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"
#include "tests/unit/support/wire_model.h"

#include <stdio.h>
#include <string.h>

static struct limits limits;
static struct request request;
static struct sheet_plan plan;

static int plan_of(const char *target, int32_t clip, struct err *err)
{
    limits_default(&limits);
    request_init(&request);
    sheet_plan_init(&plan);
    if (parse_request_as(&request, "GET", target, NULL, err) < 0)
        return err->code;
    const struct model *clips = wire_model();
    return sheet_plan_make(&plan, &clips, clip, &request, &limits, err);
}

static void forget(void)
{
    sheet_plan_fini(&plan);
    request_fini(&request);
}

static const struct sheet_cell *plan_good(const char *query, int32_t clip)
{
    char target[256];
    struct err err = {0};
    snprintf(target, sizeof target, "/v1/sheet?model=a.glb%s", query);
    if (plan_of(target, clip, &err) < 0)
        fail_msg("%s: %s", target, err.message);
    return sheet_plan_cells(&plan);
}

/* Clip 0 of the model lasts 2 seconds. */
static void check_times(const char *query, uint32_t count, const double *times_s, const double *durations_s)
{
    const struct sheet_cell *cells = plan_good(query, 0);
    assert_int_equal(plan.cell_count, count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_NEAR(cells[i].time_s, times_s[i], 1e-12);
        CHECK_NEAR(cells[i].duration_s, durations_s[i], 1e-12);
    }
    forget();
}

TEST(sheet_frames_close_their_loop)
{
    static const double four[] = {0, 0.5, 1, 1.5}, half[] = {0.5, 0.5, 0.5, 0.5, 0.5};
    static const double ends[] = {0, 0.5, 1, 1.5, 2}, uneven[] = {0, 0.8, 1.6}, rest[] = {0.8, 0.8, 0.4};
    static const double there_and_back[] = {0, 1, 2, 3}, one[] = {1, 1, 1, 1};
    static const double part[] = {0, 0.25, 0.5, 0.75}, quarter[] = {0.25, 0.25, 0.25, 0.25};
    static const double given[] = {0.2, 0.5, 3}, gaps[] = {0.3, 2.5, 2.5}, tenth[] = {0.1, 0.1, 0.1, 0.1};
    static const double zero[] = {0, 0, 0, 0};
    check_times("&frames=4", 4, four, half);
    check_times("&rate=2", 4, four, half);
    check_times("&frames=5&wrap=clamp", 5, ends, half);
    check_times("&rate=2&wrap=clamp", 5, ends, half);
    check_times("&rate=1.25", 3, uneven, rest);
    check_times("&frames=4&wrap=mirror", 4, there_and_back, one);
    check_times("&frames=4&from=0.5&to=1.5", 4, part, quarter);
    check_times("&frames=4&speed=-2", 4, part, quarter);
    check_times("&frames=4&speed=0", 4, zero, tenth);
    check_times("&t=0.2,0.5,3", 3, given, gaps);
    check_times("&t=0.2", 1, given, tenth);
    check_times("&frames=4&format=gif&play_rate=10", 4, four, tenth);
    check_times("&frames=1", 1, zero, (const double[]){2});
}

/* A clip of two seconds. */
TEST(sheet_video_has_one_rate)
{
    static const struct {
        const char *query;
        double rate;
    } rows[] = {{"&frames=4&format=y4m", 2},
                {"&format=y4m", 20},
                {"&rate=1.25&format=y4m", 1.25}, /* the last frame is shorter */
                {"&t=0,0.1,0.2&format=y4m", 10},
                {"&frames=4&format=y4m&play_rate=29.5", 29.5},
                {"&t=0,0.1,0.5&format=y4m&play_rate=3", 3},
                {"&frames=4&format=apng", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan_good(rows[i].query, 0);
        CHECK_NEAR(plan.frame_rate, rows[i].rate, 1e-9);
        forget();
    }
}

TEST(sheet_times_are_brought_into_the_clip)
{
    const struct sheet_cell *cells = plan_good("&frames=4&from=0.5&to=1.5&speed=-1&phase=0.25", 0);
    /* 0.5 + wrap(-t + 0.25) */
    const double expected[] = {0.75, 0.5, 1.25, 1};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(cells[i].clip_time_s, expected[i], 1e-12);
    CHECK_NEAR(cells[3].begin_s, 0.5, 0);
    CHECK_NEAR(cells[3].end_s, 1.5, 0);
    forget();
}

TEST(sheet_without_words_about_it)
{
    plan_good("", 0);
    assert_int_equal(plan.cell_count, 8);
    forget();
    plan_good("&format=gif", 0);
    assert_int_equal(plan.cell_count, 40); /* 20 a second */
    forget();
    const struct sheet_cell *cells = plan_good("&clips=all", POSE_REST);
    assert_int_equal(plan.cell_count, wire_model()->clip_count);
    assert_true((request.picture.flags & PICTURE_AUTO_TIME) != 0); /* the renderer picks the moments */
    for (uint32_t c = 0; c < plan.cell_count; c++) {
        assert_int_equal(cells[c].clip, c);
        CHECK_NEAR(cells[c].end_s, wire_model()->clips[c].duration_s, 0);
    }
    forget();
    cells = plan_good("&frames=3", POSE_REST);
    assert_int_equal(plan.cell_count, 3);
    assert_true(cells[2].clip_time_s == 0);
    forget();
    plan_good("", POSE_REST);
    assert_int_equal(plan.cell_count, 1); /* more would be the same again */
    forget();
    plan_good("&directions=4", POSE_REST);
    assert_int_equal(plan.cell_count, 4);
    forget();
}

static void check_place(const struct sheet_cell *cell, uint32_t x, uint32_t y, uint32_t direction, double yaw_deg)
{
    assert_int_equal(cell->x, x);
    assert_int_equal(cell->y, y);
    assert_int_equal(cell->direction, direction);
    CHECK_NEAR(cell->yaw_deg, yaw_deg, 0);
}

TEST(sheet_cells_lie_in_rows)
{
    const struct sheet_cell *cells =
        plan_good("&directions=4&frames=3&width=50&height=20&gap=3&padding=7&captions=1", 0);
    assert_int_equal(plan.cell_count, 12);
    assert_int_equal(plan.layout.caption_height, 16);
    assert_int_equal(plan.width, 7 + 3 * 50 + 2 * 3 + 7);
    assert_int_equal(plan.height, 7 + 4 * 36 + 3 * 3 + 7);
    check_place(&cells[0], 7, 7, 0, 0);
    check_place(&cells[2], 7 + 2 * 53, 7, 0, 0);
    check_place(&cells[3], 7, 7 + 39, 1, 90);
    check_place(&cells[11], 7 + 2 * 53, 7 + 3 * 39, 3, 270);
    forget();
    cells = plan_good("&directions=2&frames=3&columns=2&width=10&height=10", 0); /* a group has two rows then */
    check_place(&cells[2], 0, 10, 0, 0);
    check_place(&cells[3], 0, 20, 1, 180);
    assert_int_equal(plan.width, 20);
    assert_int_equal(plan.height, 40);
    forget();
    cells = plan_good("&directions=4&frames=1&width=10&height=10", 0);
    check_place(&cells[3], 0, 30, 3, 270);
    forget();
    plan_good("&frames=8&width=10&height=10", 0);
    assert_int_equal(plan.layout.columns, 8);
    forget();
    plan_good("&frames=10&width=10&height=10", 0);
    assert_int_equal(plan.width, 40);
    assert_int_equal(plan.height, 30);
    forget();
    plan_good("&frames=2&columns=9&width=10&height=10", 0); /* no wider than its cells */
    assert_int_equal(plan.width, 20);
    forget();
    cells = plan_good("&frames=3&format=apng&captions=1&width=10&height=10", 0);
    check_place(&cells[2], 0, 2 * 26, 0, 0);
    assert_int_equal(plan.width, 10);
    assert_int_equal(plan.height, 3 * 26);
    forget();
}

/* Of the drawn part: the first cell, the number of cells, the size, and the place of the first one. */
static void check_part(const char *query, uint32_t first, uint32_t count, uint32_t width, uint32_t height, uint32_t y)
{
    const struct sheet_cell *cells = plan_good(query, 0);
    assert_int_equal(plan.first_drawn, first);
    assert_int_equal(plan.drawn_count, count);
    assert_int_equal(plan.width, width);
    assert_int_equal(plan.height, height);
    assert_int_equal(cells[first].y, y);
    forget();
}

/* Four rows of three cells, 39 pixels apart, with 7 around them. */
TEST(sheet_parts_are_bands_of_the_sheet)
{
#define SHEET "&directions=4&frames=3&width=50&height=20&gap=3&padding=7&captions=1"
    check_part(SHEET "&first_row=0&rows=4", 0, 12, 170, 167, 7);
    check_part(SHEET "&rows=9", 0, 12, 170, 167, 7);
    check_part(SHEET "&rows=1", 0, 3, 170, 7 + 39, 7);
    check_part(SHEET "&first_row=1&rows=2", 3, 6, 170, 2 * 39, 0);
    check_part(SHEET "&first_row=3&rows=1", 9, 3, 170, 36 + 7, 0);
    check_part(SHEET "&first_row=2", 6, 6, 170, 39 + 36 + 7, 0);
    check_part("&frames=7&columns=3&width=10&height=10&first_row=2", 6, 1, 30, 10, 0); /* as wide as the others */
    check_part("&frames=5&format=apng&width=10&height=10&first_row=1&rows=3", 1, 3, 10, 30, 0);
    struct err err = {0};
    assert_int_equal(plan_of("/v1/sheet?model=a.glb" SHEET "&first_row=4", 0, &err), ERR_BAD_PARAMETER);
    assert_string_equal(err.message, "parameter 'first_row' is 4, and the sheet's rows are 0 to 3");
    forget();
#undef SHEET
}

TEST(sheet_parts_may_be_of_sheets_that_are_too_large_for_one_picture)
{
    struct err err = {0};
    plan_good("&frames=1000&columns=10&width=256&height=256&first_row=99", 0);
    assert_int_equal(plan.drawn_count, 10);
    assert_int_equal(plan.height, 256);
    assert_int_equal(sheet_plan_rows_at_once(&plan, &request, &limits), 25); /* 16777216 pixels */
    forget();
    plan_good("&frames=1000&columns=10&width=256&height=256&first_row=70&rows=25", 0);
    forget();
    plan_good("&frames=1000&columns=10&width=256&height=256&format=json", 0); /* has no pixels */
    assert_int_equal(plan.height, 25600);
    forget();
    assert_int_equal(plan_of("/v1/sheet?model=a.glb&frames=1000&columns=10&width=256&height=256&rows=26", 0, &err),
                     ERR_BAD_PARAMETER);
    forget();
    plan_good("&frames=1000&columns=1&width=16&height=64&padding=100&rows=1", 0); /* 16384 pixels a side */
    assert_int_equal(sheet_plan_rows_at_once(&plan, &request, &limits), (16384 - 200) / 64);
    forget();
    plan_good("&frames=1000&format=gif&width=4096&height=4000&rows=1", 0);
    assert_int_equal(sheet_plan_rows_at_once(&plan, &request, &limits), 1);
    forget();
}

TEST(turntable_is_one_turn)
{
    struct err err = {0};
    assert_int_equal(plan_of("/v1/turntable?model=a.glb&t=0.5&frames=6&yaw=10", 0, &err), 0);
    const struct sheet_cell *cells = sheet_plan_cells(&plan);
    assert_int_equal(plan.cell_count, 6);
    assert_int_equal(request.sheet.format, SHEET_APNG);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_NEAR(cells[i].yaw_deg, 60.0 * i, 0);
        CHECK_NEAR(cells[i].clip_time_s, 0.5, 0);
        CHECK_NEAR(cells[i].duration_s, 1.0 / 12, 1e-15);
    }
    forget();
    assert_int_equal(plan_of("/v1/turntable?model=a.glb", 0, &err), 0);
    assert_int_equal(plan.cell_count, 36);
    forget();
}

TEST(sheet_refuses_what_is_too_much_or_does_not_go_together)
{
    static const struct {
        const char *query;
        int code;
        const char *words;
    } rows[] = {
        {"/v1/sheet?model=a&frames=1025", ERR_BAD_PARAMETER, "'frames'"},
        {"/v1/sheet?model=a&frames=0", ERR_BAD_PARAMETER, "'frames'"},
        {"/v1/sheet?model=a&frames=129&directions=8", ERR_TOO_MANY_FRAMES, "1024 cells"},
        {"/v1/sheet?model=a&rate=1000&width=1&height=1", ERR_TOO_MANY_FRAMES, "1024 cells"},
        {"/v1/sheet?model=a&rate=1000&speed=1e-300", ERR_TOO_MANY_FRAMES, "1024 cells"},
        {"/v1/sheet?model=a&rate=1000&speed=5e-324", 0, ""}, /* so slow that nothing moves */
        {"/v1/sheet?model=a&rate=0", ERR_BAD_PARAMETER, "'rate'"},
        {"/v1/sheet?model=a&rate=nan", ERR_BAD_PARAMETER, "'rate'"},
        {"/v1/sheet?model=a&directions=65", ERR_BAD_PARAMETER, "'directions'"},
        {"/v1/sheet?model=a&columns=0", ERR_BAD_PARAMETER, "'columns'"},
        {"/v1/sheet?model=a&gap=257", ERR_BAD_PARAMETER, "'gap'"},
        {"/v1/sheet?model=a&padding=-1", ERR_BAD_PARAMETER, "'padding'"},
        {"/v1/sheet?model=a&captions=2", ERR_BAD_PARAMETER, "'captions'"},
        {"/v1/sheet?model=a&rows=0", ERR_BAD_PARAMETER, "'rows'"},
        {"/v1/sheet?model=a&rows=1025", ERR_BAD_PARAMETER, "'rows'"},
        {"/v1/sheet?model=a&first_row=1024", ERR_BAD_PARAMETER, "'first_row'"},
        {"/v1/sheet?model=a&first_row=-1", ERR_BAD_PARAMETER, "'first_row'"},
        {"/v1/sheet?model=a&rows=1&format=json", ERR_BAD_PARAMETER, "'rows'"},
        {"/v1/turntable?model=a&first_row=1&format=json", ERR_BAD_PARAMETER, "'first_row'"},
        {"/v1/render?model=a&rows=1", ERR_UNKNOWN_PARAMETER, "'rows'"},
        {"/v1/sheet?model=a&format=jpg", ERR_BAD_PARAMETER, "'format'"},
        {"/v1/sheet?model=a&clips=walk", ERR_BAD_PARAMETER, "'clips'"},
        {"/v1/sheet?model=a&loops=65536", ERR_BAD_PARAMETER, "'loops'"},
        {"/v1/sheet?model=a&play_rate=0", ERR_BAD_PARAMETER, "'play_rate'"},
        {"/v1/sheet?model=a&loops=3", ERR_BAD_PARAMETER, "'loops' does not go with format=png"},
        {"/v1/sheet?model=a&format=json&loops=3", ERR_BAD_PARAMETER, "'loops' does not go with format=json"},
        {"/v1/sheet?model=a&format=json&play_rate=3", 0, ""}, /* the manifest tells it */
        {"/v1/sheet?model=a&play_rate=10", ERR_BAD_PARAMETER, "'play_rate' does not go with format=png"},
        {"/v1/turntable?model=a&format=png&play_rate=3", ERR_BAD_PARAMETER, "'play_rate' does not go with format=png"},
        {"/v1/turntable?model=a&play_rate=3&loops=1", 0, ""},
        {"/v1/turntable?model=a&columns=3", ERR_BAD_PARAMETER, "'columns' does not go with an animation"},
        {"/v1/sheet?model=a&t=auto", ERR_BAD_PARAMETER, "frames=1"},
        {"/v1/sheet?model=a&play_rate=1001", ERR_BAD_PARAMETER, "'play_rate'"},
        {"/v1/sheet?model=a&frames=2&rate=2", ERR_BAD_PARAMETER, "'frames' does not go with 'rate'"},
        {"/v1/sheet?model=a&t=1&rate=2", ERR_BAD_PARAMETER, "'t' does not go with 'rate'"},
        {"/v1/sheet?model=a&t=1&frames=2", ERR_BAD_PARAMETER, "'t' does not go with 'frames'"},
        {"/v1/sheet?model=a&clips=all&clip=0", ERR_BAD_PARAMETER, "'clips' does not go with 'clip'"},
        {"/v1/sheet?model=a&format=gif&columns=2", ERR_BAD_PARAMETER, "'columns' does not go with an animation"},
        {"/v1/sheet?model=a&frames=64&columns=64&width=257&height=1", ERR_BAD_PARAMETER, "16384 pixels"},
        {"/v1/sheet?model=a&frames=64&width=1024&height=1024", ERR_BAD_PARAMETER, "--max-picture-pixels"},
        {"/v1/sheet?model=a&frames=257&width=256&height=256&format=webp", ERR_BAD_PARAMETER, "--max-picture-pixels"},
        {"/v1/sheet?model=a&format=y4m&t=0,0.1,0.5", ERR_BAD_PARAMETER, "frame 0 would last 0.1 seconds"},
        {"/v1/sheet?model=a&format=y4m&t=0,1e-7", ERR_BAD_PARAMETER, "it may have 0.001 to 1000"},
        {"/v1/sheet?model=a&format=y4m&loops=1", ERR_BAD_PARAMETER, "'loops' does not go with format=y4m"},
        {"/v1/sheet?model=a&format=jpeg&loops=1", ERR_BAD_PARAMETER, "'loops' does not go with format=jpeg"},
        {"/v1/sheet?model=a&format=gif&quality=9", ERR_BAD_PARAMETER, "'quality' does not go with format=gif"},
        {"/v1/sheet?model=a&format=webp&quality=9", 0, ""},
        {"/v1/sheet?model=a&to=5", ERR_BAD_PARAMETER, "'to'"},
        {"/v1/sheet?model=a&fps=5", ERR_BAD_PARAMETER, "or 'rate'"},
        {"/v1/sheet?model=a&camera=0", 0, ""},
        {"/v1/sheet?model=a&camera=0&directions=4", ERR_BAD_PARAMETER, "that of several 'directions'"},
        {"/v1/sheet?model=a&camera=0&projection=level", ERR_BAD_PARAMETER, "'projection' does not go with a camera"},
        {"/v1/turntable?model=a&camera=0", ERR_BAD_PARAMETER, "as a turntable's does"},
        {"/v1/turntable?model=a&t=0,1", ERR_BAD_PARAMETER, "'t'"},
        {"/v1/turntable?model=a&directions=4", ERR_UNKNOWN_PARAMETER, "'directions'"},
        {"/v1/turntable?model=a&clips=all", ERR_UNKNOWN_PARAMETER, "'clips'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {0};
        const int rc = plan_of(rows[i].query, 0, &err);
        if (rc != rows[i].code || strstr(err.message, rows[i].words) == NULL)
            fail_msg("%s: %d '%s'", rows[i].query, rc, err.message);
        forget();
    }
}

/* What means the same has one ETag, and what does not has another. */
TEST(sheet_queries_have_their_own_hashes)
{
    static const char *const queries[] = {
        "",       "&frames=9",  "&rate=4",     "&clips=all",  "&directions=4",       "&columns=2",
        "&gap=1", "&padding=1", "&captions=1", "&format=gif", "&format=gif&loops=1", "&format=gif&play_rate=9"};
    enum { COUNT = sizeof queries / sizeof *queries };
    char hashes[COUNT][24];
    for (int i = 0; i < COUNT; i++) {
        plan_good(queries[i], 0);
        memcpy(hashes[i], request.canonical, sizeof hashes[i]);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(hashes[i], hashes[k]);
        forget();
    }
    plan_good("&gap=0&captions=0&format=png", 0);
    assert_string_equal(request.canonical, hashes[0]);
    forget();
}
