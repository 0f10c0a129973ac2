/* request_value_camera.c - where a picture is seen from, and what of the model has to be in it. */
#include "wire/http/url.h"
#include "wire/request/request_parser.h"
#include "wire/request/param.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So far away a camera of any angle and distance still has matrices of finite floats. */
static const double PLACE_MOST = 1e30;

static int camera_is_single(const struct param_value *value)
{
    if (value->request->camera.kind == SELECT_NONE && value->request->side == 0)
        return 0;
    return err_set(value->err, ERR_DUPLICATE_PARAMETER, "camera= and camera_name= both name the camera; give one");
}

int param_camera(struct param_value *value)
{
    const int rc = camera_is_single(value);
    if (rc < 0)
        return rc;
    value->request->side = request_find_side(value->text);
    return value->request->side > 0 ? 0 : param_select(value, "camera_name", &value->request->camera);
}

int param_camera_name(struct param_value *value)
{
    const int rc = camera_is_single(value);
    param_select_name(value, &value->request->camera);
    return rc;
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
    const int rc = param_number(value, -90, 90, "a number of degrees from -90 to 90", &pitch_deg);
    value->request->picture.pitch_deg += rc < 0 ? 0 : pitch_deg;
    return rc;
}

static int set_flag(struct param_value *value, uint32_t flag)
{
    bool is_set = false;
    if (param_flag(value, &is_set) < 0)
        return value->err->code;
    value->request->picture.flags |= is_set ? flag : 0;
    return 0;
}

int param_projection(struct param_value *value)
{
    const int word = param_word(value);
    value->request->projection = word + 1;
    return word < 0 ? word : 0;
}

int param_ortho(struct param_value *value) { return set_flag(value, PICTURE_ORTHO); }
int param_allow_empty(struct param_value *value) { return set_flag(value, PICTURE_ALLOW_EMPTY); }

int param_frame(struct param_value *value)
{
    const int word = param_word(value);
    value->request->picture.flags |= word == 1 ? PICTURE_FRAME_POSE : 0;
    return word < 0 ? word : 0;
}

int param_margin(struct param_value *value)
{
    double margin = 0;
    const int rc = param_number(value, 0, 0.45, "a share of the picture from 0 to 0.45", &margin);
    value->request->picture.filled = 1 - 2 * margin;
    return rc;
}

int param_fov(struct param_value *value)
{
    return param_number(value, 1, 150, "a number of degrees from 1 to 150", &value->request->picture.fov_deg);
}

int param_distance(struct param_value *value)
{
    return param_number(value, 0.001, 1000, "a number from 0.001 to 1000; 1 is where everything just fits",
                        &value->request->picture.distance);
}

static int target_is_single(const struct param_value *value)
{
    if (value->request->target.kind == SELECT_NONE && value->request->picture.target_kind == PICTURE_TARGET_NONE)
        return 0;
    return err_set(value->err, ERR_DUPLICATE_PARAMETER, "target= and target_name= both name the target; give one");
}

/* Numbers with commas between, be they written or counted wrongly; also such as are none, "nan" and "inf". */
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
        place[i] = is_good ? place[i] + 0 : 0; /* not -0 */
    }
    *second = *third = ',';
    return is_good;
}

int param_target(struct param_value *value)
{
    struct picture_spec *picture = &value->request->picture;
    const int rc = target_is_single(value);
    double place[3];
    if (rc < 0)
        return rc;
    if (!looks_like_place(value->text))
        return param_select(value, "target_name", &value->request->target);
    if (!read_place(value->text, place))
        return param_bad(value,
                         "a node, or a place x,y,z of three numbers from -1e30 to 1e30; target_name= takes a name "
                         "that looks like numbers");
    picture->target_kind = PICTURE_TARGET_POINT;
    memcpy(picture->target, place, sizeof place);
    return 0;
}

int param_target_name(struct param_value *value)
{
    const int rc = target_is_single(value);
    param_select_name(value, &value->request->target);
    return rc;
}
