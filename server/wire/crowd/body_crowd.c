/* body_crowd.c - answers a crowd: it checks every entity against its model, assigns its place in the body, and
 * evaluates all entities directly into the body. */
#include "wire/crowd/body_crowd.h"

#include "base/bytes.h"
#include "base/container_of.h"
#include "wire/request/crowd_request.h"
#include "wire/crowd/crowd_entity.h"
#include "wire/reply/clip_sources.h"

#include <stdlib.h>

/* The error of an entity. */
struct wrong {
    uint32_t entity;
    int code;
    size_t message_at, message_bytes; /* in `messages` */
};

/* A crowd that is being answered. The workspace owns the lists. */
struct making {
    struct crowd_listener listener;
    struct workspace *workspace;
    struct crowd_files files;
    struct crowd_clips retargeted_clips;
    struct crowd_poses poses;
    const struct request *request;
    const struct crowd_request *crowd;
    struct buf *out;
    struct crowd_member *members; /* the valid entities so far */
    uint32_t *places;             /* [member_count]: their indices in the request */
    uint32_t member_count;
    struct blend_layer *layers; /* of all members, contiguous */
    size_t layer_count;
    struct buf wrongs, messages; /* struct wrong; their messages */
    uint64_t floats_at, floats_bytes;
};

/* --- sizes --- */

static uint64_t table_bytes(const struct crowd_request *crowd)
{
    return CROWD_ANSWER_BYTES + (uint64_t)crowd->entity_count * CROWD_POSED_BYTES +
           (uint64_t)crowd->model_count * CROWD_FOUND_MODEL_BYTES;
}

/* 0 when the wanted items do not exist. */
static uint64_t matrices_of(const struct crowd_entity *entity, const struct crowd_request *crowd,
                            const struct model *model)
{
    const struct crowd_wanted *wanted = &crowd->wanted[entity->wanted];
    return crowd_wanted_is_there(wanted, model) ? crowd_wanted_count(wanted, model) : 0;
}

static uint64_t steps_of(const struct crowd_entity *entity, const struct model *model)
{
    const uint64_t poses = entity->layer_count == 0 ? 1 : entity->layer_count;
    return poses * pose_step_count(model);
}

struct crowd_size crowd_size_of(const struct request *request, const struct model *model,
                                const struct model *const *sources)
{
    const struct crowd_request *crowd = request->crowd;
    const struct crowd_files files = {.crowd = crowd, .model = model, .sources = sources};
    struct crowd_size size = {.bytes = table_bytes(crowd)};
    for (uint32_t i = 0; i < crowd->entity_count; i++) {
        const struct crowd_entity *entity = &crowd->entities[i];
        const struct model *of = crowd_files_model(&files, entity->model);
        if (of == NULL)
            continue;
        size.steps += steps_of(entity, of);
        size.bytes += matrices_of(entity, crowd, of) * layout_floats(entity->layout) * sizeof(float);
    }
    return size;
}

/* --- errors --- */

static void put_wrong(struct making *making, uint32_t index, const struct err *err)
{
    const struct crowd_model *model = &making->crowd->models[making->crowd->entities[index].model];
    struct err named = *err;
    if (model->path != NULL)
        err_prefix(&named, "entity %u of '%.200s'", index, model->path);
    else
        err_prefix(&named, "entity %u", index);
    const struct wrong wrong = {index, err->code, making->messages.size_bytes, strlen(named.message)};
    buf_put(&making->wrongs, &wrong, sizeof wrong);
    buf_put_text(&making->messages, named.message);
    char *posed = making->out->data + CROWD_ANSWER_BYTES + (size_t)index * CROWD_POSED_BYTES;
    const uint16_t code = htole16((uint16_t)-err->code);
    memcpy(posed + CROWD_AT_POSED_code, &code, sizeof code);
}

static void on_failed(struct crowd_listener *listener, uint32_t member, const struct err *err)
{
    struct making *making = container_of(listener, struct making, listener);
    put_wrong(making, making->places[member], err);
}

/* --- one entity --- */

/* Fills the next member, and *count with the number of matrices of the entity, valid or not. */
static int plan_entity(struct making *making, const struct crowd_entity *asked, uint64_t *count, struct err *err)
{
    const struct crowd_request *crowd = making->crowd;
    const struct crowd_model *of = &crowd->models[asked->model];
    const struct crowd_wanted *wanted = &crowd->wanted[asked->wanted];
    struct crowd_member *member = &making->members[making->member_count];
    const struct model *model = crowd_files_model(&making->files, asked->model);
    *count = 0;
    if (model == NULL)
        return err_set(err, of->err.code, "%s", of->err.message);
    *member = (struct crowd_member){.entity.model = model, .wanted = wanted, .layout = asked->layout};
    if (crowd_wanted_check(wanted, model, err) < 0)
        return err_prefix(err, "what is wanted");
    *count = crowd_wanted_count(wanted, model);
    if (crowd_entity_resolve(&making->files, asked, model, making->layers + making->layer_count, &member->entity, err) <
        0)
        return err->code;
    making->layer_count += asked->layer_count;
    return 0;
}

/* --- all entities --- */

static uint64_t layers_of_all(const struct crowd_request *crowd)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < crowd->entity_count; i++)
        count += crowd->entities[i].layer_count;
    return count;
}

/* Writes the table of entities without the memory positions of their floats. False: out of memory, or the request has
 * ended. */
static bool plan(struct making *making)
{
    const struct crowd_request *crowd = making->crowd;
    struct workspace *workspace = making->workspace;
    struct buf *out = making->out;
    char *table = buf_reserve(out, (size_t)table_bytes(crowd));
    making->members = workspace_array(&workspace->parts, crowd->entity_count, sizeof *making->members);
    making->places = workspace_array(&workspace->places, crowd->entity_count, sizeof *making->places);
    making->layers = workspace_array(&workspace->blocks, (size_t)layers_of_all(crowd), sizeof *making->layers);
    if (table == NULL || making->members == NULL || making->places == NULL || making->layers == NULL)
        return false;
    memset(table, 0, CROWD_ANSWER_BYTES);
    buf_advance(out, CROWD_ANSWER_BYTES);
    for (uint32_t i = 0; i < crowd->entity_count; i++) {
        const struct crowd_entity *asked = &crowd->entities[i];
        const uint32_t item_bytes = layout_floats(asked->layout) * (uint32_t)sizeof(float);
        struct err err;
        uint64_t count;
        const int rc = plan_entity(making, asked, &count, &err);
        if (making->retargeted_clips.ended.code != 0 || making->poses.ended.code != 0)
            return false;
        buf_put_u64(out, making->floats_at + making->floats_bytes);
        buf_put_u32(out, (uint32_t)count);
        buf_put_u16(out, (uint16_t)item_bytes);
        buf_put_u16(out, 0);
        making->floats_bytes += count * item_bytes;
        if (rc < 0)
            put_wrong(making, i, &err);
        else
            making->places[making->member_count++] = i;
    }
    return true;
}

static void put_models(struct making *making)
{
    static const uint8_t NO_HASH[32];
    const struct crowd_request *crowd = making->crowd;
    for (uint32_t i = 0; i < crowd->model_count; i++) {
        const struct crowd_model *asked = &crowd->models[i];
        const struct model *model = crowd_files_model(&making->files, i);
        buf_put(making->out, model == NULL ? NO_HASH : model->infos[0].content_hash, sizeof NO_HASH);
        buf_put_u32(making->out, asked->handle);
        buf_put_u16(making->out, (uint16_t)-asked->err.code);
        buf_put_u16(making->out, 0);
        buf_put_u64(making->out, 0);
    }
}

/* Reserves the floats; those of invalid entities are 0. False: out of memory. */
static bool place_floats(struct making *making)
{
    struct buf *out = making->out;
    const size_t floats_bytes = (size_t)making->floats_bytes;
    char *floats = buf_reserve(out, floats_bytes + 1);
    if (floats == NULL)
        return false;
    buf_advance(out, floats_bytes);
    for (uint32_t i = 0; i < making->member_count; i++) {
        const char *posed = out->data + CROWD_ANSWER_BYTES + (size_t)making->places[i] * CROWD_POSED_BYTES;
        making->members[i].out = (float *)(void *)(out->data + get_u64(posed + CROWD_AT_POSED_offset));
    }
    for (size_t i = 0; i < making->wrongs.size_bytes / sizeof(struct wrong); i++) {
        const struct wrong *wrong = (const struct wrong *)(const void *)making->wrongs.data + i;
        const char *posed = out->data + CROWD_ANSWER_BYTES + (size_t)wrong->entity * CROWD_POSED_BYTES;
        memset(out->data + get_u64(posed + CROWD_AT_POSED_offset), 0,
               (size_t)get_u32(posed + CROWD_AT_POSED_count) * get_u16(posed + CROWD_AT_POSED_item_bytes));
    }
    return true;
}

static int compare_wrongs(const void *a, const void *b)
{
    const struct wrong *left = a, *right = b;
    return left->entity < right->entity ? -1 : left->entity > right->entity;
}

/* Writes the error records by entity, followed by their messages. */
static void put_wrongs(struct making *making)
{
    struct buf *out = making->out;
    struct wrong *wrongs = (struct wrong *)(void *)making->wrongs.data;
    const size_t count = making->wrongs.size_bytes / sizeof *wrongs;
    if (count > 0)
        qsort(wrongs, count, sizeof *wrongs, compare_wrongs);
    for (size_t i = 0; i < count; i++) {
        buf_put_u32(out, wrongs[i].entity);
        buf_put_u32(out, (uint32_t)-wrongs[i].code);
        buf_put_u32(out, (uint32_t)wrongs[i].message_bytes);
        buf_put_u32(out, 0);
    }
    for (size_t i = 0; i < count; i++)
        buf_put(out, making->messages.data + wrongs[i].message_at, wrongs[i].message_bytes);
}

/* Overwrites the space reserved for the header. */
static void put_header(const struct making *making)
{
    struct buf head;
    buf_init(&head, 0);
    buf_put(&head, CROWD_ANSWER_MAGIC, sizeof CROWD_ANSWER_MAGIC - 1);
    buf_put_u16(&head, CROWD_VERSION);
    buf_put_u16(&head, 0);
    buf_put_u32(&head, making->crowd->entity_count);
    buf_put_u32(&head, making->crowd->model_count);
    buf_put_u32(&head, (uint32_t)(making->wrongs.size_bytes / sizeof(struct wrong)));
    buf_put_u32(&head, 0);
    buf_put_u64(&head, making->floats_at);
    buf_put_u64(&head, making->floats_bytes);
    buf_put_u64(&head, making->floats_at + making->floats_bytes);
    buf_put_u64(&head, making->out->size_bytes);
    memcpy(making->out->data, head.data, head.size_bytes);
    buf_fini(&head);
}

/* False: a buffer failed. */
static bool make(struct making *making, uint64_t limit_bytes)
{
    struct workspace *workspace = making->workspace;
    if (!plan(making))
        return false;
    put_models(making);
    if (making->floats_at + making->floats_bytes > limit_bytes) {
        buf_fail(making->out, BUF_FULL);
        return false;
    }
    if (!place_floats(making) || crowd_run(&workspace->crowd, &workspace->entity, making->members, making->member_count,
                                           workspace->is_stopped, &making->listener) < 0)
        return false;
    put_wrongs(making);
    if (buf_failed(making->out) || buf_failed(&making->wrongs) || buf_failed(&making->messages))
        return false;
    put_header(making);
    return true;
}

static bool is_affordable(const struct making *making, const struct limits *limits, struct reply *reply)
{
    struct err err;
    const struct crowd_request *crowd = making->crowd;
    uint64_t steps = 0;
    for (uint32_t i = 0; i < crowd->entity_count; i++) {
        const struct model *of = crowd_files_model(&making->files, crowd->entities[i].model);
        steps += of == NULL ? 0 : steps_of(&crowd->entities[i], of);
    }
    making->workspace->cost.evaluations = steps;
    if (steps <= limits->value[LIMIT_EVALUATIONS])
        return true;
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "the entities' layers have %llu nodes and morph weights together, more than %s; ask for fewer",
            (unsigned long long)steps, LIMIT_TEXT(limits, LIMIT_EVALUATIONS));
    reply_error(reply, &err, NULL, 0);
    return false;
}

void body_put_crowd(struct reply_context *context)
{
    struct workspace *workspace = context->workspace;
    const struct request *request = context->request;
    const struct limits *limits = context->limits;
    struct reply *reply = context->reply;
    const uint64_t limit_bytes = context->limit_bytes;
    const bool is_json = request->format == FORMAT_JSON;
    struct making making = {
        .listener.failed = on_failed,
        .workspace = workspace,
        .files = {.crowd = request->crowd, .model = context->own_model, .sources = context->clips->sources},
        .request = request,
        .crowd = request->crowd,
        .out = is_json ? &workspace->floats : &reply->body,
        .floats_at = table_bytes(request->crowd)};
    if (!is_affordable(&making, limits, reply))
        return;
    reply_describe(request, limit_bytes, reply);
    reply->content_type = is_json ? "application/json" : CROWD_ANSWER_CONTENT_TYPE;
    reply->is_json = is_json;
    buf_clear(&workspace->floats);
    crowd_clips_init(&making.retargeted_clips, workspace);
    making.files.retargeted_clips = &making.retargeted_clips;
    crowd_poses_init(&making.poses, request->crowd, limits);
    making.files.poses = &making.poses;
    buf_init(&making.wrongs, limit_bytes);
    buf_init(&making.messages, limit_bytes);
    bool is_made = make(&making, limit_bytes);
    if (is_made && is_json) {
        body_put_crowd_json(request, making.out->data, &reply->body);
        is_made = !buf_failed(&reply->body);
    }
    buf_fini(&making.wrongs);
    buf_fini(&making.messages);
    if (!is_made) {
        struct err err = making.retargeted_clips.ended.code != 0 ? making.retargeted_clips.ended : making.poses.ended;
        if (err.code == 0)
            err_set(&err, ERR_TOO_MANY_FRAMES, "the answer is larger than %s; ask for fewer entities or joints",
                    LIMIT_TEXT(limits, LIMIT_ANSWER_BYTES));
        reply_error(reply, &err, NULL, 0);
    }
    crowd_clips_fini(&making.retargeted_clips);
    crowd_poses_fini(&making.poses);
}
