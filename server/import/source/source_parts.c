/* source_parts.c - places by pointer, within a file or within bytes that were decoded from a text of one, and by
 * content, in the model's file. */
#include "import/source/source_parts.h"

#include "import/source/source_records.h"
#include "import/source/zip_place.h"

#include "base/base64.h"
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

/* Finds a copy of a text, or of a picture, in the model's file: readers of JSON copy its strings, and assimp copies
 * pictures. Images mostly follow each other, so the search begins where the last one ended. A file whose texts are
 * escaped differently is searched only once. */
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

/* Whether the text, without the characters that base64 has not, is that of the bytes. */
static bool is_pieces_of(const uint8_t *text, size_t text_bytes, const uint8_t *bytes, size_t size_bytes)
{
    struct base64_bits bits = {0};
    uint8_t *decoded = malloc(BASE64_DECODE_LENGTH(text_bytes));
    const bool is_same = decoded != NULL && base64_decode_pieces(&bits, text, text_bytes, decoded) >= size_bytes &&
                         memcmp(decoded, bytes, size_bytes) == 0;
    free(decoded);
    return is_same;
}

/* The text in a file of the model. */
static bool find_place_of_text(struct source_files *files, const uint8_t *text, size_t text_bytes,
                               struct picture_place *out)
{
    if (find_in_files(files, text, text_bytes, out))
        return true;
    const uint8_t *found = find_text(files, text, text_bytes);
    return found != NULL && find_in_files(files, found, text_bytes, out);
}

/* Base64 has 4 characters for 3 bytes, unless others are in between. A picture behind such ones is not looked for. */
static bool find_decoded(struct source_files *files, const uint8_t *bytes, size_t size_bytes, struct picture_place *out)
{
    for (size_t i = 0; i < files->decoded_count; i++) {
        const struct decoded_text *decoded = &files->decoded[i];
        if (!is_within(bytes, size_bytes, decoded->bytes, decoded->size_bytes))
            continue;
        const size_t first = (size_t)(bytes - decoded->bytes), skip = first % 3, at = first / 3 * 4;
        const size_t needed = (skip + size_bytes + 2) / 3 * 4;
        const size_t left = at < decoded->text_bytes ? decoded->text_bytes - at : 0,
                     used = needed < left ? needed : left;
        const bool is_whole = used > 0 && is_text_of(decoded->text + at, used, skip, bytes, size_bytes);
        if (!is_whole && (first > 0 || !is_pieces_of(decoded->text, decoded->text_bytes, bytes, size_bytes)))
            return false;
        const bool is_found = is_whole ? find_place_of_text(files, decoded->text + at, used, out)
                                       : find_place_of_text(files, decoded->text, decoded->text_bytes, out);
        out->encoding = is_whole ? (uint32_t)(TEXTURE_BASE64 + skip) : TEXTURE_BASE64_PIECES;
        return is_found;
    }
    return false;
}

/* In the model's file, whose reader has made a copy or unpacked it. */
static bool find_by_content(struct source_files *files, const uint8_t *bytes, size_t size_bytes,
                            struct picture_place *out)
{
    if (files->count == 0 || files->items[0].bytes == NULL)
        return false;
    *out = (struct picture_place){.source_file = 0};
    if (zip_place_find(files->items[0].bytes, files->items[0].size_bytes, bytes, size_bytes, out))
        return true;
    const uint8_t *found = find_text(files, bytes, size_bytes);
    return found != NULL && find_in_files(files, found, size_bytes, out);
}

bool source_parts_note(struct source_files *files, const uint8_t *bytes, size_t size_bytes,
                       const uint8_t hash[TEXTURE_HASH_SIZE])
{
    struct source_part part;
    if (!find_in_files(files, bytes, size_bytes, &part.place) && !find_decoded(files, bytes, size_bytes, &part.place) &&
        !find_by_content(files, bytes, size_bytes, &part.place))
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
