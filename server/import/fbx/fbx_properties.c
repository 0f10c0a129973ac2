/* fbx_properties.c - user properties and timeline markers of binary FBX files, and what both layouts share. */
#include "import/fbx/fbx_properties.h"

#include "import/fbx/fbx_record.h"
#include "import/text/json_write.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool is_text(struct fbx_text text, const char *word)
{
    return text.size_bytes == strlen(word) && memcmp(text.at, word, text.size_bytes) == 0;
}

static struct fbx_span put_text(struct fbx_properties *properties, struct fbx_text text)
{
    const struct fbx_span span = {properties->text.size_bytes, text.size_bytes};
    buf_put(&properties->text, text.at, text.size_bytes);
    return span;
}

void fbx_object_begin(struct fbx_properties *properties, enum fbx_kind kind, struct fbx_text name)
{
    if (properties->object_count == properties->object_capacity) {
        properties->object_capacity = properties->object_capacity == 0 ? 64 : 2 * properties->object_capacity;
        properties->objects =
            mem_realloc(properties->objects, properties->object_capacity * sizeof *properties->objects);
    }
    struct fbx_object *object = &properties->objects[properties->object_count++];
    *object = (struct fbx_object){.kind = kind, .name = put_text(properties, name)};
    object->json.at = properties->text.size_bytes;
}

void fbx_object_end(struct fbx_properties *properties)
{
    struct fbx_object *object = &properties->objects[properties->object_count - 1];
    if (properties->text.size_bytes > object->json.at)
        buf_put_char(&properties->text, '}');
    object->json.size_bytes = properties->text.size_bytes - object->json.at;
}

/* How many values make one of this type; more are its least and greatest, or the names of an enumeration. */
static uint32_t width_of(struct fbx_text type)
{
    static const struct {
        const char *type;
        uint32_t width;
    } TYPES[] = {{"Vector", 3},    {"Vector3D", 3},        {"Vector3", 3},      {"Color", 3},      {"ColorRGB", 3},
                 {"Vector2", 2},   {"Vector2D", 2},        {"Vector4", 4},      {"Vector4D", 4},   {"ColorAndAlpha", 4},
                 {"ColorRGBA", 4}, {"Lcl Translation", 3}, {"Lcl Rotation", 3}, {"Lcl Scaling", 3}};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (is_text(type, TYPES[i].type))
            return TYPES[i].width;
    return 1;
}

static void put_value(struct buf *out, const struct fbx_value *value, bool is_bool)
{
    if (is_bool && (value->kind == FBX_VALUE_INT || value->kind == FBX_VALUE_NUMBER)) {
        const bool is_false = value->kind == FBX_VALUE_INT ? value->integer == 0 : is_text(value->text, "0");
        buf_put_text(out, is_false ? "false" : "true");
        return;
    }
    switch (value->kind) {
    case FBX_VALUE_INT:
        json_write_int(out, value->integer);
        break;
    case FBX_VALUE_FLOAT:
        json_write_float(out, (float)value->number);
        break;
    case FBX_VALUE_DOUBLE:
        json_write_double(out, value->number);
        break;
    case FBX_VALUE_NUMBER:
        json_write_number(out, value->text.at, value->text.size_bytes);
        break;
    case FBX_VALUE_TEXT:
        json_write_string(out, value->text.at, value->text.size_bytes);
        break;
    }
}

/* Whole numbers alone: times, and the span of a take. */
static bool get_int(const struct fbx_property *property, int64_t *value)
{
    if (property->param_count == 0)
        return false;
    const struct fbx_value *first = &property->values[0];
    char text[32] = "", *end = text;
    *value = first->integer;
    if (first->kind == FBX_VALUE_NUMBER && first->text.size_bytes > 0 && first->text.size_bytes < sizeof text) {
        memcpy(text, first->text.at, first->text.size_bytes);
        *value = strtoll(text, &end, 10);
    }
    return first->kind == FBX_VALUE_INT || (end > text && *end == '\0');
}

void fbx_object_property(struct fbx_properties *properties, const struct fbx_property *property)
{
    struct fbx_object *object = &properties->objects[properties->object_count - 1];
    const struct fbx_text name = property->texts[0], type = property->texts[1], flags = property->texts[3];
    if (object->kind == FBX_TAKE && is_text(name, "LocalStart"))
        get_int(property, &object->start);
    else if (object->kind == FBX_TAKE && is_text(name, "LocalStop"))
        get_int(property, &object->stop);
    if (flags.size_bytes == 0 || memchr(flags.at, 'U', flags.size_bytes) == NULL || property->param_count == 0)
        return;
    struct buf *out = &properties->text;
    const uint32_t width = width_of(type);
    const bool is_bool = is_text(type, "Bool") || is_text(type, "bool");
    buf_put_char(out, out->size_bytes == object->json.at ? '{' : ',');
    json_write_string(out, name.at, name.size_bytes);
    buf_put_char(out, ':');
    if (width == 1 || property->param_count == 1) {
        put_value(out, &property->values[0], is_bool);
        return;
    }
    for (uint32_t i = 0; i < width && i < property->param_count; i++) {
        buf_put_char(out, i == 0 ? '[' : ',');
        put_value(out, &property->values[i], is_bool);
    }
    buf_put_char(out, ']');
}

static bool has_key(const struct fbx_properties *properties, const struct fbx_marker *marker, struct fbx_text key)
{
    return marker->key.size_bytes == key.size_bytes &&
           memcmp(properties->text.data + marker->key.at, key.at, key.size_bytes) == 0;
}

/* The marker of this key, the last one or a new one: the properties of one stand together. */
static struct fbx_marker *marker_of(struct fbx_properties *properties, struct fbx_text key)
{
    const uint32_t count = properties->marker_count;
    if (count > 0 && has_key(properties, &properties->markers[count - 1], key))
        return &properties->markers[count - 1];
    if (count == properties->marker_capacity) {
        properties->marker_capacity = count == 0 ? 16 : 2 * count;
        properties->markers =
            mem_realloc(properties->markers, properties->marker_capacity * sizeof *properties->markers);
    }
    struct fbx_marker *marker = &properties->markers[properties->marker_count++];
    *marker = (struct fbx_marker){.key = put_text(properties, key)};
    marker->name = marker->key;
    return marker;
}

/* "TimeMarker|KEY", "TimeMarker|KEY|Time", "TimeMarker|KEY|Name". */
void fbx_global_property(struct fbx_properties *properties, const struct fbx_property *property)
{
    static const char PREFIX[] = "TimeMarker|";
    const size_t prefix = sizeof PREFIX - 1;
    struct fbx_text key = property->texts[0], part = {"", 0};
    if (key.size_bytes <= prefix || memcmp(key.at, PREFIX, prefix) != 0)
        return;
    key = (struct fbx_text){key.at + prefix, key.size_bytes - prefix};
    const char *bar = memrchr(key.at, '|', key.size_bytes);
    if (bar != NULL) {
        part = (struct fbx_text){bar + 1, key.size_bytes - (size_t)(bar + 1 - key.at)};
        key.size_bytes = (size_t)(bar - key.at);
    }
    struct fbx_marker *marker = marker_of(properties, key);
    int64_t time;
    if ((part.size_bytes == 0 || is_text(part, "Time")) && get_int(property, &time)) {
        marker->time = time;
        marker->has_time = true;
    } else if (is_text(part, "Name") && property->param_count > 0 && property->values[0].kind == FBX_VALUE_TEXT) {
        marker->name = put_text(properties, property->values[0].text);
    }
}

/* --- binary files --- */

/* The property at `at` of a record's `left` bytes as a value; its size, or 0 where there is none that is known. */
static uint64_t get_value(const uint8_t *at, uint64_t left, struct fbx_value *value)
{
    static const struct {
        char type;
        uint8_t size;
    } SIZES[] = {{'C', 1}, {'B', 1}, {'Y', 2}, {'I', 4}, {'F', 4}, {'L', 8}, {'D', 8}, {'S', 4}, {'R', 4}};
    uint64_t size = 0;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES && left > 0; i++)
        if ((char)at[0] == SIZES[i].type)
            size = 1 + (uint64_t)SIZES[i].size;
    if (size == 0 || size > left)
        return 0;
    const uint8_t *p = at + 1;
    *value = (struct fbx_value){.kind = FBX_VALUE_INT};
    switch (at[0]) {
    case 'Y':
        value->integer = (int16_t)get_u16(p);
        return size;
    case 'I':
        value->integer = (int32_t)get_u32(p);
        return size;
    case 'L':
        value->integer = (int64_t)get_u64(p);
        return size;
    case 'F':
        *value = (struct fbx_value){.kind = FBX_VALUE_FLOAT, .number = (double)get_f32(p)};
        return size;
    case 'D':
        *value = (struct fbx_value){.kind = FBX_VALUE_DOUBLE, .number = get_f64(p)};
        return size;
    case 'S':
    case 'R':
        *value = (struct fbx_value){.kind = FBX_VALUE_TEXT, .text = {(const char *)p + 4, get_u32(p)}};
        return value->text.size_bytes <= left - size ? size + value->text.size_bytes : 0;
    default:
        value->integer = p[0] & 1;
        return size;
    }
}

/* A record named P. False when its first four properties are not texts. */
static bool get_property(const struct fbx_record *record, struct fbx_property *property)
{
    uint64_t at = 0, size;
    struct fbx_value value;
    *property = (struct fbx_property){0};
    for (uint32_t i = 0; i < FBX_PROPERTY_TEXTS + FBX_PROPERTY_VALUES; i++, at += size) {
        size = get_value(record->properties + at, record->properties_bytes - at, &value);
        if (size == 0)
            return i >= FBX_PROPERTY_TEXTS;
        if (i >= FBX_PROPERTY_TEXTS)
            property->values[property->param_count++] = value;
        else if (value.kind == FBX_VALUE_TEXT)
            property->texts[i] = value.text;
        else
            return false;
    }
    return true;
}

static void read_properties(struct fbx_properties *properties, const struct fbx_file *file,
                            const struct fbx_record *object,
                            void (*take)(struct fbx_properties *, const struct fbx_property *))
{
    struct fbx_record list, record;
    struct fbx_property property;
    for (uint64_t at = object->children_at; fbx_next_record(file, &at, object->end, &list);)
        for (uint64_t p = list.children_at;
             fbx_is_named(&list, "Properties70") && fbx_next_record(file, &p, list.end, &record);)
            if (fbx_is_named(&record, "P") && get_property(&record, &property))
                take(properties, &property);
}

/* Properties of an object: its number, "NAME\0\1CLASS", its sort. */
static void read_object(struct fbx_properties *properties, const struct fbx_file *file, const struct fbx_record *object)
{
    static const char *const KINDS[] = {
        [FBX_MODEL] = "Model", [FBX_MATERIAL] = "Material", [FBX_TAKE] = "AnimationStack"};
    int kind = 0;
    while (kind < FBX_KIND_COUNT && !fbx_is_named(object, KINDS[kind]))
        kind++;
    struct fbx_value id, name;
    const uint64_t size = get_value(object->properties, object->properties_bytes, &id);
    if (kind == FBX_KIND_COUNT || size == 0 ||
        get_value(object->properties + size, object->properties_bytes - size, &name) == 0 ||
        name.kind != FBX_VALUE_TEXT)
        return;
    const char *end = memchr(name.text.at, '\0', name.text.size_bytes);
    if (end != NULL)
        name.text.size_bytes = (size_t)(end - name.text.at);
    fbx_object_begin(properties, (enum fbx_kind)kind, name.text);
    read_properties(properties, file, object, fbx_object_property);
    fbx_object_end(properties);
}

void fbx_properties_read(struct fbx_properties *properties, const uint8_t *bytes, size_t size_bytes)
{
    struct fbx_file file;
    struct fbx_record section, object;
    *properties = (struct fbx_properties){0};
    buf_init(&properties->text, 0);
    if (!fbx_is_binary(bytes, size_bytes)) {
        fbx_properties_read_text(properties, (const char *)bytes, size_bytes);
        return;
    }
    if (!fbx_file_open(&file, bytes, size_bytes))
        return;
    for (uint64_t at = FBX_HEADER_BYTES; fbx_next_record(&file, &at, size_bytes, &section);) {
        if (fbx_is_named(&section, "GlobalSettings"))
            read_properties(properties, &file, &section, fbx_global_property);
        for (uint64_t o = section.children_at;
             fbx_is_named(&section, "Objects") && fbx_next_record(&file, &o, section.end, &object);)
            read_object(properties, &file, &object);
    }
}

void fbx_properties_fini(struct fbx_properties *properties)
{
    buf_fini(&properties->text);
    free(properties->objects);
    free(properties->markers);
    *properties = (struct fbx_properties){0};
}
