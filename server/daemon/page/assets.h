/* assets.h - the files that the pages for people consist of: clients/page, clients/js and the shaders, as they were
 * when the program was built. Read-only; any thread. */
#pragma once

#include <stddef.h>

struct asset {
    const char *name; /* below /page/: "model/model.js", "js/frames.js", "shaders/skin.vert" */
    const char *content_type;
    const char *bytes;
    size_t size_bytes;
};

/* By its name; NULL: there is none. Those whose name ends with ".html" are shells for page.h and no answers. */
const struct asset *asset_find(const char *name);
