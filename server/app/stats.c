#include "stats.h"

#include "../base/err.h"
#include "../wire/json.h"

#include <stdbool.h>
#include <string.h>

static uint64_t values[STAT_COUNT];

static const struct row {
    const char *group, *name;
} ROWS[STAT_COUNT] = {
#define X(symbol, kind, group, name, text) {group, name},
#include "../../protocol/stats.def"
#undef X
};

static const int CODES[] = {
#define X(symbol, number, http, name, text) -(number),
#include "../../protocol/errors.def"
#undef X
};
enum { CODE_COUNT = sizeof CODES / sizeof *CODES };

static const struct row ENDS[STAT_ENDS_COUNT] = {
    [STAT_ENDS_REQUESTS] = {"requests", "errors"},
    [STAT_ENDS_IMPORTS] = {"imports", "failed"},
    [STAT_ENDS_RENDERS] = {"renders", "failed"},
};
static uint64_t ended[STAT_ENDS_COUNT][CODE_COUNT];

void stats_add(enum statistic stat, uint64_t count) { values[stat] += count; }
void stats_set(enum statistic stat, uint64_t value) { values[stat] = value; }

void stats_end(enum stat_ends ends, int code)
{
    for (int i = 0; i < CODE_COUNT; i++)
        ended[ends][i] += CODES[i] == code;
}

static void put_name(struct buf *out, const char *before, const char *name)
{
    buf_put_text(out, before);
    json_put_string(out, name, strlen(name));
    buf_put_char(out, ':');
}

/* The codes that ended something of the group, as its last member. */
static void put_ends(struct buf *out, const char *group)
{
    for (int e = 0; e < STAT_ENDS_COUNT; e++) {
        if (strcmp(ENDS[e].group, group) != 0)
            continue;
        put_name(out, ",", ENDS[e].name);
        const char *before = "{";
        for (int i = 0; i < CODE_COUNT; i++) {
            if (ended[e][i] == 0)
                continue;
            put_name(out, before, err_name(CODES[i]));
            json_put_uint(out, ended[e][i]);
            before = ",";
        }
        buf_put_text(out, *before == '{' ? "{}" : "}");
    }
}

void stats_put_json(struct buf *out)
{
    for (int i = 0; i < STAT_COUNT; i++) {
        const bool is_first = i == 0 || strcmp(ROWS[i - 1].group, ROWS[i].group) != 0;
        const bool is_last = i + 1 == STAT_COUNT || strcmp(ROWS[i + 1].group, ROWS[i].group) != 0;
        if (is_first)
            put_name(out, i == 0 ? "{" : ",\n", ROWS[i].group);
        put_name(out, is_first ? "{" : ",", ROWS[i].name);
        json_put_uint(out, values[i]);
        if (is_last) {
            put_ends(out, ROWS[i].group);
            buf_put_char(out, '}');
        }
    }
    buf_put_text(out, "}\n");
}
