/* etc1s.c - BasisLZ's global data: where the parts are, the codebooks and the tables. */
#include "import/ktx2/etc1s.h"

#include "base/bytes.h"

#include <stdlib.h>

enum { GLOBAL_HEAD_BYTES = 20, IMAGE_BYTES = 20, IS_P_FRAME = 2 };

/* The parts of the global data and of the largest level. */
struct parts {
    struct ktx2_span endpoints, selectors, tables, slices[2];
};

static size_t byte_of(const struct ktx2 *ktx2, const uint8_t *at) { return (size_t)(at - ktx2->file); }

static int find_slice(const struct ktx2 *ktx2, const uint8_t *image, bool is_alpha, struct ktx2_span *out,
                      struct err *err)
{
    const uint8_t *fields = image + (is_alpha ? 12 : 4);
    const uint32_t offset = get_u32(fields), length = get_u32(fields + 4);
    const size_t size_bytes = ktx2->level.size_bytes;
    if (length == 0 || offset > size_bytes || length > size_bytes - offset)
        return err_set(err, ERR_BAD_MODEL,
                       "byte %zu: the slice of %s has %u bytes from byte %u of level 0 on, which has %zu bytes",
                       byte_of(ktx2, fields), is_alpha ? "alpha" : "colours", length, offset, size_bytes);
    *out = (struct ktx2_span){ktx2->level.bytes + offset, length};
    return 0;
}

static int find_parts(const struct ktx2 *ktx2, struct etc1s *out, struct parts *parts, struct err *err)
{
    const uint8_t *head = ktx2->global.bytes, *image = head + GLOBAL_HEAD_BYTES;
    const size_t size_bytes = ktx2->global.size_bytes;
    const size_t heads_bytes = GLOBAL_HEAD_BYTES + (size_t)IMAGE_BYTES * ktx2->level_count;
    if (size_bytes < heads_bytes)
        return err_set(err, ERR_BAD_MODEL, "byte %zu: BasisLZ's global data has %zu bytes, and needs at least %zu",
                       byte_of(ktx2, head), size_bytes, heads_bytes);
    out->endpoint_count = get_u16(head);
    out->selector_count = get_u16(head + 2);
    if (out->endpoint_count == 0 || out->selector_count == 0)
        return err_set(err, ERR_BAD_MODEL, "byte %zu: a codebook is empty", byte_of(ktx2, head));
    struct ktx2_span *const spans[] = {&parts->endpoints, &parts->selectors, &parts->tables};
    size_t at = heads_bytes;
    for (size_t i = 0; i < 3; i++) {
        const uint32_t length = get_u32(head + 4 + 4 * i);
        if (length > size_bytes - at)
            return err_set(err, ERR_BAD_MODEL, "byte %zu: %u bytes are more than BasisLZ's global data still has (%zu)",
                           byte_of(ktx2, head + 4 + 4 * i), length, size_bytes - at);
        *spans[i] = (struct ktx2_span){head + at, length};
        at += length;
    }
    if ((get_u32(image) & IS_P_FRAME) != 0)
        return err_set(err, ERR_BAD_MODEL, "byte %zu: the picture is a frame of a video that needs the one before",
                       byte_of(ktx2, image));
    if (find_slice(ktx2, image, false, &parts->slices[0], err) < 0 ||
        (ktx2->samples == 2 && find_slice(ktx2, image, true, &parts->slices[1], err) < 0))
        return err->code;
    return 0;
}

/* Colours and rows of modifiers are differences to the endpoint before; the value of a channel chooses its table. */
static void read_endpoints(struct etc1s *etc1s, struct ktx2_bits *bits)
{
    const struct ktx2_huffman *const colours[] = {&etc1s->predictions, &etc1s->deltas, &etc1s->selections};
    if (!ktx2_bits_table(bits, &etc1s->predictions) || !ktx2_bits_table(bits, &etc1s->deltas) ||
        !ktx2_bits_table(bits, &etc1s->selections) || !ktx2_bits_table(bits, &etc1s->runs))
        return;
    const bool is_grey = ktx2_bits_next(bits, 1) != 0;
    uint32_t table = 0, channels[3] = {16, 16, 16};
    for (uint32_t i = 0; i < etc1s->endpoint_count && !bits->has_fault; i++) {
        table = (table + ktx2_bits_symbol(bits, &etc1s->runs)) & 7;
        for (uint32_t c = 0; c < (is_grey ? 1 : 3); c++) {
            const uint32_t model = channels[c] <= 9 ? 0 : channels[c] <= 21 ? 1 : 2;
            channels[c] = (channels[c] + ktx2_bits_symbol(bits, colours[model])) & 31;
        }
        etc1s->endpoints[i] = (struct etc1s_endpoint){(uint8_t)channels[0], (uint8_t)channels[is_grey ? 0 : 1],
                                                      (uint8_t)channels[is_grey ? 0 : 2], (uint8_t)table};
    }
}

/* Selectors are bytes, one a row; the first is as it is, and each other the difference to the one before, by XOR. */
static void read_selectors(struct etc1s *etc1s, struct ktx2_bits *bits)
{
    if (ktx2_bits_next(bits, 2) != 0)
        bits->has_fault = true;
    const bool is_raw = ktx2_bits_next(bits, 1) != 0;
    if (!is_raw && !ktx2_bits_table(bits, &etc1s->deltas))
        return;
    uint32_t selector = 0;
    for (uint32_t i = 0; i < etc1s->selector_count && !bits->has_fault; i++) {
        uint32_t rows = 0;
        for (uint32_t row = 0; row < 4; row++) {
            const uint32_t byte = is_raw || i == 0 ? ktx2_bits_next(bits, 8) : ktx2_bits_symbol(bits, &etc1s->deltas);
            rows |= (byte & 0xff) << 8 * row;
        }
        selector = is_raw ? rows : selector ^ rows;
        etc1s->selectors[i] = selector;
    }
}

static void read_tables(struct etc1s *etc1s, struct ktx2_bits *bits)
{
    if (ktx2_bits_table(bits, &etc1s->predictions) && ktx2_bits_table(bits, &etc1s->deltas) &&
        ktx2_bits_table(bits, &etc1s->selections) && ktx2_bits_table(bits, &etc1s->runs))
        etc1s->history_size = ktx2_bits_next(bits, 13);
}

static int read_part(struct etc1s *etc1s, const struct ktx2 *ktx2, void (*read)(struct etc1s *, struct ktx2_bits *),
                     struct ktx2_span span, const char *what, struct err *err)
{
    struct ktx2_bits bits = {.bytes = span.bytes, .size_bytes = span.size_bytes};
    read(etc1s, &bits);
    if (!bits.has_fault)
        return 0;
    return err_set(err, ERR_BAD_MODEL, "byte %zu: %s of BasisLZ are damaged",
                   byte_of(ktx2, span.bytes) + bits.at_bits / 8, what);
}

static int decode(struct etc1s *etc1s, const struct ktx2 *ktx2, uint8_t *rgba, struct err *err)
{
    struct parts parts = {0};
    if (find_parts(ktx2, etc1s, &parts, err) < 0)
        return err->code;
    etc1s->endpoints = malloc(etc1s->endpoint_count * sizeof *etc1s->endpoints);
    etc1s->selectors = malloc(etc1s->selector_count * sizeof *etc1s->selectors);
    if (etc1s->endpoints == NULL || etc1s->selectors == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for codebooks");
    if (read_part(etc1s, ktx2, read_endpoints, parts.endpoints, "endpoints", err) < 0 ||
        read_part(etc1s, ktx2, read_selectors, parts.selectors, "selectors", err) < 0 ||
        read_part(etc1s, ktx2, read_tables, parts.tables, "tables", err) < 0)
        return err->code;
    for (uint32_t i = 0; i < ktx2->samples; i++) {
        struct ktx2_bits bits = {.bytes = parts.slices[i].bytes, .size_bytes = parts.slices[i].size_bytes};
        const char *fault = NULL;
        const int rc = etc1s_slice(etc1s, ktx2, i == 1, &bits, rgba, &fault);
        if (rc == ERR_IMPORT_MEMORY)
            return err_set(err, rc, "no memory for %u x %u pixels", ktx2->width, ktx2->height);
        if (rc < 0)
            return err_set(err, rc, "level 0, byte %zu: %s", byte_of(ktx2, bits.bytes) + bits.at_bits / 8, fault);
    }
    return 0;
}

int etc1s_decode(const struct ktx2 *ktx2, uint8_t *rgba, struct err *err)
{
    struct etc1s *etc1s = calloc(1, sizeof *etc1s);
    if (etc1s == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for codebooks");
    const int rc = decode(etc1s, ktx2, rgba, err);
    free(etc1s->endpoints);
    free(etc1s->selectors);
    free(etc1s);
    return rc;
}
