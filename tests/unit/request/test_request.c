/* server/wire/request/request.h: the meaning of a target. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"

#include "base/picture/view.h"
#include "wire/request/request_parser.h"

#include <stdio.h>
#include <string.h>

TEST(request_routes)
{
    static const struct {
        const char *target;
        enum op op;
    } rows[] = {
        {"/", OP_GALLERY},
        {"/?", OP_GALLERY},
        {"/?anything=1&anything=2", OP_GALLERY},
        {"/m/a/b.glb?clip=walk", OP_MODEL_PAGE},
        {"/embed/a.glb", OP_EMBED},
        {"/page/model/model.js", OP_ASSET},
        {"/healthz", OP_HEALTHZ},
        {"/livez", OP_HEALTHZ},
        {"/readyz", OP_READYZ},
        {"/v1/version", OP_VERSION},
        {"/v1/models", OP_MODELS},
        {"/v1/model?model=a", OP_MODEL},
        {"/v1/palette?model=a", OP_PALETTE},
        {"/v1/pose?model=a", OP_POSE},
        {"/v1/mesh?model=a", OP_MESH},
        {"/v1/render?model=a", OP_RENDER},
        {"/v1/sheet?model=a", OP_SHEET},
        {"/v1/turntable?model=a", OP_TURNTABLE},
        {"/v1/bounds?model=a", OP_BOUNDS},
        {"/v1/keys?model=a", OP_KEYS},
        {"/v1/export?model=a", OP_EXPORT},
        {"/v1/compare?model=a&with=b", OP_COMPARE},
        {"/v1/texture?model=a&texture=0", OP_TEXTURE},
        {"/v1/environment", OP_ENVIRONMENT},
        {"/v1/formats", OP_FORMATS},
        {"/v1/stats", OP_STATS},
        {"/metrics", OP_METRICS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request request = parse_request(rows[i].target);
        assert_int_equal(request.op, rows[i].op);
        request_fini(&request);
    }
    for (int op = 0; op < OP_COUNT; op++)
        assert_int_equal(OP_INFO[op].path[0], '/');
    assert_string_equal(OP_INFO[OP_HEALTHZ].path, "/healthz");
}

TEST(request_defaults)
{
    struct request r = parse_request("/v1/palette?model=sub/fox.glb");
    assert_string_equal(r.model, "sub/fox.glb");
    assert_null(r.hash);
    assert_int_equal(r.pose.clip.kind, SELECT_NONE);
    assert_int_equal(r.pose.time_count, 1);
    CHECK_NEAR(r.pose.times_s[0], 0, 0);
    assert_int_equal(r.pose.wrap, WRAP_LOOP);
    assert_int_equal(r.skin_count, 0);
    assert_int_equal(r.pose.joint_count, 0);
    assert_int_equal(r.space, SPACE_SCENE);
    assert_int_equal(r.mesh.kind, SELECT_NONE);
    assert_int_equal(r.layout, LAYOUT_MAT4);
    assert_int_equal(r.format, FORMAT_JSON);
    assert_string_equal(r.if_none_match, "\"e\"");
    assert_false(r.is_head);
    request_fini(&r);
    r = parse_request("/v1/pose?model=a");
    assert_int_equal(r.what, WHAT_SCENE);
    request_fini(&r);
    r = parse_request("/v1/mesh?model=a");
    assert_false(r.vertices.has_indices || r.vertices.has_normals || r.vertices.has_rest);
    request_fini(&r);
    r = parse_request("/v1/render?model=a");
    assert_int_equal(r.picture.width, 256);
    assert_int_equal(r.picture.height, 256);
    assert_int_equal(r.picture.background[3], 0);
    CHECK_NEAR(r.picture.yaw_deg, 35, 0);
    CHECK_NEAR(r.picture.pitch_deg, 15, 0);
    CHECK_NEAR(r.picture.fov_deg, 30, 0);
    CHECK_NEAR(r.picture.filled, 0.88, 1e-15);
    CHECK_NEAR(r.picture.distance, 1, 0);
    assert_int_equal(r.picture.flags, PICTURE_FRAME_POSE | PICTURE_AUTO_TIME);
    assert_int_equal(r.pose.time_count, 1);
    request_fini(&r);
    r = parse_request("/v1/models");
    assert_null(r.listing.prefix);
    assert_null(r.listing.after);
    assert_int_equal(r.listing.limit, 1000);
    assert_int_equal(r.pose.time_count, 0);
    request_fini(&r);
}

TEST(request_values)
{
    struct request r =
        parse_request("/v1/palette?model=a+b%2Bc%C3%A4.glb&clip=Walk&t=1&wrap=mirror&skin=0,body&skin_name=7"
                      "&skin_name=a,b&space=mesh&mesh=3&layout=mat3x4&format=bin&hash="
                      "00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff");
    assert_string_equal(r.model, "a b+c\xc3\xa4.glb");
    assert_string_equal(r.hash, "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    assert_int_equal(r.pose.clip.kind, SELECT_NAME);
    assert_string_equal(r.pose.clip.name, "Walk");
    assert_int_equal(r.pose.clip.name_bytes, 4);
    assert_int_equal(r.pose.wrap, WRAP_MIRROR);
    assert_int_equal(r.skin_count, 4);
    assert_int_equal(r.skins[0].kind, SELECT_INDEX);
    assert_int_equal(r.skins[0].index, 0);
    assert_string_equal(r.skins[1].name, "body");
    assert_int_equal(r.skins[2].kind, SELECT_NAME);
    assert_string_equal(r.skins[2].name, "7");
    assert_string_equal(r.skins[3].name, "a,b");
    assert_int_equal(r.space, SPACE_MESH);
    assert_int_equal(r.mesh.index, 3);
    assert_int_equal(r.layout, LAYOUT_MAT3X4);
    assert_int_equal(r.format, FORMAT_BIN);
    request_fini(&r);

    r = parse_request("/v1/pose?model=a&what=local,scene&joints=Hips,4&joint_name=4&joints=5&wrap=clamp&layout=mat3x4");
    assert_int_equal(r.what, WHAT_LOCAL | WHAT_SCENE);
    assert_int_equal(r.pose.joint_count, 4);
    assert_string_equal(r.pose.joints[0].name, "Hips");
    assert_int_equal(r.pose.joints[1].index, 4);
    assert_string_equal(r.pose.joints[2].name, "4");
    assert_int_equal(r.pose.joints[3].index, 5);
    assert_int_equal(r.pose.wrap, WRAP_CLAMP);
    request_fini(&r);

    r = parse_request("/v1/mesh?model=a&indices=1&normals=0&rest=1&mesh=body&clip=-");
    assert_true(r.vertices.has_indices && r.vertices.has_rest);
    assert_false(r.vertices.has_normals);
    assert_string_equal(r.mesh.name, "body");
    assert_int_equal(r.pose.clip.kind, SELECT_REST);
    request_fini(&r);

    r = parse_request("/v1/render?model=a&width=1&height=4096&background=0aF0ff80&yaw=-720.5&pitch=90&clip_name=-");
    assert_int_equal(r.picture.width, 1);
    assert_int_equal(r.picture.height, 4096);
    assert_memory_equal(r.picture.background, "\x0a\xf0\xff\x80", 4);
    CHECK_NEAR(r.picture.yaw_deg, -0.5, 0);
    CHECK_NEAR(r.picture.pitch_deg, 90, 0);
    assert_int_equal(r.pose.clip.kind, SELECT_NAME);
    request_fini(&r);

    r = parse_request("/v1/models?prefix=a/&limit=3&after=");
    assert_string_equal(r.listing.prefix, "a/");
    assert_string_equal(r.listing.after, "");
    assert_int_equal(r.listing.limit, 3);
    request_fini(&r);
}

TEST(request_camera_of_a_picture)
{
    struct request r =
        parse_request("/v1/render?model=a&camera=back&yaw=10&pitch=-5&frame=pose&ortho=1&distance=2&margin=0");
    CHECK_NEAR(r.picture.yaw_deg, -170, 1e-12);
    CHECK_NEAR(r.picture.pitch_deg, -5, 0);
    CHECK_NEAR(r.picture.fov_deg, 0, 0);
    CHECK_NEAR(r.picture.distance, 2, 0);
    CHECK_NEAR(r.picture.filled, 1, 0);
    assert_int_equal(r.picture.flags, PICTURE_FRAME_POSE | PICTURE_ORTHO | PICTURE_AUTO_TIME);
    request_fini(&r);
    r = parse_request("/v1/render?model=a&yaw=-540&t=0&target=1,-2.5,3e2&allow_empty=1&fov=90");
    CHECK_NEAR(r.picture.yaw_deg, 180, 0);
    assert_int_equal(r.picture.target_kind, PICTURE_TARGET_POINT);
    CHECK_NEAR(r.picture.target[2], 300, 0);
    assert_int_equal(r.picture.flags, PICTURE_ALLOW_EMPTY);
    request_fini(&r);
    r = parse_request("/v1/render?model=a&target=head,left,2&phase=0.5");
    assert_int_equal(r.picture.target_kind, PICTURE_TARGET_NONE);
    assert_string_equal(r.view.target.name, "head,left,2");
    assert_int_equal(r.picture.flags, 0);
    request_fini(&r);
    r = parse_request("/v1/render?model=a&projection=level&camera=three_quarter&yaw=10&ortho=1");
    CHECK_NEAR(r.picture.yaw_deg, 45, 0);
    CHECK_NEAR(r.picture.pitch_deg, 0, 0); /* the projection's, whatever that of the side is */
    assert_int_equal(r.picture.flags, PICTURE_ORTHO | PICTURE_FRAME_POSE | PICTURE_AUTO_TIME);
    request_fini(&r);
    r = parse_request("/v1/sheet?model=a&directions=4&camera=three_quarter&projection=dimetric");
    CHECK_NEAR(r.picture.yaw_deg, 35, 0);
    CHECK_NEAR(r.picture.pitch_deg, 30, 0);
    request_fini(&r);
    r = parse_request("/v1/render?model=a&camera_name=front");
    assert_string_equal(r.view.camera.name, "front");
    CHECK_NEAR(r.picture.yaw_deg, 0, 0);
    request_fini(&r);
}

TEST(request_frames_a_pose_whose_time_the_renderer_picks)
{
    static const struct {
        const char *query;
        bool is_of_pose;
    } ROWS[] = {
        {"/v1/render?model=a", true},
        {"/v1/render?model=a&t=auto", true},
        {"/v1/turntable?model=a", true},
        {"/v1/render?model=a&from=1&root_motion=extract", true},
        {"/v1/render?model=a&frame=clip", false},
        {"/v1/turntable?model=a&frame=clip", false},
        {"/v1/render?model=a&t=0", false},
        {"/v1/render?model=a&t=0&frame=pose", true},
        {"/v1/turntable?model=a&t=0.5", false},
        {"/v1/render?model=a&speed=2", false},
        {"/v1/render?model=a&view=onion", false},
        {"/v1/render?model=a&camera=eye", false},
        {"/v1/render?model=a&frame_box=0,0,0,1,1,1", false},
        {"/v1/sheet?model=a&frames=1", false},
        {"/v1/sheet?model=a&clips=all", false},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct request r = parse_request(ROWS[i].query);
        if (((r.picture.flags & PICTURE_FRAME_POSE) != 0) != ROWS[i].is_of_pose)
            fail_msg("%s", ROWS[i].query);
        request_fini(&r);
    }
}

TEST(request_box_that_a_picture_frames)
{
    static const double EXPECTED[] = {-1, 0, -2.5, 3, 0, 300};
    struct request r = parse_request("/v1/sheet?model=a&frame_box=-1,-0,-2.5,3,0,3e2&margin=0");
    assert_int_equal(r.picture.flags, PICTURE_FRAME_BOX);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(r.picture.frame_box[i], EXPECTED[i], 0);
    request_fini(&r);
    r = parse_request("/v1/render?model=a&frame_box=-1,0&frame_box=-2.5,3,0&frame_box=300&t=0");
    assert_int_equal(r.picture.flags, PICTURE_FRAME_BOX);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(r.picture.frame_box[i], EXPECTED[i], 0);
    request_fini(&r);
}

TEST(request_gradient_and_flags_of_a_picture)
{
    struct request r = parse_request("/v1/render?model=a&background=ff8000,00000080&aa=0&alpha=premultiplied&shadow=1&"
                                     "compression=small");
    assert_memory_equal(r.picture.background, "\xff\x80\x00\xff", 4);
    assert_memory_equal(r.picture.background_end, "\0\0\0\x80", 4);
    assert_int_equal(r.picture.flags, PICTURE_ONE_SAMPLE | PICTURE_PREMULTIPLIED | PICTURE_SHADOW | PICTURE_SMALL_FILE |
                                          PICTURE_FRAME_POSE | PICTURE_AUTO_TIME);
    request_fini(&r);
    r = parse_request(
        "/v1/render?model=a&background=transparent,ff8000&aa=1&alpha=straight&shadow=0&compression=fast&t=0");
    assert_memory_equal(r.picture.background, "\0\0\0\0", 4);
    assert_memory_equal(r.picture.background_end, "\xff\x80\x00\xff", 4);
    assert_int_equal(r.picture.flags, 0);
    request_fini(&r);
}

TEST(request_view_and_its_joint)
{
    struct request plain = parse_request("/v1/render?model=a"), lit = parse_request("/v1/render?model=a&view=lit");
    struct request r = parse_request("/v1/render?model=a&view=weights&joint=3");
    struct request other = parse_request("/v1/render?model=a&view=weights&joint=4");
    struct request named = parse_request("/v1/render?model=a&view=skeleton&joint_name=3");
    assert_int_equal(r.picture.view, VIEW_WEIGHTS);
    assert_int_equal(r.view.joint.kind, SELECT_INDEX);
    assert_int_equal(r.view.joint.index, 3);
    assert_int_equal(named.view.joint.kind, SELECT_NAME);
    assert_string_equal(named.view.joint.name, "3");
    assert_string_equal(plain.canonical, lit.canonical);
    assert_string_not_equal(r.canonical, other.canonical);
    assert_string_not_equal(r.canonical, named.canonical);
    struct request onion = parse_request("/v1/render?model=a&view=onion&t=0:63:1");
    assert_int_equal(onion.pose.time_count, 64);
    request_fini(&onion);
    request_fini(&plain);
    request_fini(&lit);
    request_fini(&r);
    request_fini(&other);
    request_fini(&named);
}

TEST(request_opaque_background)
{
    struct request r = parse_request("/v1/render?model=a&background=ff8000");
    assert_memory_equal(r.picture.background, "\xff\x80\x00\xff", 4);
    request_fini(&r);
    r = parse_request("/v1/render?model=a&background=transparent");
    assert_memory_equal(r.picture.background, "\0\0\0\0", 4);
    request_fini(&r);
}

static void check_times(const char *t, const double *expected, uint32_t count)
{
    char target[256];
    snprintf(target, sizeof target, "/v1/pose?model=a&%s", t);
    struct request r = parse_request(target);
    assert_int_equal(r.pose.time_count, count);
    for (uint32_t i = 0; i < count; i++)
        CHECK_NEAR(r.pose.times_s[i], expected[i], 0);
    request_fini(&r);
}

TEST(request_times)
{
    check_times("t=0.5", (double[]){0.5}, 1);
    check_times("t=-3.25&t=1e2,1,1&t=0", (double[]){-3.25, 100, 1, 1, 0}, 5);
    check_times("t=0:1:4", (double[]){0, 0.25, 0.5, 0.75, 1}, 5);
    check_times("t=0.1:0.4:10", (double[]){0.1, 0.1 + 1 / 10.0, 0.1 + 2 / 10.0, 0.1 + 3 / 10.0}, 4);
    check_times("t=0:0.99:2", (double[]){0, 0.5}, 2);
    check_times("t=0:0.4999999999:2", (double[]){0, 0.5}, 2); /* within 1e-9 of the end */
    check_times("t=0:0.49999999:2", (double[]){0}, 1);
    check_times("t=2:2:30", (double[]){2}, 1);
    check_times("t=5,0:1:1&t=-1:0:2", (double[]){5, 0, 1, -1, -0.5, 0}, 6);
}

TEST(request_times_are_limited)
{
    struct request r = parse_request("/v1/pose?model=a&t=0:9999:1");
    assert_int_equal(r.pose.time_count, 10000);
    CHECK_NEAR(r.pose.times_s[9999], 9999, 0);
    request_fini(&r);
    static const char *const too_many[] = {"t=0:10000:1", "t=0:9999:1&t=0",   "t=0:1e300:1e300",
                                           "t=0:1:1e300", "t=-1e308:1e308:1", "t=0:1e18:30"};
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        char target[128];
        snprintf(target, sizeof target, "/v1/pose?model=a&%s", too_many[i]);
        struct err err = {0};
        request_init(&r);
        assert_int_equal(parse_request_as(&r, "GET", target, NULL, &err), ERR_TOO_MANY_FRAMES);
        assert_non_null(strstr(err.message, "10000"));
        request_fini(&r);
    }
}

TEST(request_format_by_accept)
{
    struct request r;
    struct err err;
    request_init(&r);
    assert_int_equal(parse_request_as(&r, "GET", "/v1/pose?model=a", "application/vnd.posed.frames", &err), 0);
    assert_int_equal(r.format, FORMAT_BIN);
    assert_int_equal(parse_request_as(&r, "GET", "/v1/pose?model=a&format=json", "application/vnd.posed.frames", &err),
                     0);
    assert_int_equal(r.format, FORMAT_JSON);
    assert_int_equal(parse_request_as(&r, "GET", "/v1/model?model=a", "application/vnd.posed.frames", &err), 0);
    assert_int_equal(r.format, FORMAT_JSON);
    assert_int_equal(parse_request_as(&r, "GET", "/v1/mesh?model=a&normals=1&textures=none", "model/gltf-binary", &err),
                     0);
    assert_int_equal(r.format, FORMAT_GLB);
    assert_int_equal(r.textures.form, TEXTURES_NONE);
    assert_int_equal(parse_request_as(&r, "GET", "/v1/pose?model=a", "model/gltf-binary", &err), 0);
    assert_int_equal(r.format, FORMAT_JSON);
    request_fini(&r);
}

/* Every word that the table has is one that the parser takes, also where the parser looks further (camera, clip). */
TEST(request_words_are_taken)
{
    static const char view_words[] = ""
#define X(symbol, word, takes_joint, text) "|" word
#include "protocol/pictures/views.def"
#undef X
        ;
    static const char pass_words[] = ""
#define X(symbol, word, components, type, picture, unit, what) "|" word
#include "protocol/pictures/passes.def"
#undef X
        ;
    static const struct {
        const char *name, *values;
        uint64_t ops;
    } rows[] = {
#define VIEW_WORDS                                           (view_words + 1)
#define PASS_WORDS                                           (pass_words + 1)
#define X(symbol, name, ops, how_often, parse, values, text) {name, values, ops},
#include "wire/request/request_params.def"
#undef X
    };
    size_t taken = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int op = OP_MODELS; op < OP_COUNT; op++)
            for (const char *word = rows[i].values; rows[i].ops & OP_BIT(op) && *word != '\0'; word += *word == '|') {
                const size_t size = strcspn(word, "|");
                char target[256];
                struct request r;
                struct err err = {0};
                snprintf(target, sizeof target, "%s?%s%s=%.*s", OP_INFO[op].path, op == OP_MODELS ? "" : "model=a&",
                         rows[i].name, (int)size, word);
                word += size;
                if (word[-1] >= 'A' && word[-1] <= 'Z')
                    continue;
                request_init(&r);
                if (parse_request_as(&r, "GET", target, NULL, &err) < 0 && strstr(err.message, "must be") != NULL)
                    fail_msg("%s: %s", target, err.message);
                request_fini(&r);
                taken++;
            }
    assert_true(taken > 100);
    struct request r;
    struct err err = {0};
    request_init(&r);
    assert_int_equal(parse_request_as(&r, "GET", "/v1/palette?model=a&wrap=lop", NULL, &err), ERR_BAD_PARAMETER);
    assert_string_equal(err.message, "parameter 'wrap' is 'lop'; it must be loop, clamp or mirror");
    request_fini(&r);
}
