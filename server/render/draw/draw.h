/* draw.h - draws a prepared frame to the bound framebuffer. Only on the context's thread. */
#pragma once

#include "anim/light/environment.h"
#include "base/picture/picture_spec.h"
#include "render/gather/gather.h"
#include "render/gl/framebuffer.h"
#include "render/pose/depth_order.h"
#include "render/pose/posed_model.h"
#include "render/gl/gl.h"
#include "render/draw/model_cache.h"
#include "render/gl/program.h"

/* Bounds below and above any alpha. */
#define DRAW_ALPHA_ANY -1.0f
#define DRAW_ALPHA_END 1e9f
/* As the end of the alpha range: the material has holes, whose edges are smoothed over the samples of a pixel. Needs
 * PROGRAM_CUT. */
#define DRAW_ALPHA_SMOOTH -1.0f

/* Stencil values of the topmost surface, with PICTURE_OCCLUSION, which only darkens lit surfaces. */
enum { DRAW_MARK_LIT, DRAW_MARK_UNLIT };

/* From this roughness on, the light that dielectrics reflect is so smooth that no map is needed (PROGRAM_MIRRORS). */
#define DRAW_ROUGH 0.5f

/* The state of draw_gathered.c. */
struct gathering {
    struct gather gather;
    struct vec3 *positions, *normals; /* skinned, view space */
    struct vec4 *tangents;            /* skinned, view space */
    uint64_t position_capacity, normal_capacity, tangent_capacity;
    GLuint texture, corners; /* texture with the samples; buffer with the corners of their rectangle */
    uint32_t width, height;  /* of the texture */
};

/* An environment file (anim/light/panorama.h) as a light. */
struct file_light {
    uint64_t key; /* same key = same file; 0: none */
    double yaw_deg;
    uint64_t used; /* greater = used later */
    struct environment *light;
    GLuint map;
};
enum { FILE_LIGHTS_MAX = 4 };

/* The model's lights in a frame, in the form of shaders/lights.glsl. */
struct model_lights {
    uint32_t count;
    float places[MODEL_LIGHTS_DRAWN][4], axes[MODEL_LIGHTS_DRAWN][4], colors[MODEL_LIGHTS_DRAWN][4];
};

/* The state that all frames share; lives as long as the context. */
struct drawing {
    const struct gl *gl;
    struct program *programs[PROGRAM_KINDS];        /* by enum program_kind; NULL until first used */
    const struct program *used;                     /* the current one, while a frame is drawn */
    uint64_t frame_number;                          /* counts frames */
    const struct picture_spec *picture;             /* of the frame: its light, exposure and tone */
    bool has_marks;                                 /* of the frame: surfaces are marked in the stencil */
    uint32_t scale;                                 /* of the frame: samples on a pixel's side */
    GLuint light_maps[LIGHT_COUNT];                 /* by enum picture_light; 0 until first used */
    const struct framebuffer *target;               /* the framebuffer drawn to */
    struct file_light file_lights[FILE_LIGHTS_MAX]; /* for LIGHT_FILE: the last ones used */
    struct file_light *file_light;                  /* of the picture, or NULL */
    uint64_t file_light_count;                      /* counts uses */
    struct model_lights model_lights;               /* of the frame, with PICTURE_OWN_LIGHTS */
    GLuint vertex_array;
    GLuint white, white_data; /* textures; data are linear */
    GLuint missing;           /* shown in place of a missing base colour texture */
    GLuint palette, palette_texture;
    struct vertex_arrays own; /* buffers for vertices that change every frame; without tangents */
    GLuint own_tangents;
    GLuint own_indices; /* for indices that change every frame */
    struct depth_order order;
    struct gathering gathering;
    bool is_gathered;    /* the current draws are gathered: programs have PROGRAM_GATHERED */
    unsigned layer_kind; /* of the frame's model, from draw_layers_start() */
    GLuint behind;       /* texture of the picture behind clear materials */
};

/* Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int drawing_init(struct drawing *drawing, const struct gl *gl, struct err *err);

/* Draws opaque surfaces, then blended ones from far to near, triangle by triangle, premultiplied, over what is there.
 * `scale`: samples on a pixel's side, so that lines and points have their width in pixels. picture: gives the size and
 * the light. Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. */
int draw_posed_model(struct drawing *drawing, const struct loaded_model *loaded, struct posed_model *posed,
                     const struct picture_spec *picture, uint32_t scale, struct err *err);

/* --- shared by lit pictures and other views --- */

/* Returns the diameter in pixels of the discs that show the model's points. */
float draw_point_pixels(const struct model *model, const struct posed_model *posed, float side);

/* Computes the distances along the view direction at GL depths -1 and 1, for any projection. Returns the power of two
 * that scales the larger one to between 0.5 and 1. Shaders have positions in that unit, so that squares of small ones
 * do not underflow. */
float draw_depth_range(const struct posed_model *posed, float range[2]);
/* Passes the frame's camera to the program, which must be in use. */
void draw_set_camera(const struct gl *gl, const struct program *program, const struct posed_model *posed);
/* True when the backs of the draw's triangles are invisible, which requires that the file's format defines the back. */
bool draw_has_culling(const struct model *model, const struct material *material, const struct posed_draw *draw);
/* Sets culling accordingly. */
void draw_set_culling(const struct gl *gl, const struct model *model, const struct material *material,
                      const struct posed_draw *draw);
/* Fills a vertex buffer. */
void draw_fill(const struct gl *gl, GLuint buffer, const void *items, size_t size_bytes);
/* Draws a primitive whose vertices are bound, in the file's order. */
void draw_indexed(const struct gl *gl, const struct primitive *primitive);
/* Marks following draws if drawing->has_marks, with DRAW_MARK_LIT at first. */
void draw_mark_surfaces(const struct drawing *drawing);
/* Draws the bones in the colours of drawing->own. */
void draw_skeleton_mesh(const struct drawing *drawing, const struct program *program, const struct posed_model *posed);
/* Fills drawing->palette from the posed model and binds it to UNIT_PALETTE. ERR_NO_MEMORY. */
int draw_upload_palette(const struct drawing *drawing, const struct posed_model *posed, struct err *err);
/* Binds a draw's vertices: the model's own, morphed ones (which the shader also skins), or, for dual quaternions,
 * vertices in view space. The CPU skins the latter with the code that answers vertex requests, so shaders only
 * implement linear skinning. ERR_NO_MEMORY. */
int draw_bind_vertices(const struct drawing *drawing, const struct loaded_model *loaded,
                       const struct posed_model *posed, const struct posed_draw *draw, struct err *err);
/* Returns the index in the palette of joint 0 for the vertices that draw_bind_vertices() binds. */
GLint draw_joint_first(const struct model *model, const struct posed_model *posed, const struct posed_draw *draw);
/* The same for vertices in scene space. */
GLint draw_scene_joint(const struct posed_model *posed);

/* --- draw_light.c: the light of a picture as GL state --- */

/* Makes an environment (anim/light/panorama.h), turned by yaw_deg, the light of LIGHT_FILE. key: same key = same model.
 * ERR_NO_MEMORY. */
int draw_set_environment(struct drawing *drawing, const struct model *model, uint64_t key, double yaw_deg,
                         struct err *err);
/* Sets the light of the following frames, and makes its map on first use. */
void draw_bind_light(struct drawing *drawing, const struct picture_spec *picture);
/* True for a light other than the default one, which needs PROGRAM_CHOSEN. */
bool draw_has_chosen_light(const struct picture_spec *picture);
/* Passes the light to such a program, which must be in use. */
void draw_set_light(const struct drawing *drawing, const struct program *program);

/* --- model_lights.c --- */

/* Finds the first MODEL_LIGHTS_DRAWN of the model's lights that are in the scene and shown, in this pose, whose camera
 * must be set. unit: the factor on positions in fragment shaders. Pure. */
void model_lights_find(struct model_lights *lights, const struct model *model, const struct posed_model *posed,
                       double unit);

/* --- draw_material.c: a material as GL state --- */

/* Makes the default textures for what a material lacks. */
void draw_make_textures(struct drawing *drawing);

/* Uses the program that a primitive with this material needs, compiles it on first use, and sets everything that
 * depends on the camera and the material. The caller sets what depends on the draw and the pass. is_lit false: no light
 * falls on it. ERR_RENDER_FAILED. */
int draw_set_material(struct drawing *drawing, const struct loaded_model *loaded, const struct posed_model *posed,
                      const struct material *material, const struct primitive *primitive, bool is_lit, struct err *err);
/* Returns the texture in a slot below TEXTURE_ALL_COUNT, or 0 when the file has none or it has no pixels. */
GLuint draw_texture(const struct loaded_model *loaded, const struct material *material, uint32_t slot);
/* True when the material needs more than a base colour texture with the first texture coordinates. For unlit surfaces
 * other textures do not count. */
bool draw_needs_full(const struct loaded_model *loaded, const struct material *material, bool is_lit);
/* True when a normal texture changes its normals. */
bool draw_has_bumps(const struct loaded_model *loaded, const struct material *material);
/* The same as draw_set_material() for a program in use. */
void draw_put_material(const struct drawing *drawing, const struct program *program, const struct loaded_model *loaded,
                       const struct material *material, const struct primitive *primitive, bool is_lit);

/* --- draw_layers.c: layers of materials --- */

/* True when the material lets you see what is behind it. Such materials are drawn last among solid ones. */
bool draw_is_clear(const struct model *model, const struct material *material);
/* Call before the draws of a frame. Chooses the programs for the model's layers, so that a file cannot ask for any
 * number of them. */
void draw_layers_start(struct drawing *drawing, const struct model *model);
/* Returns the additional PROGRAM_ bits for a lit material: 0 without layers. */
unsigned draw_layers_kind(const struct drawing *drawing, const struct loaded_model *loaded,
                          const struct material *material);
/* Passes the material's numbers and textures to a program of such a kind, which must be in use. */
void draw_put_layers(const struct drawing *drawing, const struct program *program, unsigned kind,
                     const struct loaded_model *loaded, const struct material *material);
/* Copy the picture so far, of this size in samples, for clear materials; and free its memory. */
void draw_keep_behind(const struct drawing *drawing, uint32_t width, uint32_t height);
void draw_drop_behind(const struct drawing *drawing);
