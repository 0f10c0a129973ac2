/* Reports why there is no table: bake.h. */
#include "clients/cli/bake/bake.h"

#include "clients/cli/output/terminal.h"

#include <stdlib.h>

int bake_refuse(struct bake *bake, const char *who, const char *code, const char *format, ...)
{
    struct text message = {0};
    va_list arguments;
    if (bake->problem == NULL)
        text_printf(&message, "%s: ", who);
    va_start(arguments, format);
    text_vprintf(bake->problem == NULL ? &message : bake->problem, format, arguments);
    va_end(arguments);
    bake->code = code;
    if (bake->problem == NULL)
        terminal_coded_error(code, message.at, NULL, 0);
    text_free(&message);
    return STATUS_FAILED;
}

int bake_answered(struct bake *bake, int rc)
{
    if (bake->problem == NULL)
        return connection_status(bake->connection, rc);
    bake->rc = rc;
    return rc == 0 ? STATUS_DONE : STATUS_FAILED;
}

void bake_free(struct bake *bake)
{
    for (size_t i = 0; i < bake->clip_count; i++)
        free(bake->clips[i].name);
    for (size_t i = 0; i < bake->item_count; i++)
        free(bake->items[i].name);
    free(bake->clips);
    free(bake->items);
    free(bake->times_s);
    free(bake->numbers);
}
