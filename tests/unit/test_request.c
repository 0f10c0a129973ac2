/* server/wire/request.h: what a target means, and why another one is refused. */
#include "../../server/base/view.h"
#include "check.h"

#include "../../server/wire/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct limits limits;

/* The target lies in a block of its own size, so that reading past it is seen by ASan. */
static int parse_as(struct request *request, const char *method, const char *target, const char *accept,
                    struct err *err)
{
    limits_default(&limits);
    const size_t size = strlen(target);
    char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, target, size);
    const struct request_head head = {
        .method = method, .target = copy, .target_bytes = size, .accept = accept, .if_none_match = "\"e\""};
    const int rc = request_parse(request, &head, &limits, err);
    memset(copy, 'x', size); /* nothing may point into it */
    free(copy);
    return rc;
}

static struct request parse(const char *target)
{
    struct request request;
    struct err err = {0};
    request_init(&request);
    if (parse_as(&request, "GET", target, NULL, &err) != 0)
        fail_msg("%s: %s", target, err.message);
    return request;
}

TEST(request_routes)
{
    static const struct {
        const char *target;
        enum op op;
    } rows[] = {
        {"/", OP_GALLERY},
        {"/?", OP_GALLERY},
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
        {"/v1/formats", OP_FORMATS},
        {"/v1/stats", OP_STATS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request request = parse(rows[i].target);
        assert_int_equal(request.op, rows[i].op);
        request_fini(&request);
    }
    for (int op = 0; op < OP_COUNT; op++)
        assert_int_equal(request_path((enum op)op)[0], '/');
    assert_string_equal(request_path(OP_HEALTHZ), "/healthz");
}

TEST(request_defaults)
{
    struct request r = parse("/v1/palette?model=sub/fox.glb");
    assert_string_equal(r.model, "sub/fox.glb");
    assert_null(r.hash);
    assert_int_equal(r.clip.kind, SELECT_ABSENT);
    assert_int_equal(r.time_count, 1);
    CHECK_NEAR(r.times_s[0], 0, 0);
    assert_int_equal(r.wrap, WRAP_LOOP);
    assert_int_equal(r.skin_count, 0);
    assert_int_equal(r.joint_count, 0);
    assert_int_equal(r.space, SPACE_SCENE);
    assert_int_equal(r.mesh.kind, SELECT_ABSENT);
    assert_int_equal(r.layout, LAYOUT_MAT4);
    assert_int_equal(r.format, FORMAT_JSON);
    assert_string_equal(r.if_none_match, "\"e\"");
    assert_false(r.is_head);
    request_fini(&r);
    r = parse("/v1/pose?model=a");
    assert_int_equal(r.what, WHAT_SCENE);
    request_fini(&r);
    r = parse("/v1/mesh?model=a");
    assert_false(r.has_indices || r.has_normals || r.has_rest);
    request_fini(&r);
    r = parse("/v1/render?model=a");
    assert_int_equal(r.picture.width, 256);
    assert_int_equal(r.picture.height, 256);
    assert_int_equal(r.picture.background[3], 0);
    CHECK_NEAR(r.picture.yaw_deg, 35, 0);
    CHECK_NEAR(r.picture.pitch_deg, 15, 0);
    CHECK_NEAR(r.picture.fov_deg, 30, 0);
    CHECK_NEAR(r.picture.filled, 0.88, 1e-15);
    CHECK_NEAR(r.picture.distance, 1, 0);
    assert_int_equal(r.picture.flags, PICTURE_AUTO_TIME);
    assert_int_equal(r.time_count, 1);
    request_fini(&r);
    r = parse("/v1/models");
    assert_null(r.prefix);
    assert_null(r.after);
    assert_int_equal(r.list_limit, 1000);
    assert_int_equal(r.time_count, 0);
    request_fini(&r);
}

TEST(request_values)
{
    struct request r = parse("/v1/palette?model=a+b%2Bc%C3%A4.glb&clip=Walk&t=1&wrap=mirror&skin=0,body&skin_name=7"
                             "&skin_name=a,b&space=mesh&mesh=3&layout=mat3x4&format=bin&hash="
                             "00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff");
    assert_string_equal(r.model, "a b+c\xc3\xa4.glb");
    assert_string_equal(r.hash, "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    assert_int_equal(r.clip.kind, SELECT_NAME);
    assert_string_equal(r.clip.name, "Walk");
    assert_int_equal(r.clip.name_bytes, 4);
    assert_int_equal(r.wrap, WRAP_MIRROR);
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

    r = parse("/v1/pose?model=a&what=local,scene&joints=Hips,4&joint_name=4&joints=5&wrap=clamp&layout=mat3x4");
    assert_int_equal(r.what, WHAT_LOCAL | WHAT_SCENE);
    assert_int_equal(r.joint_count, 4);
    assert_string_equal(r.joints[0].name, "Hips");
    assert_int_equal(r.joints[1].index, 4);
    assert_string_equal(r.joints[2].name, "4");
    assert_int_equal(r.joints[3].index, 5);
    assert_int_equal(r.wrap, WRAP_CLAMP);
    request_fini(&r);

    r = parse("/v1/mesh?model=a&indices=1&normals=0&rest=1&mesh=body&clip=-");
    assert_true(r.has_indices && r.has_rest);
    assert_false(r.has_normals);
    assert_string_equal(r.mesh.name, "body");
    assert_int_equal(r.clip.kind, SELECT_REST);
    request_fini(&r);

    r = parse("/v1/render?model=a&width=1&height=4096&background=0aF0ff80&yaw=-720.5&pitch=90&clip_name=-");
    assert_int_equal(r.picture.width, 1);
    assert_int_equal(r.picture.height, 4096);
    assert_memory_equal(r.picture.background, "\x0a\xf0\xff\x80", 4);
    CHECK_NEAR(r.picture.yaw_deg, -0.5, 0);
    CHECK_NEAR(r.picture.pitch_deg, 90, 0);
    assert_int_equal(r.clip.kind, SELECT_NAME);
    request_fini(&r);

    r = parse("/v1/models?prefix=a/&limit=3&after=");
    assert_string_equal(r.prefix, "a/");
    assert_string_equal(r.after, "");
    assert_int_equal(r.list_limit, 3);
    request_fini(&r);
}

TEST(request_camera_of_a_picture)
{
    struct request r = parse("/v1/render?model=a&camera=back&yaw=10&pitch=-5&frame=pose&ortho=1&distance=2&margin=0");
    CHECK_NEAR(r.picture.yaw_deg, -170, 1e-12);
    CHECK_NEAR(r.picture.pitch_deg, -5, 0);
    CHECK_NEAR(r.picture.fov_deg, 0, 0);
    CHECK_NEAR(r.picture.distance, 2, 0);
    CHECK_NEAR(r.picture.filled, 1, 0);
    assert_int_equal(r.picture.flags, PICTURE_FRAME_POSE | PICTURE_ORTHO | PICTURE_AUTO_TIME);
    request_fini(&r);
    r = parse("/v1/render?model=a&yaw=-540&t=0&target=1,-2.5,3e2&allow_empty=1&fov=90");
    CHECK_NEAR(r.picture.yaw_deg, 180, 0);
    assert_int_equal(r.picture.target_kind, PICTURE_TARGET_POINT);
    CHECK_NEAR(r.picture.target[2], 300, 0);
    assert_int_equal(r.picture.flags, PICTURE_ALLOW_EMPTY);
    request_fini(&r);
    r = parse("/v1/render?model=a&target=head,left,2&phase=0.5");
    assert_int_equal(r.picture.target_kind, PICTURE_TARGET_NONE);
    assert_string_equal(r.target.name, "head,left,2");
    assert_int_equal(r.picture.flags, 0);
    request_fini(&r);
    r = parse("/v1/render?model=a&camera_name=front");
    assert_string_equal(r.camera.name, "front");
    CHECK_NEAR(r.picture.yaw_deg, 0, 0);
    request_fini(&r);
}

TEST(request_gradient_and_flags_of_a_picture)
{
    struct request r = parse("/v1/render?model=a&background=ff8000,00000080&aa=0&alpha=premultiplied&shadow=1&"
                             "compression=small");
    assert_memory_equal(r.picture.background, "\xff\x80\x00\xff", 4);
    assert_memory_equal(r.picture.background_end, "\0\0\0\x80", 4);
    assert_int_equal(r.picture.flags, PICTURE_ONE_SAMPLE | PICTURE_PREMULTIPLIED | PICTURE_SHADOW | PICTURE_SMALL_FILE |
                                          PICTURE_AUTO_TIME);
    request_fini(&r);
    r = parse("/v1/render?model=a&background=transparent,ff8000&aa=1&alpha=straight&shadow=0&compression=fast&t=0");
    assert_memory_equal(r.picture.background, "\0\0\0\0", 4);
    assert_memory_equal(r.picture.background_end, "\xff\x80\x00\xff", 4);
    assert_int_equal(r.picture.flags, 0);
    request_fini(&r);
}

TEST(request_view_and_its_joint)
{
    struct request plain = parse("/v1/render?model=a"), lit = parse("/v1/render?model=a&view=lit");
    struct request r = parse("/v1/render?model=a&view=weights&joint=3");
    struct request other = parse("/v1/render?model=a&view=weights&joint=4");
    struct request named = parse("/v1/render?model=a&view=skeleton&joint_name=3");
    assert_int_equal(r.picture.view, VIEW_WEIGHTS);
    assert_int_equal(r.joint.kind, SELECT_INDEX);
    assert_int_equal(r.joint.index, 3);
    assert_int_equal(named.joint.kind, SELECT_NAME);
    assert_string_equal(named.joint.name, "3");
    assert_string_equal(plain.canonical, lit.canonical);
    assert_string_not_equal(r.canonical, other.canonical);
    assert_string_not_equal(r.canonical, named.canonical);
    struct request onion = parse("/v1/render?model=a&view=onion&t=0:63:1");
    assert_int_equal(onion.time_count, 64);
    request_fini(&onion);
    request_fini(&plain);
    request_fini(&lit);
    request_fini(&r);
    request_fini(&other);
    request_fini(&named);
}

TEST(request_opaque_background)
{
    struct request r = parse("/v1/render?model=a&background=ff8000");
    assert_memory_equal(r.picture.background, "\xff\x80\x00\xff", 4);
    request_fini(&r);
    r = parse("/v1/render?model=a&background=transparent");
    assert_memory_equal(r.picture.background, "\0\0\0\0", 4);
    request_fini(&r);
}

static void check_times(const char *t, const double *expected, uint32_t count)
{
    char target[256];
    snprintf(target, sizeof target, "/v1/pose?model=a&%s", t);
    struct request r = parse(target);
    assert_int_equal(r.time_count, count);
    for (uint32_t i = 0; i < count; i++)
        CHECK_NEAR(r.times_s[i], expected[i], 0);
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
    struct request r = parse("/v1/pose?model=a&t=0:9999:1");
    assert_int_equal(r.time_count, 10000);
    CHECK_NEAR(r.times_s[9999], 9999, 0);
    request_fini(&r);
    static const char *const too_many[] = {"t=0:10000:1", "t=0:9999:1&t=0",   "t=0:1e300:1e300",
                                           "t=0:1:1e300", "t=-1e308:1e308:1", "t=0:1e18:30"};
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        char target[128];
        snprintf(target, sizeof target, "/v1/pose?model=a&%s", too_many[i]);
        struct err err = {0};
        request_init(&r);
        assert_int_equal(parse_as(&r, "GET", target, NULL, &err), ERR_TOO_MANY_FRAMES);
        assert_non_null(strstr(err.message, "10000"));
        request_fini(&r);
    }
}

static const struct row {
    const char *target;
    int code;
    const char *part; /* of the message */
} REFUSED[] = {
    {"", ERR_NOT_FOUND, "no resource"},
    {"*", ERR_NOT_FOUND, "no resource '*'"},
    {"/v1", ERR_NOT_FOUND, "'/v1'"},
    {"/v1/palettes?model=a", ERR_NOT_FOUND, "did you mean '/v1/palette'?"},
    {"/v1/Pose", ERR_NOT_FOUND, "did you mean '/v1/pose'?"},
    {"/V1/%00", ERR_NOT_FOUND, "/V1/%00"},
    {"//v1/pose", ERR_NOT_FOUND, "did you mean '/v1/pose'?"},

    {"/healthz?x=1", ERR_UNKNOWN_PARAMETER, "/healthz takes none"},
    {"/v1/render?model=a&wdth=3", ERR_UNKNOWN_PARAMETER, "unknown parameter 'wdth'; did you mean 'width'?"},
    {"/v1/pose?model=a&width=3", ERR_UNKNOWN_PARAMETER, "/v1/pose does not take 'width'; it belongs to /v1/render"},
    {"/v1/render?model=a&format=bin", ERR_BAD_PARAMETER, "png or json"},
    {"/v1/models?zzz", ERR_UNKNOWN_PARAMETER, "/v1/models takes prefix, limit, after"},
    {"/v1/pose?model=a&=3", ERR_UNKNOWN_PARAMETER, "unknown parameter ''"},
    {"/v1/pose?model=a&T=3", ERR_UNKNOWN_PARAMETER, "did you mean 't'?"},
    {"/v1/pose?model=a&a%zz=3", ERR_BAD_PARAMETER, "name: bad percent-escape '%zz'"},

    {"/v1/pose?model=a&model=a", ERR_DUPLICATE_PARAMETER, "'model' is given twice"},
    {"/v1/pose?model=a&wrap=loop&wrap=loop", ERR_DUPLICATE_PARAMETER, "'wrap' is given twice"},
    {"/v1/pose?model=a&clip=1&clip_name=a", ERR_DUPLICATE_PARAMETER, "clip_name"},
    {"/v1/pose?model=a&clip_name=a&clip=-", ERR_DUPLICATE_PARAMETER, "clip_name"},

    {"/v1/mesh?model=a&mesh=1&mesh_name=a", ERR_DUPLICATE_PARAMETER, "mesh_name"},
    {"/v1/bounds?model=a&mesh_name=a&mesh=1", ERR_DUPLICATE_PARAMETER, "mesh_name"},
    {"/v1/palette?model=a&mesh_name=1", ERR_BAD_PARAMETER, "needs space=mesh"},
    {"/v1/pose?model=a&format=glb", ERR_BAD_PARAMETER, "it must be json or bin"},
    {"/v1/mesh?model=a&format=gltf", ERR_BAD_PARAMETER, "it must be json, bin or glb"},
    {"/v1/mesh?model=a&format=glb&t=0,1", ERR_BAD_PARAMETER, "'t' names 2 times; a GLB file holds the mesh at one"},
    {"/v1/mesh?model=a&format=glb&rest=1", ERR_BAD_PARAMETER, "'rest' does not go with format=glb"},
    {"/v1/mesh?model=a&textures=1", ERR_BAD_PARAMETER, "'textures' needs format=glb"},
    {"/v1/mesh?model=a&format=glb&textures=2", ERR_BAD_PARAMETER, "'textures' is '2'"},

    {"/v1/pose", ERR_MISSING_PARAMETER, "/v1/pose needs the parameter 'model'"},
    {"/v1/render?width=3", ERR_MISSING_PARAMETER, "'model'"},

    {"/v1/model?model=", ERR_BAD_PATH, "is empty"},
    {"/v1/model?model", ERR_BAD_PATH, "is empty"},
    {"/v1/model?model=/etc/passwd", ERR_BAD_PATH, "absolute"},
    {"/v1/model?model=%2fetc/passwd", ERR_BAD_PATH, "absolute"},
    {"/v1/model?model=../a", ERR_BAD_PATH, "'..'"},
    {"/v1/model?model=a/..", ERR_BAD_PATH, "'..'"},
    {"/v1/model?model=a/%2e%2e/b", ERR_BAD_PATH, "'..'"},
    {"/v1/model?model=./a", ERR_BAD_PATH, "'.'"},
    {"/v1/model?model=a//b", ERR_BAD_PATH, "empty part"},
    {"/v1/model?model=a/", ERR_BAD_PATH, "empty part"},
    {"/v1/model?model=a%00b", ERR_BAD_PATH, "NUL"},
    {"/v1/model?model=a%ffb", ERR_BAD_PATH, "UTF-8"},
    {"/v1/model?model=a%zz", ERR_BAD_PATH, "'%zz'"},

    {"/v1/pose?model=a&hash=12", ERR_BAD_PARAMETER, "64 hex digits"},
    {"/v1/pose?model=a&hash=g0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", ERR_BAD_PARAMETER,
     "64 hex"},
    {"/v1/pose?model=a&clip=", ERR_BAD_PARAMETER, "clip_name= takes an empty name"},
    {"/v1/pose?model=a&clip=4294967296", ERR_BAD_PARAMETER, "clip_name= takes a name of digits"},
    {"/v1/pose?model=a&joints=a,,b", ERR_BAD_PARAMETER, "'joints' has an empty entry"},
    {"/v1/pose?model=a&t=", ERR_BAD_PARAMETER, "'t' has ''"},
    {"/v1/pose?model=a&t=abc", ERR_BAD_PARAMETER, "'t' has 'abc'"},
    {"/v1/pose?model=a&t=nan", ERR_BAD_PARAMETER, "'nan'"},
    {"/v1/pose?model=a&t=inf", ERR_BAD_PARAMETER, "'inf'"},
    {"/v1/pose?model=a&t=1e999", ERR_BAD_PARAMETER, "finite"},
    {"/v1/pose?model=a&t=1,", ERR_BAD_PARAMETER, "'t' has ''"},
    {"/v1/pose?model=a&t=+1", ERR_BAD_PARAMETER, "' 1'"},
    {"/v1/pose?model=a&t=0x10", ERR_BAD_PARAMETER, "'0x10'"},
    {"/v1/pose?model=a&t=0:1", ERR_BAD_PARAMETER, "without fps"},
    {"/v1/pose?model=a&t=0:1:2:3", ERR_BAD_PARAMETER, "'t' has '3'"},
    {"/v1/pose?model=a&t=0::2", ERR_BAD_PARAMETER, "'t' has ''"},
    {"/v1/pose?model=a&t=2:1:30", ERR_BAD_PARAMETER, "ends at 1, before its start at 2"},
    {"/v1/pose?model=a&t=0:1:0", ERR_BAD_PARAMETER, "fps must be above 0"},
    {"/v1/pose?model=a&t=0:1:-5", ERR_BAD_PARAMETER, "fps must be above 0"},
    {"/v1/pose?model=a&t=%zz", ERR_BAD_PARAMETER, "'t': bad percent-escape"},
    {"/v1/pose?model=a&t=%00", ERR_BAD_PARAMETER, "'t': a NUL"},
    {"/v1/pose?model=a&clip=%ff", ERR_BAD_PARAMETER, "'clip': not valid UTF-8"},
    {"/v1/pose?model=a&wrap=Loop", ERR_BAD_PARAMETER, "must be loop, clamp or mirror"},
    {"/v1/pose?model=a&what=local,world", ERR_BAD_PARAMETER, "'world'"},
    {"/v1/pose?model=a&what=", ERR_BAD_PARAMETER, "'what'"},
    {"/v1/pose?model=a&format=xml", ERR_BAD_PARAMETER, "json or bin"},
    {"/v1/palette?model=a&space=world", ERR_BAD_PARAMETER, "scene, root or mesh"},
    {"/v1/palette?model=a&layout=mat3", ERR_BAD_PARAMETER, "mat4, mat3x4 or dualquat"},
    {"/v1/palette?model=a&mesh=1", ERR_BAD_PARAMETER, "needs space=mesh"},
    {"/v1/mesh?model=a&rest=yes", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/mesh?model=a&indices=", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&width=0", ERR_BAD_PARAMETER, "from 1 to 4096"},
    {"/v1/render?model=a&height=4097", ERR_BAD_PARAMETER, "from 1 to 4096"},
    {"/v1/render?model=a&width=-1", ERR_BAD_PARAMETER, "from 1 to 4096"},
    {"/v1/render?model=a&width=99999999999999999999", ERR_BAD_PARAMETER, "from 1 to 4096"},
    {"/v1/render?model=a&view=wire", ERR_BAD_PARAMETER,
     "lit, weights, skeleton, wireframe, normals, depth, joints or onion"},
    {"/v1/render?model=a&view=lit&t=0,1", ERR_BAD_PARAMETER, "names 2 times; a picture shows one"},
    {"/v1/render?model=a&view=onion&t=0:64:1", ERR_TOO_MANY_FRAMES, "names 65 times; view=onion shows 64"},
    {"/v1/render?model=a&view=onion&t=0:16:1&width=1024&height=1024", ERR_BAD_PARAMETER,
     "17 times 1024 x 1024 pixels are more than --max-picture-pixels"},
    {"/v1/render?model=a&view=onion&joint=1", ERR_BAD_PARAMETER, "'joint' needs view=weights or skeleton"},
    {"/v1/render?model=a&view=Lit", ERR_BAD_PARAMETER, "lit, weights"},
    {"/v1/render?model=a&view=lit&view=lit", ERR_DUPLICATE_PARAMETER, "view"},
    {"/v1/render?model=a&joint=1", ERR_BAD_PARAMETER, "'joint' needs view=weights or skeleton"},
    {"/v1/render?model=a&joint_name=1&view=depth", ERR_BAD_PARAMETER, "'joint_name' needs view=weights or skeleton"},
    {"/v1/render?model=a&view=weights&joint=1&joint_name=b", ERR_DUPLICATE_PARAMETER, "give one"},
    {"/v1/render?model=a&view=weights&joint=", ERR_BAD_PARAMETER, "joint_name= takes an empty name"},
    {"/v1/render?model=a&view=normals&shadow=1", ERR_BAD_PARAMETER, "view=normals"},
    {"/v1/render?model=a&background=red", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&background=gg0000", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&background=ffffff,", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&background=ffffff,000000,ffffff", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&aa=4", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&alpha=none", ERR_BAD_PARAMETER, "premultiplied"},
    {"/v1/render?model=a&shadow=soft", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&compression=9", ERR_BAD_PARAMETER, "fast or small"},
    {"/v1/render?model=a&background=%23ff0000", ERR_BAD_PARAMETER, "RRGGBB"},
    {"/v1/render?model=a&yaw=east", ERR_BAD_PARAMETER, "degrees"},
    {"/v1/render?model=a&pitch=90.1", ERR_BAD_PARAMETER, "from -90 to 90"},
    {"/v1/render?model=a&pitch=80&camera=three_quarter", ERR_BAD_PARAMETER, "leads to 95 degrees"},
    {"/v1/render?model=a&camera=", ERR_BAD_PARAMETER, "camera_name= takes an empty name"},
    {"/v1/render?model=a&camera=front&camera=back", ERR_DUPLICATE_PARAMETER, "'camera'"},
    {"/v1/render?model=a&camera=one&camera_name=two", ERR_DUPLICATE_PARAMETER, "both name the camera"},
    {"/v1/render?model=a&camera=one&yaw=1", ERR_BAD_PARAMETER, "'yaw' does not go with a camera of the file"},
    {"/v1/render?model=a&camera_name=one&ortho=1", ERR_BAD_PARAMETER, "'ortho' does not go"},
    {"/v1/render?model=a&frame=all", ERR_BAD_PARAMETER, "clip or pose"},
    {"/v1/render?model=a&margin=0.5", ERR_BAD_PARAMETER, "from 0 to 0.45"},
    {"/v1/render?model=a&fov=0", ERR_BAD_PARAMETER, "from 1 to 150"},
    {"/v1/render?model=a&fov=20&ortho=1", ERR_BAD_PARAMETER, "no perspective"},
    {"/v1/render?model=a&distance=0", ERR_BAD_PARAMETER, "from 0.001 to 1000"},
    {"/v1/render?model=a&target=", ERR_BAD_PARAMETER, "target_name= takes an empty name"},
    {"/v1/render?model=a&target=1&target_name=a", ERR_DUPLICATE_PARAMETER, "both name the target"},
    {"/v1/render?model=a&allow_empty=yes", ERR_BAD_PARAMETER, "0 or 1"},
    {"/v1/render?model=a&t=auto&speed=2", ERR_BAD_PARAMETER, "'speed' does not go with t=auto"},
    {"/v1/render?model=a&t=auto&t=1", ERR_BAD_PARAMETER, "other times beside auto"},
    {"/v1/pose?model=a&t=auto", ERR_BAD_PARAMETER, "no finite number"},
    {"/v1/render?model=a&t=0,1", ERR_BAD_PARAMETER, "names 2 times; a picture shows one"},
    {"/v1/models?limit=0", ERR_BAD_PARAMETER, "from 1 to 1000"},
    {"/v1/models?limit=1001", ERR_BAD_PARAMETER, "from 1 to 1000"},
};

TEST(request_refuses)
{
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        struct request request;
        struct err err = {0};
        request_init(&request);
        const int rc = parse_as(&request, "GET", REFUSED[i].target, NULL, &err);
        if (rc != REFUSED[i].code || err.code != rc)
            fail_msg("%s: %d (%s), expected %s", REFUSED[i].target, rc, err.message, err_name(REFUSED[i].code));
        if (strstr(err.message, REFUSED[i].part) == NULL)
            fail_msg("%s: '%s' is not in '%s'", REFUSED[i].target, REFUSED[i].part, err.message);
        request_fini(&request);
    }
}

TEST(request_methods)
{
    struct request r;
    struct err err;
    request_init(&r);
    assert_int_equal(parse_as(&r, "HEAD", "/v1/pose?model=a", NULL, &err), 0);
    assert_true(r.is_head);
    assert_int_equal(parse_as(&r, "PUT", "/v1/pose?model=a", NULL, &err), ERR_METHOD_NOT_ALLOWED);
    assert_non_null(strstr(err.message, "takes GET, HEAD, POST, not PUT"));
    assert_int_equal(parse_as(&r, "POST", "/v1/model?model=a", NULL, &err), ERR_METHOD_NOT_ALLOWED);
    assert_non_null(strstr(err.message, "takes GET, HEAD, not POST"));
    assert_int_equal(parse_as(&r, "HEAD", "/v1/query", NULL, &err), ERR_METHOD_NOT_ALLOWED);
    assert_non_null(strstr(err.message, "takes POST, not HEAD"));
    assert_int_equal(parse_as(&r, "POST", "/nowhere", NULL, &err), ERR_NOT_FOUND);
    assert_int_equal(parse_as(&r, "HEAD", "/nowhere", NULL, &err), ERR_NOT_FOUND);
    request_fini(&r);
}

TEST(request_format_by_accept)
{
    struct request r;
    struct err err;
    request_init(&r);
    assert_int_equal(parse_as(&r, "GET", "/v1/pose?model=a", "application/vnd.posed.frames", &err), 0);
    assert_int_equal(r.format, FORMAT_BIN);
    assert_int_equal(parse_as(&r, "GET", "/v1/pose?model=a&format=json", "application/vnd.posed.frames", &err), 0);
    assert_int_equal(r.format, FORMAT_JSON);
    assert_int_equal(parse_as(&r, "GET", "/v1/model?model=a", "application/vnd.posed.frames", &err), 0);
    assert_int_equal(r.format, FORMAT_JSON);
    assert_int_equal(parse_as(&r, "GET", "/v1/mesh?model=a&normals=1&textures=0", "model/gltf-binary", &err), 0);
    assert_int_equal(r.format, FORMAT_GLB);
    assert_true(r.has_no_textures);
    assert_int_equal(parse_as(&r, "GET", "/v1/pose?model=a", "model/gltf-binary", &err), 0);
    assert_int_equal(r.format, FORMAT_JSON);
    request_fini(&r);
}

static void canonical_of(const char *target, const char *accept, char out[24])
{
    struct request r;
    struct err err = {0};
    request_init(&r);
    if (parse_as(&r, "GET", target, accept, &err) != 0)
        fail_msg("%s: %s", target, err.message);
    memcpy(out, r.canonical, 24);
    assert_int_equal(strlen(out), 16);
    request_fini(&r);
}

static bool is_same(const char *a, const char *b)
{
    char canonical_a[24], canonical_b[24];
    canonical_of(a, NULL, canonical_a);
    canonical_of(b, NULL, canonical_b);
    return strcmp(canonical_a, canonical_b) == 0;
}

TEST(request_canonical_is_of_the_meaning)
{
    assert_true(is_same("/v1/pose?model=a&t=1&wrap=clamp", "/v1/pose?wrap=clamp&t=1.0&model=%61"));
    assert_true(is_same("/v1/pose?model=a&t=0,0.5,1", "/v1/pose?model=a&t=0:1:2"));
    assert_true(is_same("/v1/pose?model=a", "/v1/pose?model=a&t=0&what=scene&wrap=loop&format=json"));
    assert_true(is_same("/v1/render?model=a", "/v1/render?model=a&camera=three_quarter&t=auto&frame=clip&fov=30"));
    assert_true(
        is_same("/v1/render?model=a&camera=back", "/v1/render?model=a&yaw=-180&distance=1&margin=0.06&ortho=0"));
    assert_true(is_same("/v1/render?model=a&target=1,2,0", "/v1/render?model=a&target=1.0,2e0,-0"));
    assert_false(is_same("/v1/render?model=a&t=0", "/v1/render?model=a"));
    assert_false(is_same("/v1/pose?model=a&t=0,1", "/v1/pose?model=a&t=1,0"));
    assert_false(is_same("/v1/pose?model=a&joints=1,2", "/v1/pose?model=a&joints=2,1"));
    assert_false(is_same("/v1/pose?model=a&joints=1,2", "/v1/pose?model=a&joint_name=1,2"));
    assert_false(is_same("/v1/pose?model=a&clip_name=1", "/v1/pose?model=a&clip=1"));
    assert_false(is_same("/v1/models?prefix=", "/v1/models"));
    char parameter[24], header[24];
    canonical_of("/v1/pose?model=a&format=bin", NULL, parameter);
    canonical_of("/v1/pose?model=a", "application/vnd.posed.frames", header);
    assert_string_equal(parameter, header);
}

/* A value that is not the default, for every parameter: a parameter that the hash forgets is found here. */
TEST(request_canonical_covers_every_parameter)
{
    static const struct {
        const char *name, *target;
    } rows[] = {
        {"model", "/v1/model?model=b"},
        {"hash", "/v1/model?model=a&hash=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"},
        {"clip", "/v1/pose?model=a&clip=1"},
        {"clip_name", "/v1/pose?model=a&clip_name=b"},
        {"clip_file", "/v1/pose?model=a&clip_file=b"},
        {"clip_hash", NULL}, /* means nothing without clip_file: request_sources below */
        {"t", "/v1/pose?model=a&t=1"},
        {"wrap", "/v1/pose?model=a&wrap=clamp"},
        {"from", "/v1/pose?model=a&from=0"},
        {"to", "/v1/pose?model=a&to=0"},
        {"fps", "/v1/pose?model=a&to=0&fps=1"},
        {"speed", "/v1/pose?model=a&speed=0"},
        {"phase", "/v1/pose?model=a&phase=0"},
        {"skin", "/v1/palette?model=a&skin=0"},
        {"skin_name", "/v1/palette?model=a&skin_name=0"},
        {"space", "/v1/palette?model=a&space=root"},
        {"mesh", "/v1/mesh?model=a&mesh=0"},
        {"mesh_name", "/v1/mesh?model=a&mesh_name=0"},
        {"layout", "/v1/palette?model=a&layout=mat3x4"},
        {"format", "/v1/pose?model=a&format=bin"},
        {"what", "/v1/pose?model=a&what=local"},
        {"joints", "/v1/pose?model=a&joints=0"},
        {"joint_name", "/v1/pose?model=a&joint_name=0"},
        {"indices", "/v1/mesh?model=a&indices=1"},
        {"normals", "/v1/mesh?model=a&normals=1"},
        {"rest", "/v1/mesh?model=a&rest=1"},
        {"textures", "/v1/mesh?model=a&format=glb&textures=0"},
        {"over", "/v1/bounds?model=a&over=clip"},
        {"rate", "/v1/bounds?model=a&over=clip&rate=9"},
        {"per", "/v1/bounds?model=a&per=joint"},
        {"width", "/v1/render?model=a&width=9"},
        {"height", "/v1/render?model=a&height=9"},
        {"background", "/v1/render?model=a&background=ffffff"},
        {"view", "/v1/render?model=a&view=depth"},
        {"joint", "/v1/render?model=a&view=weights&joint=0"},
        {"joint_name", "/v1/render?model=a&view=weights&joint_name=0"},
        {"aa", "/v1/render?model=a&aa=0"},
        {"alpha", "/v1/render?model=a&alpha=premultiplied"},
        {"shadow", "/v1/render?model=a&shadow=1"},
        {"compression", "/v1/render?model=a&compression=small"},
        {"camera", "/v1/render?model=a&camera=top"},
        {"camera_name", "/v1/render?model=a&camera_name=a"},
        {"yaw", "/v1/render?model=a&yaw=9"},
        {"pitch", "/v1/render?model=a&pitch=9"},
        {"frame", "/v1/render?model=a&frame=pose"},
        {"margin", "/v1/render?model=a&margin=0"},
        {"fov", "/v1/render?model=a&fov=9"},
        {"ortho", "/v1/render?model=a&ortho=1"},
        {"distance", "/v1/render?model=a&distance=2"},
        {"target", "/v1/render?model=a&target=1"},
        {"target_name", "/v1/render?model=a&target_name=1"},
        {"allow_empty", "/v1/render?model=a&allow_empty=1"},
        {"projection", "/v1/render?model=a&projection=dimetric"},
        {"frames", "/v1/sheet?model=a&frames=9"},
        {"rate", "/v1/sheet?model=a&rate=9"},
        {"clips", "/v1/sheet?model=a&clips=all"},
        {"directions", "/v1/sheet?model=a&directions=9"},
        {"columns", "/v1/sheet?model=a&columns=9"},
        {"gap", "/v1/sheet?model=a&gap=9"},
        {"padding", "/v1/sheet?model=a&padding=9"},
        {"captions", "/v1/sheet?model=a&captions=1"},
        {"format", "/v1/sheet?model=a&format=gif"},
        {"play_rate", "/v1/sheet?model=a&play_rate=9"},
        {"loops", "/v1/sheet?model=a&loops=9"},
        {"root_motion", "/v1/pose?model=a&root_motion=extract"},
        {"root", "/v1/pose?model=a&root_motion=extract&root=1"},
        {"yaw", "/v1/pose?model=a&root_motion=extract&yaw=1"},
        {"root_yaw", "/v1/render?model=a&root_motion=extract&root_yaw=1"},
        {"prefix", "/v1/models?prefix=a"},
        {"limit", "/v1/models?limit=9"},
        {"after", "/v1/models?after=a"},
        /* those without a target are given in bodies: test_request_body.c */
        {"layers", NULL},
        {"weight", NULL},
        {"mode", NULL},
        {"subtree", "/v1/pose?model=a&subtree=0"},
        {"except", NULL},
        {"reference", NULL},
        {"queries", NULL},
    };
    static const char *const names[] = {
#define X(symbol, name, ops, how_often, parse, text) name,
#include "../../server/wire/request_params.def"
#undef X
    };
    assert_int_equal(sizeof rows / sizeof *rows, sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(rows[i].name, names[i]);
        char plain[64];
        if (rows[i].target == NULL)
            continue;
        const size_t path_bytes = strcspn(rows[i].target, "?");
        snprintf(plain, sizeof plain, "%.*s%s", (int)path_bytes, rows[i].target,
                 strstr(rows[i].target, "models") != NULL ? "" : "?model=a");
        if (is_same(plain, rows[i].target))
            fail_msg("'%s' does not change the canonical hash", rows[i].name);
    }
}

/* A query of the greatest length in its densest forms needs no more memory than was set aside. */
TEST(request_dense_queries)
{
    static const char *const units[] = {"&t", "&t=0", ",0", "&t=%30", "&", "%", "&=", "&joints=0"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (size_t size = 0; size < 40; size++) {
            char target[1024] = "/v1/pose?model=a&t=0";
            for (size_t n = 0; n < size; n++)
                strcat(target, units[i]);
            struct request r;
            struct err err = {0};
            request_init(&r);
            const int rc = parse_as(&r, "GET", target, NULL, &err);
            assert_true(rc == 0 || err.message[0] != '\0');
            request_fini(&r);
        }
}

TEST(request_every_one_byte_change_is_an_answer)
{
    static const char text[] = "/v1/palette?model=a%20b&t=0:1:2,3&skin=1,b&clip=-&wrap=loop&format=bin";
    for (size_t at = 0; at < sizeof text - 1; at++)
        for (int value = 1; value < 256; value++) {
            char changed[sizeof text];
            memcpy(changed, text, sizeof text);
            changed[at] = (char)value;
            struct request r;
            struct err err = {0};
            request_init(&r);
            const int rc = parse_as(&r, "GET", changed, NULL, &err);
            assert_true(rc == 0 || (err.code == rc && err.message[0] != '\0'));
            if (rc == 0)
                assert_in_range(r.time_count, 1, 10000);
            request_fini(&r);
        }
}

TEST(request_parts_of_a_clip)
{
    struct request r = parse("/v1/pose?model=a&from=31&to=5e1&fps=29.97&speed=-0.5&phase=0.25");
    assert_true(r.span.has_from && r.span.has_to && r.span.has_fps && r.span.has_speed && r.span.has_phase);
    assert_true(r.span.from == 31 && r.span.to == 50 && r.span.fps == 29.97);
    assert_true(r.span.speed == -0.5 && r.span.phase == 0.25);
    request_fini(&r);
    r = parse("/v1/render?model=a&from=-0&speed=0&phase=1");
    assert_true(r.span.has_from && !r.span.has_to && !r.span.has_fps && !signbit(r.span.from));
    request_fini(&r);
    r = parse("/v1/mesh?model=a");
    assert_false(r.span.has_from || r.span.has_to || r.span.has_fps || r.span.has_speed || r.span.has_phase);
    request_fini(&r);
}

static void check_part(const char *query, const char *words)
{
    char target[256];
    struct request request;
    struct err err = {0};
    snprintf(target, sizeof target, "/v1/palette?model=a&%s", query);
    request_init(&request);
    assert_int_equal(parse_as(&request, "GET", target, NULL, &err), ERR_BAD_PARAMETER);
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
    struct request r = parse("/v1/pose?model=a&joints=5&subtree=Hips,3&joints=6&subtree=0");
    const enum blend_reach reaches[] = {BLEND_NODE, BLEND_SUBTREE, BLEND_SUBTREE, BLEND_NODE, BLEND_SUBTREE};
    assert_int_equal(r.joint_count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(r.joints[i].reach, reaches[i]);
    assert_string_equal(r.joints[1].name, "Hips");
    assert_int_equal(r.joints[2].index, 3);
    request_fini(&r);
}

TEST(request_bounds)
{
    struct request r = parse("/v1/bounds?model=a&over=clip&from=1&to=2&rate=0&per=joint&mesh=body");
    assert_true(r.is_over_clip && r.has_rate && r.rate == 0 && r.is_per_joint);
    assert_string_equal(r.mesh.name, "body");
    request_fini(&r);
    r = parse("/v1/bounds?model=a&t=1,2");
    assert_true(!r.is_over_clip && !r.has_rate && !r.is_per_joint && r.time_count == 2);
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
        assert_int_equal(parse_as(&request, "GET", target, NULL, &err), ERR_BAD_PARAMETER);
        if (strstr(err.message, rows[i][1]) == NULL)
            fail_msg("%s: '%s' should say '%s'", rows[i][0], err.message, rows[i][1]);
        request_fini(&request);
    }
}

TEST(request_root_motion)
{
    struct request r = parse("/v1/mesh?model=a&root_motion=extract&root=hips&yaw=1");
    assert_true(r.has_root_motion && r.has_turn);
    assert_string_equal(r.root.name, "hips");
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
        assert_int_equal(parse_as(&r, "GET", target, NULL, &err), ERR_BAD_PARAMETER);
        if (strstr(err.message, rows[i][1]) == NULL)
            fail_msg("%s: '%s' should say '%s'", rows[i][0], err.message, rows[i][1]);
        request_fini(&r);
    }
}

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

TEST(request_clip_file_and_its_hash)
{
    struct request r = parse("/v1/pose?model=a&clip_file=b");
    assert_int_equal(r.source_count, 1);
    assert_int_equal(r.clip_source, 1);
    assert_string_equal(r.sources[0].path, "b");
    assert_null(r.sources[0].hash);
    assert_false(request_names_content(&r));
    char plain[24];
    memcpy(plain, r.canonical, sizeof plain);
    request_fini(&r);
    r = parse("/v1/pose?model=a&clip_file=b&clip_hash=" HASH);
    assert_string_equal(r.sources[0].hash, HASH);
    assert_string_not_equal(r.canonical, plain);
    assert_false(request_names_content(&r)); /* the model may change */
    request_fini(&r);
    r = parse("/v1/pose?model=a&clip_file=b&hash=" HASH);
    assert_false(request_names_content(&r)); /* the clip file may */
    request_fini(&r);
    r = parse("/v1/pose?model=a&clip_file=b&hash=" HASH "&clip_hash=" HASH);
    assert_true(request_names_content(&r));
    request_fini(&r);
    r = parse("/v1/pose?model=a&hash=" HASH);
    assert_int_equal(r.source_count, 0);
    assert_true(request_names_content(&r));
    request_fini(&r);
    r = parse("/v1/model?model=a");
    assert_false(request_names_content(&r));
    request_fini(&r);
}
