/* eval_evaluator.c - reserves working memory, and evaluates entities in it. */
#include "clients/eval/eval_internal.h"

#include <stdlib.h>
#include <string.h>

int pe_evaluator_new(struct pe_evaluator **out, struct pe_error *error)
{
    if (out == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no place for the evaluator");
    struct pe_evaluator *evaluator = calloc(1, sizeof *evaluator);
    *out = evaluator;
    if (evaluator == NULL)
        return eval_fail(error, PE_E_MEMORY, "no memory for an evaluator");
    entity_work_init(&evaluator->work);
    struct taken *both[2] = {&evaluator->taken, &evaluator->end};
    for (int i = 0; i < 2; i++)
        *both[i] = (struct taken){.layers = evaluator->layers[i],
                                  .given = evaluator->given[i],
                                  .room = &evaluator->rooms[i],
                                  .masks = evaluator->masks[i],
                                  .mask_capacity = BLEND_MASKS_MAX,
                                  .world_from_scene = &evaluator->worlds[i]};
    return 0;
}

void pe_evaluator_free(struct pe_evaluator *evaluator)
{
    if (evaluator == NULL)
        return;
    entity_work_fini(&evaluator->work);
    eval_free_room(&evaluator->rooms[0]);
    eval_free_room(&evaluator->rooms[1]);
    free(evaluator->is_moved);
    free(evaluator->nodes);
    free(evaluator->palette.matrices);
    free(evaluator->palette.parts);
    free(evaluator->reserved);
    free(evaluator);
}

int pe_evaluator_kernel(struct pe_evaluator *evaluator, const char *name, struct pe_error *error)
{
    const struct kernel *kernel = name == NULL ? NULL : kernel_find(name);
    if (kernel == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "this processor has no kernel '%s' of " KERNEL_NAMES,
                         name == NULL ? "" : name);
    evaluator->work.compiled.kernel = kernel;
    return 0;
}

/* --- room --- */

static bool reserve_nodes(struct pe_evaluator *evaluator, uint32_t count)
{
    if (count <= evaluator->node_capacity)
        return true;
    uint8_t *is_moved = realloc(evaluator->is_moved, 2 * (size_t)count);
    if (is_moved != NULL)
        evaluator->is_moved = is_moved;
    uint32_t *nodes = realloc(evaluator->nodes, count * sizeof *nodes);
    if (nodes != NULL)
        evaluator->nodes = nodes;
    if (is_moved == NULL || nodes == NULL)
        return false;
    for (uint32_t n = 0; n < count; n++)
        nodes[n] = n;
    evaluator->node_capacity = count;
    evaluator->taken.is_moved = is_moved;
    evaluator->end.is_moved = is_moved + count;
    return true;
}

static bool reserve_palette(struct pe_evaluator *evaluator, const struct model *model)
{
    uint32_t joints = 0;
    const uint32_t parts = skin_parts_most(model);
    for (uint32_t s = 0; s < model->skin_count; s++)
        joints = model->skins[s].joint_count > joints ? model->skins[s].joint_count : joints;
    if (joints > evaluator->joint_capacity) {
        struct mat4 *matrices = realloc(evaluator->palette.matrices, joints * sizeof *matrices);
        if (matrices == NULL)
            return false;
        evaluator->palette.matrices = matrices;
        evaluator->joint_capacity = joints;
    }
    if (parts > evaluator->part_capacity) {
        struct skin_part *capacity = realloc(evaluator->palette.parts, parts * sizeof *capacity);
        if (capacity == NULL)
            return false;
        evaluator->palette.parts = capacity;
        evaluator->part_capacity = parts;
    }
    return true;
}

static bool reserve_rooms(struct pe_evaluator *evaluator, const struct pe_model *model, uint32_t layers_most)
{
    const struct model *m = &model->file.model;
    const struct room_size size = {.node_count = (size_t)m->node_count * layers_most,
                                   .weight_count = (size_t)m->weight_count * layers_most,
                                   .look_bind_count = (size_t)model->look_bind_count * layers_most,
                                   .layer_count = layers_most};
    bool has_capacity = true;
    for (int i = 0; i < 2 && has_capacity; i++)
        has_capacity =
            eval_reserve_room(&evaluator->rooms[i], &size) && eval_reserve_face(&evaluator->rooms[i].face, m);
    return has_capacity;
}

static struct reserved *find_reserved(const struct pe_evaluator *evaluator, const struct pe_model *model)
{
    for (uint32_t i = 0; i < evaluator->reserved_count; i++)
        if (evaluator->reserved[i].model == model && evaluator->reserved[i].checksum == model->file.checksum)
            return &evaluator->reserved[i];
    return NULL;
}

static struct reserved *add_reserved(struct pe_evaluator *evaluator, const struct pe_model *model)
{
    struct reserved *grown =
        realloc(evaluator->reserved, ((size_t)evaluator->reserved_count + 1) * sizeof *evaluator->reserved);
    if (grown == NULL)
        return NULL;
    evaluator->reserved = grown;
    struct reserved *added = &grown[evaluator->reserved_count++];
    *added = (struct reserved){.model = model, .checksum = model->file.checksum};
    return added;
}

int pe_evaluator_reserve(struct pe_evaluator *evaluator, const struct pe_model *model, uint32_t layers_most,
                         struct pe_error *error)
{
    struct err err;
    if (model == NULL || layers_most > PE_LAYERS_MAX)
        return eval_fail(error, PE_E_ARGUMENT, "no model, or more than %d layers", PE_LAYERS_MAX);
    const struct model *m = &model->file.model;
    layers_most = layers_most == 0 ? 1 : layers_most; /* a clip counts as one */
    evaluator->entity.model = NULL;
    if (entity_work_reserve(&evaluator->work, m, layers_most, &err) < 0)
        return eval_fail_by(error, &err);
    struct reserved *reserved = find_reserved(evaluator, model);
    if (!reserve_nodes(evaluator, m->node_count) || !reserve_palette(evaluator, m) ||
        !reserve_rooms(evaluator, model, layers_most) ||
        (reserved == NULL && (reserved = add_reserved(evaluator, model)) == NULL))
        return eval_fail(error, PE_E_MEMORY, "no memory to evaluate a model of %u nodes", m->node_count);
    if (layers_most > reserved->layers_most)
        reserved->layers_most = layers_most;
    return 0;
}

/* --- evaluation --- */

int eval_take(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct taken *taken, struct entity *out,
              struct pe_error *error)
{
    evaluator->entity.model = NULL;
    evaluator->palette_skin = UINT32_MAX;
    if (entity->model == NULL || (entity->layer_count > 0 && entity->layers == NULL))
        return eval_fail(error, PE_E_ARGUMENT, "the entity has no model, or no layers");
    struct pe_layer alone;
    const struct pe_entity blend = eval_as_blend(entity, &alone);
    entity = &blend;
    const struct reserved *reserved = find_reserved(evaluator, entity->model);
    if (reserved == NULL || entity->layer_count > reserved->layers_most)
        return eval_fail(error, PE_E_RESERVE, "the evaluator has no room for %s with %u layers",
                         reserved == NULL ? "the model" : "an entity", entity->layer_count);
    return eval_take_entity(evaluator, entity, taken, out, error);
}

int pe_evaluate(struct pe_evaluator *evaluator, const struct pe_entity *entity, struct pe_error *error)
{
    struct entity taken;
    eval_empty_room(evaluator->taken.room);
    const int rc = eval_take(evaluator, entity, &evaluator->taken, &taken, error);
    if (rc < 0)
        return rc;
    evaluator->entity = taken;
    entity_evaluate(&evaluator->work, &evaluator->entity);
    evaluator->is_compiled = evaluator->work.is_compiled;
    return 0;
}

void pe_evaluator_counts(const struct pe_evaluator *evaluator, uint64_t *compiled, uint64_t *exact)
{
    *compiled = evaluator->work.compiled_count;
    *exact = evaluator->work.exact_count;
}
