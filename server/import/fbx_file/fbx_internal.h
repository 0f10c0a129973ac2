/* fbx_internal.h - shared by the readers of binary and ASCII files. Private to import/fbx_file. */
#pragma once

#include "import/fbx_file/fbx_file.h"

enum { FBX_HEADER_BYTES = 27 };

bool fbx_binary_is(const uint8_t *bytes, size_t size_bytes);
/* fbx_binary.c, fbx_ascii.c: fill the records of a file whose bytes and limits are already set. */
int fbx_binary_read(struct fbx_file *file, struct err *err);
int fbx_ascii_read(struct fbx_file *file, struct err *err);

/* The stack of open records during reading. Each level stores its last child, to which the next child is linked. */
struct fbx_levels {
    struct fbx_level {
        uint32_t record; /* FBX_NONE: the top level */
        uint32_t last;
        uint64_t end; /* end offset of the record's bytes in a binary file */
    } stack[FBX_DEPTH_MAX + 1];
    uint32_t depth;
};

/* Appends a record without values to the innermost open record. Returns FBX_NONE with *err set if there are too
 * many. */
uint32_t fbx_add_record(struct fbx_file *file, struct fbx_levels *levels, struct fbx_span name, uint64_t offset,
                        struct err *err);
/* Opens the record's list of children. */
int fbx_open_level(struct fbx_file *file, struct fbx_levels *levels, uint32_t record, uint64_t end, struct err *err);

/* Appends a value to the record, which is the last record. */
struct fbx_value *fbx_add_value(struct fbx_file *file, uint32_t record);
/* Replaces all its values by a list. */
void fbx_set_list(struct fbx_file *file, uint32_t record, struct fbx_array list);
/* Allocates bytes that live as long as the file. */
uint8_t *fbx_pool_take(struct fbx_file *file, size_t size_bytes);
void fbx_pool_free(struct fbx_pool *pool);

/* Reads the value of a binary file at *at, before `end`, and advances *at past it. Returns false if the value is broken
 * or of an unknown type. */
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
    FBX_TOKEN_BROKEN /* an unterminated quote */
};

struct fbx_token {
    enum fbx_token_kind kind;
    struct fbx_span text;
};

/* Skips a UTF-8 byte order mark, which some texts begin with. */
const uint8_t *fbx_pass_mark(const uint8_t *at, const uint8_t *end);
/* Skips the comment at `at` to the end of its line. Lines may end as in any system. */
const uint8_t *fbx_pass_comment(const uint8_t *at, const uint8_t *end);
/* Returns the token after *at and advances *at past it. Skips white space and comments. */
struct fbx_token fbx_next_token(const uint8_t **at, const uint8_t *end);
/* Advances *at over blanks, commas and words, and returns the number of words. */
uint32_t fbx_pass_words(const uint8_t **at, const uint8_t *end);
/* Parses a whole word as a number. The number is an FBX_INTEGER, or an FBX_REAL if it has a point or an exponent,
 * exceeds int64_t, or is an infinity or NaN as C libraries write it ("1.#INF", "-nan(ind)"). Returns false if it is not
 * a number. */
bool fbx_word_number(struct fbx_span word, struct fbx_value *out);
/* The same for the next word of a list, after blanks and commas, where it is as most are: at most 19 digits with or
 * without a point. Returns false for any other token, and leaves *at as it is. */
bool fbx_next_number(const uint8_t **at, const uint8_t *end, struct fbx_value *out);
/* Converts a word or quote to a value. Texts are decoded into the file's pool, or stay as they are if `file` is
 * NULL. */
void fbx_token_value(struct fbx_file *file, const struct fbx_token *token, struct fbx_value *out);
