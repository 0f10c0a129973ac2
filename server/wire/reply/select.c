#include "wire/reply/select.h"

#include "base/ascii.h"
#include "wire/encode/json.h"

#include <string.h>

enum { CANDIDATES_MAX = 20 };

/* The position of the count and of the names of a type in the model. */
#define LIST(count, array, type)                                                                                       \
    offsetof(struct model, count), offsetof(struct model, array), sizeof(type), offsetof(type, name)

static const struct {
    const char *singular, *plural;
    int code;
    size_t count_at, array_at, item_bytes, name_at;
} THINGS[] = {
    [THING_CLIP] = {"clip", "clips", ERR_CLIP_NOT_FOUND, LIST(clip_count, clips, struct clip)},
    [THING_SKIN] = {"skin", "skins", ERR_SKIN_NOT_FOUND, LIST(skin_count, skins, struct skin)},
    [THING_NODE] = {"node", "nodes", ERR_JOINT_NOT_FOUND, LIST(node_count, nodes, struct node)},
    [THING_MESH] = {"mesh", "meshes", ERR_MESH_NOT_FOUND, LIST(mesh_count, meshes, struct mesh)},
    [THING_MESH_NODE] = {"mesh node", "mesh nodes", ERR_MESH_NOT_FOUND, LIST(node_count, nodes, struct node)},
    [THING_CAMERA] = {"camera", "cameras", ERR_CAMERA_NOT_FOUND, LIST(camera_count, cameras, struct model_camera)},
    [THING_VARIANT] = {"variant", "variants", ERR_VARIANT_NOT_FOUND, LIST(variant_count, variants, struct variant)},
};

static uint32_t count_of(const struct model *model, enum thing thing)
{
    return *(const uint32_t *)(const void *)((const char *)model + THINGS[thing].count_at);
}

static struct str name_of(const struct model *model, enum thing thing, uint32_t index)
{
    const char *array;
    struct str name;
    memcpy(&array, (const char *)model + THINGS[thing].array_at, sizeof array);
    memcpy(&name, array + index * THINGS[thing].item_bytes + THINGS[thing].name_at, sizeof name);
    return name;
}

static bool is_thing(const struct model *model, enum thing thing, uint32_t index)
{
    return thing != THING_MESH_NODE || model->nodes[index].mesh >= 0;
}

static bool is_named(const struct model *model, struct str name, const struct selector *selector)
{
    return name.offset != STR_NONE && name.size_bytes == selector->name_bytes &&
           (name.size_bytes == 0 || memcmp(model->text + name.offset, selector->name, name.size_bytes) == 0);
}

/* Counts the bytes that two names share at both ends, ignoring case: fast enough for any number of names. */
static uint32_t likeness(const char *a, uint32_t a_bytes, const char *b, uint32_t b_bytes)
{
    const uint32_t most = a_bytes < b_bytes ? a_bytes : b_bytes;
    uint32_t head = 0, tail = 0;
    while (head < most && ascii_lower(a[head]) == ascii_lower(b[head]))
        head++;
    while (tail < most - head && ascii_lower(a[a_bytes - 1 - tail]) == ascii_lower(b[b_bytes - 1 - tail]))
        tail++;
    return head + tail;
}

struct ranking {
    struct reply_candidate best[CANDIDATES_MAX];
    uint32_t scores[CANDIDATES_MAX];
    uint32_t count;
};

/* Keeps the list sorted by descending score, then by index. */
static void rank(struct ranking *ranking, const struct reply_candidate *candidate, uint32_t score)
{
    uint32_t at = ranking->count;
    while (at > 0 && ranking->scores[at - 1] < score)
        at--;
    if (at == CANDIDATES_MAX)
        return;
    if (ranking->count < CANDIDATES_MAX)
        ranking->count++;
    for (uint32_t i = ranking->count - 1; i > at; i--) {
        ranking->best[i] = ranking->best[i - 1];
        ranking->scores[i] = ranking->scores[i - 1];
    }
    ranking->best[at] = *candidate;
    ranking->scores[at] = score;
}

/* Finds the things with the name, or with `is_near` the things with similar names. */
static void find_candidates(const struct model *model, enum thing thing, const struct selector *selector, bool is_near,
                            struct ranking *ranking)
{
    ranking->count = 0;
    for (uint32_t i = 0; i < count_of(model, thing); i++) {
        const struct str name = name_of(model, thing, i);
        if (!is_thing(model, thing, i) || !(is_near || is_named(model, name, selector)))
            continue;
        const char *text = json_text_of(model, name);
        const struct reply_candidate candidate = {i, text, text == NULL ? 0 : name.size_bytes};
        const bool is_compared = text != NULL && selector->kind == SELECT_NAME && selector->name_bytes <= UINT32_MAX;
        const uint32_t score =
            is_compared ? likeness(text, name.size_bytes, selector->name, (uint32_t)selector->name_bytes) : 0;
        rank(ranking, &candidate, score);
    }
}

static int refuse_unknown(const struct model *model, const char *path, enum thing thing,
                          const struct selector *selector, struct reply *reply)
{
    struct err err;
    const uint32_t count = count_of(model, thing);
    const char *singular = THINGS[thing].singular;
    const bool is_camera = thing == THING_CAMERA;
    if (selector->kind == SELECT_NAME)
        err_set(&err, THINGS[thing].code, "'%s' has no %s '%.*s'%s%s", path, singular,
                (int)(selector->name_bytes < 200 ? selector->name_bytes : 200), selector->name,
                is_camera ? "; every model has " : "", is_camera ? REQUEST_SIDES : "");
    else if (selector->index < count)
        err_set(&err, THINGS[thing].code, "'%s': node %u has no mesh", path, selector->index);
    else if (count == 0)
        err_set(&err, THINGS[thing].code, "'%s' has no %s", path, THINGS[thing].plural);
    else
        err_set(&err, THINGS[thing].code, "'%s' has no %s %u: they go from 0 to %u", path, singular, selector->index,
                count - 1);
    struct ranking ranking;
    find_candidates(model, thing, selector, true, &ranking);
    return reply_error(reply, &err, ranking.best, ranking.count);
}

static int refuse_ambiguous(const struct model *model, const char *path, enum thing thing,
                            const struct selector *selector, uint32_t hits, struct reply *reply)
{
    struct err err;
    err_set(&err, ERR_AMBIGUOUS_NAME, "'%s' has %u %s called '%.*s'; use the index", path, hits, THINGS[thing].plural,
            (int)(selector->name_bytes < 200 ? selector->name_bytes : 200), selector->name);
    struct ranking ranking;
    find_candidates(model, thing, selector, false, &ranking);
    return reply_error(reply, &err, ranking.best, ranking.count);
}

static bool is_role(const struct model *model, const struct selector *selector, uint32_t *index)
{
    const int role = humanoid_role(selector->name, selector->name_bytes);
    struct humanoid humanoid;
    if (role == ROLE_NONE || !humanoid_of_model(model, &humanoid) || humanoid.nodes[role] < 0)
        return false;
    *index = (uint32_t)humanoid.nodes[role];
    return true;
}

int select_thing(const struct model *model, const char *path, enum thing thing, const struct selector *selector,
                 uint32_t *index, struct reply *reply)
{
    const uint32_t count = count_of(model, thing);
    if (selector->kind == SELECT_INDEX) {
        *index = selector->index;
        return selector->index < count && is_thing(model, thing, selector->index)
                   ? 0
                   : refuse_unknown(model, path, thing, selector, reply);
    }
    uint32_t hits = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_thing(model, thing, i) || !is_named(model, name_of(model, thing, i), selector))
            continue;
        *index = i;
        hits++;
    }
    if (hits == 0 && thing == THING_NODE && is_role(model, selector, index))
        return 0;
    if (hits == 0)
        return refuse_unknown(model, path, thing, selector, reply);
    return hits == 1 ? 0 : refuse_ambiguous(model, path, thing, selector, hits, reply);
}
