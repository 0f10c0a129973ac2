/* request_given_names.c - the names in a given pose in JSON. */
#include "wire/request/request_given_builder.h"
#include "wire/request/request_parser.h"

#include <math.h>
#include <string.h>

const struct cJSON *given_member(const struct cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static size_t text_bytes_of(const cJSON *list)
{
    const cJSON *item;
    size_t size_bytes = 0;
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *target = given_member(item, "target"), *mesh = given_member(item, "mesh");
        size_bytes += item->string != NULL ? strlen(item->string) + 1 : 0;
        size_bytes += cJSON_IsString(item) ? strlen(item->valuestring) + 1 : 0;
        size_bytes += cJSON_IsString(target) ? strlen(target->valuestring) + 1 : 0;
        size_bytes += cJSON_IsString(mesh) ? strlen(mesh->valuestring) + 1 : 0;
    }
    return size_bytes;
}

static struct selector by_name(struct given_builder *builder, const char *name)
{
    return (struct selector){
        .kind = SELECT_NAME, .name = given_builder_text(builder, name), .name_bytes = strlen(name)};
}

static bool is_index(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= INT32_MAX &&
           item->valuedouble == floor(item->valuedouble);
}

/* A node is its index, its name or role, or, as in answers, an object with the index. */
static int take_node(struct given_builder *builder, const cJSON *item, uint32_t place, struct err *err)
{
    struct selector *node = &builder->given->nodes[place].node;
    const bool is_answer = cJSON_IsObject(item) && item->string == NULL;
    const cJSON *index = is_answer ? given_member(item, "node") : item, *part;
    for (part = is_answer ? item->child : NULL; part != NULL; part = part->next)
        if (strcmp(part->string, "node") != 0 && strcmp(part->string, "name") != 0 &&
            strcmp(part->string, "parent") != 0)
            return err_set(err, ERR_UNKNOWN_PARAMETER,
                           "nodes[%u] has '%.60s'; what nodes of a list give stands in lists beside it, such as "
                           "\"rotation\":[[x,y,z,w],..]",
                           place, part->string);
    if (item->string != NULL)
        *node = by_name(builder, item->string);
    else if (cJSON_IsString(index))
        *node = by_name(builder, index->valuestring);
    else if (is_index(index))
        *node = (struct selector){.kind = SELECT_INDEX, .index = (uint32_t)index->valuedouble};
    else
        return err_set(err, ERR_BAD_PARAMETER,
                       "nodes[%u] is no node: it is an index, a name or role, or an object with 'node'", place);
    return 0;
}

static int take_nodes(struct given_builder *builder, const cJSON *list, struct err *err)
{
    const cJSON *item;
    uint32_t place = 0;
    cJSON_ArrayForEach(item, list)
    {
        if (take_node(builder, item, place++, err) < 0)
            return err->code;
    }
    return 0;
}

/* Adds the names of "morphs" or "expressions": a list of names, or an object of weights by name. */
static int take_weight_names(struct given_builder *builder, const cJSON *list, bool is_expression, uint32_t *place,
                             struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        struct request_given_weight *weight = &builder->given->weights[(*place)++];
        const cJSON *target = given_member(item, "target"), *mesh = given_member(item, "mesh");
        const bool is_of_mesh = !is_expression && cJSON_IsString(target) && cJSON_IsString(mesh);
        weight->is_expression = is_expression;
        if (item->string != NULL)
            weight->name = given_builder_text(builder, item->string);
        else if (cJSON_IsString(item))
            weight->name = given_builder_text(builder, item->valuestring);
        else if (is_of_mesh)
            weight->name = given_builder_text(builder, target->valuestring);
        else
            return err_set(err, ERR_BAD_PARAMETER, "%s has something that is no name%s",
                           is_expression ? "expressions" : "morphs",
                           is_expression ? "" : "; a name is a text, or {\"mesh\":..,\"target\":..}");
        if (is_of_mesh && item->string == NULL)
            weight->mesh = given_builder_text(builder, mesh->valuestring);
    }
    return 0;
}

int given_take_names(struct given_builder *builder, const struct cJSON *pose, struct err *err)
{
    const cJSON *nodes = given_member(pose, "nodes"), *morphs = given_member(pose, "morphs"),
                *expressions = given_member(pose, "expressions"), *item;
    const bool has_frames = given_member(pose, "frames") != NULL;
    uint32_t place = 0;
    if (nodes != NULL && !cJSON_IsArray(nodes) && !cJSON_IsObject(nodes))
        return err_set(err, ERR_BAD_PARAMETER, "'nodes' must be a list of nodes, or an object of nodes by name");
    cJSON_ArrayForEach(item, nodes) if (cJSON_IsObject(nodes) && !cJSON_IsObject(item)) return err_set(
        err, ERR_BAD_PARAMETER, "node '%.60s' must be an object, such as {\"degrees\":[0,20,0]}", item->string);
    const cJSON *const lists[] = {morphs, expressions};
    for (int i = 0; i < 2; i++)
        if (lists[i] != NULL && !(has_frames ? cJSON_IsArray(lists[i]) : cJSON_IsObject(lists[i])))
            return err_set(err, ERR_BAD_PARAMETER,
                           has_frames ? "'%s' must be a list of names when there are frames, which have the weights"
                                      : "'%s' must be an object of weights by name",
                           i == 0 ? "morphs" : "expressions");
    if (given_builder_reserve(builder, (uint32_t)cJSON_GetArraySize(nodes),
                              (uint32_t)(cJSON_GetArraySize(morphs) + cJSON_GetArraySize(expressions)), err) < 0 ||
        take_nodes(builder, nodes, err) < 0 || take_weight_names(builder, morphs, false, &place, err) < 0)
        return err->code;
    return take_weight_names(builder, expressions, true, &place, err);
}

size_t given_names_bytes(const struct cJSON *pose)
{
    return text_bytes_of(given_member(pose, "nodes")) + text_bytes_of(given_member(pose, "morphs")) +
           text_bytes_of(given_member(pose, "expressions"));
}
