/* fbx_channel_weights() of server/import/fbx/fbx_deform.h: worked by hand. */
#include "import/fbx/fbx_deform.h"
#include "tests/unit/support/check.h"

static void check_weights(const struct fbx_channel *channel, double percent, const double *expected)
{
    double weights[FBX_CHANNEL_SHAPES_MAX];
    fbx_channel_weights(channel, percent, weights);
    for (uint32_t s = 0; s < channel->shape_count; s++)
        CHECK_NEAR(weights[s], expected[s], 1e-12);
}

TEST(fbx_channel_of_one_shape_is_a_line)
{
    const struct fbx_channel channel = {.shape_count = 1, .full_percents = {80}};
    check_weights(&channel, 0, (const double[]){0});
    check_weights(&channel, 20, (const double[]){0.25});
    check_weights(&channel, 120, (const double[]){1.5});
    check_weights(&channel, -40, (const double[]){-0.5});
}

TEST(fbx_channel_goes_from_one_in_between_to_the_next)
{
    const struct fbx_channel channel = {.shape_count = 3, .full_percents = {25, 50, 100}};
    check_weights(&channel, 10, (const double[]){0.4, 0, 0});
    check_weights(&channel, 25, (const double[]){1, 0, 0});
    check_weights(&channel, 30, (const double[]){0.8, 0.2, 0});
    check_weights(&channel, 100, (const double[]){0, 0, 1});
    check_weights(&channel, 125, (const double[]){0, -0.5, 1.5});
    check_weights(&channel, -5, (const double[]){-0.2, 0, 0});
}

TEST(fbx_channel_with_shapes_on_both_sides_of_zero)
{
    const struct fbx_channel channel = {.shape_count = 3, .full_percents = {-100, -50, 80}};
    check_weights(&channel, -25, (const double[]){0, 0.5, 0});
    check_weights(&channel, -75, (const double[]){0.5, 0.5, 0});
    check_weights(&channel, -150, (const double[]){2, -1, 0});
    check_weights(&channel, 40, (const double[]){0, 0, 0.5});
}

TEST(fbx_channel_of_a_shape_at_zero_shows_nothing)
{
    const struct fbx_channel channel = {.shape_count = 1, .full_percents = {0}};
    check_weights(&channel, 50, (const double[]){0});
}
