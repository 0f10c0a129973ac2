/* ktx2_file.c - the container: header, level index and data format descriptor. */
#include "import/ktx2/ktx2.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

enum {
    HEADER_BYTES = 80,
    LEVEL_BYTES = 24,
    DFD_BYTES = 4 + 24, /* its size and the head of its first block */
    SAMPLE_BYTES = 16,
    MODEL_ETC1S = 163, /* KDFS, "colorModel" */
    MODEL_UASTC = 166,
};

static const uint8_t IDENTIFIER[] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};

/* The fields of the header, by their bytes. */
enum {
    AT_VK_FORMAT = 12,
    AT_WIDTH = 20,
    AT_HEIGHT = 24,
    AT_DEPTH = 28,
    AT_LAYERS = 32,
    AT_FACES = 36,
    AT_LEVELS = 40,
    AT_PACKING = 44,
    AT_DFD = 48,
    AT_GLOBAL = 64,
};

/* VkFormat, UNORM and SRGB: 8 bits a channel. */
static const struct plain {
    uint8_t unorm, srgb, channels;
    bool is_blue_first;
} PLAIN[] = {
    {9, 15, 1, false}, {16, 22, 2, false}, {23, 29, 3, false}, {30, 36, 3, true}, {37, 43, 4, false}, {44, 50, 4, true},
};

/* Sets *out to a part of the file; `at` is the byte that has its offset. */
static int span(const uint8_t *bytes, size_t size_bytes, uint64_t offset, uint64_t length, const char *what, size_t at,
                struct ktx2_span *out, struct err *err)
{
    if (offset > size_bytes || length > size_bytes - offset)
        return err_set(err, ERR_BAD_MODEL, "byte %zu: %s has %llu bytes from byte %llu on, but the file has %zu bytes",
                       at, what, (unsigned long long)length, (unsigned long long)offset, size_bytes);
    *out = (struct ktx2_span){bytes + offset, (size_t)length};
    return 0;
}

static int read_levels(const uint8_t *bytes, size_t size_bytes, struct ktx2 *out, struct err *err)
{
    const uint32_t count = get_u32(bytes + AT_LEVELS);
    uint32_t side = out->width > out->height ? out->width : out->height, most = 0;
    for (; side > 0; side /= 2)
        most++;
    if (count > most)
        return err_set(err, ERR_BAD_MODEL, "byte %d: a picture of %u x %u has at most %u mip levels, not %u", AT_LEVELS,
                       out->width, out->height, most, count);
    out->level_count = count > 0 ? count : 1;
    if (size_bytes - HEADER_BYTES < (size_t)out->level_count * LEVEL_BYTES)
        return err_set(err, ERR_BAD_MODEL, "byte %d: the file ends in the level index", HEADER_BYTES);
    for (uint32_t i = out->level_count; i-- > 0;) {
        char what[sizeof "level 4294967295"];
        const size_t at = HEADER_BYTES + (size_t)i * LEVEL_BYTES;
        snprintf(what, sizeof what, "level %u", i);
        if (span(bytes, size_bytes, get_u64(bytes + at), get_u64(bytes + at + 8), what, at, &out->level, err) < 0)
            return err->code;
        out->level_size_bytes = get_u64(bytes + at + 16);
    }
    return 0;
}

/* The model and the samples of the basic descriptor block, which comes first (KDFS, "Descriptor block"). */
static int read_descriptor(const uint8_t *bytes, size_t size_bytes, uint32_t *model, uint32_t *samples, struct err *err)
{
    struct ktx2_span dfd = {0};
    if (span(bytes, size_bytes, get_u32(bytes + AT_DFD), get_u32(bytes + AT_DFD + 4), "the data format descriptor",
             AT_DFD, &dfd, err) < 0)
        return err->code;
    const size_t at = (size_t)(dfd.bytes - bytes);
    if (dfd.size_bytes < DFD_BYTES || get_u32(dfd.bytes) > dfd.size_bytes || get_u32(dfd.bytes + 4) != 0)
        return err_set(err, ERR_BAD_MODEL, "byte %zu: no basic data format descriptor", at);
    const uint32_t block_bytes = get_u16(dfd.bytes + 10);
    if (block_bytes < DFD_BYTES - 4 || block_bytes > dfd.size_bytes - 4 ||
        (block_bytes - (DFD_BYTES - 4)) % SAMPLE_BYTES != 0)
        return err_set(err, ERR_BAD_MODEL, "byte %zu: the data format descriptor has a block of %u bytes", at + 10,
                       block_bytes);
    *model = dfd.bytes[12];
    *samples = (block_bytes - (DFD_BYTES - 4)) / SAMPLE_BYTES;
    return 0;
}

static int read_basis(const uint8_t *bytes, size_t size_bytes, struct ktx2 *out, struct err *err)
{
    uint32_t model = 0, samples = 0;
    if (read_descriptor(bytes, size_bytes, &model, &samples, err) < 0)
        return err->code;
    if (model != MODEL_ETC1S && model != MODEL_UASTC)
        return err_set(err, ERR_BAD_MODEL,
                       "texels of colour model %u are not read here; ETC1S and UASTC (LDR) of Basis Universal are",
                       model);
    out->texels = model == MODEL_ETC1S ? KTX2_ETC1S : KTX2_UASTC;
    out->samples = samples;
    if ((out->texels == KTX2_ETC1S) != (out->packing == KTX2_BASIS_LZ))
        return err_set(err, ERR_BAD_MODEL, "byte %d: %s has supercompression %u", AT_PACKING,
                       out->texels == KTX2_ETC1S ? "ETC1S" : "UASTC", (unsigned)out->packing);
    if (out->texels == KTX2_UASTC)
        return 0;
    if (samples != 1 && samples != 2)
        return err_set(err, ERR_BAD_MODEL, "the data format descriptor has %u samples of ETC1S, not 1 or 2", samples);
    return span(bytes, size_bytes, get_u64(bytes + AT_GLOBAL), get_u64(bytes + AT_GLOBAL + 8),
                "the supercompression global data", AT_GLOBAL, &out->global, err);
}

static int read_plain(uint32_t vk_format, struct ktx2 *out, struct err *err)
{
    out->texels = KTX2_PLAIN;
    for (size_t i = 0; i < sizeof PLAIN / sizeof *PLAIN; i++) {
        if (vk_format != PLAIN[i].unorm && vk_format != PLAIN[i].srgb)
            continue;
        out->channels = PLAIN[i].channels;
        out->is_blue_first = PLAIN[i].is_blue_first;
        if (out->packing == KTX2_BASIS_LZ)
            return err_set(err, ERR_BAD_MODEL, "byte %d: BasisLZ packs only ETC1S", AT_PACKING);
        return 0;
    }
    return err_set(err, ERR_BAD_MODEL,
                   "byte %d: texels of VkFormat %u are not read here; Basis Universal (ETC1S, UASTC) and uncompressed "
                   "texels of 8 bits a channel are",
                   AT_VK_FORMAT, vk_format);
}

/* What is no flat picture: its sides are there, and the count that says so. */
static int check_shape(const uint8_t *bytes, const struct ktx2 *out, struct err *err)
{
    if (out->width == 0 || out->height == 0)
        return err_set(err, ERR_BAD_MODEL, "byte %d: the picture is %u x %u pixels", AT_WIDTH, out->width, out->height);
    if (get_u32(bytes + AT_DEPTH) != 0)
        return err_set(err, ERR_BAD_MODEL, "byte %d: a volume texture is no picture", AT_DEPTH);
    if (get_u32(bytes + AT_LAYERS) > 1)
        return err_set(err, ERR_BAD_MODEL, "byte %d: an array of %u pictures is no picture", AT_LAYERS,
                       get_u32(bytes + AT_LAYERS));
    if (get_u32(bytes + AT_FACES) != 1)
        return err_set(err, ERR_BAD_MODEL, "byte %d: a cube map (%u faces) is no picture", AT_FACES,
                       get_u32(bytes + AT_FACES));
    return 0;
}

int ktx2_open(const uint8_t *bytes, size_t size_bytes, struct ktx2 *out, struct err *err)
{
    *out = (struct ktx2){.file = bytes};
    if (size_bytes < sizeof IDENTIFIER || memcmp(bytes, IDENTIFIER, sizeof IDENTIFIER) != 0)
        return err_set(err, ERR_BAD_MODEL, "not of version 2.0");
    if (size_bytes < HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL, "the file ends in its header, at byte %zu of %d", size_bytes, HEADER_BYTES);
    out->width = get_u32(bytes + AT_WIDTH);
    out->height = get_u32(bytes + AT_HEIGHT);
    const uint32_t packing = get_u32(bytes + AT_PACKING), vk_format = get_u32(bytes + AT_VK_FORMAT);
    if (packing > KTX2_ZLIB)
        return err_set(err, ERR_BAD_MODEL, "byte %d: supercompression %u is not read here; BasisLZ, zstd and zlib are",
                       AT_PACKING, packing);
    out->packing = (enum ktx2_packing)packing;
    if (check_shape(bytes, out, err) < 0 || read_levels(bytes, size_bytes, out, err) < 0)
        return err->code;
    return vk_format == 0 ? read_basis(bytes, size_bytes, out, err) : read_plain(vk_format, out, err);
}
