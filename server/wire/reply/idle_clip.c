#include "wire/reply/idle_clip.h"

#include "base/ascii.h"

#include <string.h>

/* Lower is better. */
enum rank { RANK_IS_IDLE, RANK_IS_STAND, RANK_HAS_IDLE, RANK_HAS_STAND, RANK_OTHER };

struct words {
    const char *text;
    uint32_t at, size_bytes;
};

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_letter(char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; }

/* Returns the next word, a run of letters: "IdleGun" has two, "IDLE" one. False: no further word. */
static bool next_word(struct words *words, const char **word, uint32_t *size_bytes)
{
    while (words->at < words->size_bytes && !is_letter(words->text[words->at]))
        words->at++;
    const uint32_t first = words->at;
    while (words->at < words->size_bytes && is_letter(words->text[words->at])) {
        const bool is_hump =
            words->at > first && is_upper(words->text[words->at]) && !is_upper(words->text[words->at - 1]);
        if (is_hump)
            break;
        words->at++;
    }
    *word = words->text + first;
    *size_bytes = words->at - first;
    return *size_bytes > 0;
}

static bool is_one_of(const char *word, uint32_t size_bytes, const char *const *list)
{
    for (; *list != NULL; list++) {
        uint32_t same = 0;
        while (same < size_bytes && (*list)[same] == ascii_lower(word[same]))
            same++;
        if (same == size_bytes && (*list)[same] == '\0')
            return true;
    }
    return false;
}

static enum rank rank_of(const char *name, uint32_t size_bytes)
{
    static const char *const IDLE[] = {"idle", "idling", NULL}, *const STAND[] = {"stand", "standing", NULL};
    static const char *const GOING[] = {"to",    "from", "up",   "down", "turn", "turning",
                                        "start", "end",  "stop", "into", "out",  NULL};
    struct words words = {.text = name, .size_bytes = size_bytes};
    const char *word;
    uint32_t word_bytes, count = 0;
    bool has_idle = false, has_stand = false;
    for (; next_word(&words, &word, &word_bytes); count++) {
        if (is_one_of(word, word_bytes, GOING))
            return RANK_OTHER;
        has_idle = has_idle || is_one_of(word, word_bytes, IDLE);
        has_stand = has_stand || is_one_of(word, word_bytes, STAND);
    }
    if (has_idle)
        return count == 1 ? RANK_IS_IDLE : RANK_HAS_IDLE;
    return !has_stand ? RANK_OTHER : count == 1 ? RANK_IS_STAND : RANK_HAS_STAND;
}

uint32_t idle_clip(const struct model *model)
{
    uint32_t best = 0;
    enum rank least = RANK_OTHER;
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const struct str name = model->clips[c].name;
        if (name.offset == STR_NONE)
            continue;
        const char *text = model->text + name.offset;
        uint32_t first = name.size_bytes;
        while (first > 0 && text[first - 1] != '|' && text[first - 1] != ':')
            first--;
        const enum rank rank = rank_of(text + first, name.size_bytes - first);
        if (rank < least) {
            best = c;
            least = rank;
        }
    }
    return best;
}
