/* gltf_drops.c - what the model does not have of the file, for those who make another file of the model. */
#include "import/gltf/gltf.h"

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

void gltf_drop(struct gltf *gltf, const char *code, const char *what, const char *where)
{
    struct gltf_drop drop = {.code = code, .count = 1};
    copy_plain(drop.what, sizeof drop.what, what);
    for (uint32_t i = 0; i < gltf->drop_count; i++)
        if (strcmp(gltf->drops[i].code, code) == 0 && strcmp(gltf->drops[i].what, drop.what) == 0) {
            gltf->drops[i].count++;
            return;
        }
    if (gltf->drop_count == GLTF_DROPS_MAX)
        return;
    copy_plain(drop.where, sizeof drop.where, where);
    gltf->drops[gltf->drop_count++] = drop;
}

int gltf_put_drops(struct gltf *gltf, struct err *err)
{
    for (uint32_t i = 0; i < gltf->drop_count; i++) {
        const struct gltf_drop *drop = &gltf->drops[i];
        char json[256], more[40] = "";
        if (drop->count > 1)
            snprintf(more, sizeof more, " and %u more", drop->count - 1);
        const int size = snprintf(json, sizeof json, "\"%s%s%s%s\"", drop->what, drop->where[0] == '\0' ? "" : ": ",
                                  drop->where, more);
        if (import_add_carried(gltf->import, CARRY_NOTHING, i, drop->code, json, (size_t)size, "notes", err) < 0)
            return err->code;
    }
    import_sort_carried(gltf->import);
    return 0;
}
