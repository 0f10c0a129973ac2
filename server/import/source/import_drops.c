/* import_drops.c - what the model does not have of the file, for those who make another file of the model. */
#include "import/source/import.h"

#include <stdio.h>
#include <string.h>

/* Copies the beginning of a text of the file as it may stand in JSON and in messages. */
static void copy_plain(char *out, size_t size, const char *text)
{
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < size; i++)
        out[i] = text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\' ? '?' : text[i];
    out[i] = '\0';
}

void import_drop(struct import *import, const char *code, const char *what, const char *where)
{
    struct import_drop drop = {.code = code, .count = 1};
    copy_plain(drop.what, sizeof drop.what, what);
    for (uint32_t i = 0; i < import->drop_count; i++)
        if (strcmp(import->drops[i].code, code) == 0 && strcmp(import->drops[i].what, drop.what) == 0) {
            import->drops[i].count++;
            return;
        }
    if (import->drop_count == IMPORT_DROPS_MAX)
        return;
    copy_plain(drop.where, sizeof drop.where, where);
    import->drops[import->drop_count++] = drop;
}

int import_put_drops(struct import *import, struct err *err)
{
    for (uint32_t i = 0; i < import->drop_count; i++) {
        const struct import_drop *drop = &import->drops[i];
        char json[256], more[40] = "";
        if (drop->count > 1)
            snprintf(more, sizeof more, " and %u more", drop->count - 1);
        const int size = snprintf(json, sizeof json, "\"%s%s%s%s\"", drop->what, drop->where[0] == '\0' ? "" : ": ",
                                  drop->where, more);
        if (import_add_carried(import, CARRY_NOTHING, i, drop->code, json, (size_t)size, "notes", err) < 0)
            return err->code;
    }
    import->drop_count = 0;
    import_sort_carried(import);
    return 0;
}
