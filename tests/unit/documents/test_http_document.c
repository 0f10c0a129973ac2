/* protocol/http.md agrees with the tables: errors, limits, and the parameters of every operation. Run from the
 * project's root. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"

#include "base/err.h"
#include "base/limits.h"
#include "wire/request/request_parser.h"
#include "wire/request/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the document from the line `heading` to the next heading of the same depth; the caller frees it. */
static char *section_of(const char *text, const char *heading)
{
    char needle[64];
    snprintf(needle, sizeof needle, "\n%s\n", heading);
    const char *start = strstr(text, needle);
    if (start == NULL)
        fail_msg("http.md has no section '%s'", heading);
    start += strlen(needle);
    const char *end = strstr(start, "\n## ");
    const size_t size = end == NULL ? strlen(start) : (size_t)(end - start);
    char *section = calloc(1, size + 1);
    assert_non_null(section);
    memcpy(section, start, size);
    return section;
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (; (text = strstr(text, what)) != NULL; text += strlen(what))
        count++;
    return count;
}

static void check_row(const char *section, const char *row)
{
    if (strstr(section, row) == NULL)
        fail_msg("http.md should have the line: %s", row);
}

TEST(http_document_has_every_error)
{
    static const struct {
        int number, status;
        const char *name, *meaning;
    } errors[] = {
#define X(symbol, number, status, name, meaning) {number, status, name, meaning},
#include "protocol/errors.def"
#undef X
    };
    const size_t count = sizeof errors / sizeof *errors;
    char *text = document_read("protocol/http.md"), *section = section_of(text, "## Errors");
    for (size_t i = 0; i < count; i++) {
        char row[256];
        snprintf(row, sizeof row, "\n| `%s` | %d | %d | %s |\n", errors[i].name, errors[i].number, errors[i].status,
                 errors[i].meaning);
        check_row(section, row);
    }
    assert_int_equal(count_of(section, "\n| `"), count);
    free(section);
    free(text);
}

TEST(http_document_has_every_limit)
{
    char *text = document_read("protocol/http.md"), *section = section_of(text, "## Limits");
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_info *limit = &LIMIT_INFO[i];
        const bool is_option = limit->option[0] != '\0';
        char row[256];
        snprintf(row, sizeof row, "\n| %s%s%s | %llu %s | %s |\n", is_option ? "`--" : "fixed", limit->option,
                 is_option ? "`" : "", (unsigned long long)limit->initial, limit->unit, limit->text);
        check_row(section, row);
    }
    assert_int_equal(count_of(section, "\n| `--") + count_of(section, "\n| fixed |"), LIMIT_COUNT);
    free(section);
    free(text);
}

TEST(http_document_has_every_share_of_memory)
{
    static const struct {
        enum limit limit;
        int divisor;
    } rows[] = {
#define X(limit, divisor) {limit, divisor},
#include "protocol/shares.def"
#undef X
    };
    const size_t count = sizeof rows / sizeof *rows;
    char *text = document_read("protocol/http.md"), *section = section_of(text, "## Limits and memory");
    for (size_t i = 0; i < count; i++) {
        char row[256];
        const bool is_count = rows[i].limit == LIMIT_CONNECTIONS;
        snprintf(row, sizeof row, is_count ? "\n| `--%s` | one for each %d bytes |\n" : "\n| `--%s` | 1/%d |\n",
                 LIMIT_INFO[rows[i].limit].option, rows[i].divisor);
        check_row(section, row);
    }
    assert_int_equal(count_of(section, " | 1/") + count_of(section, " | one for each"), count + 1); /* --cache-bytes */
    free(section);
    free(text);
}

TEST(http_document_has_every_statistic)
{
    static const struct {
        const char *kind, *group, *name, *text;
    } rows[] = {
#define COUNTER                            "counter"
#define GAUGE                              "gauge"
#define X(symbol, kind, group, name, text) {kind, group, name, text},
#include "protocol/stats.def"
#undef X
    };
    const size_t count = sizeof rows / sizeof *rows;
    char *text = document_read("protocol/http.md"), *section = section_of(text, "## `GET /v1/stats`");
    for (size_t i = 0; i < count; i++) {
        char row[256];
        snprintf(row, sizeof row, "\n| %s | `%s.%s` | %s |\n", rows[i].kind, rows[i].group, rows[i].name, rows[i].text);
        check_row(section, row);
    }
    assert_int_equal(count_of(section, "\n| counter |") + count_of(section, "\n| gauge |"), count);
    free(section);
    free(text);
}

static const char view_words[] = ""
#define X(symbol, word, takes_joint, text) "|" word
#include "protocol/pictures/views.def"
#undef X
    ;
#define VIEW_WORDS (view_words + 1)

static const char pass_words[] = ""
#define X(symbol, word, components, type, picture, unit, what) "|" word
#include "protocol/pictures/passes.def"
#undef X
    ;
#define PASS_WORDS (pass_words + 1)

static const struct {
    const char *name;
    uint64_t ops;
    const char *values;
} PARAMS[] = {
#define X(symbol, name, ops, how_often, parse, values, text) {name, ops, values},
#include "wire/request/request_params.def"
#undef X
};

/* The row's second column has exactly the words of the table. */
static void check_words(const char *row, const char *name, const char *values)
{
    char column[512], word[64];
    size_t words = 0;
    row = strstr(row + 1, " | ") + 3;
    snprintf(column, sizeof column, "%.*s", (int)(strstr(row, " |") - row), row);
    for (const char *at = values; *at != '\0'; at += *at == '|') {
        const size_t size = strcspn(at, "|");
        snprintf(word, sizeof word, "`%.*s`", (int)size, at);
        if ((*at < 'A' || *at > 'Z') && strstr(column, word) == NULL)
            fail_msg("http.md does not say that '%s' may be %s", name, word);
        words += *at < 'A' || *at > 'Z';
        at += size;
    }
    for (const char *at = column; (at = strchr(at, '`')) != NULL; at = strchr(at + 1, '`') + 1) {
        const bool is_placeholder = (at[1] >= 'A' && at[1] <= 'Z') || strncmp(at, "`x,y,z`", 7) == 0 ||
                                    strncmp(at, "`fps`", 5) == 0 || strncmp(at, "`auto`", 6) == 0;
        if (!is_placeholder && words-- == 0)
            fail_msg("http.md says of '%s' what the server's table does not: %s", name, column);
    }
}

TEST(http_document_has_every_parameter)
{
    char *text = document_read("protocol/http.md");
    for (int op = OP_MODELS; op < OP_COUNT; op++) {
        char heading[64];
        const unsigned methods = OP_INFO[op].methods;
        const char *method = methods & METHOD_GET ? "GET" : methods & METHOD_POST ? "POST" : "PUT";
        snprintf(heading, sizeof heading, "## `%s %s%s`", method, OP_INFO[op].path,
                 OP_INFO[op].noun != NULL ? "NAME" : "");
        char *section = section_of(text, heading);
        const bool is_sheet = op_has((enum op)op, OP_CELLS);
        size_t count = 0;
        if (is_sheet) /* it takes the parameters of any picture */
            check_row(section, "\nand every parameter of [`/v1/render`](#get-v1render)");
        for (size_t i = 0; i < sizeof PARAMS / sizeof *PARAMS; i++) {
            if (!(PARAMS[i].ops & OP_BIT(op)) || (is_sheet && PARAMS[i].ops & OP_BIT(OP_RENDER)))
                continue;
            char start[64];
            snprintf(start, sizeof start, "\n| `%s` | ", PARAMS[i].name);
            const char *row = strstr(section, start);
            if (row == NULL)
                fail_msg("http.md does not tell %s of '%s'", heading + 3, PARAMS[i].name);
            else
                check_words(row, PARAMS[i].name, PARAMS[i].values);
            count++;
        }
        if (count_of(section, "\n| `") != count)
            fail_msg("http.md gives %s a parameter that the server does not know", heading + 3);
        free(section);
    }
    free(text);
}
