/* fbx_internal.h - what the readers of binary and ASCII files share. Private to import/fbx_file. */
#pragma once

#include "import/fbx_file/fbx_file.h"

enum { FBX_HEADER_BYTES = 27 };

bool fbx_binary_is(const uint8_t *bytes, size_t size_bytes);
/* fbx_binary.c, fbx_ascii.c: fill the records of a file whose bytes and limits are set. */
int fbx_binary_read(struct fbx_file *file, struct err *err);
int fbx_ascii_read(struct fbx_file *file, struct err *err);

/* The records that are open while a file is read: each level knows the last child, to which the next is chained. */
struct fbx_levels {
    struct fbx_level {
        uint32_t record; /* FBX_NONE: the top level */
        uint32_t last;
        uint64_t end; /* of binary files: where its bytes end */
    } stack[FBX_DEPTH_MAX + 1];
    uint32_t depth;
};

/* A record without values at the end of the innermost open record. FBX_NONE with *err set: there are too many. */
uint32_t fbx_add_record(struct fbx_file *file, struct fbx_levels *levels, struct fbx_span name, uint64_t offset,
                        struct err *err);
/* Opens or closes the record's list of children. */
int fbx_open_level(struct fbx_file *file, struct fbx_levels *levels, uint32_t record, uint64_t end, struct err *err);

/* One value more of the record, which is the last one. */
struct fbx_value *fbx_add_value(struct fbx_file *file, uint32_t record);
/* Instead of all its values. */
void fbx_set_list(struct fbx_file *file, uint32_t record, struct fbx_array list);
/* Bytes that live as long as the file. */
uint8_t *fbx_pool_take(struct fbx_file *file, size_t size_bytes);
void fbx_pool_free(struct fbx_pool *pool);

/* Reads the value of a binary file at *at, before `end`, and moves *at behind it. False: it is broken or unknown. */
bool fbx_binary_value(const struct fbx_file *file, const uint8_t **at, const uint8_t *end, struct fbx_value *out);
uint16_t fbx_u16(const struct fbx_file *file, const uint8_t *p);
uint32_t fbx_u32(const struct fbx_file *file, const uint8_t *p);
uint64_t fbx_u64(const struct fbx_file *file, const uint8_t *p);

/* --- tokens of ASCII files, fbx_token.c --- */

enum fbx_token_kind {
    FBX_TOKEN_END,
    FBX_TOKEN_WORD,  /* a name, a number or a bare word */
    FBX_TOKEN_QUOTE, /* without the quotes */
    FBX_TOKEN_SIGN,  /* one of , : { } * */
    FBX_TOKEN_BROKEN /* a quote without end */
};

struct fbx_token {
    enum fbx_token_kind kind;
    struct fbx_span text;
};

/* Past UTF-8's byte order mark, with which some text begins. */
const uint8_t *fbx_pass_mark(const uint8_t *at, const uint8_t *end);
/* To the end of the line that the comment at `at` is in; lines end as in any system. */
const uint8_t *fbx_pass_comment(const uint8_t *at, const uint8_t *end);
/* The token after *at, which is moved behind it; white space and comments are passed over. */
struct fbx_token fbx_next_token(const uint8_t **at, const uint8_t *end);
/* The number that a whole word is: an FBX_INTEGER, or an FBX_REAL where it has a point or an exponent, is beyond
 * int64_t, or is one of what C libraries write for infinities and NaNs ("1.#INF", "-nan(ind)"). False: it is no number.
 */
bool fbx_word_number(struct fbx_span word, struct fbx_value *out);
/* The value that a word or quote is; texts are decoded into the file's pool, or left as they are without a file. */
void fbx_token_value(struct fbx_file *file, const struct fbx_token *token, struct fbx_value *out);
