/* request_camera.c - the camera and the time of a picture: their parameters, defaults and invalid combinations. */
#include "base/picture/view.h"
#include "wire/encode/number.h"
#include "wire/request/request_parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FOV_DEG = 30, FILLED = 0.88;

/* Left and right are the model's own. The three-quarter view is the usual choice for a figure: it shows the front and a
 * side from slightly above. */
static const struct {
    const char *word;
    double yaw_deg, pitch_deg;
} SIDES[] = {{"front", 0, 0},   {"back", 180, 0}, {"left", 90, 0},
             {"right", -90, 0}, {"top", 0, 90},   {"three_quarter", 35, 15}};

/* This pitch makes an isometric picture: the three axes have equal length where sin(pitch) = tan(30 degrees). At 30
 * degrees a square on the ground is twice as wide as high, which games call isometric. */
static const struct {
    const char *word;
    double pitch_deg;
} PROJECTIONS[] = {{"level", 0}, {"isometric", 35.264389682754654}, {"dimetric", 30}};

const char REQUEST_SIDES[] = "front, back, left, right, top and three_quarter";

/* Returns request->side for a word of camera=, or 0 for a camera of the file. */
static int find_side(const char *word)
{
    for (size_t i = 0; i < sizeof SIDES / sizeof *SIDES; i++)
        if (strcmp(word, SIDES[i].word) == 0)
            return (int)i + 1;
    return 0;
}

/* Up to this coordinate the matrices of a camera at any angle and distance have finite floats. */
static const double PLACE_MOST = 1e30;

enum { BOX_NUMBERS = 6 };

int param_camera(struct param_value *value)
{
    struct request *request = value->request;
    const bool is_given = request_has_own_camera(request) || request->view.side != 0;
    const bool may_be_side = !is_given && strcmp(value->name, "camera") == 0;
    request->view.side = may_be_side ? find_side(value->text) : request->view.side;
    return may_be_side && request->view.side > 0 ? 0 : param_select(value, "camera", is_given, &request->view.camera);
}

int param_yaw(struct param_value *value)
{
    double yaw_deg;
    if (!number_parse_double(value->text, &yaw_deg))
        return param_bad(value, "a finite number of degrees");
    value->request->picture.yaw_deg += remainder(yaw_deg, 360);
    return 0;
}

int param_pitch(struct param_value *value)
{
    double pitch_deg;
    const int rc = param_read_number(value, -90, 90, "a number of degrees from -90 to 90", &pitch_deg);
    value->request->picture.pitch_deg += rc < 0 ? 0 : pitch_deg;
    return rc;
}

int param_projection(struct param_value *value)
{
    const int word = param_word(value);
    value->request->view.projection = word + 1;
    return word;
}

int param_margin(struct param_value *value)
{
    double margin = 0;
    const int rc = param_read_number(value, 0, 0.45, "a share of the picture from 0 to 0.45", &margin);
    value->request->picture.filled = 1 - 2 * margin;
    return rc;
}

/* True for numbers separated by commas, even if they are malformed or too many; also for "nan" and "inf". */
static bool looks_like_place(const char *text)
{
    uint32_t numbers = 0, commas = 0;
    while (*text != '\0') {
        char *end;
        strtod(text, &end);
        if (*end != '\0' && *end != ',')
            return false;
        numbers += end > text;
        commas += *end == ',';
        text = *end == ',' ? end + 1 : end;
    }
    return numbers > 0 && commas > 0;
}

/* x,y,z */
static bool read_place(char *text, double place[3])
{
    char *second = strchr(text, ','), *third = second == NULL ? NULL : strchr(second + 1, ',');
    if (third == NULL)
        return false;
    *second = *third = '\0';
    char *const entries[] = {text, second + 1, third + 1};
    bool is_good = true;
    for (int i = 0; i < 3; i++) {
        is_good = is_good && number_parse_double(entries[i], &place[i]) && fabs(place[i]) <= PLACE_MOST;
        place[i] = is_good ? place[i] + 0 : 0; /* avoids -0 */
    }
    *second = *third = ',';
    return is_good;
}

int param_target(struct param_value *value)
{
    struct picture_spec *picture = &value->request->picture;
    struct selector *target = &value->request->view.target;
    const bool is_given = target->kind != SELECT_NONE || picture->target_kind != PICTURE_TARGET_NONE;
    double place[3];
    if (is_given || strcmp(value->name, "target") != 0 || !looks_like_place(value->text))
        return param_select(value, "target", is_given, target);
    if (!read_place(value->text, place))
        return param_bad(value,
                         "a node, or a place x,y,z of three numbers from -1e30 to 1e30; target_name= takes a name "
                         "that looks like numbers");
    picture->target_kind = PICTURE_TARGET_POINT;
    memcpy(picture->target, place, sizeof place);
    return 0;
}

/* Takes the numbers of the box, in one parameter or, from a list in a body, in several. */
int param_frame_box(struct param_value *value)
{
    struct request *request = value->request;
    char *rest = value->text;
    for (char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        double number;
        if (!number_parse_double(entry, &number) || !(fabs(number) <= PLACE_MOST))
            return err_set(value->err, ERR_BAD_PARAMETER,
                           "parameter 'frame_box' has '%.60s', which is no number from -1e30 to 1e30; write "
                           "minx,miny,minz,maxx,maxy,maxz",
                           entry);
        if (request->view.box_numbers < BOX_NUMBERS)
            request->picture.frame_box[request->view.box_numbers] = number + 0; /* avoids -0 */
        request->view.box_numbers++;
    }
    return 0;
}

/* --- together --- */

/* Requires the whole box, or none of it. */
static int complete_box(struct request *request, const struct param_set *seen, struct err *err)
{
    struct picture_spec *picture = &request->picture;
    if (!seen->has[PARAM_FRAME_BOX])
        return 0;
    if (seen->has[PARAM_FRAME])
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'frame' does not go with 'frame_box', which says what fills the picture");
    if (request->view.box_numbers != BOX_NUMBERS)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'frame_box' has %u numbers; it takes 6: minx,miny,minz,maxx,maxy,maxz",
                       request->view.box_numbers);
    for (int i = 0; i < 3; i++)
        if (picture->frame_box[i] > picture->frame_box[3 + i])
            return err_set(err, ERR_BAD_PARAMETER, "parameter 'frame_box' has min%c %.15g above max%c %.15g", 'x' + i,
                           picture->frame_box[i], 'x' + i, picture->frame_box[3 + i]);
    picture->flags |= PICTURE_FRAME_BOX;
    return 0;
}

/* A camera of the file or by numbers determines position and view by itself. */
static int check_own_camera(const struct request *request, const struct param_set *seen, struct err *err)
{
    const char *kind = request->picture.given.kind != PICTURE_CAMERA_NONE ? "by numbers" : "of the file";
    static const int OWN[] = {PARAM_YAW,    PARAM_PITCH,       PARAM_FRAME,      PARAM_FRAME_BOX,
                              PARAM_MARGIN, PARAM_FOV,         PARAM_PROJECTION, PARAM_DISTANCE,
                              PARAM_TARGET, PARAM_TARGET_NAME, PARAM_END};
    const char *given = param_given(seen, OWN);
    if (given != NULL)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter '%s' does not go with a camera %s, which has its own place and view", given, kind);
    if ((request->picture.flags & PICTURE_ORTHO) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'ortho' does not go with a camera %s", kind);
    return 0;
}

/* A projection defines the pitch, so a side next to it only defines the yaw. */
static int complete_direction(struct request *request, const struct param_set *seen, struct err *err)
{
    static const int OWN[] = {PARAM_PITCH, PARAM_FOV, PARAM_END};
    struct picture_spec *picture = &request->picture;
    const int side = request->view.side - 1, projection = request->view.projection - 1;
    picture->yaw_deg += side < 0 ? 0 : SIDES[side].yaw_deg;
    picture->pitch_deg += side < 0 ? 0 : SIDES[side].pitch_deg;
    if (projection < 0)
        return 0;
    const char *word = PROJECTIONS[projection].word, *given = param_given(seen, OWN);
    if (given != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with projection=%s", given, word);
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
    static const int DIRECTION[] = {PARAM_CAMERA, PARAM_CAMERA_NAME, PARAM_YAW,
                                    PARAM_PITCH,  PARAM_PROJECTION,  PARAM_END};
    struct picture_spec *picture = &request->picture;
    if (request_has_own_camera(request))
        return check_own_camera(request, seen, err);
    if (complete_box(request, seen, err) < 0)
        return err->code;
    if (param_given(seen, DIRECTION) == NULL)
        request->view.side = find_side("three_quarter");
    if (complete_direction(request, seen, err) < 0)
        return err->code;
    if (fabs(picture->pitch_deg) > 90)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'pitch' leads to %.6g degrees together with 'camera'; it must stay within -90 and 90",
                       picture->pitch_deg);
    picture->yaw_deg = remainder(picture->yaw_deg, 360) + 0;
    if (picture->yaw_deg <= -180)
        picture->yaw_deg = 180; /* the same direction */
    if (seen->has[PARAM_FOV] && (picture->flags & PICTURE_ORTHO) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'fov' does not go with ortho=1: there is no perspective");
    picture->fov_deg = seen->has[PARAM_FOV] ? picture->fov_deg : (picture->flags & PICTURE_ORTHO) != 0 ? 0 : FOV_DEG;
    picture->distance = seen->has[PARAM_DISTANCE] ? picture->distance : 1;
    picture->filled = seen->has[PARAM_MARGIN] ? picture->filled : FILLED;
    return 0;
}

/* Without a time the renderer chooses one, unless the request specifies how time passes. */
static int complete_time(struct request *request, const struct param_set *seen, struct err *err)
{
    static const int OF_TIME[] = {PARAM_SPEED, PARAM_PHASE, PARAM_LAYERS, PARAM_END};
    struct picture_spec *picture = &request->picture;
    const bool is_asked = (picture->flags & PICTURE_AUTO_TIME) != 0;
    const char *given = param_given(seen, OF_TIME);
    if (is_asked && given != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with t=auto, which picks a time itself",
                       given);
    if (is_asked && (request->pose.time_count != 1 || request->pose.times_s[0] != 0))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 't' has other times beside auto");
    if (!seen->has[PARAM_T] && given == NULL)
        picture->flags |= PICTURE_AUTO_TIME;
    if (request->pose.clip.kind == SELECT_REST)
        picture->flags &= ~(uint32_t)PICTURE_AUTO_TIME; /* all times show the same pose */
    if ((picture->flags & PICTURE_AUTO_TIME) != 0)
        request->pose.wrap = WRAP_LOOP; /* no time within the clip is given */
    return 0;
}

/* A picture whose time the renderer picks stands alone, so its pose fills it. Pictures of given times belong together,
 * and so do the poses of an onion. */
static void complete_frame(struct request *request, const struct param_set *seen)
{
    struct picture_spec *picture = &request->picture;
    const bool is_framed_else = seen->has[PARAM_FRAME] || (picture->flags & PICTURE_FRAME_BOX) != 0 ||
                                request_has_own_camera(request) || picture->view == VIEW_ONION;
    if ((picture->flags & PICTURE_AUTO_TIME) != 0 && !is_framed_else)
        picture->flags |= PICTURE_FRAME_POSE;
}

int request_complete_camera(struct request *request, const struct param_set *seen, struct err *err)
{
    if (complete_camera(request, seen, err) < 0)
        return err->code;
    if (!op_has(request->op, OP_ONE_TIME))
        return 0;
    if (complete_time(request, seen, err) < 0)
        return err->code;
    complete_frame(request, seen);
    return 0;
}
