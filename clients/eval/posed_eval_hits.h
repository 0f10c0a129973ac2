/* posed_eval_hits.h - rays and moving balls against posed entities (protocol/hits.md), with the same bits as
 * /v1/hitboxes and /v1/raycast. C11 and C++. Errors, threads and memory are as in posed_eval.h.
 *
 * A shot at the head of a running character, from ten units in front of it (example_hit.c is the whole program):
 *
 *   struct pe_error error;
 *   struct pe_model *hero = NULL;
 *   struct pe_hitboxes *hitboxes = NULL;
 *   struct pe_scene *scene = NULL;
 *   struct pe_entity runner;
 *   struct pe_info info;
 *   struct pe_ray shot = {0};
 *   struct pe_hit hit;
 *   uint32_t head, count;
 *
 *   if (pe_model_open("hero.posed", 0, &hero, &error) < 0 || pe_find_node(hero, "head", &head, &error) < 0 ||
 *       pe_hitboxes_new(hero, PE_CAPSULE, &hitboxes, &error) < 0 || pe_scene_new(&scene, &error) < 0 ||
 *       pe_scene_reserve(scene, hitboxes, 1, 0, &error) < 0 ||
 *       pe_entity_clip(&runner, hero, "run", 0.3, &error) < 0 ||
 *       pe_scene_add(scene, hitboxes, &runner, NULL, 0, &error) < 0 ||
 *       pe_scene_middle(scene, 0, head, 0, shot.origin, &error) < 0)
 *       fail(error.message);
 *   pe_model_info(hero, &info);
 *   for (int i = 0; i < 3; i++) {
 *       shot.direction[i] = -(double)info.forward[i];
 *       shot.origin[i] += 10 * (double)info.forward[i];
 *   }
 *   if (pe_raycast(scene, &shot, 1, PE_NEAREST, &hit, 1, &count, &error) < 0)
 *       fail(error.message);
 *   if (count == 1 && pe_node_is_below(hero, hit.node, head))
 *       printf("the head is hit after %g units\n", (double)hit.distance);
 *
 *   pe_scene_free(scene);         // then what it was made of
 *   pe_hitboxes_free(hitboxes);
 *   pe_model_close(hero);
 *
 * The nearest hit is often a joint below the head: eyes, a jaw, hair. So the condition tests the head and all its
 * descendants. A joint in front of it, such as a hand, may also be hit; PE_ALL also finds the head behind it. */
#ifndef POSED_EVAL_HITS_H
#define POSED_EVAL_HITS_H

#include "posed_eval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- volumes ---------------------------------------------------------------------------------------------------- */

/* The volumes of a model, in the spaces of its joints: one for each joint that leads vertices, or the volumes
 * of the model's hitbox file. They are the same as in /v1/hitboxes, in its order. Threads may share them. */
struct pe_hitboxes;

enum pe_kind { PE_CAPSULE = 0, PE_BOX = 1, PE_SPHERE = 2 };

/* Fits volumes of a kind (enum pe_kind). The model must stay open until pe_hitboxes_free(). Returns 0, PE_E_ARGUMENT,
 * PE_E_LIMIT or PE_E_MEMORY. */
PE_API int pe_hitboxes_new(const struct pe_model *model, int fit, struct pe_hitboxes **hitboxes,
                           struct pe_error *error);
/* Clear or free scenes with entities that use them first. NULL is allowed. */
PE_API void pe_hitboxes_free(struct pe_hitboxes *hitboxes);
PE_API uint32_t pe_hitboxes_count(const struct pe_hitboxes *hitboxes);

struct pe_hitbox {
    uint32_t node;
    int kind;          /* enum pe_kind */
    const char *name;  /* from the hitbox file, NUL-terminated; NULL: none. Lives as long as the hitboxes */
    float center[3];   /* joint space; of a capsule, one end of its axis */
    float end[3];      /* of a capsule, the other end; else center */
    float rotation[4]; /* of a box: x, y, z, w, rotates its axes to the joint's */
    float half[3];     /* of a box: half of its sides */
    float radius;      /* of a capsule or a sphere */
    uint32_t vertex_count, outside_count; /* vertices that the joint leads; of these, vertices outside the volume */
    int is_given;                         /* 1: from the hitbox file; 0: fitted */
};
/* Returns 0, or PE_E_ARGUMENT for an invalid index. */
PE_API int pe_hitbox_at(const struct pe_hitboxes *hitboxes, uint32_t index, struct pe_hitbox *out);

/* --- rays -------------------------------------------------------------------------------------------------------- */

/* A ray or a moving ball. Only the direction is required; all else may be 0. */
struct pe_ray {
    double origin[3], direction[3]; /* world space; the direction has any length but 0 */
    double most;                    /* greatest distance of a hit; 0: no limit */
    double radius;                  /* of a ball whose centre moves along the ray; 0: the ray itself */
    double at;                      /* 0 to 1: time between the first and second poses */
    uint32_t mask;                  /* only entities that share a bit are hit; 0: all */
    int32_t has_ignored;            /* 1: it passes through the entity `ignored`, such as the shooter */
    uint32_t ignored;
};

struct pe_hit {
    uint32_t ray, entity; /* indices */
    uint32_t node;        /* volumes: the joint; meshes: the node of the mesh, whatever part of a body was hit */
    uint32_t part;        /* volumes: index for pe_hitbox_at(); meshes: for pe_draw_at() */
    uint32_t triangle;    /* meshes: index in the draw; a triangle is three indices */
    int is_inside;        /* 1: the ray began inside the volume, or the ball touched it at once; the distance is 0 */
    float distance;       /* travelled by the ray or the centre of the ball, in world units */
    float point[3];       /* point that was hit, in the world */
    float normal[3];      /* unit, away from the surface; for a ball from the point to its centre */
    float barycentric[3]; /* meshes: barycentric coordinates of the point */
};

enum pe_which { PE_NEAREST = 0, PE_ALL = 1 };

/* --- rays against volumes ---------------------------------------------------------------------------------------- */

/* Posed entities as targets of rays, and the working memory to pose them; for one thread at a time. */
struct pe_scene;

PE_API int pe_scene_new(struct pe_scene **scene, struct pe_error *error);
/* NULL is allowed. */
PE_API void pe_scene_free(struct pe_scene *scene);
/* Adds room for `count` more entities with these hitboxes and at most `layers_most` layers (an entity that plays a clip
 * needs none). It is the only function of a scene that allocates. Returns 0, PE_E_ARGUMENT or PE_E_MEMORY. */
PE_API int pe_scene_reserve(struct pe_scene *scene, const struct pe_hitboxes *hitboxes, uint32_t count,
                            uint32_t layers_most, struct pe_error *error);
/* Removes all entities; the room stays. */
PE_API void pe_scene_clear(struct pe_scene *scene);

/* Poses an entity and adds it. Its index is the number of entities before it. world_from_scene converts it to the
 * world, where rays are; it may scale, shear and mirror. end: NULL, or a second pose of the same model. Each point of a
 * volume then moves straight from its place in the first pose to its place in the second, and each ray has its own time
 * between them. mask: only rays that share a bit hit the entity; 0: all do. The hitboxes must stay until the scene is
 * cleared. Returns 0, PE_E_ARGUMENT, PE_E_RESERVE or PE_E_NOT_FINITE; on failure the scene is unchanged. */
PE_API int pe_scene_add(struct pe_scene *scene, const struct pe_hitboxes *hitboxes, const struct pe_entity *begin,
                        const struct pe_entity *end, uint32_t mask, struct pe_error *error);
PE_API uint32_t pe_scene_count(const struct pe_scene *scene);

/* Finds a point to aim at: the centre of a joint's volume (the first one's of several) in the world, at a time 0 to 1
 * between the entity's poses. Returns 0, PE_E_ARGUMENT, or PE_E_NOT_FOUND where the joint has no volume. */
PE_API int pe_scene_middle(const struct pe_scene *scene, uint32_t entity, uint32_t node, double at, double out[3],
                           struct pe_error *error);

/* Casts rays[ray_count] at the scene. Writes the nearest hit of each ray (enum pe_which; of equal distances, that of
 * the lower entity and hitbox), or all hits, to out[room], sorted by ray, then distance. *count: the number of hits.
 * Returns 0, or PE_E_ARGUMENT, also where there are more hits than room; PE_NEAREST gives at most one for each ray. */
PE_API int pe_raycast(struct pe_scene *scene, const struct pe_ray *rays, uint32_t ray_count, int which,
                      struct pe_hit *out, uint32_t capacity, uint32_t *count, struct pe_error *error);

/* --- rays against meshes: test=mesh of /v1/raycast --------------------------------------------------------------- */

/* The order of a model's triangles, made once. The model must stay open. Threads may share it. */
struct pe_mesh;
PE_API int pe_mesh_new(const struct pe_model *model, struct pe_mesh **mesh, struct pe_error *error);
/* NULL is allowed. */
PE_API void pe_mesh_free(struct pe_mesh *mesh);

/* Working memory, for one thread at a time. */
struct pe_caster;
PE_API int pe_caster_new(struct pe_caster **caster, struct pe_error *error);
/* NULL is allowed. */
PE_API void pe_caster_free(struct pe_caster *caster);
/* Makes room for entities of the mesh's model with at most `layers_most` layers, and for this many rays and hits in one
 * call. Call it for each of several models. It is the only function of a caster that allocates. Returns 0,
 * PE_E_ARGUMENT or PE_E_MEMORY. */
PE_API int pe_caster_reserve(struct pe_caster *caster, const struct pe_mesh *mesh, uint32_t layers_most,
                             uint32_t ray_count, uint32_t hit_count, struct pe_error *error);

/* An entity as a target of rays: begin, end and mask are as in pe_scene_add(). */
struct pe_target {
    const struct pe_mesh *mesh; /* of the entity's model */
    const struct pe_entity *begin, *end;
    uint32_t mask;
};

/* As pe_raycast(), against the triangles of targets[target_count], whose indices number the entities. It poses each
 * target and skins what rays come near. Of equal distances the lower entity, draw and triangle is the nearest. Returns
 * 0, PE_E_ARGUMENT, PE_E_RESERVE or PE_E_NOT_FINITE. */
PE_API int pe_raycast_meshes(struct pe_caster *caster, const struct pe_target *targets, uint32_t target_count,
                             const struct pe_ray *rays, uint32_t ray_count, int which, struct pe_hit *out,
                             uint32_t capacity, uint32_t *count, struct pe_error *error);

#ifdef __cplusplus
}
#endif
#endif
