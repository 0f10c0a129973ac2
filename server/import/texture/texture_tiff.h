/* texture_tiff.h - libtiff, which only processes that may need it load. Everything is of the process; one thread. */
#pragma once

/* Loads libtiff once. Call it before the sandbox, which allows no access to files. Where it is missing,
 * image_decode_tiff() says what to install. Without this call image_decode_tiff() returns ERR_UNAVAILABLE. */
void tiff_load(void);
