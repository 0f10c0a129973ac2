/* request_given_json.c - reads a given pose from JSON: one that a person writes, or an answer of /v1/pose?what=local.
 */
#include "wire/request/request_given_builder.h"
#include "wire/request/request_parser.h"

#include "anim/given/given_pose.h"
#include "anim/given/given_rotation.h"

#include <math.h>
#include <string.h>

static const double RATE_DEFAULT = 30, RATE_MOST = 1000;

/* How the numbers of a pose are to be read. */
struct reading {
    struct given_builder *builder;
    enum rotation_order order;
    double rate;
};

/* --- members --- */

/* What a pose and a frame may have. What an answer has besides is accepted and says nothing. */
static const char *const POSE_MEMBERS[] = {"nodes",  "frames",      "relative_to", "order", "rate",
                                           "morphs", "expressions", "look",        NULL};
static const char *const FRAME_MEMBERS[] = {"time",  "local",  "translation", "rotation", "degrees",
                                            "scale", "morphs", "expressions", NULL};
static const char *const ANSWER_MEMBERS[] = {
    "model",  "hash",      "clip",      "wrap",       "layout", "from",         "to",          "speed",     "phase",
    "layers", "clip_file", "clip_time", "clip_times", "scene",  "local_matrix", "root_motion", "materials", NULL};

static bool is_among(const char *name, const char *const *names)
{
    bool is = false;
    for (; *names != NULL; names++)
        is = is || strcmp(name, *names) == 0;
    return is;
}

/* has_frame: it may have the members of a frame. */
static int check_members(const cJSON *object, bool has_pose, bool has_frame, struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        if ((has_pose && is_among(item->string, POSE_MEMBERS)) ||
            (has_frame && is_among(item->string, FRAME_MEMBERS)) || is_among(item->string, ANSWER_MEMBERS))
            continue;
        if (!has_frame && is_among(item->string, FRAME_MEMBERS))
            return err_set(err, ERR_BAD_PARAMETER, "'%s' stands in the frames when there are frames", item->string);
        return err_set(err, ERR_UNKNOWN_PARAMETER,
                       "'%.60s' is no member of a pose; it has nodes, translation, rotation, degrees, scale, morphs, "
                       "expressions, look, relative_to, order, and for several frames: frames and rate",
                       item->string);
    }
    return 0;
}

/* Reads one of the words, or leaves *index. */
static int take_word(const cJSON *pose, const char *name, const char *const *words, uint32_t count, uint32_t *index,
                     struct err *err)
{
    const cJSON *item = given_member(pose, name);
    if (item == NULL)
        return 0;
    for (uint32_t i = 0; i < count && cJSON_IsString(item); i++)
        if (strcmp(item->valuestring, words[i]) == 0) {
            *index = i;
            return 0;
        }
    return err_set(err, ERR_BAD_PARAMETER, "'%s' must be one of '%s', '%s'%s", name, words[0], words[1],
                   count > 2 ? ", .. (an order of the axes)" : "");
}

/* --- numbers --- */

static int take_numbers(const cJSON *list, uint32_t count, double *out, struct err *err)
{
    uint32_t at = 0;
    const cJSON *item;
    if (!cJSON_IsArray(list) || (uint32_t)cJSON_GetArraySize(list) != count)
        return err_set(err, ERR_BAD_PARAMETER, "it must be a list of %u numbers", count);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return err_set(err, ERR_BAD_PARAMETER, "number %u is %s", at,
                           cJSON_IsNumber(item) ? "too large for a double" : "no number");
        out[at++] = item->valuedouble;
    }
    return 0;
}

enum form { FORM_LOCAL, FORM_TRANSLATION, FORM_ROTATION, FORM_DEGREES, FORM_SCALE, FORM_COUNT };
static const struct {
    const char *name;
    uint32_t count;
} FORMS[FORM_COUNT] = {{"local", 10}, {"translation", 3}, {"rotation", 4}, {"degrees", 3}, {"scale", 3}};

/* Puts one list of numbers of a node. */
static int take_form(const struct reading *reading, uint32_t node, enum form form, const cJSON *item, struct err *err)
{
    struct given_builder *builder = reading->builder;
    char text[GIVEN_NODE_TEXT];
    double numbers[10], rotation[4];
    int rc = take_numbers(item, FORMS[form].count, numbers, err);
    if (rc < 0) {
        err_prefix(err, "%s of %s", FORMS[form].name, given_node_text(&builder->given->nodes[node], text));
        return err->code;
    }
    if (form == FORM_DEGREES)
        rotation_from_degrees(numbers, reading->order, rotation);
    if (form == FORM_LOCAL || form == FORM_TRANSLATION)
        rc = given_builder_put(builder, node, GIVEN_TRANSLATION, numbers, err);
    if (rc == 0 && (form == FORM_LOCAL || form == FORM_ROTATION || form == FORM_DEGREES))
        rc = given_builder_put(builder, node, GIVEN_ROTATION,
                               form == FORM_LOCAL      ? numbers + 3
                               : form == FORM_ROTATION ? numbers
                                                       : rotation,
                               err);
    if (rc == 0 && (form == FORM_LOCAL || form == FORM_SCALE))
        rc = given_builder_put(builder, node, GIVEN_SCALE, form == FORM_LOCAL ? numbers + 7 : numbers, err);
    return rc;
}

/* Takes "rotation":[[..],null,..]: one for each node, null where nothing is given. */
static int take_list(const struct reading *reading, const cJSON *frame, enum form form, struct err *err)
{
    const cJSON *list = given_member(frame, FORMS[form].name), *item;
    uint32_t node = 0;
    if (list == NULL)
        return 0;
    if (!cJSON_IsArray(list) || (uint32_t)cJSON_GetArraySize(list) != reading->builder->given->node_count)
        return err_set(err, ERR_BAD_PARAMETER, "'%s' has %d entries for %u nodes; it has one for each, or null",
                       FORMS[form].name, cJSON_GetArraySize(list), reading->builder->given->node_count);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNull(item) && take_form(reading, node, form, item, err) < 0)
            return err->code;
        node++;
    }
    return 0;
}

/* Takes the weights of a frame: of a list as long as the names, or of the object that names them. */
static int take_weights(const struct reading *reading, const cJSON *list, uint32_t first, uint32_t count,
                        bool is_of_frames, const char *name, struct err *err)
{
    uint32_t at = 0;
    const cJSON *item;
    if (list != NULL && (is_of_frames ? !cJSON_IsArray(list) : !cJSON_IsObject(list)))
        return err_set(err, ERR_BAD_PARAMETER, "'%s' of a frame must be a list of numbers, one for each name", name);
    if ((list == NULL && count > 0) || (list != NULL && (uint32_t)cJSON_GetArraySize(list) != count))
        return err_set(err, ERR_BAD_PARAMETER, "'%s' has %d weights in a frame for %u names", name,
                       list == NULL ? 0 : cJSON_GetArraySize(list), count);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return err_set(err, ERR_BAD_PARAMETER, "'%s': the weight of '%.60s' is no number", name,
                           reading->builder->given->weights[first + at].name);
        reading->builder->weights[first + at++] = item->valuedouble;
    }
    return 0;
}

/* --- frames --- */

/* How many of the weights are of morph targets; those of expressions follow. */
static uint32_t morph_count(const struct request_given *given)
{
    uint32_t count = 0;
    while (count < given->weight_count && !given->weights[count].is_expression)
        count++;
    return count;
}

static int take_frame(const struct reading *reading, const cJSON *frame, bool is_of_frames, struct err *err)
{
    const struct request_given *given = reading->builder->given;
    const uint32_t index = given->frame_count, morphs = morph_count(given);
    const cJSON *time = given_member(frame, "time");
    double time_s = index / reading->rate;
    for (int form = 0; form < FORM_COUNT; form++)
        if (take_list(reading, frame, (enum form)form, err) < 0)
            return err->code;
    if (take_weights(reading, given_member(frame, "morphs"), 0, morphs, is_of_frames, "morphs", err) < 0 ||
        take_weights(reading, given_member(frame, "expressions"), morphs, given->weight_count - morphs, is_of_frames,
                     "expressions", err) < 0)
        return err->code;
    if (time != NULL && !cJSON_IsNumber(time))
        return err_set(err, ERR_BAD_PARAMETER, "'time' must be a number of seconds");
    if (time != NULL)
        time_s = time->valuedouble;
    return given_builder_end_frame(reading->builder, time_s, err);
}

/* Takes {"head":{"degrees":[..]},..} as the only frame. */
static int take_named_nodes(const struct reading *reading, const cJSON *nodes, struct err *err)
{
    uint32_t node = 0;
    const cJSON *item, *part;
    cJSON_ArrayForEach(item, nodes)
    {
        cJSON_ArrayForEach(part, item)
        {
            int form = 0;
            while (form < FORM_COUNT && strcmp(part->string, FORMS[form].name) != 0)
                form++;
            if (form == FORM_COUNT)
                return err_set(err, ERR_UNKNOWN_PARAMETER,
                               "node '%.60s' has '%.60s'; it takes translation, rotation, degrees, scale or local",
                               item->string, part->string);
            if (take_form(reading, node, (enum form)form, part, err) < 0)
                return err->code;
        }
        node++;
    }
    return 0;
}

static int take_frames(const struct reading *reading, const cJSON *pose, struct err *err)
{
    const cJSON *frames = given_member(pose, "frames"), *nodes = given_member(pose, "nodes"), *frame;
    uint32_t index = 0;
    if (frames == NULL)
        return cJSON_IsObject(nodes) && take_named_nodes(reading, nodes, err) < 0
                   ? err->code
                   : take_frame(reading, pose, false, err);
    if (!cJSON_IsArray(frames) || cJSON_IsObject(nodes))
        return err_set(err, ERR_BAD_PARAMETER,
                       cJSON_IsArray(frames) ? "'nodes' must be a list when there are frames"
                                             : "'frames' must be a list of objects");
    cJSON_ArrayForEach(frame, frames)
    {
        if (!cJSON_IsObject(frame))
            return err_set(err, ERR_BAD_PARAMETER, "frame %u is no object", index);
        if (check_members(frame, false, true, err) < 0 || take_frame(reading, frame, true, err) < 0)
            return err_prefix(err, "frame %u", index);
        index++;
    }
    return 0;
}

/* --- all --- */

/* Takes {"yaw":..,"pitch":..} or {"at":[x,y,z]}. */
static int take_look(struct request_given *given, const cJSON *look, struct err *err)
{
    static const double DEGREES_MOST = 360, PLACE_MOST = 1e30;
    const cJSON *yaw = given_member(look, "yaw"), *pitch = given_member(look, "pitch"), *at = given_member(look, "at");
    const int known = (yaw != NULL) + (pitch != NULL) + (at != NULL);
    double *target = given->look.target;
    if (look == NULL)
        return 0;
    given->look.kind = at != NULL ? LOOK_POINT : LOOK_ANGLES;
    bool is_good = known == cJSON_GetArraySize(look) && known >= 1 && (at == NULL || known == 1);
    if (is_good && at != NULL && take_numbers(at, 3, target, err) < 0)
        return err_prefix(err, "look");
    if (is_good && at == NULL) {
        is_good = (yaw == NULL || cJSON_IsNumber(yaw)) && (pitch == NULL || cJSON_IsNumber(pitch));
        target[0] = is_good && yaw != NULL ? yaw->valuedouble : 0;
        target[1] = is_good && pitch != NULL ? pitch->valuedouble : 0;
    }
    for (int i = 0; i < 3 && is_good; i++) {
        is_good = fabs(target[i]) <= (at != NULL ? PLACE_MOST : DEGREES_MOST);
        target[i] += 0; /* avoids -0 */
    }
    return is_good ? 0
                   : err_set(err, ERR_BAD_PARAMETER,
                             "'look' must be {\"yaw\":..,\"pitch\":..} in degrees up to 360, or {\"at\":[x,y,z]}");
}

static int read_pose(struct given_builder *builder, const cJSON *pose, struct err *err)
{
    static const char *const RELATIVE[] = {"parent", "rest"};
    struct reading reading = {.builder = builder, .rate = RATE_DEFAULT};
    const cJSON *rate = given_member(pose, "rate");
    uint32_t is_from_rest = 0, order = ORDER_XYZ;
    if (check_members(pose, true, given_member(pose, "frames") == NULL, err) < 0 ||
        take_word(pose, "relative_to", RELATIVE, 2, &is_from_rest, err) < 0 ||
        take_word(pose, "order", ROTATION_ORDERS, ORDER_COUNT, &order, err) < 0)
        return err->code;
    if (rate != NULL && !(cJSON_IsNumber(rate) && rate->valuedouble > 0 && rate->valuedouble <= RATE_MOST))
        return err_set(err, ERR_BAD_PARAMETER, "'rate' must be a number of frames a second, above 0 to %g", RATE_MOST);
    reading.order = (enum rotation_order)order;
    reading.rate = rate != NULL ? rate->valuedouble : RATE_DEFAULT;
    builder->given->is_from_rest = is_from_rest != 0;
    if (take_look(builder->given, given_member(pose, "look"), err) < 0)
        return err->code;
    return given_take_names(builder, pose, err) < 0 ? err->code : take_frames(&reading, pose, err);
}

int request_given_read_json(struct request_given **out, const struct cJSON *pose, const struct limits *limits,
                            struct err *err)
{
    struct given_builder builder;
    *out = NULL;
    if (!cJSON_IsObject(pose))
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'pose' must be an object");
    const size_t text_bytes = given_names_bytes(pose);
    int rc = given_builder_init(&builder, text_bytes, limits, err);
    if (rc == 0)
        rc = read_pose(&builder, pose, err);
    if (rc == 0)
        rc = given_builder_take(&builder, out, err);
    given_builder_fini(&builder);
    return rc < 0 ? err_prefix(err, "pose") : 0;
}
