/* sheet_part.c - selects the rows of a sheet for its picture, and checks the limits of the picture. */
#include "wire/sheet/sheet_plan.h"

/* The name and size of a picture in errors. */
struct size {
    uint64_t width, height;
    uint32_t cell_count;
};

static const char *way_out(const struct sheet_plan *plan)
{
    return plan->layout.rows > 1 ? ": 'rows' draws some of them" : "";
}

static int refuse_side(const struct sheet_plan *plan, const struct size *size, const struct limits *limits,
                       struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER,
                   "a sheet of %u cells of %u x %u would have %llu x %llu pixels; its sides may have %s%s",
                   size->cell_count, plan->layout.cell_width, plan->layout.cell_height, (unsigned long long)size->width,
                   (unsigned long long)size->height, LIMIT_TEXT(limits, LIMIT_SHEET_SIDE), way_out(plan));
}

static int refuse_pixels(const struct sheet_plan *plan, const struct size *size, const struct limits *limits,
                         struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "%u cells of %u x %u are a picture of %llu x %llu pixels, more than %s%s",
                   size->cell_count, plan->layout.cell_width, plan->layout.cell_height, (unsigned long long)size->width,
                   (unsigned long long)size->height, LIMIT_TEXT(limits, LIMIT_PICTURE_PIXELS), way_out(plan));
}

/* A manifest needs no pixels: its sheet may be drawn in parts. */
static int check_size(const struct sheet_plan *plan, const struct request *request, const struct size *size,
                      const struct limits *limits, struct err *err)
{
    const uint64_t side = limits->value[LIMIT_SHEET_SIDE], pixels = limits->value[LIMIT_PICTURE_PIXELS];
    const bool is_animation = sheet_is_animation(&request->sheet); /* here the frames form one column */
    const bool is_told = request->sheet.format == SHEET_JSON;
    if (!is_animation && (size->width > side || (!is_told && size->height > side)))
        return refuse_side(plan, size, limits, err);
    if (size->width > UINT32_MAX || size->height > UINT32_MAX || (!is_told && size->width * size->height > pixels))
        return refuse_pixels(plan, size, limits, err);
    return 0;
}

/* Returns the top of a row; the first row includes the padding above it. For the row after the last it returns the end
 * of the sheet. */
static uint64_t top_of(const struct sheet_layout *layout, uint32_t row)
{
    uint64_t width, height, x, y;
    sheet_layout_size(layout, &width, &height);
    sheet_layout_place(layout, 0, row, &x, &y);
    return row == 0 ? 0 : row == layout->rows ? height : y;
}

/* Selects the cells of the rows from `first` up to `end`; cells are planned row by row. */
static void cut_cells(struct sheet_plan *plan, uint32_t first, uint32_t end, uint32_t top)
{
    struct sheet_cell *cells = (struct sheet_cell *)(void *)plan->cells.data;
    plan->first_drawn = plan->drawn_count = 0;
    for (uint32_t c = 0; c < plan->cell_count; c++) {
        plan->first_drawn += cells[c].row < first;
        plan->drawn_count += cells[c].row >= first && cells[c].row < end;
        cells[c].y -= top;
    }
}

int sheet_plan_cut(struct sheet_plan *plan, const struct request *request, const struct limits *limits, struct err *err)
{
    const struct sheet_spec *spec = &request->sheet;
    const uint32_t first = spec->first_row, rows = plan->layout.rows;
    if (first >= rows)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'first_row' is %u, and the %s are 0 to %u", first,
                       sheet_is_animation(spec) ? "frames" : "sheet's rows", rows - 1);
    const uint32_t count = spec->row_count == 0 || spec->row_count > rows - first ? rows - first : spec->row_count;
    const uint64_t top = top_of(&plan->layout, first), end = top_of(&plan->layout, first + count);
    struct size size = {.height = end - top};
    uint64_t height;
    sheet_layout_size(&plan->layout, &size.width, &height);
    cut_cells(plan, first, first + count, (uint32_t)top);
    size.cell_count = plan->drawn_count;
    if (check_size(plan, request, &size, limits, err) < 0)
        return err->code;
    plan->width = (uint32_t)size.width;
    plan->height = (uint32_t)size.height;
    return 0;
}

uint32_t sheet_plan_rows_at_once(const struct sheet_plan *plan, const struct request *request,
                                 const struct limits *limits)
{
    const struct sheet_layout *layout = &plan->layout;
    const uint64_t row_height = (uint64_t)layout->cell_height + layout->caption_height + layout->gap;
    uint64_t height = limits->value[LIMIT_PICTURE_PIXELS] / plan->width;
    if (!sheet_is_animation(&request->sheet) && height > limits->value[LIMIT_SHEET_SIDE])
        height = limits->value[LIMIT_SHEET_SIDE];
    const uint64_t space = 2 * (uint64_t)layout->padding, rows = height > space ? (height - space) / row_height : 0;
    return rows == 0 ? 1 : rows > layout->rows ? layout->rows : (uint32_t)rows;
}
