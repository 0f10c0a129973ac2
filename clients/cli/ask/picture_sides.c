#include "clients/cli/ask/picture_sides.h"

#include <stdio.h>
#include <string.h>

static uint32_t big(const unsigned char *at, int bytes)
{
    uint32_t number = 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

static uint32_t little(const unsigned char *at, int bytes)
{
    uint32_t number = 0;
    for (int i = bytes; i-- > 0;)
        number = number << 8 | at[i];
    return number;
}

static bool set(uint32_t sides[2], uint32_t width, uint32_t height)
{
    sides[0] = width;
    sides[1] = height;
    return true;
}

/* Reads the three kinds of WebP file (RFC 9649, 2): lossy, lossless and extended. */
static bool webp_sides(const unsigned char *file, uint32_t sides[2])
{
    if (memcmp(file + 12, "VP8X", 4) == 0)
        return set(sides, little(file + 24, 3) + 1, little(file + 27, 3) + 1);
    const uint32_t packed = little(file + 21, 4);
    if (memcmp(file + 12, "VP8L", 4) == 0)
        return set(sides, (packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1);
    return memcmp(file + 12, "VP8 ", 4) == 0 &&
           set(sides, little(file + 26, 2) & 0x3fff, little(file + 28, 2) & 0x3fff);
}

/* Looks for the frame header among the segments of a JPEG file (ITU-T T.81, B.2.2). */
static bool jpeg_sides(const unsigned char *file, size_t size_bytes, uint32_t sides[2])
{
    size_t at = 2;
    while (size_bytes >= 9 && at <= size_bytes - 9 && file[at] == 0xff) {
        if (file[at + 1] == 0xc0 || file[at + 1] == 0xc2)
            return set(sides, big(file + at + 7, 2), big(file + at + 5, 2));
        at += 2 + big(file + at + 2, 2);
    }
    return false;
}

bool picture_sides(const unsigned char *file, size_t size_bytes, uint32_t sides[2])
{
    enum { LEAST_BYTES = 30 };
    unsigned width, height;
    if (size_bytes < LEAST_BYTES)
        return false;
    if (memcmp(file + 12, "IHDR", 4) == 0) /* PNG specification, 11.2.2 */
        return set(sides, big(file + 16, 4), big(file + 20, 4));
    if (memcmp(file, "RIFF", 4) == 0)
        return webp_sides(file, sides);
    if (memcmp(file, "\xff\xd8", 2) == 0)
        return jpeg_sides(file, size_bytes, sides);
    if (memcmp(file, "GIF8", 4) == 0)
        return set(sides, little(file + 6, 2), little(file + 8, 2));
    char head[LEAST_BYTES + 1] = "";
    memcpy(head, file, LEAST_BYTES);
    return sscanf(head, "YUV4MPEG2 W%5u H%5u ", &width, &height) == 2 && set(sides, width, height);
}
