/* request_picture_file.c - checks a picture's file format: which are lossy, and which lack transparency. */
#include "wire/encode/picture_files.h"
#include "wire/request/request_parser.h"

/* A colour laid over white (Porter and Duff 1984, "over"). */
static void lay_over_white(uint8_t rgba[4])
{
    for (int i = 0; i < 3; i++)
        rgba[i] = (uint8_t)((rgba[i] * rgba[3] + 255 * (255 - rgba[3]) + 127) / 255);
    rgba[3] = 255;
}

int request_check_picture_file(struct request *request, struct err *err)
{
    const struct picture_file_kind *kind = &PICTURE_FILE_KINDS[request->sheet.format];
    const bool is_told = OP_INFO[request->op].form == FORM_PICTURE && request->format == FORMAT_JSON;
    if (request->sheet.quality != 0 && (is_told || !kind->loses))
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'quality' does not go with format=%s, which loses nothing: 'format' may be jpeg or "
                       "webp",
                       is_told ? "json" : kind->word);
    /* Requests for the same opaque colour share one tag, however they specify the background. */
    if (sheet_is_opaque(&request->sheet)) {
        lay_over_white(request->picture.background);
        lay_over_white(request->picture.background_end);
    }
    return 0;
}
