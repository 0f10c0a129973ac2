/* Writes a page of GitHub Flavored Markdown (github.github.com/gfm). Its tables are an extension of CommonMark. */
#include "clients/cli/diff_report/markdown.h"

#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLUG_MAX = 60 };

static bool is_word(char c)
{
    const char lower = (char)(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
}

/* Returns whether a character has no special meaning there. An underscore within a word makes no emphasis. A colon may
 * begin an emoji or a link only next to a word or a slash. */
static bool is_plain(const char *text, const char *at)
{
    if ((unsigned char)*at >= 0x80 || is_word(*at) || strchr(" .,;-/'%()", *at) != NULL)
        return true;
    if (*at == '_')
        return at > text && is_word(at[-1]) && is_word(at[1]);
    return *at == ':' && (at[1] == ' ' || at[1] == '\0');
}

void markdown_put_escaped(struct text *out, const char *text)
{
    struct text printable = {0};
    text_put_printable(&printable, text);
    for (const char *at = printable.at == NULL ? "" : printable.at; *at != '\0'; at++)
        if (is_plain(printable.at, at))
            text_put_bytes(out, at, 1);
        else
            text_printf(out, "&#%u;", (unsigned)(unsigned char)*at);
    text_free(&printable);
}

/* --- the folder of pictures --- */

/* Finds "../out/pictures/": the folder relative to the page's folder. */
static int find_link(struct markdown *page, const char *page_folder)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct text link = {0};
    if (realpath(page_folder, from) == NULL || realpath(page->folder, to) == NULL) {
        terminal_error("'%s': %s", page->folder, strerror(errno));
        return STATUS_SERVER;
    }
    size_t shared = 0;
    for (size_t i = 0;; i++) {
        const bool ends[2] = {from[i] == '/' || from[i] == '\0', to[i] == '/' || to[i] == '\0'};
        if (ends[0] && ends[1])
            shared = i;
        if (from[i] != to[i] || from[i] == '\0')
            break;
    }
    if (strcmp(from, "/") == 0)
        shared = 0;
    for (const char *at = from + shared; *at != '\0'; at++)
        if (*at == '/' && at[1] != '\0')
            text_put(&link, "../");
    text_put_url(&link, to[shared] == '/' ? to + shared + 1 : to + shared);
    if (link.at[0] != '\0' && link.at[link.size_bytes - 1] != '/')
        text_put(&link, "/");
    page->link = link.at;
    return STATUS_DONE;
}

/* Returns "out/page.pictures" for "out/page.md". */
static char *default_folder(const char *file)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    const size_t size = dot != NULL && dot > (slash == NULL ? file : slash + 1) ? (size_t)(dot - file) : strlen(file);
    struct text folder = {0};
    text_put_bytes(&folder, file, size);
    text_put(&folder, ".pictures");
    return folder.at;
}

int markdown_start(struct markdown *page, const char *file, const char *pictures, uint32_t size)
{
    const bool is_stdout = file == NULL || strcmp(file, "-") == 0;
    *page = (struct markdown){.size = size};
    if (pictures == NULL && is_stdout)
        return STATUS_DONE;
    page->folder = pictures != NULL ? must_copy(pictures) : default_folder(file);
    struct text inside = {0}, page_folder = {0};
    text_printf(&inside, "%s/x", page->folder);
    const char *slash = is_stdout ? NULL : strrchr(file, '/');
    text_put_bytes(&page_folder, slash == NULL ? "." : file, slash == NULL ? 1 : (size_t)(slash - file) + 1);
    int status = STATUS_SERVER;
    struct text problem = {0};
    if (pictures == NULL && output_is_link(page->folder, &problem)) /* the command line does not name it */
        terminal_error("%s", problem.at);
    else if (output_make_folders(inside.at) < 0 || (!is_stdout && output_make_folders(file) < 0))
        terminal_error("cannot create '%s': %s", page->folder, strerror(errno));
    else
        status = find_link(page, page_folder.at);
    text_free(&problem);
    text_free(&inside);
    text_free(&page_folder);
    return status;
}

/* --- pictures --- */

/* Puts the beginning of the file names of a model's pictures: "003-models-hero.glb". */
static void put_slug(struct text *out, size_t number, const char *name)
{
    const size_t size = strlen(name);
    const char *at = size > SLUG_MAX ? name + size - SLUG_MAX : name;
    text_printf(out, "%03zu-", number);
    for (; *at != '\0'; at++) {
        const bool is_kept = is_word(*at) || *at == '.' || *at == '_';
        text_put_bytes(out, is_kept ? at : "-", 1);
    }
}

static int write_picture(const struct markdown *page, const char *name, const struct text *png)
{
    struct text path = {0}, problem = {0};
    text_printf(&path, "%s/%s", page->folder, name);
    const int rc = output_write(path.at, NULL, png->at, png->size_bytes, &problem);
    if (rc < 0)
        terminal_error("%s", problem.at);
    text_free(&path);
    text_free(&problem);
    return rc < 0 ? STATUS_SERVER : STATUS_DONE;
}

static void put_caption(struct text *out, const struct moment *moment)
{
    const char *clip = member_text(json_get(moment->difference, "subject"), "clip");
    if (moment->clips[SIDE_NEW] < 0)
        text_put(out, "\n**At rest**: ");
    else {
        text_put(out, "\n**Clip ");
        if (clip[0] == '\0')
            text_printf(out, "%d", moment->clips[SIDE_NEW]);
        else
            markdown_put_escaped(out, clip);
        text_printf(out, " at %.4g s**: ", moment->time_s);
    }
    markdown_put_escaped(out, member_text(moment->difference, "message"));
    text_put(out, "\n\n");
}

/* Writes the three pictures of a moment and appends the table that shows them. */
static int put_moment(struct markdown *page, const char *name, size_t number, const struct moment_pictures *pictures)
{
    static const char *const WHAT[] = {"before", "after", "difference"};
    const struct text *files[] = {&pictures->before, &pictures->after, &pictures->heat};
    int status = STATUS_DONE;
    text_printf(&page->body, "| before | after | difference by FLIP: %.3f on average, %.2f at most |\n|---|---|---|\n|",
                pictures->mean, pictures->most);
    for (int i = 0; i < 3 && status == STATUS_DONE; i++) {
        struct text picture = {0};
        put_slug(&picture, page->model_count, name);
        text_printf(&picture, "-%zu-%s.png", number + 1, WHAT[i]);
        status = write_picture(page, picture.at, files[i]);
        text_printf(&page->body, " ![%s](%s%s) |", WHAT[i], page->link, picture.at);
        text_free(&picture);
    }
    text_put(&page->body, "\n");
    return status;
}

int markdown_put_pictures(struct markdown *page, const char *name, struct connection *connection,
                          const struct compared *compared)
{
    struct moment moments[MOMENTS_MAX];
    const size_t count = page->folder == NULL ? 0 : moments_find(compared->answer, moments, MOMENTS_MAX);
    int status = STATUS_DONE;
    if (count == 0)
        return STATUS_DONE;
    text_put(&page->body, page->model_count++ == 0 ? "\n## Pictures\n\n### " : "\n### ");
    markdown_put_escaped(&page->body, name);
    text_put(&page->body, "\n");
    for (size_t i = 0; i < count && status == STATUS_DONE && !is_interrupted(); i++) {
        struct moment_pictures pictures;
        struct text problem = {0};
        put_caption(&page->body, &moments[i]);
        if (moment_draw(connection, compared, &moments[i], page->size, &pictures, &problem) == 0)
            status = put_moment(page, name, i, &pictures);
        else {
            page->problem_count++;
            text_put(&page->body, "No picture: ");
            markdown_put_escaped(&page->body, problem.at);
            text_put(&page->body, "\n");
        }
        moment_pictures_free(&pictures);
        text_free(&problem);
    }
    return status;
}

void markdown_end_pictures(struct markdown *page)
{
    if (page->folder != NULL)
        text_printf(&page->body, "\nPictures are of the first %zu models whose changes are seen.\n", page->model_count);
    free(page->folder);
    page->folder = NULL;
}

void markdown_free(struct markdown *page)
{
    text_free(&page->body);
    free(page->folder);
    free(page->link);
    *page = (struct markdown){0};
}
