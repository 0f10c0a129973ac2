/* json_floats - how long a palette takes to become JSON: by the server's writer, and by cJSON.
 *
 *   json_floats [JOINTS]
 *
 * Palettes of 24 joints unless told: turned, scaled and shifted matrices, another one each round, the same for both.
 * Both texts are read back and must give the same floats, bit for bit. One line of JSON for each layout: CPU time of
 * one palette in ns, the medians and quartiles of many interleaved rounds, and the ratio of the medians. */
#include "wire/encode/json.h"
#include "tests/bench/programs/measure.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 201, POSED_REPEATS = 64, JOINTS_MAX = 1024, MATRIX_MAX = 16 };

struct spread {
    double median, low, high;
};

static double now_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

static struct spread spread_of(double *times)
{
    qsort(times, ROUNDS, sizeof *times, by_size);
    return (struct spread){times[ROUNDS / 2], times[ROUNDS / 4], times[ROUNDS - 1 - ROUNDS / 4]};
}

static double chance(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13; /* xorshift64, G. Marsaglia, "Xorshift RNGs", 2003 */
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* Puts the columns of a rotated and scaled frame, then its place. */
static void fill_matrix(float *out, bool is_rows)
{
    const double a = 6.28 * chance(), b = 6.28 * chance(), c = 6.28 * chance(), scale = 0.5 + chance();
    const double m[3][4] = {
        {scale * cos(a) * cos(b), cos(a) * sin(b) * sin(c) - sin(a) * cos(c),
         cos(a) * sin(b) * cos(c) + sin(a) * sin(c), 20 * chance() - 10},
        {scale * sin(a) * cos(b), sin(a) * sin(b) * sin(c) + cos(a) * cos(c),
         sin(a) * sin(b) * cos(c) - cos(a) * sin(c), 200 * chance() - 100},
        {-scale * sin(b), cos(b) * sin(c), cos(b) * cos(c), chance() / 16},
    };
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            out[is_rows ? 4 * row + column : 4 * column + row] = (float)m[row][column];
    for (int column = 0; column < 4 && !is_rows; column++)
        out[4 * column + 3] = column == 3;
}

static void put_palette(struct buf *out, const float *floats, int joints, int size)
{
    buf_put_char(out, '[');
    for (int j = 0; j < joints; j++) {
        if (j > 0)
            buf_put_char(out, ',');
        json_put_floats(out, floats + j * size, (size_t)size);
    }
    buf_put_char(out, ']');
    buf_put_char(out, '\0');
}

static char *print_by_cjson(const float *floats, int joints, int size)
{
    cJSON *palette = cJSON_CreateArray();
    for (int j = 0; j < joints; j++)
        cJSON_AddItemToArray(palette, cJSON_CreateFloatArray(floats + j * size, size));
    char *text = cJSON_PrintUnformatted(palette);
    cJSON_Delete(palette);
    return text;
}

static void check_bits(const char *who, const char *text, const float *floats, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        text += strspn(text, "[],");
        const float back = strtof(text, &end);
        if (end == text || memcmp(&back, &floats[i], sizeof back) != 0) {
            fprintf(stderr, "json_floats: %s wrote float %d as %.20s\n", who, i, text);
            exit(1);
        }
        text = end;
    }
}

static void measure(const char *layout, int joints, int size)
{
    static float floats[JOINTS_MAX * MATRIX_MAX];
    static double ours[ROUNDS], theirs[ROUNDS];
    struct buf out;
    buf_init(&out, 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int j = 0; j < joints; j++)
            fill_matrix(floats + j * size, size == 12);
        double begin = now_ns();
        for (int i = 0; i < POSED_REPEATS; i++) {
            buf_clear(&out);
            put_palette(&out, floats, joints, size);
        }
        ours[round] = (now_ns() - begin) / POSED_REPEATS;
        begin = now_ns();
        char *text = print_by_cjson(floats, joints, size);
        theirs[round] = now_ns() - begin;
        check_bits("posed", out.data, floats, joints * size);
        check_bits("cJSON", text, floats, joints * size);
        cJSON_free(text);
    }
    const struct spread posed = spread_of(ours), cjson = spread_of(theirs);
    printf(
        "{\"what\":\"json_palette\",\"layout\":\"%s\",\"joints\":%d,\"floats\":%d,\"bytes\":%zu,\"posed_ns\":%.0f,"
        "\"posed_low_ns\":%.0f,\"posed_high_ns\":%.0f,\"cjson_ns\":%.0f,\"cjson_low_ns\":%.0f,\"cjson_high_ns\":%.0f,"
        "\"posed_ns_per_float\":%.2f,\"ratio\":%.1f}\n",
        layout, joints, joints * size, out.size_bytes - 1, posed.median, posed.low, posed.high, cjson.median, cjson.low,
        cjson.high, posed.median / (joints * size), cjson.median / posed.median);
    buf_fini(&out);
}

int main(int argc, char **argv)
{
    const int joints = argc > 1 ? atoi(argv[1]) : 24;
    if (argc > 2 || joints < 1 || joints > JOINTS_MAX) {
        fprintf(stderr, "usage: json_floats [JOINTS], 1 to %d\n", JOINTS_MAX);
        return 2;
    }
    measure("mat4", joints, 16);
    measure("mat3x4", joints, 12);
    return 0;
}
