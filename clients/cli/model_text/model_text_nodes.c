/* Puts nodes, and the cameras and lights that use them. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads one frame of the rest pose: `width` numbers a node. */
static void ask(const struct model_text *text, const char *query, int kind, size_t width, double *out)
{
    struct posed_packet answer;
    struct posed_frames frames;
    for (size_t i = 0; i < width * text->node_count; i++)
        out[i] = (double)NAN;
    if (connection_request_model(text->connection, "pose", text->path, query, NULL, &answer) != 0 ||
        answer.kind != POSED_FRAMES || posed_read_frames(answer.data, answer.data_bytes, &frames) < 0)
        return;
    const int at = posed_frames_find(&frames, 0, kind, 0);
    const float *values = at < 0 ? NULL : posed_frames_floats(&frames, (uint32_t)at, 0);
    struct posed_block block = {0};
    if (at >= 0)
        block = posed_frames_block(&frames, (uint32_t)at);
    for (size_t i = 0; values != NULL && block.item_bytes == width * sizeof *values && i < block.count; i++)
        for (size_t k = 0; k < width && i < text->node_count; k++)
            out[width * i + k] = (double)values[width * i + k];
}

void model_text_ask_rest(struct model_text *text)
{
    text->rest = must_alloc((text->node_count + 1) * 10 * sizeof *text->rest);
    text->scene = must_alloc((text->node_count + 1) * 16 * sizeof *text->scene);
    ask(text, "&clip=-&what=local&format=bin", POSED_BLOCK_LOCAL, 10, text->rest);
    ask(text, "&clip=-&what=scene&format=bin", POSED_BLOCK_SCENE, 16, text->scene);
}

/* Marks the joints of skins. Their own axes are not told: the lines of skins tell what they do. */
static bool *find_joints(const struct model_text *text)
{
    bool *is_joint = must_alloc(text->node_count + 1);
    const cJSON *skin, *joint;
    cJSON_ArrayForEach(skin, json_get(text->model, "skins"))
    {
        cJSON_ArrayForEach(joint, json_get(skin, "joints"))
        {
            const int node = member_index(joint, "node");
            if (node >= 0 && (size_t)node < text->node_count && !cJSON_IsTrue(json_get(skin, "rigid")))
                is_joint[node] = true;
        }
    }
    return is_joint;
}

/* Puts the place in the scene relative to the parent's, and for a node that is no joint its axes in the scene. */
static void put_transform(const struct model_text *text, size_t index, bool has_axes)
{
    const int64_t parent = text->parents[index];
    double own[TRANSFORM_NUMBERS];
    axes_split(text->scene + 16 * index, own);
    for (int i = 0; i < 3 && parent >= 0; i++)
        own[i] -= text->scene[16 * (size_t)parent + 12 + (size_t)i];
    rounded_put_part(text->out, own, PART_TRANSLATION, text->place_decimals);
    for (int part = PART_ROTATION; part < PART_COUNT && has_axes; part++)
        if (!rounded_is_nothing(own, part, text->place_decimals))
            rounded_put_part(text->out, own, part, text->place_decimals);
}

static void put_node(const struct model_text *text, size_t index, const cJSON *node, bool is_joint)
{
    const int64_t parent = text->parents[index];
    const cJSON *mesh = json_get(node, "mesh");
    const bool is_skinned = cJSON_IsNumber(json_get(node, "skin"));
    struct text *out = text->out;
    text_printf(out, "node %s", text->labels[index]);
    if (parent >= 0)
        text_printf(out, " in %s", text->labels[parent]);
    text_put(out, ":");
    put_transform(text, index, !is_joint && !is_skinned);
    if (cJSON_IsNumber(mesh)) {
        text_put(out, ", mesh ");
        model_text_put_name(out, cJSON_GetArrayItem(json_get(text->model, "meshes"), mesh->valueint));
    }
    text_put(out, is_skinned ? ", with a skin" : "");
    if (cJSON_IsFalse(json_get(node, "in_scene")))
        text_put(out, ", not in the scene");
    if (cJSON_IsTrue(json_get(node, "hidden")))
        text_put(out, ", hidden");
    text_put(out, "\n");
}

/* Puts cameras or lights: the properties of each, and its node. */
static void put_placed(struct model_text *text, const char *list, const char *word)
{
    struct sorted_texts lines = {0};
    const cJSON *placed;
    cJSON_ArrayForEach(placed, json_get(text->model, list))
    {
        const double at = member_number(placed, "node");
        struct text line = {0};
        text_printf(&line, "%s ", word);
        model_text_put_name(&line, placed);
        text_put(&line, ": ");
        text_put_printable(&line, member_text(placed, "kind"));
        text_printf(&line, ", at %s\n", at >= 0 && at < (double)text->node_count ? text->labels[(size_t)at] : "-");
        sorted_texts_take(&lines, &line);
    }
    sorted_texts_put(&lines, text->out);
}

void model_text_put_nodes(struct model_text *text)
{
    bool *is_joint = find_joints(text);
    for (size_t i = 0; i < text->ordered_count; i++)
        put_node(text, text->order[i], text->nodes[text->order[i]], is_joint[text->order[i]]);
    free(is_joint);
    put_placed(text, "cameras", "camera");
    put_placed(text, "lights", "light");
}
