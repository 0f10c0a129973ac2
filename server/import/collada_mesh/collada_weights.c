/* collada_weights.c - reads the <vertex_weights> of a skin as influences of each point. */
#include "import/collada_mesh/collada_mesh.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Checks that the indices of weights are in range and that their number matches the counts. */
static int check_lists(const struct weight_lists *lists, struct err *err)
{
    uint64_t total = 0;
    for (size_t p = 0; p < lists->counts.count && total <= lists->indices.count; p++)
        total += lists->counts.items[p];
    if (total * lists->stride > lists->indices.count)
        return err_set(err, ERR_BAD_MODEL, "the <vertex_weights> on line %u have %zu indices, and %llu are wanted",
                       xml_line(lists->xml, lists->element), lists->indices.count,
                       (unsigned long long)(total * lists->stride));
    for (uint64_t i = 0; i < total; i++) {
        const uint32_t weight = lists->indices.items[i * lists->stride + lists->weight_offset];
        if (weight >= lists->weights.count)
            return err_set(err, ERR_BAD_MODEL, "the <vertex_weights> on line %u name weight %u of %u",
                           xml_line(lists->xml, lists->element), weight, lists->weights.count);
    }
    return 0;
}

static void add_weights(const struct weight_lists *lists, const int32_t *joints, uint32_t joint_count,
                        uint32_t shape_joint, struct weight_list *out)
{
    const uint32_t *at = lists->indices.items;
    for (size_t p = 0; p < lists->counts.count; p++)
        for (uint32_t i = 0; i < lists->counts.items[p]; i++, at += lists->stride) {
            const uint32_t joint = at[lists->joint_offset];
            const double weight = lists->weights.values[(size_t)at[lists->weight_offset] * lists->weights.width];
            const bool is_known = joint < joint_count;
            if (!is_known || joints[joint] >= 0) /* a warning has already named the joints without a node */
                weight_list_add(out, (uint32_t)p,
                                is_known              ? (uint32_t)joints[joint]
                                : joint == INDEX_NONE ? shape_joint
                                                      : JOINT_NONE,
                                weight);
        }
}

static const char *controller_id(const struct xml *xml, uint32_t skin)
{
    const char *id = xml_get(xml, xml->elements[skin].parent, "id");
    return id != NULL ? id : "";
}

int collada_weights_read(struct influences *influences, const struct xml *xml, uint32_t skin, const int32_t *joints,
                         uint32_t joint_count, uint32_t shape_joint, uint32_t point_count, struct bake_builder *builder,
                         struct err *err)
{
    struct weight_lists lists = {.xml = xml};
    struct weight_list list = {0};
    int rc = read_lists(&lists, skin, err);
    if (rc == 0)
        rc = check_lists(&lists, err);
    if (rc == 0)
        add_weights(&lists, joints, joint_count, shape_joint, &list);
    lists_fini(&lists);
    influences_make(influences, &list, point_count, JOINT_NONE, JOINT_NONE);
    if (rc < 0)
        return err_prefix(err, "controller '%s'", controller_id(xml, skin));
    char where[200];
    snprintf(where, sizeof where, "controller '%s'", controller_id(xml, skin));
    influences_warn(builder, &influences->repairs, point_count, where);
    return 0;
}

bool collada_has_shape_joint(const struct xml *xml, uint32_t skin)
{
    const uint32_t v = xml_child(xml, xml_child(xml, skin, "vertex_weights"), "v");
    return v != XML_NONE && strstr(xml_text(xml, v), "-1") != NULL;
}
