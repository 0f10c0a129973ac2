/* hit_scene.h - posed entities, and where rays and moving balls hit their volumes.
 *
 * A volume of an entity is a set of points: the image of the solid in joint space under world_from_joint, which may
 * scale or shear. A ray is converted to joint space and tested there. Distances, points and normals are in the world. A
 * joint whose matrix has no inverse is flat and is never hit.
 *
 * An entity may move between two poses. Each point of a volume moves straight from its place in the first to its place
 * in the second: world_from_joint = (1 - at) * begin + at * end, element by element. Each ray has its own time `at`, as
 * a game server needs to rewind each shot.
 *
 * Pure. Casting only reads the scene: any thread. Adding and ordering: one thread. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/hits/box_tree.h"
#include "anim/hits/hit_set.h"

struct hit_ray {
    double origin[3], direction[3]; /* world space; the direction has unit length */
    double most;                    /* >= 0, may be infinite: greatest distance of a hit */
    double radius;                  /* >= 0: radius of a ball whose centre moves along the ray; 0: the ray itself */
    double at;                      /* 0..1: time between the two poses of entities */
    uint32_t mask;                  /* only entities that share a bit are hit */
    uint32_t ignored;               /* id of an entity that the ray passes through, or HIT_NONE */
};
enum { HIT_NONE = -1 };
/* Normalizes a finite direction. False: its length is 0. */
bool hit_ray_finish(struct hit_ray *ray);

struct hit {
    uint32_t ray, entity; /* ids */
    uint32_t part;        /* of volumes: index in the entity's set; of meshes: index of the draw */
    uint32_t triangle;    /* of meshes: index in its primitive */
    bool is_inside;       /* the ray began inside the volume, or the ball touched it at once: the distance is 0 */
    double distance;      /* travelled by the ray or the centre of the ball */
    double point[3];      /* point of the surface that was hit */
    double normal[3];     /* unit, away from the surface; where the ray began inside, against the direction */
    double barycentric[3];
};

/* Approximate processor time of casting, for callers that bound it: a box of a tree or another step of the list; a
 * volume or a triangle against a ray or a ball; a triangle of a block that is opened. */
enum hit_cost {
    HIT_COST_STEP_NS = 8,
    HIT_COST_RAY_AT_VOLUME_NS = 250,
    HIT_COST_BALL_AT_VOLUME_NS = 20000,
    HIT_COST_RAY_AT_TRIANGLE_NS = 25,
    HIT_COST_BALL_AT_TRIANGLE_NS = 300,
    HIT_COST_OPENED_TRIANGLE_NS = 150,
};

/* Hits of rays, and the cost of finding them. Starts zeroed. */
struct hit_list {
    struct hit *hits; /* [count], malloc'ed */
    size_t count, capacity;
    bool is_all;                /* collect all hits of each ray, not only the nearest */
    size_t count_most;          /* casting stops beyond this many hits */
    uint64_t steps, steps_most; /* boxes and solids tested, costly ones counted several times, and the limit at which
                                   casting stops */
    uint64_t work_ns, work_ns_most; /* cost by enum hit_cost, without that of steps, and its limit; 0: no limit */
    uint32_t hit_ns;                /* cost that a user of the hits adds to each one */
    const _Atomic bool *is_stopped; /* may be NULL; true: the caller no longer needs the rest, and casting stops */
};

void hit_list_fini(struct hit_list *list);
bool hit_list_is_over(const struct hit_list *list);
/* Returns the approximate processor time of casting so far. */
uint64_t hit_list_work_ns(const struct hit_list *list);
/* Sorts by ray, distance, entity, part, triangle. */
void hit_list_sort(struct hit_list *list);
/* Adds a hit of the current ray, or replaces a farther one unless all hits are collected. Of equal distances the lower
 * entity, part and triangle wins. first: where the ray's hits begin in the list. */
void hit_list_offer(struct hit_list *list, size_t first, const struct hit *hit);
/* Returns the distance beyond which no hit of the ray counts any more. */
double hit_list_most(const struct hit_list *list, size_t first, const struct hit_ray *ray);

struct scene_entity {
    uint32_t id, mask;
    const struct hit_set *set;
    bool is_moving;
    struct dmat4 begin, end; /* world_from_scene of the two poses */
    size_t row_first;  /* index into scene->rows: 12 arrays of the set's stride (scene_from_bind or scene_from_node, row
                          by row) for the first pose, then 12 for the second */
    size_t ball_first; /* index into scene->balls: x, y, z and radius of all volumes, in four arrays of the stride */
    double middle[3];  /* origin of the balls' coordinates */
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
    struct box_place *places; /* order, middles and places have room for order_capacity items */
    size_t palette_capacity, order_capacity, end_capacity;
};

void hit_scene_init(struct hit_scene *scene);
void hit_scene_fini(struct hit_scene *scene);
/* Returns the memory that it holds. */
size_t hit_scene_held_bytes(const struct hit_scene *scene);
/* Adds room for `count` more entities with the set and two poses each, so that adding, ordering and casting do not
 * allocate. False: memory ran out, and the scene is unchanged. */
bool hit_scene_reserve(struct hit_scene *scene, const struct hit_set *set, uint32_t count);
/* True when there is room for one more entity with two poses. */
bool hit_scene_has_capacity(const struct hit_scene *scene, const struct hit_set *set);
/* Empties the scene and keeps its memory. */
void hit_scene_clear(struct hit_scene *scene);

/* One pose of an entity in its own scene space, and where that space is. */
struct scene_pose {
    const struct entity *entity;   /* without world_from_scene */
    struct dmat4 world_from_scene; /* affine, finite */
};

/* Poses an entity and adds it. end: its second pose, or NULL. `set` is borrowed until the scene is cleared. Returns 0
 * or ERR_NOT_FINITE, which leaves the scene unchanged. */
int hit_scene_add(struct hit_scene *scene, struct entity_work *work, uint32_t id, uint32_t mask,
                  const struct hit_set *set, const struct scene_pose *begin, const struct scene_pose *end,
                  struct err *err);
/* Call after the last entity and before the first ray. */
void hit_scene_order(struct hit_scene *scene);

/* Adds the hits of a ray; `id` becomes their `ray`. */
void hit_scene_cast(const struct hit_scene *scene, uint32_t id, const struct hit_ray *ray, struct hit_list *list);

/* Computes world_from_joint of a volume at a time. entity: index in the scene. */
void hit_scene_matrix(const struct hit_scene *scene, size_t entity, uint32_t volume, double at, struct dmat4 *out);
/* Computes world_from_bind: the same without the volume's own bind_from_joint. */
void hit_scene_bind(const struct hit_scene *scene, const struct scene_entity *entity, uint32_t volume, double at,
                    struct dmat4 *out);
