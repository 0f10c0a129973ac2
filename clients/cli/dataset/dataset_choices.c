/* The cameras and lights of a data set: --orbit, --cameras and --lights. */
#include "clients/cli/dataset/dataset.h"

#include "clients/cli/output/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CAMERA_FILE_BYTES_MAX = 64 << 20, CHOICES_MAX = 65536 };
static const char PITCH_DEFAULT[] = "15"; /* that of camera=three_quarter */

static struct dataset_choice *add(struct dataset_choice **choices, size_t *count)
{
    *choices = must_grow(*choices, (*count + 1) * sizeof **choices);
    (*choices)[*count] = (struct dataset_choice){.query = NULL};
    return &(*choices)[(*count)++];
}

static char *copy_or_null(const char *text) { return text == NULL ? NULL : must_copy(text); }

/* Refuses the parameters of one camera beside several. */
static int refuse_one_camera(const struct args *args, const char *option)
{
    static const char *const NAMES[] = {"camera", "camera_name", "yaw", "pitch", "projection"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (args_parameter(args, NAMES[i]) != NULL) {
            struct text name = {0};
            flag_put_name(&name, NAMES[i]);
            terminal_error("--%s and %s contradict each other", option, name.at);
            text_free(&name);
            return STATUS_USAGE;
        }
    return STATUS_DONE;
}

/* Reads "8" or "8:0,30,60": directions around the model, at each of these pitches in degrees. */
static int read_orbit(struct dataset *set, const char *value, const char *body)
{
    enum { SIDES_MAX = 4096 };
    char *end;
    const unsigned long sides = strtoul(value, &end, 10);
    const char *pitch = *end == ':' ? end + 1 : PITCH_DEFAULT;
    bool is_bad = end == value || sides < 1 || sides > SIDES_MAX || strchr("+- ", *value) != NULL ||
                  (*end != '\0' && *end != ':');
    while (!is_bad) {
        char *next;
        const double pitch_deg = strtod(pitch, &next);
        is_bad = next == pitch || !(fabs(pitch_deg) <= 90) || (*next != '\0' && *next != ',') ||
                 set->camera_count + sides > CHOICES_MAX;
        for (unsigned long i = 0; i < sides && !is_bad; i++) {
            struct text query = {0};
            text_printf(&query, "&camera=front&yaw=%.9g&pitch=%.9g", 360.0 * (double)i / (double)sides, pitch_deg);
            struct dataset_choice *camera = add(&set->cameras, &set->camera_count);
            camera->query = query.at;
            camera->body = copy_or_null(body);
        }
        if (*next == '\0')
            break;
        pitch = next + 1;
    }
    if (is_bad)
        terminal_error("--orbit takes SIDES or SIDES:PITCH,.., from 1 to %d sides and pitches from -90 to 90 degrees, "
                       "not '%s'",
                       SIDES_MAX, value);
    return is_bad ? STATUS_USAGE : STATUS_DONE;
}

/* Adds a camera of the list: as a body has it, as an answer tells it, or an object with either as "camera". */
static int add_listed(struct dataset *set, const struct json_file *file, const cJSON *entry, const char *body)
{
    const cJSON *camera = json_get(entry, "camera") != NULL ? json_get(entry, "camera") : entry;
    cJSON *json = body == NULL ? cJSON_CreateObject() : cJSON_Parse(body);
    if (!cJSON_IsObject(camera) && !cJSON_IsString(camera)) {
        struct text problem = {0};
        json_file_put_place(file, entry, &problem);
        text_put(&problem, "this is no camera, which is an object or a word: ");
        json_put_short(&problem, entry);
        terminal_error("--cameras: %s", problem.at);
        text_free(&problem);
        cJSON_Delete(json);
        return STATUS_USAGE;
    }
    cJSON_AddItemToObject(json, "camera", cJSON_Duplicate(camera, true));
    struct dataset_choice *added = add(&set->cameras, &set->camera_count);
    added->query = must_copy("");
    json_keep_bits(json);
    added->body = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    return STATUS_DONE;
}

static int read_list(struct dataset *set, const char *path, const char *body)
{
    struct json_file file = {0};
    struct text problem = {0};
    int status = STATUS_DONE;
    const enum json_read result = json_file_read(&file, path, path, CAMERA_FILE_BYTES_MAX, &problem);
    const int count = cJSON_GetArraySize(file.json);
    const cJSON *entry;
    if (result == JSON_NONE)
        text_printf(&problem, "there is no file '%s'", path);
    else if (result == JSON_READ && (!cJSON_IsArray(file.json) || count < 1 || count > CHOICES_MAX))
        text_printf(&problem, "'%s' is no list of 1 to %d cameras", path, CHOICES_MAX);
    if (problem.size_bytes > 0) {
        terminal_error("--cameras: %s", problem.at);
        status = STATUS_USAGE;
    }
    if (status == STATUS_DONE)
        cJSON_ArrayForEach(entry, file.json)
        {
            if (status == STATUS_DONE)
                status = add_listed(set, &file, entry, body);
        }
    json_file_free(&file);
    text_free(&problem);
    return status;
}

/* Reads "studio,sky/noon.hdr". A path is that of an environment. */
static int read_lights(struct dataset *set, const char *value)
{
    while (*value != '\0') {
        const size_t size = strcspn(value, ",");
        struct text name = {0}, query = {0};
        text_put_bytes(&name, value, size);
        if (size == 0 || set->light_count == CHOICES_MAX) {
            terminal_error("--lights takes lights between commas, not '%s'", value);
            text_free(&name);
            return STATUS_USAGE;
        }
        const bool is_file = size > 4 && strcmp(name.at + size - 4, ".hdr") == 0;
        text_put(&query, is_file ? "&environment=" : "&light=");
        text_put_url(&query, name.at);
        struct dataset_choice *light = add(&set->lights, &set->light_count);
        light->query = query.at;
        light->name = name.at;
        value += size + (value[size] == ',');
    }
    return STATUS_DONE;
}

static int read_cameras(struct dataset *set, const struct args *args, const char *body)
{
    const char *orbit = args_text(args, OPTION_ORBIT, NULL), *list = args_text(args, OPTION_CAMERAS, NULL);
    if (orbit != NULL && list != NULL) {
        terminal_error("--orbit and --cameras contradict each other");
        return STATUS_USAGE;
    }
    if ((orbit != NULL || list != NULL) && refuse_one_camera(args, orbit != NULL ? "orbit" : "cameras") != STATUS_DONE)
        return STATUS_USAGE;
    if (orbit != NULL)
        return read_orbit(set, orbit, body);
    if (list != NULL)
        return read_list(set, list, body);
    struct dataset_choice *camera = add(&set->cameras, &set->camera_count);
    camera->query = must_copy("");
    camera->body = copy_or_null(body);
    return STATUS_DONE;
}

int dataset_choices_read(struct dataset *set, const struct args *args, const char *body)
{
    const char *lights = args_text(args, OPTION_LIGHTS, NULL);
    const int status = read_cameras(set, args, body);
    if (status != STATUS_DONE)
        return status;
    if (lights != NULL && (args_parameter(args, "light") != NULL || args_parameter(args, "environment") != NULL)) {
        terminal_error("--lights and --%s contradict each other",
                       args_parameter(args, "light") != NULL ? "light" : "environment");
        return STATUS_USAGE;
    }
    if (lights != NULL && lights[0] != '\0')
        return read_lights(set, lights);
    struct dataset_choice *light = add(&set->lights, &set->light_count);
    light->query = must_copy("");
    return STATUS_DONE;
}

static void free_choices(struct dataset_choice *choices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(choices[i].query);
        free(choices[i].body);
        free(choices[i].name);
    }
    free(choices);
}

void dataset_choices_free(struct dataset *set)
{
    free_choices(set->cameras, set->camera_count);
    free_choices(set->lights, set->light_count);
}
