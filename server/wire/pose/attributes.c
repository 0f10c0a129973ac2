#include "wire/pose/attributes.h"

#include "wire/encode/json.h"

enum { KIND_COUNT = BLOCK_TANGENTS - BLOCK_REST_NORMALS + 1 };

/* An array of the model with one item per vertex. */
struct attribute {
    const void *items; /* NULL: the primitive lacks it */
    uint32_t numbers;  /* per item: floats, or bytes of colours */
    uint32_t item_bytes;
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
                                               : (struct attribute){model->colors + first, 4, sizeof *model->colors};
    case BLOCK_TANGENTS:
        return (flags & PRIMITIVE_TANGENTS) == 0
                   ? none
                   : (struct attribute){model->tangents + first, 4, sizeof *model->tangents};
    default:
        return none;
    }
}

static enum frames_block_kind kind_of(int i) { return (enum frames_block_kind)(BLOCK_REST_NORMALS + i); }

static void put_bytes(struct buf *out, const uint8_t *bytes, size_t count)
{
    buf_put_char(out, '[');
    for (size_t i = 0; i < count && !buf_failed(out); i++) {
        json_comma(out, i > 0);
        json_put_uint(out, bytes[i]);
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
            put_bytes(out, attribute.items, count);
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
    buf_put(out, attribute.items, (size_t)primitive->vertex_count * attribute.item_bytes);
}
