/* posectl palette, pose, mesh, bounds: for people as numbers in rows, else the server's answer. */
#include "clients/cli/ask/commands.h"
#include "clients/cli/ask/output_format.h"
#include "clients/cli/ask/command_context.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_COLUMNS_MAX = 32, MATRIX_FLOATS_MAX = 16 };
static const char EVERYTHING[] = "everything";

static const cJSON *get(const cJSON *json, const char *name) { return cJSON_GetObjectItemCaseSensitive(json, name); }
static double number_of(const cJSON *json, const char *name) { return cJSON_GetNumberValue(get(json, name)); }

static const char *name_of(const cJSON *json)
{
    const char *name = cJSON_GetStringValue(get(json, "name"));
    return name == NULL ? "-" : name;
}

static size_t columns_of(const cJSON *list)
{
    size_t columns = 4;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, list) columns =
        text_columns(name_of(entry)) > columns ? text_columns(name_of(entry)) : columns;
    return columns > NAME_COLUMNS_MAX ? NAME_COLUMNS_MAX : columns;
}

static void put_time(struct text *out, const cJSON *frame)
{
    text_printf(out, "%stime %g s%s", colour(COLOUR_BOLD), number_of(frame, "time"), colour(COLOUR_NONE));
    if (number_of(frame, "clip_time") < number_of(frame, "time") ||
        number_of(frame, "clip_time") > number_of(frame, "time"))
        text_printf(out, "  (%g s of the clip)", number_of(frame, "clip_time"));
    text_put(out, "\n");
}

/* A matrix as people write it: rows one below the other. `numbers` has 16 in columns, 12 in rows or 8 of two
 * quaternions. */
static void put_matrix(struct text *out, const cJSON *numbers, size_t indent)
{
    double value[MATRIX_FLOATS_MAX] = {0};
    const int count = cJSON_GetArraySize(numbers);
    const cJSON *number;
    int i = 0;
    cJSON_ArrayForEach(number, numbers) if (i < MATRIX_FLOATS_MAX) value[i++] = cJSON_GetNumberValue(number);
    const int rows = count == 8 ? 2 : 3;
    for (int row = 0; row < rows; row++) {
        if (row > 0)
            text_printf(out, "%*s", (int)indent, "");
        for (int column = 0; column < 4; column++)
            text_printf(out, "%12.6f", value[count == 16 ? 4 * column + row : 4 * row + column]);
        text_put(out, "\n");
    }
}

static void put_palette(struct text *out, const cJSON *answer)
{
    const cJSON *frame, *skin, *joint;
    cJSON_ArrayForEach(frame, get(answer, "frames"))
    {
        const cJSON *of_skin = get(frame, "palettes")->child;
        put_time(out, frame);
        cJSON_ArrayForEach(skin, get(answer, "skins"))
        {
            const cJSON *matrix = of_skin == NULL ? NULL : of_skin->child;
            const size_t columns = columns_of(get(skin, "joints"));
            text_printf(out, "%sskin %.0f  ", colour(COLOUR_DIM), number_of(skin, "index"));
            text_put_printable(out, name_of(skin));
            text_printf(out, "%s\n", colour(COLOUR_NONE));
            cJSON_ArrayForEach(joint, get(skin, "joints"))
            {
                text_printf(out, "%5.0f  ", number_of(joint, "node"));
                text_put_column(out, name_of(joint), columns);
                put_matrix(out, matrix, columns + 7);
                matrix = matrix == NULL ? NULL : matrix->next;
            }
            of_skin = of_skin == NULL ? NULL : of_skin->next;
        }
    }
}

static void put_numbers(struct text *out, const cJSON *numbers, int first, int count)
{
    for (int i = first; i < first + count; i++)
        text_printf(out, "%12.6f", cJSON_GetNumberValue(cJSON_GetArrayItem(numbers, i)));
}

/* Where each node is: the translation of scene_from_node, and with what=local what the node does of its own. */
static void put_pose(struct text *out, const cJSON *answer)
{
    const size_t columns = columns_of(get(answer, "nodes"));
    const cJSON *frame, *node;
    cJSON_ArrayForEach(frame, get(answer, "frames"))
    {
        const cJSON *scene = get(frame, "scene"), *local = get(frame, "local");
        const cJSON *matrix = scene == NULL ? NULL : scene->child, *parts = local == NULL ? NULL : local->child;
        put_time(out, frame);
        text_printf(out, "%s node  ", colour(COLOUR_DIM));
        text_put_column(out, "name", columns);
        text_put(out, scene == NULL ? "" : "           x           y           z in the scene");
        text_put(out, local == NULL ? "" : "           local translation, rotation x y z w, scale");
        text_printf(out, "%s\n", colour(COLOUR_NONE));
        cJSON_ArrayForEach(node, get(answer, "nodes"))
        {
            text_printf(out, "%5.0f  ", number_of(node, "node"));
            text_put_column(out, name_of(node), columns);
            if (matrix != NULL && cJSON_GetArraySize(matrix) == 16)
                put_numbers(out, matrix, 12, 3);
            else if (matrix != NULL)
                put_numbers(out, matrix, 0, cJSON_GetArraySize(matrix));
            if (parts != NULL && cJSON_IsArray(parts))
                put_numbers(out, parts, 0, 10);
            text_put(out, "\n");
            matrix = matrix == NULL ? NULL : matrix->next;
            parts = parts == NULL ? NULL : parts->next;
        }
    }
}

static void put_mesh(struct text *out, const cJSON *answer)
{
    const size_t columns = columns_of(get(answer, "meshes"));
    const cJSON *frame, *mesh, *number;
    cJSON_ArrayForEach(frame, get(answer, "frames"))
    {
        const cJSON *positions = get(frame, "positions")->child;
        put_time(out, frame);
        text_printf(out, "%s mesh  ", colour(COLOUR_DIM));
        text_put_column(out, "name", columns);
        text_printf(out, "  vertices           box from x y z                  to x y z%s\n", colour(COLOUR_NONE));
        cJSON_ArrayForEach(mesh, get(answer, "meshes"))
        {
            double low[3] = {0}, high[3] = {0};
            int i = 0;
            cJSON_ArrayForEach(number, positions)
            {
                const double value = cJSON_GetNumberValue(number);
                low[i % 3] = i < 3 || value < low[i % 3] ? value : low[i % 3];
                high[i % 3] = i < 3 || value > high[i % 3] ? value : high[i % 3];
                i++;
            }
            text_printf(out, "%5.0f  ", number_of(mesh, "mesh"));
            text_put_column(out, name_of(mesh), columns);
            text_printf(out, "%10.0f  %10.4f%10.4f%10.4f  %10.4f%10.4f%10.4f\n", number_of(mesh, "vertices"), low[0],
                        low[1], low[2], high[0], high[1], high[2]);
            positions = positions == NULL ? NULL : positions->next;
        }
    }
}

static void put_box(struct text *out, const cJSON *box)
{
    if (!cJSON_IsObject(box)) {
        text_put(out, "  nothing\n");
        return;
    }
    for (int i = 0; i < 3; i++)
        text_printf(out, "%12.6f", cJSON_GetNumberValue(cJSON_GetArrayItem(get(box, "min"), i)));
    text_put(out, "  ");
    for (int i = 0; i < 3; i++)
        text_printf(out, "%12.6f", cJSON_GetNumberValue(cJSON_GetArrayItem(get(box, "max"), i)));
    text_put(out, "\n");
}

/* The boxes of one frame, or of a whole clip: around everything, each mesh, and with per=joint each joint. */
static void put_boxes(struct text *out, const cJSON *answer, const cJSON *frame)
{
    const cJSON *meshes = get(answer, "meshes"), *joints = get(answer, "joints"), *entry;
    const size_t of_meshes = columns_of(meshes), of_joints = columns_of(joints);
    const size_t names = of_meshes > of_joints ? of_meshes : of_joints;
    const size_t columns = names > strlen(EVERYTHING) ? names : strlen(EVERYTHING);
    const cJSON *box = get(frame, "meshes") == NULL ? NULL : get(frame, "meshes")->child;
    text_printf(out, "%s%*s%s\n", colour(COLOUR_DIM), (int)columns + 9, "",
                "        from x           y           z            to x           y           z");
    text_put(out, colour(COLOUR_NONE));
    text_printf(out, "%*s", (int)strlen("  joint  "), "");
    text_put_column(out, EVERYTHING, columns);
    put_box(out, get(frame, "bounds"));
    cJSON_ArrayForEach(entry, meshes)
    {
        text_put(out, "  mesh   ");
        text_put_column(out, name_of(entry), columns);
        put_box(out, box);
        box = box == NULL ? NULL : box->next;
    }
    box = get(frame, "joints") == NULL ? NULL : get(frame, "joints")->child;
    cJSON_ArrayForEach(entry, joints)
    {
        text_put(out, "  joint  ");
        text_put_column(out, name_of(entry), columns);
        put_box(out, get(box, "scene"));
        box = box == NULL ? NULL : box->next;
    }
}

static void put_bounds(struct text *out, const cJSON *answer)
{
    const cJSON *frame, *sampled = get(answer, "sampled");
    cJSON_ArrayForEach(frame, get(answer, "frames"))
    {
        put_time(out, frame);
        put_boxes(out, answer, frame);
    }
    if (sampled == NULL)
        return;
    text_printf(out, "%sfrom %g to %g s, %.0f poses%s\n", colour(COLOUR_BOLD), number_of(sampled, "from"),
                number_of(sampled, "to"), number_of(sampled, "poses"), colour(COLOUR_NONE));
    put_boxes(out, answer, get(answer, "whole"));
}

static int show(const struct args *args, const struct posed_packet *answer)
{
    struct text out = {0};
    cJSON *json = cJSON_ParseWithLength((const char *)answer->data, answer->data_bytes);
    if (!cJSON_IsArray(get(json, "frames")) && get(json, "whole") == NULL) {
        cJSON_Delete(json);
        terminal_error("the server's answer is not what was asked for");
        return STATUS_SERVER;
    }
    if (args->command == COMMAND_PALETTE)
        put_palette(&out, json);
    else if (args->command == COMMAND_POSE)
        put_pose(&out, json);
    else if (args->command == COMMAND_MESH)
        put_mesh(&out, json);
    else
        put_bounds(&out, json);
    cJSON_Delete(json);
    const int status = output_give("-", out.at, out.size_bytes);
    text_free(&out);
    return status;
}

/* What was written where: a line, or JSON. */
static void report(const char *file, const char *model, size_t size_bytes)
{
    if (!terminal.is_json) {
        struct text line = {0};
        text_put_printable(&line, file);
        if (!terminal.is_quiet)
            printf("%s  %zu bytes\n", line.at, size_bytes);
        text_free(&line);
        return;
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "model", model);
    cJSON_AddStringToObject(json, "file", file);
    cJSON_AddNumberToObject(json, "bytes", (double)size_bytes);
    char *text = cJSON_PrintUnformatted(json);
    puts(text == NULL ? "{}" : text);
    free(text);
    cJSON_Delete(json);
}

static int give(const struct args *args, const char *model, const struct posed_packet *answer)
{
    const char *file = args_text(args, OPTION_FILE, NULL);
    const bool is_file = file != NULL && strcmp(file, "-") != 0;
    if (file == NULL && !terminal.is_json && answer->kind == POSED_JSON)
        return show(args, answer);
    if (!is_file && answer->kind != POSED_JSON && isatty(STDOUT_FILENO)) {
        terminal_error("the answer is binary and nothing for a terminal; redirect it or say -o FILE");
        return STATUS_USAGE;
    }
    const int status = output_give(file, answer->data, answer->data_bytes);
    if (status == STATUS_DONE && is_file)
        report(file, model, answer->data_bytes);
    return status;
}

int run_answer(const struct args *args)
{
    const char *format;
    struct command_context one;
    struct posed_packet answer;
    int status = output_format_choose(args, &format);
    if (status != STATUS_DONE)
        return status;
    status = context_open(&one, args, 1);
    if (status == STATUS_DONE)
        status = context_request(&one, args, format, &answer);
    if (status == STATUS_DONE)
        status = give(args, one.model, &answer);
    context_close(&one);
    return status;
}
