/* thumbs.h - the parts of posectl thumbs, which watch uses too: a pass (pass.h) that draws pictures, and their page. */
#pragma once

#include "clients/cli/pass/pass.h"

struct thumbs {
    struct pass pass;
    char *parameters;      /* of /v1/render, "&width=256&height=256&.." */
    char *body;            /* or NULL */
    bool has_side;         /* the user chose the side that pictures show */
    const char *extension; /* of pictures, "png" */
};

/* thumbs.c: these return 0, or an exit status after printing the error. The caller calls thumbs_close() in any case. */
int thumbs_open(struct thumbs *thumbs, const struct args *args);
/* Runs a pass over all models, and reports the whole. */
int thumbs_pass(struct thumbs *thumbs);
/* Does what pass_finish() does, and rewrites the gallery if the pass changed something. */
int thumbs_finish(struct thumbs *thumbs, int status, bool has_changed);
void thumbs_close(struct thumbs *thumbs);

/* thumbs_model.c: draws the pictures of a model, as pass_kind.make; pass->context is the struct thumbs. */
int thumbs_make(struct pass *pass, struct connection *connection, size_t index, const cJSON *model, cJSON *entry,
                struct text *problem);

/* thumbs_picture.c: returns whether the command line chooses the side that pictures show. */
bool thumbs_has_side(const struct args *args);
/* Asks for a picture from side *side. If it would be empty, or show a line where another side shows a surface, tries
 * the other sides and sets *side, unless the user chose one. `query`: of /v1/render. Returns 0 or an enum posed_status.
 */
int thumbs_picture(const struct thumbs *thumbs, struct connection *connection, const char *source, const char *query,
                   int *side, struct posed_packet *answer);

/* gallery.c: returns whether OUT/index.html is a page that an earlier run wrote. */
bool gallery_is_there(const struct thumbs *thumbs);
/* Writes the page. Returns 0, or an exit status after printing the error. */
int gallery_write(const struct thumbs *thumbs);
