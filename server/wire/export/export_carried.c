/* export_carried.c - writes what the model carries of a glTF file for files made of it: members as they are, and
 * extensions with the numbers that nodes, meshes and materials have in the file (protocol/carried.def). */
#include "wire/export/export_internal.h"
#include "wire/reply/reply_json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum list_kind { LIST_NODES, LIST_MESHES, LIST_MATERIALS, LIST_OTHERS };
enum loss { MEMBER, PARENT, EXTENSION };

static const struct index_path {
    const char *extension, *path;
    enum list_kind kind;
    enum loss loss;
} INDEX_PATHS[] = {
#define INDEX(name, path, kind, loss) {name, path, kind, loss},
#include "protocol/carried.def"
};
enum { INDEX_PATH_COUNT = sizeof INDEX_PATHS / sizeof *INDEX_PATHS };

static const char *const EXTENSIONS[] = {
#define CARRIED(name, owners) name,
#include "protocol/carried.def"
};
enum { EXTENSION_COUNT = sizeof EXTENSIONS / sizeof *EXTENSIONS };
_Static_assert(sizeof EXTENSIONS / sizeof *EXTENSIONS <= (size_t)EXPORT_CARRIED_MAX, "names of the file");

/* --- indices --- */

static uint32_t place_of(const struct export *e, enum list_kind kind, double index)
{
    const struct model *model = e->model;
    const uint32_t counts[] = {model->node_count, model->mesh_count, model->material_count, 0};
    if (!(index < counts[kind]) || index != (double)(uint32_t)index)
        return GLB_NONE;
    const uint32_t i = (uint32_t)index;
    if (kind == LIST_NODES)
        return e->node_places[i];
    if (kind == LIST_MATERIALS)
        return e->surfaces.materials[i];
    return e->mesh_places[2 * (size_t)i] != GLB_NONE ? e->mesh_places[2 * (size_t)i]
                                                     : e->mesh_places[2 * (size_t)i + 1];
}

/* What happens to an item because of numbers in it. */
enum fate { STAYS, GOES, ITS_PARENT_GOES, ALL_GOES };

static bool is_step(const cJSON *item, const char *path, size_t size)
{
    return (size == 1 && path[0] == '*') ||
           (item->string != NULL && strlen(item->string) == size && memcmp(item->string, path, size) == 0);
}

/* Replaces the numbers at the end of the path below an item. *lost: some of them went. */
static enum fate renumber(const struct export *e, const struct index_path *row, const char *path, cJSON *item,
                          bool *lost)
{
    if (*path == '\0') {
        const uint32_t place =
            cJSON_IsNumber(item) && item->valuedouble >= 0 ? place_of(e, row->kind, item->valuedouble) : 0;
        if (!cJSON_IsNumber(item) || item->valuedouble < 0)
            return STAYS;
        if (place != GLB_NONE) {
            cJSON_SetNumberValue(item, place);
            return STAYS;
        }
        *lost = true;
        return row->loss == MEMBER ? GOES : row->loss == PARENT ? ITS_PARENT_GOES : ALL_GOES;
    }
    const size_t size = strcspn(path, "/");
    const char *rest = path + size + (path[size] == '/');
    for (cJSON *child = item->child, *next; child != NULL; child = next) {
        next = child->next;
        const enum fate fate = is_step(child, path, size) ? renumber(e, row, rest, child, lost) : STAYS;
        if (fate == GOES)
            cJSON_Delete(cJSON_DetachItemViaPointer(item, child));
        else if (fate == ITS_PARENT_GOES)
            return GOES;
        else if (fate == ALL_GOES)
            return ALL_GOES;
    }
    return STAYS;
}

static void drop(struct export *e, const char *code, const char *what, const char *why)
{
    json_comma(&e->dropped, e->dropped.size_bytes > 0);
    char message[200];
    snprintf(message, sizeof message, "%.100s%.90s", what, why);
    json_printf(&e->dropped, "{\"code\":%s,\"message\":%s}", code, message);
}

void export_drop(struct export *e, const char *code, const char *what) { drop(e, code, what, ""); }

/* Returns the extension with the file's numbers, which the caller frees with cJSON_free(). NULL: the file has to do
 * without it. */
static char *renumbered(struct export *e, const char *name, const char *json, size_t size_bytes)
{
    cJSON *root = cJSON_ParseWithLength(json, size_bytes);
    enum fate fate = root == NULL ? ALL_GOES : STAYS;
    for (int i = 0; i < INDEX_PATH_COUNT && fate == STAYS; i++) {
        bool lost = false;
        if (strcmp(INDEX_PATHS[i].extension, name) != 0)
            continue;
        fate = renumber(e, &INDEX_PATHS[i], INDEX_PATHS[i].path, root, &lost);
        if (lost && fate == STAYS) {
            char what[160];
            snprintf(what, sizeof what, "%s: %s", name, INDEX_PATHS[i].path);
            drop(e, "extension", what, INDEX_PATHS[i].kind == LIST_OTHERS ? "" : ", which is not in this file");
        }
    }
    if (fate != STAYS)
        drop(e, "extension", name, ", which names what is not in this file");
    char *made = fate == STAYS ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    return made;
}

/* --- the plan --- */

static int row_of(const struct model *model, const struct carried *at)
{
    for (int i = 0; i < EXTENSION_COUNT; i++)
        if (strlen(EXTENSIONS[i]) == at->member.size_bytes &&
            memcmp(EXTENSIONS[i], model->text + at->member.offset, at->member.size_bytes) == 0)
            return i;
    return -1;
}

static bool is_kept(const struct export *e, const struct carried *at)
{
    return at->owner == CARRY_NODE       ? e->keeps[at->index] == KEEP_ALL
           : at->owner == CARRY_MESH     ? place_of(e, LIST_MESHES, at->index) != GLB_NONE
           : at->owner == CARRY_MATERIAL ? e->surfaces.materials[at->index] != GLB_NONE
                                         : true;
}

static bool has_indices(const char *name)
{
    for (int i = 0; i < INDEX_PATH_COUNT; i++)
        if (strcmp(INDEX_PATHS[i].extension, name) == 0)
            return true;
    return false;
}

bool export_plan_carried(struct export *e)
{
    const struct model *model = e->model;
    e->carried_texts = export_array(e, (size_t)model->carried_count + 1, sizeof *e->carried_texts);
    if (e->carried_texts == NULL)
        return false;
    for (uint32_t i = 0; i < model->carried_count; i++) {
        const struct carried *at = &model->carried_members[i];
        const int row = row_of(model, at);
        if (row < 0 || !is_kept(e, at))
            continue;
        const char *json = model->text + at->json.offset;
        char *made = has_indices(EXTENSIONS[row]) ? renumbered(e, EXTENSIONS[row], json, at->json.size_bytes) : NULL;
        if (made == NULL && has_indices(EXTENSIONS[row]))
            continue;
        e->carried_texts[i].offset = e->carried.size_bytes;
        buf_put(&e->carried, made != NULL ? made : json, made != NULL ? strlen(made) : at->json.size_bytes);
        e->carried_texts[i].size_bytes = e->carried.size_bytes - e->carried_texts[i].offset;
        e->carried_rows |= UINT64_C(1) << row;
        cJSON_free(made);
    }
    for (int i = 0; i < EXTENSION_COUNT; i++)
        if ((e->carried_rows >> i & 1) != 0)
            e->carried_names[e->carried_name_count++] = EXTENSIONS[i];
    return !buf_failed(&e->carried) || context_fail_too_large(e->context);
}

/* --- JSON --- */

bool export_put_carried(struct export *e, enum carry_owner owner, uint32_t index, const char *opening)
{
    const struct model *model = e->model;
    uint32_t count;
    const struct carried *all = model_carried(model, owner, index, &count);
    bool has_any = false;
    for (uint32_t i = 0; i < count && !buf_failed(e->out); i++) {
        const struct export_text *text = &e->carried_texts[(size_t)(all - model->carried_members) + i];
        if (text->size_bytes == 0)
            continue;
        buf_put_text(e->out, has_any ? "," : opening);
        json_printf(e->out, "%.*s:", JSON_STR(model, all[i].member));
        buf_put(e->out, e->carried.data + text->offset, text->size_bytes);
        has_any = true;
    }
    return has_any;
}

bool export_put_carried_material(void *context, uint32_t material, const char *opening)
{
    return export_put_carried(context, CARRY_MATERIAL, material, opening);
}

void export_put_extras(struct export *e, enum carry_owner owner, uint32_t index)
{
    put_carried(e->out, e->model, owner, index, "extras", ",\"extras\":");
}

void export_put_more_extras(struct export *e, enum carry_owner owner, uint32_t index)
{
    const size_t begin = e->out->size_bytes;
    if (!put_carried(e->out, e->model, owner, index, "extras", ",") || buf_failed(e->out))
        return;
    if (e->out->data[begin + 1] != '{' || e->out->data[begin + 2] == '}') { /* only members can be joined with others */
        e->out->size_bytes = begin;
        return;
    }
    memmove(e->out->data + begin + 1, e->out->data + begin + 2,
            e->out->size_bytes - begin - 3); /* without the braces */
    e->out->size_bytes -= 2;
}

void export_put_dropped(struct export *e)
{
    uint32_t count;
    const struct model *model = e->model;
    bool has_any = false;
    buf_put_text(e->out, ",\"dropped\":[");
    for (uint32_t i = 0; model_carried(model, CARRY_NOTHING, i, &count) != NULL && !buf_failed(e->out); i++) {
        const struct carried *at = model_carried(model, CARRY_NOTHING, i, &count);
        json_printf(e->out, has_any ? ",{\"code\":%.*s,\"message\":" : "{\"code\":%.*s,\"message\":",
                    JSON_STR(model, at->member));
        buf_put(e->out, model->text + at->json.offset, at->json.size_bytes);
        buf_put_char(e->out, '}');
        has_any = true;
    }
    json_comma(e->out, has_any && e->dropped.size_bytes > 0);
    buf_put(e->out, e->dropped.data, e->dropped.size_bytes);
    buf_put_char(e->out, ']');
}
