#include "anim/given/given_store.h"

#include <stdlib.h>
#include <string.h>

/* Its size is a multiple of 8, as are those of the arrays' items. */
struct header {
    uint32_t node_count, weight_count, material_count, frame_count, frame_values, reserved;
    struct given_look look; /* without its binds, which follow the other arrays */
};

void given_store_put(struct buf *out, const struct given_pose *given)
{
    struct header header = {.node_count = given->node_count,
                            .weight_count = given->weight_count,
                            .material_count = given->material_count,
                            .frame_count = given->frame_count,
                            .frame_values = given->frame_values,
                            .look = given->look};
    header.look.binds = NULL; /* equal poses have equal bytes */
    buf_put(out, &header, sizeof header);
    buf_put(out, given->nodes, given->node_count * sizeof *given->nodes);
    buf_put(out, given->weights, given->weight_count * sizeof *given->weights);
    buf_put(out, given->materials, given->material_count * sizeof *given->materials);
    buf_put(out, given->times_s, given->frame_count * sizeof *given->times_s);
    buf_put(out, given->look.binds, given->look.bind_count * sizeof *given->look.binds);
    buf_put(out, given->values, (size_t)given->frame_count * given->frame_values * sizeof *given->values);
}

/* Bytes that are being read. */
struct reading {
    const char *bytes;
    size_t size_bytes, at;
    struct err *err; /* its code is not 0 once something failed */
};

/* Copies an array. NULL: it has failed. */
static void *take(struct reading *reading, uint64_t array_bytes)
{
    if (reading->err->code != 0)
        return NULL;
    if (array_bytes > reading->size_bytes - reading->at) {
        err_set(reading->err, ERR_BAD_PARAMETER, "a given pose ends after %zu bytes", reading->size_bytes);
        return NULL;
    }
    void *array = malloc((size_t)array_bytes + 1);
    if (array == NULL) {
        err_set(reading->err, ERR_NO_MEMORY, "no memory for a given pose");
        return NULL;
    }
    memcpy(array, reading->bytes + reading->at, (size_t)array_bytes);
    reading->at += (size_t)array_bytes;
    return array;
}

int given_store_get(const char *bytes, size_t size_bytes, size_t *at, struct given_pose *given, struct err *err)
{
    struct reading reading = {bytes, size_bytes, *at, err};
    struct header header;
    *given = (struct given_pose){0};
    err->code = 0;
    if (*at > size_bytes || sizeof header > size_bytes - *at)
        return err_set(err, ERR_BAD_PARAMETER, "a given pose ends after %zu bytes", size_bytes);
    memcpy(&header, bytes + *at, sizeof header);
    reading.at += sizeof header;
    const uint64_t values = (uint64_t)header.frame_count * header.frame_values;
    if (values > size_bytes) /* or the product below could overflow */
        return err_set(err, ERR_BAD_PARAMETER, "a given pose ends after %zu bytes", size_bytes);
    given->node_count = header.node_count;
    given->weight_count = header.weight_count;
    given->material_count = header.material_count;
    given->frame_count = header.frame_count;
    given->frame_values = header.frame_values;
    given->look = header.look;
    given->nodes = take(&reading, (uint64_t)header.node_count * sizeof *given->nodes);
    given->weights = take(&reading, (uint64_t)header.weight_count * sizeof *given->weights);
    given->materials = take(&reading, (uint64_t)header.material_count * sizeof *given->materials);
    given->times_s = take(&reading, (uint64_t)header.frame_count * sizeof *given->times_s);
    given->look.binds = take(&reading, (uint64_t)header.look.bind_count * sizeof *given->look.binds);
    given->values = take(&reading, values * sizeof *given->values);
    *at = reading.at;
    return err->code;
}
