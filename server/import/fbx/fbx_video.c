/* fbx_video.c - paths of Textures and Videos, and embedded images. */
#include "import/fbx/fbx_texture.h"

#include "import/source/source_parts.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* --- paths --- */

struct fbx_span fbx_file_name_of(struct fbx_span path)
{
    for (size_t i = path.size_bytes; i > 0; i--)
        if (path.bytes[i - 1] == '/' || path.bytes[i - 1] == '\\')
            return (struct fbx_span){path.bytes + i, path.size_bytes - i};
    return path;
}

/* The first of these records and properties that has a text. */
static struct fbx_span first_text(const struct fbx_scene *scene, uint32_t object, const char *const *names)
{
    for (; *names != NULL; names++) {
        struct fbx_span text = fbx_child_text(&scene->file, scene->objects[object].record, *names);
        if (text.size_bytes == 0)
            fbx_property_text(scene, object, *names, &text);
        if (text.size_bytes > 0)
            return text;
    }
    return fbx_span_of("");
}

struct fbx_span fbx_absolute_path(const struct fbx_scene *scene, uint32_t object)
{
    static const char *const NAMES[] = {"FileName", "Filename", "Path", NULL};
    return first_text(scene, object, NAMES);
}

struct fbx_span fbx_relative_path(const struct fbx_scene *scene, uint32_t object)
{
    static const char *const NAMES[] = {"RelativeFilename", "RelativeFileName", "RelPath", NULL};
    return first_text(scene, object, NAMES);
}

struct fbx_span fbx_file_name(const struct fbx_scene *scene, uint32_t object)
{
    const struct fbx_span absolute = fbx_absolute_path(scene, object);
    return fbx_file_name_of(absolute.size_bytes > 0 ? absolute : fbx_relative_path(scene, object));
}

/* --- pictures in the file --- */

static bool has_content(const struct fbx_scene *scene, uint32_t video)
{
    const struct fbx_file *file = &scene->file;
    const uint32_t record = fbx_child(file, scene->objects[video].record, "Content");
    const uint32_t count = fbx_value_count(file, record);
    for (uint32_t i = 0; i < count; i++) {
        const struct fbx_value *value = fbx_value(file, record, i);
        if (value->kind == FBX_ARRAY
                ? value->array.count > 0
                : (value->kind == FBX_BYTES || value->kind == FBX_TEXT) && value->span.size_bytes > 0)
            return true;
    }
    return false;
}

static int by_file_name(const void *a, const void *b)
{
    const struct fbx_video *first = a, *second = b;
    const int order = fbx_span_order(first->file_name, second->file_name);
    return order != 0 ? order : (first->object > second->object) - (first->object < second->object);
}

void fbx_textures_init(struct fbx_textures *textures, const struct fbx *fbx)
{
    const struct fbx_scene *scene = &fbx->scene;
    uint64_t capacity = 0;
    *textures = (struct fbx_textures){.fbx = fbx};
    textures->links = mem_zalloc(scene->object_count, sizeof *textures->links);
    for (uint32_t object = 0; object < scene->object_count; object++) {
        if (!fbx_object_is(scene, object, "Video", NULL) || !has_content(scene, object))
            continue;
        if (textures->video_count == capacity) {
            capacity = capacity < 8 ? 8 : 2 * capacity;
            textures->videos = mem_realloc(textures->videos, capacity * sizeof *textures->videos);
        }
        textures->videos[textures->video_count++] =
            (struct fbx_video){.object = object, .file_name = fbx_file_name(scene, object)};
    }
    if (textures->video_count == 0)
        return;
    qsort(textures->videos, textures->video_count, sizeof *textures->videos, by_file_name);
    textures->place_of = mem_alloc(scene->object_count * sizeof *textures->place_of);
    memset(textures->place_of, 0xff, scene->object_count * sizeof *textures->place_of);
    for (uint32_t i = 0; i < textures->video_count; i++)
        textures->place_of[textures->videos[i].object] = i;
}

void fbx_textures_fini(struct fbx_textures *textures)
{
    for (uint32_t i = 0; i < textures->video_count; i++) {
        if (textures->videos[i].owned != NULL)
            source_parts_end(textures->fbx->import->files, textures->videos[i].owned);
        free(textures->videos[i].owned);
    }
    free(textures->videos);
    free(textures->place_of);
    free(textures->links);
    *textures = (struct fbx_textures){0};
}

const struct fbx_texture_links *fbx_texture_links_of(const struct fbx_textures *textures, uint32_t texture)
{
    const struct fbx_scene *scene = &textures->fbx->scene;
    struct fbx_texture_links *found = &textures->links[texture];
    if (found->is_known)
        return found;
    uint32_t count;
    const struct fbx_link *links = fbx_children(scene, texture, &count);
    *found = (struct fbx_texture_links){.texture = FBX_NONE, .is_known = true};
    found->video = fbx_first_child(scene, texture, "Video", NULL);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t child = links[i].child;
        if (!fbx_object_is(scene, child, "Texture", NULL) && !fbx_object_is(scene, child, "LayeredTexture", NULL))
            continue;
        if (found->texture_count++ == 0)
            found->texture = child;
    }
    return found;
}

static struct fbx_video *video_named(const struct fbx_textures *textures, struct fbx_span name)
{
    uint32_t from = 0, to = textures->video_count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (fbx_span_order(textures->videos[middle].file_name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    const bool is_found = from < textures->video_count && fbx_span_equal(textures->videos[from].file_name, name);
    return is_found && name.size_bytes > 0 ? &textures->videos[from] : NULL;
}

/* If several Videos have the same file, the SDK gives the content to only one, so this also searches by name. */
struct fbx_video *fbx_video_of(const struct fbx_textures *textures, uint32_t texture)
{
    const struct fbx_scene *scene = &textures->fbx->scene;
    if (textures->video_count == 0)
        return NULL;
    const uint32_t linked = fbx_texture_links_of(textures, texture)->video;
    if (linked != FBX_NONE && textures->place_of[linked] != FBX_NONE)
        return &textures->videos[textures->place_of[linked]];
    struct fbx_video *video = linked == FBX_NONE ? NULL : video_named(textures, fbx_file_name(scene, linked));
    return video != NULL ? video : video_named(textures, fbx_file_name(scene, texture));
}

void fbx_video_read(const struct fbx_textures *textures, struct fbx_video *video, struct texture_request *request)
{
    const struct fbx_scene *scene = &textures->fbx->scene;
    struct err err;
    if (!video->is_read) {
        const uint32_t record = fbx_child(&scene->file, scene->objects[video->object].record, "Content");
        if (fbx_content(&scene->file, record, &video->content, &video->owned, &err) < 0)
            video->content = fbx_span_of("");
        video->is_read = true;
        const struct fbx_span text = scene->file.is_ascii ? fbx_content_text(&scene->file, record) : fbx_span_of("");
        if (video->owned != NULL && text.size_bytes > 0)
            source_parts_begin(textures->fbx->import->files, video->content.bytes, video->content.size_bytes,
                               (const char *)text.bytes, text.size_bytes);
    }
    request->bytes = video->content.bytes;
    request->size_bytes = video->content.size_bytes;
    request->image = video->object + 1;
}
