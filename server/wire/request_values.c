#include "request_values.h"

#include "query.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PATH_MAX_BYTES = 4095, HASH_DIGITS = 64 };
#define TIME_TOLERANCE_S 1e-9 /* a range's end counts when a step comes this near to it */

static int bad(struct value *value, const char *expected)
{
    return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s' is '%.80s'; it must be %s", value->name, value->text,
                   expected);
}

static int check_path(const struct value *value)
{
    const char *path = value->text;
    const char *fault = value->size_bytes == 0               ? "is empty"
                        : value->size_bytes > PATH_MAX_BYTES ? "is too long"
                        : path[0] == '/'                     ? "is absolute; it must be relative to the root"
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
        return err_set(value->err, ERR_BAD_PATH, "the %s path '%.200s' %s", value->name, path, fault);
    return 0;
}

int value_model(struct value *value)
{
    value->request->model = value->text;
    return check_path(value);
}

int value_clip_file(struct value *value)
{
    value->request->clip_file = value->text;
    return check_path(value);
}

int value_hash(struct value *value)
{
    bool is_hash = value->size_bytes == HASH_DIGITS;
    for (char *c = value->text; *c != '\0'; c++) {
        if (*c >= 'A' && *c <= 'F')
            *c = (char)(*c - 'A' + 'a');
        is_hash = is_hash && ((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'));
    }
    value->request->hash = value->text;
    return is_hash ? 0 : bad(value, "the 64 hex digits of a model's content hash");
}

static struct selector by_name(const char *text, size_t size_bytes)
{
    return (struct selector){.kind = SELECT_NAME, .name = text, .name_bytes = size_bytes};
}

/* `forced` is the parameter that takes an empty name or one of digits only, or NULL. */
static int select_one(struct value *value, const char *text, const char *forced, struct selector *out)
{
    if (*text == '\0')
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s' has an empty entry%s%s%s", value->name,
                       forced == NULL ? "" : "; ", forced == NULL ? "" : forced,
                       forced == NULL ? "" : "= takes an empty name");
    if (!query_is_digits(text)) {
        *out = by_name(text, strlen(text));
        return 0;
    }
    uint64_t index;
    if (!query_uint(text, INT32_MAX, &index))
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter '%s': the index %.40s is too large%s%s%s", value->name,
                       text, forced == NULL ? "" : "; ", forced == NULL ? "" : forced,
                       forced == NULL ? "" : "= takes a name of digits");
    *out = (struct selector){.kind = SELECT_INDEX, .index = (uint32_t)index};
    return 0;
}

static int clip_is_single(const struct value *value)
{
    if (value->request->clip.kind == SELECT_ABSENT)
        return 0;
    return err_set(value->err, ERR_DUPLICATE_PARAMETER, "clip= and clip_name= both name the clip; give one");
}

int value_clip(struct value *value)
{
    const int rc = clip_is_single(value);
    if (rc < 0)
        return rc;
    if (strcmp(value->text, "-") == 0) {
        value->request->clip = (struct selector){.kind = SELECT_REST};
        return 0;
    }
    return select_one(value, value->text, "clip_name", &value->request->clip);
}

int value_clip_name(struct value *value)
{
    const int rc = clip_is_single(value);
    value->request->clip = by_name(value->text, value->size_bytes);
    return rc;
}

/* Ends the entry at *rest with a NUL and moves *rest behind it; NULL after the last. */
static char *next_entry(char **rest)
{
    char *entry = *rest;
    if (entry == NULL)
        return NULL;
    char *comma = strchr(entry, ',');
    *rest = comma == NULL ? NULL : comma + 1;
    if (comma != NULL)
        *comma = '\0';
    return entry;
}

static struct request_lists *lists_of(struct value *value) { return value->request->blocks; }

static int select_many(struct value *value, const char *forced, struct buf *list)
{
    char *rest = value->text;
    for (const char *entry = next_entry(&rest); entry != NULL; entry = next_entry(&rest)) {
        struct selector selector;
        const int rc = select_one(value, entry, forced, &selector);
        if (rc < 0)
            return rc;
        buf_put(list, &selector, sizeof selector);
    }
    return 0;
}

static int select_name(struct value *value, struct buf *list)
{
    const struct selector selector = by_name(value->text, value->size_bytes);
    buf_put(list, &selector, sizeof selector);
    return 0;
}

int value_skin(struct value *value) { return select_many(value, "skin_name", &lists_of(value)->skins); }
int value_skin_name(struct value *value) { return select_name(value, &lists_of(value)->skins); }
int value_joints(struct value *value) { return select_many(value, "joint_name", &lists_of(value)->joints); }
int value_joint_name(struct value *value) { return select_name(value, &lists_of(value)->joints); }

static int mesh_is_single(const struct value *value)
{
    if (value->request->mesh.kind == SELECT_ABSENT)
        return 0;
    return err_set(value->err, ERR_DUPLICATE_PARAMETER, "mesh= and mesh_name= both name the mesh; give one");
}

int value_mesh(struct value *value)
{
    const int rc = mesh_is_single(value);
    return rc < 0 ? rc : select_one(value, value->text, "mesh_name", &value->request->mesh);
}

int value_mesh_name(struct value *value)
{
    const int rc = mesh_is_single(value);
    value->request->mesh = by_name(value->text, value->size_bytes);
    return rc;
}

static int too_many_times(struct value *value)
{
    return err_set(value->err, ERR_TOO_MANY_FRAMES, "parameter 't' asks for more than %llu times",
                   (unsigned long long)value->limits->value[LIMIT_FRAMES]);
}

int value_add_time(struct value *value, double time_s)
{
    struct buf *times = &lists_of(value)->times;
    if (times->size_bytes / sizeof time_s >= value->limits->value[LIMIT_FRAMES])
        return too_many_times(value);
    buf_put(times, &time_s, sizeof time_s);
    return 0;
}

/* start + i / fps, up to and including the end. */
static int add_range(struct value *value, double start_s, double end_s, double fps)
{
    const double steps = (end_s - start_s + TIME_TOLERANCE_S) * fps;
    if (!(steps < (double)value->limits->value[LIMIT_FRAMES]))
        return too_many_times(value);
    const uint64_t last = (uint64_t)steps;
    for (uint64_t i = 0; i <= last; i++) {
        const int rc = value_add_time(value, start_s + (double)i / fps);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* One entry of t=: a time, or start:end:fps. */
static int add_times(struct value *value, char *entry)
{
    double numbers[3] = {0};
    int count = 0;
    for (char *at = entry; at != NULL; count++) {
        char *colon = strchr(at, ':');
        if (colon != NULL)
            *colon = '\0';
        if (count == 3 || !query_double(at, &numbers[count]))
            return err_set(value->err, ERR_BAD_PARAMETER,
                           "parameter 't' has '%.60s', which is no finite number of seconds; write 0.5, 0,0.5 or "
                           "start:end:fps",
                           at);
        at = colon == NULL ? NULL : colon + 1;
    }
    if (count == 1)
        return value_add_time(value, numbers[0]);
    if (count == 2)
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter 't' has a range without fps; write start:end:fps");
    if (numbers[0] > numbers[1])
        return err_set(value->err, ERR_BAD_PARAMETER,
                       "parameter 't' has a range that ends at %g, before its start at %g", numbers[1], numbers[0]);
    if (!(numbers[2] > 0))
        return err_set(value->err, ERR_BAD_PARAMETER, "parameter 't' has a range of %g fps; fps must be above 0",
                       numbers[2]);
    return add_range(value, numbers[0], numbers[1], numbers[2]);
}

int value_times(struct value *value)
{
    char *rest = value->text;
    for (char *entry = next_entry(&rest); entry != NULL; entry = next_entry(&rest)) {
        const int rc = add_times(value, entry);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The place of the text among `count` words, or -1. */
static int word_of(const char *text, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

int value_wrap(struct value *value)
{
    static const char *const WORDS[] = {[WRAP_LOOP] = "loop", [WRAP_CLAMP] = "clamp", [WRAP_MIRROR] = "mirror"};
    const int word = word_of(value->text, WORDS, 3);
    if (word < 0)
        return bad(value, "loop, clamp or mirror");
    value->request->wrap = (enum wrap)word;
    return 0;
}

/* A finite number from `least` to `most`; `expected` says so. */
static int number_of(struct value *value, double least, double most, const char *expected, double *out)
{
    double number;
    if (!query_double(value->text, &number) || number < least || number > most)
        return bad(value, expected);
    *out = number + 0; /* not -0 */
    return 0;
}

int value_from(struct value *value)
{
    value->request->span.has_from = true;
    return number_of(value, 0, DBL_MAX, "a number of seconds, or of frames with 'fps', from 0",
                     &value->request->span.from);
}

int value_to(struct value *value)
{
    value->request->span.has_to = true;
    return number_of(value, 0, DBL_MAX, "a number of seconds, or of frames with 'fps', from 0",
                     &value->request->span.to);
}

int value_fps(struct value *value)
{
    value->request->span.has_fps = true;
    return number_of(value, DBL_MIN, DBL_MAX, "a number of frames a second above 0", &value->request->span.fps);
}

int value_speed(struct value *value)
{
    value->request->span.has_speed = true;
    return number_of(value, -DBL_MAX, DBL_MAX, "a finite number", &value->request->span.speed);
}

int value_phase(struct value *value)
{
    value->request->span.has_phase = true;
    return number_of(value, 0, 1, "a number from 0 to 1", &value->request->span.phase);
}

int value_space(struct value *value)
{
    static const char *const WORDS[] = {[SPACE_SCENE] = "scene", [SPACE_ROOT] = "root", [SPACE_MESH] = "mesh"};
    const int word = word_of(value->text, WORDS, 3);
    if (word < 0)
        return bad(value, "scene, root or mesh");
    value->request->space = (enum space)word;
    return 0;
}

int value_layout(struct value *value)
{
    static const char *const WORDS[] = {
        [LAYOUT_MAT4] = "mat4", [LAYOUT_MAT3X4] = "mat3x4", [LAYOUT_DUALQUAT] = "dualquat"};
    const int word = word_of(value->text, WORDS, 3);
    if (word < 0)
        return bad(value, "mat4, mat3x4 or dualquat");
    value->request->layout = (enum layout)word;
    return 0;
}

int value_format(struct value *value)
{
    static const char *const WORDS[] = {[FORMAT_JSON] = "json", [FORMAT_BIN] = "bin", [FORMAT_GLB] = "glb"};
    const bool has_glb = value->request->op == OP_MESH;
    const int word = word_of(value->text, WORDS, has_glb ? 3 : 2);
    if (word < 0)
        return bad(value, has_glb ? "json, bin or glb" : "json or bin");
    value->request->format = (enum format)word;
    return 0;
}

int value_what(struct value *value)
{
    static const char *const WORDS[] = {"local", "scene"};
    static const unsigned BITS[] = {WHAT_LOCAL, WHAT_SCENE};
    char *rest = value->text;
    for (const char *entry = next_entry(&rest); entry != NULL; entry = next_entry(&rest)) {
        const int word = word_of(entry, WORDS, 2);
        if (word < 0)
            return err_set(value->err, ERR_BAD_PARAMETER, "parameter 'what' has '%.80s'; it takes local and scene",
                           entry);
        value->request->what |= BITS[word];
    }
    return 0;
}

static int flag_of(struct value *value, bool *out)
{
    static const char *const WORDS[] = {"0", "1", "false", "true"}; /* the words are JSON's */
    const int word = word_of(value->text, WORDS, 4);
    *out = word == 1 || word == 3;
    return word < 0 ? bad(value, "0 or 1") : 0;
}

int value_indices(struct value *value) { return flag_of(value, &value->request->has_indices); }
int value_normals(struct value *value) { return flag_of(value, &value->request->has_normals); }
int value_textures(struct value *value)
{
    bool has_textures = true;
    const int rc = flag_of(value, &has_textures);
    value->request->has_no_textures = !has_textures;
    return rc;
}
int value_rest(struct value *value) { return flag_of(value, &value->request->has_rest); }

/* A whole number from 1 to `most`. */
static int count_of(struct value *value, uint64_t most, uint32_t *out)
{
    uint64_t count;
    if (!query_uint(value->text, most < UINT32_MAX ? most : UINT32_MAX, &count) || count == 0)
        return err_set(value->err, ERR_BAD_PARAMETER,
                       "parameter '%s' is '%.80s'; it must be a whole number from 1 to %llu", value->name, value->text,
                       (unsigned long long)most);
    *out = (uint32_t)count;
    return 0;
}

int value_width(struct value *value)
{
    return count_of(value, value->limits->value[LIMIT_PICTURE_SIDE], &value->request->width);
}

int value_height(struct value *value)
{
    return count_of(value, value->limits->value[LIMIT_PICTURE_SIDE], &value->request->height);
}

int value_limit(struct value *value)
{
    return count_of(value, value->limits->value[LIMIT_LIST], &value->request->list_limit);
}

static int hex_of(char c)
{
    const char *const digits = "0123456789abcdef0123456789ABCDEF";
    const char *at = c == '\0' ? NULL : strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits) % 16;
}

int value_background(struct value *value)
{
    uint8_t *rgba = value->request->background;
    if (strcmp(value->text, "transparent") == 0)
        return 0;
    if (value->size_bytes != 6 && value->size_bytes != 8)
        return bad(value, "transparent, RRGGBB or RRGGBBAA");
    rgba[3] = 255;
    for (size_t i = 0; i < value->size_bytes; i += 2) {
        const int high = hex_of(value->text[i]), low = hex_of(value->text[i + 1]);
        if (high < 0 || low < 0)
            return bad(value, "transparent, RRGGBB or RRGGBBAA");
        rgba[i / 2] = (uint8_t)(high * 16 + low);
    }
    return 0;
}

int value_yaw(struct value *value)
{
    return query_double(value->text, &value->request->yaw_deg) ? 0 : bad(value, "a finite number of degrees");
}

int value_pitch(struct value *value)
{
    double *pitch = &value->request->pitch_deg;
    return query_double(value->text, pitch) && *pitch >= -90 && *pitch <= 90
               ? 0
               : bad(value, "a number of degrees from -90 to 90");
}

int value_over(struct value *value)
{
    value->request->is_over_clip = true;
    return strcmp(value->text, "clip") == 0 ? 0 : bad(value, "clip");
}

int value_rate(struct value *value)
{
    enum { RATE_MAX = 1000 };
    value->request->has_rate = true;
    return number_of(value, 0, RATE_MAX, "a number of poses a second from 0 to 1000", &value->request->rate);
}

int value_per(struct value *value)
{
    value->request->is_per_joint = true;
    return strcmp(value->text, "joint") == 0 ? 0 : bad(value, "joint");
}

int value_root_motion(struct value *value)
{
    value->request->has_root_motion = true;
    return strcmp(value->text, "extract") == 0 ? 0 : bad(value, "extract");
}

int value_root(struct value *value) { return select_one(value, value->text, NULL, &value->request->root); }
int value_turn(struct value *value) { return flag_of(value, &value->request->has_turn); }

int value_prefix(struct value *value)
{
    value->request->prefix = value->text;
    return 0;
}

int value_after(struct value *value)
{
    value->request->after = value->text;
    return 0;
}

int value_of_body(struct value *value)
{
    return err_set(value->err, ERR_BAD_PARAMETER,
                   "parameter '%s' does not fit a query: it is given in the JSON body of a POST", value->name);
}

int value_weight(struct value *value)
{
    enum { WEIGHT_MAX = 1000 };
    double *weight = &value->request->weight;
    return query_double(value->text, weight) && *weight >= 0 && *weight <= WEIGHT_MAX
               ? 0
               : bad(value, "a number from 0 to 1000");
}

int value_mode(struct value *value)
{
    static const char *const WORDS[] = {"override", "additive"};
    const int word = word_of(value->text, WORDS, 2);
    value->request->is_additive = word == 1;
    return word < 0 ? bad(value, "override or additive") : 0;
}

/* Nodes that stand for all below them. */
static int add_subtrees(struct value *value, enum blend_reach reach)
{
    struct buf *joints = &lists_of(value)->joints;
    const size_t first = joints->size_bytes;
    const int rc = select_many(value, NULL, joints);
    struct selector *added = (struct selector *)(void *)(joints->data + first);
    for (size_t i = 0; i < (joints->size_bytes - first) / sizeof *added; i++)
        added[i].reach = reach;
    return rc;
}

int value_subtree(struct value *value) { return add_subtrees(value, BLEND_SUBTREE); }
int value_except(struct value *value) { return add_subtrees(value, BLEND_EXCEPT); }
