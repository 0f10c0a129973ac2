/* ogre_vertex_animation.c - reads poses, and vertex animations by morphs (whole geometries) or by poses. */
#include "import/ogre/ogre_mesh.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
    POSE = 0xc100,
    POSE_VERTEX = 0xc111,
    ANIMATION = 0xd100,
    ANIMATION_BASE = 0xd105,
    ANIMATION_TRACK = 0xd110,
    MORPH_KEY = 0xd111,
    POSE_KEY = 0xd112,
    POSE_REFERENCE = 0xd113,
};

#define ADD(array, count, capacity)                                                                                    \
    ((array) = mem_grow(array, &(capacity), (count) + 1, sizeof *(array)), &(array)[(count)++])

const struct ogre_geometry *ogre_target(const struct ogre_mesh *mesh, uint16_t target)
{
    if (target == 0)
        return &mesh->shared;
    if (target > mesh->submesh_count || mesh->submeshes[target - 1].is_shared)
        return NULL;
    return &mesh->submeshes[target - 1].geometry;
}

static void read_pose(struct ogre_mesh *mesh)
{
    struct ogre_stream *stream = &mesh->stream;
    struct ogre_pose *pose = ADD(mesh->poses, mesh->pose_count, mesh->pose_capacity);
    *pose = (struct ogre_pose){.name = ogre_line(stream)};
    pose->target = ogre_u16(stream);
    pose->has_normals = mesh->version >= 180 && ogre_bool(stream);
    while (ogre_enter_if(stream, POSE_VERTEX)) {
        struct ogre_pose_vertex *vertex = ADD(pose->vertices, pose->vertex_count, pose->vertex_capacity);
        *vertex = (struct ogre_pose_vertex){.vertex = ogre_u32(stream)};
        ogre_f32s(stream, vertex->offset, 3);
        if (pose->has_normals)
            ogre_f32s(stream, vertex->normal, 3);
    }
}

void ogre_poses_read(struct ogre_mesh *mesh)
{
    while (ogre_enter_if(&mesh->stream, POSE))
        read_pose(mesh);
}

static void read_morph_key(struct ogre_mesh *mesh, const struct ogre_vertex_track *track, struct ogre_vertex_key *key)
{
    struct ogre_stream *stream = &mesh->stream;
    const struct ogre_geometry *geometry = ogre_target(mesh, track->target);
    key->has_normals = mesh->version >= 180 && ogre_bool(stream);
    if (geometry == NULL)
        ogre_fail(stream, "a track for geometry %u, which does not exist", track->target);
    else
        key->positions = ogre_take(stream, geometry->vertex_count, key->has_normals ? 24 : 12);
}

static void read_pose_key(struct ogre_stream *stream, struct ogre_vertex_key *key)
{
    while (ogre_enter_if(stream, POSE_REFERENCE)) {
        struct ogre_pose_reference *reference = ADD(key->references, key->reference_count, key->reference_capacity);
        reference->pose = ogre_u16(stream);
        reference->influence = ogre_f32(stream);
    }
}

static void read_track(struct ogre_mesh *mesh, struct ogre_vertex_animation *animation)
{
    struct ogre_stream *stream = &mesh->stream;
    struct ogre_vertex_track *track = ADD(animation->tracks, animation->track_count, animation->track_capacity);
    *track = (struct ogre_vertex_track){.type = ogre_u16(stream)};
    track->target = ogre_u16(stream);
    const uint16_t id = track->type == OGRE_TRACK_MORPH ? MORPH_KEY : POSE_KEY;
    if (track->type != OGRE_TRACK_MORPH && track->type != OGRE_TRACK_POSE)
        ogre_fail(stream, "a track of vertices of the unknown type %u", track->type);
    while (ogre_enter_if(stream, id)) {
        struct ogre_vertex_key *key = ADD(track->keys, track->key_count, track->key_capacity);
        *key = (struct ogre_vertex_key){.time_s = ogre_f32(stream)};
        if (id == MORPH_KEY)
            read_morph_key(mesh, track, key);
        else
            read_pose_key(stream, key);
    }
}

void ogre_animations_read(struct ogre_mesh *mesh)
{
    struct ogre_stream *stream = &mesh->stream;
    while (ogre_enter_if(stream, ANIMATION)) {
        struct ogre_vertex_animation *animation =
            ADD(mesh->animations, mesh->animation_count, mesh->animation_capacity);
        *animation = (struct ogre_vertex_animation){.name = ogre_line(stream)};
        animation->length_s = ogre_f32(stream);
        if (ogre_enter_if(stream, ANIMATION_BASE)) {
            animation->has_base = true;
            ogre_line(stream);
            ogre_f32(stream);
        }
        while (ogre_enter_if(stream, ANIMATION_TRACK))
            read_track(mesh, animation);
    }
}

void ogre_vertex_animations_fini(struct ogre_mesh *mesh)
{
    for (size_t i = 0; i < mesh->pose_count; i++)
        free(mesh->poses[i].vertices);
    for (size_t i = 0; i < mesh->animation_count; i++) {
        struct ogre_vertex_animation *animation = &mesh->animations[i];
        for (size_t t = 0; t < animation->track_count; t++) {
            for (size_t k = 0; k < animation->tracks[t].key_count; k++)
                free(animation->tracks[t].keys[k].references);
            free(animation->tracks[t].keys);
        }
        free(animation->tracks);
    }
    free(mesh->poses);
    free(mesh->animations);
}
