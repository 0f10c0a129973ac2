/* protocol/hits.md has the tables of raycast.def. Run from the project's root. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(hits_document_has_every_field)
{
    static const struct {
        const char *part, *type, *name, *text;
        int offset;
    } FIELDS[] = {
#define FIELD(part, offset, type, name, text) {#part, #type, #name, text, offset},
#include "protocol/raycast.def"
    };
    char *text = document_read("protocol/hits.md");
    size_t count = 0;
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        char row[512];
        snprintf(row, sizeof row, "\n| %d | %s | `%s` | %s |\n", FIELDS[i].offset, FIELDS[i].type, FIELDS[i].name,
                 FIELDS[i].text);
        if (strstr(text, row) == NULL)
            fail_msg("hits.md should say %s", row);
    }
    for (const char *at = text; (at = strstr(at, "| offset |")) != NULL; at++)
        for (at = strstr(at, "---|\n"); at != NULL && strncmp(strchr(at, '\n') + 1, "| ", 2) == 0;)
            count += (at = strchr(at, '\n') + 1) != NULL;
    assert_int_equal(count, sizeof FIELDS / sizeof *FIELDS);
    free(text);
}

/* Records have no holes: fields follow each other, and the last ends where its record does. */
TEST(hits_records_have_no_holes)
{
    static const struct {
        const char *part;
        int bytes;
    } RECORDS[] = {
#define RECORD(part, bytes, name, text) {#part, bytes},
#include "protocol/raycast.def"
    };
    static const struct {
        const char *part, *type;
        int offset;
    } FIELDS[] = {
#define FIELD(part, offset, type, name, text) {#part, #type, offset},
#include "protocol/raycast.def"
    };
    size_t i = 0;
    for (size_t r = 0; r < sizeof RECORDS / sizeof *RECORDS; r++) {
        int at = 0;
        for (; i < sizeof FIELDS / sizeof *FIELDS && strcmp(FIELDS[i].part, RECORDS[r].part) == 0; i++) {
            const char *type = FIELDS[i].type;
            assert_int_equal(FIELDS[i].offset, at);
            at += strncmp(type, "bytes", 5) == 0 ? atoi(type + 5)
                  : strcmp(type, "f64s") == 0    ? 24
                  : strcmp(type, "f32s") == 0    ? 12
                                                 : atoi(type + 1) / 8;
        }
        assert_int_equal(at, RECORDS[r].bytes);
    }
    assert_int_equal(i, sizeof FIELDS / sizeof *FIELDS);
}
