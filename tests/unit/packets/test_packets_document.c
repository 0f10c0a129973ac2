/* protocol/tcp.md agrees with protocol/packets.def: kinds, fields and flags, each table complete and in order. Run from
 * the project's root. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_MAX = 1 << 13 };

struct row {
    const char *part, *text;
};

static const struct row FIELDS[] = {
#define FIELD(part, offset, type, name, text) {#part, "| " #offset " | " #type " | `" #name "` | " text " |\n"},
#include "protocol/packets.def"
};
static const struct row FLAGS[] = {
#define FLAG(part, symbol, bit, name, text) {#part, "| `" name "` | " #bit " | " text " |\n"},
#include "protocol/packets.def"
};
static const struct row KINDS[] = {
#define PACKET(symbol, number, name, who, text) {"", "| `" name "` | " #number " | " who " | " text " |\n"},
#include "protocol/packets.def"
};

/* The rows of each part stand one after the other below the line under a table's head, and nothing between or behind.
 */
static void check_tables(const char *document, const struct row *rows, size_t count)
{
    for (size_t first = 0, next; first < count; first = next) {
        char table[TABLE_MAX] = "---|\n";
        for (next = first; next < count && strcmp(rows[next].part, rows[first].part) == 0; next++)
            strncat(table, rows[next].text, sizeof table - strlen(table) - 1);
        strncat(table, "\n", sizeof table - strlen(table) - 1);
        if (strstr(document, table) == NULL)
            fail_msg("tcp.md should have this table of %s: %s", rows[first].part, table);
    }
}

TEST(packets_document_has_every_table)
{
    char *document = document_read("protocol/tcp.md");
    check_tables(document, FIELDS, sizeof FIELDS / sizeof *FIELDS);
    check_tables(document, FLAGS, sizeof FLAGS / sizeof *FLAGS);
    check_tables(document, KINDS, sizeof KINDS / sizeof *KINDS);
    free(document);
}

struct field {
    const char *part, *type;
    size_t offset;
};

static size_t size_of_type(const char *type)
{
    return strcmp(type, "u8") == 0                                ? 1
           : strcmp(type, "u16") == 0                             ? 2
           : strcmp(type, "u32") == 0 || strcmp(type, "i32") == 0 ? 4
           : strcmp(type, "u64") == 0 || strcmp(type, "f64") == 0 ? 8
           : strncmp(type, "bytes", 5) == 0                       ? (size_t)atoi(type + 5)
                                                                  : 0; /* the rest of the payload */
}

/* Fields follow each other without gaps, numbers lie where their size divides, arrays where floats may. */
TEST(packets_table_has_no_gaps)
{
    static const struct field fields[] = {
#define FIELD(part, offset, type, name, text) {#part, #type, offset},
#include "protocol/packets.def"
    };
    const char *part = "";
    size_t end = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const size_t size = size_of_type(fields[i].type);
        if (strcmp(part, fields[i].part) == 0)
            assert_int_equal(fields[i].offset, end);
        part = fields[i].part;
        end = fields[i].offset + size;
        if (size <= 8 && size > 0)
            assert_int_equal(fields[i].offset % size, 0);
        if (strcmp(fields[i].type, "f64s") == 0 || strcmp(fields[i].type, "frames") == 0)
            assert_int_equal(fields[i].offset % 16, 0);
    }
}
