/* Writes vertex animation textures: pixels with the position of every vertex in every frame. */
#include "clients/cli/bake/bake.h"

#include "clients/cli/output/terminal.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

/* The greatest side of a texture on graphics cards, and the side that small ones support. */
enum { SIDE_MAX = 16384, WIDTH_WANTED = 4096 };
/* The limit of memory: each pixel takes 18 bytes in the table, and 6 in the picture. */
enum { PIXELS_MAX = 1 << 26 };
static const double LEVELS = 65535;

struct vertices {
    struct bake *bake;
    cJSON *entries; /* of /v1/mesh: the drawn meshes, with "first" */
    bool *is_drawn; /* [entry_count], for all meshes */
    size_t entry_count, vertex_count;
    size_t width, rows; /* width of the picture; rows of pixels for each frame */
    float *positions;   /* [frame_count][vertex_count][3] */
    uint16_t *normals;  /* the same, with 0..65535 for -1..1 */
    double low[3], high[3];
};

/* --- from the server --- */

static int ask(struct vertices *vertices, const struct bake_clip *clip, size_t first, size_t count, const char *more,
               struct posed_packet *answer)
{
    struct bake *bake = vertices->bake;
    struct connection *connection = bake->connection;
    struct text query = {0}, body = {0};
    bake_put_clip(bake, clip, &query);
    text_put(&query, more);
    bake_put_times(bake, first, count, &body);
    const int status = connection_status(
        connection, connection_request_model(connection, "mesh", bake->model, query.at, body.at, answer));
    text_free(&query);
    text_free(&body);
    return status;
}

/* Finds the meshes, with their triangles and their vertices as in the file. */
static int find_entries(struct vertices *vertices)
{
    struct posed_packet answer;
    int status = ask(vertices, &vertices->bake->clips[0], 0, 1, "&format=json&rest=1&indices=1", &answer);
    cJSON *json = NULL;
    if (status == STATUS_DONE)
        status = connection_status(vertices->bake->connection,
                                   connection_read_json(vertices->bake->connection, &answer, &json));
    if (status != STATUS_DONE)
        return status;
    cJSON *mesh, *kept = cJSON_CreateArray();
    const int count = cJSON_GetArraySize(json_get(json, "meshes"));
    vertices->is_drawn = must_alloc((size_t)count + 1);
    vertices->entry_count = (size_t)count;
    for (int i = 0; i < count; i++) {
        mesh = cJSON_GetArrayItem(json_get(json, "meshes"), i);
        if (!cJSON_IsTrue(json_get(mesh, "in_scene")))
            continue;
        cJSON *entry = cJSON_Duplicate(mesh, true);
        vertices->is_drawn[i] = true;
        cJSON_AddNumberToObject(entry, "first", (double)vertices->vertex_count);
        cJSON_AddItemToObject(entry, "rest_positions",
                              cJSON_Duplicate(cJSON_GetArrayItem(json_get(json, "rest"), i), true));
        cJSON_AddItemToObject(entry, "triangles",
                              cJSON_Duplicate(cJSON_GetArrayItem(json_get(json, "indices"), i), true));
        const int vertex_count = member_index(mesh, "vertices"); /* the size of a texture limits their sum */
        vertices->vertex_count += vertex_count < 0 ? 0 : (size_t)vertex_count;
        cJSON_AddItemToArray(kept, entry);
    }
    vertices->entries = kept;
    cJSON_Delete(json);
    if (vertices->vertex_count > 0)
        return STATUS_DONE;
    struct text problem = {0};
    text_printf(&problem, "%s has no vertices that are drawn", vertices->bake->model);
    terminal_coded_error("nothing_to_draw", problem.at, NULL, 0);
    text_free(&problem);
    return STATUS_FAILED;
}

/* Chooses a picture no wider than needed, with few rows for each frame. */
static int choose_size(struct vertices *vertices)
{
    const struct bake *bake = vertices->bake;
    const size_t most[] = {WIDTH_WANTED, SIDE_MAX};
    for (int i = 0; i < 2; i++) {
        vertices->rows = (vertices->vertex_count + most[i] - 1) / most[i];
        vertices->width = (vertices->vertex_count + vertices->rows - 1) / vertices->rows;
        const size_t height = vertices->rows * bake->frame_count;
        if (height <= SIDE_MAX && height * vertices->width <= PIXELS_MAX)
            return STATUS_DONE;
    }
    terminal_error(
        "%s: %zu vertices at %zu frames are more than a texture has (%d pixels, %d a side): take fewer --clips or "
        "a lower --fps",
        bake->model, vertices->vertex_count, bake->frame_count, PIXELS_MAX, SIDE_MAX);
    return STATUS_FAILED;
}

static uint16_t level(double share) { return (uint16_t)(fmin(fmax(share, 0), 1) * LEVELS + 0.5); }

static int take_answer(struct vertices *vertices, size_t first, size_t count, const struct posed_packet *answer)
{
    struct posed_frames frames;
    bool fits = posed_read_frames(answer->data, answer->data_bytes, &frames) == 0 && frames.frame_count == count;
    for (uint32_t f = 0; f < count && fits; f++) {
        size_t at[2] = {0, 0}; /* positions, normals */
        for (uint32_t b = 0; b < frames.block_count; b++) {
            const struct posed_block block = posed_frames_block(&frames, b);
            const bool is_normal = block.kind == POSED_BLOCK_NORMALS;
            size_t *place = &at[is_normal];
            if ((!is_normal && block.kind != POSED_BLOCK_POSITIONS) || block.index >= vertices->entry_count ||
                !vertices->is_drawn[block.index] || *place + block.count > vertices->vertex_count)
                continue;
            const float *numbers = posed_frames_floats(&frames, b, f);
            const size_t out = ((first + f) * vertices->vertex_count + *place) * 3;
            for (size_t k = 0; k < (size_t)block.count * 3; k++) {
                const double value = (double)numbers[k];
                if (is_normal) {
                    vertices->normals[out + k] = level((value + 1) / 2);
                    continue;
                }
                vertices->positions[out + k] = numbers[k];
                vertices->low[k % 3] = fmin(vertices->low[k % 3], value);
                vertices->high[k % 3] = fmax(vertices->high[k % 3], value);
            }
            *place += block.count;
        }
        fits = at[0] == vertices->vertex_count && at[1] == vertices->vertex_count;
    }
    if (fits)
        return STATUS_DONE;
    terminal_error("the server's answer does not fit the request");
    return STATUS_SERVER;
}

static int sample(struct vertices *vertices)
{
    struct bake *bake = vertices->bake;
    const size_t numbers = bake->frame_count * vertices->vertex_count * 3;
    const size_t at_once = bake_frames_at_once(6 * vertices->vertex_count);
    int status = STATUS_DONE;
    vertices->positions = must_alloc(numbers * sizeof *vertices->positions);
    vertices->normals = must_alloc(numbers * sizeof *vertices->normals);
    for (int i = 0; i < 3; i++) {
        vertices->low[i] = (double)INFINITY;
        vertices->high[i] = -(double)INFINITY;
    }
    for (size_t c = 0; c < bake->clip_count; c++) {
        const struct bake_clip *clip = &bake->clips[c];
        for (size_t done = 0; done < clip->frame_count && status == STATUS_DONE && !is_interrupted();) {
            const size_t left = clip->frame_count - done, count = left < at_once ? left : at_once;
            struct posed_packet answer;
            status = ask(vertices, clip, clip->first_frame + done, count, "&format=bin&normals=1", &answer);
            if (status == STATUS_DONE)
                status = take_answer(vertices, clip->first_frame + done, count, &answer);
            done += count;
        }
    }
    return status;
}

static void find_loops(struct vertices *vertices)
{
    double size = 0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, vertices->high[i] - vertices->low[i]);
    for (size_t c = 0; c < vertices->bake->clip_count; c++) {
        struct bake_clip *clip = &vertices->bake->clips[c];
        const size_t row = vertices->vertex_count * 3;
        const float *a = vertices->positions + clip->first_frame * row, *b = a + (clip->frame_count - 1) * row;
        clip->is_loop = clip->frame_count > 1;
        for (size_t k = 0; k < row && clip->is_loop; k++)
            clip->is_loop = fabs((double)a[k] - (double)b[k]) <= 1e-3 * size;
    }
}

/* --- pictures --- */

static void put_png_bytes(png_structp png, png_bytep bytes, size_t size_bytes)
{
    text_put_bytes(png_get_io_ptr(png), (const char *)bytes, size_bytes);
}

static void put_no_more(png_structp png) { (void)png; }

/* pixels: [height][width][3], already big-endian. Returns false if libpng fails. */
static bool put_png(const uint8_t *pixels, size_t width, size_t height, struct text *out)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, out, put_png_bytes, put_no_more);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 16, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (size_t y = 0; y < height; y++)
        png_write_row(png, pixels + y * width * 6);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

/* Returns one number of a vertex's pixel in a frame. */
static uint16_t pixel(const struct vertices *vertices, bool is_normal, size_t place, int axis)
{
    const double range = vertices->high[axis] - vertices->low[axis];
    if (is_normal)
        return vertices->normals[place];
    return range > 0 ? level(((double)vertices->positions[place] - vertices->low[axis]) / range) : 0;
}

static int put_picture(const struct vertices *vertices, bool is_normal, struct text *out)
{
    const size_t height = vertices->bake->frame_count * vertices->rows, frame_pixels = vertices->width * vertices->rows;
    uint8_t *pixels = must_alloc(vertices->width * height * 6);
    for (size_t f = 0; f < vertices->bake->frame_count; f++)
        for (size_t v = 0; v < vertices->vertex_count; v++)
            for (int axis = 0; axis < 3; axis++) {
                const size_t place = (f * vertices->vertex_count + v) * 3 + (size_t)axis;
                const uint16_t value = pixel(vertices, is_normal, place, axis);
                uint8_t *at = pixels + (f * frame_pixels + v) * 6 + axis * 2;
                at[0] = (uint8_t)(value >> 8);
                at[1] = (uint8_t)value;
            }
    const bool is_written = put_png(pixels, vertices->width, height, out);
    free(pixels);
    if (!is_written)
        terminal_error("the picture cannot be made");
    return is_written ? STATUS_DONE : STATUS_SERVER;
}

static void describe(const struct vertices *vertices, const char *base_name, struct text *about)
{
    struct text name = {0};
    cJSON *json = bake_describe(vertices->bake);
    text_printf(&name, "%s.positions.png", base_name);
    cJSON_AddStringToObject(json, "positions", name.at);
    text_free(&name);
    text_printf(&name, "%s.normals.png", base_name);
    cJSON_AddStringToObject(json, "normals", name.at);
    text_free(&name);
    cJSON_AddNumberToObject(json, "width", (double)vertices->width);
    cJSON_AddNumberToObject(json, "height", (double)(vertices->bake->frame_count * vertices->rows));
    cJSON_AddNumberToObject(json, "rows_per_frame", (double)vertices->rows);
    cJSON_AddNumberToObject(json, "vertex_count", (double)vertices->vertex_count);
    cJSON_AddItemToObject(json, "min", cJSON_CreateDoubleArray(vertices->low, 3));
    cJSON_AddItemToObject(json, "max", cJSON_CreateDoubleArray(vertices->high, 3));
    cJSON_AddItemToObject(json, "times",
                          cJSON_CreateDoubleArray(vertices->bake->times_s, (int)vertices->bake->frame_count));
    cJSON_AddItemToObject(json, "meshes", cJSON_Duplicate(vertices->entries, true));
    char *text = cJSON_PrintUnformatted(json);
    text_printf(about, "%s\n", text == NULL ? "{}" : text);
    cJSON_free(text);
    cJSON_Delete(json);
}

int bake_vertices(struct bake *bake, const char *base_name, struct text *positions, struct text *normals,
                  struct text *about)
{
    struct vertices vertices = {.bake = bake};
    int status = find_entries(&vertices);
    if (status == STATUS_DONE)
        status = choose_size(&vertices);
    if (status == STATUS_DONE)
        status = sample(&vertices);
    if (status == STATUS_DONE && !is_interrupted()) {
        find_loops(&vertices);
        status = put_picture(&vertices, false, positions);
        if (status == STATUS_DONE)
            status = put_picture(&vertices, true, normals);
        if (status == STATUS_DONE)
            describe(&vertices, base_name, about);
    }
    cJSON_Delete(vertices.entries);
    free(vertices.is_drawn);
    free(vertices.positions);
    free(vertices.normals);
    return status;
}
