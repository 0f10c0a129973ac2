/* md2.h - reads Quake II models: one mesh, a set of positions for each frame, and names of pictures (quake2/qfiles.h,
 * version 8). One thread.
 *
 * The first frame becomes the mesh, and every other frame becomes a morph target, so that frames blend as in the game.
 * Consecutive frames with one base name form a clip at the game's ten frames per second. z points up, x forward. */
#pragma once

#include "import/source/import.h"

enum { MD2_FRAME_NAME_BYTES = 16, MD2_SKIN_NAME_BYTES = 64 };

/* The header of a file with validated array ranges; everything borrows the bytes. */
struct md2_file {
    const uint8_t *skins;     /* [skin_count]: names of 64 bytes */
    const uint8_t *texcoords; /* [texcoord_count]: s, t as 16-bit texels */
    const uint8_t *triangles; /* [triangle_count]: three vertices and three texcoords, of 16 bits */
    const uint8_t *frames;    /* [frame_count]: scale and translation, a name, and four bytes per vertex */
    uint32_t skin_width, skin_height;
    uint32_t skin_count, vertex_count, texcoord_count, triangle_count, frame_count, frame_bytes;
};

struct md2 {
    struct import *import;
    struct md2_file file;
};

/* md2_file.c: reads the header and validates indices. Returns 0 or ERR_BAD_MODEL, which names the part of the file. */
int md2_file_read(struct md2_file *file, const uint8_t *bytes, size_t size_bytes, struct err *err);
/* Computes a vertex position in a frame. */
void md2_position(const struct md2_file *file, uint32_t frame, uint32_t vertex, double out[3]);
/* Copies the NUL-terminated name of a frame. */
void md2_frame_name(const struct md2_file *file, uint32_t frame, char out[MD2_FRAME_NAME_BYTES + 1]);

int md2_read_material(struct md2 *md2, struct err *err); /* md2_skin.c */
int md2_read_mesh(struct md2 *md2, struct err *err);     /* md2_mesh.c: mesh, morph targets and the node */
int md2_read_clips(struct md2 *md2, struct err *err);    /* md2_clip.c */
