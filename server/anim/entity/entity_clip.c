#include "anim/entity/entity_clip.h"

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

/* How a path of a node differs from rest. */
enum { STAYS = 0, DIFFERS = 1, CHANGES = 2 };

/* A row has the numbers of all nodes, then all morph weights. */
struct sampler {
    const struct entity_motion *motion;
    const struct model *model;
    struct entity_work *work;
    float *first, *before, *row, *rest; /* [row_values] */
    uint8_t *moves;                     /* [node_count][PATH_WEIGHTS + 1] */
    struct scale_frame *frames;         /* [node_count] of a model with MODEL_OWN_SCALES; or NULL */
    size_t row_values;
};

uint64_t entity_clip_steps(const struct entity_motion *motion)
{
    const struct entity *entity = &motion->entity;
    const uint64_t poses = entity->layer_count == 0 ? 1 : 2 * (uint64_t)entity->layer_count,
                   times = 2 * (uint64_t)motion->time_count;
    const uint64_t steps = poses * pose_step_count(entity->model); /* below 2^41 */
    return steps > UINT64_MAX / times ? UINT64_MAX : steps * times;
}

static size_t values_of(const struct sampler *sampler, uint32_t node, uint32_t path, uint32_t *count)
{
    const struct node *at = &sampler->model->nodes[node];
    *count = path == PATH_WEIGHTS ? at->weight_count : COUNTS[path];
    return path == PATH_WEIGHTS ? (size_t)ROW_NODE * sampler->model->node_count + at->weight_first
                                : (size_t)ROW_NODE * node + PLACES[path];
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

static void put_rest(struct sampler *sampler)
{
    const struct model *model = sampler->model;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct trs rest = pose_rest_transform(&model->nodes[n]);
        float *at = sampler->rest + (size_t)ROW_NODE * n;
        put_local(&rest, at, at);
    }
    memcpy(sampler->rest + (size_t)ROW_NODE * model->node_count, model->weights,
           model->weight_count * sizeof *sampler->rest);
}

static int fail_at(const struct sampler *sampler, uint32_t node, uint32_t time, enum err_code code, const char *why,
                   struct err *err)
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
static int check_factors(struct sampler *sampler, uint32_t time, struct err *err)
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

static int check_row(const struct sampler *sampler, uint32_t time, struct err *err)
{
    const struct model *model = sampler->model;
    for (uint32_t n = 0; n < model->node_count; n++)
        for (uint32_t path = 0; path <= PATH_WEIGHTS; path++) {
            uint32_t count;
            const float *at = sampler->row + values_of(sampler, n, path, &count);
            for (uint32_t i = 0; i < count; i++)
                if (!isfinite(at[i]))
                    return fail_at(sampler, n, time, ERR_NOT_FINITE, "has a number that is not finite", err);
        }
    return 0;
}

/* Fills the row of a time. Rotations are on the side of those of the row before. */
static int evaluate(struct sampler *sampler, uint32_t time, struct err *err)
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
    return check_row(sampler, time, err) < 0 ? err->code : check_factors(sampler, time, err);
}

/* --- what moves --- */

static void note_moves(struct sampler *sampler)
{
    for (uint32_t n = 0; n < sampler->model->node_count; n++)
        for (uint32_t path = 0; path <= PATH_WEIGHTS; path++) {
            uint8_t *moves = &sampler->moves[(size_t)n * (PATH_WEIGHTS + 1) + path];
            uint32_t count;
            const size_t at = values_of(sampler, n, path, &count);
            for (uint32_t i = 0; i < count && *moves < CHANGES; i++) {
                if (sampler->row[at + i] != sampler->first[at + i])
                    *moves = CHANGES;
                else if (sampler->row[at + i] != sampler->rest[at + i])
                    *moves = DIFFERS;
            }
        }
}

/* A node given by a matrix has its translation, rotation and scale instead where a layer moves it. */
static void note_matrices(struct sampler *sampler)
{
    const struct model *model = sampler->model;
    for (uint32_t n = 0; n < model->node_count; n++) {
        uint8_t *moves = &sampler->moves[(size_t)n * (PATH_WEIGHTS + 1) + PATH_TRANSLATION];
        if (model->nodes[n].matrix >= 0 && sampler->work->pose.is_animated[n] && *moves == STAYS)
            *moves = DIFFERS;
    }
}

static int find_moves(struct sampler *sampler, struct err *err)
{
    put_rest(sampler);
    for (uint32_t t = 0; t < sampler->motion->time_count; t++) {
        if (evaluate(sampler, t, err) < 0)
            return err->code;
        if (t == 0)
            memcpy(sampler->first, sampler->row, sampler->row_values * sizeof *sampler->row);
        note_moves(sampler);
        note_matrices(sampler);
    }
    return 0;
}

/* --- channels --- */

static int plan_channels(const struct sampler *sampler, struct entity_clip *made, struct err *err)
{
    const uint32_t time_count = sampler->motion->time_count;
    const uint64_t most = sampler->motion->max_values < UINT32_MAX ? sampler->motion->max_values : UINT32_MAX;
    for (uint32_t n = 0; n < sampler->model->node_count; n++)
        for (uint32_t path = 0; path <= PATH_WEIGHTS; path++) {
            const uint8_t moves = sampler->moves[(size_t)n * (PATH_WEIGHTS + 1) + path];
            uint32_t count;
            values_of(sampler, n, path, &count);
            if (moves == STAYS)
                continue;
            const uint32_t key_count = moves == CHANGES ? time_count : 1;
            if (made->value_count + (uint64_t)key_count * count > most)
                return err_set(err, ERR_TOO_MANY_FRAMES, "a clip of %u poses has more than %llu numbers in its keys",
                               time_count, (unsigned long long)most);
            made->channels[made->channel_count++] = (struct channel){.node = n,
                                                                     .path = path,
                                                                     .interpolation = INTERPOLATION_LINEAR,
                                                                     .component_count = count,
                                                                     .key_count = key_count,
                                                                     .value_first = (uint32_t)made->value_count};
            made->value_count += (uint64_t)key_count * count;
        }
    return 0;
}

static int fill(struct sampler *sampler, struct entity_clip *made, struct err *err)
{
    for (uint32_t t = 0; t < made->time_count; t++) {
        if (evaluate(sampler, t, err) < 0)
            return err->code;
        for (uint32_t c = 0; c < made->channel_count; c++) {
            const struct channel *channel = &made->channels[c];
            uint32_t count;
            const size_t from = values_of(sampler, channel->node, channel->path, &count);
            if (t < channel->key_count)
                memcpy(made->values + channel->value_first + (size_t)t * count, sampler->row + from,
                       count * sizeof *made->values);
        }
    }
    return 0;
}

static int make(struct sampler *sampler, struct entity_clip *made, struct err *err)
{
    if (find_moves(sampler, err) < 0 || plan_channels(sampler, made, err) < 0)
        return err->code;
    made->values = malloc((made->value_count + 1) * sizeof *made->values);
    if (made->values == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a clip of %u poses", made->time_count);
    return fill(sampler, made, err);
}

int entity_clip_init(struct entity_clip *made, struct entity_work *work, const struct entity_motion *motion,
                     struct err *err)
{
    const struct model *model = motion->entity.model;
    struct sampler sampler = {.motion = motion,
                              .model = model,
                              .work = work,
                              .row_values = (size_t)ROW_NODE * model->node_count + model->weight_count};
    enum { ROWS = 4 };
    const size_t channels_most = (size_t)model->node_count * (PATH_WEIGHTS + 1);
    float *rows = calloc(ROWS * sampler.row_values + 1, sizeof *rows);
    sampler.moves = calloc(channels_most + 1, sizeof *sampler.moves);
    *made = (struct entity_clip){.channels = calloc(channels_most + 1, sizeof *made->channels),
                                 .times_s = malloc(motion->time_count * sizeof *made->times_s),
                                 .time_count = motion->time_count};
    const bool has_frames = (model->infos[0].flags & MODEL_OWN_SCALES) != 0;
    sampler.frames = has_frames ? calloc((size_t)model->node_count + 1, sizeof *sampler.frames) : NULL;
    int rc = 0;
    if ((has_frames && sampler.frames == NULL) || rows == NULL || sampler.moves == NULL || made->channels == NULL ||
        made->times_s == NULL) {
        rc = err_set(err, ERR_NO_MEMORY, "no memory for a clip of %u poses", motion->time_count);
    } else {
        memcpy(made->times_s, motion->times_s, motion->time_count * sizeof *made->times_s);
        sampler.first = rows;
        sampler.before = rows + sampler.row_values;
        sampler.row = rows + 2 * sampler.row_values;
        sampler.rest = rows + 3 * sampler.row_values;
        rc = make(&sampler, made, err);
    }
    free(rows);
    free(sampler.moves);
    free(sampler.frames);
    return rc;
}

void entity_clip_fini(struct entity_clip *made)
{
    free(made->channels);
    free(made->times_s);
    free(made->values);
    *made = (struct entity_clip){.channels = NULL};
}
