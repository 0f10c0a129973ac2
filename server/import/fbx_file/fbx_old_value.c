/* fbx_old_value.c - converts records and channels of files before 6.0 to the corresponding properties of 7.x. */
#include "import/fbx_file/fbx_scene_internal.h"

#include <stdlib.h>
#include <string.h>

/* `count` values of a record, from the `first` on, under another name. */
struct old_value {
    const char *kind;
    const char *record;
    const char *property;
    uint32_t first, count;
};
static const struct old_value OLD_VALUES[] = {
    {"NodeAttribute", "ApertureMode", "ApertureMode", 0, 1},
    {"NodeAttribute", "AspectType", "AspectRatioMode", 0, 1},
    {"NodeAttribute", "AspectW", "AspectWidth", 0, 1},
    {"NodeAttribute", "AspectH", "AspectHeight", 0, 1},
    {"NodeAttribute", "Aperture", "FieldOfView", 0, 1},
    {"NodeAttribute", "FieldOfViewXProperty", "FieldOfViewX", 0, 1},
    {"NodeAttribute", "FieldOfViewYProperty", "FieldOfViewY", 0, 1},
    {"NodeAttribute", "CameraAperture", "FilmWidth", 0, 1},
    {"NodeAttribute", "CameraAperture", "FilmHeight", 1, 1},
    {"NodeAttribute", "SqueezeRatio", "FilmSqueezeRatio", 0, 1},
    {"NodeAttribute", "FocalLength", "FocalLength", 0, 1},
    {"NodeAttribute", "NearPlane", "NearPlane", 0, 1},
    {"NodeAttribute", "FarPlane", "FarPlane", 0, 1},
    {"Material", "Ambient", "AmbientColor", 0, 3},
    {"Material", "Diffuse", "DiffuseColor", 0, 3},
    {"Material", "Emissive", "EmissiveColor", 0, 3},
    {"Material", "Specular", "SpecularColor", 0, 3},
    {"Material", "Shininess", "Shininess", 0, 1},
};

/* The channels of a transform, their properties, and the value of a missing axis. */
static const struct {
    const char *channel, *property;
    double missing;
} TRANSFORMS[] = {{"T", "Lcl Translation", 0}, {"R", "Lcl Rotation", 0}, {"S", "Lcl Scaling", 1}};
static const char *const AXES[] = {"X", "Y", "Z"};

static uint32_t channel_of(const struct fbx_file *file, uint32_t parent, const char *name)
{
    uint32_t at = fbx_child(file, parent, "Channel");
    while (at != FBX_NONE && !fbx_span_is(fbx_text(file, at, 0), name))
        at = fbx_next(file, at, "Channel");
    return at;
}

/* Channel: "Transform" { Channel: "T" { Channel: "X" { Default: x } ... } ... }  Channel: "Visibility" { Default: v }
 */
static void give_channels(struct fbx_scene *scene, uint32_t object, uint32_t record)
{
    const struct fbx_file *file = &scene->file;
    const uint32_t transform = channel_of(file, record, "Transform");
    for (size_t t = 0; t < sizeof TRANSFORMS / sizeof *TRANSFORMS; t++) {
        const uint32_t channel = channel_of(file, transform, TRANSFORMS[t].channel);
        double value[3];
        bool has_one = false;
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t one = fbx_child(file, channel_of(file, channel, AXES[axis]), "Default");
            value[axis] = fbx_real(file, one, 0, TRANSFORMS[t].missing);
            has_one |= one != FBX_NONE;
        }
        if (has_one)
            fbx_give(scene, object, TRANSFORMS[t].property, value);
    }
    const uint32_t visibility = fbx_child(file, channel_of(file, record, "Visibility"), "Default");
    if (visibility != FBX_NONE)
        fbx_give(scene, object, "Visibility", (double[3]){fbx_real(file, visibility, 0, 1)});
}

struct fbx_span fbx_old_shape_name(struct fbx_span channel)
{
    static const char SUFFIX[] = " (Shape)";
    const size_t size = sizeof SUFFIX - 1;
    if (channel.size_bytes > size && memcmp(channel.bytes + channel.size_bytes - size, SUFFIX, size) == 0)
        channel.size_bytes -= size;
    return channel;
}

/* Of two channels of a blend shape with one name, the first. */
static uint32_t slider_named(const struct fbx_scene *scene, uint32_t model, struct fbx_span name)
{
    const uint32_t part = scene->objects[model].part;
    for (uint32_t i = part == FBX_NONE ? scene->object_count : part; i < scene->object_count; i++) {
        const struct fbx_object *object = &scene->objects[i];
        if (!object->is_made)
            break;
        if (fbx_object_is(scene, i, "Deformer", "BlendShapeChannel") && object->name.size_bytes == name.size_bytes &&
            memcmp(object->name.bytes, name.bytes, name.size_bytes) == 0)
            return i;
    }
    return FBX_NONE;
}

/* Channel: "smile (Shape)" { Default: percent } */
void fbx_give_old_sliders(struct fbx_scene *scene, uint32_t model, uint32_t record)
{
    const struct fbx_file *file = &scene->file;
    for (uint32_t at = fbx_child(file, record, "Channel"); at != FBX_NONE; at = fbx_next(file, at, "Channel")) {
        const uint32_t value = fbx_child(file, at, "Default");
        const uint32_t slider =
            value == FBX_NONE ? FBX_NONE : slider_named(scene, model, fbx_old_shape_name(fbx_text(file, at, 0)));
        if (slider != FBX_NONE)
            fbx_give(scene, slider, "DeformPercent", (double[3]){fbx_real(file, value, 0, 0)});
    }
}

void fbx_give_old_values(struct fbx_scene *scene, uint32_t object)
{
    const uint32_t record = scene->objects[object].record;
    for (size_t i = 0; i < sizeof OLD_VALUES / sizeof *OLD_VALUES; i++) {
        const struct old_value *old = &OLD_VALUES[i];
        const uint32_t found =
            fbx_object_is(scene, object, old->kind, NULL) ? fbx_child(&scene->file, record, old->record) : FBX_NONE;
        if (fbx_value_count(&scene->file, found) < old->first + old->count)
            continue;
        double value[3] = {0};
        for (uint32_t v = 0; v < old->count; v++)
            value[v] = fbx_real(&scene->file, found, old->first + v, 0);
        fbx_give(scene, object, old->property, value);
    }
    if (fbx_object_is(scene, object, "Model", NULL))
        give_channels(scene, object, record);
}

/* The last take with a value gives a model's rest transform and the weights of its shapes. */
void fbx_give_take_defaults(struct fbx_scene *scene)
{
    const struct fbx_file *file = &scene->file;
    for (uint32_t take = fbx_child(file, scene->takes, "Take"); take != FBX_NONE; take = fbx_next(file, take, "Take")) {
        for (uint32_t at = fbx_child(file, take, "Model"); at != FBX_NONE; at = fbx_next(file, at, "Model")) {
            const uint32_t object = fbx_object_at(scene, at, 0);
            if (!fbx_object_is(scene, object, "Model", NULL))
                continue;
            give_channels(scene, object, at);
            fbx_give_old_sliders(scene, object, at);
        }
    }
}

void fbx_give_old_settings(struct fbx_scene *scene)
{
    enum { TIME_MODE_CUSTOM = 14, RATE_BYTES = 32 };
    const struct fbx_file *file = &scene->file;
    uint32_t settings = fbx_child(file, fbx_child(file, FBX_TOP, "Version5"), "Settings");
    if (settings == FBX_NONE)
        settings = fbx_child(file, FBX_TOP, "Settings");
    const uint32_t record = fbx_child(file, settings, "FrameRate");
    const struct fbx_span text = fbx_text(file, record, 0);
    double rate = fbx_real(file, record, 0, 0);
    if (text.size_bytes > 0 && text.size_bytes < RATE_BYTES) {
        char digits[RATE_BYTES] = {0};
        memcpy(digits, text.bytes, text.size_bytes);
        rate = strtod(digits, NULL);
    }
    if (rate > 0) {
        fbx_give(scene, FBX_SETTINGS, "CustomFrameRate", (double[3]){rate});
        fbx_give(scene, FBX_SETTINGS, "TimeMode", (double[3]){TIME_MODE_CUSTOM});
    }
}
