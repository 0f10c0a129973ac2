/* draw.h - a prepared frame to pixels in the bound framebuffer. The context's thread only. */
#pragma once

#include "anim/light/environment.h"
#include "base/picture_spec.h"
#include "render/gather/gather.h"
#include "render/gl/framebuffer.h"
#include "render/pose/depth_order.h"
#include "render/pose/posed_model.h"
#include "render/gl/gl.h"
#include "render/draw/model_cache.h"
#include "render/gl/program.h"

/* Beyond any alpha. */
#define DRAW_ALPHA_ANY -1.0f
#define DRAW_ALPHA_END 1e9f
/* Ends the range of a material with holes whose edges are smoothed over the samples of a pixel: of a program that is
 * PROGRAM_CUT. */
#define DRAW_ALPHA_SMOOTH -1.0f

/* What the stencil has where a surface is on top: with PICTURE_OCCLUSION, which darkens those alone that light falls
 * on. */
enum { DRAW_MARK_LIT, DRAW_MARK_UNLIT };

/* Dielectrics from this roughness on reflect a light so smooth that they need no map of it: PROGRAM_MIRRORS. */
#define DRAW_ROUGH 0.5f

/* What draw_gathered.c keeps. */
struct gathering {
    struct gather gather;
    struct vec3 *positions, *normals; /* skinned, view space */
    struct vec4 *tangents;            /* likewise */
    uint64_t position_capacity, normal_capacity, tangent_capacity;
    GLuint texture, corners; /* the samples; a buffer for the corners of their rectangle */
    uint32_t width, height;  /* of the texture */
};

/* An environment of a file (anim/light/panorama.h) as a light. */
struct file_light {
    uint64_t key; /* same key = same file; 0: there is none */
    double yaw_deg;
    uint64_t used; /* the larger, the later */
    struct environment *light;
    GLuint map;
};
enum { FILE_LIGHTS_MAX = 4 };

/* A frame's lights of the model, as shaders/lights.glsl takes them. */
struct model_lights {
    uint32_t count;
    float places[MODEL_LIGHTS_DRAWN][4], axes[MODEL_LIGHTS_DRAWN][4], colors[MODEL_LIGHTS_DRAWN][4];
};

/* What every frame uses; lives as long as the context. */
struct drawing {
    const struct gl *gl;
    struct program *programs[PROGRAM_KINDS];        /* by enum program_kind; NULL until first used */
    const struct program *used;                     /* one of them, while a frame is drawn */
    uint64_t frame_number;                          /* counts them */
    const struct picture_spec *picture;             /* likewise: its light, exposure and tone */
    bool has_marks;                                 /* likewise: surfaces are marked in the stencil */
    uint32_t scale;                                 /* likewise: how many samples a pixel's side has */
    GLuint light_maps[LIGHT_COUNT];                 /* by enum picture_light; 0 until first used */
    const struct framebuffer *target;               /* what is drawn into */
    struct file_light file_lights[FILE_LIGHTS_MAX]; /* of LIGHT_FILE: those that were used last */
    struct file_light *file_light;                  /* of the picture, or NULL */
    uint64_t file_light_count;                      /* counts their uses */
    struct model_lights model_lights;               /* of the frame, with PICTURE_OWN_LIGHTS */
    GLuint vertex_array;
    GLuint white, white_data; /* textures; data are linear */
    GLuint missing;           /* what is seen where the file's base colour texture cannot be had */
    GLuint palette, palette_texture;
    struct vertex_arrays own; /* buffers for vertices that change from frame to frame; without tangents */
    GLuint own_tangents;
    GLuint own_indices; /* likewise */
    struct depth_order order;
    struct gathering gathering;
    bool is_gathered;    /* what is drawn is: programs are of PROGRAM_GATHERED */
    unsigned layer_kind; /* of the frame's model: draw_layers_start() */
    GLuint behind;       /* what is seen through clear materials */
};

/* Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int drawing_init(struct drawing *drawing, const struct gl *gl, struct err *err);

/* Draws opaque surfaces, then blended ones from far to near, each triangle by triangle, premultiplied, over what is
 * there. `scale` samples are a pixel's side: lines and points have their width in pixels. picture: its size and its
 * light. Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int draw_posed_model(struct drawing *drawing, const struct loaded_model *loaded, struct posed_model *posed,
                     const struct picture_spec *picture, uint32_t scale, struct err *err);

/* --- what lit pictures share with other views --- */

/* The diameter in pixels of the discs that stand for the points of the model. */
float draw_point_pixels(const struct model *model, const struct posed_model *posed, float side);

/* Distances along the line of sight that GL's depths -1 and 1 stand for, of any projection. Returns the power of two
 * that brings the larger to between 0.5 and 1: shaders have positions in that unit, so that squares of small ones do
 * not vanish. */
float draw_depth_range(const struct posed_model *posed, float range[2]);
/* Gives the program, which is in use, the frame's camera. */
void draw_set_camera(const struct gl *gl, const struct program *program, const struct posed_model *posed);
/* True when the backs of its triangles are not to be seen: where the file's format says which side that is. */
bool draw_has_culling(const struct model *model, const struct material *material, const struct posed_draw *draw);
/* Culls them. */
void draw_set_culling(const struct gl *gl, const struct model *model, const struct material *material,
                      const struct posed_draw *draw);
/* Fills a buffer for vertices. */
void draw_fill(const struct gl *gl, GLuint buffer, const void *items, size_t size_bytes);
/* Draws a primitive whose vertices are bound, in the file's order. */
void draw_indexed(const struct gl *gl, const struct primitive *primitive);
/* From now on what is drawn is marked, if drawing->has_marks: DRAW_MARK_LIT at first. */
void draw_mark_surfaces(const struct drawing *drawing);
/* Draws the bones in the colours that drawing->own has. */
void draw_skeleton_mesh(const struct drawing *drawing, const struct program *program, const struct posed_model *posed);
/* Fills drawing->palette from the posed model and binds it to UNIT_PALETTE. ERR_NO_MEMORY. */
int draw_upload_palette(const struct drawing *drawing, const struct posed_model *posed, struct err *err);
/* Binds a draw's vertices: the model's own; morphed ones, which the shader skins as well; or those that dual
 * quaternions move, in view space: the processor skins them, by the code that answers requests for vertices, so shaders
 * know of linear skinning only. ERR_NO_MEMORY. */
int draw_bind_vertices(const struct drawing *drawing, const struct loaded_model *loaded,
                       const struct posed_model *posed, const struct posed_draw *draw, struct err *err);
/* Where joint 0 of the vertices that draw_bind_vertices() binds is in the palette. */
GLint draw_joint_first(const struct model *model, const struct posed_model *posed, const struct posed_draw *draw);
/* The same of what is in scene space. */
GLint draw_scene_joint(const struct posed_model *posed);

/* --- draw_light.c: the light of a picture as GL state --- */

/* Makes LIGHT_FILE the light of an environment (anim/light/panorama.h), turned by yaw_deg. key: same key = same model.
 * ERR_NO_MEMORY. */
int draw_set_environment(struct drawing *drawing, const struct model *model, uint64_t key, double yaw_deg,
                         struct err *err);
/* From now on frames have this light; its map is made when it is the first time. */
void draw_bind_light(struct drawing *drawing, const struct picture_spec *picture);
/* True when a request that names no light has another: programs need PROGRAM_CHOSEN. */
bool draw_has_chosen_light(const struct picture_spec *picture);
/* Gives such a program, which is in use, the light. */
void draw_set_light(const struct drawing *drawing, const struct program *program);

/* --- model_lights.c --- */

/* The first MODEL_LIGHTS_DRAWN of the model's lights that are in the scene and shown, in this pose, whose camera is
 * set. unit: what fragments multiply positions by. Pure. */
void model_lights_find(struct model_lights *lights, const struct model *model, const struct posed_model *posed,
                       double unit);

/* --- draw_material.c: a material as GL state --- */

/* The textures for what a material does not have. */
void draw_make_textures(struct drawing *drawing);

/* Puts the program in use that a primitive with this material needs, which is compiled when it is the first, and sets
 * all that depends on the camera and the material; what depends on the draw and the pass is the caller's. is_lit false:
 * no light falls on it. ERR_RENDER_FAILED. */
int draw_set_material(struct drawing *drawing, const struct loaded_model *loaded, const struct posed_model *posed,
                      const struct material *material, const struct primitive *primitive, bool is_lit, struct err *err);
/* The texture in a slot below TEXTURE_ALL_COUNT, 0 when the file has none or it has no pixels. */
GLuint draw_texture(const struct loaded_model *loaded, const struct material *material, uint32_t slot);
/* True when the material has more than a base colour texture by the first texture coordinates; of surfaces that are not
 * lit, others than that do not count. */
bool draw_needs_full(const struct loaded_model *loaded, const struct material *material, bool is_lit);
/* True when a normal texture moves its normals. */
bool draw_has_bumps(const struct loaded_model *loaded, const struct material *material);
/* The same as draw_set_material() for a program that is in use. */
void draw_put_material(const struct drawing *drawing, const struct program *program, const struct loaded_model *loaded,
                       const struct material *material, const struct primitive *primitive, bool is_lit);

/* --- draw_layers.c: layers of materials --- */

/* True when what is behind a material is seen through it: such are drawn last of what is solid. */
bool draw_is_clear(const struct model *model, const struct material *material);
/* Before the draws of a frame: which programs the model's layers have, so that a file cannot ask for any number. */
void draw_layers_start(struct drawing *drawing, const struct model *model);
/* Which program a material that is lit needs beside others (PROGRAM_): 0 without layers. */
unsigned draw_layers_kind(const struct drawing *drawing, const struct loaded_model *loaded,
                          const struct material *material);
/* Gives a program of such a kind, which is in use, the material's numbers and textures. */
void draw_put_layers(const struct drawing *drawing, const struct program *program, unsigned kind,
                     const struct loaded_model *loaded, const struct material *material);
/* Keeps the picture so far, of so many samples, for clear materials; and gives its memory back. */
void draw_keep_behind(const struct drawing *drawing, uint32_t width, uint32_t height);
void draw_drop_behind(const struct drawing *drawing);
