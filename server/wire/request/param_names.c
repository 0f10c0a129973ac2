/* param_names.c - parameters that name things: files by path and hash; clips, skins, nodes and meshes by index or name.
 */
#include "base/file_formats.h"
#include "wire/encode/number.h"
#include "wire/request/request_parser.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_BYTES = 4095 };

int request_check_path(const char *name, const char *path, struct err *err)
{
    const char *fault = path[0] == '\0'                 ? "is empty"
                        : strlen(path) > PATH_MAX_BYTES ? "is too long"
                        : path[0] == '/'                ? "is absolute; it must be relative to the root"
                                                        : NULL;
    for (const char *part = path; fault == NULL;) {
        const size_t part_bytes = strcspn(part, "/");
        if (part_bytes == 0)
            fault = "has an empty part";
        else if ((part_bytes == 1 && part[0] == '.') || (part_bytes == 2 && part[0] == '.' && part[1] == '.'))
            fault = "has a '.' or '..' part";
        part += part_bytes;
        if (*part == '\0')
            break;
        part++;
    }
    if (fault != NULL)
        return err_set(err, ERR_BAD_PATH, "the %s path '%.200s' %s", name, path, fault);
    return 0;
}

int request_check_model_path(const char *name, const char *path, struct err *err)
{
    if (request_check_path(name, path, err) < 0)
        return err->code;
    return file_format_of_environment(path) == NULL ? 0
                                                    : err_set(err, ERR_UNKNOWN_FORMAT,
                                                              "the %s path '%.200s' is that of an environment, which "
                                                              "is no model: pictures take it by environment=",
                                                              name, path);
}

static struct selector by_name(const char *text, size_t size_bytes)
{
    return (struct selector){.kind = SELECT_NAME, .name = text, .name_bytes = size_bytes};
}

/* `forced` is the parameter that accepts an empty name or one of digits only, or NULL. */
static int select_one(struct param_value *value, const char *text, const char *forced, struct selector *out)
{
    if (*text == '\0')
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s' has an empty entry%s%s%s", value->name,
                       forced == NULL ? "" : "; ", forced == NULL ? "" : forced,
                       forced == NULL ? "" : "= takes an empty name");
    if (!number_is_digits(text)) {
        *out = by_name(text, strlen(text));
        return 0;
    }
    uint64_t index;
    if (!number_parse_uint(text, INT32_MAX, &index))
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s': the index %.40s is too large%s%s%s", value->name,
                       text, forced == NULL ? "" : "; ", forced == NULL ? "" : forced,
                       forced == NULL ? "" : "= takes a name of digits");
    *out = (struct selector){.kind = SELECT_INDEX, .index = (uint32_t)index};
    return 0;
}

int param_select(struct param_value *value, const char *thing, bool is_given, struct selector *out)
{
    const int base_bytes = (int)strcspn(value->name, "_");
    char by_name_param[32];
    if (is_given)
        return err_set(value->err, ERR_DUPLICATE_PARAMETER, "%.*s= and %.*s_name= both name the %s; give one",
                       base_bytes, value->name, base_bytes, value->name, thing);
    if (value->name[base_bytes] == '_') {
        *out = by_name(value->text, value->size_bytes);
        return 0;
    }
    snprintf(by_name_param, sizeof by_name_param, "%s_name", value->name);
    return select_one(value, value->text, by_name_param, out);
}

int param_clip(struct param_value *value)
{
    struct selector *clip = &value->request->pose.clip;
    const bool is_given = clip->kind != SELECT_NONE;
    if (!is_given && strcmp(value->name, "clip") == 0 && strcmp(value->text, "-") == 0) {
        clip->kind = SELECT_REST;
        return 0;
    }
    return param_select(value, "clip", is_given, clip);
}

static int select_many(struct param_value *value, const char *forced, struct buf *list)
{
    char *rest = value->text;
    for (const char *entry = param_next_entry(&rest); entry != NULL; entry = param_next_entry(&rest)) {
        struct selector selector;
        const int rc = select_one(value, entry, forced, &selector);
        if (rc < 0)
            return rc;
        buf_put(list, &selector, sizeof selector);
    }
    return 0;
}

static int select_name(struct param_value *value, struct buf *list)
{
    const struct selector selector = by_name(value->text, value->size_bytes);
    buf_put(list, &selector, sizeof selector);
    return 0;
}

int param_skin(struct param_value *value) { return select_many(value, "skin_name", &value->request->lists.skins); }
int param_skin_name(struct param_value *value) { return select_name(value, &value->request->lists.skins); }
int param_joints(struct param_value *value)
{
    return select_many(value, "joint_name", &value->request->pose.lists.joints);
}
int param_point_joints(struct param_value *value)
{
    const bool is_all = strcmp(value->text, "all") == 0;
    value->request->keypoints.has_all |= is_all;
    return is_all ? 0 : param_joints(value);
}
int param_joint_name(struct param_value *value) { return select_name(value, &value->request->pose.lists.joints); }

int param_clip_file_of(struct param_value *value)
{
    const char *path = value->text;
    buf_put(&value->request->lists.files, &path, sizeof path);
    return request_check_model_path(value->name, path, value->err);
}

/* Parses a pattern with {file} and {clip}. */
int param_clip_names(struct param_value *value)
{
    for (const char *at = value->text; (at = strchr(at, '{')) != NULL; at += 6)
        if (strncmp(at, "{file}", 6) != 0 && strncmp(at, "{clip}", 6) != 0)
            return param_bad(value, EXPORT_NAMES_EXPECTED);
    value->request->export.clip_names = value->text;
    return value->text[0] != '\0' ? 0 : param_bad(value, EXPORT_NAMES_EXPECTED);
}

/* Each value is one rule, because names may contain commas. */
int param_rename_joints(struct param_value *value)
{
    struct buf *rules = &value->request->lists.renames;
    const uint32_t count = (uint32_t)(rules->size_bytes / sizeof(struct name_rule));
    const struct name_rule *all = (const struct name_rule *)(const void *)rules->data;
    struct name_rule rule;
    size_t text_bytes = value->size_bytes + 1;
    if (name_rule_parse(&rule, value->text, value->err) < 0)
        return err_prefix(value->err, "parameter '%s'", value->name);
    for (uint32_t i = 0; i < count; i++)
        text_bytes += all[i].text_bytes + 1;
    if (count == NAME_RULES_MAX || text_bytes > NAME_RULES_BYTES_MAX)
        return err_set(value->err, ERR_BAD_PARAMETER,
                       "parameter '%s': rule '%.200s' is one too many; a request takes %d rules of %d bytes in all",
                       value->name, value->text, NAME_RULES_MAX, NAME_RULES_BYTES_MAX);
    buf_put(rules, &rule, sizeof rule);
    return 0;
}

int param_clips_of(struct param_value *value)
{
    if (strcmp(value->text, "-") != 0)
        return select_many(value, "clip_name", &value->request->lists.clips);
    value->request->export.has_no_clips = true;
    return 0;
}
int param_clip_name_of(struct param_value *value) { return select_name(value, &value->request->lists.clips); }

/* Each value is one "ROLE=JOINT", because names may contain commas. */
int param_bones(struct param_value *value)
{
    enum { BONES_MAX = 2 * ROLE_COUNT, JOINT_BYTES_MAX = 1023 };
    struct request_lists *lists = &value->request->lists;
    struct buf *bones = value->param == PARAM_BONES ? &lists->bones : &lists->clip_bones;
    char *sign = strchr(value->text, '=');
    if (sign == NULL || sign[1] == '\0' || strlen(sign + 1) > JOINT_BYTES_MAX)
        return param_bad(value, "ROLE=JOINT, such as hips=Pelvis, or ROLE=- for a bone that is not there");
    struct humanoid_rule rule = {humanoid_role(value->text, (size_t)(sign - value->text)), sign + 1};
    if (rule.role == ROLE_NONE)
        return err_set(
            value->err, ERR_BAD_PARAMETER,
            "parameter '%s': '%.*s' is no bone of a human; they are called as in VRM 1.0: hips, spine, head, "
            "leftUpperLeg, leftLowerLeg, leftFoot, leftUpperArm, ..",
            value->name, (int)(sign - value->text < 80 ? sign - value->text : 80), value->text);
    if (bones->size_bytes == BONES_MAX * sizeof rule)
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s' is given more than %d times", value->name,
                       BONES_MAX);
    buf_put(bones, &rule, sizeof rule);
    return 0;
}

int param_clip_rest(struct param_value *value)
{
    struct rest_choice *rest = &value->request->retarget.clip_rest;
    const char *text = value->text, *digits = text + strlen("frame:");
    if (strcmp(text, "auto") == 0 || strcmp(text, "zero") == 0) {
        *rest = (struct rest_choice){.kind = text[0] == 'a' ? REST_AUTO : REST_ZERO};
        return 0;
    }
    const size_t digit_count = strncmp(text, "frame:", strlen("frame:")) == 0 ? strspn(digits, "0123456789") : 0;
    if (digit_count == 0 || digit_count > 9 || digits[digit_count] != '\0')
        return param_bad(value, "auto, zero, or frame:N with a whole number from 0");
    *rest = (struct rest_choice){.kind = REST_FRAME, .frame = (uint32_t)strtoul(digits, NULL, 10)};
    return 0;
}

int param_root(struct param_value *value) { return select_one(value, value->text, NULL, &value->request->motion.root); }

/* Parses nodes that stand for their whole subtrees. */
static int add_subtrees(struct param_value *value, enum mask_scope scope)
{
    struct buf *joints = &value->request->pose.lists.joints;
    const size_t first = joints->size_bytes;
    const int rc = select_many(value, NULL, joints);
    struct selector *all = (struct selector *)(void *)joints->data; /* NULL when the first value was bad */
    for (size_t i = first / sizeof *all; i < joints->size_bytes / sizeof *all; i++)
        all[i].scope = scope;
    return rc;
}

int param_subtree(struct param_value *value) { return add_subtrees(value, BLEND_SUBTREE); }
int param_except(struct param_value *value) { return add_subtrees(value, BLEND_EXCEPT); }

/* Reads "X,Y,Z" in degrees, and leaves the text as it was. */
static bool parse_turn(char *text, double degrees[3])
{
    bool is_good = true;
    for (int axis = 0; axis < 3 && is_good; axis++) {
        char *end = text + strcspn(text, ",");
        const char delimiter = *end;
        *end = '\0';
        is_good = (delimiter == '\0') == (axis == 2) && number_parse_double(text, &degrees[axis]) &&
                  fabs(degrees[axis]) <= 360;
        degrees[axis] += 0; /* avoids -0 */
        *end = delimiter;
        text = end + 1;
    }
    return is_good;
}

/* Each value is one "JOINT:X,Y,Z". Names may contain colons and commas. */
int param_joint_turn(struct param_value *value)
{
    static const char EXPECTED[] = "JOINT:X,Y,Z, such as head:0,20,0, with degrees from -360 to 360";
    struct buf *turns = &value->request->lists.turns;
    struct request_turn turn = {0};
    char *colon = strrchr(value->text, ':');
    if (colon == NULL || !parse_turn(colon + 1, turn.degrees))
        return param_bad(value, EXPECTED);
    *colon = '\0';
    if (turns->size_bytes == REQUEST_TURNS_MOST * sizeof turn)
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s' is given more than %d times", value->name,
                       REQUEST_TURNS_MOST);
    const int rc = select_one(value, value->text, NULL, &turn.joint);
    if (rc == 0)
        buf_put(turns, &turn, sizeof turn);
    return rc;
}

/* "YAW,PITCH" in degrees, or a place "X,Y,Z". */
int param_look(struct param_value *value)
{
    static const double DEGREES_MOST = 360, PLACE_MOST = 1e30;
    struct request_look *look = &value->request->look;
    uint32_t count = 0;
    bool is_good = true;
    for (char *text = value->text; is_good && text != NULL;) {
        char *comma = strchr(text, ',');
        const size_t size = comma != NULL ? (size_t)(comma - text) : strlen(text);
        char number[64] = "";
        if (size < sizeof number)
            memcpy(number, text, size);
        is_good = count < 3 && number_parse_double(number, &look->target[count]);
        look->target[count < 3 ? count : 0] += 0; /* avoids -0 */
        count++;
        text = comma != NULL ? comma + 1 : NULL;
    }
    look->kind = count == 2 ? LOOK_ANGLES : LOOK_POINT;
    for (uint32_t i = 0; i < count && is_good; i++)
        is_good = fabs(look->target[i]) <= (count == 2 ? DEGREES_MOST : PLACE_MOST);
    return is_good && count >= 2 ? 0 : param_bad(value, "YAW,PITCH in degrees, such as 20,-10, or a place X,Y,Z");
}

/* Each value is one "NAME:WEIGHT", of a morph target or an expression. Names may contain colons and commas. */
int param_shown(struct param_value *value)
{
    struct buf *list = &value->request->lists.shown;
    const bool is_expression = value->param == PARAM_EXPRESSION;
    struct request_weight shown = {.name = value->text, .is_expression = is_expression};
    char *colon = strrchr(value->text, ':');
    if (colon == NULL || colon == value->text || !number_parse_double(colon + 1, &shown.weight) ||
        !(fabs(shown.weight) <= (is_expression ? 1 : (double)FLT_MAX)) || (is_expression && shown.weight < 0))
        return param_bad(value, is_expression ? "NAME:WEIGHT, such as happy:0.8, with a weight from 0 to 1"
                                              : "TARGET:WEIGHT, such as smile:0.5");
    *colon = '\0';
    if (list->size_bytes == REQUEST_WEIGHTS_MOST * sizeof shown)
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s' is given more than %d times", value->name,
                       REQUEST_WEIGHTS_MOST);
    shown.weight += 0; /* avoids -0 */
    buf_put(list, &shown, sizeof shown);
    return 0;
}
