/* The .posed file: its bytes, what it keeps, every truncation, every changed byte, samples of each version. */
#include "anim/posed_file/posed_file.h"

#include "anim/compiled/clip_restore.h"
#include "anim/posed_file/posed_file_format.h"
#include "anim/posed_file/posed_file_share.h"
#include "base/bytes.h"
#include "tests/unit/hits/hit_rig.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/walk_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = sizeof(struct posed_file_header), ROW = sizeof(struct bake_section), SECTIONS_1 = 27, SECTIONS_3 = 31 };

/* The file of a model: a heap block of exactly its size, at a multiple of 64. */
struct written {
    unsigned char *bytes;
    size_t size_bytes;
};

static struct written write_file(const struct model *model)
{
    struct buf out;
    struct err err;
    buf_init(&out, 0);
    assert_int_equal(posed_file_write(model, &out, &err), 0);
    const struct written written = {fixture_aligned_copy(out.data, out.size_bytes), out.size_bytes};
    buf_fini(&out);
    return written;
}

/* Recomputes the checksum of a changed file. */
static void sum_again(unsigned char *bytes, size_t size_bytes)
{
    struct posed_file_header header;
    memcpy(&header, bytes, sizeof header);
    header.checksum = posed_file_checksum(&header, bytes + HEADER, size_bytes - HEADER);
    memcpy(bytes, &header, sizeof header);
}

static int open_copy(const void *bytes, size_t size_bytes, struct err *err)
{
    struct posed_file file;
    void *copy = fixture_aligned_copy(bytes, size_bytes);
    *err = (struct err){0};
    const int rc = posed_file_open(&file, copy, size_bytes, err);
    if (rc == 0)
        walk_model(&file.model);
    if (rc == 0)
        posed_file_fini(&file);
    free(copy);
    return rc;
}

/* The worked model as it was before there were faces. */
static void faceless(struct fixture *f)
{
    fixture_worked(f);
    f->model.expression_count = f->model.expression_bind_count = f->model.gaze_count = 0;
}

TEST(posed_file_bytes_of_the_worked_model)
{
    struct fixture f;
    faceless(&f);
    const struct written w = write_file(&f.model);
    const unsigned char *b = w.bytes;
    uint32_t compiled = 0;
    for (size_t k = 0; k < BAKE_SECTION_COUNT; k++)
        compiled += posed_file_has_compiled(BAKE_SECTION_KINDS[k].id);
    /* magic, version 1, byte order, size, checksum, sections, version of the compiled ones, 24 bytes of 0 */
    const unsigned char head[16] = {'p', 'o', 's', 'e', 'd', 'f', 'l', '\n', 1, 0, 0, 0, 4, 3, 2, 1};
    assert_memory_equal(b, head, sizeof head);
    assert_int_equal(get_u64(b + 16), w.size_bytes);
    assert_int_equal(get_u32(b + 32), SECTIONS_1 + compiled);
    assert_int_equal(get_u32(b + 36), BAKE_VERSION);
    for (int i = 40; i < HEADER; i++)
        assert_int_equal(b[i], 0);
    /* the first section, infos: id 1, 108 bytes an element, behind the table, one element */
    const uint64_t first = bake_aligned(HEADER + (SECTIONS_1 + compiled) * (uint64_t)ROW);
    assert_int_equal(get_u32(b + HEADER), 1);
    assert_int_equal(get_u32(b + HEADER + 4), 108);
    assert_int_equal(get_u64(b + HEADER + 8), first);
    assert_int_equal(get_u64(b + HEADER + 16), 1);
    /* the third, nodes: four of 76 bytes */
    assert_int_equal(get_u32(b + HEADER + 2 * ROW), 3);
    assert_int_equal(get_u64(b + HEADER + 2 * ROW + 16), 4);
    free(w.bytes);
    fixture_fini(&f);
}

static bool is_text(const struct model *a, struct str x, const struct model *b, struct str y)
{
    if (x.offset == STR_NONE || y.offset == STR_NONE)
        return x.offset == y.offset;
    return x.size_bytes == y.size_bytes && memcmp(a->text + x.offset, b->text + y.offset, x.size_bytes) == 0;
}

/* Channels are the same, wherever their keys lie. */
static void check_same_channels(const struct model *a, const struct model *b)
{
    assert_int_equal(a->channel_count, b->channel_count);
    for (uint32_t c = 0; c < a->channel_count; c++) {
        struct channel moved = a->channels[c];
        const struct channel *other = &b->channels[c];
        const size_t parts = moved.interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1;
        moved.key_time_first = other->key_time_first;
        moved.value_first = other->value_first;
        assert_memory_equal(&moved, other, sizeof moved);
        assert_memory_equal(a->key_times + a->channels[c].key_time_first, b->key_times + other->key_time_first,
                            moved.key_count * sizeof *a->key_times);
        assert_memory_equal(a->key_values + a->channels[c].value_first, b->key_values + other->value_first,
                            moved.key_count * moved.component_count * parts * sizeof *a->key_values);
    }
}

#define SAME(field, count) assert_memory_equal(m->field, f.model.field, (count) * sizeof *m->field)

TEST(posed_file_keeps_what_moves_and_nothing_of_pictures)
{
    struct fixture f;
    struct posed_file file;
    struct err err;
    fixture_worked(&f);
    const struct written w = write_file(&f.model);
    assert_int_equal(posed_file_open(&file, w.bytes, w.size_bytes, &err), 0);
    const struct model *m = &file.model;
    assert_false(file.is_compiled);
    assert_int_equal(file.version, 3);
    SAME(infos[0].content_hash, 32);
    SAME(joints, f.model.joint_count);
    SAME(positions, f.model.position_count);
    SAME(influences, f.model.influence_count);
    SAME(indices, f.model.index_count);
    SAME(morph_deltas, f.model.morph_delta_count);
    check_same_channels(m, &f.model);
    SAME(dual_weights, f.model.dual_weight_count);
#define X(id, singular, plural, type, item_bytes)                                                                      \
    if ((id) >= MODEL_COMPILED_ID) {                                                                                   \
        assert_int_equal(m->singular##_count, f.model.singular##_count);                                               \
        SAME(plural, m->singular##_count);                                                                             \
    }
#include "anim/model/model_sections.def"
#undef X
    for (uint32_t n = 0; n < m->node_count; n++) {
        assert_true(is_text(m, m->nodes[n].name, &f.model, f.model.nodes[n].name));
        assert_int_equal(m->nodes[n].flags, f.model.nodes[n].flags);
    }
    assert_true(is_text(m, m->clips[0].name, &f.model, f.model.clips[0].name));
    assert_true(is_text(m, m->markers[0].name, &f.model, f.model.markers[0].name));
    assert_true(is_text(m, m->humanoid_bones[0].name, &f.model, f.model.humanoid_bones[0].name));
    assert_int_equal(m->primitives[0].material, -1);
    assert_int_equal(m->primitives[0].flags & ~(uint32_t)(PRIMITIVE_FILE_NORMALS | PRIMITIVE_FLAT), 0);
    assert_int_equal(m->material_count + m->texture_count + m->pixel_byte_count + m->texcoord_count, 0);
    assert_int_equal(m->warning_count + m->source_file_count + m->extra_count, 0);
    assert_true(m->text_byte_count < f.model.text_byte_count);
    posed_file_fini(&file);
    free(w.bytes);
    fixture_fini(&f);
}

/* A rig with volumes of a hitbox file: rays meet the same in the model of the file. */
TEST(posed_file_keeps_the_hitboxes_of_a_model)
{
    struct fixture f;
    struct posed_file file;
    struct err err;
    struct plain_random random = {7};
    hit_rig_init(&f, &random);
    const struct written w = write_file(&f.model);
    assert_int_equal(posed_file_open(&file, w.bytes, w.size_bytes, &err), 0);
    const struct model *m = &file.model;
    assert_true(f.model.hitbox_count > 3);
    assert_int_equal(m->hitbox_count, f.model.hitbox_count);
    unsigned named = 0;
    for (uint32_t h = 0; h < m->hitbox_count; h++) {
        const struct hit_volume *kept = &m->hitboxes[h].volume, *of = &f.model.hitboxes[h].volume;
        assert_int_equal(m->hitboxes[h].rule, f.model.hitboxes[h].rule);
        assert_memory_equal(&kept->node, &of->node, sizeof *of - offsetof(struct hit_volume, node));
        assert_true(is_text(m, kept->name, &f.model, of->name));
        named += kept->name.offset != STR_NONE;
    }
    assert_true(named > 0);
    posed_file_fini(&file);
    free(w.bytes);
    fixture_fini(&f);
}

/* A file whose compiled sections are of another program. */
TEST(posed_file_compiles_clips_anew_where_it_does_not_know_their_sections)
{
    struct fixture f;
    struct posed_file file;
    struct err err;
    fixture_worked(&f);
    struct written w = write_file(&f.model);
    const uint32_t other = BAKE_VERSION + 1;
    memcpy(w.bytes + 36, &other, sizeof other);
    sum_again(w.bytes, w.size_bytes);
    assert_int_equal(posed_file_open(&file, w.bytes, w.size_bytes, &err), 0);
    const struct model *m = &file.model;
    assert_true(file.is_compiled);
    memset(w.bytes, 0xaa, w.size_bytes); /* not needed any more */
#define X(id, singular, plural, type, item_bytes)                                                                      \
    if ((id) >= MODEL_COMPILED_ID) {                                                                                   \
        assert_int_equal(m->singular##_count, f.model.singular##_count);                                               \
        SAME(plural, m->singular##_count);                                                                             \
    }
#include "anim/model/model_sections.def"
#undef X
    walk_model(m);
    posed_file_fini(&file);
    free(w.bytes);
    fixture_fini(&f);
}

TEST(posed_file_of_a_model_without_compiled_clips)
{
    struct fixture f;
    struct posed_file file;
    struct err err;
    fixture_worked(&f);
    struct model plain = f.model;
    plain.compiled_clip_count = 0;
    const struct written w = write_file(&plain);
    assert_int_equal(get_u32(w.bytes + 32), SECTIONS_3);
    assert_int_equal(get_u32(w.bytes + 36), 0);
    assert_int_equal(posed_file_open(&file, w.bytes, w.size_bytes, &err), 0);
    assert_int_equal(file.model.compiled_clip_count, f.model.compiled_clip_count);
    posed_file_fini(&file);
    free(w.bytes);
    fixture_fini(&f);
}

TEST(posed_file_refuses_every_truncation)
{
    struct fixture f;
    struct err err;
    fixture_worked(&f);
    const struct written w = write_file(&f.model);
    for (size_t size = 0; size < w.size_bytes; size++) {
        assert_int_equal(open_copy(w.bytes, size, &err), ERR_BAD_BAKE);
        if (size < HEADER)
            continue;
        /* and where header and checksum agree */
        unsigned char *shorter = fixture_aligned_copy(w.bytes, size);
        const uint64_t said = size;
        memcpy(shorter + 16, &said, sizeof said);
        sum_again(shorter, size);
        assert_int_equal(open_copy(shorter, size, &err), ERR_BAD_BAKE);
        free(shorter);
    }
    free(w.bytes);
    fixture_fini(&f);
}

TEST(posed_file_refuses_extra_bytes)
{
    struct fixture f;
    struct err err;
    fixture_worked(&f);
    const struct written w = write_file(&f.model);
    for (size_t extra = 1; extra <= 128; extra++) {
        unsigned char *longer = calloc(1, w.size_bytes + extra);
        const uint64_t said = w.size_bytes + extra;
        memcpy(longer, w.bytes, w.size_bytes);
        assert_int_equal(open_copy(longer, (size_t)said, &err), ERR_BAD_BAKE);
        memcpy(longer + 16, &said, sizeof said);
        sum_again(longer, (size_t)said);
        assert_int_equal(open_copy(longer, (size_t)said, &err), ERR_BAD_BAKE);
        free(longer);
    }
    free(w.bytes);
    fixture_fini(&f);
}

/* Whatever byte is changed, and however, the checksum tells. */
TEST(posed_file_refuses_every_changed_byte)
{
    static const unsigned char CHANGES[] = {0x01, 0x02, 0x40, 0x80, 0xff};
    struct fixture f;
    struct err err;
    fixture_worked(&f);
    const struct written w = write_file(&f.model);
    for (size_t i = 0; i < w.size_bytes; i++)
        for (size_t c = 0; c < sizeof CHANGES; c++) {
            w.bytes[i] ^= CHANGES[c];
            assert_int_equal(open_copy(w.bytes, w.size_bytes, &err), ERR_BAD_BAKE);
            assert_true(err.message[0] != '\0');
            w.bytes[i] ^= CHANGES[c];
        }
    assert_int_equal(open_copy(w.bytes, w.size_bytes, &err), 0);
    free(w.bytes);
    fixture_fini(&f);
}

/* With a checksum that agrees it is refused or can be used: ASan judges the walk. */
TEST(posed_file_survives_every_changed_byte_whose_checksum_agrees)
{
    static const unsigned char CHANGES[] = {0x01, 0x40, 0xff};
    struct fixture f;
    struct err err;
    unsigned refused = 0, used = 0;
    fixture_worked(&f);
    const struct written w = write_file(&f.model);
    for (size_t i = 0; i < w.size_bytes; i++)
        for (size_t c = 0; c < sizeof CHANGES; c++) {
            if (i >= 24 && i < 32)
                continue;
            w.bytes[i] ^= CHANGES[c];
            sum_again(w.bytes, w.size_bytes);
            *(open_copy(w.bytes, w.size_bytes, &err) < 0 ? &refused : &used) += 1;
            w.bytes[i] ^= CHANGES[c];
        }
    assert_true(refused > used && used > 500);
    free(w.bytes);
    fixture_fini(&f);
}

/* Changes four bytes at `at`, expects a refusal that says `part`, and puts them back. */
static void check_refused(const struct written *w, size_t at, uint32_t value, const char *part)
{
    struct err err;
    uint32_t kept;
    memcpy(&kept, w->bytes + at, sizeof kept);
    memcpy(w->bytes + at, &value, sizeof value);
    sum_again(w->bytes, w->size_bytes);
    const int rc = open_copy(w->bytes, w->size_bytes, &err);
    if (rc != ERR_BAD_BAKE || strstr(err.message, part) == NULL)
        fail_msg("%d '%s' instead of a refusal of '%s'", rc, err.message, part);
    memcpy(w->bytes + at, &kept, sizeof kept);
    sum_again(w->bytes, w->size_bytes);
}

TEST(posed_file_says_what_is_wrong)
{
    struct fixture f;
    struct err err;
    struct posed_file file;
    faceless(&f);
    const struct written w = write_file(&f.model);
    check_refused(&w, 0, 0, "first 8 bytes");
    check_refused(&w, 8, 0, "version 0, this program reads those up to 3");
    check_refused(&w, 8, POSED_FILE_VERSION + 1, "version 4");
    check_refused(&w, 8, 2, "section"); /* that has constraints */
    check_refused(&w, 12, 0x04030201, "little-endian");
    check_refused(&w, 32, 0, "section infos is not there");
    check_refused(&w, 32, SECTIONS_1, "infos lies at");
    check_refused(&w, 32, UINT32_MAX, "more than the file holds");
    check_refused(&w, 40, 1, "reserved");
    check_refused(&w, 60, 1, "reserved");
    check_refused(&w, HEADER, 2, "section infos has id 2");
    check_refused(&w, HEADER + ROW + 4, 2, "section text has id 2 and 2 bytes");
    check_refused(&w, HEADER + SECTIONS_1 * ROW, 65, "section rig_nodes has id 65");
    w.bytes[w.size_bytes - 1] ^= 1;
    assert_int_equal(open_copy(w.bytes, w.size_bytes, &err), ERR_BAD_BAKE);
    assert_non_null(strstr(err.message, "checksum"));
    assert_int_equal(posed_file_open(&file, w.bytes + 8, w.size_bytes - 8, &err), ERR_BAD_BAKE);
    assert_non_null(strstr(err.message, "multiple of 64"));
    /* compiled sections of another version */
    w.bytes[w.size_bytes - 1] ^= 1;
    const uint32_t other = BAKE_VERSION + 1;
    memcpy(w.bytes + 36, &other, sizeof other);
    check_refused(&w, HEADER + SECTIONS_1 * ROW, 63, "none of a compiled section");
    check_refused(&w, HEADER + (SECTIONS_1 + 1) * ROW, 64, "none of a compiled section"); /* twice */
    check_refused(&w, HEADER + SECTIONS_1 * ROW + 4, 0, "none of a compiled section");
    check_refused(&w, HEADER + SECTIONS_1 * ROW + 8, 64, "section compiled lies at");
    check_refused(&w, 36, 0, "section 64 is one too many");
    free(w.bytes);
    fixture_fini(&f);
}

/* Returns where a section begins in a file. */
static size_t place_of(const struct written *w, uint32_t id, uint64_t *count)
{
    for (uint32_t i = 0; i < get_u32(w->bytes + 32); i++) {
        struct bake_section row;
        memcpy(&row, w->bytes + HEADER + i * ROW, ROW);
        *count = row.count;
        if (row.id == id)
            return (size_t)row.offset;
    }
    fail_msg("no section %u", id);
    return 0;
}

#define IN_CLIP(field) (clip + offsetof(struct compiled_clip, field))

/* What compiling decided has to fit the keys. */
TEST(posed_file_refuses_decisions_that_do_not_fit_its_keys)
{
    struct fixture f;
    uint64_t count, times;
    fixture_worked(&f);
    const struct written w = write_file(&f.model);
    const size_t clip = place_of(&w, 67, &count);
    assert_true(count > 0 && f.model.compiled_clips[0].frame_count > 0);
    const size_t time = place_of(&w, 71, &times);
    const char *const unfit = "compiled_clips[0] is not what the clip's keys give";
    check_refused(&w, IN_CLIP(frame_first), 1, unfit);
    check_refused(&w, IN_CLIP(frame_first), UINT32_MAX, unfit);
    check_refused(&w, IN_CLIP(frame_count), (uint32_t)times + 1, unfit);
    check_refused(&w, IN_CLIP(frame_count), UINT32_MAX, unfit);
    check_refused(&w, IN_CLIP(value_first), 0, unfit);
    check_refused(&w, IN_CLIP(frame_floats), 16000, unfit);
    check_refused(&w, IN_CLIP(block_count), 100, unfit);
    check_refused(&w, IN_CLIP(still_first), 1, unfit);
    check_refused(&w, IN_CLIP(flags), 1U << 31, unfit);
    check_refused(&w, IN_CLIP(part_first), 0, unfit);
    check_refused(&w, IN_CLIP(error), 0x3f800000, "compiled_clips[0].error");
    check_refused(&w, time + 4, 0x7ff80000, "compiled_clips[0]"); /* NaN */
    check_refused(&w, time + 4, 0x7fe00000, "compiled_clips[0]"); /* after the next frame */
    free(w.bytes);
    fixture_fini(&f);
}

/* A file of many clips and nodes is small, and its frames are not. */
TEST(posed_file_frames_have_a_limit)
{
    struct fixture f;
    struct clip_sections sections;
    struct err err;
    fixture_worked(&f);
    struct model view = f.model;
    view.compiled_clip_count = view.frame_time_count = 0;
    view.rig_part_count = view.rig_node_count;
    assert_int_equal(clip_restore(&view, &f.model, 0, &sections, &err), 0);
    const uint64_t size_bytes = sections.size_bytes;
    clip_sections_fini(&sections);
    assert_int_equal(clip_restore(&view, &f.model, 4 * size_bytes, &sections, &err), 0);
    clip_sections_fini(&sections);
    for (uint64_t limit_bytes = 1; limit_bytes < size_bytes; limit_bytes += size_bytes / 50) {
        assert_true(clip_restore(&view, &f.model, limit_bytes, &sections, &err) < 0);
        assert_null(sections.compiled_clips);
    }
    assert_true(clip_restore(&view, &f.model, 1, &sections, &err) < 0);
    assert_int_equal(err.code, ERR_NO_MEMORY);
    fixture_fini(&f);
}

/* Clips that repeat one pose, and share times: their keys are stored once, and channels have theirs. */
TEST(posed_file_stores_equal_keys_once)
{
    enum { KEYS = 40, CHANNELS = 6, FLOATS = KEYS * (3 + 3 + 4 + 3 + 9 + 4) };
    static double times[2 * KEYS];
    static float values[FLOATS];
    static const uint32_t WIDTHS[CHANNELS] = {3, 3, 4, 3, 3, 4};
    struct channel channels[CHANNELS] = {{0}};
    struct bake_builder builder;
    uint32_t at = 0;
    for (uint32_t k = 0; k < 2 * KEYS; k++)
        times[k] = k % KEYS * 0.5;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        const bool is_cubic = c == 4;
        channels[c] = (struct channel){.node = c,
                                       .component_count = WIDTHS[c],
                                       .interpolation = is_cubic ? INTERPOLATION_CUBICSPLINE : INTERPOLATION_LINEAR,
                                       .key_count = c == 1 ? KEYS / 2 : KEYS,
                                       .key_time_first = c % 2 * KEYS,
                                       .value_first = at};
        for (uint32_t i = 0; i < channels[c].key_count * WIDTHS[c] * (is_cubic ? 3 : 1); i++, at++)
            values[at] = c == 2 || c == 5 ? (float)(i % 7) : is_cubic ? 0.5f * (float)(i / 3 % 3 == 1) : (float)(i % 3);
    }
    const struct model model = {.channels = channels,
                                .channel_count = CHANNELS,
                                .key_times = times,
                                .key_time_count = 2 * KEYS,
                                .key_values = values,
                                .key_value_count = at};
    bake_builder_init(&builder, 0);
    posed_file_share_keys(&builder, &model);
    const struct model shared = bake_builder_view(&builder);
    check_same_channels(&shared, &model);
    assert_int_equal(shared.key_time_count, KEYS + KEYS / 2); /* all, and the half of channel 1 */
    /* channels 0, 1 and 3 repeat one key; 2 and 5 are equal; 4 is a spline that repeats one */
    assert_int_equal(shared.key_value_count, KEYS * (3 + 4 + 9));
    bake_builder_fini(&builder);
}

TEST(posed_file_keeps_the_limit_of_its_buffer)
{
    struct fixture f;
    struct err err;
    struct buf out;
    fixture_worked(&f);
    const struct written w = write_file(&f.model);
    buf_init(&out, w.size_bytes - 1);
    assert_int_equal(posed_file_write(&f.model, &out, &err), ERR_MODEL_LIMIT);
    assert_int_equal(out.size_bytes, 0);
    buf_fini(&out);
    free(w.bytes);
    fixture_fini(&f);
}

/* --- samples: files as each version was written, kept for ever --- */

static struct written read_sample(const char *path)
{
    static unsigned char bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open '%s' (tests run in the repository's root)", path);
    const size_t size_bytes = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return (struct written){fixture_aligned_copy(bytes, size_bytes), size_bytes};
}

static void write_seed(const char *path, const struct written *now)
{
    if (getenv("WRITE_SEEDS") == NULL)
        return;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(now->bytes, 1, now->size_bytes, file);
    fclose(file);
}

static void check_sample(const char *path, const struct fixture *fixture)
{
    const struct written now = write_file(&fixture->model);
    const struct written kept = read_sample(path);
    struct posed_file file;
    struct err err;
    if (posed_file_open(&file, kept.bytes, kept.size_bytes, &err) < 0)
        fail_msg("'%s': %s", path, err.message);
    walk_model(&file.model);
    check_same_channels(&file.model, &fixture->model);
    /* the sections of its version equal today's, except that equal keys may be stored once: a change needs a new
     * version */
    for (uint32_t i = 0; i < (file.version == 3 ? SECTIONS_3 : SECTIONS_1); i++) {
        struct bake_section then, today;
        memcpy(&then, kept.bytes + HEADER + i * ROW, ROW);
        memcpy(&today, now.bytes + HEADER + i * ROW, ROW);
        const bool has_keys = then.id >= 23 && then.id <= 25; /* channels, key_times, key_values */
        const bool is_same =
            then.id == today.id && (has_keys || then.count == today.count) &&
            (has_keys || memcmp(kept.bytes + then.offset, now.bytes + today.offset, then.count * then.item_bytes) == 0);
        if (!is_same)
            fail_msg("'%s': section %u is not what is written today: that takes a new version", path, then.id);
    }
    /* and its poses equal the model's */
    struct clip_palette palette;
    float then[64], today[64];
    clip_palette_init(&palette, kernel_best());
    for (uint32_t c = 0; c < fixture->model.clip_count; c++)
        for (int i = 0; i < 7 && clip_palette_is_compiled(&fixture->model, (int32_t)c); i++) {
            assert_true(fixture->model.skins[0].joint_count <= 4);
            assert_true(clip_palette_is_compiled(&file.model, (int32_t)c));
            clip_palette_evaluate(&palette, &fixture->model, c, 0.3 * i, 0, PALETTE_MAT4, today);
            clip_palette_evaluate(&palette, &file.model, c, 0.3 * i, 0, PALETTE_MAT4, then);
            assert_memory_equal(then, today, fixture->model.skins[0].joint_count * 16 * sizeof *then);
        }
    clip_palette_fini(&palette);
    posed_file_fini(&file);
    free(kept.bytes);
    free(now.bytes);
}

TEST(posed_file_samples_of_version_1)
{
    struct fixture fixture;
    fixture_init(&fixture);
    fixture_finish(&fixture);
    check_sample("tests/fuzz/corpus/posed_file/smallest-1.posed", &fixture);
    fixture_fini(&fixture);
    faceless(&fixture);
    check_sample("tests/fuzz/corpus/posed_file/worked-1.posed", &fixture);
    fixture_fini(&fixture);
}

TEST(posed_file_of_version_2_has_constraints)
{
    const char *path = "tests/fuzz/corpus/posed_file/constrained-2.posed";
    struct fixture f;
    struct posed_file file;
    struct err err;
    fixture_constrained(&f);
    const struct written now = write_file(&f.model);
    write_seed(path, &now);
    const struct written kept = read_sample(path);
    assert_int_equal(kept.size_bytes, now.size_bytes);
    assert_memory_equal(kept.bytes, now.bytes, now.size_bytes);
    assert_int_equal(posed_file_open(&file, kept.bytes, kept.size_bytes, &err), 0);
    assert_int_equal(file.version, 2);
    const struct model *m = &file.model;
    assert_int_equal(m->constraint_count, 4);
    SAME(constraints, m->constraint_count);
    posed_file_fini(&file);
    for (size_t size = 0; size < kept.size_bytes; size++) {
        unsigned char *cut = fixture_aligned_copy(kept.bytes, size);
        assert_true(posed_file_open(&file, cut, size, &err) < 0);
        free(cut);
    }
    free(kept.bytes);
    free(now.bytes);
    fixture_fini(&f);
}

/* Expressions and the gaze, without what expressions do to materials; the promise of the T-pose only with them. */
TEST(posed_file_of_version_3_has_a_face)
{
    const char *path = "tests/fuzz/corpus/posed_file/faced-3.posed";
    struct fixture f;
    struct posed_file file;
    struct err err;
    fixture_worked(&f);
    struct model_info info = f.model.infos[0];
    info.flags |= MODEL_T_POSE;
    f.model.infos = &info;
    const struct written now = write_file(&f.model);
    write_seed(path, &now);
    check_sample(path, &f);
    const struct written kept = read_sample(path);
    assert_int_equal(posed_file_open(&file, kept.bytes, kept.size_bytes, &err), 0);
    const struct model *m = &file.model;
    assert_int_equal(file.version, 3);
    assert_true((m->infos[0].flags & MODEL_T_POSE) != 0);
    assert_int_equal(m->expression_count, 2);
    assert_true(is_text(m, m->expressions[0].name, &f.model, f.model.expressions[0].name));
    assert_true(is_text(m, m->expressions[1].name, &f.model, f.model.expressions[1].name));
    assert_int_equal(m->expressions[0].flags, f.model.expressions[0].flags);
    assert_int_equal(m->expressions[0].override_mouth, f.model.expressions[0].override_mouth);
    assert_int_equal(m->expressions[1].flags, f.model.expressions[1].flags);
    assert_int_equal(m->expressions[1].node, f.model.expressions[1].node);
    assert_int_equal(m->expressions[0].bind_first + m->expressions[1].bind_count, 0);
    assert_int_equal(m->expressions[0].bind_count + m->expressions[1].bind_first, 2);
    assert_int_equal(m->expression_bind_count, 1);
    SAME(expression_binds, 1);
    assert_int_equal(m->gaze_count, 1);
    SAME(gazes, 1);
    posed_file_fini(&file);
    for (size_t size = 0; size < kept.size_bytes; size++) {
        unsigned char *cut = fixture_aligned_copy(kept.bytes, size);
        assert_true(posed_file_open(&file, cut, size, &err) < 0);
        free(cut);
    }
    free(kept.bytes);
    free(now.bytes);
    fixture_fini(&f);
    faceless(&f);
    f.model.infos = &info;
    const struct written without = write_file(&f.model);
    assert_int_equal(posed_file_open(&file, without.bytes, without.size_bytes, &err), 0);
    assert_int_equal(file.version, 1);
    assert_true((file.model.infos[0].flags & MODEL_T_POSE) == 0);
    posed_file_fini(&file);
    free(without.bytes);
    fixture_fini(&f);
}

/* The bytes of today, from which the fuzzer starts. WRITE_SEEDS=1 writes them. */
TEST(posed_file_seed_is_what_is_written)
{
    const char *path = "tests/fuzz/corpus/posed_file/written.posed";
    struct fixture fixture;
    fixture_worked(&fixture);
    const struct written now = write_file(&fixture.model);
    write_seed(path, &now);
    const struct written kept = read_sample(path);
    assert_int_equal(kept.size_bytes, now.size_bytes);
    assert_memory_equal(kept.bytes, now.bytes, now.size_bytes);
    free(kept.bytes);
    free(now.bytes);
    fixture_fini(&fixture);
}
