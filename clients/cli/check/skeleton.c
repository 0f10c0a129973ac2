/* Reads the joints of models by name: skeleton.h. */
#include "clients/cli/check/skeleton.h"

#include "clients/cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { NO_PARENT = -1, UNKNOWN = -2 };

static bool is_joint(const struct inspection *model, bool has_skins, size_t node)
{
    const cJSON *json = model->nodes[node];
    return member_text(json, "name")[0] != '\0' &&
           (has_skins ? model->is_joint[node] : !cJSON_IsNumber(json_get(json, "mesh")));
}

static int64_t parent_of(const struct inspection *model, size_t node)
{
    const double parent = member_number(model->nodes[node], "parent");
    return parent >= 0 && parent < (double)model->node_count ? (int64_t)parent : NO_PARENT;
}

/* Returns the nearest joint above each node, as a node. The caller frees the array. Each node is visited once, at any
 * depth. */
static int64_t *find_parents(const struct inspection *model, bool has_skins)
{
    const size_t count = model->node_count;
    int64_t *above = must_alloc((count + 1) * sizeof *above);
    size_t *path = must_alloc((count + 1) * sizeof *path);
    for (size_t i = 0; i < count; i++)
        above[i] = UNKNOWN;
    for (size_t i = 0; i < count; i++) {
        int64_t at = (int64_t)i, found = NO_PARENT;
        size_t depth = 0;
        while (at >= 0 && above[at] == UNKNOWN) {
            path[depth++] = (size_t)at;
            above[at] = NO_PARENT;
            found = parent_of(model, (size_t)at);
            at = found >= 0 && is_joint(model, has_skins, (size_t)found) ? NO_PARENT : found;
            if (at >= 0 && above[at] != UNKNOWN)
                found = above[at];
        }
        while (depth > 0)
            above[path[--depth]] = found;
    }
    free(path);
    return above;
}

static int by_name(const void *a, const void *b, void *joints)
{
    const struct joint *list = joints;
    return strcmp(list[*(const size_t *)a].name, list[*(const size_t *)b].name);
}

struct skeleton *skeleton_of(const struct inspection *model, const char *path)
{
    struct skeleton *skeleton = must_alloc(sizeof *skeleton);
    const size_t count = model->node_count;
    int64_t *places = must_alloc((count + 1) * sizeof *places); /* [node]: its joint */
    skeleton->path = must_copy(path);
    for (size_t i = 0; i < count; i++)
        skeleton->has_skins |= model->is_joint[i];
    int64_t *above = find_parents(model, skeleton->has_skins);
    for (size_t i = 0; i < count; i++)
        places[i] = is_joint(model, skeleton->has_skins, i) ? (int64_t)skeleton->count++ : NO_PARENT;
    skeleton->joints = must_alloc((skeleton->count + 1) * sizeof *skeleton->joints);
    skeleton->order = must_alloc((skeleton->count + 1) * sizeof *skeleton->order);
    for (size_t i = 0; i < count; i++)
        if (places[i] >= 0)
            skeleton->joints[places[i]] = (struct joint){.name = must_copy(member_text(model->nodes[i], "name")),
                                                         .parent = above[i] < 0 ? NO_PARENT : places[above[i]]};
    for (size_t i = 0; i < skeleton->count; i++)
        skeleton->order[i] = i;
    qsort_r(skeleton->order, skeleton->count, sizeof *skeleton->order, by_name, skeleton->joints);
    free(above);
    free(places);
    return skeleton;
}

void skeleton_free(struct skeleton *skeleton)
{
    if (skeleton == NULL)
        return;
    for (size_t i = 0; i < skeleton->count; i++)
        free(skeleton->joints[i].name);
    free(skeleton->joints);
    free(skeleton->order);
    free(skeleton->path);
    free(skeleton);
}

int64_t skeleton_find(const struct skeleton *skeleton, const char *name)
{
    size_t low = 0, high = skeleton->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(skeleton->joints[skeleton->order[middle]].name, name);
        if (order == 0)
            return (int64_t)skeleton->order[middle];
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return -1;
}

/* --- of a rule file --- */

char *skeleton_place(const struct rule_file *file, const char *path)
{
    struct text joined = {0}, place = {0};
    bool is_out = path[0] == '/';
    text_printf(&joined, "%s/%s", file->folder, path);
    text_put(&place, "");
    for (const char *at = joined.at; *at != '\0' && !is_out;) {
        const size_t size = strcspn(at, "/");
        if (size == 2 && memcmp(at, "..", 2) == 0) {
            const char *slash = strrchr(place.at, '/');
            is_out = place.size_bytes == 0;
            place.size_bytes = slash == NULL ? 0 : (size_t)(slash - place.at);
            place.at[place.size_bytes] = '\0';
        } else if (size > 0 && !(size == 1 && at[0] == '.')) {
            text_put(&place, place.size_bytes == 0 ? "" : "/");
            text_put_bytes(&place, at, size);
        }
        at += size + (at[size] == '/');
    }
    text_free(&joined);
    if (is_out)
        text_free(&place);
    return place.at;
}

struct skeleton *skeleton_read(struct connection *connection, const char *path, const struct rule_file *file,
                               const cJSON *value)
{
    cJSON *json;
    if (connection_request_json(connection, "model", path, "", NULL, &json) < 0) {
        struct text line = {0};
        char code[64];
        connection_error_code(connection, code);
        json_file_put_place(&file->file, value, &line);
        text_printf(&line, "'%s': ", KEYS[KEY_REFERENCE_SKELETON].name);
        text_put_printable(&line, path);
        text_printf(&line, ": %s: %s", code, connection_error_message(connection, path));
        terminal_error("%s", line.at);
        text_free(&line);
        return NULL;
    }
    struct inspection model = {.model = json};
    inspection_find_nodes(&model);
    struct skeleton *skeleton = skeleton_of(&model, path);
    inspection_free_nodes(&model);
    cJSON_Delete(json);
    return skeleton;
}
