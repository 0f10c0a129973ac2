/* EXT_meshopt_compression: every mode and filter, encoded by libmeshoptimizer. */
#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <meshoptimizer.h>
#include <stdio.h>
#include <string.h>

enum { VERTICES = 5, INDICES = 9 };
static const float POSITIONS[VERTICES][4] = {
    {0, 1, 2, 0}, {3.5F, -1, 0.125F, 0}, {7, 7, 7, 0}, {-2, 0, 4, 0}, {1, 1, -1, 0}};
static const unsigned TRIANGLES[INDICES] = {0, 1, 2, 2, 1, 3, 2, 3, 4};

struct parts {
    uint8_t bytes[4096];
    size_t vertex_bytes, index_bytes; /* one behind the other */
};

/* The bytes of an index buffer as triangles, or as a sequence. */
static struct parts encode(const void *vertices, size_t vertex_count, size_t stride, bool is_sequence)
{
    struct parts parts;
    parts.vertex_bytes = meshopt_encodeVertexBuffer(parts.bytes, sizeof parts.bytes, vertices, vertex_count, stride);
    uint8_t *rest = parts.bytes + parts.vertex_bytes;
    const size_t capacity = sizeof parts.bytes - parts.vertex_bytes;
    parts.index_bytes = is_sequence ? meshopt_encodeIndexSequence(rest, capacity, TRIANGLES, INDICES)
                                    : meshopt_encodeIndexBuffer(rest, capacity, TRIANGLES, INDICES);
    assert_true(parts.vertex_bytes > 0 && parts.index_bytes > 0);
    return parts;
}

struct layout {
    const char *mode, *filter; /* of the vertices, of the indices' view the mode only */
    const char *index_mode;
    size_t count, stride, view_bytes;
};
static const struct layout PLAIN = {"ATTRIBUTES", "NONE", "TRIANGLES", VERTICES, 16, VERTICES * 16};

/* Buffer 0 is the chunk with the compressed bytes, buffer 1 the missing fallback. */
static void run_named(struct gltf_run *run, const struct parts *parts, const struct layout *layout, bool is_khr)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'extensionsUsed':['EXT_meshopt_compression'],"
             "'extensionsRequired':['EXT_meshopt_compression'],'buffers':[{'byteLength':%zu},"
             "{'byteLength':100000,'extensions':{'EXT_meshopt_compression':{'fallback':true}}}],"
             "'bufferViews':[{'buffer':1,'byteLength':%zu,'byteStride':%zu,'extensions':{'EXT_meshopt_compression':"
             "{'buffer':0,'byteLength':%zu,'byteStride':%zu,'count':%zu,'mode':'%s','filter':'%s'}}},"
             "{'buffer':1,'byteLength':18,'extensions':{'EXT_meshopt_compression':"
             "{'buffer':0,'byteOffset':%zu,'byteLength':%zu,'byteStride':2,'count':9,'mode':'%s'}}}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':5,'type':'VEC3'},"
             "{'bufferView':1,'componentType':5123,'count':9,'type':'SCALAR'}],"
             "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]}",
             parts->vertex_bytes + parts->index_bytes, layout->view_bytes, layout->stride, parts->vertex_bytes,
             layout->stride, layout->count, layout->mode, layout->filter, parts->vertex_bytes, parts->index_bytes,
             layout->index_mode);
    for (char *name = json; is_khr && (name = strstr(name, "EXT_meshopt")) != NULL;)
        memcpy(name, "KHR", 3);
    gltf_run_glb(run, json, parts->bytes, parts->vertex_bytes + parts->index_bytes);
}

static void run_file(struct gltf_run *run, const struct parts *parts, const struct layout *layout)
{
    run_named(run, parts, layout, false);
}

/* Triangles may start at another corner. */
static bool is_triangle(const uint32_t *a, const unsigned *b)
{
    for (uint32_t turn = 0; turn < 3; turn++)
        if (a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3])
            return true;
    return false;
}

static void check_mesh(const struct gltf_run *run, double tolerance)
{
    assert_true(gltf_succeeded(run));
    assert_int_equal(run->builder.warning_count, 0);
    for (uint32_t v = 0; v < VERTICES; v++) {
        CHECK_NEAR(run->builder.positions[v].x, POSITIONS[v][0], tolerance);
        CHECK_NEAR(run->builder.positions[v].y, POSITIONS[v][1], tolerance);
        CHECK_NEAR(run->builder.positions[v].z, POSITIONS[v][2], tolerance);
    }
    assert_int_equal(run->builder.index_count, INDICES);
    for (uint32_t t = 0; t < INDICES; t += 3)
        assert_true(is_triangle(run->builder.indices + t, TRIANGLES + t));
}

TEST(gltf_meshopt_attributes_triangles_and_sequences)
{
    struct gltf_run run;
    gltf_run_init(&run);
    for (int is_sequence = 0; is_sequence < 2; is_sequence++) {
        const struct parts parts = encode(POSITIONS, VERTICES, 16, is_sequence);
        struct layout layout = PLAIN;
        layout.index_mode = is_sequence ? "INDICES" : "TRIANGLES";
        run_file(&run, &parts, &layout);
        check_mesh(&run, 0);
    }
    gltf_run_fini(&run);
}

TEST(gltf_meshopt_exponential_filter)
{
    float filtered[VERTICES][4];
    meshopt_encodeFilterExp(filtered, VERTICES, 16, 20, &POSITIONS[0][0]);
    const struct parts parts = encode(filtered, VERTICES, 16, false);
    struct layout layout = PLAIN;
    layout.filter = "EXPONENTIAL";
    struct gltf_run run;
    gltf_run_init(&run);
    run_file(&run, &parts, &layout);
    check_mesh(&run, 1e-4);
    gltf_run_fini(&run);
}

/* Rows of 8 bytes: 2 keys of a rotation channel, or 5 normals. */
static void run_rows(struct gltf_run *run, const void *rows, size_t count, const char *filter, const char *more)
{
    uint8_t bytes[512];
    const size_t size = meshopt_encodeVertexBuffer(bytes, 256, rows, count, 8);
    static const float TIMES[2] = {0, 1};
    memcpy(bytes + 256, TIMES, sizeof TIMES);
    memcpy(bytes + 264, POSITIONS, sizeof POSITIONS);
    char json[2048];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'buffers':[{'byteLength':344}],"
             "'bufferViews':[{'buffer':0,'byteLength':%zu%s,'extensions':{'EXT_meshopt_compression':{'buffer':0,"
             "'byteLength':%zu,'byteStride':8,'count':%zu,'mode':'ATTRIBUTES','filter':'%s'}}},"
             "{'buffer':0,'byteOffset':256,'byteLength':8},{'buffer':0,'byteOffset':264,'byteLength':80,"
             "'byteStride':16}],%s}",
             count * 8, count > 2 ? ",'byteStride':8" : "", size, count, filter, more);
    gltf_run_glb(run, json, bytes, 344);
}

TEST(gltf_meshopt_quaternion_filter)
{
    static const float ROTATIONS[2][4] = {{0.5F, -0.5F, 0.5F, 0.5F}, {0, 0.6F, 0, -0.8F}};
    int16_t rows[2][4];
    meshopt_encodeFilterQuat(rows, 2, 8, 16, &ROTATIONS[0][0]);
    struct gltf_run run;
    gltf_run_init(&run);
    run_rows(&run, rows, 2, "QUATERNION",
             "'accessors':[{'bufferView':0,'componentType':5122,'normalized':true,'count':2,'type':'VEC4'},"
             "{'bufferView':1,'componentType':5126,'count':2,'type':'SCALAR'}],'nodes':[{}],'animations':[{"
             "'samplers':[{'input':1,'output':0}],'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}}]}]");
    assert_true(gltf_succeeded(&run));
    for (uint32_t key = 0; key < 2; key++) {
        const float *q = run.builder.key_values + 4 * key;
        double dot = 0;
        for (uint32_t i = 0; i < 4; i++)
            dot += (double)q[i] * (double)ROTATIONS[key][i];
        CHECK_NEAR(fabs(dot), 1, 1e-4); /* q and -q turn alike */
    }
    gltf_run_fini(&run);
}

TEST(gltf_meshopt_octahedral_filter)
{
    static const float NORMALS[VERTICES][4] = {
        {1, 0, 0, 0}, {0, -1, 0, 0}, {0.6F, 0, -0.8F, 0}, {0, 0, 1, 0}, {-0.48F, 0.64F, -0.6F, 0}};
    int16_t rows[VERTICES][4];
    meshopt_encodeFilterOct(rows, VERTICES, 8, 16, &NORMALS[0][0]);
    struct gltf_run run;
    gltf_run_init(&run);
    run_rows(&run, rows, VERTICES, "OCTAHEDRAL",
             "'accessors':[{'bufferView':0,'componentType':5122,'normalized':true,'count':5,'type':'VEC3'},"
             "{'bufferView':2,'componentType':5126,'count':5,'type':'VEC3'}],'nodes':[{'mesh':0}],"
             "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':1,'NORMAL':0}}]}]");
    assert_true(gltf_succeeded(&run));
    for (uint32_t v = 0; v < VERTICES; v++) {
        CHECK_NEAR(run.builder.normals[v].x, NORMALS[v][0], 1e-3);
        CHECK_NEAR(run.builder.normals[v].y, NORMALS[v][1], 1e-3);
        CHECK_NEAR(run.builder.normals[v].z, NORMALS[v][2], 1e-3);
    }
    gltf_run_fini(&run);
}

TEST(gltf_meshopt_refusals)
{
    const struct parts parts = encode(POSITIONS, VERTICES, 16, false);
    static const struct {
        struct layout layout;
        const char *message;
    } ROWS[] = {
        {{"MESHLETS", "NONE", "TRIANGLES", 5, 16, 80},
         "bufferViews[0]: EXT_meshopt_compression has no mode 'MESHLETS'"},
        {{"ATTRIBUTES", "COLOR", "TRIANGLES", 5, 16, 80}, "has no filter 'COLOR'"},
        {{"ATTRIBUTES", "NONE", "TRIANGLES", 6, 16, 80}, "6 rows of 16 bytes, but the view 80 bytes"},
        {{"ATTRIBUTES", "NONE", "TRIANGLES", 8, 10, 80}, "cannot be 8 rows of 10 bytes"},
        {{"ATTRIBUTES", "NONE", "TRIANGLES", 0, 16, 0}, "cannot be 0 rows"},
        {{"ATTRIBUTES", "OCTAHEDRAL", "TRIANGLES", 5, 16, 80}, "filter OCTAHEDRAL"},
        {{"ATTRIBUTES", "QUATERNION", "TRIANGLES", 20, 4, 80}, "filter QUATERNION"},
        {{"TRIANGLES", "NONE", "TRIANGLES", 20, 4, 80}, "cannot be 20 rows"},
        {{"INDICES", "EXPONENTIAL", "TRIANGLES", 20, 4, 80}, "filter EXPONENTIAL"},
        {{"INDICES", "NONE", "TRIANGLES", 20, 4, 80}, "bytes of EXT_meshopt_compression are broken"},
        {{"ATTRIBUTES", "NONE", "TRIANGLES", 2500, 16, 40000}, "bytes of EXT_meshopt_compression are broken"},
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        run_file(&run, &parts, &ROWS[i].layout);
        assert_true(gltf_failed(&run, ERR_BAD_MODEL, ROWS[i].message));
    }
    run.limits.value[LIMIT_FILE_BYTES] = 90; /* the vertices' 80 and the indices' 18 are more */
    run_file(&run, &parts, &PLAIN);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "18 more bytes decompressed, of 10 that are left"));
    gltf_run_fini(&run);
}

TEST(gltf_meshopt_of_khronos_is_read_as_far_as_it_is_the_same)
{
    struct parts parts = encode(POSITIONS, VERTICES, 16, false);
    struct layout layout = PLAIN;
    struct gltf_run run;
    gltf_run_init(&run);
    run_named(&run, &parts, &layout, true);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.position_count, VERTICES);
    parts.bytes[0] = 0xa1;
    run_named(&run, &parts, &layout, true);
    assert_true(gltf_failed(&run, ERR_UNSUPPORTED_EXTENSION, "KHR_meshopt_compression: streams of version 1"));
    layout.filter = "COLOR";
    run_named(&run, &parts, &layout, true);
    assert_true(gltf_failed(&run, ERR_UNSUPPORTED_EXTENSION, "KHR_meshopt_compression has no filter 'COLOR' here"));
    gltf_run_fini(&run);
}

TEST(gltf_meshopt_truncated_and_changed)
{
    const struct parts whole = encode(POSITIONS, VERTICES, 16, false);
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t kept = 0; kept < whole.vertex_bytes; kept++) {
        struct parts parts = whole;
        memmove(parts.bytes + kept, whole.bytes + whole.vertex_bytes, whole.index_bytes);
        parts.vertex_bytes = kept;
        run_file(&run, &parts, &PLAIN);
        assert_true(gltf_failed(&run, ERR_BAD_MODEL, "broken"));
    }
    for (size_t i = 0; i < whole.vertex_bytes + whole.index_bytes; i++) {
        struct parts parts = whole;
        parts.bytes[i] ^= (uint8_t)(1 << (i % 8));
        run_file(&run, &parts, &PLAIN);
        assert_true(run.rc == 0 || run.rc == ERR_BAD_MODEL);
    }
    gltf_run_fini(&run);
}
