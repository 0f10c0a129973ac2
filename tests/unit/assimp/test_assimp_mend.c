/* What assimp takes wrongly in valid texts is rewritten before it reads them. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include "import/assimp/assimp_mend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool mender(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes);

/* `to` NULL: the text stays. A copy of exactly the text's size lets a sanitizer see what lies beyond it. */
static void expect(mender *mend, const char *from, const char *to)
{
    const size_t size = strlen(from);
    uint8_t *copy = malloc(size + 1), *out = NULL;
    size_t out_bytes = size;
    assert_non_null(copy);
    memcpy(copy, from, size);
    const bool is_mended = mend(copy, size, &out, &out_bytes);
    assert_int_equal(is_mended, to != NULL);
    if (is_mended) {
        assert_string_equal((char *)out, to);
        assert_int_equal(out_bytes, strlen(to));
    }
    free(out);
    free(copy);
}

TEST(assimp_mend_smd_removes_indents_and_comments)
{
    expect(assimp_mend_smd, "version 1\nnodes\n0 \"a b\" -1\nend\n", NULL);
    expect(assimp_mend_smd, "version 1\r\nnodes\r\nend\r\n", NULL);
    expect(assimp_mend_smd, "  nodes\n\t 0 \"a // b\" -1\n  end\n ", "nodes\n0 \"a // b\" -1\nend\n");
    expect(assimp_mend_smd, "// a\n# b\n; c\ntime 0 // d\r\n1 2// e", "\n\n\ntime 0 \r\n1 2");
    expect(assimp_mend_smd, "", NULL);
    expect(assimp_mend_smd, "\n\n", NULL);
    expect(assimp_mend_smd, "/", NULL);
}

TEST(assimp_mend_smd_joins_names_of_materials)
{
    expect(assimp_mend_smd, "triangles\nmy skin 2.tga\r\n0 1\n0 2\n0 3\nb c\n0 4\n0 5\n0 6\nend\n0 7\n",
           "triangles\nmy\x1fskin\x1f"
           "2.tga\r\n0 1\n0 2\n0 3\nb\x1f"
           "c\n0 4\n0 5\n0 6\nend\n0 7\n");
    expect(assimp_mend_smd, "triangles\n#1 a\n0\n0\n0\n",
           "triangles\n#1\x1f"
           "a\n0\n0\n0\n");
    expect(assimp_mend_smd, "triangles\n\n// a\na\n0\n\n0\n0\nb c\n",
           "triangles\n\n\na\n0\n\n0\n0\nb\x1f"
           "c\n");
    expect(assimp_mend_smd, "triangles\nend\na b\n", NULL);
    char name[] = "a\x1f"
                  "b";
    assimp_mend_smd_name(name, 3);
    assert_string_equal(name, "a b");
}

TEST(assimp_mend_x_parts_whole_numbers)
{
    expect(assimp_mend_x, "xof 0303txt 0032\nA { 1,0,-2,3.5,4;,5 }", "xof 0303txt 0032\nA { 1, 0,-2, 3.5,4;,5 }");
    expect(assimp_mend_x, "xof 0302txt 0064\n\"1,2\" 3,4", "xof 0302txt 0064\n\"1,2\" 3, 4");
    expect(assimp_mend_x, "xof 0303txt 0032\n0.1,2.0, 3.5;", NULL);
    expect(assimp_mend_x, "xof 0303txt 00321,", NULL);
    expect(assimp_mend_x, "xof 0303bin 0032\n1,2", NULL);
    expect(assimp_mend_x, "xof 0303txt", NULL);
    expect(assimp_mend_x, "xof 0303txt 0032\n# 9\" \n1,0; // 3,4.5 \"\n2.0, 5,6",
           "xof 0303txt 0032\n# 9\" \n1, 0; // 3,4.5 \"\n2.0, 5, 6");
    expect(assimp_mend_x, "xof 0303txt 0032\n0,500000;0,0;-1;\n3;0,1,2; // 1.0", NULL); /* decimal commas */
    expect(assimp_mend_x, "xof 0303txt 0032\n0;5;1;\n3;0,1,2;", "xof 0303txt 0032\n0;5;1;\n3;0, 1, 2;");
}

TEST(assimp_reads_x_of_either_comma)
{
    static const char *const CORNERS[] = {"0,0;0,0;0,0;,\n0,500000;0,0;0,0;,\n0,0;0,25;0,0;;",
                                          "0;0;0;,\n0.5;0;0;,\n0;0.25;0;;"};
    for (size_t i = 0; i < sizeof CORNERS / sizeof *CORNERS; i++) {
        char text[300];
        struct assimp_run run;
        assimp_run_init(&run);
        snprintf(text, sizeof text, "xof 0303txt 0032\nMesh m {\n3;\n%s\n1;\n3;0,1,2;;\n}\n", CORNERS[i]);
        temp_tree_file(&run.tree, "a.x", text);
        assimp_run_import(&run, "a.x");
        assert_int_equal(run.rc, 0);
        assert_int_equal(run.model.index_count, 3);
        CHECK_NEAR(run.model.positions[0].x + run.model.positions[1].x + run.model.positions[2].x, 0.5, 1e-6);
        CHECK_NEAR(run.model.positions[0].y + run.model.positions[1].y + run.model.positions[2].y, 0.25, 1e-6);
        assimp_run_fini(&run);
    }
}

TEST(assimp_reads_smd_as_people_write_it)
{
    struct assimp_run run;
    assimp_run_init(&run);
    temp_tree_file(&run.tree, "my skin.tga", "");
    temp_tree_file(&run.tree, "a.smd",
                   "// made by hand\nversion 1\n  nodes\n  0 \"left hand\" -1\n  end\n  skeleton\n  time 0 // rest\n"
                   "  0 1 2 3 0 0 0\n  end\n  triangles\n  my skin.tga\n  0 0 0 0 0 0 1 0 0\n  0 1 0 0 0 0 1 1 0\n"
                   "  0 0 1 0 0 0 1 0 1\n  end\n  ");
    assimp_run_import(&run, "a.smd");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.model.index_count, 3);
    assert_int_equal(run.model.texture_count, 1);
    CHECK_NEAR(run.model.nodes[assimp_run_node(&run, "left hand")].translation[1], 2, 0);
    assert_memory_equal(run.model.text + run.model.textures[0].uri.offset, "my skin.tga", 11);
    assimp_run_fini(&run);
}
