/* model_list.h - lists every model that the arguments of a command mean. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/connection.h"
#include "clients/cli/server/paths.h"

struct listed_model {
    char *model;  /* its path under the server's root */
    char *source; /* its name in requests: the path, or a symbolic link's target, because the server follows no links */
    char *out;    /* its path under the output folder; files made of it are named after it */
};

struct model_list {
    struct listed_model *items; /* sorted by model, without duplicates */
    size_t count;
    size_t unread; /* number of folders that could not be read or are outside the root; each was printed */
    bool is_told;  /* watch: an earlier list has printed arguments without a model, and ignored links */
};

/* Walks the folders of a private server, or asks a running one. Obeys --include, --exclude, .posedignore and --shard.
 * `list` is {0} or freed. Returns 0, or an exit status after printing the error. It is STATUS_USAGE if an argument
 * means no model, except for watch. A shard may be empty. */
int model_list_read(struct model_list *list, const struct paths *paths, const struct args *args,
                    struct connection *connection);
/* Returns whether the model is in the part of --shard. A hash of its path puts each model in exactly one part. Without
 * --shard every model is in. */
bool model_is_in_shard(const struct args *args, const char *model);
void model_list_free(struct model_list *list);
void model_list_free_item(struct listed_model *item);

/* Receives each page of /v1/models, raw and parsed. */
typedef void model_page(void *context, const struct posed_packet *answer, const cJSON *page);
/* Asks for the pages of /v1/models, with `query` ("&prefix=..") in each request, until the last page or an interrupt.
 * `is_one`: asks for the first page only. Returns 0, or an exit status after printing the error. */
int model_list_pages(struct connection *connection, const char *query, bool is_one, model_page *take, void *context);
