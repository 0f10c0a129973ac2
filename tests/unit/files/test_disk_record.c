/* The records of the disk cache's files: worked bytes, and all kinds of invalid ones. */
#include "tests/unit/support/check.h"

#include "daemon/disk/disk_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static struct sources *two_sources(void)
{
    struct sources *sources = sources_new(2);
    sources->items[0] = (struct source){
        .path = strdup("a/b.glb"),
        .role = SOURCE_MODEL,
        .kind = SOURCE_BYTES,
        .stamp = {0x0102, 0x0304, 0x0506, 0x0708},
    };
    memset(sources->items[0].hash, 0xab, SOURCE_HASH_SIZE);
    sources->items[1] = (struct source){
        .path = strdup("t"),
        .role = SOURCE_TEXTURE,
        .kind = SOURCE_NONE,
        .is_missing = true,
    };
    return sources;
}

static void encode_index(struct buf *out)
{
    struct disk_index index = {.root = 0x1122334455667788, .recorded_ns = 0x0a0b0c0d, .sources = two_sources()};
    memset(index.self, 0xc3, sizeof index.self);
    memset(index.key, 0x5a, sizeof index.key);
    buf_init(out, 0);
    disk_index_encode(&index, out);
    sources_free(index.sources);
}

static void encode_head(struct buf *out)
{
    struct disk_head head = {
        .bake_bytes = 1000,
        .pixel_offset = 640,
        .pixel_bytes = 64,
        .core_sum = 1,
        .pixel_sum = 2,
        .limits = {3, 4, 5},
        .is_limited = 1,
        .sources = two_sources(),
    };
    memset(head.key, 0xa5, sizeof head.key);
    buf_init(out, 0);
    disk_head_encode(&head, out);
    sources_free(head.sources);
}

static void encode(bool is_index, struct buf *out)
{
    buf_init(out, 0);
    if (is_index)
        encode_index(out);
    else
        encode_head(out);
}

#define REPEAT8(x)  x, x, x, x, x, x, x, x
#define REPEAT32(x) REPEAT8(x), REPEAT8(x), REPEAT8(x), REPEAT8(x)

/* What both have at their end, byte by byte. */
static const uint8_t SOURCES[] = {
    2,
    0,
    0,
    0, /* count */
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0, /* model, bytes */
    2,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    4,
    3,
    0,
    0,
    0,
    0,
    0,
    0,
    6,
    5,
    0,
    0,
    0,
    0,
    0,
    0,
    8,
    7,
    0,
    0,
    0,
    0,
    0,
    0, /* stamp */
    REPEAT32(0xab),
    7,
    0,
    0,
    0,
    'a',
    '/',
    'b',
    '.',
    'g',
    'l',
    'b', /* hash, path */
    2,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    REPEAT32(0),
    REPEAT32(0),
    1,
    0,
    0,
    0,
    't', /* a missing texture */
};

static void check_bytes(const struct buf *record, const void *before, size_t before_size)
{
    assert_int_equal(record->size_bytes, before_size + sizeof SOURCES + 8);
    assert_memory_equal(record->data, before, before_size);
    assert_memory_equal(record->data + before_size, SOURCES, sizeof SOURCES);
    const uint64_t sum = XXH3_64bits(record->data, record->size_bytes - 8);
    assert_memory_equal(record->data + record->size_bytes - 8, &sum, 8);
}

TEST(disk_index_worked_bytes)
{
    static const uint8_t BEFORE[] = {
        'p',  'o',  's',  'e',  'd',  'i',  'x',  '\n',           3,
        0,    0,    0,    12,   1,    0,    0,    REPEAT32(0xc3), REPEAT32(0x5a),
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,           0x0d,
        0x0c, 0x0b, 0x0a, 0,    0,    0,    0,
    };
    struct buf record;
    struct disk_index index;
    struct err err;
    encode_index(&record);
    check_bytes(&record, BEFORE, sizeof BEFORE);
    assert_int_equal(disk_index_decode(record.data, record.size_bytes, &index, &err), 0);
    assert_int_equal(index.root, 0x1122334455667788);
    assert_int_equal(index.recorded_ns, 0x0a0b0c0d);
    assert_int_equal(index.self[31], 0xc3);
    assert_int_equal(index.key[31], 0x5a);
    assert_int_equal(index.sources->count, 2);
    const struct source *model = &index.sources->items[0], *texture = &index.sources->items[1];
    assert_string_equal(model->path, "a/b.glb");
    assert_int_equal(model->stamp.inode, 0x0708);
    assert_int_equal(model->hash[31], 0xab);
    assert_false(model->is_missing);
    assert_string_equal(texture->path, "t");
    assert_int_equal(texture->role, SOURCE_TEXTURE);
    assert_true(texture->is_missing);
    sources_free(index.sources);
    buf_fini(&record);
}

TEST(disk_head_worked_bytes)
{
    static const uint8_t BEFORE[] = {
        'p',  'o', 's', 'e', 'd', 'm', 'd', '\n', 3,    0, 0, 0, 0x24, 1, 0, 0, REPEAT32(0xa5),
        0xe8, 3,   0,   0,   0,   0,   0,   0,    0x80, 2, 0, 0, 0,    0, 0, 0, 64,
        0,    0,   0,   0,   0,   0,   0,   1,    0,    0, 0, 0, 0,    0, 0, 2, 0,
        0,    0,   0,   0,   0,   0,   3,   0,    0,    0, 0, 0, 0,    0, 4, 0, 0,
        0,    0,   0,   0,   0,   5,   0,   0,    0,    0, 0, 0, 0,    1, 0, 0, 0,
        0,    0,   0,   0,
    };
    struct buf record;
    struct disk_head head;
    struct err err;
    encode_head(&record);
    check_bytes(&record, BEFORE, sizeof BEFORE);
    assert_int_equal(disk_head_decode(record.data, record.size_bytes, &head, &err), 0);
    assert_int_equal(head.bake_bytes, 1000);
    assert_int_equal(head.pixel_offset, 640);
    assert_int_equal(head.pixel_bytes, 64);
    assert_int_equal(head.core_sum, 1);
    assert_int_equal(head.pixel_sum, 2);
    assert_int_equal(head.limits[DISK_LIMIT_FILE], 3);
    assert_int_equal(head.limits[DISK_LIMIT_BAKE], 4);
    assert_int_equal(head.limits[DISK_LIMIT_MEMORY], 5);
    assert_int_equal(head.is_limited, 1);
    assert_int_equal(disk_bake_offset(record.size_bytes), 4096);
    assert_int_equal(disk_bake_offset(4096), 4096);
    assert_int_equal(disk_bake_offset(4097), 8192);
    sources_free(head.sources);
    buf_fini(&record);
}

static int decode(bool is_index, const void *bytes, size_t size_bytes, struct err *err)
{
    struct disk_index index = {0};
    struct disk_head head = {0};
    void *copy = malloc(size_bytes); /* exactly as long, so that ASan sees a read past its end */
    memcpy(copy, bytes, size_bytes);
    const int rc =
        is_index ? disk_index_decode(copy, size_bytes, &index, err) : disk_head_decode(copy, size_bytes, &head, err);
    free(copy);
    sources_free(is_index ? index.sources : head.sources);
    return rc;
}

TEST(disk_records_cut_or_longer_are_refused)
{
    for (int is_index = 0; is_index < 2; is_index++) {
        struct buf record;
        struct err err;
        encode(is_index, &record);
        const size_t size = record.size_bytes;
        for (size_t cut = 0; cut < size; cut++)
            assert_int_equal(decode(is_index, record.data, cut, &err), ERR_BAD_BAKE);
        buf_put_char(&record, 0);
        assert_int_equal(decode(is_index, record.data, size + 1, &err), ERR_BAD_BAKE);
        assert_int_equal(decode(!is_index, record.data, size, &err), ERR_BAD_BAKE);
        buf_fini(&record);
    }
}

TEST(disk_records_with_another_byte_are_refused)
{
    for (int is_index = 0; is_index < 2; is_index++) {
        struct buf record;
        struct err err;
        encode(is_index, &record);
        for (size_t i = 0; i < record.size_bytes; i++)
            for (int bit = 0; bit < 8; bit++) {
                record.data[i] = (char)(record.data[i] ^ (1 << bit));
                assert_int_equal(decode(is_index, record.data, record.size_bytes, &err), ERR_BAD_BAKE);
                record.data[i] = (char)(record.data[i] ^ (1 << bit));
            }
        assert_int_equal(decode(is_index, record.data, record.size_bytes, &err), 0);
        buf_fini(&record);
    }
}

/* A wrong value with a correct checksum, as a faulty program would write it. */
TEST(disk_record_fields_out_of_range)
{
    enum { SOURCES_AT = 96, FIRST = SOURCES_AT + 4, PATH = FIRST + 72, SECOND = PATH + 11 };
    static const struct {
        size_t at;
        uint8_t value;
        const char *word;
    } rows[] = {
        {8, 1, "version"},           {SOURCES_AT, 3, "more"}, {SOURCES_AT, 1, "follow"}, {SOURCES_AT, 0, "follow"},
        {SOURCES_AT + 2, 1, "more"}, {FIRST, 5, "role"},      {FIRST, 1, "not among"},   {FIRST + 4, 6, "kind"},
        {FIRST + 4, 3, "hash"},      {PATH, 0, "path"},       {PATH, 200, "path"},       {PATH + 3, 1, "path"},
        {PATH + 4, 0, "NUL"},        {SECOND + 4, 1, NULL},   {SECOND + 40, 1, "hash"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf record;
        struct err err = {0};
        encode_index(&record);
        record.data[rows[i].at] = (char)rows[i].value;
        const uint64_t sum = XXH3_64bits(record.data, record.size_bytes - 8);
        memcpy(record.data + record.size_bytes - 8, &sum, 8);
        assert_int_equal(decode(true, record.data, record.size_bytes, &err), rows[i].word != NULL ? ERR_BAD_BAKE : 0);
        if (rows[i].word != NULL && strstr(err.message, rows[i].word) == NULL)
            fail_msg("row %zu: %s", i, err.message);
        buf_fini(&record);
    }
}

TEST(disk_head_fields_out_of_range)
{
    static const size_t LAST_BYTES[] = {48 + 7, 56 + 7, 64 + 7, 65, 112};
    /* of bake_bytes, pixel_offset, pixel_bytes, is_limited */
    for (size_t i = 0; i < sizeof LAST_BYTES / sizeof *LAST_BYTES; i++) {
        struct buf record;
        struct err err;
        encode_head(&record);
        record.data[LAST_BYTES[i]] = 0x40;
        const uint64_t sum = XXH3_64bits(record.data, record.size_bytes - 8);
        memcpy(record.data + record.size_bytes - 8, &sum, 8);
        assert_int_equal(decode(false, record.data, record.size_bytes, &err), ERR_BAD_BAKE);
        buf_fini(&record);
    }
}

TEST(disk_core_sum_leaves_the_textures_out)
{
    uint8_t bake[300];
    for (size_t i = 0; i < sizeof bake; i++)
        bake[i] = (uint8_t)(i * 7);
    const struct disk_head head = {.bake_bytes = sizeof bake, .pixel_offset = 100, .pixel_bytes = 50};
    const uint64_t sum = disk_core_sum(bake, &head);
    for (size_t i = 0; i < sizeof bake; i++) {
        bake[i] ^= 4;
        assert_int_equal(disk_core_sum(bake, &head) == sum, i >= 100 && i < 150);
        bake[i] ^= 4;
    }
}

/* --- the fuzzer's seeds --- */

static void check_seed(const char *name, const struct buf *record)
{
    char path[64];
    snprintf(path, sizeof path, "tests/fuzz/corpus/disk/%s", name);
    FILE *file = fopen(path, getenv("WRITE_SEEDS") != NULL ? "w+b" : "rb");
    if (file == NULL)
        fail_msg("cannot open '%s' (tests run in the repository's root)", path);
    if (getenv("WRITE_SEEDS") != NULL) {
        fwrite(record->data, 1, record->size_bytes, file);
        rewind(file);
    }
    char *bytes = calloc(1, record->size_bytes + 1);
    const size_t size_bytes = fread(bytes, 1, record->size_bytes + 1, file);
    fclose(file);
    const bool is_same = size_bytes == record->size_bytes && memcmp(bytes, record->data, size_bytes) == 0;
    free(bytes);
    if (!is_same)
        fail_msg("'%s' is not what is encoded today: if that is meant, increment DISK_VERSION and WRITE_SEEDS=1", path);
}

static void check_changed_seed(const char *name, bool is_index, size_t at, uint8_t value)
{
    struct buf record;
    encode(is_index, &record);
    record.data[at] = (char)value;
    const uint64_t sum = XXH3_64bits(record.data, record.size_bytes - 8);
    memcpy(record.data + record.size_bytes - 8, &sum, 8);
    check_seed(name, &record);
    buf_fini(&record);
}

TEST(disk_record_seeds_are_of_this_version)
{
    struct buf record;
    encode(true, &record);
    check_seed("index", &record);
    buf_fini(&record);
    encode(false, &record);
    check_seed("head", &record);
    record.size_bytes = 100;
    check_seed("cut", &record);
    buf_fini(&record);
    check_changed_seed("many_sources", true, 96 + 2, 1);
    check_changed_seed("long_path", true, 96 + 4 + 72 + 1, 0x20);
    check_changed_seed("textures_outside", false, 56 + 7, 0x40);
    check_changed_seed("limited", false, 112, 2);
}
