/* The rules of posectl check, applied to one model: to the server's description of it, and to poses of its clips. */
#include "clients/cli/check/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = 17 }; /* of each clip: both ends and 15 times between them */

static const struct {
    const char *code;
    enum rule_id rule;
} WARNING_RULES[] = {
#define WARNING(code, rule) {code, RULE_##rule},
#include "clients/cli/check/rules.def"
};

static void check_warnings(const struct check *check, const cJSON *model, struct findings *findings)
{
    const cJSON *warning;
    cJSON_ArrayForEach(warning, json_get(model, "warnings"))
    {
        enum rule_id rule = RULE_READER_WARNING;
        for (size_t i = 0; i < sizeof WARNING_RULES / sizeof *WARNING_RULES; i++)
            if (strcmp(WARNING_RULES[i].code, json_text(warning, "code")) == 0)
                rule = WARNING_RULES[i].rule;
        findings_add(check, findings, rule, "%s: %s", json_text(warning, "code"), json_text(warning, "message"));
    }
}

/* A file may be sound and hold nothing that is read of it. */
static void check_content(const struct check *check, const cJSON *model, struct findings *findings)
{
    const cJSON *counts = json_get(model, "counts");
    if (json_number(counts, "vertices") == 0 && json_number(counts, "joints") == 0 && json_number(counts, "clips") == 0)
        findings_add(check, findings, RULE_NOTHING, "the model has %.0f nodes, and no vertex, joint or clip",
                     json_number(counts, "nodes"));
}

static void check_limits(const struct check *check, const cJSON *model, struct findings *findings)
{
    const double joints_max = args_number(check->args, OPTION_MAX_JOINTS, 256);
    const double influences_max = args_number(check->args, OPTION_MAX_INFLUENCES, 4);
    const cJSON *skin, *mesh, *primitive;
    cJSON_ArrayForEach(skin, json_get(model, "skins"))
    {
        const int joints = cJSON_GetArraySize(json_get(skin, "joints"));
        if (joints > joints_max)
            findings_add(check, findings, RULE_TOO_MANY_JOINTS, "skin %.0f '%s' has %d joints, more than %.0f",
                         json_number(skin, "index"), json_text(skin, "name"), joints, joints_max);
    }
    cJSON_ArrayForEach(mesh, json_get(model, "meshes"))
    {
        double most = 0;
        cJSON_ArrayForEach(primitive, json_get(mesh, "primitives")) most =
            fmax(most, json_number(primitive, "influences_max"));
        if (most > influences_max)
            findings_add(check, findings, RULE_TOO_MANY_INFLUENCES,
                         "mesh %.0f '%s' has a vertex that follows %.0f joints, more than %.0f",
                         json_number(mesh, "index"), json_text(mesh, "name"), most, influences_max);
    }
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Reports names that occur several times in the list. */
static void check_names(const struct check *check, const char **names, size_t count, enum rule_id rule,
                        const char *what, struct findings *findings)
{
    if (count > 0)
        qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(names[next], names[i]) == 0; next++)
            ;
        if (next - i > 1)
            findings_add(check, findings, rule, "%zu %s have the name '%s'", next - i, what, names[i]);
    }
}

static size_t add_name(const char **names, size_t count, const cJSON *thing)
{
    if (json_text(thing, "name")[0] != '\0')
        names[count++] = json_text(thing, "name");
    return count;
}

/* Which nodes are joints of the file's skins: [node_count]; the caller frees it. */
static bool *joints_of(const cJSON *model, size_t *node_count)
{
    const cJSON *skin, *joint;
    *node_count = (size_t)cJSON_GetArraySize(json_get(model, "nodes"));
    bool *is_joint = must_alloc(*node_count + 1);
    cJSON_ArrayForEach(skin, json_get(model, "skins"))
    {
        cJSON_ArrayForEach(joint, json_get(skin, "joints"))
        {
            const double node = json_number(joint, "node");
            if (!cJSON_IsTrue(json_get(skin, "rigid")) && node >= 0 && node < (double)*node_count)
                is_joint[(size_t)node] = true;
        }
    }
    return is_joint;
}

static void check_duplicates(const struct check *check, const cJSON *model, struct findings *findings)
{
    const cJSON *nodes = json_get(model, "nodes"), *clips = json_get(model, "clips"), *thing;
    size_t node_count, count = 0;
    bool *is_joint = joints_of(model, &node_count);
    const char **names = must_alloc((node_count + (size_t)cJSON_GetArraySize(clips) + 1) * sizeof *names);
    cJSON_ArrayForEach(thing, clips) count = add_name(names, count, thing);
    check_names(check, names, count, RULE_DUPLICATE_CLIP, "clips", findings);
    for (int joints = 1; joints >= 0; joints--) {
        size_t place = 0;
        count = 0;
        cJSON_ArrayForEach(thing, nodes) if (is_joint[place++] == (joints == 1)) count = add_name(names, count, thing);
        check_names(check, names, count, joints == 1 ? RULE_DUPLICATE_JOINT : RULE_DUPLICATE_NODE,
                    joints == 1 ? "joints" : "nodes", findings);
    }
    free(names);
    free(is_joint);
}

/* --- every clip --- */

/* Whether a matrix maps onto a plane, a line or a point: its volume is negligible beside its longest axis cubed. */
static bool is_flat(const float *m)
{
    const double a[3] = {(double)m[0], (double)m[1], (double)m[2]}, b[3] = {(double)m[4], (double)m[5], (double)m[6]},
                 c[3] = {(double)m[8], (double)m[9], (double)m[10]};
    const double volume =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    const double longest =
        fmax(hypot(hypot(a[0], a[1]), a[2]), fmax(hypot(hypot(b[0], b[1]), b[2]), hypot(hypot(c[0], c[1]), c[2])));
    return fabs(volume) <= 1e-9 * longest * longest * longest;
}

/* The first joint that is flat in one of the frames; -1 for none. */
static int64_t find_flat(const struct posed_packet *answer, const bool *is_joint, size_t node_count, double *time_s)
{
    struct posed_frames frames;
    if (answer->kind != POSED_FRAMES || posed_read_frames(answer->data, answer->data_bytes, &frames) < 0 ||
        frames.layout != POSED_MAT4)
        return -1;
    const int block = posed_frames_find(&frames, 0, POSED_BLOCK_SCENE, 0);
    for (uint32_t frame = 0; block >= 0 && frame < frames.frame_count; frame++) {
        const float *matrices = posed_frames_floats(&frames, (uint32_t)block, frame);
        const uint32_t count = posed_frames_block(&frames, (uint32_t)block).count;
        for (uint32_t node = 0; matrices != NULL && node < count && node < node_count; node++)
            if (is_joint[node] && is_flat(matrices + (size_t)16 * node)) {
                *time_s = posed_frames_clip_time(&frames, frame);
                return node;
            }
    }
    return -1;
}

/* Requests poses throughout the clip. They must exist, and no joint may be flat in them. */
static void check_poses(const struct check *check, struct connection *connection, const cJSON *model, const cJSON *clip,
                        struct findings *findings)
{
    const double duration_s = json_number(clip, "duration");
    struct posed_packet answer;
    struct text query = {0};
    size_t node_count;
    double time_s = 0;
    bool *is_joint = joints_of(model, &node_count);
    text_printf(&query, "&clip=%.0f&wrap=clamp&format=bin&t=0", json_number(clip, "index"));
    for (int i = 1; i < POSES; i++)
        text_printf(&query, ",%.17g", duration_s * i / (POSES - 1));
    if (connection_request_model(connection, "pose", json_text(model, "model"), query.at, NULL, &answer) < 0)
        findings_add(check, findings, RULE_NOT_POSED, "clip %.0f '%s': %s", json_number(clip, "index"),
                     json_text(clip, "name"), connection->posed.error.message);
    else {
        const int64_t node = find_flat(&answer, is_joint, node_count, &time_s);
        if (node >= 0)
            findings_add(check, findings, RULE_COLLAPSED_JOINT, "clip %.0f '%s' scales joint %lld '%s' flat at %.3f s",
                         json_number(clip, "index"), json_text(clip, "name"), (long long)node,
                         json_text(cJSON_GetArrayItem(json_get(model, "nodes"), (int)node), "name"), time_s);
    }
    text_free(&query);
    free(is_joint);
}

static void check_clips(const struct check *check, struct connection *connection, const cJSON *model,
                        struct findings *findings)
{
    const cJSON *clip;
    cJSON_ArrayForEach(clip, json_get(model, "clips"))
    {
        check_poses(check, connection, model, clip, findings);
        if (json_number(clip, "duration") <= 0)
            findings_add(check, findings, RULE_ZERO_LENGTH, "clip %.0f '%s' has no duration",
                         json_number(clip, "index"), json_text(clip, "name"));
        else
            check_loop(check, connection, model, clip, findings);
    }
}

/* Reports under the rule about the cause if there is one, at least as severe as `unreadable`. */
static void add_unreadable(const struct check *check, const struct connection *connection, const char *source,
                           struct findings *findings)
{
    const bool has_rule =
        connection->posed.error.code == POSED_ERR_BAD_KEYS && check->severities[RULE_BAD_KEYS] != SEVERITY_OFF;
    const size_t before = findings->count;
    char code[64];
    connection_error_code(connection, code);
    findings_add(check, findings, has_rule ? RULE_BAD_KEYS : RULE_UNREADABLE, "%s: %s", code,
                 connection_error_message(connection, source));
    if (findings->count > before && findings->at[before].severity < check->severities[RULE_UNREADABLE])
        findings->at[before].severity = check->severities[RULE_UNREADABLE];
    findings->is_unreadable = true;
}

void check_model(const struct check *check, struct connection *connection, const char *source,
                 struct findings *findings)
{
    struct posed_packet answer;
    if (connection_request_model(connection, "model", source, "", NULL, &answer) < 0) {
        add_unreadable(check, connection, source, findings);
        return;
    }
    cJSON *model = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
    check_warnings(check, model, findings);
    check_content(check, model, findings);
    check_limits(check, model, findings);
    check_duplicates(check, model, findings);
    check_clips(check, connection, model, findings);
    cJSON_Delete(model);
}
