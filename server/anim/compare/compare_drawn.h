/* compare_drawn.h - what both models draw: vertices, triangles, and the materials at the same places. Private to this
 * folder. Pure. */
#pragma once

#include "anim/compare/compare_internal.h"

/* The vertices of a model as they are drawn. A mesh that several nodes draw counts once for each node. */
struct drawn_vertices {
    const struct model *model;
    uint32_t count, left_out; /* vertices beyond the limit are left out */
    uint32_t *vertices;       /* [count]: indices into the model's vertices */
    uint32_t *draws;          /* [count]: indices into the model's draws */
    uint32_t used_count;      /* that a triangle, line or point has: primitives share arrays of vertices */
    struct vec3 *places;      /* [count]; not a number: the vertex is not used */
    struct vec3 *normals;     /* [count]: unit vectors in the space of the places, or 0 */
    uint64_t *materials;      /* [draw_count]: name_key() of the material's name; 0: none */
    const struct material_texture **textures; /* [draw_count]: the first that the material has; NULL: none */
    double *rest_weights;                     /* [draw_count]: one number for the weights of morph targets at rest */
    struct dmat4 *common_from_bind;           /* [joint_count of the model]: in the side's reference pose */
    int32_t *partners; /* [count]: index of the matching vertex of the other model, or -1; several may share one */
    uint8_t *is_moved; /* [count], of the old model: the partner is elsewhere */
};

/* The drawn vertices of both models. */
struct surface {
    struct drawn_vertices drawn[COMPARE_SIDES];
    bool is_partial; /* too many vertices share places to find all partners */
    bool is_bind;    /* skinned meshes are in bind space, times bind_scale; else all are in the scene at rest */
    double bind_scale;
};

/* --- compare_drawn.c --- */

/* Lists the vertices of a side in compare->surface. */
void drawn_vertices_list(struct compare *compare, enum compare_side side);
/* Sets their places and normals: skinned meshes in bind space, in units of the common frame, if the surface is_bind;
 * else, like unskinned ones, in the common frame, in the side's reference pose and without morph targets. */
void drawn_vertices_place(struct compare *compare, enum compare_side side);
void drawn_vertices_free(struct drawn_vertices *drawn);
static inline bool drawn_is_used(const struct drawn_vertices *drawn, uint32_t at)
{
    return !isnan(drawn->places[at].x);
}
/* Returns the node of a joint. `place`: its index in the skin with which the vertex is drawn. */
uint32_t drawn_joint_node(const struct drawn_vertices *drawn, uint32_t at, uint32_t place);
/* Return the primitive, the mesh, the node and the material (or -1) of a vertex. */
const struct primitive *drawn_primitive(const struct drawn_vertices *drawn, uint32_t at);
uint32_t drawn_mesh(const struct drawn_vertices *drawn, uint32_t at);
uint32_t drawn_node(const struct drawn_vertices *drawn, uint32_t at);
int32_t drawn_material(const struct drawn_vertices *drawn, uint32_t at);
/* Returns the first vertex with a partner of the primitive whose vertices begin at `first`, or -1. */
int32_t drawn_first_matched(const struct drawn_vertices *drawn, uint32_t first);
/* Returns the matrix that takes a vertex from bind space to the common frame in the reference pose: linear skinning. */
struct dmat4 drawn_common_from_bind(const struct drawn_vertices *drawn, uint32_t at);
/* Returns the matrix that takes a vertex from bind space to the space of the places. */
struct dmat4 drawn_matrix(const struct compare *compare, enum compare_side side, uint32_t at);
/* Returns a normal under the inverse transpose of the matrix, as a unit vector. */
struct vec3 turned_normal(const struct dmat4 *matrix, struct vec3 normal);
/* Finds the texture coordinates that a texture uses, or the first set if it is NULL. False: the vertex has none. */
bool drawn_texcoord(const struct drawn_vertices *drawn, uint32_t at, const struct material_texture *texture,
                    struct vec2 *out);
/* How far the texture coordinates of two vertices differ: as stored, and after the textures' transforms. 0 where one
 * lacks them. The textures are of the old and the new model, or NULL. Where a texture repeats, whole numbers are not
 * seen; `whole` is what was left out of u and v. */
struct texcoord_apart {
    double stored, seen;
    double whole[2];
};
struct texcoord_apart texcoords_compare(const struct compare *compare, uint32_t old, uint32_t new,
                                        const struct material_texture *a, const struct material_texture *b);
/* Returns the distance along u or v (is_t) after which both textures look the same; 0: none. */
double texture_period(const struct compare *compare, const struct material_texture *old,
                      const struct material_texture *new, bool is_t);
#define NORMAL_NEAR   0.02 /* 1 - the cosine of 11 degrees */
#define TEXCOORD_NEAR 2e-3 /* one texel of a texture of 512 */
/* Returns 1 - the cosine of the angle between two unit vectors; 0 if one has no length. */
static inline double directions_apart(struct vec3 a, struct vec3 b)
{
    const double along = dot3(DOUBLE3(a), DOUBLE3(b));
    return dot3(DOUBLE3(a), DOUBLE3(a)) > 0.5 && dot3(DOUBLE3(b), DOUBLE3(b)) > 0.5 ? 1 - along : 0;
}

/* --- compare_grid.c --- */

enum { GRID_CELLS = 8 };
/* A hash table of the cells of a grid, each with the places in it. */
struct place_grid {
    double cell; /* twice the search radius */
    uint32_t mask;
    int32_t *firsts; /* [mask + 1]: the first place of each slot, or -1 */
    int32_t *nexts;  /* [count]: the next place of the same slot, or -1 */
};
/* Makes a grid of `count` places, without those that are not a number. place_grid_free() frees it. */
void place_grid_make(struct place_grid *grid, const struct vec3 *places, uint32_t count, double radius);
/* Fills firsts with the lists that contain all places within the radius, beside others. */
void place_grid_find(const struct place_grid *grid, const struct vec3 *place, int32_t firsts[GRID_CELLS]);
void place_grid_free(struct place_grid *grid);

/* --- compare_vertices.c --- */

/* Lists the vertices, and finds the partners of all. */
void vertices_match(struct compare *compare);
/* Lists the vertices, and finds the partners of those at the same place in the reference poses. */
void vertices_match_in_scene(struct compare *compare);
/* The differences of two vertices: distance in units, distance in the texture coordinates of their first textures, and
 * 1 - the cosine between their normals. The latter two are 0 where one vertex lacks the attribute, and beyond the
 * tolerance. */
struct vertex_apart {
    double distance, texcoord, normal;
};
struct vertex_apart vertex_compare(const struct compare *compare, uint32_t old, uint32_t new);
/* True when two vertices are at the same place, with the same texture coordinates and normal, and follow the same joint
 * most. */
bool vertices_are_same(const struct compare *compare, uint32_t old, uint32_t new);
/* True when two vertices follow different joints most. */
bool vertices_follow_others(const struct compare *compare, uint32_t old, uint32_t new);

/* --- compare_moved.c --- */

/* Finds partners elsewhere for vertices that have none, or none that is the same. Sets is_moved. */
void moved_match(struct compare *compare);

/* --- compare_triangles.c --- */

/* A triangle, line or point as it is drawn. */
struct drawn_element {
    uint32_t corners[3]; /* indices into the drawn vertices */
    uint32_t corner_count;
};
/* Walks over the elements of a side, without triangles that have no area, because tools drop them. */
struct element_walk {
    const struct drawn_vertices *drawn;
    double least;          /* greatest area of a triangle that is left out */
    uint64_t indices_left; /* that may still be walked over */
    uint32_t first, next;  /* of the current primitive: its first drawn vertex, and its next index */
    bool is_cut;           /* there are more indices than the limit */
};
struct element_walk element_walk_start(const struct compare *compare, enum compare_side side);
bool element_next(struct element_walk *walk, struct drawn_element *out);
double element_area(const struct drawn_vertices *drawn, const struct drawn_element *element);
/* Calls `match` for each old element that the new model draws at the same place, in any order, with the new one, whose
 * corners are in the order of the old ones. Among several, elements of materials that look alike come first. */
void elements_match(struct compare *compare,
                    void (*match)(void *context, const struct drawn_element *old, const struct drawn_element *new),
                    void *context);

/* --- compare_wraps.c --- */

/* Returns an array for the old list, which the caller frees: 1 for the corners of triangles over which a texture that
 * repeats is stretched otherwise, by whole numbers. */
uint8_t *wraps_find(struct compare *compare);

/* --- compare_flat.c --- */

/* Returns an array for the list of a side, which the caller frees: 1 for vertices with normals of the file, off which
 * the normal of a triangle is, if their partners are drawn flat. */
uint8_t *flats_find(struct compare *compare, enum compare_side side);

/* --- compare_material_uses.c --- */

/* A material of the old model, and the new material at the same place; -1: none. */
struct material_use {
    int32_t materials[COMPARE_SIDES];
    uint64_t old_key;                 /* name_key() of the old material; 0: none */
    uint32_t count, corner_count;     /* of triangles (3), lines (2), points (1) or vertices (0) */
    uint32_t vertices[COMPARE_SIDES]; /* the first pair of drawn vertices */
    uint32_t transformed_slots;       /* bits of the textures whose transforms differ */
    uint32_t moved_slots; /* bits of the textures that lie elsewhere, though the texture coordinates are the same */
    bool is_most;         /* no other material of the new model is at more places of the old one */
};
/* True when the transforms of two textures differ by more than rounding. */
bool texture_transforms_differ(const struct material_texture *a, const struct material_texture *b);
/* Lists them; the caller frees the list. */
struct material_use *material_uses_list(struct compare *compare, uint32_t *count);
