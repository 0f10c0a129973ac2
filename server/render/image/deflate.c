#include "render/image/deflate.h"

#include <isa-l.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdlib.h>

enum { BOUND_SLACK_BYTES = 1 << 16 };

/* isa-l 2.30's body for levels 1 and 2 (isal_deflate_icf_body_hash_hist) enters the second position of a stream without
 * history into its hash table under a hash of the stream's address instead of the data's. So the same data would
 * sometimes get different bytes. A stream with a dictionary takes another path. So the first bytes go into a stored
 * block written here, and are the dictionary of the rest, whose matches may refer to them like to any earlier bytes. */
enum { STORED_BYTES = 32 };

struct deflate_state {
    struct isal_zstream stream;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
};

static void put_stored(struct buf *out, const uint8_t *bytes, uint16_t size_bytes, bool is_final)
{
    buf_put_char(out, is_final ? 1 : 0); /* RFC 1951, 3.2.4 */
    buf_put_u16(out, size_bytes);
    buf_put_u16(out, (uint16_t)~size_bytes);
    buf_put(out, bytes, size_bytes);
}

/* Writes the final blocks: `rest` compressed, after `head`. */
static int put_compressed(struct buf *out, uint8_t *head, uint8_t *rest, size_t size_bytes, struct err *err)
{
    const size_t capacity = size_bytes + size_bytes / 64 + BOUND_SLACK_BYTES;
    struct deflate_state *state = malloc(sizeof *state);
    uint8_t *to = state == NULL ? NULL : (uint8_t *)buf_reserve(out, capacity);
    if (to == NULL) {
        free(state);
        return err_set(err, ERR_NO_MEMORY, "no memory for compressed data");
    }
    struct isal_zstream *stream = &state->stream;
    isal_deflate_init(stream);
    stream->level = 1;
    stream->level_buf = state->level;
    stream->level_buf_size = sizeof state->level;
    int rc = isal_deflate_set_dict(stream, head, STORED_BYTES);
    stream->end_of_stream = 1;
    stream->next_in = rest;
    stream->avail_in = (uint32_t)size_bytes;
    stream->next_out = to;
    stream->avail_out = (uint32_t)capacity;
    if (rc == COMP_OK)
        rc = isal_deflate(stream);
    if (rc != COMP_OK || stream->internal_state.state != ZSTATE_END)
        rc = err_set(err, ERR_INTERNAL, "compressing failed (%d)", rc);
    else
        buf_advance(out, stream->total_out);
    free(state);
    return rc;
}

int deflate_put(struct buf *out, uint8_t *data, size_t size_bytes, struct err *err)
{
    const size_t stored = size_bytes < STORED_BYTES ? size_bytes : STORED_BYTES;
    put_stored(out, data, (uint16_t)stored, stored == size_bytes);
    return stored < size_bytes ? put_compressed(out, data, data + stored, size_bytes - stored, err) : 0;
}
