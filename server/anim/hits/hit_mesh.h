/* hit_mesh.h - finds where rays and moving balls hit the triangles of posed entities.
 *
 * The triangles of each primitive have an order, made once, in which neighbours are close. Each pose gets a tree of
 * boxes over it, refitted from below. Blocks of neighbours begin closed, with a bound on where their vertices can be in
 * the pose as their box (mesh_blocks.h). Only a block that a ray comes near is opened: its vertices are skinned and its
 * triangles get boxes. So geometry that no ray comes near costs neither vertices nor triangles.
 *
 * Vertices are those of /v1/mesh (anim/pose/skin.h), rounded to float in the entity's scene space and converted to the
 * world in double precision. An entity with two poses moves as in hit_scene.h: each vertex moves straight from its
 * first place to its second.
 *
 * Triangles have no inside: rays hit both sides. Pure; any thread, one mesh_work each. */
#pragma once

#include "anim/hits/hit_scene.h"
#include "anim/hits/mesh_blocks.h"
#include "anim/pose/skin.h"

/* The orders of a model's triangles, and their blocks. Immutable. */
struct hit_mesh {
    uint32_t *order; /* triangles (index into the primitive's indices / 3), primitive after primitive */
    uint32_t
        *firsts; /* [primitive_count + 1]: where each primitive begins in `order`; one without triangles is empty */
    struct mesh_blocks blocks;
    size_t size_bytes;
};

struct hit_mesh *hit_mesh_new(const struct model *model);
void hit_mesh_free(struct hit_mesh *mesh);

/* The first counts the vertices of all tested draws: the draws in the scene, or all where the scene has none. */
uint64_t hit_mesh_vertices(const struct model *model);
bool hit_mesh_has_scene(const struct model *model);
bool hit_mesh_is_tested(const struct model *model, const struct draw *draw, bool is_of_scene);

/* One pose of a draw. */
struct mesh_pose {
    struct skin_palette palette;
    size_t matrix_capacity, part_capacity;
    double (*vertices)[3]; /* in the world; valid where the draw's `is_done` is set */
    uint64_t vertex_capacity;
};

/* Working memory, reused from entity to entity. */
struct mesh_work {
    struct mesh_pose begin, end;
    struct vec3 *skinned;
    uint8_t *is_done;   /* for each vertex of a draw */
    uint8_t *is_opened; /* for each block */
    uint64_t skinned_capacity, done_capacity, opened_capacity;
    struct box_tree tree;
    struct entity_work end_poses; /* evaluates an entity's second pose */
    size_t *places;               /* nearest hit of each ray, as an index; SIZE_MAX: none */
    struct box_ray *box_rays;     /* one for each ray */
    size_t place_capacity, box_ray_capacity;
    uint64_t skinned_count; /* vertices skinned so far */
};
void mesh_work_init(struct mesh_work *work);
void mesh_work_fini(struct mesh_work *work);
/* Returns the memory that it holds for vertices, boxes and rays. */
size_t mesh_work_held_bytes(const struct mesh_work *work);
/* Makes room for entities of the model in blends of up to `layer_most` layers, and for `ray_count` rays, so that
 * casting allocates nothing but hits. Returns 0 or ERR_NO_MEMORY; *work stays usable. */
int mesh_work_reserve(struct mesh_work *work, const struct model *model, uint32_t layer_most, uint32_t ray_count,
                      struct err *err);

struct mesh_rays {
    const struct hit_ray *rays;
    uint32_t count;
    struct hit_list *list; /* receives only hits of meshes, unsorted */
};
/* Call before the first entity. */
void hit_mesh_begin(struct mesh_work *work, const struct mesh_rays *rays);

/* Poses one entity and casts all rays at it. Returns 0, ERR_NOT_FINITE or
 * ERR_NO_MEMORY. */
int hit_mesh_cast(struct mesh_work *work, struct entity_work *poses, const struct hit_mesh *mesh, uint32_t id,
                  uint32_t mask, const struct scene_pose *begin, const struct scene_pose *end,
                  const struct mesh_rays *rays, struct err *err);
