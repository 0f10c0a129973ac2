/* Crowds by every kernel, with many entities in its lanes, have the same bits as each entity alone by the scalar
 * kernel. */
#include "anim/entity/crowd.h"
#include "base/container_of.h"
#include "tests/unit/support/chance_layers.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 150, SHAPES = 5, ROOM = 16 * NODES_MAX * 2, RIGS = 4 };

/* The members that failed. */
struct failures {
    struct crowd_listener listener;
    uint8_t has_failed[MEMBERS];
    uint32_t count;
};

static void on_failed(struct crowd_listener *listener, uint32_t member, const struct err *err)
{
    struct failures *failures = container_of(listener, struct failures, listener);
    assert_true(err->code < 0 && err->message[0] != '\0');
    assert_false(failures->has_failed[member]);
    failures->has_failed[member] = 1;
    failures->count++;
}

struct crowd_case {
    struct fixture rigs[RIGS];
    struct layers shapes[SHAPES];
    struct blend_layer layers[MEMBERS][BLEND_LAYERS_MAX];
    struct dmat4 worlds[MEMBERS];
    struct crowd_wanted wanted[MEMBERS];
    struct crowd_member members[MEMBERS];
    float out[MEMBERS][ROOM], alone[ROOM];
};

/* Nodes given by sheared matrices, which some clips move and others do not. */
static void make_sheared_rig(struct fixture *f)
{
    fixture_init(f);
    chance_state = 9;
    add_rig(f, 12);
    add_skin(f, 0, 12, 1);
    for (uint32_t n = 2; n < 8; n++) {
        struct mat4 *matrix = bake_add_node_matrix(&f->builder, 1);
        for (int e = 0; e < 16; e++)
            matrix->m[e] = e == 15 ? 1 : e % 4 == 3 ? 0 : between(-1, 1);
        f->builder.nodes[n].matrix = (int32_t)f->builder.node_matrix_count - 1;
    }
    for (uint32_t c = 0; c < CLIPS; c++) {
        fixture_clip(f);
        for (uint32_t n = 0; n < 12; n += c == 0 ? 3 : 4)
            add_channel(f, n, n == 6 ? PATH_SCALE : PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    }
    fixture_finish(f);
    assert_int_equal(f->model.rig_matrix_count, 6);
}

/* Clips far from each other: kernels often cannot mix them. */
static void make_far_rig(struct fixture *f)
{
    fixture_init(f);
    chance_state = 4;
    add_rig(f, 17);
    add_skin(f, 0, 17, 1);
    for (uint32_t c = 0; c < CLIPS; c++) {
        fixture_clip(f);
        for (uint32_t n = 0; n < 17; n++)
            add_channel(f, n, PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    }
    fixture_finish(f);
}

/* Layers of one of the shapes, which some entities share, or of a shape of its own. */
static uint32_t make_layers(const struct crowd_case *of, struct blend_layer out[BLEND_LAYERS_MAX])
{
    const struct layers *shape = &of->shapes[(uint32_t)(chance() * SHAPES)];
    if (chance() < 0.3) {
        out[0] = (struct blend_layer){.clip = (int32_t)(chance() * CLIPS), .clip_time_s = 2.2 * chance(), .weight = 1};
        return 1;
    }
    memcpy(out, shape->layers, shape->count * sizeof *out);
    for (uint32_t i = 0; i < shape->count; i++) {
        out[i].clip = chance() < 0.2 ? POSE_REST : (int32_t)(chance() * CLIPS);
        out[i].clip_time_s = chance() < 0.1 ? 0 : 2.2 * chance();
        out[i].weight = out[i].weight > 0 ? 0.01 + 0.99 * chance() : 0;
        if (chance() < 0.5)
            out[i].reference_clip = out[i].clip;
    }
    return shape->count;
}

static struct dmat4 random_place(bool is_huge)
{
    float turn[4];
    struct trs place = {.translation = {chance() * 9, -3, 2}, .scale = {1 + chance(), 2, is_huge ? 3e38 : 0.5}};
    random_turn(turn);
    for (int i = 0; i < 4; i++)
        place.rotation[i] = (double)turn[i];
    return dmat4_from_trs(&place);
}

static void make_members(struct crowd_case *of, uint32_t count)
{
    static const uint32_t ITEMS[3] = {3, 0, 9};
    for (uint32_t i = 0; i < count; i++) {
        const bool has_items = chance() < 0.2;
        of->worlds[i] = random_place(chance() < 0.05);
        of->wanted[i] = (struct crowd_wanted){.what = chance() < 0.1 ? CROWD_NODES : CROWD_PALETTE,
                                              .skin = !has_items && chance() < 0.1 ? CROWD_ALL_SKINS : 0,
                                              .items = ITEMS,
                                              .item_count = has_items ? 3 : 0};
        of->members[i] = (struct crowd_member){
            .entity = {.model = &of->rigs[(uint32_t)(chance() * RIGS)].model,
                       .layers = of->layers[i],
                       .layer_count = make_layers(of, of->layers[i]),
                       .world_from_scene = chance() < 0.4 ? &of->worlds[i] : NULL},
            .wanted = &of->wanted[i],
            .layout = chance() < 0.1   ? LAYOUT_DUALQUAT
                      : chance() < 0.5 ? LAYOUT_MAT4
                                       : LAYOUT_MAT3X4,
            .out = of->out[i],
        };
        assert_true(crowd_wanted_count(&of->wanted[i], of->members[i].entity.model) * 16 <= ROOM);
    }
}

static struct crowd_case *make_case(void)
{
    struct crowd_case *of = calloc(1, sizeof *of);
    make_rig(&of->rigs[0], 30, false);
    make_rig(&of->rigs[1], 37, true);
    make_sheared_rig(&of->rigs[2]);
    make_far_rig(&of->rigs[3]);
    chance_state = 5;
    for (int i = 0; i < SHAPES; i++)
        random_layers(&of->shapes[i], 12, i > 1);
    return of;
}

static void free_case(struct crowd_case *of)
{
    for (int i = 0; i < RIGS; i++)
        fixture_fini(&of->rigs[i]);
    free(of);
}

/* The floats of a single member, by the code for one entity. false: it fails, and they are 0. */
static bool evaluate_alone(struct entity_work *work, const struct crowd_member *member, float *out)
{
    const struct crowd_wanted *wanted = member->wanted;
    const struct model *model = member->entity.model;
    const uint32_t floats = layout_floats(member->layout);
    static float palette[ROOM];
    uint32_t nodes[NODES_MAX + 8];
    struct err err;
    int rc;
    if (wanted->what == CROWD_NODES && member->layout == LAYOUT_DUALQUAT)
        entity_evaluate_exact(work, &member->entity);
    else
        entity_evaluate(work, &member->entity);
    for (uint32_t n = 0; n < model->node_count; n++)
        nodes[n] = n;
    if (wanted->what == CROWD_NODES) {
        rc = entity_nodes(work, wanted->item_count > 0 ? wanted->items : nodes,
                          wanted->item_count > 0 ? wanted->item_count : model->node_count, member->layout, out, &err);
    } else {
        rc = entity_palette(work, 0, member->layout, palette, &err);
        memcpy(out, palette, model->skins[0].joint_count * floats * sizeof *out);
        for (uint32_t i = 0; i < wanted->item_count; i++)
            memcpy(out + i * floats, palette + wanted->items[i] * floats, floats * sizeof *out);
    }
    if (rc < 0)
        memset(out, 0, crowd_wanted_count(wanted, model) * floats * sizeof *out);
    return rc == 0;
}

TEST(crowd_has_the_bits_of_each_entity_alone)
{
    struct crowd_case *of = make_case();
    struct crowd_work work;
    struct entity_work alone;
    unsigned failed = 0, compiled = 0, exact = 0, kernels = 0;
    entity_work_init(&alone);
    alone.compiled.kernel = kernel_at(0);
    crowd_work_init(&work);
    while (kernel_at(kernels) != NULL)
        kernels++;
    for (uint32_t round = 0; round < 40; round++) {
        const uint32_t count = round < 20 ? round : MEMBERS; /* groups that are not full, too */
        make_members(of, count);
        for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
            struct entity_work evaluator;
            struct failures failures = {.listener = {on_failed}};
            entity_work_init(&evaluator);
            evaluator.compiled.kernel = kernel_at(k);
            memset(of->out, 0x55, sizeof of->out);
            assert_int_equal(crowd_run(&work, &evaluator, of->members, count, NULL, &failures.listener), 0);
            compiled += (unsigned)evaluator.compiled_count;
            exact += (unsigned)evaluator.exact_count;
            failed += failures.count;
            alone.compiled_count = alone.exact_count = 0;
            for (uint32_t i = 0; i < count; i++) {
                const struct crowd_member *member = &of->members[i];
                const size_t bytes = crowd_wanted_count(member->wanted, member->entity.model) *
                                     layout_floats(member->layout) * sizeof(float);
                assert_int_equal(evaluate_alone(&alone, member, of->alone), !failures.has_failed[i]);
                if (memcmp(of->alone, of->out[i], bytes) != 0)
                    fail_msg("round %u, kernel %s, member %u: other bits", round, kernel_at(k)->name, i);
            }
            assert_int_equal(evaluator.compiled_count, alone.compiled_count);
            assert_int_equal(evaluator.exact_count, alone.exact_count);
            entity_work_fini(&evaluator);
        }
    }
    assert_true(failed > 20 * kernels && exact > 300 * kernels && compiled > 1500 * kernels);
    entity_work_fini(&alone);
    crowd_work_fini(&work);
    free_case(of);
}

TEST(crowd_that_nobody_waits_for_ends)
{
    struct crowd_case *of = make_case();
    struct crowd_work work;
    struct entity_work evaluator;
    struct failures failures = {.listener = {on_failed}};
    const _Atomic bool is_stopped = true;
    crowd_work_init(&work);
    entity_work_init(&evaluator);
    make_members(of, 20);
    assert_int_equal(crowd_run(&work, &evaluator, of->members, 20, &is_stopped, &failures.listener),
                     ERR_REQUEST_TIMEOUT);
    assert_int_equal(evaluator.compiled_count + evaluator.exact_count, 0);
    crowd_work_fini(&work);
    entity_work_fini(&evaluator);
    free_case(of);
}

/* Members of one model that play its clip at times of their own, each with the bits of itself alone. */
static void check_members(const struct model *model, const struct crowd_wanted *wanted, struct crowd_work *work)
{
    enum { COUNT = 20, FLOATS = 16 * 3 };
    struct entity_work evaluator, alone;
    struct failures failures = {.listener = {on_failed}};
    struct blend_layer layers[COUNT];
    struct crowd_member members[COUNT];
    static float out[COUNT][FLOATS], one[FLOATS];
    crowd_work_init(work);
    entity_work_init(&evaluator);
    entity_work_init(&alone);
    for (uint32_t i = 0; i < COUNT; i++) {
        layers[i] = (struct blend_layer){.clip = 0, .clip_time_s = 0.1 * i, .weight = 1};
        members[i] = (struct crowd_member){.entity = {.model = model, .layers = &layers[i], .layer_count = 1},
                                           .wanted = wanted,
                                           .layout = LAYOUT_MAT4,
                                           .out = out[i]};
        assert_true(crowd_wanted_count(wanted, model) * 16 <= FLOATS);
    }
    assert_int_equal(crowd_run(work, &evaluator, members, COUNT, NULL, &failures.listener), 0);
    assert_int_equal(evaluator.compiled_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct crowd_member single = members[i];
        single.out = one;
        assert_int_equal(crowd_run(work, &alone, &single, 1, NULL, &failures.listener), 0);
        assert_memory_equal(one, out[i], crowd_wanted_count(wanted, model) * 16 * sizeof(float));
    }
    assert_int_equal(failures.count, 0);
    entity_work_fini(&evaluator);
    entity_work_fini(&alone);
}

/* A scale that the node below does not inherit is the parent's at rest, and 1 in the clip: the clip is compiled, the
 * rest pose cannot be mixed. */
TEST(crowd_of_a_model_without_parts)
{
    static const float TALL[3] = {1, 2, 1}, ONES[6] = {1, 1, 1, 1, 1, 1};
    static const double BOTH_TIMES[2] = {0, 1};
    const struct crowd_wanted wanted = {.what = CROWD_PALETTE};
    const uint32_t joints[3] = {0, 1, 2};
    struct fixture f;
    struct crowd_work work;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, TALL);
    fixture_node(&f, 0, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_node(&f, 1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    f.builder.nodes[1].flags |= NODE_SCALE_OWN;
    fixture_root(&f, 0);
    add_mesh(&f, fixture_skin(&f, joints, 3));
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_SCALE, INTERPOLATION_LINEAR, 3, BOTH_TIMES, 2, ONES);
    add_channel(&f, 2, PATH_ROTATION, INTERPOLATION_LINEAR, TIMES, KEYS);
    fixture_finish(&f);
    assert_true(clip_palette_is_compiled(&f.model, 0));
    assert_int_equal(f.model.rig_part_count, 0);
    check_members(&f.model, &wanted, &work);
    crowd_work_fini(&work);
    fixture_fini(&f);
}

/* Groups compute in float: a clip with anything in double precision is each entity's own. */
TEST(crowd_of_a_clip_partly_in_double_precision)
{
    static const uint32_t ITEMS[3] = {3, 11, 16},
                          FLAGS[3] = {COMPILED_F64, COMPILED_F64_PRODUCTS, COMPILED_F64_MATRICES};
    const struct crowd_wanted wanted = {.what = CROWD_PALETTE, .items = ITEMS, .item_count = 3};
    struct crowd_work work;
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        make_far_rig(&f);
        f.builder.compiled_clips[0].flags |= FLAGS[i];
        f.model = bake_builder_view(&f.builder);
        check_members(&f.model, &wanted, &work);
        crowd_work_fini(&work);
        fixture_fini(&f);
    }
}

/* A skin may have one node as very many joints. */
TEST(crowd_of_a_huge_skin_holds_no_more_than_one_member)
{
    enum { JOINTS = 100000 };
    static const double BOTH_TIMES[2] = {0, 1};
    static const float PLACES[6] = {0, 0, 0, 1, 2, 3};
    const uint32_t item = 7;
    const struct crowd_wanted wanted = {.what = CROWD_PALETTE, .items = &item, .item_count = 1};
    uint32_t *joints = calloc(JOINTS, sizeof *joints);
    struct fixture f;
    struct crowd_work work;
    fixture_init(&f);
    fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    fixture_root(&f, 0);
    add_mesh(&f, fixture_skin(&f, joints, JOINTS));
    fixture_clip(&f);
    fixture_channel(&f, 0, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, BOTH_TIMES, 2, PLACES);
    fixture_finish(&f);
    check_members(&f.model, &wanted, &work);
    assert_true(crowd_work_held_bytes(&work) < 2u * JOINTS * 16 * sizeof(float));
    crowd_work_fini(&work);
    assert_true(crowd_work_reserve(&work, &f.model, 20, 2));
    assert_true(crowd_work_held_bytes(&work) < 2u * JOINTS * 16 * sizeof(float));
    crowd_work_fini(&work);
    fixture_fini(&f);
    free(joints);
}
