#include "render/image/onion.h"

/* Of 255: 0.6 * (index + 1) / count. */
static uint32_t share_of(uint32_t index, uint32_t count)
{
    return index + 1 >= count ? 255 : (uint32_t)((UINT64_C(153) * (index + 1) + count / 2) / count);
}

/* x / 255, rounded, of x up to 255 * 255. */
static uint32_t by_255(uint32_t x) { return (x + 127) / 255; }

void onion_lay(uint8_t *below, const uint8_t *samples, uint64_t sample_count, uint32_t index, uint32_t count)
{
    const uint32_t share = share_of(index, count);
    for (uint64_t i = 0; i < 4 * sample_count; i += 4) {
        const uint32_t through = 255 - by_255(samples[i + 3] * share);
        for (uint64_t c = i; c < i + 4; c++) {
            const uint32_t sum = by_255(samples[c] * share) + by_255(below[c] * through);
            below[c] = (uint8_t)(sum < 255 ? sum : 255); /* what glows may have more colour than alpha */
        }
    }
}
