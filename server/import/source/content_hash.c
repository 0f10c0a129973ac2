#include "import/source/content_hash.h"

#include <nettle/sha2.h>
#include <string.h>

static void put_number(struct sha256_ctx *sha, uint64_t value, size_t size_bytes)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size_bytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    sha256_update(sha, size_bytes, bytes);
}

static void put_section(struct sha256_ctx *sha, uint32_t id, const void *items, uint32_t count, size_t item_bytes)
{
    put_number(sha, id, 4);
    put_number(sha, count, 8);
    if (count > 0)
        sha256_update(sha, count * item_bytes, items);
}

void content_hash(const struct bake_builder *builder, uint8_t out[32])
{
    struct sha256_ctx sha;
    struct bake_builder zeroed = *builder;
    struct model_info info = {0};
    if (builder->info_count > 0) {
        info = builder->infos[0];
        memset(info.content_hash, 0, sizeof info.content_hash);
        zeroed.infos = &info;
    }
    sha256_init(&sha);
#define X(id, singular, plural, type, item_bytes)                                                                      \
    if (id < MODEL_COMPILED_ID)                                                                                        \
        put_section(&sha, id, zeroed.plural, zeroed.singular##_count, sizeof(type));
#include "anim/model/model_sections.def"
#undef X
    sha256_digest(&sha, SHA256_DIGEST_SIZE, out);
}
