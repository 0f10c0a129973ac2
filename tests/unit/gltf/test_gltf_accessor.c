/* Accessors through the attributes that use them: each component type, strides, sparse rows, and refusals. */
#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdio.h>
#include <string.h>

/* A mesh whose POSITION is accessor 0 over the binary chunk. `accessors` and `views` are their JSON. */
static void run_positions(struct gltf_run *run, const char *accessors, const char *views, const void *bin,
                          size_t bin_bytes)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'buffers':[{'byteLength':%zu}],'bufferViews':[%s],'accessors':[%s],"
             "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0}}]}]}",
             bin_bytes, views, accessors);
    gltf_run_glb(run, json, bin, bin_bytes);
}

static void check_row(const struct gltf_run *run, uint32_t row, float x, float y, float z)
{
    assert_true(row < run->builder.position_count);
    const struct vec3 *p = &run->builder.positions[row];
    CHECK_NEAR(p->x, x, 0);
    CHECK_NEAR(p->y, y, 0);
    CHECK_NEAR(p->z, z, 0);
}

TEST(gltf_accessor_component_types)
{
    static const uint8_t BYTES[] = {0x80, 0x7f, 0x81, 0, 0x00, 0x80, 0xff, 0x7f, 0xff, 0xff, 0, 0};
    static const struct {
        int type;
        const char *normalized;
        uint32_t offset;
        float x, y, z;
    } ROWS[] = {
        {5120, "false", 0, -128, 127, -127},     {5120, "true", 0, -1, 1, -1},
        {5121, "false", 0, 128, 127, 129},       {5121, "true", 0, 128 / 255.0f, 127 / 255.0f, 129 / 255.0f},
        {5122, "false", 4, -32768, 32767, -1},   {5122, "true", 4, -1, 1, -1 / 32767.0f},
        {5123, "false", 4, 32768, 32767, 65535}, {5123, "true", 4, 32768 / 65535.0f, 32767 / 65535.0f, 1},
    };
    struct gltf_run run;
    gltf_run_init(&run);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char accessor[256];
        snprintf(accessor, sizeof accessor,
                 "{'bufferView':0,'byteOffset':%u,'componentType':%d,'normalized':%s,'count':1,'type':'VEC3'}",
                 ROWS[i].offset, ROWS[i].type, ROWS[i].normalized);
        run_positions(&run, accessor, "{'buffer':0,'byteLength':12}", BYTES, sizeof BYTES);
        assert_true(gltf_succeeded(&run));
        check_row(&run, 0, ROWS[i].x, ROWS[i].y, ROWS[i].z);
    }
    gltf_run_fini(&run);
}

TEST(gltf_accessor_stride_and_offsets)
{
    /* 1 float of padding, then rows of 3 with 1 between; the last row needs no padding behind it */
    static const float FLOATS[] = {-9, 1, 2, 3, -9, 4, 5, 6, -9, 7, 8, 9};
    struct gltf_run run;
    gltf_run_init(&run);
    run_positions(&run, "{'bufferView':0,'byteOffset':4,'componentType':5126,'count':3,'type':'VEC3'}",
                  "{'buffer':0,'byteLength':48,'byteStride':16}", FLOATS, sizeof FLOATS);
    assert_true(gltf_succeeded(&run));
    check_row(&run, 0, 1, 2, 3);
    check_row(&run, 2, 7, 8, 9);
    run_positions(&run, "{'bufferView':0,'byteOffset':8,'componentType':5126,'count':3,'type':'VEC3'}",
                  "{'buffer':0,'byteLength':48,'byteStride':16}", FLOATS, sizeof FLOATS);
    assert_true(
        gltf_failed(&run, ERR_BAD_MODEL,
                    "accessors[0] needs 3 rows of 12 bytes, 16 apart from byte 8 on, but bufferViews[0] has 48"));
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}",
                  "{'buffer':0,'byteLength':48,'byteStride':8}", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "a byteStride of 8"));
    gltf_run_fini(&run);
}

TEST(gltf_accessor_sizes_cannot_overflow)
{
    static const float FLOATS[3];
    struct gltf_run run;
    gltf_run_init(&run);
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':4294967295,'type':'VEC3'}",
                  "{'buffer':0,'byteLength':12,'byteStride':9007199254740992}", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "but bufferViews[0] has 12 bytes"));
    run_positions(&run, "{'bufferView':0,'byteOffset':9007199254740992,'componentType':5126,'count':1,'type':'VEC3'}",
                  "{'buffer':0,'byteLength':12}", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "but bufferViews[0] has 12 bytes"));
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':4294967296,'type':'VEC3'}",
                  "{'buffer':0,'byteLength':12}", FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "accessors[0].count is 4294967296"));
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':0,'type':'VEC3'}", "{'buffer':0,'byteLength':12}",
                  FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "accessors[0].count is 0"));
    gltf_run_fini(&run);
}

/* Zeros without a view are legal, so only a limit stands between a short file and gigabytes. */
TEST(gltf_accessor_without_view_is_zeros_and_limited)
{
    struct gltf_run run;
    gltf_run_init(&run);
    run_positions(&run, "{'componentType':5126,'count':3,'type':'VEC3'}", "", "", 0);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.position_count, 3);
    check_row(&run, 2, 0, 0, 0);
    run_positions(&run, "{'componentType':5126,'count':4000000000,'type':'VEC3'}", "", "", 0);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "accessors[0]: its 48000000000 bytes of rows"));
    run.limits.value[LIMIT_ROWS_BYTES] = 1000000000000;
    run_positions(&run, "{'componentType':5126,'count':4000000000,'type':'VEC3'}", "", "", 0);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "20000000 vertices"));
    run.limits.value[LIMIT_BAKED_BYTES] = 100000;
    run_positions(&run, "{'componentType':5126,'count':9000,'type':'VEC3'}", "", "", 0);
    assert_true(gltf_failed(&run, ERR_MODEL_LIMIT, "--max-model 100000"));
    gltf_run_fini(&run);
}

#define SPARSE(count, index_type)                                                                                      \
    "'sparse':{'count':" #count ",'indices':{'bufferView':1,'componentType':" #index_type                              \
    "},'values':{'bufferView':2,'byteOffset':12}}"
static const char SPARSE_VIEWS[] = "{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':4},"
                                   "{'buffer':0,'byteOffset':40,'byteLength':36}";

/* Three rows, two 16-bit indices, one unused and two used rows to put in. */
static void sparse_bytes(uint8_t bytes[76], uint16_t first, uint16_t second)
{
    static const float ROWS[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, VALUES[9] = {-1, -1, -1, 10, 20, 30, 40, 50, 60};
    const uint16_t indices[2] = {first, second};
    memcpy(bytes, ROWS, 36);
    memcpy(bytes + 36, indices, 4);
    memcpy(bytes + 40, VALUES, 36);
}

TEST(gltf_accessor_sparse)
{
    uint8_t bytes[76];
    struct gltf_run run;
    gltf_run_init(&run);
    sparse_bytes(bytes, 0, 2);
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'," SPARSE(2, 5123) "}",
                  SPARSE_VIEWS, bytes, sizeof bytes);
    assert_true(gltf_succeeded(&run));
    check_row(&run, 0, 10, 20, 30);
    check_row(&run, 1, 4, 5, 6);
    check_row(&run, 2, 40, 50, 60);
    run_positions(&run, "{'componentType':5126,'count':9,'type':'VEC3'," SPARSE(2, 5123) "}", SPARSE_VIEWS, bytes,
                  sizeof bytes);
    assert_true(gltf_succeeded(&run));
    check_row(&run, 0, 10, 20, 30);
    check_row(&run, 1, 0, 0, 0);
    check_row(&run, 2, 40, 50, 60);
    check_row(&run, 8, 0, 0, 0);
    gltf_run_fini(&run);
}

TEST(gltf_accessor_sparse_that_is_wrong)
{
    static const char ROWS[] = "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'," SPARSE(2, 5123) "}";
    uint8_t bytes[76];
    struct gltf_run run;
    gltf_run_init(&run);
    sparse_bytes(bytes, 1, 3);
    run_positions(&run, ROWS, SPARSE_VIEWS, bytes, sizeof bytes);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "accessors[0].sparse index 1 is 3, but the accessor has 3 rows"));
    sparse_bytes(bytes, 1, 1);
    run_positions(&run, ROWS, SPARSE_VIEWS, bytes, sizeof bytes);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "is 1 after 1"));
    sparse_bytes(bytes, 0, 1);
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'," SPARSE(4, 5123) "}",
                  SPARSE_VIEWS, bytes, sizeof bytes);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "accessors[0].sparse.count is 4"));
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'," SPARSE(3, 5123) "}",
                  SPARSE_VIEWS, bytes, sizeof bytes);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "accessors[0].sparse.indices needs 3 rows"));
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'," SPARSE(2, 5122) "}",
                  SPARSE_VIEWS, bytes, sizeof bytes);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "no unsigned integer"));
    gltf_run_fini(&run);
}

TEST(gltf_accessor_of_another_type)
{
    static const float FLOATS[4] = {0, 0, NAN, 0};
    struct gltf_run run;
    gltf_run_init(&run);
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':1,'type':'VEC4'}", "{'buffer':0,'byteLength':16}",
                  FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "POSITION cannot be accessors[0], which is VEC4 of FLOAT"));
    run_positions(&run, "{'bufferView':0,'componentType':5124,'count':1,'type':'VEC3'}", "{'buffer':0,'byteLength':16}",
                  FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "accessors[0].componentType is 5124"));
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':1,'type':'vec3'}", "{'buffer':0,'byteLength':16}",
                  FLOATS, sizeof FLOATS);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "accessors[0].type is 'vec3'"));
    run_positions(&run, "{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'}", "{'buffer':0,'byteLength':16}",
                  FLOATS, sizeof FLOATS);
    assert_true(gltf_succeeded(&run));
    assert_true(gltf_warned(&run, "not_finite_repaired"));
    assert_int_equal(run.builder.index_count, 0); /* what touches it is left out */
    gltf_run_fini(&run);
}
