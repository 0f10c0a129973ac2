/* Writes OUT/index.html of posectl thumbs --index: gallery.html with a figure for each picture in OUT, including models
 * that are not part of this run. The page needs no server. Only its search is a script. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/output/output.h"
#include "clients/cli/output/regular_file.h"
#include "clients/cli/output/terminal.h"

#include "gallery_page.h" /* gallery_page: gallery.html, made by the Makefile */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MARK[] = "<!-- figures -->\n";
/* Marks a page as posectl's. It is near the beginning of gallery.html. */
static const char GENERATOR[] = "<meta name=\"generator\" content=\"posectl\">";
enum { HEAD_BYTES = 1024 };

static void put_caption(struct text *out, const char *model, const char *detail)
{
    const char *slash = strrchr(model, '/');
    text_put(out, "<figcaption><b>");
    text_put_xml(out, slash == NULL ? model : slash + 1);
    text_put(out, "</b><span>");
    if (slash != NULL) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - model), model);
        text_put_xml(out, folder);
        text_put(out, detail[0] == '\0' ? "" : " · ");
    }
    text_put_xml(out, detail);
    text_put(out, "</span></figcaption></figure>\n");
}

static void put_figure(struct text *out, const char *model, const cJSON *picture)
{
    text_put(out, "<figure data-text=\"");
    text_put_xml(out, model);
    text_put(out, " ");
    text_put_xml(out, member_text(picture, "clip"));
    text_put(out, "\"><a href=\"");
    text_put_url(out, member_text(picture, "file"));
    text_put(out, "\"><img loading=\"lazy\" src=\"");
    text_put_url(out, member_text(picture, "file"));
    text_put(out, "\" alt=\"");
    text_put_xml(out, model);
    text_put(out, "\"></a>");
    put_caption(out, model, member_text(picture, "clip"));
}

static void put_failure(struct text *out, const char *model, const cJSON *error)
{
    text_put(out, "<figure class=\"failed\" data-text=\"failed ");
    text_put_xml(out, model);
    text_put(out, " ");
    text_put_xml(out, member_text(error, "code"));
    text_put(out, "\"><p>");
    text_put_xml(out, member_text(error, "message"));
    text_put(out, "</p>");
    put_caption(out, model, member_text(error, "code"));
}

static int by_model(const void *name, const void *item)
{
    return strcmp(name, ((const struct listed_model *)item)->model);
}

/* Puts a model. A model of this run has its pictures or its failure; any other model has its pictures, if they exist.
 */
static void put_entry(struct text *out, const struct thumbs *thumbs, const cJSON *entry)
{
    const cJSON *error = json_get(entry, "error"), *picture;
    const struct listed_model *item =
        thumbs->pass.models.count == 0
            ? NULL
            : bsearch(member_text(entry, "model"), thumbs->pass.models.items, thumbs->pass.models.count,
                      sizeof *thumbs->pass.models.items, by_model);
    const char *known = member_text(entry, "out");
    const char *name = item != NULL ? item->out : known[0] != '\0' ? known : member_text(entry, "model");
    if (item == NULL && (cJSON_IsObject(error) || !pass_has_outputs(&thumbs->pass, entry)))
        return;
    if (cJSON_IsObject(error)) {
        put_failure(out, name, error);
        return;
    }
    cJSON_ArrayForEach(picture, json_get(entry, "pictures")) { put_figure(out, name, picture); }
}

bool gallery_is_there(const struct thumbs *thumbs)
{
    struct text path = {0};
    char head[HEAD_BYTES + 1];
    text_printf(&path, "%s/index.html", thumbs->pass.out);
    FILE *file = regular_file_read(path.at);
    head[file == NULL ? 0 : fread(head, 1, HEAD_BYTES, file)] = '\0';
    if (file != NULL)
        fclose(file);
    text_free(&path);
    return strstr(head, GENERATOR) != NULL;
}

int gallery_write(const struct thumbs *thumbs)
{
    struct text page = {0}, path = {0}, problem = {0};
    const char *mark = strstr(gallery_page, MARK);
    text_put_bytes(&page, gallery_page, (size_t)(mark - gallery_page));
    for (size_t i = 0; i < thumbs->pass.manifest.count; i++)
        put_entry(&page, thumbs, thumbs->pass.manifest.entries[i]);
    text_put(&page, mark + sizeof MARK - 1);
    text_printf(&path, "%s/index.html", thumbs->pass.out);
    const int rc = output_write(path.at, thumbs->pass.manifest.folder, page.at, page.size_bytes, &problem);
    if (rc < 0)
        terminal_error("%s", problem.at);
    text_free(&page);
    text_free(&path);
    text_free(&problem);
    return rc < 0 ? STATUS_SERVER : STATUS_DONE;
}
