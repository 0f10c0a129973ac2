/* sheet_spec.h - a picture of several moments or directions, as it is asked for: plain numbers without padding, 0 where
 * nothing was given. */
#pragma once

#include <stdint.h>

enum sheet_format {
    SHEET_PNG = 0,    /* all cells in one picture */
    SHEET_APNG,       /* an animation: every cell is a frame */
    SHEET_GIF,        /* likewise */
    SHEET_WEBP,       /* likewise */
    SHEET_JSON,       /* what is where in the picture */
    SHEET_JPEG,       /* all cells in one picture */
    SHEET_Y4M,        /* a video: every cell is a frame */
    SHEET_WEBP_STILL, /* a picture; of OP_RENDER alone: of sheets that word means an animation */
    SHEET_FORMAT_COUNT
};

enum sheet_flags {
    SHEET_CAPTIONS = 1,  /* words under every cell */
    SHEET_ALL_CLIPS = 2, /* instead of one */
    SHEET_TIMES = 4,     /* the times are given one by one */
};

struct sheet_spec {
    uint32_t format;     /* enum sheet_format */
    uint32_t flags;      /* SHEET_ */
    uint32_t columns;    /* cells in a row */
    uint32_t frames;     /* of each clip; of a turntable: directions of a whole turn */
    uint32_t directions; /* around the model */
    uint32_t loops;      /* how often an animation plays; 0: for ever */
    uint32_t gap;        /* pixels between cells */
    uint32_t padding;    /* pixels around all cells */
    uint32_t quality;    /* 1 to 100, of formats that lose something; 0: not given. Of OP_RENDER too, as is format */
    uint32_t first_row;  /* of those that are drawn; a frame of an animation is a row */
    uint32_t row_count;  /* that are drawn; 0: all from there on */
    uint32_t reserved;
    double rate;      /* frames a second of each clip */
    double play_rate; /* frames a second of the animation */
};

static inline int sheet_is_animation(const struct sheet_spec *spec)
{
    return spec->format == SHEET_APNG || spec->format == SHEET_GIF || spec->format == SHEET_WEBP ||
           spec->format == SHEET_Y4M;
}

/* Files without transparency: their background is opaque. */
static inline int sheet_is_opaque(const struct sheet_spec *spec)
{
    return spec->format == SHEET_JPEG || spec->format == SHEET_Y4M;
}
