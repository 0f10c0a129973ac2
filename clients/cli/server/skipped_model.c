#include "clients/cli/server/skipped_model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char BLEND[] = "blend";

/* The extensions of models. */
static const char *const EXTENSIONS[] = {
#define X(extension, name, reader, companion_of, magic, clips, fidelity) extension,
#include "protocol/formats.def"
#undef X
};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static const char *extension_of(const char *path)
{
    const char *dot = strrchr(base_of(path), '.');
    return dot == NULL ? "" : dot + 1;
}

/* Returns whether `other` is the name of a model in another format, with the stem of `name`. */
static bool is_export_of(const char *name, const char *other)
{
    const char *extension = extension_of(other);
    const size_t stem_bytes = strlen(name) - strlen(extension_of(name));
    if (strlen(other) - strlen(extension) != stem_bytes || strncmp(name, other, stem_bytes) != 0 ||
        strcasecmp(extension, BLEND) == 0)
        return false;
    for (size_t i = 0; i < sizeof EXTENSIONS / sizeof *EXTENSIONS; i++)
        if (strcasecmp(extension, EXTENSIONS[i]) == 0)
            return true;
    return false;
}

/* Appends the name of an export in the model's local folder. */
static void find_here(const struct session *session, const char *path, struct text *out)
{
    char folder[8192];
    const char *base = base_of(path);
    struct dirent **names = NULL;
    snprintf(folder, sizeof folder, "%s/%.*s", session->folder, (int)(base - path), path);
    const int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (out->size_bytes == 0 && is_export_of(base, names[i]->d_name))
            text_put(out, names[i]->d_name);
        free(names[i]);
    }
    free(names);
}

/* Appends the name of an export in the list of a running server's models. */
static void find_listed(const struct model_list *list, const char *path, struct text *out)
{
    for (size_t i = 0; i < list->count && out->size_bytes == 0; i++)
        if (is_export_of(path, list->items[i].model))
            text_put(out, base_of(list->items[i].model));
}

bool skipped_model_is(const struct connection *connection, const struct model_list *list, size_t index,
                      struct text *why)
{
    const struct listed_model *item = &list->items[index];
    const struct posed_error *error = &connection->posed.error;
    struct text export = {0};
    if (error->status != POSED_E_SERVER || error->code != POSED_ERR_UNSUPPORTED_FILE)
        return false;
    const bool is_source = strcasecmp(extension_of(item->model), BLEND) == 0;
    if (is_source && connection->session->is_private)
        find_here(connection->session, item->model, &export);
    else if (is_source)
        find_listed(list, item->model, &export);
    const bool is_skipped = !is_source || export.size_bytes > 0;
    if (is_skipped)
        text_put(why, connection_error_message(connection, item->source));
    if (export.size_bytes > 0)
        text_printf(why, "; its export '%s' is beside it", export.at);
    text_free(&export);
    return is_skipped;
}
