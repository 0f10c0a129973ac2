#include "clients/cli/convert/clip_names.h"

#include <stdlib.h>
#include <string.h>

/* Puts "run" for "anims/run.fbx". */
static void put_file_name(struct text *out, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1, *dot = strrchr(base, '.');
    text_put_bytes(out, base, dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base));
}

/* Returns the clip's name: the words after the file's name and a newline, without the last newline and the suffix that
 * makes names unique. NULL: the clip does not belong to that file. */
static char *clip_of(const char *name, const char *path)
{
    struct text file = {0};
    put_file_name(&file, path);
    text_put(&file, "\n");
    const char *clip = strncmp(name, file.at, file.size_bytes) == 0 ? name + file.size_bytes : NULL;
    const char *end = clip == NULL ? NULL : strrchr(clip, '\n');
    struct text found = {0};
    text_free(&file);
    if (end == NULL)
        return NULL;
    text_put(&found, "");
    text_put_bytes(&found, clip, (size_t)(end - clip));
    return found.at;
}

static void add(struct clip_names *names, int file, char *name)
{
    names->clips = must_grow(names->clips, (names->clip_count + 1) * sizeof *names->clips);
    names->clips[names->clip_count++] = (struct named_clip){.file = file, .name = name};
}

static bool has_clip_since(const struct clip_names *names, size_t first, const char *name)
{
    for (size_t i = first; i < names->clip_count; i++)
        if (strcmp(names->clips[i].name, name) == 0)
            return true;
    return false;
}

void clip_names_add(struct clip_names *names, const cJSON *glb, const char *const *paths, int first_file,
                    size_t file_count)
{
    const cJSON *clip;
    size_t file = 0, first_of_file = names->clip_count;
    bool has_begun = false;
    cJSON_ArrayForEach(clip, json_get(glb, "animations"))
    {
        const char *name = member_text(clip, "name");
        char *own = file < file_count ? clip_of(name, paths[file]) : NULL;
        /* Consecutive files may have one name. If a clip repeats, it belongs to the next file. */
        bool is_next = has_begun && (own == NULL || has_clip_since(names, first_of_file, own));
        for (size_t f = file + (is_next ? 1 : 0); (own == NULL || is_next) && f < file_count; f++) {
            char *other = clip_of(name, paths[f]);
            if (other == NULL)
                continue;
            free(own);
            own = other;
            file = f;
            first_of_file = names->clip_count;
            is_next = false;
        }
        has_begun = has_begun || own != NULL;
        add(names, own == NULL ? -1 : first_file + (int)file, own == NULL ? must_copy(name) : own);
    }
}

static void put_name(struct text *out, const struct named_clip *clip, const char *pattern, const char *path)
{
    if (clip->file < 0 || pattern == NULL) {
        text_put(out, clip->name);
        return;
    }
    while (*pattern != '\0') {
        const bool is_file = strncmp(pattern, "{file}", 6) == 0, is_clip = strncmp(pattern, "{clip}", 6) == 0;
        if (is_file)
            put_file_name(out, path);
        else
            text_put_bytes(out, is_clip ? clip->name : pattern, is_clip ? strlen(clip->name) : 1);
        pattern += is_file || is_clip ? 6 : 1;
    }
}

/* by_file: without a pattern, a clip is named after its file, and after the clip too if the file has several. */
static char **make_names(const struct clip_names *names, const char *const *paths, size_t file_count,
                         const char *pattern, bool by_file)
{
    char **made = must_alloc((names->clip_count + 1) * sizeof *made);
    size_t *counts = must_alloc((file_count + 1) * sizeof *counts);
    for (size_t i = 0; i < names->clip_count; i++)
        if (names->clips[i].file >= 0)
            counts[names->clips[i].file]++;
    for (size_t i = 0; i < names->clip_count; i++) {
        const struct named_clip *clip = &names->clips[i];
        const bool is_own = clip->file < 0;
        struct text name = {0};
        text_put(&name, "");
        put_name(&name, clip,
                 is_own || !by_file        ? pattern
                 : counts[clip->file] == 1 ? "{file}"
                                           : "{file}_{clip}",
                 is_own ? NULL : paths[clip->file]);
        made[i] = name.at;
    }
    free(counts);
    return made;
}

static size_t count_before(char *const *made, size_t index)
{
    size_t count = 0;
    for (size_t i = 0; i < index; i++)
        count += strcmp(made[i], made[index]) == 0;
    return count;
}

static bool has_twins(char *const *made, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (count_before(made, i) > 0)
            return true;
    return false;
}

static void free_names(char **made, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(made[i]);
    free(made);
}

void clip_names_set(const struct clip_names *names, cJSON *glb, const char *const *paths, size_t file_count,
                    const char *pattern)
{
    char **made = make_names(names, paths, file_count, pattern, false);
    cJSON *clip;
    size_t i = 0;
    if (pattern == NULL && has_twins(made, names->clip_count)) {
        free_names(made, names->clip_count);
        made = make_names(names, paths, file_count, NULL, true);
    }
    cJSON_ArrayForEach(clip, cJSON_GetObjectItemCaseSensitive(glb, "animations"))
    {
        const size_t before = i < names->clip_count ? count_before(made, i) : 0;
        struct text name = {0};
        text_put(&name, i < names->clip_count ? made[i] : "");
        if (before > 0)
            text_printf(&name, "_%zu", before + 1);
        cJSON_DeleteItemFromObjectCaseSensitive(clip, "name");
        cJSON_AddStringToObject(clip, "name", name.at);
        text_free(&name);
        i++;
    }
    free_names(made, names->clip_count);
}

void clip_names_free(struct clip_names *names)
{
    for (size_t i = 0; i < names->clip_count; i++)
        free(names->clips[i].name);
    free(names->clips);
    *names = (struct clip_names){0};
}
