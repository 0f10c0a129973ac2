/* markdown.h - writes a page of GitHub's Markdown, with pictures in a folder. One thread.
 */
#pragma once

#include "clients/cli/moments/moment_pictures.h"

struct markdown {
    struct text body;
    char *folder;  /* of the pictures; NULL: the page has none */
    char *link;    /* the same folder relative to the page, with '/' at its end */
    uint32_t size; /* width and height of a picture, in pixels */
    size_t model_count, problem_count;
};

/* Starts a page for `file`; "-" is stdout. pictures: the folder for them. NULL: "page.pictures" beside "page.md", and
 * no pictures for stdout. Returns 0, or an exit status after printing the error. The caller calls markdown_free() in
 * any case. */
int markdown_start(struct markdown *page, const char *file, const char *pictures, uint32_t size);
/* Appends pictures of the worst moments of two models under the model's name, if the page has pictures and some moment
 * shows a change. If a picture cannot be drawn, a line says why. Returns 0, or an exit status after printing that the
 * folder cannot be written. */
int markdown_put_pictures(struct markdown *page, const char *name, struct connection *connection,
                          const struct compared *compared);
/* Ends the pictures: the page says that later models have none. */
void markdown_end_pictures(struct markdown *page);
/* Puts text that GitHub shows literally: no emphasis, no link, no mention, one line. */
void markdown_put_escaped(struct text *out, const char *text);
void markdown_free(struct markdown *page);
