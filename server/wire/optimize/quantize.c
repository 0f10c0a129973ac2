#include "wire/optimize/quantize.h"

#include "anim/model/mat.h"

static int place_most(int bits) { return (1 << (bits - 1)) - 1; }

static void set_step(struct grid *grid, double step)
{
    grid->side = (double)(float)(step * INT16_MAX);
    grid->step = grid->side / INT16_MAX;
}

struct grid grid_make(const double min[3], const double max[3], int bits)
{
    struct grid grid = {.bits = bits};
    double half = 0;
    for (int i = 0; i < 3; i++) {
        grid.middle[i] = (double)(float)((min[i] + max[i]) / 2); /* as the file's transforms say it */
        half = fmax(half, fmax(max[i] - grid.middle[i], grid.middle[i] - min[i]));
    }
    set_step(&grid, half / place_most(bits));
    return grid;
}

void grid_refine(struct grid *grid, int bits)
{
    const double step = grid->step * place_most(grid->bits) / place_most(bits);
    if (!(grid->delta / step < INT16_MAX))
        return;
    set_step(grid, step);
    grid->bits = bits;
}

static int16_t place_on(const struct grid *grid, double position, int axis)
{
    const double place = rint((position - grid->middle[axis]) / grid->step), most = place_most(grid->bits);
    return (int16_t)fmin(fmax(place, -most), most);
}

static int16_t delta_on(const struct grid *grid, double delta)
{
    return (int16_t)fmin(fmax(rint(delta / grid->step), -INT16_MAX), INT16_MAX);
}

void quantize_positions(const struct grid *grid, const struct vec3 *positions, const uint32_t *places, uint32_t count,
                        int16_t (*out)[4])
{
    for (uint32_t v = 0; v < count; v++) {
        if (places[v] == WELDED_AWAY)
            continue;
        for (int i = 0; i < 3; i++)
            out[places[v]][i] = place_on(grid, DOUBLE3(positions[v])[i], i);
        out[places[v]][3] = 0;
    }
}

void quantize_deltas(const struct grid *grid, const struct vec3 *deltas, const uint32_t *places, uint32_t count,
                     int16_t (*out)[4])
{
    for (uint32_t v = 0; v < count; v++) {
        if (places[v] == WELDED_AWAY)
            continue;
        for (int i = 0; i < 3; i++)
            out[places[v]][i] = deltas == NULL ? 0 : delta_on(grid, DOUBLE3(deltas[v])[i]);
        out[places[v]][3] = 0;
    }
}

void quantize_bytes(const struct vec3 *vectors, const uint32_t *places, uint32_t count, int8_t (*out)[4])
{
    for (uint32_t v = 0; v < count; v++) {
        if (places[v] == WELDED_AWAY)
            continue;
        for (int i = 0; i < 3; i++)
            out[places[v]][i] = (int8_t)rint(fmin(fmax(DOUBLE3(vectors[v])[i], -1), 1) * INT8_MAX);
        out[places[v]][3] = 0;
    }
}

void quantize_texcoords(const struct vec2 *texcoords, int bits, const uint32_t *places, uint32_t count,
                        uint16_t (*out)[2])
{
    const double most = (1 << bits) - 1;
    for (uint32_t v = 0; v < count; v++) {
        if (places[v] == WELDED_AWAY)
            continue;
        out[places[v]][0] = (uint16_t)rint(rint((double)texcoords[v].x * most) / most * UINT16_MAX);
        out[places[v]][1] = (uint16_t)rint(rint((double)texcoords[v].y * most) / most * UINT16_MAX);
    }
}

struct vec3 grid_position(const struct grid *grid, const struct vec3 *position)
{
    const double at[3] = {(double)position->x, (double)position->y, (double)position->z};
    double seen[3];
    for (int i = 0; i < 3; i++)
        seen[i] = grid->middle[i] + grid->step * place_on(grid, at[i], i);
    return (struct vec3){(float)seen[0], (float)seen[1], (float)seen[2]};
}

struct vec3 grid_delta(const struct grid *grid, const struct vec3 *delta)
{
    return (struct vec3){(float)(grid->step * delta_on(grid, (double)delta->x)),
                         (float)(grid->step * delta_on(grid, (double)delta->y)),
                         (float)(grid->step * delta_on(grid, (double)delta->z))};
}

/* The first weight, the largest, takes what rounding the others leaves. */
void quantize_weights(const float *weights, uint32_t count, int bits, uint16_t *out)
{
    const double most = (1 << bits) - 1;
    const int32_t whole = UINT16_MAX;
    int32_t left = whole;
    for (uint32_t i = 1; i < count; i++) {
        const double rounded = rint((double)weights[i] * most) / most * whole;
        const int32_t fitting = rounded < left ? (int32_t)rint(rounded) : left;
        out[i] = (uint16_t)fitting;
        left -= fitting;
    }
    out[0] = (uint16_t)left;
}
