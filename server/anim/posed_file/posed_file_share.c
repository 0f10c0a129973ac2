/* posed_file_share.c - finds equal keys by a hash table. */
#include "anim/posed_file/posed_file_share.h"

#include "anim/compiled/clip_plan.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* A list of times or values that is stored once. */
struct piece {
    const unsigned char *bytes;
    size_t size_bytes;
    size_t
        period_bytes; /* it repeats its first bytes; a shorter one that repeats them is its beginning. 0: it does not */
    uint64_t hash;
    uint32_t first; /* where it is stored */
};

struct pieces {
    struct piece *pieces; /* in order of their first channels */
    uint32_t count;
    uint32_t *slots; /* [slot_mask + 1]: 0, or 1 + an index of `pieces` */
    uint32_t slot_mask;
    uint32_t *of_channel; /* index of each channel's piece */
};

static bool pieces_init(struct pieces *of, uint32_t channel_count)
{
    uint64_t slots = 2;
    while (slots < 2 * (uint64_t)channel_count)
        slots *= 2;
    *of = (struct pieces){.pieces = calloc((size_t)channel_count + 1, sizeof *of->pieces),
                          .slots = slots > UINT32_MAX ? NULL : calloc((size_t)slots, sizeof *of->slots),
                          .slot_mask = (uint32_t)(slots - 1),
                          .of_channel = calloc((size_t)channel_count + 1, sizeof *of->of_channel)};
    return of->pieces != NULL && of->slots != NULL && of->of_channel != NULL;
}

static void pieces_fini(struct pieces *of)
{
    free(of->pieces);
    free(of->slots);
    free(of->of_channel);
}

static bool is_same(const struct piece *a, const struct piece *b)
{
    if (a->hash != b->hash || a->period_bytes != b->period_bytes)
        return false;
    return a->period_bytes > 0 ? memcmp(a->bytes, b->bytes, a->period_bytes) == 0
                               : a->size_bytes == b->size_bytes && memcmp(a->bytes, b->bytes, a->size_bytes) == 0;
}

/* Gives channel `c` a piece of these bytes: one that is equal, or a new one. */
static void take(struct pieces *of, uint32_t c, const void *bytes, size_t size_bytes, size_t period_bytes)
{
    struct piece piece = {.bytes = bytes, .size_bytes = size_bytes, .period_bytes = period_bytes};
    piece.hash = hash64(HASH64_SEED ^ period_bytes, bytes, period_bytes > 0 ? period_bytes : size_bytes);
    uint32_t slot = (uint32_t)piece.hash & of->slot_mask;
    while (of->slots[slot] != 0 && !is_same(&of->pieces[of->slots[slot] - 1], &piece))
        slot = (slot + 1) & of->slot_mask;
    if (of->slots[slot] == 0) {
        of->pieces[of->count++] = piece;
        of->slots[slot] = of->count;
    }
    struct piece *kept = &of->pieces[of->slots[slot] - 1];
    if (size_bytes > kept->size_bytes)
        *kept = piece;
    of->of_channel[c] = of->slots[slot] - 1;
}

/* Places the pieces one behind the other. Returns their number of elements. */
static uint64_t place(struct pieces *of, size_t item_bytes)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        of->pieces[i].first = (uint32_t)end;
        end += of->pieces[i].size_bytes / item_bytes;
    }
    return end;
}

static void store(const struct pieces *of, size_t item_bytes, void *to)
{
    for (uint32_t i = 0; i < of->count && to != NULL; i++)
        memcpy((unsigned char *)to + of->pieces[i].first * item_bytes, of->pieces[i].bytes, of->pieces[i].size_bytes);
}

static void find_pieces(const struct model *model, struct pieces *times, struct pieces *values)
{
    for (uint32_t c = 0; c < model->channel_count; c++) {
        const struct channel *channel = &model->channels[c];
        const size_t parts = channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
        const size_t key_bytes = channel->component_count * parts * sizeof *model->key_values;
        const size_t size_bytes = channel->key_count * key_bytes;
        const unsigned char *bytes = (const unsigned char *)(model->key_values + channel->value_first);
        const bool repeats = memcmp(bytes, bytes + key_bytes, size_bytes - key_bytes) == 0;
        take(times, c, model->key_times + channel->key_time_first, channel->key_count * sizeof *model->key_times, 0);
        take(values, c, bytes, size_bytes, repeats ? key_bytes : 0);
    }
}

static void add(struct bake_builder *builder, const struct model *model, struct pieces *times, struct pieces *values)
{
    const uint64_t time_count = place(times, sizeof *model->key_times);
    const uint64_t value_count = place(values, sizeof *model->key_values);
    /* Ranges of a model that overlap can be smaller than pieces. Opening a file refuses more frames than its keys
     * permit. Then the arrays stay as they are. */
    const bool shares_times = time_count <= model->key_time_count;
    const bool shares_values =
        value_count <= model->key_value_count && model->lane_value_count <= clip_blocks_float_limit(value_count);
    struct channel *channels = bake_add_channel(builder, model->channel_count);
    if (shares_times)
        store(times, sizeof *model->key_times, bake_add_key_time(builder, (uint32_t)time_count));
    if (shares_values)
        store(values, sizeof *model->key_values, bake_add_key_value(builder, (uint32_t)value_count));
    for (uint32_t c = 0; c < model->channel_count && channels != NULL; c++) {
        channels[c] = model->channels[c];
        if (shares_times)
            channels[c].key_time_first = times->pieces[times->of_channel[c]].first;
        if (shares_values)
            channels[c].value_first = values->pieces[values->of_channel[c]].first;
    }
}

void posed_file_share_keys(struct bake_builder *builder, const struct model *model)
{
    struct pieces times, values = {0};
    if (model->channel_count == 0)
        return;
    if (pieces_init(&times, model->channel_count) && pieces_init(&values, model->channel_count)) {
        find_pieces(model, &times, &values);
        add(builder, model, &times, &values);
    } else {
        builder->is_failed = true;
    }
    pieces_fini(&times);
    pieces_fini(&values);
}
