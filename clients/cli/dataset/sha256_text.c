#include "clients/cli/dataset/dataset.h"

#include <nettle/sha2.h>

void sha256_put(struct text *out, const void *bytes, size_t size_bytes)
{
    struct sha256_ctx sha;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&sha);
    sha256_update(&sha, size_bytes, bytes);
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        text_printf(out, "%02x", digest[i]);
}
