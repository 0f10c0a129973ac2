/* Writes the posed model as a GLB file (protocol/glb.md). */
#include "anim/pose/visibility.h"
#include "base/version.h"
#include "wire/pose/pose_bodies.h"
#include "wire/pose/pose_looks.h"
#include "wire/pose/deform.h"
#include "wire/glb/axes.h"
#include "wire/glb/primitives.h"
#include "wire/glb/surfaces.h"
#include "wire/reply/reply_json.h"

#include <string.h>

/* The accessors of a draw; GLB_NONE for a missing array. */
struct glb_primitive {
    uint32_t accessors[GLB_INDICES + 1];
};

/* The state of the file. It borrows arrays from struct workspace. A place is an index in the file; GLB_NONE marks an
 * absent item. */
struct posed_file {
    struct glb_primitive *entries; /* one per draw of context->work.mesh */
    uint32_t *entry_of;            /* [primitive_count]: the first entry with that primitive */
    struct appearance appearance;
    struct model shown; /* with this appearance */
    struct surfaces surfaces;
};

/* --- selection --- */

static bool has_geometry(const struct primitive *primitive)
{
    return primitive->vertex_count > 0 && primitive->index_count > 0;
}

/* Returns the nodes that the clip shows at the requested time. NULL: the flags of the draws apply, as in a blend, or
 * out of memory and the reply is an error. */
static const uint8_t *find_shown(struct reply_context *context)
{
    const struct model *model = context->model;
    const struct request *request = context->request;
    if (request->pose.layer_count > 0 || !visibility_is_animated(model, context->clip))
        return NULL;
    uint8_t *is_shown = context_array(context, &context->workspace->places, model->node_count, 1);
    if (is_shown != NULL)
        visibility_evaluate(model, (uint32_t)context->clip, clip_time_in_span(&context->span, request->pose.times_s[0]),
                            is_shown);
    return is_shown;
}

static bool is_drawn(const struct model *model, const struct draw *draw, const uint8_t *is_shown)
{
    return is_shown == NULL ? (draw->flags & DRAW_IN_SCENE) != 0
                            : is_shown[draw->node] && (model->nodes[draw->node].flags & NODE_IN_SCENE) != 0;
}

/* Keeps the draws that a viewer of the source would draw; when its scene has none of them, keeps all. False: the reply
 * is an error. */
static bool keep_drawn(struct reply_context *context)
{
    struct deform *deform = &context->work.mesh;
    const uint8_t *is_shown = find_shown(context);
    bool is_any_drawn = false;
    uint32_t kept = 0;
    uint64_t vertices = 0;
    for (uint32_t e = 0; e < deform->draw_count; e++)
        is_any_drawn |=
            has_geometry(deform_primitive(context, e)) && is_drawn(context->model, deform_draw(context, e), is_shown);
    for (uint32_t e = 0; e < deform->draw_count; e++) {
        const struct primitive *primitive = deform_primitive(context, e);
        const bool is_hidden = is_any_drawn && !is_drawn(context->model, deform_draw(context, e), is_shown);
        if (!has_geometry(primitive) || is_hidden)
            continue;
        deform->draws[kept++] = deform->draws[e];
        vertices += primitive->vertex_count;
    }
    deform->draw_count = kept;
    if (kept == 0) {
        struct err err;
        err_set(&err, ERR_NOTHING_TO_DRAW, "'%s' has no geometry%s", context->request->model,
                context->request->mesh.kind == SELECT_NONE ? "" : " in that mesh");
        return context_fail(context, &err);
    }
    /* positions and normals alone exceed the limit: no need to pose vertices or compress textures */
    if (vertices * 2 * sizeof(struct vec3) > context->limit_bytes)
        return context_fail_too_large(context);
    return true;
}

/* Materials at the requested time, as for find_shown(). False: the reply is an error. */
static bool find_appearance(struct reply_context *context, struct posed_file *file)
{
    if (pose_looks_need_pose(context, 0))
        context_evaluate(context, 0);
    if (!pose_looks_evaluate(context, &file->appearance, 0))
        return false;
    file->shown = appearance_view(&file->appearance, context->model);
    return true;
}

static bool plan(struct reply_context *context, struct posed_file *file)
{
    struct workspace *workspace = context->workspace;
    const struct model *model = context->model;
    const size_t places = model->primitive_count + surfaces_places(model);
    glb_clear(&workspace->glb, context->limit_bytes);
    if (!keep_drawn(context) || !find_appearance(context, file))
        return false;
    file->entries = context_array(context, &workspace->blocks, context->work.mesh.draw_count, sizeof *file->entries);
    file->entry_of = context_array(context, &workspace->places, places, sizeof *file->entry_of);
    if (file->entries == NULL || file->entry_of == NULL)
        return false;
    memset(file->entry_of, 0xff, model->primitive_count * sizeof *file->entry_of); /* GLB_NONE */
    surfaces_init(&file->surfaces, &file->shown, &context->request->textures, workspace->pictures,
                  file->entry_of + model->primitive_count);
    for (uint32_t e = 0; e < context->work.mesh.draw_count; e++)
        surfaces_use(&file->surfaces, deform_material(context, e));
    return context_is_affordable(context, surfaces_number(&file->surfaces) / SURFACES_PIXEL_BYTES_PER_STEP);
}

/* --- geometry --- */

/* A mirroring transform inverts the winding of triangles. Viewers correct that for a node (3.7.4). The file has no such
 * node, so it has to reverse the triangles itself. */
static bool is_mirrored(const struct reply_context *context, uint32_t entry)
{
    const struct skin *skin = &context->model->skins[deform_draw(context, entry)->skin];
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        const struct dmat4 matrix = dmat4_from_mat4(&context->work.mesh.palette.matrices[j]);
        if (!(determinant3(matrix.m, matrix.m + 4, matrix.m + 8) < 0))
            return false;
    }
    return true;
}

static void turn_triangles(struct glb_writer *glb, uint32_t index_count)
{
    uint32_t *indices = (uint32_t *)(void *)(glb->bin.data + glb->bin.size_bytes) - index_count;
    for (uint32_t i = 0; i + 2 < index_count; i += 3) {
        const uint32_t second = indices[i + 1];
        indices[i + 1] = indices[i + 2];
        indices[i + 2] = second;
    }
}

/* Adds the arrays that do not depend on the pose, once for all entries of a primitive. */
static void add_fixed(struct reply_context *context, struct posed_file *file, uint32_t entry)
{
    const struct primitive *p = deform_primitive(context, entry);
    const int32_t material = deform_material(context, entry);
    const bool is_textured[2] = {surfaces_is_textured(&file->surfaces, material, 0),
                                 surfaces_is_textured(&file->surfaces, material, 1)};
    struct glb_writer *glb = &context->workspace->glb;
    uint32_t *accessors = file->entries[entry].accessors;
    surfaces_add_texcoords(&file->surfaces, glb, p, is_textured, &accessors[GLB_TEXCOORD]);
    if ((p->flags & PRIMITIVE_COLORS) != 0)
        accessors[GLB_COLOR] = glb_add_colors(glb, context->model->colors + p->vertex_first, p->vertex_count);
}

static void add_indices(struct reply_context *context, struct posed_file *file, uint32_t entry, bool is_turned)
{
    const struct primitive *p = deform_primitive(context, entry);
    uint32_t *accessors = file->entries[entry].accessors;
    accessors[GLB_INDICES] =
        glb_add(&context->workspace->glb, GLB_INDICES, context->model->indices + p->index_first, p->index_count);
    if (is_turned && !glb_failed(&context->workspace->glb))
        turn_triangles(&context->workspace->glb, p->index_count);
}

/* False: the reply is an error. */
static bool add_entry(struct reply_context *context, struct posed_file *file, uint32_t entry)
{
    const uint32_t place = deform_draw(context, entry)->primitive;
    const struct primitive *p = &context->model->primitives[place];
    const double time_s = context->request->pose.times_s[0];
    const struct vec3 *vertices = context->work.mesh.deformed;
    uint32_t *accessors = file->entries[entry].accessors, *first = &file->entry_of[place];
    if (*first != GLB_NONE)
        file->entries[entry] = file->entries[*first];
    else
        memset(accessors, 0xff, sizeof file->entries[entry]); /* GLB_NONE */
    if (!deform_entry(context, entry, BLOCK_POSITIONS, time_s))
        return false;
    accessors[GLB_POSITION] = glb_add(&context->workspace->glb, GLB_POSITION, vertices, p->vertex_count);
    if (glb_has_normals(p)) {
        if (!deform_entry(context, entry, BLOCK_NORMALS, time_s))
            return false;
        accessors[GLB_NORMAL] = glb_add(&context->workspace->glb, GLB_NORMAL, vertices, p->vertex_count);
        if (surfaces_wants_tangents(&file->surfaces, p, deform_material(context, entry)))
            accessors[GLB_TANGENT] =
                glb_add(&context->workspace->glb, GLB_TANGENT, deform_tangents(context, entry), p->vertex_count);
    }
    const bool is_turned = p->topology == TOPOLOGY_TRIANGLES && is_mirrored(context, entry);
    if (*first == GLB_NONE)
        add_fixed(context, file, entry);
    if (*first == GLB_NONE || is_turned)
        add_indices(context, file, entry, is_turned);
    if (*first == GLB_NONE && !is_turned)
        *first = entry;
    return true;
}

/* --- JSON --- */

/* {"asset":{..} without its end */
static bool put_asset(struct reply_context *context, const struct posed_file *file)
{
    struct buf *out = context->out;
    buf_put_text(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"posed " POSED_RELEASE "\"");
    put_carried(out, context->model, CARRY_ASSET, 0, "copyright", ",\"copyright\":");
    buf_put_text(out, ",\"extras\":");
    context_put_head(context);
    buf_put_text(out, ",\"frame\":");
    context_put_frame_head(context, 0);
    if (!motion_put(context, context->request->pose.times_s[0]))
        return false;
    buf_put_char(out, '}');
    surfaces_put_texture_states(&file->surfaces, context->out);
    buf_put_text(out, "}}");
    return true;
}

static void put_primitive(struct reply_context *context, const struct posed_file *file, uint32_t entry)
{
    const struct primitive *p = deform_primitive(context, entry);
    const uint32_t *accessors = file->entries[entry].accessors;
    buf_put_char(context->out, '{');
    glb_put_attributes(context->out, accessors);
    json_printf(context->out, "},\"indices\":%u", accessors[GLB_INDICES]);
    glb_put_mode(context->out, p);
    const int32_t material = deform_material(context, entry);
    if (material >= 0)
        json_printf(context->out, ",\"material\":%u", file->surfaces.materials[material]);
    buf_put_char(context->out, '}');
}

/* True for the first entry of a node. */
static bool is_first(const struct reply_context *context, uint32_t entry)
{
    return entry == 0 || deform_draw(context, entry)->node != deform_draw(context, entry - 1)->node;
}

/* Writes ,"meshes":[..], one per node, because their vertices differ. Returns their number. */
static uint32_t put_meshes(struct reply_context *context, const struct posed_file *file)
{
    struct buf *out = context->out;
    uint32_t count = 0;
    for (uint32_t e = 0; e < context->work.mesh.draw_count && !buf_failed(out); e++) {
        if (is_first(context, e)) {
            buf_put_text(out, count++ == 0 ? ",\"meshes\":[{" : "]},{");
            glb_put_name(out, context->model, context->model->meshes[deform_primitive(context, e)->mesh].name);
            buf_put_text(out, "\"primitives\":[");
        } else {
            buf_put_char(out, ',');
        }
        put_primitive(context, file, e);
    }
    buf_put_text(out, "]}]");
    return count;
}

/* [0,1,2,.. */
static void put_range(struct buf *out, uint32_t count)
{
    for (uint32_t i = 0; i < count && !buf_failed(out); i++) {
        buf_put_char(out, i == 0 ? '[' : ',');
        json_put_uint(out, i);
    }
    buf_put_char(out, ']');
}

/* Writes ,"nodes":[..] and the scene: the mesh nodes, below a node with rotation and scale if needed. */
static void put_nodes(struct reply_context *context, uint32_t mesh_count)
{
    const struct model *model = context->model;
    struct buf *out = context->out;
    uint32_t mesh = 0;
    float gltf_from_scene[16];
    buf_put_text(out, ",\"nodes\":[");
    for (uint32_t e = 0; e < context->work.mesh.draw_count && !buf_failed(out); e++) {
        const uint32_t node = deform_draw(context, e)->node;
        if (!is_first(context, e))
            continue;
        buf_put_text(out, mesh == 0 ? "{" : ",{");
        glb_put_name(out, model, model->nodes[node].name);
        json_printf(out, "\"mesh\":%u", mesh++);
        put_extras(out, model, EXTRA_NODE, node);
        buf_put_char(out, '}');
    }
    const bool has_axes = axes_find(&model->infos[0], gltf_from_scene);
    if (has_axes) {
        buf_put_text(out, ",{\"name\":\"gltf_from_scene\",\"matrix\":");
        json_put_floats(out, gltf_from_scene, 16);
        buf_put_text(out, ",\"children\":");
        put_range(out, mesh_count);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "],\"scene\":0,\"scenes\":[{\"nodes\":");
    if (has_axes)
        json_printf(out, "[%u", mesh_count);
    else
        put_range(out, mesh_count);
    buf_put_text(out, has_axes ? "]}]" : "}]");
}

static void put_file(struct reply_context *context, struct posed_file *file)
{
    struct glb_writer *glb = &context->workspace->glb;
    if (!deform_start(context) || !plan(context, file))
        return;
    context_evaluate(context, 0);
    context->work.mesh.skin = UINT32_MAX;
    for (uint32_t e = 0; e < context->work.mesh.draw_count && !glb_failed(glb); e++)
        if (!add_entry(context, file, e))
            return;
    struct err err;
    if (surfaces_put_pictures(&file->surfaces, glb, &err) < 0) {
        context_fail(context, &err);
        return;
    }
    if (glb_failed(glb)) { /* then the last pictures were not made */
        context_fail_too_large(context);
        return;
    }
    glb_start(context->out);
    if (!put_asset(context, file))
        return;
    put_nodes(context, put_meshes(context, file));
    glb_put_extensions(context->out, surfaces_put_materials(&file->surfaces, context->out), NULL, 0);
    surfaces_put_textures(&file->surfaces, context->out);
    glb_put_arrays(glb, context->out);
    buf_put_char(context->out, '}');
    if (glb_failed(glb) || !glb_finish(glb, context->out))
        context_fail_too_large(context);
}

void body_put_glb(struct reply_context *context)
{
    struct posed_file file = {.entries = NULL};
    put_file(context, &file);
    appearance_fini(&file.appearance);
}
