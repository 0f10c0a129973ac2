#include "wire/sheet/sheet_layout.h"

enum {
    CAPTION_LEAST = 16, /* height of a legible caption */
    CAPTION_MOST = 48,
    CAPTION_SHARE = 10, /* of the cell's width */
    ROW_MOST = 8,       /* cells per row without columns= */
};

static uint32_t caption_height(uint32_t cell_width)
{
    const uint32_t height = cell_width / CAPTION_SHARE;
    return height < CAPTION_LEAST ? CAPTION_LEAST : height > CAPTION_MOST ? CAPTION_MOST : height;
}

/* Returns the square root of `count`, rounded up. */
static uint32_t root_of(uint32_t count)
{
    uint32_t root = 1;
    while ((uint64_t)root * root < count)
        root++;
    return root;
}

/* Without columns=, a sheet whose groups begin rows has group_cells columns. Otherwise up to eight cells form one row,
 * and more cells have about as many columns as rows. */
void sheet_layout_init(struct sheet_layout *layout, const struct sheet_spec *spec, uint32_t cell_width,
                       uint32_t cell_height, uint32_t group_count, uint32_t group_cells)
{
    const bool has_rows = group_count > 1 && (group_cells > 1 || spec->directions > 1);
    const uint32_t count = group_count > 1 ? group_count : group_cells;
    *layout = (struct sheet_layout){
        .cell_width = cell_width,
        .cell_height = cell_height,
        .caption_height = (spec->flags & SHEET_CAPTIONS) != 0 ? caption_height(cell_width) : 0,
        .gap = spec->gap,
        .padding = spec->padding,
        .columns = spec->columns,
        .has_rows = has_rows,
    };
    if (sheet_is_animation(spec)) {
        layout->gap = layout->padding = 0;
        layout->columns = 1;
    }
    if (layout->columns == 0)
        layout->columns = has_rows ? group_cells : count <= ROW_MOST ? count : root_of(count);
}

void sheet_layout_next(struct sheet_layout *layout, bool begins_group, uint32_t *column, uint32_t *row)
{
    if (layout->rows == 0 || layout->column == layout->columns || (begins_group && layout->has_rows)) {
        layout->rows++;
        layout->column = 0;
    }
    *column = layout->column++;
    *row = layout->rows - 1;
    layout->widest = layout->column > layout->widest ? layout->column : layout->widest;
}

static uint64_t end_of(uint64_t count, uint64_t cell, const struct sheet_layout *layout)
{
    return count * (cell + layout->gap) - (count > 0 ? layout->gap : 0);
}

void sheet_layout_place(const struct sheet_layout *layout, uint32_t column, uint32_t row, uint64_t *x, uint64_t *y)
{
    const uint64_t height = (uint64_t)layout->cell_height + layout->caption_height;
    *x = layout->padding + (uint64_t)column * ((uint64_t)layout->cell_width + layout->gap);
    *y = layout->padding + (uint64_t)row * (height + layout->gap);
}

void sheet_layout_size(const struct sheet_layout *layout, uint64_t *width, uint64_t *height)
{
    const uint64_t cell_height = (uint64_t)layout->cell_height + layout->caption_height;
    *width = 2 * (uint64_t)layout->padding + end_of(layout->widest, layout->cell_width, layout);
    *height = 2 * (uint64_t)layout->padding + end_of(layout->rows, cell_height, layout);
}
