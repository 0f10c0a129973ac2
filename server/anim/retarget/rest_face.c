#include "anim/retarget/rest_face.h"

#include "anim/humanoid/expression.h"
#include "anim/humanoid/gaze.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- pairs --- */

static int32_t find_same(const struct model *model, const struct model *other, uint32_t expression)
{
    const struct str name = other->expressions[expression].name;
    return expression_find(model, other->text + name.offset, name.size_bytes);
}

static bool is_gazed(const struct rest_face *face, uint32_t expression)
{
    bool is_found = false;
    for (int i = 0; i < 4; i++)
        is_found = is_found || face->looks[i] == (int32_t)expression;
    return is_found;
}

static void pair_gaze(struct rest_face *face, const struct humanoid *humanoid)
{
    const struct model *model = face->model, *source = face->source;
    const bool has_both = model->gaze_count > 0 && source->gaze_count > 0 && source->gazes[0].node >= 0;
    face->gaze = face->eyes[0] = face->eyes[1] = -1;
    for (int i = 0; i < 4; i++)
        face->looks[i] = has_both && model->gazes[0].kind == GAZE_EXPRESSION
                             ? expression_find(model, GAZE_LOOK_WORDS[i], strlen(GAZE_LOOK_WORDS[i]))
                             : -1;
    for (int i = 0; i < 2 && has_both && model->gazes[0].kind == GAZE_BONE; i++)
        face->eyes[i] = humanoid->nodes[ROLE_LEFT_EYE + i];
    bool is_used = face->eyes[0] >= 0 || face->eyes[1] >= 0;
    for (int i = 0; i < 4; i++)
        is_used = is_used || face->looks[i] >= 0;
    if (is_used)
        face->gaze = source->gazes[0].node;
}

/* Marks the nodes that the clip's expressions move: 1 of is_moved[node_count of the model]. */
static void mark_moved(const struct rest_face *face, uint8_t *is_moved)
{
    for (uint32_t e = 0; e < face->model->expression_count; e++) {
        const struct expression *at = &face->model->expressions[e];
        const bool is_driven = face->sources[e] >= 0 || is_gazed(face, e);
        for (uint32_t b = 0; b < at->bind_count && is_driven; b++) {
            const struct expression_bind *bind = &face->model->expression_binds[at->bind_first + b];
            if (bind->kind == BIND_MORPH)
                is_moved[bind->target] = 1;
        }
    }
}

static void list_nodes(struct rest_face *face)
{
    const struct model *model = face->model;
    uint8_t *is_moved = mem_zalloc((size_t)model->node_count + 1, 1);
    mark_moved(face, is_moved);
    for (uint32_t n = 0; n < model->node_count; n++)
        face->node_count += is_moved[n];
    face->nodes = mem_alloc(face->node_count * sizeof *face->nodes + 1);
    face->node_count = 0;
    for (uint32_t n = 0; n < model->node_count; n++) {
        if (is_moved[n] == 0)
            continue;
        face->nodes[face->node_count++] = (struct face_node){n, face->weight_count};
        face->weight_count += model->nodes[n].weight_count;
    }
    face->weights = mem_zalloc((size_t)face->weight_count + 1, sizeof *face->weights);
    free(is_moved);
}

/* Returns the first of the face's nodes that is not before this node. They rise. */
static uint32_t find_node(const struct rest_face *face, uint32_t node)
{
    uint32_t low = 0, high = face->node_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (face->nodes[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the weight of each bind of an expression that the clip moves. */
static void place_binds(struct rest_face *face)
{
    const struct model *model = face->model;
    face->bind_weights = mem_alloc((size_t)model->expression_bind_count * sizeof *face->bind_weights + 1);
    for (uint32_t e = 0; e < model->expression_count; e++) {
        const struct expression *at = &model->expressions[e];
        const bool is_driven = face->sources[e] >= 0 || is_gazed(face, e);
        for (uint32_t b = at->bind_first; b < at->bind_first + at->bind_count; b++) {
            const struct expression_bind *bind = &model->expression_binds[b];
            const bool is_used = is_driven && bind->kind == BIND_MORPH;
            face->bind_weights[b] =
                is_used ? (int32_t)(face->nodes[find_node(face, bind->target)].first + bind->index) : -1;
        }
    }
}

bool rest_face_is_alone(const struct model *source)
{
    bool has_node = source->gaze_count > 0 && source->gazes[0].node >= 0;
    for (uint32_t e = 0; e < source->expression_count; e++)
        has_node = has_node || source->expressions[e].node >= 0;
    return has_node && source->humanoid_bone_count == 0;
}

void rest_face_init(struct rest_face *face, const struct rest_rig *rig, const struct model *source)
{
    const struct model *model = rig->model;
    *face = (struct rest_face){.model = model, .source = source};
    face->sources = mem_alloc((size_t)model->expression_count * sizeof *face->sources + 1);
    face->shown = mem_zalloc((size_t)model->expression_count + 1, sizeof *face->shown);
    face->is_source = mem_zalloc((size_t)source->node_count + 1, 1);
    pair_gaze(face, &rig->humanoid);
    face->parts = mem_alloc((size_t)model->expression_count + 1);
    for (uint32_t e = 0; e < model->expression_count; e++) {
        face->parts[e] = expression_part(model, e);
        const int32_t other = find_same(source, model, e);
        face->sources[e] = other < 0 ? -1 : source->expressions[other].node;
        if (face->sources[e] >= 0)
            face->is_source[face->sources[e]] = 1;
    }
    if (face->gaze >= 0)
        face->is_source[face->gaze] = 1;
    list_nodes(face);
    place_binds(face);
}

void rest_face_fini(struct rest_face *face)
{
    free(face->sources);
    free(face->shown);
    free(face->nodes);
    free(face->weights);
    free(face->bind_weights);
    free(face->parts);
    free(face->is_source);
    *face = (struct rest_face){0};
}

uint64_t rest_face_held_bytes(const struct rest_face *face)
{
    return face->model->expression_count * (sizeof *face->sources + sizeof *face->shown + sizeof *face->parts) +
           face->model->expression_bind_count * sizeof *face->bind_weights + face->node_count * sizeof *face->nodes +
           face->weight_count * sizeof *face->weights + face->source->node_count * sizeof *face->is_source;
}

uint64_t rest_face_steps(const struct rest_face *face)
{
    return (face->model->expression_count + face->model->expression_bind_count + face->weight_count) / 8;
}

bool rest_face_moves(const struct rest_face *face, uint32_t node, uint32_t path)
{
    if (path == PATH_ROTATION)
        return face->eyes[0] == (int32_t)node || face->eyes[1] == (int32_t)node;
    const uint32_t at = find_node(face, node);
    return path == PATH_WEIGHTS && at < face->node_count && face->nodes[at].node == node;
}

void rest_face_each_missing(const struct rest_face *face, void (*put)(void *context, struct str name), void *context)
{
    const struct model *source = face->source;
    for (uint32_t e = 0; e < source->expression_count; e++)
        if (source->expressions[e].node >= 0 && find_same(face->model, source, e) < 0)
            put(context, source->expressions[e].name);
}

bool rest_face_lacks_gaze(const struct rest_face *face)
{
    return face->gaze < 0 && face->source->gaze_count > 0 && face->source->gazes[0].node >= 0;
}

static void note(void *context, struct str name)
{
    (void)name;
    *(bool *)context = true;
}

uint32_t rest_face_count_warnings(const struct rest_face *face)
{
    bool has_missing = false;
    if (face == NULL)
        return 0;
    rest_face_each_missing(face, note, &has_missing);
    return (uint32_t)has_missing + rest_face_lacks_gaze(face);
}

/* --- the gaze --- */

/* Finds yaw and pitch of a rotation Ry(yaw) Rx(pitch) Rz(roll), in degrees: to the left, and down. */
static void find_angles(const double rotation[4], double *yaw_deg, double *pitch_deg)
{
    const struct mat3 turn = mat3_from_quat(rotation);
    const double down = fmin(1, fmax(-1, -turn.m[7]));
    *yaw_deg = gaze_atan_deg(turn.m[6], turn.m[8]);
    *pitch_deg = gaze_atan_deg(down, sqrt(1 - down * down));
}

static void look(struct rest_face *face, const struct rest_rig *rig, const struct pose *source, struct pose *pose)
{
    const struct gaze *gaze = &face->model->gazes[0];
    double yaw, pitch;
    find_angles(source->local[face->gaze].rotation, &yaw, &pitch);
    for (int i = 0; i < 2; i++) {
        if (face->eyes[i] < 0)
            continue;
        const struct gaze_eye eye = rest_rig_eye(rig, (uint32_t)face->eyes[i], i == 1);
        gaze_turn_eye(gaze, &eye, yaw, pitch, pose->local[face->eyes[i]].rotation);
        pose->is_animated[face->eyes[i]] = true;
    }
    double weights[GAZE_LOOKS];
    gaze_weigh_looks(gaze, yaw, pitch, weights);
    for (int i = 0; i < GAZE_LOOKS; i++)
        if (face->looks[i] >= 0)
            face->shown[face->looks[i]] = (float)weights[i];
}

/* --- expressions --- */

/* Sums the binds. Weights that no expression of the clip moves stay at rest. */
static void apply_weights(struct rest_face *face)
{
    const struct model *model = face->model;
    for (uint32_t i = 0; i < face->node_count; i++) {
        const struct node *node = &model->nodes[face->nodes[i].node];
        for (uint32_t w = 0; w < node->weight_count; w++)
            face->weights[face->nodes[i].first + w] = model->weights[node->weight_first + w];
    }
    for (uint32_t b = 0; b < model->expression_bind_count; b++)
        if (face->bind_weights[b] >= 0)
            face->weights[face->bind_weights[b]] = 0;
    for (uint32_t e = 0; e < model->expression_count; e++) {
        const struct expression *at = &model->expressions[e];
        for (uint32_t b = at->bind_first; b < at->bind_first + at->bind_count; b++)
            if (face->bind_weights[b] >= 0)
                face->weights[face->bind_weights[b]] += face->shown[e] * model->expression_binds[b].weight;
    }
    for (uint32_t w = 0; w < face->weight_count; w++)
        if (!isfinite(face->weights[w]))
            face->weights[w] = 0;
}

void rest_face_evaluate(struct rest_face *face, const struct rest_rig *rig, const struct pose *source,
                        struct pose *pose)
{
    const struct model *model = face->model;
    for (uint32_t e = 0; e < model->expression_count; e++)
        face->shown[e] =
            face->sources[e] < 0 ? 0 : (float)fmin(1, fmax(0, source->local[face->sources[e]].translation[0]));
    if (face->gaze >= 0)
        look(face, rig, source, pose);
    expressions_show(model, face->parts, face->shown);
    apply_weights(face);
}
