#include "daemon/page/assets.h"

#include <string.h>

#include "page_assets.h" /* ASSETS, made by the Makefile */

const struct asset *asset_find(const char *name)
{
    for (size_t i = 0; i < sizeof ASSETS / sizeof *ASSETS; i++)
        if (strcmp(ASSETS[i].name, name) == 0)
            return &ASSETS[i];
    return NULL;
}
