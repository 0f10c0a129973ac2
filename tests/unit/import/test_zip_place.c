/* test_zip_place.c - where a zip stores a file: sound zips, and each of their bytes changed or cut off. */
#include "import/source/zip_place.h"
#include "tests/unit/support/check.h"

#include "base/base64.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ENTRY_BYTES = 46, END_BYTES = 22 };

struct made_zip {
    uint8_t bytes[600];
    size_t size_bytes;
};

static void put(struct made_zip *zip, uint32_t value, int size_bytes)
{
    for (int i = 0; i < size_bytes; i++)
        zip->bytes[zip->size_bytes++] = (uint8_t)(value >> (8 * i));
}

static void put_bytes(struct made_zip *zip, const void *bytes, size_t size_bytes)
{
    memcpy(zip->bytes + zip->size_bytes, bytes, size_bytes);
    zip->size_bytes += size_bytes;
}

/* Method, CRC, sizes and length of the name, as both headers have them. */
static void put_common(struct made_zip *zip, int method, const char *content, uint32_t stored_bytes)
{
    const uint32_t size = (uint32_t)strlen(content);
    put(zip, 20, 2);
    put(zip, 0, 2);
    put(zip, (uint32_t)method, 2);
    put(zip, 0, 4);
    put(zip, (uint32_t)crc32(0, (const uint8_t *)content, size), 4);
    put(zip, stored_bytes, 4);
    put(zip, size, 4);
    put(zip, 5, 2);
    put(zip, 0, 2);
}

/* Raw deflate; returns its bytes. */
static uint32_t deflated(const char *content, uint8_t *out, size_t capacity)
{
    z_stream stream = {.next_in = (uint8_t *)(uintptr_t)content,
                       .avail_in = (unsigned)strlen(content),
                       .next_out = out,
                       .avail_out = (unsigned)capacity};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const uint32_t size_bytes = (uint32_t)stream.total_out;
    deflateEnd(&stream);
    return size_bytes;
}

static struct made_zip zip_of(const char *content, int method)
{
    struct made_zip zip = {.size_bytes = 0};
    uint8_t stored[200];
    memcpy(stored, content, strlen(content));
    const uint32_t stored_bytes = method == 0 ? (uint32_t)strlen(content) : deflated(content, stored, sizeof stored);
    put_bytes(&zip, "PK\3\4", 4);
    put_common(&zip, method, content, stored_bytes);
    put_bytes(&zip, "a.png", 5);
    put_bytes(&zip, stored, stored_bytes);
    const uint32_t directory = (uint32_t)zip.size_bytes;
    put_bytes(&zip, "PK\1\2\x14\0", 6);
    put_common(&zip, method, content, stored_bytes);
    for (int i = 0; i < 7; i++) /* comment, disk, attributes, offset 0 of the local header */
        put(&zip, 0, 2);
    put_bytes(&zip, "a.png", 5);
    put_bytes(&zip, "PK\5\6\0\0\0\0\1\0\1\0", 12);
    put(&zip, (uint32_t)zip.size_bytes - 12 - directory, 4);
    put(&zip, directory, 4);
    put(&zip, 0, 2);
    return zip;
}

static const char CONTENT[] = "a picture a picture a picture a picture";

/* Looks in a block of exactly that size, so that a sanitizer sees each byte beyond it. Returns whether a place was
 * found, which then lies within the zip and has the content. */
static bool look(const uint8_t *bytes, size_t size_bytes, struct picture_place *place)
{
    const size_t length = strlen(CONTENT);
    uint8_t *copy = malloc(size_bytes + (size_bytes == 0));
    memcpy(copy, bytes, size_bytes);
    *place = (struct picture_place){0};
    const bool is_found = zip_place_find(copy, size_bytes, (const uint8_t *)CONTENT, length, place);
    if (is_found) {
        assert_true(place->offset <= size_bytes && place->size_bytes <= size_bytes - place->offset);
        assert_true(place->encoding == TEXTURE_DEFLATED || memcmp(copy + place->offset, CONTENT, length) == 0);
    }
    free(copy);
    return is_found;
}

TEST(zip_place_of_sound_zips)
{
    struct picture_place place;
    struct made_zip zip = zip_of(CONTENT, 0);
    assert_true(look(zip.bytes, zip.size_bytes, &place));
    assert_int_equal(place.encoding, TEXTURE_AS_IT_IS);
    assert_int_equal(place.offset, 35);
    assert_int_equal(place.size_bytes, strlen(CONTENT));
    zip = zip_of(CONTENT, 8);
    assert_true(look(zip.bytes, zip.size_bytes, &place));
    assert_int_equal(place.encoding, TEXTURE_DEFLATED);
    assert_int_equal(place.offset, 35);
    assert_true(place.size_bytes < strlen(CONTENT));
    zip = zip_of("a picture a picture a picture a picturE", 8);
    assert_false(look(zip.bytes, zip.size_bytes, &place));
}

TEST(zip_place_of_damaged_zips)
{
    static const uint8_t VALUES[] = {0, 1, 0x7f, 0x80, 0xff};
    struct picture_place place;
    for (int method = 0; method <= 8; method += 8) {
        const struct made_zip zip = zip_of(CONTENT, method);
        for (size_t size = 0; size < zip.size_bytes; size++)
            assert_false(look(zip.bytes, size, &place));
        for (size_t i = 0; i < zip.size_bytes; i++)
            for (size_t k = 0; k < sizeof VALUES; k++) {
                struct made_zip damaged = zip;
                damaged.bytes[i] = VALUES[k];
                look(damaged.bytes, damaged.size_bytes, &place);
                for (size_t j = 1; j < 4 && i + j < zip.size_bytes; j++)
                    damaged.bytes[i + j] = VALUES[k];
                look(damaged.bytes, damaged.size_bytes, &place);
            }
        /* encrypted, of another method, and with a CRC of other bytes */
        const size_t entry = zip.size_bytes - END_BYTES - ENTRY_BYTES - 5;
        static const size_t PLACES[] = {8, 10, 16};
        for (size_t k = 0; k < 3; k++) {
            struct made_zip damaged = zip;
            damaged.bytes[entry + PLACES[k]] ^= 1;
            assert_false(look(damaged.bytes, damaged.size_bytes, &place));
        }
    }
}

TEST(base64_in_pieces)
{
    static const char TEXT[] = "\"aGVs\", \n\"bG8=\" ;\"IHdvcm==\", !\"bGQ\"";
    uint8_t out[sizeof TEXT];
    for (size_t cut = 0; cut < sizeof TEXT; cut++) { /* whatever comes in one call */
        struct base64_bits bits = {0};
        const size_t first = base64_decode_pieces(&bits, (const uint8_t *)TEXT, cut, out);
        const size_t rest =
            base64_decode_pieces(&bits, (const uint8_t *)TEXT + cut,
                                 sizeof TEXT - 1 - (cut < sizeof TEXT - 1 ? cut : sizeof TEXT - 1), out + first);
        assert_int_equal(first + rest, 11);
        assert_memory_equal(out, "hello world", 11);
    }
    assert_int_equal(base64_digit('/'), 63);
    assert_int_equal(base64_digit('='), -1);
}
