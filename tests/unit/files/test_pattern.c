/* posectl's patterns of paths and ignore files. */
#include "clients/cli/server/pattern.h"
#include "tests/unit/support/check.h"

TEST(pattern_stars_stay_within_a_folder)
{
    assert_true(pattern_matches("*.fbx", "crow.fbx"));
    assert_false(pattern_matches("*.fbx", "birds/crow.fbx"));
    assert_true(pattern_matches("birds/*", "birds/crow.fbx"));
    assert_false(pattern_matches("birds/*", "birds/small/wren.fbx"));
    assert_true(pattern_matches("b*s/c?ow.*x", "birds/crow.fbx"));
    assert_false(pattern_matches("a?b", "a/b"));
    assert_true(pattern_matches("*", ""));
    assert_false(pattern_matches("", "a"));
}

TEST(pattern_two_stars_are_any_number_of_folders)
{
    assert_true(pattern_matches("**/*.fbx", "crow.fbx"));
    assert_true(pattern_matches("**/*.fbx", "a/b/crow.fbx"));
    assert_true(pattern_matches("a/**/c.x", "a/c.x"));
    assert_true(pattern_matches("a/**/c.x", "a/1/2/c.x"));
    assert_false(pattern_matches("a/**/c.x", "b/1/c.x"));
    assert_true(pattern_matches("a/**", "a/1/2"));
    assert_false(pattern_matches("**/c.x", "a/cc.x"));
}

TEST(pattern_brackets_and_escapes)
{
    assert_true(pattern_matches("[a-c]x", "bx"));
    assert_false(pattern_matches("[!a-c]x", "bx"));
    assert_true(pattern_matches("[]a]x", "]x"));
    assert_false(pattern_matches("a[!b]c", "a/c"));
    assert_true(pattern_matches("a[b", "a[b"));
    assert_true(pattern_matches("a\\*b", "a*b"));
    assert_false(pattern_matches("a\\*b", "axb"));
}

TEST(pattern_lists_stand_between_commas)
{
    assert_true(pattern_list_matches("idle,,*WALK*", "Fast walk", true));
    assert_false(pattern_list_matches("idle,,*WALK*", "Fast walk", false));
    assert_true(pattern_list_matches("idle,,*WALK*", "idle", false));
    assert_false(pattern_list_matches(",", "", false));
}

/* Exponential in naive matchers. */
TEST(pattern_gives_up_on_a_hostile_one)
{
    char pattern[200], path[200];
    for (size_t i = 0; i + 1 < sizeof pattern; i++) {
        pattern[i] = i % 2 == 0 ? '*' : 'a';
        path[i] = 'a';
    }
    pattern[sizeof pattern - 2] = 'b';
    pattern[sizeof pattern - 1] = path[sizeof path - 1] = '\0';
    assert_false(pattern_matches(pattern, path));
}

TEST(pattern_selects_names_paths_and_folders)
{
    assert_true(pattern_selects("*.fbx", "birds/crow.fbx"));
    assert_true(pattern_selects("birds", "birds/small/wren.fbx"));
    assert_true(pattern_selects("small/", "birds/small/wren.fbx"));
    assert_false(pattern_selects("wren.fbx/", "birds/small/wren.fbx"));
    assert_true(pattern_selects("birds/small", "birds/small/wren.fbx"));
    assert_false(pattern_selects("small/wren.fbx", "birds/small/wren.fbx"));
    assert_true(pattern_selects("/birds/**", "birds/crow.fbx"));
    assert_true(pattern_is_one("a[bc]"));
    assert_false(pattern_is_one("a/b.fbx"));
}

TEST(ignore_lines_say_the_last_word)
{
    static const char LINES[] = "# comment\n\n*.bin\n!keep.bin\r\nbuild/\n/top.glb  \ndeep/**/x.glb\n";
    assert_int_equal(pattern_ignores(LINES, "a.bin", false), 1);
    assert_int_equal(pattern_ignores(LINES, "keep.bin", false), 0);
    assert_int_equal(pattern_ignores(LINES, "sub/keep.bin", false), 0);
    assert_int_equal(pattern_ignores(LINES, "build", true), 1);
    assert_int_equal(pattern_ignores(LINES, "build", false), -1);
    assert_int_equal(pattern_ignores(LINES, "sub/build", true), 1);
    assert_int_equal(pattern_ignores(LINES, "top.glb", false), 1);
    assert_int_equal(pattern_ignores(LINES, "sub/top.glb", false), -1);
    assert_int_equal(pattern_ignores(LINES, "deep/1/2/x.glb", false), 1);
    assert_int_equal(pattern_ignores(LINES, "other", false), -1);
    assert_int_equal(pattern_ignores("a.glb", "a.glb", false), 1);
}
