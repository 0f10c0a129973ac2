/* Rules that rename: the names that they match, the new names, and which texts are rules. */
#include "tests/unit/support/check.h"

#include "anim/retarget/name_map.h"

#include <stdio.h>
#include <string.h>

static struct name_part part_of(const char *text)
{
    return (struct name_part){.text = text, .size_bytes = (uint32_t)strlen(text)};
}

/* Returns "3:hips": the rule that applies and the name. Rules end with NULL. */
static const char *rename_by(const char *const *texts, const char *name)
{
    static char out[256];
    struct name_rule rules[8];
    struct name_map map = {.rules = rules};
    struct joined_name joined;
    struct err err;
    char text[200];
    for (; texts[map.count] != NULL; map.count++)
        assert_int_equal(name_rule_parse(&rules[map.count], texts[map.count], &err), 0);
    const int32_t rule = name_map_apply(&map, part_of(name), &joined);
    snprintf(out, sizeof out, "%d:%s", rule, joined_name_put(&joined, text, sizeof text));
    assert_int_equal(joined_name_bytes(&joined), strlen(text));
    return out;
}

TEST(name_map_matches)
{
    static const struct {
        const char *rule, *name, *expected;
    } ROWS[] = {
        {"mixamorig:*=*", "mixamorig:Hips", "0:Hips"},
        {"mixamorig:*=*", "mixamorig:", "0:"},
        {"mixamorig:*=*", "mixamorig", "-1:mixamorig"},
        {"mixamorig:*=*", "Hips", "-1:Hips"},
        {"*=rig:*", "Hips", "0:rig:Hips"},
        {"*.L=*_left", "arm.L", "0:arm_left"},
        {"*.L=*_left", ".L", "0:_left"},
        {"*.L=*_left", "arm.LL", "-1:arm.LL"},
        {"Bip01 L Hand=hand.l", "Bip01 L Hand", "0:hand.l"},
        {"Bip01 L Hand=hand.l", "Bip01 L Hand1", "-1:Bip01 L Hand1"},
        {"Bip01 L Hand=hand.l", "Bip01 L Han", "-1:Bip01 L Han"},
        {"a*a=b", "a", "-1:a"}, /* head and tail do not share a byte */
        {"a*a=b", "aa", "0:b"},
        {"a*a=<*>", "aba", "0:<b>"},
        {"*=x", "whatever", "0:x"},
        {"a=b=c", "a", "0:b=c"},
        {"K\xc3\xb6pf*=*", "K\xc3\xb6pfchen", "0:chen"},
        {"hips=Hips", "HIPS", "-1:HIPS"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        assert_string_equal(rename_by((const char *const[]){ROWS[i].rule, NULL}, ROWS[i].name), ROWS[i].expected);
}

TEST(name_map_takes_the_first_rule_that_matches)
{
    static const char *const RULES[] = {"rig:Hips=pelvis", "rig:*=*", "*=other.*", NULL};
    assert_string_equal(rename_by(RULES, "rig:Hips"), "0:pelvis");
    assert_string_equal(rename_by(RULES, "rig:Spine"), "1:Spine");
    assert_string_equal(rename_by(RULES, "Spine"), "2:other.Spine");
    assert_string_equal(rename_by(RULES + 3, "Spine"), "-1:Spine");
}

TEST(name_map_refuses_what_is_no_rule)
{
    static const struct {
        const char *text, *fault;
    } ROWS[] = {
        {"", "no '='"},
        {"hips", "no '='"},
        {"=hips", "pattern is empty"},
        {"hips=", "name is empty"},
        {"a**=b", "pattern has"},
        {"*a*=*", "pattern has"},
        {"a*=**", "name has more"},
        {"a=b*", "its pattern has none"},
    };
    struct name_rule rule;
    struct err err;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        assert_int_equal(name_rule_parse(&rule, ROWS[i].text, &err), ERR_BAD_PARAMETER);
        assert_non_null(strstr(err.message, ROWS[i].fault));
        assert_non_null(strstr(err.message, ROWS[i].text));
    }
    char text[NAME_RULE_BYTES_MAX + 2];
    memset(text, 'x', sizeof text);
    text[3] = '=';
    text[NAME_RULE_BYTES_MAX] = '\0';
    assert_int_equal(name_rule_parse(&rule, text, &err), 0);
    text[NAME_RULE_BYTES_MAX] = 'x';
    text[NAME_RULE_BYTES_MAX + 1] = '\0';
    assert_int_equal(name_rule_parse(&rule, text, &err), ERR_BAD_PARAMETER);
    assert_non_null(strstr(err.message, "too long"));
}

/* Names are ordered by their bytes, however they are cut into parts. */
TEST(name_map_orders_joined_names)
{
    static const char *const NAMES[] = {"", "a", "ab", "abc", "abd", "b", "\xc3\xb6"};
    enum { COUNT = sizeof NAMES / sizeof *NAMES };
    for (uint32_t a = 0; a < COUNT; a++)
        for (uint32_t b = 0; b < COUNT; b++)
            for (uint32_t cut = 0; cut <= strlen(NAMES[a]); cut++) {
                const uint32_t size_bytes = (uint32_t)strlen(NAMES[a]);
                const struct joined_name one = {
                    .parts = {{NAMES[a], cut}, {"", 0}, {NAMES[a] + cut, size_bytes - cut}}};
                const struct joined_name other = joined_name_of(part_of(NAMES[b]));
                const int order = joined_name_compare(&one, &other), back = joined_name_compare(&other, &one);
                assert_int_equal((order > 0) - (order < 0), (a > b) - (a < b));
                assert_int_equal((back > 0) - (back < 0), (b > a) - (b < a));
            }
    char text[3];
    const struct joined_name name = {.parts = {{"a", 1}, {"", 0}, {"bc", 2}}};
    assert_string_equal(joined_name_put(&name, text, sizeof text), "ab");
}
