/* fbx_text.c - fbx_scan() for FBX files in text form, line by line. */
#include "import/fbx/fbx_scan.h"

#include "import/fbx/fbx_connections.h"
#include "import/fbx/fbx_record.h"

#include <string.h>

enum { FLAG_CONSTANT = 2, FLAG_CUBIC = 8 };

void fbx_count_curve(struct fbx_findings *losses, uint32_t flags)
{
    losses->curve_count++;
    losses->cubic_count += (flags & FLAG_CUBIC) != 0;
    losses->stepped_count += (flags & (FLAG_CUBIC | FLAG_CONSTANT)) == FLAG_CONSTANT;
}

/* The next number between commas and spaces; a fraction and an exponent are passed over. */
static bool take_int(struct fbx_line *line, int64_t *value)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == ','))
        line->at++;
    const bool is_negative = line->at < line->end && *line->at == '-';
    uint64_t sum = 0;
    line->at += is_negative;
    const char *first = line->at;
    for (; line->at < line->end && *line->at >= '0' && *line->at <= '9'; line->at++)
        sum = sum * 10 + (uint64_t)(*line->at - '0');
    *value = (int64_t)(is_negative ? 0 - sum : sum);
    return line->at > first;
}

/* Whether a list has two entries that are written differently. */
static bool has_two(const struct fbx_line *list)
{
    const char *first = list->at, *first_end = NULL;
    for (const char *at = list->at; at < list->end;) {
        const char *comma = memchr(at, ',', (size_t)(list->end - at));
        const char *end = comma != NULL ? comma : list->end;
        while (at < end && *at == ' ')
            at++;
        const char *trimmed = end;
        while (trimmed > at && (trimmed[-1] == ' ' || trimmed[-1] == '\r'))
            trimmed--;
        if (first_end == NULL) {
            first = at;
            first_end = trimmed;
        } else if (trimmed - at != first_end - first || memcmp(at, first, (size_t)(trimmed - at)) != 0) {
            return true;
        }
        at = comma != NULL ? comma + 1 : list->end;
    }
    return false;
}

struct text_scan {
    struct fbx_findings losses;
    struct fbx_connections connections;
    int64_t curve;                               /* whose lines come */
    enum { IN_NOTHING, IN_VALUES, IN_FLAGS } in; /* whose "a:" comes */
    bool is_moving;
    bool has_curves, has_takes;
};

static void end_flags(struct text_scan *scan, struct fbx_line *line)
{
    uint32_t all = 0;
    int64_t flags;
    while (take_int(line, &flags))
        all |= (uint32_t)flags;
    if (scan->is_moving) {
        fbx_count_curve(&scan->losses, all);
        fbx_items_add(&scan->connections.curves, scan->curve);
    }
    scan->is_moving = false;
}

static void look_at_line(struct text_scan *scan, struct fbx_line line)
{
    int64_t child, parent;
    if (fbx_take(&line, "KeyValueFloat:")) {
        scan->in = IN_VALUES;
    } else if (fbx_take(&line, "KeyAttrFlags:")) {
        scan->in = IN_FLAGS;
        scan->has_curves = true;
    } else if (fbx_take(&line, "a:")) {
        if (scan->in == IN_VALUES)
            scan->is_moving = has_two(&line);
        else if (scan->in == IN_FLAGS)
            end_flags(scan, &line);
        scan->in = IN_NOTHING;
    } else if (fbx_take(&line, "AnimationLayer:") && take_int(&line, &child)) {
        fbx_items_add(&scan->connections.layers, child);
    } else if (fbx_take(&line, "AnimationCurve:") && take_int(&line, &child)) {
        scan->curve = child;
    } else if (fbx_take(&line, "AnimationCurveNode:") && take_int(&line, &child) &&
               fbx_take(&line, ", \"AnimCurveNode::R\"")) {
        fbx_items_add(&scan->connections.rotations, child);
    } else if (fbx_take(&line, "C: \"O") && (fbx_take(&line, "O\"") || fbx_take(&line, "P\"")) &&
               take_int(&line, &child) && take_int(&line, &parent)) {
        fbx_connect(&scan->connections, child, parent);
    } else if (fbx_take(&line, "Take:")) {
        scan->has_takes = true;
    }
}

struct fbx_findings fbx_scan_text(const char *text, size_t size_bytes)
{
    struct text_scan scan = {.in = IN_NOTHING};
    struct fbx_line line;
    for (const char *at = text; fbx_next_line(&at, text + size_bytes, &line);)
        look_at_line(&scan, line);
    scan.losses.layered_count = fbx_layered_takes(&scan.connections);
    /* Files before 7.0 keep their curves in the takes, in another form. */
    scan.losses.is_uncertain |= scan.has_takes && !scan.has_curves;
    scan.losses.turning_count = fbx_multi_axis_rotations(&scan.connections);
    fbx_connections_fini(&scan.connections);
    return scan.losses;
}
