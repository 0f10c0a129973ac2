/* Makes the file of --camera-json the camera of the request: camera_option.h. */
#include "clients/cli/ask/camera_option.h"

#include "clients/cli/output/json_file.h"

#include <stdlib.h>

enum { CAMERA_BYTES_MAX = 1 << 16 };

/* The camera may stand alone, or in the JSON about a picture. */
static int give_camera(struct args *args, const cJSON *json, const char *file, struct text *problem)
{
    const cJSON *camera = cJSON_IsObject(json_get(json, "camera")) ? json_get(json, "camera") : json;
    if (!cJSON_IsObject(camera)) {
        text_printf(problem, "--camera-json: '%s' is no camera, which is an object", file);
        return -1;
    }
    cJSON *exact = cJSON_Duplicate(camera, true);
    json_keep_bits(exact);
    char *text = cJSON_PrintUnformatted(exact);
    cJSON_Delete(exact);
    if (text == NULL) {
        text_printf(problem, "--camera-json: no memory for '%s'", file);
        return -1;
    }
    args_give_json(args, "camera", text);
    free(text);
    return 0;
}

int camera_option_read(struct args *args, struct text *problem)
{
    const char *path = args_text(args, OPTION_CAMERA_JSON, NULL);
    struct json_file file = {0};
    struct text why = {0};
    if (path == NULL)
        return 0;
    if (args_parameter(args, "camera") != NULL || args_parameter(args, "camera_name") != NULL) {
        text_put(problem, "--camera-json is another camera than --camera: give one of them");
        return -1;
    }
    const enum json_read result = json_file_read(&file, path, path, CAMERA_BYTES_MAX, &why);
    int rc = -1;
    if (result == JSON_READ)
        rc = give_camera(args, file.json, path, problem);
    else if (result == JSON_NONE)
        text_printf(problem, "--camera-json: there is no file '%s'", path);
    else
        text_printf(problem, "--camera-json: %s", why.at);
    json_file_free(&file);
    text_free(&why);
    return rc;
}
