/* FBX helper nodes: scenes made by hand, as assimp's FBX importer lays them out. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include "import/assimp/assimp.h"

#include <math.h>
#include <string.h>

enum { NODES_MAX = 8 };

struct hand_made {
    struct aiNode nodes[NODES_MAX];
    struct aiNode *children[NODES_MAX];
    struct aiNodeAnim channel;
    struct aiNodeAnim *channels[1];
    struct aiAnimation animation;
    struct aiAnimation *animations[1];
    struct aiVectorKey positions[1], scales[1];
    struct aiQuatKey rotations[2];
    struct aiScene scene;
};

static void set_name(struct aiString *string, const char *name)
{
    string->length = (ai_uint32)strlen(name);
    memcpy(string->data, name, string->length + 1);
}

static const struct aiMatrix4x4 IDENTITY = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static struct aiMatrix4x4 moved(float x, float y, float z)
{
    struct aiMatrix4x4 m = IDENTITY;
    m.a4 = x;
    m.b4 = y;
    m.c4 = z;
    return m;
}

/* A quarter turn about x: y to z. */
static struct aiMatrix4x4 turned_x(void)
{
    return (struct aiMatrix4x4){1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1};
}

/* Each node is the only child of the one before. */
static void put_node(struct hand_made *h, int i, const char *name, struct aiMatrix4x4 transform)
{
    set_name(&h->nodes[i].mName, name);
    h->nodes[i].mTransformation = transform;
    h->children[i] = &h->nodes[i];
    if (i == 0)
        return;
    h->nodes[i].mParent = &h->nodes[i - 1];
    h->nodes[i - 1].mNumChildren = 1;
    h->nodes[i - 1].mChildren = &h->children[i];
}

/* A clip of one second that turns `node` from nothing by a quarter about z. */
static void put_quarter_turn(struct hand_made *h, const char *node)
{
    const float half = sqrtf(0.5f);
    set_name(&h->channel.mNodeName, node);
    h->rotations[0] = (struct aiQuatKey){.mTime = 0, .mValue = {.w = 1, .x = 0, .y = 0, .z = 0}};
    h->rotations[1] = (struct aiQuatKey){.mTime = 30, .mValue = {.w = half, .x = 0, .y = 0, .z = half}};
    h->scales[0].mValue = (struct aiVector3D){1, 1, 1};
    h->channel.mNumPositionKeys = h->channel.mNumScalingKeys = 1;
    h->channel.mPositionKeys = h->positions;
    h->channel.mScalingKeys = h->scales;
    h->channel.mNumRotationKeys = 2;
    h->channel.mRotationKeys = h->rotations;
    h->channels[0] = &h->channel;
    h->animation.mNumChannels = 1;
    h->animation.mChannels = h->channels;
    h->animation.mTicksPerSecond = 30;
    h->animation.mDuration = 30;
    h->animations[0] = &h->animation;
    h->scene.mNumAnimations = 1;
    h->scene.mAnimations = h->animations;
}

static void run_steps(struct assimp_run *run, struct hand_made *h)
{
    h->scene.mRootNode = &h->nodes[0];
    struct import import = assimp_run_start(run, "hand.fbx");
    struct assimp_job job = {.import = &import, .ending = "fbx", .scene = &h->scene};
    assert_int_equal(node_tree_init(&job.tree, &h->scene, &run->limits, &run->err), 0);
    assert_int_equal(assimp_skins(&job, &run->err), 0);
    assert_int_equal(assimp_nodes(&job, &run->err), 0);
    assert_int_equal(assimp_clips(&job, 0, &run->err), 0);
    skin_list_fini(&job.skins);
    node_tree_fini(&job.tree);
    assimp_run_finish(run);
    assert_int_equal(run->rc, 0);
}

static void expect_point(struct assimp_run *run, double time_s, const char *node, const double p[3], double x, double y,
                         double z, double tolerance)
{
    double out[3];
    assimp_run_point(run, 0, time_s, assimp_run_node(run, node), p, out);
    CHECK_NEAR(out[0], x, tolerance);
    CHECK_NEAR(out[1], y, tolerance);
    CHECK_NEAR(out[2], z, tolerance);
}

/* T(1,2,3) Rp(10,0,0) Pre(x 90) R(t about z) Rp^-1: the pivot swings, which keys of T alone cannot. */
TEST(chain_folds_a_pivot_into_one_node)
{
    static struct hand_made h;
    struct assimp_run run;
    assimp_run_init(&run);
    put_node(&h, 0, "RootNode", IDENTITY);
    put_node(&h, 1, "arm_$AssimpFbx$_Translation", moved(1, 2, 3));
    put_node(&h, 2, "arm_$AssimpFbx$_RotationPivot", moved(10, 0, 0));
    put_node(&h, 3, "arm_$AssimpFbx$_PreRotation", turned_x());
    put_node(&h, 4, "arm_$AssimpFbx$_Rotation", IDENTITY);
    put_node(&h, 5, "arm_$AssimpFbx$_RotationPivotInverse", moved(-10, 0, 0));
    put_node(&h, 6, "arm", IDENTITY);
    put_node(&h, 7, "hand", moved(0, 5, 0));
    put_quarter_turn(&h, "arm_$AssimpFbx$_Rotation");
    run_steps(&run, &h);
    assert_int_equal(run.model.node_count, 3);
    assert_int_equal(run.model.nodes[assimp_run_node(&run, "hand")].parent, assimp_run_node(&run, "arm"));

    const double origin[3] = {0, 0, 0};
    expect_point(&run, 0, "arm", origin, 1, 2, 3, 1e-5);
    expect_point(&run, 0, "hand", origin, 1, 2, 8, 1e-5);
    for (int i = 0; i <= 7; i++) {
        /* About z by a, then x by 90: (-10, 0, 0) to (-10 cos, 0, -10 sin), and the pivot. */
        const double t = i / 7.0, a = t * acos(-1) / 2;
        expect_point(&run, t, "arm", origin, 11 - 10 * cos(a), 2, 3 - 10 * sin(a), 10 * 4e-5);
        expect_point(&run, t, "hand", origin, 11 - 10 * cos(a) - 5 * sin(a), 2, 3 - 10 * sin(a) + 5 * cos(a),
                     15 * 4e-5);
    }
    assimp_run_fini(&run);
}

/* A channel for the node itself holds everything: the chain above must not count twice. */
TEST(chain_does_not_count_beside_the_nodes_own_channel)
{
    static struct hand_made h;
    struct assimp_run run;
    assimp_run_init(&run);
    put_node(&h, 0, "RootNode", IDENTITY);
    put_node(&h, 1, "arm_$AssimpFbx$_Translation", moved(1, 2, 3));
    put_node(&h, 2, "arm_$AssimpFbx$_PreRotation", turned_x());
    put_node(&h, 3, "arm", IDENTITY);
    put_quarter_turn(&h, "arm");
    h.positions[0].mValue = (struct aiVector3D){4, 5, 6};
    run_steps(&run, &h);
    const double p[3] = {1, 2, 3};
    expect_point(&run, 0, "arm", p, 5, 7, 9, 1e-6);
    expect_point(&run, 1, "arm", p, 2, 6, 9, 1e-6);
    double rest[3];
    assimp_run_point(&run, POSE_REST, 0, assimp_run_node(&run, "arm"), p, rest);
    CHECK_NEAR(rest[1], 2 - 3, 1e-6); /* the rest pose is the whole chain */
    CHECK_NEAR(rest[2], 3 + 2, 1e-6);
    assimp_run_fini(&run);
}

/* C of the post-rotation node corrects the rotation: R * C * C. */
TEST(chain_corrects_the_post_rotation)
{
    static struct hand_made h;
    struct assimp_run run;
    assimp_run_init(&run);
    put_node(&h, 0, "RootNode", IDENTITY);
    put_node(&h, 1, "arm_$AssimpFbx$_PostRotation", turned_x());
    put_node(&h, 2, "arm", IDENTITY);
    put_quarter_turn(&h, "arm");
    run_steps(&run, &h);
    const double p[3] = {1, 2, 3};
    expect_point(&run, 0, "arm", p, 1, -2, -3, 1e-6); /* a half turn about x */
    expect_point(&run, 1, "arm", p, 2, 1, -3, 1e-6);  /* then a quarter about z */
    assimp_run_fini(&run);
}

/* A geometric transform moves the node's meshes, not its children. */
TEST(chain_keeps_the_geometric_transform_from_the_children)
{
    static struct hand_made h;
    static struct aiVector3D vertices[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static unsigned corners[3] = {0, 1, 2}, mesh_index = 0;
    static struct aiFace face = {3, corners};
    static struct aiMesh mesh;
    static struct aiMesh *meshes[] = {&mesh};
    struct assimp_run run;
    assimp_run_init(&run);
    mesh = (struct aiMesh){.mNumVertices = 3, .mVertices = vertices, .mNumFaces = 1, .mFaces = &face};
    put_node(&h, 0, "RootNode", IDENTITY);
    put_node(&h, 1, "box_$AssimpFbx$_Rotation", turned_x());
    put_node(&h, 2, "box_$AssimpFbx$_GeometricTranslation", moved(0, 7, 0));
    put_node(&h, 3, "box", IDENTITY);
    put_node(&h, 4, "box_$AssimpFbx$_GeometricTranslationInverse", moved(0, -7, 0));
    put_node(&h, 5, "lid", moved(1, 1, 1));
    h.nodes[3].mNumMeshes = 1;
    h.nodes[3].mMeshes = &mesh_index;
    h.scene.mNumMeshes = 1;
    h.scene.mMeshes = meshes;
    run_steps(&run, &h);
    const uint32_t box = assimp_run_node(&run, "box"), lid = assimp_run_node(&run, "lid");
    assert_int_equal(run.model.nodes[lid].parent, box);
    assert_int_equal(run.model.nodes[box].mesh, -1);
    assert_int_equal(run.model.node_count, 4);
    assert_int_equal(run.model.nodes[3].mesh, 0);
    assert_int_equal(run.model.nodes[3].parent, box);
    assert_int_equal(run.model.nodes[3].name.offset, STR_NONE);
    const double origin[3] = {0, 0, 0};
    double out[3];
    assimp_run_point(&run, POSE_REST, 0, lid, origin, out);
    CHECK_NEAR(out[1], -1, 1e-6); /* (1, 1, 1) about x */
    CHECK_NEAR(out[2], 1, 1e-6);
    assimp_run_point(&run, POSE_REST, 0, 3, origin, out);
    CHECK_NEAR(out[2], 7, 1e-6); /* (0, 7, 0) about x */
    assimp_run_fini(&run);
}
