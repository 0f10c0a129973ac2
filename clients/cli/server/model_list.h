/* model_list.h - every model that the arguments of a command mean. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/connection.h"
#include "clients/cli/server/paths.h"

struct listed_model {
    char *model;  /* where it lies: a path under the server's root */
    char *source; /* what requests name: the same, or the target of a symbolic link, which the server does not follow */
    char *out;    /* the model under the output folder: files made of it are named after it */
};

struct model_list {
    struct listed_model *items; /* by model, each once */
    size_t count;
    size_t unread; /* folders that could not be read, or lie out of the root, which was printed */
    bool is_told;  /* watch: an earlier list has named arguments without a model, and links that are left out */
};

/* Walks the folders of a private server, or asks a running one, by --include, --exclude, .posedignore and --shard.
 * `list` is {0} or freed. Returns 0 or an exit status after printing why: STATUS_USAGE where an argument means no
 * model, unless the command is watch; a part of --shard may be empty. */
int model_list_read(struct model_list *list, const struct paths *paths, const struct args *args,
                    struct connection *connection);
/* Whether the model is in the part of --shard: by a hash of its path, so that each is in exactly one of the parts.
 * Without that option each is. */
bool model_is_in_shard(const struct args *args, const char *model);
void model_list_free(struct model_list *list);
void model_list_free_item(struct listed_model *item);

/* Called with each page of /v1/models: as it came, and parsed. */
typedef void model_page(void *context, const struct posed_packet *answer, const cJSON *page);
/* Asks for the pages of /v1/models, `query` ("&prefix=..") in each request, until the last one (`is_one`: for the first
 * only) or an interrupt. Returns 0 or an exit status after printing why. */
int model_list_pages(struct connection *connection, const char *query, bool is_one, model_page *take, void *context);
