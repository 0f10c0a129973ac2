#include "wire/reply/face_warnings.h"

#include "wire/encode/json.h"

/* A list of names for a warning, cut where it gets long. */
struct name_list {
    const struct model *model;
    struct buf text;
    uint32_t count;
};

static void add_missing(void *context, struct str name)
{
    enum { NAMED_MOST = 8 };
    struct name_list *names = context;
    if (names->count < NAMED_MOST)
        buf_printf(&names->text, "%s'%.*s'", names->count > 0 ? ", " : "", (int)name.size_bytes,
                   names->model->text + name.offset);
    else if (names->count == NAMED_MOST)
        buf_put_text(&names->text, ", ...");
    names->count++;
}

bool face_put_warnings(struct buf *out, const struct retarget *retarget, bool has_comma)
{
    const struct rest_face *face = retarget_face(retarget);
    struct name_list names = {.model = retarget->source};
    bool has_one = has_comma;
    if (face == NULL)
        return has_comma;
    buf_init(&names.text, 0);
    rest_face_each_missing(face, add_missing, &names);
    if (names.count > 0) {
        json_comma(out, has_one);
        buf_put_text(out, "{\"code\":\"expressions_unmatched\",\"message\":");
        buf_put_text(&names.text,
                     names.count == 1 ? " is no expression of the model" : " are no expressions of the model");
        json_put_string(out, names.text.data, names.text.size_bytes);
        buf_put_char(out, '}');
        has_one = true;
    }
    buf_fini(&names.text);
    if (rest_face_lacks_gaze(face)) {
        json_comma(out, has_one);
        buf_put_text(
            out, "{\"code\":\"gaze_unmatched\",\"message\":\"the clip turns the eyes, and the model has no lookAt with "
                 "joints of eyes or expressions for it\"}");
        has_one = true;
    }
    return has_one;
}
