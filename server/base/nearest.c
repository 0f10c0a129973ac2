/* nearest.c - finds the known name most similar to a given one. */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Returns the number of insertions, deletions, substitutions and transpositions of neighbours from a to b, or any
 * number above `most`; both have at most NAME_MAX_BYTES bytes. What is further than `most` from the diagonal is not
 * computed (E. Ukkonen, "Algorithms for approximate string matching", 1985). */
static size_t distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes, size_t most)
{
    size_t rows[3][NAME_MAX_BYTES + 1]; /* the last two rows and the current one, by i % 3 */
    size_t least_above = 0;             /* of the row above; no later number is less than those of two rows */
    for (size_t j = 0; j <= b_bytes; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        const size_t first = i > most ? i - most : 1, last = least(b_bytes, i + most);
        size_t least_here = row[first - 1] = first == 1 ? i : most + 1;
        for (size_t j = first; j <= last; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
            least_here = least(least_here, row[j]);
        }
        if (least_here > most && least_above > most)
            return most + 1;
        least_above = least_here;
        if (last < b_bytes)
            row[last + 1] = most + 1;
    }
    return rows[a_bytes % 3][b_bytes];
}

/* Returns the same: what both names begin and end with takes no edits. */
static size_t distance_of_middles(const char *a, size_t a_bytes, const char *b, size_t b_bytes, size_t most)
{
    const size_t shared_max = least(a_bytes, b_bytes);
    size_t head = 0, tail = 0;
    while (head < shared_max && a[head] == b[head])
        head++;
    while (tail < shared_max - head && a[a_bytes - 1 - tail] == b[b_bytes - 1 - tail])
        tail++;
    return distance(a + head, a_bytes - head - tail, b + head, b_bytes - head - tail, most);
}

/* Which characters a name has. Each one that another name lacks takes an edit at least. */
static uint64_t characters_of(const char *name, size_t size_bytes)
{
    uint64_t set = 0;
    for (size_t i = 0; i < size_bytes; i++)
        set |= UINT64_C(1) << ((unsigned char)name[i] % 64);
    return set;
}

/* Tells most names apart without their distance, which takes the product of both lengths. */
static bool is_far(const char *a, size_t a_bytes, const char *b, size_t b_bytes, size_t allowed)
{
    const uint64_t in_a = characters_of(a, a_bytes), in_b = characters_of(b, b_bytes);
    return (a_bytes > b_bytes ? a_bytes - b_bytes : b_bytes - a_bytes) > allowed ||
           (size_t)__builtin_popcountll(in_a & ~in_b) > allowed || (size_t)__builtin_popcountll(in_b & ~in_a) > allowed;
}

void nearest_consider(struct nearest *nearest, const char *name, const char *given, size_t given_bytes)
{
    const size_t name_bytes = strlen(name), longer = name_bytes > given_bytes ? name_bytes : given_bytes;
    const size_t allowed = longer < 6 ? 1 : longer / 3;
    if (longer > NAME_MAX_BYTES || nearest->edits == 0)
        return;
    const size_t most = least(allowed, nearest->edits - 1);
    if (is_far(given, given_bytes, name, name_bytes, most))
        return;
    const size_t edits = distance_of_middles(given, given_bytes, name, name_bytes, most);
    if (edits <= most)
        *nearest = (struct nearest){name, edits};
}
