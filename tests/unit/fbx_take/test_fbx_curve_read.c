#include "tests/unit/fbx/fbx_run.h"
#include "tests/unit/support/check.h"

#include "import/fbx_take/fbx_curve_read.h"

#include <stdio.h>
#include <string.h>

/* Reads the records as the only curve of a file; kind: "AnimationCurve", or "Channel" for a list of old files. */
static int read_curve(struct fbx_curve *curve, const char *kind, const char *records, struct err *err)
{
    struct fbx_run run;
    char objects[4096];
    snprintf(objects, sizeof objects, "AnimationCurve: 7, 'AnimCurve::', '' {\n%s%s%s}\n",
             strcmp(kind, "Channel") == 0 ? "Channel: 'X' {\n" : "", records,
             strcmp(kind, "Channel") == 0 ? "}\n" : "");
    fbx_run_nodes(&run, "", objects, "");
    assert_int_equal(run.rc, 0);
    const uint32_t object = fbx_object_of_id(&run.fbx.scene, 7);
    uint32_t record = run.fbx.scene.objects[object].record;
    if (strcmp(kind, "Channel") == 0)
        record = fbx_child(&run.fbx.scene.file, record, "Channel");
    *err = (struct err){0};
    const int rc = fbx_curve_read(curve, &run.fbx.scene, record, err);
    assert_true(rc == 0 || (curve->keys == NULL && err->code == rc && err->message[0] != '\0'));
    fbx_run_fini(&run);
    return rc;
}

#define TIMES(list)  "KeyTime: *9 { a: " list " }\n"
#define VALUES(list) "KeyValueFloat: *9 { a: " list " }\n"
#define FLAGS(list)  "KeyAttrFlags: *9 { a: " list " }\n"
#define DATA(list)   "KeyAttrDataFloat: *9 { a: " list " }\n"
#define RUNS(list)   "KeyAttrRefCount: *9 { a: " list " }\n"

/* 1032 = cubic, user. Slopes 2 to the right and 3 to the left of the next, as the bits of floats. */
TEST(fbx_curve_read_expands_runs)
{
    struct fbx_curve curve;
    struct err err;
    const char *records = TIMES("0,46186158000,92372316000") VALUES("1,2.5,-4") FLAGS("1032,2")
        DATA("1073741824,1077936128,0,0,0,0,0,0") RUNS("2,1");
    assert_int_equal(read_curve(&curve, "AnimationCurve", records, &err), 0);
    assert_int_equal(curve.key_count, 3);
    CHECK_NEAR(curve.keys[1].time / curve.units_per_s, 1, 0);
    CHECK_NEAR(curve.keys[2].value, -4, 0);
    assert_int_equal(curve.keys[1].interpolation, FBX_KEY_CUBIC);
    assert_int_equal(curve.keys[2].interpolation, FBX_KEY_CONSTANT);
    CHECK_NEAR(curve.keys[1].right.slope, 2, 0);
    CHECK_NEAR(curve.keys[2].left.slope, 3, 0);
    fbx_curve_fini(&curve);
}

TEST(fbx_curve_read_sorts_keys)
{
    struct fbx_curve curve;
    struct err err;
    const char *records =
        TIMES("30,10,20") VALUES("3,1,2") FLAGS("4,2,4") DATA("0,0,0,0,0,0,0,0,0,0,0,0") RUNS("1,1,1");
    assert_int_equal(read_curve(&curve, "AnimationCurve", records, &err), 0);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(curve.keys[i].time, 10 * (i + 1), 0);
    CHECK_NEAR(curve.keys[0].value, 1, 0);
    assert_int_equal(curve.keys[0].interpolation, FBX_KEY_CONSTANT);
    fbx_curve_fini(&curve);
}

TEST(fbx_curve_read_knows_extrapolations)
{
    struct fbx_curve curve;
    struct err err;
    assert_int_equal(read_curve(&curve, "AnimationCurve",
                                "Pre-Extrapolation: {\n Type: 'R'\n Repetition: 3\n}\n"
                                "Post-Extrapolation: {\n Type: 'M'\n Repetition: -1\n}\n",
                                &err),
                     0);
    assert_int_equal(curve.key_count, 0);
    assert_int_equal(curve.before.kind, FBX_EXTEND_REPEAT);
    assert_int_equal(curve.before.count, 3);
    assert_int_equal(curve.after.kind, FBX_EXTEND_MIRROR);
    assert_int_equal(curve.after.count, -1);
    fbx_curve_fini(&curve);
    assert_int_equal(read_curve(&curve, "AnimationCurve", "Post-Extrapolation: {\n Type: 'X'\n}\n", &err), 0);
    assert_int_equal(curve.before.kind, FBX_EXTEND_CONSTANT);
    assert_int_equal(curve.after.kind, FBX_EXTEND_CONSTANT);
    fbx_curve_fini(&curve);
}

TEST(fbx_curve_read_refuses_what_does_not_fit)
{
    static const struct {
        const char *records;
        int rc;
        const char *says;
    } ROWS[] = {
        {TIMES("0,1") VALUES("1") FLAGS("4") DATA("0,0,0,0") RUNS("2"), ERR_BAD_MODEL, "2 times and 1 values"},
        {TIMES("0,1") VALUES("1,2") FLAGS("4") DATA("0,0,0,0") RUNS("1"), ERR_BAD_MODEL, "flags for 1 of 2 keys"},
        {TIMES("0,1") VALUES("1,2") FLAGS("4") DATA("0,0,0,0") RUNS("-5"), ERR_BAD_MODEL, "flags for 0 of 2 keys"},
        {TIMES("0,1") VALUES("1,2") FLAGS("4,4") DATA("0,0,0,0") RUNS("1,1"), ERR_BAD_MODEL, "2 flags, 2 runs and 4"},
        {TIMES("0,1") VALUES("1,2") FLAGS("4,4") DATA("0,0,0,0") RUNS("2"), ERR_BAD_MODEL, "2 flags, 1 runs"},
        {TIMES("0,1") VALUES("1,1e999") FLAGS("4") DATA("0,0,0,0") RUNS("2"), ERR_BAD_KEYS, "key 1"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct fbx_curve curve;
        struct err err;
        assert_int_equal(read_curve(&curve, "AnimationCurve", ROWS[i].records, &err), ROWS[i].rc);
        assert_non_null(strstr(err.message, ROWS[i].says));
    }
}

/* --- lists of old files --- */

TEST(fbx_old_curve_has_letters)
{
    struct fbx_curve curve;
    struct err err;
    const char *records = "KeyCount: 7\nKey: 0,1,U,s,2,3,a,0.5,0.25, 10,2,L, 20,4,C,n, 30,5,C,s, 40,6,U,b,7,8,r,0.9, "
                          "50,7,U,p,1,2,n,l,0.75, 60,8,U,t,1,2,3\n";
    assert_int_equal(read_curve(&curve, "Channel", records, &err), 0);
    assert_int_equal(curve.key_count, 7);
    const struct fbx_key *keys = curve.keys;
    CHECK_NEAR(keys[0].right.slope, 2, 0);
    CHECK_NEAR(keys[0].right.weight, 0.5, 0);
    CHECK_NEAR(keys[1].left.slope, 3, 0);
    CHECK_NEAR(keys[1].left.weight, 0.25, 0);
    assert_int_equal(keys[1].interpolation, FBX_KEY_LINEAR);
    CHECK_NEAR(keys[1].right.slope, 0.2 * curve.units_per_s, 1);
    assert_int_equal(keys[2].interpolation, FBX_KEY_CONSTANT_NEXT);
    assert_int_equal(keys[3].interpolation, FBX_KEY_CONSTANT);
    CHECK_NEAR(keys[4].right.weight, 0.9, 0);
    CHECK_NEAR(keys[5].left.slope, 0.1 * curve.units_per_s, 1); /* automatic */
    CHECK_NEAR(keys[5].right.slope, keys[5].left.slope, 0);
    CHECK_NEAR(keys[6].left.weight, 0.75, 0);
    fbx_curve_fini(&curve);
}

/* Automatic keys: the chord between the neighbours, but no further than either of them; flat at the ends. */
TEST(fbx_old_curve_has_automatic_keys)
{
    struct fbx_curve curve;
    struct err err;
    assert_int_equal(
        read_curve(&curve, "Channel", "KeyCount: 3\nKey: 0,0,U,a,n, 46186158000,1,U,a,n, 138558474000,4,U,a,n\n", &err),
        0);
    CHECK_NEAR(curve.keys[0].right.slope, 0, 0);
    CHECK_NEAR(curve.keys[1].left.slope, 4 / 3.0, 1e-12);
    CHECK_NEAR(curve.keys[1].right.slope, 4 / 3.0, 1e-12);
    CHECK_NEAR(curve.keys[2].left.slope, 0, 0);
    fbx_curve_fini(&curve);
    assert_int_equal(read_curve(&curve, "Channel", "Default: 3\n", &err), 0);
    assert_int_equal(curve.key_count, 0);
    fbx_curve_fini(&curve);
}

TEST(fbx_old_curve_sorts_keys)
{
    struct fbx_curve curve;
    struct err err;
    const char *records = "KeyCount: 4\nKey: 30,3,C,s, 10,1,L, 46186158010,4,C,n, 10,2,U,s,5,6,n\n";
    assert_int_equal(read_curve(&curve, "Channel", records, &err), 0);
    static const double VALUES[] = {1, 2, 3, 4};
    for (uint32_t i = 0; i < 4; i++)
        CHECK_NEAR(curve.keys[i].value, VALUES[i], 0);
    CHECK_NEAR(curve.keys[1].time, 10, 0);
    CHECK_NEAR(curve.keys[1].right.slope, 5, 0);
    assert_int_equal(curve.keys[0].interpolation, FBX_KEY_LINEAR);
    assert_int_equal(curve.keys[3].interpolation, FBX_KEY_CONSTANT_NEXT);
    fbx_curve_fini(&curve);
}

/* The letters' lists depend on KeyVer. */
TEST(fbx_old_curve_knows_versions_of_its_letters)
{
    static const struct {
        const char *records;
        bool is_good;
    } ROWS[] = {
        {"KeyVer: 4002\nKeyCount: 2\nKey: 0,1,U,s,2,3,l,0.5, 5,1,C\n", true},
        {"KeyVer: 4003\nKeyCount: 2\nKey: 0,1,U,s,2,3, 5,1,U,b,1,2\n", true},
        {"KeyVer: 4003\nKeyCount: 1\nKey: 0,1,U,s,2,3,n\n", false},
        {"KeyVer: 4004\nKeyCount: 3\nKey: 0,1,U,a, 5,1,C,s, 6,1,U,p,1,2,n\n", true},
        {"KeyVer: 4004\nKeyCount: 1\nKey: 0,1,U,a,n\n", false},
        {"KeyVer: 4005\nKeyCount: 4\nKey: 0,1,U,a,n, 5,1,U,q,1,2,n,n, 6,1,U,d,7,n, 7,1,U,t,1,2,3\n", true},
        {"KeyCount: 1\nKey: 0,1,U,p,1,2,n\n", false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct fbx_curve curve;
        struct err err;
        assert_int_equal(read_curve(&curve, "Channel", ROWS[i].records, &err) == 0, ROWS[i].is_good);
        fbx_curve_fini(&curve);
    }
}

TEST(fbx_old_curve_refuses_what_it_does_not_know)
{
    static const char *const LISTS[] = {
        "0",           "0,1",           "0,1,X",       "0,1,U",       "0,1,U,s,1,n",
        "0,1,U,s,1,2", "0,1,U,s,1,2,z", "0,1,U,q,n",   "0,1,L, 5",    "0,1,L, 5,6,L, 7",
        "0,1,C",       "0,'L',1",       "0,1,U,a,a,1", "0,1e999,L,3", "0,1,L, 1,2,L,",
        "0,1,U,t,1,2", "1e999,1,L,3,3",
    };
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
        char records[200];
        struct fbx_curve curve;
        struct err err;
        snprintf(records, sizeof records, "KeyCount: 1\nKey: %s\n", LISTS[i]);
        assert_true(read_curve(&curve, "Channel", records, &err) < 0);
    }
}
