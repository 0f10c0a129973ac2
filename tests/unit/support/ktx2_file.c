#include "tests/unit/support/ktx2_file.h"

#include "tests/unit/support/check.h"

#include <string.h>

enum { HEADER_BYTES = 80, DESCRIPTOR_AT = HEADER_BYTES + 24, DESCRIPTOR_BYTES = 44, GLOBAL_PARTS_AT = 40 };

void ktx2_put_bits(struct ktx2_bit_writer *writer, uint32_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, writer->count++) {
        assert_in_range(writer->count / 8, 0, sizeof writer->bytes - 1);
        if (i < 32 && (value >> i & 1) != 0)
            writer->bytes[writer->count / 8] |= (uint8_t)(1u << writer->count % 8);
    }
}

/* The lengths 0 and 1 are at the 5th and the 19th place of the order of lengths. */
void ktx2_put_table(struct ktx2_bit_writer *writer, uint32_t symbol, uint32_t code_bits)
{
    ktx2_put_bits(writer, symbol + 1, 14);
    ktx2_put_bits(writer, 19, 5);
    for (uint32_t i = 0; i < 19; i++)
        ktx2_put_bits(writer, i == 4 || i == 18 ? code_bits : 0, 3);
    ktx2_put_bits(writer, 0, code_bits * symbol);
    ktx2_put_bits(writer, 1u << (code_bits - 1), code_bits);
}

void ktx2_put_u32(struct ktx2_file *file, size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        file->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

void ktx2_file_make(struct ktx2_file *file, uint32_t vk_format, uint8_t model, uint32_t width, uint32_t height,
                    uint32_t packing, const void *level, size_t level_bytes, size_t unpacked_bytes)
{
    const uint32_t header[] = {vk_format, 1, width, height, 0, 0, 1, 1, packing, DESCRIPTOR_AT, DESCRIPTOR_BYTES};
    assert_in_range(level_bytes, 0, KTX2_FILE_MAX - KTX2_LEVEL_AT);
    *file = (struct ktx2_file){.size_bytes = KTX2_LEVEL_AT + level_bytes};
    memcpy(file->bytes, "\xabKTX 20\xbb\r\n\x1a\n", 12);
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        ktx2_put_u32(file, 12 + 4 * i, header[i]);
    ktx2_put_u32(file, HEADER_BYTES, KTX2_LEVEL_AT);
    ktx2_put_u32(file, HEADER_BYTES + 8, (uint32_t)level_bytes);
    ktx2_put_u32(file, HEADER_BYTES + 16, (uint32_t)unpacked_bytes);
    ktx2_put_u32(file, DESCRIPTOR_AT, DESCRIPTOR_BYTES);
    ktx2_put_u32(file, DESCRIPTOR_AT + 8, 2 | (DESCRIPTOR_BYTES - 4) << 16);
    file->bytes[DESCRIPTOR_AT + 12] = model;
    memcpy(file->bytes + KTX2_LEVEL_AT, level, level_bytes);
}

void ktx2_file_add_global(struct ktx2_file *file, const struct ktx2_bit_writer *endpoints,
                          const struct ktx2_bit_writer *selectors, const struct ktx2_bit_writer *tables)
{
    const struct ktx2_bit_writer *const parts[] = {endpoints, selectors, tables};
    const size_t level_bytes = file->size_bytes - KTX2_LEVEL_AT, first = file->size_bytes;
    size_t at = first + GLOBAL_PARTS_AT;
    file->global_at = first;
    ktx2_put_u32(file, first, 1 | 1 << 16);
    ktx2_put_u32(file, first + 28, (uint32_t)level_bytes);
    for (size_t i = 0; i < 3; i++) {
        const size_t part_bytes = (parts[i]->count + 7) / 8;
        assert_in_range(at + part_bytes, 0, KTX2_FILE_MAX);
        ktx2_put_u32(file, first + 4 + 4 * i, (uint32_t)part_bytes);
        memcpy(file->bytes + at, parts[i]->bytes, part_bytes);
        at += part_bytes;
    }
    file->size_bytes = at;
    ktx2_put_u32(file, 64, (uint32_t)first);
    ktx2_put_u32(file, 72, (uint32_t)(at - first));
}
