/* User properties and timeline markers of FBX files, binary of both layouts and text. */
#include "tests/unit/support/check.h"

#include "base/json_check.h"
#include "import/fbx/fbx_properties.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct buf buf;
    bool is_64_bits;
};

static void put_head(struct writer *w, uint64_t value)
{
    if (w->is_64_bits)
        buf_put_u64(&w->buf, value);
    else
        buf_put_u32(&w->buf, (uint32_t)value);
}

static size_t begin_record(struct writer *w, const char *name, const struct buf *properties)
{
    const size_t at = w->buf.size_bytes;
    put_head(w, 0);
    put_head(w, 0); /* how many properties: nobody asks */
    put_head(w, properties == NULL ? 0 : properties->size_bytes);
    buf_put_char(&w->buf, (char)strlen(name));
    buf_put_text(&w->buf, name);
    if (properties != NULL)
        buf_put(&w->buf, properties->data, properties->size_bytes);
    return at;
}

static void end_record(struct writer *w, size_t at, bool has_children)
{
    static const char NOTHING[25];
    if (has_children)
        buf_put(&w->buf, NOTHING, w->is_64_bits ? 25 : 13);
    const uint64_t end = w->buf.size_bytes;
    memcpy(w->buf.data + at, &end, w->is_64_bits ? 8 : 4); /* little-endian, as this machine is */
}

static void put_string(struct buf *p, const char *text, size_t size)
{
    buf_put_char(p, 'S');
    buf_put_u32(p, (uint32_t)size);
    buf_put(p, text, size);
}

/* A P record: four texts, then `values` as they are. */
static void put_property(struct writer *w, const char *name, const char *type, const char *flags, const void *values,
                         size_t size)
{
    struct buf p;
    buf_init(&p, 0);
    put_string(&p, name, strlen(name));
    put_string(&p, type, strlen(type));
    put_string(&p, "", 0);
    put_string(&p, flags, strlen(flags));
    buf_put(&p, values, size);
    end_record(w, begin_record(w, "P", &p), false);
    buf_fini(&p);
}

static size_t begin_object(struct writer *w, const char *kind, const char *name, size_t name_bytes)
{
    struct buf p;
    buf_init(&p, 0);
    buf_put_char(&p, 'L');
    buf_put_u64(&p, 10);
    put_string(&p, name, name_bytes);
    const size_t at = begin_record(w, kind, &p);
    buf_fini(&p);
    return at;
}

static void put_time(struct writer *w, const char *name, const char *flags, int64_t ticks)
{
    struct buf p;
    buf_init(&p, 0);
    buf_put_char(&p, 'L');
    buf_put_u64(&p, (uint64_t)ticks);
    put_property(w, name, "KTime", flags, p.data, p.size_bytes);
    buf_fini(&p);
}

static struct writer make_binary(bool is_64_bits)
{
    struct writer w = {.is_64_bits = is_64_bits};
    buf_init(&w.buf, 0);
    buf_put(&w.buf, "Kaydara FBX Binary  \0\x1a\0", 23);
    buf_put_u32(&w.buf, is_64_bits ? 7500 : 7400);
    size_t section = begin_record(&w, "GlobalSettings", NULL), list = begin_record(&w, "Properties70", NULL);
    put_property(&w, "TimeMarker", "Compound", "", "", 0);
    put_time(&w, "TimeMarker|a|Time", "", 46186158000);
    put_property(&w, "TimeMarker|a|Name", "KString", "", "S\3\0\0\0hit", 8);
    put_time(&w, "TimeMarker|b", "", -5);
    put_property(&w, "TimeMarker|c|Loop", "bool", "", "I\1\0\0\0", 5);
    end_record(&w, list, true);
    end_record(&w, section, true);
    section = begin_record(&w, "Objects", NULL);
    size_t object = begin_object(&w, "Model", "hip\0\1Model", 10);
    list = begin_record(&w, "Properties70", NULL);
    put_property(&w, "plain", "int", "A", "I\7\0\0\0", 5);
    put_property(&w, "i", "Integer", "A+U", "I\xff\xff\xff\xffI\0\0\0\0I\5\0\0\0",
                 15); /* with its least and greatest */
    put_property(&w, "l", "ULongLong", "U", "L\0\0\0\0\0\0\0\x40", 9);
    put_property(&w, "s", "Short", "UH", "Y\2\0", 3);
    put_property(&w, "on", "Bool", "U", "I\1\0\0\0", 5);
    put_property(&w, "c", "Bool", "U", "C\0", 2);
    put_property(&w, "d", "double", "U", "D\x9a\x99\x99\x99\x99\x99\xb9\x3f", 9); /* 0.1 */
    put_property(&w, "f", "float", "U", "F\xcd\xcc\xcc\x3d", 5);                  /* 0.1f */
    put_property(&w, "inf", "float", "U", "F\0\0\x80\x7f", 5);
    put_property(&w, "v", "Vector3D", "U",
                 "F\0\0\x80\x3f"
                 "F\0\0\0\x40"
                 "F\0\0\x40\x40",
                 15);
    put_property(&w, "\"\n\\", "KString", "U", "S\4\0\0\0a\"\r\xff", 9);
    put_property(&w, "none", "Compound", "U", "", 0);
    end_record(&w, list, true);
    end_record(&w, object, true);
    object = begin_object(&w, "Material", "wool\0\1Material", 14);
    end_record(&w, object, true);
    object = begin_object(&w, "AnimationStack", "run\0\1AnimStack", 14);
    list = begin_record(&w, "Properties70", NULL);
    put_time(&w, "LocalStart", "", 10);
    put_time(&w, "LocalStop", "", 20);
    end_record(&w, list, true);
    end_record(&w, object, true);
    object = begin_object(&w, "Deformer", "x", 1);
    end_record(&w, object, true);
    end_record(&w, section, true);
    return w;
}

static bool is_span(const struct fbx_properties *p, struct fbx_span span, const char *text)
{
    return span.size_bytes == strlen(text) &&
           (span.size_bytes == 0 || memcmp(p->text.data + span.at, text, span.size_bytes) == 0);
}

static void check_rest(const struct fbx_properties *p)
{
    assert_int_equal(p->object_count, 3);
    assert_int_equal(p->objects[0].kind, FBX_MODEL);
    assert_true(is_span(p, p->objects[0].name, "hip"));
    assert_int_equal(p->objects[1].kind, FBX_MATERIAL);
    assert_true(is_span(p, p->objects[1].name, "wool"));
    assert_int_equal(p->objects[1].json.size_bytes, 0);
    assert_int_equal(p->objects[2].kind, FBX_TAKE);
    assert_true(is_span(p, p->objects[2].name, "run"));
    assert_int_equal(p->objects[2].start, 10);
    assert_int_equal(p->objects[2].stop, 20);
    assert_int_equal(p->marker_count, 3);
    assert_true(is_span(p, p->markers[0].name, "hit"));
    assert_int_equal(p->markers[0].time, FBX_TICKS_PER_S);
    assert_true(is_span(p, p->markers[1].name, "b"));
    assert_int_equal(p->markers[1].time, -5);
    assert_false(p->markers[2].has_time);
}

TEST(fbx_properties_of_binary_files)
{
    for (int i = 0; i < 2; i++) {
        struct writer w = make_binary(i == 1);
        struct fbx_properties p;
        fbx_properties_read(&p, (const uint8_t *)w.buf.data, w.buf.size_bytes);
        check_rest(&p);
        assert_true(is_span(&p, p.objects[0].json,
                            "{\"i\":-1,\"l\":4611686018427387904,\"s\":2,\"on\":true,\"c\":false,\"d\":0.1,\"f\":0.1,"
                            "\"inf\":null,\"v\":[1,2,3],\"\\\"\\u000a\\\\\":\"a\\\"\\u000d\xff\"}"));
        fbx_properties_fini(&p);
        buf_fini(&w.buf);
    }
}

static const char TEXT[] =
    "; FBX 7.4.0 project file\nGlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n"
    "\t\tP: \"TimeMarker\", \"Compound\", \"\", \"\"\n\t\tP: \"TimeMarker|a|Time\", \"KTime\", \"Time\", "
    "\"\",46186158000\r\n"
    "\t\tP: \"TimeMarker|a|Name\", \"KString\", \"\", \"\", \"hit\"\n\t\tP: \"TimeMarker|b\", \"KTime\", \"Time\", "
    "\"\",-5\n"
    "\t\tP: \"TimeMarker|c|Loop\", \"bool\", \"\", \"\",1\n\t}\n}\n"
    "Definitions:  {\n\tObjectType: \"Model\" {\n\t\tPropertyTemplate: \"FbxNode\" {\n\t\t\tProperties70:  {\n"
    "\t\t\t\tP: \"template\", \"int\", \"\", \"U\",1\n\t\t\t}\n\t\t}\n\t}\n}\n"
    "Objects:  {\n\tModel: 10, \"Model::hip\", \"Null\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n"
    "\t\t\tP: \"plain\", \"int\", \"Integer\", \"A\",7\n\t\t\tP: \"i\", \"Integer\", \"\", "
    "\"A+U\",12345678901234567890, 0,5\n"
    "\t\t\tP: \"d\", \"double\", \"Number\", \"U\",1.10\r\n\t\t\tP: \"e\", \"double\", \"Number\", \"U\",.5\n"
    "\t\t\tP: \"n\", \"double\", \"Number\", \"U\",1.#INF\n\t\t\tP: \"on\", \"bool\", \"\", \"U\",1\n"
    "\t\t\tP: \"v\", \"ColorRGB\", \"Color\", \"U\",1,0.5,-2e3\n"
    "\t\t\tP: \"t\", \"KString\", \"\", \"U\", \"a &quot;b&quot;, {&cr;&lf;\\c}\"\n"
    "\t\t\tP: \"cut\", \"KString\", \"\", \"U\", \"open\n\t\t\tP: \"bad\", \"KString\"\n\t\t}\n\t\tShading: T\n\t}\n"
    "\tNodeAttribute: 12, \"NodeAttribute::hip\", \"Null\" {\n\t\tProperties70:  {\n\t\t\tP: \"x\", \"int\", \"\", "
    "\"U\",1\n\t\t}\n\t}\n"
    "\tMaterial: 13, \"Material::wool\", \"\" {\n\t}\n"
    "\tAnimationStack: 20, \"AnimStack::run\", \"\" {\n\t\tProperties70:  {\n"
    "\t\t\tP: \"LocalStart\", \"KTime\", \"Time\", \"\",10\n\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", "
    "\"\",20\n\t\t}\n\t}\n}\n"
    "Connections:  {\n\tC: \"OO\",10,0\n}\n";

TEST(fbx_properties_of_text_files)
{
    struct fbx_properties p;
    fbx_properties_read(&p, (const uint8_t *)TEXT, sizeof TEXT - 1);
    check_rest(&p);
    assert_true(is_span(&p, p.objects[0].json,
                        "{\"i\":12345678901234567890,\"d\":1.10,\"e\":0.5,\"n\":null,\"on\":true,\"v\":[1,0.5,-2e3],"
                        "\"t\":\"a \\\"b\\\", {\\u000d\\u000a\\\\c}\",\"cut\":\"open\"}"));
    fbx_properties_fini(&p);
}

/* Whatever the bytes are, what is there as JSON is JSON, and spans lie inside the text. */
static void read_copy(const char *bytes, size_t size)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size); /* exactly as long, so that ASan sees a read past the end */
    struct fbx_properties p;
    memcpy(copy, bytes, size);
    fbx_properties_read(&p, copy, size);
    for (uint32_t i = 0; i < p.object_count; i++) {
        const struct fbx_object *object = &p.objects[i];
        assert_true(object->name.at + object->name.size_bytes <= p.text.size_bytes);
        assert_true(object->json.at + object->json.size_bytes <= p.text.size_bytes);
        if (object->json.size_bytes > 0)
            assert_true(json_is_compact(p.text.data + object->json.at, object->json.size_bytes));
    }
    fbx_properties_fini(&p);
    free(copy);
}

TEST(fbx_properties_truncated_and_changed)
{
    for (int i = 0; i < 3; i++) {
        struct writer w = make_binary(i == 1);
        if (i == 2) {
            buf_clear(&w.buf);
            buf_put_text(&w.buf, TEXT);
        }
        for (size_t size = 0; size < w.buf.size_bytes; size++)
            read_copy(w.buf.data, size);
        for (size_t at = 0; at < w.buf.size_bytes; at++)
            for (int bit = 0; bit < 8; bit++) {
                w.buf.data[at] ^= (char)(1 << bit);
                read_copy(w.buf.data, w.buf.size_bytes);
                w.buf.data[at] ^= (char)(1 << bit);
            }
        buf_fini(&w.buf);
    }
}
