/* param_field.c - parameters whose value is a single field of the request: a table of them, and a parser for each field
 * type. */
#include "base/file_formats.h"
#include "base/hex.h"
#include "wire/encode/number.h"
#include "wire/request/request_parser.h"

#include <float.h>
#include <string.h>

enum {
    CELLS_MAX = 1024,
    DIRECTIONS_MAX = 64,
    SPACE_MAX = 256,
    RATE_MAX = 1000,
    LOOPS_MAX = 65535,
    TEXTURE_SIDE_MAX = 16384
};

/* The destination and the range of a value. */
struct param_field {
    size_t at;            /* offset of the field in struct request */
    size_t has_at;        /* offset of the bool that marks it as given; 0: no such bool */
    uint32_t bit;         /* param_bit: the bit in a flags field */
    bool is_inverted;     /* the value 0 sets the field or its bit */
    double least, most;   /* param_number, param_whole */
    enum limit limit;     /* param_whole without `most`: the configured upper limit */
    const char *expected; /* param_number: "a number from 0 to 1"; param_thing: the thing's name in messages */
};

#define AT(field)  .at = offsetof(struct request, field)
#define HAS(field) .has_at = offsetof(struct request, field)
#define SHARE_TEXT "a share of the model's size from 0"
#define SPAN_TEXT  "a number of seconds, or of frames with 'fps', from 0"

static const struct param_field FIELDS[PARAM_COUNT] = {
    [PARAM_VERBOSE] = {AT(is_verbose)},
    [PARAM_MODEL] = {AT(model)},
    [PARAM_HASH] = {AT(hash)},
    [PARAM_ESTIMATE] = {AT(is_estimate)},
    [PARAM_CLIP_FILE] = {AT(pose.clip_file)},
    [PARAM_CLIP_HASH] = {AT(pose.clip_hash)},
    [PARAM_RETARGET] = {AT(retarget.is_by_rest)},
    [PARAM_FEET] = {AT(retarget.has_locked_feet)},
    [PARAM_MAP] = {AT(retarget.humanoid.map)},
    [PARAM_CLIP_MAP] = {AT(retarget.clip_humanoid.map)},
    [PARAM_WRAP] = {AT(pose.wrap)},
    [PARAM_FROM] = {AT(pose.span.from), HAS(pose.span.has_from), .most = DBL_MAX, .expected = SPAN_TEXT},
    [PARAM_TO] = {AT(pose.span.to), HAS(pose.span.has_to), .most = DBL_MAX, .expected = SPAN_TEXT},
    [PARAM_FPS] = {AT(pose.span.fps), HAS(pose.span.has_fps), .least = DBL_MIN, .most = DBL_MAX,
                   .expected = "a number of frames a second above 0"},
    [PARAM_SPEED] = {AT(pose.span.speed), HAS(pose.span.has_speed), .least = -DBL_MAX, .most = DBL_MAX,
                     .expected = "a finite number"},
    [PARAM_PHASE] = {AT(pose.span.phase), HAS(pose.span.has_phase), .most = 1, .expected = "a number from 0 to 1"},
    [PARAM_SPACE] = {AT(space)},
    [PARAM_MESH] = {AT(mesh), .expected = "mesh"},
    [PARAM_MESH_NAME] = {AT(mesh), .expected = "mesh"},
    [PARAM_BODY] = {AT(keypoints.body), HAS(keypoints.has_body)},
    [PARAM_LAYOUT] = {AT(layout)},
    [PARAM_FORMAT] = {AT(format)},
    [PARAM_MESH_FORMAT] = {AT(format)},
    [PARAM_INDICES] = {AT(vertices.has_indices)},
    [PARAM_NORMALS] = {AT(vertices.has_normals)},
    [PARAM_REST] = {AT(vertices.has_rest)},
    [PARAM_STRICT] = {AT(export.is_strict)},
    [PARAM_WEIGHTS] = {AT(vertices.has_weights)},
    [PARAM_ATTRIBUTES] = {AT(vertices.has_attributes)},
    [PARAM_TEXTURE] = {AT(texture), .most = INT32_MAX},
    [PARAM_TEXTURES] = {AT(textures.form)},
    [PARAM_TEXTURE_FORM] = {AT(textures.form)},
    [PARAM_MAX_TEXTURE] = {AT(textures.side_most), .least = 1, .most = TEXTURE_SIDE_MAX},
    [PARAM_TEXTURE_QUALITY] = {AT(textures.quality), .least = 1, .most = 100},
    [PARAM_OVER] = {HAS(bounds.is_over_clip)},
    [PARAM_RATE] = {AT(bounds.rate), HAS(bounds.has_rate), .most = RATE_MAX,
                    .expected = "a number of poses a second from 0 to 1000"},
    [PARAM_PER] = {HAS(bounds.is_per_joint)},
    [PARAM_WIDTH] = {AT(picture.width), .least = 1, .limit = LIMIT_PICTURE_SIDE},
    [PARAM_HEIGHT] = {AT(picture.height), .least = 1, .limit = LIMIT_PICTURE_SIDE},
    [PARAM_VIEW] = {AT(picture.view)},
    [PARAM_NORMAL_SPACE] = {AT(picture.flags), .bit = PICTURE_SCENE_NORMALS},
    [PARAM_T2] = {AT(t2_s), .least = -DBL_MAX, .most = DBL_MAX, .expected = "a finite number of seconds"},
    [PARAM_JOINT] = {AT(view.joint), .expected = "node"},
    [PARAM_JOINT_BY_NAME] = {AT(view.joint), .expected = "node"},
    [PARAM_VARIANT] = {AT(variant), .expected = "variant"},
    [PARAM_VARIANT_NAME] = {AT(variant), .expected = "variant"},
    [PARAM_ENVIRONMENT] = {AT(environment)},
    [PARAM_ENVIRONMENT_YAW] = {AT(picture.environment_yaw_deg), .least = -1e6, .most = 1e6,
                               .expected = "a number of degrees from -1e6 to 1e6"},
    [PARAM_AA] = {AT(picture.flags), .bit = PICTURE_ONE_SAMPLE, .is_inverted = true},
    [PARAM_ALPHA] = {AT(picture.flags), .bit = PICTURE_PREMULTIPLIED},
    [PARAM_SHADOW] = {AT(picture.flags), .bit = PICTURE_SHADOW},
    [PARAM_LIGHT] = {AT(picture.light)},
    [PARAM_EXPOSURE] = {AT(picture.exposure_stops), .least = -PICTURE_STOPS_MAX, .most = PICTURE_STOPS_MAX,
                        .expected = "a number of stops from -16 to 16"},
    [PARAM_TONE] = {AT(picture.tone)},
    [PARAM_AO] = {AT(picture.flags), .bit = PICTURE_OCCLUSION},
    [PARAM_COMPRESSION] = {AT(picture.flags), .bit = PICTURE_SMALL_FILE},
    [PARAM_FRAME] = {AT(picture.flags), .bit = PICTURE_FRAME_POSE},
    [PARAM_FOV] = {AT(picture.fov_deg), .least = 1, .most = 150, .expected = "a number of degrees from 1 to 150"},
    [PARAM_ORTHO] = {AT(picture.flags), .bit = PICTURE_ORTHO},
    [PARAM_DISTANCE] = {AT(picture.distance), .least = 0.001, .most = 1000,
                        .expected = "a number from 0.001 to 1000; 1 is where everything just fits"},
    [PARAM_ALLOW_EMPTY] = {AT(picture.flags), .bit = PICTURE_ALLOW_EMPTY},
    [PARAM_FRAMES] = {AT(sheet.frames), .least = 1, .most = CELLS_MAX},
    [PARAM_SHEET_RATE] = {AT(sheet.rate), .least = DBL_TRUE_MIN, .most = RATE_MAX,
                          .expected = "a number of moments a second above 0, up to 1000"},
    [PARAM_DIRECTIONS] = {AT(sheet.directions), .least = 1, .most = DIRECTIONS_MAX},
    [PARAM_COLUMNS] = {AT(sheet.columns), .least = 1, .most = CELLS_MAX},
    [PARAM_GAP] = {AT(sheet.gap), .most = SPACE_MAX},
    [PARAM_PADDING] = {AT(sheet.padding), .most = SPACE_MAX},
    [PARAM_FIRST_ROW] = {AT(sheet.first_row), .most = CELLS_MAX - 1},
    [PARAM_ROWS] = {AT(sheet.row_count), .least = 1, .most = CELLS_MAX},
    [PARAM_CAPTIONS] = {AT(sheet.flags), .bit = SHEET_CAPTIONS},
    [PARAM_SHEET_FORMAT] = {AT(sheet.format)},
    [PARAM_QUALITY] = {AT(sheet.quality), .least = 1, .most = 100},
    [PARAM_PLAY_RATE] = {AT(sheet.play_rate), .least = 0.001, .most = RATE_MAX,
                         .expected = "a number of frames a second from 0.001 to 1000"},
    [PARAM_LOOPS] = {AT(sheet.loops), .most = LOOPS_MAX},
    [PARAM_ROOT_MOTION] = {HAS(motion.is_extracted)},
    [PARAM_TURN] = {AT(motion.has_turn)},
    [PARAM_ROOT_YAW] = {AT(motion.has_turn)},
    [PARAM_EXPORT_UP] = {AT(export.up), HAS(export.has_up)},
    [PARAM_EXPORT_ROOT_MOTION] = {AT(export.root_motion)},
    [PARAM_SAMPLE_RATE] = {AT(export.sample_rate), .least = 0.001, .most = RATE_MAX,
                           .expected = "a number of poses a second from 0.001 to 1000"},
    [PARAM_EXACT] = {AT(export.is_exact)},
    [PARAM_COMPRESS] = {AT(export.compression)},
    [PARAM_OPTIMIZE] = {AT(export.is_optimized)},
    [PARAM_WITH] = {AT(compare.with)},
    [PARAM_TOLERANCE] = {AT(compare.tolerance), HAS(compare.has_tolerance), .least = 1e-9, .most = 1,
                         .expected = "a share of the model's size from 1e-9 to 1"},
    [PARAM_CHECK_LOOP] = {AT(check.loop)},
    [PARAM_CHECK_GROUND] = {AT(check.ground)},
    [PARAM_MAX_JUMP] = {AT(check.max_jump), .most = DBL_MAX, .expected = SHARE_TEXT},
    [PARAM_MAX_DRIFT] = {AT(check.max_drift), .most = DBL_MAX, .expected = SHARE_TEXT},
    [PARAM_LEAST_MOTION] = {AT(check.least_motion), .most = DBL_MAX, .expected = SHARE_TEXT},
    [PARAM_PREFIX] = {AT(listing.prefix)},
    [PARAM_LIMIT] = {AT(listing.limit), .least = 1, .limit = LIMIT_LIST},
    [PARAM_AFTER] = {AT(listing.after)},
    [PARAM_FOLDERS] = {AT(listing.is_of_folders)},
    [PARAM_MODE] = {AT(pose.mode)},
    [PARAM_FIT] = {AT(hits.fit)},
    [PARAM_TEST] = {AT(hits.is_of_meshes)},
    [PARAM_HITS] = {AT(hits.has_all)},
};

/* Returns the field, of the type of the parser. */
static void *place_of(const struct param_value *value)
{
    const struct param_field *field = &FIELDS[value->param];
    if (field->has_at > 0)
        *((bool *)(void *)((char *)value->request + field->has_at)) = true;
    return (char *)value->request + field->at;
}

/* Accepts the only word of a parameter that just has to be present. */
int param_mention(struct param_value *value)
{
    place_of(value);
    return param_word(value);
}

/* Parses an enum or uint32_t: the index of the word. */
int param_choice(struct param_value *value)
{
    const int word = param_word(value);
    memcpy(place_of(value), &word, sizeof word);
    return word;
}

/* Parses a bool: 0 or 1, a JSON boolean, or one of two words, of which the second is true. */
int param_flag(struct param_value *value)
{
    const int word = param_word(value);
    *(bool *)place_of(value) = (word == 1) != FIELDS[value->param].is_inverted;
    return word;
}

/* Likewise; a name without a value stands for the second word. */
int param_present(struct param_value *value)
{
    if (value->size_bytes > 0)
        return param_flag(value);
    *(bool *)place_of(value) = true;
    return 1;
}

/* Likewise for a bit of a uint32_t. */
int param_bit(struct param_value *value)
{
    const struct param_field *field = &FIELDS[value->param];
    const int word = param_word(value);
    *(uint32_t *)place_of(value) |= (word == 1) != field->is_inverted ? field->bit : 0;
    return word;
}

int param_number(struct param_value *value)
{
    const struct param_field *field = &FIELDS[value->param];
    return param_read_number(value, field->least, field->most, field->expected, place_of(value));
}

/* Parses a uint32_t, at least field->least. */
int param_whole(struct param_value *value)
{
    const struct param_field *field = &FIELDS[value->param];
    const uint64_t most = field->most > 0 ? (uint64_t)field->most : value->limits->value[field->limit];
    uint64_t number;
    if (!number_parse_uint(value->text, most < UINT32_MAX ? most : UINT32_MAX, &number) ||
        number < (uint64_t)field->least)
        return err_set(value->err, ERR_BAD_PARAMETER,
                       "parameter '%s' is '%.80s'; it must be a whole number from %d to %llu", value->name, value->text,
                       (int)field->least, (unsigned long long)most);
    *(uint32_t *)place_of(value) = (uint32_t)number;
    return 0;
}

int param_text(struct param_value *value)
{
    *(const char **)place_of(value) = value->text;
    return 0;
}

int param_path(struct param_value *value)
{
    param_text(value);
    return request_check_model_path(value->name, value->text, value->err);
}

int param_environment(struct param_value *value)
{
    param_text(value);
    if (request_check_path(value->name, value->text, value->err) < 0)
        return value->err->code;
    return file_format_of_environment(value->text) != NULL
               ? 0
               : err_set(value->err, ERR_UNKNOWN_FORMAT,
                         "parameter '%s' is '%.200s', which is no environment: those are Radiance pictures (.hdr)",
                         value->name, value->text);
}

int param_hash(struct param_value *value)
{
    enum { HASH_DIGITS = 64 };
    bool is_hash = value->size_bytes == HASH_DIGITS;
    for (char *c = value->text; *c != '\0'; c++) {
        *c = ascii_lower(*c);
        is_hash = is_hash && hex_value(*c) >= 0;
    }
    param_text(value);
    return is_hash ? 0 : param_bad(value, "the 64 hex digits of a model's content hash");
}

/* Parses a struct selector of a thing that has a second parameter for names. */
int param_thing(struct param_value *value)
{
    struct selector *thing = place_of(value);
    return param_select(value, FIELDS[value->param].expected, thing->kind != SELECT_NONE, thing);
}
