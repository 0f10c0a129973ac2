#include "import/texture/material_textures.h"

#include <string.h>

static const float IDENTITY[6] = UV_FROM_TEXCOORD_NONE;

/* Puts a texture into its slot, unless its coordinates would be a third set. */
static void place(struct material_textures *from, const struct used_texture *used, int texture,
                  struct material_texture *to)
{
    const int set = texcoord_place(from->texcoords, used->set);
    if (set < 0) {
        bake_warn(from->import->builder, "texcoords_beyond_two",
                  "%s lays its textures by more than two sets of coordinates: '%s' is left out", from->material,
                  used->name);
        return;
    }
    if (used->is_moved_unknown)
        bake_warn(from->import->builder, "texture_transform_ignored",
                  "%s moves, scales or turns '%s', which is not drawn so", from->material, used->name);
    if (memcmp(used->uv_from_texcoord, IDENTITY, sizeof IDENTITY) != 0)
        memcpy(to->uv_from_texcoord, used->uv_from_texcoord, sizeof to->uv_from_texcoord);
    to->texture = texture;
    to->texcoord_set = (uint32_t)set;
}

static bool is_found(const struct material_textures *from, int texture)
{
    return texture >= 0 && from->import->builder->textures[texture].state == TEXTURE_FOUND;
}

/* Whether both are one picture. */
static bool is_same(const struct used_texture *a, const struct used_texture *b)
{
    if (!a->is_there || !b->is_there || a->request.image != b->request.image)
        return false;
    return a->request.image != TEXTURE_IS_FILE || strcmp(a->request.uri, b->request.uri) == 0;
}

static bool lie_alike(const struct used_texture *a, const struct used_texture *b)
{
    return a->set == b->set && memcmp(a->uv_from_texcoord, b->uv_from_texcoord, sizeof a->uv_from_texcoord) == 0;
}

/* Returns the texture's index in the model, even if its file is missing. */
static int add(struct material_textures *from, enum texture_use use, enum texture_content content, struct err *err)
{
    struct texture_request request = from->uses[use].request;
    request.content = content;
    return texture_add(from->import, &request, err);
}

static int add_colors(struct material_textures *from, enum texture_use use, struct material_texture *to,
                      struct err *err)
{
    if (!from->uses[use].is_there)
        return 0;
    const int texture = add(from, use, TEXTURE_COLORS, err);
    if (texture < 0)
        return texture;
    place(from, &from->uses[use], texture, to);
    return 0;
}

/* Converts a height map to a normal map. */
static int mix_heights(struct material_textures *from, int *texture, struct err *err)
{
    const float height = NORMAL_MAP_HEIGHT * from->uses[USE_NORMALS].height_factor;
    const struct texture_mix mix = {.kind = MIX_HEIGHTS, .a = *texture, .b = -1, .factors = {height}};
    *texture = texture_mix(from->mixer, &mix, err);
    return *texture < 0 ? *texture : 0;
}

static int add_normals(struct material_textures *from, struct material_texture *to, struct err *err)
{
    if (!from->uses[USE_NORMALS].is_there)
        return 0;
    int texture = add(from, USE_NORMALS, TEXTURE_DATA, err);
    if (texture < 0)
        return texture;
    if (is_found(from, texture) && !texture_mixer_looks(from->mixer, texture, LOOK_NORMAL_MAP) &&
        mix_heights(from, &texture, err) < 0)
        return err->code;
    place(from, &from->uses[USE_NORMALS], texture, to);
    return 0;
}

/* Exporters use the diffuse texture for the ambient colour, which readers take for a light map. A picture with colours
 * is a light map, not occlusion. */
static int add_occlusion(struct material_textures *from, struct material_texture *to, struct err *err)
{
    const struct used_texture *used = &from->uses[USE_OCCLUSION];
    if (!used->is_there || is_same(used, &from->uses[USE_BASE_COLOR]))
        return 0;
    const int texture = add(from, USE_OCCLUSION, TEXTURE_DATA, err);
    if (texture < 0)
        return texture;
    if (!is_found(from, texture) || texture_mixer_looks(from->mixer, texture, LOOK_GREY))
        place(from, used, texture, to);
    else
        texture_mixer_drop(from->mixer, texture);
    return 0;
}

int material_textures_surface(struct material_textures *from, struct material *to, struct err *err)
{
    if (add_colors(from, USE_BASE_COLOR, &to->textures[TEXTURE_BASE_COLOR], err) < 0 ||
        add_normals(from, &to->textures[TEXTURE_NORMAL], err) < 0 ||
        add_colors(from, USE_EMISSIVE, &to->textures[TEXTURE_EMISSIVE], err) < 0)
        return err->code;
    return add_occlusion(from, &to->textures[TEXTURE_OCCLUSION], err);
}

/* Finds a part of a mix; *texture is -1 if the material has none or the file is missing. */
static int add_part(struct material_textures *from, enum texture_use use, int *texture, struct err *err)
{
    *texture = -1;
    if (!from->uses[use].is_there)
        return 0;
    const int added = add(from, use, TEXTURE_DATA, err);
    if (added < 0)
        return added;
    if (is_found(from, added))
        *texture = added;
    else
        texture_mixer_drop(from->mixer, added);
    return 0;
}

int material_textures_roughness(struct material_textures *from, struct material *to, struct err *err)
{
    struct material_texture *slot = &to->textures[TEXTURE_METALLIC_ROUGHNESS];
    const struct used_texture *metallic = &from->uses[USE_METALLIC], *roughness = &from->uses[USE_ROUGHNESS];
    int a, b;
    if (add_part(from, USE_METALLIC, &a, err) < 0 || add_part(from, USE_ROUGHNESS, &b, err) < 0)
        return err->code;
    if (a < 0 && b < 0)
        return 0;
    int texture = a;
    /* One coloured picture for both uses is packed like glTF's. */
    if (!(a >= 0 && b >= 0 && is_same(metallic, roughness) && !texture_mixer_looks(from->mixer, a, LOOK_GREY))) {
        const struct texture_mix mix = {.kind = MIX_METALLIC_ROUGHNESS,
                                        .a = a,
                                        .b = b,
                                        .factors = {to->metallic, to->roughness, roughness->is_gloss}};
        texture = texture_mix(from->mixer, &mix, err);
        if (texture < 0)
            return texture;
    }
    place(from, a >= 0 ? metallic : roughness, texture, slot);
    if (slot->texture >= 0)
        to->metallic = to->roughness = 1;
    return 0;
}

/* --- opacity --- */

/* `is_meant`: the file says that the texture's alpha is opacity. */
static void set_alpha_mode(const struct material_textures *from, bool is_meant, struct material *to)
{
    const int texture = to->textures[TEXTURE_BASE_COLOR].texture;
    if (to->alpha_mode != ALPHA_OPAQUE || !is_found(from, texture))
        return;
    if (is_meant && texture_mixer_looks(from->mixer, texture, LOOK_VEILED))
        to->alpha_mode = ALPHA_BLEND;
    else if (texture_mixer_looks(from->mixer, texture, LOOK_HOLES))
        to->alpha_mode = ALPHA_MASK;
}

int material_textures_opacity(struct material_textures *from, struct material *to, struct err *err)
{
    struct material_texture *slot = &to->textures[TEXTURE_BASE_COLOR];
    const struct used_texture *base = &from->uses[USE_BASE_COLOR], *opacity = &from->uses[USE_OPACITY];
    const bool is_alpha = is_same(base, opacity);
    int part = -1;
    if (!is_alpha && add_part(from, USE_OPACITY, &part, err) < 0)
        return err->code;
    /* The two cannot be mixed if their coordinates differ or there is no base picture. */
    const bool is_mixed = part >= 0 && (!base->is_there || (is_found(from, slot->texture) && lie_alike(base, opacity)));
    if (is_mixed) {
        const struct texture_mix mix = {.kind = MIX_OPACITY, .a = slot->texture, .b = part};
        const int texture = texture_mix(from->mixer, &mix, err);
        if (texture < 0)
            return texture;
        place(from, opacity, texture, slot);
    } else if (part >= 0) {
        texture_mixer_drop(from->mixer, part);
    }
    set_alpha_mode(from, is_alpha || is_mixed, to);
    return 0;
}
