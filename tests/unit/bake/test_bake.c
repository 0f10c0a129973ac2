/* The baked model's bytes: their layout, every truncation, every changed byte, every rule on its own. */
#include "anim/bake/bake.h"

#include "anim/model/property.h"
#include "base/bytes.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/walk_model.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE = sizeof(struct bake_header), SECTIONS = 60, ARRAYS = 1472 }; /* 32 + 60 * 24, a multiple of 64 */

TEST(bake_bytes_of_the_smallest_model)
{
    struct fixture f;
    fixture_init(&f);
    fixture_finish(&f);
    const unsigned char *b = f.block;
    /* header: magic, version 14, 60 sections, size, reserved */
    const unsigned char header[32] = {'p', 'o', 's', 'e', 'd', 'b', 'k', '\n', 14, 0, 0, 0, 60, 0, 0, 0, 0x80, 6};
    assert_memory_equal(b, header, sizeof header); /* 1664 bytes = 0x680, see below */
    /* section 1: id 1, 108 bytes an element, at 1472, 1 element */
    const unsigned char info[24] = {1, 0, 0, 0, 108, 0, 0, 0, 0xc0, 5, 0, 0, 0, 0, 0, 0, 1};
    assert_memory_equal(b + TABLE, info, sizeof info);
    /* section 3, nodes: 76 bytes an element, none, at 1600, the next multiple of 64 after 1472 + 108 */
    const unsigned char nodes[24] = {3, 0, 0, 0, 76, 0, 0, 0, 0x40, 6};
    assert_memory_equal(b + TABLE + 2 * 24, nodes, sizeof nodes);
    /* section 16, influence_firsts: one element for no vertex, at 1600; the rest from 1664 on is empty */
    const unsigned char firsts[24] = {16, 0, 0, 0, 4, 0, 0, 0, 0x40, 6, 0, 0, 0, 0, 0, 0, 1};
    assert_memory_equal(b + TABLE + 15 * 24, firsts, sizeof firsts);
    assert_int_equal(get_u64(b + TABLE + 59 * 24 + 8), 1664);
    assert_int_equal(f.size_bytes, get_u64(b + 16));
    /* up +y, forward +z, one metre, bounds of nothing: from 52 on, after hash, two texts and flags */
    CHECK_NEAR(get_f32(b + ARRAYS + 52 + 4), 1, 0);
    CHECK_NEAR(get_f32(b + ARRAYS + 64 + 8), 1, 0);
    CHECK_NEAR(get_f32(b + ARRAYS + 76), 1, 0);
    CHECK_NEAR(get_f32(b + ARRAYS + 80), 1, 0);
    CHECK_NEAR(get_f32(b + ARRAYS + 92), -1, 0);
    fixture_fini(&f);
}

struct strict_sink {
    const unsigned char *expected;
    size_t at, full_at; /* takes no byte from full_at on */
};

static int put_strictly(void *context, const void *bytes, size_t size_bytes, struct err *err)
{
    struct strict_sink *sink = context;
    if (size_bytes > sink->full_at - sink->at)
        return err_set(err, ERR_STORAGE, "full");
    assert_memory_equal(bytes, sink->expected + sink->at, size_bytes);
    sink->at += size_bytes;
    return 0;
}

TEST(bake_write_gives_the_block_in_parts_and_stops_where_the_sink_does)
{
    struct fixture f;
    fixture_worked(&f);
    for (size_t full_at = 0; full_at <= f.size_bytes; full_at += full_at < f.size_bytes - 64 ? 61 : 1) {
        struct strict_sink strict = {.expected = f.block, .full_at = full_at};
        const struct bake_sink sink = {.put = put_strictly, .context = &strict};
        struct err err = {0};
        const int rc = bake_write(&f.builder, &sink, &err);
        assert_int_equal(rc, full_at == f.size_bytes ? 0 : ERR_STORAGE);
        assert_true(rc != 0 || strict.at == f.size_bytes);
    }
    fixture_fini(&f);
}

TEST(bake_write_keeps_the_limit)
{
    struct fixture f;
    struct err err = {0};
    fixture_worked(&f);
    struct strict_sink strict = {.expected = f.block, .full_at = f.size_bytes};
    const struct bake_sink sink = {.put = put_strictly, .context = &strict};
    f.builder.limit_bytes = f.size_bytes - 1;
    assert_int_equal(bake_write(&f.builder, &sink, &err), ERR_MODEL_LIMIT);
    assert_int_equal(strict.at, 0);
    f.builder.limit_bytes = f.size_bytes;
    assert_int_equal(bake_write(&f.builder, &sink, &err), 0);
    fixture_fini(&f);
}

TEST(bake_worked_model_has_something_in_every_section)
{
    struct fixture f, with_constraints; /* which have no compiled sections */
    fixture_worked(&f);
    fixture_constrained(&with_constraints);
    const struct model *m = &f.model, *other = &with_constraints.model;
#define X(id, singular, plural, type, item_bytes) assert_true(m->singular##_count + other->singular##_count > 0);
#include "anim/model/model_sections.def"
#undef X
    walk_model(m);
    walk_model(other);
    fixture_fini(&f);
    fixture_fini(&with_constraints);
}

TEST(bake_finish_derives)
{
    struct fixture f;
    fixture_worked(&f);
    const struct model *m = &f.model;
    const uint32_t order[4] = {1, 0, 3, 2}; /* parents first, then by index */
    assert_memory_equal(m->node_order, order, sizeof order);
    assert_int_equal(m->nodes[0].flags, NODE_IN_SCENE | NODE_JOINT);
    assert_int_equal(m->nodes[1].flags, NODE_IN_SCENE | NODE_JOINT);
    assert_int_equal(m->nodes[3].flags, NODE_IN_SCENE);
    CHECK_NEAR(m->nodes[3].scale[1], 2, 1e-6); /* of the matrix */
    CHECK_NEAR(m->nodes[3].translation[0], 3, 1e-6);
    assert_int_equal(m->skin_count, 2);
    assert_int_equal(m->skins[0].mesh_node, 2);
    assert_int_equal(m->skins[1].flags, SKIN_RIGID);
    assert_int_equal(m->skins[1].mesh_node, 3);
    assert_int_equal(m->joints[m->skins[1].joint_first].node, 3);
    assert_int_equal(m->skins[1].name.offset, STR_NONE);
    assert_int_equal(m->draw_count, 2);
    assert_int_equal(m->draws[1].skin, 1);
    assert_int_equal(m->draws[1].primitive, 1);
    CHECK_NEAR(m->clips[0].start_s, 0.5, 0);
    CHECK_NEAR(m->clips[0].duration_s, 2, 0);
    CHECK_NEAR(m->clips[1].duration_s, 0.5, 0);
    fixture_fini(&f);
}

TEST(bake_finish_measures_the_rest_pose)
{
    /* hip: scaled (1,2,1), around x (x,y,z) -> (x,-z,y), moved (1,0,0). The line (0,0,0)-(0,0,5) hangs from it by
     * the matrix node: moved to (3,0,0), (3,0,5), then in the hip (4,0,0) and (4,-5,0): the largest x, the least y.
     * Body: vertex 1 = (0,1,0) + half of (0,0,4) = (0,1,2), of the tip alone: inverse bind (0,-1,2); tip: around z
     * (1,0,2), moved (1,2,2); hip: (1,4,2), (1,-2,4), (2,-2,4): the largest z. Vertex 2 = (0,0,1), of the hip alone:
     * (1,-1,0). Vertex 0 = (1,0,0): hip (2,0,0); tip: (1,-2,0), (2,1,0), (2,3,0); hip (2,6,0), (2,0,6), (3,0,6):
     * 0.25 * (2,0,0) + 0.75 * (3,0,6) = (2.75,0,4.5) */
    struct fixture f;
    fixture_worked(&f);
    const struct model_info *info = f.model.infos;
    CHECK_NEAR(info->rest_min.x, 1, 1e-5);
    CHECK_NEAR(info->rest_min.y, -5, 1e-5);
    CHECK_NEAR(info->rest_min.z, 0, 1e-5);
    CHECK_NEAR(info->rest_max.x, 4, 1e-5);
    CHECK_NEAR(info->rest_max.y, 0, 1e-5);
    CHECK_NEAR(info->rest_max.z, 4.5, 1e-5);
    fixture_fini(&f);
}

static int decode_copy(const void *bytes, size_t size_bytes, struct err *err)
{
    struct model model;
    void *copy = fixture_aligned_copy(bytes, size_bytes);
    *err = (struct err){0};
    const int rc = bake_decode(copy, size_bytes, &model, err);
    if (rc == 0)
        walk_model(&model);
    else
        assert_null(model.bytes);
    free(copy);
    return rc;
}

TEST(bake_decode_refuses_every_truncation)
{
    struct fixture f;
    struct err err;
    fixture_worked(&f);
    for (size_t size = 0; size < f.size_bytes; size++)
        assert_int_equal(decode_copy(f.block, size, &err), ERR_BAD_BAKE);
    fixture_fini(&f);
}

TEST(bake_decode_refuses_truncations_whose_header_agrees)
{
    struct fixture f;
    struct err err;
    fixture_worked(&f);
    for (size_t size = f.size_bytes - 1; size >= ARRAYS; size--) {
        const uint64_t said = size;
        memcpy((char *)f.block + offsetof(struct bake_header, size_bytes), &said, sizeof said);
        assert_int_equal(decode_copy(f.block, size, &err), ERR_BAD_BAKE);
    }
    fixture_fini(&f);
}

TEST(bake_decode_refuses_cut_and_changed_constraints)
{
    static const unsigned char CHANGES[] = {0x01, 0x02, 0x04, 0x40, 0x80, 0xff};
    struct fixture f;
    struct err err;
    unsigned refused = 0;
    fixture_constrained(&f);
    unsigned char *bytes = f.block;
    for (size_t size = 0; size < f.size_bytes; size++)
        assert_int_equal(decode_copy(f.block, size, &err), ERR_BAD_BAKE);
    const size_t first = (size_t)((const unsigned char *)f.model.constraints - bytes);
    for (size_t i = first; i < first + f.model.constraint_count * sizeof *f.model.constraints; i++)
        for (size_t c = 0; c < sizeof CHANGES; c++) {
            bytes[i] ^= CHANGES[c];
            refused += decode_copy(bytes, f.size_bytes, &err) < 0;
            bytes[i] ^= CHANGES[c];
        }
    assert_true(refused > 300);
    fixture_fini(&f);
}

TEST(bake_decode_refuses_extra_bytes)
{
    struct fixture f;
    struct err err;
    fixture_worked(&f);
    for (size_t extra = 1; extra <= 128; extra++) {
        char *longer = calloc(1, f.size_bytes + extra);
        memcpy(longer, f.block, f.size_bytes);
        assert_int_equal(decode_copy(longer, f.size_bytes + extra, &err), ERR_BAD_BAKE);
        const uint64_t said = f.size_bytes + extra;
        memcpy(longer + offsetof(struct bake_header, size_bytes), &said, sizeof said);
        assert_int_equal(decode_copy(longer, f.size_bytes + extra, &err), ERR_BAD_BAKE);
        free(longer);
    }
    fixture_fini(&f);
}

TEST(bake_decode_refuses_an_unaligned_block)
{
    struct fixture f;
    struct model model;
    fixture_worked(&f);
    char *larger = malloc(f.size_bytes + 72);
    char *odd = larger + (64 - (uintptr_t)larger % 64) % 64 + 8;
    memcpy(odd, f.block, f.size_bytes);
    assert_int_equal(bake_decode(odd, f.size_bytes, &model, NULL), ERR_BAD_BAKE);
    free(larger);
    fixture_fini(&f);
}

/* Every byte, changed in several ways, is refused or leaves a usable model. ASan detects invalid access. */
TEST(bake_decode_survives_every_changed_byte)
{
    static const unsigned char CHANGES[] = {0x01, 0x02, 0x40, 0x80, 0xff};
    struct fixture f;
    struct err err;
    unsigned refused = 0, used = 0;
    fixture_worked(&f);
    unsigned char *bytes = f.block;
    for (size_t i = 0; i < f.size_bytes; i++)
        for (size_t c = 0; c < sizeof CHANGES; c++) {
            bytes[i] ^= CHANGES[c];
            const int rc = decode_copy(bytes, f.size_bytes, &err);
            if (rc < 0)
                assert_true(err.message[0] != '\0');
            *(rc < 0 ? &refused : &used) += 1;
            bytes[i] ^= CHANGES[c];
        }
    /* most bytes are structure, the others are positions, colours, pixels, letters and stamps */
    assert_true(refused > used && used > 1000);
    fixture_fini(&f);
}

/* Changes one field of the worked model, expects a refusal that names `part`, and puts it back. */
#define REFUSED(f, field, value, part)                                                                                 \
    do {                                                                                                               \
        __typeof__((f)->model.field) kept = (f)->model.field;                                                          \
        __typeof__((f)->model.field) *place = (void *)(uintptr_t) & (f)->model.field;                                  \
        memcpy((void *)(uintptr_t)place, &(__typeof__(kept)){value}, sizeof kept);                                     \
        check_refused(f, part, __LINE__);                                                                              \
        memcpy((void *)(uintptr_t)place, &kept, sizeof kept);                                                          \
    } while (0)

static void check_refused(const struct fixture *f, const char *part, int line)
{
    struct err err;
    const int rc = decode_copy(f->block, f->size_bytes, &err);
    if (rc != ERR_BAD_BAKE || strstr(err.message, part) == NULL)
        fail_msg("line %d: %d '%s' instead of a refusal of '%s'", line, rc, err.message, part);
}

TEST(bake_decode_rules_of_nodes)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, nodes[0].name.offset, 100000, "nodes[0].name");
    REFUSED(&f, nodes[0].name.size_bytes, UINT32_MAX, "nodes[0].name");
    REFUSED(&f, nodes[1].name.size_bytes, 2, "nodes[1].name"); /* cuts its u with two dots in two */
    REFUSED(&f, nodes[0].parent, 4, "nodes[0].parent");
    REFUSED(&f, nodes[0].parent, -2, "nodes[0].parent");
    REFUSED(&f, nodes[1].parent, 0, "node_order[0]"); /* a cycle */
    REFUSED(&f, nodes[1].parent, 1, "node_order[0]");
    REFUSED(&f, nodes[0].mesh, 2, "nodes[0].mesh");
    REFUSED(&f, nodes[0].mesh, 1, "skin"); /* has no rigid skin */
    REFUSED(&f, nodes[3].mesh, -1, "mesh_node");
    REFUSED(&f, nodes[0].skin, 2, "nodes[0].skin");
    REFUSED(&f, nodes[0].skin, 1, "nodes[0].skin"); /* a rigid one */
    REFUSED(&f, nodes[0].matrix, 1, "nodes[0].matrix");
    REFUSED(&f, nodes[0].rotation[3], NAN, "nodes[0].rotation");
    REFUSED(&f, nodes[0].scale[0], HUGE_VALF, "nodes[0].scale");
    REFUSED(&f, nodes[2].weight_count, 2, "nodes[2].weights");
    REFUSED(&f, nodes[2].weight_first, 1, "nodes[2].weights");
    REFUSED(&f, nodes[3].weight_count, 1, "nodes[3].weights"); /* one weight for two nodes */
    REFUSED(&f, nodes[0].flags, NODE_IN_SCENE, "nodes[0].flags");
    REFUSED(&f, nodes[2].flags, 0, "nodes[2].flags");
    REFUSED(&f, nodes[2].flags, NODE_IN_SCENE | NODE_SHEAR, "nodes[2].flags");
    REFUSED(&f, nodes[2].flags, NODE_IN_SCENE | 64, "nodes[2].flags");
    REFUSED(&f, nodes[2].flags, NODE_IN_SCENE | NODE_HIDDEN, "draws[0]");
    REFUSED(&f, nodes[3].flags, NODE_IN_SCENE | NODE_SCALES, "nodes[3].flags");
    REFUSED(&f, nodes[3].flags, NODE_IN_SCENE | NODE_SCALE_OWN, "nodes[3].flags"); /* it has a matrix */
    REFUSED(&f, nodes[2].flags, NODE_IN_SCENE | NODE_SCALE_OWN, "infos[0].flags");
    REFUSED(&f, node_order[3], 1, "node_order[3]");
    REFUSED(&f, node_order[3], 4, "node_order[3]");
    REFUSED(&f, scene_roots[1], 4, "scene_roots[1]");
    REFUSED(&f, scene_roots[1], 1, "scene_roots[1]");
    REFUSED(&f, node_matrices[0].m[3], 0.5f, "node_matrices[0]");
    REFUSED(&f, node_matrices[0].m[12], NAN, "node_matrices[0]");
    REFUSED(&f, weights[0], NAN, "weights");
    fixture_fini(&f);
}

TEST(bake_decode_rules_of_skins)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, skins[0].joint_count, 0, "skins[0].joints");
    REFUSED(&f, skins[0].joint_count, 4, "skins[0].joints");
    REFUSED(&f, skins[0].joint_count, 1, "nodes[0].flags"); /* would be no joint any more */
    REFUSED(&f, skins[0].joint_first, UINT32_MAX, "skins[0].joints");
    REFUSED(&f, skins[0].mesh_node, 0, "skins[0].mesh_node");
    REFUSED(&f, skins[0].mesh_node, 4, "skins[0].mesh_node");
    REFUSED(&f, skins[0].mesh_node, -1, "nodes[2].skin");
    REFUSED(&f, skins[0].flags, SKIN_RIGID, "skins[0].flags");
    REFUSED(&f, skins[0].method, METHOD_BLENDED + 1, "skins[0].method");
    REFUSED(&f, skins[1].method, METHOD_RIGID, "skins[1].flags"); /* it has one joint anyway */
    REFUSED(&f, skins[1].flags, 0, "skins[1]");
    REFUSED(&f, skins[1].flags, 2, "skins[1].flags");
    REFUSED(&f, skins[1].joint_first, 1, "skins[1].flags"); /* this joint is not the mesh node */
    REFUSED(&f, joints[2].joint_from_bind.m[12], 1, "skins[1].flags");
    REFUSED(&f, joints[0].node, 4, "joints[0].node");
    REFUSED(&f, joints[0].joint_from_bind.m[15], 0, "joints[0].joint_from_bind");
    REFUSED(&f, joints[0].reserved[2], 1, "joints[0].reserved");
    fixture_fini(&f);
}

TEST(bake_decode_rules_of_meshes)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, meshes[0].primitive_count, 2, "meshes");
    REFUSED(&f, meshes[1].primitive_first, 2, "meshes[1].primitives");
    REFUSED(&f, primitives[0].mesh, 1, "primitives[0].mesh");
    REFUSED(&f, primitives[0].mesh, 2, "primitives[0].mesh");
    REFUSED(&f, primitives[0].topology, 3, "primitives[0].topology");
    REFUSED(&f, primitives[0].topology, TOPOLOGY_LINES, "primitives[0].indices"); /* three is odd */
    REFUSED(&f, primitives[0].vertex_count, 6, "primitives[0].vertices");
    REFUSED(&f, primitives[1].vertex_count, 3, "primitives[1].vertices"); /* six of five */
    REFUSED(&f, primitives[0].vertex_first, UINT32_MAX, "primitives[0].vertices");
    REFUSED(&f, primitives[0].vertex_count, 2, "primitives[0].indices"); /* index 2 */
    REFUSED(&f, primitives[1].index_count, 4, "primitives[1].indices");
    REFUSED(&f, primitives[0].index_first, 3, "primitives[0].indices");
    REFUSED(&f, primitives[0].morph_target_count, 2, "primitives[0].morph_targets");
    REFUSED(&f, primitives[0].morph_target_first, 1, "primitives[0].morph_targets");
    REFUSED(&f, morph_targets[0].position_first, 4, "primitives[0].morph_targets");
    REFUSED(&f, morph_targets[0].normal_first, 4, "primitives[0].morph_targets");
    REFUSED(&f, morph_targets[0].name.offset, 99999, "morph_targets[0].name");
    REFUSED(&f, primitives[0].material, 1, "primitives[0].material");
    REFUSED(&f, primitives[0].flags, 64, "primitives[0].flags");
    REFUSED(&f, primitives[0].flags, PRIMITIVE_FLAT | PRIMITIVE_FILE_NORMALS, "primitives[0].flags");
    REFUSED(&f, indices[2], 3, "primitives[0].indices");
    REFUSED(&f, influence_firsts[0], 1, "influence_firsts[0]");
    REFUSED(&f, influence_firsts[2], 1, "influence_firsts[2]");
    REFUSED(&f, influence_firsts[5], 4, "influence_firsts[5]");
    REFUSED(&f, influences[0].joint, 2, "mesh 0 primitive 0 refers to joint 2, but skin 0");
    REFUSED(&f, influences[0].joint, UINT32_MAX, "refers to joint");
    REFUSED(&f, influences[0].weight, 0, "influences[0].weight");
    REFUSED(&f, influences[0].weight, NAN, "influences[0].weight");
    REFUSED(&f, dual_weights[4], NAN, "dual_weights");
    REFUSED(&f, dual_weights[4], -0.5f, "dual_weights[4].weight");
    REFUSED(&f, dual_weights[0], 1.5f, "dual_weights[0].weight");
    REFUSED(&f, positions[4].z, NAN, "positions");
    REFUSED(&f, normals[0].x, NAN, "normals");
    REFUSED(&f, texcoords[0].y, HUGE_VALF, "texcoords");
    REFUSED(&f, second_texcoords[0].y, HUGE_VALF, "second_texcoords");
    REFUSED(&f, tangents[4].w, NAN, "tangents");
    REFUSED(&f, morph_deltas[5].z, NAN, "morph_deltas");
    REFUSED(&f, draws[0].node, 3, "draws[0]");
    REFUSED(&f, draws[0].primitive, 1, "draws[0]");
    REFUSED(&f, draws[1].skin, 0, "draws[1]");
    REFUSED(&f, draws[1].flags, 0, "draws[1]");
    fixture_fini(&f);
}

TEST(bake_decode_rules_of_clips)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, clips[0].channel_count, 4, "clips");
    REFUSED(&f, clips[0].duration_s, 1.999, "clips[0].duration_s"); /* its last key is later */
    REFUSED(&f, clips[0].duration_s, 2e100, "clips[0].duration_s");
    REFUSED(&f, clips[0].start_s, 0, "clips[0].start_s");
    REFUSED(&f, clips[0].duration_s, (double)NAN, "clips[0].duration_s");
    REFUSED(&f, channels[0].node, 4, "channels[0].node");
    REFUSED(&f, channels[0].path, PATH_COUNT, "channels[0].path");
    REFUSED(&f, channels[0].path, PATH_VISIBILITY, "channels[0].interpolation");
    REFUSED(&f, channels[0].path, PATH_SCALE, "channels[0].component_count");
    REFUSED(&f, channels[2].node, 0, "channels[2].component_count"); /* has no weights */
    REFUSED(&f, channels[0].component_count, 3, "channels[0].component_count");
    REFUSED(&f, channels[0].interpolation, 3, "channels[0].interpolation");
    REFUSED(&f, channels[4].value_first, 27, "channels[4].values"); /* needs 18 floats of 44 */
    REFUSED(&f, channels[0].key_count, 0, "channels[0].key_times");
    REFUSED(&f, channels[0].key_count, 3, "channels[0].key_times"); /* into the next channel's: they fall */
    REFUSED(&f, channels[3].key_count, UINT32_MAX, "channels[3].key_times");
    REFUSED(&f, channels[3].value_first, 100, "channels[3].values");
    REFUSED(&f, channels[0].reserved, 1, "channels[0].reserved");
    REFUSED(&f, key_times[1], 0.5, "channels[0].key_times");
    REFUSED(&f, key_times[0], (double)NAN, "key_times[0]");
    REFUSED(&f, key_times[0], -1.7e308, "key_times[0]"); /* too far from the next one for a double */
    REFUSED(&f, key_values[0], NAN, "key_values");
    REFUSED(&f, markers[0].clip, 1, "markers[1].clip"); /* out of order */
    REFUSED(&f, markers[1].clip, 3, "markers[1].clip");
    REFUSED(&f, markers[0].time_s, (double)NAN, "markers[0].time_s");
    REFUSED(&f, markers[1].time_s, HUGE_VAL, "markers[1].time_s");
    REFUSED(&f, markers[0].time_s, 2, "markers[1].time_s"); /* out of order */
    REFUSED(&f, markers[0].name.offset, 5000, "markers[0].name");
    REFUSED(&f, markers[0].value.size_bytes, 5000, "markers[0].value");
    REFUSED(&f, markers[1].reserved, 1, "markers[1].reserved");
    fixture_fini(&f);
}

TEST(bake_refuses_broken_cameras)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, cameras[0].node, 2, "cameras[1].node"); /* two at one node */
    REFUSED(&f, cameras[1].node, 99, "cameras[1].node");
    REFUSED(&f, cameras[0].kind, 2, "cameras[0].kind");
    REFUSED(&f, cameras[0].height, 3.2f, "cameras[0].view");
    REFUSED(&f, cameras[0].width, -1, "cameras[0].view");
    REFUSED(&f, cameras[0].z_near, 0, "cameras[0].view");
    REFUSED(&f, cameras[0].z_far, 0.05f, "cameras[0].view");
    REFUSED(&f, cameras[0].z_far, NAN, "cameras[0].view");
    REFUSED(&f, cameras[1].width, 0, "cameras[1].view");
    REFUSED(&f, cameras[1].z_near, -1, "cameras[1].view");
    REFUSED(&f, cameras[1].z_far, 0, "cameras[1].view");
    REFUSED(&f, cameras[0].name.offset, 5000, "cameras[0].name");
    REFUSED(&f, cameras[1].facing, 2, "cameras[1].facing");
    REFUSED(&f, nodes[0].flags, NODE_IN_SCENE | NODE_HIDES, "nodes[0].flags");
    REFUSED(&f, variants[1].name.offset, STR_NONE, "variants[1].name");
    REFUSED(&f, variant_materials[0].primitive, 9, "variant_materials[0].primitive");
    REFUSED(&f, variant_materials[0].variant, 2, "variant_materials[0].variant");
    REFUSED(&f, variant_materials[0].variant, 1, "variant_materials[1].primitive"); /* one twice */
    REFUSED(&f, variant_materials[1].material, 9, "variant_materials[1].material");
    REFUSED(&f, variant_materials[1].reserved, 1, "variant_materials[1].reserved");
    REFUSED(&f, humanoid_bones[1].node, 99, "humanoid_bones[1].node");
    REFUSED(&f, humanoid_bones[0].reserved, 1, "humanoid_bones[0].reserved");
    REFUSED(&f, humanoid_bones[1].name.size_bytes, 4, "humanoid_bones[1].name"); /* the first one's */
    REFUSED(&f, humanoid_bones[0].name.offset, STR_NONE, "humanoid_bones[0].name");
    REFUSED(&f, humanoid_bones[0].name.offset, 5000, "humanoid_bones[0].name");
    fixture_fini(&f);
}

TEST(bake_decode_rules_of_faces)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, expressions[0].name.offset, STR_NONE, "expressions[0].name");
    REFUSED(&f, expressions[1].name.size_bytes, 5000, "expressions[1].name");
    REFUSED(&f, expressions[1].name.offset, f.model.expressions[0].name.offset, "expressions[1].name"); /* "happ" */
    REFUSED(&f, expressions[0].flags, 4, "expressions[0].flags");
    REFUSED(&f, expressions[0].override_mouth, 3, "expressions[0].override_mouth");
    REFUSED(&f, expressions[1].override_blink, 3, "expressions[1].override_blink");
    REFUSED(&f, expressions[1].override_look_at, 3, "expressions[1].override_look_at");
    REFUSED(&f, expressions[1].node, 99, "expressions[1].node");
    REFUSED(&f, expressions[1].node, -2, "expressions[1].node");
    REFUSED(&f, expressions[1].bind_first, 1, "expressions[1].bind_first");
    REFUSED(&f, expressions[1].bind_count, 2, "expressions[1].bind_count");
    REFUSED(&f, expressions[1].bind_count, 0, "expression_binds has 3 elements instead of 2");
    REFUSED(&f, expression_binds[0].kind, BIND_KIND_COUNT, "expression_binds[0].kind");
    REFUSED(&f, expression_binds[0].target, 99, "expression_binds[0].target");
    REFUSED(&f, expression_binds[1].target, 99, "expression_binds[1].target");
    REFUSED(&f, expression_binds[0].index, 99, "expression_binds[0].index");
    REFUSED(&f, expression_binds[1].index, EXPRESSION_COLOR_COUNT, "expression_binds[1].index");
    REFUSED(&f, expression_binds[2].index, 1, "expression_binds[2].index");
    REFUSED(&f, expression_binds[0].weight, NAN, "expression_binds[0].weight");
    REFUSED(&f, expression_binds[1].weight, 1, "expression_binds[1].weight");
    REFUSED(&f, expression_binds[0].values[3], 1, "expression_binds[0].values");
    REFUSED(&f, expression_binds[2].values[3], INFINITY, "expression_binds[2].values");
    REFUSED(&f, gazes[0].kind, GAZE_KIND_COUNT, "gazes[0].kind");
    REFUSED(&f, gazes[0].node, 99, "gazes[0].node");
    REFUSED(&f, gazes[0].offset[1], NAN, "gazes[0].offset");
    REFUSED(&f, gazes[0].ranges[GAZE_UP].most_deg, 0, "gazes[0].ranges");
    REFUSED(&f, gazes[0].ranges[GAZE_UP].output, NAN, "gazes[0].ranges");
    fixture_fini(&f);
}

TEST(bake_decode_rules_of_constraints)
{
    struct fixture f;
    fixture_constrained(&f);
    REFUSED(&f, constraints[0].node, 6, "constraints[0].node");
    REFUSED(&f, constraints[3].node, 1, "constraints[3].node"); /* it has one */
    REFUSED(&f, constraints[1].source, 6, "constraints[1].source");
    REFUSED(&f, constraints[1].source, 2, "constraints[1].source"); /* itself */
    REFUSED(&f, constraints[1].kind, CONSTRAINT_KIND_COUNT, "constraints[1].kind");
    REFUSED(&f, constraints[1].axis, AXIS_COUNT, "constraints[1].axis");
    REFUSED(&f, constraints[3].axis, AXIS_MINUS_X, "constraints[3].axis");
    REFUSED(&f, constraints[2].axis, AXIS_Y, "constraints[2].axis");
    REFUSED(&f, constraints[0].weight, 1.5f, "constraints[0].weight");
    REFUSED(&f, constraints[0].weight, -0.5f, "constraints[0].weight");
    REFUSED(&f, constraints[0].weight, NAN, "constraints[0].weight");
    REFUSED(&f, constraints[2].source, 5, "constraints[2].source"); /* which comes later */
    REFUSED(&f, constraints[0].source, 2, "constraints[0].source"); /* which it moves */
    fixture_fini(&f);
}

TEST(bake_refuses_broken_property_channels)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, property_channels[0].clip, 99, "property_channels[0].clip");
    REFUSED(&f, property_channels[0].clip, 2, "property_channels[1].order");
    REFUSED(&f, property_channels[0].channel.node, 1, "property_channels[0].node");
    REFUSED(&f, property_channels[1].channel.node, 2, "property_channels[1].node");
    REFUSED(&f, property_channels[1].channel.path, PATH_VISIBILITY, "property_channels[1].path");
    REFUSED(&f, property_channels[1].channel.path, PATH_COUNT + PROPERTY_COUNT, "property_channels[1].path");
    REFUSED(&f, property_channels[1].channel.path, PATH_COUNT + PROPERTY_CAMERA_YFOV, "property_channels[1].node");
    REFUSED(&f, property_channels[0].channel.path,
            PATH_COUNT + PROPERTY_TRANSFORMS + TEXTURE_EMISSIVE * TRANSFORM_PARTS, "property_channels[0].node");
    REFUSED(&f, property_channels[0].channel.path, PATH_COUNT + PROPERTY_OCCLUSION_STRENGTH,
            "property_channels[0].node");
    REFUSED(&f, property_channels[0].channel.interpolation, 3, "property_channels[0].interpolation");
    REFUSED(&f, property_channels[0].channel.component_count, 3, "property_channels[0].component_count");
    REFUSED(&f, property_channels[0].channel.key_count, 0, "property_channels[0].key_times");
    REFUSED(&f, property_channels[0].channel.key_time_first, 5000, "property_channels[0].key_times");
    REFUSED(&f, property_channels[0].channel.value_first, UINT32_MAX, "property_channels[0].values");
    REFUSED(&f, property_channels[0].channel.reserved, 1, "property_channels[0].reserved");
    fixture_fini(&f);
}

TEST(bake_refuses_broken_lights)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, lights[0].node, 3, "lights[1].node"); /* two at one node */
    REFUSED(&f, lights[1].node, 99, "lights[1].node");
    REFUSED(&f, lights[0].kind, LIGHT_KIND_COUNT, "lights[0].kind");
    REFUSED(&f, lights[0].color[2], -1, "lights[0].power");
    REFUSED(&f, lights[0].intensity, INFINITY, "lights[0].power");
    REFUSED(&f, lights[0].range, 1, "lights[0].power"); /* of a directional one */
    REFUSED(&f, lights[1].range, NAN, "lights[1].power");
    REFUSED(&f, lights[0].outer_cone, 1, "lights[0].cone");
    REFUSED(&f, lights[1].inner_cone, -0.1f, "lights[1].cone");
    REFUSED(&f, lights[1].inner_cone, 0.5f, "lights[1].cone");
    REFUSED(&f, lights[1].outer_cone, 1.6f, "lights[1].cone");
    REFUSED(&f, lights[1].outer_cone, NAN, "lights[1].cone");
    REFUSED(&f, lights[1].name.offset, 5000, "lights[1].name");
    fixture_fini(&f);
}

/* A stream of deflate has at least a byte for each 1032 of the picture. */
static void place_of_deflate_refused(struct fixture *f)
{
    struct picture_place *changed = (void *)(uintptr_t)&f->model.picture_places[2];
    changed->encoding = TEXTURE_DEFLATED;
    REFUSED(f, picture_places[2].size_bytes, 0, "picture_places[2].encoding");
    REFUSED(f, textures[2].file_bytes, 1032 * 108, "picture_places[2].encoding");
    REFUSED(f, picture_places[2].offset, 893, "picture_places[2].offset");
    changed->encoding = TEXTURE_BASE64;
}

TEST(bake_decode_rules_of_assets)
{
    struct fixture f;
    fixture_worked(&f);
    REFUSED(&f, infos[0].unit_m, 0, "infos[0].unit_m");
    REFUSED(&f, infos[0].up[1], 2, "infos[0].up");
    REFUSED(&f, infos[0].forward[0], NAN, "infos[0].forward");
    REFUSED(&f, infos[0].flags, 32, "infos[0].flags");
    REFUSED(&f, infos[0].flags, MODEL_OWN_SCALES, "infos[0].flags"); /* no node has them */
    REFUSED(&f, infos[0].rest_min.x, 100, "infos[0].rest_min");
    REFUSED(&f, infos[0].rest_max.x, NAN, "infos[0].rest_min");
    REFUSED(&f, infos[0].frame_rate, -1, "infos[0].frame_rate");
    REFUSED(&f, infos[0].frame_rate, NAN, "infos[0].frame_rate");
    REFUSED(&f, text[0], 0, "text");
    REFUSED(&f, text[0], (char)0x80, "text");
    REFUSED(&f, materials[0].base_color[2], NAN, "materials[0].base_color");
    REFUSED(&f, materials[0].emissive[2], NAN, "materials[0].emissive");
    REFUSED(&f, materials[0].metallic, 1.5f, "materials[0].metallic");
    REFUSED(&f, materials[0].roughness, -1, "materials[0].roughness");
    REFUSED(&f, materials[0].normal_scale, NAN, "materials[0].normal_scale");
    REFUSED(&f, materials[0].occlusion_strength, NAN, "materials[0].occlusion_strength");
    REFUSED(&f, materials[0].textures[TEXTURE_BASE_COLOR].texture, 3, "materials[0].textures");
    REFUSED(&f, materials[0].textures[TEXTURE_BASE_COLOR].texture, 2, "materials[0].textures"); /* it holds data */
    REFUSED(&f, materials[0].textures[TEXTURE_NORMAL].texture, 0, "materials[0].textures");     /* it holds colours */
    REFUSED(&f, materials[0].textures[TEXTURE_NORMAL].texcoord_set, 2, "materials[0].textures");
    REFUSED(&f, materials[0].textures[TEXTURE_EMISSIVE].uv_from_texcoord[5], NAN, "materials[0].textures");
    REFUSED(&f, materials[0].alpha_mode, 3, "materials[0].alpha_mode");
    REFUSED(&f, materials[0].layers, 1, "materials[0].layers");
    REFUSED(&f, materials[0].layers, -2, "materials[0].layers");
    REFUSED(&f, material_layers[0].present, 0, "material_layers[0].present");
    REFUSED(&f, material_layers[0].present, 1U << LAYER_COUNT, "material_layers[0].present");
    REFUSED(&f, material_layers[0].clearcoat, NAN, "material_layers[0].clearcoatFactor");
    REFUSED(&f, material_layers[0].clearcoat_normal_scale, INFINITY, "material_layers[0].clearcoat_normal_scale");
    REFUSED(&f, material_layers[0].specular_color[2], -1, "material_layers[0].specularColorFactor");
    REFUSED(&f, material_layers[0].ior, 0.5f, "material_layers[0].ior");
    REFUSED(&f, material_layers[0].sheen_roughness, 1.5f, "material_layers[0].sheenRoughnessFactor");
    REFUSED(&f, material_layers[0].iridescence_thickness_max_nm, 1e9f,
            "material_layers[0].iridescenceThicknessMaximum");
    REFUSED(&f, material_layers[0].textures[LAYER_SLOT_COUNT - 1].texture, 3, "material_layers[0].textures");
    REFUSED(&f, material_layers[0].textures[0].texture, 0, "material_layers[0].textures"); /* it holds colours */
    REFUSED(&f, material_layers[0].textures[TEXTURE_SHEEN_COLOR - TEXTURE_SLOT_COUNT].texture, 2,
            "material_layers[0].textures"); /* it holds data */
    REFUSED(&f, textures[0].width, 3, "textures[0].pixels");
    REFUSED(&f, textures[0].width, 0, "textures[0].pixels");
    REFUSED(&f, textures[0].width, 0x80000000u, "textures[0].pixels");
    REFUSED(&f, textures[0].height, 2, "textures[0].pixels");
    REFUSED(&f, textures[0].level_count, 1, "textures[0].pixels");
    REFUSED(&f, textures[0].pixel_first, 1, "textures[0].pixels");
    REFUSED(&f, textures[0].pixel_first, UINT64_MAX, "textures[0].pixels");
    REFUSED(&f, textures[0].state, TEXTURE_MISSING, "textures[0].pixels");
    REFUSED(&f, textures[0].state, 3, "textures[0].state");
    REFUSED(&f, textures[0].wrap_t, 3, "textures[0].wrap_t");
    REFUSED(&f, textures[0].mag_filter, 2, "textures[0].mag_filter");
    REFUSED(&f, textures[1].min_filter, 6, "textures[1].min_filter");
    REFUSED(&f, textures[1].content, 3, "textures[1].content");
    REFUSED(&f, textures[1].reserved, 1, "textures[1].reserved");
    REFUSED(&f, textures[2].file, TEXTURE_FILE_COUNT, "textures[2].file");
    REFUSED(&f, textures[2].file, TEXTURE_FILE_NONE, "textures[2].file"); /* it has a hash */
    REFUSED(&f, textures[2].file_bytes, 0, "textures[2].file");
    REFUSED(&f, textures[1].file, TEXTURE_FILE_PNG, "textures[1].file"); /* it is missing */
    REFUSED(&f, textures[0].file_reserved, 1, "textures[0].file");
    REFUSED(&f, picture_places[2].source_file, 1, "picture_places[2].source_file"); /* there is one source file */
    REFUSED(&f, picture_places[2].source_file, -1, "picture_places[2].source_file");
    REFUSED(&f, picture_places[0].source_file, 0, "picture_places[0].source_file"); /* its texture has no file */
    REFUSED(&f, picture_places[0].source_file, -2, "picture_places[0].source_file");
    REFUSED(&f, picture_places[1].offset, 1, "picture_places[1].source_file");
    REFUSED(&f, picture_places[2].encoding, TEXTURE_AS_IT_IS, "picture_places[2].encoding"); /* of another size */
    REFUSED(&f, picture_places[2].size_bytes, 80, "picture_places[2].encoding");
    REFUSED(&f, picture_places[2].encoding, TEXTURE_BASE64_PIECES + 2, "picture_places[2].encoding");
    place_of_deflate_refused(&f);
    REFUSED(&f, picture_places[2].size_bytes, UINT64_MAX, "picture_places[2].offset");
    REFUSED(&f, picture_places[2].offset, 893, "picture_places[2].offset"); /* past the end */
    REFUSED(&f, picture_places[2].offset, UINT64_MAX, "picture_places[2].offset");
    REFUSED(&f, source_files[0].role, SOURCE_FOLDER, "picture_places[2].source_file");
    REFUSED(&f, source_files[0].is_missing, 1, "picture_places[2].source_file");
    REFUSED(&f, warnings[0].message.size_bytes, 5000, "warnings[0].message");
    REFUSED(&f, source_files[0].path.offset, 5000, "source_files[0].path");
    REFUSED(&f, source_files[0].role, 5, "source_files[0].role");
    REFUSED(&f, extras[1].owner, 3, "extras[1].owner");
    REFUSED(&f, extras[1].owner, EXTRA_NODE, "extras[1].index"); /* after that of node 1 */
    REFUSED(&f, extras[2].owner, EXTRA_MATERIAL, "extras[2].index");
    REFUSED(&f, extras[1].index, 1, "extras[1].index");
    REFUSED(&f, extras[0].json.size_bytes, 5000, "extras[0].json");
    REFUSED(&f, extras[0].json.size_bytes, 3, "extras[0].json"); /* a part of it is no JSON */
    REFUSED(&f, extras[2].json.offset, f.model.extras[2].json.offset + 1, "extras[2].json");
    REFUSED(&f, carried_members[0].owner, CARRY_OWNER_COUNT, "carried_members[0].owner");
    REFUSED(&f, carried_members[0].index, 1, "carried_members[0].index");
    REFUSED(&f, carried_members[1].index, 5000, "carried_members[1].index");
    REFUSED(&f, carried_members[2].owner, CARRY_DOCUMENT, "carried_members[2].index");
    REFUSED(&f, carried_members[2].index, 0, "carried_members[2].member");
    REFUSED(&f, carried_members[1].index, 2, "carried_members[2].member");
    REFUSED(&f, carried_members[0].member.size_bytes, 5000, "carried_members[0].member");
    REFUSED(&f, carried_members[0].json.size_bytes, 3, "carried_members[0].json");
    fixture_fini(&f);
}

/* Two skinned nodes of two meshes of points, whose ranges can overlap and stay inside their arrays. */
static void twins(struct fixture *f)
{
    const struct vec3 positions[3] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    const double time = 1;
    const uint32_t joint = 0;
    fixture_init(f);
    struct bake_builder *b = &f->builder;
    fixture_clip(f);
    for (uint32_t n = 0; n < 2; n++) {
        fixture_node(f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        const uint32_t mesh = fixture_mesh(f, positions, 3);
        b->nodes[n].mesh = (int32_t)mesh;
        b->nodes[n].skin = 0;
        memset(b->indices, 0, b->index_count * sizeof *b->indices);
        b->primitives[n].morph_target_count = 1;
        *bake_add_morph_target(b, 1) = (struct morph_target){{.offset = STR_NONE}, 0, 0};
        fixture_channel(f, n, PATH_SCALE, INTERPOLATION_LINEAR, 3, &time, 1, &positions[0].x);
    }
    bake_add_morph_delta(b, 4);
    *bake_add_influence(b, 1) = (struct influence){0, 1};
    for (int v = 1; v <= 6; v++) /* all influences at vertex 0 */
        b->influence_firsts[v] = 1;
    fixture_skin(f, &joint, 1);
    fixture_finish(f);
}

/* The overlapping ranges are inside their arrays, but the work would grow with the square of the size. */
TEST(bake_decode_bounds_overlapping_ranges)
{
    struct fixture f;
    twins(&f);
    REFUSED(&f, primitives[0].index_count, 4, "primitives[1].indices");
    REFUSED(&f, primitives[0].morph_target_count, 2, "primitives[1].morph_targets");
    REFUSED(&f, primitives[0].vertex_count, 4, "primitives[1].vertices");
    REFUSED(&f, primitives[1].vertex_first, 0, "primitives[1].vertices"); /* one influence, used twice */
    REFUSED(&f, channels[1].node, 0, "channels[1].node");                 /* one thing driven twice */
    REFUSED(&f, skins[0].mesh_node, 1, "nodes[0].skin");                  /* node 0 uses it first */
    fixture_fini(&f);
}

TEST(bake_limits_what_each_request_looks_at)
{
    struct fixture f;
    struct err err = {0};
    fixture_init(&f);
    struct bake_builder *b = &f.builder;
    bake_add_source_file(b, 1024);
    assert_int_equal(bake_finish(b, &err), 0);
    bake_add_source_file(b, 1);
    assert_int_equal(bake_finish(b, &err), ERR_MODEL_LIMIT);
    assert_non_null(strstr(err.message, "source_files"));
    bake_builder_fini(b);
    fixture_init(&f);
    bake_add_weight(b, 1000000);
    assert_int_equal(bake_finish(b, &err), 0);
    bake_add_weight(b, 1);
    assert_int_equal(bake_finish(b, &err), ERR_MODEL_LIMIT);
    assert_non_null(strstr(err.message, "weights"));
    fixture_fini(&f);
}

TEST(bake_finish_limits_what_a_frame_deforms)
{
    struct fixture f;
    struct err err = {0};
    const struct vec3 position = {0, 0, 0};
    fixture_init(&f);
    struct bake_builder *b = &f.builder;
    for (uint32_t n = 0; n < 2000; n++) {
        fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        b->nodes[n].mesh = 0;
    }
    fixture_mesh(&f, &position, 1);
    /* 2000 nodes draw a mesh of 50001 vertices: 100 002 000, and the limit is 100 million */
    bake_add_position(b, 50000);
    bake_add_normal(b, 50000);
    bake_add_influence_first(b, 50000);
    b->primitives[0].vertex_count = 50001;
    assert_int_equal(bake_finish(b, &err), ERR_MODEL_LIMIT);
    assert_non_null(strstr(err.message, "node 1999"));
    fixture_fini(&f);
}
