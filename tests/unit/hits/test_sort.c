/* Sorting in place: compared with qsort(), for every length and for items of an odd size. */
#include "base/sort.h"

#include "tests/unit/support/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct row {
    uint32_t key;
    unsigned char rest[31];
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return memcmp(x->rest, y->rest, sizeof x->rest);
}

TEST(sort_in_place_is_qsort)
{
    enum { MOST = 200 };
    static struct row mine[MOST], theirs[MOST];
    uint32_t seed = 1;
    for (uint32_t count = 0; count <= MOST; count++)
        for (uint32_t range = 1; range < 1u << 20; range *= 32) {
            memset(mine, 0, sizeof mine);
            for (uint32_t i = 0; i < count; i++) {
                seed = seed * 1664525 + 1013904223;
                mine[i].key = (seed >> 8) % range;
                mine[i].rest[30] = (unsigned char)(seed >> 30);
            }
            memcpy(theirs, mine, sizeof mine);
            sort_in_place(mine, count, sizeof *mine, compare_rows);
            qsort(theirs, count, sizeof *theirs, compare_rows);
            assert_memory_equal(mine, theirs, sizeof mine);
            sort_in_place(mine, count, sizeof *mine, compare_rows); /* in order already */
            assert_memory_equal(mine, theirs, sizeof mine);
        }
}

/* Every number between, at and beyond the items, for every length, against a walk. */
TEST(lower_bound_is_the_first_that_is_not_below)
{
    enum { MOST = 20 };
    struct row rows[MOST] = {0};
    for (uint32_t i = 0; i < MOST; i++)
        rows[i].key = 3 + i / 3 * 4; /* each three times */
    assert_int_equal(lower_bound(NULL, 0, sizeof *rows, 0, 7), 0);
    for (uint32_t count = 0; count <= MOST; count++)
        for (uint32_t least = 0; least < 40; least++) {
            uint32_t expected = 0;
            while (expected < count && rows[expected].key < least)
                expected++;
            assert_int_equal(LOWER_BOUND(rows, count, key, least), expected);
        }
}
