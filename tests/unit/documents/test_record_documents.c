/* protocol/crowd.md and protocol/hits.md agree with crowd.def and raycast.def: every record with its size and its
 * complete table, in the order of the .def, and no other table of fields. Run from the project's root. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_HEAD "| offset | type | field | meaning |\n|---|---|---|---|\n"

enum { TABLE_MAX = 1 << 13, SIZE_TEXT_MAX = 32 };

struct record {
    const char *part, *name, *text;
    int bytes;
};
struct field {
    const char *part, *type, *name, *text;
    int offset;
};
struct format {
    const char *document;
    const struct record *records;
    size_t record_count;
    const struct field *fields;
    size_t field_count;
};

static const struct record CROWD_RECORDS[] = {
#define RECORD(part, bytes, name, text) {#part, name, text, bytes},
#include "protocol/crowd.def"
};
static const struct field CROWD_FIELDS[] = {
#define FIELD(part, offset, type, name, text) {#part, #type, #name, text, offset},
#include "protocol/crowd.def"
};
static const struct record RAYCAST_RECORDS[] = {
#define RECORD(part, bytes, name, text) {#part, name, text, bytes},
#include "protocol/raycast.def"
};
static const struct field RAYCAST_FIELDS[] = {
#define FIELD(part, offset, type, name, text) {#part, #type, #name, text, offset},
#include "protocol/raycast.def"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
static const struct format CROWD = {"protocol/crowd.md", CROWD_RECORDS, COUNT(CROWD_RECORDS), CROWD_FIELDS,
                                    COUNT(CROWD_FIELDS)};
static const struct format RAYCAST = {"protocol/hits.md", RAYCAST_RECORDS, COUNT(RAYCAST_RECORDS), RAYCAST_FIELDS,
                                      COUNT(RAYCAST_FIELDS)};

/* How many fields from `first` on are the record's. */
static size_t fields_of(const struct format *format, size_t first, const struct record *record)
{
    size_t count = 0;
    while (first + count < format->field_count && strcmp(format->fields[first + count].part, record->part) == 0)
        count++;
    return count;
}

/* The record's table as the document has it: its head, a row for each field, and nothing behind. */
static void put_table(const struct field *fields, size_t count, char table[TABLE_MAX])
{
    size_t size = (size_t)snprintf(table, TABLE_MAX, TABLE_HEAD);
    for (size_t i = 0; i < count; i++) {
        size += (size_t)snprintf(table + size, TABLE_MAX - size, "| %d | %s | `%s` | %s |\n", fields[i].offset,
                                 fields[i].type, fields[i].name, fields[i].text);
        assert_true(size < TABLE_MAX);
    }
}

/* The text before this table has the size and describes the record; headers have other words. */
static void check_intro(const struct format *format, const struct record *record, const char *from, const char *to)
{
    char size[SIZE_TEXT_MAX];
    char *intro = strndup(from, (size_t)(to - from));
    assert_non_null(intro);
    snprintf(size, sizeof size, "%d bytes", record->bytes);
    const char *found = strstr(intro, size);
    if (found == NULL || (found > intro && isdigit((unsigned char)found[-1])))
        fail_msg("%s should say of %s, above its table: '%s'", format->document, record->part, size);
    if (strcmp(record->name, "header") != 0 && strstr(intro, record->text) == NULL)
        fail_msg("%s should say of %s, above its table: '%s'", format->document, record->part, record->text);
    free(intro);
}

static void check_document(const struct format *format)
{
    char *document = document_read(format->document), table[TABLE_MAX];
    const char *at = document;
    size_t first = 0;
    for (size_t r = 0; r < format->record_count; r++) {
        const struct record *record = &format->records[r];
        const size_t count = fields_of(format, first, record);
        const char *found = strstr(at, TABLE_HEAD);
        put_table(format->fields + first, count, table);
        if (found == NULL || strncmp(found, table, strlen(table)) != 0 || found[strlen(table)] != '\n')
            fail_msg("%s should have, as its table %zu of fields, this of %s: %s", format->document, r + 1,
                     record->part, table);
        check_intro(format, record, at, found);
        at = found + strlen(table);
        first += count;
    }
    if (strstr(at, "| offset | type |") != NULL)
        fail_msg("%s has a table of fields that the .def has not", format->document);
    free(document);
}

/* Of numbers and bytes; 0: an array, which ends where the next field begins. */
static int size_of_type(const char *type)
{
    return strncmp(type, "bytes", 5) == 0   ? atoi(type + 5)
           : type[strlen(type) - 1] == 's'  ? 0
           : strchr("uif", type[0]) != NULL ? atoi(type + 1) / 8
                                            : -1;
}

/* Fields follow each other, numbers lie where their size divides, and the last ends where its record does. */
static void check_places(const struct format *format)
{
    size_t first = 0;
    for (size_t r = 0; r < format->record_count; r++) {
        const struct record *record = &format->records[r];
        const size_t count = fields_of(format, first, record);
        int end = 0;
        for (size_t i = first; i < first + count; i++) {
            const struct field *field = &format->fields[i];
            const int size = size_of_type(field->type), next = i + 1 < first + count ? field[1].offset : record->bytes;
            const int item = size == 0 ? atoi(field->type + 1) / 8 : size;
            assert_int_equal(field->offset, end);
            assert_true(item > 0 && next > end && (next - end) % item == 0);
            if (field->type[0] != 'b')
                assert_int_equal(field->offset % item, 0);
            end = size == 0 ? next : end + size;
        }
        assert_int_equal(end, record->bytes);
        first += count;
    }
    assert_int_equal(first, format->field_count); /* a part without a record would be left */
}

TEST(crowd_document_has_every_table) { check_document(&CROWD); }

TEST(hits_document_has_every_table) { check_document(&RAYCAST); }

TEST(crowd_records_have_no_holes) { check_places(&CROWD); }

TEST(hits_records_have_no_holes) { check_places(&RAYCAST); }
