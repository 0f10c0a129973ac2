/* Asks for one picture of posectl thumbs: thumbs.h. Surfaces with one side, such as a card with a tree on it, show
 * nothing from behind. A picture that would be empty is asked for from other sides, unless the user chose one. */
#include "clients/cli/thumbs/thumbs.h"

#include <string.h>

/* The sides in the order in which they are tried: the server's own, the opposite one, and from below. */
static const char *const SIDES[THUMBS_SIDES] = {"", "&camera=three_quarter&yaw=180", "&camera=three_quarter&pitch=-75"};

bool thumbs_has_side(const struct args *args)
{
    static const char *const NAMES[] = {"camera", "camera_name", "yaw", "pitch", "projection"};
    bool has_side = false;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const size_t size = strlen(NAMES[i]);
        has_side |= args_parameter(args, NAMES[i]) != NULL;
        for (size_t k = 0; k < args->repeated_count; k++)
            has_side |= args->repeated[k].option == OPTION_PARAM &&
                        strncmp(args->repeated[k].value, NAMES[i], size) == 0 && args->repeated[k].value[size] == '=';
    }
    return has_side;
}

static int ask(const struct thumbs *thumbs, struct connection *connection, const char *source, const char *query,
               int side, struct posed_packet *answer)
{
    struct text whole = {0};
    text_printf(&whole, "%s%s", query, SIDES[side]);
    const int rc = connection_request_model(connection, "render", source, whole.at, thumbs->body, answer);
    text_free(&whole);
    return rc;
}

static bool is_empty(const struct connection *connection, int rc)
{
    return rc == POSED_E_SERVER && connection->posed.error.code == POSED_ERR_NOTHING_TO_DRAW;
}

int thumbs_picture(const struct thumbs *thumbs, struct connection *connection, const char *source, const char *query,
                   int *side, struct posed_packet *answer)
{
    int rc = ask(thumbs, connection, source, query, *side, answer);
    if (!is_empty(connection, rc) || thumbs->has_side)
        return rc;
    struct posed_error first = connection->posed.error;
    first.json = NULL; /* the next answer takes its place */
    first.json_bytes = 0;
    for (int other = 0; other < THUMBS_SIDES && is_empty(connection, rc); other++) {
        if (other == *side)
            continue;
        rc = ask(thumbs, connection, source, query, other, answer);
        if (rc == 0)
            *side = other;
    }
    if (is_empty(connection, rc)) /* nothing shows it: the reason is that of the usual side */
        connection->posed.error = first;
    return rc;
}
