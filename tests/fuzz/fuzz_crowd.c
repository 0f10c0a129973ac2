/* Binary crowds: an accepted request written again has the same bytes. The answer about models of a few nodes has no
 * offset outside itself, whatever the request asks. */
#include "anim/bake/bake.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "wire/operations/reply_make.h"
#include "wire/request/crowd_request.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HASH_BYTES = 32, ENTITIES_MAX = 64, PATH_BYTES_MAX = 4095 };

static void require(bool is_true)
{
    if (!is_true)
        abort();
}

/* A copy in a block of its own, so that a read past the end is detected. */
static char *copy_of(const uint8_t *data, size_t size)
{
    char *copy = malloc(size == 0 ? 1 : size);
    require(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

/* --- what is taken, written again --- */

static void put_zeros(struct buf *out, size_t count)
{
    static const char ZEROS[16];
    buf_put(out, ZEROS, count);
}

static void put_head(const struct crowd_request *crowd, uint32_t size_bytes, uint32_t path_bytes, struct buf *out)
{
    buf_put_text(out, CROWD_MAGIC);
    buf_put_u16(out, CROWD_VERSION);
    buf_put_u16(out, 0);
    buf_put_u32(out, size_bytes);
    buf_put_u32(out, crowd->entity_count);
    buf_put_u32(out, crowd->layer_count);
    buf_put_u32(out, crowd->world_count);
    buf_put_u32(out, crowd->model_count);
    buf_put_u32(out, crowd->mask_count);
    buf_put_u32(out, crowd->mask_node_count);
    buf_put_u32(out, crowd->wanted_count);
    buf_put_u32(out, crowd->item_count);
    buf_put_u32(out, path_bytes);
    buf_put_u32(out, crowd->pose_count);
    buf_put_u32(out, crowd->pose_node_count);
    buf_put_u32(out, crowd->pose_number_count);
    put_zeros(out, 4);
}

/* Every index in it must be within its list. */
static void put_entity(const struct crowd_request *crowd, const struct crowd_entity *entity, struct buf *out)
{
    require(entity->model < crowd->model_count && entity->wanted < crowd->wanted_count);
    require(entity->layer_count <= BLEND_LAYERS_MAX &&
            (uint64_t)entity->first_layer + entity->layer_count <= crowd->layer_count);
    require(entity->world >= -1 && entity->world < (int64_t)crowd->world_count);
    buf_put_u16(out, entity->model);
    buf_put_u16(out, entity->wanted);
    buf_put_u32(out, entity->first_layer);
    buf_put_u16(out, entity->layer_count);
    buf_put_u16(out, (uint16_t)entity->layout);
    buf_put_u32(out, (uint32_t)entity->world);
    put_zeros(out, 8);
}

static void put_layer(const struct crowd_request *crowd, const struct crowd_layer *layer, struct buf *out)
{
    require(layer->mask >= -1 && layer->mask < (int64_t)crowd->mask_count);
    require(layer->pose >= -1 && layer->pose < (int64_t)crowd->pose_count);
    buf_put_u32(out, (uint32_t)(layer->pose >= 0 ? layer->pose : layer->clip));
    buf_put_u32(out, (uint32_t)layer->mask);
    buf_put_f64(out, layer->time_s);
    buf_put_f64(out, layer->weight);
    require(layer->clip_model <= crowd->model_count);
    const uint32_t mode = (uint32_t)layer->is_additive + (layer->pose >= 0 ? 2 : 0);
    buf_put_u16(out, (uint16_t)((uint32_t)layer->wrap | mode << 8));
    buf_put_u16(out, (uint16_t)layer->clip_model);
    buf_put_u32(out, (uint32_t)(layer->pose >= 0 ? 0 : layer->reference_clip));
    buf_put_f64(out, layer->reference_time_s);
}

/* Returns the size of its path. */
static uint32_t put_model(const struct crowd_model *model, struct buf *out)
{
    const size_t path_bytes = model->path == NULL ? 0 : strlen(model->path);
    uint8_t hash[HASH_BYTES] = {0};
    require((model->path == NULL) == (model->handle != 0) && path_bytes <= PATH_BYTES_MAX);
    require(model->path == NULL || (path_bytes > 0 && utf8_is_valid(model->path, path_bytes)));
    require(model->hash[0] == '\0' || strlen(model->hash) == 2 * HASH_BYTES);
    for (size_t i = 0; i < HASH_BYTES && model->hash[0] != '\0'; i++)
        hash[i] = (uint8_t)(hex_value(model->hash[2 * i]) << 4 | hex_value(model->hash[2 * i + 1]));
    buf_put_u32(out, model->handle);
    buf_put_u32(out, (uint32_t)path_bytes);
    put_zeros(out, 8);
    buf_put(out, hash, sizeof hash);
    return (uint32_t)path_bytes;
}

static void put_masks(const struct crowd_request *crowd, struct buf *out)
{
    for (uint32_t i = 0; i < crowd->mask_count; i++) {
        const struct crowd_mask *mask = &crowd->masks[i];
        const ptrdiff_t first = mask->nodes - crowd->mask_nodes;
        require(first >= 0 && mask->count > 0 && (uint64_t)first + mask->count <= crowd->mask_node_count);
        bool is_used = false; /* the largest node is only computed for such masks */
        for (uint32_t l = 0; l < crowd->layer_count; l++)
            is_used |= crowd->layers[l].mask == (int64_t)i;
        for (uint32_t n = 0; n < mask->count && is_used; n++)
            require(mask->nodes[n].node <= mask->most_node);
        buf_put_u32(out, (uint32_t)first);
        buf_put_u32(out, mask->count);
    }
    for (uint32_t i = 0; i < crowd->mask_node_count; i++) {
        buf_put_u32(out, crowd->mask_nodes[i].node);
        buf_put_u32(out, (uint32_t)crowd->mask_nodes[i].scope);
    }
}

static void put_wanted(const struct crowd_request *crowd, struct buf *out)
{
    for (uint32_t i = 0; i < crowd->wanted_count; i++) {
        const struct crowd_wanted *wanted = &crowd->wanted[i];
        const ptrdiff_t first = wanted->items - crowd->items;
        require(first >= 0 && (uint64_t)first + wanted->item_count <= crowd->item_count);
        buf_put_u32(out, (uint32_t)wanted->what);
        buf_put_u32(out, (uint32_t)wanted->skin);
        buf_put_u32(out, (uint32_t)first);
        buf_put_u32(out, wanted->item_count);
    }
    for (uint32_t i = 0; i < crowd->item_count; i++)
        buf_put_u32(out, crowd->items[i]);
}

static void put_poses(const struct crowd_request *crowd, struct buf *out)
{
    for (uint32_t i = 0; i < crowd->pose_count; i++) {
        const struct crowd_pose *pose = &crowd->poses[i];
        const ptrdiff_t first = pose->nodes - crowd->pose_nodes, first_number = pose->numbers - crowd->pose_numbers;
        uint64_t numbers = 0;
        require(first >= 0 && pose->node_count > 0 && (uint64_t)first + pose->node_count <= crowd->pose_node_count);
        for (uint32_t n = 0; n < pose->node_count; n++) {
            require(n == 0 || pose->nodes[n].node > pose->nodes[n - 1].node);
            numbers += given_part_values(pose->nodes[n].parts);
        }
        require(numbers == pose->number_count && first_number >= 0 &&
                (uint64_t)first_number + numbers <= crowd->pose_number_count);
        buf_put_u32(out, (uint32_t)first);
        buf_put_u32(out, pose->node_count);
        buf_put_u32(out, (uint32_t)first_number);
        buf_put_u32(out, 0);
    }
    for (uint32_t i = 0; i < crowd->pose_node_count; i++) {
        buf_put_u32(out, crowd->pose_nodes[i].node);
        buf_put_u32(out, crowd->pose_nodes[i].parts);
    }
    buf_put(out, crowd->pose_numbers, crowd->pose_number_count * sizeof *crowd->pose_numbers);
}

/* The struct of a request has all of its data and nothing else: it gives the same bytes. */
static void check_bytes(const struct crowd_request *crowd, const char *bytes, size_t size)
{
    struct buf lists, again;
    uint32_t path_bytes = 0;
    buf_init(&lists, 0);
    buf_init(&again, 0);
    for (uint32_t i = 0; i < crowd->entity_count; i++)
        put_entity(crowd, &crowd->entities[i], &lists);
    for (uint32_t i = 0; i < crowd->layer_count; i++)
        put_layer(crowd, &crowd->layers[i], &lists);
    for (uint32_t i = 0; i < crowd->world_count; i++)
        for (int e = 0; e < 12; e++)
            buf_put_f64(&lists, crowd->worlds[i].m[e % 4 * 4 + e / 4]);
    for (uint32_t i = 0; i < crowd->model_count; i++)
        path_bytes += put_model(&crowd->models[i], &lists);
    put_masks(crowd, &lists);
    put_wanted(crowd, &lists);
    put_poses(crowd, &lists);
    for (uint32_t i = 0; i < crowd->model_count; i++)
        if (crowd->models[i].path != NULL)
            buf_put_text(&lists, crowd->models[i].path);
    put_head(crowd, (uint32_t)size, path_bytes, &again);
    buf_put(&again, lists.data, lists.size_bytes);
    require(again.size_bytes == size && memcmp(again.data, bytes, size) == 0);
    buf_fini(&lists);
    buf_fini(&again);
}

static void read_bytes(const char *bytes, size_t size, const struct limits *limits)
{
    struct crowd_request *crowd;
    struct err err = {0};
    size_t bad_at;
    const int rc = crowd_request_read(&crowd, bytes, size, limits, &bad_at, &err);
    if (rc == 0) {
        require(crowd->entity_count > 0 && crowd->entity_count <= limits->value[LIMIT_ENTITIES]);
        require(crowd->model_count > 0 && crowd->model_count <= CROWD_MODELS_MAX);
        check_bytes(crowd, bytes, size);
    } else {
        require(crowd == NULL && rc == err.code && err.message[0] != '\0');
        require((rc == ERR_BAD_REQUEST) == (bad_at != SIZE_MAX) && (bad_at == SIZE_MAX || bad_at <= size));
    }
    crowd_request_free(crowd);
}

/* --- what is answered --- */

/* Three nodes, two of which are joints, and two clips. The first clip moves a node with a name, so the models can play
 * it for each other. */
static void build_model(struct bake_builder *builder)
{
    static const float TURNS[] = {0, 0, 0, 1, 0.5f, 0.5f, -0.5f, 0.5f}, MOVES[] = {0, 1.5f, 0, -1, 2, 3};
    static const double TIMES[] = {0, 1.5};
    bake_builder_init(builder, 0);
    bake_add_info(builder, 1);
    for (int32_t n = 0; n < 3; n++)
        *bake_add_node(builder, 1) = (struct node){.name = bake_textz(builder, n == 1 ? "hip" : NULL),
                                                   .parent = n - 1,
                                                   .mesh = -1,
                                                   .skin = -1,
                                                   .matrix = -1,
                                                   .translation = {0, 1, 0.5f},
                                                   .rotation = {0, 0, 0, 1},
                                                   .scale = {1, 1, n == 1 ? 2 : 1}}; /* not rigid */
    *bake_add_root(builder, 1) = 0;
    *bake_add_skin(builder, 1) = (struct skin){.name = {.offset = STR_NONE}, .joint_count = 2, .mesh_node = -1};
    for (uint32_t j = 0; j < 2; j++) {
        struct joint *joint = bake_add_joint(builder, 1);
        *joint = (struct joint){.node = 2 - j, .joint_from_bind = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1}}};
    }
    memcpy(bake_add_key_time(builder, 2), TIMES, sizeof TIMES);
    memcpy(bake_add_key_value(builder, 8), TURNS, sizeof TURNS);
    memcpy(bake_add_key_value(builder, 6), MOVES, sizeof MOVES);
    for (uint32_t c = 0; c < 2; c++) {
        struct channel *channel = bake_add_channel(builder, 1);
        *channel = (struct channel){.node = 1 + c,
                                    .path = c == 0 ? PATH_ROTATION : PATH_TRANSLATION,
                                    .component_count = c == 0 ? 4 : 3,
                                    .key_count = 2,
                                    .value_first = 8 * c};
        *bake_add_clip(builder, 1) =
            (struct clip){.name = {.offset = STR_NONE}, .channel_first = c, .channel_count = 1, .duration_s = 1.5};
    }
    struct err err;
    require(bake_finish(builder, &err) == 0);
}

/* Lists follow each other without gaps, and the last ends with the answer. Floats are finite, and 0 for errors. */
static void check_answer(const struct request *request, const char *answer, size_t size)
{
    const struct crowd_request *crowd = request->crowd;
    require(size >= CROWD_ANSWER_BYTES && memcmp(answer, CROWD_ANSWER_MAGIC, 4) == 0);
    require(get_u64(answer + CROWD_AT_ANSWER_size_bytes) == size);
    require(get_u32(answer + CROWD_AT_ANSWER_entity_count) == crowd->entity_count);
    uint64_t at = CROWD_ANSWER_BYTES + (uint64_t)crowd->entity_count * CROWD_POSED_BYTES +
                  (uint64_t)crowd->model_count * CROWD_FOUND_MODEL_BYTES;
    uint32_t wrong_count = 0;
    require(get_u64(answer + CROWD_AT_ANSWER_floats_offset) == at && at % 16 == 0 && at <= size);
    for (uint32_t i = 0; i < crowd->entity_count; i++) {
        const char *posed = answer + CROWD_ANSWER_BYTES + (size_t)i * CROWD_POSED_BYTES;
        const uint64_t bytes =
            (uint64_t)get_u32(posed + CROWD_AT_POSED_count) * get_u16(posed + CROWD_AT_POSED_item_bytes);
        const bool is_wrong = get_u16(posed + CROWD_AT_POSED_code) != 0;
        require(get_u64(posed + CROWD_AT_POSED_offset) == at && bytes <= size - at);
        for (uint64_t f = 0; f < bytes; f += sizeof(float))
            require(isfinite(get_f32(answer + at + f)) && (!is_wrong || get_f32(answer + at + f) == 0));
        at += bytes;
        wrong_count += is_wrong;
    }
    require(get_u64(answer + CROWD_AT_ANSWER_errors_offset) == at);
    require(get_u32(answer + CROWD_AT_ANSWER_error_count) == wrong_count);
    const uint64_t wrongs_at = at;
    at += (uint64_t)wrong_count * CROWD_WRONG_BYTES;
    require(at <= size);
    for (uint32_t w = 0; w < wrong_count; w++) {
        const char *wrong = answer + wrongs_at + (size_t)w * CROWD_WRONG_BYTES;
        const uint32_t message_bytes = get_u32(wrong + CROWD_AT_WRONG_message_bytes);
        require(get_u32(wrong + CROWD_AT_WRONG_entity) < crowd->entity_count && message_bytes <= size - at);
        require(utf8_is_valid(answer + at, message_bytes));
        at += message_bytes;
    }
    require(at == size);
}

/* Models whose paths begin with a exist, others do not, as if the cache said so. */
static void answer_request(const char *bytes, size_t size, const struct limits *limits, bool is_json)
{
    const char *target = is_json ? "/v1/crowd?format=json" : "/v1/crowd";
    const struct request_head head = {
        .method = "POST", .target = target, .target_bytes = strlen(target), .body = bytes, .body_bytes = size};
    const struct err missing = {.code = ERR_MODEL_NOT_FOUND, .message = "there is no such file"};
    const struct model *models[1 + REQUEST_SOURCES_MAX] = {NULL};
    struct bake_builder builder;
    struct workspace workspace;
    struct request request;
    struct reply reply;
    struct err err;
    request_init(&request);
    if (request_parse(&request, &head, limits, &err) == 0) {
        build_model(&builder);
        const struct model model = bake_builder_view(&builder);
        for (uint32_t m = 0; request.model != NULL && m <= request.source_count; m++)
            if ((m == 0 ? request.model : request.sources[m - 1].path)[0] == 'a')
                models[m] = &model;
            else
                request_miss_crowd_model(&request, m, &missing);
        workspace_init(&workspace);
        reply_init(&reply);
        reply_make(&workspace, models[0], models + 1, &request, limits, &reply);
        require(reply.status == 200 || reply.code == ERR_TOO_MANY_FRAMES);
        if (reply.status == 200 && !is_json)
            check_answer(&request, reply.body.data, reply.body.size_bytes);
        cJSON *json = is_json ? cJSON_ParseWithLength(reply.body.data, reply.body.size_bytes) : NULL;
        require((json != NULL) == is_json);
        cJSON_Delete(json);
        reply_fini(&reply);
        workspace_fini(&workspace);
        bake_builder_fini(&builder);
    }
    request_fini(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    limits_default(&limits);
    limits.value[LIMIT_ENTITIES] = ENTITIES_MAX;
    char *exact = copy_of(data, size);
    read_bytes(exact, size, &limits);
    answer_request(exact, size, &limits, false);
    answer_request(exact, size, &limits, true);
    free(exact);
    return 0;
}
