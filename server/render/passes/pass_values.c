#include "render/passes/pass_values.h"

/* Interpolated normals that are shorter have no direction; shaders/surface.glsl has the same bound. */
static const double SHORTEST = 1e-4;

/* The state of a fill. */
struct pass_fill {
    const struct pass_query *query;
    const struct pass_arrays *arrays;
    struct pass_element element; /* of the last pixel that shows something */
    struct visible loaded;
};

/* A place on an element. */
struct pass_place {
    double weights[3]; /* of its corners */
    double view[3];    /* its position */
};

static void put_floats(const struct pass_fill *fill, enum pass pass, size_t at, const double *values)
{
    float *to = fill->arrays->of[pass];
    const uint32_t count = PASS_INFO[pass].components;
    for (uint32_t i = 0; to != NULL && i < count; i++)
        to[at * count + i] = (float)values[i];
}

static void put_index(const struct pass_fill *fill, enum pass pass, size_t at, int32_t value)
{
    int32_t *to = fill->arrays->of[pass];
    if (to != NULL)
        to[at] = value;
}

/* Fills all pixels with what stands for nothing. */
static void fill_background(const struct pass_arrays *arrays, size_t pixel_count)
{
    static const float FLOATS[PASS_COUNT] = {
        [PASS_DEPTH] = INFINITY, [PASS_POSITION] = INFINITY, [PASS_UV] = NAN}; /* others 0 */
    for (int p = 0; p < PASS_COUNT; p++) {
        const size_t count = pixel_count * PASS_INFO[p].components;
        float *floats = arrays->of[p];
        if (floats != NULL && PASS_INFO[p].type == PASS_I32)
            memset(floats, 0xff, count * sizeof(int32_t)); /* -1 */
        else
            for (size_t i = 0; floats != NULL && i < count; i++)
                floats[i] = FLOATS[p];
    }
}

/* Interpolates `size` numbers of the corners. */
static void mix(const struct pass_element *element, const double weights[3], const double *corners, int size,
                double *out)
{
    for (int i = 0; i < size; i++) {
        out[i] = 0;
        for (uint32_t c = 0; c < element->corner_count; c++)
            out[i] += weights[c] * corners[(int)c * size + i];
    }
}

static void turn(const struct dmat4 *to_from, const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = to_from->m[i] * v[0] + to_from->m[4 + i] * v[1] + to_from->m[8 + i] * v[2];
}

/* The inverse of a rotation. */
static void turn_back(const struct dmat4 *to_from, const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = to_from->m[4 * i] * v[0] + to_from->m[4 * i + 1] * v[1] + to_from->m[4 * i + 2] * v[2];
}

/* As smooth_normal() in shaders/surface.glsl: on the visible side of the surface, because windings and normals of files
 * do not always agree. Lines and points face the camera. */
static void put_normal(const struct pass_fill *fill, size_t at, const struct pass_place *place,
                       const struct pass_ray *ray)
{
    const struct pass_element *element = &fill->element;
    const struct dmat4 *view_from_scene = &fill->query->camera.view_from_scene;
    double normal[3] = {0, 0, 1}, scene[3];
    if (element->corner_count == 3) {
        mix(element, place->weights, element->normals[0], 3, scene);
        turn(view_from_scene, scene, normal);
        if (element->is_flat || !(unit3(normal) > SHORTEST))
            memcpy(normal, element->face, sizeof normal);
        unit3(normal);
        if (dot3(normal, element->face) * dot3(element->face, ray->along) > 0) /* the triangle is seen from behind it */
            for (int i = 0; i < 3; i++)
                normal[i] = -normal[i];
    }
    turn_back(view_from_scene, normal, scene);
    put_floats(fill, PASS_NORMAL, at, fill->query->has_scene_normals ? scene : normal);
}

/* Projects what the place is when the corners are at these positions of the scene. */
static void project(const struct pass_fill *fill, const struct pass_place *place, double corners[3][3], double pixel[2])
{
    const struct pass_camera *camera = &fill->query->camera;
    double scene[3], view[3];
    mix(&fill->element, place->weights, corners[0], 3, scene);
    dmat4_point(&camera->view_from_scene, scene, view);
    pass_camera_pixel(camera, view, pixel);
}

/* From the place to the same place of the surface at t2. Both take one way, so that what stands still has 0. */
static void put_motion(struct pass_fill *fill, size_t at, const struct pass_place *place)
{
    double now[2], then[2];
    project(fill, place, fill->element.scene, now);
    project(fill, place, fill->element.later, then);
    put_floats(fill, PASS_MOTION, at, (const double[2]){then[0] - now[0], then[1] - now[1]});
}

static void put_pixel(struct pass_fill *fill, size_t at, const struct pass_ray *ray)
{
    const struct pass_element *element = &fill->element;
    const struct pass_arrays *arrays = fill->arrays;
    struct pass_place place = {.view = {0}};
    double scene[3], texcoord[2];
    pass_element_weigh(element, ray, place.weights);
    mix(element, place.weights, element->view[0], 3, place.view);
    put_floats(fill, PASS_DEPTH, at, (const double[1]){-place.view[2]});
    put_index(fill, PASS_NODE, at, element->node);
    put_index(fill, PASS_MESH, at, element->mesh);
    put_index(fill, PASS_MATERIAL, at, element->material);
    if (arrays->of[PASS_NORMAL] != NULL)
        put_normal(fill, at, &place, ray);
    if (arrays->of[PASS_JOINT] != NULL)
        put_index(fill, PASS_JOINT, at, pass_element_joint(element, place.weights));
    if (arrays->of[PASS_POSITION] != NULL) {
        mix(element, place.weights, element->scene[0], 3, scene);
        put_floats(fill, PASS_POSITION, at, scene);
    }
    if (arrays->of[PASS_UV] != NULL) {
        mix(element, place.weights, element->texcoords[0], 2, texcoord);
        put_floats(fill, PASS_UV, at, texcoord);
    }
    if (arrays->of[PASS_MOTION] != NULL)
        put_motion(fill, at, &place);
}

/* Loads the element of a pixel unless it is that of the last one. */
static int load(struct pass_fill *fill, struct pass_surfaces *surfaces, struct visible visible, struct err *err)
{
    const struct pass_query *query = fill->query;
    if (visible.number == fill->loaded.number && visible.element == fill->loaded.element)
        return 0;
    fill->loaded = visible;
    return pass_element_load_visible(&fill->element, surfaces, visible, query->variant, &query->camera.view_from_scene,
                                     fill->arrays->of[PASS_JOINT] != NULL, err);
}

int64_t pass_values_fill(const struct pass_query *query, struct pass_surfaces *surfaces,
                         const struct pass_arrays *arrays, struct err *err)
{
    struct pass_fill fill = {.query = query, .arrays = arrays};
    int64_t covered = 0;
    int rc = 0;
    fill_background(arrays, (size_t)query->width * query->height);
    for (uint32_t y = 0; y < query->height && rc == 0; y++)
        for (uint32_t x = 0; x < query->width && rc == 0; x++) {
            const size_t at = (size_t)y * query->width + x;
            if (query->visible[at].number == 0)
                continue;
            rc = load(&fill, surfaces, query->visible[at], err);
            if (rc < 0)
                break;
            const struct pass_ray ray = pass_camera_ray(&query->camera, x + 0.5, y + 0.5);
            put_pixel(&fill, at, &ray);
            covered++;
        }
    pass_element_fini(&fill.element);
    return rc < 0 ? rc : covered;
}
