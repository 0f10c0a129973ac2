/* markdown.h - the differences of models as a page of GitHub's Markdown, with pictures in a folder. One thread. */
#pragma once

#include "clients/cli/diff/moment_pictures.h"

struct markdown {
    struct text body;
    char *folder;  /* where pictures are written; NULL: there are none */
    char *link;    /* the same, relative to the page, with '/' at its end */
    uint32_t size; /* of a picture, in pixels */
    size_t model_count, problem_count;
};

/* A page for `file`, or for stdout where that is "-". pictures: the folder for them; NULL: "page.pictures" beside
 * "page.md", and none for stdout. Returns 0, or an exit status after printing why. markdown_free() in any case. */
int markdown_start(struct markdown *page, const char *file, const char *pictures, uint32_t size);
/* Appends what is different between two models, with pictures of its worst moments. Pictures that cannot be drawn are a
 * line that says why; the folder cannot be written: an exit status, after printing why. */
int markdown_put_model(struct markdown *page, const char *name, struct connection *connection,
                       const struct compared *compared);
/* What follows has no pictures, and the page says so. */
void markdown_end_pictures(struct markdown *page);
/* Text that GitHub shows as it is: no emphasis, no link, no mention, one line. */
void markdown_put_escaped(struct text *out, const char *text);
void markdown_free(struct markdown *page);
