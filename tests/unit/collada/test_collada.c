/* Curves, transforms and clips of COLLADA files. Values of curves were solved in Python by bisection. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include "import/collada/transform_stack.h"
#include "import/collada/collada.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct collada_sampler sampler_of(double *times, double *values, uint8_t *kinds, struct curve_control *controls,
                                         uint32_t count)
{
    return (struct collada_sampler){
        .times = times, .values = values, .kinds = kinds, .controls = controls, .key_count = count, .width = 1};
}

TEST(collada_curve_eases_as_bezier)
{
    double times[] = {0, 1}, values[] = {0, 10};
    uint8_t kinds[] = {CURVE_BEZIER, CURVE_BEZIER};
    struct curve_control controls[2] = {{0.42, 0, 0.58, 10}};
    struct collada_sampler sampler = sampler_of(times, values, kinds, controls, 2);
    assert_int_equal(sampler_repair(&sampler), 0);
    CHECK_NEAR(sampler_at(&sampler, 0, 0.1), 0.19722453548311195, 1e-12);
    CHECK_NEAR(sampler_at(&sampler, 0, 0.25), 1.2916193104731981, 1e-12);
    CHECK_NEAR(sampler_at(&sampler, 0, 0.5), 5, 1e-12);
    CHECK_NEAR(sampler_at(&sampler, 0, 0.8), 9.183401437341024, 1e-12);
    CHECK_NEAR(sampler_at(&sampler, 0, -1), 0, 0);
    CHECK_NEAR(sampler_at(&sampler, 0, 1), 10, 0);
    CHECK_NEAR(sampler_at(&sampler, 0, 7), 10, 0);
}

TEST(collada_curve_that_runs_back_is_made_a_function)
{
    double times[] = {0, 1}, values[] = {0, 1};
    uint8_t kinds[] = {CURVE_BEZIER, CURVE_BEZIER};
    struct curve_control controls[2] = {{3, 0, -2, 1}};
    struct collada_sampler sampler = sampler_of(times, values, kinds, controls, 2);
    assert_int_equal(sampler_repair(&sampler), 1);
    double before = 0;
    for (int i = 0; i <= 100; i++) {
        const double value = sampler_at(&sampler, 0, i / 100.0);
        assert_true(value >= before - 1e-9);
        before = value;
    }
    CHECK_NEAR(sampler_at(&sampler, 0, 0.5), 0.5, 1e-6);
}

TEST(collada_steps_hold_until_the_key)
{
    double times[] = {0, 1, 2}, values[] = {3, 5, 4};
    uint8_t kinds[] = {CURVE_STEP, CURVE_LINEAR, CURVE_LINEAR};
    const struct collada_sampler sampler = sampler_of(times, values, kinds, NULL, 3);
    CHECK_NEAR(sampler_at(&sampler, 0, nextafter(1, 0)), 3, 0);
    CHECK_NEAR(sampler_at(&sampler, 0, 1), 5, 0);
    CHECK_NEAR(sampler_at(&sampler, 0, 1.5), 4.5, 1e-12);
}

/* --- whole files --- */

/* A node with this transform, a node below it, sources by name, samplers and channels, and clips. */
static const char FILE_FORM[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><unit name=\"inch\" meter=\"0.0254\"/><up_axis>Z_UP</up_axis></asset>"
    "<library_animations>%s</library_animations>%s"
    "<library_visual_scenes><visual_scene id=\"scene\" name=\"scene\"><node id=\"n1\" name=\"outer\">%s"
    "<node id=\"n2\" name=\"inner\"><translate>1 2 3</translate><scale>2 1 0.5</scale></node></node>"
    "<node id=\"n3\" name=\"other\"/></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>";

#define ROWS(id, kind, size, count, stride, text)                                                                      \
    "<source id=\"" id "\"><" kind "_array id=\"" id "-a\" count=\"" size "\">" text "</" kind                         \
    "_array><technique_common><accessor source=\"#" id "-a\" count=\"" count "\" stride=\"" stride                     \
    "\"/></technique_common></source>"
#define SOURCE(id, kind, count, text) ROWS(id, kind, count, count, "1", text)
#define INPUT(semantic, id)           "<input semantic=\"" semantic "\" source=\"#" id "\"/>"
#define ANIMATION(id, sources, inputs, target)                                                                         \
    "<animation id=\"" id "\">" sources "<sampler id=\"" id "-s\">" inputs "</sampler><channel source=\"#" id          \
    "-s\" target=\"" target "\"/></animation>"

static void import_text(struct assimp_run *run, const char *animations, const char *clips, const char *transform)
{
    static char text[20000];
    assimp_run_init(run);
    assert_true(snprintf(text, sizeof text, FILE_FORM, animations, clips, transform) < (int)sizeof text);
    temp_tree_file(&run->tree, "a.dae", text);
    assimp_run_import(run, "a.dae");
    assert_int_equal(run->rc, 0);
}

static bool is_named(const struct model *model, struct str name, const char *text)
{
    return name.offset != STR_NONE && name.size_bytes == strlen(text) &&
           memcmp(model->text + name.offset, text, name.size_bytes) == 0;
}

/* The vertex (1, 1, 2) of the inner node, which its own place and uneven scale take to (3, 3, 4), in scene space. */
static void point_at(struct assimp_run *run, int32_t clip, double time_s, double out[3])
{
    static const double P[3] = {1, 1, 2};
    assimp_run_point(run, clip, time_s, assimp_run_node(run, "inner"), P, out);
}

TEST(collada_angles_turn_as_far_as_the_file_says)
{
    struct assimp_run run;
    double out[3];
    import_text(&run,
                ANIMATION("a", SOURCE("ai", "float", "2", "0 4") SOURCE("ao", "float", "2", "-720 720"),
                          INPUT("INPUT", "ai") INPUT("OUTPUT", "ao"), "n1/turn.ANGLE"),
                "", "<translate>10 20 30</translate><rotate sid=\"turn\">0 0 1 5</rotate><scale>2 3 4</scale>");
    assert_int_equal(run.model.warning_count, 0);
    point_at(&run, POSE_REST, 0, out);
    const double five = 5 * 3.14159265358979323846 / 180;
    CHECK_NEAR(out[0], 10 + cos(five) * 6 - sin(five) * 9, 1e-5);
    CHECK_NEAR(out[2], 30 + 16, 1e-5);
    for (int i = 0; i <= 40; i++) {
        const double time_s = i / 10.0, angle = (-720 + 360 * time_s) * 3.14159265358979323846 / 180;
        point_at(&run, 0, time_s, out);
        CHECK_NEAR(out[0], 10 + cos(angle) * 6 - sin(angle) * 9, 1e-5);
        CHECK_NEAR(out[1], 20 + sin(angle) * 6 + cos(angle) * 9, 1e-5);
    }
    /* one axis at an even speed is exact by straight pieces */
    assert_int_equal(run.model.channel_count, 1);
    assert_int_equal(run.model.channels[0].interpolation, INTERPOLATION_LINEAR);
    assimp_run_fini(&run);
}

TEST(collada_bezier_and_hermite_are_followed)
{
    struct assimp_run run;
    double out[3];
    import_text(
        &run,
        ANIMATION("a",
                  SOURCE("ai", "float", "2", "0 1") SOURCE("ao", "float", "2", "0 10")
                      SOURCE("ak", "Name", "2", "BEZIER BEZIER") ROWS("at", "float", "4", "2", "2", "0 0 0.58 10")
                          ROWS("au", "float", "4", "2", "2", "0.42 0 0 0"),
                  INPUT("INPUT", "ai") INPUT("OUTPUT", "ao") INPUT("INTERPOLATION", "ak") INPUT("IN_TANGENT", "at")
                      INPUT("OUT_TANGENT", "au"),
                  "n1/place.X")
            ANIMATION("b",
                      SOURCE("bi", "float", "2", "2 6") SOURCE("bo", "float", "2", "5 -3")
                          SOURCE("bk", "Name", "2", "HERMITE LINEAR") ROWS("bt", "float", "4", "2", "2", "0 0 6 -3")
                              ROWS("bu", "float", "4", "2", "2", "3 9 0 0"),
                      INPUT("INPUT", "bi") INPUT("OUTPUT", "bo") INPUT("INTERPOLATION", "bk") INPUT("IN_TANGENT", "bt")
                          INPUT("OUT_TANGENT", "bu"),
                      "n1/place.Y"),
        "", "<translate sid=\"place\">1 2 3</translate><scale>2 3 4</scale>");
    assert_int_equal(run.model.warning_count, 0);
    static const double BEZIER[][2] = {
        {0.1, 0.19722453548311195}, {0.25, 1.2916193104731981}, {0.8, 9.183401437341024}};
    static const double HERMITE[][2] = {
        {3, 4.587102079627196}, {4.5, -0.43087861933047156}, {5.75, -2.8251121886735366}};
    for (int i = 0; i < 3; i++) {
        point_at(&run, 0, BEZIER[i][0], out);
        CHECK_NEAR(out[0], BEZIER[i][1] + 6, 3e-6);
        CHECK_NEAR(out[1], 5 + 9, 3e-6);
        CHECK_NEAR(out[2], 3 + 16, 1e-6);
        point_at(&run, 0, HERMITE[i][0], out);
        CHECK_NEAR(out[0], 10 + 6, 3e-6);
        CHECK_NEAR(out[1], HERMITE[i][1] + 9, 3e-6);
    }
    assimp_run_fini(&run);
}

TEST(collada_matrix_channels_of_numbers_and_of_whole_matrices)
{
    struct assimp_run run;
    double out[3];
    import_text(&run,
                ANIMATION("a", SOURCE("ai", "float", "2", "0 2") SOURCE("ao", "float", "2", "10 20"),
                          INPUT("INPUT", "ai") INPUT("OUTPUT", "ao"), "n1/m(3)(1)"),
                "", "<matrix sid=\"m\">0 -3 0 7  2 0 0 8  0 0 4 9  0 0 0 1</matrix>");
    point_at(&run, 0, 1, out); /* (3, 3, 4): -9 + 7, 6 + 15, 16 + 9 */
    CHECK_NEAR(out[0], -2, 1e-5);
    CHECK_NEAR(out[1], 21, 1e-5);
    CHECK_NEAR(out[2], 25, 1e-5);
    assimp_run_fini(&run);
    /* a quarter of a turn about z between two matrices: an eighth in the middle */
    import_text(&run,
                ANIMATION("a",
                          SOURCE("ai", "float", "2", "0 2")
                              ROWS("ao", "float", "32", "2", "16",
                                   "2 0 0 1 0 3 0 2 0 0 4 3 0 0 0 1 0 -3 0 5 2 0 0 6 0 0 4 7 0 0 0 1"),
                          INPUT("INPUT", "ai") INPUT("OUTPUT", "ao"), "n1/m"),
                "", "<matrix sid=\"m\">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>");
    point_at(&run, 0, 1, out); /* (6, 9, 16) turned */
    CHECK_NEAR(out[0], 3 + (6 - 9) * sqrt(0.5), 1e-5);
    CHECK_NEAR(out[1], 4 + (6 + 9) * sqrt(0.5), 1e-5);
    CHECK_NEAR(out[2], 5 + 16, 1e-5);
    assimp_run_fini(&run);
}

static const char TWO[] = ANIMATION(
    "a",
    SOURCE("ai", "float", "3", "0 1 2") SOURCE("ao", "float", "3", "1 5 9") SOURCE("ak", "Name", "3", "STEP STEP STEP"),
    INPUT("INPUT", "ai") INPUT("OUTPUT", "ao") INPUT("INTERPOLATION", "ak"),
    "n1/p.X") "<animation id=\"c\">" ANIMATION("b", SOURCE("bi", "float", "2", "0 2") SOURCE("bo", "float", "2", "0 8"),
                                               INPUT("INPUT", "bi") INPUT("OUTPUT", "bo"), "n1/p.Y") "</animation>";

TEST(collada_clips_have_their_names_and_what_they_instance)
{
    struct assimp_run run;
    double out[3];
    import_text(&run, TWO,
                "<library_animation_clips><animation_clip id=\"c1\" name=\"up &amp; down\">"
                "<instance_animation url=\"#c\"/></animation_clip>"
                "<animation_clip id=\"c2\" start=\"0.5\" end=\"1.5\"><instance_animation url=\"#c\"/></animation_clip>"
                "</library_animation_clips>",
                "<translate sid=\"p\">100 200 300</translate><rotate>0 0 1 0</rotate><scale>2 3 4</scale>");
    const struct model *model = &run.model;
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->clip_count, 3); /* the last one of what no clip has */
    assert_true(is_named(model, model->clips[0].name, "up & down"));
    assert_true(is_named(model, model->clips[1].name, "c2"));
    assert_true(is_named(model, model->clips[2].name, "default"));
    point_at(&run, 0, 1, out);
    CHECK_NEAR(out[0], 106, 1e-4);
    CHECK_NEAR(out[1], 4 + 9, 1e-5);
    CHECK_NEAR(model->clips[1].start_s, 0, 0);
    CHECK_NEAR(model->clips[1].duration_s, 1, 0);
    for (int i = 0; i <= 4; i++) { /* from 0.5 s to 1.5 s of the file */
        point_at(&run, 1, i / 4.0, out);
        CHECK_NEAR(out[1], 2 + i + 9, 1e-5);
    }
    point_at(&run, 2, nextafter(1, 0), out);
    CHECK_NEAR(out[0], 1 + 6, 1e-5);
    point_at(&run, 2, 1, out);
    CHECK_NEAR(out[0], 5 + 6, 1e-5);
    CHECK_NEAR(out[1], 200 + 9, 1e-4);
    assimp_run_fini(&run);
    import_text(&run, TWO, "", "<translate sid=\"p\">100 200 300</translate>");
    assert_int_equal(run.model.clip_count, 1);
    assert_int_equal(run.model.channel_count, 1);
    assimp_run_fini(&run);
}

/* 0.7 - 0.4 + 0.4 is not 0.7. */
TEST(collada_clip_that_starts_late_meets_its_steps)
{
    struct assimp_run run;
    double out[3];
    import_text(&run,
                ANIMATION("a",
                          SOURCE("ai", "float", "3", "0.4 0.7 5") SOURCE("ao", "float", "3", "1 5 9")
                              SOURCE("ak", "Name", "3", "STEP STEP STEP"),
                          INPUT("INPUT", "ai") INPUT("OUTPUT", "ao") INPUT("INTERPOLATION", "ak"), "n1/p.X"),
                "<library_animation_clips><animation_clip id=\"c\" start=\"0.4\"><instance_animation url=\"#a\"/>"
                "</animation_clip><animation_clip id=\"d\" start=\"9\"><instance_animation url=\"#a\"/>"
                "</animation_clip><animation_clip id=\"e\" start=\"3\" end=\"2\"><instance_animation url=\"#a\"/>"
                "</animation_clip></library_animation_clips>",
                "<translate sid=\"p\">1 2 3</translate>");
    CHECK_NEAR(run.model.clips[0].duration_s, 5 - 0.4, 0);
    point_at(&run, 0, 0.7 - 0.4, out);
    CHECK_NEAR(out[0], 5 + 3, 1e-5);
    point_at(&run, 0, nextafter(0.7 - 0.4, 0) - 1e-9, out);
    CHECK_NEAR(out[0], 1 + 3, 1e-5);
    /* after all keys, one pose; without a length, all of the file */
    CHECK_NEAR(run.model.clips[1].duration_s, 0, 0);
    point_at(&run, 1, 0, out);
    CHECK_NEAR(out[0], 9 + 3, 1e-5);
    CHECK_NEAR(run.model.clips[2].duration_s, 5, 0);
    assimp_run_fini(&run);
}

TEST(collada_clip_is_as_long_as_the_file_says)
{
    struct assimp_run run;
    import_text(&run,
                ANIMATION("v", SOURCE("vi", "float", "2", "0 2") SOURCE("vo", "float", "2", "0 1"),
                          INPUT("INPUT", "vi") INPUT("OUTPUT", "vo"), "n1/visibility"),
                "<library_animation_clips><animation_clip id=\"c\" end=\"4\"><instance_animation url=\"#v\"/>"
                "</animation_clip></library_animation_clips>",
                "<translate sid=\"p\">100 200 300</translate>");
    assert_int_equal(run.model.clip_count, 1);
    assert_int_equal(run.model.channel_count, 0);
    CHECK_NEAR(run.model.clips[0].duration_s, 4, 0);
    assimp_run_fini(&run);
}

TEST(collada_says_what_it_leaves_out)
{
    struct assimp_run run;
    import_text(&run,
                ANIMATION("a", SOURCE("ai", "float", "2", "0 2") SOURCE("ao", "float", "2", "10 20"),
                          INPUT("INPUT", "ai") INPUT("OUTPUT", "ao"), "n1/visibility")
                    ANIMATION("b", SOURCE("bi", "float", "2", "2 0") SOURCE("bo", "float", "2", "10 20"),
                              INPUT("INPUT", "bi") INPUT("OUTPUT", "bo"), "n1/p.X")
                        ANIMATION("c",
                                  SOURCE("ci", "float", "2", "0 2") SOURCE("co", "float", "2", "10 20")
                                      SOURCE("ck", "Name", "2", "CARDINAL CARDINAL"),
                                  INPUT("INPUT", "ci") INPUT("OUTPUT", "co") INPUT("INTERPOLATION", "ck"), "n1/p.Y"),
                "", "<translate sid=\"p\">1 2 3</translate>");
    assert_true(assimp_run_warned(&run, "channels_ignored"));
    assert_true(assimp_run_warned(&run, "channel_unreadable"));
    assert_true(assimp_run_warned(&run, "curves_linear"));
    assimp_run_fini(&run);
}

TEST(collada_faults_are_named_with_their_line)
{
    struct assimp_run run;
    assimp_run_init(&run);
    char text[20000];
    snprintf(text, sizeof text, FILE_FORM, "", "", "\n\n<rotate>0 0 1 90 7</rotate>");
    temp_tree_file(&run.tree, "a.dae", text);
    assimp_run_import(&run, "a.dae");
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assert_string_equal(run.err.message, "the <rotate> on line 3 does not have 4 numbers");
    assimp_run_fini(&run);
}

/* --- targets --- */

TEST(collada_targets_name_elements_and_values)
{
    static const char TEXT[] =
        "<C><library_nodes><node id=\"a.b\"><translate sid=\"t\">1</translate><rotate sid=\"r.x\">1</rotate>"
        "<node sid=\"k\"><matrix sid=\"m\"/><scale sid=\"t\"/></node></node></library_nodes>"
        "<library_controllers><controller id=\"c\"><morph><source id=\"w\"><float_array id=\"wa\">1</float_array>"
        "</source></morph></controller></library_controllers></C>";
    static const struct {
        const char *target, *tag;
        int value; /* -2: none */
    } CASES[] = {
        {"a.b/t", "translate", -1},
        {"a.b/t.Y", "translate", 1},
        {"a.b/t(2)", "translate", 2},
        {"a.b/r.x", "rotate", -1},
        {"a.b/r.x.ANGLE", "rotate", 3},
        {"a.b/k/m(3)(1)", "matrix", 7},
        {"a.b/m", "matrix", -1},
        {"a.b/k/t.X", "scale", 0},
        {"w(0)", "source", 0},
        {"wa(3)", "source", 3},
        {"wa", "source", -1},
        {"a.b/t.ANGLE", NULL, -2},
        {"a.b/k/m(4)(0)", NULL, -2},
        {"a.b/k/m.X", NULL, -2},
        {"a.b/t(1)x", NULL, -2},
        {"a.b/t(-1)", NULL, -2},
        {"a.b", NULL, -2},
        {"a.b/k", NULL, -2},
        {"", NULL, -2},
        {"/", NULL, -2},
        {"nobody/t", NULL, -2},
    };
    struct xml xml;
    struct err err;
    assert_int_equal(collada_xml_parse(&xml, (const uint8_t *)TEXT, sizeof TEXT - 1, &err), 0);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct collada_target found;
        const bool is_found = target_find(&xml, CASES[i].target, &found);
        if (is_found != (CASES[i].tag != NULL) ||
            (is_found && (!xml_is(&xml, found.element, CASES[i].tag) || found.value != CASES[i].value)))
            fail_msg("'%s': found %d", CASES[i].target, is_found);
    }
    xml_fini(&xml);
}

/* --- transforms that assimp does not take --- */

static struct dmat4 matrix_of(enum collada_kind kind, const double *values, size_t count)
{
    struct collada_step step = {.kind = kind};
    struct collada_node node = {.step_count = 1};
    const struct collada collada = {.nodes = &node, .steps = &step, .node_count = 1, .step_count = 1};
    struct transform_stack stack;
    memcpy(step.values, values, count * sizeof *values);
    transform_stack_init(&stack, &collada, 0, NULL);
    const struct dmat4 m = transform_stack_matrix(&stack, 0);
    transform_stack_fini(&stack);
    return m;
}

TEST(collada_lookat_and_skew)
{
    /* from (1, 2, 3) along +x, z up: right is -y */
    struct dmat4 m = matrix_of(COLLADA_LOOKAT, (double[]){1, 2, 3, 5, 2, 3, 0, 0, 2}, 9);
    double out[3];
    dmat4_point(&m, (double[]){1, 10, -100}, out);
    CHECK_NEAR(out[0], 1 + 100, 1e-12);
    CHECK_NEAR(out[1], 2 - 1, 1e-12);
    CHECK_NEAR(out[2], 3 + 10, 1e-12);
    /* y leans towards x by 45 degrees */
    m = matrix_of(COLLADA_SKEW, (double[]){45, 0, 2, 0, 1, 0, 0}, 7);
    dmat4_point(&m, (double[]){1, 10, 100}, out);
    CHECK_NEAR(out[0], 11, 1e-12);
    CHECK_NEAR(out[1], 10, 1e-12);
    /* axes 45 degrees apart: (1, 1) leans by 15 degrees, to 30 above x */
    m = matrix_of(COLLADA_SKEW, (double[]){15, 1, 1, 0, 1, 0, 0}, 7);
    dmat4_point(&m, (double[]){1, 1, 5}, out);
    CHECK_NEAR(atan2(out[1], out[0]) * 180 / 3.14159265358979323846, 30, 1e-9);
    CHECK_NEAR(out[2], 5, 1e-12);
    m = matrix_of(COLLADA_SKEW, (double[]){45, 1, 0, 0, 1, 0, 0}, 7); /* no plane: nothing leans */
    CHECK_NEAR(m.m[0], 1, 0);
}
