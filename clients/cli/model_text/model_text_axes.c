/* Expresses transforms in axes that other programs keep. Exporters choose a joint's own axes: Blender points each bone
 * along its y axis. Neither these axes nor the parent's appear in the text. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>
#include <string.h>

typedef double mat3[3][3]; /* [row][column] */

static void multiply(mat3 a, mat3 b, mat3 out)
{
    mat3 product;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            product[r][c] = a[r][0] * b[0][c] + a[r][1] * b[1][c] + a[r][2] * b[2][c];
    memcpy(out, product, sizeof product);
}

static void transpose(mat3 a, mat3 out)
{
    mat3 turned;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            turned[r][c] = a[c][r];
    memcpy(out, turned, sizeof turned);
}

/* Reads the linear part of a column-major 4x4 matrix. NULL: the identity. */
static void linear_of(const double *matrix, mat3 out)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[r][c] = matrix == NULL ? r == c : matrix[4 * c + r];
}

static void matrix_of(const double quaternion[4], mat3 out)
{
    const double length = sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] +
                               quaternion[2] * quaternion[2] + quaternion[3] * quaternion[3]);
    const double s = length > 0 ? 1 / length : 0;
    const double x = quaternion[0] * s, y = quaternion[1] * s, z = quaternion[2] * s,
                 w = length > 0 ? quaternion[3] * s : 1;
    const mat3 rows = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                       {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                       {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(out, rows, sizeof rows);
}

/* Makes the columns unit vectors at right angles, by Gram and Schmidt; a mirroring matrix stays one. Returns their
 * lengths in `scale`. */
static void straighten(mat3 matrix, double scale[3])
{
    for (int c = 0; c < 3; c++) {
        scale[c] = sqrt(matrix[0][c] * matrix[0][c] + matrix[1][c] * matrix[1][c] + matrix[2][c] * matrix[2][c]);
        for (int other = 0; other < c; other++) {
            double along = 0;
            for (int r = 0; r < 3; r++)
                along += matrix[r][c] * matrix[r][other];
            for (int r = 0; r < 3; r++)
                matrix[r][c] -= along * matrix[r][other];
        }
        const double left =
            sqrt(matrix[0][c] * matrix[0][c] + matrix[1][c] * matrix[1][c] + matrix[2][c] * matrix[2][c]);
        for (int r = 0; r < 3; r++)
            matrix[r][c] = left > 0 ? matrix[r][c] / left : r == c;
    }
}

/* Converts a rotation to a quaternion (Shepperd 1978): the largest of the four numbers is found first. */
static void quaternion_of(mat3 m, double out[4])
{
    const double squares[4] = {1 + m[0][0] - m[1][1] - m[2][2], 1 - m[0][0] + m[1][1] - m[2][2],
                               1 - m[0][0] - m[1][1] + m[2][2], 1 + m[0][0] + m[1][1] + m[2][2]};
    int most = 0;
    for (int i = 1; i < 4; i++)
        most = squares[i] > squares[most] ? i : most;
    const double sums[4][4] = {
        {squares[0], m[1][0] + m[0][1], m[0][2] + m[2][0], m[2][1] - m[1][2]},
        {m[1][0] + m[0][1], squares[1], m[2][1] + m[1][2], m[0][2] - m[2][0]},
        {m[0][2] + m[2][0], m[2][1] + m[1][2], squares[2], m[1][0] - m[0][1]},
        {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], squares[3]},
    };
    for (int i = 0; i < 4; i++)
        out[i] = sums[most][i];
}

void axes_split(const double matrix[16], double out[TRANSFORM_NUMBERS])
{
    mat3 linear;
    double scale[3];
    linear_of(matrix, linear);
    straighten(linear, scale);
    const double volume = linear[0][0] * (linear[1][1] * linear[2][2] - linear[1][2] * linear[2][1]) -
                          linear[0][1] * (linear[1][0] * linear[2][2] - linear[1][2] * linear[2][0]) +
                          linear[0][2] * (linear[1][0] * linear[2][1] - linear[1][1] * linear[2][0]);
    for (int r = 0; r < 3 && volume < 0; r++)
        linear[r][2] = -linear[r][2];
    memcpy(out, matrix + 12, 3 * sizeof *out);
    quaternion_of(linear, out + 3);
    memcpy(out + 7, scale, sizeof scale);
    out[9] = volume < 0 ? -out[9] : out[9];
    out[10] = out[11] = out[12] = 0;
}

/* Converts scales along a joint's axes to the matrix that scales likewise in the axes of the scene. */
static void put_scale(mat3 scene_from_axes, const double scale[3], double out[6])
{
    static const int PLACES[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int i = 0; i < 6; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += scene_from_axes[PLACES[i][0]][k] * scale[k] * scene_from_axes[PLACES[i][1]][k];
    }
}

void axes_from_rest(const struct model_text *text, size_t node, const double local[10], double out[TRANSFORM_NUMBERS])
{
    const double *rest = text->rest + 10 * node;
    mat3 parent, now, before, own;
    double lengths[3], scale[3];
    linear_of(text->parents[node] < 0 ? NULL : text->scene + 16 * text->parents[node], parent);
    for (int r = 0; r < 3; r++)
        out[r] = parent[r][0] * local[0] + parent[r][1] * local[1] + parent[r][2] * local[2];
    straighten(parent, lengths);
    matrix_of(local + 3, now);
    matrix_of(rest + 3, before);
    multiply(parent, before, own);
    for (int i = 0; i < 3; i++)
        scale[i] = rest[7 + i] != 0 ? local[7 + i] / rest[7 + i] : local[7 + i];
    put_scale(own, scale, out + 7);
    multiply(parent, now, now);
    transpose(own, own);
    multiply(now, own, now); /* parent * now * before^-1 * parent^-1 */
    quaternion_of(now, out + 3);
}
