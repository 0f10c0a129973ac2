/* BVH from worked text: names, channels, frames, and what is refused or warned of. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ORIGIN[3] = {0, 0, 0};

static void read_bytes(struct assimp_run *run, const char *bytes, size_t size_bytes)
{
    struct import import = assimp_run_start(run, "a.bvh");
    uint8_t *copy = mem_zalloc(size_bytes + 1, 1);
    memcpy(copy, bytes, size_bytes);
    import.bytes = copy;
    import.size_bytes = size_bytes;
    run->rc = import_bvh(&import, &run->err);
    free(copy);
}

/* The caller ends the run. */
static void read_text(struct assimp_run *run, const char *text)
{
    assimp_run_init(run);
    temp_tree_file(&run->tree, "a.bvh", "");
    read_bytes(run, text, strlen(text));
    if (run->rc == 0)
        assimp_run_finish(run);
}

static void read_good(struct assimp_run *run, const char *text)
{
    read_text(run, text);
    if (run->rc < 0)
        fail_msg("%s", run->err.message);
}

static void check_place(struct assimp_run *run, double time_s, const char *node, double x, double y, double z)
{
    double out[3];
    assimp_run_point(run, 0, time_s, assimp_run_node(run, node), ORIGIN, out);
    CHECK_NEAR(out[0], x, 1e-5);
    CHECK_NEAR(out[1], y, 1e-5);
    CHECK_NEAR(out[2], z, 1e-5);
}

/* Channel order and hierarchy both matter. */
static const char WALK[] = "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\n"
                           "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                           "JOINT knee\n{\nOFFSET 1 2 3\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
                           "End Site\n{\nOFFSET 0 4 0\n}\n}\n}\n"
                           "MOTION\nFrames: 2\nFrame Time: 0.1\n"
                           "10 20 30 0 0 0 0 0 0\n10 20 30 90 0 0 0 90 0\n";

TEST(bvh_joints_follow_their_channels)
{
    struct assimp_run run;
    read_good(&run, WALK);
    assert_int_equal(run.model.clip_count, 1);
    CHECK_NEAR(run.model.clips[0].duration_s, 0.1, 0);
    check_place(&run, 0, "knee", 11, 22, 33);
    /* hip about z by 90: (1, 2, 3) to (-2, 1, 3) */
    check_place(&run, 0.1, "knee", 8, 21, 33);
    /* the end site (0, 4, 0): knee about x to (0, 0, 4), hip leaves z */
    check_place(&run, 0.1, "EndSite_knee", 8, 21, 37);
    assert_int_equal(run.model.warning_count, 0);
    assert_int_equal(run.model.position_count, 0);
    assimp_run_fini(&run);
}

TEST(bvh_first_rotation_channel_is_the_outermost)
{
    struct assimp_run run;
    read_good(&run, "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 2 Zrotation Xrotation End Site { OFFSET 0 1 0 } } MOTION "
                    "Frames: 1 Frame Time: 1 90 90");
    check_place(&run, 0, "EndSite_a", 0, 0, 1); /* x first would take y to -x by z: then (-1, 0, 0) */
    assimp_run_fini(&run);
}

TEST(bvh_names_may_have_blanks)
{
    struct assimp_run run;
    read_good(&run, "HIERARCHY\r\nROOT  The Hips \t\r\n{\r\nOFFSET 0 0 0\r\nCHANNELS 1 Xrotation\r\n"
                    "JOINT Bip01 Spine 1 {\r\nOFFSET 1 0 0\r\nCHANNELS 0\r\nJOINT\r\n{\r\nOFFSET 0 1 0\r\n"
                    "end  site\r\n{\r\nOFFSET 0 0 1 }}}\r\n}\r\nMOTION\r\nFrames: 1\r\nFrame Time: 0.1\r\n90\r\n");
    check_place(&run, 0, "The Hips", 0, 0, 0);
    check_place(&run, 0, "Bip01 Spine 1", 1, 0, 0);
    check_place(&run, 0, "EndSite_", 1, -1, 1);
    assert_int_equal(run.model.nodes[2].name.offset, STR_NONE);
    assimp_run_fini(&run);
}

TEST(bvh_end_sites_have_any_case)
{
    static const char *const WORDS[] = {"End Site", "End site", "END SITE", "end site", "End\nSite"};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        char text[400];
        struct assimp_run run;
        snprintf(text, sizeof text,
                 "hierarchy\nroot a\n{\noffset 0 0 0\nchannels 1 xROTATION\n%s\n{\nOFFSET 0 1 0\n}\n%s\n{\nOFFSET 0 2 "
                 "0\n}\n}\nmotion\nframes: 1\nFRAME TIME : 1\n90\n",
                 WORDS[i], WORDS[i]);
        read_good(&run, text);
        assert_int_equal(run.model.node_count, 3);
        check_place(&run, 0, "EndSite_a", 0, 0, 1);
        assert_int_equal(run.model.nodes[2].name.offset, run.model.nodes[1].name.offset);
        assimp_run_fini(&run);
    }
}

TEST(bvh_has_several_roots)
{
    struct assimp_run run;
    read_good(&run, "HIERARCHY\nROOT a\n{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n}\nROOT b\n{\nOFFSET 0 0 5\nCHANNELS 4 "
                    "Xposition Yposition Zposition Zrotation\nJOINT c\n{\nOFFSET 2 0 0\n}\n}\nMOTION\nFrames: 1\n"
                    "Frame Time: 1\n45 7 8 9 90\n");
    assert_int_equal(run.model.root_count, 2);
    check_place(&run, 0, "a", 1, 0, 0);
    check_place(&run, 0, "c", 7, 10, 9);
    assert_true(assimp_run_warned(&run, "offset_replaced"));
    assimp_run_fini(&run);
}

TEST(bvh_channels_have_any_order_and_number)
{
    struct assimp_run run;
    read_good(&run, "HIERARCHY ROOT a { CHANNELS 1 Zposition OFFSET 1 2 3\n"
                    "JOINT b { OFFSET 0 1 0 CHANNELS 4 Zrotation Yposition Zrotation Xposition\n"
                    "JOINT c { OFFSET 1 0 0 CHANNELS 0 JOINT d { OFFSET 1 0 0 CHANNELS 2 Yrotation Zrotation\n"
                    "End Site { OFFSET 1 0 0 } } } } }\n"
                    "MOTION Frames: 1 Frame Time: 1\n"
                    "30 30 5 60 6 90 0\n");
    check_place(&run, 0, "a", 1, 2, 30);
    check_place(&run, 0, "b", 7, 7, 30); /* the OFFSET's z stays */
    check_place(&run, 0, "c", 7, 8, 30); /* turned by 30 and 60 */
    check_place(&run, 0, "d", 7, 9, 30);
    check_place(&run, 0, "EndSite_d", 7, 9, 29); /* x about y by 90 */
    assimp_run_fini(&run);
}

TEST(bvh_offset_is_warned_of_at_roots_alone)
{
    struct assimp_run run;
    read_good(&run,
              "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xposition JOINT b { OFFSET 1 1 1 CHANNELS 3 Xposition "
              "Yposition Zposition } } ROOT c { OFFSET 1 2 3 CHANNELS 1 Xrotation } MOTION Frames: 1 Frame Time: 1 "
              "4 5 6 7 0");
    assert_false(assimp_run_warned(&run, "offset_replaced"));
    check_place(&run, 0, "b", 9, 6, 7);
    assimp_run_fini(&run);
}

static const char HEAD[] = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 2 Xposition Zrotation }\nMOTION\n";

static void read_motion(struct assimp_run *run, const char *motion)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s", HEAD, motion);
    read_good(run, text);
}

TEST(bvh_without_a_frame_time_has_30_frames_a_second)
{
    static const char *const MOTIONS[] = {
        "Frames: 3\nFrame Time: 0\n1 2\n3 4\n5 6\n",  "Frames: 3\nFrame Time: 0.0\n1 2\n3 4\n5 6\n",
        "Frames: 3\nFrame Time: -1\n1 2\n3 4\n5 6\n", "Frames: 3\nFrame Time:\n1 2\n3 4\n5 6\n",
        "Frames: 3\nFrame Time: \r\n1 2\n3 4\n5 6\n", "Frames: 3\n1 2\n3 4\n5 6\n",
    };
    for (size_t i = 0; i < sizeof MOTIONS / sizeof *MOTIONS; i++) {
        struct assimp_run run;
        read_motion(&run, MOTIONS[i]);
        CHECK_NEAR(run.model.clips[0].duration_s, 2.0 / 30, 1e-15);
        check_place(&run, 1.0 / 30, "a", 3, 0, 0);
        assert_true(assimp_run_warned(&run, "frame_rate_assumed"));
        assert_int_equal(run.model.warning_count, 1);
        assimp_run_fini(&run);
    }
}

TEST(bvh_values_and_labels_go_over_lines)
{
    static const char *const MOTIONS[] = {
        "Frames: 3\nFrame Time: 0.5\n1 2\n3 4\n5 6\n",
        "Frames:3\rFrame Time:0.5\r1 2\r3 4\r5 6",
        "Frames:\n3\nFrame Time:\n0.5\n1\n2 3\n\n4 5 6",
        "FrameTime: 5E-1 Frames: 3 1 2 3 4 +5. 6",
    };
    for (size_t i = 0; i < sizeof MOTIONS / sizeof *MOTIONS; i++) {
        struct assimp_run run;
        read_motion(&run, MOTIONS[i]);
        CHECK_NEAR(run.model.clips[0].duration_s, 1, 0);
        check_place(&run, 0.5, "a", 3, 0, 0);
        check_place(&run, 1, "a", 5, 0, 0);
        assert_int_equal(run.model.warning_count, 0);
        assimp_run_fini(&run);
    }
}

TEST(bvh_frames_are_those_that_the_file_has)
{
    static const struct {
        const char *motion;
        double duration_s;
        uint32_t clips;
        const char *code;
    } ROWS[] = {
        {"Frames: 9\nFrame Time: 1\n1 2 3 4 5 6", 2, 1, "frame_count_differs"},
        {"Frames: 1000000000\nFrame Time: 1\n1 2 3 4 5 6", 2, 1, "frame_count_differs"},
        {"Frames: 1\nFrame Time: 1\n1 2 3 4 5 6", 2, 1, "frame_count_differs"},
        {"Frames: -3\nFrame Time: 1\n1 2 3 4 5 6", 2, 1, "frame_count_differs"},
        {"Frames: 3\nFrame Time: 1\n1 2 3 4 5", 1, 1, "frame_count_differs"},
        {"Frames: 2\nFrame Time: 1\n", 0, 0, "frame_count_differs"},
        {"Frames: 2\nFrame Time: 1\n1 2 3 4\nmade by hand 5", 1, 1, "trailing_bytes"},
        {"Frames: 0\nFrame Time: 1\n", 0, 0, NULL},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        read_motion(&run, ROWS[i].motion);
        assert_int_equal(run.model.clip_count, ROWS[i].clips);
        if (ROWS[i].clips > 0)
            CHECK_NEAR(run.model.clips[0].duration_s, ROWS[i].duration_s, 0);
        assert_int_equal(run.model.warning_count, ROWS[i].code != NULL);
        if (ROWS[i].code != NULL)
            assert_true(assimp_run_warned(&run, ROWS[i].code));
        assimp_run_fini(&run);
    }
}

TEST(bvh_turns_go_the_short_way)
{
    struct assimp_run run;
    read_good(&run, "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Zrotation End Site { OFFSET 1 0 0 } } MOTION Frames: 3 "
                    "Frame Time: 1 170 -170 7200000000000090");
    check_place(&run, 0.5, "EndSite_a", -1, 0, 0);
    check_place(&run, 2, "EndSite_a", 0, 1, 0); /* whole turns do not count */
    assimp_run_fini(&run);
}

TEST(bvh_errors_name_the_line_and_the_place)
{
    static const struct {
        const char *text, *message;
    } ROWS[] = {
        {"HIERARCHY\nJOINT a", "line 2: the hierarchy: ROOT is expected, not 'JOINT'"},
        {"HIERARCHY\nMOTION\n", "line 2: the hierarchy: ROOT is expected, not 'MOTION'"},
        {"HIERARCHY\nROOT a\nOFFSET 0 0 0", "line 3: joint 'a': '{' is expected, not 'OFFSET'"},
        {"HIERARCHY\nROOT a b\n{\nOFFSET 0 x 0", "line 4: joint 'a b': a number of OFFSET is expected, not 'x'"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 nan 0", "line 4: joint 'a': a number of OFFSET is expected, not 'nan'"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 1e39 0", "line 4: joint 'a': a number of OFFSET is expected, not '1e39'"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nOFFSET 1 1 1", "line 5: joint 'a' has an OFFSET already"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 1.5", "line 4: joint 'a': the number of CHANNELS is expected, not '1.5'"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 99999999999", "the number of CHANNELS is expected, not '99999999999'"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 0\nCHANNELS 0", "line 5: joint 'a' has CHANNELS already"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 2 Xrotation }", "a channel such as 'Xrotation' is expected, not '}'"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 1 Xscale", "a channel such as 'Xrotation' is expected, not 'Xscale'"},
        {"HIERARCHY\nROOT a\n{\nEnd effector", "line 4: joint 'a': 'Site' is expected, not 'effector'"},
        {"HIERARCHY\nROOT a\n{\nEnd Site\n{\nOFFSET 1 1", "line 6: the end site of joint 'a': the file ends where a"},
        {"HIERARCHY\nROOT a\n{\nROOT b", "line 4: joint 'a': OFFSET, CHANNELS, JOINT, 'End Site' or '}' is expected"},
        {"HIERARCHY\nROOT a\n{\n}\n", "line 5: the hierarchy: the file ends where ROOT or MOTION is expected"},
        {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrame Time: 1\n", "line 7: the motion: the file ends where 'Frames:'"},
        {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: two\n", "line 6: Frames: a number is expected, not 'two'"},
        {"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 1\nFrame Time: fast", "line 7: Frame Time: a number is expected"},
        {"HIERARCHY ROOT a { CHANNELS 1 Xrotation JOINT b { } JOINT c { CHANNELS 2 Zrotation Yposition } }\nMOTION\n"
         "Frames: 2\nFrame Time: 1\n1 2 3\n4 5 0,5\n",
         "line 6: frame 1, joint 'c', Yposition: a number is expected, not '0,5'"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        read_text(&run, ROWS[i].text);
        assert_int_equal(run.rc, ERR_BAD_MODEL);
        if (strstr(run.err.message, ROWS[i].message) == NULL)
            fail_msg("'%s' is not in '%s'", ROWS[i].message, run.err.message);
        assimp_run_fini(&run);
    }
}

TEST(bvh_keeps_the_limits)
{
    static const enum limit LIMITS[] = {LIMIT_NODES, LIMIT_KEYS};
    static const uint64_t LEAST[] = {3, 2 * 3 + 4 * 4}; /* the keys of a place and two rotations, twice */
    for (int i = 0; i < 2; i++)
        for (uint64_t less = 0; less < 2; less++) {
            struct assimp_run run;
            assimp_run_init(&run);
            temp_tree_file(&run.tree, "a.bvh", "");
            run.limits.value[LIMITS[i]] = LEAST[i] - less;
            read_bytes(&run, WALK, sizeof WALK - 1);
            assert_int_equal(run.rc, less == 0 ? 0 : ERR_MODEL_LIMIT);
            assimp_run_fini(&run);
        }
}

TEST(bvh_depth_needs_no_stack)
{
    enum { DEPTH = 90000 };
    static const char JOINT[] = "JOINT j{";
    struct assimp_run run;
    char *text = mem_alloc(64 + DEPTH * sizeof JOINT);
    char *at = text + sprintf(text, "HIERARCHY ROOT r{");
    for (int i = 0; i < DEPTH; i++)
        at = stpcpy(at, JOINT);
    memset(at, '}', DEPTH + 1);
    strcpy(at + DEPTH + 1, "MOTION Frames: 0");
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.bvh", "");
    read_bytes(&run, text, strlen(text));
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.builder.nodes[DEPTH].parent, DEPTH - 1);
    free(text);
    assimp_run_fini(&run);
}

static int read_once(struct assimp_run *run, const char *bytes, size_t size_bytes)
{
    run->err = (struct err){0};
    read_bytes(run, bytes, size_bytes);
    assimp_run_end_one(run);
    return run->rc;
}

TEST(bvh_every_cut_and_change_has_an_answer)
{
    char copy[sizeof WALK];
    struct assimp_run run;
    const size_t size_bytes = sizeof WALK - 1, first_value = (size_t)(strstr(WALK, "10 20") - WALK);
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.bvh", "");
    for (size_t size = 0; size <= size_bytes; size++) {
        const int rc = read_once(&run, WALK, size);
        if (size >= first_value)
            assert_int_equal(rc, 0); /* there are fewer frames, and that is a warning */
    }
    for (size_t i = 0; i < size_bytes; i++)
        for (int value = 0; value < 256; value++) {
            memcpy(copy, WALK, sizeof copy);
            copy[i] = (char)value;
            read_once(&run, copy, size_bytes);
        }
    assimp_run_fini(&run);
}
