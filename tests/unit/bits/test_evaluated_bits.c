/* The bits of evaluated data, for the sample models and two models of the tests, as hashes stored in
 * tests/unit/bits/stored. Every processor, compiler and C library must give the same ones. `make test-arm` runs this
 * for another processor. If results change intentionally, WRITE_SEEDS=1 writes the files again; then increment
 * ANSWER_VERSION (wire/reply/answer_version.h), and run `make answers`. */
#include "anim/entity/entity.h"
#include "anim/pose/skin.h"
#include "base/buf.h"
#include "base/hex.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"
#include "tests/unit/support/fixture.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 120, VERTEX_TIMES = 6, HASH_BYTES = 12 };

struct bits {
    const struct model *model;
    const struct kernel *kernel;
    struct sha256_ctx sha;
    struct buf lines; /* WHAT HASH each */
    float *floats;    /* of the largest skin or all nodes */
    uint8_t *is_moved;
};

/* --- hashes --- */

static void take(struct bits *bits, const void *bytes, size_t size_bytes)
{
    sha256_update(&bits->sha, size_bytes, bytes);
}

/* Closes a line with the hash over what was taken since the last one. */
static void end_line(struct bits *bits, const char *clip, const char *what)
{
    uint8_t digest[HASH_BYTES];
    sha256_digest(&bits->sha, sizeof digest, digest);
    buf_printf(&bits->lines, "%s %s ", clip, what);
    hex_put(buf_reserve(&bits->lines, 2 * sizeof digest), digest, sizeof digest);
    buf_advance(&bits->lines, 2 * sizeof digest);
    buf_put_char(&bits->lines, '\n');
}

/* Takes palettes of all skins of the entity evaluated last, or the error code of those that fail. */
static void take_palettes(struct bits *bits, struct entity_work *work, enum layout layout)
{
    for (uint32_t s = 0; s < bits->model->skin_count; s++) {
        struct err err;
        const int32_t rc = entity_palette(work, s, layout, bits->floats, &err);
        take(bits, &rc, sizeof rc);
        if (rc == 0)
            take(bits, bits->floats,
                 (size_t)bits->model->skins[s].joint_count * layout_floats(layout) * sizeof *bits->floats);
    }
}

/* --- entities --- */

/* Moments all over a clip, its ends, and some before and after it. */
static double moment(const struct model *model, int32_t clip, uint32_t i)
{
    const double duration_s = clip < 0 ? 1 : model->clips[clip].duration_s;
    if (i < 4)
        return (double[]){-0.5, 0, duration_s, duration_s + 0.5}[i];
    return duration_s * fmod(0.5 + i * 0.6180339887498949, 1);
}

/* One layer; or two that share the nodes from `mask` on, and an additive one above them. */
static uint32_t make_layers(const struct bits *bits, int32_t clip, bool is_blend, uint32_t i, struct blend_mask *mask,
                            struct blend_layer layers[3])
{
    const int32_t other = bits->model->clip_count > 1 ? (clip + 1) % (int32_t)bits->model->clip_count : clip;
    *mask = (struct blend_mask){bits->model->joint_count > 4 ? bits->model->joints[4].node : 0, BLEND_SUBTREE};
    layers[0] = (struct blend_layer){.clip = clip, .clip_time_s = moment(bits->model, clip, i), .weight = 1};
    layers[1] = (struct blend_layer){.clip = other,
                                     .clip_time_s = moment(bits->model, other, i + 7),
                                     .weight = fmod(0.1 + i * 0.7548776662466927, 1),
                                     .masks = mask,
                                     .mask_count = i % 2};
    layers[2] = (struct blend_layer){.clip = other,
                                     .clip_time_s = moment(bits->model, other, i + 3),
                                     .weight = fmod(0.3 + i * 0.5698402909980532, 1),
                                     .is_additive = true,
                                     .reference_clip = clip,
                                     .reference_time_s = moment(bits->model, clip, 4)};
    return is_blend ? 2 + i / 2 % 2 : 1;
}

typedef void each_fn(struct bits *bits, struct entity_work *work, uint32_t i);

static void for_moments(struct bits *bits, int32_t clip, bool is_blend, const struct root_motion *motion,
                        uint32_t count, each_fn *each)
{
    struct entity_work work;
    entity_work_init(&work);
    work.compiled.kernel = bits->kernel;
    for (uint32_t i = 0; i < count; i++) {
        struct blend_mask mask;
        struct blend_layer layers[3];
        const uint32_t layer_count = make_layers(bits, clip, is_blend, i, &mask, layers);
        const struct entity entity = {
            .model = bits->model, .layers = layers, .layer_count = layer_count, .motion = motion};
        work.entity = entity;
        each(bits, &work, i);
    }
    entity_work_fini(&work);
}

static void evaluated(struct bits *bits, struct entity_work *work, enum layout layout)
{
    const struct entity entity = work->entity;
    entity_evaluate(work, &entity);
    take_palettes(bits, work, layout);
}

static void each_palette(struct bits *bits, struct entity_work *work, uint32_t i)
{
    evaluated(bits, work, i % 2 == 0 ? LAYOUT_MAT3X4 : LAYOUT_MAT4);
}

static void each_dualquat(struct bits *bits, struct entity_work *work, uint32_t i)
{
    (void)i;
    evaluated(bits, work, LAYOUT_DUALQUAT);
}

/* In double precision: palettes, and matrices, weights and motion before rounding. */
static void each_exact(struct bits *bits, struct entity_work *work, uint32_t i)
{
    (void)i;
    const struct entity entity = work->entity;
    entity_evaluate_exact(work, &entity);
    take_palettes(bits, work, LAYOUT_MAT3X4);
    for (uint32_t n = 0; n < bits->model->order_count; n++)
        take(bits, work->pose.scene_from_node[bits->model->node_order[n]].m, sizeof(struct dmat4));
    take(bits, work->pose.weights, bits->model->weight_count * sizeof *work->pose.weights);
    if (entity.motion == NULL)
        return;
    take(bits, work->step.translation, sizeof work->step.translation);
    take(bits, &work->step.angle_deg, sizeof work->step.angle_deg);
}

static void take_draw(struct bits *bits, const struct pose *pose, uint32_t d)
{
    const struct draw *draw = &bits->model->draws[d];
    const uint32_t joints = bits->model->skins[draw->skin].joint_count;
    const size_t count = bits->model->primitives[draw->primitive].vertex_count;
    struct vec3 *points = calloc(count + 1, sizeof *points);
    struct skin_palette palette = {.matrices = calloc(joints, sizeof *palette.matrices),
                                   .parts = calloc(joints, sizeof *palette.parts)};
    const int32_t rc = skin_palette_make(&palette, pose, bits->model, draw->skin, &DMAT4_IDENTITY, NULL);
    take(bits, &rc, sizeof rc);
    for (int is_normal = 0; is_normal < 2 && rc == 0; is_normal++) {
        skin_draw(bits->model, d, pose, &palette, is_normal, points);
        take(bits, points, count * sizeof *points);
    }
    free(points);
    free(palette.matrices);
    free(palette.parts);
}

static void each_vertices(struct bits *bits, struct entity_work *work, uint32_t i)
{
    (void)i;
    const struct entity entity = work->entity;
    entity_evaluate_exact(work, &entity);
    for (uint32_t d = 0; d < bits->model->draw_count; d++)
        take_draw(bits, &work->pose, d);
}

/* --- models --- */

/* The movement of the first joint, which turns, since the rest pose. */
static void motion_of(struct bits *bits, struct root_motion *motion)
{
    const uint32_t root = bits->model->joints[0].node;
    struct pose pose;
    pose_init(&pose);
    pose_evaluate(&pose, bits->model, POSE_REST, 0);
    root_motion_mark(bits->model, root, bits->is_moved);
    root_motion_start(motion, &pose, bits->model, root, true, bits->is_moved);
    pose_fini(&pose);
}

static void clip_lines(struct bits *bits, int32_t clip)
{
    char name[SHORT_NAME_SIZE + 8] = "rest";
    struct root_motion motion;
    if (clip >= 0)
        snprintf(name, sizeof name, "%d", (int)clip);
    motion_of(bits, &motion);
    for_moments(bits, clip, false, NULL, TIMES, each_palette);
    end_line(bits, name, "palettes");
    for_moments(bits, clip, true, NULL, TIMES, each_palette);
    end_line(bits, name, "blended-palettes");
    for_moments(bits, clip, false, &motion, TIMES, each_palette);
    end_line(bits, name, "palettes-in-place");
    for_moments(bits, clip, true, NULL, TIMES / 4, each_dualquat);
    end_line(bits, name, "dual-quaternions");
    if (bits->kernel != kernel_best())
        return;
    for_moments(bits, clip, false, NULL, TIMES, each_exact);
    end_line(bits, name, "doubles");
    for_moments(bits, clip, true, &motion, TIMES, each_exact);
    end_line(bits, name, "blended-doubles-in-place");
    for_moments(bits, clip, true, NULL, VERTEX_TIMES, each_vertices);
    end_line(bits, name, "vertices");
}

static void model_lines(struct bits *bits)
{
    size_t most = bits->model->node_count;
    for (uint32_t s = 0; s < bits->model->skin_count; s++)
        most = bits->model->skins[s].joint_count > most ? bits->model->skins[s].joint_count : most;
    bits->floats = calloc(most + 1, LAYOUT_FLOATS_MAX * sizeof *bits->floats);
    bits->is_moved = calloc(bits->model->node_count + 1, 1);
    sha256_init(&bits->sha);
    buf_init(&bits->lines, 0);
    take(bits, bits->model->bytes, bits->model->size_bytes);
    end_line(bits, "model", "bytes");
    for (int32_t clip = -1; clip < (int32_t)bits->model->clip_count; clip++)
        clip_lines(bits, clip);
    buf_put_char(&bits->lines, '\0');
    free(bits->floats);
    free(bits->is_moved);
}

/* Fails unless each of the lines is one of the file's. */
static void compare(const char *path, const struct bits *bits)
{
    char *stored = document_read(path), *rest = NULL;
    unsigned count = 0, other = 0;
    for (char *line = strtok_r(bits->lines.data, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        const char *found = strstr(stored, line);
        count++;
        if (found != NULL && (found == stored || found[-1] == '\n') && found[strlen(line)] == '\n')
            continue;
        other++;
        print_error("%s, kernel %s: %s is not stored\n", path, bits->kernel->name, line);
    }
    free(stored);
    if (other > 0)
        fail_msg("%u of %u results have other bits; where that is meant: increment ANSWER_VERSION, WRITE_SEEDS=1, make "
                 "answers",
                 other, count);
    assert_true(count > 4);
}

static void check_model(const char *name, const struct model *model)
{
    char path[128];
    snprintf(path, sizeof path, "tests/unit/bits/stored/%s.txt", name);
    if (getenv("WRITE_SEEDS") != NULL) {
        struct bits bits = {.model = model, .kernel = kernel_best()};
        model_lines(&bits);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(bits.lines.data, file);
        fclose(file);
        buf_fini(&bits.lines);
    }
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        struct bits bits = {.model = model, .kernel = kernel_at(k)};
        model_lines(&bits);
        compare(path, &bits);
        buf_fini(&bits.lines);
    }
}

/* What bake_samples wrote: the Makefile makes it before unit tests run. */
static void check_sample(const char *name)
{
    const char *samples = getenv("POSED_SAMPLES");
    char path[4096];
    struct buf bytes;
    struct model model;
    struct err err;
    snprintf(path, sizeof path, "%s/baked/%s.baked", samples == NULL ? "build/samples" : samples, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("there is no %s, which make test-programs makes", path);
    buf_init(&bytes, 0);
    for (size_t n = 1; n > 0; buf_advance(&bytes, n))
        n = fread(buf_reserve(&bytes, 65536), 1, 65536, file);
    fclose(file);
    void *block = fixture_aligned_copy(bytes.data, bytes.size_bytes);
    if (bake_decode(block, bytes.size_bytes, &model, &err) < 0)
        fail_msg("%s: %s", path, err.message);
    check_model(name, &model);
    free(block);
    buf_fini(&bytes);
}

TEST(bits_of_the_dragon) { check_sample("dragon"); }
TEST(bits_of_the_octopus) { check_sample("octopus"); }
TEST(bits_of_the_robot) { check_sample("robot"); }

TEST(bits_of_everything_a_model_can_have)
{
    struct fixture fixture;
    fixture_worked(&fixture);
    check_model("worked", &fixture.model);
    fixture_fini(&fixture);
}
