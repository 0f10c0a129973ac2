#include "render/image/ambient_occlusion.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 192, LINES = 6, RINGS = 3, OPEN = 255 };

/* Relative to the picture's shorter side. */
static const float RADIUS = 0.08f;
static const float RING[RINGS] = {0.22f, 0.5f, 1.0f};
/* Smaller slopes are not corners, but rounding of depths, or flat facets of round shapes. */
static const float LEAST_SLOPE = 0.04f;
/* A place that is nearer by up to this many times its distance counts fully, and by twice as many not at all. */
static const float NEAR = 2.0f;
/* The depth of empty places, far behind everything. */
static const float NOTHING = 2.0f;

/* The picture as a grid of cells, with a margin of empty ones. */
struct grid {
    uint32_t width, height, step; /* size of a cell, in pixels */
    uint32_t margin;
    size_t stride;
    float *depths; /* from the first cell on */
    uint8_t *open; /* [width * height]: share of the light */
    float plane;   /* the slope of a depth is 1 / (slope * (plane - depth)); in orthographic pictures 1 / slope */
    float slope;
    float tall; /* how much higher than wide a cell is in the scene */
    bool is_flat;
    int32_t offset_x[LINES][RINGS], offset_y[LINES][RINGS];
};

static int make_capacity(void **bytes, size_t *capacity, size_t size_bytes)
{
    if (*bytes != NULL && *capacity >= size_bytes)
        return 0;
    free(*bytes);
    *bytes = malloc(size_bytes);
    *capacity = *bytes != NULL ? size_bytes : 0;
    return *bytes != NULL ? 0 : -1;
}

static void set_lines(struct grid *grid, float radius)
{
    for (int line = 0; line < LINES; line++)
        for (int ring = 0; ring < RINGS; ring++) {
            const double angle = M_PI * (line + 0.25) / LINES;
            grid->offset_x[line][ring] = (int32_t)lround(cos(angle) * (double)(radius * RING[ring]));
            grid->offset_y[line][ring] = (int32_t)lround(sin(angle) * (double)(radius * RING[ring]));
        }
}

static int start(struct grid *grid, struct ambient_occlusion *occlusion, uint32_t width, uint32_t height,
                 const double *m, struct err *err)
{
    const uint32_t side = width < height ? width : height;
    grid->step = (side + CELLS - 1) / CELLS;
    grid->width = (width + grid->step - 1) / grid->step;
    grid->height = (height + grid->step - 1) / grid->step;
    const float radius = RADIUS * (float)side / (float)grid->step;
    grid->margin = (uint32_t)radius + 2;
    grid->stride = grid->width + 2 * (size_t)grid->margin;
    const size_t cells = grid->stride * (grid->height + 2 * (size_t)grid->margin);
    if (make_capacity((void **)&occlusion->grid, &occlusion->grid_bytes, cells * sizeof(float)) < 0 ||
        make_capacity((void **)&occlusion->open, &occlusion->open_bytes, (size_t)grid->width * grid->height) < 0)
        return err_set(err, ERR_NO_MEMORY, "no memory for the occlusion of a picture of %u x %u", width, height);
    for (size_t i = 0; i < cells; i++)
        occlusion->grid[i] = NOTHING;
    grid->depths = occlusion->grid + grid->margin * grid->stride + grid->margin;
    grid->open = occlusion->open;
    /* depth = (1 + (m10 z + m14) / (m11 z + m15)) / 2; a cell is 2 step / (width m0) wide at distance 1 */
    const double cell = 2.0 * grid->step / (width * m[0]);
    grid->tall = (float)(width * m[0] / (height * m[5]));
    grid->is_flat = m[11] == 0;
    grid->plane = (float)(0.5 - 0.5 * m[10]);
    grid->slope = (float)(grid->is_flat ? -0.5 * m[10] * cell : cell);
    set_lines(grid, radius);
    return 0;
}

static float depth_of(uint32_t word) { return (float)(word >> 8) * (1.0f / 16777215); }

static void fill(struct grid *grid, const uint32_t *depths, size_t row_samples, uint32_t scale)
{
    for (uint32_t y = 0; y < grid->height; y++)
        for (uint32_t x = 0; x < grid->width; x++) {
            const uint32_t word = depths[(size_t)y * grid->step * scale * row_samples + (size_t)x * grid->step * scale];
            grid->depths[y * grid->stride + x] = word >> 8 == 0xffffff ? NOTHING : depth_of(word);
        }
}

/* Returns the factor from a difference of depths to a slope, for one cell. */
static float gain_of(const struct grid *grid, float depth)
{
    const float below = grid->is_flat ? grid->slope : grid->slope * (grid->plane - depth);
    return below > 1e-12f ? 1 / below : 0;
}

/* Raises the slopes on both sides by one pair of places for a row of cells. */
static void raise(const float *restrict here, const float *restrict one, const float *restrict other,
                  const float *restrict gain, float per_cell, float *restrict most, uint32_t count)
{
    for (uint32_t x = 0; x < count; x++) {
        const float first = (here[x] - one[x]) * gain[x] * per_cell, second = (here[x] - other[x]) * gain[x] * per_cell;
        const float a = fabsf(first), b = fabsf(second), far = a > b ? a : b;
        float weight = 2 - far * (1 / NEAR);
        weight = weight < 1 ? weight : 1;
        weight = weight > 0 ? weight : 0;
        const float slope = 0.5f * (first + second) * weight;
        most[x] = most[x] > slope ? most[x] : slope;
    }
}

static void add_line(const float *restrict most, float *restrict sum, uint32_t count)
{
    for (uint32_t x = 0; x < count; x++) {
        const float slope = most[x] - LEAST_SLOPE;
        const float positive = slope > 0 ? slope : 0;
        sum[x] += 1 / (1 + positive * positive);
    }
}

/* rows: [3 * count], scratch memory. */
static void occlude_row(const struct grid *grid, uint32_t y, uint32_t first, uint32_t count, float *rows)
{
    const float *here = grid->depths + y * grid->stride + first;
    float *gain = rows, *most = rows + count, *sum = rows + 2 * (size_t)count;
    for (uint32_t x = 0; x < count; x++) {
        gain[x] = here[x] < NOTHING ? gain_of(grid, here[x]) : 0;
        sum[x] = 0;
    }
    for (int line = 0; line < LINES; line++) {
        memset(most, 0, count * sizeof *most);
        for (int ring = 0; ring < RINGS; ring++) {
            const int32_t dx = grid->offset_x[line][ring], dy = grid->offset_y[line][ring];
            const ptrdiff_t away = dy * (ptrdiff_t)grid->stride + dx;
            if (away != 0)
                raise(here, here + away, here - away, gain, 1 / hypotf((float)dx, grid->tall * (float)dy), most, count);
        }
        add_line(most, sum, count);
    }
    uint8_t *open = grid->open + (size_t)y * grid->width + first;
    for (uint32_t x = 0; x < count; x++)
        open[x] = (uint8_t)(sum[x] * ((float)OPEN / LINES) + 0.5f);
}

static int occlude(const struct grid *grid, struct err *err)
{
    float *rows = malloc(3 * sizeof *rows * grid->width);
    if (rows == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the occlusion of a picture");
    memset(grid->open, OPEN, (size_t)grid->width * grid->height);
    for (uint32_t y = 0; y < grid->height; y++) {
        const float *row = grid->depths + y * grid->stride;
        uint32_t first = 0, end = grid->width;
        while (first < end && row[first] == NOTHING)
            first++;
        while (end > first && row[end - 1] == NOTHING)
            end--;
        if (end > first)
            occlude_row(grid, y, first, end - first, rows);
    }
    free(rows);
    return 0;
}

/* --- from the grid to the picture --- */

/* Interpolates the light of a pixel between four cells. A cell counts less the more its depth differs. */
static uint32_t mix(const struct grid *grid, const uint32_t cell[4], const size_t place[4], const float share[4],
                    float depth)
{
    const float gain = gain_of(grid, depth);
    float sum = 0, all = 0;
    for (int i = 0; i < 4; i++) {
        const float off = fabsf(grid->depths[place[i]] - depth) * gain;
        const float weight = (share[i] + 1e-3f) / (1 + off * off * off * off);
        sum += weight * (float)grid->open[cell[i]];
        all += weight;
    }
    return (uint32_t)(sum / all + 0.5f);
}

/* Computes the factors of encoded colours, times 256, for each share of the light. */
static void make_factors(uint16_t factors[OPEN + 1])
{
    for (int i = 0; i <= OPEN; i++)
        factors[i] = (uint16_t)lround(256 * pow((double)i / OPEN, 1 / 2.2));
}

/* factor: times 256. Two channels are scaled in one word at a time; alpha stays. */
static void darken_sample(uint8_t *sample, uint32_t factor)
{
    static const uint32_t EVEN = 0x00ff00ff;
    uint32_t word;
    memcpy(&word, sample, sizeof word);
    const uint32_t even = ((word & EVEN) * factor + 0x00800080) >> 8 & EVEN;
    const uint32_t green = ((word >> 8 & 0xff) * factor + 0x80) >> 8;
    word = (word & 0xff000000) | even | green << 8;
    memcpy(sample, &word, sizeof word);
}

/* State that the pixels of a row share. */
struct darkening {
    const struct grid *grid;
    const uint16_t *factors; /* [OPEN + 1] */
    const uint32_t *depths;  /* of the row's samples, in their layout */
    uint8_t *samples;
    size_t row_samples;
    uint32_t scale, cell_y, below;
    uint32_t down; /* offset between the two rows of cells, in pixels */
};

/* The four cells around pixels. */
struct quad {
    uint32_t cells[4];
    size_t places[4]; /* indices of their depths */
    bool is_even;     /* one surface passes through all four */
};

/* False: all four have full light. */
static bool find_quad(const struct darkening *row, uint32_t cell_x, struct quad *quad)
{
    const struct grid *grid = row->grid;
    const uint32_t right = cell_x + 1 < grid->width ? cell_x + 1 : cell_x;
    const uint32_t x[4] = {cell_x, right, cell_x, right}, y[4] = {row->cell_y, row->cell_y, row->below, row->below};
    uint32_t open = OPEN;
    float nearest = NOTHING, farthest = 0;
    for (int i = 0; i < 4; i++) {
        quad->cells[i] = y[i] * grid->width + x[i];
        quad->places[i] = y[i] * grid->stride + x[i];
        const float depth = grid->depths[quad->places[i]];
        open &= grid->open[quad->cells[i]];
        nearest = depth < nearest ? depth : nearest;
        farthest = depth > farthest ? depth : farthest;
    }
    quad->is_even = farthest < NOTHING && (farthest - nearest) * gain_of(grid, nearest) < NEAR;
    return open != OPEN;
}

/* Where one surface passes through the cells, depths do not matter. */
static uint32_t mix_even(const struct darkening *row, const struct quad *quad, uint32_t across)
{
    const uint32_t step = row->grid->step, down = row->down;
    const uint8_t *open = row->grid->open;
    const uint32_t upper = open[quad->cells[0]] * (step - across) + open[quad->cells[1]] * across;
    const uint32_t lower = open[quad->cells[2]] * (step - across) + open[quad->cells[3]] * across;
    return (upper * (step - down) + lower * down + step * step / 2) / (step * step);
}

static uint32_t mix_by_depth(const struct darkening *row, const struct quad *quad, uint32_t across, float depth)
{
    const float right = (float)across / (float)row->grid->step, below = (float)row->down / (float)row->grid->step;
    const float share[4] = {(1 - right) * (1 - below), right * (1 - below), (1 - right) * below, right * below};
    return mix(row->grid, quad->cells, quad->places, share, depth);
}

/* Samples of a pixel at similar depths get the same factor. */
static void darken_pixel(const struct darkening *row, const struct quad *quad, uint32_t x, uint32_t across)
{
    float mixed_at = -1, gain = 0;
    uint32_t factor = quad->is_even ? row->factors[mix_even(row, quad, across)] : 0;
    for (uint32_t sample_y = 0; sample_y < row->scale; sample_y++)
        for (uint32_t sample_x = 0; sample_x < row->scale; sample_x++) {
            const size_t at = sample_y * row->row_samples + (size_t)x * row->scale + sample_x;
            const uint32_t word = row->depths[at];
            if (word >> 8 == 0xffffff || (word & 0xff) != 0)
                continue;
            const float depth = depth_of(word);
            if (!quad->is_even && (mixed_at < 0 || fabsf(depth - mixed_at) * gain > 1)) {
                mixed_at = depth;
                gain = gain_of(row->grid, depth);
                factor = row->factors[mix_by_depth(row, quad, across, depth)];
            }
            darken_sample(row->samples + 4 * at, factor);
        }
}

static void darken_row(const struct darkening *row, uint32_t width)
{
    const uint32_t step = row->grid->step;
    struct quad quad;
    for (uint32_t cell_x = 0, x = 0; x < width; cell_x++, x += step) {
        if (!find_quad(row, cell_x, &quad))
            continue;
        for (uint32_t across = 0; across < step && x + across < width; across++)
            darken_pixel(row, &quad, x + across, across);
    }
}

int ambient_occlusion_darken(struct ambient_occlusion *occlusion, const uint32_t *depths, uint32_t width,
                             uint32_t height, uint32_t scale, const struct dmat4 *clip_from_view, uint8_t *samples,
                             struct err *err)
{
    struct grid grid = {0};
    const size_t row_samples = (size_t)width * scale;
    if (start(&grid, occlusion, width, height, clip_from_view->m, err) < 0)
        return err->code;
    fill(&grid, depths, row_samples, scale);
    if (occlude(&grid, err) < 0)
        return err->code;
    if (occlusion->factors[OPEN] == 0)
        make_factors(occlusion->factors);
    for (uint32_t y = 0; y < height; y++) {
        const uint32_t cell_y = y / grid.step;
        const size_t first = y * scale * row_samples;
        const struct darkening row = {.grid = &grid,
                                      .factors = occlusion->factors,
                                      .depths = depths + first,
                                      .samples = samples + 4 * first,
                                      .row_samples = row_samples,
                                      .scale = scale,
                                      .cell_y = cell_y,
                                      .below = cell_y + 1 < grid.height ? cell_y + 1 : cell_y,
                                      .down = y % grid.step};
        darken_row(&row, width);
    }
    return 0;
}

void ambient_occlusion_fini(struct ambient_occlusion *occlusion)
{
    free(occlusion->grid);
    free(occlusion->open);
    *occlusion = (struct ambient_occlusion){0};
}
