/* ktx2_file.h - makes KTX 2.0 files of one level, for tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { KTX2_FILE_MAX = 4096, KTX2_LEVEL_AT = 256, KTX2_MODEL_ETC1S = 163, KTX2_MODEL_UASTC = 166 };

struct ktx2_file {
    uint8_t bytes[KTX2_FILE_MAX];
    size_t size_bytes;
    size_t global_at; /* of BasisLZ's global data */
};

/* Bits as BasisLZ and UASTC have them: the lowest of each byte first. */
struct ktx2_bit_writer {
    uint8_t bytes[512];
    size_t count;
};

void ktx2_put_bits(struct ktx2_bit_writer *writer, uint32_t value, uint32_t count);

/* Puts a Huffman table of BasisLZ with one symbol, whose code is the bit 0. The lengths in the table have codes of
 * code_bits: with 1 the two that it needs are all, with 2 there are too few. */
void ktx2_put_table(struct ktx2_bit_writer *writer, uint32_t symbol, uint32_t code_bits);

void ktx2_put_u32(struct ktx2_file *file, size_t at, uint32_t value);

/* A header, a level index, a data format descriptor of one sample, and the level at KTX2_LEVEL_AT. unpacked_bytes: what
 * the level index says. model: of the descriptor. */
void ktx2_file_make(struct ktx2_file *file, uint32_t vk_format, uint8_t model, uint32_t width, uint32_t height,
                    uint32_t packing, const void *level, size_t level_bytes, size_t unpacked_bytes);

/* Puts BasisLZ's global data behind the level, which is the slice of colours: one endpoint and one selector. */
void ktx2_file_add_global(struct ktx2_file *file, const struct ktx2_bit_writer *endpoints,
                          const struct ktx2_bit_writer *selectors, const struct ktx2_bit_writer *tables);
