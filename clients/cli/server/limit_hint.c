#include "clients/cli/server/limit_hint.h"

#include <string.h>

static const char *const OPTION_NAMES[] = {
#define X(symbol, option, initial, unit, group, text) option,
#include "protocol/limits.def"
#undef X
};

/* Returns the option that follows "--" at `at`, or NULL if that is none for a limit. */
static const char *find_option(const char *at)
{
    const size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
    for (size_t i = 0; size > 0 && i < sizeof OPTION_NAMES / sizeof *OPTION_NAMES; i++)
        if (strlen(OPTION_NAMES[i]) == size && memcmp(OPTION_NAMES[i], at, size) == 0)
            return OPTION_NAMES[i];
    return NULL;
}

static void put_variable(const char *option, struct text *out)
{
    text_put(out, "; POSED_");
    for (; *option != '\0'; option++)
        text_put_bytes(out, *option == '-' ? "_" : (const char[]){(char)(*option - 'a' + 'A')}, 1);
    text_put(out, " sets it here");
}

static void put_bones(const char *message, struct text *out)
{
    const char *clip = strstr(message, ": clip_bones=") != NULL ? "clip-" : "";
    text_printf(out, "; posectl takes them as --%sbones ROLE=JOINT, or as a file for --%smap, which posectl map writes",
                clip, clip);
}

void limit_hint_put(const struct connection *connection, struct text *out)
{
    const struct posed_error *error = &connection->posed.error;
    const char *option = NULL;
    if (error->status == POSED_E_SERVER && error->code == POSED_ERR_NO_HUMANOID)
        put_bones(error->message, out);
    if (!connection->session->is_private || error->status != POSED_E_SERVER)
        return;
    for (const char *at = strstr(error->message, "--"); at != NULL && option == NULL; at = strstr(at + 2, "--"))
        option = find_option(at + 2);
    if (option != NULL)
        put_variable(option, out);
}
