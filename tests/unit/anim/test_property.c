/* The table of properties, the pointers at them, and their values at a time. */
#include "anim/model/property.h"
#include "anim/pose/appearance.h"
#include "anim/pose/pose.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <stdio.h>
#include <string.h>

TEST(property_pointers_name_their_property)
{
    for (uint32_t id = 0; id < PROPERTY_COUNT; id++) {
        char pointer[PROPERTY_POINTER_SIZE], longer[PROPERTY_POINTER_SIZE + 1];
        uint32_t index = 0;
        property_put_pointer(id, 4294967294, pointer);
        assert_int_equal(property_find(pointer, &index), id);
        assert_int_equal(index, 4294967294);
        assert_true(strlen(pointer) < PROPERTY_POINTER_SIZE - 1);
        snprintf(longer, sizeof longer, "%sx", pointer);
        assert_int_equal(property_find(longer, &index), PROPERTY_COUNT);
        for (size_t size = 0; size < strlen(pointer); size++) {
            snprintf(longer, sizeof longer, "%.*s", (int)size, pointer);
            assert_int_equal(property_find(longer, &index), PROPERTY_COUNT);
        }
        const struct property property = property_of(id);
        assert_in_range(property.count, 1, 4);
        assert_true(property.least < property.most);
    }
}

TEST(property_pointers_of_the_specification)
{
    static const struct {
        const char *pointer;
        uint32_t id;
    } ROWS[] = {
        {"/materials/7/pbrMetallicRoughness/baseColorFactor", PROPERTY_BASE_COLOR},
        {"/materials/7/alphaCutoff", PROPERTY_ALPHA_CUTOFF},
        {"/materials/7/extensions/KHR_materials_ior/ior", PROPERTY_LAYERS + LAYER_NUMBER_OF_ior},
        {"/materials/7/extensions/KHR_materials_sheen/sheenColorTexture/extensions/KHR_texture_transform/rotation",
         PROPERTY_TRANSFORMS + TEXTURE_SHEEN_COLOR * TRANSFORM_PARTS + TRANSFORM_ROTATION},
        {"/materials/7/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/offset",
         PROPERTY_TRANSFORMS + TEXTURE_BASE_COLOR * TRANSFORM_PARTS + TRANSFORM_OFFSET},
        {"/extensions/KHR_lights_punctual/lights/7/spot/outerConeAngle", PROPERTY_LIGHT_OUTER_CONE},
        {"/cameras/7/orthographic/zfar", PROPERTY_CAMERA_ORTHO_FAR},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        uint32_t index = 0;
        assert_int_equal(property_find(ROWS[i].pointer, &index), ROWS[i].id);
        assert_int_equal(index, 7);
    }
}

TEST(property_pointers_elsewhere_name_none)
{
    static const char *const ROWS[] = {
        "",
        "/",
        "materials/0/alphaCutoff",
        "/materials",
        "/materials/",
        "/materials//alphaCutoff",
        "/materials/00/alphaCutoff",
        "/materials/ 0/alphaCutoff",
        "/materials/+0/alphaCutoff",
        "/materials/-1/alphaCutoff",
        "/materials/4294967295/alphaCutoff",
        "/materials/99999999999999999999/alphaCutoff",
        "/materials/0/color",
        "/materials/0/perspective/yfov",
        "/cameras/0/alphaCutoff",
        "/materials/0/alphaCutoff/0",
        "/materials/0/emissiveTexture/extensions/KHR_texture_transform",
        "/materials/0/emissiveTexture/extensions/KHR_texture_transform/texCoord",
        "/materials/0/extensions/KHR_materials_clearcoat/ior",
        "/extensions/KHR_lights_punctual/lights/0/type",
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        uint32_t index;
        assert_int_equal(property_find(ROWS[i], &index), PROPERTY_COUNT);
    }
}

TEST(texture_transform_of_the_extensions_example)
{
    float m[6];
    texture_transform_matrix((double[2]){0, 1}, (double[2]){0.5, 0.5}, 1.5707963267948966, m);
    /* the corner 1,1 of the square shows the point 0.5,0.5 of the picture, and 0,0 its lower left corner 0,1 */
    CHECK_NEAR(m[0] + m[1] + m[2], 0.5, 1e-6);
    CHECK_NEAR(m[3] + m[4] + m[5], 0.5, 1e-6);
    CHECK_NEAR(m[2], 0, 0);
    CHECK_NEAR(m[5], 1, 0);
    float turned[6]; /* a thousand turns further */
    texture_transform_matrix((double[2]){0, 1}, (double[2]){0.5, 0.5}, 1.5707963267948966 + 2000 * M_PI, turned);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(turned[i], m[i], 1e-6);
}

TEST(appearance_is_within_the_limits_of_properties)
{
    struct fixture f;
    fixture_worked(&f);
    struct appearance appearance = {0};
    struct err err;
    const float values[4] = {9, -9, 1e30f, 0.25f};
    memcpy((char *)f.block + ((const char *)f.model.key_values - (const char *)f.block), values, sizeof values);
    assert_int_equal(appearance_evaluate(&appearance, &f.model, 0, 0, &err), 0);
    const float expected[4] = {1, 0, 1, 0.25f};
    assert_memory_equal(appearance.materials[0].base_color, expected, sizeof expected);
    appearance_fini(&appearance);
    fixture_fini(&f);
}

TEST(appearance_of_a_clip)
{
    struct fixture f;
    fixture_worked(&f);
    struct appearance appearance = {0};
    struct err err;
    assert_int_equal(appearance_evaluate(&appearance, &f.model, 0, 0.75, &err), 0);
    assert_true(appearance.is_animated);
    struct model view = appearance_view(&appearance, &f.model);
    CHECK_NEAR(view.materials[0].base_color[0], 0, 0); /* from 0 0 0 1 to 0 0 1 0 */
    CHECK_NEAR(view.materials[0].base_color[2], 0.5, 1e-7);
    CHECK_NEAR(view.materials[0].base_color[3], 0.5, 1e-7);
    CHECK_NEAR(view.materials[0].metallic, 0.25, 0); /* as at rest */
    CHECK_NEAR(view.lights[1].intensity, 2, 0);
    CHECK_NEAR(view.lights[0].intensity, f.model.lights[0].intensity, 0);
    CHECK_NEAR(f.model.materials[0].base_color[0], 1, 0); /* the model stays as it is */
    for (int32_t clip = POSE_REST; clip < (int32_t)f.model.clip_count; clip += clip == POSE_REST ? 2 : 1) {
        assert_int_equal(appearance_evaluate(&appearance, &f.model, clip, 0.5, &err), 0);
        assert_false(appearance.is_animated);
        view = appearance_view(&appearance, &f.model);
        assert_ptr_equal(view.materials, f.model.materials);
    }
    appearance_fini(&appearance);
    fixture_fini(&f);
}
