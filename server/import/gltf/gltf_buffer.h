/* gltf_buffer.h - buffers and buffer views, which hold the bytes of accessors and embedded images. Single-threaded.
 *
 * A buffer is read on first use: a GLB's binary chunk, a data URI, or a file beside the model. A compressed view is
 * decompressed once, on first use. */
#pragma once

#include "import/gltf/gltf.h"
#include "import/gltf_file/gltf_uri.h"

/* Chooses the path of a file that a relative URI names: the decoded URI or, if there is no such file, the URI as it
 * stands (exporters write plain file names), or either without query and fragment. Pass it to source_search() or
 * texture_add(). The caller frees *out with free(). Returns 0 or ERR_BAD_MODEL. */
int gltf_companion_path(struct gltf *gltf, const char *uri, enum source_role role, char **out, struct err *err);

/* Reads the data URI of LIST[index], with a warning of blanks. The caller frees out->bytes. Returns 0 or ERR_BAD_MODEL.
 */
int gltf_data_uri(struct gltf *gltf, const char *uri, const char *list, uint32_t index, struct data_uri *out,
                  struct err *err);

struct gltf_view {
    const uint8_t *bytes; /* owned by the import, valid until gltf_buffers_free() */
    uint64_t size_bytes;
    uint64_t stride; /* 0: tightly packed */
};

/* Returns 0 or ERR_BAD_MODEL: a view extends past its buffer. */
int gltf_buffers_new(struct gltf *gltf, struct err *err);
void gltf_buffers_free(struct gltf *gltf);

/* `index` is in range. Returns 0, ERR_BAD_MODEL (the buffer has fewer bytes than it declares, or its data URI is
 * broken) or an error of source_search(). */
int gltf_view(struct gltf *gltf, uint32_t index, struct gltf_view *view, struct err *err);

/* gltf_meshopt.c: EXT_meshopt_compression, with libmeshoptimizer. Returns the extension's object on a bufferView that
 * passed the schema check, or NULL if the view is not compressed. */
const cJSON *gltf_meshopt_of(const cJSON *view);

/* Decodes `size_bytes` bytes into count * byteStride bytes. The caller frees *out with free(). `decoded_max` limits the
 * allocation. libmeshoptimizer's decoders accept any bytes, but the decoded indices may be out of range. Returns 0,
 * ERR_BAD_MODEL (a mode, stride or filter that the extension does not define, or broken bytes) or ERR_MODEL_LIMIT. */
int gltf_meshopt_decode(const cJSON *view, const uint8_t *bytes, uint64_t size_bytes, uint64_t decoded_max,
                        uint8_t **out, struct err *err);
