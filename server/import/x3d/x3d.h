/* x3d.h - import_x3d(): imports the geometry of X3D files (ISO/IEC 19775-1, in the XML of 19776-1, versions 3.0 to
 * 4.0). One thread.
 *
 * Names of fields, defaults and shapes follow the standard. The reader skips content of interactive or animated scenes
 * (sensors, scripts, routes, interpolators) and unknown elements, with a warning. */
#pragma once

#include "import/polygons/polygon_mesh.h"
#include "import/x3d/x3d_xml.h"

struct x3d {
    struct import *import;
    struct xml xml;
    int32_t *mesh_of;           /* [element_count]: mesh of a Shape, or -1; only while the scene is read */
    int32_t (*materials_of)[2]; /* [element_count]: material of an Appearance, without and with colours, or -1 */
    int32_t plain_material;
};

/* Reads an attribute's numbers, separated by white space and commas. Returns 0, ERR_BAD_MODEL (not a number; names
 * line, element and attribute), or ERR_MODEL_LIMIT. Without the attribute *count is 0 and *values NULL; else the caller
 * frees *values. */
int x3d_numbers(const struct x3d *x3d, uint32_t element, const char *attribute, double **values, uint32_t *count,
                struct err *err);
/* Reads exactly `count` numbers into out[], which stays unchanged if the attribute is missing or has fewer. */
int x3d_get_numbers(const struct x3d *x3d, uint32_t element, const char *attribute, double *out, uint32_t count,
                    struct err *err);
/* Writes "line 12, <Box>" for messages. Returns `out`. */
enum { X3D_WHERE_SIZE = 96 };
const char *x3d_where(const struct x3d *x3d, uint32_t element, char out[X3D_WHERE_SIZE]);
#define X3D_WHERE(x3d, element) x3d_where(x3d, element, (char[X3D_WHERE_SIZE]){0})

/* x3d_material.c: adds the material of an Appearance (XML_NONE: no Appearance). Colours of the geometry replace its own
 * (19775-1, 11.4.1). Returns its index, or an ERR_. */
int x3d_material(struct x3d *x3d, uint32_t appearance, bool has_colors, struct err *err);

/* A growing set of polygons. Everything is owned. */
struct x3d_surface {
    double *points; /* three each */
    uint32_t point_count;
    uint32_t *corners; /* [corner_count]: points */
    uint32_t *slots;   /* [corner_count]: a corner's position in its index list */
    uint32_t *starts;  /* [polygon_count + 1] */
    uint32_t *faces;   /* [polygon_count]: face of the file; a line or strip counts as one */
    uint32_t corner_count, polygon_count;
    size_t corner_capacity, slot_capacity, start_capacity, face_capacity;
    uint32_t topology;
    bool is_clockwise, has_default_texcoords;
    double crease_cosine;
    /* Values, and each corner's index into them; NULL: the point's index */
    double *normals, *texcoords, *colors;
    uint32_t *normal_of, *texcoord_of, *color_of;
    uint32_t normal_count, texcoord_count, color_count;
};

void x3d_surface_fini(struct x3d_surface *surface);
/* Appends a polygon of `count` unchecked points; slots may be NULL. Returns 0 or ERR_MODEL_LIMIT. */
int x3d_add_polygon(const struct x3d *x3d, struct x3d_surface *surface, const uint32_t *points, const uint32_t *slots,
                    uint32_t count, uint32_t face, struct err *err);
/* Whether x3d_geometry() reads this element. */
bool x3d_is_geometry(const struct x3d *x3d, uint32_t element);
/* x3d_geometry.c: fills a zeroed surface. Returns 0, ERR_BAD_MODEL, ERR_MODEL_LIMIT. */
int x3d_geometry(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err);
/* x3d_solid.c: Box, Cone, Cylinder, Sphere. x3d_swept.c: ElevationGrid, Extrusion. */
int x3d_solid(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err);
int x3d_swept(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err);

/* x3d_scene.c: adds nodes and their shapes. */
int x3d_scene(struct x3d *x3d, uint32_t scene, struct err *err);
