/* request_camera.c - what a picture's request leaves out of its camera and its time, and what goes together of them. */
#include "wire/request/request_parser.h"

#include <math.h>
#include <string.h>

static const double FOV_DEG = 30, FILLED = 0.88;

/* Left and right are the model's own. Three quarter is what people choose for a figure: its front and a side of it,
 * from slightly above. */
static const struct {
    const char *word;
    double yaw_deg, pitch_deg;
} SIDES[] = {{"front", 0, 0},   {"back", 180, 0}, {"left", 90, 0},
             {"right", -90, 0}, {"top", 0, 90},   {"three_quarter", 35, 15}};

/* Looking down at so many degrees makes an isometric picture: the three axes have one length where sin(pitch) = tan(30
 * degrees). At 30 degrees a square on the ground is twice as wide as high, which is what games call isometric. */
static const struct {
    const char *word;
    double pitch_deg;
} PROJECTIONS[] = {{"level", 0}, {"isometric", 35.264389682754654}, {"dimetric", 30}};

const char REQUEST_SIDES[] = "front, back, left, right, top and three_quarter";

int request_find_side(const char *word)
{
    for (size_t i = 0; i < sizeof SIDES / sizeof *SIDES; i++)
        if (strcmp(word, SIDES[i].word) == 0)
            return (int)i + 1;
    return 0;
}

static bool is_any(const struct param_set *seen, const int *params, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (seen->has[params[i]])
            return true;
    return false;
}

/* A camera of the file stands where the file puts it, and sees what it sees there. */
static int check_file_camera(const struct request *request, const struct param_set *seen, struct err *err)
{
    static const int OWN[] = {PARAM_YAW, PARAM_PITCH,    PARAM_FRAME,  PARAM_MARGIN,     PARAM_PROJECTION,
                              PARAM_FOV, PARAM_DISTANCE, PARAM_TARGET, PARAM_TARGET_NAME};
    for (size_t i = 0; request->camera.kind != SELECT_NONE && i < sizeof OWN / sizeof *OWN; i++)
        if (seen->has[OWN[i]])
            return err_set(err, ERR_BAD_PARAMETER,
                           "parameter '%s' does not go with a camera of the file, which has its own place and view",
                           REQUEST_PARAMS[OWN[i]].name);
    if (request->camera.kind != SELECT_NONE && (request->picture.flags & PICTURE_ORTHO) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'ortho' does not go with a camera of the file");
    return 0;
}

/* A projection has a height of its own, so that of a side beside it gives only where it is seen from. */
static int complete_direction(struct request *request, const struct param_set *seen, struct err *err)
{
    static const int OWN[] = {PARAM_PITCH, PARAM_FOV};
    struct picture_spec *picture = &request->picture;
    const int side = request->side - 1, projection = request->projection - 1;
    picture->yaw_deg += side < 0 ? 0 : SIDES[side].yaw_deg;
    picture->pitch_deg += side < 0 ? 0 : SIDES[side].pitch_deg;
    if (projection < 0)
        return 0;
    const char *word = PROJECTIONS[projection].word;
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (seen->has[OWN[i]])
            return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with projection=%s",
                           REQUEST_PARAMS[OWN[i]].name, word);
    if (seen->has[PARAM_ORTHO] && (picture->flags & PICTURE_ORTHO) == 0)
        return err_set(err, ERR_BAD_PARAMETER, "ortho=0 does not go with projection=%s, which has no perspective",
                       word);
    if (side >= 0 && SIDES[side].pitch_deg >= 90)
        return err_set(err, ERR_BAD_PARAMETER,
                       "camera=%s does not go with projection=%s, which looks from %.5g degrees above",
                       SIDES[side].word, word, PROJECTIONS[projection].pitch_deg);
    picture->pitch_deg = PROJECTIONS[projection].pitch_deg;
    picture->flags |= PICTURE_ORTHO;
    return 0;
}

static int complete_camera(struct request *request, const struct param_set *seen, struct err *err)
{
    static const int DIRECTION[] = {PARAM_CAMERA, PARAM_CAMERA_NAME, PARAM_YAW, PARAM_PITCH, PARAM_PROJECTION};
    struct picture_spec *picture = &request->picture;
    if (check_file_camera(request, seen, err) < 0)
        return err->code;
    if (request->camera.kind != SELECT_NONE)
        return 0;
    if (!is_any(seen, DIRECTION, sizeof DIRECTION / sizeof *DIRECTION))
        request->side = request_find_side("three_quarter");
    if (complete_direction(request, seen, err) < 0)
        return err->code;
    if (fabs(picture->pitch_deg) > 90)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'pitch' leads to %.6g degrees together with 'camera'; it must stay within -90 and 90",
                       picture->pitch_deg);
    picture->yaw_deg = remainder(picture->yaw_deg, 360) + 0;
    if (picture->yaw_deg <= -180)
        picture->yaw_deg = 180; /* the same */
    if (seen->has[PARAM_FOV] && (picture->flags & PICTURE_ORTHO) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'fov' does not go with ortho=1: there is no perspective");
    picture->fov_deg = seen->has[PARAM_FOV] ? picture->fov_deg : (picture->flags & PICTURE_ORTHO) != 0 ? 0 : FOV_DEG;
    picture->distance = seen->has[PARAM_DISTANCE] ? picture->distance : 1;
    picture->filled = seen->has[PARAM_MARGIN] ? picture->filled : FILLED;
    return 0;
}

/* Without a time the renderer picks one, unless the request says how time passes. */
static int complete_time(struct request *request, const struct param_set *seen, struct err *err)
{
    static const int OF_TIME[] = {PARAM_SPEED, PARAM_PHASE, PARAM_LAYERS};
    struct picture_spec *picture = &request->picture;
    const bool is_asked = (picture->flags & PICTURE_AUTO_TIME) != 0;
    for (size_t i = 0; is_asked && i < sizeof OF_TIME / sizeof *OF_TIME; i++)
        if (seen->has[OF_TIME[i]])
            return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with t=auto, which picks a time itself",
                           REQUEST_PARAMS[OF_TIME[i]].name);
    if (is_asked && (request->time_count != 1 || request->times_s[0] != 0))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 't' has other times beside auto");
    if (!seen->has[PARAM_T] && !is_any(seen, OF_TIME, sizeof OF_TIME / sizeof *OF_TIME))
        picture->flags |= PICTURE_AUTO_TIME;
    if (request->clip.kind == SELECT_REST)
        picture->flags &= ~(uint32_t)PICTURE_AUTO_TIME; /* all times are the same */
    if ((picture->flags & PICTURE_AUTO_TIME) != 0)
        request->wrap = WRAP_LOOP; /* it says nothing of a time inside the clip */
    return 0;
}

int request_complete_picture(struct request *request, const struct param_set *seen, struct err *err)
{
    if (REQUEST_PARAMS[PARAM_FRAME].ops & 1u << request->op && complete_camera(request, seen, err) < 0)
        return err->code;
    return request->op == OP_RENDER || request->op == OP_TURNTABLE ? complete_time(request, seen, err) : 0;
}
