/* request_crowd.c - makes a request from a binary crowd, and lists its files. */
#include "wire/request/request_parser.h"

#include "wire/request/crowd_request.h"

#include <string.h>
#include <strings.h>

int request_check_binary_type(const char *type, const char *own, const char *what, struct err *err)
{
    const char *const types[] = {own, "application/octet-stream", "application/json",
                                 "application/x-www-form-urlencoded"}; /* curl's default type */
    if (type == NULL)
        return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t size = strlen(types[i]);
        if (strncasecmp(type, types[i], size) != 0)
            continue;
        const char *rest = type + size + strspn(type + size, " \t");
        if (*rest == '\0' || *rest == ';')
            return 0;
    }
    return err_set(err, ERR_UNSUPPORTED_MEDIA_TYPE, "the body is '%.80s'; a %s is %s", type, what, own);
}

int request_take_crowd(struct request *request, const struct request_head *head, const struct limits *limits,
                       struct err *err)
{
    size_t bad_at;
    if (request_check_binary_type(head->content_type, CROWD_CONTENT_TYPE, "crowd", err) < 0)
        return err->code;
    if (crowd_request_read(&request->crowd, head->body, head->body_bytes, limits, &bad_at, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < request->crowd->model_count; i++) {
        struct crowd_model *model = &request->crowd->models[i];
        if (model->handle != 0)
            err_set(&model->err, ERR_MODEL_NOT_FOUND, "handles are for packets: here a model has a path");
    }
    return request_complete_crowd(request, err);
}

int request_complete_crowd(struct request *request, struct err *err)
{
    struct crowd_request *crowd = request->crowd;
    uint32_t count = 0;
    for (uint32_t i = 0; i < crowd->model_count; i++) {
        struct crowd_model *model = &crowd->models[i];
        if (model->err.code != 0 || request_check_model_path("model's", model->path, &model->err) < 0)
            continue;
        const char *hash = model->hash[0] == '\0' ? NULL : model->hash;
        model->err.code = 0;
        model->slot = count;
        if (count == 0) {
            request->model = model->path;
            request->hash = hash;
        } else if (request_add_source(request, model->path, hash, err) < 0) {
            return err->code;
        }
        count++;
    }
    return 0;
}

void request_miss_crowd_model(const struct request *request, uint32_t slot, const struct err *err)
{
    for (uint32_t i = 0; i < request->crowd->model_count; i++) {
        struct crowd_model *model = &request->crowd->models[i];
        if (model->err.code == 0 && model->slot == slot) {
            model->err = *err;
            return;
        }
    }
}
