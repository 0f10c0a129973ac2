#include "wire/encode/meshopt.h"

#include <math.h>
#include <meshoptimizer.h>
#include <stdlib.h>

const char *const MESHOPT_MODE_NAMES[] = {
    [MESHOPT_ATTRIBUTES] = "ATTRIBUTES", [MESHOPT_TRIANGLES] = "TRIANGLES", [MESHOPT_INDICES] = "INDICES"};
const char *const MESHOPT_FILTER_NAMES[] = {[MESHOPT_NO_FILTER] = "NONE",
                                            [MESHOPT_OCTAHEDRAL] = "OCTAHEDRAL",
                                            [MESHOPT_QUATERNION] = "QUATERNION",
                                            [MESHOPT_EXPONENTIAL] = "EXPONENTIAL"};

/* The extension has version 1 of index streams and version 0 of attributes. libmeshoptimizer keeps the version in a
 * global variable with default 0, so it is set before a second thread exists. */
static void __attribute__((constructor)) choose_index_version(void) { meshopt_encodeIndexVersion(1); }

static size_t bound(enum meshopt_mode mode, size_t count, size_t element_bytes)
{
    switch (mode) {
    case MESHOPT_TRIANGLES:
        return meshopt_encodeIndexBufferBound(count, UINT32_MAX);
    case MESHOPT_INDICES:
        return meshopt_encodeIndexSequenceBound(count, UINT32_MAX);
    default:
        return meshopt_encodeVertexBufferBound(count, element_bytes);
    }
}

/* The library's encoders of indices take 32 bits. Returns NULL when out of memory. */
static uint32_t *widened(const uint16_t *indices, size_t count)
{
    uint32_t *wide = malloc((count + 1) * sizeof *wide);
    for (size_t i = 0; wide != NULL && i < count; i++)
        wide[i] = indices[i];
    return wide;
}

void meshopt_pack(enum meshopt_mode mode, const void *elements, size_t count, size_t element_bytes, struct buf *out)
{
    buf_clear(out);
    const bool is_short = mode != MESHOPT_ATTRIBUTES && element_bytes == sizeof(uint16_t);
    uint32_t *wide = is_short ? widened(elements, count) : NULL;
    const uint32_t *indices = is_short ? wide : elements;
    const size_t most_bytes = bound(mode, count, element_bytes);
    char *to = buf_reserve(out, most_bytes);
    if (is_short && wide == NULL)
        buf_fail(out, BUF_FULL);
    if (to == NULL || buf_failed(out)) {
        free(wide);
        return;
    }
    unsigned char *bytes = (unsigned char *)to;
    buf_advance(out, mode == MESHOPT_TRIANGLES ? meshopt_encodeIndexBuffer(bytes, most_bytes, indices, count)
                     : mode == MESHOPT_INDICES
                         ? meshopt_encodeIndexSequence(bytes, most_bytes, indices, count)
                         : meshopt_encodeVertexBuffer(bytes, most_bytes, elements, count, element_bytes));
    free(wide);
}

/* --- filters --- */

void meshopt_filter_vectors(const float *vectors, size_t count, int8_t *out)
{
    meshopt_encodeFilterOct(out, count, 4, 8, vectors);
}

void meshopt_filter_quaternions(const float *quaternions, size_t count, int16_t *out)
{
    meshopt_encodeFilterQuat(out, count, 8, 16, quaternions);
}

/* An element is exponent << 24 | mantissa of 24 bits, for mantissa * 2^exponent. */
void meshopt_filter_floats(const float *floats, size_t count, size_t width, int bits, uint32_t *out)
{
    enum { EXPONENT_LEAST = -100 };
    for (size_t i = 0; i < count; i++) {
        int exponent = EXPONENT_LEAST;
        for (size_t c = 0; c < width; c++) {
            int own;
            (void)frexpf(floats[i * width + c], &own);
            exponent = floats[i * width + c] != 0 && own - (bits - 1) > exponent ? own - (bits - 1) : exponent;
        }
        const int most = (1 << (bits - 1)) - 1;
        for (size_t c = 0; c < width; c++) {
            const long mantissa = lrint(ldexp((double)floats[i * width + c], -exponent));
            const int fitting = mantissa > most ? most : mantissa < -most ? -most : (int)mantissa;
            out[i * width + c] = ((uint32_t)fitting & 0xffffff) | (uint32_t)exponent << 24;
        }
    }
}

void meshopt_unfilter(enum meshopt_filter filter, void *elements, size_t count, size_t element_bytes)
{
    if (filter == MESHOPT_OCTAHEDRAL)
        meshopt_decodeFilterOct(elements, count, element_bytes);
    else if (filter == MESHOPT_QUATERNION)
        meshopt_decodeFilterQuat(elements, count, element_bytes);
    else if (filter == MESHOPT_EXPONENTIAL)
        meshopt_decodeFilterExp(elements, count, element_bytes);
}
