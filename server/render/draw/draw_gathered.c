/* draw_gathered.c - heavy opaque meshes, rasterized by the CPU and lit by the shader once per sample. */
#include "render/draw/draw_gathered.h"

#include "anim/pose/skin.h"
#include "base/mem.h"
#include "render/gather/gather_skin.h"

#include <stdlib.h>
#include <string.h>

/* Draws with fewer triangles are left to OpenGL, because each gathered draw costs a pass over the picture. */
enum { TRIANGLES_MIN = 512 };
/* Gathering pays off up to this many samples of the picture per triangle, because OpenGL shades blocks of 16. */
enum { SAMPLES_A_TRIANGLE = 100 };

/* --- which draws --- */

/* A surface's textures must share one transform and one aspect ratio, so that one footprint gives the mip level of
 * each. */
struct texture_place {
    const struct material_texture *placed; /* of the first texture; NULL: none */
    float texels[2];                       /* as in struct gather_mesh */
};

static bool add_texture(struct texture_place *place, const struct material_texture *placed, float width, float height)
{
    const float larger = width > height ? width : height, texels[2] = {width / larger, height / larger};
    if (place->placed == NULL) {
        place->placed = placed;
        memcpy(place->texels, texels, sizeof texels);
        return true;
    }
    return placed->texcoord_set == place->placed->texcoord_set &&
           memcmp(placed->uv_from_texcoord, place->placed->uv_from_texcoord, sizeof placed->uv_from_texcoord) == 0 &&
           memcmp(texels, place->texels, sizeof texels) == 0;
}

/* False when its textures need several transforms or other filters, which a gathered sample does not support. */
static bool find_place(const struct loaded_model *loaded, const struct material *material, bool is_lit,
                       struct texture_place *place)
{
    *place = (struct texture_place){.texels = {1, 1}};
    for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
        const struct material_texture *placed = &material->textures[slot];
        if (placed->texture < 0 || (slot != TEXTURE_BASE_COLOR && !is_lit))
            continue;
        const struct texture *texture = &loaded->mapped.model.textures[placed->texture];
        const bool is_missing = loaded->gpu.textures[placed->texture] == 0;
        if (is_missing && slot != TEXTURE_BASE_COLOR)
            continue;
        if (is_missing ? !add_texture(place, placed, 1, 1) /* the square that is drawn in its place */
                       : texture->mag_filter != 0 || texture->min_filter != 0 ||
                             !add_texture(place, placed, (float)texture->width, (float)texture->height))
            return false;
    }
    return true;
}

static const struct primitive *primitive_of(const struct model *model, const struct posed_draw *draw)
{
    return &model->primitives[model->draws[draw->draw].primitive];
}

static bool is_lit(const struct posed_draw *draw) { return (draw->material->flags & MATERIAL_UNLIT) == 0; }

static bool has_bumps(const struct loaded_model *loaded, const struct posed_draw *draw)
{
    return is_lit(draw) && draw_has_bumps(loaded, draw->material);
}

/* Samples have either colours or tangents. is_lit_only: all of them get the same mark, DRAW_MARK_LIT. */
static bool can_gather(const struct loaded_model *loaded, const struct posed_draw *draw, bool is_lit_only)
{
    const struct primitive *primitive = primitive_of(&loaded->mapped.model, draw);
    struct texture_place place;
    return primitive->topology == TOPOLOGY_TRIANGLES && primitive->index_count / 3 >= TRIANGLES_MIN &&
           draw->material->alpha_mode == ALPHA_OPAQUE && draw->material->layers < 0 && (is_lit(draw) || !is_lit_only) &&
           !((primitive->flags & PRIMITIVE_COLORS) != 0 && has_bumps(loaded, draw)) &&
           find_place(loaded, draw->material, is_lit(draw), &place);
}

/* Marks the draws to gather, counts their vertices and triangles, and returns whether gathering pays off. */
static bool choose(const struct loaded_model *loaded, struct posed_model *posed, uint64_t samples, bool is_lit_only,
                   uint64_t *vertices, uint64_t *triangles)
{
    *vertices = *triangles = 0;
    for (uint32_t d = 0; d < posed->draw_count; d++) {
        struct posed_draw *draw = &posed->draws[d];
        const struct primitive *primitive = primitive_of(&loaded->mapped.model, draw);
        draw->is_gathered = can_gather(loaded, draw, is_lit_only);
        *vertices += draw->is_gathered ? primitive->vertex_count : 0;
        *triangles += draw->is_gathered ? primitive->index_count / 3 : 0;
    }
    const bool is_chosen = samples <= GATHER_SAMPLES_MAX && *triangles <= GATHER_TRIANGLES_MAX &&
                           *triangles * SAMPLES_A_TRIANGLE >= samples;
    for (uint32_t d = 0; d < posed->draw_count; d++)
        posed->draws[d].is_gathered &= is_chosen;
    return is_chosen;
}

/* --- rasterizing --- */

/* Skins to view space. Dual quaternions use the code for vertex requests. */
static void skin_vertices(const struct model *model, const struct posed_model *posed, const struct posed_draw *draw,
                          struct gather_skinned *out)
{
    const struct draw *source = &model->draws[draw->draw];
    const struct node *node = &model->nodes[source->node];
    const struct skin_palette palette = posed_model_palette(posed, model, source->skin);
    const struct vec3 *bind_normals = model->normals + model->primitives[source->primitive].vertex_first;
    if (skin_has_parts(model, source->skin)) {
        skin_draw(model, draw->draw, &posed->pose, &palette, false, out->positions);
        skin_draw(model, draw->draw, &posed->pose, &palette, true, out->normals);
        if (out->tangents != NULL)
            skin_tangents(model, source->primitive, &palette, out->tangents);
        return;
    }
    if (draw->morph_first != NOT_MORPHED) {
        skin_morph_normals(model, source->primitive, posed->pose.weights + node->weight_first, node->weight_count,
                           out->normals);
        bind_normals = out->normals;
    }
    gather_skin(model, source->primitive, palette.matrices, posed_model_bind(posed, model, draw), bind_normals, out);
}

static enum gather_cull side_seen(const struct model *model, const struct posed_draw *draw)
{
    if (!draw_has_culling(model, draw->material, draw))
        return GATHER_BOTH_SIDES;
    return draw->is_mirrored ? GATHER_CLOCKWISE : GATHER_COUNTERCLOCKWISE;
}

static const struct vec2 *texcoords_of(const struct model *model, const struct primitive *primitive,
                                       const struct material_texture *placed)
{
    if (placed->texcoord_set == 0)
        return (primitive->flags & PRIMITIVE_TEXCOORDS) != 0 ? model->texcoords + primitive->vertex_first : NULL;
    return (primitive->flags & PRIMITIVE_SECOND_TEXCOORDS) != 0 ? model->second_texcoords + primitive->vertex_first
                                                                : NULL;
}

static bool rasterize(struct gathering *gathering, const struct loaded_model *loaded, const struct posed_model *posed,
                      const struct posed_draw *draw, uint64_t vertex_first)
{
    const struct model *model = &loaded->mapped.model;
    const struct primitive *primitive = primitive_of(model, draw);
    const struct mat4 clip_from_view = mat4_from_dmat4(&posed->camera.clip_from_view);
    const bool is_bumped = has_bumps(loaded, draw);
    const bool has_tangents = is_bumped && (primitive->flags & PRIMITIVE_TANGENTS) != 0;
    struct gather_skinned skinned = {.positions = gathering->positions + vertex_first,
                                     .normals = gathering->normals + vertex_first,
                                     .tangents = has_tangents ? gathering->tangents + vertex_first : NULL};
    struct texture_place place;
    find_place(loaded, draw->material, is_lit(draw), &place);
    skin_vertices(model, posed, draw, &skinned);
    struct gather_mesh mesh = {
        .positions = skinned.positions,
        .normals = skinned.normals,
        .tangents = skinned.tangents,
        .has_bumps = is_bumped,
        .texcoords = place.placed == NULL ? NULL : texcoords_of(model, primitive, place.placed),
        .colors = (primitive->flags & PRIMITIVE_COLORS) != 0 ? model->colors + primitive->vertex_first : NULL,
        .indices = model->indices + primitive->index_first,
        .vertex_count = primitive->vertex_count,
        .index_count = primitive->index_count,
        .texels = {place.texels[0], place.texels[1]},
        .is_flat = (primitive->flags & PRIMITIVE_FLAT) != 0,
        .seen = side_seen(model, draw)};
    if (place.placed != NULL)
        memcpy(mesh.uv_from_texcoord, place.placed->uv_from_texcoord, sizeof mesh.uv_from_texcoord);
    return gather_add(&gathering->gather, &mesh, &clip_from_view);
}

/* Unmarks the draws that the rasterizer does not accept. */
static int rasterize_all(struct gathering *gathering, const struct loaded_model *loaded, struct posed_model *posed,
                         uint64_t vertex_count, struct err *err)
{
    uint64_t first = 0;
    gathering->positions =
        mem_reserve(gathering->positions, &gathering->position_capacity, vertex_count, sizeof *gathering->positions);
    gathering->normals =
        mem_reserve(gathering->normals, &gathering->normal_capacity, vertex_count, sizeof *gathering->normals);
    gathering->tangents =
        mem_reserve(gathering->tangents, &gathering->tangent_capacity, vertex_count, sizeof *gathering->tangents);
    if (gathering->positions == NULL || gathering->normals == NULL || gathering->tangents == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to skin %llu vertices", (unsigned long long)vertex_count);
    for (uint32_t d = 0; d < posed->draw_count; d++) {
        struct posed_draw *draw = &posed->draws[d];
        if (!draw->is_gathered)
            continue;
        draw->is_gathered = rasterize(gathering, loaded, posed, draw, first);
        first += primitive_of(&loaded->mapped.model, draw)->vertex_count;
    }
    return gather_finish(&gathering->gather, err);
}

/* --- lighting --- */

static void make_objects(struct gathering *gathering, const struct gl *gl, const struct framebuffer *target)
{
    if (gathering->texture == 0) {
        gl->GenTextures(1, &gathering->texture);
        gl->GenBuffers(1, &gathering->corners);
    }
    gl->ActiveTexture(GL_TEXTURE0 + UNIT_GATHERED);
    gl->BindTexture(GL_TEXTURE_2D, gathering->texture);
    if (gathering->width == target->width && gathering->height == target->height)
        return;
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, (GLsizei)target->width, (GLsizei)target->height, 0, GL_RGBA_INTEGER,
                   GL_UNSIGNED_INT, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gathering->width = target->width;
    gathering->height = target->height;
}

static void upload(const struct gathering *gathering, const struct gl *gl, const struct framebuffer *target)
{
    const struct gather *gather = &gathering->gather;
    const GLint x = (GLint)gather->first_x, y = (GLint)gather->first_y;
    const GLsizei columns = (GLsizei)gather->columns, rows = (GLsizei)gather->rows;
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, x, y, columns, rows, GL_RGBA_INTEGER, GL_UNSIGNED_INT, gather->samples);
    gl->BindTexture(GL_TEXTURE_2D, target->depth);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, x, y, columns, rows, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8,
                      gather->depth_stencils);
    gl->BindTexture(GL_TEXTURE_2D, gathering->texture);
}

/* Binds the rectangle of all samples as two triangles. */
static void bind_rectangle(const struct gathering *gathering, const struct gl *gl)
{
    const struct gather *gather = &gathering->gather;
    const float width = (float)gather->width, height = (float)gather->height;
    const float left = 2 * (float)gather->first_x / width - 1, low = 2 * (float)gather->first_y / height - 1;
    const float right = left + 2 * (float)gather->columns / width, high = low + 2 * (float)gather->rows / height;
    const struct vec3 corners[] = {{left, low, 0}, {right, low, 0}, {left, high, 0}, {right, high, 0}};
    draw_fill(gl, gathering->corners, corners, sizeof corners);
    gpu_model_bind_arrays(gl, &(struct vertex_arrays){.positions = gathering->corners});
}

/* The stencil of a sample is the number of its draw, from 1. Occlusion needs its mark there instead, so it replaces the
 * number. The CPU has tested depth. */
static int light_all(struct drawing *drawing, const struct loaded_model *loaded, const struct posed_model *posed,
                     struct err *err)
{
    const struct gl *gl = drawing->gl;
    int rc = 0;
    GLint number = 0;
    bind_rectangle(&drawing->gathering, gl);
    gl->Enable(GL_STENCIL_TEST);
    _Static_assert(DRAW_MARK_LIT == 0, "what GL_ZERO writes");
    gl->StencilOp(GL_KEEP, GL_KEEP, (drawing->picture->flags & PICTURE_OCCLUSION) != 0 ? GL_ZERO : GL_KEEP);
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_CULL_FACE);
    drawing->is_gathered = true;
    for (uint32_t d = 0; d < posed->draw_count && rc == 0; d++) {
        const struct posed_draw *draw = &posed->draws[d];
        if (!draw->is_gathered)
            continue;
        rc = draw_set_material(drawing, loaded, posed, draw->material, primitive_of(&loaded->mapped.model, draw),
                               is_lit(draw), err);
        if (rc < 0)
            break;
        gl->Uniform1i(drawing->used->is_blended, 0);
        gl->StencilFunc(GL_EQUAL, ++number, 0xff);
        gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    drawing->is_gathered = false;
    gl->Enable(GL_DEPTH_TEST);
    draw_mark_surfaces(drawing);
    return rc;
}

int draw_gathered(struct drawing *drawing, const struct loaded_model *loaded, struct posed_model *posed,
                  struct err *err)
{
    struct gathering *gathering = &drawing->gathering;
    const struct framebuffer *target = drawing->target;
    const bool is_occluded = (drawing->picture->flags & PICTURE_OCCLUSION) != 0;
    /* the model's own lights need the positions of samples */
    const bool has_places = (drawing->picture->flags & PICTURE_OWN_LIGHTS) == 0;
    const uint64_t samples = has_places ? (uint64_t)target->width * target->height : UINT64_MAX;
    uint64_t vertices, triangles;
    if (!choose(loaded, posed, samples, is_occluded, &vertices, &triangles))
        return 0;
    if (gather_begin(&gathering->gather, target->width, target->height, vertices, triangles, err) < 0 ||
        rasterize_all(gathering, loaded, posed, vertices, err) < 0)
        return err->code;
    if (gathering->gather.columns == 0)
        return 0;
    make_objects(gathering, drawing->gl, target);
    upload(gathering, drawing->gl, target);
    return light_all(drawing, loaded, posed, err);
}
