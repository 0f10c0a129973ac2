/* Prints the answers of palette, pose, mesh, bounds, keys and keypoints for people: numbers in rows. */
#include "clients/cli/ask/numbers.h"

#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"

#include <string.h>

enum { MATRIX_FLOATS_MAX = 16 };
static const char EVERYTHING[] = "everything";

static void put_time(struct text *out, const cJSON *frame)
{
    text_printf(out, "%stime %g s%s", colour(COLOUR_BOLD), member_number(frame, "time"), colour(COLOUR_NONE));
    if (member_number(frame, "clip_time") < member_number(frame, "time") ||
        member_number(frame, "clip_time") > member_number(frame, "time"))
        text_printf(out, "  (%g s of the clip)", member_number(frame, "clip_time"));
    text_put(out, "\n");
}

/* Puts a matrix row by row. `numbers` has 16 numbers in column order, 12 in row order, or the 8 of two quaternions. */
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
    cJSON_ArrayForEach(frame, json_get(answer, "frames"))
    {
        const cJSON *of_skin = json_child(frame, "palettes");
        put_time(out, frame);
        cJSON_ArrayForEach(skin, json_get(answer, "skins"))
        {
            const cJSON *matrix = of_skin == NULL ? NULL : of_skin->child;
            const size_t columns = json_name_columns(json_get(skin, "joints"));
            text_printf(out, "%sskin %.0f  ", colour(COLOUR_DIM), member_number(skin, "index"));
            text_put_printable(out, json_name(skin));
            text_printf(out, "%s\n", colour(COLOUR_NONE));
            cJSON_ArrayForEach(joint, json_get(skin, "joints"))
            {
                text_printf(out, "%5.0f  ", member_number(joint, "node"));
                text_put_column(out, json_name(joint), columns);
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

/* Puts the translation of each node's scene_from_node, or its local transform with what=local. */
static void put_pose(struct text *out, const cJSON *answer)
{
    const size_t columns = json_name_columns(json_get(answer, "nodes"));
    const cJSON *frame, *node;
    cJSON_ArrayForEach(frame, json_get(answer, "frames"))
    {
        const cJSON *scene = json_get(frame, "scene"), *local = json_get(frame, "local");
        const cJSON *matrix = scene == NULL ? NULL : scene->child, *parts = local == NULL ? NULL : local->child;
        put_time(out, frame);
        text_printf(out, "%s node  ", colour(COLOUR_DIM));
        text_put_column(out, "name", columns);
        text_put(out, scene == NULL ? "" : "           x           y           z in the scene");
        text_put(out, local == NULL ? "" : "           local translation, rotation x y z w, scale");
        text_printf(out, "%s\n", colour(COLOUR_NONE));
        cJSON_ArrayForEach(node, json_get(answer, "nodes"))
        {
            text_printf(out, "%5.0f  ", member_number(node, "node"));
            text_put_column(out, json_name(node), columns);
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
    const size_t columns = json_name_columns(json_get(answer, "meshes"));
    const cJSON *frame, *mesh, *number;
    cJSON_ArrayForEach(frame, json_get(answer, "frames"))
    {
        const cJSON *positions = json_child(frame, "positions");
        put_time(out, frame);
        text_printf(out, "%s mesh  ", colour(COLOUR_DIM));
        text_put_column(out, "name", columns);
        text_printf(out, "  vertices           box from x y z                  to x y z%s\n", colour(COLOUR_NONE));
        cJSON_ArrayForEach(mesh, json_get(answer, "meshes"))
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
            text_printf(out, "%5.0f  ", member_number(mesh, "mesh"));
            text_put_column(out, json_name(mesh), columns);
            text_printf(out, "%10.0f  %10.4f%10.4f%10.4f  %10.4f%10.4f%10.4f\n", member_number(mesh, "vertices"),
                        low[0], low[1], low[2], high[0], high[1], high[2]);
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
        text_printf(out, "%12.6f", cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(box, "min"), i)));
    text_put(out, "  ");
    for (int i = 0; i < 3; i++)
        text_printf(out, "%12.6f", cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(box, "max"), i)));
    text_put(out, "\n");
}

/* Puts the boxes of one frame or of a whole clip: around everything, around each mesh, and around each joint with
 * per=joint. */
static void put_boxes(struct text *out, const cJSON *answer, const cJSON *frame)
{
    const cJSON *meshes = json_get(answer, "meshes"), *joints = json_get(answer, "joints"), *entry;
    const size_t of_meshes = json_name_columns(meshes), of_joints = json_name_columns(joints);
    const size_t names = of_meshes > of_joints ? of_meshes : of_joints;
    const size_t columns = names > strlen(EVERYTHING) ? names : strlen(EVERYTHING);
    const cJSON *box = json_child(frame, "meshes");
    text_printf(out, "%s%*s%s\n", colour(COLOUR_DIM), (int)columns + 9, "",
                "        from x           y           z            to x           y           z");
    text_put(out, colour(COLOUR_NONE));
    text_printf(out, "%*s", (int)strlen("  joint  "), "");
    text_put_column(out, EVERYTHING, columns);
    put_box(out, json_get(frame, "bounds"));
    cJSON_ArrayForEach(entry, meshes)
    {
        text_put(out, "  mesh   ");
        text_put_column(out, json_name(entry), columns);
        put_box(out, box);
        box = box == NULL ? NULL : box->next;
    }
    box = json_child(frame, "joints");
    cJSON_ArrayForEach(entry, joints)
    {
        text_put(out, "  joint  ");
        text_put_column(out, json_name(entry), columns);
        put_box(out, json_get(box, "scene"));
        box = box == NULL ? NULL : box->next;
    }
}

static void put_bounds(struct text *out, const cJSON *answer)
{
    const cJSON *frame, *sampled = json_get(answer, "sampled");
    cJSON_ArrayForEach(frame, json_get(answer, "frames"))
    {
        put_time(out, frame);
        put_boxes(out, answer, frame);
    }
    if (sampled == NULL)
        return;
    text_printf(out, "%sfrom %g to %g s, %.0f poses%s\n", colour(COLOUR_BOLD), member_number(sampled, "from"),
                member_number(sampled, "to"), member_number(sampled, "poses"), colour(COLOUR_NONE));
    put_boxes(out, answer, json_get(answer, "whole"));
}

/* Puts lines such as "head  137.65  189.50  253.657337  hidden". */
static void put_keypoints(struct text *out, const cJSON *answer)
{
    const cJSON *frame, *point, *points = json_get(answer, "points");
    const size_t columns = json_name_columns(points);
    cJSON_ArrayForEach(frame, json_get(answer, "frames"))
    {
        const cJSON *pixel = json_child(frame, "pixels"), *depth = json_child(frame, "depths"),
                    *state = json_child(frame, "states");
        put_time(out, frame);
        text_printf(out, "%s%*s         x         y         depth%s\n", colour(COLOUR_DIM), (int)columns + 2, "",
                    colour(COLOUR_NONE));
        cJSON_ArrayForEach(point, points)
        {
            text_put(out, "  ");
            text_put_column(out, json_name(point), columns);
            if (cJSON_IsArray(pixel))
                text_printf(out, "%10.2f%10.2f", cJSON_GetNumberValue(cJSON_GetArrayItem(pixel, 0)),
                            cJSON_GetNumberValue(cJSON_GetArrayItem(pixel, 1)));
            else
                text_printf(out, "%10s%10s", "-", "-");
            if (cJSON_IsNumber(depth))
                text_printf(out, "%14.6f", cJSON_GetNumberValue(depth));
            else
                text_printf(out, "%14s", "-");
            text_printf(out, "  %s\n", cJSON_IsString(state) ? state->valuestring : "missing");
            pixel = pixel == NULL ? NULL : pixel->next;
            depth = depth == NULL ? NULL : depth->next;
            state = state == NULL ? NULL : state->next;
        }
    }
}

/* Puts lines such as "hip rotation CUBICSPLINE 25 keys, 0 to 0.96 s". */
static void put_channels(struct text *out, const cJSON *clip)
{
    const cJSON *channel, *channels = json_get(clip, "channels");
    const size_t columns = json_name_columns(channels);
    cJSON_ArrayForEach(channel, channels)
    {
        const cJSON *times = json_get(channel, "times");
        const int count = cJSON_GetArraySize(times);
        text_put(out, "  ");
        text_put_column(out, json_name(channel), columns);
        text_put(out, "  ");
        text_put_column(out, member_text(channel, "path"), 11);
        text_put(out, "  ");
        text_put_column(out, member_text(channel, "interpolation"), 11);
        text_printf(out, "  %d key%s, %g to %g s\n", count, count == 1 ? "" : "s",
                    cJSON_GetNumberValue(cJSON_GetArrayItem(times, 0)),
                    cJSON_GetNumberValue(cJSON_GetArrayItem(times, count - 1)));
    }
}

static void put_keys(struct text *out, const cJSON *answer)
{
    const cJSON *clip;
    cJSON_ArrayForEach(clip, json_get(answer, "clips"))
    {
        text_put(out, colour(COLOUR_BOLD));
        text_put_printable(out, json_name(clip));
        text_printf(out, "%s  %g s, %d channels\n", colour(COLOUR_NONE), member_number(clip, "duration"),
                    cJSON_GetArraySize(json_get(clip, "channels")));
        put_channels(out, clip);
    }
}

void put_numbers_of(struct text *out, enum command_id command, const cJSON *answer)
{
    if (command == COMMAND_PALETTE)
        put_palette(out, answer);
    else if (command == COMMAND_POSE)
        put_pose(out, answer);
    else if (command == COMMAND_MESH)
        put_mesh(out, answer);
    else if (command == COMMAND_KEYPOINTS)
        put_keypoints(out, answer);
    else if (command == COMMAND_KEYS)
        put_keys(out, answer);
    else
        put_bounds(out, answer);
}
