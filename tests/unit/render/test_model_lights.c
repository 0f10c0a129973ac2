/* Lights of the model's file: their light that a card of many triangles, off the origin, sends to the eye (glTF 2.0,
 * appendix B). The lights are below a rotated, unevenly scaled parent. Skipped if there is no GL. */
#include "anim/model/material_layers.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/png_pixels.h"
#include "tests/unit/support/shared_renderer.h"

#include <math.h>
#include <string.h>

enum { SIDE = 65, CELLS = 32, ROW = CELLS + 1, VERTICES = ROW * ROW };

static const double GREY = 0.4, AROUND = 0.05;
static const struct vec3 MIDDLE = {5, -3, 2};

static void add_card(struct fixture *f)
{
    struct bake_builder *b = &f->builder;
    struct vec3 positions[VERTICES];
    fixture_init(f);
    for (int v = 0; v < VERTICES; v++)
        positions[v] = (struct vec3){MIDDLE.x + 2 * (float)(v % ROW) / CELLS - 1,
                                     MIDDLE.y + 2 * (float)(v / ROW) / CELLS - 1, MIDDLE.z};
    const uint32_t mesh = fixture_mesh(f, positions, VERTICES);
    b->index_count = 0; /* of points */
    for (uint32_t c = 0; c < CELLS * CELLS; c++) {
        const uint32_t at = c / CELLS * ROW + c % CELLS;
        const uint32_t corners[6] = {at, at + 1, at + ROW, at + 1, at + ROW + 1, at + ROW};
        memcpy(bake_add_index(b, 6), corners, sizeof corners);
    }
    b->primitives[mesh].topology = TOPOLOGY_TRIANGLES;
    b->primitives[mesh].index_count = 6 * CELLS * CELLS;
    b->primitives[mesh].material = 0;
    struct material *material = bake_add_material(b, 1);
    *material = MATERIAL_PLAIN;
    material->base_color[0] = material->base_color[1] = material->base_color[2] = (float)GREY;
    material->metallic = 0;
    material->roughness = 1;
    material->flags = MATERIAL_DOUBLE_SIDED;
    fixture_mesh_node(f, mesh, -1);
    /* x goes to y, y to -x */
    fixture_root(f, fixture_node(f, -1, (const float[3]){4.5f, -2, 1}, (const float[4]){0, 0, 0.70710678f, 0.70710678f},
                                 (const float[3]){2, 4, 0.5f}));
}

/* The light at this place as seen from the card's middle, shining along -z turned by an angle about y of the scene. */
static struct model_light *add_light(struct fixture *f, struct vec3 from_middle, float angle)
{
    const float place[3] = {MIDDLE.x + from_middle.x - 4.5f, MIDDLE.y + from_middle.y + 2,
                            MIDDLE.z + from_middle.z - 1};
    const uint32_t node = fixture_node(f, 1, (const float[3]){place[1] / 2, -place[0] / 4, place[2] / 0.5f},
                                       FIXTURE_NO_TURN, FIXTURE_ONE);
    /* about the parent's -x, which is y of the scene turned back; uneven scale turns directions as it turns vectors */
    const float shown = atanf(tanf(angle) * 0.5f / 4) / 2;
    f->builder.nodes[node].rotation[0] = -sinf(shown);
    f->builder.nodes[node].rotation[3] = cosf(shown);
    struct model_light *light = bake_add_light(&f->builder, 1);
    *light = (struct model_light){
        .name = {.offset = STR_NONE}, .node = node, .kind = LIGHT_KIND_POINT, .color = {1, 1, 1}, .intensity = 1};
    return light;
}

/* Of the card's middle. Ends the fixture. */
static double light_of(struct fixture *f)
{
    const struct picture_spec picture = {
        .width = SIDE, .height = SIDE, .light = LIGHT_FLAT, .tone = TONE_NONE, .flags = PICTURE_OWN_LIGHTS};
    struct buf png;
    struct png_pixels p;
    fixture_finish(f);
    assert_int_equal(shared_renderer_draw(f, &picture, 0, &png), 0);
    png_pixels_init(&p, &png);
    const double c = p.pixels[4 * (SIDE / 2 * SIDE + SIDE / 2)] / 255.0;
    png_pixels_fini(&p);
    buf_fini(&png);
    fixture_fini(f);
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* What a rough surface sends of a light of 1 lux that it faces, seen from there: D V is 1 / (4 pi). */
static double facing(void) { return 0.96 * GREY / M_PI + 0.04 / (4 * M_PI); }

static void check(struct fixture *f, double direct)
{
    const double expected = direct + AROUND * (GREY + 0.01), found = light_of(f);
    if (fabs(found - expected) > 0.006 + 0.02 * expected)
        fail_msg("%g is seen, not %g", found, expected);
}

TEST(model_lights_far_away)
{
    struct fixture f;
    add_card(&f);
    struct model_light *sun = add_light(&f, (struct vec3){7, 9, -3}, 0);
    sun->kind = LIGHT_KIND_DIRECTIONAL;
    sun->intensity = 4;
    check(&f, 4 * facing());
}

TEST(model_lights_at_a_point_by_distance_and_range)
{
    static const float RANGES[] = {0, 2.5f, 1.9f};
    for (int i = 0; i < 3; i++) {
        struct fixture f;
        add_card(&f);
        struct model_light *lamp = add_light(&f, (struct vec3){0, 0, 2}, 0);
        lamp->intensity = 12;
        lamp->range = RANGES[i];
        const double share = i == 0 ? 1 : fmax(1 - pow(2 / (double)RANGES[i], 4), 0);
        check(&f, 3 * share * facing());
    }
}

TEST(model_lights_of_spots_by_their_cones)
{
    static const float ANGLES[] = {0, 0.45f, 0.55f, 0.65f};
    for (int i = 0; i < 4; i++) {
        struct fixture f;
        add_card(&f);
        struct model_light *spot = add_light(&f, (struct vec3){0, 0, 2}, ANGLES[i]);
        spot->kind = LIGHT_KIND_SPOT;
        spot->intensity = 12;
        spot->inner_cone = 0.5f;
        spot->outer_cone = 0.6f;
        const double cone = (cos((double)ANGLES[i]) - cos(0.6)) / (cos(0.5) - cos(0.6));
        check(&f, 3 * pow(fmin(fmax(cone, 0), 1), 2) * facing());
    }
}

TEST(model_lights_are_metres_away_whatever_the_unit)
{
    struct fixture f;
    add_card(&f);
    f.builder.infos[0].unit_m = 0.5f;
    add_light(&f, (struct vec3){0, 0, 2}, 0)->intensity = 3;
    check(&f, 3 * facing());
}

TEST(model_lights_of_hidden_nodes_do_not_shine)
{
    struct fixture f;
    add_card(&f);
    add_light(&f, (struct vec3){0, 0, 2}, 0)->intensity = 40;
    f.builder.nodes[f.builder.lights[0].node].flags |= NODE_HIDDEN | NODE_HIDES;
    add_light(&f, (struct vec3){0, 0, 1}, 0)->intensity = 3;
    check(&f, 3 * facing());
}

/* Layers: a coat darkens the layers below and has a highlight; a surface without reflection scatters all light. */
TEST(model_lights_on_layers)
{
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        add_card(&f);
        struct material_layers *layers = bake_add_material_layer(&f.builder, 1);
        *layers = MATERIAL_LAYERS_NONE;
        layers->present = i == 0 ? 1U << LAYER_SPECULAR : 1U << LAYER_CLEARCOAT;
        layers->specular = i == 0 ? 0 : 1;
        layers->clearcoat = (float)i;
        layers->clearcoat_roughness = 0.5f;
        f.builder.materials[0].layers = 0;
        struct model_light *sun = add_light(&f, (struct vec3){0, 0, 2}, 0);
        sun->kind = LIGHT_KIND_DIRECTIONAL;
        sun->intensity = 3;
        const double coat = 0.04 / (4 * M_PI * pow(0.5, 4));
        check(&f, 3 * (i == 0 ? GREY / M_PI : 0.96 * facing() + coat));
    }
}
