/* Every kernel compared with the scalar one, bit for bit, on random numbers; and the scalar one with known values. */
#include "anim/kernel/kernel.h"
#include "tests/unit/support/check.h"

#include <string.h>

/* xorshift64*: the same numbers in each run. */
static double chance(void)
{
    static uint64_t state = 0x853c49e6748fea9bu;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)((state * 0x2545F4914F6CDD1Du) >> 11) / 9007199254740992.0;
}

static float between(double low, double high) { return (float)(low + (high - low) * chance()); }

static void random_rotation(double q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = chance() * 2 - 1;
        square += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(square);
}

/* A rotation at `angle` (in 4-dimensional space, half of the rotation's) from q, in a random direction. */
static void rotation_beside(const double q[4], double angle, double out[4])
{
    double away[4], dot = 0, square = 0;
    random_rotation(away);
    for (int i = 0; i < 4; i++)
        dot += away[i] * q[i];
    for (int i = 0; i < 4; i++) {
        away[i] -= dot * q[i];
        square += away[i] * away[i];
    }
    for (int i = 0; i < 4; i++)
        out[i] = cos(angle) * q[i] + sin(angle) * away[i] / sqrt(square);
}

/* --- blocks --- */

enum { BLOCKS = 4, NODES = BLOCKS * LANE_WIDTH, FRAME_FLOATS = BLOCKS * 20 * LANE_WIDTH, CONSTANTS = 18 * NODES };

struct scene {
    struct lane_block blocks[BLOCKS];
    float values[CONSTANTS], from[FRAME_FLOATS], to[FRAME_FLOATS], weights[BLOCKS * 2 * LANE_WIDTH];
    float local[(NODES + 1) * KERNEL_MATRIX];
    double f64[(NODES + 1) * 12];
};

static void fill_rotations(float *from, float *to, uint32_t width)
{
    for (uint32_t l = 0; l < width; l++) {
        double a[4], b[4];
        random_rotation(a);
        rotation_beside(a, l == 0 ? 0 : l == 1 ? 1.5707963267948966 : l == 2 ? 1e-5 : 1.5 * chance(), b);
        for (uint32_t i = 0; i < 4; i++) {
            from[i * width + l] = (float)a[i];
            to[i * width + l] = (float)b[i];
        }
    }
}

/* Blocks of these flags, of both widths; nodes scattered, the last lane of the last block unused. */
static void fill(struct scene *scene, uint32_t flags)
{
    uint32_t constant = 0, offset = 0, node = 0;
    for (uint32_t i = 0; i < CONSTANTS; i++)
        scene->values[i] = between(-2, 2);
    for (uint32_t i = 0; i < FRAME_FLOATS; i++) {
        scene->from[i] = between(-100, 100);
        scene->to[i] = between(-100, 100);
    }
    for (uint32_t b = 0; b < BLOCKS; b++) {
        struct lane_block *block = &scene->blocks[b];
        const uint32_t width = b % 2 == 0 ? LANE_WIDTH : LANE_WIDTH_HALF;
        *block =
            (struct lane_block){.flags = flags, .width = width, .frame_offset = offset, .constant_first = constant};
        for (uint32_t l = 0; l < LANE_WIDTH; l++)
            block->rig_nodes[l] = l < width ? node++ * 29 % NODES : NODES;
        if ((flags & LANES_ROTATE) != 0)
            fill_rotations(scene->from + offset, scene->to + offset, width);
        for (uint32_t i = 0; i < 3 * width && (flags & LANES_STEP) != 0; i++)
            scene->values[constant + block_factors_at(flags) * width + i] = chance() < 0.5;
        offset += 20 * width;
        constant += 18 * width;
    }
    scene->blocks[BLOCKS - 1].rig_nodes[LANE_WIDTH_HALF - 1] = NODES;
}

enum out { OUT_FLOAT, OUT_DOUBLE, OUT_ROUNDED, OUT_COUNT };

static void run(const struct kernel *kernel, struct scene *scene, float u, enum out out)
{
    memset(scene->f64, 0x55, sizeof scene->f64);
    memset(scene->local, 0x55, sizeof scene->local);
    memset(scene->weights, 0x55, sizeof scene->weights);
    const struct kernel_lanes lanes = {.blocks = scene->blocks,
                                       .block_count = BLOCKS,
                                       .values = scene->values,
                                       .from = scene->from,
                                       .to = scene->to,
                                       .u = u,
                                       .spline = {u * u * (3 - 2 * u), u * (1 - u) * (1 - u), u * u * (u - 1)},
                                       .weights = scene->weights,
                                       .local = scene->local,
                                       .f64 = out == OUT_DOUBLE ? scene->f64 : NULL,
                                       .is_precise = out == OUT_ROUNDED};
    kernel->lanes(&lanes);
    memset(scene->local + KERNEL_MATRIX * NODES, 0, KERNEL_MATRIX * sizeof *scene->local); /* what no node uses */
    memset(scene->f64 + 12 * NODES, 0, 12 * sizeof *scene->f64);
}

TEST(kernel_lanes_have_the_same_bits)
{
    static struct scene scene, other;
    unsigned tried = 0;
    for (uint32_t flags = 0; flags < 256; flags++) {
        if ((flags & (LANES_SCALE | LANES_FIXED_SCALE)) == (LANES_SCALE | LANES_FIXED_SCALE) ||
            (flags / LANES_CUBIC_ROTATE & ~flags) != 0)
            continue;
        fill(&scene, flags);
        for (int i = 0; i < 20; i++) {
            const float u = i == 0 ? 0 : i == 1 ? 1 : between(0, 1);
            const enum out out = (enum out)(i % OUT_COUNT);
            run(&KERNEL_SCALAR, &scene, u, out);
            other = scene;
            for (uint32_t k = 1; kernel_at(k) != NULL; k++, tried++) {
                run(kernel_at(k), &other, u, out);
                if (memcmp(scene.local, other.local, sizeof scene.local) != 0 ||
                    memcmp(scene.f64, other.f64, sizeof scene.f64) != 0)
                    fail_msg("%s: flags %u, u %.9g", kernel_at(k)->name, flags, (double)u);
            }
        }
    }
    if (kernel_at(1) != NULL)
        assert_true(tried >= 72 * 20);
}

/* What is rounded is what came in double precision. */
TEST(kernel_rounds_matrices_of_double_precision)
{
    static struct scene scene, wide;
    unsigned different = 0;
    fill(&scene, LANES_ROTATE | LANES_TRANSLATE | LANES_SCALE);
    wide = scene;
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        run(kernel_at(k), &scene, 0.3f, OUT_ROUNDED);
        run(kernel_at(k), &wide, 0.3f, OUT_DOUBLE);
        for (uint32_t i = 0; i < BLOCKS * LANE_WIDTH; i++) {
            const uint32_t n = scene.blocks[i / LANE_WIDTH].rig_nodes[i % LANE_WIDTH];
            for (uint32_t e = 0; e < 12 && n < NODES; e++)
                assert_true(scene.local[KERNEL_MATRIX * n + e] == (float)wide.f64[12 * n + e]);
        }
        run(kernel_at(k), &wide, 0.3f, OUT_FLOAT);
        different += memcmp(scene.local, wide.local, sizeof scene.local) != 0;
    }
    assert_true(different > 0);
}

TEST(kernel_draws_splines)
{
    /* at a quarter of two seconds: from 1 to 5 with slopes 2 and -4; a slope of 3 keeps what is still from staying so
     */
    static struct scene scene;
    const struct kernel_spline spline = {0.15625f, 2 * 0.140625f, 2 * -0.046875f};
    scene.blocks[0] = (struct lane_block){.flags = LANES_TRANSLATE | LANES_CUBIC_TRANSLATE, .width = LANE_WIDTH_HALF};
    const struct lane_block *block = &scene.blocks[0];
    for (uint32_t l = 0; l < LANE_WIDTH; l++)
        scene.blocks[0].rig_nodes[l] = l;
    scene.from[0] = 1;
    scene.to[0] = 5;
    scene.from[3 * LANE_WIDTH_HALF] = 2;
    scene.to[3 * LANE_WIDTH_HALF] = -4;
    scene.from[4 * LANE_WIDTH_HALF + 1] = 3; /* of lane 1, along y */
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        const struct kernel_lanes lanes = {.blocks = block,
                                           .block_count = 1,
                                           .values = scene.values,
                                           .from = scene.from,
                                           .to = scene.to,
                                           .u = 0.25f,
                                           .spline = spline,
                                           .weights = scene.weights,
                                           .local = scene.local};
        kernel_at(k)->lanes(&lanes);
        CHECK_NEAR(scene.local[3], 1 + 0.15625 * 4 + 0.28125 * 2 + 0.09375 * 4, 1e-6);
        CHECK_NEAR(scene.local[KERNEL_MATRIX + 7], 0.28125 * 3, 1e-6);
        CHECK_NEAR(scene.local[KERNEL_MATRIX + 3], 0, 0);
    }
}

/* --- slerp --- */

static void normalize(const double q[4], long double out[4])
{
    long double square = 0;
    for (int i = 0; i < 4; i++)
        square += (long double)q[i] * (long double)q[i];
    for (int i = 0; i < 4; i++)
        out[i] = (long double)q[i] / sqrtl(square);
}

/* The matrix between a and b, in long double by the textbook (Shoemake 1985). */
static void exact_rows(const double from[4], const double to[4], double u, double m[9])
{
    long double a[4], b[4], q[4], sum = 0, difference = 0, square = 0;
    normalize(from, a);
    normalize(to, b);
    for (int i = 0; i < 4; i++) {
        sum += (a[i] + b[i]) * (a[i] + b[i]);
        difference += (a[i] - b[i]) * (a[i] - b[i]);
    }
    const long double angle = 2 * atan2l(sqrtl(difference), sqrtl(sum));
    for (int i = 0; i < 4; i++) {
        q[i] = angle > 0 ? sinl((1 - (long double)u) * angle) * a[i] + sinl((long double)u * angle) * b[i] : a[i];
        square += q[i] * q[i];
    }
    const long double n = 2 / square, x = q[0], y = q[1], z = q[2], w = q[3];
    const long double rows[9] = {1 - n * (y * y + z * z), n * (x * y - w * z),     n * (x * z + w * y),
                                 n * (x * y + w * z),     1 - n * (x * x + z * z), n * (y * z - w * x),
                                 n * (x * z - w * y),     n * (y * z + w * x),     1 - n * (x * x + y * y)};
    for (int e = 0; e < 9; e++)
        m[e] = (double)rows[e];
}

/* The largest difference of a matrix element over many pairs up to `angle` apart. */
static double slerp_error(double angle, uint32_t rounds)
{
    static struct scene scene;
    double largest = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        const float u = between(0, 1);
        fill(&scene, LANES_ROTATE);
        for (uint32_t l = 0; l < LANE_WIDTH; l++) {
            double a[4], b[4];
            random_rotation(a);
            rotation_beside(a, angle * chance(), b);
            for (uint32_t i = 0; i < 4; i++) {
                scene.from[i * LANE_WIDTH + l] = (float)a[i];
                scene.to[i * LANE_WIDTH + l] = (float)b[i];
            }
        }
        run(&KERNEL_SCALAR, &scene, u, false);
        for (uint32_t l = 0; l < LANE_WIDTH; l++) {
            double a[4], b[4], m[9];
            for (uint32_t i = 0; i < 4; i++) {
                a[i] = (double)scene.from[i * LANE_WIDTH + l];
                b[i] = (double)scene.to[i * LANE_WIDTH + l];
            }
            exact_rows(a, b, (double)u, m);
            for (uint32_t e = 0; e < 9; e++)
                largest = fmax(
                    largest,
                    fabs((double)scene.local[KERNEL_MATRIX * scene.blocks[0].rig_nodes[l] + e / 3 * 4 + e % 3] - m[e]));
        }
    }
    return largest;
}

TEST(kernel_rotates_along_the_arc)
{
    CHECK_NEAR(slerp_error(1.57079, 10000), 0, 5e-7); /* 160,000 pairs */
    CHECK_NEAR(slerp_error(0.785, 2000), 0, 5e-7);
    CHECK_NEAR(slerp_error(0.1, 2000), 0, 5e-7);
    CHECK_NEAR(slerp_error(1e-3, 2000), 0, 5e-7);
}

/* --- products --- */

enum { RIG_MAX = 45 };

/* Three rows; in scratch the last one is 0. */
static void random_matrix(float *rows)
{
    for (int e = 0; e < 12; e++)
        rows[e] = between(-1, 1);
    rows[3] *= 50;
    rows[7] *= -20;
}

/* Rigs of every size, from chains to stars, with a skin of some of their nodes. */
TEST(kernel_products_have_the_same_bits)
{
    struct rig_node nodes[RIG_MAX];
    struct rig_output outputs[RIG_MAX];
    float local[RIG_MAX * KERNEL_MATRIX] = {0}, scene[RIG_MAX * KERNEL_MATRIX], other[RIG_MAX * KERNEL_MATRIX],
                          expected[RIG_MAX * 16], out[RIG_MAX * 16];
    double wide[RIG_MAX * 12], narrow[RIG_MAX * 12] = {0};
    for (uint32_t count = 1; count <= RIG_MAX; count++)
        for (int shape = 0; shape < 4; shape++)
            for (int form = 0; form < 6; form++) { /* 1: mat4, 2: wide, 4: widened */
                uint32_t joints = 0, lag = 0, roots = shape == 3 ? count / 2 + 1 : 1;
                for (uint32_t n = 0; n < count; n++) {
                    const int32_t parent = shape == 0 ? (int32_t)n - 1 : shape == 1 ? 0 : (int32_t)(chance() * n);
                    nodes[n] = (struct rig_node){n, n < roots ? -1 : parent};
                    random_matrix(local + KERNEL_MATRIX * n);
                    if (n + 1 == count || chance() < 0.7)
                        outputs[joints++].rig_node = n;
                }
                for (uint32_t j = 0; j < joints; j++) {
                    outputs[j].joint = joints - 1 - j;
                    random_matrix(outputs[j].joint_from_bind);
                    lag = outputs[j].rig_node > j + lag ? outputs[j].rig_node - j : lag;
                }
                struct kernel_palette palette = {outputs, joints, lag, form % 2 == 1, expected};
                struct kernel_rig rig = {nodes, count, scene, form >= 2 ? wide : NULL, form >= 4};
                memcpy(scene, local, sizeof scene);
                for (uint32_t e = 0; e < count * 12; e++)
                    narrow[e] = (double)local[e / 12 * KERNEL_MATRIX + e % 12] * (form >= 4 ? 1 : 1.1);
                memcpy(wide, narrow, sizeof wide);
                rig.is_widened = false; /* from the same numbers, widened here */
                KERNEL_SCALAR.compose(&rig, &palette);
                rig.is_widened = form >= 4;
                rig.matrices = other;
                palette.out = out;
                for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
                    const size_t size = joints * (form % 2 == 1 ? 64u : 48u);
                    memcpy(other, local, sizeof other);
                    memcpy(wide, narrow, sizeof wide);
                    if (form >= 4)
                        memset(wide, 0x7f, sizeof wide);
                    kernel_at(k)->compose(&rig, &palette);
                    assert_memory_equal(other, scene, count * KERNEL_MATRIX * sizeof *scene);
                    assert_memory_equal(out, expected, size);
                    memset(out, 0, sizeof out);
                    kernel_at(k)->palette(scene, &palette);
                    assert_memory_equal(out, expected, size);
                }
            }
}

TEST(kernel_multiplies_parent_by_child_by_bind)
{
    /* a quarter turn around z and 10 along x; a child 1 along its x; a bind that scales y by 3 */
    const struct rig_node nodes[2] = {{0, -1}, {1, 0}};
    const struct rig_output output = {1, 0, {1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0}};
    const float local[2 * KERNEL_MATRIX] = {0, -1, 0, 10, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                            0, 0,  1, 0,  0, 1, 0, 1, 0, 0, 0, 0, 1, 0};
    const float rows[12] = {0, -3, 0, 10, 1, 0, 0, 1, 0, 0, 1, 0};
    const float columns[16] = {0, 1, 0, 0, -3, 0, 0, 0, 0, 0, 1, 0, 10, 1, 0, 1};
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        float matrices[2 * KERNEL_MATRIX], out[16];
        struct kernel_palette palette = {&output, 1, 1, false, out};
        memcpy(matrices, local, sizeof local);
        const struct kernel_rig rig = {nodes, 2, matrices, NULL, false};
        kernel_at(k)->compose(&rig, &palette);
        for (int e = 0; e < 12; e++)
            CHECK_NEAR(out[e], rows[e], 0);
        palette.is_mat4 = true;
        kernel_at(k)->palette(matrices, &palette);
        for (int e = 0; e < 16; e++)
            CHECK_NEAR(out[e], columns[e], 0);
    }
}

TEST(kernel_is_found_by_name)
{
    assert_ptr_equal(kernel_find("scalar"), &KERNEL_SCALAR);
    assert_ptr_equal(kernel_find("auto"), kernel_best());
    assert_null(kernel_find("mmx"));
    for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
        assert_ptr_equal(kernel_find(kernel_at(k)->name), kernel_at(k));
        assert_non_null(strstr(KERNEL_NAMES, kernel_at(k)->name));
    }
}
