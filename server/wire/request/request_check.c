/* request_check.c - checks a request for missing parameters and invalid combinations. */
#include "anim/check/check.h"
#include "base/picture/view.h"
#include "wire/request/request_parser.h"

#include <string.h>

int request_complete_check(struct request *request, const struct param_set *seen,
                           const struct limits *limits __attribute__((unused)), struct err *err __attribute__((unused)))
{
    const struct {
        int param;
        double *value, initial;
    } SHARES[] = {
        {PARAM_MAX_JUMP, &request->check.max_jump, CHECK_MAX_JUMP},
        {PARAM_MAX_DRIFT, &request->check.max_drift, CHECK_MAX_DRIFT},
        {PARAM_LEAST_MOTION, &request->check.least_motion, CHECK_LEAST_MOTION},
    };
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++)
        if (!seen->has[SHARES[i].param])
            *SHARES[i].value = SHARES[i].initial;
    return 0;
}

int request_check_bounds(struct request *request, const struct param_set *seen,
                         const struct limits *limits __attribute__((unused)), struct err *err)
{
    static const int TIMES[] = {PARAM_T, PARAM_WRAP, PARAM_SPEED, PARAM_PHASE, PARAM_END};
    if (request->bounds.has_rate && !request->bounds.is_over_clip)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'rate' needs over=clip");
    if (request->bounds.is_over_clip && seen->has[PARAM_LAYERS])
        return err_set(
            err, ERR_BAD_PARAMETER,
            "parameter 'over' does not go with layers, each of which has a time of its own: give 't' a range, "
            "such as 0:2:60");
    const char *given = request->bounds.is_over_clip ? param_given(seen, TIMES) : NULL;
    return given == NULL ? 0
                         : err_set(err, ERR_BAD_PARAMETER,
                                   "parameter '%s' does not go with over=clip, which takes all times", given);
}

/* A .posed file contains the whole animated model. Only the times of its keys may be others. */
static int check_posed_file(const struct param_set *seen, struct err *err)
{
    static const int OF_GLB[] = {PARAM_TEXTURES,
                                 PARAM_MAX_TEXTURE,
                                 PARAM_TEXTURE_QUALITY,
                                 PARAM_SUBTREE,
                                 PARAM_EXPORT_CLIPS,
                                 PARAM_EXPORT_CLIP_NAME,
                                 PARAM_EXPORT_CLIP_FILE,
                                 PARAM_CLIP_NAMES,
                                 PARAM_STRICT,
                                 PARAM_RENAME_JOINTS,
                                 PARAM_RETARGET,
                                 PARAM_EXPORT_UP,
                                 PARAM_UNIT,
                                 PARAM_EXPORT_ROOT_MOTION,
                                 PARAM_EXACT,
                                 PARAM_COMPRESS,
                                 PARAM_OPTIMIZE,
                                 PARAM_END};
    const char *given = param_given(seen, OF_GLB);
    return given == NULL ? 0
                         : err_set(err, ERR_BAD_PARAMETER,
                                   "parameter '%s' does not go with format=posed, which is the model as it is", given);
}

/* Parameters that would have no effect are refused. */
static int check_textures(const struct request *request, struct err *err)
{
    const struct request_textures *textures = &request->textures;
    if (textures->form == TEXTURES_NONE && (textures->side_most > 0 || textures->quality > 0))
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with textures=none",
                       textures->side_most > 0 ? "max_texture" : "quality");
    if (textures->quality > 0 && textures->form == TEXTURES_PNG)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'quality' does not go with textures=png, which loses nothing");
    if (textures->quality > 0 && textures->form == TEXTURES_KEEP && textures->side_most == 0)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'quality' needs textures=jpeg, textures=webp or max_texture: otherwise textures "
                       "keep their own bytes");
    return 0;
}

int request_check_texture(struct request *request, const struct param_set *seen __attribute__((unused)),
                          const struct limits *limits __attribute__((unused)), struct err *err)
{
    return check_textures(request, err);
}

/* Layers become the only clip; what lies on top without layers has one clip below. */
static int check_blended(struct request *request, const struct param_set *seen, struct err *err)
{
    static const int OF_CLIPS[] = {PARAM_EXPORT_CLIPS, PARAM_EXPORT_CLIP_NAME, PARAM_STRICT, PARAM_END};
    static const int ON_TOP[] = {PARAM_JOINT_TURN, PARAM_MORPH, PARAM_EXPRESSION, PARAM_LOOK, PARAM_END};
    const char *given = param_given(seen, OF_CLIPS), *on_top = param_given(seen, ON_TOP);
    if (request->pose.layer_count > 0) {
        if (given != NULL)
            return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with layers, which become the only clip",
                           given);
        if (request->file_count > 1)
            return err_set(err, ERR_BAD_PARAMETER,
                           "parameter 'clip_file' names %u files: layers with clips of several files name them "
                           "themselves",
                           request->file_count);
        request->pose.clip_file = request->file_count == 1 ? request->files[0] : NULL;
        return 0;
    }
    if (request->export.clip_names != NULL && strchr(request->export.clip_names, '{') == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'clip_names' is '%.80s'; it must be %s",
                       request->export.clip_names, EXPORT_NAMES_EXPECTED);
    if (on_top != NULL && request->file_count > 0)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter '%s' does not go with 'clip_file': give the clip below it as a layer", on_top);
    if (on_top != NULL && request->export.clip_count > 1)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' lies on top of one clip, and 'clips' names %u", on_top,
                       request->export.clip_count);
    return 0;
}

int request_check_export(struct request *request, const struct param_set *seen,
                         const struct limits *limits __attribute__((unused)), struct err *err)
{
    if (check_blended(request, seen, err) < 0)
        return err->code;
    if (request->format == FORMAT_POSED)
        return check_posed_file(seen, err);
    if (check_textures(request, err) < 0)
        return err->code;
    if (request->export.has_no_clips && request->export.clip_count > 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'clips' is -, which means none, and names clips");
    if (request->export.is_optimized && !seen->has[PARAM_COMPRESS])
        request->export.compression = GLB_MESHOPT;
    if (request->export.is_optimized && request->export.compression == GLB_DRACO)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter 'optimize' does not go with compress=draco: it quantises vertices for meshopt, or "
                       "with compress=none for readers of KHR_mesh_quantization");
    return 0;
}

int request_check_mesh(struct request *request, const struct param_set *seen,
                       const struct limits *limits __attribute__((unused)), struct err *err)
{
    static const int OF_GLB[] = {PARAM_TEXTURES, PARAM_MAX_TEXTURE, PARAM_TEXTURE_QUALITY, PARAM_END};
    const char *given = request->format != FORMAT_GLB ? param_given(seen, OF_GLB) : NULL;
    if (given != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' needs format=glb", given);
    if (request->format != FORMAT_GLB)
        return 0;
    if (check_textures(request, err) < 0)
        return err->code;
    if (request->pose.time_count > 1)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 't' names %u times; a GLB file holds the mesh at one",
                       request->pose.time_count);
    if (request->vertices.has_rest || request->vertices.has_weights || request->vertices.has_attributes)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with format=glb",
                       request->vertices.has_rest      ? "rest"
                       : request->vertices.has_weights ? "weights"
                                                       : "attributes");
    return 0;
}

/* Unlit views have their own colours. The defaults are compatible with all views. */
static int check_light(const struct request *request, struct err *err)
{
    const struct picture_spec *picture = &request->picture;
    const char *given = request->environment != NULL                ? "environment"
                        : picture->light != 0                       ? "light"
                        : picture->exposure_stops != 0              ? "exposure"
                        : picture->tone != 0                        ? "tone"
                        : (picture->flags & PICTURE_OCCLUSION) != 0 ? "ao"
                                                                    : NULL;
    if (given == NULL || picture->view == VIEW_LIT || picture->view == VIEW_ONION)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with view=%s, which is not lit", given,
                   VIEW_INFO[picture->view].word);
}

static int check_environment(const struct request *request, const struct param_set *seen, struct err *err)
{
    const bool has_file = request->picture.light == LIGHT_FILE;
    if (request->environment == NULL && (has_file || seen->has[PARAM_ENVIRONMENT_YAW]))
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' needs 'environment', %s",
                       has_file ? "light" : "environment_yaw",
                       has_file ? "whose light is that of a file" : "which it turns");
    if (request->environment != NULL && !has_file)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'environment' goes with light=file only");
    return 0;
}

static int check_view(const struct request *request, const struct param_set *seen, struct err *err)
{
    char list[VIEW_LIST_SIZE];
    if (check_light(request, err) < 0 || check_environment(request, seen, err) < 0)
        return err->code;
    if (request->picture.view != VIEW_LIT && (request->picture.flags & PICTURE_SHADOW) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'shadow' does not go with view=%s; it needs view=lit",
                       VIEW_INFO[request->picture.view].word);
    if (request->view.joint.kind == SELECT_NONE || VIEW_INFO[request->picture.view].takes_joint)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' needs view=%s",
                   seen->has[PARAM_JOINT] ? "joint" : "joint_name", view_list_joint(list));
}

int request_check_layer(struct request *layer, const struct param_set *seen,
                        const struct limits *limits __attribute__((unused)), struct err *err)
{
    static const int OF_CLIPS[] = {PARAM_CLIP,      PARAM_CLIP_NAME, PARAM_CLIP_FILE,
                                   PARAM_CLIP_HASH, PARAM_REFERENCE, PARAM_END};
    struct request_pose *pose = &layer->pose;
    const char *given = pose->given != NULL ? param_given(seen, OF_CLIPS) : NULL;
    if (given != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' does not go with a pose, which is in place of a clip",
                       given);
    if (seen->has[PARAM_MODE] && (pose->given != NULL ? pose->mode == LAYER_OVERRIDE : pose->mode == LAYER_REPLACE))
        return err_set(err, ERR_BAD_PARAMETER,
                       pose->given != NULL
                           ? "parameter 'mode': a layer with a pose takes replace or additive"
                           : "parameter 'mode': replace needs a pose; a clip takes override or additive");
    if (pose->given != NULL && !seen->has[PARAM_MODE])
        pose->mode = LAYER_REPLACE;
    for (uint32_t i = 0; pose->mode != LAYER_OVERRIDE && i < pose->weight_count; i++)
        if (pose->weights[i] > 1)
            return err_set(err, ERR_BAD_PARAMETER, "parameter 'weight' is %.15g at place %u; of %s it is at most 1",
                           pose->weights[i], i, pose->given != NULL ? "a pose" : "an additive layer");
    if (pose->mode != LAYER_ADDITIVE && seen->has[PARAM_REFERENCE])
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'reference' needs mode additive");
    return 0;
}

int request_check_palette(struct request *request, const struct param_set *seen __attribute__((unused)),
                          const struct limits *limits __attribute__((unused)), struct err *err)
{
    if (request->mesh.kind == SELECT_NONE || request->space == SPACE_MESH)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "parameter 'mesh' needs space=mesh");
}

int request_check_pose(struct request *request, const struct param_set *seen __attribute__((unused)),
                       const struct limits *limits __attribute__((unused)), struct err *err)
{
    if ((request->what & WHAT_MATERIALS) == 0 || request->format == FORMAT_JSON)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "parameter 'what': materials need format=json");
}

int request_complete_environment(struct request *request, const struct param_set *seen,
                                 const struct limits *limits __attribute__((unused)), struct err *err)
{
    request->model = request->environment;
    return check_view(request, seen, err);
}

/* Checks the number of frames in a picture, and its pixels. */
static int check_picture_size(const struct request *request, const struct limits *limits, struct err *err)
{
    const bool is_onion = request->picture.view == VIEW_ONION;
    const uint64_t pixels = (uint64_t)request->picture.width * request->picture.height;
    if (is_onion && request->pose.time_count > VIEW_ONION_MAX)
        return err_set(err, ERR_TOO_MANY_FRAMES, "parameter 't' names %u times; view=onion shows %d at most",
                       request->pose.time_count, VIEW_ONION_MAX);
    if (op_has(request->op, OP_ONE_TIME) && !is_onion && request->pose.time_count > 1)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 't' names %u times; a picture shows one",
                       request->pose.time_count);
    if (pixels > limits->value[LIMIT_PICTURE_PIXELS])
        return err_set(err, ERR_BAD_PARAMETER, "%u x %u pixels are more than %s", request->picture.width,
                       request->picture.height, LIMIT_TEXT(limits, LIMIT_PICTURE_PIXELS));
    if (is_onion && pixels * request->pose.time_count > limits->value[LIMIT_PICTURE_PIXELS])
        return err_set(err, ERR_BAD_PARAMETER, "%u times %u x %u pixels are more than %s", request->pose.time_count,
                       request->picture.width, request->picture.height, LIMIT_TEXT(limits, LIMIT_PICTURE_PIXELS));
    return 0;
}

int request_complete_picture(struct request *request, const struct param_set *seen, const struct limits *limits,
                             struct err *err)
{
    if (request->picture.view == VIEW_OPENPOSE && !seen->has[PARAM_BACKGROUND])
        request->picture.background[3] = request->picture.background_end[3] = 255; /* black */
    if (request_complete_camera(request, seen, err) < 0 || request_check_sheet(request, seen, err) < 0 ||
        request_check_passes(request, seen, limits, err) < 0 || request_check_picture_file(request, err) < 0 ||
        check_picture_size(request, limits, err) < 0)
        return err->code;
    return check_view(request, seen, err);
}

/* --- checks of all operations --- */

static int check_needed(const struct request *request, const struct param_set *seen, struct err *err)
{
    for (int i = 0; i < PARAM_COUNT; i++)
        if (REQUEST_PARAMS[i].how_often == NEEDED && REQUEST_PARAMS[i].ops & OP_BIT(request->op) && !seen->has[i])
            return err_set(err, ERR_MISSING_PARAMETER, "%s needs the parameter '%s'", OP_INFO[request->op].path,
                           REQUEST_PARAMS[i].name);
    if (seen->has[PARAM_CLIP_HASH] && !seen->has[PARAM_CLIP_FILE] && !seen->has[PARAM_SHEET_CLIP_FILE])
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'clip_hash' needs 'clip_file', whose content it names");
    return 0;
}

static int check_span(const struct request *request, struct err *err)
{
    const struct request_span *span = &request->pose.span;
    if (span->has_fps && !span->has_from && !span->has_to)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'fps' is the unit of 'from' and 'to': give one of them%s",
                       (REQUEST_PARAMS[PARAM_SHEET_RATE].ops & OP_BIT(request->op)) != 0
                           ? ", or 'rate' for so many moments a second"
                           : "");
    if (span->has_from && span->has_to && span->from > span->to)
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'from' is %.15g, after 'to', which is %.15g", span->from,
                       span->to);
    return 0;
}

static int check_root_motion(const struct request *request, const struct param_set *seen, struct err *err)
{
    static const int OF_IT[] = {PARAM_ROOT, PARAM_TURN, PARAM_ROOT_YAW, PARAM_END};
    const char *given = param_given(seen, OF_IT);
    const bool is_exported = request->op == OP_EXPORT;
    const bool goes_without = request->motion.is_extracted || request->op == OP_CHECK;
    if (!goes_without && request->export.root_motion == EXPORT_ROOT_KEEP && given != NULL)
        return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' needs root_motion=%s", given,
                       is_exported ? "in-place or to-root" : "extract");
    if (request->motion.is_extracted && seen->has[PARAM_LAYERS])
        return err_set(err, ERR_BAD_PARAMETER, "parameter 'root_motion' does not go with layers");
    return 0;
}

static int check_retarget(const struct request *request, const struct param_set *seen, struct err *err)
{
    static const int OF_IT[] = {PARAM_FEET,       PARAM_MAP,       PARAM_CLIP_MAP, PARAM_BONES,
                                PARAM_CLIP_BONES, PARAM_CLIP_REST, PARAM_END};
    static const int OF_CLIPS[] = {PARAM_FEET, PARAM_CLIP_MAP, PARAM_CLIP_BONES, PARAM_CLIP_REST, PARAM_END};
    const char *given =
        request->retarget.is_by_rest ? NULL : param_given(seen, request_has_body(request) ? OF_CLIPS : OF_IT);
    return given == NULL ? 0 : err_set(err, ERR_BAD_PARAMETER, "parameter '%s' needs retarget=rest", given);
}

int request_check_combination(struct request *request, request_complete_fn *complete, const struct param_set *seen,
                              const struct limits *limits, struct err *err)
{
    if (check_needed(request, seen, err) < 0 || (complete != NULL && complete(request, seen, limits, err) < 0) ||
        check_span(request, err) < 0 || check_root_motion(request, seen, err) < 0)
        return err->code;
    return check_retarget(request, seen, err);
}
