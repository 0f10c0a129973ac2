#include "wire/pose/attributes.h"

#include "anim/model/color.h"
#include "wire/encode/json.h"

enum { KIND_COUNT = BLOCK_TANGENTS - BLOCK_REST_NORMALS + 1 };

/* An array of the model with one item per vertex. */
struct attribute {
    const void *items;   /* NULL: the primitive lacks it */
    uint32_t numbers;    /* per item */
    uint32_t item_bytes; /* in answers: of floats, or bytes of colours, which the model has in 16 bits */
};

static const char *const NAMES[KIND_COUNT] = {"normals", "texcoords", "second_texcoords", "colors", "tangents"};

static struct attribute attribute_of(const struct model *model, const struct primitive *primitive,
                                     enum frames_block_kind kind)
{
    const uint32_t first = primitive->vertex_first, flags = primitive->flags;
    const struct attribute none = {0};
    switch (kind) {
    case BLOCK_REST_NORMALS:
        return (struct attribute){model->normals + first, 3, sizeof *model->normals};
    case BLOCK_TEXCOORDS:
        return (flags & PRIMITIVE_TEXCOORDS) == 0
                   ? none
                   : (struct attribute){model->texcoords + first, 2, sizeof *model->texcoords};
    case BLOCK_SECOND_TEXCOORDS:
        return (flags & PRIMITIVE_SECOND_TEXCOORDS) == 0
                   ? none
                   : (struct attribute){model->second_texcoords + first, 2, sizeof *model->second_texcoords};
    case BLOCK_COLORS:
        return (flags & PRIMITIVE_COLORS) == 0 ? none
                                               : (struct attribute){model->colors + first, 4, sizeof(struct rgba8)};
    case BLOCK_TANGENTS:
        return (flags & PRIMITIVE_TANGENTS) == 0
                   ? none
                   : (struct attribute){model->tangents + first, 4, sizeof *model->tangents};
    default:
        return none;
    }
}

static enum frames_block_kind kind_of(int i) { return (enum frames_block_kind)(BLOCK_REST_NORMALS + i); }

static void put_colors(struct buf *out, const struct rgba16 *colors, uint32_t count)
{
    buf_put_char(out, '[');
    for (uint32_t v = 0; v < count && !buf_failed(out); v++) {
        const struct rgba8 c = rgba8_from_16(colors[v]);
        json_printf(out, v > 0 ? ",%u,%u,%u,%u" : "%u,%u,%u,%u", c.r, c.g, c.b, c.a);
    }
    buf_put_char(out, ']');
}

void attributes_put_json(struct buf *out, const struct model *model, const struct primitive *primitive)
{
    buf_put_char(out, '{');
    for (int i = 0; i < KIND_COUNT; i++) {
        const struct attribute attribute = attribute_of(model, primitive, kind_of(i));
        if (attribute.items == NULL)
            continue;
        const size_t count = (size_t)attribute.numbers * primitive->vertex_count;
        json_comma(out, i > 0);
        json_printf(out, "%s:", NAMES[i]);
        if (kind_of(i) == BLOCK_COLORS)
            put_colors(out, attribute.items, primitive->vertex_count);
        else
            json_put_floats(out, attribute.items, count);
    }
    buf_put_char(out, '}');
}

uint64_t attributes_count(const struct model *model, const struct primitive *primitive)
{
    uint64_t numbers = 0;
    for (int i = 0; i < KIND_COUNT; i++)
        numbers += attribute_of(model, primitive, kind_of(i)).numbers;
    return numbers * primitive->vertex_count;
}

uint32_t attributes_items(const struct model *model, const struct primitive *primitive, enum frames_block_kind kind,
                          uint32_t *item_bytes)
{
    const struct attribute attribute = attribute_of(model, primitive, kind);
    *item_bytes = attribute.item_bytes;
    return attribute.items == NULL ? 0 : primitive->vertex_count;
}

void attributes_put_block(struct buf *out, const struct model *model, const struct primitive *primitive,
                          enum frames_block_kind kind)
{
    const struct attribute attribute = attribute_of(model, primitive, kind);
    const struct rgba16 *colors = kind == BLOCK_COLORS ? attribute.items : NULL;
    if (colors == NULL)
        buf_put(out, attribute.items, (size_t)primitive->vertex_count * attribute.item_bytes);
    for (uint32_t v = 0; colors != NULL && v < primitive->vertex_count && !buf_failed(out); v++) {
        const struct rgba8 color = rgba8_from_16(colors[v]);
        buf_put(out, &color, sizeof color);
    }
}
