#include "anim/humanoid/role_words.h"

#include "anim/humanoid/alike_names.h"
#include "base/ascii.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct row {
    int8_t role;
    const char *word;
};
static const struct row ROWS[] = {
#define X(symbol, word) {ROLE_##symbol, word},
#include "protocol/humanoid/words.def"
#undef X
};

/* --- names --- */

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_blank(char c) { return c != '\0' && strchr("._- |", c) != NULL; }

/* True when a token of `name` ends before `at`: at a blank, and where capitals begin a word ("lThigh", "LThigh"). */
static bool is_end(const char *name, size_t at, size_t size_bytes)
{
    if (at == size_bytes || is_blank(name[at]))
        return true;
    if (!is_upper(name[at]))
        return false;
    const bool has_lower = at + 1 < size_bytes && ascii_lower(name[at + 1]) == name[at + 1] &&
                           !is_blank(name[at + 1]) && !ascii_is_digit(name[at + 1]);
    return !is_upper(name[at - 1]) || has_lower;
}

static bool is_token(const char *token, const char *words)
{
    const size_t size = strlen(token);
    for (const char *at = strstr(words, token); at != NULL; at = strstr(at + 1, token))
        if (at[-1] == ' ' && at[size] == ' ')
            return true;
    return false;
}

/* Takes one token: a side, a prefix of a maker, or a part of the word. */
static void take(struct role_word *word, const char *token)
{
    static const char MAKERS[] =
        " bip bip1 bip01 bip001 cc base def org mixamorig valve valvebiped j bip bone jnt joint ";
    const size_t size = strlen(word->text), capacity = ROLE_WORD_SIZE - 1 - size;
    const bool is_left = is_token(token, " l left "), is_right = is_token(token, " r right ");
    if ((is_left || is_right) && word->side == 0)
        word->side = is_left ? 'l' : 'r';
    else if (size > 0 || !is_token(token, MAKERS))
        memcpy(word->text + size, token, strlen(token) < capacity ? strlen(token) + 1 : 0);
}

/* Copies a token in lower case, without zeros before a number; "1" of "01". */
static void copy(char *out, const char *name, size_t size_bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < size_bytes; i++) {
        const bool is_first_digit = i == 0 || !ascii_is_digit(name[i - 1]);
        if (name[i] == '0' && is_first_digit && i + 1 < size_bytes && ascii_is_digit(name[i + 1]))
            continue;
        out[count++] = ascii_lower(name[i]);
    }
    out[count] = '\0';
}

/* A side that is one with the word: "leftarm", "lfemur". */
static void split_side(struct role_word *word)
{
    static const char *const SIDES[] = {"left", "right", "l", "r"};
    for (size_t s = 0; s < sizeof SIDES / sizeof *SIDES && word->side == 0; s++) {
        const size_t size = strlen(SIDES[s]);
        if (strncmp(word->text, SIDES[s], size) != 0)
            continue;
        for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS && word->side == 0; i++)
            if (strcmp(word->text + size, ROWS[i].word) == 0 && ROWS[i].role >= ROLE_LEFT_UPPER_LEG)
                word->side = SIDES[s][0];
        if (word->side != 0)
            memmove(word->text, word->text + size, strlen(word->text + size) + 1);
    }
}

void role_word_read(struct role_word *word, const char *name, size_t size_bytes)
{
    char token[ROLE_WORD_SIZE];
    *word = (struct role_word){0};
    if (alike_is_end_site(name, size_bytes))
        return;
    for (size_t i = size_bytes; i > 0 && size_bytes - i < ROLE_WORD_SIZE; i--) /* what is longer is no word */
        if (name[i - 1] == ':') {
            name += i;
            size_bytes -= i;
            break;
        }
    if (size_bytes >= ROLE_WORD_SIZE || memchr(name, '\0', size_bytes) != NULL)
        return;
    size_t first = 0;
    while (first < size_bytes && is_blank(name[first]))
        first++;
    for (size_t at = first + 1; first < size_bytes; at++) {
        if (!is_end(name, at, size_bytes))
            continue;
        copy(token, name + first, at - first);
        if (token[0] != '\0')
            take(word, token);
        while (at < size_bytes && is_blank(name[at]))
            at++;
        first = at;
    }
    split_side(word);
}

/* --- joints --- */

/* Returns the role on the right of a role on the left; others as they are. */
static int on_right(int role)
{
    char word[ROLE_WORD_SIZE] = "right";
    if (strncmp(ROLE_WORDS[role], "left", 4) != 0)
        return role;
    strcpy(word + 5, ROLE_WORDS[role] + 4);
    return humanoid_role(word, strlen(word));
}

static bool is_below_role(const struct model *model, const struct humanoid *humanoid, int role, int32_t node)
{
    int above = ROLE_ABOVE[role];
    while (above >= 0 && humanoid->nodes[above] < 0)
        above = ROLE_ABOVE[above];
    int32_t n = model->nodes[node].parent;
    while (above >= 0 && n >= 0 && n != humanoid->nodes[above])
        n = model->nodes[n].parent;
    return above < 0 || n >= 0;
}

static bool is_free(const struct humanoid *humanoid, int32_t node)
{
    bool is_found = false;
    for (int role = 0; role < ROLE_COUNT; role++)
        is_found = is_found || humanoid->nodes[role] == node;
    return !is_found;
}

/* The words of a model's names, sorted. */
struct sorted_words {
    const struct model *model;
    struct sorted_word {
        struct role_word word;
        uint32_t node;
    } * words; /* [count] */
    size_t count;
};

static int by_word(const void *a, const void *b)
{
    const struct role_word *one = &((const struct sorted_word *)a)->word;
    const struct role_word *other = &((const struct sorted_word *)b)->word;
    const int order = strcmp(one->text, other->text);
    return order != 0 ? order : one->side - other->side;
}

/* Names that begin with the prefix are read behind it. The caller frees sorted->words. */
static void read_words(struct sorted_words *sorted, const struct model *model, const char *prefix)
{
    const size_t prefix_bytes = strlen(prefix);
    *sorted = (struct sorted_words){.model = model,
                                    .words = mem_alloc((size_t)model->node_count * sizeof *sorted->words + 1)};
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct str name = model->nodes[n].name;
        struct sorted_word *read = &sorted->words[sorted->count];
        if (name.offset == STR_NONE)
            continue;
        const char *text = model->text + name.offset;
        const bool has_prefix = name.size_bytes > prefix_bytes && memcmp(text, prefix, prefix_bytes) == 0;
        role_word_read(&read->word, text + (has_prefix ? prefix_bytes : 0),
                       name.size_bytes - (has_prefix ? prefix_bytes : 0));
        read->node = n;
        sorted->count += read->word.text[0] != '\0';
    }
    if (sorted->count > 0)
        qsort(sorted->words, sorted->count, sizeof *sorted->words, by_word);
}

/* Returns the one node that has this word and side; of several, the one that is a joint of a skin. -1: none, or many.
 */
static int32_t find_node(const struct sorted_words *sorted, char side, const char *text)
{
    struct sorted_word key = {.word.side = side};
    int32_t found = -1, joint = -1;
    uint32_t count = 0, joints = 0;
    size_t low = 0, high = sorted->count;
    memcpy(key.word.text, text, strlen(text) + 1);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_word(&sorted->words[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < sorted->count && by_word(&sorted->words[low], &key) == 0; low++) {
        found = (int32_t)sorted->words[low].node;
        count++;
        if ((sorted->model->nodes[found].flags & NODE_JOINT) != 0) {
            joint = found;
            joints++;
        }
    }
    return joints == 1 ? joint : count == 1 ? found : -1;
}

/* Returns the node of a row where it may be the role's; -1: none. */
static int32_t find_row(const struct sorted_words *words, const struct row *row, int role, char side,
                        const struct humanoid *humanoid)
{
    const int32_t node = humanoid->nodes[role] < 0 ? find_node(words, side, row->word) : -1;
    struct humanoid with = *humanoid;
    if (node < 0 || !is_free(humanoid, node))
        return -1;
    with.nodes[role] = node;
    return is_below_role(words->model, humanoid, role, node) || humanoid_foot_is_loose(words->model, &with, role) ? node
                                                                                                                  : -1;
}

/* Both sides of a rig have the same word: LeftLeg is no thigh where the other side has RightUpLeg. */
static void take_row(const struct sorted_words *words, const struct row *row, struct humanoid *humanoid)
{
    const int left = row->role, right = on_right(left);
    const int32_t node = find_row(words, row, left, left == right ? '\0' : 'l', humanoid);
    const int32_t other = left == right ? node : find_row(words, row, right, 'r', humanoid);
    if (node < 0 || other < 0)
        return;
    humanoid->nodes[left] = node;
    humanoid->nodes[right] = other;
}

static void take_rows(const struct sorted_words *words, bool has_hips, struct humanoid *humanoid)
{
    for (int role = 0; role < ROLE_COUNT; role++)
        humanoid->nodes[role] = -1;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (has_hips || ROWS[i].role != ROLE_HIPS)
            take_row(words, &ROWS[i], humanoid);
}

static int count_required(const struct humanoid *humanoid)
{
    int count = 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        count += humanoid_is_required(role) && humanoid->nodes[role] >= 0;
    return count;
}

static int32_t depth_of(const struct model *model, int32_t node)
{
    int32_t depth = 0;
    for (int32_t n = node; n >= 0; n = model->nodes[n].parent)
        depth++;
    return depth;
}

/* Returns the lowest node that is both nodes, or above them; -1: none. */
static int32_t common_of(const struct model *model, int32_t a, int32_t b)
{
    int32_t a_depth = depth_of(model, a), b_depth = depth_of(model, b);
    while (a != b) {
        const bool is_a = a_depth >= b_depth;
        a = is_a ? model->nodes[a].parent : a;
        b = is_a ? b : model->nodes[b].parent;
        a_depth -= is_a;
        b_depth -= !is_a;
    }
    return a;
}

/* The hips are the joint above both legs and the trunk. */
static void find_hips(const struct model *model, struct humanoid *humanoid)
{
    static const int8_t TRUNK[] = {ROLE_SPINE, ROLE_CHEST, ROLE_NECK, ROLE_HEAD};
    const int32_t *nodes = humanoid->nodes;
    if (nodes[ROLE_LEFT_UPPER_LEG] < 0 || nodes[ROLE_RIGHT_UPPER_LEG] < 0)
        return;
    int32_t hips = common_of(model, nodes[ROLE_LEFT_UPPER_LEG], nodes[ROLE_RIGHT_UPPER_LEG]), trunk = -1;
    for (size_t i = 0; i < sizeof TRUNK && trunk < 0; i++)
        trunk = nodes[TRUNK[i]];
    hips = hips < 0 || trunk < 0 ? hips : common_of(model, hips, trunk);
    if (hips >= 0 && is_free(humanoid, hips))
        humanoid->nodes[ROLE_HIPS] = hips;
}

void role_words_find(const struct model *model, const char *prefix, struct humanoid *humanoid)
{
    struct sorted_words words;
    struct humanoid other;
    read_words(&words, model, prefix);
    take_rows(&words, true, humanoid);
    take_rows(&words, false, &other); /* where the joint with the word is not above legs and trunk */
    find_hips(model, &other);
    if (count_required(&other) > count_required(humanoid))
        *humanoid = other;
    free(words.words);
}
