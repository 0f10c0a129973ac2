/* sheet_layout.h - places of cells. Private to server/wire/sheet. Pure; any thread. */
#pragma once

#include "base/sheet_spec.h"

#include <stdbool.h>

/* Where the cells of a sheet lie, in pixels from the top left.
 *
 * Cells fill rows from the left. They come in groups (the frames of one clip from one direction): where there are
 * several groups of several cells, or directions, each group begins a row, so that a row is one strip. The words of a
 * cell stand in a band under it. Of an animation every cell is a picture of its own, and they lie one below the other.
 */
struct sheet_layout {
    uint32_t cell_width, cell_height; /* of the picture in a cell */
    uint32_t caption_height;          /* of the band under it; 0: none */
    uint32_t gap, padding;
    uint32_t columns;
    bool has_rows;   /* each group begins a row */
    uint32_t rows;   /* so far, with the one begun */
    uint32_t column; /* of the next cell */
    uint32_t widest; /* most cells of a row so far */
};

/* group_cells: cells of the largest group. */
void sheet_layout_init(struct sheet_layout *layout, const struct sheet_spec *spec, uint32_t cell_width,
                       uint32_t cell_height, uint32_t group_count, uint32_t group_cells);
/* The place of the next cell. */
void sheet_layout_next(struct sheet_layout *layout, bool begins_group, uint32_t *column, uint32_t *row);
/* Its left and top. Numbers may be larger than any picture: the caller checks them. */
void sheet_layout_place(const struct sheet_layout *layout, uint32_t column, uint32_t row, uint64_t *x, uint64_t *y);
/* The size of the picture that holds all cells so far. */
void sheet_layout_size(const struct sheet_layout *layout, uint64_t *width, uint64_t *height);
