/* Any bytes as a COLLADA file or, where they begin as a zip does, as an archive: read, every clip of every node
 * followed, and the whole model finished, or refused with a reason. No companion files. */
#include "import/collada/transform_stack.h"
#include "import/curve/curve_fit.h"
#include "import/source/import.h"

#include <errno.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void at(void *user, double time_s, double *out)
{
    struct trs trs;
    transform_stack_trs(user, time_s, &trs);
    memcpy(out, trs.rotation, sizeof trs.rotation);
}

static double turn(void *user, double from_s, double to_s) { return transform_stack_turn(user, from_s, to_s); }

static void follow(const struct collada *collada, uint32_t n, const struct collada_clip *clip)
{
    struct transform_stack stack;
    struct track track;
    struct err err;
    bool is_near;
    transform_stack_init(&stack, collada, n, clip);
    const struct curve_fit fit = {.at = at,
                                  .turn = turn,
                                  .user = &stack,
                                  .times_s = stack.times_s,
                                  .time_count = stack.time_count,
                                  .components = 4,
                                  .is_rotation = true,
                                  .bound = CURVE_FIT_BOUND,
                                  .key_limit = 300};
    if (stack.time_count > 0 && curve_fit(&track, &fit, &is_near, &err) == 0) {
        for (uint32_t k = 0; k < track.count; k++)
            if (!isfinite(track.times_s[k]) || (k > 0 && !(track.times_s[k] > track.times_s[k - 1])))
                abort();
        for (size_t i = 0; i < (size_t)track.count * 4 * (track.is_cubic ? 3 : 1); i++)
            if (!isfinite(track.values[i]))
                abort();
        track_fini(&track);
    }
    transform_stack_fini(&stack);
}

static int find_nothing(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    (void)context;
    (void)request;
    *reply = (struct import_file_reply){.error = ENOENT};
    return -1;
}
static const struct file_client NO_FILES = {.ask = find_nothing};

/* Small, so that what a limit stops costs little. */
static void make_limits(struct limits *limits)
{
    limits_default(limits);
    limits->value[LIMIT_NODES] = 200;
    limits->value[LIMIT_KEYS] = 5000;
    limits->value[LIMIT_BAKED_BYTES] = 4 << 20;
    limits->value[LIMIT_VERTICES] = 10000;
    limits->value[LIMIT_INDICES] = 50000;
    limits->value[LIMIT_TEXTURE_SIDE] = 16;
    limits->value[LIMIT_IMAGE_SIDE] = 256;
}

static void read_scene(const uint8_t *data, size_t size, const struct limits *limits)
{
    struct err err = {0};
    struct bake_builder builder;
    struct collada collada;
    bake_builder_init(&builder, 1 << 20);
    const int rc = collada_read(&collada, data, size, limits, &builder, &err);
    if (rc > 0 || (rc < 0 && (err.code != rc || err.message[0] == '\0' || collada.nodes != NULL)))
        abort();
    for (uint32_t n = 0; n < collada.node_count; n++)
        for (uint32_t c = 0; c < collada.clip_count && c < 4; c++)
            follow(&collada, n, &collada.clips[c]);
    collada_fini(&collada);
    bake_builder_fini(&builder);
}

static void import_all(const uint8_t *data, size_t size, const struct limits *limits)
{
    struct err err = {0};
    struct bake_builder builder;
    const bool is_zip = size > 2 && memcmp(data, "PK", 2) == 0;
    bake_builder_init(&builder, limits->value[LIMIT_BAKED_BYTES]);
    struct import import = {.path = is_zip ? "fuzz.zae" : "fuzz.dae",
                            .bytes = data,
                            .size_bytes = size,
                            .files = source_files_new(&NO_FILES, is_zip ? "fuzz.zae" : "fuzz.dae", limits),
                            .builder = &builder,
                            .info = bake_add_info(&builder, 1),
                            .limits = limits};
    int rc = import_collada(&import, &err);
    if (rc == 0)
        rc = import_finish(&import, &err);
    if (rc > 0 || (rc < 0 && (err.code != rc || err.message[0] == '\0')))
        abort();
    source_files_free(import.files);
    bake_builder_fini(&builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    make_limits(&limits);
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    copy[size] = 0;
    read_scene(copy, size, &limits);
    import_all(copy, size, &limits);
    free(copy);
    return 0;
}
