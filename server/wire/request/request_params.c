/* request_params.c - the parameter table, and which operation accepts which parameter. */
#include "base/ascii.h"
#include "base/nearest.h"
#include "wire/request/request_parser.h"

#include <stdio.h>
#include <string.h>

enum {
    LIST_SIZE = 256 /* of names in a message */,
    NAMES_MOST = 140 /* limited so that clients keep the whole message */
};

static const char view_words[] = "" /* "|lit|weights|.." */
#define X(symbol, word, takes_joint, text) "|" word
#include "protocol/pictures/views.def"
#undef X
    ;
#define VIEW_WORDS (view_words + 1)
static const char pass_words[] = "" /* "|color|depth|.." */
#define X(symbol, word, components, type, picture, unit, what) "|" word
#include "protocol/pictures/passes.def"
#undef X
    ;
#define PASS_WORDS (pass_words + 1)

const struct param_info REQUEST_PARAMS[] = {
#define X(symbol, name, ops, how_often, parse, values, text) {name, ops, how_often, parse, values},
#include "wire/request/request_params.def"
#undef X
};
_Static_assert((int)OP_ALL_COUNT <= 64, "the operations of a parameter are bits of a uint64_t");

const char *param_given(const struct param_set *seen, const int *params)
{
    while (*params != PARAM_END && !seen->has[*params])
        params++;
    return *params == PARAM_END ? NULL : REQUEST_PARAMS[*params].name;
}

/* Lists the operations that accept a name, separated by commas. */
static const char *list_owners(const char *name, char list[LIST_SIZE])
{
    size_t at = 0;
    uint64_t ops = 0;
    list[0] = '\0';
    for (int i = 0; i < PARAM_COUNT; i++)
        ops |= strcmp(REQUEST_PARAMS[i].name, name) == 0 ? REQUEST_PARAMS[i].ops : 0;
    for (int op = 0; op < OP_ALL_COUNT && at < LIST_SIZE; op++)
        if (ops & OP_BIT(op))
            at += (size_t)snprintf(list + at, LIST_SIZE - at, "%s%s", at == 0 ? "" : ", ", OP_INFO[op].path);
    return list;
}

/* Lists the names that a message can hold, and says where the others are. */
static const char *list_names(const char *const *names, size_t count, char list[LIST_SIZE])
{
    size_t at = 0, i = 0;
    for (; i < count && at + strlen(names[i]) < NAMES_MOST; i++)
        at += (size_t)snprintf(list + at, LIST_SIZE - at, "%s%s", i == 0 ? "" : ", ", names[i]);
    if (i < count)
        snprintf(list + at, LIST_SIZE - at, " and %zu more, see protocol/http.md", count - i);
    return list;
}

/* Returns the known name nearest to the given one, or NULL. *is_case: they differ only in case. */
static const char *find_nearest(const char *name, const char *const *names, size_t count, bool *is_case)
{
    char lower[LIST_SIZE];
    snprintf(lower, sizeof lower, "%s", name);
    for (char *at = lower; *at != '\0'; at++)
        *at = ascii_lower(*at);
    struct nearest nearest = NEAREST_NONE;
    for (size_t i = 0; i < count; i++)
        nearest_consider(&nearest, names[i], lower, strlen(lower));
    *is_case = nearest.edits == 0;
    return nearest.name;
}

/* Makes the error for a name that the operation does not accept, with the reason and a suggestion. */
static int unknown_param(const struct request *request, const char *name, struct err *err)
{
    const char *const path = OP_INFO[request->op].path;
    const char *names[PARAM_COUNT];
    char list[LIST_SIZE];
    size_t count = 0;
    bool is_case;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (REQUEST_PARAMS[i].ops & OP_BIT(request->op))
            names[count++] = REQUEST_PARAMS[i].name;
    if (count == 0)
        return err_set(err, ERR_UNKNOWN_PARAMETER, "unknown parameter '%.64s'; %s takes none", name, path);
    const char *const nearest = find_nearest(name, names, count, &is_case), *const owners = list_owners(name, list);
    if (owners[0] != '\0' && nearest != NULL)
        return err_set(err, ERR_UNKNOWN_PARAMETER, "%s does not take '%s'; it belongs to %s; did you mean '%s'?", path,
                       name, owners, nearest);
    if (owners[0] != '\0')
        return err_set(err, ERR_UNKNOWN_PARAMETER, "%s does not take '%s'; it belongs to %s", path, name, owners);
    if (nearest != NULL)
        return err_set(err, ERR_UNKNOWN_PARAMETER, "unknown parameter '%.64s'; %sdid you mean '%s'?", name,
                       is_case ? "names are in lower case: " : "", nearest);
    return err_set(err, ERR_UNKNOWN_PARAMETER, "unknown parameter '%.64s'; %s takes %s", name, path,
                   list_names(names, count, list));
}

int request_find_param(const struct request *request, const char *name, struct err *err)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (REQUEST_PARAMS[i].ops & OP_BIT(request->op) && strcmp(REQUEST_PARAMS[i].name, name) == 0)
            return i;
    return unknown_param(request, name, err);
}

int request_note_param(int param, bool may_repeat, struct param_set *seen, struct err *err)
{
    if (!may_repeat && seen->has[param])
        return err_set(err, ERR_DUPLICATE_PARAMETER, "parameter '%s' is given twice; it may be given once",
                       REQUEST_PARAMS[param].name);
    seen->has[param] = true;
    return 0;
}

int request_take_text(struct request *request, int param, char *text, size_t size_bytes, const struct limits *limits,
                      struct err *err)
{
    const struct param_info *info = &REQUEST_PARAMS[param];
    struct param_value value = {request, limits, param, info->name, info->values, text, size_bytes, err};
    return info->parse(&value);
}
