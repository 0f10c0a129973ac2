/* request_canonical.c - hashes the values of a request, for its ETag. */
#include "base/hash.h"
#include "base/hex.h"
#include "wire/request/request_given.h"
#include "wire/request/request_parser.h"

#include <string.h>

static uint64_t hash_uint(uint64_t state, uint64_t value) { return hash64(state, &value, sizeof value); }

/* Hashes the NUL too, so that adjacent texts cannot merge. */
static uint64_t hash_text(uint64_t state, const char *text) { return hash64(state, text, strlen(text) + 1); }

static uint64_t hash_selector(uint64_t state, const struct selector *selector)
{
    const uint64_t numbers[] = {(uint64_t)selector->kind, selector->index, (uint64_t)selector->scope};
    state = hash64(state, numbers, sizeof numbers);
    return selector->name == NULL ? state : hash_text(state, selector->name);
}

/* --- list items, in order --- */

static uint64_t hash_double(uint64_t state, const double *number) { return hash64(state, number, sizeof *number); }
static uint64_t hash_rule(uint64_t state, const struct name_rule *rule) { return hash_text(state, rule->text); }

static uint64_t hash_bone(uint64_t state, const struct humanoid_rule *rule)
{
    return hash_text(hash_uint(state, (uint64_t)rule->role), rule->joint);
}

static uint64_t hash_turn(uint64_t state, const struct request_turn *turn)
{
    return hash64(hash_selector(state, &turn->joint), turn->degrees, sizeof turn->degrees);
}

static uint64_t hash_shown(uint64_t state, const struct request_weight *shown)
{
    return hash_uint(hash_double(hash_text(state, shown->name), &shown->weight), shown->is_expression);
}

static uint64_t hash_point(uint64_t state, const struct request_point *point)
{
    const uint64_t numbers[] = {point->primitive, point->triangle, point->is_on_surface};
    state = hash_selector(hash_selector(hash_text(state, point->name == NULL ? "" : point->name), &point->thing),
                          &point->node);
    return hash64(hash64(state, numbers, sizeof numbers), point->place, sizeof point->place);
}

#define HASH_ITEM(state, item)                                                                                         \
    _Generic((item),                                                                                                   \
        const double *: hash_double,                                                                                   \
        const struct selector *: hash_selector,                                                                        \
        const struct name_rule *: hash_rule,                                                                           \
        const struct humanoid_rule *: hash_bone,                                                                       \
        const struct request_turn *: hash_turn,                                                                        \
        const struct request_weight *: hash_shown,                                                                     \
        const struct request_point *: hash_point)(state, item)

/* --- values --- */

static bool is_zero(const void *value, size_t size_bytes)
{
    const unsigned char *bytes = value;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size_bytes - 1) == 0;
}

static uint64_t hash_value(uint64_t state, uint64_t row, const void *value, size_t size_bytes)
{
    return is_zero(value, size_bytes) ? state : hash64(hash_uint(state, row), value, size_bytes);
}

/* Hashes the layers and their references. They may inherit some values from the request. */
static uint64_t hash_layers(uint64_t state, const struct request_pose *pose)
{
    for (uint32_t i = 0; i < pose->layer_count; i++) {
        const struct request_pose *layer = &pose->layers[i];
        const uint64_t numbers[] = {layer->canonical, (uint64_t)layer->wrap, layer->mode,
                                    layer->reference == NULL ? 0 : layer->reference->canonical};
        state = hash64(state, numbers, sizeof numbers);
        if (layer->given != NULL)
            state = hash_uint(state, layer->given->hash);
    }
    return state;
}

/* Times are hashed last, so that a query at another time only hashes these. */
void request_set_canonical_times(struct request *request)
{
    const struct request_pose *pose = &request->pose;
    uint64_t h = hash_uint(request->canonical_rest, pose->time_count);
    if (pose->time_count > 0)
        h = hash64(h, pose->times_s, pose->time_count * sizeof *pose->times_s);
    request->pose.canonical = h;
    hex_put_number(request->canonical, h, 16);
    request->canonical[16] = '\0';
}

static uint64_t hash_lists(uint64_t state, const struct request *request)
{
    uint64_t row = 0;
#define LIST(buf, items, count, type)                                                                                  \
    row++;                                                                                                             \
    if (request->count > 0)                                                                                            \
        state = hash_uint(hash_uint(state, row), request->count);                                                      \
    for (uint32_t i = 0; i < request->count; i++)                                                                      \
        state = HASH_ITEM(state, &request->items[i]);
#include "wire/request/request_fields.def"
    return state;
}

/* Hashes each file of a request that accepts several. */
static uint64_t hash_files(uint64_t state, const struct request *request)
{
    for (uint32_t i = 0; request->file_count > 0 && i < request->source_count; i++)
        state = hash_text(state, request->sources[i].path);
    return state;
}

/* A sheet's manifest repeats the target of its request as it came, but for `route`. target: NULL for a POST. */
static uint64_t hash_target(uint64_t state, const char *target)
{
    static const char ROUTE[] = "route";
    for (const char *at = target == NULL ? "" : target; *at != '\0'; at += *at == '&' || *at == '?') {
        const size_t part_bytes = strcspn(at, "?&"), name_bytes = strcspn(at, "=?&");
        if (name_bytes != sizeof ROUTE - 1 || memcmp(at, ROUTE, name_bytes) != 0)
            state = hash64(hash_uint(state, part_bytes), at, part_bytes);
        at += part_bytes;
    }
    return state;
}

void request_set_canonical(struct request *request)
{
    uint64_t h = HASH64_SEED, row = 0;
#define VALUE(member) h = hash_value(h, ++row, &request->member, sizeof request->member);
#define TEXT(member)                                                                                                   \
    row++;                                                                                                             \
    if (request->member != NULL)                                                                                       \
        h = hash_text(hash_uint(h, row), request->member);
#define SELECTOR(member)                                                                                               \
    row++;                                                                                                             \
    if (request->member.kind != SELECT_NONE)                                                                           \
        h = hash_selector(hash_uint(h, row), &request->member);
#include "wire/request/request_fields.def"
    if (OP_INFO[request->op].form == FORM_SHEET && request->sheet.format == SHEET_JSON)
        h = hash_target(hash_uint(h, ++row), request->view.target_text);
    request->canonical_rest = hash_layers(hash_files(hash_lists(h, request), request), &request->pose);
    request_set_canonical_times(request);
}
