#include "anim/retarget/rest_pairs.h"

#include "anim/retarget/retarget.h"
#include "anim/humanoid/alike_names.h"
#include "base/mem.h"

#include <stdlib.h>

/* Returns [node_count]: 1 for nodes with a role. */
static uint8_t *mark_roles(const struct model *model, const struct humanoid *humanoid)
{
    uint8_t *has_role = mem_zalloc((size_t)model->node_count + 1, 1);
    for (int role = 0; role < ROLE_COUNT; role++)
        if (humanoid->nodes[role] >= 0)
            has_role[humanoid->nodes[role]] = 1;
    return has_role;
}

/* Finds the only node of the model with a name like this node's, if no other node of the source has such a name. */
static int32_t find_alike(const struct alike_names *own, const struct alike_names *other, uint32_t node)
{
    const struct str name = other->model->nodes[node].name;
    if (name.offset == STR_NONE)
        return -1 - RETARGET_UNNAMED;
    const char *text = other->model->text + name.offset;
    const int32_t found = alike_names_find(own, "", text, name.size_bytes);
    if (found == ALIKE_MANY || (found >= 0 && alike_names_find(other, "", text, name.size_bytes) != (int32_t)node))
        return -1 - RETARGET_AMBIGUOUS;
    return found >= 0 ? found : -1 - RETARGET_MISSING;
}

void rest_pairs_find(const struct model *model, const struct humanoid *model_humanoid, const struct model *source,
                     const struct humanoid *source_humanoid, int32_t *partners)
{
    struct alike_names own, other;
    uint8_t *is_taken = mark_roles(model, model_humanoid), *has_role = mark_roles(source, source_humanoid);
    alike_names_init(&own, model);
    alike_names_init(&other, source);
    for (uint32_t n = 0; n < source->node_count; n++) {
        const bool is_free = partners[n] >= 0 && is_taken[partners[n]] == 0;
        if (has_role[n] != 0 || (partners[n] >= 0 && !is_free))
            partners[n] = -1 - RETARGET_MISSING;
        if (has_role[n] == 0 && is_free)
            is_taken[partners[n]] = 1;
    }
    for (uint32_t n = 0; n < source->node_count; n++) {
        if (has_role[n] != 0 || partners[n] != -1 - RETARGET_MISSING)
            continue;
        const int32_t found = find_alike(&own, &other, n);
        partners[n] = found >= 0 && is_taken[found] != 0 ? -1 - RETARGET_MISSING : found;
        if (partners[n] >= 0)
            is_taken[partners[n]] = 1;
    }
    for (int role = 0; role < ROLE_COUNT; role++)
        if (source_humanoid->nodes[role] >= 0 && model_humanoid->nodes[role] >= 0)
            partners[source_humanoid->nodes[role]] = model_humanoid->nodes[role];
    alike_names_fini(&own);
    alike_names_fini(&other);
    free(is_taken);
    free(has_role);
}
