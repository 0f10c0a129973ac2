/* KHR_draco_mesh_compression: a skinned strip of triangles, encoded by libdraco, comes out vertex by vertex. */
#include "tests/unit/support/check.h"
#include "tests/unit/gltf/draco_encode.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdio.h>
#include <string.h>

enum { VERTICES = 8, TRIANGLES = 6 };

struct strip {
    float positions[VERTICES][3];
    uint16_t joints[VERTICES][4];
    float weights[VERTICES][4];
    uint32_t indices[TRIANGLES][3];
};

static struct strip make_strip(void)
{
    struct strip strip = {0};
    for (uint32_t v = 0; v < VERTICES; v++) {
        const float x = (float)(v % 2), y = (float)(v / 2);
        const float position[3] = {0.1F + x, -3.7F + 1.3F * y, x * y / 7};
        memcpy(strip.positions[v], position, sizeof position);
        strip.joints[v][0] = (uint16_t)(v % 3);
        strip.joints[v][1] = (uint16_t)((v + 1) % 3);
        strip.weights[v][0] = 0.25F;
        strip.weights[v][1] = 0.75F;
    }
    for (uint32_t t = 0; t < TRIANGLES; t++)
        for (uint32_t corner = 0; corner < 3; corner++)
            strip.indices[t][corner] = t + (t % 2 == 0 || corner == 0 ? corner : 3 - corner);
    return strip;
}

static size_t encode(const struct strip *strip, int is_edgebreaker, uint8_t *out, size_t out_size)
{
    const struct draco_source source = {.positions = &strip->positions[0][0],
                                        .joints = &strip->joints[0][0],
                                        .weights = &strip->weights[0][0],
                                        .indices = &strip->indices[0][0],
                                        .vertices = VERTICES,
                                        .triangles = TRIANGLES,
                                        .is_edgebreaker = is_edgebreaker};
    return draco_encode(&source, out, out_size);
}

/* `count` is what the accessors of vertices say, and `ids` what the extension maps. */
static void run_counted(struct gltf_run *run, const uint8_t *bytes, size_t size_bytes, const char *ids, int mode,
                        int count)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'extensionsRequired':['KHR_draco_mesh_compression'],"
             "'extensionsUsed':['KHR_draco_mesh_compression'],'buffers':[{'byteLength':%zu}],"
             "'bufferViews':[{'buffer':0,'byteLength':%zu}],"
             "'accessors':[{'componentType':5126,'count':%d,'type':'VEC3'},"
             "{'componentType':5121,'count':%d,'type':'VEC4'},{'componentType':5126,'count':%d,'type':'VEC4'},"
             "{'componentType':5123,'count':18,'type':'SCALAR'}],"
             "'nodes':[{'mesh':0,'skin':0},{},{},{}],'skins':[{'joints':[1,2,3]}],'meshes':[{'primitives':[{"
             "'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2},'indices':3,'mode':%d,"
             "'extensions':{'KHR_draco_mesh_compression':{'bufferView':0,'attributes':{%s}}}}]}]}",
             size_bytes, size_bytes, count, count, count, mode, ids);
    gltf_run_glb(run, json, bytes, size_bytes);
}

static void run_file(struct gltf_run *run, const uint8_t *bytes, size_t size_bytes, const char *ids, int mode)
{
    run_counted(run, bytes, size_bytes, ids, mode, VERTICES);
}
#define IDS "'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2"

/* The vertex of the strip that a decoded vertex is, by its position. */
static uint32_t origin_of(const struct strip *strip, const struct gltf_run *run, uint32_t vertex)
{
    const struct vec3 *p = &run->builder.positions[vertex];
    for (uint32_t v = 0; v < VERTICES; v++)
        if (p->x == strip->positions[v][0] && p->y == strip->positions[v][1] && p->z == strip->positions[v][2])
            return v;
    fail_msg("vertex %u is none of the strip's", vertex);
    return 0;
}

static void check_influences(const struct strip *strip, const struct gltf_run *run, uint32_t vertex)
{
    const uint32_t origin = origin_of(strip, run, vertex), first = run->builder.influence_firsts[vertex];
    assert_int_equal(run->builder.influence_firsts[vertex + 1] - first, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(run->builder.influences[first + i].joint, strip->joints[origin][i]);
        CHECK_NEAR(run->builder.influences[first + i].weight, strip->weights[origin][i], 0);
    }
}

/* A triangle may start at another corner; it may not be turned round. */
static bool is_triangle(const uint32_t a[3], const uint32_t b[3])
{
    for (uint32_t turn = 0; turn < 3; turn++)
        if (a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3])
            return true;
    return false;
}

static void check_triangles(const struct strip *strip, const struct gltf_run *run)
{
    assert_int_equal(run->builder.index_count, 3 * TRIANGLES);
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        uint32_t found = 0;
        for (uint32_t o = 0; o < TRIANGLES; o++) {
            uint32_t origin[3];
            for (uint32_t corner = 0; corner < 3; corner++)
                origin[corner] = origin_of(strip, run, run->builder.indices[3 * o + corner]);
            found += is_triangle(strip->indices[t], origin);
        }
        assert_int_equal(found, 1);
    }
}

TEST(gltf_draco_both_encodings)
{
    const struct strip strip = make_strip();
    struct gltf_run run;
    gltf_run_init(&run);
    for (int is_edgebreaker = 0; is_edgebreaker < 2; is_edgebreaker++) {
        uint8_t bytes[2048];
        const size_t size = encode(&strip, is_edgebreaker, bytes, sizeof bytes);
        assert_true(size > 0);
        run_file(&run, bytes, size, IDS, 4);
        assert_true(gltf_succeeded(&run));
        assert_int_equal(run.builder.warning_count, 0);
        assert_int_equal(run.builder.position_count, VERTICES);
        for (uint32_t v = 0; v < VERTICES; v++)
            check_influences(&strip, &run, v);
        check_triangles(&strip, &run);
    }
    gltf_run_fini(&run);
}

/* Triangles of the mesh, positions of an accessor: the former must not reach beyond the latter. */
TEST(gltf_draco_triangles_of_other_positions)
{
    const struct strip strip = make_strip();
    uint8_t bytes[2048];
    const size_t size = encode(&strip, 0, bytes, sizeof bytes);
    struct gltf_run run;
    gltf_run_init(&run);
    run_counted(&run, bytes, size, "'NORMAL':0", 4, VERTICES);
    assert_true(gltf_succeeded(&run));
    for (int count = 1; count < VERTICES; count++) {
        run_counted(&run, bytes, size, "'NORMAL':0", 4, count);
        assert_true(gltf_failed(&run, ERR_BAD_MODEL, "meshes[0].primitives[0]: index "));
    }
    gltf_run_fini(&run);
}

TEST(gltf_draco_refusals)
{
    const struct strip strip = make_strip();
    uint8_t bytes[2048];
    const size_t size = encode(&strip, 1, bytes, sizeof bytes);
    struct gltf_run run;
    gltf_run_init(&run);
    run_file(&run, bytes, size, "'POSITION':7,'JOINTS_0':1,'WEIGHTS_0':2", 4);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "POSITION: KHR_draco_mesh_compression: the mesh has no attribute"));
    run_file(&run, bytes, size, "'POSITION':2,'JOINTS_0':1,'WEIGHTS_0':2", 4);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "another number of components"));
    run_file(&run, bytes, size, "'POSITION':0,'JOINTS_0':2,'WEIGHTS_0':1", 4); /* 0.25 is no byte */
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "does not fit the accessor's component type"));
    run_file(&run, bytes, size, "'POSITION':-1", 4);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "attributes.POSITION is -1, expected a whole number"));
    run_file(&run, bytes, size, IDS, 1);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "a Draco mesh holds triangles"));
    run_file(&run, (const uint8_t *)"DRACO, but not", 14, IDS, 4);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "no header of a Draco 2.2 mesh"));
    run.limits.value[LIMIT_INDICES] = 3 * TRIANGLES - 1;
    run_file(&run, bytes, size, IDS, 4);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "more faces or points"));
    gltf_run_fini(&run);
}

/* A few bytes that claim 2^28 points are refused before libdraco allocates for them. */
TEST(gltf_draco_claims_are_bounded_first)
{
    static const uint8_t BYTES[] = {'D', 'R', 'A', 'C', 'O', 2, 2, 1, 0, 0, 0, 1, 0x80, 0x80, 0x80, 0x80, 0x01, 1};
    struct gltf_run run;
    gltf_run_init(&run);
    run_file(&run, BYTES, sizeof BYTES, IDS, 4);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "more faces or points"));
    gltf_run_fini(&run);
}

TEST(gltf_draco_truncated_and_changed)
{
    const struct strip strip = make_strip();
    struct gltf_run run;
    gltf_run_init(&run);
    for (int is_edgebreaker = 0; is_edgebreaker < 2; is_edgebreaker++) {
        uint8_t bytes[2048];
        const size_t size = encode(&strip, is_edgebreaker, bytes, sizeof bytes);
        for (size_t kept = 0; kept < size; kept++) {
            run_file(&run, bytes, kept, IDS, 4);
            assert_true(run.rc < 0);
        }
        for (size_t i = 0; i < size; i++) {
            bytes[i] ^= (uint8_t)(1 << (i % 8));
            run_file(&run, bytes, size, IDS, 4);
            bytes[i] ^= (uint8_t)(1 << (i % 8));
            assert_true(run.rc == 0 || run.rc == ERR_BAD_MODEL || run.rc == ERR_MODEL_LIMIT);
        }
    }
    gltf_run_fini(&run);
}
