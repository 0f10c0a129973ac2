/* collada_sampler.c - a <sampler> and the sources it names. */
#include "import/collada/collada.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sampler's inputs before they form the sampler. */
struct inputs {
    struct value_rows times, values, in, out; /* in, out: no rows where the file has none */
    uint8_t *kinds;                           /* [times.count] */
    bool *is_hermite;                         /* likewise */
    bool has_curves;
    uint32_t unknown_count; /* keys with an unknown interpolation */
};

static void inputs_fini(struct inputs *inputs)
{
    rows_fini(&inputs->times);
    rows_fini(&inputs->values);
    rows_fini(&inputs->in);
    rows_fini(&inputs->out);
    free(inputs->kinds);
    free(inputs->is_hermite);
}

static void take_kind(void *user, uint32_t index, const char *name, size_t size)
{
    struct inputs *inputs = user;
    if (index >= inputs->times.count || (size == 6 && memcmp(name, "LINEAR", size) == 0))
        return;
    if (size == 4 && memcmp(name, "STEP", size) == 0) {
        inputs->kinds[index] = CURVE_STEP;
    } else if ((size == 6 && memcmp(name, "BEZIER", size) == 0) || (size == 7 && memcmp(name, "HERMITE", size) == 0)) {
        inputs->kinds[index] = CURVE_BEZIER;
        inputs->is_hermite[index] = size == 7;
        inputs->has_curves = true;
    } else {
        inputs->unknown_count++;
    }
}

static int read_rows(const struct xml *xml, uint32_t sampler, const char *semantic, bool is_needed,
                     struct value_rows *rows, struct err *err)
{
    const uint32_t input = xml_input(xml, sampler, semantic);
    if (input != XML_NONE)
        return rows_read(xml, input, "source", rows, err);
    return is_needed ? err_set(err, ERR_BAD_MODEL, "its sampler has no %s", semantic) : 0;
}

static int read_inputs(const struct xml *xml, uint32_t sampler, struct inputs *inputs, struct err *err)
{
    int rc = read_rows(xml, sampler, "INPUT", true, &inputs->times, err);
    if (rc == 0)
        rc = read_rows(xml, sampler, "OUTPUT", true, &inputs->values, err);
    if (rc < 0)
        return rc;
    const uint32_t count = inputs->times.count;
    if (count == 0 || inputs->times.width != 1 || inputs->values.count != count)
        return err_set(err, ERR_BAD_MODEL, "its sampler has %u times of width %u and %u values", count,
                       inputs->times.width, inputs->values.count);
    for (uint32_t k = 1; k < count; k++)
        if (inputs->times.values[k] < inputs->times.values[k - 1])
            return err_set(err, ERR_BAD_MODEL, "the time of key %u lies before that of the key before it", k);
    inputs->kinds = mem_zalloc(count, sizeof *inputs->kinds);
    inputs->is_hermite = mem_zalloc(count, sizeof *inputs->is_hermite);
    const uint32_t names = xml_input(xml, sampler, "INTERPOLATION");
    if (names != XML_NONE && names_read(xml, names, "source", take_kind, inputs, err) < 0)
        return err->code;
    if (!inputs->has_curves)
        return 0;
    rc = read_rows(xml, sampler, "IN_TANGENT", false, &inputs->in, err);
    return rc < 0 ? rc : read_rows(xml, sampler, "OUT_TANGENT", false, &inputs->out, err);
}

/* Reads the tangent of component `c` at key `k`. Files use three layouts: time and value for each component, values
 * alone, or one time for all components. Returns false for any other layout. *x is NAN if the file gives no time. */
static bool tangent_at(const struct value_rows *rows, uint32_t width, uint32_t k, uint32_t c, double *x, double *y)
{
    if (k >= rows->count)
        return false;
    const double *row = rows->values + (uint64_t)k * rows->width;
    if (rows->width == 2 * (uint64_t)width) {
        *x = row[2 * c];
        *y = row[2 * c + 1];
    } else if (rows->width == width) {
        *x = (double)NAN;
        *y = row[c];
    } else if (rows->width == (uint64_t)width + 1) {
        *x = row[0];
        *y = row[1 + c];
    } else {
        return false;
    }
    return true;
}

/* Computes the control points of the segment after key `k`. Without tangents it is straight. */
static bool control_of(const struct inputs *inputs, uint32_t k, uint32_t c, struct curve_control *control)
{
    const uint32_t width = inputs->values.width;
    const double t0 = inputs->times.values[k], third = (inputs->times.values[k + 1] - t0) / 3, t1 = t0 + 3 * third;
    double x0, y0, x1, y1;
    if (!tangent_at(&inputs->out, width, k, c, &x0, &y0) || !tangent_at(&inputs->in, width, k + 1, c, &x1, &y1))
        return false;
    if (!inputs->is_hermite[k]) {
        *control = (struct curve_control){isnan(x0) ? t0 + third : x0, y0, isnan(x1) ? t1 - third : x1, y1};
        return true;
    }
    const double *value = inputs->values.values + (uint64_t)k * width + c;
    *control = (struct curve_control){isnan(x0) || x0 == 0 ? t0 + third : t0 + x0 / 3, value[0] + y0 / 3,
                                      isnan(x1) || x1 == 0 ? t1 - third : t1 - x1 / 3, value[width] - y1 / 3};
    return true;
}

static void make_controls(const struct inputs *inputs, struct collada_sampler *sampler)
{
    const uint32_t count = sampler->key_count, width = sampler->width;
    if (!inputs->has_curves)
        return;
    sampler->controls = mem_zalloc((size_t)count * width, sizeof *sampler->controls);
    for (uint32_t k = 0; k + 1 < count; k++)
        for (uint32_t c = 0; c < width && sampler->kinds[k] == CURVE_BEZIER; c++)
            if (!control_of(inputs, k, c, &sampler->controls[(uint64_t)k * width + c]))
                sampler->kinds[k] = CURVE_LINEAR;
}

int collada_sampler(const struct xml *xml, uint32_t element, const char *target, struct collada_sampler *sampler,
                    struct bake_builder *builder, struct err *err)
{
    struct inputs inputs = {0};
    *sampler = (struct collada_sampler){0};
    int rc = read_inputs(xml, element, &inputs, err);
    if (rc == 0) {
        *sampler = (struct collada_sampler){.times = inputs.times.values,
                                            .values = inputs.values.values,
                                            .kinds = inputs.kinds,
                                            .key_count = inputs.times.count,
                                            .width = inputs.values.width};
        make_controls(&inputs, sampler);
        inputs.times.values = inputs.values.values = NULL;
        inputs.kinds = NULL;
    }
    if (rc == 0 && inputs.unknown_count > 0)
        bake_warn(builder, "curves_linear",
                  "channel '%s' has an interpolation that is none of LINEAR, BEZIER, HERMITE and STEP: straight lines "
                  "stand for it",
                  target);
    if (rc == 0 && sampler_repair(sampler) > 0)
        bake_warn(builder, "curve_repaired", "channel '%s' has a curve that runs back in time, which is not allowed",
                  target);
    inputs_fini(&inputs);
    if (rc < 0)
        sampler_fini(sampler);
    return rc;
}
