/* Ogre's files: damaged ones are refused with a message, whatever byte is wrong. The valid ones come from the fuzzer's
 * corpus, which tests/oracle/ogre_models.py makes. */
#include "import/ogre/ogre_mesh.h"
#include "import/ogre/ogre_script.h"
#include "import/ogre/ogre_skeleton.h"

#include "tests/unit/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t *bytes;
    size_t size;
};

static struct bytes read_corpus(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/fuzz/corpus/ogre/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct bytes out = {.bytes = malloc(1 << 16)};
    assert_non_null(out.bytes);
    out.size = fread(out.bytes, 1, 1 << 16, file);
    fclose(file);
    return out;
}

/* Reads from a heap block of exactly this size, so that a sanitizer detects a read beyond it. */
static int read_part(const uint8_t *bytes, size_t size, bool is_skeleton, struct err *err)
{
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    *err = (struct err){0};
    int rc;
    if (is_skeleton) {
        struct ogre_skeleton skeleton;
        rc = ogre_skeleton_read(&skeleton, "a.skeleton", copy, size, err);
        ogre_skeleton_fini(&skeleton);
    } else {
        struct ogre_mesh mesh;
        rc = ogre_mesh_read(&mesh, copy, size, err);
        ogre_mesh_fini(&mesh);
    }
    free(copy);
    assert_true(rc <= 0 && rc == err->code && (rc == 0) == (err->message[0] == '\0'));
    return rc;
}

static const struct {
    const char *name;
    bool is_skeleton;
} FILES[] = {{"v1_100", false}, {"v1_8_big_endian", false}, {"v1_20", false},
             {"v1_30", false},  {"skeleton_1_80", true},    {"skeleton_1_10_big_endian", true}};

TEST(ogre_files_that_are_cut_or_changed_are_read_or_refused)
{
    for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++) {
        struct bytes file = read_corpus(FILES[f].name);
        struct err err;
        uint32_t refused = 0;
        assert_int_equal(read_part(file.bytes, file.size, FILES[f].is_skeleton, &err), 0);
        for (size_t size = 0; size < file.size; size++)
            refused += read_part(file.bytes, size, FILES[f].is_skeleton, &err) < 0;
        assert_true(refused > file.size / 2); /* a cut between chunks leaves a shorter file */
        for (size_t at = 0; at < file.size; at++)
            for (int mask = 1; mask < 256; mask = 2 * mask + 1) {
                file.bytes[at] ^= (uint8_t)mask;
                read_part(file.bytes, file.size, FILES[f].is_skeleton, &err);
                file.bytes[at] ^= (uint8_t)mask;
            }
        free(file.bytes);
    }
}

TEST(ogre_refusals_name_file_byte_and_version)
{
    struct err err;
    assert_int_equal(read_part((const uint8_t *)"\0\x10[MeshSerializer_v2.1 R2]\n", 27, false, &err), ERR_BAD_MODEL);
    assert_non_null(strstr(err.message, "[MeshSerializer_v2.1 R2]"));
    assert_int_equal(read_part((const uint8_t *)"\x01\x10[MeshSerializer_v1.8]\n", 25, false, &err), ERR_NOT_A_MODEL);
    assert_int_equal(read_part((const uint8_t *)"\0\x10[Serializer_v1.10]\n\0\x20\x31\0\0\0hip", 31, true, &err),
                     ERR_BAD_MODEL);
    assert_string_equal(err.message, "'a.skeleton': byte 27: a text without its end");
}

/* Worked bytes: a packed normal of 10, 10, 10 and 2 bits; a half; a signed byte of the least value. */
TEST(ogre_packed_numbers)
{
    static const uint8_t BYTES[] = {0xff, 0x01, 0x08, 0x00,                   /* 511, 512 (-512), 0, 0 */
                                    0x00, 0xc1, 0x00, 0x3c, 0x01, 0x00, 0, 0, /* -2.5, 1, 2^-24, 0 */
                                    0x80, 0x7f, 0x00, 0x40};
    struct err err = {0};
    const struct ogre_mesh mesh = {.stream = {.file = "", .bytes = BYTES, .size_bytes = sizeof BYTES, .err = &err},
                                   .version = 1100};
    double out[4];
    ogre_element_value(&mesh, &(struct ogre_element){.type = 35, .bytes = BYTES}, 0, out);
    CHECK_NEAR(out[0], 1, 0);
    CHECK_NEAR(out[1], -1, 0);
    CHECK_NEAR(out[2], 0, 0);
    ogre_element_value(&mesh, &(struct ogre_element){.type = 39, .bytes = BYTES + 4}, 0, out);
    CHECK_NEAR(out[0], -2.5, 0);
    CHECK_NEAR(out[1], 1, 0);
    CHECK_NEAR(out[2], 0x1p-24, 0);
    ogre_element_value(&mesh, &(struct ogre_element){.type = 29, .bytes = BYTES + 12}, 0, out);
    CHECK_NEAR(out[0], -1, 0);
    CHECK_NEAR(out[1], 1, 0);
    CHECK_NEAR(out[3], 64.0 / 127, 1e-15);
}

TEST(ogre_scripts)
{
    struct bytes file = read_corpus("script");
    struct ogre_script script = {0};
    ogre_script_read(&script, (const char *)file.bytes, file.size);
    const struct ogre_script_material *skin = ogre_script_find(&script, "Skin", 4);
    assert_int_equal(script.material_count, 2);
    assert_non_null(skin);
    assert_string_equal(skin->texture, "my skin.png");
    CHECK_NEAR(skin->scale[1], 2, 0);
    CHECK_NEAR(skin->rotate_degrees, 45, 0);
    CHECK_NEAR(skin->shininess, 20, 0);
    assert_null(ogre_script_find(&script, "Ski", 3));
    ogre_script_fini(&script);
    /* What begins and does not end, and the second technique, pass and picture. */
    static const char TEXT[] = "material A { technique { pass { lighting off\ntexture_unit { texture a.png } "
                               "texture_unit\n{\ntexture b.png\n}\n} pass { cull_hardware none } } technique { pass "
                               "{\nlighting on\n} } }\nmaterial B : A\n{ technique { pass {\ncull_hardware none\n"
                               "texture_unit { env_map spherical";
    ogre_script_read(&script, TEXT, sizeof TEXT - 1);
    assert_int_equal(script.material_count, 2);
    assert_string_equal(script.materials[0].texture, "a.png");
    assert_false(script.materials[0].is_two_sided);
    assert_true(script.materials[1].is_two_sided);
    ogre_script_fini(&script);
    free(file.bytes);
}
