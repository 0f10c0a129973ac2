/* Puts nodes, and the skins, cameras and lights that use them. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>
#include <string.h>

void model_text_ask_rest(struct model_text *text)
{
    struct posed_packet answer;
    struct posed_frames frames;
    text->rest = must_alloc((text->node_count + 1) * 10 * sizeof *text->rest);
    for (size_t i = 0; i < 10 * text->node_count; i++)
        text->rest[i] = (double)NAN;
    if (connection_request_model(text->connection, "pose", text->path, "&clip=-&what=local&format=bin", NULL,
                                 &answer) != 0 ||
        answer.kind != POSED_FRAMES || posed_read_frames(answer.data, answer.data_bytes, &frames) < 0)
        return;
    const int block = posed_frames_find(&frames, 0, POSED_BLOCK_LOCAL, 0);
    const float *values = block < 0 ? NULL : posed_frames_floats(&frames, (uint32_t)block, 0);
    const size_t count = block < 0 ? 0 : posed_frames_block(&frames, (uint32_t)block).count;
    for (size_t i = 0; values != NULL && i < count && i < text->node_count; i++)
        for (size_t k = 0; k < 10; k++)
            text->rest[10 * i + k] = (double)values[10 * i + k];
}

static bool is_at_rest(const double *transform, int part)
{
    static const double NOTHING[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    struct text own = {0}, none = {0};
    rounded_put_part(&own, transform, part, 12);
    rounded_put_part(&none, NOTHING, part, 12);
    const bool is_same = strcmp(own.at, none.at) == 0;
    text_free(&own);
    text_free(&none);
    return is_same;
}

static void put_node(struct model_text *text, size_t index, const cJSON *node)
{
    const int64_t parent = text->parents[index];
    const double *rest = text->rest + 10 * index;
    struct text *out = text->out;
    text_printf(out, "node %s", text->labels[index]);
    if (parent >= 0)
        text_printf(out, " in %s", text->labels[parent]);
    text_put(out, ":");
    rounded_put_part(out, rest, PART_TRANSLATION, text->place_decimals);
    for (int part = PART_ROTATION; part < PART_COUNT; part++)
        if (!is_at_rest(rest, part))
            rounded_put_part(out, rest, part, text->place_decimals);
    if (cJSON_IsNumber(json_get(node, "mesh")))
        text_printf(out, ", mesh %.0f", member_number(node, "mesh"));
    if (cJSON_IsNumber(json_get(node, "skin")))
        text_printf(out, ", skin %.0f", member_number(node, "skin"));
    if (cJSON_IsFalse(json_get(node, "in_scene")))
        text_put(out, ", not in the scene");
    if (cJSON_IsTrue(json_get(node, "hidden")))
        text_put(out, ", hidden");
    text_put(out, "\n");
}

static void put_skins(struct model_text *text)
{
    const cJSON *skin, *joint;
    cJSON_ArrayForEach(skin, json_get(text->model, "skins"))
    {
        size_t place = 0;
        if (cJSON_IsTrue(json_get(skin, "rigid")))
            continue;
        text_printf(text->out, "skin %.0f ", member_number(skin, "index"));
        model_text_put_name(text->out, skin);
        text_printf(text->out, ": %d joints, ", cJSON_GetArraySize(json_get(skin, "joints")));
        text_put_printable(text->out, member_text(skin, "method")[0] == '\0' ? "linear" : member_text(skin, "method"));
        text_put(text->out, "\n");
        cJSON_ArrayForEach(joint, json_get(skin, "joints"))
        {
            const double node = member_number(joint, "node");
            if (node >= 0 && node < (double)text->node_count)
                text_printf(text->out, "skin %.0f joint %zu: %s\n", member_number(skin, "index"), place,
                            text->labels[(size_t)node]);
            place++;
        }
    }
}

/* Puts cameras or lights: the properties of each, and its node. */
static void put_placed(struct model_text *text, const char *list, const char *word)
{
    const cJSON *placed;
    cJSON_ArrayForEach(placed, json_get(text->model, list))
    {
        const double at = member_number(placed, "node");
        text_printf(text->out, "%s ", word);
        model_text_put_name(text->out, placed);
        text_put(text->out, ": ");
        text_put_printable(text->out, member_text(placed, "kind"));
        text_printf(text->out, ", at %s\n", at >= 0 && at < (double)text->node_count ? text->labels[(size_t)at] : "-");
    }
}

void model_text_put_nodes(struct model_text *text)
{
    for (size_t i = 0; i < text->ordered_count; i++)
        put_node(text, text->order[i], text->nodes[text->order[i]]);
    put_skins(text);
    put_placed(text, "cameras", "camera");
    put_placed(text, "lights", "light");
}
