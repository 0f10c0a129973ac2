/* XML as COLLADA files have it, and as no file should have it. */
#include "tests/unit/support/check.h"

#include "import/collada/collada_xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char TEXT[] = "\n <?xml version=\"1.0\"?><COLLADA><asset><up_axis>Z_UP</up_axis></asset>"
                           "<library_physics_models><node id=\"hidden\"/></library_physics_models><library_nodes><node "
                           "id=\"a\" name=\"\xc3\xa4 &amp; b\"><translate sid=\"t\">1 2<!-- no --> 3</translate>"
                           "<extra><node id=\"hidden\"/></extra><node id=\"b\"/></node><node id=\"a\"/></library_nodes>"
                           "<scene><instance url=\"#b\"/><instance url=\"b\"/></scene></COLLADA>";

static int parse(struct xml *xml, const char *text, size_t size, struct err *err)
{
    /* a block of exactly this size, so that a read past its end shows */
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = 0;
    const int rc = collada_xml_parse(xml, copy, size, err);
    free(copy);
    return rc;
}

TEST(collada_xml_keeps_nodes_and_leaves_out_the_rest)
{
    struct xml xml;
    struct err err;
    assert_int_equal(parse(&xml, TEXT, sizeof TEXT - 1, &err), 0);
    assert_int_equal(xml_child(&xml, 0, "library_physics_models"), XML_NONE);
    assert_int_equal(xml_find_id(&xml, "hidden", NULL), XML_NONE);
    const uint32_t a = xml_find_id(&xml, "a", NULL), b = xml_find_id(&xml, "b", NULL);
    assert_string_equal(xml_get(&xml, a, "name"), "\xc3\xa4 & b"); /* the first of two with this id */
    assert_null(xml_get(&xml, a, "sid"));
    const uint32_t translate = xml_child(&xml, a, NULL);
    assert_true(xml_is(&xml, translate, "translate"));
    assert_string_equal(xml_text(&xml, translate), "1 2 3");
    assert_string_equal(xml_text(&xml, b), "");
    assert_int_equal(xml_next(&xml, translate, "node"), b);
    assert_int_equal(xml_next(&xml, b, NULL), XML_NONE);
    assert_int_equal(xml.elements[b].parent, a);
    assert_int_equal(xml.elements[a].end, b + 1);
    const uint32_t scene = xml_child(&xml, 0, "scene"), instance = xml_child(&xml, scene, "instance");
    assert_int_equal(xml_follow(&xml, instance, "url", NULL), b);
    assert_int_equal(xml_follow(&xml, xml_next(&xml, instance, "instance"), "url", NULL), XML_NONE);
    xml_fini(&xml);
}

TEST(collada_xml_refuses_every_truncation)
{
    for (size_t size = 0; size < sizeof TEXT - 1; size++) {
        struct xml xml;
        struct err err = {0};
        assert_int_equal(parse(&xml, TEXT, size, &err), ERR_BAD_MODEL);
        assert_null(xml.elements);
        assert_true(err.message[0] != '\0');
    }
}

TEST(collada_xml_takes_any_byte_anywhere)
{
    char text[sizeof TEXT];
    for (size_t at = 0; at < sizeof TEXT - 1; at++)
        for (int byte = 0; byte < 256; byte += 5) {
            struct xml xml;
            struct err err = {0};
            memcpy(text, TEXT, sizeof TEXT);
            text[at] = (char)byte;
            const int rc = parse(&xml, text, sizeof TEXT - 1, &err);
            assert_true(rc == 0 || rc == ERR_BAD_MODEL);
            xml_fini(&xml);
        }
}

static void expect_refusal(const char *text, int code, const char *why)
{
    struct xml xml;
    struct err err = {0};
    assert_int_equal(parse(&xml, text, strlen(text), &err), code);
    if (strstr(err.message, why) == NULL)
        fail_msg("'%s' is not said in '%s'", why, err.message);
}

TEST(collada_xml_refuses_entities)
{
    expect_refusal("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", ERR_BAD_MODEL, "entities");
    expect_refusal("<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>", ERR_BAD_MODEL, "entities");
    expect_refusal("<!DOCTYPE a [<!ENTITY % x SYSTEM \"http://localhost/\"> %x;]><a/>", ERR_BAD_MODEL, "entities");
    expect_refusal("<a>&x;</a>", ERR_BAD_MODEL, "undefined entity");
    /* a billion laughs */
    char text[2000] = "<!DOCTYPE a [<!ENTITY l0 \"ha\">";
    for (int i = 1; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "<!ENTITY l%d \"&l%d;&l%d;\">", i, i - 1, i - 1);
    strcat(text, "]><a>&l29;</a>");
    expect_refusal(text, ERR_BAD_MODEL, "entities");
}

TEST(collada_xml_opens_no_external_subset)
{
    static const char OUTSIDE[] = "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>";
    struct xml xml;
    struct err err;
    assert_int_equal(parse(&xml, OUTSIDE, sizeof OUTSIDE - 1, &err), 0);
    xml_fini(&xml);
}

TEST(collada_xml_limits_the_depth)
{
    enum { DEPTH = 5000 };
    char *text = calloc(1, 7 * DEPTH + 64);
    strcpy(text, "<C><scene>");
    for (int i = 0; i < DEPTH; i++)
        strcat(text + 3 * (size_t)i, "<a>");
    expect_refusal(text, ERR_MODEL_LIMIT, "deep");
    free(text);
}

TEST(collada_xml_reads_encodings_that_expat_does_not_know)
{
    static const char TEXT_1252[] = "<?xml version=\"1.0\" encoding=\"windows-1252\"?><C id=\"\xe4\"/>";
    struct xml xml;
    struct err err;
    assert_int_equal(parse(&xml, TEXT_1252, sizeof TEXT_1252 - 1, &err), 0);
    assert_string_equal(xml_get(&xml, 0, "id"), "\xc3\xa4");
    xml_fini(&xml);
}

/* Text that was converted from UTF-16 still says so. */
TEST(collada_xml_takes_text_that_says_utf16_and_is_not)
{
    static const char *const TEXTS[] = {"<?xml version=\"1.0\" encoding=\"UTF-16\"?><C id=\"\xc3\xa4\"/>",
                                        "<?xml version='1.0' encoding='utf-16le'?><C id='\xc3\xa4'/>"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        struct xml xml;
        struct err err;
        assert_int_equal(parse(&xml, TEXTS[i], strlen(TEXTS[i]), &err), 0);
        assert_string_equal(xml_get(&xml, 0, "id"), "\xc3\xa4");
        xml_fini(&xml);
    }
}
