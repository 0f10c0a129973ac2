/* Finds the known name most similar to a given one: nearest.h. */
#include "clients/cli/command_line/nearest.h"

#include <string.h>

/* Returns the edit distance (Levenshtein). */
static size_t edits(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    enum { ROW = 40 };
    size_t row[ROW + 1];
    if (a_bytes > ROW || b_bytes > ROW)
        return ROW;
    for (size_t j = 0; j <= b_bytes; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            const size_t shifted = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = changed < shifted ? changed : shifted;
        }
    }
    return row[b_bytes];
}

void nearest_consider(struct nearest *nearest, const char *name, const char *given, size_t given_bytes)
{
    const size_t distance = edits(name, strlen(name), given, given_bytes);
    if (distance < nearest->edits)
        *nearest = (struct nearest){name, distance};
}
