/* OBJ from worked text: lines and numbers, elements, parts, normals, colours, and what is refused or warned of. */
#include "tests/unit/obj/obj_run.h"
#include "tests/unit/support/check.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t read_counts(struct assimp_run *run, const char *text)
{
    obj_run_good(run, text, NULL);
    return run->model.index_count;
}

/* --- lines and numbers --- */

/* All mean a triangle at (0.5, 1, 100), (2, 0, -3) and (0, 4, 0). */
static const char *const NOTATIONS[] = {
    "v .5 1. 1e2\nv 2 -0 -3\nv 0 4 0\nf 1 2 3\n",
    "v 5E-01 +1 1.0e+02\nv 2 0 -3\nv 0 4 0\nf 1 2 3",                       /* no line end */
    "v 0.50000000000000000000001 1 100\nv 2 0 -3\nv 0 4 0\nf 1 2 3\n",      /* more digits than a double has */
    "v 0.5 1 100 7\nv 2 0 -3 0\nv 0 4 0 2\nf 1 2 3\n",                      /* w is not divided by */
    "v 0.5 1 100 1 1 1\r\nv 2 0 -3 1 1 1\r\nv 0 4 0 1 1 1\r\nf 1 2 3\r\n",  /* colours */
    "v 0.5 1 100\rv 2 0 -3\rv 0 4 0\rf 1 2 3",                              /* CR alone */
    "\t v\t0.5\t1  100 \n\n  v 2 0 -3\t\n#v 9 9 9\n v 0 4 0\n\tf 1  2\t3 ", /* blanks, comments */
    "v 0.5 \\\n 1 100\nv 2 \\\r\n0 -3\nv 0 4\\\n 0\nf 1 \\\n2 \\\r3\n",     /* continued lines */
    "# c:\\dir\\\nv 0,5 1 1e2 # half\nv 2 0 -3\nv 0 4 0\nf 1 2 3 # all\n",  /* not continued; a decimal comma */
    "v 0.5 1 100 # c:\\a\\\nv 2 0 -3 1 #\\\nv 0 4 0\nf 1 2 3 # \\\r# up\n", /* nor behind values */
    "v 0.5 1 100#half\nv 2 0 -3\nv 0 4 0\nf 1 2 3 #all\n",
    "f 1 2 3\nv 0.5 1 100\nv 2 0 -3\nv 0 4 0\n",                      /* faces first */
    "v 9 9 9\nv 0.5 1 100\nv 2 0 -3\nv 0 4 0\nf -3 -2 -1\nv 8 8 8\n", /* from the last one back */
    "v 0.5 1 100\nv 2 0 -3\nv 0 4 0\nfo 1// 2/ 3//\n",                /* an old keyword, empty numbers */
    "v 0.5 1 100\nv 2 0 -3\nv 0 4 0\nv nan 0 1\nf 1 2 3\nf 1 2 4\n",  /* left out with a warning */
    "v 0.5 1 100\nv 2 0 -3\nv 0 4 0\nv 0 1.#QNAN -inf\nf 1 2 3\nf 1 4 3\n",
};

TEST(obj_notations_mean_the_same)
{
    for (size_t i = 0; i < sizeof NOTATIONS / sizeof *NOTATIONS; i++) {
        struct assimp_run run;
        print_message("%s\n", NOTATIONS[i]);
        assert_int_equal(read_counts(&run, NOTATIONS[i]), 3);
        obj_run_vertex(&run, 0.5, 1, 100);
        obj_run_vertex(&run, 2, 0, -3);
        obj_run_vertex(&run, 0, 4, 0);
        assert_int_equal(run.model.warning_count, strstr(NOTATIONS[i], "nan 0") || strstr(NOTATIONS[i], "1.#"));
        assimp_run_fini(&run);
    }
}

TEST(obj_statements_that_are_not_read_are_one_warning)
{
    struct assimp_run run;
    assert_int_equal(read_counts(&run, "cstype bezier\ndeg 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvp 0.3 0.4\n"
                                       "curv 0 1 1 2 \\\n3 4\nparm u 0 1\nend\nbevel on\nf 1 2 3\ncall x.obj\n"),
                     3);
    assert_int_equal(run.model.warning_count, 1);
    assert_true(assimp_run_warned(&run, "elements_ignored"));
    assert_non_null(
        strstr(run.model.text + run.model.warnings[0].message.offset, "8, the first of them 'cstype' in line 1"));
    assimp_run_fini(&run);
}

/* --- elements --- */

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

TEST(obj_elements_become_triangles_lines_and_points)
{
    struct assimp_run run;
    assert_int_equal(read_counts(&run, SQUARE "v 5 5 5\nl 1 2 3\nf 1 2 3 4\np 1 4\nl 3/1 4/2\nf 1 2\nl 2\nf 2\n"),
                     6 + 6 + 2);
    assert_int_equal(run.model.primitive_count, 3);
    uint32_t counts[3] = {0};
    for (uint32_t p = 0; p < 3; p++)
        counts[run.model.primitives[p].topology == TOPOLOGY_TRIANGLES ? 0
               : run.model.primitives[p].topology == TOPOLOGY_LINES   ? 1
                                                                      : 2] = run.model.primitives[p].index_count;
    assert_int_equal(counts[0], 6);
    assert_int_equal(counts[1], 6);
    assert_int_equal(counts[2], 2);
    assert_true(assimp_run_warned(&run, "indices_trimmed"));
    assimp_run_fini(&run);
}

TEST(obj_vertices_alone_are_points)
{
    struct assimp_run run;
    assert_int_equal(read_counts(&run, "o cloud\n" SQUARE), 4);
    assert_int_equal(run.model.primitives[0].topology, TOPOLOGY_POINTS);
    assert_true(obj_run_is_text(&run, run.model.nodes[0].name, "cloud"));
    assimp_run_fini(&run);
}

TEST(obj_corners_have_texture_coordinates_and_normals_or_not)
{
    struct assimp_run run;
    assert_int_equal(
        read_counts(&run, SQUARE "vt 0.25\nvt 0.5 0.25 7\nvt 1 1\nvn 0 3 0\nf 1/1/1 2/2 3//1\nf 1 3 4/-1\n"), 6);
    assert_int_equal(run.model.warning_count, 0);
    const struct vec2 *uv = run.model.texcoords;
    const uint32_t b = obj_run_vertex(&run, 1, 0, 0), d = obj_run_vertex(&run, 0, 1, 0);
    CHECK_NEAR(uv[obj_run_vertex(&run, 0, 0, 0)].x, 0.25, 0);
    CHECK_NEAR(uv[obj_run_vertex(&run, 0, 0, 0)].y, 1, 0); /* of one number */
    CHECK_NEAR(uv[b].y, 0.75, 0);
    CHECK_NEAR(uv[d].x, 1, 0);
    CHECK_NEAR(uv[obj_run_vertex(&run, 1, 1, 0)].x, 0, 0);
    CHECK_NEAR(run.model.normals[obj_run_vertex(&run, 0, 0, 0)].y, 1, 0);
    CHECK_NEAR(run.model.normals[b].z, 1, 1e-6); /* made of the face */
    assimp_run_fini(&run);
}

TEST(obj_attributes_that_are_not_there_are_a_warning)
{
    static const char *const FACES[] = {"f 1/1/1 2/1/1 3/1/1\n", "f 1/9 2/9 3/9\n", "f 1/0 2/0 3/0\n",
                                        "f 1/-9 2/-9 3/-9\n", "f 1//1 2//1 3//1\n"};
    for (size_t i = 0; i < sizeof FACES / sizeof *FACES; i++) {
        char text[200];
        struct assimp_run run;
        snprintf(text, sizeof text, SQUARE "%s", FACES[i]);
        assert_int_equal(read_counts(&run, text), 3);
        assert_true(assimp_run_warned(&run, "attribute_ignored"));
        assert_int_equal(run.model.primitives[0].flags & PRIMITIVE_TEXCOORDS, 0);
        CHECK_NEAR(run.model.normals[0].z, 1, 1e-6);
        assimp_run_fini(&run);
    }
}

/* --- parts --- */

TEST(obj_parts_are_groups_of_objects)
{
    struct assimp_run run;
    assert_int_equal(read_counts(&run, SQUARE "f 1 2 3\no  big box \ng empty\ng\nf 1 2 4\ng hip left\nf 1 3 4\ng\n"
                                              "f 2 3 4\ng hip left\nf 4 3 2\no two\ng hip left\nf 3 2 1\n"),
                     6 * 3);
    assert_int_equal(run.model.root_count, 4);
    assert_int_equal(run.model.node_count, 4);
    assert_int_equal(run.model.nodes[0].name.offset, STR_NONE);
    assert_true(obj_run_is_text(&run, run.model.nodes[1].name, "big box"));
    assert_true(obj_run_is_text(&run, run.model.nodes[2].name, "hip left"));
    assert_true(obj_run_is_text(&run, run.model.nodes[3].name, "hip left"));
    for (uint32_t n = 0; n < 4; n++) {
        assert_int_equal(run.model.meshes[n].primitive_count, 1);
        assert_int_equal(run.model.primitives[n].index_count, n == 0 || n == 3 ? 3 : 6);
    }
    assimp_run_fini(&run);
}

TEST(obj_polygons_of_a_material_are_one_primitive)
{
    struct assimp_run run;
    obj_run_good(&run,
                 "mtllib a.mtl\n" SQUARE "usemtl b\nf 1 2 3\nusemtl a\nf 1 3 4\nusemtl b\nf 2 3 4\nusemtl\nf 4 3 2\n",
                 "newmtl a\nKd 1 0 0\nnewmtl unused\nKd 0 1 0\nnewmtl b\nKd 0 0 1\n");
    assert_int_equal(run.model.material_count, 3); /* in the order of their use; one for the last face */
    assert_int_equal(run.model.primitive_count, 3);
    assert_int_equal(run.model.primitives[0].index_count, 6);
    CHECK_NEAR(run.model.materials[run.model.primitives[0].material].base_color[2], 1, 0);
    CHECK_NEAR(run.model.materials[run.model.primitives[1].material].base_color[0], 1, 0);
    const struct material *plain = &run.model.materials[run.model.primitives[2].material];
    assert_int_equal(plain->name.offset, STR_NONE);
    CHECK_NEAR(plain->base_color[1], 1, 0);
    assert_true((plain->flags & MATERIAL_DOUBLE_SIDED) != 0);
    assimp_run_fini(&run);
}

/* --- normals and colours --- */

/* Two sides that turn by 37 degrees at a ridge, which is there twice, for its texture. */
static const char ROOF[] = "v 0 0 0\nv 0 0 4\nv 3 1 0\nv 3 1 4\nv 6 0 1\n"
                           "vt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\nvt 0.5 0.5\n"
                           "f 1/1 2/2 4/4\nf 1/1 4/4 3/3\nf 3/1 4/2 5/5\n";

TEST(obj_normals_are_smooth_across_seams_of_textures)
{
    struct assimp_run run;
    obj_run_good(&run, ROOF, NULL);
    assert_int_equal(run.model.position_count, 7);
    /* at (3, 1, 0): the left side, (-1, 3, 0) / sqrt 10, with 90 degrees, and the right one, (1, 3, 0) / sqrt 10 */
    const double left = M_PI_2, right = acos(1 / sqrt(11)), x = right - left, y = 3 * (left + right);
    uint32_t count = 0;
    for (uint32_t v = 0; v < run.model.position_count; v++) {
        const struct vec3 p = run.model.positions[v];
        if ((double)p.x != 3 || (double)p.z != 0)
            continue;
        count++;
        CHECK_NEAR(run.model.normals[v].x, x / hypot(x, y), 1e-6);
        CHECK_NEAR(run.model.normals[v].y, y / hypot(x, y), 1e-6);
    }
    assert_int_equal(count, 2);
    assimp_run_fini(&run);
}

/* A fold of 30 degrees. */
static uint32_t vertices_of_fold(const char *before_first, const char *before_second)
{
    char text[300];
    struct assimp_run run;
    snprintf(text, sizeof text,
             "v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\nv 1.866 -0.5 1\nv 1.866 -0.5 0\n%sf 1 2 3 4\n%sf 4 3 5 6\n",
             before_first, before_second);
    obj_run_good(&run, text, NULL);
    const uint32_t count = run.model.position_count;
    assimp_run_fini(&run);
    return count;
}

TEST(obj_smoothing_groups_are_kept)
{
    assert_int_equal(vertices_of_fold("", ""), 6);
    assert_int_equal(vertices_of_fold("s 1\n", ""), 6);
    assert_int_equal(vertices_of_fold("s off\n", ""), 8);
    assert_int_equal(vertices_of_fold("s 0\n", ""), 8);
    assert_int_equal(vertices_of_fold("s 1\n", "s 2\n"), 8);
    assert_int_equal(vertices_of_fold("s 3\n", "s 3\n"), 6);
    assert_int_equal(vertices_of_fold("", "s 2\n"), 6); /* the first face says nothing: the angle counts */
}

TEST(obj_colours_are_of_vertices)
{
    static const char *const TEXTS[] = {
        "v 0 0 0 1 0 0\nv 1 0 0 0 1 0.4\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 0 1.0000001 0 0\nv 1 0 0 0 1.5 0.4\nv 0 1 0\nf 1 2 3\n", /* rounded, or brighter than white */
        "v 0 0 0 255 0 0\nv 1 0 0 0 255 102\nv 0 1 0\nf 1 2 3\n"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        struct assimp_run run;
        obj_run_good(&run, TEXTS[i], NULL);
        /* ((0.4 + 0.055) / 1.055) ^ 2.4 = 0.13287 (IEC 61966-2-1) */
        static const struct rgba16 COLORS[3] = {
            {65535, 0, 0, 65535}, {0, 65535, 8708, 65535}, {65535, 65535, 65535, 65535}};
        const uint32_t at[3] = {obj_run_vertex(&run, 0, 0, 0), obj_run_vertex(&run, 1, 0, 0),
                                obj_run_vertex(&run, 0, 1, 0)};
        assert_true((run.model.primitives[0].flags & PRIMITIVE_COLORS) != 0);
        for (int k = 0; k < 3; k++)
            assert_memory_equal(&run.model.colors[at[k]], &COLORS[k], sizeof *COLORS);
        CHECK_NEAR(run.model.materials[0].base_color[0], 1, 0); /* nothing darkens them */
        assimp_run_fini(&run);
    }
}

/* --- refusals and limits --- */

TEST(obj_errors_name_the_line)
{
    static const struct {
        const char *text, *message;
    } ROWS[] = {
        {"# nothing\n", "the file holds no vertex"},
        {"v 1 2\n", "line 1: 'v' needs 3 numbers and has 2"},
        {"\n\nv 1 x 3\n", "line 3: 'v' needs 3 numbers and has 1 before 'x'"},
        {"v 1 2 3\nvn 1,2,3\n", "line 2: 'vn' needs 3 numbers and has 0 before '1,2,3'"},
        {"v 1 2 3\r\nvt\r\n", "line 2: 'vt' needs 1 numbers and has 0"},
        {SQUARE "f 1 2 9\n", "line 5: no vertex has the number 9: there are 4"},
        {SQUARE "f 1 2 7\nf 1 2 9\nf 1 9 8\n", "line 6: no vertex has the number 9: there are 4"},
        {SQUARE "f 0 1 2\n", "line 5: no vertex has the number 0: there are 4"},
        {SQUARE "v 0 0 \\\n 1\nf 1 2 -6\n", "line 7: no vertex has the number -6: there are 5"},
        {SQUARE "f 1 2 99999999999999999999\n", "line 5: no vertex has the number"},
        {SQUARE "f 1 2 a\n", "line 5: 'a' is no corner such as 1, 1/2, 1//3 or 1/2/3"},
        {SQUARE "f 1 2 3.5\n", "line 5: '3.5' is no corner"},
        {SQUARE "l 1/2/3/4 2\n", "line 5: '1/2/3/4' is no corner"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        obj_run_text(&run, ROWS[i].text, NULL);
        assert_int_equal(run.rc, ERR_BAD_MODEL);
        if (strstr(run.err.message, ROWS[i].message) == NULL)
            fail_msg("'%s' is not in '%s'", ROWS[i].message, run.err.message);
        assimp_run_fini(&run);
    }
}

TEST(obj_keeps_the_limits)
{
    static const struct {
        enum limit limit;
        uint64_t least;
        const char *text;
    } ROWS[] = {
        {LIMIT_NODES, 2, SQUARE "g a\nf 1 2 3\ng b\nf 1 2 3\n"},
        {LIMIT_VERTICES, 4, SQUARE "f 1 2 3 4\n"},
        {LIMIT_INDICES, 6, SQUARE "f 1 2 3 4\n"},
        {LIMIT_INDICES, 4, SQUARE},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        for (uint64_t less = 0; less < 2; less++) {
            struct assimp_run run;
            assimp_run_init(&run);
            temp_tree_file(&run.tree, "a.obj", "");
            run.limits.value[ROWS[i].limit] = ROWS[i].least - less;
            obj_run_bytes(&run, ROWS[i].text, strlen(ROWS[i].text));
            assert_int_equal(run.rc, less == 0 ? 0 : ERR_MODEL_LIMIT);
            assimp_run_fini(&run);
        }
}

/* Time and memory go with the file's size, however often it changes between parts and materials. */
TEST(obj_many_runs_cost_little)
{
    enum { RUNS = 60000, LINE_BYTES = 40 };
    struct assimp_run run;
    char *text = mem_alloc((size_t)RUNS * LINE_BYTES + 100), *at = text + sprintf(text, SQUARE);
    for (int i = 0; i < RUNS; i++)
        at += sprintf(at, "g g%d\nusemtl m%d\nf 1 2 %d\n", i % 50, i % 70, 3 + i % 2);
    obj_run_good(&run, text, NULL);
    assert_int_equal(run.model.node_count, 50);
    assert_int_equal(run.model.material_count, 70);
    assert_int_equal(run.model.primitive_count, 350); /* pairs that occur: the least common multiple */
    assert_int_equal(run.model.index_count, 3 * RUNS);
    free(text);
    assimp_run_fini(&run);
}

/* --- every cut and change --- */

static const char WHOLE[] = "mtllib a.mtl b.mtl\no a\nv 0 0 0 1 0 0\nv 1. .5e1 0\nv 0 1 0\nvt 0 1\nvt .5\nvn 0 0 1\n"
                            "usemtl m\ns 1\ng x y\nf 1/1/1 2/2 -1//1\nl 1 2 \\\n 3\np 1 2\nvp 1\n";

static void read_once(struct assimp_run *run, const char *bytes, size_t size_bytes)
{
    run->err = (struct err){0};
    obj_run_bytes(run, bytes, size_bytes);
    assimp_run_end_one(run);
}

TEST(obj_every_cut_and_change_has_an_answer)
{
    char copy[sizeof WHOLE];
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "a.obj", "");
    temp_tree_file(&run.tree, "a.mtl", "newmtl m\nKd 1 0 0\n");
    for (size_t size = 0; size < sizeof WHOLE; size++)
        read_once(&run, WHOLE, size);
    assert_int_equal(run.rc, 0);
    for (size_t i = 0; i + 1 < sizeof WHOLE; i++)
        for (int value = 0; value < 256; value++) {
            memcpy(copy, WHOLE, sizeof copy);
            copy[i] = (char)value;
            read_once(&run, copy, sizeof copy - 1);
        }
    assimp_run_fini(&run);
}
