/* import_fbx - what posed's own FBX reader takes to import a file, in time and in memory.
 *
 *   import_fbx FILE
 *
 * As posed-import does it after its start: the file is read, its model made, checked and written, here to nowhere.
 * Prints one line of JSON: milliseconds, and those of the processor; by how many bytes the process has been larger than
 * before; the bytes of the file's arrays, unpacked, and of the baked model. */
#include "import/fbx_file/fbx_file.h"
#include "import/source/import.h"
#include "tests/bench/programs/measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Textures beside the file are left out, as assimp leaves them. */
static int find_nothing(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    (void)context;
    (void)request;
    *reply = (struct import_file_reply){.error = ENOENT};
    return -1;
}

/* `context` is a uint64_t: the bytes so far. */
static int count_bytes(void *context, const void *bytes, size_t size_bytes, struct err *err)
{
    (void)bytes;
    (void)err;
    *(uint64_t *)context += size_bytes;
    return 0;
}

static uint64_t array_bytes(const uint8_t *bytes, size_t size_bytes, const struct limits *limits)
{
    struct fbx_file file;
    struct err err;
    uint64_t sum = 0;
    if (fbx_file_read(&file, bytes, size_bytes, limits, &err) == 0)
        for (uint32_t i = 0; i < file.value_count; i++) {
            const struct fbx_array *array = &file.values[i].array;
            if (file.values[i].kind == FBX_ARRAY)
                sum += array->count * (array->type == 'f' || array->type == 'i' ? UINT64_C(4) : UINT64_C(8));
        }
    fbx_file_fini(&file);
    return sum;
}

static double now_ms(clockid_t clock) { return clock_ns(clock) / 1e6; }

struct times {
    double wall_ms, cpu_ms;
};

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Reads the file with a NUL after it. Returns NULL on an error. */
static uint8_t *read_file(const char *path, size_t *size_bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    uint8_t *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    *size_bytes = bytes != NULL ? fread(bytes, 1, (size_t)size, file) : 0;
    if (bytes != NULL)
        bytes[*size_bytes] = 0;
    fclose(file);
    return bytes;
}

struct sizes {
    uint64_t peak, arrays, baked;
};

static int run(const char *path, struct times *times, struct sizes *sizes, struct err *err)
{
    static const struct file_client NO_FILES = {.ask = find_nothing};
    const struct bake_sink sink = {.put = count_bytes, .context = &sizes->baked};
    const long idle_kib = peak_kib();
    const double begin_ms = now_ms(CLOCK_MONOTONIC), begin_cpu_ms = now_ms(CLOCK_PROCESS_CPUTIME_ID);
    struct limits limits;
    struct bake_builder builder;
    size_t size_bytes;
    limits_default(&limits);
    uint8_t *bytes = read_file(path, &size_bytes);
    if (bytes == NULL)
        return err_set(err, ERR_INTERNAL, "cannot read it");
    bake_builder_init(&builder, limits.value[LIMIT_BAKED_BYTES]);
    struct import import = {.path = path,
                            .bytes = bytes,
                            .size_bytes = size_bytes,
                            .files = source_files_new(&NO_FILES, path, &limits),
                            .builder = &builder,
                            .info = bake_add_info(&builder, 1),
                            .limits = &limits};
    int rc = import_fbx(&import, err);
    if (rc == 0)
        rc = import_finish(&import, err);
    if (rc == 0)
        rc = bake_write(&builder, &sink, err);
    bake_builder_fini(&builder);
    source_files_free(import.files);
    times->wall_ms = now_ms(CLOCK_MONOTONIC) - begin_ms;
    times->cpu_ms = now_ms(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu_ms;
    sizes->peak = (uint64_t)(peak_kib() - idle_kib) * 1024;
    sizes->arrays = array_bytes(bytes, size_bytes, &limits);
    free(bytes);
    return rc;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    if (argc != 2) {
        fputs("usage: import_fbx FILE\n", stderr);
        return 2;
    }
    struct sizes sizes = {0};
    struct times times = {0};
    if (run(argv[1], &times, &sizes, &err) < 0) {
        fprintf(stderr, "import_fbx: %s: %s\n", argv[1], err.message);
        return 1;
    }
    printf("{\"ms\":%.3f,\"cpu_ms\":%.3f,\"bytes\":%llu,\"arrays\":%llu,\"baked\":%llu}\n", times.wall_ms, times.cpu_ms,
           (unsigned long long)sizes.peak, (unsigned long long)sizes.arrays, (unsigned long long)sizes.baked);
    return 0;
}
