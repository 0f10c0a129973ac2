/* reply_json.h - writes JSON that several replies share. Private to server/wire. Pure. */
#pragma once

#include "wire/encode/json.h"
#include "wire/reply/reply_context.h"

/* {"model":..,"hash":.. */
void put_name_and_hash(struct buf *out, const struct model *model, const struct request *request);
/* Writes the content hash in hex. */
enum { HASH_DIGITS_SIZE = 65 };
const char *hash_digits(const struct model *model, char out[HASH_DIGITS_SIZE]);
/* "base_color", "metallic_roughness", ...; slot: below TEXTURE_ALL_COUNT */
const char *texture_slot_name(uint32_t slot);
/* "triangles", "lines", "points" */
extern const char *const TOPOLOGY_NAMES[TOPOLOGY_POINTS + 1];
/* Writes the key and an index, or null for -1. */
void put_index(struct buf *out, const char *key, int32_t index);
/* Writes the key, which is text of JSON, and [1,2,3]. */
void put_floats(struct buf *out, const char *key, const float *values, size_t count);
void put_bool(struct buf *out, bool value);
/* "clip":{..}, or null for POSE_REST */
void put_clip_name(struct buf *out, const struct model *model, int32_t index);
/* {"node":..,"name":.. */
void put_node_head(struct buf *out, const struct model *model, uint32_t node);
/* {"index":..,"name":..,"joints":[..] of a skin, with its special properties */
void put_skin_head(struct buf *out, const struct model *model, uint32_t index);
/* "joints":[..] of a skin; "method":".." of a skin whose method is not linear. */
void put_skin_method(struct buf *out, const struct skin *skin);
void put_skin_joints(struct buf *out, const struct model *model, const struct skin *skin);
/* {"name":..,"node":..,"mesh":..,"primitive":.. of a draw */
void put_draw_head(struct buf *out, const struct model *model, const struct draw *draw);
/* ,"extras":.. if the thing has any */
void put_extras(struct buf *out, const struct model *model, enum extra_owner owner, uint32_t index);
/* Appends `key` and the JSON of a carried member of an object (struct carried), such as ,"copyright":.. Returns whether
 * there is one. */
bool put_carried(struct buf *out, const struct model *model, enum carry_owner owner, uint32_t index, const char *member,
                 const char *key);
/* Writes a vector of doubles as floats. */
void put_vec3(struct buf *out, const char *key, const double vector[3]);

/* Sizes in JSON: at most a float and its comma (-1.1754944e-38,), at most the brackets of a list and its comma, at
 * least a number. */
enum { JSON_FLOAT_MOST = 15, JSON_LIST_MOST = 3, JSON_NUMBER_LEAST = 1 };
/* Returns a lower bound for a JSON list of `count` items of at least `thing_bytes` bytes each. */
static inline uint64_t json_list_least(uint64_t count, uint64_t thing_bytes)
{
    return count == 0 ? 2 : 1 + count * (thing_bytes + 1);
}
