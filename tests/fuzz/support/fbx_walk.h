/* fbx_walk.h - reads arbitrary bytes as an FBX file and calls every function for its contents: for fuzz targets and
 * unit tests. Ends the process if a result breaks its contract. */
#pragma once

#include "import/fbx_file/fbx_scene.h"

#include <stdlib.h>

static inline void fbx_walk_expect(bool is_so)
{
    if (!is_so)
        abort();
}

/* Reads all values of a record with every function. They must agree about damage. */
static inline void fbx_walk_record(const struct fbx_file *file, uint32_t record)
{
    struct err err = {0};
    uint32_t count;
    double *doubles;
    int64_t *integers;
    int32_t *int32s;
    uint32_t *bits;
    struct fbx_value *values;
    struct fbx_span content;
    uint8_t *owned;
    const int rc = fbx_doubles(file, record, &doubles, &count, &err);
    fbx_walk_expect(rc == 0 || (doubles == NULL && count == 0 && err.code == rc && err.message[0] != '\0'));
    fbx_walk_expect(fbx_integers(file, record, &integers, &count, &err) == rc);
    const int rc_32 = fbx_int32s(file, record, &int32s, &count, &err);
    fbx_walk_expect(fbx_bits(file, record, &bits, &count, &err) == rc_32 && (rc == rc_32 || rc == ERR_MODEL_LIMIT));
    if (fbx_values(file, record, &values, &count, &err) == 0)
        for (uint32_t i = 0; i < count; i++)
            fbx_letter(&values[i]);
    if (fbx_content(file, record, &content, &owned, &err) == 0)
        fbx_walk_expect(content.bytes != NULL);
    free(doubles);
    free(integers);
    free(int32s);
    free(bits);
    free(values);
    free(owned);
}

static inline void fbx_walk_object(const struct fbx_scene *scene, uint32_t object)
{
    uint32_t count, cursor = FBX_NONE;
    struct fbx_property property, found;
    double real[3];
    int64_t integer = 0;
    struct fbx_span text;
    char name[FBX_OBJECT_TEXT_SIZE];
    const struct fbx_link *links = fbx_children(scene, object, &count);
    for (uint32_t i = 0; i < count; i++)
        fbx_walk_expect(links[i].parent == object && links[i].child < scene->object_count);
    links = fbx_parents(scene, object, &count);
    for (uint32_t i = 0; i < count; i++)
        fbx_walk_expect(links[i].child == object && links[i].parent < scene->object_count);
    while (fbx_property_next(scene, object, &cursor, &property))
        fbx_walk_expect(fbx_property_named(scene, object, property.name, &found));
    fbx_property_real3(scene, object, "Lcl Translation", real);
    fbx_property_integer(scene, object, "TimeMode", &integer);
    fbx_property_text(scene, object, "TimeMode", &text);
    fbx_object_text(scene, object, name);
    const uint32_t part = scene->objects[object].part;
    fbx_walk_expect(part == FBX_NONE || (part < scene->object_count && scene->objects[part].is_made));
}

/* `bytes` have a block of their own, so that AddressSanitizer detects every read beyond them. */
static inline void fbx_walk(const uint8_t *bytes, size_t size_bytes)
{
    struct limits limits;
    struct err err = {0};
    struct fbx_scene scene;
    limits_default(&limits);
    limits.value[LIMIT_BAKED_BYTES] = 1 << 20; /* small, so that inputs beyond a limit cost little */
    struct import import = {.path = "walk.fbx", .bytes = bytes, .size_bytes = size_bytes, .limits = &limits};
    const int rc = fbx_scene_read(&scene, &import, &err);
    fbx_walk_expect(rc == 0 || (rc < 0 && err.code == rc && err.message[0] != '\0'));
    if (rc == 0) {
        for (uint32_t record = 0; record < scene.file.record_count; record++)
            fbx_walk_record(&scene.file, record);
        for (uint32_t object = 0; object < scene.object_count; object++)
            fbx_walk_object(&scene, object);
    }
    fbx_scene_fini(&scene);
}
