/* ogre_clip_weights.c - converts vertex animations to channels of morph weights, linear between keys. */
#include "import/curve/track.h"
#include "import/ogre/ogre.h"
#include "import/ogre/ogre_keys.h"

#include "base/mem.h"

#include <stdlib.h>

/* A track for one submesh. */
struct weights_reader {
    struct ogre *ogre;
    uint32_t submesh;
    const struct ogre_vertex_animation *animation;
    const struct ogre_vertex_track *from;
    uint32_t width;        /* the submesh's morph targets */
    uint32_t morph_first;  /* the target of a morph track's first key */
    uint32_t *pose_places; /* [mesh.pose_count]: target of the submesh, or OGRE_NONE */
};

/* Adds the weights at a key of the track, times `part`, to out[width]. */
static int add_key(const struct weights_reader *reader, uint32_t key, double part, double *out, struct err *err)
{
    const struct ogre_vertex_key *from = &reader->from->keys[key];
    if (reader->from->type == OGRE_TRACK_MORPH) {
        out[reader->morph_first + key] += part;
        return 0;
    }
    for (size_t i = 0; i < from->reference_count; i++) {
        const uint16_t pose = from->references[i].pose;
        if (pose >= reader->ogre->mesh.pose_count || reader->pose_places[pose] == OGRE_NONE)
            return err_set(err, ERR_BAD_MODEL, "animation '%.*s' moves geometry %u by pose %u, which is none of it",
                           OGRE_SHORT(reader->animation->name), reader->from->target, pose);
        out[reader->pose_places[pose]] += part * (double)from->references[i].influence;
    }
    return 0;
}

static int fill_track(const struct weights_reader *reader, const struct ogre_key_order *order, struct track *track,
                      struct err *err)
{
    const size_t width = reader->width;
    for (uint32_t k = 0; k < order->count; k++) {
        track->times_s[k] = order->times_s[k];
        if (add_key(reader, order->keys[k], 1, track->values + k * width, err) < 0)
            return err->code;
    }
    if (!order->has_end)
        return 0;
    double *end = track->values + order->count * width;
    track->times_s[order->count] = order->times_s[order->count];
    if (add_key(reader, order->keys[order->count - 1], 1 - order->end_part, end, err) < 0)
        return err->code;
    return add_key(reader, order->keys[0], order->end_part, end, err);
}

static int add_track(const struct weights_reader *reader, struct err *err)
{
    struct ogre *ogre = reader->ogre;
    const size_t key_count = reader->from->key_count;
    double *times_s = mem_alloc((key_count + 1) * sizeof *times_s);
    struct ogre_key_order order;
    for (size_t k = 0; k < key_count; k++)
        times_s[k] = (double)reader->from->keys[k].time_s;
    ogre_key_order_make(&order, times_s, key_count, (double)reader->animation->length_s);
    free(times_s);
    struct track track = {.count = order.count + order.has_end, .components = reader->width};
    int rc = import_check_limit(ogre->import, LIMIT_KEYS, ogre->builder->key_value_count,
                                (uint64_t)track.count * reader->width, "the clips' morph weights", err);
    if (rc == 0 && track.count > 0) {
        track.times_s = mem_alloc(track.count * sizeof *track.times_s);
        track.values = mem_zalloc((size_t)track.count * reader->width, sizeof *track.values);
        rc = fill_track(reader, &order, &track, err);
        if (rc == 0)
            rc = track_put(&track, ogre->import, ogre->submesh_node_first + reader->submesh, PATH_WEIGHTS, err);
    }
    ogre_key_order_fini(&order);
    track_fini(&track);
    return rc;
}

/* Fills pose_places and the width, and returns the first target made from a morph key. */
static uint32_t place_targets(struct weights_reader *reader)
{
    const struct ogre_mesh *mesh = &reader->ogre->mesh;
    uint32_t place = 0;
    for (size_t p = 0; p < mesh->pose_count; p++)
        reader->pose_places[p] =
            ogre_is_target_of(reader->ogre, mesh->poses[p].target, reader->submesh) ? place++ : OGRE_NONE;
    reader->width = (uint32_t)ogre_target_count(reader->ogre, reader->submesh);
    return place;
}

static int add_of_submesh(struct weights_reader *reader, struct err *err)
{
    const struct ogre_mesh *mesh = &reader->ogre->mesh;
    uint32_t morph = place_targets(reader);
    bool is_moved = false;
    for (size_t a = 0; a < mesh->animation_count; a++)
        for (size_t t = 0; t < mesh->animations[a].track_count; t++) {
            const struct ogre_vertex_track *track = &mesh->animations[a].tracks[t];
            if (!ogre_is_target_of(reader->ogre, track->target, reader->submesh))
                continue;
            reader->from = track;
            reader->morph_first = morph;
            if (&mesh->animations[a] == reader->animation && is_moved)
                bake_warn(reader->ogre->builder, "channel_twice", "two tracks move geometry %u; the first is taken",
                          track->target);
            else if (&mesh->animations[a] == reader->animation && reader->width > 0 && add_track(reader, err) < 0)
                return err->code;
            is_moved |= &mesh->animations[a] == reader->animation;
            morph += track->type == OGRE_TRACK_MORPH ? (uint32_t)track->key_count : 0;
        }
    return 0;
}

int ogre_add_weights(struct ogre *ogre, const struct ogre_vertex_animation *animation, struct err *err)
{
    struct weights_reader reader = {.ogre = ogre, .animation = animation};
    int rc = 0;
    if (animation->has_base)
        bake_warn(ogre->builder, "base_key_ignored", "animation '%.*s' is relative to a key of another animation",
                  OGRE_SHORT(animation->name));
    reader.pose_places = mem_alloc((ogre->mesh.pose_count + 1) * sizeof *reader.pose_places);
    for (uint32_t s = 0; s < ogre->mesh.submesh_count && rc == 0; s++) {
        reader.submesh = s;
        rc = add_of_submesh(&reader, err);
    }
    free(reader.pose_places);
    return rc;
}
