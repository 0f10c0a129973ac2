/* wire/request: the camera by numbers of a body. */
#include "anim/camera/camera_numbers.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A turn of 0.6, 0.8 about y, and a place. */
#define MATRIX "0.6,0,-0.8,0,0,1,0,0,0.8,0,0.6,0,1,-2,3.5,1"
/* The same for the other convention. */
#define TURNED "0.6,0,0.8,0,0,-1,0,0,0.8,0,-0.6,0,1,2,-3.5,1"
#define LENS   "\"fx\":300,\"fy\":200.5,\"cx\":10,\"cy\":-4"
#define PLACE  "\"convention\":\"opengl\",\"camera_from_scene\":[" MATRIX "]"

static int parse_bytes(struct request *request, const char *target, const char *body, size_t size, struct err *err)
{
    struct limits limits;
    limits_default(&limits);
    char *copy = malloc(size == 0 ? 1 : size); /* of its own size, for ASan */
    assert_non_null(copy);
    memcpy(copy, body, size);
    request_init(request);
    const struct request_head head = {.method = "POST",
                                      .target = target,
                                      .target_bytes = strlen(target),
                                      .body = size == 0 ? NULL : copy,
                                      .body_bytes = size};
    const int rc = request_parse(request, &head, &limits, err);
    free(copy);
    return rc;
}

/* camera: the members of the object. */
static int parse_camera(struct request *request, const char *target, const char *camera, struct err *err)
{
    char body[2048];
    snprintf(body, sizeof body, "{\"model\":\"a\",\"camera\":{%s}}", camera);
    return parse_bytes(request, target, body, strlen(body), err);
}

static struct picture_camera take(const char *camera, char canonical[PARSE_CANONICAL_SIZE])
{
    struct request request;
    struct err err = {0};
    if (parse_camera(&request, "/v1/render", camera, &err) != 0)
        fail_msg("%s: %s", camera, err.message);
    const struct picture_camera given = request.picture.given;
    memcpy(canonical, request.canonical, PARSE_CANONICAL_SIZE);
    assert_true(request_has_own_camera(&request));
    assert_int_equal(request.picture.flags & (PICTURE_FRAME_POSE | PICTURE_ORTHO), 0);
    assert_true(request.picture.fov_deg == 0 && request.picture.yaw_deg == 0 && request.picture.distance == 0);
    request_fini(&request);
    return given;
}

TEST(request_camera_is_taken_in_both_conventions)
{
    static const double EXPECTED[16] = {0.6, 0, -0.8, 0, 0, 1, 0, 0, 0.8, 0, 0.6, 0, 1, -2, 3.5, 1};
    static const char *const SAME[] = {
        LENS "," PLACE,
        LENS ",\"convention\":\"opencv\",\"camera_from_scene\":[" TURNED "]",
        "\"camera_from_scene\":{\"opencv\":[" TURNED "]}," LENS ",\"projection\":\"perspective\"",
        LENS ",\"camera_from_scene\":{\"opengl\":[" MATRIX "],\"opencv\":[" TURNED "]},\"view_from_scene\":[" MATRIX
             "],\"clip_from_view\":[]",
    };
    char first[PARSE_CANONICAL_SIZE], other[PARSE_CANONICAL_SIZE];
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
        const struct picture_camera camera = take(SAME[i], i == 0 ? first : other);
        assert_int_equal(camera.kind, PICTURE_CAMERA_PERSPECTIVE);
        assert_memory_equal(camera.view_from_scene, EXPECTED, sizeof EXPECTED);
        assert_true(camera.fx == 300 && camera.fy == 200.5 && camera.cx == 10 && camera.cy == -4);
        assert_true(camera.near == 0 && camera.far == 0);
        if (i > 0)
            assert_string_equal(other, first);
    }
    const struct picture_camera flat =
        take(LENS "," PLACE ",\"projection\":\"orthographic\",\"near\":0.5,\"far\":7", other);
    assert_int_equal(flat.kind, PICTURE_CAMERA_ORTHOGRAPHIC);
    assert_true(flat.near == 0.5 && flat.far == 7);
}

TEST(request_camera_changes_the_hash_with_every_number)
{
    static const char *const OTHERS[] = {
        "\"fx\":300.0000001,\"fy\":200.5,\"cx\":10,\"cy\":-4," PLACE,
        "\"fx\":300,\"fy\":200,\"cx\":10,\"cy\":-4," PLACE,
        "\"fx\":300,\"fy\":200.5,\"cx\":11,\"cy\":-4," PLACE,
        "\"fx\":300,\"fy\":200.5,\"cx\":10,\"cy\":4," PLACE,
        LENS "," PLACE ",\"near\":1",
        LENS "," PLACE ",\"far\":100",
        LENS "," PLACE ",\"projection\":\"orthographic\"",
        LENS ",\"convention\":\"opencv\",\"camera_from_scene\":[" MATRIX "]",
        LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[0.6,0,-0.8,0,0,1,0,0,0.8,0,0.6,0,1,-2,3.5000001,1]",
    };
    enum { COUNT = sizeof OTHERS / sizeof *OTHERS };
    char seen[COUNT + 1][PARSE_CANONICAL_SIZE];
    take(LENS "," PLACE, seen[COUNT]);
    for (size_t i = 0; i < COUNT; i++) {
        take(OTHERS[i], seen[i]);
        assert_string_not_equal(seen[i], seen[COUNT]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(seen[i], seen[k]);
    }
}

static const struct {
    const char *camera;
    int code;
    const char *part;
} REFUSED[] = {
    {"", ERR_MISSING_PARAMETER, "camera: 'fx' is missing"},
    {"\"fx\":1,\"fy\":1,\"cx\":0," PLACE, ERR_MISSING_PARAMETER, "'cy' is missing"},
    {LENS, ERR_MISSING_PARAMETER, "'camera_from_scene' is missing"},
    {LENS ",\"camera_from_scene\":[" MATRIX "]", ERR_MISSING_PARAMETER, "'convention' is missing: opencv"},
    {LENS "," PLACE ",\"fx\":2", ERR_DUPLICATE_PARAMETER, "'fx' is given twice"},
    {LENS "," PLACE ",\"skew\":2", ERR_UNKNOWN_PARAMETER, "'skew' is no member of a camera; it has fx, fy"},
    {"\"fx\":0,\"fy\":1,\"cx\":0,\"cy\":0," PLACE, ERR_BAD_PARAMETER, "'fx' is 0; it must be above 0"},
    {"\"fx\":1,\"fy\":-2,\"cx\":0,\"cy\":0," PLACE, ERR_BAD_PARAMETER, "'fy' is -2"},
    {"\"fx\":1e31,\"fy\":2,\"cx\":0,\"cy\":0," PLACE, ERR_BAD_PARAMETER, "'fx' is 1e+31"},
    {"\"fx\":1e999,\"fy\":2,\"cx\":0,\"cy\":0," PLACE, ERR_BAD_PARAMETER, "'fx' is inf"},
    {"\"fx\":\"1\",\"fy\":2,\"cx\":0,\"cy\":0," PLACE, ERR_BAD_PARAMETER, "'fx' must be a number"},
    {"\"fx\":1,\"fy\":2,\"cx\":2e9,\"cy\":0," PLACE, ERR_BAD_PARAMETER, "'cx' is 2e+09"},
    {"\"fx\":1,\"fy\":2,\"cx\":0,\"cy\":null," PLACE, ERR_BAD_PARAMETER, "'cy' must be a number"},
    {LENS "," PLACE ",\"near\":0", ERR_BAD_PARAMETER, "'near' is 0; it must be above 0"},
    {LENS "," PLACE ",\"far\":-1", ERR_BAD_PARAMETER, "'far' is -1"},
    {LENS "," PLACE ",\"near\":2,\"far\":2", ERR_BAD_PARAMETER, "'near' is 2 and 'far' is 2; near must be below far"},
    {LENS "," PLACE ",\"projection\":\"flat\"", ERR_BAD_PARAMETER, "'projection' must be perspective or orthographic"},
    {LENS ",\"convention\":\"blender\",\"camera_from_scene\":[" MATRIX "]", ERR_BAD_PARAMETER,
     "'convention' must be opencv or opengl"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[1,0,0]", ERR_BAD_PARAMETER, "a list of 16 numbers"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]",
     ERR_BAD_PARAMETER, "column by column, and has rows"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":7", ERR_BAD_PARAMETER, "a list of 16 numbers"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,true,1]", ERR_BAD_PARAMETER,
     "something else than a number at place 14"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,-1e31,1]", ERR_BAD_PARAMETER,
     "has -1e+31 at place 14"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[1,0,0,2,0,1,0,3,0,0,1,4,0,0,0,1]", ERR_BAD_PARAMETER,
     "the last row 2, 3, 4, 1; it must be 0, 0, 0, 1. The numbers go column by column"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[1,0,0,0,0,1,0,0,0,0,1,0,1,2,3,2]", ERR_BAD_PARAMETER,
     "the last row 0, 0, 0, 2"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[2,0,0,0,0,2,0,0,0,0,2,0,1,2,3,1]", ERR_BAD_PARAMETER,
     "scales by 2"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[-1,0,0,0,0,1,0,0,0,0,1,0,1,2,3,1]", ERR_BAD_PARAMETER,
     "mirrors"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[1,0,0,0,0.01,1,0,0,0,0,1,0,1,2,3,1]", ERR_BAD_PARAMETER,
     "no rotation and translation"},
    {LENS ",\"convention\":\"opengl\",\"camera_from_scene\":[0,0,0,0,0,0,0,0,0,0,0,0,1,2,3,1]", ERR_BAD_PARAMETER,
     "no rotation and translation"},
    {LENS ",\"camera_from_scene\":{}", ERR_BAD_PARAMETER, "is an empty object"},
    {LENS ",\"camera_from_scene\":{\"vulkan\":[" MATRIX "]}", ERR_BAD_PARAMETER, "must be opencv or opengl"},
    {LENS ",\"camera_from_scene\":{\"opengl\":[" MATRIX "],\"opengl\":[" MATRIX "]}", ERR_DUPLICATE_PARAMETER,
     "'opengl' twice"},
    {LENS ",\"camera_from_scene\":{\"opengl\":[" MATRIX "],\"opencv\":[" MATRIX "]}", ERR_BAD_PARAMETER,
     "are not the same camera"},
    {LENS ",\"convention\":\"opencv\",\"camera_from_scene\":{\"opencv\":[" MATRIX "]}", ERR_BAD_PARAMETER,
     "'convention' does not go with"},
};

static void expect(int rc, const struct err *err, int code, const char *part, const char *what)
{
    if (rc != code || err->code != rc || strstr(err->message, part) == NULL)
        fail_msg("%s: %d (%s), expected '%s'", what, rc, err->message, part);
}

TEST(request_camera_refusals_name_the_member)
{
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        struct request request;
        struct err err = {0};
        const int rc = parse_camera(&request, "/v1/render", REFUSED[i].camera, &err);
        expect(rc, &err, REFUSED[i].code, REFUSED[i].part, REFUSED[i].camera);
        assert_int_equal(request.picture.given.kind, PICTURE_CAMERA_NONE);
        request_fini(&request);
    }
}

/* Rounded to five decimals a rotation is a rotation; to three it is none. */
TEST(request_camera_takes_rotations_as_people_write_them)
{
    static const char ROUNDED[] = LENS ",\"convention\":\"opencv\",\"camera_from_scene\":[0.81915,-0.14845,0.55403,0,0,"
                                       "0.96593,0.25882,0,-0.57358,-0.21201,0.79124,0,0,0,5,1]";
    static const char COARSE[] =
        LENS ",\"convention\":\"opencv\",\"camera_from_scene\":[0.82,-0.15,0.55,0,0,0.97,0.26,0,"
             "-0.57,-0.21,0.79,0,0,0,5,1]";
    char canonical[PARSE_CANONICAL_SIZE];
    struct request request;
    struct err err = {0};
    take(ROUNDED, canonical);
    const int rc = parse_camera(&request, "/v1/render", COARSE, &err);
    expect(rc, &err, ERR_BAD_PARAMETER, "no rotation", COARSE);
    request_fini(&request);
}

TEST(request_camera_stands_alone)
{
    static const struct {
        const char *target, *part;
    } rows[] = {
        {"/v1/render?yaw=3", "'yaw' does not go with a camera by numbers"},
        {"/v1/render?pitch=3", "'pitch' does not"},
        {"/v1/render?frame=pose", "'frame' does not"},
        {"/v1/render?frame_box=0,0,0,1,1,1", "'frame_box' does not"},
        {"/v1/render?margin=0.1", "'margin' does not"},
        {"/v1/render?fov=40", "'fov' does not"},
        {"/v1/render?ortho=1", "'ortho' does not"},
        {"/v1/render?projection=level", "'projection' does not"},
        {"/v1/render?distance=2", "'distance' does not"},
        {"/v1/render?target=hip", "'target' does not"},
        {"/v1/render?camera_name=shot", "both"},
        {"/v1/sheet?directions=4", "has numbers, which say where it stands: it cannot go round"},
        {"/v1/turntable", "a turntable's does"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request request;
        struct err err = {0};
        const int rc = parse_camera(&request, rows[i].target, LENS "," PLACE, &err);
        expect(rc, &err, strcmp(rows[i].part, "both") == 0 ? ERR_DUPLICATE_PARAMETER : ERR_BAD_PARAMETER, rows[i].part,
               rows[i].target);
        request_fini(&request);
    }
    struct request request;
    struct err err = {0};
    int rc = parse_camera(&request, "/v1/render?camera=front", LENS "," PLACE, &err);
    expect(rc, &err, ERR_DUPLICATE_PARAMETER, "'camera' is given twice", "a side");
    request_fini(&request);
    rc = parse_camera(&request, "/v1/sheet", LENS "," PLACE, &err);
    assert_int_equal(rc, 0);
    request_fini(&request);
    static const char BEFORE[] = "{\"model\":\"a\",\"camera_name\":\"b\",\"camera\":{" LENS "," PLACE "}}";
    static const char BEHIND[] = "{\"model\":\"a\",\"camera\":{" LENS "," PLACE "},\"camera_name\":\"b\"}";
    rc = parse_bytes(&request, "/v1/render", BEFORE, sizeof BEFORE - 1, &err);
    expect(rc, &err, ERR_DUPLICATE_PARAMETER, "both", BEFORE);
    request_fini(&request);
    rc = parse_bytes(&request, "/v1/render", BEHIND, sizeof BEHIND - 1, &err);
    expect(rc, &err, ERR_DUPLICATE_PARAMETER, "both", BEHIND);
    request_fini(&request);
}

/* Cut anywhere, and with any byte changed to any other. */
TEST(request_camera_of_damaged_bytes)
{
    static const char WHOLE[] = "{\"model\":\"a\",\"camera\":{" LENS "," PLACE ",\"near\":0.5,\"far\":1e3}}";
    char body[sizeof WHOLE];
    for (size_t i = 0; i < sizeof WHOLE - 1; i++) {
        struct request request;
        struct err err = {0};
        if (parse_bytes(&request, "/v1/render", WHOLE, i, &err) != ERR_BAD_REQUEST)
            fail_msg("the first %zu bytes: %s", i, err.message);
        request_fini(&request);
        for (int c = 0; c < 256; c++) {
            memcpy(body, WHOLE, sizeof body);
            body[i] = (char)c;
            const int rc = parse_bytes(&request, "/v1/render", body, sizeof WHOLE - 1, &err);
            assert_true(rc == 0 ? camera_numbers_check(&request.picture.given, &err) == 0
                                : rc == err.code && err.message[0] != '\0');
            request_fini(&request);
        }
    }
}
