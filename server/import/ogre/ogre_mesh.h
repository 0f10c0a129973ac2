/* ogre_mesh.h - reads Ogre's .mesh files, versions 1.10 to 1.100 of its MeshSerializer (Ogre 1.0 to 14). One thread.
 *
 * Everything borrows the file's bytes. The reader checks counts against the file's size, but not indices into other
 * arrays. It skips levels of detail, edge lists, bounds and extremes. */
#pragma once

#include "base/limits.h"
#include "import/ogre/ogre_stream.h"

enum { OGRE_ELEMENTS_MAX = 64 };
#define OGRE_NONE UINT32_MAX

enum ogre_semantic { OGRE_POSITION = 1, OGRE_NORMAL = 4, OGRE_DIFFUSE = 5, OGRE_TEXCOORD = 7 };

/* A vertex attribute of a geometry. */
struct ogre_element {
    uint16_t source, type, semantic, offset, index;
    const uint8_t *bytes; /* of the first vertex; every vertex has it */
    uint32_t stride;
};

struct ogre_assignment {
    uint32_t vertex;
    uint16_t bone; /* its handle */
    float weight;
};

struct ogre_geometry {
    uint32_t vertex_count;
    uint32_t element_count;
    struct ogre_element elements[OGRE_ELEMENTS_MAX];
    struct ogre_assignment *assignments; /* [assignment_count] */
    size_t assignment_count, assignment_capacity;
};

enum ogre_operation {
    OGRE_POINTS = 1,
    OGRE_LINES = 2,
    OGRE_LINE_STRIP = 3,
    OGRE_TRIANGLES = 4,
    OGRE_TRIANGLE_STRIP = 5,
    OGRE_TRIANGLE_FAN = 6,
};

struct ogre_submesh {
    struct ogre_text material, name;
    bool is_shared; /* uses the mesh's shared geometry, else its own */
    bool has_wide_indices;
    uint16_t operation; /* OGRE_POINTS, ... */
    uint32_t index_count;
    const uint8_t *indices;
    struct ogre_geometry geometry;
};

struct ogre_pose_vertex {
    uint32_t vertex;
    float offset[3];
    float normal[3]; /* if the pose has normals */
};

struct ogre_pose {
    struct ogre_text name;
    uint16_t target; /* 0: the shared geometry; n: the geometry of submesh n - 1 */
    bool has_normals;
    struct ogre_pose_vertex *vertices; /* [vertex_count] */
    size_t vertex_count, vertex_capacity;
};

struct ogre_pose_reference {
    uint16_t pose;
    float influence;
};

enum ogre_track_type { OGRE_TRACK_MORPH = 1, OGRE_TRACK_POSE = 2 };

struct ogre_vertex_key {
    float time_s;
    const uint8_t *positions; /* of morph tracks: x, y, z of each vertex, then the normal if has_normals */
    bool has_normals;
    struct ogre_pose_reference *references; /* of pose tracks: [reference_count] */
    size_t reference_count, reference_capacity;
};

/* The track of one geometry in one animation. */
struct ogre_vertex_track {
    uint16_t type; /* OGRE_TRACK_ */
    uint16_t target;
    struct ogre_vertex_key *keys; /* [key_count] */
    size_t key_count, key_capacity;
};

struct ogre_vertex_animation {
    struct ogre_text name;
    float length_s;
    bool has_base;                    /* keys are relative to a key of another animation, which is unsupported */
    struct ogre_vertex_track *tracks; /* [track_count] */
    size_t track_count, track_capacity;
};

struct ogre_mesh {
    struct ogre_stream stream; /* decodes the numbers in borrowed bytes */
    int version;               /* 110, 120, 130, 140, 141, 180, 1100 */
    struct ogre_text skeleton; /* a file name; empty: none */
    struct ogre_geometry shared;
    struct ogre_submesh *submeshes; /* [submesh_count] */
    size_t submesh_count, submesh_capacity;
    struct ogre_pose *poses; /* [pose_count] */
    size_t pose_count, pose_capacity;
    struct ogre_vertex_animation *animations; /* [animation_count] */
    size_t animation_count, animation_capacity;
};

/* Reads a mesh. A zeroed struct is a valid empty mesh. Returns 0, ERR_NOT_A_MODEL or ERR_BAD_MODEL. The caller calls
 * ogre_mesh_fini() even after an error. */
int ogre_mesh_read(struct ogre_mesh *mesh, const uint8_t *bytes, size_t size_bytes, struct err *err);
void ogre_mesh_fini(struct ogre_mesh *mesh);

/* --- parts --- */

/* ogre_geometry.c: reads a geometry chunk after its header. */
void ogre_geometry_read(struct ogre_mesh *mesh, struct ogre_geometry *geometry);
/* Returns the element of a semantic, or NULL; `index` selects a texture coordinate set. */
const struct ogre_element *ogre_element_of(const struct ogre_geometry *geometry, uint16_t semantic, uint16_t index);
/* Reads the value of a vertex. Missing components are 0, 0, 0, 1. Normalised types are converted to floats. */
void ogre_element_value(const struct ogre_mesh *mesh, const struct ogre_element *element, uint32_t vertex,
                        double out[4]);
/* ogre_vertex_animation.c: read the pose and animation chunks after their headers. */
void ogre_poses_read(struct ogre_mesh *mesh);
void ogre_animations_read(struct ogre_mesh *mesh);
void ogre_vertex_animations_fini(struct ogre_mesh *mesh);
/* ogre_lod.c: skip levels of detail and edge lists after their headers. */
void ogre_lod_skip(struct ogre_mesh *mesh);
void ogre_edges_skip(struct ogre_mesh *mesh);

/* Returns the geometry of a track's or a pose's target, or NULL. */
const struct ogre_geometry *ogre_target(const struct ogre_mesh *mesh, uint16_t target);
