/* export_warnings.c - reports what the file changes, and what it cannot express. */
#include "wire/encode/json.h"
#include "wire/export/export_internal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends {"code":..,"message":..}, with the share unless it is negative. */
__attribute__((format(printf, 4, 0))) static void put(struct buf *out, const char *code, double share_of_size,
                                                      const char *format, va_list arguments)
{
    struct err text; /* truncated at a character boundary, without control characters */
    char message[ERR_MESSAGE_SIZE];
    vsnprintf(message, sizeof message, format, arguments);
    err_set(&text, ERR_NOT_IN_GLTF, "%s", message);
    json_comma(out, out->size_bytes > 0);
    json_printf(out, "{\"code\":%s,\"message\":%s", code, text.message);
    if (share_of_size >= 0)
        json_printf(out, ",\"share_of_size\":%f", share_of_size);
    buf_put_char(out, '}');
}

void export_warn(struct export *e, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(&e->warnings, code, -1, format, arguments);
    va_end(arguments);
}

void export_approximate(struct export *e, const char *code, double share_of_size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(&e->approximations, code, share_of_size, format, arguments);
    va_end(arguments);
    if (share_of_size < EXPORT_WARNED)
        return;
    va_start(arguments, format);
    put(&e->warnings, code, -1, format, arguments);
    va_end(arguments);
}

bool export_refuse(struct export *e, const char *format, ...)
{
    struct err err;
    char message[ERR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    err_set(&err, ERR_NOT_IN_GLTF, "'%s': %s", e->context->request->model, message);
    return context_fail(e->context, &err);
}

static uint32_t longer(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Returns what keeps more pixels of a texture that is made smaller than its source, or "". */
static const char *larger_by(const struct export *e, const struct texture *texture)
{
    const uint32_t drawn = longer(texture->width, texture->height);
    const bool is_limit = drawn >= e->context->limits->value[LIMIT_TEXTURE_SIDE] && drawn < LIMIT_TEXTURE_SIDE_MOST;
    return is_limit ? "; --max-texture-side 4096 keeps more" : "";
}

/* What the request asks for is no warning. */
static void warn_of_texture(struct export *e, uint32_t index)
{
    const struct texture *texture = &e->model->textures[index];
    const struct picture_made *made = &e->surfaces.made[index];
    const struct request_textures *request = e->surfaces.request;
    const uint32_t source_side = longer(texture->source_width, texture->source_height);
    const bool is_smaller = longer(made->width, made->height) < source_side;
    const bool is_encoded = request->form == TEXTURES_KEEP && texture->file == TEXTURE_FILE_NONE;
    if (made->is_own || (request->side_most > 0 && source_side > request->side_most) || (!is_encoded && !is_smaller))
        return;
    char name[SHORT_NAME_SIZE], kind[8];
    snprintf(kind, sizeof kind, "%s", picture_word(made->file));
    for (char *c = kind; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    export_warn(e, is_encoded ? "texture_encoded" : "texture_reduced",
                "texture %u '%s' of %u x %u pixels is a %s of %u x %u here, made of the pixels that are drawn%s", index,
                short_name(e->model, texture->uri, name), texture->source_width, texture->source_height, kind,
                made->width, made->height, is_smaller ? larger_by(e, texture) : "");
}

/* Repeats what the import said of textures that the model, and so the file, has not. */
static void warn_of_lost_textures(struct export *e)
{
    static const char *const CODES[] = {"texture_missing", "texture_broken", "texture_procedural",
                                        "texture_without_image", "texcoords_beyond_two"};
    const struct model *model = e->model;
    for (uint32_t w = 0; w < model->warning_count; w++) {
        const struct str code = model->warnings[w].code, message = model->warnings[w].message;
        for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++)
            if (strlen(CODES[i]) == code.size_bytes &&
                memcmp(model->text + code.offset, CODES[i], code.size_bytes) == 0)
                export_warn(e, CODES[i], "%.*s", (int)message.size_bytes, model->text + message.offset);
    }
}

void export_warn_of_constraints(struct export *e)
{
    uint32_t count = 0, first = 0;
    for (uint32_t n = e->own_node_count; n-- > 0;)
        if (e->constraints[n] != NULL && e->keeps[n] != KEEP_NOTHING) {
            count++;
            first = n;
        }
    if (count > 0 && e->clips.count > 0)
        export_warn(e, "constraints_kept",
                    "%u node%s by VRMC_node_constraint, node %u is the first: where a program does not know the "
                    "extension, the keys alone move them; /v1/pose and posectl bake have the poses",
                    count, count == 1 ? " follows another" : "s follow others", first);
}

void export_warn_of_textures(struct export *e)
{
    if (e->surfaces.request->form != TEXTURES_NONE)
        warn_of_lost_textures(e);
    for (uint32_t t = 0; t < e->model->texture_count; t++)
        if (e->surfaces.textures[t] != GLB_NONE)
            warn_of_texture(e, t);
}
