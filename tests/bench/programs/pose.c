/* pose - measures one palette, with every kernel of this processor and in double precision.
 *
 *   pose [-r ROUNDS] [-n POSES] [-m] [-b] [-k KERNEL]... [-j JOINTS]... [NAME.model]...
 *
 * Models are files of a server's --cache-dir; -j makes a rig of JOINTS joints. Without either: rigs of 24, 40, 100, 300
 * and 1000 joints. Prints a JSON object a line: model, clip, evaluated nodes, joints of the first skin, which gives the
 * palette, and frames and error of the compiled clip. Then follow median and spread (half of the distance of the
 * quartiles) over the rounds, in ns a pose and ns a node, for each kernel ("double" is pose.h), access and form. The
 * accesses are random times; sequential: 60 a second; with -m also many: random times of more copies of the clip than
 * fit the cache; with -b also blend: the clip at two random times, one of them masked; and blend3: a third one added.
 * Kernels are measured in turn within each round, POSES poses at a time. */
#include "anim/bake/bake.h"
#include "anim/entity/entity.h"
#include "daemon/disk/disk_record.h"
#include "base/mem.h"
#include "tests/bench/programs/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1001, POSES_MAX = 1 << 16, MODELS_MAX = 64, KERNELS_MAX = 8, COPIES_BYTES = 256 << 20 };
enum { DOUBLES_POSES = 16 }; /* double precision is measured with this many times fewer poses */

static void check(bool is_good, const char *what, const char *why)
{
    if (is_good)
        return;
    fprintf(stderr, "pose: %s: %s\n", what, why);
    exit(1);
}

static double now_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

/* --- models --- */

struct subject {
    char name[64];
    void *block;
    uint64_t size_bytes;
    struct model model;
};

static void decode(struct subject *subject)
{
    struct err err = {0};
    check(bake_decode(subject->block, subject->size_bytes, &subject->model, &err) == 0, subject->name, err.message);
}

static void load(struct subject *subject, const char *path)
{
    struct err err = {0};
    uint32_t head_bytes = 0;
    const char *slash = strrchr(path, '/');
    snprintf(subject->name, sizeof subject->name, "%s", slash == NULL ? path : slash + 1);
    FILE *file = fopen(path, "rb");
    check(file != NULL && fseek(file, 0, SEEK_END) == 0, path, "cannot be read");
    const size_t size_bytes = (size_t)ftell(file);
    uint8_t *bytes = mem_alloc(size_bytes);
    rewind(file);
    check(fread(bytes, 1, size_bytes, file) == size_bytes && disk_record_size(bytes, false, &head_bytes, &err) == 0,
          path, "no model of a disk cache");
    fclose(file);
    subject->size_bytes = size_bytes - disk_bake_offset(head_bytes);
    subject->block = aligned_alloc(BAKE_ALIGNMENT, (subject->size_bytes + 63) / 64 * 64);
    check(subject->block != NULL, path, "no memory");
    memcpy(subject->block, bytes + disk_bake_offset(head_bytes), subject->size_bytes);
    free(bytes);
    decode(subject);
}

static void random_turn(double most, float q[4])
{
    double square = 0, v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = most * (next_random() - 0.5);
        square += v[i] * v[i];
    }
    for (int i = 0; i < 3; i++)
        q[i] = (float)v[i];
    q[3] = (float)sqrt(1 - square);
}

/* Makes a character's shape: limbs of up to eight joints, attached to earlier joints. All rotate at 30 frames a second
 * for four seconds, and the root moves. */
static void add_clip(struct bake_builder *b, uint32_t joints)
{
    enum { FRAMES = 120 };
    double *times = bake_add_key_time(b, FRAMES);
    for (int f = 0; f < FRAMES; f++)
        times[f] = (double)((float)f / 30);
    struct clip *clip = bake_add_clip(b, 1);
    clip->name = bake_textz(b, "synthetic");
    clip->channel_count = joints + 1;
    for (uint32_t c = 0; c <= joints; c++) {
        const bool is_move = c == joints;
        const uint32_t size = is_move ? 3 : 4, first = b->key_value_count;
        float *values = bake_add_key_value(b, FRAMES * size), base[4], away[4];
        random_turn(1, base);
        random_turn(1, away);
        for (int f = 0; f < FRAMES; f++) {
            double square = 0;
            for (uint32_t i = 0; i < size; i++) {
                const double swing = 0.3 * sin(2 * 3.14159265358979 * (f / 60.0 + 0.1 * c));
                values[(uint32_t)f * size + i] = (float)((double)base[i] + swing * (double)away[i]);
                square += pow((double)values[(uint32_t)f * size + i], 2);
            }
            for (uint32_t i = 0; i < size && !is_move; i++)
                values[(uint32_t)f * size + i] = (float)((double)values[(uint32_t)f * size + i] / sqrt(square));
        }
        *bake_add_channel(b, 1) = (struct channel){.node = is_move ? 0 : c,
                                                   .path = is_move ? PATH_TRANSLATION : PATH_ROTATION,
                                                   .component_count = size,
                                                   .key_count = FRAMES,
                                                   .value_first = first};
    }
}

static void make(struct subject *subject, uint32_t joints)
{
    enum { LIMB = 8 };
    struct bake_builder b;
    struct buf buf;
    struct err err = {0};
    snprintf(subject->name, sizeof subject->name, "rig-%u", joints);
    bake_builder_init(&b, 0);
    buf_init(&buf, 1u << 30);
    struct node *nodes = bake_add_node(&b, joints);
    struct joint *of_skin = bake_add_joint(&b, joints);
    *bake_add_skin(&b, 1) = (struct skin){.name = {.offset = STR_NONE}, .joint_count = joints, .mesh_node = -1};
    *bake_add_root(&b, 1) = 0;
    for (uint32_t j = 0; j < joints; j++) {
        const uint32_t limb = (j - 1) / LIMB;
        const int32_t parent = j == 0                ? -1
                               : (j - 1) % LIMB != 0 ? (int32_t)j - 1
                                                     : (int32_t)(next_random() * (limb < 3 ? limb * LIMB + 1 : 17));
        nodes[j] = (struct node){.name = {.offset = STR_NONE},
                                 .parent = parent,
                                 .mesh = -1,
                                 .skin = -1,
                                 .matrix = -1,
                                 .translation = {0, j == 0 ? 1 : 0.12f, 0.01f},
                                 .scale = {1, 1, 1}};
        random_turn(1, nodes[j].rotation);
        of_skin[j].node = j;
        for (int e = 0; e < 16; e++)
            of_skin[j].joint_from_bind.m[e] = e % 5 == 0 ? 1 : e / 4 == 3 ? (float)(next_random() - 0.5) : 0;
    }
    add_clip(&b, joints);
    check(bake_finish(&b, &err) == 0 && bake_encode(&b, &buf, &err) == 0, subject->name, err.message);
    subject->size_bytes = buf.size_bytes;
    subject->block = aligned_alloc(BAKE_ALIGNMENT, (buf.size_bytes + 63) / 64 * 64);
    memcpy(subject->block, buf.data, buf.size_bytes);
    buf_fini(&buf);
    bake_builder_fini(&b);
    decode(subject);
}

/* --- measuring --- */

enum access { ACCESS_RANDOM, ACCESS_SEQUENTIAL, ACCESS_MANY, ACCESS_BLEND, ACCESS_BLEND3, ACCESS_COUNT };
static const char *const ACCESS_NAMES[] = {"random", "sequential", "many", "blend", "blend3"};

struct run {
    const struct kernel *kernel; /* NULL: double precision */
    struct clip_palette palette;
    struct pose pose;
    struct entity_work entity; /* of ACCESS_BLEND and ACCESS_BLEND3 */
    double ns[ROUNDS_MAX];
};

struct bench {
    struct run runs[KERNELS_MAX];
    uint32_t run_count;
    uint32_t rounds, poses;
    bool has_many, has_blend;
    double *times_s; /* [poses] */
    float *out;
    struct mat4 *matrices;
    struct model *copies; /* of the model, each in memory of its own */
    uint32_t copy_count;
};

static double measure(struct bench *bench, struct run *run, const struct model *model, uint32_t clip,
                      enum access access, enum palette_form form)
{
    const uint32_t poses = run->kernel == NULL ? bench->poses / DOUBLES_POSES + 1 : bench->poses;
    const double start_ns = now_ns();
    for (uint32_t i = 0; i < poses; i++) {
        const struct model *of = access == ACCESS_MANY ? &bench->copies[i * 2654435761u % bench->copy_count] : model;
        if (run->kernel != NULL) {
            clip_palette_evaluate(&run->palette, of, clip, bench->times_s[i], 0, form, bench->out);
        } else {
            pose_evaluate(&run->pose, of, (int32_t)clip, bench->times_s[i]);
            pose_palette(&run->pose, of, 0, &DMAT4_IDENTITY, bench->matrices, NULL);
        }
        __asm__ volatile("" : : "r"(bench->out) : "memory");
    }
    return (now_ns() - start_ns) / poses;
}

/* Measures two layers, one of which moves the nodes below the rig's middle, as a game blends an upper body; or a third
 * one added to all nodes. */
static double measure_blend(struct bench *bench, struct run *run, const struct model *model, uint32_t clip,
                            uint32_t layer_count, enum palette_form form)
{
    const uint32_t poses = run->kernel == NULL ? bench->poses / DOUBLES_POSES + 1 : bench->poses;
    const struct blend_mask mask = {model->rig_nodes[model->rig_node_count / 2].node, BLEND_SUBTREE};
    struct blend_layer layers[3] = {
        {.clip = (int32_t)clip, .weight = 0.6},
        {.clip = (int32_t)clip, .weight = 0.4, .masks = &mask, .mask_count = 1},
        {.clip = (int32_t)clip, .weight = 0.5, .is_additive = true, .reference_clip = (int32_t)clip}};
    const struct entity entity = {.model = model, .layers = layers, .layer_count = layer_count};
    const double start_ns = now_ns();
    for (uint32_t i = 0; i < poses; i++) {
        layers[0].clip_time_s = bench->times_s[i];
        layers[1].clip_time_s = bench->times_s[bench->poses - 1 - i];
        layers[2].clip_time_s = bench->times_s[(i + bench->poses / 2) % bench->poses];
        if (run->kernel != NULL)
            entity_evaluate(&run->entity, &entity);
        else
            entity_evaluate_exact(&run->entity, &entity);
        entity_palette(&run->entity, 0, form == PALETTE_MAT4 ? LAYOUT_MAT4 : LAYOUT_MAT3X4, bench->out, NULL);
        __asm__ volatile("" : : "r"(bench->out) : "memory");
    }
    return (now_ns() - start_ns) / poses;
}

static void print(const struct bench *bench, struct run *run, const struct subject *subject, uint32_t clip,
                  enum access access, enum palette_form form)
{
    const struct model *model = &subject->model;
    const bool is_compiled = clip_palette_is_compiled(model, (int32_t)clip);
    const uint32_t rounds = bench->rounds;
    qsort(run->ns, rounds, sizeof *run->ns, by_size);
    const double median = run->ns[rounds / 2], spread = (run->ns[rounds * 3 / 4] - run->ns[rounds / 4]) / 2;
    printf("{\"model\":\"%s\",\"clip\":%u,\"nodes\":%u,\"joints\":%u,\"frames\":%u,\"error\":%.2e,\"kernel\":\"%s\","
           "\"access\":\"%s\",\"form\":\"%s\",\"ns_per_pose\":%.1f,\"spread\":%.1f,\"ns_per_node\":%.2f}\n",
           subject->name, clip, model->rig_node_count, model->skins[0].joint_count,
           is_compiled ? model->compiled_clips[clip].frame_count : 0,
           is_compiled ? (double)model->compiled_clips[clip].error : 0,
           run->kernel == NULL ? "double" : run->kernel->name, ACCESS_NAMES[access],
           form == PALETTE_MAT3X4 ? "mat3x4" : "mat4", median, spread, median / model->rig_node_count);
}

static void set_times(struct bench *bench, enum access access, double duration_s)
{
    for (uint32_t i = 0; i < bench->poses; i++)
        bench->times_s[i] =
            access == ACCESS_SEQUENTIAL ? fmod(i / 60.0, duration_s > 0 ? duration_s : 1) : next_random() * duration_s;
}

static void copy_model(struct bench *bench, const struct subject *subject)
{
    bench->copy_count = (uint32_t)(COPIES_BYTES / subject->size_bytes) + 1;
    bench->copies = mem_alloc(bench->copy_count * sizeof *bench->copies);
    for (uint32_t i = 0; i < bench->copy_count; i++) {
        struct err err;
        void *block = aligned_alloc(BAKE_ALIGNMENT, (subject->size_bytes + 63) / 64 * 64);
        check(block != NULL, subject->name, "no memory for copies");
        memcpy(block, subject->block, subject->size_bytes);
        check(bake_decode(block, subject->size_bytes, &bench->copies[i], &err) == 0, subject->name, err.message);
    }
}

static void measure_clip(struct bench *bench, const struct subject *subject, uint32_t clip)
{
    const struct model *model = &subject->model;
    const bool is_compiled = clip_palette_is_compiled(model, (int32_t)clip);
    for (int access = 0; access < ACCESS_COUNT; access++) {
        if ((access == ACCESS_MANY && !bench->has_many) || (access >= ACCESS_BLEND && !bench->has_blend))
            continue;
        set_times(bench, (enum access)access, model->clips[clip].duration_s);
        for (int form = PALETTE_MAT3X4; form <= PALETTE_MAT4; form++) {
            for (uint32_t r = 0; r <= bench->rounds; r++) /* the first does not count */
                for (uint32_t k = 0; k < bench->run_count; k++) {
                    struct run *run = &bench->runs[k];
                    if (run->kernel == NULL ? form == PALETTE_MAT4 : is_compiled)
                        run->ns[r == 0 ? 0 : r - 1] =
                            access >= ACCESS_BLEND
                                ? measure_blend(bench, run, model, clip, access == ACCESS_BLEND ? 2 : 3,
                                                (enum palette_form)form)
                                : measure(bench, run, model, clip, (enum access)access, (enum palette_form)form);
                }
            for (uint32_t k = 0; k < bench->run_count; k++)
                if (bench->runs[k].kernel == NULL ? form == PALETTE_MAT4 : is_compiled)
                    print(bench, &bench->runs[k], subject, clip, (enum access)access, (enum palette_form)form);
        }
    }
}

static void measure_subject(struct bench *bench, const struct subject *subject)
{
    const struct model *model = &subject->model;
    check(model->skin_count > 0 && model->clip_count > 0, subject->name, "no skin or no clip");
    bench->out = mem_alloc(model->skins[0].joint_count * sizeof(struct mat4));
    bench->matrices = mem_alloc(model->skins[0].joint_count * sizeof *bench->matrices);
    if (bench->has_many)
        copy_model(bench, subject);
    measure_clip(bench, subject, 0);
    for (uint32_t i = 0; i < bench->copy_count; i++)
        free((void *)(uintptr_t)bench->copies[i].bytes);
    free(bench->copies);
    bench->copies = NULL;
    bench->copy_count = 0;
    free(bench->out);
    free(bench->matrices);
}

static void add_kernel(struct bench *bench, const char *name)
{
    struct run *run = &bench->runs[bench->run_count];
    check(bench->run_count < KERNELS_MAX, name, "too many kernels");
    run->kernel = strcmp(name, "double") == 0 ? NULL : kernel_find(name);
    check(run->kernel != NULL || strcmp(name, "double") == 0, name, "this machine has no such kernel");
    clip_palette_init(&run->palette, run->kernel);
    pose_init(&run->pose);
    entity_work_init(&run->entity);
    run->entity.compiled.kernel = run->kernel;
    bench->run_count++;
}

int main(int argc, char **argv)
{
    static struct bench bench = {.rounds = 9, .poses = 4096};
    static struct subject subjects[MODELS_MAX];
    static const uint32_t SIZES[] = {24, 40, 100, 300, 1000};
    uint32_t count = 0;
    for (int option; (option = getopt(argc, argv, "r:n:k:j:mb")) != -1;) {
        const uint32_t number = strchr("kmb", option) != NULL ? 0 : (uint32_t)strtoul(optarg, NULL, 10);
        check(strchr("rnkjmb", option) != NULL, argv[0],
              "[-r ROUNDS] [-n POSES] [-k KERNEL] [-j JOINTS] [-m] [-b] [NAME.model]");
        if (option == 'r' && number > 0 && number < ROUNDS_MAX)
            bench.rounds = number;
        if (option == 'n' && number > 0 && number <= POSES_MAX)
            bench.poses = number;
        if (option == 'k')
            add_kernel(&bench, optarg);
        if (option == 'j' && number > 0 && count < MODELS_MAX)
            make(&subjects[count++], number);
        bench.has_many = bench.has_many || option == 'm';
        bench.has_blend = bench.has_blend || option == 'b';
    }
    for (; optind < argc && count < MODELS_MAX; optind++)
        load(&subjects[count++], argv[optind]);
    if (count == 0)
        for (; count < sizeof SIZES / sizeof *SIZES; count++)
            make(&subjects[count], SIZES[count]);
    if (bench.run_count == 0) {
        for (uint32_t k = 0; kernel_at(k) != NULL; k++)
            add_kernel(&bench, kernel_at(k)->name);
        add_kernel(&bench, "double");
    }
    bench.times_s = mem_alloc(bench.poses * sizeof *bench.times_s);
    for (uint32_t i = 0; i < count; i++)
        measure_subject(&bench, &subjects[i]);
    return 0;
}
