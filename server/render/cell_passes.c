/* cell_passes.c - draws the passes of a cell and writes them as a file. */
#include "base/picture/pass.h"
#include "render/camera/empty_diagnosis.h"
#include "render/passes/npz_file.h"
#include "render/passes/pass_exr.h"
#include "render/passes/pass_paint.h"
#include "render/passes/pass_png.h"
#include "render/passes/pass_values.h"
#include "render/cells.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)PASS_COUNT + (int)CAMERA_ARRAYS <= (int)NPZ_ENTRIES_MAX, "a file has all passes");

/* The arrays of the passes, each behind room for the header of its file. */
struct pass_memory {
    uint8_t *bytes[PASS_COUNT];
    struct visible *visible; /* NULL: no pass needs them */
};

static void free_memory(struct pass_memory *memory)
{
    for (int p = 0; p < PASS_COUNT; p++)
        free(memory->bytes[p]);
    free(memory->visible);
}

static int make_memory(struct pass_memory *memory, const struct picture_spec *picture, struct err *err)
{
    const size_t pixels = (size_t)picture->width * picture->height;
    *memory = (struct pass_memory){.visible = malloc(pixels * sizeof *memory->visible)};
    bool is_good = memory->visible != NULL;
    for (int p = 0; p < PASS_COUNT; p++)
        if (pass_has(picture->passes, (enum pass)p)) {
            memory->bytes[p] = malloc(NPZ_HEADER_BYTES + pixels * pass_pixel_bytes(1u << p));
            is_good = is_good && memory->bytes[p] != NULL;
        }
    return is_good
               ? 0
               : err_set(err, ERR_NO_MEMORY, "no memory for passes of %u x %u pixels", picture->width, picture->height);
}

static void *array_of(const struct pass_memory *memory, enum pass pass)
{
    return memory->bytes[pass] == NULL ? NULL : memory->bytes[pass] + NPZ_HEADER_BYTES;
}

/* --- drawing --- */

/* Poses cell c, and draws what the eye sees. */
static int draw_color(struct renderer *renderer, struct cells *cells, uint32_t c, const struct pass_memory *memory,
                      struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    void *color = array_of(memory, PASS_COLOR);
    if (color == NULL)
        return pixels_pose(renderer, cells, c, err);
    if (pixels_draw(renderer, cells, c, err) < 0)
        return err->code;
    pixels_resolve(renderer, cells, renderer->samples);
    memcpy(color, renderer->pixels, (size_t)picture->width * picture->height * 4);
    return 0;
}

static int fill_arrays(struct renderer *renderer, struct cells *cells, const struct pass_memory *memory,
                       struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    const bool has_later = cells->work->job.later_count > 0;
    struct pass_query query = {
        .visible = memory->visible,
        .width = picture->width,
        .height = picture->height,
        .variant = picture->variant,
        .has_scene_normals = (picture->flags & PICTURE_SCENE_NORMALS) != 0,
    };
    struct pass_arrays arrays = {{NULL}};
    struct pass_surfaces surfaces;
    pass_camera_init(&query.camera, &renderer->posed.camera.view_from_scene, &renderer->posed.camera.clip_from_view,
                     picture->width, picture->height);
    for (int p = 0; p < PASS_COUNT; p++)
        arrays.of[p] = p == PASS_COLOR ? NULL : array_of(memory, (enum pass)p);
    if (has_later && cells_pose_later(renderer, cells, err) < 0)
        return err->code;
    int64_t covered =
        pass_surfaces_init(&surfaces, cells_model(cells), &renderer->posed, has_later ? &renderer->later : NULL, err);
    if (covered == 0)
        covered = pass_values_fill(&query, &surfaces, &arrays, err);
    pass_surfaces_fini(&surfaces);
    cells->is_covered = cells->is_covered || covered > 0;
    return covered < 0 ? (int)covered : 0;
}

static int draw_all(struct renderer *renderer, struct cells *cells, uint32_t c, const struct pass_memory *memory,
                    struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    if (draw_color(renderer, cells, c, memory, err) < 0)
        return err->code;
    if (picture->passes == 1u << PASS_COLOR)
        return 0;
    const struct loaded_model shown = pixels_shown(renderer, cells);
    if (visibility_draw(&renderer->visibility, &renderer->drawing, &shown, &renderer->posed, picture->width,
                        picture->height, memory->visible, err) < 0)
        return err->code;
    return fill_arrays(renderer, cells, memory, err);
}

int passes_paint(struct renderer *renderer, struct cells *cells, uint32_t c, struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    const enum pass only = pass_only(picture->passes);
    const size_t size_bytes = (size_t)picture->width * picture->height * 4;
    struct pass_memory memory;
    int rc = make_memory(&memory, picture, err);
    if (rc == 0)
        rc = draw_all(renderer, cells, c, &memory, err);
    if (rc == 0)
        rc = pixels_reserve(&renderer->samples, &renderer->samples_bytes, size_bytes, err);
    if (rc == 0)
        rc = pixels_reserve(&renderer->pixels, &renderer->pixels_bytes, size_bytes, err);
    if (rc == 0)
        pass_paint_samples(&(struct pass_paint){.pass = only,
                                                .numbers = array_of(&memory, only),
                                                .visible = memory.visible,
                                                .width = picture->width,
                                                .height = picture->height,
                                                .near = renderer->posed.camera.near,
                                                .far = renderer->posed.camera.far},
                           renderer->samples);
    free_memory(&memory);
    return rc;
}

/* --- the file --- */

static int put_camera(struct npz_file *file, const struct picture_camera *camera, struct err *err)
{
    struct camera_array arrays[CAMERA_ARRAYS];
    int rc = 0;
    picture_camera_arrays(camera, arrays);
    for (int i = 0; i < CAMERA_ARRAYS && rc == 0; i++) {
        uint8_t bytes[NPZ_HEADER_BYTES + sizeof arrays[i].values];
        memcpy(bytes + NPZ_HEADER_BYTES, arrays[i].values, sizeof arrays[i].values);
        rc = npz_file_put(file, arrays[i].name, bytes, "f8", arrays[i].rows, arrays[i].columns, 1, err);
    }
    return rc;
}

static int put_arrays(const struct picture_spec *picture, const struct pass_memory *memory,
                      const struct picture_camera *camera, struct buf *out, struct err *err)
{
    static const char *const TYPES[] = {[PASS_U8] = "u1", [PASS_I32] = "i4", [PASS_F32] = "f4"};
    struct npz_file file;
    int rc = 0;
    npz_file_init(&file, out);
    for (int p = 0; p < PASS_COUNT && rc == 0; p++)
        if (memory->bytes[p] != NULL)
            rc = npz_file_put(&file, PASS_INFO[p].word, memory->bytes[p], TYPES[PASS_INFO[p].type], picture->height,
                              picture->width, PASS_INFO[p].components, err);
    if (rc == 0)
        rc = put_camera(&file, camera, err);
    return rc < 0 ? rc : npz_file_end(&file, err);
}

static int put_channels(const struct renderer *renderer, const struct picture_spec *picture,
                        const struct pass_memory *memory, struct buf *out, struct err *err)
{
    struct pass_exr file = {.width = picture->width,
                            .height = picture->height,
                            .camera = &renderer->posed.camera,
                            .is_small = (picture->flags & PICTURE_SMALL_FILE) != 0};
    for (int p = 0; p < PASS_COUNT; p++)
        file.arrays.of[p] = array_of(memory, (enum pass)p);
    return pass_exr_put(out, &file, err);
}

static int put_file(struct renderer *renderer, const struct cells *cells, const struct pass_memory *memory,
                    struct buf *out, struct err *err)
{
    const struct render_job *job = &cells->work->job;
    const struct picture_spec *picture = &job->picture;
    const enum pass only = pass_only(picture->passes);
    if (job->format == SHEET_NPZ)
        return put_arrays(picture, memory, &renderer->shown.camera, out, err);
    if (job->format == SHEET_EXR)
        return put_channels(renderer, picture, memory, out, err);
    return pass_png_put(out, only, array_of(memory, only), picture->width, picture->height,
                        (picture->flags & PICTURE_SMALL_FILE) != 0, &renderer->pass_range, err);
}

int passes_draw(struct renderer *renderer, struct cells *cells, struct buf *out, struct err *err)
{
    const struct picture_spec *picture = &cells->work->job.picture;
    struct pass_memory memory;
    int rc = make_memory(&memory, picture, err);
    if (rc == 0)
        rc = draw_all(renderer, cells, 0, &memory, err);
    if (rc == 0 && !cells->is_covered && (picture->flags & PICTURE_ALLOW_EMPTY) == 0)
        rc = empty_diagnosis_explain(&renderer->posed, cells_model(cells),
                                     (const uint32_t[2]){picture->width, picture->height}, err);
    if (rc == 0)
        rc = put_file(renderer, cells, &memory, out, err);
    free_memory(&memory);
    return rc;
}
