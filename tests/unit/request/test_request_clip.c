/* server/wire/request/request.h: parts of clips, subtrees, bounds, root motion, clips of other files. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"

#include <stdio.h>
#include <string.h>

TEST(request_parts_of_a_clip)
{
    struct request r = parse_request("/v1/pose?model=a&from=31&to=5e1&fps=29.97&speed=-0.5&phase=0.25");
    assert_true(r.pose.span.has_from && r.pose.span.has_to && r.pose.span.has_fps && r.pose.span.has_speed &&
                r.pose.span.has_phase);
    assert_true(r.pose.span.from == 31 && r.pose.span.to == 50 && r.pose.span.fps == 29.97);
    assert_true(r.pose.span.speed == -0.5 && r.pose.span.phase == 0.25);
    request_fini(&r);
    r = parse_request("/v1/render?model=a&from=-0&speed=0&phase=1");
    assert_true(r.pose.span.has_from && !r.pose.span.has_to && !r.pose.span.has_fps && !signbit(r.pose.span.from));
    request_fini(&r);
    r = parse_request("/v1/mesh?model=a");
    assert_false(r.pose.span.has_from || r.pose.span.has_to || r.pose.span.has_fps || r.pose.span.has_speed ||
                 r.pose.span.has_phase);
    request_fini(&r);
}

static void check_part(const char *query, const char *words)
{
    char target[256];
    struct request request;
    struct err err = {0};
    snprintf(target, sizeof target, "/v1/palette?model=a&%s", query);
    request_init(&request);
    assert_int_equal(parse_request_as(&request, "GET", target, NULL, &err), ERR_BAD_PARAMETER);
    if (strstr(err.message, words) == NULL)
        fail_msg("%s: '%s' should say '%s'", query, err.message, words);
    request_fini(&request);
}

TEST(request_bad_parts_of_a_clip)
{
    check_part("from=2&to=1", "'from' is 2, after 'to', which is 1");
    check_part("from=-1", "from 0");
    check_part("to=inf", "from 0");
    check_part("to=", "from 0");
    check_part("fps=30", "'from' and 'to'");
    check_part("fps=0&to=1", "above 0");
    check_part("fps=-1&to=1", "above 0");
    check_part("speed=fast", "finite");
    check_part("speed=1e999", "finite");
    check_part("phase=1.01", "from 0 to 1");
    check_part("phase=-0.01", "from 0 to 1");
}

TEST(request_subtrees_stand_among_the_joints)
{
    struct request r = parse_request("/v1/pose?model=a&joints=5&subtree=Hips,3&joints=6&subtree=0");
    const enum mask_scope reaches[] = {BLEND_NODE, BLEND_SUBTREE, BLEND_SUBTREE, BLEND_NODE, BLEND_SUBTREE};
    assert_int_equal(r.pose.joint_count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(r.pose.joints[i].scope, reaches[i]);
    assert_string_equal(r.pose.joints[1].name, "Hips");
    assert_int_equal(r.pose.joints[2].index, 3);
    request_fini(&r);
}

TEST(request_bounds)
{
    struct request r = parse_request("/v1/bounds?model=a&over=clip&from=1&to=2&rate=0&per=joint&mesh=body");
    assert_true(r.bounds.is_over_clip && r.bounds.has_rate && r.bounds.rate == 0 && r.bounds.is_per_joint);
    assert_string_equal(r.mesh.name, "body");
    request_fini(&r);
    r = parse_request("/v1/bounds?model=a&t=1,2");
    assert_true(!r.bounds.is_over_clip && !r.bounds.has_rate && !r.bounds.is_per_joint && r.pose.time_count == 2);
    request_fini(&r);
}

TEST(request_bad_bounds)
{
    static const char *const rows[][2] = {{"over=all", "it must be clip"},
                                          {"per=node", "it must be joint"},
                                          {"rate=10", "'rate' needs over=clip"},
                                          {"over=clip&rate=1001", "from 0 to 1000"},
                                          {"over=clip&rate=-1", "from 0 to 1000"},
                                          {"over=clip&t=0", "'t' does not go with over=clip"},
                                          {"over=clip&wrap=loop", "'wrap' does not go"},
                                          {"over=clip&speed=1", "'speed' does not go"},
                                          {"over=clip&phase=0", "'phase' does not go"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char target[128];
        struct request request;
        struct err err = {0};
        snprintf(target, sizeof target, "/v1/bounds?model=a&%s", rows[i][0]);
        request_init(&request);
        assert_int_equal(parse_request_as(&request, "GET", target, NULL, &err), ERR_BAD_PARAMETER);
        if (strstr(err.message, rows[i][1]) == NULL)
            fail_msg("%s: '%s' should say '%s'", rows[i][0], err.message, rows[i][1]);
        request_fini(&request);
    }
}

TEST(request_root_motion)
{
    struct request r = parse_request("/v1/mesh?model=a&root_motion=extract&root=hips&yaw=1");
    assert_true(r.motion.is_extracted && r.motion.has_turn);
    assert_string_equal(r.motion.root.name, "hips");
    assert_true(r.picture.yaw_deg == 0);
    request_fini(&r);
    static const char *const rows[][2] = {{"root=hips", "'root' needs root_motion=extract"},
                                          {"yaw=1", "'yaw' needs root_motion=extract"},
                                          {"root_motion=keep", "it must be extract"},
                                          {"root_motion=extract&yaw=45", "it must be 0 or 1"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char target[128];
        struct err err = {0};
        snprintf(target, sizeof target, "/v1/palette?model=a&%s", rows[i][0]);
        request_init(&r);
        assert_int_equal(parse_request_as(&r, "GET", target, NULL, &err), ERR_BAD_PARAMETER);
        if (strstr(err.message, rows[i][1]) == NULL)
            fail_msg("%s: '%s' should say '%s'", rows[i][0], err.message, rows[i][1]);
        request_fini(&r);
    }
}

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static void check_refused(const char *target, const char *words)
{
    struct request request;
    struct err err = {0};
    request_init(&request);
    assert_int_equal(parse_request_as(&request, "GET", target, NULL, &err), ERR_BAD_PARAMETER);
    if (strstr(err.message, words) == NULL)
        fail_msg("'%s' should say '%s'", err.message, words);
    request_fini(&request);
}

TEST(request_renames_joints)
{
    struct request r =
        parse_request("/v1/sheet?rename_joints=mixamorig:*=*&model=a&clip_file=b&rename_joints=L,%20R=l");
    assert_int_equal(r.retarget.renames.count, 2);
    assert_string_equal(r.retarget.renames.rules[0].text, "mixamorig:*=*");
    assert_string_equal(r.retarget.renames.rules[1].text, "L, R=l"); /* a comma is part of a name */
    request_fini(&r);
    check_refused("/v1/pose?model=a&rename_joints=x=y", "'rename_joints' needs 'clip_file'");
    check_refused("/v1/pose?model=a&clip_file=b&rename_joints=xy",
                  "parameter 'rename_joints': rule 'xy': it has no '='");
    check_refused("/v1/pose?model=a&clip_file=b&rename_joints=a=b&rename_joints=a**=b", "rule 'a**=b'");
}

TEST(request_has_a_limit_of_renames)
{
    struct buf target;
    buf_init(&target, 0);
    buf_put_text(&target, "/v1/pose?model=a&clip_file=b");
    for (int i = 0; i < NAME_RULES_MAX; i++)
        buf_printf(&target, "&rename_joints=%d=x", i);
    buf_put_char(&target, '\0');
    struct request r = parse_request(target.data);
    assert_int_equal(r.retarget.renames.count, NAME_RULES_MAX);
    request_fini(&r);
    target.size_bytes--;
    buf_put_text(&target, "&rename_joints=last=x");
    buf_put_char(&target, '\0');
    check_refused(target.data, "rule 'last=x' is one too many");
    buf_clear(&target);
    buf_put_text(&target, "/v1/pose?model=a&clip_file=b");
    for (int i = 0; i < 17; i++)
        buf_printf(&target, "&rename_joints=%d=%01000d", i, 0);
    buf_put_char(&target, '\0');
    check_refused(target.data, "is one too many; a request takes 256 rules of 16384 bytes in all");
    buf_fini(&target);
}

TEST(request_clip_file_and_its_hash)
{
    struct request r = parse_request("/v1/pose?model=a&clip_file=b");
    assert_int_equal(r.source_count, 1);
    assert_int_equal(r.pose.clip_source, 1);
    assert_string_equal(r.sources[0].path, "b");
    assert_null(r.sources[0].hash);
    assert_false(request_names_content(&r));
    char plain[24];
    memcpy(plain, r.canonical, sizeof plain);
    request_fini(&r);
    r = parse_request("/v1/pose?model=a&clip_file=b&clip_hash=" HASH);
    assert_string_equal(r.sources[0].hash, HASH);
    assert_string_not_equal(r.canonical, plain);
    assert_false(request_names_content(&r)); /* the model may change */
    request_fini(&r);
    r = parse_request("/v1/pose?model=a&clip_file=b&hash=" HASH);
    assert_false(request_names_content(&r)); /* the clip file may */
    request_fini(&r);
    r = parse_request("/v1/pose?model=a&clip_file=b&hash=" HASH "&clip_hash=" HASH);
    assert_true(request_names_content(&r));
    request_fini(&r);
    r = parse_request("/v1/pose?model=a&hash=" HASH);
    assert_int_equal(r.source_count, 0);
    assert_true(request_names_content(&r));
    request_fini(&r);
    r = parse_request("/v1/model?model=a");
    assert_false(request_names_content(&r));
    request_fini(&r);
}

TEST(request_retarget)
{
    static const struct {
        const char *query, *problem;
    } BAD[] = {
        {"retarget=rest", "'retarget' needs 'clip_file'"},
        {"clip_file=b&feet=lock", "'feet' needs retarget=rest"},
        {"clip_file=b&clip_rest=zero", "'clip_rest' needs retarget=rest"},
        {"clip_file=b&retarget=rest&clip_rest=frame:", "frame:N with a whole number"},
        {"clip_file=b&retarget=rest&clip_rest=frame:-1", "frame:N with a whole number"},
        {"clip_file=b&retarget=rest&clip_rest=frame:1234567890", "frame:N with a whole number"},
        {"clip_file=b&retarget=names&bones=hips=a", "'bones' needs retarget=rest"},
        {"clip_file=b&retarget=bind", "names"},
        {"clip_file=b&retarget=rest&map=unity", "rigify"},
        {"clip_file=b&retarget=rest&bones=hips", "it must be ROLE=JOINT"},
        {"clip_file=b&retarget=rest&bones=hips=", "it must be ROLE=JOINT"},
        {"clip_file=b&retarget=rest&clip_bones=hip=a", "'hip' is no bone of a human"},
    };
    struct request r = parse_request("/v1/sheet?model=a&clip_file=b&retarget=rest&feet=lock&map=vrm&clip_map=rigify"
                                     "&bones=HIPS=a%3Db&bones=lefthand=-&clip_bones=spine=c,d");
    assert_true(r.retarget.is_by_rest && r.retarget.has_locked_feet);
    assert_int_equal(r.retarget.humanoid.map, HUMANOID_VRM);
    assert_int_equal(r.retarget.clip_humanoid.map, HUMANOID_RIGIFY);
    assert_int_equal(r.retarget.humanoid.rule_count, 2);
    assert_int_equal(r.retarget.humanoid.rules[0].role, ROLE_HIPS);
    assert_string_equal(r.retarget.humanoid.rules[0].joint, "a=b");
    assert_int_equal(r.retarget.humanoid.rules[1].role, ROLE_LEFT_HAND);
    assert_int_equal(r.retarget.clip_humanoid.rule_count, 1);
    assert_string_equal(r.retarget.clip_humanoid.rules[0].joint, "c,d");
    request_fini(&r);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char target[200];
        snprintf(target, sizeof target, "/v1/pose?model=a&%s", BAD[i].query);
        check_refused(target, BAD[i].problem);
    }
}
