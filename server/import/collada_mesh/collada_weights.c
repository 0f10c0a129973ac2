/* collada_weights.c - the <vertex_weights> of a skin: of each point its influences. */
#include "import/collada_mesh/collada_mesh.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Files round weights to a few digits; only larger deviations get a warning. */
static const double WEIGHT_SUM_TOLERANCE = 1e-2;

/* The lists of the element. */
struct weight_lists {
    const struct xml *xml;
    uint32_t element; /* <vertex_weights> */
    struct index_list counts, indices;
    struct value_rows weights;
    uint32_t stride, joint_offset, weight_offset;
};

static void lists_fini(struct weight_lists *lists)
{
    free(lists->counts.items);
    free(lists->indices.items);
    rows_fini(&lists->weights);
}

static uint32_t offset_of(const struct xml *xml, uint32_t input)
{
    const char *text = xml_get(xml, input, "offset");
    const unsigned long value = text == NULL ? 0 : strtoul(text, NULL, 10);
    return value < 256 ? (uint32_t)value : 0;
}

static int read_lists(struct weight_lists *lists, uint32_t skin, struct err *err)
{
    const struct xml *xml = lists->xml;
    lists->element = xml_child(xml, skin, "vertex_weights");
    const uint32_t joint = xml_input(xml, lists->element, "JOINT"), weight = xml_input(xml, lists->element, "WEIGHT");
    const uint32_t vcount = xml_child(xml, lists->element, "vcount"), v = xml_child(xml, lists->element, "v");
    if (joint == XML_NONE || weight == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "its <vertex_weights> have no JOINT or no WEIGHT");
    lists->joint_offset = offset_of(xml, joint);
    lists->weight_offset = offset_of(xml, weight);
    for (uint32_t e = xml_child(xml, lists->element, "input"); e != XML_NONE; e = xml_next(xml, e, "input"))
        lists->stride = offset_of(xml, e) + 1 > lists->stride ? offset_of(xml, e) + 1 : lists->stride;
    if (vcount == XML_NONE || v == XML_NONE)
        return 0;
    if (columns_read(xml, weight, "source", &lists->weights, err) < 0 ||
        indices_read(xml, vcount, &lists->counts, err) < 0 || indices_read(xml, v, &lists->indices, err) < 0)
        return err->code;
    return 0;
}

/* All indices are within their arrays, and there are as many as the counts say. */
static int check_lists(const struct weight_lists *lists, uint32_t joint_count, struct err *err)
{
    uint64_t total = 0;
    for (size_t p = 0; p < lists->counts.count && total <= lists->indices.count; p++)
        total += lists->counts.items[p];
    if (total * lists->stride > lists->indices.count)
        return err_set(err, ERR_BAD_MODEL, "the <vertex_weights> on line %u have %zu indices, and %llu are wanted",
                       xml_line(lists->xml, lists->element), lists->indices.count,
                       (unsigned long long)(total * lists->stride));
    for (uint64_t i = 0; i < total; i++) {
        const uint32_t joint = lists->indices.items[i * lists->stride + lists->joint_offset];
        const uint32_t weight = lists->indices.items[i * lists->stride + lists->weight_offset];
        if (joint != INDEX_NONE && joint >= joint_count)
            return err_set(err, ERR_BAD_MODEL, "the <vertex_weights> on line %u name joint %u of %u",
                           xml_line(lists->xml, lists->element), joint, joint_count);
        if (weight >= lists->weights.count)
            return err_set(err, ERR_BAD_MODEL, "the <vertex_weights> on line %u name weight %u of %u",
                           xml_line(lists->xml, lists->element), weight, lists->weights.count);
    }
    return 0;
}

struct fill {
    const struct weight_lists *lists;
    const int32_t *joints;
    uint32_t shape_joint;
    uint32_t renormalised, unweighted;
};

/* The influences of one point, `count` of them from `first` on in the file's list, to out[]; returns how many are
 * kept. Weights of one joint that come twice are left as two: their sum counts. */
static uint32_t fill_point(struct fill *fill, uint64_t first, uint32_t count, struct influence *out, double *values)
{
    const struct weight_lists *lists = fill->lists;
    double sum = 0;
    uint32_t kept = 0;
    for (uint64_t i = first; i < first + count; i++) {
        const uint32_t file_joint = lists->indices.items[i * lists->stride + lists->joint_offset];
        const uint32_t row = lists->indices.items[i * lists->stride + lists->weight_offset];
        const double weight = lists->weights.values[(size_t)row * lists->weights.width];
        const int64_t joint = file_joint == INDEX_NONE ? (int64_t)fill->shape_joint : fill->joints[file_joint];
        if (joint < 0 || !(weight > 0) || !isfinite((float)weight))
            continue;
        out[kept].joint = (uint32_t)joint;
        values[kept++] = weight;
        sum += weight;
    }
    for (uint32_t i = 0; i < kept; i++) {
        const float weight = (float)(values[i] / sum);
        out[i].weight = weight > 0 ? weight : 1e-30f;
    }
    fill->renormalised += kept > 0 && fabs(sum - 1) > WEIGHT_SUM_TOLERANCE;
    fill->unweighted += kept == 0;
    return kept;
}

static void fill_all(struct fill *fill, struct collada_weights *weights)
{
    const struct index_list *counts = &fill->lists->counts;
    uint64_t total = 0;
    uint32_t largest = 0, used = 0;
    for (size_t p = 0; p < counts->count; p++) {
        total += counts->items[p];
        largest = counts->items[p] > largest ? counts->items[p] : largest;
    }
    weights->entries = mem_alloc((total + 1) * sizeof *weights->entries);
    double *values = mem_alloc(((size_t)largest + 1) * sizeof *values);
    uint64_t at = 0;
    for (uint32_t p = 0; p < weights->point_count; p++) {
        const uint32_t count = p < counts->count ? counts->items[p] : 0;
        weights->firsts[p] = used;
        used += fill_point(fill, at, count, weights->entries + used, values);
        at += count;
    }
    weights->firsts[weights->point_count] = used;
    free(values);
}

static const char *controller_id(const struct xml *xml, uint32_t skin)
{
    const char *id = xml_get(xml, xml->elements[skin].parent, "id");
    return id != NULL ? id : "";
}

int collada_weights_read(struct collada_weights *weights, const struct xml *xml, uint32_t skin, const int32_t *joints,
                         uint32_t joint_count, uint32_t shape_joint, uint32_t point_count, struct bake_builder *builder,
                         struct err *err)
{
    struct weight_lists lists = {.xml = xml};
    *weights = (struct collada_weights){.point_count = point_count};
    weights->firsts = mem_zalloc((size_t)point_count + 1, sizeof *weights->firsts);
    int rc = read_lists(&lists, skin, err);
    if (rc == 0)
        rc = check_lists(&lists, joint_count, err);
    struct fill fill = {.lists = &lists, .joints = joints, .shape_joint = shape_joint};
    if (rc == 0)
        fill_all(&fill, weights);
    lists_fini(&lists);
    if (fill.renormalised > 0)
        bake_warn(builder, "weights_renormalised", "controller '%s': the weights of %u vertices do not sum to 1",
                  controller_id(xml, skin), fill.renormalised);
    if (fill.unweighted > 0)
        bake_warn(builder, "vertices_unweighted",
                  "controller '%s': %u vertices have no weights and follow the first joint", controller_id(xml, skin),
                  fill.unweighted);
    return rc < 0 ? err_prefix(err, "controller '%s'", controller_id(xml, skin)) : 0;
}

void collada_weights_fini(struct collada_weights *weights)
{
    free(weights->firsts);
    free(weights->entries);
    *weights = (struct collada_weights){0};
}

bool collada_has_shape_joint(const struct xml *xml, uint32_t skin)
{
    const uint32_t v = xml_child(xml, xml_child(xml, skin, "vertex_weights"), "v");
    return v != XML_NONE && strstr(xml_text(xml, v), "-1") != NULL;
}
