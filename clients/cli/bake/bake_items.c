/* Chooses the joints and sockets of a bake. */
#include "clients/cli/bake/bake.h"

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/pattern.h"

#include "base/nearest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bake_item *add_item(struct bake *bake, const char *name, int node, int skin)
{
    bake->items = must_grow(bake->items, (bake->item_count + 1) * sizeof *bake->items);
    struct bake_item *item = &bake->items[bake->item_count++];
    *item = (struct bake_item){.name = must_copy(name), .node = node, .skin = skin};
    return item;
}

static const cJSON *nodes_of(const struct bake *bake) { return json_get(bake->about, "nodes"); }

/* Finds the node of this name or number. Returns -1 if it does not exist, or after printing that there are several.
 * *is_found false: it does not exist, and nothing was printed. */
static int find_node(struct bake *bake, const char *text, bool *is_found)
{
    const cJSON *node;
    int found = -1, count = 0;
    cJSON_ArrayForEach(node, nodes_of(bake))
    {
        if (cJSON_IsString(json_get(node, "name")) && strcmp(member_text(node, "name"), text) == 0) {
            found = count++ == 0 ? member_index(node, "node") : found;
        }
    }
    *is_found = count > 0;
    if (count == 0 && text[0] != '\0' && strspn(text, "0123456789") == strlen(text) && strlen(text) < 9) {
        found = atoi(text);
        *is_found = found < cJSON_GetArraySize(nodes_of(bake));
        return *is_found ? found : -1;
    }
    if (count > 1) {
        bake_refuse(bake, bake->model, "ambiguous_name",
                    "'%s' names %d nodes, the first of which is %d: give the number of one", text, count, found);
        return -1;
    }
    return found;
}

static int refuse_unknown(struct bake *bake, const char *text)
{
    struct nearest nearest = NEAREST_NONE;
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes_of(bake)) nearest_consider(&nearest, member_text(node, "name"), text, strlen(text));
    const bool has_nearest = nearest.name != NULL;
    return bake_refuse(bake, bake->model, "joint_not_found", "there is no joint '%s'%s%s%s", text,
                       has_nearest ? "; did you mean '" : "", has_nearest ? nearest.name : "", has_nearest ? "'?" : "");
}

static const char *node_name(const struct bake *bake, int node, char out[32])
{
    const char *name = member_text(cJSON_GetArrayItem(nodes_of(bake), node), "name");
    if (name[0] != '\0')
        return name;
    snprintf(out, 32, "node%d", node);
    return out;
}

/* Adds the joints of a name, a number, or a pattern of names. */
static int add_joints_of(struct bake *bake, const char *text)
{
    bool is_found;
    char number[32];
    const int node = find_node(bake, text, &is_found);
    if (is_found && node < 0)
        return STATUS_FAILED;
    if (node >= 0) {
        add_item(bake, node_name(bake, node, number), node, -1);
        return STATUS_DONE;
    }
    const size_t before = bake->item_count;
    const int count = cJSON_GetArraySize(nodes_of(bake));
    for (int n = 0; n < count && pattern_is_one(text); n++)
        if (pattern_matches_name(text, member_text(cJSON_GetArrayItem(nodes_of(bake), n), "name"), false))
            add_item(bake, node_name(bake, n, number), n, -1);
    return bake->item_count > before ? STATUS_DONE : refuse_unknown(bake, text);
}

/* Adds one name, which may contain a comma, or several names between commas. */
static int add_joints(struct bake *bake, const char *value)
{
    bool is_found;
    int status = STATUS_DONE;
    const int node = find_node(bake, value, &is_found);
    if (is_found || strchr(value, ',') == NULL || node >= 0)
        return add_joints_of(bake, value);
    char *names = must_copy(value), *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name != NULL && status == STATUS_DONE;
         name = strtok_r(NULL, ",", &rest))
        status = add_joints_of(bake, name);
    free(names);
    return status;
}

/* --- sockets --- */

/* Reads exactly three numbers. */
static bool read_three(const char *text, size_t size_bytes, double out[3])
{
    const char *at = text, *end = text + size_bytes;
    for (int i = 0; i < 3; i++) {
        char *next;
        if (isspace((unsigned char)*at))
            return false;
        out[i] = strtod(at, &next);
        if (next == at || next > end || !isfinite(out[i]) || *next != (i < 2 ? ',' : *end))
            return false;
        at = next + (i < 2);
    }
    return at == end;
}

int bake_read_socket(const char *text, struct bake_item *out, char **joint)
{
    const char *equals = strchr(text, '=');
    double numbers[2][3];
    int count = 0;
    if (equals == NULL || equals == text)
        return -1;
    const char *start = equals + 1, *end = start + strlen(start);
    while (count < 2) { /* from the end, because names of joints may contain colons */
        const char *colon = end - 1;
        while (colon > start && *colon != ':')
            colon--;
        if (colon <= start || !read_three(colon + 1, (size_t)(end - colon - 1), numbers[count]))
            break;
        end = colon;
        count++;
    }
    if (end == start)
        return -1;
    *out = (struct bake_item){.skin = -1, .is_socket = true};
    if (count > 0)
        memcpy(out->place, numbers[count - 1], sizeof out->place);
    if (count > 1)
        memcpy(out->turn_deg, numbers[0], sizeof out->turn_deg);
    struct text name = {0}, of = {0};
    text_put_bytes(&name, text, (size_t)(equals - text));
    text_put_bytes(&of, start, (size_t)(end - start));
    out->name = name.at;
    *joint = of.at;
    return 0;
}

static int add_socket(struct bake *bake, const char *value)
{
    struct bake_item socket;
    char *joint;
    bool is_found;
    if (bake_read_socket(value, &socket, &joint) < 0) /* the options were checked before */
        return STATUS_USAGE;
    socket.node = find_node(bake, joint, &is_found);
    const int status = socket.node >= 0 ? STATUS_DONE : is_found ? STATUS_FAILED : refuse_unknown(bake, joint);
    free(joint);
    bake->items = must_grow(bake->items, (bake->item_count + 1) * sizeof *bake->items);
    bake->items[bake->item_count++] = socket;
    bake->socket_count++;
    return status;
}

int bake_check_items(const struct args *args)
{
    const bool has_items = args_has(args, OPTION_BAKE_JOINTS) || args_has(args, OPTION_SOCKET);
    const char *values = args_text(args, OPTION_VALUES, "");
    if (strcmp(values, "palette") == 0 && has_items) {
        terminal_error("--values palette has all joints of the skins: it does not go with --joints and --socket");
        return STATUS_USAGE;
    }
    if (strcmp(values, "local") == 0 && args_has(args, OPTION_SOCKET)) {
        terminal_error("--values local has joints within their parents: it does not go with --socket");
        return STATUS_USAGE;
    }
    for (size_t i = 0; i < args->repeated_count; i++) {
        struct bake_item socket = {.name = NULL};
        char *joint = NULL;
        if (args->repeated[i].option != OPTION_SOCKET)
            continue;
        const bool is_bad = bake_read_socket(args->repeated[i].value, &socket, &joint) < 0;
        if (is_bad)
            terminal_error(
                "--socket takes NAME=JOINT:X,Y,Z and degrees about x, y and z behind another colon, not '%s'",
                args->repeated[i].value);
        free(socket.name);
        free(joint);
        if (is_bad)
            return STATUS_USAGE;
    }
    return STATUS_DONE;
}

/* --- all --- */

/* Adds the joints of skins. A palette has those of each skin separately; otherwise each node occurs once. Without skins
 * it adds all nodes. */
static void add_skins(struct bake *bake)
{
    const cJSON *skin, *joint;
    const int nodes = cJSON_GetArraySize(nodes_of(bake));
    bool *is_there = must_alloc((size_t)nodes + 1);
    char number[32];
    cJSON_ArrayForEach(skin, json_get(bake->about, "skins"))
    {
        if (cJSON_IsTrue(json_get(skin, "rigid")) && bake->values != BAKE_PALETTE)
            continue;
        cJSON_ArrayForEach(joint, json_get(skin, "joints"))
        {
            const int node = member_index(joint, "node");
            if (node < 0 || node >= nodes || (is_there[node] && bake->values != BAKE_PALETTE))
                continue;
            is_there[node] = true;
            add_item(bake, node_name(bake, node, number), node,
                     bake->values == BAKE_PALETTE ? member_index(skin, "index") : -1);
        }
    }
    const bool has_none = bake->item_count == 0;
    for (int n = 0; n < nodes && has_none; n++)
        add_item(bake, node_name(bake, n, number), n, -1);
    free(is_there);
}

int bake_find_items(struct bake *bake)
{
    const char *values = args_text(bake->args, OPTION_VALUES, "trs");
    int status = STATUS_DONE;
    for (int i = BAKE_TRS; i <= BAKE_PALETTE; i++)
        if (strcmp(values, bake_values_name((enum bake_values)i)) == 0)
            bake->values = (enum bake_values)i;
    const struct args *args = bake->args;
    for (size_t pass = 0; pass < 2; pass++) /* sockets follow the joints */
        for (size_t i = 0; i < args->repeated_count && status == STATUS_DONE; i++) {
            if (args->repeated[i].option == OPTION_BAKE_JOINTS && pass == 0)
                status = add_joints(bake, args->repeated[i].value);
            else if (args->repeated[i].option == OPTION_SOCKET && pass == 1)
                status = add_socket(bake, args->repeated[i].value);
        }
    if (status == STATUS_DONE && bake->item_count == 0)
        add_skins(bake);
    return status;
}

const char *bake_values_name(enum bake_values values)
{
    static const char *const NAMES[] = {"trs", "local", "matrix", "palette"};
    return NAMES[values];
}
