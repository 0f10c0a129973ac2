/* compare_grid.c - finds the places that are near another one, by a hash table of the cells of a grid. */
#include "anim/compare/compare_drawn.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

static uint32_t slot_of(const struct place_grid *grid, const double cell[3])
{
    return (uint32_t)hash64(HASH64_SEED, cell, 3 * sizeof *cell) & grid->mask;
}

static void cell_of(const struct place_grid *grid, const struct vec3 *place, double shift, double out[3])
{
    const double p[3] = {(double)place->x, (double)place->y, (double)place->z};
    for (int i = 0; i < 3; i++)
        out[i] = floor(p[i] / grid->cell - shift) + 0.0; /* -0 has different bits */
}

void place_grid_make(struct place_grid *grid, const struct vec3 *places, uint32_t count, double radius)
{
    *grid = (struct place_grid){.cell = 2 * radius, .mask = 1};
    while (grid->mask < count)
        grid->mask = grid->mask * 2 + 1;
    grid->firsts = mem_alloc(((size_t)grid->mask + 1) * sizeof *grid->firsts);
    grid->nexts = mem_alloc(((size_t)count + 1) * sizeof *grid->nexts);
    for (uint32_t i = 0; i <= grid->mask; i++)
        grid->firsts[i] = -1;
    for (uint32_t i = count; i-- > 0;) {
        double cell[3];
        grid->nexts[i] = -1;
        if (isnan(places[i].x))
            continue;
        cell_of(grid, &places[i], 0, cell);
        int32_t *first = &grid->firsts[slot_of(grid, cell)];
        grid->nexts[i] = *first;
        *first = (int32_t)i;
    }
}

void place_grid_find(const struct place_grid *grid, const struct vec3 *place, int32_t firsts[GRID_CELLS])
{
    double low[3];
    cell_of(grid, place, 0.5, low);
    for (int i = 0; i < GRID_CELLS; i++) {
        const double cell[3] = {low[0] + (i & 1) + 0.0, low[1] + (i >> 1 & 1) + 0.0, low[2] + (i >> 2) + 0.0};
        firsts[i] = grid->firsts[slot_of(grid, cell)];
    }
}

void place_grid_free(struct place_grid *grid)
{
    free(grid->firsts);
    free(grid->nexts);
}
