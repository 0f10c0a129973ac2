/* gallery.h - the page at /: every model under the root, animated. Pure; any thread.
 *
 * One static document without anything external, server/daemon/service/gallery.html embedded at build time. It learns
 * everything else from the API, as any client would. */
#pragma once

#include "base/buf.h"

/* Appends the page: text/html; charset=utf-8. */
void gallery_page(struct buf *out);
