/* check_motion.c - how far nodes and vertices move, and clips that move nothing. */
#include "anim/check/check_internal.h"
#include "anim/pose/skin.h"
#include "base/mem.h"

#include <stdlib.h>
#include <strings.h>

double node_motion(const struct dmat4 *a, const struct dmat4 *b, double reach)
{
    double most = 0;
    for (int axis = -1; axis < 3; axis++) {
        const double *x = a->m + 4 * (axis + (axis < 0)), *y = b->m + 4 * (axis + (axis < 0));
        const double length = axis < 0 ? 0 : sqrt(dot3(x, x));
        double step[3];
        for (int row = 0; row < 3; row++) {
            step[row] = b->m[12 + row] - a->m[12 + row];
            if (length > 0)
                step[row] += reach / length * (y[row] - x[row]);
        }
        most = fmax(most, dot3(step, step));
    }
    return sqrt(most);
}

double node_motion_most(const struct clip_check *check, uint32_t *node)
{
    double most = 0;
    *node = 0;
    for (uint32_t n = 0; n < check->model->node_count; n++) {
        const double moved = node_motion(&check->first[n], &check->pose.scene_from_node[n], check->size * NODE_REACH);
        if (moved > most) {
            most = moved;
            *node = n;
        }
    }
    return most;
}

/* --- morph targets --- */

enum { VERTICES_MOST = 1 << 22 }; /* 96 MiB of places */

/* The vertices of the first draws with morph targets, as many as the budget allows to deform twice. */
struct shapes {
    const struct model *model;
    uint32_t draw_end;
    struct skin_palette palette;
    struct vec3 *first, *now; /* [vertex_count]: one draw after the other */
    uint64_t vertex_count;
};

static uint32_t vertices_of(const struct model *model, uint32_t draw)
{
    const struct primitive *primitive = &model->primitives[model->draws[draw].primitive];
    return primitive->morph_target_count > 0 ? primitive->vertex_count : 0;
}

static void shapes_init(struct shapes *shapes, const struct clip_check *check)
{
    const struct model *model = check->model;
    const uint64_t used = check->report->vertex_count, most = check->options->vertices;
    const uint64_t affordable = used < most ? (most - used) / 2 : 0;
    const uint64_t left = affordable < VERTICES_MOST ? affordable : VERTICES_MOST;
    uint32_t joints = 1;
    *shapes = (struct shapes){.model = model};
    for (uint32_t d = 0; d < model->draw_count && vertices_of(model, d) <= left - shapes->vertex_count; d++) {
        shapes->vertex_count += vertices_of(model, d);
        shapes->draw_end = d + 1;
    }
    for (uint32_t s = 0; s < model->skin_count; s++)
        joints = model->skins[s].joint_count > joints ? model->skins[s].joint_count : joints;
    shapes->palette.matrices = mem_alloc(joints * sizeof(struct mat4));
    shapes->palette.parts = mem_alloc(joints * sizeof(struct skin_part));
    shapes->first = mem_alloc((shapes->vertex_count + 1) * sizeof *shapes->first);
    shapes->now = mem_alloc((shapes->vertex_count + 1) * sizeof *shapes->now);
}

static void shapes_fini(struct shapes *shapes)
{
    free(shapes->palette.matrices);
    free(shapes->palette.parts);
    free(shapes->first);
    free(shapes->now);
}

/* What deforming all of them takes. */
static uint64_t shapes_work(const struct clip_check *check, const struct shapes *shapes)
{
    uint64_t work = 0;
    for (uint32_t d = 0; d < shapes->draw_end; d++)
        if (vertices_of(shapes->model, d) > 0)
            work += skin_draw_work(shapes->model, d, &check->pose);
    return work;
}

/* Deforms all of them. Those of a skin whose matrices are not finite are at 0. */
static int shapes_deform(struct clip_check *check, struct shapes *shapes, struct vec3 *out)
{
    const struct model *model = shapes->model;
    uint32_t made = UINT32_MAX;
    bool is_posed = false;
    for (uint32_t d = 0; d < shapes->draw_end; d++) {
        const uint32_t count = vertices_of(model, d), skin = model->draws[d].skin;
        struct err err;
        if (count > 0 && skin != made) {
            if (check_count_steps(check, model->skins[skin].joint_count) < 0)
                return check->err->code;
            is_posed = skin_palette_make(&shapes->palette, &check->pose, model, skin, &DMAT4_IDENTITY, &err) == 0;
            made = skin;
        }
        if (count > 0 && is_posed)
            skin_draw(model, d, &check->pose, &shapes->palette, false, out);
        else
            memset(out, 0, count * sizeof *out);
        out += count;
    }
    return 0;
}

/* Compares both arrays, and notes the mesh that moves farthest. */
static void shapes_compare(const struct shapes *shapes, double *most, int32_t *mesh)
{
    const struct vec3 *a = shapes->first, *b = shapes->now;
    for (uint32_t d = 0; d < shapes->draw_end; d++)
        for (uint32_t v = vertices_of(shapes->model, d); v > 0; v--, a++, b++) {
            const double step[3] = {(double)b->x - (double)a->x, (double)b->y - (double)a->y,
                                    (double)b->z - (double)a->z};
            const double moved = sqrt(dot3(step, step));
            if (moved > *most) {
                *most = moved;
                *mesh = (int32_t)shapes->model->primitives[shapes->model->draws[d].primitive].mesh;
            }
        }
}

int morph_motion_most(struct clip_check *check, const double *times_s, uint32_t count, double *most, int32_t *mesh)
{
    struct shapes shapes;
    int rc = 0;
    *most = 0;
    *mesh = -1;
    shapes_init(&shapes, check);
    for (uint32_t i = 0; i < count && shapes.vertex_count > 0 && rc == 0; i++) {
        rc = check_evaluate(check, times_s[i]);
        const uint64_t work = rc < 0 ? 0 : shapes_work(check, &shapes);
        if (i > 1 && check->report->vertex_count + work > check->options->vertices)
            break; /* what was seen so far counts */
        check->report->vertex_count += work;
        rc = rc < 0 ? rc : shapes_deform(check, &shapes, i == 0 ? shapes.first : shapes.now);
        if (i > 0 && rc == 0)
            shapes_compare(&shapes, most, mesh);
    }
    shapes_fini(&shapes);
    return rc;
}

/* --- clip-without-motion --- */

static bool is_still(const struct clip_check *check)
{
    return check->moved < check->size * check->options->least_motion;
}

/* Looks at more times: a short blink may lie between the poses that are looked at in any clip. */
static int look_closer(struct clip_check *check)
{
    enum { FRAMES = 501 };
    uint32_t count, node;
    check_rate(check, FRAMES, &count);
    double *times_s = mem_alloc(count * sizeof *times_s), moved = 0;
    int32_t mesh;
    int rc = 0;
    for (uint32_t i = 0; i < count; i++)
        times_s[i] = check_time(check, i, count);
    for (uint32_t i = 0; i < count && rc == 0 && is_still(check); i++) {
        rc = check_evaluate(check, times_s[i]);
        check->moved = fmax(check->moved, rc < 0 ? 0 : node_motion_most(check, &node));
    }
    if (rc == 0 && is_still(check))
        rc = morph_motion_most(check, times_s, count, &moved, &mesh);
    check->moved = fmax(check->moved, moved);
    free(times_s);
    return rc;
}

/* Returns whether the clip's name ends as those of poses do: T-Pose, bind pose, Walk_Pose, TPose.001. */
bool check_is_of_pose(const struct clip_check *check)
{
    size_t size;
    const char *text = whole_name(check->model, check->model->clips[check->clip].name, &size);
    size_t digits = size;
    while (digits > 0 && text[digits - 1] != '.')
        digits--;
    if (digits > 0 && digits < size && text[digits] >= '0' && text[digits] <= '9')
        size = digits - 1;
    if (size < 4)
        return false;
    for (int i = 0; i < 4; i++)
        if ((text[size - 4 + (size_t)i] | 0x20) != "pose"[i])
            return false;
    return true;
}

bool check_is_named(const struct model *model, int32_t clip, const char *const *words, size_t count)
{
    size_t size;
    const char *name = whole_name(model, model->clips[clip].name, &size);
    for (size_t i = 0; i < size; i++)
        for (size_t w = 0; w < count; w++)
            if (strlen(words[w]) <= size - i && strncasecmp(name + i, words[w], strlen(words[w])) == 0)
                return true;
    return false;
}

int check_still(struct clip_check *check)
{
    const double least = check->options->least_motion;
    if (!is_still(check) || look_closer(check) < 0 || !is_still(check))
        return check->err->code;
    struct finding *finding = finding_add(check, MOTION_STILL_CLIP, -1, (double)NAN);
    if (finding == NULL)
        return 0;
    finding->is_note = check_is_of_pose(check);
    finding_measure(finding, check->size > 0 ? check->moved / check->size : 0, least, "size");
    if (finding->is_note)
        finding_say(check, finding, " is a pose, and moves nothing");
    else if (check->moved > 0)
        finding_say(check, finding, " moves nothing further than %.2g of the model's size", finding->value);
    else
        finding_say(check, finding, " moves nothing");
    return 0;
}
