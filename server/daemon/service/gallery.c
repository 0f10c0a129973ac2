#include "daemon/service/gallery.h"

#include "gallery_html.h" /* made from gallery.html by the Makefile */

void gallery_page(struct buf *out) { buf_put(out, gallery_html, sizeof gallery_html - 1); }
