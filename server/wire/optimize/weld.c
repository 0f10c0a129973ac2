#include "wire/optimize/weld.h"

#include "base/hash.h"
#include "wire/optimize/quantize.h"

#include <meshoptimizer.h>
#include <stdlib.h>
#include <string.h>

static const char *run_of(const struct weld_input *input, uint32_t v, size_t *size_bytes)
{
    const size_t first = input->run_firsts[v] - input->run_firsts[0],
                 end = input->run_firsts[v + 1] - input->run_firsts[0];
    *size_bytes = (end - first) * input->run_row_bytes;
    return (const char *)input->run_rows + first * input->run_row_bytes;
}

static uint64_t hash_of(const struct weld_input *input, uint32_t v)
{
    uint64_t hash = HASH64_SEED;
    for (size_t s = 0; s < input->stream_count; s++) {
        const struct weld_stream *stream = &input->streams[s];
        hash = hash64(hash, (const char *)stream->rows + v * stream->size_bytes, stream->size_bytes);
    }
    if (input->run_firsts == NULL)
        return hash;
    size_t size_bytes;
    const char *run = run_of(input, v, &size_bytes);
    return hash64(hash, run, size_bytes);
}

static bool is_equal(const struct weld_input *input, uint32_t a, uint32_t b)
{
    for (size_t s = 0; s < input->stream_count; s++) {
        const struct weld_stream *stream = &input->streams[s];
        const char *rows = stream->rows;
        if (memcmp(rows + a * stream->size_bytes, rows + b * stream->size_bytes, stream->size_bytes) != 0)
            return false;
    }
    if (input->run_firsts == NULL)
        return true;
    size_t a_bytes, b_bytes;
    const char *of_a = run_of(input, a, &a_bytes), *of_b = run_of(input, b, &b_bytes);
    return a_bytes == b_bytes && memcmp(of_a, of_b, a_bytes) == 0;
}

/* Sets first[v] to the first vertex that equals v. Content that was made to collide is not searched for long, and stays
 * unwelded. */
static bool find_equals(const struct weld_input *input, uint32_t *first)
{
    enum { LOOKS_MAX = 32 };
    size_t capacity = 64;
    while (capacity < 2 * (size_t)input->vertex_count)
        capacity *= 2;
    uint32_t *slots = calloc(capacity, sizeof *slots); /* 1 + vertex; 0: free */
    for (uint32_t v = 0; slots != NULL && v < input->vertex_count; v++) {
        const uint64_t hash = hash_of(input, v);
        first[v] = v;
        for (uint64_t at = hash; at < hash + LOOKS_MAX; at++) {
            uint32_t *slot = &slots[at & (capacity - 1)];
            if (*slot == 0) {
                *slot = v + 1;
                break;
            }
            if (is_equal(input, *slot - 1, v)) {
                first[v] = *slot - 1;
                break;
            }
        }
    }
    free(slots);
    return slots != NULL;
}

/* Places the vertices in the order in which the indices name them. */
static uint32_t number(const struct weld_input *input, uint32_t *places, uint32_t *indices)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < input->vertex_count; v++)
        places[v] = WELDED_AWAY;
    for (uint32_t i = 0; i < input->index_count; i++) {
        uint32_t *place = &places[indices[i]];
        *place = *place == WELDED_AWAY ? count++ : *place;
        indices[i] = *place;
    }
    return count;
}

/* True when a triangle order is found in time that grows with the triangles: meshoptimizer goes over all triangles of a
 * vertex for each of them. A fan of a million triangles takes hours. */
static bool is_soon_ordered(const struct weld_input *input, const uint32_t *indices, uint32_t *counts)
{
    enum { STEPS_PER_INDEX = 64, STEPS_FREE = 1000000 };
    uint64_t steps = 0;
    memset(counts, 0, input->vertex_count * sizeof *counts);
    for (uint32_t i = 0; i < input->index_count; i++)
        counts[indices[i]]++;
    for (uint32_t v = 0; v < input->vertex_count; v++)
        steps += (uint64_t)counts[v] * counts[v];
    return steps <= STEPS_PER_INDEX * (uint64_t)input->index_count + STEPS_FREE;
}

uint32_t weld_vertices(const struct weld_input *input, uint32_t *places, uint32_t *indices)
{
    uint32_t *first = malloc(((size_t)input->vertex_count + 1) * sizeof *first);
    if (first == NULL || !find_equals(input, first)) {
        free(first);
        return 0;
    }
    for (uint32_t i = 0; i < input->index_count; i++)
        indices[i] = first[input->indices[i]];
    if (input->is_triangles && !input->keeps_order && is_soon_ordered(input, indices, places))
        meshopt_optimizeVertexCacheStrip(indices, indices, input->index_count, input->vertex_count);
    const uint32_t count = number(input, places, indices);
    for (uint32_t v = 0; v < input->vertex_count; v++)
        if (first[v] != v)
            places[v] = places[first[v]];
    free(first);
    return count;
}
