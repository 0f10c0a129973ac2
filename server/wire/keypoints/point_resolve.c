#include "wire/keypoints/point_resolve.h"

#include "wire/encode/json.h"
#include "wire/keypoints/body_points.h"
#include "wire/reply/select.h"

#include <stdio.h>
#include <string.h>

/* Nodes, meshes and draws of the model that are compared with what a request names. */
enum { STEPS_MAX = 20000000 };

/* A request whose points are being found. */
struct resolving {
    const struct request *request;
    const struct model *model;
    uint64_t steps; /* so far */
    bool has_looked, is_human;
    struct humanoid humanoid; /* whose roles name nodes, where is_human */
    struct buf *out;
    struct reply *reply;
};

static int fail(struct resolving *resolving, const struct err *err)
{
    return reply_error(resolving->reply, err, NULL, 0);
}

/* Counts comparisons. */
static int spend(struct resolving *resolving, uint64_t steps)
{
    struct err err;
    resolving->steps += steps;
    if (resolving->steps <= STEPS_MAX)
        return 0;
    err_set(&err, ERR_TOO_MANY_FRAMES,
            "to find the points takes more than %d comparisons with the model's names; indices of joints take none",
            STEPS_MAX);
    return fail(resolving, &err);
}

static void put(struct resolving *resolving, const struct resolved_point *point)
{
    buf_put(resolving->out, point, sizeof *point);
}

static void put_node(struct resolving *resolving, uint32_t node, const char *word)
{
    const struct str name = resolving->model->nodes[node].name;
    struct resolved_point point = {.kind = POINT_NODE, .first = node, .name = word};
    point.name_bytes = word == NULL ? 0 : strlen(word);
    if (word == NULL && (point.name = json_text_of(resolving->model, name)) != NULL)
        point.name_bytes = name.size_bytes;
    put(resolving, &point);
}

/* --- nodes --- */

/* A role is looked for once: humanoid_find() takes long. False: no node has this role. */
static bool find_role(struct resolving *resolving, const struct selector *selector, uint32_t *node)
{
    const int role = humanoid_role(selector->name, selector->name_bytes);
    if (role == ROLE_NONE)
        return false;
    if (!resolving->has_looked)
        resolving->is_human = humanoid_of_model(resolving->model, &resolving->humanoid);
    resolving->has_looked = true;
    if (!resolving->is_human || resolving->humanoid.nodes[role] < 0)
        return false;
    *node = (uint32_t)resolving->humanoid.nodes[role];
    return true;
}

static bool has_name(const struct model *model, const struct selector *selector, uint32_t node)
{
    const struct str name = model->nodes[node].name;
    return name.offset != STR_NONE && name.size_bytes == selector->name_bytes &&
           memcmp(model->text + name.offset, selector->name, name.size_bytes) == 0;
}

/* As select_thing(), for many names. */
static int find_node(struct resolving *resolving, const struct selector *selector, uint32_t *node)
{
    const struct model *model = resolving->model;
    uint32_t hits = 0;
    if (selector->kind == SELECT_NAME) {
        if (spend(resolving, model->node_count) < 0)
            return resolving->reply->code;
        for (uint32_t n = 0; n < model->node_count; n++)
            if (has_name(model, selector, n)) {
                *node = n;
                hits++;
            }
        if (hits == 1 || (hits == 0 && find_role(resolving, selector, node)))
            return 0;
    }
    return select_thing(model, resolving->request->model, THING_NODE, selector, node, resolving->reply);
}

static int put_joints(struct resolving *resolving)
{
    const struct request_pose *pose = &resolving->request->pose;
    uint32_t node;
    for (uint32_t n = 0; resolving->request->keypoints.has_all && n < resolving->model->node_count; n++)
        put_node(resolving, n, NULL);
    for (uint32_t i = 0; i < pose->joint_count; i++) {
        if (find_node(resolving, &pose->joints[i], &node) < 0)
            return resolving->reply->code;
        put_node(resolving, node, NULL);
    }
    return 0;
}

/* --- the body of a human --- */

static void put_openpose(struct resolving *resolving, const struct humanoid *humanoid)
{
    struct body_point body[BODY_POINTS];
    body_points_find(resolving->model, humanoid, body);
    for (int p = 0; p < BODY_POINTS; p++) {
        struct resolved_point point = {.kind = body[p].first < 0    ? POINT_NONE
                                               : body[p].second < 0 ? POINT_NODE
                                                                    : POINT_BETWEEN,
                                       .first = body[p].first < 0 ? 0 : (uint32_t)body[p].first,
                                       .second = body[p].second < 0 ? 0 : (uint32_t)body[p].second,
                                       .name = BODY_POINT_WORDS[p],
                                       .name_bytes = strlen(BODY_POINT_WORDS[p])};
        memcpy(point.place, body[p].place, sizeof point.place);
        put(resolving, &point);
    }
}

static int put_body(struct resolving *resolving)
{
    const struct request *request = resolving->request;
    struct humanoid humanoid;
    struct err err;
    struct humanoid_choice choice = request->retarget.humanoid;
    choice.parameter = "bones";
    if (humanoid_find(resolving->model, &choice, &humanoid, &err) < 0) {
        err_prefix(&err, "'%s': %s", request->model,
                   request->keypoints.has_body ? "parameter 'body' needs a human" : "view=openpose needs a human");
        return fail(resolving, &err);
    }
    if (!request->keypoints.has_body || request->keypoints.body == BODY_OPENPOSE) {
        put_openpose(resolving, &humanoid);
        return 0;
    }
    for (int role = 0; role < ROLE_COUNT; role++)
        if (humanoid.nodes[role] >= 0)
            put_node(resolving, (uint32_t)humanoid.nodes[role], ROLE_WORDS[role]);
    return 0;
}

/* --- points of the body of the request --- */

/* Returns a draw of the primitive, by the node that shows it. */
static int find_draw(struct resolving *resolving, const struct request_point *point, uint32_t primitive, uint32_t *draw)
{
    const struct model *model = resolving->model;
    struct err err;
    uint32_t node = 0, hits = 0;
    const bool has_node = point->node.kind != SELECT_NONE;
    if (has_node && find_node(resolving, &point->node, &node) < 0)
        return resolving->reply->code;
    for (uint32_t d = 0; d < model->draw_count; d++)
        if (model->draws[d].primitive == primitive && (!has_node || model->draws[d].node == node)) {
            *draw = d;
            hits++;
        }
    if (hits == 1)
        return 0;
    if (hits > 1)
        err_set(&err, ERR_BAD_PARAMETER, "%u nodes show the mesh; parameter 'node' says which is meant", hits);
    else if (has_node)
        err_set(&err, ERR_BAD_PARAMETER, "node %u does not show the mesh", node);
    else
        err_set(&err, ERR_BAD_PARAMETER, "no node shows the mesh");
    return fail(resolving, &err);
}

static int check_triangle(const struct model *model, uint32_t mesh, const struct request_point *point, struct err *err)
{
    const uint32_t count = model->meshes[mesh].primitive_count;
    if (point->primitive >= count)
        return err_set(err, ERR_BAD_PARAMETER, "mesh %u has no primitive %u: it has %u", mesh, point->primitive, count);
    const struct primitive *primitive = &model->primitives[model->meshes[mesh].primitive_first + point->primitive];
    if (primitive->topology != TOPOLOGY_TRIANGLES)
        return err_set(err, ERR_BAD_PARAMETER, "primitive %u of mesh %u has no triangles", point->primitive, mesh);
    if (point->triangle >= primitive->index_count / 3)
        return err_set(err, ERR_BAD_PARAMETER, "primitive %u of mesh %u has no triangle %u: it has %u",
                       point->primitive, mesh, point->triangle, primitive->index_count / 3);
    return 0;
}

static int find_on_surface(struct resolving *resolving, const struct request_point *point, struct resolved_point *found)
{
    const struct model *model = resolving->model;
    struct err err;
    uint32_t mesh;
    if (spend(resolving, (uint64_t)model->mesh_count + model->draw_count) < 0 ||
        select_thing(model, resolving->request->model, THING_MESH, &point->thing, &mesh, resolving->reply) < 0)
        return resolving->reply->code;
    if (check_triangle(model, mesh, point, &err) < 0)
        return fail(resolving, &err);
    found->kind = POINT_SURFACE;
    found->second = point->triangle;
    return find_draw(resolving, point, model->meshes[mesh].primitive_first + point->primitive, &found->first);
}

static int put_points(struct resolving *resolving)
{
    const struct request_keypoints *keypoints = &resolving->request->keypoints;
    for (uint32_t i = 0; i < keypoints->point_count; i++) {
        const struct request_point *point = &keypoints->points[i];
        struct resolved_point found = {
            .kind = POINT_NODE, .name = point->name, .name_bytes = point->name == NULL ? 0 : strlen(point->name)};
        memcpy(found.place, point->place, sizeof found.place);
        if (point->is_on_surface ? find_on_surface(resolving, point, &found) < 0
                                 : find_node(resolving, &point->thing, &found.first) < 0) {
            char entry[40];
            snprintf(entry, sizeof entry, "points[%u]", i);
            return reply_prefix(resolving->reply, entry);
        }
        put(resolving, &found);
    }
    return 0;
}

int points_resolve(const struct request *request, const struct model *model, uint64_t most, struct buf *out,
                   struct reply *reply)
{
    struct resolving resolving = {.request = request, .model = model, .out = out, .reply = reply};
    const struct request_keypoints *keypoints = &request->keypoints;
    const uint64_t count = (keypoints->has_all ? model->node_count : request->pose.joint_count) +
                           (uint64_t)keypoints->point_count + (keypoints->has_body ? ROLE_COUNT : 0);
    struct err err;
    if (count > most) {
        err_set(&err, ERR_TOO_MANY_FRAMES, "%llu points are more than %llu, the limit for so many times",
                (unsigned long long)count, (unsigned long long)most);
        return fail(&resolving, &err);
    }
    if (put_joints(&resolving) < 0 || (request_has_body(request) && put_body(&resolving) < 0))
        return reply->code;
    return put_points(&resolving);
}
