/* fbx_axes.c - reads axes, unit, frame rate and generator from GlobalSettings and the header. */
#include "import/fbx/fbx.h"

#include <math.h>
#include <string.h>

/* An axis (0..2) with its sign. */
static bool find_axis(const struct fbx *fbx, const char *name, const char *sign_name, float axis[3])
{
    int64_t index = -1, sign = 1;
    if (!fbx_property_integer(&fbx->scene, FBX_SETTINGS, name, &index) || index < 0 || index > 2)
        return false;
    fbx_property_integer(&fbx->scene, FBX_SETTINGS, sign_name, &sign);
    axis[0] = axis[1] = axis[2] = 0;
    axis[index] = sign < 0 ? -1 : 1;
    return true;
}

/* Programs write factors such as 0.99999999. A value within float's rounding of a power of ten means that power. */
static double rounded_unit(double unit_m)
{
    const double power = pow(10, round(log10(unit_m)));
    return fabs(unit_m - power) < 1e-6 * power ? power : unit_m;
}

/* Frames per second of a time mode (FBX SDK Reference, FbxTime::EMode; NTSC rates are scaled by 1000 / 1001); 0 if the
 * file does not give it. */
static float frame_rate(const struct fbx *fbx)
{
    enum { MODE_CUSTOM = 14 };
    static const double RATES[] = {0,  120, 100,  60,         50, 48, 30, 30,         30 / 1.001, 30 / 1.001,
                                   25, 24,  1000, 24 / 1.001, 0,  96, 72, 60 / 1.001, 120 / 1.001};
    int64_t mode = 0;
    double custom = 0;
    if (!fbx_property_integer(&fbx->scene, FBX_SETTINGS, "TimeMode", &mode) || mode < 0 ||
        mode >= (int64_t)(sizeof RATES / sizeof *RATES))
        return 0;
    if (mode == MODE_CUSTOM)
        fbx_property_real(&fbx->scene, FBX_SETTINGS, "CustomFrameRate", &custom);
    const double rate = mode == MODE_CUSTOM ? custom : RATES[mode];
    return rate > 0 && isfinite((float)rate) ? (float)rate : 0;
}

/* "Creator" of the header extension, which is the SDK's name in many files, and of files without one at the top. */
static struct fbx_span find_generator(const struct fbx *fbx)
{
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t header = fbx_child(file, FBX_TOP, "FBXHeaderExtension");
    const struct fbx_span creator = fbx_child_text(file, header, "Creator");
    return creator.size_bytes > 0 ? creator : fbx_child_text(file, FBX_TOP, "Creator");
}

void fbx_read_settings(struct fbx *fbx)
{
    struct model_info *info = fbx->import->info;
    const struct fbx_span creator = find_generator(fbx);
    double unit_cm = 0;
    if (find_axis(fbx, "UpAxis", "UpAxisSign", info->up))
        info->flags |= MODEL_HAS_UP;
    if (find_axis(fbx, "FrontAxis", "FrontAxisSign", info->forward))
        info->flags |= MODEL_HAS_FORWARD;
    if (fbx_property_real(&fbx->scene, FBX_SETTINGS, "UnitScaleFactor", &unit_cm) && unit_cm > 0 &&
        isnormal((float)(unit_cm / 100))) {
        info->unit_m = (float)rounded_unit(unit_cm / 100);
        info->flags |= MODEL_HAS_UNIT;
    }
    info->frame_rate = frame_rate(fbx);
    if (creator.size_bytes > 0)
        info->generator = bake_text(fbx->builder, (const char *)creator.bytes, creator.size_bytes);
}

bool fbx_is_by_blender(const struct fbx *fbx)
{
    static const char NAME[] = "Blender";
    const struct str generator = fbx->import->info->generator;
    return generator.offset != STR_NONE && generator.size_bytes >= sizeof NAME - 1 &&
           memcmp(fbx->builder->text + generator.offset, NAME, sizeof NAME - 1) == 0;
}
