/* vrm_constraints.c - constraints of nodes (vrm-specification, VRMC_node_constraint-1.0). */
#include "import/vrm/constraint_order.h"

#include "anim/model/constraint_words.h"
#include "base/mem.h"
#include "import/vrm/vrm_internal.h"

#include <stdlib.h>
#include <string.h>

/* Why a constraint is left out. */
enum fault { FAULT_NONE, FAULT_FORM, FAULT_SOURCE, FAULT_SELF, FAULT_CIRCLE, FAULT_COUNT };

struct constraint_reader {
    struct vrm vrm;
    struct node_constraint *items; /* [node_count] */
    uint32_t count;
    struct {
        uint32_t first, count; /* the first node, and how many */
    } faults[FAULT_COUNT];
    uint32_t limited_first, limited_count; /* weights */
};

static void add_fault(struct constraint_reader *reader, enum fault fault, uint32_t node)
{
    if (reader->faults[fault].count++ == 0 || node < reader->faults[fault].first)
        reader->faults[fault].first = node;
}

/* Returns the kind of the only constraint of an extension, and its object in *body; -1: it is none that is known. */
static int read_kind(const cJSON *extension, const cJSON **body)
{
    static const char *const VERSIONS[] = {"1.0", "1.0-beta"};
    const char *version = cJSON_GetStringValue(vrm_member(extension, "specVersion"));
    const cJSON *constraint = vrm_member(extension, "constraint");
    int found = -1, count = 0;
    for (int kind = 0; kind < CONSTRAINT_KIND_COUNT; kind++) {
        const cJSON *member = vrm_member(constraint, constraint_kind_word((uint32_t)kind));
        if (!cJSON_IsObject(member))
            continue;
        *body = member;
        found = kind;
        count++;
    }
    return count == 1 && version != NULL && json_word(version, VERSIONS, 2) >= 0 ? found : -1;
}

static int read_axis(const cJSON *body, uint32_t kind)
{
    const char *member = constraint_axis_member(kind);
    const char *word = member == NULL ? NULL : cJSON_GetStringValue(vrm_member(body, member));
    if (member == NULL)
        return AXIS_X;
    for (uint32_t axis = 0; axis < constraint_axis_count(kind) && word != NULL; axis++)
        if (strcmp(word, constraint_axis_word(kind, axis)) == 0)
            return (int)axis;
    return -1;
}

static enum fault read_constraint(struct constraint_reader *reader, uint32_t node, const cJSON *extension)
{
    const cJSON *body = NULL, *weight;
    const int kind = read_kind(extension, &body);
    const int axis = kind < 0 ? -1 : read_axis(body, (uint32_t)kind);
    struct node_constraint made = {.node = node, .kind = (uint32_t)kind, .axis = (uint32_t)axis};
    if (axis < 0)
        return FAULT_FORM;
    weight = vrm_member(body, "weight");
    if (weight != NULL && !cJSON_IsNumber(weight))
        return FAULT_FORM;
    if (!vrm_index(body, "source", reader->vrm.node_count, &made.source))
        return FAULT_SOURCE;
    if (made.source == node)
        return FAULT_SELF;
    const double whole = weight == NULL ? 1 : weight->valuedouble;
    made.weight = whole > 0 ? (float)(whole < 1 ? whole : 1) : 0;
    if (!(whole >= 0 && whole <= 1) && reader->limited_count++ == 0)
        reader->limited_first = node;
    reader->items[reader->count++] = made;
    return FAULT_NONE;
}

static void read_nodes(struct constraint_reader *reader)
{
    uint32_t n = 0;
    for (const cJSON *node = vrm_list(reader->vrm.root, "nodes"); node != NULL; node = node->next, n++) {
        const cJSON *extension = vrm_member(vrm_member(node, "extensions"), "VRMC_node_constraint");
        const enum fault fault = extension != NULL ? read_constraint(reader, n, extension) : FAULT_NONE;
        if (fault != FAULT_NONE)
            add_fault(reader, fault, n);
    }
}

static void warn(const struct constraint_reader *reader)
{
    static const char *const REASONS[FAULT_COUNT] = {
        [FAULT_FORM] = "is none of version 1.0 with a roll, an aim or a rotation, an axis and a weight",
        [FAULT_SOURCE] = "has a source that is no node of the file",
        [FAULT_SELF] = "has the node itself as its source",
        [FAULT_CIRCLE] = "depends on itself by way of others or of the node's children",
    };
    struct bake_builder *builder = reader->vrm.builder;
    for (int f = FAULT_FORM; f < FAULT_COUNT; f++)
        if (reader->faults[f].count > 0)
            bake_warn(builder, "constraints_ignored", "the constraint of node %u %s, and is left out%s",
                      reader->faults[f].first, REASONS[f],
                      reader->faults[f].count > 1 ? "; others are for the same reason" : "");
    if (reader->limited_count > 0)
        bake_warn(builder, "constraint_weights_limited", "the constraint of node %u%s has a weight outside of 0 to 1",
                  reader->limited_first, reader->limited_count > 1 ? ", as others," : "");
}

int vrm_read_constraints(struct import *import, const cJSON *root, struct err *err)
{
    struct constraint_reader reader = {.vrm = {.import = import, .builder = import->builder, .root = root}};
    int rc = 0;
    for (const cJSON *node = vrm_list(root, "nodes"); node != NULL; node = node->next)
        reader.vrm.node_count++;
    reader.items = mem_alloc(((size_t)reader.vrm.node_count + 1) * sizeof *reader.items);
    read_nodes(&reader);
    const uint32_t sorted =
        reader.count > 0 ? constraint_order(import->builder, reader.items, reader.count) : reader.count;
    for (uint32_t i = sorted; i < reader.count; i++)
        add_fault(&reader, FAULT_CIRCLE, reader.items[i].node);
    for (uint32_t i = 0; i < sorted && rc == 0; i++)
        rc = import_put_constraint(import, &reader.items[i], err);
    warn(&reader);
    free(reader.items);
    return rc;
}
