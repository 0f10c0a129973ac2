/* assets.h - the files of the pages for people, built into the program: clients/page, clients/js and the shaders.
 * Read-only; any thread. */
#pragma once

#include <stddef.h>

struct asset {
    const char *name; /* below /page/: "model/model.js", "js/frames.js", "shaders/skin.vert" */
    const char *content_type;
    const char *bytes;
    size_t size_bytes;
};

/* Finds an asset by its name, or returns NULL. Assets with ".html" names are shells for page.h, not responses. */
const struct asset *asset_find(const char *name);
