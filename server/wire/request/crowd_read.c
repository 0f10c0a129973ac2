/* crowd_read.c - parses a binary crowd: sizes first, then record by record. */
#include "wire/request/crowd_request.h"

#include "base/bytes.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "wire/request/crowd_bounds.h"
#include "wire/request/crowd_reading.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES_MAX = 4095, HASH_BYTES = 32 };
/* Of layers. */
enum { MODE_OVERRIDE, MODE_ADDITIVE, MODE_POSE, MODE_ADDED_POSE };

/* In byte order of the request. */
struct lists {
    struct crowd_list entities, layers, worlds, models, masks, mask_nodes, wanted, items, poses, pose_nodes,
        pose_numbers, paths;
};

bool crowd_is_binary(const char *bytes, size_t size_bytes)
{
    return size_bytes >= sizeof CROWD_MAGIC - 1 && memcmp(bytes, CROWD_MAGIC, sizeof CROWD_MAGIC - 1) == 0;
}

/* --- errors --- */

int crowd_bad_form(struct crowd_reading *reading, size_t at, const char *what)
{
    *reading->bad_at = at;
    return err_set(reading->err, ERR_BAD_REQUEST, "crowd: byte %zu: %s", at, what);
}

int crowd_bad_value(struct crowd_reading *reading, const char *list, uint32_t index, const char *what)
{
    return err_set(reading->err, ERR_BAD_PARAMETER, "crowd: %s %u: %s", list, index, what);
}

int crowd_check_zeros(struct crowd_reading *reading, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++)
        if (reading->bytes[i] != 0)
            return crowd_bad_form(reading, i, "a reserved field is 0");
    return 0;
}

/* --- sizes --- */

static int check_counts(struct crowd_reading *reading, const struct limits *limits)
{
    const char *bytes = reading->bytes;
    const uint32_t entities = get_u32(bytes + CROWD_AT_ASKED_entity_count);
    const uint32_t models = get_u32(bytes + CROWD_AT_ASKED_model_count);
    if (entities == 0 || entities > limits->value[LIMIT_ENTITIES])
        return err_set(reading->err, ERR_BAD_PARAMETER, "crowd: there are %u entities; it takes 1 to %s", entities,
                       LIMIT_TEXT(limits, LIMIT_ENTITIES));
    if (models == 0 || models > CROWD_MODELS_MAX)
        return err_set(reading->err, ERR_BAD_PARAMETER, "crowd: there are %u models; it takes 1 to %d", models,
                       CROWD_MODELS_MAX);
    return 0;
}

static int read_header(struct crowd_reading *reading)
{
    const char *bytes = reading->bytes;
    if (!crowd_is_binary(bytes, reading->size_bytes))
        return crowd_bad_form(reading, 0, "this is not the magic of a crowd");
    if (reading->size_bytes < CROWD_ASKED_BYTES)
        return crowd_bad_form(reading, reading->size_bytes, "the header has 64 bytes");
    if (get_u16(bytes + CROWD_AT_ASKED_version) != CROWD_VERSION)
        return crowd_bad_form(reading, CROWD_AT_ASKED_version, "the version is 1");
    if (crowd_check_zeros(reading, CROWD_AT_ASKED_reserved, 2) < 0)
        return reading->err->code;
    return crowd_check_zeros(reading, CROWD_AT_ASKED_reserved2, CROWD_ASKED_BYTES - CROWD_AT_ASKED_reserved2);
}

/* Finds the offsets of the lists. With the header they must fill the request exactly. */
static int place_lists(struct crowd_reading *reading, struct lists *lists)
{
    const struct {
        struct crowd_list *list;
        size_t count_at, record_bytes;
    } ALL[] = {
        {&lists->entities, CROWD_AT_ASKED_entity_count, CROWD_ENTITY_BYTES},
        {&lists->layers, CROWD_AT_ASKED_layer_count, CROWD_LAYER_BYTES},
        {&lists->worlds, CROWD_AT_ASKED_world_count, CROWD_WORLD_BYTES},
        {&lists->models, CROWD_AT_ASKED_model_count, CROWD_MODEL_BYTES},
        {&lists->masks, CROWD_AT_ASKED_mask_count, CROWD_MASK_BYTES},
        {&lists->mask_nodes, CROWD_AT_ASKED_mask_node_count, CROWD_MASK_NODE_BYTES},
        {&lists->wanted, CROWD_AT_ASKED_wanted_count, CROWD_WANTED_BYTES},
        {&lists->items, CROWD_AT_ASKED_wanted_item_count, CROWD_WANTED_ITEM_BYTES},
        {&lists->poses, CROWD_AT_ASKED_pose_count, CROWD_POSE_BYTES},
        {&lists->pose_nodes, CROWD_AT_ASKED_pose_node_count, CROWD_POSE_NODE_BYTES},
        {&lists->pose_numbers, CROWD_AT_ASKED_pose_number_count, CROWD_POSE_NUMBER_BYTES},
        {&lists->paths, CROWD_AT_ASKED_path_bytes, 1},
    };
    uint64_t at = CROWD_ASKED_BYTES; /* twelve lists of 2^32 records of 96 bytes do not overflow */
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) {
        *ALL[i].list = (struct crowd_list){.at = (size_t)at, .count = get_u32(reading->bytes + ALL[i].count_at)};
        at += (uint64_t)ALL[i].list->count * ALL[i].record_bytes;
    }
    if (at != reading->size_bytes || get_u32(reading->bytes + CROWD_AT_ASKED_size_bytes) != at)
        return crowd_bad_form(reading, CROWD_AT_ASKED_size_bytes,
                              "the size is not that of the records that are counted");
    return 0;
}

static int reserve(struct crowd_reading *reading, const struct lists *lists)
{
    struct crowd_request *crowd = reading->crowd;
    crowd->entities = calloc(lists->entities.count, sizeof *crowd->entities);
    crowd->layers = calloc((size_t)lists->layers.count + 1, sizeof *crowd->layers);
    crowd->worlds = calloc((size_t)lists->worlds.count + 1, sizeof *crowd->worlds);
    crowd->models = calloc(lists->models.count, sizeof *crowd->models);
    crowd->masks = calloc((size_t)lists->masks.count + 1, sizeof *crowd->masks);
    crowd->mask_nodes = calloc((size_t)lists->mask_nodes.count + 1, sizeof *crowd->mask_nodes);
    crowd->wanted = calloc((size_t)lists->wanted.count + 1, sizeof *crowd->wanted);
    crowd->items = calloc((size_t)lists->items.count + 1, sizeof *crowd->items);
    crowd->poses = calloc((size_t)lists->poses.count + 1, sizeof *crowd->poses);
    crowd->pose_nodes = calloc((size_t)lists->pose_nodes.count + 1, sizeof *crowd->pose_nodes);
    crowd->pose_numbers = calloc((size_t)lists->pose_numbers.count + 1, sizeof *crowd->pose_numbers);
    crowd->paths = calloc(1, (size_t)lists->paths.count + lists->models.count + 1); /* a NUL after each path */
    if (crowd->entities == NULL || crowd->layers == NULL || crowd->worlds == NULL || crowd->models == NULL ||
        crowd->masks == NULL || crowd->mask_nodes == NULL || crowd->wanted == NULL || crowd->items == NULL ||
        crowd->paths == NULL || crowd->poses == NULL || crowd->pose_nodes == NULL || crowd->pose_numbers == NULL)
        return err_set(reading->err, ERR_NO_MEMORY, "no memory for a crowd of %u entities", lists->entities.count);
    return 0;
}

/* --- records --- */

static int read_entities(struct crowd_reading *reading, const struct lists *lists)
{
    struct crowd_request *crowd = reading->crowd;
    for (uint32_t i = 0; i < lists->entities.count; i++) {
        const size_t at = lists->entities.at + (size_t)i * CROWD_ENTITY_BYTES;
        const char *from = reading->bytes + at;
        struct crowd_entity *entity = &crowd->entities[crowd->entity_count++];
        const unsigned layout = (unsigned char)from[CROWD_AT_ENTITY_layout];
        *entity = (struct crowd_entity){.model = get_u16(from + CROWD_AT_ENTITY_model),
                                        .wanted = get_u16(from + CROWD_AT_ENTITY_wanted),
                                        .first_layer = get_u32(from + CROWD_AT_ENTITY_first_layer),
                                        .layer_count = get_u16(from + CROWD_AT_ENTITY_layer_count),
                                        .layout = (enum layout)layout,
                                        .world = (int32_t)get_u32(from + CROWD_AT_ENTITY_world)};
        if (crowd_check_zeros(reading, at + CROWD_AT_ENTITY_reserved, 1) < 0 ||
            crowd_check_zeros(reading, at + CROWD_AT_ENTITY_reserved2, 8) < 0)
            return reading->err->code;
        if (layout > LAYOUT_DUALQUAT)
            return crowd_bad_value(reading, "entity", i, "its layout is 0, 1 or 2");
        if (entity->model >= lists->models.count || entity->wanted >= lists->wanted.count)
            return crowd_bad_value(reading, "entity", i, "its model, or what is wanted of it, is not in the lists");
        if (entity->first_layer > lists->layers.count ||
            entity->layer_count > lists->layers.count - entity->first_layer || entity->layer_count > BLEND_LAYERS_MAX)
            return crowd_bad_value(reading, "entity", i, "its layers are more than 16, or not in the list");
        if (entity->world < -1 || (entity->world >= 0 && (uint32_t)entity->world >= lists->worlds.count))
            return crowd_bad_value(reading, "entity", i, "its place is not in the list");
    }
    return 0;
}

/* A given pose stands in place of a clip, and what is of clips is 0. */
static int take_pose(struct crowd_reading *reading, const struct lists *lists, uint32_t index, size_t at,
                     struct crowd_layer *layer)
{
    layer->pose = layer->clip;
    layer->clip = layer->reference_clip = POSE_REST;
    if (crowd_check_zeros(reading, at + CROWD_AT_LAYER_time_s, 8) < 0 ||
        crowd_check_zeros(reading, at + CROWD_AT_LAYER_wrap, 1) < 0 ||
        crowd_check_zeros(reading, at + CROWD_AT_LAYER_clip_model, CROWD_LAYER_BYTES - CROWD_AT_LAYER_clip_model) < 0)
        return reading->err->code;
    return layer->pose >= 0 && (uint32_t)layer->pose < lists->poses.count
               ? 0
               : crowd_bad_value(reading, "layer", index, "its given pose is not in the list");
}

static int read_layers(struct crowd_reading *reading, const struct lists *lists)
{
    struct crowd_request *crowd = reading->crowd;
    for (uint32_t i = 0; i < lists->layers.count; i++) {
        const size_t at = lists->layers.at + (size_t)i * CROWD_LAYER_BYTES;
        const char *from = reading->bytes + at;
        struct crowd_layer *layer = &crowd->layers[crowd->layer_count++];
        const unsigned wrap = (unsigned char)from[CROWD_AT_LAYER_wrap], mode = (unsigned char)from[CROWD_AT_LAYER_mode];
        *layer = (struct crowd_layer){.clip = (int32_t)get_u32(from + CROWD_AT_LAYER_clip),
                                      .pose = -1,
                                      .clip_model = get_u16(from + CROWD_AT_LAYER_clip_model),
                                      .mask = (int32_t)get_u32(from + CROWD_AT_LAYER_mask),
                                      .time_s = get_f64(from + CROWD_AT_LAYER_time_s),
                                      .weight = get_f64(from + CROWD_AT_LAYER_weight),
                                      .wrap = (enum wrap)wrap,
                                      .is_additive = mode == MODE_ADDITIVE || mode == MODE_ADDED_POSE,
                                      .reference_clip = (int32_t)get_u32(from + CROWD_AT_LAYER_reference_clip),
                                      .reference_time_s = get_f64(from + CROWD_AT_LAYER_reference_time_s)};
        if (layer->clip_model > lists->models.count)
            return crowd_bad_form(reading, at + CROWD_AT_LAYER_clip_model,
                                  "a layer's clip_model is 0 or 1 + a place in the models");
        if (mode == MODE_OVERRIDE && crowd_check_zeros(reading, at + CROWD_AT_LAYER_reference_clip, 12) < 0)
            return reading->err->code;
        if (wrap > WRAP_MIRROR || mode > MODE_ADDED_POSE)
            return crowd_bad_value(reading, "layer", i, "its wrap is 0, 1 or 2, its mode 0 to 3");
        if (mode >= MODE_POSE && take_pose(reading, lists, i, at, layer) < 0)
            return reading->err->code;
        if (layer->mask < -1 || (layer->mask >= 0 && (uint32_t)layer->mask >= lists->masks.count))
            return crowd_bad_value(reading, "layer", i, "its mask is not in the list");
    }
    return 0;
}

static void read_worlds(struct crowd_reading *reading, const struct lists *lists)
{
    struct crowd_request *crowd = reading->crowd;
    for (uint32_t i = 0; i < lists->worlds.count; i++) {
        const char *from = reading->bytes + lists->worlds.at + (size_t)i * CROWD_WORLD_BYTES;
        struct dmat4 *world = &crowd->worlds[crowd->world_count++];
        *world = DMAT4_IDENTITY;
        for (int e = 0; e < 12; e++)
            world->m[e % 4 * 4 + e / 4] = get_f64(from + 8 * e);
    }
}

static int read_models(struct crowd_reading *reading, const struct lists *lists)
{
    struct crowd_request *crowd = reading->crowd;
    size_t path_at = 0, text_at = 0;
    for (uint32_t i = 0; i < lists->models.count; i++) {
        const size_t at = lists->models.at + (size_t)i * CROWD_MODEL_BYTES;
        const char *from = reading->bytes + at, *hash = from + CROWD_AT_MODEL_content_hash;
        struct crowd_model *model = &crowd->models[crowd->model_count++];
        const uint32_t path_bytes = get_u32(from + CROWD_AT_MODEL_path_bytes);
        model->handle = get_u32(from + CROWD_AT_MODEL_handle);
        if (crowd_check_zeros(reading, at + CROWD_AT_MODEL_reserved, 8) < 0)
            return reading->err->code;
        if (path_bytes > PATH_BYTES_MAX || (model->handle == 0) != (path_bytes > 0))
            return crowd_bad_value(reading, "model", i, "it has a handle, or a path of 1 to 4095 bytes");
        if (path_bytes > lists->paths.count - path_at)
            return crowd_bad_form(reading, at + CROWD_AT_MODEL_path_bytes, "the paths are longer than path_bytes");
        const char *path = reading->bytes + lists->paths.at + path_at;
        if (path_bytes > 0 && (!utf8_is_valid(path, path_bytes) || memchr(path, 0, path_bytes) != NULL))
            return err_set(reading->err, ERR_BAD_PATH, "crowd: model %u: its path is not UTF-8 without NUL", i);
        if (path_bytes > 0) {
            model->path = memcpy(crowd->paths + text_at, path, path_bytes);
            text_at += path_bytes + 1;
        }
        path_at += path_bytes;
        if (memcmp(hash, (const char[HASH_BYTES]){0}, HASH_BYTES) != 0)
            hex_put(model->hash, (const uint8_t *)hash, HASH_BYTES);
    }
    return path_at == lists->paths.count
               ? 0
               : crowd_bad_form(reading, CROWD_AT_ASKED_path_bytes, "the paths are shorter than path_bytes");
}

/* --- masks and wanted items --- */

static int read_mask_nodes(struct crowd_reading *reading, const struct lists *lists)
{
    struct crowd_request *crowd = reading->crowd;
    for (uint32_t i = 0; i < lists->mask_nodes.count; i++) {
        const size_t at = lists->mask_nodes.at + (size_t)i * CROWD_MASK_NODE_BYTES;
        const unsigned scope = get_u16(reading->bytes + at + CROWD_AT_MASK_NODE_scope);
        if (crowd_check_zeros(reading, at + CROWD_AT_MASK_NODE_reserved, 2) < 0)
            return reading->err->code;
        if (scope > BLEND_EXCEPT)
            return crowd_bad_value(reading, "node of a mask", i, "its scope is 0, 1 or 2");
        crowd->mask_nodes[crowd->mask_node_count++] = (struct blend_mask){
            .node = get_u32(reading->bytes + at + CROWD_AT_MASK_NODE_node), .scope = (enum mask_scope)scope};
    }
    return 0;
}

static int read_masks(struct crowd_reading *reading, const struct lists *lists)
{
    struct crowd_request *crowd = reading->crowd;
    for (uint32_t i = 0; i < lists->masks.count; i++) {
        const char *from = reading->bytes + lists->masks.at + (size_t)i * CROWD_MASK_BYTES;
        const uint32_t first = get_u32(from + CROWD_AT_MASK_first_node);
        struct crowd_mask *mask = &crowd->masks[crowd->mask_count++];
        mask->count = get_u32(from + CROWD_AT_MASK_node_count);
        if (mask->count == 0 || mask->count > BLEND_MASKS_MAX || first > lists->mask_nodes.count ||
            mask->count > lists->mask_nodes.count - first)
            return crowd_bad_value(reading, "mask", i, "its nodes are none, more than 1024, or not in the list");
        mask->nodes = crowd->mask_nodes + first;
    }
    return 0;
}

static int read_wanted(struct crowd_reading *reading, const struct lists *lists)
{
    struct crowd_request *crowd = reading->crowd;
    for (uint32_t i = 0; i < lists->items.count; i++)
        crowd->items[crowd->item_count++] =
            get_u32(reading->bytes + lists->items.at + (size_t)i * CROWD_WANTED_ITEM_BYTES);
    for (uint32_t i = 0; i < lists->wanted.count; i++) {
        const size_t at = lists->wanted.at + (size_t)i * CROWD_WANTED_BYTES;
        const char *from = reading->bytes + at;
        struct crowd_wanted *wanted = &crowd->wanted[crowd->wanted_count++];
        const unsigned what = get_u16(from + CROWD_AT_WANTED_what);
        const uint32_t first = get_u32(from + CROWD_AT_WANTED_first_item);
        *wanted = (struct crowd_wanted){.what = (enum crowd_what)what,
                                        .skin = (int32_t)get_u32(from + CROWD_AT_WANTED_skin),
                                        .items = crowd->items,
                                        .item_count = get_u32(from + CROWD_AT_WANTED_item_count)};
        if (crowd_check_zeros(reading, at + CROWD_AT_WANTED_reserved, 2) < 0)
            return reading->err->code;
        if (what > CROWD_NODES || wanted->skin < CROWD_ALL_SKINS || (what == CROWD_NODES && wanted->skin != 0))
            return crowd_bad_value(reading, "thing wanted", i, "it is 0 with a skin or -1, or 1 with 0");
        if (first > lists->items.count || wanted->item_count > lists->items.count - first ||
            (wanted->skin == CROWD_ALL_SKINS && wanted->item_count > 0) || (wanted->item_count == 0 && first > 0))
            return crowd_bad_value(reading, "thing wanted", i, "its joints or nodes are not in the list");
        wanted->items += first;
    }
    return 0;
}

/* --- the whole request --- */

static int read_all(struct crowd_reading *reading, const struct limits *limits)
{
    struct lists lists;
    if (read_header(reading) < 0 || place_lists(reading, &lists) < 0 || check_counts(reading, limits) < 0 ||
        reserve(reading, &lists) < 0 || read_entities(reading, &lists) < 0 || read_layers(reading, &lists) < 0 ||
        read_models(reading, &lists) < 0 || read_mask_nodes(reading, &lists) < 0 || read_masks(reading, &lists) < 0 ||
        crowd_read_poses(reading, &lists.poses, &lists.pose_nodes, &lists.pose_numbers) < 0)
        return reading->err->code;
    read_worlds(reading, &lists);
    return read_wanted(reading, &lists) < 0 ? reading->err->code : crowd_find_bounds(reading->crowd, reading->err);
}

int crowd_request_read(struct crowd_request **out, const char *bytes, size_t size_bytes, const struct limits *limits,
                       size_t *bad_at, struct err *err)
{
    *bad_at = SIZE_MAX;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a crowd");
    struct crowd_reading reading = {bytes, size_bytes, *out, bad_at, err};
    const int rc = read_all(&reading, limits);
    if (rc < 0) {
        crowd_request_free(*out);
        *out = NULL;
    }
    return rc;
}

void crowd_request_free(struct crowd_request *crowd)
{
    if (crowd == NULL)
        return;
    free(crowd->entities);
    free(crowd->layers);
    free(crowd->worlds);
    free(crowd->models);
    free(crowd->masks);
    free(crowd->mask_nodes);
    free(crowd->wanted);
    free(crowd->items);
    free(crowd->poses);
    free(crowd->pose_nodes);
    free(crowd->pose_numbers);
    free(crowd->paths);
    free(crowd);
}
