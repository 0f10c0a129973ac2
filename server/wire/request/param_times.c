/* param_times.c - parses times, the values that a layer has for each of them, and angles. */

#include "wire/encode/number.h"
#include "wire/request/request_parser.h"

#include <float.h>
#include <string.h>

#define TIME_TOLERANCE_S 1e-9 /* a step this close to a range's end includes the end */

static int too_many_times(struct param_value *value)
{
    return err_set(value->err, ERR_TOO_MANY_FRAMES, "parameter 't' asks for more than %llu times",
                   (unsigned long long)value->limits->value[LIMIT_FRAMES]);
}

int param_add_time(struct param_value *value, double time_s)
{
    struct buf *times = &value->request->pose.lists.times;
    if (times->size_bytes / sizeof time_s >= value->limits->value[LIMIT_FRAMES])
        return too_many_times(value);
    buf_put(times, &time_s, sizeof time_s);
    return 0;
}

int param_add_range(struct param_value *value, double start_s, double end_s, double fps)
{
    if (start_s > end_s)
        return err_set(value->err, ERR_BAD_PARAMETER,
                       "parameter 't' has a range that ends at %g, before its start at %g", end_s, start_s);
    if (!(fps > 0))
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter 't' has a range of %g fps; fps must be above 0", fps);
    const double steps = (end_s - start_s + TIME_TOLERANCE_S) * fps;
    if (!(steps < (double)value->limits->value[LIMIT_FRAMES]))
        return too_many_times(value);
    const uint64_t last = (uint64_t)steps;
    for (uint64_t i = 0; i <= last; i++) {
        const int rc = param_add_time(value, start_s + (double)i / fps);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Parses an entry of t=: a time, or start:end:fps. */
static int add_times(struct param_value *value, char *entry)
{
    double numbers[3] = {0};
    int count = 0;
    for (char *at = entry; at != NULL; count++) {
        char *colon = strchr(at, ':');
        if (colon != NULL)
            *colon = '\0';
        if (count == 3 || !number_parse_double(at, &numbers[count]))
            return err_set(value->err, ERR_BAD_PARAMETER,
                           "parameter 't' has '%.60s', which is no finite number of seconds; write 0.5, 0,0.5 or "
                           "start:end:fps",
                           at);
        at = colon == NULL ? NULL : colon + 1;
    }
    if (count == 1)
        return param_add_time(value, numbers[0]);
    if (count == 2)
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter 't' has a range without fps; write start:end:fps");
    return param_add_range(value, numbers[0], numbers[1], numbers[2]);
}

int param_times(struct param_value *value)
{
    char *rest = value->text;
    if (op_has(value->request->op, OP_ONE_TIME) && strcmp(value->text, "auto") == 0) {
        value->request->picture.flags |= PICTURE_AUTO_TIME;
        return 0;
    }
    if (op_has(value->request->op, OP_CELLS) && strcmp(value->text, "auto") == 0)
        return err_set(value->err, ERR_BAD_PARAMETER,
                       "parameter 't' is auto, which is one moment: of a sheet that is frames=1 without 't'");
    for (char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        const int rc = add_times(value, entry);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int param_weights(struct param_value *value)
{
    enum { WEIGHT_MAX = 1000 };
    struct buf *weights = &value->request->pose.lists.weights;
    char *rest = value->text;
    for (char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        const size_t place = weights->size_bytes / sizeof(double);
        double weight;
        if (place >= value->limits->value[LIMIT_FRAMES])
            return err_set(value->err, ERR_TOO_MANY_FRAMES, "parameter 'weight' has more than %llu numbers",
                           (unsigned long long)value->limits->value[LIMIT_FRAMES]);
        if (!number_parse_double(entry, &weight) || weight < 0 || weight > WEIGHT_MAX)
            return err_set(value->err, ERR_BAD_PARAMETER,
                           "parameter 'weight' is '%.60s' at place %zu; it must be a number from 0 to %d", entry, place,
                           WEIGHT_MAX);
        weight += 0; /* avoids -0 */
        buf_put(weights, &weight, sizeof weight);
    }
    return 0;
}

int param_angles(struct param_value *value)
{
    struct request_flex *flex = &value->request->flex;
    char *rest = value->text;
    for (char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        double angle_deg;
        if (flex->angle_count >= REQUEST_ANGLES_MOST)
            return err_set(value->err, ERR_BAD_PARAMETER, "parameter 'angles' has more than %d numbers",
                           REQUEST_ANGLES_MOST);
        if (!number_parse_double(entry, &angle_deg) || !(angle_deg > 0 && angle_deg <= 180))
            return err_set(value->err, ERR_BAD_PARAMETER,
                           "parameter 'angles' has '%.60s', which is no number of degrees above 0, up to 180", entry);
        flex->angles_deg[flex->angle_count++] = angle_deg;
    }
    return 0;
}
