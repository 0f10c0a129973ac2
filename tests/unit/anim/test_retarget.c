/* Clips of one model on another: matched by name, in any order of nodes. Nodes without a counterpart are listed. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include "anim/pose/pose.h"
#include "anim/retarget/retarget_report.h"

#include <string.h>

static const double TIMES[2] = {0, 1};
static const float QUARTER_TURN_Z[4] = {0, 0, 0.70710678F, 0.70710678F};
static const float UNEVEN[3] = {2, 1, 0.5F};

static uint32_t add_node(struct fixture *f, const char *name, int32_t parent, const float t[3], const float r[4])
{
    const uint32_t n = fixture_node(f, parent, t, r, FIXTURE_ONE);
    f->builder.nodes[n].name = bake_textz(&f->builder, name);
    return n;
}

/* root (rotated, unevenly scaled, off the origin) > hip > knee, and further nodes. */
static void make_model(struct fixture *f)
{
    const float at[3] = {5, -1, 2}, hip[3] = {0, 1, 0}, knee[3] = {0, 2, 0};
    fixture_init(f);
    add_node(f, "twin", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "twin", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, NULL, -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    const uint32_t root = fixture_node(f, -1, at, QUARTER_TURN_Z, UNEVEN);
    add_node(f, "hip", (int32_t)root, hip, FIXTURE_NO_TURN);
    add_node(f, "knee", (int32_t)root + 1, knee, FIXTURE_NO_TURN);
    fixture_root(f, root);
    fixture_clip(f);
    f->builder.clips[0].name = bake_textz(&f->builder, "own");
    fixture_finish(f);
}

/* The same rig in another order, with the clips 'none' (only unknown nodes) and 'walk'. */
static void make_clips(struct fixture *f)
{
    const float values[6] = {1, 1, 1, 3, 5, 7}, turns[8] = {0, 0, 0, 1, 1, 0, 0, 0};
    fixture_init(f);
    add_node(f, "knee", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "stranger", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "hip", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "twin", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, NULL, -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(f, "", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    fixture_clip(f);
    f->builder.clips[0].name = bake_textz(&f->builder, "none");
    fixture_channel(f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_clip(f);
    f->builder.clips[1].name = bake_textz(&f->builder, "walk");
    fixture_channel(f, 2, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_channel(f, 0, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 2, turns);
    fixture_channel(f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_channel(f, 1, PATH_ROTATION, INTERPOLATION_LINEAR, 4, TIMES, 2, turns);
    fixture_channel(f, 3, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_channel(f, 4, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_channel(f, 5, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_finish(f);
}

struct pair {
    struct fixture model, clips;
    struct retarget retarget;
};

static void setup(struct pair *pair)
{
    make_model(&pair->model);
    make_clips(&pair->clips);
    retarget_init(&pair->retarget, &pair->model.model, &pair->clips.model, NULL);
}

static void teardown(struct pair *pair)
{
    retarget_fini(&pair->retarget);
    fixture_fini(&pair->model);
    fixture_fini(&pair->clips);
}

TEST(retarget_moves_nodes_of_the_same_name)
{
    struct pair pair;
    struct err err;
    setup(&pair);
    const struct model *view = &pair.retarget.model;
    assert_int_equal(view->clip_count, 2);
    assert_int_equal(view->clips[1].name.size_bytes, 4);
    assert_memory_equal(view->text + view->clips[1].name.offset, "walk", 4);
    assert_memory_equal(view->text + view->nodes[4].name.offset, "hip", 3);
    assert_int_equal(retarget_clip(&pair.retarget, 1, &err), 0);
    assert_int_equal(retarget_clip(&pair.retarget, 1, &err), 0); /* once is enough */
    assert_int_equal(view->clips[1].channel_count, 2);
    struct pose pose;
    pose_init(&pose);
    pose_evaluate(&pose, view, 1, 1);
    /* hip at (3, 5, 7) in the root: scaled to (6, 5, 3.5), turned to (-5, 6, 3.5), moved by (5, -1, 2) */
    double p[3];
    const double origin[3] = {0, 0, 0}, down[3] = {0, 1, 0};
    dmat4_point(&pose.scene_from_node[4], origin, p);
    CHECK_NEAR(p[0], 0, 1e-6);
    CHECK_NEAR(p[1], 5, 1e-6);
    CHECK_NEAR(p[2], 5.5, 1e-6);
    /* the knee is 2 above the hip, and half a turn about x takes its own y to -y: 1 above the hip, (3, 6, 7) */
    dmat4_point(&pose.scene_from_node[5], down, p);
    CHECK_NEAR(p[0], -1, 1e-6);
    CHECK_NEAR(p[1], 5, 1e-6);
    CHECK_NEAR(p[2], 5.5, 1e-6);
    pose_fini(&pose);
    teardown(&pair);
}

TEST(retarget_report_lists_what_has_no_partner)
{
    static const struct retarget_miss MISSES[] = {
        {1, RETARGET_MISSING}, {3, RETARGET_AMBIGUOUS}, {4, RETARGET_UNNAMED}, {5, RETARGET_UNNAMED}};
    struct pair pair;
    struct retarget_report report;
    setup(&pair);
    retarget_report_init(&report, &pair.retarget);
    retarget_report_add(&report, POSE_REST);
    assert_int_equal(report.miss_count, 0);
    retarget_report_add(&report, 1);
    retarget_report_add(&report, 1); /* once is enough */
    assert_int_equal(report.miss_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(report.misses[i].node, MISSES[i].node);
        assert_int_equal(report.misses[i].reason, MISSES[i].reason);
    }
    const uint8_t moved[6] = {0, 0, 0, 0, 1, 1};
    assert_memory_equal(report.is_moved, moved, sizeof moved);
    retarget_report_fini(&report);
    teardown(&pair);
}

static void check_line(const struct retarget_report *report, const int32_t *own, uint32_t own_count,
                       const char *expected)
{
    struct buf line;
    buf_init(&line, 0);
    retarget_report_put(report, 1, &report->retarget->model, own, own_count, &line);
    assert_in_range(line.size_bytes, 1, RETARGET_TEXT_SIZE - 1);
    buf_put_char(&line, '\0');
    assert_string_equal(line.data, expected);
    buf_fini(&line);
}

TEST(retarget_report_in_a_line)
{
    struct pair pair;
    struct retarget_report report;
    setup(&pair);
    struct node *nodes = (struct node *)(uintptr_t)pair.model.model.nodes;
    nodes[2].flags |= NODE_JOINT;
    nodes[4].flags |= NODE_JOINT;
    nodes[5].flags |= NODE_JOINT;
    retarget_report_init(&report, &pair.retarget);
    check_line(&report, NULL, 0, "0;joints=3;joint_names=\"#2,hip,knee\"");
    retarget_report_add(&report, 1);
    check_line(&report, (const int32_t[]){POSE_REST}, 1, "4;names=\"stranger,twin,#4,#5\";joints=1;joint_names=\"#2\"");
    nodes[2].flags &= ~(uint32_t)NODE_JOINT;
    check_line(&report, NULL, 0, "4;names=\"stranger,twin,#4,#5\";joints=0");
    retarget_report_fini(&report);
    teardown(&pair);
}

/* With any names the line is printable and short enough. Names that do not fit are still counted. */
TEST(retarget_report_of_awkward_names)
{
    enum { COUNT = 300 };
    static const float VALUES[6] = {0, 0, 0, 1, 1, 1};
    struct fixture model, clips;
    struct retarget retarget;
    struct retarget_report report;
    fixture_init(&model);
    fixture_finish(&model);
    fixture_init(&clips);
    add_node(&clips, "K\xc3\xb6pfchen, \"1\"%", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    for (int i = 1; i < COUNT; i++)
        add_node(&clips, i % 2 == 0 ? "\xe9\xaa\xa8" : "bone-._~", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    fixture_clip(&clips);
    for (uint32_t i = 0; i < COUNT; i++)
        fixture_channel(&clips, i, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, VALUES);
    fixture_finish(&clips);
    retarget_init(&retarget, &model.model, &clips.model, NULL);
    retarget_report_init(&report, &retarget);
    retarget_report_add(&report, 0);
    struct buf line;
    buf_init(&line, 0);
    retarget_report_put(&report, 1, &model.model, NULL, 0, &line);
    buf_put_char(&line, '\0');
    assert_in_range(line.size_bytes, 400, RETARGET_TEXT_SIZE);
    const char *start = "300;names=\"K%C3%B6pfchen%2C%20%221%22%25,bone-._~,%E9%AA%A8,bone-._~,";
    assert_memory_equal(line.data, start, strlen(start));
    for (const char *c = line.data; *c != '\0'; c++)
        assert_in_range(*c, ' ', '~');
    assert_string_equal(line.data + line.size_bytes - 1 - strlen("\";joints=0"), "\";joints=0");
    buf_fini(&line);
    retarget_report_fini(&report);
    retarget_fini(&retarget);
    fixture_fini(&model);
    fixture_fini(&clips);
}

static struct name_map parse_rules(struct name_rule *rules, const char *const *texts)
{
    struct name_map map = {.rules = rules};
    struct err err;
    for (; texts[map.count] != NULL; map.count++)
        assert_int_equal(name_rule_parse(&rules[map.count], texts[map.count], &err), 0);
    return map;
}

/* The clips' file calls its nodes by other names: the pose is that of the names of the model. */
TEST(retarget_renames_before_it_matches)
{
    static const char *const RULES[] = {"rig:Hip=hip", "rig:*=*", "rig:none=root", "no*=*", NULL};
    static const struct retarget_miss MISSES[] = {{1, RETARGET_MISSING}, {2, RETARGET_AMBIGUOUS}};
    const float values[6] = {1, 1, 1, 3, 5, 7};
    struct name_rule rules[4];
    const struct name_map map = parse_rules(rules, RULES);
    struct fixture model, clips;
    struct retarget retarget;
    struct retarget_report report;
    struct err err;
    make_model(&model);
    fixture_init(&clips);
    add_node(&clips, "rig:Hip", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(&clips, "rig:tail", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(&clips, "rig:knee", -1, FIXTURE_ZERO, FIXTURE_NO_TURN);
    add_node(&clips, "knee", -1, FIXTURE_ZERO, FIXTURE_NO_TURN); /* twice, renamed */
    fixture_clip(&clips);
    for (uint32_t n = 0; n < 3; n++)
        fixture_channel(&clips, n, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    fixture_finish(&clips);
    retarget_init(&retarget, &model.model, &clips.model, NULL);
    assert_int_equal(retarget_clip(&retarget, 0, &err), ERR_CLIP_NO_MATCH);
    retarget_fini(&retarget);
    retarget_init(&retarget, &model.model, &clips.model, &map);
    assert_int_equal(retarget_clip(&retarget, 0, &err), 0);
    struct pose pose;
    double p[3];
    const double origin[3] = {0, 0, 0};
    pose_init(&pose);
    pose_evaluate(&pose, &retarget.model, 0, 1);
    dmat4_point(&pose.scene_from_node[4], origin, p); /* as in retarget_moves_nodes_of_the_same_name */
    CHECK_NEAR(p[0], 0, 1e-6);
    CHECK_NEAR(p[1], 5, 1e-6);
    CHECK_NEAR(p[2], 5.5, 1e-6);
    pose_fini(&pose);
    retarget_report_init(&report, &retarget);
    retarget_report_add(&report, 0);
    assert_int_equal(report.miss_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(report.misses[i].node, MISSES[i].node);
        assert_int_equal(report.misses[i].reason, MISSES[i].reason);
    }
    /* the third rule is idle because the second takes all of it */
    check_line(&report, NULL, 0,
               "2;names=\"rig%3Atail,rig%3Aknee\";joints=0;rules=2;rule_texts=\"rig%3Anone%3Droot,no%2A%3D%2A\"");
    struct joined_name name;
    char text[SHORT_NAME_SIZE];
    assert_true(retarget_rename(&retarget, 1, &name));
    assert_string_equal(joined_name_put(&name, text, sizeof text), "tail");
    assert_false(retarget_rename(&retarget, 3, &name));
    assert_int_equal(joined_name_bytes(&name), 0);
    retarget_report_fini(&report);
    retarget_fini(&retarget);
    fixture_fini(&model);
    fixture_fini(&clips);
}

TEST(retarget_refuses_a_clip_that_moves_nothing)
{
    struct pair pair;
    struct err err;
    setup(&pair);
    assert_int_equal(retarget_clip(&pair.retarget, 0, &err), ERR_CLIP_NO_MATCH);
    assert_non_null(strstr(err.message, "'none'"));
    assert_non_null(strstr(err.message, "'stranger'"));
    teardown(&pair);
}

/* Names that occur twice in the clips' file match as little as names that occur twice in the model. */
TEST(retarget_takes_a_model_for_its_own_clips)
{
    struct fixture f;
    struct retarget retarget;
    struct err err;
    make_clips(&f);
    retarget_init(&retarget, &f.model, &f.model, NULL);
    assert_int_equal(retarget_clip(&retarget, 1, &err), 0);
    assert_int_equal(retarget.model.clips[1].channel_count, 5); /* all but the unnamed ones' */
    struct retarget_report report;
    retarget_report_init(&report, &retarget);
    retarget_report_add(&report, 1);
    assert_int_equal(report.miss_count, 2);
    retarget_report_fini(&report);
    retarget_fini(&retarget);
    fixture_fini(&f);
    make_model(&f);
    retarget_init(&retarget, &f.model, &f.model, NULL);
    assert_int_equal(retarget.partners[0], -1 - RETARGET_AMBIGUOUS);
    assert_int_equal(retarget.partners[5], 5);
    retarget_fini(&retarget);
    fixture_fini(&f);
}

TEST(retarget_compares_units_and_axes)
{
    struct model model, source;
    memset(&model, 0, sizeof model);
    memset(&source, 0, sizeof source);
    struct model_info own = {.unit_m = 0.01F, .up = {0, 1, 0}}, other = {.unit_m = 1, .up = {0, 0, 1}};
    model.infos = &own;
    source.infos = &other;
    assert_false(retarget_has_other_unit(&model, &source)); /* neither file says */
    assert_false(retarget_has_other_up(&model, &source));
    own.flags = other.flags = MODEL_HAS_UNIT | MODEL_HAS_UP;
    assert_true(retarget_has_other_unit(&model, &source));
    assert_true(retarget_has_other_up(&model, &source));
    other = own;
    assert_false(retarget_has_other_unit(&model, &source));
    assert_false(retarget_has_other_up(&model, &source));
}
