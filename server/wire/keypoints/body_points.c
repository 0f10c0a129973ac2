#include "wire/keypoints/body_points.h"

#include "anim/pose/pose.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { NOSE, NECK, R_SHOULDER, L_SHOULDER = 5, R_EYE = 14, L_EYE, R_EAR, L_EAR };

const char *const BODY_POINT_WORDS[BODY_POINTS] = {
    "nose",       "neck",       "right_shoulder", "right_elbow", "right_wrist", "left_shoulder",
    "left_elbow", "left_wrist", "right_hip",      "right_knee",  "right_ankle", "left_hip",
    "left_knee",  "left_ankle", "right_eye",      "left_eye",    "right_ear",   "left_ear"};

/* The roles of the points that are joints. */
static const int ROLES[BODY_POINTS] = {[NOSE] = ROLE_NONE,   [NECK] = ROLE_NONE,  [R_SHOULDER] = ROLE_RIGHT_UPPER_ARM,
                                       ROLE_RIGHT_LOWER_ARM, ROLE_RIGHT_HAND,     [L_SHOULDER] = ROLE_LEFT_UPPER_ARM,
                                       ROLE_LEFT_LOWER_ARM,  ROLE_LEFT_HAND,      ROLE_RIGHT_UPPER_LEG,
                                       ROLE_RIGHT_LOWER_LEG, ROLE_RIGHT_FOOT,     ROLE_LEFT_UPPER_LEG,
                                       ROLE_LEFT_LOWER_LEG,  ROLE_LEFT_FOOT,      [R_EYE] = ROLE_RIGHT_EYE,
                                       ROLE_LEFT_EYE,        [R_EAR] = ROLE_NONE, ROLE_NONE};

/* A place of a face: shares of a length to the left, upwards and forwards. */
struct face_place {
    int point;
    double left, up, forward;
};

/* From the middle between the eyes, in distances between them. An adult's pupils are 63 mm apart; the tip of the nose
 * is 38 mm below and 30 mm in front of the middle of the eyeballs, the openings of the ears are 75 mm to its sides and
 * 80 mm behind. */
static const struct face_place BY_EYES[] = {{NOSE, 0, -0.6, 0.5}, {R_EAR, -1.2, -0.1, -1.3}, {L_EAR, 1.2, -0.1, -1.3}};
/* From the origin of the head's joint, where the skull sits on the neck: upwards and to the left in heights of the head
 * above it (190 mm), forwards in how far the face reaches. */
static const struct face_place BY_HEAD[] = {{NOSE, 0, 0.33, 1},
                                            {R_EYE, -0.17, 0.52, 0.75},
                                            {L_EYE, 0.17, 0.52, 0.75},
                                            {R_EAR, -0.4, 0.42, 0.05},
                                            {L_EAR, 0.4, 0.42, 0.05}};
/* Of the distance between the shoulders' joints (360 mm), where the head leads no vertices. */
static const double HEIGHT_OF_SHOULDERS = 0.53, REACH_OF_HEIGHT = 0.63;

/* A humanoid at rest. */
struct rest_body {
    const struct model *model;
    const struct humanoid *humanoid;
    struct pose pose;
    double left[3], up[3], forward[3]; /* unit vectors in scene space */
};

static const double *place_of(const struct rest_body *body, int role)
{
    return body->pose.scene_from_node[body->humanoid->nodes[role]].m + 12;
}

static bool has(const struct humanoid *humanoid, int role) { return humanoid->nodes[role] >= 0; }

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

/* Some files call the left side of their model right, and its face would then be behind the head: toes tell where it
 * looks, or else the file. */
static void find_front(struct rest_body *body)
{
    static const int FEET[] = {ROLE_LEFT_FOOT, ROLE_RIGHT_FOOT}, TOES[] = {ROLE_LEFT_TOES, ROLE_RIGHT_TOES};
    const float *told = body->model->infos[0].forward;
    double ahead = 0, foot[3];
    cross3(body->left, body->up, body->forward);
    for (int i = 0; i < 2; i++)
        if (has(body->humanoid, FEET[i]) && has(body->humanoid, TOES[i])) {
            subtract(place_of(body, TOES[i]), place_of(body, FEET[i]), foot);
            ahead += dot3(foot, body->forward);
        }
    if (!(fabs(ahead) > 0))
        ahead = dot3((const double[3]){(double)told[0], (double)told[1], (double)told[2]}, body->forward);
    for (int i = 0; i < 3 && ahead < 0; i++)
        body->forward[i] = -body->forward[i];
}

/* Finds the body's directions from its joints, so they are right however it lies. False: it has none. */
static bool find_axes(struct rest_body *body)
{
    const bool has_arms = has(body->humanoid, ROLE_LEFT_UPPER_ARM) && has(body->humanoid, ROLE_RIGHT_UPPER_ARM);
    subtract(place_of(body, has_arms ? ROLE_LEFT_UPPER_ARM : ROLE_LEFT_UPPER_LEG),
             place_of(body, has_arms ? ROLE_RIGHT_UPPER_ARM : ROLE_RIGHT_UPPER_LEG), body->left);
    subtract(place_of(body, ROLE_HEAD), place_of(body, ROLE_HIPS), body->up);
    if (!(unit3(body->left) > 0))
        return false;
    const double share = dot3(body->left, body->up);
    for (int i = 0; i < 3; i++)
        body->up[i] -= share * body->left[i];
    if (!(unit3(body->up) > 0))
        return false;
    find_front(body);
    return true;
}

/* --- the vertices of the head --- */

/* Marks the head's node and all below it. */
static void mark_head(const struct rest_body *body, uint8_t *is_head)
{
    const struct model *model = body->model;
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t node = model->node_order[i];
        const int32_t parent = model->nodes[node].parent;
        is_head[node] = (int32_t)node == body->humanoid->nodes[ROLE_HEAD] || (parent >= 0 && is_head[parent] != 0);
    }
}

/* Measures how far the vertices of a draw that the head leads reach above and in front of its joint. */
static void measure_draw(const struct rest_body *body, const struct draw *draw, const uint8_t *is_head, double *height,
                         double *reach)
{
    const struct model *model = body->model;
    const struct primitive *primitive = &model->primitives[draw->primitive];
    const struct skin *skin = &model->skins[draw->skin];
    const double *head = place_of(body, ROLE_HEAD);
    for (uint32_t v = primitive->vertex_first; v < primitive->vertex_first + primitive->vertex_count; v++) {
        const struct joint *joint = &model->joints[model_strongest_joint(model, skin, v)];
        double at[3], scene[3];
        if (is_head[joint->node] == 0)
            continue;
        const struct dmat4 joint_from_bind = dmat4_from_mat4(&joint->joint_from_bind);
        const struct vec3 bind = model->positions[v];
        dmat4_point(&joint_from_bind, (const double[3]){(double)bind.x, (double)bind.y, (double)bind.z}, at);
        dmat4_point(&body->pose.scene_from_node[joint->node], at, scene);
        subtract(scene, head, at);
        *height = fmax(*height, dot3(at, body->up));
        *reach = fmax(*reach, dot3(at, body->forward));
    }
}

static void measure_head(const struct rest_body *body, double *height, double *reach)
{
    const struct model *model = body->model;
    uint8_t *is_head = mem_zalloc(model->node_count, sizeof *is_head);
    *height = *reach = 0;
    mark_head(body, is_head);
    for (uint32_t d = 0; d < model->draw_count; d++)
        if ((model->draws[d].flags & DRAW_IN_SCENE) != 0)
            measure_draw(body, &model->draws[d], is_head, height, reach);
    free(is_head);
    if (*height > 0 && *reach > 0)
        return;
    double across[3] = {0, 0, 0};
    if (has(body->humanoid, ROLE_LEFT_UPPER_ARM) && has(body->humanoid, ROLE_RIGHT_UPPER_ARM))
        subtract(place_of(body, ROLE_LEFT_UPPER_ARM), place_of(body, ROLE_RIGHT_UPPER_ARM), across);
    *height = HEIGHT_OF_SHOULDERS * sqrt(dot3(across, across));
    *reach = REACH_OF_HEIGHT * *height;
}

/* --- the face --- */

/* Fixes a place of the rest pose to the head. */
static void fix_to_head(const struct rest_body *body, const double scene[3], struct body_point *point)
{
    const int32_t head = body->humanoid->nodes[ROLE_HEAD];
    struct dmat4 head_from_scene;
    if (!dmat4_invert(&body->pose.scene_from_node[head], &head_from_scene))
        return;
    dmat4_point(&head_from_scene, scene, point->place);
    const bool is_finite = isfinite(point->place[0]) && isfinite(point->place[1]) && isfinite(point->place[2]);
    point->first = is_finite ? head : -1;
}

static void put_face(const struct rest_body *body, const struct face_place *places, int count, const double origin[3],
                     double size, double reach, struct body_point out[BODY_POINTS])
{
    for (int p = 0; p < count; p++) {
        double scene[3];
        for (int i = 0; i < 3; i++)
            scene[i] = origin[i] + size * (places[p].left * body->left[i] + places[p].up * body->up[i]) +
                       reach * places[p].forward * body->forward[i];
        fix_to_head(body, scene, &out[places[p].point]);
    }
}

static void find_face(struct rest_body *body, struct body_point out[BODY_POINTS])
{
    double height, reach, across[3];
    if (has(body->humanoid, ROLE_LEFT_EYE) && has(body->humanoid, ROLE_RIGHT_EYE)) {
        const double *left = place_of(body, ROLE_LEFT_EYE), *right = place_of(body, ROLE_RIGHT_EYE);
        const double middle[3] = {(left[0] + right[0]) / 2, (left[1] + right[1]) / 2, (left[2] + right[2]) / 2};
        subtract(left, right, across);
        const double apart = sqrt(dot3(across, across));
        if (apart > 0) {
            put_face(body, BY_EYES, sizeof BY_EYES / sizeof *BY_EYES, middle, apart, apart, out);
            return;
        }
    }
    measure_head(body, &height, &reach);
    if (height > 0)
        put_face(body, BY_HEAD, sizeof BY_HEAD / sizeof *BY_HEAD, place_of(body, ROLE_HEAD), height, reach, out);
}

void body_points_find(const struct model *model, const struct humanoid *humanoid, struct body_point out[BODY_POINTS])
{
    for (int p = 0; p < BODY_POINTS; p++)
        out[p] = (struct body_point){.first = ROLES[p] == ROLE_NONE ? -1 : humanoid->nodes[ROLES[p]], .second = -1};
    if (out[R_SHOULDER].first >= 0 && out[L_SHOULDER].first >= 0)
        out[NECK] = (struct body_point){.first = out[R_SHOULDER].first, .second = out[L_SHOULDER].first};
    if (!has(humanoid, ROLE_HEAD))
        return;
    struct rest_body body = {.model = model, .humanoid = humanoid};
    pose_init(&body.pose);
    pose_evaluate(&body.pose, model, POSE_REST, 0);
    if (find_axes(&body))
        find_face(&body, out);
    pose_fini(&body.pose);
}
