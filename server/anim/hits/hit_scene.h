/* hit_scene.h - posed entities, and where rays and moving balls hit their volumes.
 *
 * A volume of an entity is a set of points: the image of the solid in joint space under world_from_joint, also where
 * that scales or shears. A ray is taken into joint space and tested there; distances, points and normals are those of
 * the world. A joint whose matrix has no inverse is flat and is not hit.
 *
 * An entity may move: it has two poses, and in between each point of a volume goes straight from its place in the first
 * to its place in the second: world_from_joint = (1 - at) * begin + at * end, element by element. Each ray has its own
 * moment `at`, as each shot that a game server rewinds has.
 *
 * Pure. Casting only reads the scene: any thread. Adding and ordering: one thread. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/hits/box_tree.h"
#include "anim/hits/hit_set.h"

struct hit_ray {
    double origin[3], direction[3]; /* world; unit */
    double most;                    /* >= 0, may be infinite: hits are not farther */
    double radius;                  /* >= 0: of a ball whose middle goes along the ray; 0: the ray itself */
    double at;                      /* 0..1: the moment between the two poses of entities */
    uint32_t mask;                  /* only entities with one of these bits */
    uint32_t ignored;               /* the id of an entity that it passes through, or HIT_NONE */
};
enum { HIT_NONE = -1 };
/* Makes a finite direction of any length unit. False: it is 0. */
bool hit_ray_finish(struct hit_ray *ray);

struct hit {
    uint32_t ray, entity; /* ids */
    uint32_t part;        /* of volumes: the place in the entity's set; of meshes: the draw */
    uint32_t triangle;    /* of meshes: which of its primitive */
    bool is_inside;       /* the ray began in the volume, or the ball in touch with it: the distance is 0 */
    double distance;      /* that the ray, or the middle of the ball, has come */
    double point[3];      /* that is hit, on the surface */
    double normal[3];     /* unit, away from what is hit; where it began inside, against the direction */
    double barycentric[3];
};

/* What casting takes of processor time, about, for those who bound it: a box of a tree, and a step of the list
 * otherwise; a volume, or a triangle, met by a ray and by a ball; a triangle of a block that is opened. */
enum hit_cost {
    HIT_COST_STEP_NS = 8,
    HIT_COST_RAY_AT_VOLUME_NS = 250,
    HIT_COST_BALL_AT_VOLUME_NS = 20000,
    HIT_COST_RAY_AT_TRIANGLE_NS = 25,
    HIT_COST_BALL_AT_TRIANGLE_NS = 300,
    HIT_COST_OPENED_TRIANGLE_NS = 150,
};

/* Hits of rays, and what finding them cost. Zeroed at first. */
struct hit_list {
    struct hit *hits; /* [count], malloc'ed */
    size_t count, capacity;
    bool is_all;                    /* all hits of each ray; else the nearest */
    size_t count_most;              /* more hits than these, and casting stops */
    uint64_t steps, steps_most;     /* boxes and solids looked at, those dear to test counted several times; likewise */
    uint64_t work_ns, work_ns_most; /* by enum hit_cost, that of steps not included; likewise, but 0: any */
    uint32_t hit_ns;                /* what somebody does with each hit, to be counted, too */
    const _Atomic bool *is_stopped; /* or NULL; true: nobody needs the rest any more, and casting stops */
};

void hit_list_fini(struct hit_list *list);
bool hit_list_is_over(const struct hit_list *list);
/* What casting took so far, of processor time, about. */
uint64_t hit_list_work_ns(const struct hit_list *list);
/* By ray, then distance, entity, part, triangle. */
void hit_list_sort(struct hit_list *list);
/* Takes a hit of the ray that is cast: one of all, or in place of a farther one. Of equal distances the lower entity,
 * part and triangle wins. first: the place in the list where the ray's hits begin. */
void hit_list_offer(struct hit_list *list, size_t first, const struct hit *hit);
/* No hit of the ray that is farther counts any more. */
double hit_list_most(const struct hit_list *list, size_t first, const struct hit_ray *ray);

struct scene_entity {
    uint32_t id, mask;
    const struct hit_set *set;
    bool is_moving;
    struct dmat4 begin, end; /* world_from_scene of its poses */
    size_t row_first;  /* in scene->rows: 12 arrays of the set's stride (scene_from_bind or scene_from_node, row by row)
                          of the first pose, then of the second */
    size_t ball_first; /* in scene->balls: x, y, z, radius of all volumes, in four arrays of the stride */
    double middle[3];  /* balls are seen from here */
    struct box box;    /* around all balls */
};

struct hit_scene {
    struct scene_entity *entities;
    size_t count, capacity;
    float *rows, *balls;
    size_t row_count, row_capacity, ball_count, ball_capacity;
    struct box_tree tree;
    uint32_t *order;
    /* scratch */
    float *palette, *ends;
    double (*middles)[3];
    struct box_place *places; /* order, middles and places have order_capacity items */
    size_t palette_capacity, order_capacity, end_capacity;
};

void hit_scene_init(struct hit_scene *scene);
void hit_scene_fini(struct hit_scene *scene);
/* Memory that it holds. */
size_t hit_scene_held_bytes(const struct hit_scene *scene);
/* Room for so many more entities with the set and two poses each, beside those that it has room for now, so that
 * adding, ordering and casting allocate nothing. False: memory is gone, and the scene is as before. */
bool hit_scene_reserve(struct hit_scene *scene, const struct hit_set *set, uint32_t count);
/* Whether it has room for one more, with two poses. */
bool hit_scene_has_room(const struct hit_scene *scene, const struct hit_set *set);
/* Empties it and keeps its memory. */
void hit_scene_clear(struct hit_scene *scene);

/* One pose of an entity, in its scene's own space, and where that is. */
struct scene_pose {
    const struct entity *entity;   /* without world_from_scene */
    struct dmat4 world_from_scene; /* affine, finite */
};

/* Poses an entity and adds it. end: NULL, or its second pose. `set` is borrowed until the scene is cleared. Returns 0,
 * or ERR_NOT_FINITE; the scene is as before then. */
int hit_scene_add(struct hit_scene *scene, struct entity_work *work, uint32_t id, uint32_t mask,
                  const struct hit_set *set, const struct scene_pose *begin, const struct scene_pose *end,
                  struct err *err);
/* After the last entity, before the first ray. */
void hit_scene_order(struct hit_scene *scene);

/* Adds the hits of a ray; its `ray` is `id`. */
void hit_scene_cast(const struct hit_scene *scene, uint32_t id, const struct hit_ray *ray, struct hit_list *list);

/* world_from_joint of a volume of an entity (by its place in the scene) at a moment. */
void hit_scene_matrix(const struct hit_scene *scene, size_t entity, uint32_t volume, double at, struct dmat4 *out);
/* The same without the volume's own bind_from_joint: world_from_bind. */
void hit_scene_bind(const struct hit_scene *scene, const struct scene_entity *entity, uint32_t volume, double at,
                    struct dmat4 *out);
