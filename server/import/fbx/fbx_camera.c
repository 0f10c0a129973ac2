/* fbx_camera.c - cameras of the file: the angle of view by aperture mode, film and lens (FbxCamera of the FBX SDK). */
#include "import/fbx/fbx.h"

#include <math.h>

static const double RAD_PER_DEG = 3.14159265358979323846 / 180, MM_PER_INCH = 25.4;
/* FbxCamera: an orthographic zoom of 1 is 30 units wide; Blender's exporter writes the width itself. */
static const double ORTHO_UNITS = 30;

enum aperture_mode { APERTURE_BOTH, APERTURE_HORIZONTAL, APERTURE_VERTICAL, APERTURE_FOCAL_LENGTH };
enum gate_fit { GATE_NONE, GATE_VERTICAL, GATE_HORIZONTAL, GATE_FILL, GATE_OVERSCAN, GATE_STRETCH };

/* Film sizes in thousandths of an inch, by ApertureFormat; 0 if FilmWidth and FilmHeight give the size. */
static const uint16_t FILMS[][2] = {{1000, 1000}, {404, 295}, {493, 292},  {864, 630},  {816, 612},   {980, 735},
                                    {825, 446},   {864, 732}, {2066, 906}, {1485, 991}, {2080, 1480}, {2772, 2072}};
enum { FILM_COUNT = sizeof FILMS / sizeof *FILMS, FILM_ANAMORPHIC = 7 };

struct lens {
    const struct fbx *fbx;
    uint32_t attribute;
};

static double real_of(const struct lens *lens, const char *name, double fallback)
{
    double value = fallback;
    fbx_property_real(&lens->fbx->scene, lens->attribute, name, &value);
    return value;
}

static int64_t choice_of(const struct lens *lens, const char *name, int64_t largest, int64_t fallback)
{
    int64_t value = fallback;
    fbx_property_integer(&lens->fbx->scene, lens->attribute, name, &value);
    return value >= 0 && value <= largest ? value : fallback;
}

static void film_size(const struct lens *lens, double size_in[2])
{
    const int64_t format = choice_of(lens, "ApertureFormat", FILM_COUNT - 1, 0);
    size_in[0] = real_of(lens, "FilmWidth", FILMS[format][0] / 1000.0);
    size_in[1] = real_of(lens, "FilmHeight", FILMS[format][1] / 1000.0) *
                 real_of(lens, "FilmSqueezeRatio", format == FILM_ANAMORPHIC ? 2 : 1);
}

/* Width / height of the picture. The film gives whichever of the two is missing. */
static double aspect_of(const struct lens *lens, const double film_in[2])
{
    enum { MODE_FIXED_WIDTH = 3, MODE_FIXED_HEIGHT = 4 };
    const double x = real_of(lens, "AspectWidth", real_of(lens, "AspectW", 0));
    const double y = real_of(lens, "AspectHeight", real_of(lens, "AspectH", 0));
    const double film = film_in[0] > 0 && film_in[1] > 0 ? film_in[0] / film_in[1] : 1;
    const int64_t mode = choice_of(lens, "AspectRatioMode", MODE_FIXED_HEIGHT, 0);
    if (!(x > 0) || !(y > 0))
        return film;
    return mode == MODE_FIXED_WIDTH ? 1 / y : mode == MODE_FIXED_HEIGHT ? x : x / y;
}

/* Whether the picture is as wide as the film, or as high. */
static bool is_horizontal(const struct lens *lens, double aspect, const double film_in[2])
{
    const double film = film_in[0] / film_in[1];
    const int64_t fit = choice_of(lens, "GateFit", GATE_STRETCH, GATE_NONE);
    return fit == GATE_HORIZONTAL || (fit == GATE_FILL && aspect > film) || (fit == GATE_OVERSCAN && aspect < film);
}

/* The tangent of half of the vertical angle of view. */
static double half_tangent(const struct lens *lens, double aspect, const double film_in[2])
{
    const double fov = real_of(lens, "FieldOfView", 25.115);
    switch ((enum aperture_mode)choice_of(lens, "ApertureMode", APERTURE_FOCAL_LENGTH, APERTURE_VERTICAL)) {
    case APERTURE_BOTH:
        return tan(real_of(lens, "FieldOfViewY", 40) * RAD_PER_DEG / 2);
    case APERTURE_HORIZONTAL:
        return tan(fov * RAD_PER_DEG / 2) / aspect;
    case APERTURE_FOCAL_LENGTH: {
        const double height_in = is_horizontal(lens, aspect, film_in) ? film_in[0] / aspect : film_in[1];
        return height_in * MM_PER_INCH / real_of(lens, "FocalLength", 0) / 2;
    }
    default:
        return tan(fov * RAD_PER_DEG / 2);
    }
}

/* Returns false if the numbers are invalid for a camera. */
static bool read_view(const struct lens *lens, struct model_camera *camera)
{
    double film_in[2];
    film_size(lens, film_in);
    const double aspect = aspect_of(lens, film_in);
    camera->facing = CAMERA_FACING_X;
    camera->z_near = (float)real_of(lens, "NearPlane", 10);
    camera->z_far = (float)real_of(lens, "FarPlane", 4000);
    if (!(camera->z_far > camera->z_near) || !isfinite(camera->z_far))
        camera->z_far = 0; /* perspective: to infinity */
    if (choice_of(lens, "CameraProjectionType", 1, 0) == 0) {
        camera->kind = CAMERA_PERSPECTIVE;
        camera->height = (float)(2 * atan(half_tangent(lens, aspect, film_in)));
        camera->width = (float)aspect;
        return camera->height > 0 && camera->height < 3.14f && camera->width > 0 && isfinite(camera->width) &&
               camera->z_near > 0 && isfinite(camera->z_near);
    }
    const double half = ORTHO_UNITS * real_of(lens, "OrthoZoom", 1) / 2;
    const bool is_wide = is_horizontal(lens, aspect, film_in);
    camera->kind = CAMERA_ORTHOGRAPHIC;
    camera->height = (float)(is_wide ? half / aspect : half);
    camera->width = (float)(is_wide ? half : half * aspect);
    camera->z_near = camera->z_near > 0 ? camera->z_near : 0;
    return camera->height > 0 && camera->width > 0 && isfinite(camera->height) && isfinite(camera->width) &&
           camera->z_far > camera->z_near;
}

/* The last of several counts, as for meshes. */
static uint32_t last_camera(const struct fbx *fbx, uint32_t object)
{
    uint32_t count, camera = FBX_NONE;
    const struct fbx_link *links = fbx_children(&fbx->scene, object, &count);
    for (uint32_t i = 0; i < count; i++)
        if (links[i].property.size_bytes == 0 && fbx_object_is(&fbx->scene, links[i].child, "NodeAttribute", "Camera"))
            camera = links[i].child;
    return camera;
}

int fbx_read_cameras(struct fbx *fbx, struct err *err)
{
    for (uint32_t n = 0; n < fbx->node_count; n++) {
        const struct lens lens = {fbx, last_camera(fbx, fbx->object_of[n])};
        struct model_camera camera = {.node = n, .name = fbx->builder->nodes[n].name};
        if (lens.attribute == FBX_NONE)
            continue;
        if (!read_view(&lens, &camera)) {
            bake_warn(fbx->builder, "camera_ignored", "%s has a view that no camera can have",
                      FBX_OBJECT_TEXT(&fbx->scene, fbx->object_of[n]));
            continue;
        }
        if (import_put_camera(fbx->import, &camera, err) < 0)
            return err->code;
    }
    return 0;
}
