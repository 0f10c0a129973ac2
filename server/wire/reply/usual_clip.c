#include "wire/reply/usual_clip.h"

#include "base/ascii.h"

#include <string.h>

enum kind { KIND_IDLE, KIND_STAND, KIND_WAIT, KIND_PASSAGE, KIND_CALIBRATION, KIND_HARM, KIND_COUNT };

static const struct {
    const char *text;
    enum kind kind;
} WORDS[] = {
#define X(text, kind) {text, KIND_##kind},
#include "protocol/clip_words.def"
#undef X
};

/* Lower is better. */
enum rank {
    RANK_IS_IDLE,
    RANK_IS_STAND,
    RANK_HAS_IDLE,
    RANK_HAS_STAND,
    RANK_IS_WAIT,
    RANK_HAS_WAIT,
    RANK_OTHER,
    RANK_CALIBRATION,
    RANK_HARM,
};

struct words {
    const char *text;
    uint32_t at, size_bytes;
};

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/* Returns the next word, a run of letters: "IdleGun" has two, "IDLE" one. False: no further word. */
static bool next_word(struct words *words, const char **word, uint32_t *size_bytes)
{
    while (words->at < words->size_bytes && !ascii_is_letter(words->text[words->at]))
        words->at++;
    const uint32_t first = words->at;
    while (words->at < words->size_bytes && ascii_is_letter(words->text[words->at])) {
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

static bool is_same(const char *word, uint32_t size_bytes, const char *text)
{
    uint32_t same = 0;
    while (same < size_bytes && text[same] == ascii_lower(word[same]))
        same++;
    return same == size_bytes && text[same] == '\0';
}

static enum rank rank_of(const char *name, uint32_t size_bytes)
{
    struct words words = {.text = name, .size_bytes = size_bytes};
    bool has[KIND_COUNT] = {false};
    const char *word;
    uint32_t word_bytes, count = 0;
    for (; next_word(&words, &word, &word_bytes); count++)
        for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
            has[WORDS[i].kind] |= is_same(word, word_bytes, WORDS[i].text);
    if (has[KIND_HARM] || has[KIND_CALIBRATION])
        return has[KIND_HARM] ? RANK_HARM : RANK_CALIBRATION;
    if (has[KIND_PASSAGE])
        return RANK_OTHER;
    if (has[KIND_IDLE])
        return count == 1 ? RANK_IS_IDLE : RANK_HAS_IDLE;
    if (has[KIND_STAND])
        return count == 1 ? RANK_IS_STAND : RANK_HAS_STAND;
    return !has[KIND_WAIT] ? RANK_OTHER : count == 1 ? RANK_IS_WAIT : RANK_HAS_WAIT;
}

/* Blender's exporter writes armature|clip|layer, with the layer's name Layer0 or BaseLayer. */
static bool is_layer(const char *name, uint32_t size_bytes)
{
    struct words words = {.text = name, .size_bytes = size_bytes};
    const char *word;
    uint32_t word_bytes;
    bool is_last = false;
    while (next_word(&words, &word, &word_bytes))
        is_last = is_same(word, word_bytes, "layer");
    return is_last;
}

/* Returns the beginning of the part that ends at `end`. */
static uint32_t begin_of(const char *text, uint32_t end)
{
    while (end > 0 && text[end - 1] != '|' && text[end - 1] != ':')
        end--;
    return end;
}

/* Names of clips come from files, and the loop asks: longer names have no words, further clips are not looked at. */
enum { NAME_BYTES_MOST = 128, CLIPS_MOST = 1024 };

uint32_t usual_clip(const struct model *model)
{
    const uint32_t clip_count = model->clip_count < CLIPS_MOST ? model->clip_count : CLIPS_MOST;
    uint32_t best = 0;
    enum rank least = RANK_HARM;
    for (uint32_t c = 0; c < clip_count; c++) {
        const struct str name = model->clips[c].name;
        const bool is_read = name.offset != STR_NONE && name.size_bytes <= NAME_BYTES_MOST;
        const char *text = is_read ? model->text + name.offset : "";
        uint32_t end = is_read ? name.size_bytes : 0, first = begin_of(text, end);
        if (first > 1 && text[first - 1] == '|' && is_layer(text + first, end - first)) {
            end = first - 1;
            first = begin_of(text, end);
        }
        const enum rank rank = rank_of(text + first, end - first);
        if (rank < least) {
            best = c;
            least = rank;
        }
    }
    return best;
}
