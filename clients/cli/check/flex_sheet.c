/* The sheet of posectl flex: a picture with a row for each joint and a column for each of its turns. One camera for a
 * row shows all that its turns move, so that they compare, from the side from which most of the bend zone is seen. The
 * turn of a finding has a red frame. */
#include "clients/cli/check/check.h"
#include "clients/cli/moments/picture_file.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 160, FRAME = 4, ROWS_MOST = 100, COLUMNS_MOST = 48, AXES = 3 };
static const double MARGIN = 0.05; /* around what moves, in its longest sides: more than the frame covers */

struct flex_sheet {
    struct connection *connection;
    const char *source;
    const cJSON *answer;
    struct picture picture;
    struct text problem;
};

/* Returns the place in the picture of a pixel of a cell. */
static uint8_t *pixel_at(const struct flex_sheet *sheet, size_t row, size_t column, size_t x, size_t y)
{
    return sheet->picture.pixels + 3 * ((row * CELL + y) * sheet->picture.width + column * CELL + x);
}

/* Puts the camera's side, &turn=, and &frame_box= around all that the turns of the joint move. */
static void put_query(const cJSON *joint, const cJSON *turn, struct text *query)
{
    const double angle = member_number(turn, "angle");
    const char axis = member_text(turn, "axis")[0];
    const cJSON *box = json_get(joint, "moved_box");
    double ends[2 * AXES], longest = 0;
    for (int i = 0; i < AXES; i++) {
        ends[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(box, "min"), i));
        ends[AXES + i] = cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(box, "max"), i));
        longest = fmax(longest, ends[AXES + i] - ends[i]);
    }
    const cJSON *camera = json_get(joint, "camera");
    if (camera != NULL)
        text_printf(query, "&yaw=%.9g&pitch=%.9g", member_number(camera, "yaw"), member_number(camera, "pitch"));
    text_printf(query, "&clip=-&allow_empty=1&turn=%.0f:%.9g,%.9g,%.9g&width=%d&height=%d&background=ffffff&frame_box=",
                member_number(joint, "node"), axis == 'x' ? angle : 0, axis == 'y' ? angle : 0, axis == 'z' ? angle : 0,
                CELL, CELL);
    for (int i = 0; i < 2 * AXES; i++)
        text_printf(query, "%s%.9g", i == 0 ? "" : ",", ends[i] + (i < AXES ? -MARGIN : MARGIN) * longest);
}

/* Returns whether a finding is about this turn, or about the whole joint. */
static bool is_found(const struct flex_sheet *sheet, const cJSON *joint, const cJSON *turn)
{
    const cJSON *finding;
    cJSON_ArrayForEach(finding, json_get(sheet->answer, "findings"))
    {
        const bool has_axis = json_get(finding, "axis") != NULL;
        const bool is_turn = has_axis && strcmp(member_text(finding, "axis"), member_text(turn, "axis")) == 0 &&
                             fabs(member_number(finding, "angle") - fabs(member_number(turn, "angle"))) < 1e-6;
        if (member_number(json_get(finding, "joint"), "node") == member_number(joint, "node") && (is_turn || !has_axis))
            return true;
    }
    return false;
}

static void put_frame(const struct flex_sheet *sheet, size_t row, size_t column)
{
    static const uint8_t RED[3] = {200, 30, 30};
    for (size_t y = 0; y < CELL; y++)
        for (size_t x = 0; x < CELL; x++)
            if (x < FRAME || y < FRAME || x >= CELL - FRAME || y >= CELL - FRAME)
                memcpy(pixel_at(sheet, row, column, x, y), RED, sizeof RED);
}

/* Draws one turn. Returns 0, or -1 with a message in sheet->problem. */
static int draw_cell(struct flex_sheet *sheet, const cJSON *joint, const cJSON *turn, size_t row, size_t column)
{
    struct posed_packet answer;
    struct picture cell = {0};
    struct text query = {0};
    put_query(joint, turn, &query);
    int rc = connection_request_model(sheet->connection, "render", sheet->source, query.at, NULL, &answer);
    text_free(&query);
    if (rc < 0) {
        text_put(&sheet->problem, sheet->connection->posed.error.message);
        return -1;
    }
    if (picture_read(answer.data, answer.data_bytes, &cell, &sheet->problem) < 0)
        return -1;
    rc = cell.width == CELL && cell.height == CELL ? 0 : -1;
    for (size_t y = 0; y < CELL && rc == 0; y++)
        memcpy(pixel_at(sheet, row, column, 0, y), cell.pixels + 3 * y * CELL, (size_t)3 * CELL);
    if (rc < 0)
        text_put(&sheet->problem, "the server drew another size than was asked for");
    else if (is_found(sheet, joint, turn))
        put_frame(sheet, row, column);
    free(cell.pixels);
    return rc;
}

/* Lists the joints that bend something, those with findings first. Returns how many, and the most turns of one. */
static size_t list_rows(const struct flex_sheet *sheet, const cJSON *rows[ROWS_MOST], size_t *columns)
{
    const cJSON *joint, *turn;
    size_t count = 0;
    *columns = 0;
    for (int pass = 0; pass < 2; pass++)
        cJSON_ArrayForEach(joint, json_get(sheet->answer, "joints"))
        {
            const cJSON *turns = json_get(joint, "turns");
            const size_t turn_count = (size_t)cJSON_GetArraySize(turns);
            bool has_finding = false;
            cJSON_ArrayForEach(turn, turns) has_finding = has_finding || is_found(sheet, joint, turn);
            if (json_get(joint, "moved_box") == NULL || has_finding != (pass == 0) || turn_count == 0 ||
                count == ROWS_MOST || turn_count > COLUMNS_MOST)
                continue;
            rows[count++] = joint;
            *columns = turn_count > *columns ? turn_count : *columns;
        }
    return count;
}

static int draw_rows(struct flex_sheet *sheet, const cJSON *const *rows, size_t count)
{
    for (size_t row = 0; row < count; row++) {
        const cJSON *turn;
        size_t column = 0;
        struct text line = {0};
        cJSON_ArrayForEach(turn, json_get(rows[row], "turns"))
        {
            if (is_interrupted() || draw_cell(sheet, rows[row], turn, row, column++) < 0) {
                text_free(&line);
                return -1;
            }
            text_printf(&line, " %s%+.0f", member_text(turn, "axis"), member_number(turn, "angle"));
        }
        struct text name = {0};
        text_put_printable(&name, member_text(rows[row], "name"));
        terminal_info("row %zu: %s:%s", row + 1, name.at == NULL ? "" : name.at, line.at);
        text_free(&name);
        text_free(&line);
    }
    return 0;
}

int flex_sheet_give(struct connection *connection, const char *source, const cJSON *answer, const char *file)
{
    struct flex_sheet sheet = {.connection = connection, .source = source, .answer = answer};
    const cJSON *rows[ROWS_MOST];
    struct text png = {0};
    size_t columns;
    const size_t count = list_rows(&sheet, rows, &columns);
    int rc = -1;
    if (count == 0)
        text_put(&sheet.problem, "no joint of the model bends triangles");
    else {
        sheet.picture = (struct picture){.width = (uint32_t)(columns * CELL), .height = (uint32_t)(count * CELL)};
        sheet.picture.pixels = must_alloc(3 * count * columns * CELL * CELL);
        memset(sheet.picture.pixels, 255, 3 * count * columns * CELL * CELL);
        rc = draw_rows(&sheet, rows, count);
        if (rc == 0)
            rc = picture_put(&sheet.picture, &png, &sheet.problem);
    }
    if (rc < 0)
        terminal_error("%s: no sheet: %s", source, sheet.problem.at == NULL ? "interrupted" : sheet.problem.at);
    else
        rc = output_give(file, png.at, png.size_bytes) == 0 ? 0 : -1;
    free(sheet.picture.pixels);
    text_free(&sheet.problem);
    text_free(&png);
    return rc;
}
