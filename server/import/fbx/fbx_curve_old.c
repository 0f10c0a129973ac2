/* fbx_curve_old.c - the key lists of files before 7.0: numbers, and letters that say which follow. */
#include "import/fbx/fbx_curve_read.h"
#include "import/fbx/fbx_tangent.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

struct list {
    const struct fbx_file *file;
    uint32_t record;
    const struct fbx_value *values;
    uint32_t count, at;
    struct err *err;
};

/* What a key says of the piece behind it. */
struct piece {
    enum fbx_interpolation interpolation;
    struct fbx_tangent right, next_left;
    bool is_automatic;
};

static int bad(const struct list *list, const char *what)
{
    return fbx_bad(list->file, list->record, list->err, "%s at number %u of the key list", what, list->at);
}

static int take_number(struct list *list, double *out)
{
    const struct fbx_value *value = list->at < list->count ? &list->values[list->at] : NULL;
    if (value == NULL || (value->kind != FBX_INTEGER && value->kind != FBX_REAL))
        return bad(list, "no number");
    list->at++;
    *out = value->kind == FBX_INTEGER ? (double)value->integer : value->real;
    return isfinite(*out) ? 0 : err_set(list->err, ERR_BAD_KEYS, "number %u of the key list is not finite", list->at);
}

static int take_numbers(struct list *list, double *out, int count)
{
    int rc = 0;
    for (int i = 0; i < count && rc == 0; i++)
        rc = take_number(list, &out[i]);
    return rc;
}

/* A letter of these; 0 and an error: there is none. */
static int take_letter(struct list *list, const char *letters)
{
    const int letter = list->at < list->count ? fbx_letter(&list->values[list->at]) : 0;
    for (const char *at = letters; *at != '\0'; at++)
        if (*at == letter) {
            list->at++;
            return letter;
        }
    bad(list, "no letter that is known");
    return 0;
}

/* n: none, c: likewise; a: both, r: the right one, l: that of the next key's left. */
static int take_weights(struct list *list, struct piece *piece)
{
    const int letter = take_letter(list, "narlc");
    double weights[2] = {FBX_WEIGHT, FBX_WEIGHT};
    int rc = letter == 0 ? list->err->code : 0;
    if (letter == 'a')
        rc = take_numbers(list, weights, 2);
    else if (letter == 'r')
        rc = take_number(list, &weights[0]);
    else if (letter == 'l')
        rc = take_number(list, &weights[1]);
    piece->right.weight = weights[0];
    piece->next_left.weight = weights[1];
    return rc;
}

/* s and b: two slopes; a: automatic; p: two numbers of which nothing is known, and weights twice; t: tension,
 * continuity and bias, without weights. The slopes of the latter two are taken as 0. */
static int take_cubic(struct list *list, struct piece *piece)
{
    enum { VERSION_WITHOUT_WEIGHTS = 5000 }; /* of automatic tangents */
    double numbers[3] = {0};
    const int letter = take_letter(list, "sbapt");
    int weights = letter == 'p' ? 2 : letter == 't' ? 0 : 1, rc = letter == 0 ? list->err->code : 0;
    piece->interpolation = FBX_KEY_CUBIC;
    if (letter == 's' || letter == 'b' || letter == 'p')
        rc = take_numbers(list, numbers, 2);
    else if (letter == 't')
        rc = take_numbers(list, numbers, 3);
    if (letter == 's' || letter == 'b') {
        piece->right.slope = numbers[0];
        piece->next_left.slope = numbers[1];
    }
    piece->is_automatic = letter == 'a';
    if (piece->is_automatic && list->file->version == VERSION_WITHOUT_WEIGHTS)
        weights = 0;
    for (; weights > 0 && rc == 0; weights--)
        rc = take_weights(list, piece);
    return rc;
}

static int take_piece(struct list *list, struct piece *piece)
{
    *piece = (struct piece){.right.weight = FBX_WEIGHT, .next_left.weight = FBX_WEIGHT};
    const int letter = take_letter(list, "ULC");
    if (letter == 'U')
        return take_cubic(list, piece);
    piece->interpolation = letter == 'L' ? FBX_KEY_LINEAR : FBX_KEY_CONSTANT;
    if (letter != 'C')
        return letter == 0 ? list->err->code : 0;
    const int next = list->at < list->count ? fbx_letter(&list->values[list->at]) : 0;
    if (next == 0)
        return bad(list, "no letter");
    list->at++;
    piece->interpolation = next == 'n' ? FBX_KEY_CONSTANT_NEXT : FBX_KEY_CONSTANT;
    return 0;
}

/* Linear pieces have the chord's slope, and automatic keys what follows from their neighbours. */
static void solve(struct fbx_curve *curve, const bool *is_automatic)
{
    enum { FLAGS = FBX_FLAG_TIME_INDEPENDENT | FBX_FLAG_CLAMP_PROGRESSIVE };
    for (uint32_t i = 0; i < curve->key_count; i++) {
        struct fbx_key *key = &curve->keys[i];
        if (key->interpolation == FBX_KEY_LINEAR && i + 1 < curve->key_count)
            key->right.slope = key[1].left.slope = fbx_piece_slope(curve, i, key->time);
        const double weight[] = {key->left.weight, key->right.weight};
        if (is_automatic[i])
            key->left.slope = key->right.slope = fbx_tangent_auto(curve, i, weight, 0, FLAGS);
    }
}

static int take_keys(struct list *list, struct fbx_curve *curve, bool *is_automatic, uint32_t room)
{
    struct fbx_tangent left = {.weight = FBX_WEIGHT};
    while (list->at < list->count && curve->key_count < room) {
        struct fbx_key *key = &curve->keys[curve->key_count];
        struct piece piece;
        if (take_number(list, &key->time) < 0 || take_number(list, &key->value) < 0 || take_piece(list, &piece) < 0)
            return list->err->code;
        if (curve->key_count > 0 && key->time < key[-1].time)
            return bad(list, "times that fall");
        key->interpolation = piece.interpolation;
        key->left = left;
        key->right = piece.right;
        left = piece.next_left;
        is_automatic[curve->key_count++] = piece.is_automatic;
    }
    return 0;
}

int fbx_old_curve_read(struct fbx_curve *curve, const struct fbx_scene *scene, uint32_t record, struct err *err)
{
    enum { KEY_VALUES_MIN = 3 };
    const struct fbx_file *file = &scene->file;
    const uint32_t keys = fbx_child(file, record, "Key");
    struct fbx_value *values;
    struct list list = {.file = file, .record = keys, .err = err};
    if (keys == FBX_NONE)
        return 0;
    if (fbx_values(file, keys, &values, &list.count, err) < 0)
        return err->code;
    list.values = values;
    const uint32_t room = list.count / KEY_VALUES_MIN;
    bool *is_automatic = mem_zalloc((size_t)room + 1, sizeof *is_automatic);
    curve->keys = mem_zalloc((size_t)room + 1, sizeof *curve->keys);
    int rc = take_keys(&list, curve, is_automatic, room);
    if (rc == 0 && list.at < list.count)
        rc = bad(&list, "more than keys");
    const int64_t said = fbx_child_integer(file, record, "KeyCount", curve->key_count);
    if (rc == 0 && said != curve->key_count)
        rc = fbx_bad(file, record, err, "a channel has %u keys and not %lld", curve->key_count, (long long)said);
    if (rc == 0 && curve->key_count > scene->import->limits->value[LIMIT_KEYS])
        rc = err_set(err, ERR_MODEL_LIMIT, "a channel has %u keys, more than %s", curve->key_count,
                     LIMIT_TEXT(scene->import->limits, LIMIT_KEYS));
    if (rc == 0)
        solve(curve, is_automatic);
    free(is_automatic);
    free(values);
    return rc;
}
