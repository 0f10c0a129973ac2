/* fbx_curve_old.c - reads the key lists of files before 7.0: numbers, and letters that give the type of what
 * follows. */
#include "import/fbx_take/fbx_curve_read.h"
#include "import/fbx_take/fbx_tangent.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

struct list {
    const struct fbx_file *file;
    uint32_t record;
    const struct fbx_value *values;
    uint32_t count, at;
    int64_t version; /* version of its letters: KeyVer */
    struct err *err;
};

/* A key's data for the segment after it. */
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

/* Takes one of these letters; otherwise returns 0 and sets an error. */
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

/* n and c: no weights; a: both; r: the right one; l: the left one of the next key. */
static int take_weights(struct list *list, struct piece *piece)
{
    const int letter = take_letter(list, "narlc");
    double weights[2] = {piece->right.weight, piece->next_left.weight};
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

/* The data after a letter of a cubic key: numbers, then lists of weights. s and b have two slopes. All others are
 * automatic: a without numbers; p, q, t (tension, continuity, bias) and d with their own numbers, which are ignored. */
static const struct {
    char letter;
    uint8_t numbers;
} CUBICS[] = {{'s', 2}, {'b', 2}, {'a', 0}, {'p', 2}, {'q', 2}, {'t', 3}, {'d', 1}};

enum { VERSION_NO_WEIGHTS = 4003, VERSION_OLD = 4004, VERSION_NEW = 4005 }; /* KeyVer */

static int weight_lists(int letter, int64_t version)
{
    switch (letter) {
    case 's':
    case 'b':
        return version != VERSION_NO_WEIGHTS;
    case 'a':
        return version > VERSION_OLD;
    case 'p':
    case 'q':
        return version > VERSION_OLD ? 2 : 1;
    default:
        return letter == 'd';
    }
}

static int take_cubic(struct list *list, struct piece *piece)
{
    double numbers[3] = {0};
    const int letter = take_letter(list, "sbapqtd");
    int rc = letter == 0 ? list->err->code : 0;
    piece->interpolation = FBX_KEY_CUBIC;
    piece->is_automatic = letter != 's' && letter != 'b';
    for (size_t i = 0; i < sizeof CUBICS / sizeof *CUBICS && rc == 0; i++)
        if (CUBICS[i].letter == letter)
            rc = take_numbers(list, numbers, CUBICS[i].numbers);
    if (!piece->is_automatic) {
        piece->right.slope = numbers[0];
        piece->next_left.slope = numbers[1];
    }
    for (int lists = weight_lists(letter, list->version); lists > 0 && rc == 0; lists--)
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
    if (letter != 'C' || list->version < VERSION_OLD)
        return letter == 0 ? list->err->code : 0;
    const int next = list->at < list->count ? fbx_letter(&list->values[list->at]) : 0;
    if (next == 0)
        return bad(list, "no letter");
    list->at++;
    piece->interpolation = next == 'n' ? FBX_KEY_CONSTANT_NEXT : FBX_KEY_CONSTANT;
    return 0;
}

/* Linear segments have the chord's slope, and automatic keys have slopes that follow from their neighbours. */
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

struct placed_key {
    struct fbx_key key;
    uint32_t place; /* in the file */
    bool is_automatic;
};

static int by_time(const void *a, const void *b)
{
    const struct placed_key *i = a, *k = b;
    return i->key.time != k->key.time ? (i->key.time > k->key.time) - (i->key.time < k->key.time)
                                      : (i->place > k->place) - (i->place < k->place);
}

/* Sorts keys by time, each with the list's data for its sides. */
static void sort(struct fbx_curve *curve, bool *is_automatic)
{
    const uint32_t count = curve->key_count;
    uint32_t i = 1;
    while (i < count && curve->keys[i].time >= curve->keys[i - 1].time)
        i++;
    if (i >= count)
        return;
    struct placed_key *placed = mem_alloc(count * sizeof *placed);
    for (i = 0; i < count; i++)
        placed[i] = (struct placed_key){curve->keys[i], i, is_automatic[i]};
    qsort(placed, count, sizeof *placed, by_time);
    for (i = 0; i < count; i++) {
        curve->keys[i] = placed[i].key;
        is_automatic[i] = placed[i].is_automatic;
    }
    free(placed);
}

static int take_keys(struct list *list, struct fbx_curve *curve, bool *is_automatic, uint32_t capacity)
{
    struct fbx_tangent left = {.weight = FBX_WEIGHT};
    while (list->at < list->count && curve->key_count < capacity) {
        struct fbx_key *key = &curve->keys[curve->key_count];
        struct piece piece;
        if (take_number(list, &key->time) < 0 || take_number(list, &key->value) < 0 || take_piece(list, &piece) < 0)
            return list->err->code;
        key->interpolation = piece.interpolation;
        key->left = left;
        key->right = piece.right;
        left = piece.next_left;
        is_automatic[curve->key_count++] = piece.is_automatic;
    }
    return 0;
}

/* Files without KeyVer have the version usual at their time. */
static int64_t version_of(const struct fbx_file *file, uint32_t record)
{
    const int64_t version = fbx_child_integer(file, record, "KeyVer", 0);
    return version > 0            ? version
           : file->version < 5000 ? VERSION_NO_WEIGHTS
           : file->version < 6000 ? VERSION_OLD
                                  : VERSION_NEW;
}

int fbx_old_curve_read(struct fbx_curve *curve, const struct fbx_scene *scene, uint32_t record, struct err *err)
{
    enum { KEY_VALUES_MIN = 3 };
    const struct fbx_file *file = &scene->file;
    const uint32_t keys = fbx_child(file, record, "Key");
    struct fbx_value *values;
    struct list list = {.file = file, .record = keys, .version = version_of(file, record), .err = err};
    if (keys == FBX_NONE)
        return 0;
    if (fbx_values(file, keys, &values, &list.count, err) < 0)
        return err->code;
    list.values = values;
    const uint32_t capacity = list.count / KEY_VALUES_MIN;
    bool *is_automatic = mem_zalloc((size_t)capacity + 1, sizeof *is_automatic);
    curve->keys = mem_zalloc((size_t)capacity + 1, sizeof *curve->keys);
    int rc = take_keys(&list, curve, is_automatic, capacity);
    if (rc == 0 && list.at < list.count)
        rc = bad(&list, "more than keys");
    const int64_t said = fbx_child_integer(file, record, "KeyCount", curve->key_count);
    if (rc == 0 && said != curve->key_count)
        rc = fbx_bad(file, record, err, "a channel has %u keys and not %lld", curve->key_count, (long long)said);
    if (rc == 0 && curve->key_count > scene->import->limits->value[LIMIT_KEYS])
        rc = err_set(err, ERR_MODEL_LIMIT, "a channel has %u keys, more than %s", curve->key_count,
                     LIMIT_TEXT(scene->import->limits, LIMIT_KEYS));
    if (rc == 0) {
        sort(curve, is_automatic);
        solve(curve, is_automatic);
    }
    free(is_automatic);
    free(values);
    return rc;
}
