/* pass_surface.h - the vertices of the surfaces that a picture shows, in scene space, as /v1/mesh has them: by the same
 * code, and rounded to float. Vertices are posed when they are first asked for, so those that no pixel shows cost
 * nothing. Pure; one thread. */
#pragma once

#include "render/pose/posed_model.h"

/* The vertices of a draw, or of bones. */
struct pass_surface {
    const struct draw *draw; /* NULL: bones */
    uint32_t vertex_count, vertex_first;
    struct vec3 *positions, *normals; /* [vertex_count], where is_posed */
    struct vec3 *later;               /* positions at t2; NULL: not asked for */
    uint8_t *is_posed;
    const struct vec3 *bind;                   /* positions in bind space */
    struct vec3 *morphed_normals, *later_bind; /* in bind space; NULL: the model's own */
    bool is_ready;                             /* the rest is set */
};

/* A pose with palettes to scene space, which are made for a skin when it is first needed. */
struct pass_palettes {
    const struct pose *pose;
    struct mat4 *matrices;   /* [joint_count of the model] */
    struct skin_part *parts; /* likewise, or NULL */
    uint8_t *is_made;        /* [skin_count] */
};

struct pass_surfaces {
    const struct model *model;
    const struct posed_model *posed, *later; /* later: NULL without a second pose */
    struct pass_palettes now, then;
    struct pass_surface *surfaces; /* [surface_count] */
    uint32_t surface_count;
};

/* Prepares the surfaces of a posed model, numbered as posed->draws, or one of its bones. All is borrowed. Call
 * pass_surfaces_fini() in any case. ERR_NO_MEMORY. */
int pass_surfaces_init(struct pass_surfaces *surfaces, const struct model *model, const struct posed_model *posed,
                       const struct posed_model *later, struct err *err);
void pass_surfaces_fini(struct pass_surfaces *surfaces);

/* Returns surface `number` (< surface_count), ready for pass_surface_pose(). NULL: ERR_NO_MEMORY or ERR_NOT_FINITE. */
struct pass_surface *pass_surface_get(struct pass_surfaces *surfaces, uint32_t number, struct err *err);
/* Makes positions, normals and later positions of a vertex valid. */
void pass_surface_pose(struct pass_surfaces *surfaces, struct pass_surface *surface, uint32_t vertex);
