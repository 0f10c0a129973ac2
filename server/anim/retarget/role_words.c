#include "anim/retarget/role_words.h"

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
    for (size_t i = size_bytes; i > 0; i--)
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

/* Returns the one node that has this word and side; of several, the one that is a joint of a skin. -1: none, or many.
 */
static int32_t find_node(const struct model *model, const struct role_word *words, char side, const char *text)
{
    int32_t found = -1, joint = -1;
    uint32_t count = 0, joints = 0;
    for (uint32_t n = 0; n < model->node_count; n++) {
        if (words[n].side != side || strcmp(words[n].text, text) != 0)
            continue;
        found = (int32_t)n;
        count++;
        if ((model->nodes[n].flags & NODE_JOINT) != 0) {
            joint = (int32_t)n;
            joints++;
        }
    }
    return joints == 1 ? joint : count == 1 ? found : -1;
}

static void take_row(const struct model *model, const struct role_word *words, const struct row *row, bool is_right,
                     struct humanoid *humanoid)
{
    const int role = is_right ? on_right(row->role) : row->role;
    const bool has_side = on_right(row->role) != row->role;
    if (humanoid->nodes[role] >= 0 || (is_right && !has_side))
        return;
    const int32_t node = find_node(model, words, (char)(!has_side ? 0 : is_right ? 'r' : 'l'), row->word);
    if (node >= 0 && is_free(humanoid, node) && is_below_role(model, humanoid, role, node))
        humanoid->nodes[role] = node;
}

void role_words_find(const struct model *model, struct humanoid *humanoid)
{
    struct role_word *words = mem_alloc((size_t)model->node_count * sizeof *words + 1);
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct str name = model->nodes[n].name;
        words[n] = (struct role_word){0};
        if (name.offset != STR_NONE)
            role_word_read(&words[n], model->text + name.offset, name.size_bytes);
    }
    for (int role = 0; role < ROLE_COUNT; role++)
        humanoid->nodes[role] = -1;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        for (int side = 0; side < 2; side++)
            take_row(model, words, &ROWS[i], side == 1, humanoid);
    free(words);
}
