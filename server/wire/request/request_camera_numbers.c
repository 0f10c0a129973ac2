/* request_camera_numbers.c - reads a camera by numbers from the body of a POST: one that a person writes, or the camera
 * of an answer. */
#include "anim/camera/camera_numbers.h"
#include "wire/request/request_parser.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum member { NUMBER, MATRIX, CONVENTION, PROJECTION, IGNORED };

static const struct {
    const char *name;
    enum member member;
    size_t at; /* of a number, in struct picture_camera */
    bool is_needed;
} MEMBERS[] = {
    {"fx", NUMBER, offsetof(struct picture_camera, fx), true},
    {"fy", NUMBER, offsetof(struct picture_camera, fy), true},
    {"cx", NUMBER, offsetof(struct picture_camera, cx), true},
    {"cy", NUMBER, offsetof(struct picture_camera, cy), true},
    {"camera_from_scene", MATRIX, 0, true},
    {"convention", CONVENTION, 0, false},
    {"projection", PROJECTION, 0, false},
    {"near", NUMBER, offsetof(struct picture_camera, near), false},
    {"far", NUMBER, offsetof(struct picture_camera, far), false},
    {"view_from_scene", IGNORED, 0, false}, /* of an answer, which says the same by the others */
    {"clip_from_view", IGNORED, 0, false},
};
enum { MEMBER_COUNT = sizeof MEMBERS / sizeof *MEMBERS };

/* The words of `convention`, and the members of an answer's camera_from_scene. */
enum { OPENCV, OPENGL, CONVENTION_COUNT };
static const char *const CONVENTIONS[CONVENTION_COUNT] = {"opencv", "opengl"};
/* In the order of enum picture_camera_kind, from 1 on. */
static const char *const PROJECTIONS[] = {"perspective", "orthographic"};

/* --- values --- */

/* Returns the index of the word, or ERR_BAD_PARAMETER. */
static int find_word(const cJSON *item, const char *const words[2], struct err *err)
{
    for (int i = 0; i < 2 && cJSON_IsString(item); i++)
        if (strcmp(item->valuestring, words[i]) == 0)
            return i;
    return err_set(err, ERR_BAD_PARAMETER, "camera: '%s' must be %s or %s", item->string, words[0], words[1]);
}

static int take_number(const cJSON *item, bool may_be_zero, double *out, struct err *err)
{
    if (!cJSON_IsNumber(item))
        return err_set(err, ERR_BAD_PARAMETER, "camera: '%s' must be a number", item->string);
    *out = item->valuedouble + 0; /* avoids -0 */
    return *out != 0 || may_be_zero
               ? 0
               : err_set(err, ERR_BAD_PARAMETER, "camera: '%s' is 0; it must be above 0", item->string);
}

static int take_matrix(const cJSON *list, double out[16], struct err *err)
{
    int at = 0;
    const cJSON *item;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 16)
        return err_set(err, ERR_BAD_PARAMETER,
                       "camera: '%s' must be a list of 16 numbers, a 4x4 matrix column by column%s", list->string,
                       cJSON_IsArray(list) && cJSON_IsArray(list->child) ? ", and has rows" : "");
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item))
            return err_set(err, ERR_BAD_PARAMETER, "camera: '%s' has something else than a number at place %d",
                           list->string, at);
        out[at++] = item->valuedouble + 0;
    }
    return 0;
}

/* Takes {"opencv":[..],"opengl":[..]}, or one of them. */
static int take_matrices(const cJSON *object, double out[16], struct err *err)
{
    double of[CONVENTION_COUNT][16];
    bool has[CONVENTION_COUNT] = {false};
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        const int convention = find_word(
            &(cJSON){.type = cJSON_String, .string = (char[]){"camera_from_scene"}, .valuestring = item->string},
            CONVENTIONS, err);
        if (convention < 0)
            return err->code;
        if (has[convention])
            return err_set(err, ERR_DUPLICATE_PARAMETER, "camera: 'camera_from_scene' has '%s' twice", item->string);
        if (take_matrix(item, of[convention], err) < 0)
            return err->code;
        has[convention] = true;
    }
    if (has[OPENCV])
        picture_camera_turn(of[OPENCV], out);
    if (has[OPENCV] && has[OPENGL] && memcmp(out, of[OPENGL], sizeof of[OPENGL]) != 0)
        return err_set(
            err, ERR_BAD_PARAMETER,
            "camera: 'opencv' and 'opengl' of 'camera_from_scene' are not the same camera: give one of them");
    if (has[OPENGL])
        memcpy(out, of[OPENGL], sizeof of[OPENGL]);
    return object->child != NULL ? 0
                                 : err_set(err, ERR_BAD_PARAMETER, "camera: 'camera_from_scene' is an empty object");
}

/* --- members --- */

/* Marks the members that are given, once each. */
static int list_members(const cJSON *object, const cJSON *found[MEMBER_COUNT], struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        size_t m = 0;
        while (m < MEMBER_COUNT && strcmp(MEMBERS[m].name, item->string) != 0)
            m++;
        if (m == MEMBER_COUNT)
            return err_set(err, ERR_UNKNOWN_PARAMETER,
                           "'%.60s' is no member of a camera; it has fx, fy, cx, cy, camera_from_scene, convention, "
                           "projection, near and far",
                           item->string);
        if (found[m] != NULL)
            return err_set(err, ERR_DUPLICATE_PARAMETER, "camera: '%s' is given twice", item->string);
        found[m] = item;
    }
    for (size_t m = 0; m < MEMBER_COUNT; m++)
        if (found[m] == NULL && MEMBERS[m].is_needed)
            return err_set(err, ERR_MISSING_PARAMETER, "camera: '%s' is missing", MEMBERS[m].name);
    return 0;
}

static const cJSON *find_member(const cJSON *const found[MEMBER_COUNT], enum member member)
{
    size_t m = 0;
    while (MEMBERS[m].member != member)
        m++;
    return found[m];
}

/* A matrix alone is of a convention, which has no default: the wrong one shows an empty picture at best. */
static int take_place(const cJSON *const found[MEMBER_COUNT], struct picture_camera *camera, struct err *err)
{
    const cJSON *matrix = find_member(found, MATRIX), *word = find_member(found, CONVENTION);
    if (cJSON_IsObject(matrix))
        return word == NULL ? take_matrices(matrix, camera->view_from_scene, err)
                            : err_set(err, ERR_BAD_PARAMETER,
                                      "camera: 'convention' does not go with a 'camera_from_scene' that names its own");
    if (word == NULL)
        return err_set(err, ERR_MISSING_PARAMETER,
                       "camera: 'convention' is missing: opencv (x to the right, y down, z forward) or opengl (x to "
                       "the right, y up, z backward)");
    const int convention = find_word(word, CONVENTIONS, err);
    if (convention < 0 || take_matrix(matrix, camera->view_from_scene, err) < 0)
        return err->code;
    if (convention == OPENCV)
        picture_camera_turn(camera->view_from_scene, camera->view_from_scene);
    return 0;
}

static int take_members(const cJSON *const found[MEMBER_COUNT], struct picture_camera *camera, struct err *err)
{
    const cJSON *projection = find_member(found, PROJECTION);
    const int word = projection == NULL ? 0 : find_word(projection, PROJECTIONS, err);
    if (word < 0)
        return word;
    camera->kind = PICTURE_CAMERA_PERSPECTIVE + (uint32_t)word;
    for (size_t m = 0; m < MEMBER_COUNT; m++) {
        const bool is_center = strcmp(MEMBERS[m].name, "cx") == 0 || strcmp(MEMBERS[m].name, "cy") == 0;
        double *to = (double *)(void *)((char *)camera + MEMBERS[m].at);
        if (MEMBERS[m].member == NUMBER && found[m] != NULL && take_number(found[m], is_center, to, err) < 0)
            return err->code;
    }
    return take_place(found, camera, err) < 0 ? err->code : camera_numbers_check(camera, err);
}

int request_take_camera(struct request *request, const cJSON *object, struct err *err)
{
    const cJSON *found[MEMBER_COUNT] = {NULL};
    struct picture_camera camera = {.kind = PICTURE_CAMERA_NONE};
    if (request_has_own_camera(request))
        return err_set(err, ERR_DUPLICATE_PARAMETER, "camera= and camera_name= both name the camera; give one");
    if (list_members(object, found, err) < 0 || take_members(found, &camera, err) < 0)
        return err->code;
    request->picture.given = camera;
    return 0;
}
