/* export_meshes.c - selects the meshes of the file and writes their primitives (glTF 2.0, 3.7.2). */
#include "base/sort.h"
#include "wire/export/export_optimize.h"
#include "wire/glb/primitives.h"
#include "wire/reply/reply_json.h"

#include <math.h>
#include <string.h>

static bool has_geometry(const struct primitive *p) { return p->vertex_count > 0 && p->index_count > 0; }

static uint32_t *place_of(const struct export *e, uint32_t mesh, bool is_skinned)
{
    return &e->mesh_places[2 * (size_t)mesh + is_skinned];
}

uint32_t export_mesh_of(const struct export *e, uint32_t node)
{
    const struct node *at = &e->model->nodes[node];
    return e->keeps[node] != KEEP_ALL || at->mesh < 0 ? GLB_NONE : *place_of(e, (uint32_t)at->mesh, at->skin >= 0);
}

/* --- selection of meshes --- */

enum { USED_RIGID = 1, USED_SKINNED = 2 };

static void find_uses(const struct export *e, uint8_t *uses)
{
    const struct model *model = e->model;
    const bool is_whole = e->context->request->pose.joint_count == 0;
    for (uint32_t n = 0; n < model->node_count; n++)
        if (e->keeps[n] == KEEP_ALL && model->nodes[n].mesh >= 0)
            uses[model->nodes[n].mesh] |= model->nodes[n].skin >= 0 ? USED_SKINNED : USED_RIGID;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const struct mesh *mesh = &model->meshes[m];
        bool has_any = false;
        for (uint32_t i = 0; i < mesh->primitive_count; i++)
            has_any = has_any || has_geometry(&model->primitives[mesh->primitive_first + i]);
        if (uses[m] == 0 && is_whole && e->optimizing == NULL)
            uses[m] = USED_RIGID;
        if (!has_any)
            uses[m] = 0;
    }
}

static void add_mesh(struct export *e, uint32_t m, bool is_skinned)
{
    const struct mesh *mesh = &e->model->meshes[m];
    struct export_mesh *added = &e->meshes[e->mesh_count];
    *place_of(e, m, is_skinned) = e->mesh_count++;
    *added = (struct export_mesh){.mesh = m, .is_skinned = is_skinned};
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const struct primitive *p = &e->model->primitives[mesh->primitive_first + i];
        added->target_count = p->morph_target_count > added->target_count ? p->morph_target_count : added->target_count;
    }
}

/* All primitives of a mesh have as many targets as its nodes have weights (3.7.2.2). */
static void count_targets(struct export *e)
{
    for (uint32_t n = 0; n < e->model->node_count; n++) {
        const uint32_t mesh = export_mesh_of(e, n), weights = e->model->nodes[n].weight_count;
        if (mesh != GLB_NONE && weights > e->meshes[mesh].target_count)
            e->meshes[mesh].target_count = weights;
    }
}

static void use_materials(struct export *e)
{
    const struct model *model = e->model;
    for (uint32_t m = 0;
         m < model->material_count && e->context->request->pose.joint_count == 0 && e->optimizing == NULL; m++)
        surfaces_use(&e->surfaces, (int32_t)m);
    for (uint32_t i = 0; i < e->mesh_count; i++) {
        const struct mesh *mesh = &model->meshes[e->meshes[i].mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; p++)
            surfaces_use(&e->surfaces, model->primitives[mesh->primitive_first + p].material);
    }
    for (uint32_t v = 0; v < model->variant_material_count; v++) {
        const struct variant_material *at = &model->variant_materials[v];
        const uint32_t mesh = model->primitives[at->primitive].mesh;
        if (*place_of(e, mesh, false) != GLB_NONE || *place_of(e, mesh, true) != GLB_NONE)
            surfaces_use(&e->surfaces, at->material);
    }
}

bool export_plan_meshes(struct export *e)
{
    const struct model *model = e->model;
    const size_t accessors = (size_t)model->primitive_count * (GLB_INDICES + 1);
    uint8_t *uses = export_array(e, model->mesh_count, sizeof *uses);
    uint32_t *places = export_array(e, surfaces_places(model), sizeof *places);
    e->meshes = export_array(e, 2 * (size_t)model->mesh_count, sizeof *e->meshes);
    e->mesh_places = export_array(e, 2 * (size_t)model->mesh_count, sizeof *e->mesh_places);
    e->accessors = export_array(e, accessors, sizeof *e->accessors);
    e->streams = export_array(e, model->primitive_count, sizeof *e->streams);
    if (uses == NULL || places == NULL || e->streams == NULL || e->meshes == NULL || e->mesh_places == NULL ||
        e->accessors == NULL)
        return false;
    memset(e->mesh_places, 0xff, 2 * (size_t)model->mesh_count * sizeof *e->mesh_places); /* GLB_NONE */
    memset(e->accessors, 0xff, accessors * sizeof *e->accessors);
    memset(e->streams, 0xff, model->primitive_count * sizeof *e->streams);
    find_uses(e, uses);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (uses[m] != 0)
            add_mesh(e, m, (uses[m] & USED_SKINNED) != 0);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (uses[m] == (USED_RIGID | USED_SKINNED))
            add_mesh(e, m, false);
    count_targets(e);
    surfaces_init(&e->surfaces, model, &e->context->request->textures, e->context->workspace->pictures, places);
    use_materials(e);
    return true;
}

/* --- vertices --- */

static uint32_t add_normals(struct export *e, const struct primitive *p)
{
    const struct vec3 *normals = e->model->normals + p->vertex_first;
    uint32_t v = 0;
    while (v < p->vertex_count && export_is_unit(&normals[v]))
        v++;
    if (v == p->vertex_count)
        return glb_add(e->glb, GLB_NORMAL, normals, p->vertex_count);
    struct vec3 *units = context_array(e->context, &e->context->workspace->vertices, p->vertex_count, sizeof *units);
    for (v = 0; units != NULL && v < p->vertex_count; v++)
        units[v] = export_unit(&normals[v]);
    return units == NULL ? GLB_NONE : glb_add(e->glb, GLB_NORMAL, units, p->vertex_count);
}

static uint32_t add_tangents(struct export *e, const struct primitive *p)
{
    const struct vec4 *tangents = e->model->tangents + p->vertex_first;
    struct vec4 *units = context_array(e->context, &e->context->workspace->vertices, p->vertex_count, sizeof *units);
    for (uint32_t v = 0; units != NULL && v < p->vertex_count; v++) {
        const struct vec3 tangent = {tangents[v].x, tangents[v].y, tangents[v].z};
        const struct vec3 unit = export_unit(&tangent);
        units[v] = (struct vec4){unit.x, unit.y, unit.z, tangents[v].w < 0 ? -1 : 1};
    }
    return units == NULL ? GLB_NONE : glb_add(e->glb, GLB_TANGENT, units, p->vertex_count);
}

/* Whether a material of the primitive, its own or a variant's, has a texture with this coordinate set. */
static bool is_textured(const struct export *e, uint32_t primitive, uint32_t set)
{
    const struct model *model = e->model;
    bool is_found = surfaces_is_textured(&e->surfaces, model->primitives[primitive].material, set);
    for (uint32_t v = LOWER_BOUND(model->variant_materials, model->variant_material_count, primitive, primitive);
         !is_found && v < model->variant_material_count; v++) {
        if (model->variant_materials[v].primitive != primitive)
            break;
        is_found = surfaces_is_textured(&e->surfaces, model->variant_materials[v].material, set);
    }
    return is_found;
}

/* Adds the accessors of a primitive, which two meshes of the file may share. NULL: the reply is an error. */
static const uint32_t *add_vertices(struct export *e, uint32_t primitive)
{
    const struct model *model = e->model;
    const struct primitive *p = &model->primitives[primitive];
    uint32_t *accessors = e->accessors + (size_t)primitive * (GLB_INDICES + 1);
    if (accessors[GLB_POSITION] != GLB_NONE)
        return accessors;
    if (e->optimizing != NULL)
        return export_add_small_vertices(e, primitive, accessors) ? accessors : NULL;
    const bool textured[2] = {is_textured(e, primitive, 0), is_textured(e, primitive, 1)};
    accessors[GLB_POSITION] = glb_add(e->glb, GLB_POSITION, model->positions + p->vertex_first, p->vertex_count);
    if (glb_has_normals(p)) {
        accessors[GLB_NORMAL] = add_normals(e, p);
        if ((p->flags & PRIMITIVE_TANGENTS) != 0)
            accessors[GLB_TANGENT] = add_tangents(e, p);
    }
    surfaces_add_texcoords(&e->surfaces, e->glb, p, textured, &accessors[GLB_TEXCOORD]);
    if ((p->flags & PRIMITIVE_COLORS) != 0)
        accessors[GLB_COLOR] = glb_add_colors(e->glb, model->colors + p->vertex_first, p->vertex_count);
    const bool has_triangles = p->topology == TOPOLOGY_TRIANGLES;
    accessors[GLB_INDICES] = glb_add(e->glb, has_triangles ? GLB_INDICES : GLB_OTHER_INDICES,
                                     model->indices + p->index_first, p->index_count);
    return accessors;
}

/* --- morph targets and variants --- */

/* The file has shared deltas of several primitives once; UINT32_MAX: zeros. */
static uint32_t add_deltas(struct export *e, const struct primitive *p, uint32_t first, enum glb_array array)
{
    const struct vec3 *deltas = first == UINT32_MAX ? NULL : e->model->morph_deltas + first;
    if (e->optimizing != NULL)
        return export_add_small_deltas(e, p, first, array);
    uint32_t *accessor = export_shared(e, deltas == NULL ? (const void *)e : deltas, p->vertex_count, array);
    if (accessor != NULL && *accessor == GLB_NONE)
        *accessor = glb_add(e->glb, array, deltas, p->vertex_count);
    return accessor == NULL ? GLB_NONE : *accessor;
}

static void put_targets(struct export *e, const struct primitive *p, uint32_t count)
{
    for (uint32_t t = 0; t < count && !buf_failed(e->out) && !glb_failed(e->glb); t++) {
        static const struct morph_target NOTHING = {.position_first = UINT32_MAX, .normal_first = UINT32_MAX};
        const struct morph_target *target =
            t < p->morph_target_count ? &e->model->morph_targets[p->morph_target_first + t] : &NOTHING;
        buf_put_text(e->out, t == 0 ? ",\"targets\":[" : ",");
        json_printf(e->out, "{\"POSITION\":%u", add_deltas(e, p, target->position_first, GLB_DELTA));
        if (target->normal_first != UINT32_MAX && glb_has_normals(p))
            json_printf(e->out, ",\"NORMAL\":%u", add_deltas(e, p, target->normal_first, GLB_NORMAL_DELTA));
        buf_put_char(e->out, '}');
    }
    if (count > 0)
        buf_put_char(e->out, ']');
}

/* Adjacent variants with the same material form one mapping. `before` is written before the first mapping. Returns
 * whether there is one. */
static bool put_variants(struct export *e, uint32_t primitive, const char *before)
{
    const struct model *model = e->model;
    const struct variant_material *all = model->variant_materials;
    uint32_t low = LOWER_BOUND(model->variant_materials, model->variant_material_count, primitive, primitive);
    int32_t material = -1;
    for (; low < model->variant_material_count && all[low].primitive == primitive && !buf_failed(e->out); low++) {
        if (all[low].material < 0)
            continue;
        if (material < 0)
            buf_put_text(e->out, before);
        buf_put_text(e->out, material < 0 ? "\"KHR_materials_variants\":{\"mappings\":[{\"material\":"
                             : all[low].material == material ? ","
                                                             : "]},{\"material\":");
        if (all[low].material != material)
            json_printf(e->out, "%u,\"variants\":[", e->surfaces.materials[all[low].material]);
        material = all[low].material;
        json_put_uint(e->out, all[low].variant);
    }
    if (material >= 0)
        buf_put_text(e->out, "]}]}");
    return material >= 0;
}

/* Writes the ids of the primitive's arrays in its stream (see glb_end_mesh()). Joints and weights follow the others, up
 * to `end`; the unskinned copy of the mesh comes later and omits them. */
static void put_stream(struct export *e, uint32_t primitive, uint32_t end)
{
    static const char *const NAMES[] = {[GLB_POSITION] = "POSITION",
                                        [GLB_NORMAL] = "NORMAL",
                                        [GLB_TANGENT] = "TANGENT",
                                        [GLB_TEXCOORD] = "TEXCOORD_0",
                                        [GLB_SECOND_TEXCOORD] = "TEXCOORD_1",
                                        [GLB_COLOR] = "COLOR_0"};
    const uint32_t *accessors = e->accessors + (size_t)primitive * (GLB_INDICES + 1), first = accessors[GLB_POSITION];
    json_printf(e->out, "%s:{\"bufferView\":%u,\"attributes\":{", "KHR_draco_mesh_compression", e->streams[primitive]);
    for (int a = GLB_POSITION; a <= GLB_COLOR; a++)
        if (accessors[a] != GLB_NONE)
            json_printf(e->out, a == GLB_POSITION ? "%s:%u" : ",%s:%u", NAMES[a], accessors[a] - first);
    for (uint32_t j = accessors[GLB_INDICES] + 1, set = 0; j < end; j += 2, set++)
        json_printf(e->out, ",\"JOINTS_%u\":%u,\"WEIGHTS_%u\":%u", set, j - 1 - first, set, j - first);
    buf_put_text(e->out, "}}");
    e->extensions |= 1U << GLB_DRACO_COMPRESSION;
}

/* --- JSON --- */

static bool put_primitive(struct export *e, const struct export_mesh *mesh, uint32_t primitive)
{
    const struct primitive *p = &e->model->primitives[primitive];
    glb_start_mesh(e->glb);
    const uint32_t *accessors = add_vertices(e, primitive);
    if (accessors == NULL)
        return false;
    buf_put_char(e->out, '{');
    glb_put_attributes(e->out, accessors);
    if (mesh->is_skinned && !export_put_influences(e, p))
        return false;
    const uint32_t end = mesh->is_skinned ? glb_accessor_count(e->glb) : 0;
    if (p->topology == TOPOLOGY_TRIANGLES && e->streams[primitive] == GLB_NONE)
        e->streams[primitive] = glb_end_mesh(e->glb);
    json_printf(e->out, "},\"indices\":%u", accessors[GLB_INDICES]);
    glb_put_mode(e->out, p);
    if (p->material >= 0)
        json_printf(e->out, ",\"material\":%u", e->surfaces.materials[p->material]);
    put_targets(e, p, mesh->target_count);
    const bool has_stream = e->streams[primitive] != GLB_NONE;
    if (has_stream) {
        buf_put_text(e->out, ",\"extensions\":{");
        put_stream(e, primitive, end);
    }
    if (put_variants(e, primitive, has_stream ? "," : ",\"extensions\":{") || has_stream)
        buf_put_char(e->out, '}');
    export_put_extras(e, CARRY_PRIMITIVE, primitive);
    buf_put_char(e->out, '}');
    return e->context->reply->code == 0;
}

/* Writes ,"extras":.. of a mesh, with the names of morph targets where several tools expect them, from the first
 * primitive that has all of them. */
static void put_mesh_extras(struct export *e, const struct export_mesh *at)
{
    const struct model *model = e->model;
    const struct mesh *mesh = &model->meshes[at->mesh];
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const struct primitive *p = &model->primitives[mesh->primitive_first + i];
        const struct morph_target *targets = &model->morph_targets[p->morph_target_first];
        bool has_name = false;
        for (uint32_t t = 0; t < p->morph_target_count; t++)
            has_name = has_name || targets[t].name.offset != STR_NONE;
        if (p->morph_target_count != at->target_count || !has_name)
            continue;
        for (uint32_t t = 0; t < at->target_count && !buf_failed(e->out); t++) {
            buf_put_text(e->out, t == 0 ? ",\"extras\":{\"targetNames\":[" : ",");
            json_printf(e->out, "%.*s", JSON_STR(model, targets[t].name));
        }
        buf_put_char(e->out, ']');
        export_put_more_extras(e, CARRY_MESH, at->mesh);
        buf_put_char(e->out, '}');
        return;
    }
    export_put_extras(e, CARRY_MESH, at->mesh);
}

bool export_put_meshes(struct export *e)
{
    const struct model *model = e->model;
    for (uint32_t i = 0; i < e->mesh_count && !buf_failed(e->out) && !glb_failed(e->glb); i++) {
        const struct mesh *mesh = &model->meshes[e->meshes[i].mesh];
        bool is_first = true;
        buf_put_text(e->out, i == 0 ? ",\"meshes\":[{" : ",{");
        glb_put_name(e->out, model, mesh->name);
        buf_put_text(e->out, "\"primitives\":[");
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            if (!has_geometry(&model->primitives[mesh->primitive_first + p]))
                continue;
            context_check_stop(e->context);
            json_comma(e->out, !is_first);
            is_first = false;
            if (!put_primitive(e, &e->meshes[i], mesh->primitive_first + p))
                return false;
        }
        buf_put_char(e->out, ']');
        put_mesh_extras(e, &e->meshes[i]);
        if (export_put_carried(e, CARRY_MESH, e->meshes[i].mesh, ",\"extensions\":{"))
            buf_put_char(e->out, '}');
        buf_put_char(e->out, '}');
    }
    if (e->mesh_count > 0)
        buf_put_char(e->out, ']');
    return true;
}
