/* Puts skins: their joints, and what the rest pose does to vertices that follow each. That does not depend on the order
 * of the joints, nor on their axes. */
#include "clients/cli/model_text/model_text.h"

#include <string.h>

int64_t model_text_skinned_node(const struct model_text *text, int skin)
{
    for (size_t i = 0; i < text->ordered_count && skin >= 0; i++)
        if (member_index(text->nodes[text->order[i]], "skin") == skin)
            return (int64_t)text->order[i];
    return -1;
}

/* Puts the parts of scene_from_bind, the joint's matrix of the palette at rest, unless they do nothing. */
static void put_palette(const struct model_text *text, size_t node, const float joint_from_bind[16], struct text *out)
{
    const double *scene = text->scene + 16 * node;
    double scene_from_bind[16], split[TRANSFORM_NUMBERS];
    for (size_t c = 0; c < 4; c++)
        for (size_t r = 0; r < 4; r++) {
            scene_from_bind[4 * c + r] = 0;
            for (size_t k = 0; k < 4; k++)
                scene_from_bind[4 * c + r] += scene[4 * k + r] * (double)joint_from_bind[4 * c + k];
        }
    axes_split(scene_from_bind, split);
    for (int part = 0; part < PART_COUNT; part++)
        if (!rounded_is_nothing(split, part, text->place_decimals))
            rounded_put_part(out, split, part, text->place_decimals);
}

static void put_skin(const struct model_text *text, const cJSON *skin, const struct posed_frames *frames,
                     struct text *out)
{
    const int index = member_index(skin, "index");
    const int64_t skinned = model_text_skinned_node(text, index);
    const char *label = skinned < 0 ? "-" : text->labels[skinned];
    const int block =
        frames == NULL || index < 0 ? -1 : posed_frames_find(frames, 0, POSED_BLOCK_JOINT_FROM_BIND, (uint32_t)index);
    const float *matrices = block < 0 ? NULL : posed_frames_floats(frames, (uint32_t)block, 0);
    struct posed_block binds = {0};
    if (block >= 0)
        binds = posed_frames_block(frames, (uint32_t)block);
    struct sorted_texts joints = {0};
    const cJSON *joint;
    uint32_t place = 0;
    text_printf(out, "skin of %s: %d joints, ", label, cJSON_GetArraySize(json_get(skin, "joints")));
    text_put_printable(out, member_text(skin, "method")[0] == '\0' ? "linear" : member_text(skin, "method"));
    text_put(out, "\n");
    cJSON_ArrayForEach(joint, json_get(skin, "joints"))
    {
        struct text line = {0};
        const int node = member_index(joint, "node");
        const uint32_t at = place++;
        if (node < 0 || (size_t)node >= text->node_count)
            continue;
        text_printf(&line, "skin of %s: joint %s", label, text->labels[node]);
        if (matrices != NULL && at < binds.count && binds.item_bytes == 16 * sizeof *matrices)
            put_palette(text, (size_t)node, matrices + 16 * at, &line);
        text_put(&line, "\n");
        sorted_texts_take(&joints, &line);
    }
    sorted_texts_put(&joints, out);
}

void model_text_put_skins(const struct model_text *text, const struct posed_frames *frames)
{
    struct sorted_texts skins = {0};
    const cJSON *skin;
    cJSON_ArrayForEach(skin, json_get(text->model, "skins"))
    {
        struct text own = {0};
        if (cJSON_IsTrue(json_get(skin, "rigid")))
            continue;
        put_skin(text, skin, frames, &own);
        sorted_texts_take(&skins, &own);
    }
    sorted_texts_put(&skins, text->out);
}
