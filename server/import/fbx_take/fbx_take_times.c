/* fbx_take_times.c - the time range of a take: from the stack, else from the record Take with its name. */
#include "import/fbx_take/fbx_take.h"

#include "base/mem.h"

#include <stdlib.h>

bool fbx_range_set(const struct fbx_scene *scene, double start, double stop, struct fbx_range *range)
{
    *range = (struct fbx_range){.start = start, .stop = stop, .ticks_per_s = scene->ticks_per_s};
    return stop > start;
}

bool fbx_take_times(const struct fbx_scene *scene, uint32_t record, struct fbx_range *range)
{
    static const char *const NAMES[] = {"LocalTime", "ReferenceTime"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const uint32_t times = fbx_child(&scene->file, record, NAMES[i]);
        if (fbx_value_count(&scene->file, times) >= 2 &&
            fbx_range_set(scene, (double)fbx_integer(&scene->file, times, 0, 0),
                          (double)fbx_integer(&scene->file, times, 1, 0), range))
            return true;
    }
    const uint32_t local = fbx_child(&scene->file, record, NAMES[0]);
    const double start = (double)fbx_integer(&scene->file, local, 0, 0);
    return fbx_range_set(scene, start, start, range);
}

static int by_take_name(const void *a, const void *b, void *context)
{
    const struct fbx_file *file = context;
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const int order = fbx_span_order(fbx_text(file, first, 0), fbx_text(file, second, 0));
    return order != 0 ? order : (first > second) - (first < second);
}

static void read_take_records(const struct fbx_scene *scene, struct fbx_take_records *out)
{
    const struct fbx_file *file = &scene->file;
    uint32_t capacity = 0;
    out->is_read = true;
    for (uint32_t take = fbx_child(file, scene->takes, "Take"); take != FBX_NONE; take = fbx_next(file, take, "Take")) {
        if (out->count == capacity) {
            capacity = 2 * capacity + 16;
            out->records = mem_realloc(out->records, capacity * sizeof *out->records);
        }
        out->records[out->count++] = take;
    }
    if (out->count > 0)
        qsort_r(out->records, out->count, sizeof *out->records, by_take_name, (void *)(uintptr_t)file);
}

/* The first record with a name, or FBX_NONE. */
static uint32_t take_record(const struct fbx_file *file, const struct fbx_take_records *takes, struct fbx_span name)
{
    uint32_t low = 0, high = takes->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (fbx_span_order(fbx_text(file, takes->records[middle], 0), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < takes->count && fbx_span_equal(fbx_text(file, takes->records[low], 0), name) ? takes->records[low]
                                                                                              : FBX_NONE;
}

bool fbx_stack_times(const struct fbx_scene *scene, struct fbx_take_records *takes, uint32_t stack,
                     struct fbx_range *range)
{
    static const char *const NAMES[][2] = {{"LocalStart", "LocalStop"}, {"ReferenceStart", "ReferenceStop"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        int64_t start, stop;
        if (fbx_property_integer(scene, stack, NAMES[i][0], &start) &&
            fbx_property_integer(scene, stack, NAMES[i][1], &stop) &&
            fbx_range_set(scene, (double)start, (double)stop, range))
            return true;
    }
    if (!takes->is_read)
        read_take_records(scene, takes);
    const uint32_t take = take_record(&scene->file, takes, scene->objects[stack].name);
    if (take != FBX_NONE && fbx_take_times(scene, take, range))
        return true;
    int64_t start = 0;
    fbx_property_integer(scene, stack, NAMES[0][0], &start);
    return fbx_range_set(scene, (double)start, (double)start, range);
}
