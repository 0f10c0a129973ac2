/* request_sheet.c - checks a picture with several cells: the cells and their layout; and the file of any picture: which
 * formats are lossy, and which lack transparency. */
#include "base/picture/view.h"
#include "wire/encode/picture_files.h"
#include "wire/request/request_parser.h"

enum { TURNTABLE_DEG = 15 };

int param_clips(struct param_value *value)
{
    value->request->sheet.flags |= SHEET_ALL_CLIPS;
    return param_word(value);
}

static int clash(int one, int other, struct err *err)
{
    return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with '%s'", REQUEST_PARAMS[one].name,
                   REQUEST_PARAMS[other].name);
}

/* The manifest gives the duration of each cell, but not the number of repetitions. */
static int check_animation(const struct request *request, const struct param_set *seen, struct err *err)
{
    const uint32_t format = request->sheet.format;
    const int param = format != SHEET_JSON && seen->has[PARAM_PLAY_RATE] ? PARAM_PLAY_RATE : PARAM_LOOPS;
    if (format == SHEET_Y4M && seen->has[PARAM_LOOPS])
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'loops' does not go with format=y4m, which has no such number: 'format' may be apng, "
                       "gif or webp");
    if (sheet_is_animation(&request->sheet) || !seen->has[param])
        return 0;
    return err_set(err, ERR_BAD_PARAMETER,
                   "parameter '%s' does not go with format=%s, which does not move: 'format' may be apng, gif or webp",
                   REQUEST_PARAMS[param].name, PICTURE_FILE_KINDS[format].word);
}

/* Several directions start at the front. Sprites have a level camera, a turntable looks from slightly above. */
static void set_direction(struct request *request, const struct param_set *seen)
{
    const bool is_given = seen->has[PARAM_CAMERA] || seen->has[PARAM_YAW] || seen->has[PARAM_PITCH];
    struct picture_spec *picture = &request->picture;
    if (is_given || seen->has[PARAM_PROJECTION] || (!op_has(request->op, OP_TURNS) && request->sheet.directions <= 1))
        return;
    picture->yaw_deg = 0;
    picture->pitch_deg = op_has(request->op, OP_TURNS) ? TURNTABLE_DEG : 0;
}

/* A single frame has a telling time, as in /v1/render. */
static void set_time(struct request *request, const struct param_set *seen)
{
    const struct sheet_spec *spec = &request->sheet;
    const bool is_one = spec->frames == 1 || (spec->frames == 0 && (spec->flags & SHEET_ALL_CLIPS) != 0);
    const bool is_timed = seen->has[PARAM_T] || seen->has[PARAM_SHEET_RATE] || seen->has[PARAM_SPEED] ||
                          seen->has[PARAM_PHASE] || (spec->frames == 0 && sheet_is_animation(spec));
    if (op_has(request->op, OP_ONE_TIME))
        return;
    if (seen->has[PARAM_T])
        request->sheet.flags |= SHEET_TIMES;
    if (is_one && !is_timed && request->pose.clip.kind != SELECT_REST)
        request->picture.flags |= PICTURE_AUTO_TIME;
}

int request_check_sheet(struct request *request, const struct param_set *seen, struct err *err)
{
    static const int CLASHES[][2] = {{PARAM_FRAMES, PARAM_SHEET_RATE},
                                     {PARAM_T, PARAM_SHEET_RATE},
                                     {PARAM_CLIPS, PARAM_CLIP},
                                     {PARAM_CLIPS, PARAM_CLIP_NAME},
                                     {PARAM_CLIPS, PARAM_LAYERS}};
    static const int OF_PICTURES[] = {PARAM_COLUMNS, PARAM_GAP, PARAM_PADDING, PARAM_END};
    static const int OF_PARTS[] = {PARAM_FIRST_ROW, PARAM_ROWS, PARAM_END};
    for (size_t i = 0; i < sizeof CLASHES / sizeof *CLASHES; i++)
        if (seen->has[CLASHES[i][0]] && seen->has[CLASHES[i][1]])
            return clash(CLASHES[i][0], CLASHES[i][1], err);
    if (!op_has(request->op, OP_CELLS))
        return 0;
    const bool turns = op_has(request->op, OP_TURNS);
    if (turns && !seen->has[PARAM_SHEET_FORMAT])
        request->sheet.format = SHEET_APNG;
    if (check_animation(request, seen, err) < 0)
        return err->code;
    if (!turns && seen->has[PARAM_T] && seen->has[PARAM_FRAMES])
        return clash(PARAM_T, PARAM_FRAMES, err);
    if (!turns && seen->has[PARAM_LAYERS] && !seen->has[PARAM_T])
        return err_set(err, ERR_BAD_PARAMETER, "a sheet of layers needs the parameter 't': a blend has no length");
    const char *given = sheet_is_animation(&request->sheet) ? param_given(seen, OF_PICTURES) : NULL;
    if (given != NULL)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter '%s' does not go with an animation, each frame of which is one cell", given);
    const char *part = request->sheet.format == SHEET_JSON ? param_given(seen, OF_PARTS) : NULL;
    if (part != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with format=json, which tells of all cells",
                       part);
    if (request->picture.view == VIEW_ONION)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'view' is onion, which lays moments over each other; a sheet sets them apart");
    if (request_has_own_camera(request) && (turns || request->sheet.directions > 1))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'camera' %s: it cannot go round the model as %s does",
                       request->view.camera.kind == SELECT_NONE
                           ? "has numbers, which say where it stands"
                           : "is one of the file, which stands where the file has it",
                       turns ? "a turntable's" : "that of several 'directions'");
    set_direction(request, seen);
    set_time(request, seen);
    return 0;
}

/* --- the file of any picture --- */

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
