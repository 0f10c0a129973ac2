/* request_passes.c - checks the passes of a picture against its file and its other parameters. */
#include "base/picture/pass.h"
#include "base/picture/view.h"
#include "wire/encode/picture_files.h"
#include "wire/request/request_parser.h"

#include <stdio.h>
#include <string.h>

/* True for files of any passes. */
static bool has_all_passes(const struct request *request)
{
    return request->sheet.format == SHEET_NPZ || request->sheet.format == SHEET_EXR;
}

static int check_needs(const struct request *request, const struct param_set *seen, struct err *err)
{
    const uint32_t passes = request->picture.passes;
    if (passes == 0 && has_all_passes(request))
        return err_set(err, ERR_BAD_PARAMETER, "format=%s needs the parameter 'passes', such as passes=color,depth",
                       PICTURE_FILE_KINDS[request->sheet.format].word);
    if (seen->has[PARAM_T2] && !pass_has(passes, PASS_MOTION))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 't2' needs passes=motion, which leads to it");
    if (seen->has[PARAM_NORMAL_SPACE] && !pass_has(passes, PASS_NORMAL))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'normal_space' needs passes=normal, whose space it is");
    if (pass_has(passes, PASS_MOTION) && !seen->has[PARAM_T2] && !op_has(request->op, OP_CELLS))
        return err_set(err, ERR_BAD_PARAMETER, "passes=motion needs the parameter 't2', the time that it leads to");
    return 0;
}

/* A PNG file holds one pass that can be seen. */
static int check_png(const struct request *request, struct err *err)
{
    const enum pass only = pass_only(request->picture.passes);
    if (only == PASS_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "a PNG file has one pass; format=npz and exr have several");
    if (PASS_INFO[only].picture == PASS_NO_PICTURE)
        return err_set(err, ERR_BAD_PARAMETER, "the pass '%s' does not fit a PNG file; format=npz and exr have it",
                       PASS_INFO[only].word);
    return 0;
}

static int check_view(const struct request *request, struct err *err)
{
    if (request->picture.view == VIEW_LIT)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "parameter 'passes' does not go with view=%s; it needs view=lit",
                   VIEW_INFO[request->picture.view].word);
}

/* The cells of a sheet show one pass in colours. */
static int check_cells(struct request *request, struct err *err)
{
    struct picture_spec *picture = &request->picture;
    const enum pass only = pass_only(picture->passes);
    if (only == PASS_COUNT)
        return err_set(err, ERR_BAD_PARAMETER, "the cells of a sheet show one pass; /v1/render has several in a file");
    if (PASS_INFO[only].picture == PASS_NO_PICTURE)
        return err_set(err, ERR_BAD_PARAMETER,
                       "the pass '%s' has no colours for the cells of a sheet; /v1/render has it",
                       PASS_INFO[only].word);
    if (check_view(request, err) < 0)
        return err->code;
    if (only == PASS_COLOR) {
        picture->passes = 0; /* this is the sheet */
        return 0;
    }
    if ((picture->flags & (PICTURE_SHADOW | PICTURE_OCCLUSION)) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with passes=%s, which has no light",
                       (picture->flags & PICTURE_SHADOW) != 0 ? "shadow" : "ao", PASS_INFO[only].word);
    picture->flags |= PICTURE_PASS_COLORS | PICTURE_ONE_SAMPLE;
    return 0;
}

int request_check_passes(struct request *request, const struct param_set *seen, const struct limits *limits,
                         struct err *err)
{
    struct picture_spec *picture = &request->picture;
    const uint64_t bytes = (uint64_t)picture->width * picture->height * pass_pixel_bytes(picture->passes);
    const bool is_sheet = op_has(request->op, OP_CELLS);
    if (picture->passes != 0 && !is_sheet && !seen->has[PARAM_PICTURE_FORMAT])
        request->sheet.format = SHEET_NPZ;
    if (check_needs(request, seen, err) < 0)
        return err->code;
    if (picture->passes == 0 || is_sheet)
        return picture->passes == 0 ? 0 : check_cells(request, err);
    const bool is_told = request->format == FORMAT_JSON;
    if (is_told || (!has_all_passes(request) && request->sheet.format != SHEET_PNG))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'passes' does not go with format=%s; 'format' may be %s",
                       is_told ? "json" : PICTURE_FILE_KINDS[request->sheet.format].word,
                       pass_only(picture->passes) != PASS_COUNT ? "npz, exr or png" : "npz or exr");
    if (request->sheet.format == SHEET_EXR && (picture->flags & PICTURE_PREMULTIPLIED) != 0)
        return err_set(
            err, ERR_BAD_PARAMETER,
            "parameter 'alpha' does not go with format=exr, whose colour always is linear light times alpha");
    if (check_view(request, err) < 0)
        return err->code;
    if (bytes > limits->value[LIMIT_PASSES_BYTES])
        return err_set(err, ERR_BAD_PARAMETER, "passes of %u x %u pixels have %llu bytes, more than %s", picture->width,
                       picture->height, (unsigned long long)bytes, LIMIT_TEXT(limits, LIMIT_PASSES_BYTES));
    if (request->sheet.format == SHEET_PNG && check_png(request, err) < 0)
        return err->code;
    if (request->sheet.format == SHEET_PNG && picture->passes == 1u << PASS_COLOR)
        picture->passes = 0; /* this is the picture */
    return 0;
}
