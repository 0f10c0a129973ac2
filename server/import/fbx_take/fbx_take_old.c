/* fbx_take_old.c - the takes of files before 7.0.
 *
 * Takes { Take: "walk" { LocalTime: start, stop  Model: "Model::hip" { Channel: "Transform" { Channel: "T" {
 * Channel: "X" { Default, KeyCount, Key } ... } ... } Channel: "smile" { Default, Key } } } } */
#include "import/fbx_take/fbx_take.h"

#include <string.h>

static bool is_curve(const struct fbx_file *file, uint32_t channel)
{
    return fbx_child(file, channel, "Key") != FBX_NONE || fbx_child(file, channel, "Default") != FBX_NONE;
}

/* Adds a channel that is itself a curve, or that contains up to three curves. */
static int add_property(struct fbx_take_list *list, const struct fbx_file *file, uint32_t object, uint32_t channel,
                        struct fbx_span property, struct err *err)
{
    uint32_t at = is_curve(file, channel) ? channel : fbx_child(file, channel, "Channel");
    while (at != FBX_NONE && !is_curve(file, at))
        at = fbx_next(file, at, "Channel");
    if (at == FBX_NONE)
        return 0;
    struct fbx_drive *drive = fbx_add_drive(list, err);
    if (drive == NULL)
        return err->code;
    drive->object = object;
    drive->property = property;
    for (int axis = 0; axis < 3 && at != FBX_NONE; axis++) {
        drive->defaults[axis] = fbx_child_real(file, at, "Default", drive->defaults[axis]);
        if (fbx_child(file, at, "Key") != FBX_NONE)
            drive->curves[axis] = at;
        do
            at = at == channel ? FBX_NONE : fbx_next(file, at, "Channel");
        while (at != FBX_NONE && !is_curve(file, at));
    }
    return 0;
}

static int add_transform(struct fbx_take_list *list, const struct fbx_file *file, uint32_t object, uint32_t channel,
                         struct err *err)
{
    static const char *const NAMES[][2] = {{"T", "Lcl Translation"}, {"R", "Lcl Rotation"}, {"S", "Lcl Scaling"}};
    for (uint32_t at = fbx_child(file, channel, "Channel"); at != FBX_NONE; at = fbx_next(file, at, "Channel"))
        for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
            if (fbx_span_is(fbx_text(file, at, 0), NAMES[i][0]) &&
                add_property(list, file, object, at, fbx_span_of(NAMES[i][1]), err) < 0)
                return err->code;
    return 0;
}

static int add_model(struct fbx_take_list *list, const struct fbx_scene *scene, uint32_t record, struct err *err)
{
    enum { VERSION_WITHOUT_SUFFIX = 6000 };
    const struct fbx_file *file = &scene->file;
    const uint32_t object = fbx_object_named(scene, fbx_text(file, record, 0));
    if (object == FBX_NONE)
        return 0;
    for (uint32_t at = fbx_child(file, record, "Channel"); at != FBX_NONE; at = fbx_next(file, at, "Channel")) {
        struct fbx_span name = fbx_text(file, at, 0);
        if (file->version < VERSION_WITHOUT_SUFFIX)
            name = fbx_old_shape_name(name);
        const int rc = fbx_span_is(name, "Transform") ? add_transform(list, file, object, at, err)
                                                      : add_property(list, file, object, at, name, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int fbx_old_takes_read(struct fbx_take_list *list, const struct fbx_scene *scene, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    for (uint32_t at = fbx_child(file, scene->takes, "Take"); at != FBX_NONE; at = fbx_next(file, at, "Take")) {
        struct fbx_take *take = fbx_add_take(list, fbx_text(file, at, 0));
        fbx_take_times(scene, at, &take->range);
        fbx_add_layer(list);
        for (uint32_t model = fbx_child(file, at, "Model"); model != FBX_NONE; model = fbx_next(file, model, "Model"))
            if (add_model(list, scene, model, err) < 0)
                return err->code;
    }
    return 0;
}
