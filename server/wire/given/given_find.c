#include "wire/given/given_find.h"

#include "anim/humanoid/expression.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "wire/given/given_names.h"

#include <stdlib.h>
#include <string.h>

/* --- morph targets --- */

/* The name of a target without one: its index in the mesh. Returns how many digits. */
static size_t put_index(uint32_t index, char digits[10])
{
    char turned[10];
    size_t count = 0;
    do
        turned[count++] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    for (size_t i = 0; i < count; i++)
        digits[i] = turned[count - 1 - i];
    return count;
}

/* Finds the names that mean the target `called` of the mesh of a node: the one without a mesh, that of the node, and
 * that of the mesh. has_mesh: some name has a mesh. Returns how many, at most 3. */
static uint32_t find_meant(const struct model *model, const struct node *node, struct given_name called,
                           const struct given_name *names, uint32_t name_count, bool has_mesh, uint32_t places[3])
{
    const struct str own = node->name, shared = model->meshes[node->mesh].name;
    const bool is_same = has_mesh && own.offset != STR_NONE && shared.offset != STR_NONE &&
                         own.size_bytes == shared.size_bytes &&
                         memcmp(model->text + own.offset, model->text + shared.offset, own.size_bytes) == 0;
    const struct str *const meshes[] = {NULL, &own, is_same ? NULL : &shared};
    uint32_t count = 0;
    for (int i = 0; i < (has_mesh ? 3 : 1); i++) {
        struct given_name name = called;
        if (i > 0 && (meshes[i] == NULL || meshes[i]->offset == STR_NONE))
            continue;
        if (i > 0) {
            name.mesh = model->text + meshes[i]->offset;
            name.mesh_bytes = meshes[i]->size_bytes;
        }
        const struct given_name *found = given_names_find(names, name_count, &name);
        if (found != NULL)
            places[count++] = found->place;
    }
    return count;
}

/* Counts the weights of the model with the names that are asked for, and adds them unless items == NULL. */
static uint64_t find_targets(struct given_weights *weights, const struct given_name *names, uint32_t name_count,
                             uint32_t *hits)
{
    const struct model *model = weights->model;
    bool has_mesh = false, has_index = false;
    uint64_t total = 0;
    for (uint32_t i = 0; i < name_count; i++) {
        has_mesh = has_mesh || names[i].mesh != NULL;
        has_index = has_index || (names[i].text[0] >= '0' && names[i].text[0] <= '9');
    }
    for (uint32_t n = 0; n < model->node_count && name_count > 0; n++) {
        const struct node *node = &model->nodes[n];
        for (uint32_t w = 0; w < node->weight_count && node->mesh >= 0; w++) {
            const struct str text = model_target_name(model, &model->meshes[node->mesh], w);
            const bool is_named = text.offset != STR_NONE && text.size_bytes > 0;
            uint32_t places[3];
            char digits[10];
            if (!is_named && !has_index)
                continue;
            const struct given_name called = {.text = is_named ? model->text + text.offset : digits,
                                              .size_bytes = is_named ? text.size_bytes : put_index(w, digits)};
            const uint32_t count = find_meant(model, node, called, names, name_count, has_mesh, places);
            for (uint32_t i = 0; i < count; i++) {
                total++;
                hits[places[i]]++;
                if (weights->items != NULL)
                    weights->items[weights->count++] =
                        (struct given_target){node->weight_first + w, n, (int32_t)places[i]};
            }
        }
    }
    return total;
}

static int refuse_morph(const struct model *model, const struct request_given_weight *asked, struct err *err)
{
    enum { LOOKED_AT_MAX = 4096 };
    struct nearest nearest = NEAREST_NONE;
    char name[SHORT_NAME_SIZE], best[SHORT_NAME_SIZE] = "";
    for (uint32_t t = 0; t < model->morph_target_count && t < LOOKED_AT_MAX; t++) {
        const size_t edits = nearest.edits;
        nearest_consider(&nearest, short_name(model, model->morph_targets[t].name, name), asked->name,
                         strlen(asked->name));
        if (nearest.edits < edits)
            memcpy(best, name, sizeof best);
    }
    return err_set(err, ERR_MORPH_NOT_FOUND, "there is no morph target '%.100s'%s%.100s%s%s%s%s", asked->name,
                   asked->mesh != NULL ? " of a mesh '" : "", asked->mesh != NULL ? asked->mesh : "",
                   asked->mesh != NULL ? "'" : "", best[0] != '\0' ? "; did you mean '" : "", best,
                   best[0] != '\0' ? "'?" : "");
}

/* --- expressions --- */

static int refuse_expression(const struct model *model, const struct request_given_weight *asked, struct err *err)
{
    char names[256] = "", name[SHORT_NAME_SIZE];
    for (uint32_t e = 0; e < model->expression_count; e++) {
        const char *text = short_name(model, model->expressions[e].name, name);
        if (strlen(names) + strlen(text) + 3 > sizeof names)
            break;
        strcat(strcat(names, e > 0 ? ", " : ""), text);
    }
    return err_set(err, ERR_EXPRESSION_NOT_FOUND, "there is no expression '%.100s'%s%s", asked->name,
                   names[0] != '\0' ? "; there are " : ": the model has none, as only VRM files do", names);
}

/* Finds the expressions of the request. */
static int find_expressions(struct given_weights *weights, const struct request_given *asked, struct err *err)
{
    const struct model *model = weights->model;
    uint8_t *is_seen = mem_zalloc(model->expression_count + 1, 1);
    int rc = 0;
    for (uint32_t i = 0; i < asked->weight_count && rc == 0; i++) {
        const char *name = asked->weights[i].name;
        const int32_t found = asked->weights[i].is_expression ? expression_find(model, name, strlen(name)) : -1;
        weights->expressions[i] = found;
        if (!asked->weights[i].is_expression)
            continue;
        if (found < 0)
            rc = refuse_expression(model, &asked->weights[i], err);
        else if (is_seen[found]++ != 0)
            rc = err_set(err, ERR_DUPLICATE_PARAMETER, "the expression '%.100s' is given twice", name);
    }
    free(is_seen);
    return rc;
}

/* --- both --- */

static struct given_name name_of(const struct request_given_weight *weight, uint32_t place)
{
    return (struct given_name){.text = weight->name,
                               .size_bytes = strlen(weight->name),
                               .mesh = weight->mesh,
                               .mesh_bytes = weight->mesh != NULL ? strlen(weight->mesh) : 0,
                               .place = place};
}

static int refuse_twice(const char *name, struct err *err)
{
    return err_set(err, ERR_DUPLICATE_PARAMETER, "the morph target '%.100s' is given twice", name);
}

static int find_all(struct given_weights *weights, const struct request_given *asked, struct given_name *names,
                    uint32_t *hits, struct err *err)
{
    uint32_t name_count = 0;
    for (uint32_t i = 0; i < asked->weight_count; i++)
        if (!asked->weights[i].is_expression)
            names[name_count++] = name_of(&asked->weights[i], i);
    const struct given_name *twice = given_names_sort(names, name_count);
    if (twice != NULL)
        return refuse_twice(twice->text, err);
    if (find_expressions(weights, asked, err) < 0)
        return err->code;
    const size_t binds = given_weights_look(weights, asked->look.kind, asked->look.target) + (size_t)1;
    const uint64_t targets = find_targets(weights, names, name_count, hits);
    for (uint32_t i = 0; i < asked->weight_count; i++)
        if (!asked->weights[i].is_expression && hits[i] == 0)
            return refuse_morph(weights->model, &asked->weights[i], err);
    weights->items = mem_alloc((targets + binds) * sizeof *weights->items);
    weights->binds = mem_alloc(binds * sizeof *weights->binds);
    weights->materials = mem_alloc(binds * sizeof *weights->materials);
    weights->shares = mem_alloc(binds * sizeof *weights->shares);
    find_targets(weights, names, name_count, hits);
    const int32_t place = given_weights_bind(weights);
    return place >= 0 ? refuse_twice(asked->weights[place].name, err) : 0;
}

int given_find(struct given_weights *weights, const struct model *model, const struct request_given *asked,
               struct err *err)
{
    *weights = (struct given_weights){.model = model, .number_count = asked->weight_count};
    if (asked->weight_count == 0 && asked->look.kind == LOOK_NONE)
        return 0;
    const size_t entries = asked->weight_count + (size_t)GAZE_LOOKS;
    struct given_name *names = mem_alloc(entries * sizeof *names);
    uint32_t *hits = mem_zalloc(entries, sizeof *hits);
    int8_t *parts = mem_alloc(model->expression_count + (size_t)1);
    weights->expressions = mem_alloc(entries * sizeof *weights->expressions);
    weights->parts = parts;
    weights->shown = mem_alloc((model->expression_count + (size_t)1) * sizeof *weights->shown);
    for (uint32_t e = 0; e < model->expression_count; e++)
        parts[e] = expression_part(model, e);
    const int rc = find_all(weights, asked, names, hits, err);
    free(names);
    free(hits);
    return rc;
}

void given_find_end(struct given_weights *weights)
{
    free(weights->items);
    free(weights->binds);
    free(weights->materials);
    free(weights->shares);
    free(weights->expressions);
    free((int8_t *)(uintptr_t)weights->parts);
    free(weights->shown);
}
