/* export_put_nodes.c - writes nodes, their cameras and the scene as JSON (glTF 2.0, 3.5 and 3.10). */
#include "anim/model/constraint_words.h"
#include "anim/pose/pose.h"
#include "base/sort.h"
#include "wire/export/export_optimize.h"
#include "wire/export/shear.h"
#include "wire/optimize/quantize.h"
#include "wire/reply/reply_json.h"

#include <string.h>

/* --- transforms --- */

static void put_part(struct buf *out, const char *key, const float *values, const float *missing, size_t count)
{
    if (memcmp(values, missing, count * sizeof *values) == 0)
        return;
    buf_put_text(out, key);
    json_put_floats(out, values, count);
    buf_put_char(out, ',');
}

static void put_trs(struct buf *out, const float translation[3], const float rotation[4], const float scale[3])
{
    static const float ZERO[3], IDENTITY[4] = {0, 0, 0, 1}, ONE[3] = {1, 1, 1};
    put_part(out, "\"translation\":", translation, ZERO, 3);
    put_part(out, "\"rotation\":", rotation, IDENTITY, 4);
    put_part(out, "\"scale\":", scale, ONE, 3);
}

/* Writes a rotation that is not of unit length as evaluation interprets it. */
static void put_rest(struct buf *out, const struct node *node)
{
    const struct trs rest = pose_rest_transform(node);
    float rotation[4];
    memcpy(rotation, node->rotation, sizeof rotation);
    const double length = sqrt(
        dot4((const double[4]){(double)rotation[0], (double)rotation[1], (double)rotation[2], (double)rotation[3]},
             (const double[4]){(double)rotation[0], (double)rotation[1], (double)rotation[2], (double)rotation[3]}));
    for (int i = 0; i < 4 && fabs(length - 1) > 1e-6; i++)
        rotation[i] = (float)rest.rotation[i];
    put_trs(out, node->translation, rotation, node->scale);
}

/* Whether glTF can express the matrix: it decomposes, and none of its axes is degenerate (3.5.2). */
static bool is_plain_matrix(const struct export *e, uint32_t n)
{
    const struct node *node = &e->model->nodes[n];
    return node->matrix >= 0 && !e->is_moved[n] && (node->flags & NODE_SHEAR) == 0 && node->scale[0] != 0 &&
           node->scale[1] != 0 && node->scale[2] != 0;
}

/* Writes the transform from places on a grid, by 32767, to the mesh's positions; nothing without a grid. */
static void put_grid(struct export *e, const struct grid *grid)
{
    static const float IDENTITY[4] = {0, 0, 0, 1};
    float translation[3] = {0, 0, 0}, scale[3] = {1, 1, 1};
    for (int i = 0; i < 3 && grid != NULL; i++) {
        translation[i] = (float)grid->middle[i];
        scale[i] = (float)grid->side;
    }
    put_trs(e->out, translation, IDENTITY, scale);
}

static void put_transform(struct export *e, const struct export_node *at)
{
    static const float NOWHERE[3], ONE[3] = {1, 1, 1}, TO_X[4] = {0, -0.70710678f, 0, 0.70710678f};
    const struct model *model = e->model;
    const struct node *node = at->source == GLB_NONE ? NULL : &model->nodes[at->source];
    struct shear_parts parts;
    if (at->kind == EXPORT_TOP && e->has_axes) {
        buf_put_text(e->out, "\"matrix\":");
        json_put_floats(e->out, e->top_from_scene, 16);
        buf_put_char(e->out, ',');
    } else if (at->kind == EXPORT_VIEW) {
        put_trs(e->out, NOWHERE, TO_X, ONE);
    } else if (at->kind == EXPORT_MESH) {
        put_grid(e, export_grid_of_node(e, at->source));
    } else if (at->kind == EXPORT_SHEAR) {
        shear_take_apart(&model->node_matrices[node->matrix], &parts);
        put_trs(e->out, parts.translation, parts.outer_rotation, parts.scale);
    } else if (at->kind == EXPORT_NODE && (node->flags & NODE_SHEAR) != 0 && !e->is_moved[at->source]) {
        shear_take_apart(&model->node_matrices[node->matrix], &parts);
        put_trs(e->out, NOWHERE, parts.inner_rotation, ONE);
    } else if (at->kind == EXPORT_NODE && is_plain_matrix(e, at->source)) {
        buf_put_text(e->out, "\"matrix\":");
        json_put_floats(e->out, model->node_matrices[node->matrix].m, 16);
        buf_put_char(e->out, ',');
    } else if (at->kind == EXPORT_NODE) {
        put_rest(e->out, node);
    }
}

/* --- attachments of a node --- */

/* Returns the file's index of the camera at a node with this facing, or GLB_NONE. */
static uint32_t camera_of(const struct export *e, uint32_t node, uint32_t facing)
{
    const uint32_t low = LOWER_BOUND(e->model->cameras, e->model->camera_count, node, node);
    const bool is_there = low < e->model->camera_count && e->model->cameras[low].node == node &&
                          e->model->cameras[low].facing == facing && e->keeps[node] == KEEP_ALL;
    return is_there ? e->camera_places[low] : GLB_NONE;
}

static void put_weights(struct export *e, const struct node *node, uint32_t count)
{
    const float *weights = e->model->weights + node->weight_first;
    bool is_needed = false;
    for (uint32_t w = 0; w < node->weight_count; w++)
        is_needed = is_needed || weights[w] != 0;
    for (uint32_t w = 0; w < count && is_needed; w++) {
        buf_put_text(e->out, w == 0 ? "\"weights\":[" : ",");
        json_put_float(e->out, w < node->weight_count ? weights[w] : 0);
    }
    if (is_needed && count > 0)
        buf_put_text(e->out, "],");
}

static void put_mesh(struct export *e, uint32_t n)
{
    const struct node *node = &e->model->nodes[n];
    const uint32_t mesh = export_mesh_of(e, n);
    if (mesh == GLB_NONE)
        return;
    json_printf(e->out, "\"mesh\":%u,", mesh);
    if (node->skin >= 0)
        json_printf(e->out, "\"skin\":%u,", e->skin_places[node->skin]);
    put_weights(e, node, e->meshes[mesh].target_count);
}

static void put_children(struct export *e, const struct export_node *at)
{
    for (uint32_t p = at->first_child; p != GLB_NONE && !buf_failed(e->out); p = e->nodes[p].next_sibling) {
        buf_put_text(e->out, p == at->first_child ? "\"children\":[" : ",");
        json_put_uint(e->out, p);
    }
    if (at->first_child != GLB_NONE)
        buf_put_text(e->out, "],");
}

/* The constraint comes from the model, which lacks those that the specification forbids, and not from the source. */
static void put_constraint(struct export *e, const struct node_constraint *at)
{
    json_printf(e->out, "\"VRMC_node_constraint\":{\"specVersion\":\"1.0\",\"constraint\":{%s:{\"source\":%u",
                constraint_kind_word(at->kind), e->node_places[at->source]);
    if (constraint_axis_member(at->kind) != NULL)
        json_printf(e->out, ",%s:%s", constraint_axis_member(at->kind), constraint_axis_word(at->kind, at->axis));
    buf_put_text(e->out, ",\"weight\":");
    json_put_float(e->out, at->weight);
    buf_put_text(e->out, "}}},");
    e->extensions |= 1U << GLB_NODE_CONSTRAINT;
}

/* Writes "extensions":{..} and a comma if the node has some. */
static void put_node_extensions(struct export *e, uint32_t n)
{
    struct buf *out = e->out;
    const uint32_t light = export_light_of(e, n);
    const struct node_constraint *constraint = e->constraints[n];
    const bool has_own = e->visibilities[n] != VISIBLE_NOT_SAID || light != GLB_NONE || constraint != NULL;
    static const char OPENING[] = "\"extensions\":{";
    if (has_own)
        buf_put_text(out, OPENING);
    if (light != GLB_NONE)
        json_printf(out, "\"KHR_lights_punctual\":{\"light\":%u},", light);
    if (constraint != NULL)
        put_constraint(e, constraint);
    if (e->visibilities[n] != VISIBLE_NOT_SAID) {
        buf_put_text(out, "\"KHR_node_visibility\":{\"visible\":");
        buf_put_text(out, e->visibilities[n] == VISIBLE_YES ? "true}," : "false},");
        e->extensions |= 1U << GLB_VISIBILITY;
    }
    if (has_own && !buf_failed(out))
        out->size_bytes--; /* the last comma */
    if (export_put_carried(e, CARRY_NODE, n, has_own ? "," : OPENING) || has_own)
        buf_put_text(out, "},");
}

static void put_node(struct export *e, const struct export_node *at)
{
    struct buf *out = e->out;
    const size_t begin = out->size_bytes;
    buf_put_char(out, '{');
    if (at->kind == EXPORT_NODE)
        glb_put_name(out, e->model, e->model->nodes[at->source].name);
    else if (at->kind == EXPORT_TOP)
        buf_put_text(out, e->has_axes ? "\"name\":\"gltf_from_scene\"," : "\"name\":\"scene\",");
    put_transform(e, at);
    if (at->kind == EXPORT_MESH || (at->kind == EXPORT_NODE && e->keeps[at->source] == KEEP_ALL &&
                                    &e->nodes[e->mesh_node_places[at->source]] == at))
        put_mesh(e, at->source);
    if (at->kind == EXPORT_NODE || at->kind == EXPORT_VIEW) {
        const uint32_t facing = at->kind == EXPORT_VIEW ? CAMERA_FACING_X : CAMERA_FACING_MINUS_Z;
        const uint32_t camera = camera_of(e, at->source, facing);
        if (camera != GLB_NONE)
            json_printf(out, "\"camera\":%u,", camera);
    }
    put_children(e, at);
    if (at->kind == EXPORT_NODE)
        put_node_extensions(e, at->source);
    if (!buf_failed(out) && out->size_bytes > begin + 1)
        out->size_bytes--; /* the last comma: extras begin with one */
    const size_t before = out->size_bytes;
    if (at->kind == EXPORT_NODE)
        put_extras(out, e->model, EXTRA_NODE, at->source);
    if (!buf_failed(out) && before == begin + 1 && out->size_bytes > before) { /* drops a leading comma */
        memmove(out->data + before, out->data + before + 1, out->size_bytes - before - 1);
        out->size_bytes--;
    }
    buf_put_char(out, '}');
}

static void put_camera(struct export *e, uint32_t index)
{
    const struct model_camera *camera = &e->model->cameras[index];
    struct buf *out = e->out;
    buf_put_char(out, '{');
    glb_put_name(out, e->model, camera->name);
    if (camera->kind == CAMERA_PERSPECTIVE) {
        json_printf(out, "\"type\":\"perspective\",\"perspective\":{\"yfov\":%f,\"znear\":%f", (double)camera->height,
                    (double)camera->z_near);
        if (camera->width > 0)
            json_printf(out, ",\"aspectRatio\":%f", (double)camera->width);
        if (camera->z_far > 0)
            json_printf(out, ",\"zfar\":%f", (double)camera->z_far);
    } else {
        json_printf(out, "\"type\":\"orthographic\",\"orthographic\":{\"xmag\":%f,\"ymag\":%f,\"znear\":%f,\"zfar\":%f",
                    (double)camera->width, (double)camera->height, (double)camera->z_near, (double)camera->z_far);
    }
    buf_put_char(out, '}');
    export_put_extras(e, CARRY_CAMERA, index);
    buf_put_char(out, '}');
}

static void put_cameras(struct export *e)
{
    bool is_first = true;
    for (uint32_t c = 0; c < e->model->camera_count && !buf_failed(e->out); c++) {
        if (e->keeps[e->model->cameras[c].node] != KEEP_ALL)
            continue;
        buf_put_text(e->out, is_first ? ",\"cameras\":[" : ",");
        is_first = false;
        put_camera(e, c);
    }
    if (!is_first)
        buf_put_char(e->out, ']');
}

bool export_put_nodes(struct export *e)
{
    for (uint32_t p = 0; p < e->node_count && !buf_failed(e->out); p++) {
        buf_put_text(e->out, p == 0 ? ",\"nodes\":[" : ",");
        put_node(e, &e->nodes[p]);
    }
    if (e->node_count > 0)
        buf_put_char(e->out, ']');
    if (!export_put_scenes(e))
        return false;
    put_cameras(e);
    return true;
}
