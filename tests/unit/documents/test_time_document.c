/* The server computes every worked example of protocol/time.md. Run from the project's root. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/wire_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8, T = 0, WRAP, FROM, TO, FPS, SPEED, PHASE, CLIP_TIME };
static const double DURATION_S = 2;

/* The cells of "| a | b |", without their spaces; false for another line. */
static bool split(char *line, char *cells[COLUMNS])
{
    if (line[0] != '|')
        return false;
    char *rest = line + 1;
    for (int i = 0; i < COLUMNS; i++) {
        char *end = strchr(rest, '|');
        if (end == NULL)
            return false;
        *end = '\0';
        cells[i] = rest + strspn(rest, " ");
        for (char *last = end; last > cells[i] && last[-1] == ' ';)
            *--last = '\0';
        rest = end + 1;
    }
    return *rest == '\0';
}

static double number(const char *cell)
{
    char *end;
    const double value = strtod(cell, &end);
    if (*cell == '\0' || *end != '\0')
        fail_msg("time.md has '%s' where a number should be", cell);
    return value;
}

static void take(const char *cell, bool *has, double *value)
{
    *has = *cell != '\0';
    *value = *has ? number(cell) : 0;
}

static void check_row(char *cells[COLUMNS])
{
    static const char *const WRAPS[] = {[WRAP_LOOP] = "loop", [WRAP_CLAMP] = "clamp", [WRAP_MIRROR] = "mirror"};
    const double time_s = number(cells[T]);
    struct request request = wire_request(OP_POSE, &time_s, 1);
    struct clip_span span;
    struct err err;
    int wrap = 0;
    while (strcmp(cells[WRAP], WRAPS[wrap]) != 0)
        assert_true(++wrap < 3);
    request.pose.wrap = (enum wrap)wrap;
    take(cells[FROM], &request.pose.span.has_from, &request.pose.span.from);
    take(cells[TO], &request.pose.span.has_to, &request.pose.span.to);
    take(cells[FPS], &request.pose.span.has_fps, &request.pose.span.fps);
    take(cells[SPEED], &request.pose.span.has_speed, &request.pose.span.speed);
    take(cells[PHASE], &request.pose.span.has_phase, &request.pose.span.phase);
    if (span_resolve(&request.pose, DURATION_S, &span, &err) < 0)
        fail_msg("%s", err.message);
    const double clip_time_s = clip_time_in_span(&span, time_s);
    if (clip_time_s != number(cells[CLIP_TIME]))
        fail_msg("time.md: t=%s wrap=%s from=%s to=%s fps=%s speed=%s phase=%s gives %.17g, not %s", cells[T],
                 cells[WRAP], cells[FROM], cells[TO], cells[FPS], cells[SPEED], cells[PHASE], clip_time_s,
                 cells[CLIP_TIME]);
}

TEST(time_document_examples)
{
    FILE *file = fopen("protocol/time.md", "rb");
    if (file == NULL)
        fail_msg("cannot open protocol/time.md: run the tests in the project's root");
    char line[400], *cells[COLUMNS];
    int rows = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (!split(line, cells) || strcmp(cells[T], "t") == 0 || strcmp(cells[T], "---") == 0)
            continue;
        check_row(cells);
        rows++;
    }
    fclose(file);
    assert_true(rows >= 30);
}
