/* config_warnings.c - warnings about who may read and change models, and about variables without an effect. */
#include "daemon/config/config_warnings.h"

#include "daemon/config/access_policy.h"
#include "daemon/config/option_names.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void warn_of_uploads(const struct config *config, void (*tell)(const char *sentence))
{
    static const char OFF[] = "everyone who reaches this server could change models there, so it takes none: set "
                              "--token-file, or listen on 127.0.0.1";
    static const char OPEN[] = "uploads need no token: every program of this machine, and who comes through a proxy on "
                               "it, can change models there; set --token-file";
    char sentence[PATH_MAX + 256];
    const bool is_local = strcmp(config->http, "none") == 0 && strcmp(config->tcp, "none") == 0;
    if (config->uploads == NULL || config->token_file != NULL || is_local)
        return;
    snprintf(sentence, sizeof sentence, "--uploads %.*s: %s", PATH_MAX, config->uploads,
             access_policy_edits_are_open(config) ? OFF : OPEN);
    tell(sentence);
}

void config_warnings(const struct config *config, char *const environment[], void (*tell)(const char *sentence))
{
    char sentence[VARIABLE_SENTENCE_SIZE];
    bool is_similar;
    for (; *environment != NULL; environment++)
        if (option_names_unread(*environment, &is_similar, sentence))
            tell(sentence);
    if (access_policy_is_open(config))
        tell("everyone who reaches this server can read the models under the root: set --token-file, or listen on "
             "127.0.0.1");
    warn_of_uploads(config, tell);
}
