#include "clients/cli/output/bar.h"

#include "clients/cli/output/text.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_CELLS = 24, COLUMNS_DEFAULT = 80 };

void bar_paint(const char *what, double share, const char *state)
{
    struct text line = {0};
    struct winsize window;
    size_t columns = COLUMNS_DEFAULT, bytes = 0;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        columns = window.ws_col;
    text_put_printable(&line, what);
    text_put(&line, " [");
    for (int i = 0; i < BAR_CELLS; i++)
        text_put(&line, i < (int)(share * BAR_CELLS) ? "#" : "-");
    text_put(&line, "] ");
    text_put(&line, state);
    for (size_t column = 1; column < columns && bytes < line.size_bytes; column++) {
        const size_t character = text_character_bytes(line.at + bytes);
        bytes += character == 0 ? 1 : character;
    }
    fprintf(stderr, "\r%.*s\033[K", (int)bytes, line.at);
    fflush(stderr);
    text_free(&line);
}

void bar_clear(void) { fputs("\r\033[K", stderr); }

void bar_put_duration(struct text *out, double s)
{
    if (s >= 3600)
        text_printf(out, "%.0f h %02.0f min", (double)(long)(s / 3600), (double)((long)(s / 60) % 60));
    else if (s >= 60)
        text_printf(out, "%.0f min %02.0f s", (double)(long)(s / 60), (double)((long)s % 60));
    else
        text_printf(out, "%.0f s", s);
}
