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
    const struct header header = {.node_count = given->node_count,
                                  .weight_count = given->weight_count,
                                  .material_count = given->material_count,
                                  .frame_count = given->frame_count,
                                  .frame_values = given->frame_values,
                                  .look = given->look};
    buf_put(out, &header, sizeof header);
    buf_put(out, given->nodes, given->node_count * sizeof *given->nodes);
    buf_put(out, given->weights, given->weight_count * sizeof *given->weights);
    buf_put(out, given->materials, given->material_count * sizeof *given->materials);
    buf_put(out, given->times_s, given->frame_count * sizeof *given->times_s);
    buf_put(out, given->look.binds, given->look.bind_count * sizeof *given->look.binds);
    buf_put(out, given->values, (size_t)given->frame_count * given->frame_values * sizeof *given->values);
}

/* Copies an array. */
static int take(const char *bytes, size_t size_bytes, size_t *at, uint64_t array_bytes, void *out, struct err *err)
{
    if (array_bytes > size_bytes - *at)
        return err_set(err, ERR_BAD_PARAMETER, "a given pose ends after %zu bytes", size_bytes);
    void *array = malloc((size_t)array_bytes + 1);
    if (array == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a given pose");
    memcpy(array, bytes + *at, (size_t)array_bytes);
    *at += (size_t)array_bytes;
    memcpy(out, &array, sizeof array);
    return 0;
}

int given_store_get(const char *bytes, size_t size_bytes, size_t *at, struct given_pose *given, struct err *err)
{
    struct header header;
    *given = (struct given_pose){0};
    if (*at > size_bytes || sizeof header > size_bytes - *at)
        return err_set(err, ERR_BAD_PARAMETER, "a given pose ends after %zu bytes", size_bytes);
    memcpy(&header, bytes + *at, sizeof header);
    *at += sizeof header;
    given->node_count = header.node_count;
    given->weight_count = header.weight_count;
    given->material_count = header.material_count;
    given->frame_count = header.frame_count;
    given->frame_values = header.frame_values;
    given->look = header.look;
    given->look.binds = NULL;
    const uint64_t values = (uint64_t)header.frame_count * header.frame_values;
    if (values > size_bytes || /* or the product below could overflow */
        take(bytes, size_bytes, at, (uint64_t)header.node_count * sizeof *given->nodes, &given->nodes, err) < 0 ||
        take(bytes, size_bytes, at, (uint64_t)header.weight_count * sizeof *given->weights, &given->weights, err) < 0 ||
        take(bytes, size_bytes, at, (uint64_t)header.material_count * sizeof *given->materials, &given->materials,
             err) < 0 ||
        take(bytes, size_bytes, at, (uint64_t)header.frame_count * sizeof *given->times_s, &given->times_s, err) < 0 ||
        take(bytes, size_bytes, at, (uint64_t)header.look.bind_count * sizeof *given->look.binds, &given->look.binds,
             err) < 0 ||
        take(bytes, size_bytes, at, values * sizeof *given->values, &given->values, err) < 0)
        return values > size_bytes ? err_set(err, ERR_BAD_PARAMETER, "a given pose ends after %zu bytes", size_bytes)
                                   : err->code;
    return 0;
}
