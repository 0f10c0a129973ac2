/* bake_check.h - checks that a model's arrays keep every rule of protocol/baked-model.md, with one function per group
 * of sections. Only for bake_decode() and bake_finish().
 *
 * Pure; any thread. `model` is a view with correct counts; its contents may be anything. Linear in the size of the
 * arrays: ranges that could overlap are bounded by their sum. All functions return 0, ERR_BAD_BAKE naming section,
 * element and field, ERR_MODEL_LIMIT, or ERR_NO_MEMORY (they need a few bytes of scratch memory per element). */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "anim/model/mat.h"

/* Checks all groups, in an order in which each may rely on those before it. */
int bake_check(const struct model *model, struct err *err);

int bake_check_skins(const struct model *model, struct err *err);  /* joints, skins and their users */
int bake_check_nodes(const struct model *model, struct err *err);  /* nodes, their order, the scene */
int bake_check_meshes(const struct model *model, struct err *err); /* vertices, meshes, primitives, morphs */
int bake_check_draws(const struct model *model, struct err *err);
int bake_check_clips(const struct model *model, struct err *err);
int bake_check_faces(const struct model *model, struct err *err);       /* after nodes: expressions and gazes */
int bake_check_constraints(const struct model *model, struct err *err); /* after nodes */
int bake_check_compiled(const struct model *model, struct err *err);    /* after clips: the rig, frames */

/* The times of keys and frames lie between -BAKE_TIME_MAX and BAKE_TIME_MAX: their differences, doubles, and products
 * with any float then stay far within the range of a double. */
#define BAKE_TIME_MAX 1e100

/* --- shared by several groups --- */

/* True when a text sorts before another, byte by byte. Both are in the model's text. */
bool bake_is_before(const struct model *model, struct str a, struct str b);

static inline int bake_check_fail(struct err *err, const char *section, uint64_t element, const char *field)
{
    return err_set(err, ERR_BAD_BAKE, "%s[%llu].%s is out of range or does not fit the rest", section,
                   (unsigned long long)element, field);
}

/* Returns the name of the field that is wrong in an element, or NULL. */
typedef const char *bake_rule(const struct model *model, uint32_t element);

/* Checks all elements of a section with a rule. */
static inline int bake_check_each(const struct model *model, const char *section, uint32_t count, bake_rule *rule,
                                  struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *field = rule(model, i);
        if (field != NULL)
            return bake_check_fail(err, section, i, field);
    }
    return 0;
}

static inline bool bake_is_range(uint64_t first, uint64_t count, uint64_t total)
{
    return first <= total && count <= total - first;
}

/* True for an index below `count`, and for -1. */
static inline bool bake_is_index(int32_t index, uint32_t count)
{
    return index >= -1 && (index < 0 || (uint32_t)index < count);
}

/* True when all elements are finite and the last row is 0 0 0 1. */
static inline bool bake_is_affine(const struct mat4 *matrix)
{
    const float *m = matrix->m;
    return floats_are_finite(m, 16) && m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1;
}

/* Checks a string that may be longer than a name; the caller bounds its length. The whole text is already known to be
 * UTF-8, so a part of it is UTF-8 when it neither starts nor ends inside a character. */
static inline bool bake_is_long_str(const struct model *model, struct str str)
{
    if (str.offset == STR_NONE)
        return str.size_bytes == 0;
    if (!bake_is_range(str.offset, str.size_bytes, model->text_byte_count))
        return false;
    const uint64_t ends[] = {str.offset, (uint64_t)str.offset + str.size_bytes};
    for (int i = 0; i < 2; i++)
        if (ends[i] < model->text_byte_count && ((unsigned char)model->text[ends[i]] & 0xc0) == 0x80)
            return false;
    return true;
}

static inline bool bake_is_str(const struct model *model, struct str str)
{
    return str.size_bytes <= LIMIT_INFO[LIMIT_NAME_BYTES].initial && bake_is_long_str(model, str);
}
