/* The canonical hash of a request: equal for equivalent requests. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/parse_request.h"

#include <stdio.h>
#include <string.h>

static bool is_same(const char *a, const char *b)
{
    char canonical_a[PARSE_CANONICAL_SIZE], canonical_b[PARSE_CANONICAL_SIZE];
    parse_canonical(a, NULL, canonical_a);
    parse_canonical(b, NULL, canonical_b);
    return strcmp(canonical_a, canonical_b) == 0;
}

TEST(request_canonical_is_of_the_meaning)
{
    assert_true(is_same("/v1/pose?model=a&t=1&wrap=clamp", "/v1/pose?wrap=clamp&t=1.0&model=%61"));
    assert_true(is_same("/v1/pose?model=a&t=0,0.5,1", "/v1/pose?model=a&t=0:1:2"));
    assert_true(is_same("/v1/pose?model=a", "/v1/pose?model=a&t=0&what=scene&wrap=loop&format=json"));
    assert_true(is_same("/v1/render?model=a", "/v1/render?model=a&camera=three_quarter&t=auto&frame=pose&fov=30"));
    assert_true(
        is_same("/v1/render?model=a&camera=back", "/v1/render?model=a&yaw=-180&distance=1&margin=0.06&ortho=0"));
    assert_true(is_same("/v1/render?model=a&projection=level&camera=back", "/v1/render?model=a&yaw=180&ortho=1"));
    assert_true(is_same("/v1/render?model=a&target=1,2,0", "/v1/render?model=a&target=1.0,2e0,-0"));
    assert_false(is_same("/v1/render?model=a&t=0", "/v1/render?model=a"));
    assert_false(is_same("/v1/pose?model=a&t=0,1", "/v1/pose?model=a&t=1,0"));
    assert_false(is_same("/v1/pose?model=a&joints=1,2", "/v1/pose?model=a&joints=2,1"));
    assert_false(is_same("/v1/pose?model=a&joints=1,2", "/v1/pose?model=a&joint_name=1,2"));
    assert_false(is_same("/v1/pose?model=a&clip_name=1", "/v1/pose?model=a&clip=1"));
    assert_false(is_same("/v1/models?prefix=", "/v1/models"));
    char parameter[PARSE_CANONICAL_SIZE], header[PARSE_CANONICAL_SIZE];
    parse_canonical("/v1/pose?model=a&format=bin", NULL, parameter);
    parse_canonical("/v1/pose?model=a", "application/vnd.posed.frames", header);
    assert_string_equal(parameter, header);
}

/* Of every operation that takes a GET, and wherever it stands. */
TEST(request_canonical_has_no_route)
{
    static const char *const TARGETS[] = {"/v1/models?prefix=a",
                                          "/v1/model?model=a",
                                          "/v1/palette?model=a&t=1",
                                          "/v1/pose?model=a",
                                          "/v1/mesh?model=a&format=glb",
                                          "/v1/bounds?model=a",
                                          "/v1/keys?model=a&clip=0",
                                          "/v1/export?model=a",
                                          "/v1/compare?model=a&with=b",
                                          "/v1/render?model=a",
                                          "/v1/sheet?model=a",
                                          "/v1/turntable?model=a",
                                          "/v1/texture?model=a&texture=0",
                                          "/v1/formats?",
                                          "/v1/stats?",
                                          "/v1/version?",
                                          "/v1/stream?",
                                          "/healthz?",
                                          "/livez?",
                                          "/readyz?",
                                          "/v1/environment?environment=a.hdr"};
    char longest[4096 + 64] = "/v1/pose?model=a&route=";
    for (size_t i = 0; i < sizeof TARGETS / sizeof *TARGETS; i++) {
        char behind[256], before[256];
        const char *query = strchr(TARGETS[i], '?') + 1;
        snprintf(behind, sizeof behind, "%s&route=some%%2Fwhere+else", TARGETS[i]);
        snprintf(before, sizeof before, "%.*sroute&%s", (int)(query - TARGETS[i]), TARGETS[i], query);
        assert_true(is_same(TARGETS[i], behind));
        assert_true(is_same(TARGETS[i], before));
    }
    const size_t start = strlen(longest);
    memset(longest + start, 'r', 4095);
    assert_true(is_same("/v1/pose?model=a", longest));
    longest[start + 4095] = 'r';
    struct request request;
    struct err err = {0};
    request_init(&request);
    assert_int_equal(parse_request_as(&request, "GET", longest, NULL, &err), ERR_BAD_PARAMETER);
    assert_non_null(strstr(err.message, "'route' has 4096 bytes"));
    assert_int_equal(parse_request_as(&request, "PUT", "/v1/models/a.glb?route=a", NULL, &err), 0);
    assert_string_equal(request.model, "a.glb");
    assert_int_equal(parse_request_as(&request, "DELETE", "/v1/models/a.glb?route=a", NULL, &err), 0);
    assert_int_equal(parse_request_as(&request, "GET", "/page/model/model.js?route=a", NULL, &err), 0);
    request_fini(&request);
}

/* A value other than the default for every parameter: this finds a parameter that the hash forgets. */
static const struct {
    const char *name, *target;
} OTHERS[] = {
    {"verbose", NULL}, /* is not about a model */
    {"model", "/v1/model?model=b"},
    {"hash", "/v1/model?model=a&hash=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"},
    {"estimate", "/v1/pose?model=a&estimate=1"},
    {"clip", "/v1/pose?model=a&clip=1"},
    {"clip_name", "/v1/pose?model=a&clip_name=b"},
    {"clip_file", "/v1/pose?model=a&clip_file=b"},
    {"clip_hash", NULL},     /* means nothing without clip_file: request_sources below */
    {"rename_joints", NULL}, /* likewise: request_canonical_of_renames */
    {"retarget", NULL},      /* and these: request_canonical_of_retargeting */
    {"feet", NULL},
    {"map", NULL},
    {"clip_map", NULL},
    {"bones", NULL},
    {"clip_bones", NULL},
    {"clip_rest", NULL},
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
    {"format", "/v1/mesh?model=a&format=glb"},
    {"format", "/v1/environment?format=hdr"},
    {"format", "/v1/render?model=a&format=json"},
    {"what", "/v1/pose?model=a&what=local"},
    {"joints", "/v1/pose?model=a&joints=0"},
    {"joints", "/v1/keypoints?model=a&joints=0"},
    {"joint_name", "/v1/pose?model=a&joint_name=0"},
    {"body", "/v1/keypoints?model=a&body=roles"},
    {"path", "/v1/keys?model=a&path=scale"},
    {"indices", "/v1/mesh?model=a&indices=1"},
    {"normals", "/v1/mesh?model=a&normals=1"},
    {"rest", "/v1/mesh?model=a&rest=1"},
    {"weights", "/v1/mesh?model=a&weights=1"},
    {"attributes", "/v1/mesh?model=a&attributes=1"},
    {"textures", "/v1/mesh?model=a&format=glb&textures=none"},
    {"textures", "/v1/texture?model=a&texture=0&textures=webp"},
    {"max_texture", "/v1/mesh?model=a&format=glb&max_texture=512"},
    {"quality", "/v1/mesh?model=a&format=glb&textures=jpeg&quality=50"},
    {"texture", "/v1/texture?model=a&texture=1"},
    {"over", "/v1/bounds?model=a&over=clip"},
    {"rate", "/v1/bounds?model=a&over=clip&rate=9"},
    {"per", "/v1/bounds?model=a&per=joint"},
    {"width", "/v1/render?model=a&width=9"},
    {"height", "/v1/render?model=a&height=9"},
    {"background", "/v1/render?model=a&background=ffffff"},
    {"view", "/v1/render?model=a&view=depth"},
    {"passes", "/v1/render?model=a&passes=depth"},
    {"normal_space", "/v1/render?model=a&passes=normal&normal_space=scene"},
    {"t2", "/v1/render?model=a&passes=motion&t2=1"},
    {"joint", "/v1/render?model=a&view=weights&joint=0"},
    {"joint_name", "/v1/render?model=a&view=weights&joint_name=0"},
    {"turn", "/v1/render?model=a&turn=0:1,2,3"},
    {"morph", "/v1/render?model=a&morph=open:0.5"},
    {"expression", "/v1/render?model=a&expression=happy:0.5"},
    {"look", "/v1/render?model=a&look=10,20"},
    {"variant", "/v1/render?model=a&variant=0"},
    {"variant_name", "/v1/render?model=a&variant_name=0"},
    {"aa", "/v1/render?model=a&aa=0"},
    {"alpha", "/v1/render?model=a&alpha=premultiplied"},
    {"shadow", "/v1/render?model=a&shadow=1"},
    {"light", "/v1/render?model=a&light=flat"},
    {"environment", "/v1/render?model=a&environment=a.hdr"},
    {"environment_yaw", "/v1/render?model=a&environment=a.hdr&environment_yaw=5"},
    {"exposure", "/v1/render?model=a&exposure=-0.5"},
    {"tone", "/v1/render?model=a&tone=aces"},
    {"ao", "/v1/render?model=a&ao=1"},
    {"compression", "/v1/render?model=a&compression=small"},
    {"quality", "/v1/render?model=a&format=jpeg&quality=9"},
    {"camera", "/v1/render?model=a&camera=top"},
    {"camera_name", "/v1/render?model=a&camera_name=a"},
    {"yaw", "/v1/render?model=a&yaw=9"},
    {"pitch", "/v1/render?model=a&pitch=9"},
    {"frame", "/v1/render?model=a&frame=clip"},
    {"frame_box", "/v1/render?model=a&frame_box=0,0,0,1,1,1"},
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
    {"clip_file", "/v1/sheet?model=a&clip_file=b"},
    {"directions", "/v1/sheet?model=a&directions=9"},
    {"columns", "/v1/sheet?model=a&columns=9"},
    {"gap", "/v1/sheet?model=a&gap=9"},
    {"padding", "/v1/sheet?model=a&padding=9"},
    {"first_row", "/v1/sheet?model=a&first_row=1"},
    {"rows", "/v1/sheet?model=a&rows=1"},
    {"captions", "/v1/sheet?model=a&captions=1"},
    {"format", "/v1/sheet?model=a&format=gif"},
    {"play_rate", "/v1/turntable?model=a&play_rate=9"},
    {"loops", "/v1/turntable?model=a&loops=9"},
    {"root_motion", "/v1/pose?model=a&root_motion=extract"},
    {"root", "/v1/pose?model=a&root_motion=extract&root=1"},
    {"yaw", "/v1/pose?model=a&root_motion=extract&yaw=1"},
    {"root_yaw", "/v1/render?model=a&root_motion=extract&root_yaw=1"},
    {"with", "/v1/compare?model=a&with=b"},
    {"tolerance", "/v1/compare?model=a&with=a&tolerance=0.5"},
    {"angles", "/v1/flex?model=a&angles=45"},
    {"prefix", "/v1/models?prefix=a"},
    {"limit", "/v1/models?limit=9"},
    {"after", "/v1/models?after=a"},
    {"folders", "/v1/models?folders=1"},
    /* those without a target are given in bodies: test_request_body.c */
    {"layers", NULL},
    {"weight", NULL},
    {"pose", NULL},
    {"mode", NULL},
    {"subtree", "/v1/pose?model=a&subtree=0"},
    {"except", NULL},
    {"reference", NULL},
    {"format", NULL}, /* there is one */
    {"clips", "/v1/export?model=a&clips=0"},
    {"clip_name", "/v1/export?model=a&clip_name=0"},
    {"clip_file", "/v1/export?model=a&clip_file=b"},
    {"clip_names", NULL}, /* nor do these two: request_canonical_of_renames */
    {"strict", NULL},
    {"up", "/v1/export?model=a&up=x"},
    {"unit", "/v1/export?model=a&unit=m"},
    {"root_motion", "/v1/export?model=a&root_motion=to-root"},
    {"fps", "/v1/export?model=a&fps=9"},
    {"exact", "/v1/export?model=a&exact=1"},
    {"compress", "/v1/export?model=a&compress=meshopt"},
    {"optimize", "/v1/export?model=a&compress=none&optimize=1"},
    {"loop", "/v1/check?model=a&loop=yes"},
    {"ground", "/v1/check?model=a&ground=in_place"},
    {"max_jump", "/v1/check?model=a&max_jump=0.5"},
    {"max_drift", "/v1/check?model=a&max_drift=0.5"},
    {"least_motion", "/v1/check?model=a&least_motion=0.5"},
    {"queries", NULL},
    {"fit", "/v1/hitboxes?model=a&fit=box"},
    {"test", NULL}, /* this and what follows come in a body, whose answers have no ETag */
    {"hits", NULL},
    {"entities", NULL},
    {"rays", NULL},
    {"points", NULL}, /* tests/api/passes/test_keypoints.py */
};

TEST(request_canonical_of_renames)
{
    assert_false(is_same("/v1/pose?model=a&clip_file=b&rename_joints=x:*=*", "/v1/pose?model=a&clip_file=b"));
    assert_false(is_same("/v1/pose?model=a&clip_file=b&rename_joints=x:*=*",
                         "/v1/pose?model=a&clip_file=b&rename_joints=y:*=*"));
    assert_false(is_same("/v1/pose?model=a&clip_file=b&rename_joints=x=a&rename_joints=x=b",
                         "/v1/pose?model=a&clip_file=b&rename_joints=x=b&rename_joints=x=a"));
    assert_false(is_same("/v1/export?model=a&clip_file=b&clip_file=c", "/v1/export?model=a&clip_file=c&clip_file=b"));
    assert_false(is_same("/v1/sheet?model=a&clips=all&clip_file=b&clip_file=c",
                         "/v1/sheet?model=a&clips=all&clip_file=c&clip_file=b"));
    assert_false(
        is_same("/v1/sheet?model=a&clips=all&clip_file=b&clip_file=c", "/v1/sheet?model=a&clips=all&clip_file=b"));
    assert_true(
        is_same("/v1/sheet?model=a&clips=all&clip_file=b&clip_file=b", "/v1/sheet?model=a&clips=all&clip_file=b"));
    assert_false(is_same("/v1/export?model=a&clip_file=b&strict=1", "/v1/export?model=a&clip_file=b"));
    assert_false(is_same("/v1/export?model=a&clip_file=b&clip_names={file}", "/v1/export?model=a&clip_file=b"));
    assert_true(is_same("/v1/pose?model=a&clip_file=b&rename_joints=x:*=*",
                        "/v1/pose?rename_joints=x%3A%2A%3D%2A&clip_file=b&model=a"));
}

/* Appends a digit to a target that ends with a number. Returns false if the longer number is not allowed. */
static bool is_same_with_another_digit(const char *target)
{
    char longer[256], canonical[PARSE_CANONICAL_SIZE];
    struct request request;
    struct err err;
    const char last = target[strlen(target) - 1];
    if (last < '0' || last > '9')
        return false;
    snprintf(longer, sizeof longer, "%s3", target);
    parse_canonical(target, NULL, canonical);
    request_init(&request);
    const bool is_same =
        parse_request_as(&request, "GET", longer, NULL, &err) == 0 && strcmp(request.canonical, canonical) == 0;
    request_fini(&request);
    return is_same;
}

TEST(request_canonical_covers_every_parameter)
{
    static const char *const names[] = {
#define X(symbol, name, ops, how_often, parse, values, text) name,
#include "wire/request/request_params.def"
#undef X
    };
    enum { OTHER_COUNT = sizeof OTHERS / sizeof *OTHERS, NAME_COUNT = sizeof names / sizeof *names };
    for (size_t i = 0; i < OTHER_COUNT || i < NAME_COUNT; i++) {
        const char *name = i < NAME_COUNT ? names[i] : "none", *other = i < OTHER_COUNT ? OTHERS[i].name : "none";
        if (strcmp(name, other) != 0)
            fail_msg("row %zu of OTHERS is '%s', but request_params.def has '%s' there", i, other, name);
        char plain[64];
        if (OTHERS[i].target == NULL)
            continue;
        const size_t path_bytes = strcspn(OTHERS[i].target, "?");
        snprintf(plain, sizeof plain, "%.*s%s", (int)path_bytes, OTHERS[i].target,
                 strstr(OTHERS[i].target, "models") != NULL || strstr(OTHERS[i].target, "v1/environment") != NULL ? ""
                 : strstr(OTHERS[i].target, "compare") != NULL     ? "?model=a&with=a"
                 : strstr(OTHERS[i].target, "/v1/texture") != NULL ? "?model=a&texture=0"
                                                                   : "?model=a");
        if (is_same(plain, OTHERS[i].target))
            fail_msg("'%s' does not change the canonical hash", OTHERS[i].name);
        if (is_same_with_another_digit(OTHERS[i].target))
            fail_msg("the value of '%s' does not change the canonical hash", OTHERS[i].name);
    }
}

/* The manifest of a sheet repeats the target, so another order of the same parameters makes another answer. */
TEST(request_canonical_of_manifests)
{
    assert_false(is_same("/v1/sheet?model=a&frames=2&format=json", "/v1/sheet?frames=2&model=a&format=json"));
    assert_true(is_same("/v1/sheet?model=a&frames=2", "/v1/sheet?frames=2&model=a"));
    assert_true(is_same("/v1/sheet?model=a&format=json", "/v1/sheet?model=a&format=json&route=b"));
    assert_true(is_same("/v1/sheet?model=a&format=json", "/v1/sheet?route&model=a&format=json"));
    assert_false(is_same("/v1/sheet?model=a&format=json&frames=2", "/v1/sheet?model=a&format=json&frames=3"));
}

TEST(request_canonical_of_retargeting)
{
    static const char *const OTHER[] = {"",
                                        "&retarget=rest",
                                        "&retarget=rest&feet=lock",
                                        "&retarget=rest&map=mixamo",
                                        "&retarget=rest&clip_map=mixamo",
                                        "&retarget=rest&bones=hips=a",
                                        "&retarget=rest&bones=spine=a",
                                        "&retarget=rest&bones=hips=b",
                                        "&retarget=rest&clip_bones=hips=a",
                                        "&retarget=rest&clip_rest=zero",
                                        "&retarget=rest&clip_rest=frame:0",
                                        "&retarget=rest&clip_rest=frame:1"};
    enum { COUNT = sizeof OTHER / sizeof *OTHER };
    static const char *const PATHS[] = {"pose", "export", "sheet"};
    char one[200], other[200];
    for (size_t p = 0; p < sizeof PATHS / sizeof *PATHS; p++)
        for (size_t i = 0; i < COUNT; i++)
            for (size_t k = 0; k < i; k++) {
                snprintf(one, sizeof one, "/v1/%s?model=a&clip_file=b%s", PATHS[p], OTHER[i]);
                snprintf(other, sizeof other, "/v1/%s?model=a&clip_file=b%s", PATHS[p], OTHER[k]);
                assert_false(is_same(one, other));
            }
    assert_true(is_same("/v1/pose?model=a&clip_file=b&retarget=names", "/v1/pose?model=a&clip_file=b"));
    assert_true(is_same("/v1/pose?model=a&clip_file=b&retarget=rest&feet=free&map=auto&clip_rest=auto",
                        "/v1/pose?model=a&clip_file=b&retarget=rest"));
}
