/* server/render/job/job_check.h: a worker trusts nothing in a job. */
#include "render/job/job_check.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"

static const struct job_given NO_GIVEN;

static struct render_blend good(void)
{
    return (struct render_blend){
        .layer_count = 2,
        .mask_count = 2,
        .layers = {{.clip = 1, .reference_clip = POSE_REST, .mask_count = 1},
                   {.clip = 0,
                    .reference_clip = 3,
                    .reference_time_s = 1,
                    .is_additive = 1,
                    .mask_first = 1,
                    .mask_count = 1}},
        .masks = {2 * 4 + BLEND_SUBTREE, 5 * 4 + BLEND_EXCEPT},
    };
}

TEST(job_layers_are_taken_over)
{
    struct job_layers layers;
    const struct job_sources sources = {.model = wire_model()};
    struct err err;
    struct render_blend blend = good();
    assert_int_equal(job_layers_init(&layers, &blend, &sources, &NO_GIVEN, &err), 0);
    assert_int_equal(layers.count, 2);
    assert_int_equal(layers.layers[0].clip, 1);
    assert_int_equal(job_layers_set(&layers, (const struct render_layer_moment[2]){{0.5, 2}, {0.25, 0.5}}, &err), 0);
    CHECK_NEAR(layers.layers[0].clip_time_s, 0.5, 0);
    CHECK_NEAR(layers.layers[1].clip_time_s, 0.25, 0);
    CHECK_NEAR(layers.layers[0].weight, 2, 0);
    CHECK_NEAR(layers.layers[1].weight, 0.5, 0);
    assert_false(layers.layers[0].is_additive);
    assert_int_equal(layers.layers[0].masks[0].node, 2);
    assert_int_equal(layers.layers[0].masks[0].scope, BLEND_SUBTREE);
    assert_true(layers.layers[1].is_additive);
    assert_int_equal(layers.layers[1].reference_clip, 3);
    CHECK_NEAR(layers.layers[1].reference_time_s, 1, 0);
    assert_int_equal(layers.layers[1].masks[0].node, 5);
    assert_int_equal(layers.layers[1].masks[0].scope, BLEND_EXCEPT);
    blend.layer_count = 0;
    assert_int_equal(job_layers_init(&layers, &blend, &sources, &NO_GIVEN, &err), 0);
    assert_int_equal(layers.count, 0);
}

#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        struct job_layers layers;                                                                                      \
        const struct job_sources sources = {.model = wire_model()};                                                    \
        struct err err;                                                                                                \
        struct render_blend b = good();                                                                                \
        change;                                                                                                        \
        assert_int_equal(job_layers_init(&layers, &b, &sources, &NO_GIVEN, &err), ERR_BAD_PARAMETER);                  \
        assert_int_equal(layers.count, 0);                                                                             \
    } while (0)

TEST(job_layers_refuse_what_the_model_has_not)
{
    REFUSED(b.layer_count = BLEND_LAYERS_MAX + 1);
    REFUSED(b.mask_count = BLEND_MASKS_MAX + 1);
    REFUSED(b.masks[1] = 6 * 4);
    REFUSED(b.masks[0] = UINT32_MAX);
    REFUSED(b.masks[0] = 2 * 4 + 3);
    REFUSED(b.layers[0].clip = 4);
    REFUSED(b.layers[0].clip = -2);
    REFUSED(b.layers[0].clip_source = 1);
    REFUSED(b.layers[1].reference_source = UINT32_MAX);
    REFUSED(b.layers[1].reference_clip = 4);
    REFUSED(b.layers[1].reference_time_s = (double)NAN);
    REFUSED(b.layers[1].mask_first = 2);
    REFUSED(b.layers[1].mask_count = 2);
    REFUSED(b.layers[1].mask_count = UINT32_MAX);
    REFUSED(b.layers[0].given = 1);
}

TEST(job_layers_refuse_moments_that_cannot_be)
{
    static const struct render_layer_moment BAD[][2] = {
        {{(double)NAN, 1}, {0, 1}},      {{0, 1}, {(double)INFINITY, 1}}, {{0, -1}, {0, 1}},
        {{0, (double)NAN}, {0, 1}},      {{0, (double)INFINITY}, {0, 1}}, {{0, 1}, {0, 1.5}},
        {{0, 1}, {0, (double)-INFINITY}}};
    struct job_layers layers;
    const struct job_sources sources = {.model = wire_model()};
    struct err err;
    struct render_blend blend = good();
    assert_int_equal(job_layers_init(&layers, &blend, &sources, &NO_GIVEN, &err), 0);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_int_equal(job_layers_set(&layers, BAD[i], &err), ERR_BAD_PARAMETER);
}
