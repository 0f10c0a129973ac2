/* upload_words.h - what an importer says of a file in a stage, in the words of the client, who knows the name that he
 * gave and no stage. Pure; any thread. */
#pragma once

#include "../base/err.h"

struct upload_words {
    const char *stage; /* the stage's path under the root, with a slash behind it */
    const char *name;  /* of the upload, as the client said it */
    const char *item;  /* of a zip that is unpacked: the folder of its files in the stage; else NULL */
};

/* No path in the message leads through a stage afterwards, not even one that is cut. */
void upload_words_put(const struct upload_words *words, struct err *err);
