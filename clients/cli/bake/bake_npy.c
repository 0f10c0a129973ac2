/* Writes a table as NumPy arrays: NEP 1, version 1.0 of the .npy format; and an archive of them, .npz: a zip file
 * (APPNOTE.TXT 6.3) with a .npy file for each array, stored as numpy.savez() does. */
#include "clients/cli/bake/bake.h"

#include <endian.h>
#include <string.h>

static void put_16(struct text *out, uint16_t value)
{
    const uint16_t bits = htole16(value);
    text_put_bytes(out, (const char *)&bits, sizeof bits);
}

static void put_32(struct text *out, uint32_t value)
{
    const uint32_t bits = htole32(value);
    text_put_bytes(out, (const char *)&bits, sizeof bits);
}

static void put_double(struct text *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htole64(bits);
    text_put_bytes(out, (const char *)&bits, sizeof bits);
}

static void put_float(struct text *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_32(out, bits);
}

/* --- arrays --- */

/* Puts what is in front of an array's numbers. type: "<f4". shape: "3, 4", as in a tuple of Python. */
static void put_head(struct text *out, const char *type, const char *shape)
{
    enum { HEAD_BYTES = 10, ALIGNMENT = 64 };
    struct text head = {0};
    text_printf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    while ((HEAD_BYTES + head.size_bytes + 1) % ALIGNMENT != 0)
        text_put(&head, " ");
    text_put(&head, "\n");
    text_put_bytes(out, "\x93NUMPY\x01\x00", 8);
    put_16(out, (uint16_t)head.size_bytes);
    text_put(out, head.at);
    text_free(&head);
}

static void put_values(const struct bake *bake, struct text *out)
{
    const bool is_trs = bake_is_trs(bake->values);
    struct text shape = {0};
    text_printf(&shape, "%zu, %zu, %s", bake->frame_count, bake->item_count, is_trs ? "10" : "4, 4");
    put_head(out, "<f4", shape.at);
    text_free(&shape);
    for (size_t i = 0; i < bake->frame_count * bake->item_count; i++) {
        const float *numbers = bake->numbers + i * bake_floats(bake->values);
        for (size_t k = 0; k < bake_floats(bake->values); k++)
            put_float(out, numbers[is_trs ? k : k % 4 * 4 + k / 4]);
    }
}

static void put_times(const struct bake *bake, struct text *out)
{
    struct text shape = {0};
    text_printf(&shape, "%zu,", bake->frame_count);
    put_head(out, "<f8", shape.at);
    text_free(&shape);
    for (size_t f = 0; f < bake->frame_count; f++)
        put_double(out, bake->times_s[f]);
}

static void put_about(const struct bake *bake, struct text *out)
{
    struct text type = {0};
    cJSON *description = bake_describe(bake);
    char *json = cJSON_PrintUnformatted(description);
    const char *text = json == NULL ? "{}" : json;
    text_printf(&type, "|S%zu", strlen(text));
    put_head(out, type.at, "");
    text_put(out, text);
    text_free(&type);
    cJSON_free(json);
    cJSON_Delete(description);
}

void bake_put_npy(const struct bake *bake, struct text *out, struct text *about)
{
    put_values(bake, out);
    cJSON *description = bake_describe(bake);
    cJSON_AddItemToObject(description, "times", cJSON_CreateDoubleArray(bake->times_s, (int)bake->frame_count));
    char *text = cJSON_PrintUnformatted(description);
    text_printf(about, "%s\n", text == NULL ? "{}" : text);
    cJSON_free(text);
    cJSON_Delete(description);
}

/* --- archives --- */

struct member {
    const char *name;
    void (*put)(const struct bake *bake, struct text *out);
    uint32_t crc, size_bytes, offset_bytes;
};

/* Returns the CRC-32 of zip files: polynomial 0x04c11db7, reflected. */
static uint32_t crc_of(const char *bytes, size_t size_bytes)
{
    static const uint32_t POLYNOMIAL = 0xedb88320U;
    uint32_t table[256], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? POLYNOMIAL : 0);
    }
    for (size_t i = 0; i < size_bytes; i++)
        crc = (crc >> 8) ^ table[(crc ^ (unsigned char)bytes[i]) & 0xff];
    return ~crc;
}

/* Puts the fields that a member's head and its row of the directory share, from "version needed" on. The date is the
 * first that there is, so that the same table gives the same bytes. */
static void put_fields(struct text *out, const struct member *member)
{
    enum { VERSION = 20, FIRST_DAY = 0x21 };
    put_16(out, VERSION);
    put_16(out, 0); /* flags */
    put_16(out, 0); /* stored */
    put_16(out, 0); /* midnight */
    put_16(out, FIRST_DAY);
    put_32(out, member->crc);
    put_32(out, member->size_bytes);
    put_32(out, member->size_bytes);
    put_16(out, (uint16_t)strlen(member->name));
    put_16(out, 0); /* bytes of more fields */
}

static void put_member_head(struct text *out, const struct member *member)
{
    put_32(out, 0x04034b50);
    put_fields(out, member);
    text_put(out, member->name);
}

/* Puts the head first without size and CRC, which only the array behind it tells. */
static void put_member(const struct bake *bake, struct text *out, struct member *member)
{
    struct text head = {0};
    member->offset_bytes = (uint32_t)out->size_bytes;
    put_member_head(out, member);
    const size_t start = out->size_bytes;
    member->put(bake, out);
    member->size_bytes = (uint32_t)(out->size_bytes - start);
    member->crc = crc_of(out->at + start, out->size_bytes - start);
    put_member_head(&head, member);
    memcpy(out->at + member->offset_bytes, head.at, head.size_bytes);
    text_free(&head);
}

/* bake_sample() limits the numbers to 2 GiB, so sizes and offsets fit 32 bits. */
void bake_put_npz(const struct bake *bake, struct text *out)
{
    struct member members[] = {
        {"values.npy", put_values, 0, 0, 0}, {"times.npy", put_times, 0, 0, 0}, {"about.npy", put_about, 0, 0, 0}};
    enum { COUNT = sizeof members / sizeof *members };
    for (size_t i = 0; i < COUNT; i++)
        put_member(bake, out, &members[i]);
    const size_t directory = out->size_bytes;
    for (size_t i = 0; i < COUNT; i++) {
        put_32(out, 0x02014b50);
        put_16(out, 20); /* version that made it */
        put_fields(out, &members[i]);
        put_16(out, 0); /* bytes of the comment */
        put_16(out, 0); /* disk */
        put_16(out, 0); /* text or not */
        put_32(out, 0); /* attributes */
        put_32(out, members[i].offset_bytes);
        text_put(out, members[i].name);
    }
    const uint32_t directory_bytes = (uint32_t)(out->size_bytes - directory);
    put_32(out, 0x06054b50);
    put_16(out, 0); /* this disk */
    put_16(out, 0); /* disk of the directory */
    put_16(out, COUNT);
    put_16(out, COUNT);
    put_32(out, directory_bytes);
    put_32(out, (uint32_t)directory);
    put_16(out, 0); /* bytes of the comment */
}
