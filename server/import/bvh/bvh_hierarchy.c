/* bvh_hierarchy.c - joints and end sites with their offsets and channels, as nodes. The file determines the depth, so
 * nothing here recurses. */
#include "import/bvh/bvh.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SHOWN_MAX = 40 };

const char *bvh_where(const struct bvh *bvh, int32_t joint, char out[BVH_WHERE_SIZE])
{
    if (joint < 0) {
        snprintf(out, BVH_WHERE_SIZE, "the hierarchy");
        return out;
    }
    const struct bvh_joint *at = &bvh->joints[joint];
    const bool is_end = at->name.begin == NULL;
    const struct bvh_word *name = is_end ? &bvh->joints[at->parent].name : &at->name;
    const int length = (int)(name->length < NAME_SHOWN_MAX ? name->length : NAME_SHOWN_MAX);
    snprintf(out, BVH_WHERE_SIZE, "%s '%.*s'", is_end ? "the end site of joint" : "joint", length,
             name->length > 0 ? name->begin : "");
    return out;
}
#define WHERE(bvh, joint) bvh_where(bvh, joint, (char[BVH_WHERE_SIZE]){0})

bool bvh_has_channel(const struct bvh *bvh, const struct bvh_joint *joint, uint8_t kind)
{
    for (uint32_t c = 0; c < joint->channel_count; c++) {
        const uint8_t channel = bvh->channels[joint->channel_first + c];
        if (channel >= kind && channel < kind + 3)
            return true;
    }
    return false;
}

/* The name of end sites, which have none of their own. Those of one joint share it, so that all names together are not
 * much longer than the file. */
static struct str end_name(struct bvh *bvh, struct bvh_joint *parent)
{
    static const char BEFORE[] = "EndSite_";
    if (parent->has_end)
        return parent->end_name;
    const size_t before = sizeof BEFORE - 1, length = before + parent->name.length;
    char *text = mem_alloc(length);
    memcpy(text, BEFORE, before);
    if (parent->name.length > 0)
        memcpy(text + before, parent->name.begin, parent->name.length);
    parent->end_name = bake_text(bvh->import->builder, text, length);
    parent->has_end = true;
    free(text);
    return parent->end_name;
}

/* Reads "NAME {" of a joint, or "Site {" of an end site, and makes it the current joint. */
static int open_joint(struct bvh *bvh, int32_t *current, bool is_end, struct err *err)
{
    struct import *import = bvh->import;
    const int32_t parent = *current;
    struct bvh_joint joint = {.parent = parent, .channel_first = bvh->channel_count};
    struct node node = {.parent = parent, .mesh = -1, .skin = -1, .matrix = -1, .rotation[3] = 1, .scale = {1, 1, 1}};
    if (import_check_limit(import, LIMIT_NODES, bvh->joint_count, 1, WHERE(bvh, parent), err) < 0)
        return err->code;
    if (is_end) {
        if (!bvh_is(bvh_peek(&bvh->text), "site"))
            return bvh_unexpected(&bvh->text, WHERE(bvh, parent), "'Site'", err);
        bvh_next(&bvh->text);
        node.name = end_name(bvh, &bvh->joints[parent]);
    } else {
        joint.name = bvh_name(&bvh->text);
        node.name = bake_text(import->builder, joint.name.length > 0 ? joint.name.begin : NULL, joint.name.length);
    }
    bvh->joints = mem_grow(bvh->joints, &bvh->joint_capacity, bvh->joint_count + 1, sizeof *bvh->joints);
    bvh->joints[bvh->joint_count] = joint;
    *current = (int32_t)bvh->joint_count++;
    if (!bvh_is(bvh_peek(&bvh->text), "{"))
        return bvh_unexpected(&bvh->text, WHERE(bvh, *current), "'{'", err);
    bvh_next(&bvh->text);
    if (parent < 0 && import_put_root(import, &(uint32_t){(uint32_t)*current}, err) < 0)
        return err->code;
    return import_put_node(import, &node, err);
}

static int read_offset(struct bvh *bvh, int32_t current, struct err *err)
{
    struct bvh_joint *joint = &bvh->joints[current];
    if (joint->has_offset)
        return err_set(err, ERR_BAD_MODEL, "line %u: %s has an OFFSET already", bvh->text.line, WHERE(bvh, current));
    joint->has_offset = true;
    for (int i = 0; i < 3; i++) {
        if (!bvh_number(bvh_peek(&bvh->text), &joint->offset[i]))
            return bvh_unexpected(&bvh->text, WHERE(bvh, current), "a number of OFFSET", err);
        bvh_next(&bvh->text);
        /* 0 is added so that no node has a negative zero */
        bvh->import->builder->nodes[current].translation[i] = (float)joint->offset[i] + 0.0f;
    }
    return 0;
}

const char *const BVH_CHANNELS[BVH_CHANNEL_KINDS] = {"Xposition", "Yposition", "Zposition",
                                                     "Xrotation", "Yrotation", "Zrotation"};

/* Returns the channel of this name, or -1. */
static int channel_of(struct bvh_word word)
{
    for (int i = 0; i < BVH_CHANNEL_KINDS; i++)
        if (bvh_is(word, BVH_CHANNELS[i]))
            return i;
    return -1;
}

static int read_channels(struct bvh *bvh, int32_t current, struct err *err)
{
    double count;
    struct bvh_joint *joint = &bvh->joints[current];
    if (joint->has_channels)
        return err_set(err, ERR_BAD_MODEL, "line %u: %s has CHANNELS already", bvh->text.line, WHERE(bvh, current));
    joint->has_channels = true;
    joint->channel_first = bvh->channel_count;
    if (!bvh_number(bvh_peek(&bvh->text), &count) || count < 0 || count > UINT32_MAX || count != floor(count))
        return bvh_unexpected(&bvh->text, WHERE(bvh, current), "the number of CHANNELS", err);
    bvh_next(&bvh->text);
    for (; joint->channel_count < (uint32_t)count; joint->channel_count++) {
        const int channel = channel_of(bvh_peek(&bvh->text));
        if (channel < 0)
            return bvh_unexpected(&bvh->text, WHERE(bvh, current), "a channel such as 'Xrotation'", err);
        bvh_next(&bvh->text);
        bvh->channels = mem_grow(bvh->channels, &bvh->channel_capacity, (size_t)bvh->channel_count + 1, 1);
        bvh->channels[bvh->channel_count++] = (uint8_t)channel;
    }
    return 0;
}

/* Reads one line of a joint's block, or its end. */
static int read_member(struct bvh *bvh, int32_t *current, struct err *err)
{
    const struct bvh_text before = bvh->text;
    const struct bvh_word word = bvh_next(&bvh->text);
    if (bvh_is(word, "joint") || bvh_is(word, "end"))
        return open_joint(bvh, current, bvh_is(word, "end"), err);
    if (bvh_is(word, "offset"))
        return read_offset(bvh, *current, err);
    if (bvh_is(word, "channels"))
        return read_channels(bvh, *current, err);
    if (!bvh_is(word, "}"))
        return bvh_unexpected(&before, WHERE(bvh, *current), "OFFSET, CHANNELS, JOINT, 'End Site' or '}'", err);
    *current = bvh->joints[*current].parent;
    return 0;
}

int bvh_read_hierarchy(struct bvh *bvh, struct err *err)
{
    int32_t current = -1;
    int rc = 0;
    if (!bvh_is(bvh_next(&bvh->text), "hierarchy"))
        return err_set(err, ERR_BAD_MODEL, "line %u: the file does not begin with HIERARCHY", bvh->text.line);
    while (rc == 0) {
        const struct bvh_text before = bvh->text;
        if (current >= 0) {
            rc = read_member(bvh, &current, err);
            continue;
        }
        const struct bvh_word word = bvh_next(&bvh->text);
        if (bvh->joint_count > 0 && bvh_is(word, "motion"))
            break;
        rc = bvh_is(word, "root")
                 ? open_joint(bvh, &current, false, err)
                 : bvh_unexpected(&before, WHERE(bvh, -1), bvh->joint_count > 0 ? "ROOT or MOTION" : "ROOT", err);
    }
    return rc;
}
