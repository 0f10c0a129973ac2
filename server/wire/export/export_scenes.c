/* export_scenes.c - writes the scenes (glTF 2.0, 3.5.1): the one that the model shows, and those of a glTF file that it
 * carries, by their numbers. */
#include "wire/export/export_internal.h"
#include "wire/reply/reply_json.h"

#include <stdlib.h>

static uint32_t number_of(const struct model *model, enum carry_owner owner, uint32_t index, const char *member)
{
    uint32_t count;
    const struct carried *at = model_carried(model, owner, index, &count);
    for (uint32_t i = 0; i < count; i++)
        if (at[i].member.size_bytes == strlen(member) &&
            memcmp(model->text + at[i].member.offset, member, strlen(member)) == 0) {
            const char *text = model->text + at[i].json.offset;
            uint32_t number = 0;
            for (uint32_t k = 0; k < at[i].json.size_bytes && text[k] >= '0' && text[k] <= '9'; k++)
                number = number * 10 + (uint32_t)(text[k] - '0');
            return number < CARRIED_SCENES_MAX ? number : 0;
        }
    return 0;
}

/* Other scenes are left out if some of the nodes are, and if a node is above all others: it cannot be in two scenes. */
static bool has_others(const struct export *e)
{
    return e->context->request->pose.joint_count == 0 &&
           (e->root_count == 0 || e->nodes[e->roots[0]].kind != EXPORT_TOP);
}

void export_plan_scenes(struct export *e)
{
    const struct model *model = e->model;
    e->scene = number_of(model, CARRY_DOCUMENT, 0, "scene");
    e->scene_count = e->scene + 1;
    for (uint32_t i = 0; i < model->carried_count; i++)
        if (model->carried_members[i].owner == CARRY_SCENE && model->carried_members[i].index >= e->scene_count)
            e->scene_count = model->carried_members[i].index + 1;
    if (e->scene_count == 1 || has_others(e))
        return;
    export_drop(e, "scene", "the scenes that are not shown, because of the nodes of this file");
    e->scene_count = 0;
}

/* Writes the nodes of another scene, each once, from the JSON of their numbers in the model. */
static void put_roots(struct export *e, uint32_t scene, uint32_t *marks)
{
    uint32_t count;
    bool is_first = true;
    const struct model *model = e->model;
    const struct carried *at = model_carried(model, CARRY_SCENE, scene, &count);
    while (count > 0 && (at->member.size_bytes != 5 || memcmp(model->text + at->member.offset, "nodes", 5) != 0)) {
        at++;
        count--;
    }
    const char *text = count == 0 ? "" : model->text + at->json.offset,
               *end = text + (count == 0 ? 0 : at->json.size_bytes);
    while (text < end && !buf_failed(e->out)) {
        uint64_t node = 0;
        bool is_number = false;
        for (; text < end && *text >= '0' && *text <= '9' && node < UINT32_MAX; text++, is_number = true)
            node = node * 10 + (uint64_t)(*text - '0');
        text += text < end;
        uint32_t place = is_number && node < model->node_count ? e->node_places[node] : GLB_NONE;
        /* a place that was passed has its root in the list */
        while (place != GLB_NONE && marks[place] != scene + 1 && e->nodes[place].parent != GLB_NONE) {
            marks[place] = scene + 1;
            place = e->nodes[place].parent;
        }
        if (place == GLB_NONE || marks[place] == scene + 1)
            continue;
        marks[place] = scene + 1;
        buf_put_text(e->out, is_first ? "\"nodes\":[" : ",");
        json_put_uint(e->out, place);
        is_first = false;
    }
    if (!is_first)
        buf_put_text(e->out, "],");
}

static void put_shown_roots(struct export *e)
{
    for (uint32_t r = 0; r < e->root_count && !buf_failed(e->out); r++) {
        buf_put_text(e->out, r == 0 ? "\"nodes\":[" : ",");
        json_put_uint(e->out, e->roots[r]);
    }
    if (e->root_count > 0)
        buf_put_text(e->out, "],");
}

static void put_scene(struct export *e, uint32_t scene, uint32_t *marks)
{
    struct buf *out = e->out;
    buf_put_char(out, '{');
    if (scene == e->scene)
        put_shown_roots(e);
    else
        put_roots(e, scene, marks);
    if (put_carried(out, e->model, CARRY_SCENE, scene, "name", "\"name\":"))
        buf_put_char(out, ',');
    if (put_carried(out, e->model, CARRY_SCENE, scene, "extras", "\"extras\":"))
        buf_put_char(out, ',');
    if (export_put_carried(e, CARRY_SCENE, scene, "\"extensions\":{"))
        buf_put_text(out, "},");
    if (!buf_failed(out) && out->data[out->size_bytes - 1] == ',')
        out->size_bytes--;
    buf_put_char(out, '}');
}

bool export_put_scenes(struct export *e)
{
    uint32_t *marks = export_array(e, (size_t)e->node_count + 1, sizeof *marks);
    if (marks == NULL)
        return false;
    const bool is_alone = e->scene_count == 0;
    json_printf(e->out, ",\"scene\":%u,\"scenes\":[", is_alone ? 0 : e->scene);
    for (uint32_t s = is_alone ? e->scene : 0; s < (is_alone ? e->scene + 1 : e->scene_count) && !buf_failed(e->out);
         s++) {
        json_comma(e->out, s > 0 && !is_alone);
        put_scene(e, s, marks);
    }
    buf_put_char(e->out, ']');
    return true;
}
