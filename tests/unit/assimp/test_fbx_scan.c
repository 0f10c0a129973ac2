/* FBX files of both binary layouts and in text, as far as curves and layers go. */
#include "tests/unit/support/check.h"

#include "base/buf.h"
#include "import/fbx/fbx_scan.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

/* Begins a record of these properties; end_record() fills in where it ends. */
static size_t begin_record(struct writer *w, const char *name, uint32_t count, const void *properties, size_t size)
{
    const size_t at = w->buf.size_bytes;
    put_head(w, 0);
    put_head(w, count);
    put_head(w, size);
    buf_put_char(&w->buf, (char)strlen(name));
    buf_put_text(&w->buf, name);
    buf_put(&w->buf, properties, size);
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

static void put_array(struct writer *w, const char *name, char type, const void *items, uint32_t count,
                      bool is_deflated)
{
    struct buf p;
    unsigned char packed[256];
    uLongf packed_size = sizeof packed;
    buf_init(&p, 0);
    buf_put_char(&p, type);
    buf_put_u32(&p, count);
    buf_put_u32(&p, is_deflated);
    assert_int_equal(compress(packed, &packed_size, items, 4 * count), Z_OK);
    buf_put_u32(&p, is_deflated ? (uint32_t)packed_size : 4 * count);
    buf_put(&p, is_deflated ? packed : items, is_deflated ? packed_size : 4 * count);
    end_record(w, begin_record(w, name, 1, p.data, p.size_bytes), false);
    buf_fini(&p);
}

/* An object's first properties: its id, then its name, which goes up to a NUL before its class. */
static size_t begin_object(struct writer *w, const char *record, int64_t id, const char *name)
{
    struct buf p;
    buf_init(&p, 0);
    buf_put_char(&p, 'L');
    buf_put_u64(&p, (uint64_t)id);
    buf_put_char(&p, 'S');
    buf_put_u32(&p, (uint32_t)strlen(name) + 2);
    buf_put(&p, name, strlen(name) + 1);
    buf_put_char(&p, 1);
    const size_t at = begin_record(w, record, 2, p.data, p.size_bytes);
    buf_fini(&p);
    return at;
}

static void put_curve(struct writer *w, int64_t id, const float *values, uint32_t count, uint32_t flags,
                      bool is_deflated)
{
    const size_t at = begin_object(w, "AnimationCurve", id, "");
    put_array(w, "KeyValueFloat", 'f', values, count, is_deflated);
    put_array(w, "KeyAttrFlags", 'i', &flags, 1, is_deflated);
    end_record(w, at, true);
}

static void put_layer(struct writer *w, int64_t id)
{
    struct buf p;
    buf_init(&p, 0);
    buf_put_char(&p, 'L');
    buf_put_u64(&p, (uint64_t)id);
    end_record(w, begin_record(w, "AnimationLayer", 1, p.data, p.size_bytes), false);
    buf_fini(&p);
}

static void put_connection(struct writer *w, int64_t child, int64_t parent)
{
    struct buf p;
    buf_init(&p, 0);
    buf_put(&p, "S\2\0\0\0OOL", 8);
    buf_put_u64(&p, (uint64_t)child);
    buf_put_char(&p, 'L');
    buf_put_u64(&p, (uint64_t)parent);
    end_record(w, begin_record(w, "C", 3, p.data, p.size_bytes), false);
    buf_fini(&p);
}

/* Curves: cubic, linear, stepped, cubic of one value, cubic of one key. Takes 20 (layers 1 and 2, both used) and
 * 21 (layers 3 and 4, of which 4 has nothing). Of the curve nodes, 101 turns about two axes, 102 about one and 103
 * moves. */
static struct writer make_binary(bool is_64_bits, bool is_deflated)
{
    static const float MOVING[3] = {0, 1, 0}, STILL[3] = {2, 2, 2};
    struct writer w = {.is_64_bits = is_64_bits};
    buf_init(&w.buf, 0);
    buf_put(&w.buf, "Kaydara FBX Binary  \0\x1a\0", 23);
    buf_put_u32(&w.buf, is_64_bits ? 7500 : 7400);
    size_t at = begin_record(&w, "GlobalSettings", 0, NULL, 0);
    end_record(&w, at, true);
    at = begin_record(&w, "Objects", 0, NULL, 0);
    put_curve(&w, 1001, MOVING, 3, 0x6108, is_deflated);
    put_curve(&w, 1002, MOVING, 3, 0x6104, is_deflated);
    put_curve(&w, 1003, MOVING, 3, 0x6102, is_deflated);
    put_curve(&w, 1004, STILL, 3, 0x6108, is_deflated);
    put_curve(&w, 1005, MOVING, 1, 0x6108, is_deflated);
    for (int64_t id = 1; id <= 4; id++)
        put_layer(&w, id);
    end_record(&w, begin_object(&w, "AnimationCurveNode", 101, "R"), false);
    end_record(&w, begin_object(&w, "AnimationCurveNode", 102, "R"), false);
    end_record(&w, begin_object(&w, "AnimationCurveNode", 103, "T"), false);
    end_record(&w, at, true);
    at = begin_record(&w, "Connections", 0, NULL, 0);
    for (int64_t id = 1; id <= 4; id++) {
        put_connection(&w, id, id <= 2 ? 20 : 21);
        if (id != 4)
            put_connection(&w, 100 + id, id);
    }
    put_connection(&w, 1001, 101);
    put_connection(&w, 1002, 101);
    put_connection(&w, 1003, 102);
    put_connection(&w, 1004, 102);
    put_connection(&w, 1001, 103);
    put_connection(&w, 1002, 103);
    end_record(&w, at, true);
    return w;
}

static void check_losses(struct fbx_findings losses)
{
    assert_int_equal(losses.curve_count, 3);
    assert_int_equal(losses.cubic_count, 1);
    assert_int_equal(losses.stepped_count, 1);
    assert_int_equal(losses.layered_count, 1);
    assert_int_equal(losses.turning_count, 1);
    assert_false(losses.is_uncertain);
}

TEST(fbx_scan_binary)
{
    for (int i = 0; i < 4; i++) {
        struct writer w = make_binary(i % 2 != 0, i / 2 != 0);
        check_losses(fbx_scan((const uint8_t *)w.buf.data, w.buf.size_bytes));
        buf_fini(&w.buf);
    }
}

static const char TEXT[] =
    "; FBX 7.4.0 project file\nObjects:  {\n"
    "\tAnimationCurve: 1001, \"AnimCurve::\", \"\" {\n\t\tKeyTime: *2 {\n\t\t\ta: 0,46186158000\n\t\t} \n"
    "\t\tKeyValueFloat: *2 {\n\t\t\ta: 1,2.5\n\t\t} \n\t\tKeyAttrFlags: *1 {\n\t\t\ta: 24840\n\t\t} \n\t}\n"
    "\tAnimationCurve: 1002, \"AnimCurve::\", \"\" {\n\t\tKeyValueFloat: *2 {\n\t\t\ta: 1,2.5\n\t\t}\n"
    "\t\tKeyAttrFlags: *1 {\n\t\t\ta: 24836\n\t\t}\n\t}\n"
    "\tAnimationCurve: 1003, \"AnimCurve::\", \"\" {\n\t\tKeyValueFloat: *3 {\n\t\t\ta: -1e-3, 2,-1e-3\r\n\t\t}\n"
    "\t\tKeyAttrFlags: *2 {\n\t\t\ta: 24836,24834\n\t\t}\n\t}\n"
    "\tAnimationCurve: 1004, \"AnimCurve::\", \"\" {\n\t\tKeyValueFloat: *2 {\n\t\t\ta: 1, 1\n\t\t}\n"
    "\t\tKeyAttrFlags: *1 {\n\t\t\ta: 24840\n\t\t}\n\t}\n"
    "\tAnimationLayer: 1, \"AnimLayer::Base\", \"\" {\n\t}\n\tAnimationLayer: 2, \"AnimLayer::More\", \"\" {\n\t}\n"
    "\tAnimationCurveNode: 101, \"AnimCurveNode::R\", \"\" {\n\t}\n\tAnimationCurveNode: 102, \"AnimCurveNode::R\", "
    "\"\" {\n\t}\n"
    "\tAnimationCurveNode: 103, \"AnimCurveNode::T\", \"\" {\n\t}\n}\n"
    "Connections:  {\n\t;AnimLayer::Base, AnimStack::Take\n\tC: \"OO\",1,20\n\tC: \"OO\",2,20\n\tC: \"OO\",101,1\n"
    "\tC: \"OO\",102,2\n\tC: \"OP\",1001,101, \"d|X\"\n\tC: \"OP\",1002,101, \"d|Y\"\n\tC: \"OP\",1003,102, \"d|Y\"\n"
    "\tC: \"OP\",1004,102, \"d|Z\"\n\tC: \"OP\",1001,103, \"d|X\"\n\tC: \"OP\",1002,103, \"d|Y\"\n}\n";

TEST(fbx_scan_text) { check_losses(fbx_scan((const uint8_t *)TEXT, sizeof TEXT - 1)); }

TEST(fbx_scan_of_old_files_is_uncertain)
{
    static const char OLD[] = "; FBX 6.1.0 project file\nTakes:  {\n\tTake: \"Walk\" {\n\t}\n}\n";
    uint8_t binary[64] = "Kaydara FBX Binary  \0\x1a\0";
    binary[23] = 0xd4; /* 6100 */
    binary[24] = 0x17;
    assert_true(fbx_scan((const uint8_t *)OLD, sizeof OLD - 1).is_uncertain);
    assert_true(fbx_scan(binary, sizeof binary).is_uncertain);
}

static void scan_copy(const char *bytes, size_t size)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size); /* exactly as long, so that ASan sees a read past the end */
    memcpy(copy, bytes, size);
    fbx_scan(copy, size);
    free(copy);
}

TEST(fbx_scan_truncated_and_changed)
{
    for (int i = 0; i < 3; i++) {
        struct writer w = make_binary(i == 1, i == 2);
        if (i == 2) {
            buf_clear(&w.buf);
            buf_put_text(&w.buf, TEXT);
        }
        for (size_t size = 0; size < w.buf.size_bytes; size++)
            scan_copy(w.buf.data, size);
        for (size_t at = 0; at < w.buf.size_bytes; at++)
            for (int bit = 0; bit < 8; bit++) {
                w.buf.data[at] ^= (char)(1 << bit);
                scan_copy(w.buf.data, w.buf.size_bytes);
                w.buf.data[at] ^= (char)(1 << bit);
            }
        buf_fini(&w.buf);
    }
}
