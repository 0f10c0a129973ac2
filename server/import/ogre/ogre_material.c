/* ogre_material.c - converts the submeshes' materials, from scripts beside the mesh, to metallic-roughness ones. */
#include "import/ogre/ogre.h"
#include "import/source/source_search.h"
#include "import/texture/material_textures.h"
#include "import/texture/material_values.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_NAME_SIZE = 1024, SCRIPTS_MAX = 64 };

/* --- scripts --- */

/* Scripts are optional: an unreadable one counts as missing. */
static void read_script(struct ogre *ogre, const char *file, struct ogre_script *script)
{
    struct source_bytes from;
    struct err err = {0};
    if (source_search_guess(ogre->import, file, SOURCE_COMPANION, &from, &err) == 0)
        ogre_script_read(script, (const char *)from.bytes, from.size_bytes);
}

static bool has_all(const struct ogre *ogre, const struct ogre_script *script)
{
    for (size_t i = 0; i < ogre->mesh.submesh_count; i++) {
        const struct ogre_text name = ogre->mesh.submeshes[i].material;
        if (ogre_script_find(script, name.text, name.size_bytes) == NULL)
            return false;
    }
    return true;
}

/* Reads the scripts of a folder until each material is found. `folder` ends in '/'; "" is the mesh's own folder. */
static int read_folder(struct ogre *ogre, const char *folder, struct ogre_script *script, struct err *err)
{
    const char *const *names;
    size_t count;
    char file[FILE_NAME_SIZE];
    const int rc = folder[0] == '\0'
                       ? source_files_list(ogre->import->files, ".material", &names, &count, err)
                       : source_files_list_in(ogre->import->files, folder, ".material", &names, &count, err);
    for (size_t i = 0; i < count && i < SCRIPTS_MAX && rc == 0 && !has_all(ogre, script); i++) {
        snprintf(file, sizeof file, "%s%s", folder, names[i]);
        read_script(ogre, file, script);
    }
    return rc;
}

/* Reads the script with the mesh's name, then the other scripts of its folder, then those in the folder that Ogre's own
 * media use. */
static int read_scripts(struct ogre *ogre, struct ogre_script *script, struct err *err)
{
    const char *name = import_file_name(ogre->import), *dot = strrchr(name, '.');
    char own[FILE_NAME_SIZE];
    snprintf(own, sizeof own, "%.*s.material", (int)(dot - name), name);
    read_script(ogre, own, script);
    if (!has_all(ogre, script) && read_folder(ogre, "", script, err) < 0)
        return err->code;
    if (!has_all(ogre, script) && read_folder(ogre, "../materials/scripts/", script, err) < 0)
        return err->code;
    return 0;
}

/* --- one material --- */

/* TextureUnitState::recalcTextureMatrix() of OgreTextureUnitState.cpp: it transforms about the centre of the
 * picture. */
static void place_texture(const struct ogre_script_material *from, float out[6])
{
    const float angle = from->rotate_degrees * 0.017453292f, c = cosf(angle), s = sinf(angle);
    const float u = from->scale[0] != 0 ? 1 / from->scale[0] : 1, v = from->scale[1] != 0 ? 1 / from->scale[1] : 1;
    const float x = 0.5f - 0.5f * u + from->scroll[0], y = 0.5f - 0.5f * v + from->scroll[1];
    const float placed[6] = {c * u, -s * v, c * x - s * y + 0.5f - 0.5f * c + 0.5f * s,
                             s * u, c * v,  s * x + c * y + 0.5f - 0.5f * s - 0.5f * c};
    for (int i = 0; i < 6; i++)
        if (!isfinite(placed[i]))
            return;
    memcpy(out, placed, sizeof placed);
}

/* Fills `path` with the picture's place in Ogre's own media layout, if it exists there and not beside the mesh. */
static bool is_among_media(struct ogre *ogre, const char *name, char path[FILE_NAME_SIZE])
{
    const uint8_t *bytes;
    size_t size_bytes;
    struct err err = {0};
    snprintf(path, FILE_NAME_SIZE, "../materials/textures/%s", name);
    return source_files_read(ogre->import->files, name, SOURCE_TEXTURE, &bytes, &size_bytes, &err) < 0 &&
           source_files_read(ogre->import->files, path, SOURCE_TEXTURE, &bytes, &size_bytes, &err) == 0;
}

/* `path` is room for the picture's. */
static void find_texture(struct ogre *ogre, const struct ogre_script_material *from, char path[FILE_NAME_SIZE],
                         struct used_texture *out)
{
    const uint32_t wrap = from->is_clamped    ? TEXTURE_WRAP_CLAMP
                          : from->is_mirrored ? TEXTURE_WRAP_MIRROR
                                              : TEXTURE_WRAP_REPEAT;
    *out = (struct used_texture){
        .is_there = true,
        .request = {.uri = is_among_media(ogre, from->texture, path) ? path : from->texture,
                    .wrap_s = wrap,
                    .wrap_t = wrap},
        .name = from->texture,
        .set = from->texcoord_set,
        .uv_from_texcoord = UV_FROM_TEXCOORD_NONE,
    };
    if (from->rotate_degrees != 0 || from->scale[0] != 1 || from->scale[1] != 1 || from->scroll[0] != 0 ||
        from->scroll[1] != 0)
        place_texture(from, out->uv_from_texcoord);
}

static void set_values(const struct ogre_script_material *from, struct material *to)
{
    const bool is_textured = to->textures[TEXTURE_BASE_COLOR].texture >= 0;
    for (int i = 0; i < 3; i++) {
        to->base_color[i] = from->is_unlit ? 1 : linear_from_srgb(from->diffuse[i]);
        to->emissive[i] = linear_from_srgb(from->emissive[i]);
    }
    if (is_textured && !is_black(to->emissive))
        to->textures[TEXTURE_EMISSIVE] = to->textures[TEXTURE_BASE_COLOR];
    to->base_color[3] = from->is_blended ? fraction((double)from->diffuse[3]) : 1;
    to->metallic = 0;
    to->roughness = classic_roughness(from->specular, from->shininess);
    to->alpha_mode = from->is_rejecting ? ALPHA_MASK : from->is_blended ? ALPHA_BLEND : ALPHA_OPAQUE;
    to->alpha_cutoff = from->is_rejecting ? from->rejected_alpha : to->alpha_cutoff;
    to->flags = (from->is_two_sided ? MATERIAL_DOUBLE_SIDED : 0) | (from->is_unlit ? MATERIAL_UNLIT : 0);
}

static int add_material(struct ogre *ogre, const struct ogre_script_material *from, struct ogre_text name,
                        struct texture_mixer *mixer, struct ogre_surface *surface, struct err *err)
{
    struct material to = MATERIAL_PLAIN;
    *surface = (struct ogre_surface){
        .material = (int32_t)ogre->builder->material_count, .texcoords = TEXCOORD_SETS_NONE, .has_vertex_colors = true};
    to.name = ogre_put_text(ogre, name);
    to.flags = MATERIAL_DOUBLE_SIDED; /* nothing says that backs are not seen */
    if (from != NULL) {
        char where[SHORT_NAME_SIZE], path[FILE_NAME_SIZE];
        snprintf(where, sizeof where, "material '%.80s'", from->name);
        struct material_textures textures = {
            .import = ogre->import, .mixer = mixer, .texcoords = &surface->texcoords, .material = where};
        surface->has_vertex_colors = from->has_vertex_colors || from->is_unlit;
        if (from->texture != NULL)
            find_texture(ogre, from, path, &textures.uses[USE_BASE_COLOR]);
        if (material_textures_surface(&textures, &to, err) < 0)
            return err->code;
        set_values(from, &to);
        if (from->has_vertex_colors)
            to.base_color[0] = to.base_color[1] = to.base_color[2] = 1;
    }
    return import_put_material(ogre->import, &to, err);
}

/* Returns an earlier submesh with the same material, or `submesh`. */
static size_t same_material(const struct ogre *ogre, size_t submesh)
{
    const struct ogre_text name = ogre->mesh.submeshes[submesh].material;
    for (size_t i = 0; i < submesh; i++) {
        const struct ogre_text other = ogre->mesh.submeshes[i].material;
        if (other.size_bytes == name.size_bytes && memcmp(other.text, name.text, name.size_bytes) == 0)
            return i;
    }
    return submesh;
}

static int add_all(struct ogre *ogre, const struct ogre_script *script, struct texture_mixer *mixer, struct err *err)
{
    for (size_t i = 0; i < ogre->mesh.submesh_count; i++) {
        const struct ogre_text name = ogre->mesh.submeshes[i].material;
        const size_t same = same_material(ogre, i);
        if (same < i) {
            ogre->surfaces[i] = ogre->surfaces[same];
            continue;
        }
        const struct ogre_script_material *from = ogre_script_find(script, name.text, name.size_bytes);
        if (from == NULL)
            bake_warn(ogre->builder, "material_missing", "no script beside the mesh has the material '%.*s'",
                      OGRE_SHORT(name));
        if (add_material(ogre, from, name, mixer, &ogre->surfaces[i], err) < 0)
            return err->code;
    }
    texture_mixer_end(mixer);
    return 0;
}

int ogre_read_materials(struct ogre *ogre, struct err *err)
{
    struct ogre_script script = {0};
    struct texture_mixer mixer;
    ogre->surfaces = mem_zalloc(ogre->mesh.submesh_count, sizeof *ogre->surfaces);
    int rc = read_scripts(ogre, &script, err);
    if (rc == 0) {
        texture_mixer_init(&mixer, ogre->builder, ogre->import->limits);
        rc = add_all(ogre, &script, &mixer, err);
        texture_mixer_fini(&mixer);
    }
    ogre_script_fini(&script);
    return rc;
}
