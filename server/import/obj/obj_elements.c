/* obj_elements.c - reads the statements of an OBJ file: vertices, elements that name them, and the groups, materials
 * and smoothing groups that elements belong to. */
#include "import/obj/obj.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS, TEXCOORDS, NORMALS };

/* The least largest colour of a file whose colours are of 0 to 255. Numbers just above 1 are rounded ones. */
static const double BYTE_COLOR_MIN = 2;

/* --- vertices --- */

static int fail_numbers(struct obj *obj, const char *keyword, uint32_t wanted, uint32_t count, struct err *err)
{
    const uint32_t line = obj->text.line;
    const struct obj_word word = obj_next_word(&obj->text);
    return err_set(err, ERR_BAD_MODEL, "line %u: '%s' needs %u numbers and has %u%s%.*s%s", line, keyword, wanted,
                   count, word.length > 0 ? " before '" : "", obj_shown(word), word.begin, word.length > 0 ? "'" : "");
}

/* All points have a colour once one has: those without are white, in whatever range the file's colours are. */
static void add_color(struct obj *obj, const double color[3])
{
    static const double WHITE[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, 1};
    const size_t had = obj->colors != NULL ? obj->color_capacity : 0;
    if (color == NULL && had == 0)
        return;
    obj->colors = mem_grow(obj->colors, &obj->color_capacity, obj->point_count, sizeof *obj->colors);
    for (uint32_t p = had == 0 ? 0 : obj->point_count - 1; p < obj->point_count; p++)
        memcpy(obj->colors[p], WHITE, sizeof WHITE);
    for (int k = 0; color != NULL && k < 3; k++) {
        obj->colors[obj->point_count - 1][k] = color[k];
        obj->color_max = fmax(obj->color_max, color[k]);
    }
}

/* x y z; x y z w, whose w only curves divide by; x y z and a colour. */
static int read_point(struct obj *obj, struct err *err)
{
    double values[6];
    const uint32_t count = obj_numbers(&obj->text, values, 6);
    if (count < 3)
        return fail_numbers(obj, "v", 3, count, err);
    obj->points = mem_grow(obj->points, &obj->point_capacity, (size_t)obj->point_count + 1, sizeof *obj->points);
    memcpy(obj->points[obj->point_count++], values, sizeof *obj->points);
    add_color(obj, count == 6 ? values + 3 : NULL);
    return 0;
}

static int read_texcoord(struct obj *obj, struct err *err)
{
    double values[2] = {0};
    if (obj_numbers(&obj->text, values, 2) == 0)
        return fail_numbers(obj, "vt", 1, 0, err);
    obj->texcoords =
        mem_grow(obj->texcoords, &obj->texcoord_capacity, (size_t)obj->texcoord_count + 2, sizeof *obj->texcoords);
    memcpy(obj->texcoords[obj->texcoord_count++], values, sizeof values);
    return 0;
}

static int read_normal(struct obj *obj, struct err *err)
{
    double values[3];
    const uint32_t count = obj_numbers(&obj->text, values, 3);
    if (count < 3)
        return fail_numbers(obj, "vn", 3, count, err);
    obj->normals = mem_grow(obj->normals, &obj->normal_capacity, (size_t)obj->normal_count + 2, sizeof *obj->normals);
    memcpy(obj->normals[obj->normal_count++], values, sizeof values);
    return 0;
}

/* --- elements --- */

static void reach(struct obj *obj, int kind, uint64_t index)
{
    struct obj_reach *reached = &obj->reaches[kind];
    if (reached->line == 0 || index > reached->index)
        *reached = (struct obj_reach){index, obj->text.line};
}

/* Indices count from 1, or from the last value back. What they name may come later. One that names nothing is OBJ_NONE.
 */
static uint32_t resolve(struct obj *obj, int kind, int64_t index, uint32_t count)
{
    const uint64_t found = index > 0 ? (uint64_t)index - 1 : (uint64_t)((int64_t)count + index);
    const bool is_none = index == 0 || (index < 0 && index < -(int64_t)count) || found >= OBJ_NONE;
    if (index > 0)
        reach(obj, kind, found);
    else if (is_none)
        reach(obj, kind, UINT64_MAX);
    return is_none ? OBJ_NONE : (uint32_t)found;
}

static int fail_corner(const struct obj *obj, struct obj_word word, struct err *err)
{
    return err_set(err, ERR_BAD_MODEL, "line %u: '%.*s' is no corner such as 1, 1/2, 1//3 or 1/2/3", obj->text.line,
                   obj_shown(word), word.begin);
}

/* Reads 1, 1/2, 1//3 or 1/2/3; missing numbers are OBJ_NONE. */
static int read_corner(struct obj *obj, struct obj_word word, struct obj_corner *out, struct err *err)
{
    struct obj_text text = {word.begin, word.begin + word.length, obj->text.line};
    const uint32_t counts[] = {obj->point_count, obj->texcoord_count, obj->normal_count};
    uint32_t found[] = {OBJ_NONE, OBJ_NONE, OBJ_NONE};
    int64_t index;
    for (int kind = POINTS; kind <= NORMALS; kind++) {
        if (obj_index(&text, &index))
            found[kind] = resolve(obj, kind, index, counts[kind]);
        else if (kind == POINTS)
            return fail_corner(obj, word, err);
        if (kind == POINTS && found[POINTS] == OBJ_NONE)
            return err_set(err, ERR_BAD_MODEL, "line %u: no vertex has the number %lld: there are %u before it",
                           obj->text.line, (long long)index, obj->point_count);
        if (text.at == text.end || *text.at != '/')
            break;
        text.at++;
    }
    *out = (struct obj_corner){found[POINTS], found[TEXCOORDS], found[NORMALS]};
    return text.at == text.end ? 0 : fail_corner(obj, word, err);
}

/* Begins a run where the next polygon differs from the last in more than its corners. */
static void begin_polygon(struct obj *obj, uint32_t topology)
{
    if (!obj->is_changed && obj->run_count > 0 && obj->runs[obj->run_count - 1].topology == topology)
        return;
    obj->runs = mem_grow(obj->runs, &obj->run_capacity, (size_t)obj->run_count + 1, sizeof *obj->runs);
    obj->runs[obj->run_count++] = (struct obj_run){
        .part = obj_names_add(&obj->parts, obj->object, obj->group),
        .material = obj->material.length > 0 ? obj_names_add(&obj->materials, 0, obj->material) : OBJ_NONE,
        .smoothing = obj->smoothing,
        .topology = topology,
        .polygon_first = obj->polygon_count,
    };
    obj->is_changed = false;
}

static void add_corner(struct obj *obj, const struct obj_corner *corner)
{
    obj->corners = mem_grow(obj->corners, &obj->corner_capacity, (size_t)obj->corner_count + 1, sizeof *obj->corners);
    obj->corners[obj->corner_count++] = *corner;
}

/* The corners since the last polygon are one. */
static void end_polygon(struct obj *obj)
{
    obj->starts = mem_grow(obj->starts, &obj->start_capacity, (size_t)obj->polygon_count + 2, sizeof *obj->starts);
    if (obj->polygon_count == 0)
        obj->starts[0] = 0;
    obj->starts[++obj->polygon_count] = obj->corner_count;
}

/* Each corner of `p` is a polygon, and each of `l` but its first is the end of one. */
static void add_element_corner(struct obj *obj, uint32_t topology, uint32_t number, const struct obj_corner *corner)
{
    if (number == 0)
        begin_polygon(obj, topology);
    if (topology == TOPOLOGY_LINES && number >= 2) {
        const struct obj_corner before = obj->corners[obj->corner_count - 1];
        add_corner(obj, &before);
    }
    add_corner(obj, corner);
    if (topology == TOPOLOGY_POINTS || (topology == TOPOLOGY_LINES && number >= 1))
        end_polygon(obj);
}

static int read_element(struct obj *obj, uint32_t topology, struct err *err)
{
    const uint32_t first = obj->corner_count, line = obj->text.line;
    const uint32_t least = topology == TOPOLOGY_TRIANGLES ? 3 : topology == TOPOLOGY_LINES ? 2 : 1;
    uint32_t count = 0;
    for (;; count++) {
        struct obj_corner corner;
        struct obj_text ahead = obj->text;
        const struct obj_word word = obj_next_word(&ahead);
        if (word.length == 0 || word.begin[0] == '#')
            break;
        obj->text = ahead;
        if (read_corner(obj, word, &corner, err) < 0)
            return err->code;
        add_element_corner(obj, topology, count, &corner);
    }
    if (count < least) {
        obj->left_out_line = obj->left_out++ == 0 ? line : obj->left_out_line;
        obj->corner_count = first;
    } else if (topology == TOPOLOGY_TRIANGLES) {
        end_polygon(obj);
    }
    return import_check_limit(obj->import, LIMIT_INDICES, 0, obj->corner_count, "the file", err);
}

/* --- what elements belong to --- */

/* Bit n - 1 of group n; the numbers of the many groups that some programs write share the 32 bits. */
static uint32_t smoothing_of(struct obj_word word)
{
    struct obj_text text = {word.begin, word.begin + word.length, 1};
    int64_t group;
    return obj_index(&text, &group) && group > 0 ? UINT32_C(1) << ((group - 1) % 32) : 0;
}

static int read_statement(struct obj *obj, struct obj_word keyword, struct err *err)
{
    static const struct obj_word NO_NAME = {.begin = ""};
    if (obj_is(keyword, "f") || obj_is(keyword, "fo"))
        return read_element(obj, TOPOLOGY_TRIANGLES, err);
    if (obj_is(keyword, "l"))
        return read_element(obj, TOPOLOGY_LINES, err);
    if (obj_is(keyword, "p"))
        return read_element(obj, TOPOLOGY_POINTS, err);
    obj->is_changed = true;
    if (obj_is(keyword, "o")) {
        obj->object = obj_names_add(&obj->objects, 0, obj_rest(&obj->text));
        obj->group = NO_NAME;
    } else if (obj_is(keyword, "g"))
        obj->group = obj_rest(&obj->text);
    else if (obj_is(keyword, "s"))
        obj->smoothing = smoothing_of(obj_rest(&obj->text));
    else if (obj_is(keyword, "usemtl"))
        obj->material = obj_rest(&obj->text);
    else if (obj_is(keyword, "mtllib"))
        obj_names_add(&obj->libraries, 0, obj_rest(&obj->text));
    else
        obj_skip(&obj->skipped, &obj->text, keyword);
    return 0;
}

/* --- the whole file --- */

/* Names of vertices that came later are known to be right only now. */
static int check_reaches(struct obj *obj, struct err *err)
{
    const struct obj_reach *reaches = obj->reaches;
    if (obj->point_count == 0)
        return err_set(err, ERR_BAD_MODEL, "the file holds no vertex");
    if (reaches[POINTS].index >= obj->point_count)
        return err_set(err, ERR_BAD_MODEL, "line %u: no vertex has the number %llu: there are %u", reaches[POINTS].line,
                       (unsigned long long)reaches[POINTS].index + 1, obj->point_count);
    const uint32_t counts[] = {0, obj->texcoord_count, obj->normal_count};
    for (int kind = TEXCOORDS; kind <= NORMALS; kind++)
        if (reaches[kind].line > 0 && reaches[kind].index >= counts[kind])
            bake_warn(obj->import->builder, "attribute_ignored",
                      "line %u: a corner names %s that the file lacks, and has none", reaches[kind].line,
                      kind == NORMALS ? "a normal" : "texture coordinates");
    return 0;
}

/* A file of vertices alone is a cloud of points. */
static int add_all_points(struct obj *obj, struct err *err)
{
    if (import_check_limit(obj->import, LIMIT_INDICES, 0, obj->point_count, "the points", err) < 0)
        return err->code;
    for (uint32_t p = 0; p < obj->point_count; p++)
        add_element_corner(obj, TOPOLOGY_POINTS, p, &(struct obj_corner){p, OBJ_NONE, OBJ_NONE});
    return 0;
}

static int end(struct obj *obj, struct err *err)
{
    if (check_reaches(obj, err) < 0)
        return err->code;
    obj_warn_of_skipped(obj->import, &obj->skipped, import_file_name(obj->import));
    if (obj->left_out > 0)
        bake_warn(obj->import->builder, "indices_trimmed",
                  "faces of fewer than three corners and lines of one are left out: %u, the first of them in line %u",
                  obj->left_out, obj->left_out_line);
    for (uint32_t p = 0; obj->colors != NULL && obj->color_max >= BYTE_COLOR_MIN && p < obj->point_count; p++)
        for (int k = 0; k < 3; k++)
            obj->colors[p][k] /= 255;
    if (obj->texcoords != NULL)
        memset(obj->texcoords[obj->texcoord_count], 0, sizeof *obj->texcoords);
    if (obj->normals != NULL)
        memset(obj->normals[obj->normal_count], 0, sizeof *obj->normals);
    return obj->polygon_count == 0 ? add_all_points(obj, err) : 0;
}

int obj_read(struct obj *obj, struct err *err)
{
    struct obj_word keyword;
    int rc = 0;
    while (rc == 0 && obj_next_line(&obj->text, &keyword)) {
        if (keyword.begin[0] != 'v' || keyword.length > 2)
            rc = read_statement(obj, keyword, err);
        else if (keyword.length == 1)
            rc = read_point(obj, err);
        else if (keyword.begin[1] == 't')
            rc = read_texcoord(obj, err);
        else if (keyword.begin[1] == 'n')
            rc = read_normal(obj, err);
        else
            obj_skip(&obj->skipped, &obj->text, keyword);
    }
    return rc < 0 ? rc : end(obj, err);
}
