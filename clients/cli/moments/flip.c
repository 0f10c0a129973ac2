/* Filters both pictures as the eye does, and compares their colours, edges and points. */
#include "clients/cli/moments/flip.h"

#include "clients/cli/output/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
const double FLIP_PIXELS_PER_DEGREE = 67;

/* Section 4.1.3: the exponent of a colour difference, and the share p_c of the greatest difference that is mapped to
 * p_t. */
static const double COLOR_EXPONENT = 0.7, P_C = 0.4, P_T = 0.95;
/* Section 4.2: the width of a feature in degrees, and the exponent of a difference of features. */
static const double FEATURE_DEGREES = 0.082, FEATURE_EXPONENT = 0.5;
/* Table 1: the contrast sensitivity to luminance, to red against green and to blue against yellow. Each is a sum of two
 * Gaussians a * sqrt(pi / b) * exp(-pi^2 d^2 / b), d in degrees. */
static const struct {
    double a, b;
} SENSITIVITY[3][2] = {{{1, 0.0047}, {0, 1}}, {{1, 0.0053}, {0, 1}}, {{34.1, 0.04}, {13.5, 0.025}}};

/* For sRGB with the white point D65 (IEC 61966-2-1), rows; and the inverse. */
static const double XYZ_FROM_RGB[3][3] = {{0.4123907992659595, 0.35758433938387796, 0.1804807884018343},
                                          {0.21263900587151036, 0.7151686787677559, 0.07219231536073371},
                                          {0.01933081871559185, 0.11919477979462599, 0.9505321522496606}};
static const double RGB_FROM_XYZ[3][3] = {{3.2409699419045213, -1.5373831775700935, -0.4986107602930033},
                                          {-0.9692436362808798, 1.8759675015077206, 0.04155505740717561},
                                          {0.05563007969699361, -0.20397695888897657, 1.0569715142428786}};

enum { RADIUS_MAX = 31 };

/* One dimension of a separable filter: [-radius, radius]. */
struct kernel {
    int radius;
    double at[2 * RADIUS_MAX + 1];
};

struct size {
    int width, height;
};

/* --- colours --- */

static void multiply(const double rows[3][3], const double in[3], double out[3])
{
    for (int r = 0; r < 3; r++)
        out[r] = rows[r][0] * in[0] + rows[r][1] * in[1] + rows[r][2] * in[2];
}

/* Divides XYZ by that of white, which is the sum of each row. */
static void relative_xyz(const double rgb[3], double xyz[3])
{
    multiply(XYZ_FROM_RGB, rgb, xyz);
    for (int i = 0; i < 3; i++)
        xyz[i] /= XYZ_FROM_RGB[i][0] + XYZ_FROM_RGB[i][1] + XYZ_FROM_RGB[i][2];
}

/* IEC 61966-2-1 */
static double linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Converts to the opponent space YCxCz, a linear relative of L*a*b*. */
static void opponent_from_linear(const double rgb[3], double out[3])
{
    double xyz[3];
    relative_xyz(rgb, xyz);
    out[0] = 116 * xyz[1] - 16;
    out[1] = 500 * (xyz[0] - xyz[1]);
    out[2] = 200 * (xyz[1] - xyz[2]);
}

static void linear_from_opponent(const double in[3], double rgb[3])
{
    double xyz[3];
    xyz[1] = (in[0] + 16) / 116;
    xyz[0] = xyz[1] + in[1] / 500;
    xyz[2] = xyz[1] - in[2] / 200;
    for (int i = 0; i < 3; i++)
        xyz[i] *= XYZ_FROM_RGB[i][0] + XYZ_FROM_RGB[i][1] + XYZ_FROM_RGB[i][2];
    multiply(RGB_FROM_XYZ, xyz, rgb);
}

/* CIE 1976 L*a*b*: a cube root with a linear beginning. */
static double lab_root(double t)
{
    static const double DELTA = 6.0 / 29;
    return t > DELTA * DELTA * DELTA ? cbrt(t) : t / (3 * DELTA * DELTA) + 4.0 / 29;
}

/* Converts to L*a*b* with the Hunt effect: colours are stronger where it is brighter (section 4.1.2). */
static void hunt_lab_from_linear(const double rgb[3], double lab[3])
{
    double xyz[3], root[3];
    relative_xyz(rgb, xyz);
    for (int i = 0; i < 3; i++)
        root[i] = lab_root(xyz[i]);
    lab[0] = 116 * root[1] - 16;
    lab[1] = 0.01 * lab[0] * 500 * (root[0] - root[1]);
    lab[2] = 0.01 * lab[0] * 200 * (root[1] - root[2]);
}

/* HyAB, which is valid for large differences too, with its exponent. */
static double color_distance(const double a[3], const double b[3])
{
    return pow(fabs(a[0] - b[0]) + hypot(a[1] - b[1], a[2] - b[2]), COLOR_EXPONENT);
}

/* Returns the distance of green and blue, which differ most. */
static double greatest_distance(void)
{
    double green[3], blue[3];
    hunt_lab_from_linear((const double[3]){0, 1, 0}, green);
    hunt_lab_from_linear((const double[3]){0, 0, 1}, blue);
    return color_distance(green, blue);
}

/* --- filters --- */

/* Convolves rows with kernel x and columns with kernel y. Pixels beyond the edge repeat the outermost ones. */
static void fold(const double *in, struct size size, const struct kernel *x, const struct kernel *y, double *between,
                 double *out)
{
    const int width = size.width, height = size.height;
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            double sum = 0;
            for (int k = -x->radius; k <= x->radius; k++) {
                const int at = column + k < 0 ? 0 : column + k >= width ? width - 1 : column + k;
                sum += x->at[x->radius + k] * in[(size_t)row * (size_t)width + (size_t)at];
            }
            between[(size_t)row * (size_t)width + (size_t)column] = sum;
        }
    for (int row = 0; row < height; row++) {
        double *to = out + (size_t)row * (size_t)width;
        memset(to, 0, (size_t)width * sizeof *to);
        for (int k = -y->radius; k <= y->radius; k++) {
            const int at = row + k < 0 ? 0 : row + k >= height ? height - 1 : row + k;
            const double *from = between + (size_t)at * (size_t)width, share = y->at[y->radius + k];
            for (int column = 0; column < width; column++)
                to[column] += share * from[column];
        }
    }
}

static int bounded_radius(double radius)
{
    const int whole = (int)ceil(radius);
    return whole < RADIUS_MAX ? whole : RADIUS_MAX;
}

/* exp(-x^2 / (2 sigma^2)), sigma in pixels. Returns the sum. */
static double make_gaussian(struct kernel *kernel, double sigma, int radius)
{
    double sum = 0;
    kernel->radius = radius;
    for (int x = -radius; x <= radius; x++)
        sum += kernel->at[radius + x] = exp(-x * x / (2 * sigma * sigma));
    return sum;
}

/* Section 4.1.1: removes from a channel what the eye cannot see. Its Gaussians add up to 1 over the whole window, so a
 * plain picture does not change. */
static void filter_channel(double *plane, struct size size, int channel, double pixels_per_degree, double *scratch)
{
    const size_t count = (size_t)size.width * (size_t)size.height;
    double *between = scratch, *folded = scratch + count, *sum = scratch + 2 * count, total = 0;
    /* All channels use the widest Gaussian of all: three of its standard deviations. */
    const int radius = bounded_radius(3 * sqrt(0.04 / (2 * PI * PI)) * pixels_per_degree);
    memset(sum, 0, count * sizeof *sum);
    for (int g = 0; g < 2; g++) {
        const double a = SENSITIVITY[channel][g].a, b = SENSITIVITY[channel][g].b;
        if (a <= 0)
            continue;
        struct kernel kernel;
        const double strength = a * sqrt(PI / b);
        const double side = make_gaussian(&kernel, sqrt(b / (2 * PI * PI)) * pixels_per_degree, radius);
        fold(plane, size, &kernel, &kernel, between, folded);
        for (size_t i = 0; i < count; i++)
            sum[i] += strength * folded[i];
        total += strength * side * side;
    }
    for (size_t i = 0; i < count; i++)
        plane[i] = sum[i] / total;
}

/* Divides the positive and the negative numbers by their sums. */
static void balance(struct kernel *kernel)
{
    double positive = 0, negative = 0;
    for (int i = 0; i <= 2 * kernel->radius; i++) {
        positive += fmax(kernel->at[i], 0);
        negative += fmax(-kernel->at[i], 0);
    }
    for (int i = 0; i <= 2 * kernel->radius; i++)
        kernel->at[i] /= kernel->at[i] > 0 ? positive : negative > 0 ? negative : 1;
}

/* Section 4.2.1: finds the strength of edges and points by the first and second derivatives of a Gaussian. luminance:
 * 0..1. features: [2][count] */
static void find_features(const double *luminance, struct size size, double pixels_per_degree, double *scratch,
                          double *features)
{
    const size_t count = (size_t)size.width * (size_t)size.height;
    const double sigma = 0.5 * FEATURE_DEGREES * pixels_per_degree;
    struct kernel smooth, derived[2];
    const int radius = bounded_radius(3 * sigma);
    make_gaussian(&smooth, sigma, radius);
    derived[0] = derived[1] = smooth;
    for (int x = -radius; x <= radius; x++) {
        derived[0].at[radius + x] *= -x;
        derived[1].at[radius + x] *= x * x / (sigma * sigma) - 1;
    }
    balance(&smooth);
    for (int f = 0; f < 2; f++) {
        double *between = scratch, *across = scratch + count, *along = scratch + 2 * count;
        balance(&derived[f]);
        fold(luminance, size, &derived[f], &smooth, between, across);
        fold(luminance, size, &smooth, &derived[f], between, along);
        for (size_t i = 0; i < count; i++)
            features[(size_t)f * count + i] = hypot(across[i], along[i]);
    }
}

/* --- both together --- */

/* Filters one picture. Returns planes of Hunt's L*a*b* and of the features, [5][count]. The caller frees them. */
static double *see(const uint8_t *pixels, struct size size, double pixels_per_degree)
{
    const size_t count = (size_t)size.width * (size_t)size.height;
    double *planes = must_alloc(5 * count * sizeof *planes), *scratch = must_alloc(3 * count * sizeof *scratch);
    double linear[256], color[3], rgb[3];
    for (int i = 0; i < 256; i++)
        linear[i] = linear_from_srgb(i / 255.0);
    for (size_t i = 0; i < count; i++) {
        opponent_from_linear(
            (const double[3]){linear[pixels[3 * i]], linear[pixels[3 * i + 1]], linear[pixels[3 * i + 2]]}, color);
        for (size_t c = 0; c < 3; c++)
            planes[c * count + i] = color[c];
        planes[4 * count + i] = (color[0] + 16) / 116; /* luminance, until the features overwrite it */
    }
    double *luminance = must_alloc(count * sizeof *luminance);
    memcpy(luminance, planes + 4 * count, count * sizeof *luminance);
    find_features(luminance, size, pixels_per_degree, scratch, planes + 3 * count);
    for (int c = 0; c < 3; c++)
        filter_channel(planes + (size_t)c * count, size, c, pixels_per_degree, scratch);
    for (size_t i = 0; i < count; i++) {
        linear_from_opponent((const double[3]){planes[i], planes[count + i], planes[2 * count + i]}, rgb);
        for (int c = 0; c < 3; c++)
            rgb[c] = fmin(fmax(rgb[c], 0), 1);
        hunt_lab_from_linear(rgb, color);
        for (size_t c = 0; c < 3; c++)
            planes[c * count + i] = color[c];
    }
    free(luminance);
    free(scratch);
    return planes;
}

/* Section 4.1.3: gives most of the range to the differences that are common. */
static double spread(double distance, double greatest)
{
    const double knee = P_C * greatest;
    return distance < knee ? distance * P_T / knee : P_T + (distance - knee) / (greatest - knee) * (1 - P_T);
}

void flip_compare(const uint8_t *before, const uint8_t *after, uint32_t width, uint32_t height,
                  double pixels_per_degree, double *out)
{
    const struct size size = {(int)width, (int)height};
    const size_t count = (size_t)width * height;
    const double greatest = greatest_distance();
    double *a = see(before, size, pixels_per_degree), *b = see(after, size, pixels_per_degree);
    for (size_t i = 0; i < count; i++) {
        const double colors[2][3] = {{a[i], a[count + i], a[2 * count + i]}, {b[i], b[count + i], b[2 * count + i]}};
        const double color = spread(color_distance(colors[0], colors[1]), greatest);
        const double edges = fabs(a[3 * count + i] - b[3 * count + i]),
                     points = fabs(a[4 * count + i] - b[4 * count + i]);
        const double feature = pow(fmax(edges, points) / sqrt(2), FEATURE_EXPONENT); /* section 4.2.2 */
        out[i] = fmin(pow(color, 1 - feature), 1);                                   /* section 4.3 */
    }
    free(a);
    free(b);
}

/* Ten evenly spaced colours of magma, by S. van der Walt and N. Smith (CC0). */
static const uint8_t MAGMA[10][3] = {{0x00, 0x00, 0x04}, {0x18, 0x0f, 0x3e}, {0x45, 0x10, 0x77}, {0x72, 0x1f, 0x81},
                                     {0x9f, 0x2f, 0x7f}, {0xcd, 0x40, 0x71}, {0xf1, 0x60, 0x5d}, {0xfd, 0x95, 0x67},
                                     {0xfe, 0xc9, 0x8d}, {0xfc, 0xfd, 0xbf}};

void flip_heat(double difference, uint8_t rgb[3])
{
    const double place = fmin(fmax(difference, 0), 1) * 9;
    const int first = place < 8 ? (int)place : 8;
    const double share = place - first;
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)(MAGMA[first][c] * (1 - share) + MAGMA[first + 1][c] * share + 0.5);
}
