/* Asks for one picture of posectl thumbs: thumbs.h. Surfaces with one side, such as a card with a tree on it, show
 * nothing from behind, and a line from their edge. A picture that would show nothing, or far less than another one, is
 * asked for from other sides, unless the user chose one. */
#include "clients/cli/thumbs/thumbs.h"

#include "clients/cli/ask/picture_sides.h"
#include "clients/cli/moments/picture_file.h"

#include <stdlib.h>
#include <string.h>

/* The sides in the order in which they are tried: the server's own, the opposite one, from below, and the axes. */
static const char *const SIDES[] = {
    "",           "&camera=three_quarter&yaw=180", "&camera=three_quarter&pitch=-75", "&camera=front", "&camera=left",
    "&camera=top"};

enum { SIDE_COUNT = sizeof SIDES / sizeof *SIDES };

/* A square seen at three degrees covers so much of its picture. A side has to show MORE times as much to be taken
 * instead: a spear is thin from everywhere. */
static const double LITTLE = 0.03, MORE = 10;

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

/* Returns which share of a PNG's pixels differ from its corner; 1 for what cannot have few of them, or is no PNG. */
static double shown_share(const struct posed_packet *answer)
{
    enum { PIXELS_A_BYTE = 16 }; /* a picture that shows little has fewer bytes */
    uint32_t sides[2];
    struct picture picture;
    struct text problem = {0};
    if (!picture_sides(answer->data, answer->data_bytes, sides) ||
        answer->data_bytes >= (uint64_t)sides[0] * sides[1] / PIXELS_A_BYTE ||
        picture_read_alpha(answer->data, answer->data_bytes, &picture, &problem) < 0) {
        text_free(&problem);
        return 1;
    }
    const size_t count = (size_t)picture.width * picture.height;
    size_t differing = 0;
    for (size_t i = 1; i < count; i++)
        differing += memcmp(picture.pixels + 4 * i, picture.pixels, 4) != 0;
    free(picture.pixels);
    return (double)differing / (double)count;
}

int thumbs_picture(const struct thumbs *thumbs, struct connection *connection, const char *source, const char *query,
                   int *side, struct posed_packet *answer)
{
    int rc = ask(thumbs, connection, source, query, *side, answer), shows = rc == 0 ? *side : -1;
    const double share = rc == 0 ? shown_share(answer) : 0;
    if (thumbs->has_side || (rc == 0 ? share >= LITTLE : !is_empty(connection, rc)))
        return rc;
    struct posed_error first = connection->posed.error;
    first.json = NULL; /* the next answer takes its place */
    first.json_bytes = 0;
    for (int other = 0; other < SIDE_COUNT && (rc == 0 || is_empty(connection, rc)); other++) {
        if (other == *side)
            continue;
        rc = ask(thumbs, connection, source, query, other, answer);
        const double there = rc == 0 ? shown_share(answer) : 0;
        if (there >= LITTLE && there >= MORE * share) {
            *side = other;
            return rc;
        }
        if (rc == 0 && shows < 0)
            shows = other;
    }
    if (rc != 0 && !is_empty(connection, rc))
        return rc;
    if (shows >= 0) {
        *side = shows;
        return ask(thumbs, connection, source, query, shows, answer);
    }
    connection->posed.error = first; /* nothing shows it: the reason is that of the usual side */
    return rc;
}
