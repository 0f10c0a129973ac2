/* posed_eval_hits.h - rays and moving balls at posed entities (protocol/hits.md), with the bits of /v1/hitboxes and
 * /v1/raycast. C11 and C++; errors, threads and memory as in posed_eval.h.
 *
 * A shot at the head of a character that runs, from ten units in front of it (example_hit.c is the whole program):
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
 * What is hit first is often a joint below: eyes, a jaw, hair. So the condition is about the head and all that hangs
 * from it. A joint in front of it may be hit, too, as a hand before the face: PE_ALL has what lies behind. */
#ifndef POSED_EVAL_HITS_H
#define POSED_EVAL_HITS_H

#include "posed_eval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- volumes ---------------------------------------------------------------------------------------------------- */

/* The volumes of a model, in the spaces of its joints: one for each joint that leads vertices, and what the model's
 * hitbox file said in place of them. Those of /v1/hitboxes, in its order. Threads share them. */
struct pe_hitboxes;

enum pe_kind { PE_CAPSULE = 0, PE_BOX = 1, PE_SPHERE = 2 };

/* Fits volumes of a kind (enum pe_kind). The model stays open until pe_hitboxes_free(). 0, PE_E_ARGUMENT, PE_E_LIMIT or
 * PE_E_MEMORY. */
PE_API int pe_hitboxes_new(const struct pe_model *model, int fit, struct pe_hitboxes **hitboxes,
                           struct pe_error *error);
/* Scenes with entities that have them are cleared or freed first. NULL is nothing. */
PE_API void pe_hitboxes_free(struct pe_hitboxes *hitboxes);
PE_API uint32_t pe_hitboxes_count(const struct pe_hitboxes *hitboxes);

struct pe_hitbox {
    uint32_t node;
    int kind;          /* enum pe_kind */
    const char *name;  /* that the hitbox file gives it, terminated; NULL: none. It lives as long as the hitboxes */
    float center[3];   /* joint space; of a capsule one end of its axis */
    float end[3];      /* of a capsule the other end, else center */
    float rotation[4]; /* of a box: x, y, z, w, takes its axes to the joint's */
    float half[3];     /* of a box: half of its sides */
    float radius;      /* of a capsule or a sphere */
    uint32_t vertex_count, outside_count; /* that the joint leads, and those of them that are not in the volume */
    int is_given;                         /* 1: by the hitbox file; 0: fitted */
};
/* 0, or PE_E_ARGUMENT for an index that is none. */
PE_API int pe_hitbox_at(const struct pe_hitboxes *hitboxes, uint32_t index, struct pe_hitbox *out);

/* --- rays -------------------------------------------------------------------------------------------------------- */

/* A ray, or a ball that moves. The direction is needed; all else may be 0. */
struct pe_ray {
    double origin[3], direction[3]; /* world; the direction is of any length but 0 */
    double most;                    /* the largest distance of a hit; 0: any */
    double radius;                  /* of a ball whose middle goes along the ray; 0: the ray itself */
    double at;                      /* 0 to 1: the moment between first poses and second ones */
    uint32_t mask;                  /* only entities with one of these bits; 0: all */
    int32_t has_ignored;            /* 1: it passes through the entity `ignored`: the one who shoots */
    uint32_t ignored;
};

struct pe_hit {
    uint32_t ray, entity; /* numbers */
    uint32_t node;     /* volumes: the joint; meshes: the node that carries the mesh, whatever part of a body it is */
    uint32_t part;     /* volumes: index, for pe_hitbox_at(); meshes: for pe_draw_at() */
    uint32_t triangle; /* meshes: of the draw, three of its indices each */
    int is_inside;     /* 1: the ray begins in the volume, or the ball in touch; the distance is 0 */
    float distance;    /* that the ray, or the middle of the ball, has come; units of the world */
    float point[3];    /* that is hit, world */
    float normal[3];   /* unit, away from the surface; of a ball from the point to its middle */
    float barycentric[3]; /* meshes: the shares of the triangle's corners in the point */
};

enum pe_which { PE_NEAREST = 0, PE_ALL = 1 };

/* --- rays at volumes --------------------------------------------------------------------------------------------- */

/* Posed entities that rays are cast at, and the working memory to pose them; of one thread at a time. */
struct pe_scene;

PE_API int pe_scene_new(struct pe_scene **scene, struct pe_error *error);
/* NULL is nothing. */
PE_API void pe_scene_free(struct pe_scene *scene);
/* Makes room for `count` more entities with these hitboxes and at most `layers_most` layers (an entity that plays a
 * clip needs none), beside those that it has room for. The only function of a scene that allocates. 0, PE_E_ARGUMENT or
 * PE_E_MEMORY. */
PE_API int pe_scene_reserve(struct pe_scene *scene, const struct pe_hitboxes *hitboxes, uint32_t count,
                            uint32_t layers_most, struct pe_error *error);
/* Takes all entities out; the room stays. */
PE_API void pe_scene_clear(struct pe_scene *scene);

/* Poses an entity and adds it: its number is how many were in the scene before. Its world_from_scene takes it to the
 * world, where rays are; it may scale, shear and mirror. end: NULL, or a second pose of the same model: each point of a
 * volume goes straight from its place in the first to its place in the second, and each ray has its own moment between
 * them. mask: rays with one of these bits meet it; 0: all do. The hitboxes stay until the scene is cleared. 0,
 * PE_E_ARGUMENT, PE_E_RESERVE or PE_E_NOT_FINITE; the scene is as before where it fails. */
PE_API int pe_scene_add(struct pe_scene *scene, const struct pe_hitboxes *hitboxes, const struct pe_entity *begin,
                        const struct pe_entity *end, uint32_t mask, struct pe_error *error);
PE_API uint32_t pe_scene_count(const struct pe_scene *scene);

/* Where to aim at: the middle of a joint's volume (of several the first one's) in the world, at a moment 0 to 1 between
 * the entity's poses. 0, PE_E_ARGUMENT, or PE_E_NOT_FOUND where the joint has no volume. */
PE_API int pe_scene_middle(const struct pe_scene *scene, uint32_t entity, uint32_t node, double at, double out[3],
                           struct pe_error *error);

/* Casts rays[ray_count] at the scene: the nearest hit of each (enum pe_which; of equal distances that of the lower
 * entity and hitbox), or all, into out[room], by ray, then distance. *count: how many. 0, or PE_E_ARGUMENT, also where
 * there are more hits than room; PE_NEAREST has at most one for each ray. */
PE_API int pe_raycast(struct pe_scene *scene, const struct pe_ray *rays, uint32_t ray_count, int which,
                      struct pe_hit *out, uint32_t room, uint32_t *count, struct pe_error *error);

/* --- rays at meshes: test=mesh of /v1/raycast -------------------------------------------------------------------- */

/* What a model's triangles need beside the model, made once. The model stays open. Threads share it. */
struct pe_mesh;
PE_API int pe_mesh_new(const struct pe_model *model, struct pe_mesh **mesh, struct pe_error *error);
/* NULL is nothing. */
PE_API void pe_mesh_free(struct pe_mesh *mesh);

/* Working memory of one thread. */
struct pe_caster;
PE_API int pe_caster_new(struct pe_caster **caster, struct pe_error *error);
/* NULL is nothing. */
PE_API void pe_caster_free(struct pe_caster *caster);
/* Makes room for entities of the mesh's model with at most `layers_most` layers, for so many rays and so many hits in
 * one call. For several models call it for each. The only function of a caster that allocates. 0, PE_E_ARGUMENT or
 * PE_E_MEMORY. */
PE_API int pe_caster_reserve(struct pe_caster *caster, const struct pe_mesh *mesh, uint32_t layers_most,
                             uint32_t ray_count, uint32_t hit_count, struct pe_error *error);

/* An entity that rays are cast at: begin, end and mask are as in pe_scene_add(). */
struct pe_target {
    const struct pe_mesh *mesh; /* of the entity's model */
    const struct pe_entity *begin, *end;
    uint32_t mask;
};

/* As pe_raycast(), at the triangles of targets[target_count], whose places are the numbers of entities. It poses each
 * and skins what rays come near to. Of equal distances the lower entity, draw and triangle is the nearest. 0,
 * PE_E_ARGUMENT, PE_E_RESERVE or PE_E_NOT_FINITE. */
PE_API int pe_raycast_meshes(struct pe_caster *caster, const struct pe_target *targets, uint32_t target_count,
                             const struct pe_ray *rays, uint32_t ray_count, int which, struct pe_hit *out,
                             uint32_t room, uint32_t *count, struct pe_error *error);

#ifdef __cplusplus
}
#endif
#endif
