/* humanoid_names.c - finds the bones of a human by the names of joints: all tables, and words; the best score wins. */
#include "anim/humanoid/humanoid_internal.h"

#include "anim/humanoid/role_words.h"
#include "base/ascii.h"

#include <stdlib.h>
#include <string.h>

struct row {
    int8_t role;
    const char *joint;
};
#define X(symbol, joint) {ROLE_##symbol, joint},
static const struct row VRM_ROWS[] = {
#include "protocol/humanoid/vrm.def"
};
static const struct row MIXAMO_ROWS[] = {
#include "protocol/humanoid/mixamo.def"
};
static const struct row UNREAL_ROWS[] = {
#include "protocol/humanoid/unreal.def"
};
static const struct row RIGIFY_ROWS[] = {
#include "protocol/humanoid/rigify.def"
};
#undef X

struct table {
    const struct row *rows;
    size_t row_count;
    const char *word, *prefix;
};
static const struct table TABLES[HUMANOID_MAP_COUNT] = {
    [HUMANOID_AUTO] = {NULL, 0, "auto", ""},
#define X(symbol, word, prefix)                                                                                        \
    [HUMANOID_##symbol] = {symbol##_ROWS, sizeof symbol##_ROWS / sizeof *symbol##_ROWS, word, prefix},
#include "protocol/humanoid/maps.def"
#undef X
};

static void take_from_table(const struct alike_names *names, const struct table *table, const char *prefix,
                            struct humanoid *humanoid)
{
    humanoid_clear(humanoid);
    for (size_t i = 0; i < table->row_count; i++) {
        const struct row *row = &table->rows[i];
        if (humanoid->nodes[row->role] >= 0)
            continue;
        const int32_t node = alike_names_find(names, prefix, row->joint, strlen(row->joint));
        if (node >= 0 && !humanoid_has(humanoid, node))
            humanoid->nodes[row->role] = node;
    }
}

static int count_roles(const struct humanoid *humanoid, bool is_required)
{
    int count = 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        count += humanoid->nodes[role] >= 0 && humanoid_is_required(role) == is_required;
    return count;
}

/* Takes what the table finds where that is more: required roles count first, then the others. */
static void try_table(const struct alike_names *names, const struct table *table, const char *prefix,
                      struct humanoid *best)
{
    struct humanoid found;
    take_from_table(names, table, prefix, &found);
    found.by = table->word;
    const int more = count_roles(&found, true) - count_roles(best, true);
    if (more > 0 || (more == 0 && count_roles(&found, false) > count_roles(best, false)))
        *best = found;
}

/* --- a prefix of all joints --- */

enum { PREFIX_SIZE = 64 };

/* Returns the size of what stands before a word at the end of a name, up to a separator; 0: there is none. */
static size_t prefix_before(const char *name, size_t size_bytes, const char *word)
{
    const size_t word_bytes = strlen(word);
    if (size_bytes <= word_bytes || size_bytes - word_bytes >= PREFIX_SIZE ||
        strchr("._- ", name[size_bytes - word_bytes - 1]) == NULL)
        return 0;
    for (size_t i = 0; i < word_bytes; i++)
        if (ascii_lower(name[size_bytes - word_bytes + i]) != word[i])
            return 0;
    return size_bytes - word_bytes;
}

/* Finds what the rig's names begin with, by the shortest such name of the hips: "Character1_" of "Character1_Hips". */
static void find_prefix(const struct model *model, char out[PREFIX_SIZE])
{
    static const char *const HIPS[] = {"hips", "pelvis"};
    size_t shortest = PREFIX_SIZE;
    out[0] = '\0';
    for (uint32_t n = 0; n < model->node_count; n++) {
        const struct str own = model->nodes[n].name;
        if (own.offset == STR_NONE || memchr(model->text + own.offset, '\0', own.size_bytes) != NULL)
            continue;
        const char *name = model->text + own.offset, *space = memrchr(name, ':', own.size_bytes);
        const size_t from = space == NULL ? 0 : (size_t)(space + 1 - name);
        for (size_t i = 0; i < sizeof HIPS / sizeof *HIPS; i++) {
            const size_t size = prefix_before(name + from, own.size_bytes - from, HIPS[i]);
            if (size == 0 || size >= shortest)
                continue;
            shortest = size;
            memcpy(out, name + from, size);
            out[size] = '\0';
        }
    }
}

void humanoid_take_by_names(const struct alike_names *names, uint32_t map, struct humanoid *humanoid)
{
    const uint32_t first = map == HUMANOID_AUTO ? HUMANOID_AUTO + 1 : map;
    const uint32_t end = map == HUMANOID_AUTO ? HUMANOID_MAP_COUNT : map + 1;
    char own[PREFIX_SIZE];
    find_prefix(names->model, own);
    for (uint32_t t = first; t < end; t++) {
        try_table(names, &TABLES[t], TABLES[t].prefix, humanoid);
        if (TABLES[t].prefix[0] != '\0')
            try_table(names, &TABLES[t], "", humanoid);
        if (own[0] != '\0')
            try_table(names, &TABLES[t], own, humanoid);
    }
    if (map != HUMANOID_AUTO)
        return;
    struct humanoid found;
    role_words_find(names->model, own, &found);
    found.by = "words";
    if (count_roles(&found, true) > count_roles(humanoid, true)) /* a table knows more than words do */
        *humanoid = found;
}
