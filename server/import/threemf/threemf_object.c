/* threemf_object.c - reads objects with their meshes and components, and the items of the build (3MF Core Specification
 * 1.3, 3.4.3, 4). */
#include "import/threemf/threemf_reader.h"

#include "base/mem.h"

#include <string.h>

int threemf_add_resource(struct threemf_reader *reader, const struct threemf_element *element, enum threemf_kind kind,
                         uint32_t index, uint32_t *id)
{
    struct threemf *threemf = reader->threemf;
    if (threemf_index(element, "id", true, id) < 0 ||
        threemf_check_limit(reader, element, LIMIT_NODES, threemf->resource_count) < 0)
        return reader->err->code;
    threemf->resources = mem_grow(threemf->resources, &threemf->resource_capacity, threemf->resource_count + 1,
                                  sizeof *threemf->resources);
    threemf->resources[threemf->resource_count++] =
        (struct threemf_resource){.part = reader->part, .id = *id, .kind = kind, .index = index};
    return 0;
}

int threemf_start_object(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    struct threemf_object object = {.part = reader->part,
                                    .line = (uint32_t)threemf_line(element),
                                    .name = {.offset = STR_NONE},
                                    .pid = THREEMF_NONE,
                                    .pindex = THREEMF_NONE,
                                    .use_first = threemf->use_count,
                                    .mesh = -1};
    const char *name = threemf_get(element, NS_NONE, "name"), *type = threemf_get(element, NS_NONE, "type");
    if (threemf_add_resource(reader, element, KIND_OBJECT, threemf->object_count, &object.id) < 0 ||
        threemf_index(element, "pid", false, &object.pid) < 0 ||
        threemf_index(element, "pindex", false, &object.pindex) < 0)
        return reader->err->code;
    if (object.pid != THREEMF_NONE && object.pindex == THREEMF_NONE)
        object.pindex = 0;
    object.name = bake_textz(threemf->import->builder, name);
    object.type = type != NULL && strcmp(type, "other") == 0 ? TYPE_OTHER : TYPE_MODEL;
    threemf->objects =
        mem_grow(threemf->objects, &threemf->object_capacity, threemf->object_count + 1, sizeof *threemf->objects);
    threemf->objects[threemf->object_count++] = object;
    return 0;
}

int threemf_start_vertex(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf_object *object = threemf_last_object(reader);
    double point[3];
    if (threemf_number(element, "x", true, &point[0]) < 0 || threemf_number(element, "y", true, &point[1]) < 0 ||
        threemf_number(element, "z", true, &point[2]) < 0 ||
        threemf_check_limit(reader, element, LIMIT_VERTICES, reader->threemf->point_count++) < 0)
        return reader->err->code;
    object->points =
        mem_grow(object->points, &object->point_capacity, (size_t)object->point_count + 1, sizeof *object->points);
    memcpy(object->points[object->point_count++], point, sizeof point);
    return 0;
}

/* A property of the first corner applies to all three if the others have none (4.1.4). */
static int read_properties(const struct threemf_element *element, struct threemf_triangle *triangle)
{
    static const char *const NAMES[3] = {"p1", "p2", "p3"};
    triangle->pid = THREEMF_NONE;
    for (int i = 0; i < 3; i++) {
        triangle->properties[i] = i == 0 ? THREEMF_NONE : triangle->properties[0];
        const int rc = threemf_index(element, NAMES[i], false, &triangle->properties[i]);
        if (rc < 0)
            return rc;
    }
    return threemf_index(element, "pid", false, &triangle->pid);
}

int threemf_start_triangle(struct threemf_reader *reader, const struct threemf_element *element)
{
    static const char *const NAMES[3] = {"v1", "v2", "v3"};
    struct threemf_object *object = threemf_last_object(reader);
    struct threemf_triangle triangle;
    if (threemf_check_limit(reader, element, LIMIT_INDICES, 3 * reader->threemf->triangle_count++ + 2) < 0)
        return reader->err->code;
    for (int i = 0; i < 3; i++) {
        if (threemf_index(element, NAMES[i], true, &triangle.points[i]) < 0)
            return reader->err->code;
        if (triangle.points[i] >= object->point_count)
            return threemf_fail(element, ERR_BAD_MODEL, "%s is %u, but there are %u vertices", NAMES[i],
                                triangle.points[i], object->point_count);
    }
    if (read_properties(element, &triangle) < 0)
        return reader->err->code;
    object->triangles = mem_grow(object->triangles, &object->triangle_capacity, (size_t)object->triangle_count + 1,
                                 sizeof *object->triangles);
    object->triangles[object->triangle_count++] = triangle;
    return 0;
}

/* --- uses of objects --- */

/* Reads three columns of the linear part and the translation. The file writes them as rows of a matrix for row vectors
 * (3.3). */
static int read_transform(const struct threemf_element *element, double out[12])
{
    static const double IDENTITY[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const char *at = threemf_get(element, NS_NONE, "transform");
    memcpy(out, IDENTITY, sizeof IDENTITY);
    if (at == NULL)
        return 0;
    int i = 0;
    while (i < 12 && threemf_next_number(&at, &out[i]) == 1)
        i++;
    double extra;
    if (i < 12 || threemf_next_number(&at, &extra) != 0)
        return threemf_fail(element, ERR_BAD_MODEL, "the transform is not twelve numbers");
    return 0;
}

static int read_use(struct threemf_reader *reader, const struct threemf_element *element, struct threemf_use *use)
{
    const char *path = threemf_get(element, NS_PRODUCTION, "path");
    *use = (struct threemf_use){.part = reader->part, .line = (uint32_t)threemf_line(element)};
    if (threemf_index(element, "objectid", true, &use->id) < 0 || read_transform(element, use->transform) < 0)
        return reader->err->code;
    if (path != NULL && threemf_add_part(reader->threemf, path, &use->part, reader->err) < 0)
        return reader->err->code;
    return 0;
}

int threemf_start_component(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    struct threemf_use use;
    if (threemf_check_limit(reader, element, LIMIT_NODES, threemf->use_count) < 0 ||
        read_use(reader, element, &use) < 0)
        return reader->err->code;
    threemf->uses = mem_grow(threemf->uses, &threemf->use_capacity, threemf->use_count + 1, sizeof *threemf->uses);
    threemf->uses[threemf->use_count++] = use;
    threemf_last_object(reader)->use_count++;
    return 0;
}

int threemf_start_item(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    struct threemf_use item;
    if (threemf_check_limit(reader, element, LIMIT_NODES, threemf->item_count) < 0 ||
        read_use(reader, element, &item) < 0)
        return reader->err->code;
    threemf->items = mem_grow(threemf->items, &threemf->item_capacity, threemf->item_count + 1, sizeof *threemf->items);
    threemf->items[threemf->item_count++] = item;
    return 0;
}
