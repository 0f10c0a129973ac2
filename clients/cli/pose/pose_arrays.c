/* Reads frames of transforms from the arrays of an archive: pose_arrays.h. */
#include "clients/cli/pose/pose_arrays.h"

#include "clients/cli/output/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL_NUMBERS = 10 }; /* translation, rotation and scale, as bake writes them */

static int fail(struct text *problem, const struct npy *npy, const char *what)
{
    text_put(problem, "array '");
    text_put_printable(problem, npy->name);
    text_put(problem, "' has the shape ");
    npy_put_shape(npy, problem);
    text_printf(problem, "; %s", what);
    return -1;
}

static int check_names(const struct npz *npz, const char *const *names, const char *list, struct text *problem)
{
    for (size_t i = 0; i < npz->count; i++) {
        const char *const *name = names;
        while (*name != NULL && strcmp(*name, npz->arrays[i].name) != 0)
            name++;
        if (*name != NULL)
            continue;
        text_put(problem, "'");
        text_put_printable(problem, npz->arrays[i].name);
        text_printf(problem, "' is no array of a pose; it has %s", list);
        return -1;
    }
    return 0;
}

/* --- frames and nodes --- */

/* Takes a count from an axis. All arrays have the same. */
static int take_count(const struct npy *npy, size_t count, size_t *out, const char *of, struct text *problem)
{
    if (*out == 0 && count > 0) {
        *out = count;
        return 0;
    }
    if (*out == count && count > 0)
        return 0;
    struct text what = {0};
    text_printf(&what, count == 0 ? "it is empty" : "that is %zu %s, and other arrays have %zu", count, of, *out);
    fail(problem, npy, what.at);
    text_free(&what);
    return -1;
}

/* Takes the shape of an array of numbers: (T, N, count), or (N, count) of one frame. */
static int take_shape(const struct npy *npy, size_t count, struct pose_motion *out, struct text *problem)
{
    struct text what = {0};
    const bool has_frames = npy->axis_count == 3;
    if (!npy_is_number(npy) || (npy->axis_count != 2 && !has_frames) || npy->axes[npy->axis_count - 1] != count) {
        text_printf(&what, "it must be numbers of the shape (frames, nodes, %zu) or (nodes, %zu)", count, count);
        fail(problem, npy, what.at);
        text_free(&what);
        return -1;
    }
    if (npy->item_count > POSE_NUMBERS_MAX || (has_frames && npy->axes[0] > POSE_FRAMES_MAX))
        return fail(problem, npy, "a pose has at most 10000 frames and 4000000 numbers");
    return take_count(npy, has_frames ? npy->axes[0] : 1, &out->frame_count, "frames", problem) < 0
               ? -1
               : take_count(npy, npy->axes[has_frames], &out->node_count, "nodes", problem);
}

/* Copies the numbers of a part, which begin at `first` in each item of `stride` numbers. */
static void take_numbers(const struct npy *npy, int part, size_t first, size_t stride, struct pose_motion *out)
{
    const size_t count = POSE_PART[part].count, items = out->frame_count * out->node_count;
    double *numbers = must_alloc((items * count + 1) * sizeof *numbers);
    for (size_t i = 0; i < items; i++)
        for (size_t k = 0; k < count; k++)
            numbers[i * count + k] = npy_number(npy, i * stride + first + k);
    out->numbers[part] = numbers;
    out->is_float[part] = npy->kind == 'f' && npy->item_bytes == 4;
}

static int take_node(const struct npy *npy, size_t place, char **node, struct text *problem)
{
    struct text name = {0}, json = {0};
    const double index = npy_is_number(npy) ? npy_number(npy, place) : 0;
    const bool is_right = npy_is_number(npy) ? index >= 0 && index < 2147483648.0 : npy_text(npy, place, &name);
    if (!is_right)
        text_printf(problem, "array 'nodes': node %zu is neither an index nor a text", place);
    else if (npy_is_number(npy))
        text_printf(&json, "%.0f", index);
    else
        pose_put_string(&json, name.at);
    *node = json.at;
    text_free(&name);
    return is_right ? 0 : -1;
}

/* Takes the nodes; without an array they are the first ones of the model, in their order. */
static int take_nodes(const struct npy *npy, struct pose_motion *out, struct text *problem)
{
    if (npy != NULL && (npy->axis_count != 1 || npy->kind == 'f'))
        return fail(problem, npy, "it must be a list of indices or names");
    if (npy != NULL && take_count(npy, npy->axes[0], &out->node_count, "nodes", problem) < 0)
        return -1;
    out->nodes = must_alloc((out->node_count + 1) * sizeof *out->nodes);
    for (size_t n = 0; n < out->node_count; n++) {
        struct text index = {0};
        text_printf(&index, "%zu", n);
        if (npy == NULL)
            out->nodes[n] = index.at;
        else {
            text_free(&index);
            if (take_node(npy, n, &out->nodes[n], problem) < 0)
                return -1;
        }
    }
    return 0;
}

/* --- times --- */

static int take_times(const struct npz *npz, struct pose_motion *out, struct text *problem)
{
    const struct npy *times = npz_find(npz, "times"), *rate = npz_find(npz, "rate");
    if (times != NULL && rate != NULL)
        return fail(problem, rate, "it does not go with 'times'");
    if (rate != NULL && (!npy_is_number(rate) || rate->item_count != 1))
        return fail(problem, rate, "it must be one number, of frames a second");
    if (times != NULL && (!npy_is_number(times) || times->axis_count != 1 || times->axes[0] != out->frame_count)) {
        struct text what = {0};
        text_printf(&what, "it must be %zu numbers, one for each frame", out->frame_count);
        fail(problem, times, what.at);
        text_free(&what);
        return -1;
    }
    if (rate != NULL)
        out->rate = npy_number(rate, 0);
    if (rate != NULL && !(out->rate > 0 && isfinite(out->rate))) {
        text_printf(problem, "array 'rate' is %.9g; it is the number of frames a second", out->rate);
        return -1;
    }
    if (times == NULL)
        return 0;
    out->times_s = must_alloc(out->frame_count * sizeof *out->times_s);
    for (size_t i = 0; i < out->frame_count; i++)
        out->times_s[i] = npy_number(times, i);
    return 0;
}

static int take_relation(const struct npy *npy, struct pose_motion *out, struct text *problem)
{
    struct text word = {0};
    if (npy == NULL)
        return 0;
    const bool is_word = npy_is_text(npy) && npy->item_count == 1 && npy_text(npy, 0, &word);
    const bool is_rest = is_word && strcmp(word.at, "rest") == 0, is_parent = is_word && strcmp(word.at, "parent") == 0;
    text_free(&word);
    out->is_from_rest = is_rest;
    return is_rest || is_parent ? 0 : fail(problem, npy, "it must be the text 'parent' or 'rest'");
}

/* --- tables of bake --- */

/* Reads the description of a table: the names of its items, and what its numbers are. */
static int read_about(const cJSON *about, const struct npy *values, struct pose_motion *out, struct text *problem)
{
    const cJSON *items = json_get(about, "items"), *item;
    size_t n = 0;
    if (strcmp(member_text(about, "values"), "local") != 0) {
        text_printf(problem,
                    "the numbers of this table of posectl bake are in the scene (--values %.20s), and a pose "
                    "has local ones: bake it with --values local",
                    member_text(about, "values")[0] == '\0' ? "trs" : member_text(about, "values"));
        return -1;
    }
    if (cJSON_GetArraySize(json_get(about, "clips")) != 1) {
        text_printf(problem,
                    "this table of posectl bake has %d clips, and a pose is one motion: bake it with --clips NAME",
                    cJSON_GetArraySize(json_get(about, "clips")));
        return -1;
    }
    if (take_shape(values, LOCAL_NUMBERS, out, problem) < 0 ||
        take_count(values, (size_t)cJSON_GetArraySize(items), &out->node_count, "nodes", problem) < 0)
        return -1;
    out->nodes = must_alloc((out->node_count + 1) * sizeof *out->nodes);
    cJSON_ArrayForEach(item, items)
    {
        struct text node = {0}, number = {0};
        text_printf(&number, "node%d", member_index(item, "node")); /* how bake calls a node without a name */
        if (strcmp(member_text(item, "name"), number.at) == 0)
            text_printf(&node, "%d", member_index(item, "node"));
        else
            pose_put_string(&node, member_text(item, "name"));
        out->nodes[n++] = node.at;
        text_free(&number);
    }
    return 0;
}

static int read_table(const struct npz *npz, const struct npy *values, struct pose_motion *out, struct text *problem)
{
    static const char *const NAMES[] = {"values", "times", "about", NULL};
    static const size_t FIRST[POSE_PARTS] = {0, 3, 7};
    const struct npy *description = npz_find(npz, "about");
    struct text text = {0};
    if (check_names(npz, NAMES, "values, times and about, as posectl bake --values local writes them", problem) < 0)
        return -1;
    const bool is_text = description != NULL && npy_is_text(description) && description->item_count == 1 &&
                         npy_text(description, 0, &text);
    cJSON *about = is_text ? cJSON_Parse(text.at) : NULL;
    text_free(&text);
    int rc = -1;
    if (!cJSON_IsObject(about))
        text_put(problem, "array 'about' is no JSON, which posectl bake writes beside 'values'");
    else
        rc = read_about(about, values, out, problem);
    cJSON_Delete(about);
    for (int part = 0; rc == 0 && part < POSE_PARTS; part++)
        take_numbers(values, part, FIRST[part], LOCAL_NUMBERS, out);
    return rc == 0 ? take_times(npz, out, problem) : rc;
}

int pose_read_arrays(const struct npz *npz, struct pose_motion *out, struct text *problem)
{
    static const char *const NAMES[] = {"nodes", "translation", "rotation",    "scale",
                                        "times", "rate",        "relative_to", NULL};
    const struct npy *values = npz_find(npz, "values"), *parts[POSE_PARTS];
    bool has_any = false;
    if (values != NULL)
        return read_table(npz, values, out, problem);
    if (check_names(npz, NAMES, "nodes, translation, rotation, scale, times, rate and relative_to", problem) < 0)
        return -1;
    for (int part = 0; part < POSE_PARTS; part++) {
        parts[part] = npz_find(npz, POSE_PART[part].name);
        has_any = has_any || parts[part] != NULL;
        if (parts[part] != NULL && take_shape(parts[part], POSE_PART[part].count, out, problem) < 0)
            return -1;
    }
    if (!has_any) {
        text_put(problem, "there is no array 'translation', 'rotation' or 'scale'");
        return -1;
    }
    if (take_nodes(npz_find(npz, "nodes"), out, problem) < 0)
        return -1;
    for (int part = 0; part < POSE_PARTS; part++)
        if (parts[part] != NULL)
            take_numbers(parts[part], part, 0, POSE_PART[part].count, out);
    return take_times(npz, out, problem) < 0 ? -1 : take_relation(npz_find(npz, "relative_to"), out, problem);
}
