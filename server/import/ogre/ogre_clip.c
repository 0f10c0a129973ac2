/* ogre_clip.c - converts animations to clips. A track's keys are changes relative to the bind pose of its bone.
 *
 * Ogre interpolates rotations with nlerp along the shorter arc (Animation::RIM_LINEAR). Cubic curves with tangents
 * along the line reproduce that exactly. If neighbouring keys are close, slerp gives the same result. */
#include "import/curve/track.h"
#include "import/ogre/ogre.h"
#include "import/ogre/ogre_keys.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cosine of half the angle between keys up to which nlerp equals slerp. They differ by less than 1e-7 of a turn up
 * to 0.03 radians. */
static const double NEAR_COSINE = 0.9999;

/* One channel path of a bone in a clip. */
struct path_reader {
    struct ogre *ogre;
    const struct ogre_bone *bone;
    const struct ogre_bone_track *from;
    const struct ogre_key_order *order;
    double scale; /* of the changes of a linked skeleton */
    uint32_t path, width;
};

/* The bone's local value at a key. */
static void value_of(const struct path_reader *reader, uint32_t key, double *out)
{
    const struct trs *change = &reader->from->keys[key].change, *bind = &reader->bone->parent_from_bone;
    if (reader->path == PATH_ROTATION) {
        quat_mul(bind->rotation, change->rotation, out);
        quat_normalize(out);
        return;
    }
    for (int i = 0; i < 3; i++)
        out[i] = reader->path == PATH_TRANSLATION ? bind->translation[i] + reader->scale * change->translation[i]
                                                  : bind->scale[i] * (1 + reader->scale * (change->scale[i] - 1));
}

/* Fills track->values with plain keys. Each rotation gets the sign that is nearer to the previous key. */
static void fill(const struct path_reader *reader, struct track *track)
{
    const struct ogre_key_order *order = reader->order;
    const uint32_t width = reader->width;
    for (uint32_t k = 0; k < order->count; k++)
        value_of(reader, order->keys[k], track->values + (size_t)k * width);
    double *end = track->values + (size_t)order->count * width;
    for (uint32_t i = 0; order->has_end && i < width; i++)
        end[i] = track->values[i];
    for (uint32_t k = 1; reader->path == PATH_ROTATION && k < track->count; k++) {
        double *value = track->values + 4 * (size_t)k;
        const double side = dot4(value - 4, value) < 0 ? -1 : 1;
        for (int i = 0; i < 4; i++)
            value[i] *= side;
    }
    for (uint32_t i = 0; order->has_end && i < width; i++)
        end[i] = (end - width)[i] + order->end_part * (end[i] - (end - width)[i]);
    if (order->has_end && reader->path == PATH_ROTATION)
        quat_normalize(end);
}

static bool is_wide(const struct track *track)
{
    for (uint32_t k = 1; k < track->count; k++)
        if (dot4(track->values + 4 * (size_t)(k - 1), track->values + 4 * (size_t)k) < NEAR_COSINE)
            return true;
    return false;
}

/* Converts keys to a cubic curve that is linear between them. */
static void make_cubic(struct track *track)
{
    const double *plain = track->values;
    double *cubic = mem_zalloc(3 * (size_t)track->count * 4, sizeof *cubic);
    for (uint32_t k = 0; k < track->count; k++) {
        memcpy(cubic + 12 * (size_t)k + 4, plain + 4 * (size_t)k, 4 * sizeof *cubic);
        for (int i = 0; k + 1 < track->count && i < 4; i++) {
            const double slope = (plain[4 * (size_t)(k + 1) + (size_t)i] - plain[4 * (size_t)k + (size_t)i]) /
                                 (track->times_s[k + 1] - track->times_s[k]);
            cubic[12 * (size_t)k + 8 + (size_t)i] = slope;
            cubic[12 * (size_t)(k + 1) + (size_t)i] = slope;
        }
    }
    free(track->values);
    track->values = cubic;
    track->is_cubic = true;
}

/* Whether all keys equal the bone's rest value. */
static bool is_rest(const struct path_reader *reader, const struct track *track)
{
    const struct trs *bind = &reader->bone->parent_from_bone;
    const double *rest = reader->path == PATH_TRANSLATION ? bind->translation
                         : reader->path == PATH_ROTATION  ? bind->rotation
                                                          : bind->scale;
    for (size_t i = 0; i < (size_t)track->count * reader->width; i++)
        if ((float)track->values[i] != (float)rest[i % reader->width])
            return false;
    return true;
}

static int add_path(struct path_reader *reader, uint32_t node, uint32_t path, struct err *err)
{
    const struct ogre_key_order *order = reader->order;
    reader->path = path;
    reader->width = path == PATH_ROTATION ? 4 : 3;
    struct track track = {
        .count = order->count + order->has_end, .components = reader->width, .is_rotation = path == PATH_ROTATION};
    track.times_s = mem_alloc(track.count * sizeof *track.times_s);
    track.values = mem_alloc((size_t)track.count * reader->width * sizeof *track.values);
    memcpy(track.times_s, order->times_s, track.count * sizeof *track.times_s);
    fill(reader, &track);
    int rc = 0;
    if (!is_rest(reader, &track)) {
        if (path == PATH_ROTATION && is_wide(&track))
            make_cubic(&track);
        rc = track_put(&track, reader->ogre->import, node, path, err);
    }
    track_fini(&track);
    return rc;
}

static int add_track(struct ogre *ogre, const struct ogre_bone_animation *animation, const struct ogre_bone_track *from,
                     double scale, struct err *err)
{
    const int32_t bone = ogre->skeleton.bone_of[from->handle];
    if (bone < 0) {
        bake_warn(ogre->builder, "channel_without_node", "clip '%.*s': no bone has the handle %u",
                  OGRE_SHORT(animation->name), from->handle);
        return 0;
    }
    double *times_s = mem_alloc((from->key_count + 1) * sizeof *times_s);
    struct ogre_key_order order;
    for (size_t k = 0; k < from->key_count; k++)
        times_s[k] = from->keys[k].time_s;
    ogre_key_order_make(&order, times_s, from->key_count, animation->length_s);
    free(times_s);
    if (order.is_repaired)
        bake_warn(ogre->builder, "duplicate_key_times", "bone %u has several keys at one time; the last is kept",
                  from->handle);
    struct path_reader reader = {
        .ogre = ogre, .bone = &ogre->skeleton.bones[bone], .from = from, .order = &order, .scale = scale};
    int rc = 0;
    for (uint32_t path = PATH_TRANSLATION; path <= PATH_SCALE && order.count > 0 && rc == 0; path++)
        rc = add_path(&reader, (uint32_t)bone, path, err);
    ogre_key_order_fini(&order);
    return rc;
}

/* Adds the tracks of an animation; only the first track of a bone counts. */
static int add_tracks(struct ogre *ogre, const struct ogre_bone_animation *animation, double scale, struct err *err)
{
    uint8_t *is_moved = mem_zalloc(1 << 16, 1);
    int rc = 0;
    if (animation->has_base)
        bake_warn(ogre->builder, "base_key_ignored", "animation '%.*s' is relative to a key of another animation",
                  OGRE_SHORT(animation->name));
    for (size_t t = 0; t < animation->track_count && rc == 0; t++) {
        const struct ogre_bone_track *track = &animation->tracks[t];
        if (is_moved[track->handle])
            bake_warn(ogre->builder, "channel_twice", "two tracks move bone %u; the first is taken", track->handle);
        else
            rc = add_track(ogre, animation, track, scale, err);
        is_moved[track->handle] = 1;
    }
    free(is_moved);
    return rc;
}

/* --- clips --- */

static bool is_same(struct ogre_text a, struct ogre_text b)
{
    return a.size_bytes == b.size_bytes && memcmp(a.text, b.text, a.size_bytes) == 0;
}

/* Returns the first vertex animation of a name, or NULL. */
static const struct ogre_vertex_animation *find_vertex_animation(const struct ogre *ogre, struct ogre_text name)
{
    for (size_t i = 0; i < ogre->mesh.animation_count; i++)
        if (is_same(ogre->mesh.animations[i].name, name))
            return &ogre->mesh.animations[i];
    return NULL;
}

/* Whether the skeleton itself has an animation of this name. */
static bool has_animation(const struct ogre *ogre, struct ogre_text name)
{
    for (size_t i = 0; i < ogre->skeleton.animation_count; i++)
        if (is_same(ogre->skeleton.animations[i].name, name))
            return true;
    return false;
}

/* Either of the two may be NULL. */
static int add_clip(struct ogre *ogre, struct ogre_text name, const struct ogre_bone_animation *bones, double scale,
                    const struct ogre_vertex_animation *vertices, struct err *err)
{
    struct clip clip = {.name = ogre_put_text(ogre, name), .channel_first = ogre->builder->channel_count};
    if (import_check_limit(ogre->import, LIMIT_CLIPS, ogre->builder->clip_count, 1, "the animations", err) < 0 ||
        (bones != NULL && ogre->has_skeleton && add_tracks(ogre, bones, scale, err) < 0) ||
        (vertices != NULL && ogre_add_weights(ogre, vertices, err) < 0))
        return err->code;
    clip.duration_s = fmax(bones != NULL ? bones->length_s : 0, vertices != NULL ? (double)vertices->length_s : 0);
    clip.channel_count = ogre->builder->channel_count - clip.channel_first;
    return import_put_clip(ogre->import, &clip, err);
}

/* Adds the animations of linked skeletons whose names the skeleton lacks. */
static int add_linked(struct ogre *ogre, struct err *err)
{
    for (size_t l = 0; l < ogre->skeleton.link_count; l++)
        for (size_t a = 0; a < ogre->linked[l].animation_count; a++) {
            const struct ogre_bone_animation *animation = &ogre->linked[l].animations[a];
            if (!has_animation(ogre, animation->name) &&
                add_clip(ogre, animation->name, animation, ogre->skeleton.links[l].scale, NULL, err) < 0)
                return err->code;
        }
    return 0;
}

int ogre_read_clips(struct ogre *ogre, struct err *err)
{
    for (size_t a = 0; a < ogre->skeleton.animation_count; a++) {
        const struct ogre_bone_animation *animation = &ogre->skeleton.animations[a];
        if (add_clip(ogre, animation->name, animation, 1, find_vertex_animation(ogre, animation->name), err) < 0)
            return err->code;
    }
    if (add_linked(ogre, err) < 0)
        return err->code;
    for (size_t a = 0; a < ogre->mesh.animation_count; a++)
        if (!has_animation(ogre, ogre->mesh.animations[a].name) &&
            add_clip(ogre, ogre->mesh.animations[a].name, NULL, 1, &ogre->mesh.animations[a], err) < 0)
            return err->code;
    return 0;
}
