/* own_pictures.h - the bytes of the pictures' own files, which the owner of a reply has read for it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct own_picture {
    const void *bytes; /* NULL: not read */
    size_t size_bytes;
};

struct own_pictures {
    const struct own_picture *items; /* [texture_count] */
};
