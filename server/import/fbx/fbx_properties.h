/* fbx_properties.h - what an FBX file says of its models, materials and takes beyond the format: the user properties
 * (flag U of Properties70) as JSON objects; and the markers of its timeline.
 *
 * Total on any bytes; linear in the size. Binary files from 7.0 on and text files of 7.x. No I/O; any thread.
 * Properties: "FBX binary file format specification", Blender Developers Blog, 2013-08-10 (P: name, type, label, flags,
 * values). Markers: FbxGlobalSettings::TimeMarker of the FBX SDK, a compound property "TimeMarker" with one child a
 * marker, which has the children Time (FbxTime) and Loop. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* FbxTime: parts of a second that times of 7.x files count. */
static const int64_t FBX_TICKS_PER_S = 46186158000;

enum fbx_kind { FBX_MODEL, FBX_MATERIAL, FBX_TAKE, FBX_KIND_COUNT };

/* A piece of fbx_properties.text. */
struct fbx_span {
    size_t at, size_bytes;
};

struct fbx_object {
    enum fbx_kind kind;
    struct fbx_span name;
    struct fbx_span json; /* size 0: it has no user properties */
    int64_t start, stop;  /* of a take, in ticks; equal where the file does not say */
};

struct fbx_marker {
    struct fbx_span key; /* which marker of the file: neighbours with the same are one */
    struct fbx_span name;
    int64_t time;
    bool has_time;
};

struct fbx_properties {
    struct buf text;
    struct fbx_object *objects;
    struct fbx_marker *markers;
    uint32_t object_count, object_capacity, marker_count, marker_capacity;
};

void fbx_properties_read(struct fbx_properties *properties, const uint8_t *bytes, size_t size_bytes);
void fbx_properties_fini(struct fbx_properties *properties);

/* --- for the two readers --- */

struct fbx_text {
    const char *at;
    size_t size_bytes;
};

/* One value of a property, as the layout of the file has it. */
struct fbx_value {
    enum { FBX_VALUE_INT, FBX_VALUE_FLOAT, FBX_VALUE_DOUBLE, FBX_VALUE_NUMBER, FBX_VALUE_TEXT } kind;
    int64_t integer;
    double number;        /* of FLOAT and DOUBLE */
    struct fbx_text text; /* of TEXT, and of NUMBER: a number as it is written */
};

enum { FBX_PROPERTY_TEXTS = 4, FBX_PROPERTY_VALUES = 4 };

struct fbx_property {
    struct fbx_text texts[FBX_PROPERTY_TEXTS]; /* name, type, label, flags */
    struct fbx_value values[FBX_PROPERTY_VALUES];
    uint32_t param_count;
};

/* An object begins; the properties that follow are its own until it ends. */
void fbx_object_begin(struct fbx_properties *properties, enum fbx_kind kind, struct fbx_text name);
void fbx_object_property(struct fbx_properties *properties, const struct fbx_property *property);
void fbx_object_end(struct fbx_properties *properties);
/* A property of GlobalSettings. */
void fbx_global_property(struct fbx_properties *properties, const struct fbx_property *property);

/* fbx_properties_text.c */
void fbx_properties_read_text(struct fbx_properties *properties, const char *text, size_t size_bytes);
