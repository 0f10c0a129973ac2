/* x3d_geometry.c - converts sets of faces, triangles, quads, lines and points to polygons with corner attributes. */
#include "import/x3d/x3d.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SOLIDS[] = "Box Cone Cylinder Sphere";
static const char SWEPT[] = "ElevationGrid Extrusion";
static const char SETS[] =
    "IndexedFaceSet IndexedTriangleSet IndexedTriangleStripSet IndexedTriangleFanSet IndexedQuadSet "
    "TriangleSet TriangleStripSet TriangleFanSet QuadSet IndexedLineSet LineSet PointSet";

bool x3d_is_geometry(const struct x3d *x3d, uint32_t element)
{
    return xml_is(&x3d->xml, element, SETS) || xml_is(&x3d->xml, element, SOLIDS) || xml_is(&x3d->xml, element, SWEPT);
}

/* --- lists of points --- */

/* The set's points in order; NONE ends a face, strip or line. */
#define NONE UINT32_MAX

struct list {
    uint32_t *items;
    uint32_t count;
    size_t capacity;
};

static void put(struct list *list, uint32_t item)
{
    list->items = mem_grow(list->items, &list->capacity, (size_t)list->count + 1, sizeof *list->items);
    list->items[list->count++] = item;
}

/* Reads a list of indices; -1 becomes NONE. */
static int read_indices(const struct x3d *x3d, uint32_t element, const char *attribute, struct list *out,
                        struct err *err)
{
    double *values;
    uint32_t count;
    if (x3d_numbers(x3d, element, attribute, &values, &count, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < count; i++)
        put(out, values[i] >= 0 && values[i] < NONE ? (uint32_t)values[i] : NONE);
    free(values);
    return 0;
}

/* Fills the list of a set without indices: all points in order, split by the counts in `attribute`, or after every
 * `every` points (0: never). */
static int count_off(const struct x3d *x3d, uint32_t element, const char *attribute, uint32_t point_count,
                     struct list *out, struct err *err)
{
    double *values = NULL;
    uint32_t count = 0, at = 0;
    if (attribute != NULL && x3d_numbers(x3d, element, attribute, &values, &count, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < count; i++) {
        for (double k = 0; k < values[i] && at < point_count; k++)
            put(out, at++);
        put(out, NONE);
    }
    while (attribute == NULL && at < point_count)
        put(out, at++);
    free(values);
    return 0;
}

static int check_points(const struct x3d *x3d, uint32_t element, const struct list *list, uint32_t point_count,
                        struct err *err)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] != NONE && list->items[i] >= point_count)
            return err_set(err, ERR_BAD_MODEL, "%s: index %u of the list names point %u of %u", X3D_WHERE(x3d, element),
                           i, list->items[i], point_count);
    return 0;
}

/* The way in which points up to the next NONE form polygons. */
enum pattern { WHOLE, BY_3, BY_4, STRIP, FAN, SEGMENTS, SINGLE };

struct run {
    const uint32_t *points;
    uint32_t first, count; /* first: its place in the list */
};

static int put_corners(const struct x3d *x3d, struct x3d_surface *surface, const struct run *run, const uint32_t *which,
                       uint32_t count, uint32_t face, struct err *err)
{
    uint32_t points[4], slots[4];
    for (uint32_t i = 0; i < count; i++) {
        points[i] = run->points[which[i]];
        slots[i] = run->first + which[i];
    }
    return x3d_add_polygon(x3d, surface, points, slots, count, face, err);
}

/* A face may have any number of corners. */
static int put_whole(const struct x3d *x3d, struct x3d_surface *surface, const struct run *run, uint32_t face,
                     struct err *err)
{
    if (run->count < 3)
        return 0;
    uint32_t *slots = mem_alloc(run->count * sizeof *slots);
    for (uint32_t i = 0; i < run->count; i++)
        slots[i] = run->first + i;
    const int rc = x3d_add_polygon(x3d, surface, run->points, slots, run->count, face, err);
    free(slots);
    return rc;
}

static int put_run(const struct x3d *x3d, struct x3d_surface *surface, const struct run *run, enum pattern pattern,
                   uint32_t face, struct err *err)
{
    static const uint32_t STEPS[] = {0, 3, 4, 1, 1, 1, 1}, CORNERS[] = {3, 3, 4, 3, 3, 2, 1};
    if (pattern == WHOLE)
        return put_whole(x3d, surface, run, face, err);
    const bool is_by_polygon = pattern == BY_3 || pattern == BY_4;
    const uint32_t corners = CORNERS[pattern];
    for (uint32_t i = 0; i + corners <= run->count; i += STEPS[pattern]) {
        uint32_t which[4] = {i, i + 1, i + 2, i + 3};
        if (pattern == STRIP && (i & 1) != 0) {
            which[1] = i + 2;
            which[2] = i + 1;
        } else if (pattern == FAN)
            which[0] = 0;
        if (put_corners(x3d, surface, run, which, corners, is_by_polygon ? surface->polygon_count : face, err) < 0)
            return err->code;
    }
    return 0;
}

static int put_list(const struct x3d *x3d, struct x3d_surface *surface, const struct list *list, enum pattern pattern,
                    struct err *err)
{
    uint32_t face = 0;
    for (uint32_t begin = 0, end; begin < list->count; begin = end + 1, face++) {
        for (end = begin; end < list->count && list->items[end] != NONE;)
            end++;
        const struct run run = {list->items + begin, begin, end - begin};
        if (put_run(x3d, surface, &run, pattern, face, err) < 0)
            return err->code;
    }
    return 0;
}

/* --- values of corners --- */

/* The corner attribute of a child node. */
struct values {
    const char *attribute;  /* of the child, with the numbers */
    uint32_t components;    /* of each value in the file */
    const char *index_list; /* of the set, or NULL: it has none */
    bool is_by_face;
};

static void drop(const struct x3d *x3d, uint32_t element)
{
    bake_warn(x3d->import->builder, "attribute_ignored", "%s has too few values for its corners: it is left out",
              X3D_WHERE(x3d, element));
}

/* Maps corners to values. Returns [corner_count], or NULL if an index is out of range. */
static uint32_t *find_values(const struct x3d_surface *surface, const struct values *values, const struct list *indices,
                             uint32_t count)
{
    uint32_t *of = mem_alloc(((size_t)surface->corner_count + 1) * sizeof *of);
    for (uint32_t p = 0; p < surface->polygon_count; p++)
        for (uint32_t c = surface->starts[p]; c < surface->starts[p + 1]; c++) {
            const uint32_t place = values->is_by_face ? surface->faces[p] : surface->slots[c];
            of[c] = values->is_by_face ? place : surface->corners[c];
            if (indices->count > 0)
                of[c] = place < indices->count ? indices->items[place] : NONE;
            if (of[c] >= count) {
                free(of);
                return NULL;
            }
        }
    return of;
}

/* Reads the child's values as `components` doubles each, padded with 1. */
static int read_values(const struct x3d *x3d, uint32_t element, uint32_t child, const struct values *values,
                       struct x3d_surface *surface, uint32_t components, double **out, uint32_t **of, struct err *err)
{
    struct list indices = {0};
    double *numbers;
    uint32_t count;
    if (child == XML_NONE)
        return 0;
    if (x3d_numbers(x3d, child, values->attribute, &numbers, &count, err) < 0)
        return err->code;
    int rc = values->index_list == NULL ? 0 : read_indices(x3d, element, values->index_list, &indices, err);
    count /= values->components;
    *of = rc < 0 ? NULL : find_values(surface, values, &indices, count);
    if (*of != NULL) {
        *out = mem_alloc(((size_t)count + 1) * components * sizeof **out);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < components; k++)
                (*out)[(size_t)i * components + k] =
                    k < values->components ? numbers[(size_t)i * values->components + k] : 1;
    } else if (rc == 0)
        drop(x3d, child);
    free(indices.items);
    free(numbers);
    return rc;
}

/* 19775-1, 13.3.6: default texture coordinates come from the bounding box of the points: s runs from 0 to 1 along its
 * longest side, and t along the next. */
static void make_texcoords(struct x3d_surface *surface)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < 3 * (size_t)surface->point_count; i++) {
        low[i % 3] = fmin(low[i % 3], surface->points[i]);
        high[i % 3] = fmax(high[i % 3], surface->points[i]);
    }
    size_t s = 0;
    for (size_t k = 1; k < 3; k++)
        if (high[k] - low[k] > high[s] - low[s])
            s = k;
    size_t t = s == 0 ? 1 : 0;
    for (size_t k = t + 1; k < 3; k++)
        if (k != s && high[k] - low[k] > high[t] - low[t])
            t = k;
    const double size = high[s] - low[s];
    surface->texcoords = mem_alloc(((size_t)surface->point_count + 1) * 2 * sizeof *surface->texcoords);
    for (size_t i = 0; i < surface->point_count; i++) {
        surface->texcoords[2 * i] = size > 0 ? (surface->points[3 * i + s] - low[s]) / size : 0;
        surface->texcoords[2 * i + 1] = size > 0 ? (surface->points[3 * i + t] - low[t]) / size : 0;
    }
}

static int read_attributes(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err)
{
    const struct xml *xml = &x3d->xml;
    const bool is_faces = xml_is(xml, element, "IndexedFaceSet");
    const bool is_indexed = is_faces || xml_is(xml, element, "IndexedLineSet");
    const uint32_t colors = x3d_child(xml, element, "Color ColorRGBA");
    const uint32_t many = x3d_child(xml, element, "MultiTextureCoordinate");
    const struct values normal = {"vector", 3, is_faces ? "normalIndex" : NULL,
                                  !x3d_get_bool(xml, element, "normalPerVertex", true)};
    const struct values color = {"color", xml_is(xml, colors, "ColorRGBA") ? 4 : 3, is_indexed ? "colorIndex" : NULL,
                                 is_indexed && !x3d_get_bool(xml, element, "colorPerVertex", true)};
    const struct values texcoord = {"point", 2, is_faces ? "texCoordIndex" : NULL, false};
    const uint32_t texcoords = x3d_child(xml, many == XML_NONE ? element : many, "TextureCoordinate");
    if (read_values(x3d, element, colors, &color, surface, 4, &surface->colors, &surface->color_of, err) < 0)
        return err->code;
    if (surface->topology != TOPOLOGY_TRIANGLES)
        return 0;
    if (read_values(x3d, element, x3d_child(xml, element, "Normal"), &normal, surface, 3, &surface->normals,
                    &surface->normal_of, err) < 0 ||
        read_values(x3d, element, texcoords, &texcoord, surface, 2, &surface->texcoords, &surface->texcoord_of, err) <
            0)
        return err->code;
    if (surface->texcoords == NULL)
        make_texcoords(surface);
    return 0;
}

/* --- sets --- */

static int read_points(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err)
{
    const uint32_t coordinate = x3d_child(&x3d->xml, element, "Coordinate CoordinateDouble");
    uint32_t count = 0;
    if (coordinate != XML_NONE && x3d_numbers(x3d, coordinate, "point", &surface->points, &count, err) < 0)
        return err->code;
    surface->point_count = count / 3;
    return 0;
}

/* A row for each kind of set: the attribute of its index list or the way points are grouped, and the polygons that they
 * form. */
static const struct set {
    const char *tag, *indices, *counts;
    enum pattern pattern;
} ROWS[] = {
    {"IndexedFaceSet", "coordIndex", NULL, WHOLE},
    {"IndexedTriangleSet", "index", NULL, BY_3},
    {"IndexedTriangleStripSet", "index", NULL, STRIP},
    {"IndexedTriangleFanSet", "index", NULL, FAN},
    {"IndexedQuadSet", "index", NULL, BY_4},
    {"TriangleSet", NULL, NULL, BY_3},
    {"TriangleStripSet", NULL, "stripCount", STRIP},
    {"TriangleFanSet", NULL, "fanCount", FAN},
    {"QuadSet", NULL, NULL, BY_4},
    {"IndexedLineSet", "coordIndex", NULL, SEGMENTS},
    {"LineSet", NULL, "vertexCount", SEGMENTS},
    {"PointSet", NULL, NULL, SINGLE},
};

static int read_set(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err)
{
    struct list list = {0};
    const struct set *set = ROWS;
    while (!xml_is(&x3d->xml, element, set->tag))
        set++;
    surface->topology = set->pattern == SEGMENTS ? TOPOLOGY_LINES
                        : set->pattern == SINGLE ? TOPOLOGY_POINTS
                                                 : TOPOLOGY_TRIANGLES;
    int rc = read_points(x3d, element, surface, err);
    if (rc == 0)
        rc = set->indices != NULL ? read_indices(x3d, element, set->indices, &list, err)
                                  : count_off(x3d, element, set->counts, surface->point_count, &list, err);
    if (rc == 0)
        rc = check_points(x3d, element, &list, surface->point_count, err);
    if (rc == 0)
        rc = put_list(x3d, surface, &list, set->pattern, err);
    free(list.items);
    return rc < 0 || surface->polygon_count == 0 ? rc : read_attributes(x3d, element, surface, err);
}

int x3d_geometry(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err)
{
    const struct xml *xml = &x3d->xml;
    double crease = 0;
    if (x3d_get_numbers(x3d, element, "creaseAngle", &crease, 1, err) < 0)
        return err->code;
    /* triangle sets have normals per corner or per face */
    if (xml_is(xml, element,
               "IndexedTriangleSet IndexedTriangleStripSet IndexedTriangleFanSet IndexedQuadSet "
               "TriangleStripSet TriangleFanSet"))
        crease = x3d_get_bool(xml, element, "normalPerVertex", true) ? acos(-1) : 0;
    surface->crease_cosine = crease > 0 ? crease < acos(-1) ? cos(crease) : -2 : 1;
    surface->is_clockwise = !x3d_get_bool(xml, element, "ccw", true);
    if (xml_is(xml, element, SOLIDS))
        return x3d_solid(x3d, element, surface, err);
    if (xml_is(xml, element, SWEPT))
        return x3d_swept(x3d, element, surface, err);
    return read_set(x3d, element, surface, err);
}
