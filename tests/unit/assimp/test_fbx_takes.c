/* Takes that begin earlier and end later, in both forms of FBX files. */
#include "tests/unit/support/check.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "import/fbx/fbx_takes.h"

#include <stdlib.h>
#include <string.h>

#define WIDENED 756714012672000 /* FBX_WIDENED_S in ticks */

static const char TEXT[] = "; FBX 7.3.0 project file\nDefinitions:  {\n\tP: \"LocalStart\", \"KTime\", \"Time\", "
                           "\"\",0\n\tP: \"LocalStop\", \"KTime\", \"Time\", "
                           "\"\",0\n}\nObjects:  {\n"
                           "\tAnimationStack: 1, \"AnimStack::a\", \"\" {\n\t\tProperties70:  {\n\t\t\tP: "
                           "\"LocalStart\", \"KTime\", \"Time\", \"\",46186158000\r\n"
                           "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\", 92372316000\n\t\t}\n\t}\n"
                           "\tAnimationStack: 2, \"AnimStack::b\", \"\" {\n\t\tProperties70:  {\n\t\t\tP: "
                           "\"LocalStop\", \"KTime\", \"Time\", \"\",5\n\t\t}\n\t}\n"
                           "\tAnimationStack: 3, \"AnimStack::c\", \"\" {\n\t}\n}\n";

static void expect_number(const char **at, const char *name, long long ticks)
{
    *at = strstr(*at + 1, name);
    assert_non_null(*at);
    assert_true(strtoll(strstr(*at, "\"\",") + 3, NULL, 10) == ticks);
}

TEST(fbx_takes_in_text)
{
    uint8_t *out;
    size_t size;
    assert_true(fbx_widen_takes((const uint8_t *)TEXT, sizeof TEXT - 1, &out, &size));
    const char *at = (const char *)out;
    assert_int_equal(size, strlen(at));
    expect_number(&at, "LocalStart", 0); /* the template's stay */
    expect_number(&at, "LocalStop", 0);
    expect_number(&at, "LocalStart", 46186158000 - WIDENED);
    expect_number(&at, "LocalStop", 92372316000 + WIDENED);
    expect_number(&at, "LocalStop", 5 + WIDENED);
    assert_null(strstr(at + 1, "LocalSt"));
    assert_non_null(strstr(at, "AnimStack::c"));
    free(out);
    assert_false(fbx_widen_takes((const uint8_t *)"Objects:  {\n}\n", 14, &out, &size));
}

static size_t begin_record(struct buf *b, const char *name, uint32_t properties)
{
    const size_t at = b->size_bytes;
    buf_put_u32(b, 0);
    buf_put_u32(b, 0);
    buf_put_u32(b, properties);
    buf_put_char(b, (char)strlen(name));
    buf_put_text(b, name);
    return at;
}

static void end_record(struct buf *b, size_t at)
{
    const uint32_t end = (uint32_t)b->size_bytes;
    memcpy(b->data + at, &end, sizeof end); /* little-endian, as this machine is */
}

static void put_text(struct buf *b, const char *text)
{
    buf_put_char(b, 'S');
    buf_put_u32(b, (uint32_t)strlen(text));
    buf_put_text(b, text);
}

static size_t put_time(struct buf *b, const char *name, int64_t ticks)
{
    const size_t record = begin_record(b, "P", (uint32_t)(4 * 5 + strlen(name) + 5 + 4 + 9));
    put_text(b, name);
    put_text(b, "KTime");
    put_text(b, "Time");
    put_text(b, "");
    buf_put_char(b, 'L');
    buf_put_u64(b, (uint64_t)ticks);
    end_record(b, record);
    return b->size_bytes - 8;
}

/* Where the two times are. */
static struct buf make_binary(size_t *start, size_t *stop, int64_t start_ticks, int64_t stop_ticks)
{
    struct buf b;
    buf_init(&b, 0);
    buf_put(&b, "Kaydara FBX Binary  \0\x1a\0", 23);
    buf_put_u32(&b, 7400);
    const size_t objects = begin_record(&b, "Objects", 0), stack = begin_record(&b, "AnimationStack", 0);
    const size_t list = begin_record(&b, "Properties70", 0);
    *stop = put_time(&b, "LocalStop", stop_ticks);
    *start = put_time(&b, "LocalStart", start_ticks);
    end_record(&b, list);
    end_record(&b, stack);
    end_record(&b, objects);
    return b;
}

TEST(fbx_takes_in_binary)
{
    size_t start, stop, size;
    uint8_t *out;
    struct buf b = make_binary(&start, &stop, 7, 46186158000);
    assert_true(fbx_widen_takes((const uint8_t *)b.data, b.size_bytes, &out, &size));
    assert_int_equal(size, b.size_bytes);
    assert_true((int64_t)get_u64(out + start) == 7 - WIDENED);
    assert_true((int64_t)get_u64(out + stop) == 46186158000 + WIDENED);
    memcpy(out + start, b.data + start, 8);
    memcpy(out + stop, b.data + stop, 8);
    assert_memory_equal(out, b.data, size);
    free(out);
    buf_fini(&b);
    b = make_binary(&start, &stop, INT64_MIN, 1); /* nobody means it */
    assert_false(fbx_widen_takes((const uint8_t *)b.data, b.size_bytes, &out, &size));
    buf_fini(&b);
}

static void widen_copy(const char *bytes, size_t given)
{
    uint8_t *copy = malloc(given == 0 ? 1 : given), *out; /* exactly as long, so that ASan sees a read past the end */
    size_t size;
    memcpy(copy, bytes, given);
    const bool is_widened = fbx_widen_takes(copy, given, &out, &size);
    assert_int_equal(is_widened, out != NULL);
    free(out);
    free(copy);
}

TEST(fbx_takes_truncated_and_changed)
{
    size_t start, stop;
    struct buf b = make_binary(&start, &stop, 7, 46186158000);
    for (int i = 0; i < 2; i++) {
        if (i == 1) {
            buf_clear(&b);
            buf_put_text(&b, TEXT);
        }
        for (size_t size = 0; size < b.size_bytes; size++)
            widen_copy(b.data, size);
        for (size_t at = 0; at < b.size_bytes; at++)
            for (int bit = 0; bit < 8; bit++) {
                b.data[at] ^= (char)(1 << bit);
                widen_copy(b.data, b.size_bytes);
                b.data[at] ^= (char)(1 << bit);
            }
    }
    buf_fini(&b);
}

TEST(fbx_takes_of_durations)
{
    static const double ROWS[][3] = {
        {0, 0, 0}, {90, 0, 90}, {FBX_WIDENED_S + 2.5, 0, 2.5}, {2 * FBX_WIDENED_S + 2.5, FBX_WIDENED_S, 2.5}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        double begin, length;
        fbx_take_of(ROWS[i][0], &begin, &length);
        CHECK_NEAR(begin, ROWS[i][1], 0);
        CHECK_NEAR(length, ROWS[i][2], 0);
    }
}
