/* Content that assimp leaves out is reported: one small file for each format that a test can write. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include "base/buf.h"
#include "import/assimp/assimp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The check alone, on a scene that assimp could have made of these bytes. */
struct checked {
    struct assimp_run run;
    struct aiAnimation animation, *animations[1];
    struct aiScene scene;
};

static void check_bytes(struct checked *c, const char *extension, const void *bytes, size_t size, uint32_t animations)
{
    assimp_run_init(&c->run);
    struct import import = assimp_run_start(&c->run, "a.bin");
    uint8_t *copy = calloc(1, size + 1);
    memcpy(copy, bytes, size);
    import.bytes = copy;
    import.size_bytes = size;
    c->animation.mTicksPerSecond = 24;
    c->animations[0] = &c->animation;
    c->scene = (struct aiScene){.mNumAnimations = animations, .mAnimations = c->animations};
    const struct assimp_job job = {.import = &import, .extension = extension, .scene = &c->scene};
    assimp_warn(&job);
    free(copy);
}

static bool warned(const struct checked *c, const char *code)
{
    const struct bake_builder *b = &c->run.builder;
    for (uint32_t i = 0; i < b->warning_count; i++)
        if (b->warnings[i].code.size_bytes == strlen(code) &&
            memcmp(b->text + b->warnings[i].code.offset, code, strlen(code)) == 0)
            return true;
    return false;
}

static void expect(const char *extension, const void *bytes, size_t size, uint32_t animations, const char *code)
{
    struct checked *c = calloc(1, sizeof *c);
    check_bytes(c, extension, bytes, size, animations);
    if (code != NULL && !warned(c, code))
        fail_msg("%s: no warning '%s'", extension, code);
    if (code == NULL)
        assert_int_equal(c->run.builder.warning_count, 0);
    assimp_run_fini(&c->run);
    free(c);
}

TEST(assimp_warnings_of_iqm)
{
    uint8_t header[124] = "INTERQUAKEMODEL";
    expect("iqm", header, sizeof header, 0, NULL);
    header[68] = 3;
    expect("iqm", header, sizeof header, 0, "skeleton_not_read");
    expect("iqm", header, sizeof header - 1, 0, NULL);
    header[68] = 0;
    header[84] = 1;
    expect("iqm", header, sizeof header, 0, "clips_not_read");
}

/* One vertex, no triangle, one group of two triangles, no material, two joints of which the first has a key. */
TEST(assimp_warnings_of_ms3d)
{
    struct buf b;
    static const char ZEROS[400];
    buf_init(&b, 0);
    buf_put(&b, "MS3D000000\4\0\0\0", 14);
    buf_put_u16(&b, 1);
    buf_put(&b, ZEROS, 15);
    buf_put_u16(&b, 0);
    buf_put_u16(&b, 1);
    buf_put(&b, ZEROS, 33);
    buf_put_u16(&b, 2);
    buf_put(&b, ZEROS, 5); /* two indices and a material */
    buf_put_u16(&b, 0);
    buf_put(&b, ZEROS, 12);
    const size_t without = b.size_bytes;
    buf_put_u16(&b, 2);
    buf_put(&b, ZEROS, 89);
    buf_put_u16(&b, 1);
    buf_put_u16(&b, 0);
    buf_put(&b, ZEROS, 16 + 93);
    expect("ms3d", b.data, b.size_bytes, 0, "skeleton_not_read");
    expect("ms3d", b.data, b.size_bytes, 0, "clips_not_read");
    for (size_t size = 0; size < without + 2; size++)
        expect("ms3d", b.data, size, 0, NULL);
    buf_fini(&b);
}

TEST(assimp_warnings_of_others)
{
    uint8_t md3[80] = "IDP3";
    md3[76] = 20;
    expect("smd", "version 1", 9, 1, "frame_rate_assumed");
    expect("md3", md3, sizeof md3, 0, "frames_not_read");
    expect("ogex", "BoneNode", 8, 0, "skeleton_not_read");
}

TEST(assimp_warnings_of_lightwave)
{
    static const char LINEAR[] = "LWSC\n3\n\n{ Envelope\n  2\n  Key 0 0 0 0 0\n  Key 1 2 3 0 0\n  Behaviors 1 1\n}\n";
    static const char CURVED[] =
        "LWSC\r\n5\r\n{ Envelope\r\n  2\r\n  Key 0 0 3 0\r\n  Key 1 2 0 0\r\n  Behaviors 1 1\r\n}";
    static const char REPEATED[] = "LWSC\n3\n{ Envelope\n  2\n  Key 0 0 3 0\n  Key 1 2 3 0\n  Behaviors 1 2\n}\n";
    static const char STILL[] = "LWSC\n3\n{ Envelope\n  1\n  Key 0 0 0 0\n  Behaviors 2 2\n}\n";
    static const char OLD[] = "LWSC\n2\nObjectMotion\n";
    expect("lws", LINEAR, sizeof LINEAR - 1, 1, NULL);
    expect("lws", CURVED, sizeof CURVED - 1, 1, "curves_linear");
    expect("lws", REPEATED, sizeof REPEATED - 1, 1, "clips_not_repeated");
    expect("lws", STILL, sizeof STILL - 1, 1, NULL);
    expect("lws", OLD, sizeof OLD - 1, 1, "clips_unreliable");
    expect("lws", OLD, sizeof OLD - 1, 0, NULL);
}
