/* chance_layers.h - rigs with clips, and random layers that blend them. */
#pragma once

#include "anim/compiled/clip_palette.h"
#include "anim/pose/blend.h"
#include "tests/unit/support/chance_rig.h"
#include "tests/unit/support/check.h"

enum { CLIPS = 3, MASKS = 4 };

/* Makes clips that rotate all nodes and move some. They are close to each other, like the moves of one figure. */
static void make_rig(struct fixture *f, uint32_t count, bool has_splines)
{
    fixture_init(f);
    chance_state = count;
    add_rig(f, count);
    add_skin(f, 0, count, 1);
    for (uint32_t c = 0; c < CLIPS; c++) {
        fixture_clip(f);
        chance_state = 1000 * count + 1; /* the same middle in each clip */
        for (uint32_t n = 0; n < count; n++) {
            if ((n + c) % 4 == 3)
                continue; /* at rest in this clip */
            const enum interpolation kind =
                has_splines && n % 5 == c ? INTERPOLATION_CUBICSPLINE : INTERPOLATION_LINEAR;
            add_channel(f, n, PATH_ROTATION, kind, TIMES, KEYS);
            if (n % 3 == 0)
                add_channel(f, n, PATH_TRANSLATION, n % 2 == 0 ? INTERPOLATION_STEP : INTERPOLATION_LINEAR, TIMES,
                            KEYS);
            if (n % 7 == 2)
                add_channel(f, n, PATH_SCALE, INTERPOLATION_LINEAR, TIMES, KEYS);
        }
    }
    fixture_finish(f);
    for (int32_t c = 0; c < CLIPS; c++)
        assert_true(clip_palette_is_compiled(&f->model, c));
}

/* Random layers: some masked, some additive. */
struct layers {
    struct blend_layer layers[BLEND_LAYERS_MAX];
    struct blend_mask masks[BLEND_LAYERS_MAX][MASKS];
    uint32_t count;
};

__attribute__((unused)) static void random_layers(struct layers *out, uint32_t node_count, bool has_additive)
{
    out->count = 1 + (uint32_t)(chance() * 4);
    for (uint32_t i = 0; i < out->count; i++) {
        struct blend_layer *layer = &out->layers[i];
        *layer = (struct blend_layer){.clip = (int32_t)(chance() * (CLIPS + 1)) - 1,
                                      .clip_time_s = 2.2 * chance(),
                                      .weight = chance() < 0.1 ? 0 : chance(),
                                      .is_additive = has_additive && chance() < 0.25,
                                      .reference_clip = POSE_REST,
                                      .masks = out->masks[i],
                                      .mask_count = chance() < 0.5 ? 0 : (uint32_t)(chance() * MASKS)};
        if (layer->is_additive && chance() < 0.7) {
            layer->reference_clip = layer->clip;
            layer->reference_time_s = chance() < 0.5 ? 0 : 1.3;
        }
        for (uint32_t m = 0; m < layer->mask_count; m++)
            out->masks[i][m] = (struct blend_mask){(uint32_t)(chance() * node_count), (enum mask_scope)(chance() * 3)};
    }
}
