/* Arbitrary bytes as a COLLADA file or, if they begin like a zip, as an archive. They are read, every clip of every
 * node is evaluated and the whole model finished; or they are refused with a reason. No companion files. */
#include "tests/fuzz/reader_target.h"

#include "import/collada/transform_stack.h"
#include "import/curve/curve_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void read_scene(const uint8_t *data, size_t size, const struct limits *limits)
{
    struct err err = {0};
    struct bake_builder builder;
    struct collada collada;
    bake_builder_init(&builder, 1 << 20);
    const int rc = collada_read(&collada, "a.dae", data, size, limits, &builder, &err);
    reader_check(rc, &err);
    if (rc < 0 && collada.nodes != NULL)
        abort();
    for (uint32_t n = 0; n < collada.node_count; n++)
        for (uint32_t c = 0; c < collada.clip_count && c < 4; c++)
            follow(&collada, n, &collada.clips[c]);
    collada_fini(&collada);
    bake_builder_fini(&builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bool is_zip = size > 2 && memcmp(data, "PK", 2) == 0;
    struct limits limits;
    reader_limits(&limits);
    limits.value[LIMIT_NODES] = 200;
    limits.value[LIMIT_KEYS] = 5000;
    uint8_t *copy = reader_copy(data, size);
    read_scene(copy, size, &limits);
    free(copy);
    reader_run(is_zip ? "fuzz.zae" : "fuzz.dae", import_collada, data, size, &limits);
    return 0;
}
