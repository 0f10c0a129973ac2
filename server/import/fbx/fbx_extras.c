/* fbx_extras.c - user data of a file: properties of nodes, materials and clips as JSON objects, and the timeline's
 * markers.
 *
 * User properties have the flag U. Markers are FbxGlobalSettings::TimeMarker of the FBX SDK: a compound property
 * "TimeMarker" of the settings with a child "TimeMarker|KEY" for each marker, which has the children Time and Loop. */
#include "import/fbx/fbx.h"

#include "base/mem.h"
#include "import/fbx_file/fbx_number_text.h"
#include "import/text/json_write.h"

#include <stdlib.h>
#include <string.h>

/* --- user properties --- */

/* The number of values of this type. Further values are its minimum and maximum, or the names of an enumeration. */
static uint32_t width_of(struct fbx_span type)
{
    static const struct {
        const char *type;
        uint32_t width;
    } TYPES[] = {{"Vector", 3},    {"Vector3D", 3},        {"Vector3", 3},      {"Color", 3},      {"ColorRGB", 3},
                 {"Vector2", 2},   {"Vector2D", 2},        {"Vector4", 4},      {"Vector4D", 4},   {"ColorAndAlpha", 4},
                 {"ColorRGBA", 4}, {"Lcl Translation", 3}, {"Lcl Rotation", 3}, {"Lcl Scaling", 3}};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (fbx_span_is(type, TYPES[i].type))
            return TYPES[i].width;
    return 1;
}

static void put_value(struct buf *out, const struct fbx_file *file, const struct fbx_property *property, uint32_t index)
{
    const struct fbx_value *value = fbx_value(file, property->record, property->value_first + index);
    const bool is_bool = fbx_span_is(property->type, "Bool") || fbx_span_is(property->type, "bool");
    const struct fbx_span written = fbx_number_text(file, property->record, property->value_first + index);
    if (value->kind == FBX_TEXT || value->kind == FBX_BYTES)
        json_write_string(out, (const char *)value->span.bytes, value->span.size_bytes);
    else if (value->kind == FBX_ARRAY)
        buf_put_text(out, "null");
    else if (is_bool)
        buf_put_text(out, fbx_real(file, property->record, property->value_first + index, 0) != 0 ? "true" : "false");
    else if (written.size_bytes > 0)
        json_write_number(out, (const char *)written.bytes, written.size_bytes);
    else if (value->kind == FBX_INTEGER)
        json_write_int(out, value->integer);
    else if ((double)(float)value->real == value->real)
        json_write_float(out, (float)value->real); /* as short as what a float was written from */
    else
        json_write_double(out, value->real);
}

/* "name":value, or a list. */
static void put_property(struct buf *out, const struct fbx_file *file, const struct fbx_property *property)
{
    const uint32_t width = width_of(property->type);
    json_write_string(out, (const char *)property->name.bytes, property->name.size_bytes);
    buf_put_char(out, ':');
    if (width == 1 || property->value_count == 1) {
        put_value(out, file, property, 0);
        return;
    }
    for (uint32_t i = 0; i < width && i < property->value_count; i++) {
        buf_put_char(out, i == 0 ? '[' : ',');
        put_value(out, file, property, i);
    }
    buf_put_char(out, ']');
}

static int add_properties(struct fbx *fbx, uint32_t object, enum extra_owner owner, uint32_t index, struct err *err)
{
    struct fbx_property property;
    struct buf out;
    uint32_t cursor = FBX_NONE;
    buf_init(&out, 0);
    while (fbx_property_next(&fbx->scene, object, &cursor, &property)) {
        const struct fbx_span flags = property.flags;
        if (property.value_count == 0 || memchr(flags.bytes, 'U', flags.size_bytes) == NULL)
            continue;
        buf_put_char(&out, out.size_bytes == 0 ? '{' : ',');
        put_property(&out, &fbx->scene.file, &property);
    }
    int rc = 0;
    if (out.size_bytes > 0) {
        buf_put_char(&out, '}');
        rc = import_add_extra(fbx->import, owner, index, out.data, out.size_bytes, FBX_OBJECT_TEXT(&fbx->scene, object),
                              err);
    }
    buf_fini(&out);
    return rc;
}

/* Extras must be sorted by owner: the objects of each kind, by index. */
static int add_all_of(struct fbx *fbx, const int32_t *thing_of, uint32_t thing_count, enum extra_owner owner,
                      struct err *err)
{
    uint32_t *objects = mem_alloc(((size_t)thing_count + 1) * sizeof *objects);
    memset(objects, 0xff, ((size_t)thing_count + 1) * sizeof *objects); /* FBX_NONE */
    for (uint32_t i = 0; i < fbx->scene.object_count && thing_of != NULL; i++)
        if (thing_of[i] >= 0 && (uint32_t)thing_of[i] < thing_count)
            objects[thing_of[i]] = i;
    int rc = 0;
    for (uint32_t t = 0; t < thing_count && rc == 0; t++)
        if (objects[t] != FBX_NONE)
            rc = add_properties(fbx, objects[t], owner, t, err);
    free(objects);
    return rc;
}

/* --- markers --- */

struct timeline_marker {
    struct fbx_span key, name; /* key: "TimeMarker|KEY" without what follows; neighbours with the same are one */
    double time_s;             /* of the file */
    bool has_time;
};

static bool take_prefix(struct fbx_span *name, const char *prefix)
{
    const size_t size_bytes = strlen(prefix);
    if (name->size_bytes <= size_bytes || memcmp(name->bytes, prefix, size_bytes) != 0)
        return false;
    *name = (struct fbx_span){name->bytes + size_bytes, name->size_bytes - size_bytes};
    return true;
}

/* Removes "|Time" or "|Name" from the end and returns the suffix, or size 0 without one. */
static struct fbx_span take_part(struct fbx_span *key)
{
    const uint8_t *bar = memrchr(key->bytes, '|', key->size_bytes);
    if (bar == NULL)
        return fbx_span_of("");
    const struct fbx_span part = {bar + 1, key->size_bytes - (size_t)(bar + 1 - key->bytes)};
    key->size_bytes = (size_t)(bar - key->bytes);
    return part;
}

/* Adds a marker to every clip that plays at its time. */
static int add_marker(struct fbx *fbx, const struct timeline_marker *from, struct err *err)
{
    for (uint32_t c = 0; c < fbx->builder->clip_count && from->has_time; c++) {
        const double time_s = from->time_s - fbx->clip_starts_s[c];
        if (time_s < 0 || time_s > fbx->builder->clips[c].duration_s)
            continue;
        const struct marker marker = {
            .clip = c,
            .name = fbx_put_name(fbx, from->name),
            .value = {.offset = STR_NONE},
            .time_s = time_s,
        };
        if (import_add_marker(fbx->import, &marker, err) < 0)
            return err->code;
    }
    return 0;
}

static int add_markers(struct fbx *fbx, struct err *err)
{
    const struct fbx_file *file = &fbx->scene.file;
    struct timeline_marker marker = {.key = fbx_span_of("")};
    struct fbx_property property;
    uint32_t cursor = FBX_NONE;
    uint64_t left = fbx->import->limits->value[LIMIT_MARKERS];
    while (fbx_property_next(&fbx->scene, FBX_SETTINGS, &cursor, &property)) {
        struct fbx_span key = property.name;
        if (!take_prefix(&key, "TimeMarker|"))
            continue;
        const struct fbx_span part = take_part(&key);
        if (!fbx_span_equal(key, marker.key)) {
            if (add_marker(fbx, &marker, err) < 0)
                return err->code;
            if (left-- == 0) { /* each is compared with all clips */
                bake_warn(fbx->builder, "markers_dropped", "the timeline has more than %llu markers: some are left out",
                          (unsigned long long)fbx->import->limits->value[LIMIT_MARKERS]);
                return 0;
            }
            marker = (struct timeline_marker){.key = key, .name = key};
        }
        const struct fbx_value *value = fbx_value(file, property.record, property.value_first);
        if ((part.size_bytes == 0 || fbx_span_is(part, "Time")) && value != NULL && value->kind == FBX_INTEGER) {
            marker.time_s = fbx_ticks_s(&fbx->scene, value->integer);
            marker.has_time = true;
        } else if (fbx_span_is(part, "Name") && value != NULL && value->kind == FBX_TEXT) {
            marker.name = value->span;
        }
    }
    for (uint32_t c = 0; c < fbx->builder->clip_count && marker.key.size_bytes > 0; c++)
        if (!(fbx->builder->clips[c].duration_s > 0))
            bake_warn(fbx->builder, "markers_dropped",
                      "the timeline has markers, but clip %u has no length: it gets only those at its start", c);
    return add_marker(fbx, &marker, err);
}

int fbx_read_extras(struct fbx *fbx, struct err *err)
{
    const struct bake_builder *builder = fbx->builder;
    if (add_all_of(fbx, fbx->node_of, builder->node_count, EXTRA_NODE, err) < 0 ||
        add_all_of(fbx, fbx->material_of, builder->material_count, EXTRA_MATERIAL, err) < 0 ||
        add_all_of(fbx, fbx->clip_of, builder->clip_count, EXTRA_CLIP, err) < 0 || add_markers(fbx, err) < 0)
        return err->code;
    import_sort_markers(fbx->import);
    return 0;
}
