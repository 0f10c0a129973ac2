/* eval_names.c - NUL-terminated names of things, and things by their names. */
#include "clients/eval/eval_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct str text_of(const struct model *model, enum names kind, uint32_t i)
{
    switch (kind) {
    case NAMES_NODES:
        return model->nodes[i].name;
    case NAMES_SKINS:
        return model->skins[i].name;
    case NAMES_CLIPS:
        return model->clips[i].name;
    case NAMES_MARKERS:
        return model->markers[i].name;
    case NAMES_VALUES:
        return model->markers[i].value;
    default:
        return model->expressions[i].name;
    }
}

static void copy_names(struct pe_model *model, const uint32_t *counts)
{
    char *at = model->text;
    for (int kind = 0; kind < NAMES_END; kind++)
        for (uint32_t i = 0; i < counts[kind]; i++) {
            const struct str text = text_of(&model->file.model, (enum names)kind, i);
            const char **name = &model->names[model->names_first[kind] + i];
            *name = NULL;
            if (text.offset == STR_NONE)
                continue;
            *name = at;
            memcpy(at, model->file.model.text + text.offset, text.size_bytes);
            at[text.size_bytes] = '\0';
            at += text.size_bytes + 1;
        }
}

bool eval_names_make(struct pe_model *model)
{
    const struct model *m = &model->file.model;
    const uint32_t counts[NAMES_END] = {m->node_count,   m->skin_count,   m->clip_count,
                                        m->marker_count, m->marker_count, m->expression_count};
    size_t text_bytes = 0;
    model->names_first[0] = 0;
    for (int kind = 0; kind < NAMES_END; kind++) {
        for (uint32_t i = 0; i < counts[kind]; i++) {
            const struct str text = text_of(m, (enum names)kind, i);
            text_bytes += text.offset == STR_NONE ? 0 : (size_t)text.size_bytes + 1;
        }
        model->names_first[kind + 1] = model->names_first[kind] + counts[kind];
    }
    model->text = malloc(text_bytes + 1);
    model->names = malloc(((size_t)model->names_first[NAMES_END] + 1) * sizeof *model->names);
    if (model->text == NULL || model->names == NULL)
        return false;
    copy_names(model, counts);
    return true;
}

/* --- by name --- */

/* Lists the existing names, as far as they fit. */
static int fail_to_find(const struct pe_model *model, enum names kind, const char *what, const char *name,
                        struct pe_error *error)
{
    enum { LISTED = 8, LIST_BYTES = 260 };
    const uint32_t count = model->names_first[kind + 1] - model->names_first[kind];
    char list[LIST_BYTES] = "";
    size_t used = 0;
    for (uint32_t i = 0, listed = 0; i < count; i++) {
        const char *other = eval_name(model, kind, i);
        if (other == NULL)
            continue;
        if (listed == LISTED) {
            snprintf(list + used, sizeof list - used, ", ..");
            break;
        }
        const int more = snprintf(list + used, sizeof list - used, "%s '%s'", listed++ == 0 ? ":" : ",", other);
        if (more < 0 || (size_t)more >= sizeof list - used) {
            list[used] = '\0'; /* only whole names */
            break;
        }
        used += (size_t)more;
    }
    return eval_fail(error, PE_E_NOT_FOUND, "the model has no %s '%.120s' among its %u%s", what, name, count, list);
}

static int find(const struct pe_model *model, enum names kind, const char *what, const char *name, uint32_t *out,
                struct pe_error *error)
{
    const uint32_t count = model->names_first[kind + 1] - model->names_first[kind];
    uint32_t found = UINT32_MAX;
    if (name == NULL || out == NULL)
        return eval_fail(error, PE_E_ARGUMENT, "no name, or no place for the %s", what);
    for (uint32_t i = 0; i < count; i++) {
        const char *other = eval_name(model, kind, i);
        if (other == NULL || strcmp(other, name) != 0)
            continue;
        if (found != UINT32_MAX)
            return eval_fail(error, PE_E_AMBIGUOUS, "%ss %u and %u are both named '%s'", what, found, i, name);
        found = i;
    }
    if (found == UINT32_MAX)
        return fail_to_find(model, kind, what, name, error);
    *out = found;
    return 0;
}

int pe_find_node(const struct pe_model *model, const char *name, uint32_t *node, struct pe_error *error)
{
    return find(model, NAMES_NODES, "node", name, node, error);
}

int pe_find_skin(const struct pe_model *model, const char *name, uint32_t *skin, struct pe_error *error)
{
    return find(model, NAMES_SKINS, "skin", name, skin, error);
}

int pe_find_clip(const struct pe_model *model, const char *name, int32_t *clip, struct pe_error *error)
{
    uint32_t index;
    const int rc = find(model, NAMES_CLIPS, "clip", name, clip == NULL ? NULL : &index, error);
    if (rc == 0)
        *clip = (int32_t)index;
    return rc;
}

int pe_find_expression(const struct pe_model *model, const char *name, uint32_t *expression, struct pe_error *error)
{
    return find(model, NAMES_EXPRESSIONS, "expression", name, expression, error);
}
