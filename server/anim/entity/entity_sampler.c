#include "anim/entity/entity_sampler.h"

#include "anim/pose/scale_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a node in a row, at the places of its paths. */
enum { ROW_ROTATION = 3, ROW_SCALE = 7, ROW_NODE = 10 };
static const uint32_t PLACES[] = {[PATH_TRANSLATION] = 0, [PATH_ROTATION] = ROW_ROTATION, [PATH_SCALE] = ROW_SCALE};
static const uint32_t COUNTS[] = {[PATH_TRANSLATION] = 3, [PATH_ROTATION] = 4, [PATH_SCALE] = 3};

/* How far matrices may be apart, as a share of their largest number. */
static const double SAME = 1e-6;

size_t entity_sampler_path(const struct entity_sampler *sampler, uint32_t node, uint32_t path, uint32_t *count)
{
    const struct node *at = &sampler->model->nodes[node];
    *count = path == PATH_WEIGHTS ? at->weight_count : COUNTS[path];
    return path == PATH_WEIGHTS ? (size_t)ROW_NODE * sampler->model->node_count + at->weight_first
                                : (size_t)ROW_NODE * node + PLACES[path];
}

size_t entity_sampler_part(const struct entity_sampler *sampler, uint32_t i, const struct looks_part *part)
{
    return sampler->looks_first + (size_t)LOOKS_VALUES * i + part->first;
}

/* --- a row --- */

static void put_local(const struct trs *local, const float *before, float *out)
{
    double side = 0;
    for (int k = 0; k < 4; k++)
        side += local->rotation[k] * (double)before[ROW_ROTATION + k];
    for (int k = 0; k < 4; k++)
        out[ROW_ROTATION + k] = (float)(side < 0 ? -local->rotation[k] : local->rotation[k]);
    for (int k = 0; k < 3; k++) {
        out[k] = (float)local->translation[k];
        out[ROW_SCALE + k] = (float)local->scale[k];
    }
}

static void put_rest(struct entity_sampler *sampler)
{
    const struct model *model = sampler->model;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct trs rest = pose_rest_transform(&model->nodes[n]);
        float *at = sampler->rest + (size_t)ROW_NODE * n;
        put_local(&rest, at, at);
    }
    memcpy(sampler->rest + (size_t)ROW_NODE * model->node_count, model->weights,
           model->weight_count * sizeof *sampler->rest);
    entity_looks_rest(&sampler->looks, model, sampler->rest + sampler->looks_first);
}

static int fail_at(const struct entity_sampler *sampler, uint32_t node, uint32_t time, enum err_code code,
                   const char *why, struct err *err)
{
    char name[SHORT_NAME_SIZE];
    return err_set(err, code, "node %u '%s' at %.9g s %s", node,
                   short_name(sampler->model, sampler->model->nodes[node].name, name), sampler->motion->times_s[time],
                   why);
}

static bool is_same(const struct dmat4 *a, const struct dmat4 *b)
{
    double largest = 0, apart = 0;
    for (int i = 0; i < 15; i++) {
        largest = fmax(largest, fmax(fabs(a->m[i]), fabs(b->m[i])));
        apart = fmax(apart, fabs(a->m[i] - b->m[i]));
    }
    return apart <= SAME * largest;
}

/* A layer may give a node as a factor of its matrix, where keys follow the file's rules for scales. Checks that both
 * make the same pose. */
static int check_factors(struct entity_sampler *sampler, uint32_t time, struct err *err)
{
    const struct model *model = sampler->model;
    const struct pose *pose = &sampler->work->pose;
    for (uint32_t i = 0; sampler->frames != NULL && i < model->order_count; i++) {
        const uint32_t n = model->node_order[i];
        const struct node *node = &model->nodes[n];
        const struct scale_frame *above = node->parent < 0 ? NULL : &sampler->frames[node->parent];
        const struct dmat4 parent_from_node = pose_parent_from_node(pose, model, n);
        const bool is_matrix = node->matrix >= 0 && !pose->is_animated[n];
        sampler->frames[n] = is_matrix ? scale_frame_of_matrix(above, &parent_from_node)
                                       : scale_frame_below(above, &pose->local[n], node->flags);
        const struct dmat4 matrix = scale_frame_matrix(&sampler->frames[n]);
        if (!is_same(&matrix, &pose->scene_from_node[n]))
            return fail_at(
                sampler, n, time, ERR_BAD_PARAMETER,
                "is below or at a node that a layer gives by translation, rotation and scale, which are a "
                "factor of its matrix; keys are not, for the file has rules of its own for scales: leave one "
                "of the three out",
                err);
    }
    return 0;
}

static int check_row(const struct entity_sampler *sampler, uint32_t time, struct err *err)
{
    const struct model *model = sampler->model;
    for (uint32_t n = 0; n < model->node_count; n++)
        for (uint32_t path = 0; path <= PATH_WEIGHTS; path++) {
            uint32_t count;
            const float *at = sampler->row + entity_sampler_path(sampler, n, path, &count);
            for (uint32_t i = 0; i < count; i++)
                if (!isfinite(at[i]))
                    return fail_at(sampler, n, time, ERR_NOT_FINITE, "has a number that is not finite", err);
        }
    return 0;
}

int entity_sampler_evaluate(struct entity_sampler *sampler, uint32_t time, struct err *err)
{
    const struct entity_motion *motion = sampler->motion;
    const struct model *model = sampler->model;
    const struct pose *pose = &sampler->work->pose;
    float *swapped = sampler->before;
    if (motion->is_stopped != NULL && *motion->is_stopped)
        return err_set(err, ERR_SHUTTING_DOWN, "the clip is not needed any more");
    sampler->before = sampler->row;
    sampler->row = swapped;
    if (time == 0)
        memcpy(sampler->before, sampler->rest, sampler->row_values * sizeof *sampler->before);
    motion->set_time(motion->context, time);
    entity_evaluate_exact(sampler->work, &motion->entity);
    for (uint32_t n = 0; n < model->node_count; n++)
        put_local(&pose->local[n], sampler->before + (size_t)ROW_NODE * n, sampler->row + (size_t)ROW_NODE * n);
    float *weights = sampler->row + (size_t)ROW_NODE * model->node_count;
    for (uint32_t w = 0; w < model->weight_count; w++)
        weights[w] = (float)pose->weights[w];
    if (entity_looks_put(&sampler->looks, &motion->entity, motion->shown, pose, sampler->row + sampler->looks_first,
                         err) < 0)
        return err->code;
    return check_row(sampler, time, err) < 0 ? err->code : check_factors(sampler, time, err);
}

/* --- what moves --- */

static void note_range(const struct entity_sampler *sampler, size_t at, uint32_t count, uint8_t *moves)
{
    for (uint32_t i = 0; i < count && *moves < MOVES_IN_TIME; i++) {
        if (sampler->row[at + i] != sampler->first[at + i])
            *moves = MOVES_IN_TIME;
        else if (sampler->row[at + i] != sampler->rest[at + i])
            *moves = MOVES_FROM_REST;
    }
}

static void note_moves(struct entity_sampler *sampler)
{
    for (uint32_t n = 0; n < sampler->model->node_count; n++)
        for (uint32_t path = 0; path <= PATH_WEIGHTS; path++) {
            uint32_t count;
            const size_t at = entity_sampler_path(sampler, n, path, &count);
            note_range(sampler, at, count, &sampler->moves[(size_t)n * (PATH_WEIGHTS + 1) + path]);
        }
    for (uint32_t i = 0; i < sampler->looks.count; i++)
        for (uint32_t p = 0; p < LOOKS_PARTS; p++) {
            const struct looks_part part = looks_part(p);
            note_range(sampler, entity_sampler_part(sampler, i, &part), part.count,
                       &sampler->look_moves[(size_t)i * LOOKS_PARTS + p]);
        }
}

/* A node given by a matrix has its translation, rotation and scale instead where a layer moves it. */
static void note_matrices(struct entity_sampler *sampler)
{
    const struct model *model = sampler->model;
    for (uint32_t n = 0; n < model->node_count; n++) {
        uint8_t *moves = &sampler->moves[(size_t)n * (PATH_WEIGHTS + 1) + PATH_TRANSLATION];
        if (model->nodes[n].matrix >= 0 && sampler->work->pose.is_animated[n] && *moves == MOVES_NOT)
            *moves = MOVES_FROM_REST;
    }
}

int entity_sampler_find_moves(struct entity_sampler *sampler, struct err *err)
{
    put_rest(sampler);
    for (uint32_t t = 0; t < sampler->motion->time_count; t++) {
        if (entity_sampler_evaluate(sampler, t, err) < 0)
            return err->code;
        if (t == 0)
            memcpy(sampler->first, sampler->row, sampler->row_values * sizeof *sampler->row);
        note_moves(sampler);
        note_matrices(sampler);
    }
    return 0;
}

/* --- memory --- */

int entity_sampler_init(struct entity_sampler *sampler, struct entity_work *work, const struct entity_motion *motion,
                        struct err *err)
{
    enum { ROWS = 4 };
    const struct model *model = motion->entity.model;
    const bool has_frames = (model->infos[0].flags & MODEL_OWN_SCALES) != 0;
    *sampler = (struct entity_sampler){.motion = motion, .model = model, .work = work};
    if (entity_looks_init(&sampler->looks, &motion->entity, err) < 0)
        return err->code;
    sampler->looks_first = (size_t)ROW_NODE * model->node_count + model->weight_count;
    sampler->row_values = sampler->looks_first + (size_t)sampler->looks.count * LOOKS_VALUES;
    sampler->rows = calloc(ROWS * sampler->row_values + 1, sizeof *sampler->rows);
    sampler->moves = calloc((size_t)model->node_count * (PATH_WEIGHTS + 1) + 1, sizeof *sampler->moves);
    sampler->look_moves = calloc((size_t)sampler->looks.count * LOOKS_PARTS + 1, sizeof *sampler->look_moves);
    sampler->frames = has_frames ? calloc((size_t)model->node_count + 1, sizeof *sampler->frames) : NULL;
    if ((has_frames && sampler->frames == NULL) || sampler->rows == NULL || sampler->moves == NULL ||
        sampler->look_moves == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the poses of a clip");
    sampler->first = sampler->rows;
    sampler->before = sampler->rows + sampler->row_values;
    sampler->row = sampler->rows + 2 * sampler->row_values;
    sampler->rest = sampler->rows + 3 * sampler->row_values;
    return 0;
}

void entity_sampler_fini(struct entity_sampler *sampler)
{
    entity_looks_fini(&sampler->looks);
    free(sampler->rows);
    free(sampler->moves);
    free(sampler->look_moves);
    free(sampler->frames);
}
