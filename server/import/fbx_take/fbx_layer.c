/* fbx_layer.c - blends layers. */
#include "import/fbx_take/fbx_layer.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --- */

static int place(struct fbx_curve *out, const struct fbx_take_reader *reader, uint32_t record, struct err *err)
{
    struct fbx_curve curve;
    int rc = fbx_curve_read(&curve, reader->scene, record, err);
    if (rc == 0)
        rc = fbx_curve_place(out, &curve, &reader->take->range, reader->key_limit, err);
    if (rc == 0)
        rc = fbx_take_spend(reader->work_left, (uint64_t)curve.key_count + out->key_count, err);
    fbx_curve_fini(&curve);
    return rc;
}

static int read_sheet(struct fbx_motion *motion, const struct fbx_take_reader *reader, const struct fbx_drive *drive,
                      struct err *err)
{
    struct fbx_sheet *sheet = &motion->sheets[motion->sheet_count++];
    *sheet = (struct fbx_sheet){.layer = reader->list->layers[reader->take->layer_first + drive->layer],
                                .is_base = drive->layer == 0};
    int rc = 0;
    for (int c = 0; c < 3 && rc == 0; c++) {
        sheet->defaults[c] = isfinite(drive->defaults[c]) ? drive->defaults[c] : motion->rest[c];
        rc = place(&sheet->curves[c], reader, drive->curves[c], err);
    }
    if (rc == 0 && !sheet->is_base && sheet->layer.weight_curve != FBX_NONE)
        rc = place(&sheet->weight, reader, sheet->layer.weight_curve, err);
    return rc;
}

int fbx_motion_read(struct fbx_motion *motion, const struct fbx_take_reader *reader, uint32_t object,
                    struct fbx_span property, struct err *err)
{
    uint32_t count, last_layer = FBX_NONE;
    const struct fbx_drive *drives = fbx_take_drives(reader->list, reader->take, object, &count);
    motion->sheets = NULL;
    motion->sheet_count = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += fbx_span_equal(drives[i].property, property);
    if (found == 0)
        return 0;
    motion->sheets = mem_zalloc(found, sizeof *motion->sheets);
    int rc = 0;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        const struct fbx_drive *drive = &drives[i];
        if (!fbx_span_equal(drive->property, property) || drive->layer == last_layer ||
            reader->list->layers[reader->take->layer_first + drive->layer].is_off)
            continue;
        if (motion->sheet_count == FBX_SHEETS_MAX) {
            rc = err_set(err, ERR_MODEL_LIMIT, "more than %d layers drive it", FBX_SHEETS_MAX);
            break;
        }
        last_layer = drive->layer;
        rc = read_sheet(motion, reader, drive, err);
    }
    if (rc < 0)
        fbx_motion_fini(motion);
    return rc;
}

void fbx_motion_fini(struct fbx_motion *motion)
{
    for (uint32_t i = 0; i < motion->sheet_count; i++) {
        struct fbx_sheet *sheet = &motion->sheets[i];
        for (int c = 0; c < 3; c++)
            fbx_curve_fini(&sheet->curves[c]);
        fbx_curve_fini(&sheet->weight);
    }
    free(motion->sheets);
    motion->sheets = NULL;
    motion->sheet_count = 0;
}

/* --- blending --- */

/* |value| to the power of a weight, with the sign of the value; exact at both ends. */
static double power(double value, double weight)
{
    return weight <= 0 ? 1 : weight >= 1 ? value : copysign(pow(fabs(value), weight), value);
}

/* Multiplies `below` by `own`, or interpolates from one to the other. */
static void blend_turns(enum fbx_layering blend, double weight, const double own[4], double below[4])
{
    static const double NONE[] = {0, 0, 0, 1};
    double turned[4];
    if (blend == FBX_LAYER_PASS) {
        quat_slerp(below, own, weight, turned);
        memcpy(below, turned, sizeof turned);
    } else {
        quat_slerp(NONE, own, weight, turned);
        quat_mul(below, turned, below);
    }
}

static void blend_numbers(enum fbx_layering blend, bool is_product, double weight, const double *value, double *out)
{
    for (int c = 0; c < 3; c++) {
        if (blend == FBX_LAYER_ADD)
            out[c] = is_product ? out[c] * power(value[c], weight) : out[c] + value[c] * weight;
        else
            out[c] = is_product ? power(out[c], 1 - weight) * power(value[c], weight)
                                : out[c] * (1 - weight) + value[c] * weight;
    }
}

static void sheet_value(struct fbx_sheet *sheet, double time_s, double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = sheet->curves[c].key_count > 0 ? fbx_curve_at_cursor(&sheet->curves[c], time_s, &sheet->cursors[c])
                                                : sheet->defaults[c];
}

static double weight_at(struct fbx_sheet *sheet, double time_s)
{
    return sheet->weight.key_count > 0
               ? fbx_layer_weight(fbx_curve_at_cursor(&sheet->weight, time_s, &sheet->cursors[3]))
               : sheet->layer.weight;
}

static bool replaces(const struct fbx_sheet *sheet)
{
    return sheet->is_base || sheet->layer.blend == FBX_LAYER_OVERRIDE;
}

void fbx_motion_at(struct fbx_motion *motion, double time_s, double out[3])
{
    memcpy(out, motion->rest, 3 * sizeof *out);
    for (uint32_t i = 0; i < motion->sheet_count; i++) {
        struct fbx_sheet *sheet = &motion->sheets[i];
        double value[3];
        sheet_value(sheet, time_s, value);
        if (replaces(sheet))
            memcpy(out, value, sizeof value);
        else
            blend_numbers(sheet->layer.blend, motion->blended == FBX_BLENDED_SCALING && !sheet->layer.adds_scales,
                          weight_at(sheet, time_s), value, out);
    }
}

void fbx_motion_turn(struct fbx_motion *motion, double time_s, double out[4])
{
    double angles[3];
    if (fbx_motion_is_plain(motion)) {
        sheet_value(&motion->sheets[0], time_s, angles);
        fbx_quat_from_euler(angles, motion->order, out);
        return;
    }
    bool is_quaternion = false; /* the rotation so far is in `out` and not in `angles` */
    memcpy(angles, motion->rest, sizeof angles);
    for (uint32_t i = 0; i < motion->sheet_count; i++) {
        struct fbx_sheet *sheet = &motion->sheets[i];
        double value[3], own[4];
        sheet_value(sheet, time_s, value);
        if (replaces(sheet)) {
            memcpy(angles, value, sizeof angles);
            is_quaternion = false;
        } else if (sheet->layer.turns_by_angle) {
            if (is_quaternion)
                fbx_euler_from_quat(out, motion->order, angles);
            is_quaternion = false;
            blend_numbers(sheet->layer.blend, false, weight_at(sheet, time_s), value, angles);
        } else {
            if (!is_quaternion)
                fbx_quat_from_euler(angles, motion->order, out);
            is_quaternion = true;
            fbx_quat_from_euler(value, motion->order, own);
            blend_turns(sheet->layer.blend, weight_at(sheet, time_s), own, out);
        }
    }
    if (!is_quaternion)
        fbx_quat_from_euler(angles, motion->order, out);
}

double fbx_motion_swing(struct fbx_motion *motion, double from_s, double to_s)
{
    double sum = 0;
    for (uint32_t i = 0; i < motion->sheet_count; i++)
        for (int c = 0; c < 3; c++) {
            struct fbx_sheet *sheet = &motion->sheets[i];
            sum += fbx_curve_swing(&sheet->curves[c], from_s, to_s, &sheet->cursors[c]);
        }
    return sum;
}

bool fbx_motion_is_plain(const struct fbx_motion *motion)
{
    return motion->sheet_count == 1 && replaces(&motion->sheets[0]);
}

/* --- times --- */

void fbx_times_merge(struct fbx_times *times, const double *added_s, uint32_t added_count)
{
    if (added_count == 0 ||
        (added_count == times->count && memcmp(times->times_s, added_s, added_count * sizeof *added_s) == 0))
        return; /* most curves of an object have keys at the same times */
    double *merged = mem_alloc(((size_t)times->count + added_count) * sizeof *merged);
    uint32_t count = 0, own = 0, added = 0;
    while (own < times->count || added < added_count) {
        const bool is_own = own < times->count && (added == added_count || times->times_s[own] <= added_s[added]);
        const double time_s = is_own ? times->times_s[own] : added_s[added];
        own += is_own;
        added += !is_own;
        if (count == 0 || time_s > merged[count - 1])
            merged[count++] = time_s;
    }
    free(times->times_s);
    *times = (struct fbx_times){merged, count};
}

static double clamped(double time_s, double stop_s) { return fmin(fmax(time_s, 0), stop_s); }

void fbx_times_add(struct fbx_times *times, const struct fbx_curve *curve, double stop_s)
{
    double *keys_s = mem_alloc(curve->key_count * sizeof *keys_s);
    for (uint32_t k = 0; k < curve->key_count; k++)
        keys_s[k] = clamped(curve->keys[k].time, stop_s);
    fbx_times_merge(times, keys_s, curve->key_count);
    free(keys_s);
}

void fbx_motion_times(const struct fbx_motion *motion, double stop_s, struct fbx_times *times)
{
    for (uint32_t i = 0; i < motion->sheet_count; i++) {
        for (int c = 0; c < 3; c++)
            fbx_times_add(times, &motion->sheets[i].curves[c], stop_s);
        fbx_times_add(times, &motion->sheets[i].weight, stop_s);
    }
}

static void add_extrema(struct fbx_times *times, const struct fbx_curve *curve, double stop_s)
{
    double *turns_s = mem_alloc(2 * (size_t)curve->key_count * sizeof *turns_s);
    uint32_t count = 0;
    for (uint32_t k = 0; k + 1 < curve->key_count; k++) {
        const uint32_t first = count;
        count += fbx_piece_extrema(curve, k, turns_s + count);
        for (uint32_t i = first; i < count; i++)
            turns_s[i] = clamped(turns_s[i], stop_s);
    }
    fbx_times_merge(times, turns_s, count);
    free(turns_s);
}

void fbx_motion_extrema(const struct fbx_motion *motion, double stop_s, struct fbx_times *times)
{
    for (uint32_t i = 0; i < motion->sheet_count; i++) {
        for (int c = 0; c < 3; c++)
            add_extrema(times, &motion->sheets[i].curves[c], stop_s);
        add_extrema(times, &motion->sheets[i].weight, stop_s);
    }
}

void fbx_times_complete(struct fbx_times *times)
{
    if (times->count == 0)
        fbx_times_merge(times, &(double){0}, 1);
}

void fbx_times_fini(struct fbx_times *times)
{
    free(times->times_s);
    *times = (struct fbx_times){0};
}
