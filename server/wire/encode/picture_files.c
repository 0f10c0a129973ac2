#include "wire/encode/picture_files.h"

const struct picture_file_kind PICTURE_FILE_KINDS[SHEET_FORMAT_COUNT] = {
    [SHEET_PNG] = {"png", "image/png", "png", false},
    [SHEET_APNG] = {"apng", "image/apng", "png", false},
    [SHEET_GIF] = {"gif", "image/gif", "gif", false},
    [SHEET_WEBP] = {"webp", "image/webp", "webp", true},
    [SHEET_JSON] = {"json", "application/json", "json", false},
    [SHEET_JPEG] = {"jpeg", "image/jpeg", "jpg", true},
    [SHEET_Y4M] = {"y4m", "video/x-yuv4mpeg", "y4m", false},
    [SHEET_WEBP_STILL] = {"webp", "image/webp", "webp", true},
    [SHEET_POINTS] = {"json", "application/json", "json", false},
    [SHEET_NPZ] = {"npz", "application/zip", "npz", false},
    [SHEET_EXR] = {"exr", "image/x-exr", "exr", false},
};
