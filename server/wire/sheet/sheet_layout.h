/* sheet_layout.h - positions cells. Private to server/wire/sheet. Pure; any thread. */
#pragma once

#include "base/picture/sheet_spec.h"

#include <stdbool.h>

/* The layout of the cells of a sheet, in pixels from the top left.
 *
 * Cells fill rows from the left. They form groups (the frames of one clip from one direction). With several groups of
 * several cells, or with several directions, each group begins a row, so that a row is one strip. The caption of a cell
 * is a band under it. In an animation every cell is a picture of its own, and the cells form a column. */
struct sheet_layout {
    uint32_t cell_width, cell_height; /* of a cell's picture */
    uint32_t caption_height;          /* of the band under it; 0: no captions */
    uint32_t gap, padding;
    uint32_t columns;
    bool has_rows;   /* each group begins a row */
    uint32_t rows;   /* so far, including the current row */
    uint32_t column; /* of the next cell */
    uint32_t widest; /* the largest number of cells in a row so far */
};

/* group_cells: the number of cells in the largest group. */
void sheet_layout_init(struct sheet_layout *layout, const struct sheet_spec *spec, uint32_t cell_width,
                       uint32_t cell_height, uint32_t group_count, uint32_t group_cells);
/* Returns column and row of the next cell. */
void sheet_layout_next(struct sheet_layout *layout, bool begins_group, uint32_t *column, uint32_t *row);
/* Returns its left and top, which may exceed any picture: the caller checks them. */
void sheet_layout_place(const struct sheet_layout *layout, uint32_t column, uint32_t row, uint64_t *x, uint64_t *y);
/* Returns the size of the picture that holds all cells so far. */
void sheet_layout_size(const struct sheet_layout *layout, uint64_t *width, uint64_t *height);
