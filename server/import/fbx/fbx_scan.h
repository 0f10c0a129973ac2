/* fbx_scan.h - what an FBX file has that assimp reads as something simpler, and does not tell: curves that are not
 * straight between their keys, and takes of several layers. Reads records and nothing of their meaning beyond that.
 *
 * Total on any bytes; linear in the size. Binary files of versions before and from 7.5, text files of 7.x. No I/O; any
 * thread. Formats: "FBX binary file format specification", Blender Developers Blog, 2013-08-10; KeyAttrFlags:
 * FbxAnimCurveDef::EInterpolationType of the FBX SDK (constant 2, linear 4, cubic 8). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fbx_findings {
    uint32_t curve_count;   /* of two keys or more, with different values */
    uint32_t cubic_count;   /* of them, with a cubic piece */
    uint32_t stepped_count; /* of them, without one but with a constant piece */
    uint32_t layered_count; /* takes of more than one layer that moves something */
    uint32_t turning_count; /* rotations of which more than one angle changes */
    bool is_uncertain;      /* some of it could not be read */
};

struct fbx_findings fbx_scan(const uint8_t *bytes, size_t size_bytes);

/* --- within fbx_*.c --- */

/* What fbx_scan() returns. `text` needs no NUL. */
struct fbx_findings fbx_scan_text(const char *text, size_t size_bytes);

/* Counts a moving curve, of whose pieces all KeyAttrFlags are ored together. */
void fbx_count_curve(struct fbx_findings *losses, uint32_t flags);
