#include "wire/given/given_weights.h"

#include "anim/humanoid/expression.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/sort.h"
#include "wire/given/given_materials.h"
#include "wire/given/given_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void given_weights_fini(struct given_weights *weights)
{
    free(weights->items);
    free(weights->binds);
    free(weights->materials);
    free(weights->shares);
    free(weights->expressions);
    free(weights->parts);
    free(weights->shown);
}

static int compare_targets(const void *a, const void *b)
{
    const struct given_target *one = a, *other = b;
    if (one->weight != other->weight)
        return one->weight < other->weight ? -1 : 1;
    return (one->asked < other->asked) - (one->asked > other->asked); /* the target that is asked for comes first */
}

/* --- morph targets --- */

static void add_target(struct given_weights *weights, uint32_t weight, uint32_t node, int32_t asked)
{
    weights->items[weights->count++] = (struct given_target){weight, node, asked};
}

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
                    add_target(weights, node->weight_first + w, n, (int32_t)places[i]);
            }
        }
    }
    return total;
}

static int refuse_morph(const struct given_weights *weights, const struct request_given_weight *asked, struct err *err)
{
    const struct model *model = weights->model;
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

static int refuse_expression(const struct given_weights *weights, const struct request_given_weight *asked,
                             struct err *err)
{
    const struct model *model = weights->model;
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

/* Finds the expressions, and returns how many binds they have in *bind_count. */
static int find_expressions(struct given_weights *weights, uint32_t *bind_count, struct err *err)
{
    const struct request_given *asked = weights->asked;
    const struct model *model = weights->model;
    uint8_t *is_seen = mem_zalloc(model->expression_count + 1, 1);
    int rc = 0;
    *bind_count = 0;
    for (uint32_t i = 0; i < asked->weight_count && rc == 0; i++) {
        const char *name = asked->weights[i].name;
        weights->expressions[i] = -1;
        if (!asked->weights[i].is_expression)
            continue;
        const int32_t found = expression_find(model, name, strlen(name));
        weights->expressions[i] = found;
        if (found < 0)
            rc = refuse_expression(weights, &asked->weights[i], err);
        else if (is_seen[found] != 0)
            rc = err_set(err, ERR_DUPLICATE_PARAMETER, "the expression '%.100s' is given twice", name);
        else
            *bind_count += model->expressions[found].bind_count;
        if (found >= 0)
            is_seen[found] = 1;
    }
    for (int i = 0; i < GAZE_LOOKS; i++) {
        const int32_t look = weights->looks[i];
        const bool is_new = look >= 0 && is_seen[look] == 0;
        weights->expressions[asked->weight_count + (uint32_t)i] = is_new ? look : -1;
        *bind_count += is_new ? model->expressions[look].bind_count : 0;
    }
    free(is_seen);
    return rc;
}

/* Eyes that look by expressions: the look sets these. */
static void find_looks(struct given_weights *weights)
{
    const struct model *model = weights->model;
    const struct request_look *look = &weights->asked->look;
    const bool is_set = look->kind != LOOK_NONE && model->gaze_count > 0 && model->gazes[0].kind == GAZE_EXPRESSION;
    for (int i = 0; i < GAZE_LOOKS; i++)
        weights->looks[i] = is_set ? expression_find(model, GAZE_LOOK_WORDS[i], strlen(GAZE_LOOK_WORDS[i])) : -1;
    if (is_set && look->kind == LOOK_ANGLES)
        gaze_weigh_looks(&model->gazes[0], look->target[0], look->target[1], weights->look_weights);
}

static void add_expression_targets(struct given_weights *weights)
{
    const struct model *model = weights->model;
    for (uint32_t i = 0; i < weights->entry_count; i++) {
        const struct expression *at = weights->expressions[i] < 0 ? NULL : &model->expressions[weights->expressions[i]];
        for (uint32_t b = 0; at != NULL && b < at->bind_count; b++) {
            const struct expression_bind *bind = &model->expression_binds[at->bind_first + b];
            if (bind->kind == BIND_MORPH)
                add_target(weights, model->nodes[bind->target].weight_first + bind->index, bind->target, -1);
        }
    }
}

/* Finds the place of each bind among the targets. A target that is asked for itself is not moved by expressions. */
static void add_binds(struct given_weights *weights)
{
    const struct model *model = weights->model;
    for (uint32_t i = 0; i < weights->entry_count; i++) {
        const int32_t found = weights->expressions[i];
        const struct expression *at = found < 0 ? NULL : &model->expressions[found];
        for (uint32_t b = 0; at != NULL && b < at->bind_count; b++) {
            const struct expression_bind *bind = &model->expression_binds[at->bind_first + b];
            if (bind->kind != BIND_MORPH)
                continue;
            const uint32_t weight = model->nodes[bind->target].weight_first + bind->index;
            const uint32_t place = LOWER_BOUND(weights->items, weights->count, weight, weight);
            if (weights->items[place].asked < 0)
                weights->binds[weights->bind_count++] = (struct given_bind){place, (uint32_t)found, bind->weight};
        }
    }
}

/* --- both --- */

/* Sorts the targets, each once. Two morph targets of the request may not mean the same. */
static int order_targets(struct given_weights *weights, struct err *err)
{
    uint32_t kept = 0, sorted = 1;
    while (sorted < weights->count && compare_targets(&weights->items[sorted - 1], &weights->items[sorted]) < 0)
        sorted++;
    if (sorted < weights->count) /* those of one target in all meshes are in order */
        sort_in_place(weights->items, weights->count, sizeof *weights->items, compare_targets);
    for (uint32_t i = 0; i < weights->count; i++) {
        const struct given_target *item = &weights->items[i], *last = kept > 0 ? &weights->items[kept - 1] : NULL;
        if (last == NULL || last->weight != item->weight) {
            weights->items[kept++] = *item;
            continue;
        }
        if (item->asked >= 0 && last->asked >= 0)
            return err_set(err, ERR_DUPLICATE_PARAMETER, "the morph target '%.100s' is given twice",
                           weights->asked->weights[item->asked].name);
    }
    weights->count = kept;
    return 0;
}

static struct given_name name_of(const struct request_given_weight *weight, uint32_t place)
{
    return (struct given_name){.text = weight->name,
                               .size_bytes = strlen(weight->name),
                               .mesh = weight->mesh,
                               .mesh_bytes = weight->mesh != NULL ? strlen(weight->mesh) : 0,
                               .place = place};
}

static int find_all(struct given_weights *weights, struct given_name *names, uint32_t *hits, struct err *err)
{
    const struct request_given *asked = weights->asked;
    uint32_t name_count = 0, bind_count;
    for (uint32_t i = 0; i < asked->weight_count; i++)
        if (!asked->weights[i].is_expression)
            names[name_count++] = name_of(&asked->weights[i], i);
    const struct given_name *twice = given_names_sort(names, name_count);
    if (twice != NULL)
        return err_set(err, ERR_DUPLICATE_PARAMETER, "the morph target '%.100s' is given twice", twice->text);
    if (find_expressions(weights, &bind_count, err) < 0)
        return err->code;
    const uint64_t targets = find_targets(weights, names, name_count, hits);
    for (uint32_t i = 0; i < asked->weight_count; i++)
        if (!asked->weights[i].is_expression && hits[i] == 0)
            return refuse_morph(weights, &asked->weights[i], err);
    weights->items = mem_alloc((targets + bind_count + 1) * sizeof *weights->items);
    weights->binds = mem_alloc((bind_count + (size_t)1) * sizeof *weights->binds);
    find_targets(weights, names, name_count, hits);
    add_expression_targets(weights);
    if (order_targets(weights, err) < 0)
        return err->code;
    add_binds(weights);
    given_materials_add(weights, bind_count);
    return 0;
}

int given_weights_find(struct given_weights *weights, const struct model *model, const struct request_given *asked,
                       struct err *err)
{
    *weights = (struct given_weights){.model = model, .asked = asked};
    if (asked->weight_count == 0 && asked->look.kind == LOOK_NONE)
        return 0;
    weights->entry_count = asked->weight_count + GAZE_LOOKS;
    struct given_name *names = mem_alloc(weights->entry_count * sizeof *names);
    uint32_t *hits = mem_zalloc(weights->entry_count, sizeof *hits);
    weights->expressions = mem_alloc(weights->entry_count * sizeof *weights->expressions);
    find_looks(weights);
    weights->parts = mem_alloc(model->expression_count + (size_t)1);
    weights->shown = mem_alloc((model->expression_count + (size_t)1) * sizeof *weights->shown);
    for (uint32_t e = 0; e < model->expression_count; e++)
        weights->parts[e] = expression_part(model, e);
    const int rc = find_all(weights, names, hits, err);
    free(names);
    free(hits);
    return rc;
}

void given_weights_put(struct given_weights *weights, const double *numbers, double *out)
{
    const struct request_given *asked = weights->asked;
    for (uint32_t w = 0; w < weights->count; w++)
        out[w] = weights->items[w].asked >= 0 ? numbers[weights->items[w].asked] : 0;
    weights->left = 1;
    if (weights->entry_count == 0)
        return;
    memset(weights->shown, 0, weights->model->expression_count * sizeof *weights->shown);
    for (uint32_t i = 0; i < asked->weight_count; i++)
        if (weights->expressions[i] >= 0)
            weights->shown[weights->expressions[i]] = (float)fmin(1, fmax(0, numbers[i]));
    for (int i = 0; i < GAZE_LOOKS; i++)
        if (weights->looks[i] >= 0)
            weights->shown[weights->looks[i]] = (float)weights->look_weights[i];
    expressions_show(weights->model, weights->parts, weights->shown);
    weights->left = fmax(0, expressions_left(weights->model, weights->parts, weights->shown, EXPRESSION_GAZE));
    for (uint32_t b = 0; b < weights->bind_count; b++)
        out[weights->binds[b].target] +=
            (double)(weights->shown[weights->binds[b].expression] * weights->binds[b].weight);
    given_materials_put(weights, out + weights->count);
}

double given_weights_left(const struct given_weights *weights) { return weights->left; }
