/* ogre_target.c - converts poses and morph keys to morph targets of the submeshes with their geometry. */
#include "import/ogre/ogre.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_morph_of(const struct ogre *ogre, const struct ogre_vertex_track *track, uint32_t submesh)
{
    return track->type == OGRE_TRACK_MORPH && ogre_is_target_of(ogre, track->target, submesh);
}

uint64_t ogre_target_count(const struct ogre *ogre, uint32_t submesh)
{
    const struct ogre_mesh *mesh = &ogre->mesh;
    uint64_t count = 0;
    for (size_t p = 0; p < mesh->pose_count; p++)
        count += ogre_is_target_of(ogre, mesh->poses[p].target, submesh);
    for (size_t a = 0; a < mesh->animation_count; a++)
        for (size_t t = 0; t < mesh->animations[a].track_count; t++)
            if (is_morph_of(ogre, &mesh->animations[a].tracks[t], submesh))
                count += mesh->animations[a].tracks[t].key_count;
    return count;
}

/* The state while a submesh's targets are added. */
struct target_reader {
    struct ogre *ogre;
    const uint32_t *vertices; /* [count] */
    uint32_t count;
    const struct primitive *primitive;
    const struct ogre_pose_vertex **moved; /* [vertex_count of the geometry]: vertex of the current pose, or NULL */
    uint32_t geometry_count;
    bool has_normals; /* the primitive has normals of the file */
};

static struct vec3 *new_deltas(const struct target_reader *reader, uint32_t *first, struct err *err)
{
    *first = reader->ogre->builder->morph_delta_count;
    struct vec3 *deltas = bake_add_morph_delta(reader->ogre->builder, reader->count);
    if (deltas == NULL)
        import_full(reader->ogre->import, err);
    return deltas;
}

/* --- poses --- */

static int add_pose_deltas(const struct target_reader *reader, bool is_normal, uint32_t *first, struct err *err)
{
    struct vec3 *deltas = new_deltas(reader, first, err);
    const struct vec3 *normals = reader->ogre->builder->normals + reader->primitive->vertex_first;
    if (deltas == NULL)
        return err->code;
    for (uint32_t v = 0; v < reader->count; v++) {
        const struct ogre_pose_vertex *moved = reader->moved[reader->vertices[v]];
        if (moved != NULL && !is_normal)
            deltas[v] = (struct vec3){moved->offset[0], moved->offset[1], moved->offset[2]};
        else if (moved != NULL) /* a pose stores the normal itself, not a delta (Mesh::softwareVertexPoseBlend() of
                                   OgreMesh.cpp) */
            deltas[v] = (struct vec3){moved->normal[0] - normals[v].x, moved->normal[1] - normals[v].y,
                                      moved->normal[2] - normals[v].z};
    }
    return 0;
}

static int add_pose(struct target_reader *reader, const struct ogre_pose *pose, struct err *err)
{
    struct morph_target target = {.name = ogre_put_text(reader->ogre, pose->name), .normal_first = UINT32_MAX};
    for (size_t i = 0; i < pose->vertex_count; i++) {
        if (pose->vertices[i].vertex >= reader->geometry_count)
            return err_set(err, ERR_BAD_MODEL, "pose '%.*s' moves vertex %u, but there are %u", OGRE_SHORT(pose->name),
                           pose->vertices[i].vertex, reader->geometry_count);
        reader->moved[pose->vertices[i].vertex] = &pose->vertices[i];
    }
    int rc = add_pose_deltas(reader, false, &target.position_first, err);
    if (rc == 0 && pose->has_normals && reader->has_normals)
        rc = add_pose_deltas(reader, true, &target.normal_first, err);
    for (size_t i = 0; i < pose->vertex_count; i++)
        reader->moved[pose->vertices[i].vertex] = NULL;
    return rc < 0 ? rc : import_put_morph_target(reader->ogre->import, &target, err);
}

/* --- morphs --- */

/* Adds the deltas of a morph key from the primitive's values. `offset` is the position of the three numbers in a vertex
 * of the key. */
static int add_morph_deltas(const struct target_reader *reader, const struct ogre_vertex_key *key, size_t offset,
                            const struct vec3 *base, uint32_t *first, struct err *err)
{
    const size_t stride = key->has_normals ? 24 : 12;
    struct vec3 *deltas = new_deltas(reader, first, err);
    for (uint32_t v = 0; deltas != NULL && v < reader->count; v++) {
        const uint8_t *at = key->positions + stride * reader->vertices[v] + offset;
        const struct ogre_stream *stream = &reader->ogre->mesh.stream;
        deltas[v] = (struct vec3){ogre_f32_at(stream, at) - base[v].x, ogre_f32_at(stream, at + 4) - base[v].y,
                                  ogre_f32_at(stream, at + 8) - base[v].z};
    }
    return deltas == NULL ? err->code : 0;
}

static int add_morph(struct target_reader *reader, const struct ogre_vertex_animation *animation,
                     const struct ogre_vertex_key *key, size_t index, struct err *err)
{
    const struct bake_builder *builder = reader->ogre->builder;
    const uint32_t first = reader->primitive->vertex_first;
    char name[128];
    snprintf(name, sizeof name, "%.*s %zu", OGRE_SHORT(animation->name), index);
    struct morph_target target = {.name = bake_textz(reader->ogre->builder, name), .normal_first = UINT32_MAX};
    if (add_morph_deltas(reader, key, 0, builder->positions + first, &target.position_first, err) < 0 ||
        (key->has_normals && reader->has_normals &&
         add_morph_deltas(reader, key, 12, builder->normals + first, &target.normal_first, err) < 0))
        return err->code;
    return import_put_morph_target(reader->ogre->import, &target, err);
}

static int add_all(struct target_reader *reader, uint32_t submesh, struct err *err)
{
    const struct ogre_mesh *mesh = &reader->ogre->mesh;
    for (size_t p = 0; p < mesh->pose_count; p++)
        if (ogre_is_target_of(reader->ogre, mesh->poses[p].target, submesh) &&
            add_pose(reader, &mesh->poses[p], err) < 0)
            return err->code;
    for (size_t a = 0; a < mesh->animation_count; a++) {
        const struct ogre_vertex_animation *animation = &mesh->animations[a];
        for (size_t t = 0; t < animation->track_count; t++)
            for (size_t k = 0;
                 is_morph_of(reader->ogre, &animation->tracks[t], submesh) && k < animation->tracks[t].key_count; k++)
                if (add_morph(reader, animation, &animation->tracks[t].keys[k], k, err) < 0)
                    return err->code;
    }
    return 0;
}

int ogre_add_targets(struct ogre *ogre, uint32_t submesh, const uint32_t *vertices, uint32_t count,
                     struct primitive *primitive, struct err *err)
{
    const uint64_t targets = ogre_target_count(ogre, submesh);
    const uint32_t geometry_count = ogre_geometry_of(ogre, submesh)->vertex_count;
    char where[OGRE_WHERE_SIZE];
    primitive->morph_target_first = ogre->builder->morph_target_count;
    if (targets == 0)
        return 0;
    if (import_check_limit(ogre->import, LIMIT_WEIGHTS, ogre->builder->weight_count, targets,
                           ogre_where(ogre, submesh, where), err) < 0)
        return err->code;
    struct target_reader reader = {
        .ogre = ogre,
        .vertices = vertices,
        .count = count,
        .primitive = primitive,
        .moved = mem_zalloc((size_t)geometry_count + 1, sizeof *reader.moved),
        .geometry_count = geometry_count,
        .has_normals = (primitive->flags & PRIMITIVE_FILE_NORMALS) != 0,
    };
    const int rc = add_all(&reader, submesh, err);
    free(reader.moved);
    primitive->morph_target_count = (uint32_t)targets;
    return rc;
}
