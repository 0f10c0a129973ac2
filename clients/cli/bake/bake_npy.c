/* Writes a table as a NumPy array: NEP 1, version 1.0 of the .npy format. */
#include "clients/cli/bake/bake.h"

#include <endian.h>
#include <string.h>

static void put_float(struct text *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htole32(bits);
    text_put_bytes(out, (const char *)&bits, sizeof bits);
}

void bake_put_npy(const struct bake *bake, struct text *out, struct text *about)
{
    enum { HEAD_BYTES = 10, ALIGNMENT = 64 };
    const bool is_trs = bake->values == BAKE_TRS;
    struct text shape = {0};
    text_printf(&shape, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu, %s), }", bake->frame_count,
                bake->item_count, is_trs ? "10" : "4, 4");
    while ((HEAD_BYTES + shape.size_bytes + 1) % ALIGNMENT != 0)
        text_put(&shape, " ");
    text_put(&shape, "\n");
    const uint16_t length = htole16((uint16_t)shape.size_bytes);
    text_put_bytes(out, "\x93NUMPY\x01\x00", 8);
    text_put_bytes(out, (const char *)&length, sizeof length);
    text_put(out, shape.at);
    text_free(&shape);
    for (size_t i = 0; i < bake->frame_count * bake->item_count; i++) {
        const float *numbers = bake->numbers + i * bake_floats(bake->values);
        for (size_t k = 0; k < bake_floats(bake->values); k++)
            put_float(out, numbers[is_trs ? k : k % 4 * 4 + k / 4]);
    }
    cJSON *description = bake_describe(bake);
    cJSON_AddItemToObject(description, "times", cJSON_CreateDoubleArray(bake->times_s, (int)bake->frame_count));
    char *text = cJSON_PrintUnformatted(description);
    text_printf(about, "%s\n", text == NULL ? "{}" : text);
    cJSON_free(text);
    cJSON_Delete(description);
}
