/* source_search.c - tries the places of the order one by one; folders are read by source_files_names(). */
#include "import/source/source_search.h"

#include "import/source/source_path.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const FOLDERS[] = {IMPORT_SEARCH_FOLDERS}, *const FOLDERS_ABOVE[] = {IMPORT_SEARCH_FOLDERS_ABOVE},
                         *const EXTENSIONS[] = {IMPORT_PICTURE_EXTENSIONS};
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { PART_BYTES_MAX = 255, FORMS = 2 };

/* The paths that one reference may mean: unchanged, and percent-decoded or NULL. */
struct forms {
    char *paths[FORMS];
};

struct search {
    struct source_files *files;
    enum source_role role;
    struct source_bytes *found;
    struct err *err; /* error of the first place tried; then the error that ended the search */
};

/* The results of the steps; an ERR_ code also ends the search. */
enum { NOT_HERE = 0, FOUND = 1 };

static struct forms forms_of(const struct source_files *files, const char *reference)
{
    char *plain = source_path_plain(source_files_model(files), reference);
    return (struct forms){{plain, source_path_decoded(plain)}};
}

static void forms_fini(struct forms *forms)
{
    for (int i = 0; i < FORMS; i++)
        free(forms->paths[i]);
}

/* --- one file --- */

static int try_file(struct search *search, const char *path)
{
    struct err why;
    const int rc = source_files_read_at(search->files, path, search->role, search->found, &why);
    if (rc == 0)
        return FOUND;
    if (rc != ERR_COMPANION_MISSING || search->err->code == 0)
        *search->err = why;
    return rc == ERR_COMPANION_MISSING ? NOT_HERE : rc;
}

/* Place 1. */
static int try_as_written(struct search *search, const char *path)
{
    char full[SOURCE_PATH_SIZE];
    struct err why;
    if (source_path_resolve(source_files_model(search->files), path, full, &why) == 0)
        return try_file(search, full);
    if (search->err->code == 0)
        *search->err = why;
    return NOT_HERE;
}

/* --- without regard to case --- */

static int compare(const char *name, const char *part, size_t part_bytes)
{
    const int order = strncasecmp(name, part, part_bytes);
    return order != 0 ? order : name[part_bytes] != '\0';
}

/* The index of the first name, in the order of source_files_names(), that is not less than the part. */
static size_t first_like(const char *const *names, size_t count, const char *part, size_t part_bytes)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (compare(names[middle], part, part_bytes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The names in the folder that ends before `at`. */
static size_t names_before(struct search *search, char *path, size_t at, const char *const **names)
{
    if (at == 0)
        return source_files_names(search->files, ".", names);
    path[at - 1] = '\0';
    const size_t count = source_files_names(search->files, path, names);
    path[at - 1] = '/';
    return count;
}

/* Tries all files whose paths differ from `wanted` only in case after `at`. `path` is `wanted` with the names found so
 * far. Names are as long as the components they match. */
static int try_parts(struct search *search, const char *wanted, char *path, size_t at)
{
    const char *part = wanted + at, *const * names;
    const size_t part_bytes = strcspn(part, "/");
    if (part_bytes > PART_BYTES_MAX)
        return NOT_HERE;
    const size_t count = names_before(search, path, at, &names);
    const size_t first = first_like(names, count, part, part_bytes);
    int rc = NOT_HERE;
    for (int pass = 0; pass < 2; pass++) /* the name as written, then the others */
        for (size_t i = first; i < count && rc == NOT_HERE && compare(names[i], part, part_bytes) == 0; i++) {
            if ((memcmp(names[i], part, part_bytes) == 0) != (pass == 0))
                continue;
            memcpy(path + at, names[i], part_bytes);
            rc = part[part_bytes] == '\0' ? try_file(search, path)
                                          : try_parts(search, wanted, path, at + part_bytes + 1);
        }
    memcpy(path + at, part, part_bytes);
    return rc;
}

/* The start of the last folder that both paths share, from the root on. */
static size_t shared_folders(const char *model, const char *path)
{
    size_t at = 0;
    for (size_t i = 0; model[i] != '\0' && model[i] == path[i]; i++)
        if (path[i] == '/')
            at = i + 1;
    return at;
}

/* Searches a path relative to the model's folder, whose own path is taken literally. */
static int try_any_case(struct search *search, const char *path)
{
    char model[SOURCE_PATH_SIZE], wanted[SOURCE_PATH_SIZE], tried[SOURCE_PATH_SIZE];
    struct err why;
    if (source_path_of_model(source_files_model(search->files), model, &why) < 0 ||
        source_path_resolve(source_files_model(search->files), path, wanted, &why) < 0)
        return NOT_HERE;
    strcpy(tried, wanted);
    return try_parts(search, wanted, tried, shared_folders(model, wanted));
}

/* --- by name --- */

/* "tex/skin.png" of "C:\\art\\tex\\skin.png", or NULL: a model moves together with the folder of its textures. No "..",
 * and no hidden folder. */
static const char *last_two_parts(const char *path)
{
    const char *name = source_path_base_name(path);
    if (name - path < 2)
        return NULL;
    const char *folder = name - 1;
    while (folder > path && folder[-1] != '/' && folder[-1] != '\\')
        folder--;
    const size_t bytes = (size_t)(name - 1 - folder);
    return bytes > 0 && folder[bytes - 1] != ':' && folder[0] != '.' ? folder : NULL;
}

static int try_name_in(struct search *search, const char *above, const char *folder, const char *name)
{
    char place[SOURCE_PATH_SIZE];
    snprintf(place, sizeof place, "%s%s/%s", above, folder, name);
    return try_any_case(search, place);
}

/* Place 3. It also requests the names as written, because the daemon reads from the record which names matter in the
 * searched folders (daemon/model/searched_names.h). With another extension it does not: the daemon knows those. */
static int try_name(struct search *search, const char *path, bool is_as_written)
{
    const char *name = source_path_base_name(path), *folder = last_two_parts(path);
    if (name[0] == '\0' || name[0] == '.' || strlen(name) > PART_BYTES_MAX)
        return NOT_HERE;
    int rc = folder != NULL && is_as_written ? try_as_written(search, folder) : NOT_HERE;
    if (rc == NOT_HERE && folder != NULL)
        rc = try_any_case(search, folder);
    if (rc == NOT_HERE && is_as_written)
        rc = try_as_written(search, name);
    if (rc == NOT_HERE)
        rc = try_any_case(search, name);
    for (size_t i = 0; i < COUNT_OF(FOLDERS) && rc == NOT_HERE; i++)
        rc = try_name_in(search, "", FOLDERS[i], name);
    for (size_t i = 0; i < COUNT_OF(FOLDERS_ABOVE) && rc == NOT_HERE; i++)
        rc = try_name_in(search, "../", FOLDERS_ABOVE[i], name);
    return rc;
}

/* Place 4. */
static int try_extensions(struct search *search, const char *path)
{
    const char *name = source_path_base_name(path), *dot = strrchr(name, '.');
    const size_t stem_bytes = dot != NULL ? (size_t)(dot - path) : strlen(path);
    int rc = NOT_HERE;
    if (search->role != SOURCE_TEXTURE || name[0] == '\0' || dot == name)
        return NOT_HERE;
    for (size_t i = 0; i < COUNT_OF(EXTENSIONS) && rc == NOT_HERE; i++) {
        if (dot != NULL && strcasecmp(dot + 1, EXTENSIONS[i]) == 0)
            continue;
        char *other = mem_alloc(stem_bytes + sizeof ".webp");
        memcpy(other, path, stem_bytes);
        sprintf(other + stem_bytes, ".%s", EXTENSIONS[i]);
        rc = try_any_case(search, other);
        if (rc == NOT_HERE)
            rc = try_name(search, other, false);
        free(other);
    }
    return rc;
}

/* --- the order --- */

enum place { PLACE_AS_WRITTEN, PLACE_IN_ANY_CASE, PLACE_BY_NAME, PLACE_OTHER_EXTENSION, PLACE_COUNT };

static int try_place(struct search *search, enum place place, const char *path)
{
    return place == PLACE_AS_WRITTEN    ? try_as_written(search, path)
           : place == PLACE_IN_ANY_CASE ? try_any_case(search, path)
           : place == PLACE_BY_NAME     ? try_name(search, path, true)
                                        : try_extensions(search, path);
}

/* *is_elsewhere: not at the path as written. Returns FOUND, NOT_HERE or an ERR_ code. */
static int try_forms(struct search *search, enum place place, const struct forms *forms, bool *is_elsewhere)
{
    int rc = NOT_HERE;
    for (int i = 0; i < FORMS && rc == NOT_HERE && forms->paths[i] != NULL; i++) {
        rc = try_place(search, place, forms->paths[i]);
        *is_elsewhere = place != PLACE_AS_WRITTEN || i > 0;
    }
    return rc;
}

static int try_places(struct search *search, enum place last, const char *reference, bool *is_elsewhere)
{
    struct forms forms = forms_of(search->files, reference);
    int rc = NOT_HERE;
    for (enum place place = PLACE_AS_WRITTEN; place <= last && rc == NOT_HERE; place++)
        rc = try_forms(search, place, &forms, is_elsewhere);
    forms_fini(&forms);
    return rc;
}

/* Whether the model may access its folder: then at least its own name is listed. */
static bool has_neighbours(struct source_files *files)
{
    char model[SOURCE_PATH_SIZE];
    const char *const *names;
    struct err why;
    if (source_path_of_model(source_files_model(files), model, &why) < 0)
        return false;
    char *slash = strrchr(model, '/');
    if (slash != NULL)
        *slash = '\0';
    return source_files_names(files, slash != NULL ? model : ".", &names) > 0;
}

static int search_up_to(struct import *import, enum place last, const char *reference, enum source_role role,
                        struct source_bytes *out, bool *is_elsewhere, struct err *err)
{
    struct search search = {.files = import->files, .role = role, .found = out, .err = err};
    *err = (struct err){0};
    const int rc = try_places(&search, last, reference, is_elsewhere);
    if (rc == FOUND)
        return 0;
    *out = (struct source_bytes){0};
    return err->code;
}

int source_search(struct import *import, const char *reference, enum source_role role, struct source_bytes *out,
                  struct err *err)
{
    bool is_elsewhere = false;
    const int rc = search_up_to(import, PLACE_OTHER_EXTENSION, reference, role, out, &is_elsewhere, err);
    if (rc == 0 && is_elsewhere)
        bake_warn(import->builder, "file_found_elsewhere", "'%s' is not there as it is written: '%s' is taken",
                  reference, out->path);
    const char *name = source_path_base_name(reference);
    if (rc == ERR_COMPANION_MISSING && name[0] != '\0' && has_neighbours(import->files)) {
        const struct err why = *err;
        err_set(err, rc,
                "%s, and no '%s' in its folder, textures, tex, maps, images, ../textures or ../materials/textures",
                why.message, name);
    }
    return rc;
}

int source_search_guess(struct import *import, const char *path, enum source_role role, struct source_bytes *out,
                        struct err *err)
{
    bool is_elsewhere = false;
    return search_up_to(import, PLACE_IN_ANY_CASE, path, role, out, &is_elsewhere, err);
}

size_t source_search_best(struct import *import, const char *const *references, size_t count, enum source_role role)
{
    struct source_bytes found;
    struct err err = {0};
    struct search search = {.files = import->files, .role = role, .found = &found, .err = &err};
    for (enum place place = PLACE_AS_WRITTEN; place < PLACE_COUNT; place++)
        for (size_t i = 0; i < count; i++) {
            struct forms forms = forms_of(import->files, references[i]);
            bool is_elsewhere;
            const int rc = try_forms(&search, place, &forms, &is_elsewhere);
            forms_fini(&forms);
            if (rc != NOT_HERE)
                return i;
        }
    return 0;
}
