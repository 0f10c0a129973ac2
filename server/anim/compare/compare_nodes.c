/* compare_nodes.c - compares the skeletons: finds joints and their partners in the other file, and reports those that
 * are new, gone, renamed or reparented. */
#include "anim/compare/compare_internal.h"
#include "base/mem.h"

#include <stdlib.h>

/* --- joints --- */

static bool is_in_scene(const struct model *model, uint32_t node)
{
    return model->root_count == 0 || (model->nodes[node].flags & NODE_IN_SCENE) != 0;
}

/* Marks the joints of drawn skins, whose inverse bind matrices are then known. Generated skins of unskinned meshes come
 * last. */
static void mark_drawn(struct compare_model *side, bool is_rigid)
{
    const struct model *model = side->model;
    uint8_t *is_seen = mem_zalloc((size_t)model->skin_count + 1, sizeof *is_seen);
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct draw *draw = &model->draws[d];
        const struct skin *skin = &model->skins[draw->skin];
        if (is_seen[draw->skin] != 0 || (draw->flags & DRAW_IN_SCENE) == 0 ||
            ((skin->flags & SKIN_RIGID) != 0) != is_rigid)
            continue;
        is_seen[draw->skin] = 1;
        for (uint32_t j = skin->joint_first; j < skin->joint_first + skin->joint_count; j++) {
            const uint32_t node = model->joints[j].node;
            if (side->bind_joints[node] < 0)
                side->bind_joints[node] = (int32_t)j;
            side->is_joint[node] = side->is_joint[node] || !is_rigid;
        }
    }
    free(is_seen);
}

void joints_mark(struct compare_model *side)
{
    const struct model *model = side->model;
    uint8_t *has_children = mem_zalloc((size_t)model->node_count + 1, sizeof *has_children);
    for (uint32_t n = 0; n < model->node_count; n++) {
        side->partners[n] = side->bind_joints[n] = side->pairs[n] = -1;
        if (model->nodes[n].parent >= 0)
            has_children[model->nodes[n].parent] = 1;
        side->is_joint[n] = (model->nodes[n].flags & NODE_JOINT) != 0 && is_in_scene(model, n);
    }
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const struct clip *clip = &model->clips[c];
        for (uint32_t i = clip->channel_first; i < clip->channel_first + clip->channel_count; i++) {
            const struct channel *channel = &model->channels[i];
            const struct node *node = &model->nodes[channel->node];
            /* the node of a skinned mesh has no effect (glTF 2.0, 3.7.3.3) */
            const bool is_idle = node->mesh >= 0 && node->skin >= 0 && !has_children[channel->node];
            if (path_is_transform(channel->path) && !is_idle && is_in_scene(model, channel->node))
                side->is_joint[channel->node] = 1;
        }
    }
    mark_drawn(side, false);
    mark_drawn(side, true);
    free(has_children);
}

/* --- names --- */

/* Returns a hash of a node's name. Tools name a node without one by its mesh. */
static uint64_t key_of(const struct model *model, const struct node *node, enum name_level level, bool has_meshes)
{
    const uint64_t key = name_key(model, node->name, level);
    return key == 0 && has_meshes && node->mesh >= 0 ? name_key(model, model->meshes[node->mesh].name, level) : key;
}

/* Lists nodes without a partner, either joints only or all, in the order of the hierarchy. */
static size_t list_names(const struct compare *compare, enum name_level level, bool is_joints_only, bool has_meshes,
                         struct name_entry *entries)
{
    size_t count = 0;
    for (uint32_t s = 0; s < COMPARE_SIDES; s++) {
        const struct compare_model *side = &compare->sides[s];
        for (uint32_t n = 0; n < side->model->node_count; n++) {
            if (side->partners[n] >= 0 || (is_joints_only && !side->is_joint[n]))
                continue;
            const uint64_t key = key_of(side->model, &side->model->nodes[n], level, has_meshes);
            if (key != 0)
                entries[count++] = (struct name_entry){.key = key, .index = n, .side = s};
        }
    }
    return count;
}

void joints_match_names(struct compare *compare)
{
    struct compare_model *sides = compare->sides;
    int32_t *const partners[COMPARE_SIDES] = {sides[COMPARE_OLD].partners, sides[COMPARE_NEW].partners};
    const size_t most = (size_t)sides[COMPARE_OLD].model->node_count + sides[COMPARE_NEW].model->node_count;
    struct name_entry *entries = mem_alloc((most + 1) * sizeof *entries);
    static const struct {
        enum name_level level;
        bool is_joints_only, has_meshes;
    } PASSES[] = {{NAME_EXACT, true, false},
                  {NAME_EXACT, false, false},
                  {NAME_REWRITTEN, true, false},
                  {NAME_REWRITTEN, false, false},
                  {NAME_REWRITTEN, true, true}};
    for (size_t i = 0; i < sizeof PASSES / sizeof *PASSES; i++) {
        const size_t count =
            list_names(compare, PASSES[i].level, PASSES[i].is_joints_only, PASSES[i].has_meshes, entries);
        names_match(entries, count, partners);
    }
    free(entries);
}

/* --- reports --- */

static void tell_alone(struct compare *compare, enum compare_side s, uint32_t node)
{
    const struct compare_model *side = &compare->sides[s];
    const struct node *what = &side->model->nodes[node];
    char name[THING_SIZE], above[THING_SIZE] = "the scene";
    struct difference *difference =
        difference_add(compare, s == COMPARE_OLD ? DIFFERENCE_JOINT_REMOVED : DIFFERENCE_JOINT_ADDED);
    if (difference == NULL)
        return;
    difference->nodes[s] = (int32_t)node;
    difference_set_name(compare, difference, s, what->name);
    if (what->parent >= 0)
        compare_thing(side->model, "node", side->model->nodes[what->parent].name, (uint32_t)what->parent, above);
    difference_say(difference, s == COMPARE_OLD ? "%s under %s is gone" : "%s under %s is new",
                   compare_thing(side->model, "joint", what->name, node, name), above);
}

/* Tools put nodes above a skeleton that move it, which its poses show, so these are not reported. Joints of a skin,
 * moved meshes and moved places are. */
static bool is_worth_telling(const struct compare_model *side, uint32_t node, const uint8_t *has_children)
{
    const struct node *what = &side->model->nodes[node];
    return (what->flags & NODE_JOINT) != 0 || what->mesh >= 0 || !has_children[node];
}

static void tell_unmatched(struct compare *compare, enum compare_side s)
{
    const struct compare_model *side = &compare->sides[s];
    uint8_t *has_children = mem_zalloc((size_t)side->model->node_count + 1, sizeof *has_children);
    for (uint32_t n = 0; n < side->model->node_count; n++)
        if (side->model->nodes[n].parent >= 0)
            has_children[side->model->nodes[n].parent] = 1;
    for (uint32_t n = 0; n < side->model->node_count; n++)
        if (side->is_joint[n] && side->partners[n] < 0 && is_worth_telling(side, n, has_children))
            tell_alone(compare, s, n);
    free(has_children);
}

/* Counts the things in the file with this name as exporters rewrite it. They append numbers to duplicates. */
static uint32_t count_names(const struct model *model, uint64_t key)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < model->node_count; n++)
        count += name_key(model, model->nodes[n].name, NAME_REWRITTEN) == key;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        count += name_key(model, model->meshes[m].name, NAME_REWRITTEN) == key;
    for (uint32_t c = 0; c < model->camera_count; c++)
        count += name_key(model, model->cameras[c].name, NAME_REWRITTEN) == key;
    return count;
}

static void tell_name(struct compare *compare, const struct joint_pair *pair)
{
    enum { COUNTED_MOST = 256 }; /* names that are counted in the whole file */
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    const struct str was = old->nodes[pair->nodes[COMPARE_OLD]].name, is = new->nodes[pair->nodes[COMPARE_NEW]].name;
    const uint64_t key = name_key(old, was, NAME_REWRITTEN);
    if (key == 0 || key == name_key(new, is, NAME_REWRITTEN))
        return;
    if (name_key(new, is, NAME_BASE) == key && compare->counted_names++ < COUNTED_MOST && count_names(old, key) > 1)
        return;
    struct difference *difference = difference_add(compare, DIFFERENCE_JOINT_RENAMED);
    char names[COMPARE_SIDES][THING_SIZE];
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++)
        difference->nodes[s] = (int32_t)pair->nodes[s];
    difference_set_name(compare, difference, COMPARE_OLD, was);
    difference_set_name(compare, difference, COMPARE_NEW, is);
    difference_say(difference, "%s is now %s", compare_thing(old, "joint", was, pair->nodes[COMPARE_OLD], names[0]),
                   compare_thing(new, "joint", is, pair->nodes[COMPARE_NEW], names[1]));
}

/* Returns the name of the joint above a pair, or a text in its place. */
static const char *name_above(struct compare *compare, struct difference *difference, enum compare_side side,
                              int32_t above, char out[THING_SIZE])
{
    if (above < 0) {
        difference->values[side].kind = VALUE_NULL;
        return "no joint";
    }
    const struct model *model = compare->sides[side].model;
    const uint32_t node = compare->pairs[above].nodes[side];
    difference_set_name(compare, difference, side, model->nodes[node].name);
    return compare_thing(model, "joint", model->nodes[node].name, node, out);
}

static void tell_parent(struct compare *compare, const struct joint_pair *pair)
{
    const struct compare_model *new = &compare->sides[COMPARE_NEW];
    const int32_t parent = new->model->nodes[pair->nodes[COMPARE_NEW]].parent;
    const int32_t above = parent < 0 ? -1 : new->pairs[parent];
    if (above == pair->parent)
        return;
    struct difference *difference = difference_add(compare, DIFFERENCE_JOINT_REPARENTED);
    char name[THING_SIZE], names[COMPARE_SIDES][THING_SIZE];
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++)
        difference->nodes[s] = (int32_t)pair->nodes[s];
    const uint32_t node = pair->nodes[COMPARE_NEW];
    difference_say(difference, "%s hangs under %s and hung under %s",
                   compare_thing(new->model, "joint", new->model->nodes[node].name, node, name),
                   name_above(compare, difference, COMPARE_NEW, above, names[1]),
                   name_above(compare, difference, COMPARE_OLD, pair->parent, names[0]));
}

/* --- pairs --- */

/* Nodes without a pair follow their parent's. */
static void inherit_pairs(struct compare_model *side)
{
    for (uint32_t i = 0; i < side->model->order_count; i++) {
        const uint32_t n = side->model->node_order[i];
        const int32_t parent = side->model->nodes[n].parent;
        if (side->pairs[n] < 0 && parent >= 0)
            side->pairs[n] = side->pairs[parent];
    }
}

static void make_pairs(struct compare *compare)
{
    struct compare_model *old = &compare->sides[COMPARE_OLD], *new = &compare->sides[COMPARE_NEW];
    for (uint32_t i = 0; i < old->model->order_count; i++) {
        const uint32_t n = old->model->node_order[i];
        const int32_t parent = old->model->nodes[n].parent, partner = old->partners[n];
        const int32_t above = parent < 0 ? -1 : old->pairs[parent];
        old->pairs[n] = above;
        if (partner < 0 || (!old->is_joint[n] && !new->is_joint[partner]))
            continue;
        const int32_t pair = (int32_t)compare->pair_count++;
        compare->pairs[pair] = (struct joint_pair){.nodes = {n, (uint32_t)partner}, .parent = above};
        old->pairs[n] = new->pairs[partner] = pair;
    }
    inherit_pairs(new);
}

void skeletons_compare(struct compare *compare)
{
    make_pairs(compare);
    tell_unmatched(compare, COMPARE_OLD);
    tell_unmatched(compare, COMPARE_NEW);
    for (uint32_t i = 0; i < compare->pair_count; i++) {
        tell_name(compare, &compare->pairs[i]);
        tell_parent(compare, &compare->pairs[i]);
    }
}
