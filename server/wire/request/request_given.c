/* request_given.c - the memory of a given pose, and its frames. */
#include "wire/request/request_given_builder.h"

#include "anim/given/given_pose.h"
#include "anim/given/given_rotation.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const PARTS[] = {"translation", "rotation", "scale"};

void request_given_free(struct request_given *given)
{
    if (given == NULL)
        return;
    free(given->nodes);
    free(given->weights);
    free(given->times_s);
    free(given->values);
    free(given->texts);
    free(given);
}

uint64_t request_given_names(const struct request_given *given)
{
    uint64_t count = given->weight_count;
    for (uint32_t n = 0; n < given->node_count; n++)
        count += given->nodes[n].node.kind == SELECT_NAME;
    return count;
}

static int fail_memory(struct err *err) { return err_set(err, ERR_NO_MEMORY, "no memory for a given pose"); }

int given_builder_init(struct given_builder *builder, size_t text_bytes, const struct limits *limits, struct err *err)
{
    *builder = (struct given_builder){.limits = limits, .text_capacity = text_bytes};
    buf_init(&builder->times, SIZE_MAX / 4); /* running out of memory is an error of the request */
    buf_init(&builder->values, SIZE_MAX / 4);
    builder->given = calloc(1, sizeof *builder->given);
    if (builder->given == NULL)
        return fail_memory(err);
    builder->given->texts = malloc(text_bytes + 1);
    return builder->given->texts != NULL ? 0 : fail_memory(err);
}

void given_builder_fini(struct given_builder *builder)
{
    request_given_free(builder->given);
    free(builder->rows);
    free(builder->weights);
    buf_fini(&builder->times);
    buf_fini(&builder->values);
    builder->given = NULL;
}

const char *given_builder_text(struct given_builder *builder, const char *text)
{
    const size_t size_bytes = strlen(text) + 1;
    char *copy = builder->given->texts + builder->text_bytes;
    if (size_bytes > builder->text_capacity - builder->text_bytes)
        return ""; /* unreachable: the caller has counted */
    memcpy(copy, text, size_bytes);
    builder->text_bytes += size_bytes;
    return copy;
}

static void clear_frame(struct given_builder *builder)
{
    for (uint32_t n = 0; n < builder->given->node_count; n++)
        builder->rows[n].parts = 0;
    for (uint32_t w = 0; w < builder->given->weight_count; w++)
        builder->weights[w] = (double)NAN;
}

int given_builder_reserve(struct given_builder *builder, uint32_t node_count, uint32_t weight_count, struct err *err)
{
    struct request_given *given = builder->given;
    given->nodes = calloc(node_count + 1, sizeof *given->nodes);
    given->weights = calloc(weight_count + 1, sizeof *given->weights);
    builder->rows = calloc(node_count + 1, sizeof *builder->rows);
    builder->weights = calloc(weight_count + 1, sizeof *builder->weights);
    if (given->nodes == NULL || given->weights == NULL || builder->rows == NULL || builder->weights == NULL)
        return fail_memory(err);
    given->node_count = node_count;
    given->weight_count = weight_count;
    clear_frame(builder);
    return 0;
}

const char *given_node_text(const struct request_given_node *node, char text[GIVEN_NODE_TEXT])
{
    if (node->node.kind == SELECT_INDEX)
        snprintf(text, GIVEN_NODE_TEXT, "node %u", node->node.index);
    else
        snprintf(text, GIVEN_NODE_TEXT, "node '%.60s'", node->node.name);
    return text;
}

int given_builder_put(struct given_builder *builder, uint32_t node, uint32_t part, const double *numbers,
                      struct err *err)
{
    struct given_row *row = &builder->rows[node];
    char text[GIVEN_NODE_TEXT];
    const size_t first = part == GIVEN_TRANSLATION ? 0 : part == GIVEN_ROTATION ? 3 : 7;
    if ((row->parts & part) != 0)
        return err_set(err, ERR_DUPLICATE_PARAMETER, "%s has two %ss",
                       given_node_text(&builder->given->nodes[node], text), PARTS[part / 2]);
    row->parts |= part;
    memcpy(row->numbers + first, numbers, (part == GIVEN_ROTATION ? 4 : 3) * sizeof *numbers);
    return 0;
}

/* --- frames --- */

static int check_rows(const struct given_builder *builder, uint32_t frame, struct err *err)
{
    const struct request_given *given = builder->given;
    char text[GIVEN_NODE_TEXT];
    for (uint32_t n = 0; n < given->node_count; n++) {
        const uint32_t missing = given->nodes[n].parts & ~builder->rows[n].parts;
        const uint32_t other = missing != 0 ? missing : builder->rows[n].parts & ~given->nodes[n].parts;
        const char *part = PARTS[(other & GIVEN_TRANSLATION) != 0 ? 0 : (other & GIVEN_ROTATION) != 0 ? 1 : 2];
        if (other != 0)
            return err_set(err, ERR_BAD_PARAMETER, "%s has %s %s in frame %u, unlike frame 0",
                           given_node_text(&given->nodes[n], text), missing != 0 ? "no" : "a", part, frame);
    }
    return 0;
}

static int check_weights(const struct given_builder *builder, struct err *err)
{
    const struct request_given *given = builder->given;
    for (uint32_t w = 0; w < given->weight_count; w++)
        if (isnan(builder->weights[w]))
            return err_set(err, ERR_BAD_PARAMETER, "%s '%.60s' has no weight in this frame",
                           given->weights[w].is_expression ? "expression" : "morph target", given->weights[w].name);
    return 0;
}

/* Fixes what each node gives. */
static int take_parts(struct given_builder *builder, struct err *err)
{
    struct request_given *given = builder->given;
    uint64_t values = given->weight_count;
    for (uint32_t n = 0; n < given->node_count; n++) {
        given->nodes[n].parts = builder->rows[n].parts;
        values += given_part_values(given->nodes[n].parts);
    }
    if (given->node_count + given->weight_count + given->look.kind == 0)
        return err_set(err, ERR_BAD_PARAMETER, "the pose gives nothing: it has no nodes, morphs, expressions or look");
    given->frame_values = values > 0 ? (uint32_t)values : 1; /* an answer whose nodes are all sheared gives no number */
    return 0;
}

static bool has_parts(const struct request_given *given)
{
    bool has = false;
    for (uint32_t n = 0; n < given->node_count; n++)
        has = has || given->nodes[n].parts != 0;
    return has;
}

int given_builder_end_frame(struct given_builder *builder, double time_s, struct err *err)
{
    static const double NOTHING = 0;
    struct request_given *given = builder->given;
    const double *times = (const double *)(const void *)builder->times.data;
    const uint32_t frame = given->frame_count;
    if ((frame == 0 ? take_parts(builder, err) : check_rows(builder, frame, err)) < 0 ||
        check_weights(builder, err) < 0)
        return err->code;
    if (!(time_s >= 0) || !isfinite(time_s) || (frame > 0 && !(time_s > times[frame - 1])))
        return err_set(err, ERR_BAD_PARAMETER, "its time is %.9g s; times begin at 0 or later and rise", time_s);
    if (frame == builder->limits->value[LIMIT_FRAMES] ||
        ((uint64_t)frame + 1) * given->frame_values > builder->limits->value[LIMIT_GIVEN_VALUES])
        return err_set(err, ERR_TOO_MANY_FRAMES,
                       "a given pose has at most %llu frames and %llu numbers; this one has %u a frame",
                       (unsigned long long)builder->limits->value[LIMIT_FRAMES],
                       (unsigned long long)builder->limits->value[LIMIT_GIVEN_VALUES], given->frame_values);
    buf_put(&builder->times, &time_s, sizeof time_s);
    for (uint32_t n = 0; n < given->node_count; n++) {
        const struct given_row *row = &builder->rows[n];
        if ((row->parts & GIVEN_TRANSLATION) != 0)
            buf_put(&builder->values, row->numbers, 3 * sizeof *row->numbers);
        if ((row->parts & GIVEN_ROTATION) != 0)
            buf_put(&builder->values, row->numbers + 3, 4 * sizeof *row->numbers);
        if ((row->parts & GIVEN_SCALE) != 0)
            buf_put(&builder->values, row->numbers + 7, 3 * sizeof *row->numbers);
    }
    buf_put(&builder->values, builder->weights, given->weight_count * sizeof *builder->weights);
    if (given->frame_values > given->weight_count && !has_parts(given))
        buf_put(&builder->values, &NOTHING, sizeof NOTHING);
    given->frame_count++;
    clear_frame(builder);
    return buf_failed(&builder->values) || buf_failed(&builder->times) ? fail_memory(err) : 0;
}

static uint64_t hash_all(const struct request_given *given)
{
    uint64_t h = HASH64_SEED;
    const uint64_t counts[] = {given->is_from_rest, given->node_count, given->weight_count, given->frame_count};
    h = hash64(h, counts, sizeof counts);
    for (uint32_t n = 0; n < given->node_count; n++) {
        const struct request_given_node *node = &given->nodes[n];
        const uint64_t numbers[] = {(uint64_t)node->node.kind, node->node.index, node->parts};
        h = hash64(h, numbers, sizeof numbers);
        if (node->node.name != NULL)
            h = hash64(h, node->node.name, strlen(node->node.name) + 1);
    }
    for (uint32_t w = 0; w < given->weight_count; w++) {
        const struct request_given_weight *weight = &given->weights[w];
        const char *mesh = weight->mesh != NULL ? weight->mesh : "";
        const uint64_t flags = weight->is_expression + 2 * (uint64_t)(weight->mesh != NULL);
        h = hash64(hash64(h, &flags, sizeof flags), weight->name, strlen(weight->name) + 1);
        h = hash64(h, mesh, strlen(mesh) + 1);
    }
    h = hash64(h, &given->look, sizeof given->look);
    h = hash64(h, given->times_s, given->frame_count * sizeof *given->times_s);
    return hash64(h, given->values, (size_t)given->frame_count * given->frame_values * sizeof *given->values);
}

/* Moves the bytes of a buffer to memory of its own. */
static double *take_doubles(struct buf *buf)
{
    double *doubles = malloc(buf->size_bytes + 1);
    if (doubles != NULL)
        memcpy(doubles, buf->data, buf->size_bytes);
    return doubles;
}

int given_builder_take(struct given_builder *builder, struct request_given **out, struct err *err)
{
    struct request_given *given = builder->given;
    if (given->frame_count == 0)
        return err_set(err, ERR_BAD_PARAMETER, "the pose has no frames");
    given->times_s = take_doubles(&builder->times);
    given->values = take_doubles(&builder->values);
    if (given->times_s == NULL || given->values == NULL)
        return fail_memory(err);
    if (given->frame_count == 1)
        given->times_s[0] = 0;
    given->held_bytes = sizeof *given + builder->text_capacity + builder->times.size_bytes +
                        builder->values.size_bytes + given->node_count * sizeof *given->nodes +
                        given->weight_count * sizeof *given->weights;
    given->hash = hash_all(given);
    *out = given;
    builder->given = NULL;
    return 0;
}

static size_t short_text_bytes(const struct request *request)
{
    size_t size_bytes = 0;
    for (uint32_t i = 0; i < request->turn_count; i++)
        size_bytes += request->turns[i].joint.name != NULL ? request->turns[i].joint.name_bytes + 1 : 0;
    for (uint32_t i = 0; i < request->shown_count; i++)
        size_bytes += strlen(request->shown[i].name) + 1;
    return size_bytes;
}

static int take_short(struct given_builder *builder, const struct request *request, struct err *err)
{
    uint32_t place = 0;
    builder->given->is_from_rest = true;
    builder->given->look = request->look;
    for (uint32_t i = 0; i < request->turn_count; i++) {
        double rotation[4];
        struct selector *node = &builder->given->nodes[i].node;
        *node = request->turns[i].joint;
        if (node->name != NULL)
            node->name = given_builder_text(builder, node->name);
        rotation_from_degrees(request->turns[i].degrees, ORDER_XYZ, rotation);
        if (given_builder_put(builder, i, GIVEN_ROTATION, rotation, err) < 0)
            return err->code;
    }
    for (int is_expression = 0; is_expression < 2; is_expression++) /* morph targets come first */
        for (uint32_t i = 0; i < request->shown_count; i++) {
            const struct request_weight *shown = &request->shown[i];
            if (shown->is_expression != (is_expression != 0))
                continue;
            builder->given->weights[place] = (struct request_given_weight){
                .name = given_builder_text(builder, shown->name), .is_expression = shown->is_expression};
            builder->weights[place++] = shown->weight;
        }
    return given_builder_end_frame(builder, 0, err);
}

int request_given_of_short(struct request *request, struct err *err)
{
    struct given_builder builder;
    struct limits limits = {0};
    limits.value[LIMIT_FRAMES] = 1;
    limits.value[LIMIT_GIVEN_VALUES] = UINT32_MAX;
    if (request->pose.layer_count == BLEND_LAYERS_MAX)
        return err_set(err, ERR_BAD_PARAMETER,
                       "turn, morph, expression and look are a layer, and there are %d without them", BLEND_LAYERS_MAX);
    int rc = given_builder_init(&builder, short_text_bytes(request), &limits, err);
    if (rc == 0)
        rc = given_builder_reserve(&builder, request->turn_count, request->shown_count, err);
    if (rc == 0)
        rc = take_short(&builder, request, err);
    if (rc == 0)
        rc = given_builder_take(&builder, &request->on_top, err);
    given_builder_fini(&builder);
    return rc;
}
