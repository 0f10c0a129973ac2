/* source_parts.c - places by pointer: within a file, or within bytes that were decoded from a text of one. */
#include "import/source/source_parts.h"

#include "import/source/source_records.h"

#include "base/mem.h"

#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

void source_parts_begin(struct source_files *files, const uint8_t *bytes, size_t size_bytes, const char *text,
                        size_t text_bytes)
{
    files->decoded =
        mem_grow(files->decoded, &files->decoded_capacity, files->decoded_count + 1, sizeof *files->decoded);
    files->decoded[files->decoded_count++] =
        (struct decoded_text){bytes, size_bytes, (const uint8_t *)text, text_bytes};
}

void source_parts_end(struct source_files *files, const uint8_t *bytes)
{
    for (size_t i = 0; i < files->decoded_count; i++)
        if (files->decoded[i].bytes == bytes) {
            files->decoded[i] = files->decoded[--files->decoded_count];
            return;
        }
}

static bool is_within(const uint8_t *bytes, size_t size_bytes, const uint8_t *whole, size_t whole_bytes)
{
    const uintptr_t first = (uintptr_t)whole, at = (uintptr_t)bytes;
    return whole != NULL && at >= first && at - first <= whole_bytes && size_bytes <= whole_bytes - (at - first);
}

static bool find_in_files(const struct source_files *files, const uint8_t *bytes, size_t size_bytes,
                          struct picture_place *out)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct read_file *file = &files->items[i];
        if (!is_within(bytes, size_bytes, file->bytes, file->size_bytes))
            continue;
        *out = (struct picture_place){
            .source_file = (int32_t)i, .offset = (uint64_t)(bytes - file->bytes), .size_bytes = size_bytes};
        return true;
    }
    return false;
}

/* Finds a copy of a text in the model's file: readers of JSON copy its strings. Images mostly follow each other, so the
 * search begins where the last one ended. A file whose texts are escaped differently is searched only once. */
static const uint8_t *find_text(struct source_files *files, const uint8_t *text, size_t text_bytes)
{
    const struct read_file *file = files->count > 0 ? &files->items[0] : NULL;
    if (file == NULL || file->bytes == NULL || files->has_other_texts)
        return NULL;
    const size_t from = files->text_end <= file->size_bytes ? files->text_end : 0;
    const uint8_t *found = memmem(file->bytes + from, file->size_bytes - from, text, text_bytes);
    if (found == NULL)
        found = memmem(file->bytes, file->size_bytes, text, text_bytes);
    if (found == NULL)
        files->has_other_texts = true;
    else
        files->text_end = (size_t)(found - file->bytes) + text_bytes;
    return found;
}

/* Whether the base64 is that of the bytes, after the first `skip` ones. */
static bool is_text_of(const uint8_t *text, size_t text_bytes, size_t skip, const uint8_t *bytes, size_t size_bytes)
{
    struct base64_decode_ctx base64;
    uint8_t *decoded = malloc(BASE64_DECODE_LENGTH(text_bytes));
    size_t got = 0;
    if (decoded == NULL)
        return false;
    base64_decode_init(&base64);
    const bool is_same = base64_decode_update(&base64, &got, decoded, text_bytes, (const char *)text) &&
                         got >= skip + size_bytes && memcmp(decoded + skip, bytes, size_bytes) == 0;
    free(decoded);
    return is_same;
}

/* Base64 has 4 characters for 3 bytes. */
static bool find_decoded(struct source_files *files, const uint8_t *bytes, size_t size_bytes, struct picture_place *out)
{
    for (size_t i = 0; i < files->decoded_count; i++) {
        const struct decoded_text *decoded = &files->decoded[i];
        if (!is_within(bytes, size_bytes, decoded->bytes, decoded->size_bytes))
            continue;
        const size_t first = (size_t)(bytes - decoded->bytes), skip = first % 3, at = first / 3 * 4;
        const size_t needed = (skip + size_bytes + 2) / 3 * 4;
        if (at >= decoded->text_bytes)
            return false;
        const size_t left = decoded->text_bytes - at, used = needed < left ? needed : left;
        const uint8_t *text = decoded->text + at;
        if (!is_text_of(text, used, skip, bytes, size_bytes))
            return false;
        if (!find_in_files(files, text, used, out)) {
            text = find_text(files, text, used);
            if (text == NULL || !find_in_files(files, text, used, out))
                return false;
        }
        out->encoding = (uint32_t)(TEXTURE_BASE64 + skip);
        return true;
    }
    return false;
}

bool source_parts_note(struct source_files *files, const uint8_t *bytes, size_t size_bytes,
                       const uint8_t hash[TEXTURE_HASH_SIZE])
{
    struct source_part part;
    if (!find_in_files(files, bytes, size_bytes, &part.place) && !find_decoded(files, bytes, size_bytes, &part.place))
        return false;
    memcpy(part.hash, hash, sizeof part.hash);
    files->parts = mem_grow(files->parts, &files->part_capacity, files->part_count + 1, sizeof *files->parts);
    files->parts[files->part_count++] = part;
    return true;
}

void source_parts_record(const struct source_files *files, struct bake_builder *builder)
{
    struct picture_place *places = bake_add_picture_place(builder, builder->texture_count);
    for (uint32_t t = 0; places != NULL && t < builder->texture_count; t++) {
        places[t].source_file = -1;
        for (size_t i = 0; i < files->part_count && builder->textures[t].file != TEXTURE_FILE_NONE; i++)
            if (memcmp(files->parts[i].hash, builder->textures[t].file_hash, TEXTURE_HASH_SIZE) == 0) {
                places[t] = files->parts[i].place;
                break;
            }
    }
}
