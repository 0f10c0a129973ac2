/* hit_mesh.h - where rays and moving balls hit the triangles of posed entities.
 *
 * The triangles of each primitive have an order, made once, in which neighbours are near; over it each pose gets a tree
 * of boxes, refitted from below. Blocks of neighbours begin closed: the box of a block is a bound of where its vertices
 * can be in the pose (mesh_blocks.h), and only a block that a ray comes near to is opened: its vertices are skinned and
 * its triangles get boxes. So what no ray comes near to costs neither vertices nor triangles.
 *
 * Vertices are those of /v1/mesh (anim/pose/skin.h), rounded to float in the space of the entity's scene, then taken to
 * the world in double precision. An entity with two poses moves as in hit_scene.h: each vertex goes straight from its
 * first place to its second.
 *
 * Triangles have no inside: rays hit both sides. Pure; any thread, one mesh_work each. */
#pragma once

#include "anim/hits/hit_scene.h"
#include "anim/hits/mesh_blocks.h"
#include "anim/pose/skin.h"

/* The orders of a model's triangles, and their blocks. Immutable once made. */
struct hit_mesh {
    uint32_t *order; /* triangles (place in the primitive's indices / 3), primitive after primitive */
    uint32_t
        *firsts; /* [primitive_count + 1]: where a primitive's begin; of one that has no triangles there are none */
    struct mesh_blocks blocks;
    size_t size_bytes;
};

struct hit_mesh *hit_mesh_new(const struct model *model);
void hit_mesh_free(struct hit_mesh *mesh);

/* The vertices of all draws that are tested: those in the scene, all where none is. */
uint64_t hit_mesh_vertices(const struct model *model);
bool hit_mesh_has_scene(const struct model *model);
bool hit_mesh_is_tested(const struct model *model, const struct draw *draw, bool is_of_scene);

/* One pose of a draw. */
struct mesh_pose {
    struct skin_palette palette;
    size_t matrix_capacity, part_capacity;
    double (*vertices)[3]; /* world; of a draw, those whose `is_done` is set */
    uint64_t vertex_capacity;
};

/* Working memory, reused from entity to entity. */
struct mesh_work {
    struct mesh_pose begin, end;
    struct vec3 *skinned;
    uint8_t *is_done;   /* of each vertex of a draw */
    uint8_t *is_opened; /* of each block */
    uint64_t skinned_capacity, done_capacity, opened_capacity;
    struct box_tree tree;
    struct entity_work end_poses; /* of the second pose of an entity */
    size_t *places;               /* of the nearest hit of each ray, SIZE_MAX: none */
    struct box_ray *box_rays;     /* of each ray */
    size_t place_capacity, box_ray_capacity;
    uint64_t skinned_count; /* vertices skinned so far */
};
void mesh_work_init(struct mesh_work *work);
void mesh_work_fini(struct mesh_work *work);
/* Memory that it holds for vertices, boxes and rays. */
size_t mesh_work_held_bytes(const struct mesh_work *work);
/* Room for entities of the model in blends of so many layers, and so many rays, so that casting allocates nothing but
 * hits. Returns 0 or ERR_NO_MEMORY; *work can be used as before then. */
int mesh_work_reserve(struct mesh_work *work, const struct model *model, uint32_t layer_most, uint32_t ray_count,
                      struct err *err);

struct mesh_rays {
    const struct hit_ray *rays;
    uint32_t count;
    struct hit_list *list; /* its hits are those of meshes alone; in no order */
};
/* Before the first entity. */
void hit_mesh_begin(struct mesh_work *work, const struct mesh_rays *rays);

/* Poses one entity and casts all rays at it. Returns 0, ERR_NOT_FINITE or
 * ERR_NO_MEMORY. */
int hit_mesh_cast(struct mesh_work *work, struct entity_work *poses, const struct hit_mesh *mesh, uint32_t id,
                  uint32_t mask, const struct scene_pose *begin, const struct scene_pose *end,
                  const struct mesh_rays *rays, struct err *err);
