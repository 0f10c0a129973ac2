/* Assigns joints to the bones of a human: from the file, from tables of common rigs, by rules. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/human.h"

#include "anim/humanoid/alike_names.h"

#include <stdio.h>
#include <string.h>

struct row {
    int role;
    const char *joint;
};
#define X(symbol, joint) {ROLE_##symbol, joint},
static const struct row VRM[] = {
#include "protocol/humanoid/vrm.def"
};
static const struct row MIXAMO[] = {
#include "protocol/humanoid/mixamo.def"
};
static const struct row RIGIFY[] = {
#include "protocol/humanoid/rigify.def"
};
#undef X

/* Makes a model of nodes with these names, in this order, each below the previous one. */
static void make(struct fixture *f, const char *prefix, const struct row *rows, size_t count)
{
    char name[100];
    fixture_init(f);
    for (size_t i = 0; i < count; i++) {
        const uint32_t n = fixture_node(f, (int32_t)i - 1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
        snprintf(name, sizeof name, "%s%s", prefix, rows[i].joint);
        f->builder.nodes[n].name = bake_textz(&f->builder, name);
    }
    fixture_root(f, 0);
    fixture_finish(f);
}

/* Every role of the table is found, at the first of its rows, or at a later one if an earlier row took that joint. */
static void check_table(const char *prefix, const struct row *rows, size_t count, uint32_t map)
{
    const struct humanoid_choice choices[] = {{.map = HUMANOID_AUTO}, {.map = map}};
    struct fixture f;
    struct humanoid humanoid;
    struct err err;
    make(&f, prefix, rows, count);
    for (int c = 0; c < 2; c++) {
        assert_int_equal(humanoid_find(&f.model, &choices[c], &humanoid, &err), 0);
        for (size_t i = 0; i < count; i++) {
            const int32_t node = humanoid.nodes[rows[i].role];
            assert_true(node >= 0 && rows[node].role == rows[i].role);
        }
    }
    fixture_fini(&f);
}

TEST(humanoid_tables_find_their_rigs)
{
    enum { VRM_ROLES = ROLE_COUNT };
    check_table("", VRM, VRM_ROLES, HUMANOID_VRM);
    check_table("", VRM + VRM_ROLES, sizeof VRM / sizeof *VRM - VRM_ROLES, HUMANOID_VRM);
    const char *const prefixes[] = {"mixamorig:", "mixamorig", "mixamorig1:", "Mixamorig_", ""};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        check_table(prefixes[i], MIXAMO, sizeof MIXAMO / sizeof *MIXAMO, HUMANOID_MIXAMO);
    check_table("DEF-", RIGIFY, sizeof RIGIFY / sizeof *RIGIFY, HUMANOID_RIGIFY);
    check_table("def", RIGIFY, sizeof RIGIFY / sizeof *RIGIFY, HUMANOID_RIGIFY); /* as three.js leaves names */
    check_table("", RIGIFY, sizeof RIGIFY / sizeof *RIGIFY, HUMANOID_RIGIFY);
}

static int32_t found(const char *const *names, size_t count, int role)
{
    struct row rows[20];
    struct fixture f;
    struct humanoid humanoid;
    struct err err;
    const struct humanoid_choice choice = {0};
    for (size_t i = 0; i < count; i++)
        rows[i].joint = names[i];
    make(&f, "", rows, count);
    assert_int_equal(humanoid_find(&f.model, &choice, &humanoid, &err), 0);
    fixture_fini(&f);
    return humanoid.nodes[role];
}

/* Of three or five joints in the back the last is the upper chest; the middle one is the chest. */
TEST(humanoid_backs_of_unreal)
{
    static const char *const FIVE[] = {"pelvis",  "spine_01", "spine_02", "spine_03", "spine_04", "spine_05",
                                       "thigh_l", "calf_l",   "foot_l",   "thigh_r",  "calf_r",   "foot_r"};
    static const char *const THREE[] = {"pelvis", "spine_01", "spine_02", "spine_03", "thigh_l",
                                        "calf_l", "foot_l",   "thigh_r",  "calf_r",   "foot_r"};
    assert_int_equal(found(FIVE, 12, ROLE_SPINE), 1);
    assert_int_equal(found(FIVE, 12, ROLE_CHEST), 3);
    assert_int_equal(found(FIVE, 12, ROLE_UPPER_CHEST), 5);
    assert_int_equal(found(THREE, 10, ROLE_CHEST), 2);
    assert_int_equal(found(THREE, 10, ROLE_UPPER_CHEST), 3);
    assert_int_equal(found(THREE, 10, ROLE_LEFT_LOWER_LEG), 5);
}

/* The file's assignment comes before names. A thumb of VRM 0 begins at its metacarpal, which it calls proximal. */
TEST(humanoid_of_the_file_comes_first)
{
    static const struct {
        const char *word;
        uint32_t node;
    } BONES[] = {{"hips", 11},
                 {"leftFoot", 10},
                 {"leftLowerLeg", 9},
                 {"leftThumbDistal", 2},
                 {"leftThumbIntermediate", 1},
                 {"leftThumbProximal", 0},
                 {"leftUpperLeg", 8},
                 {"rightFoot", 5},
                 {"rightLowerLeg", 4},
                 {"rightToes", 5},
                 {"rightUpperLeg", 3},
                 {"somethingElse", 7}};
    const struct humanoid_choice own = {0}, table = {.map = HUMANOID_MIXAMO};
    struct fixture f;
    struct humanoid humanoid;
    struct err err;
    fixture_init(&f);
    for (uint32_t n = 0; n < 12; n++)
        fixture_node(&f, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE);
    f.builder.nodes[6].name = bake_textz(&f.builder, "Hips");
    fixture_root(&f, 0);
    for (size_t i = 0; i < sizeof BONES / sizeof *BONES; i++)
        *bake_add_humanoid_bone(&f.builder, 1) =
            (struct humanoid_bone){.name = bake_textz(&f.builder, BONES[i].word), .node = BONES[i].node};
    fixture_finish(&f);
    assert_int_equal(humanoid_find(&f.model, &own, &humanoid, &err), 0);
    assert_int_equal(humanoid.nodes[ROLE_HIPS], 11);
    assert_int_equal(humanoid.nodes[ROLE_RIGHT_FOOT], 5);
    assert_int_equal(humanoid.nodes[ROLE_RIGHT_TOES], -1); /* the same node is the foot already */
    assert_true(humanoid_is_enough(humanoid.nodes));
    humanoid.nodes[ROLE_RIGHT_TOES] = 5;
    assert_false(humanoid_is_enough(humanoid.nodes));
    assert_int_equal(humanoid.nodes[ROLE_LEFT_THUMB_METACARPAL], 0);
    assert_int_equal(humanoid.nodes[ROLE_LEFT_THUMB_PROXIMAL], 1);
    assert_int_equal(humanoid.nodes[ROLE_LEFT_THUMB_DISTAL], 2);
    assert_int_equal(humanoid_find(&f.model, &table, &humanoid, &err), ERR_NO_HUMANOID);
    assert_int_equal(humanoid.nodes[ROLE_HIPS], 6);
    fixture_fini(&f);
}

TEST(alike_names_of_several_nodes)
{
    static const struct row NAMES[] = {{0, "a:Hand.L"}, {0, "hand_l"}, {0, "tail:"}, {0, "._"}, {0, "x:y:Toe 1"}};
    struct fixture f;
    struct alike_names names;
    make(&f, "", NAMES, 5);
    alike_names_init(&names, &f.model);
    assert_int_equal(alike_names_find(&names, "", "handl", 5), ALIKE_MANY);
    assert_int_equal(alike_names_find(&names, "", "TOE-1", 5), 4);
    assert_int_equal(alike_names_find(&names, "t", "oe1", 3), 4);
    assert_int_equal(alike_names_find(&names, "", "tail", 4), 2);
    assert_int_equal(alike_names_find(&names, "", "_", 1), ALIKE_NONE);
    assert_int_equal(alike_names_find(&names, "", "foot", 4), ALIKE_NONE);
    alike_names_fini(&names);
    fixture_fini(&f);
}
