/* posed_file_open.c - checks a .posed file and returns it as a model. */
#include "anim/posed_file/posed_file.h"

#include "anim/bake/bake_check.h"
#include "anim/compiled/clip_compile.h"
#include "anim/compiled/clip_restore.h"
#include "anim/posed_file/posed_file_format.h"

#include <string.h>

#define FRAMES_BYTES_MAX (1ULL << 30) /* of all clips together */

/* When a struct of the model grows, sections of older versions must be converted here. */
enum {
    KIND_BYTES_NONE = 0,
#define X(id, singular, plural, type, item_bytes) KIND_BYTES_##id = (item_bytes),
#include "anim/model/model_sections.def"
#undef X
};
#define X(version, id, item_bytes)                                                                                     \
    _Static_assert(KIND_BYTES_##id == (item_bytes), "sections of version " #version " are used as they lie");
#include "anim/posed_file/posed_file_sections.def"
#undef X

static int check_header(const void *bytes, uint64_t size_bytes, struct posed_file_header *header, struct err *err)
{
    if ((uintptr_t)bytes % BAKE_ALIGNMENT != 0)
        return err_set(err, ERR_BAD_BAKE, "the file does not lie at a multiple of %d bytes", BAKE_ALIGNMENT);
    if (bytes == NULL || size_bytes < sizeof *header)
        return err_set(err, ERR_BAD_BAKE, "%llu bytes are too few for a .posed file", (unsigned long long)size_bytes);
    memcpy(header, bytes, sizeof *header);
    if (memcmp(header->magic, POSED_FILE_MAGIC, sizeof header->magic) != 0)
        return err_set(err, ERR_BAD_BAKE, "the first 8 bytes are not those of a .posed file");
    if (header->byte_order != POSED_FILE_ORDER)
        return err_set(err, ERR_BAD_BAKE, "the file's byte order is not little-endian");
    if (posed_file_version(header->version) == NULL)
        return err_set(err, ERR_BAD_BAKE, "the file has version %u, this program reads those up to %d", header->version,
                       POSED_FILE_VERSION);
    if (header->size_bytes != size_bytes)
        return err_set(err, ERR_BAD_BAKE, "the header says %llu bytes, there are %llu",
                       (unsigned long long)header->size_bytes, (unsigned long long)size_bytes);
    const unsigned char *rest = (const unsigned char *)bytes + sizeof *header;
    if (header->checksum != posed_file_checksum(header, rest, size_bytes - sizeof *header))
        return err_set(err, ERR_BAD_BAKE, "the checksum is not that of the bytes: the file is damaged");
    for (size_t i = 0; i < sizeof header->reserved; i++)
        if (header->reserved[i] != 0)
            return err_set(err, ERR_BAD_BAKE, "the header's reserved field is not 0");
    return 0;
}

/* --- sections --- */

/* The state of reading a file. */
struct reading {
    const unsigned char *bytes;
    uint64_t size_bytes;
    struct posed_file_header header;
    uint64_t end;     /* where the last section ended */
    uint32_t section; /* the next row */
    struct model view;
};

static struct bake_section row(const struct reading *reading, uint32_t i)
{
    struct bake_section section;
    memcpy(&section, reading->bytes + sizeof reading->header + i * sizeof section, sizeof section);
    return section;
}

/* Takes the next row, which must be of this kind. */
static int take_section(struct reading *reading, const struct bake_section_kind *kind, struct err *err)
{
    if (reading->section >= reading->header.section_count)
        return err_set(err, ERR_BAD_BAKE, "section %s is not there", kind->name);
    const struct bake_section section = row(reading, reading->section++);
    const int rc = bake_check_section(reading->bytes, reading->size_bytes, &section, kind, &reading->end, err);
    if (rc == 0)
        bake_set_section(&reading->view, kind, reading->bytes + section.offset, (uint32_t)section.count);
    return rc;
}

/* Skips a compiled section of another version, of which it can only check the place. */
static int pass_section(struct reading *reading, uint32_t last_id, struct err *err)
{
    enum { ITEM_BYTES_MAX = 4096 };
    const struct bake_section section = row(reading, reading->section++);
    const struct bake_section_kind kind = {.id = section.id, .item_bytes = section.item_bytes, .name = "compiled"};
    if (section.id < MODEL_COMPILED_ID || section.id <= last_id || section.item_bytes == 0 ||
        section.item_bytes > ITEM_BYTES_MAX)
        return err_set(err, ERR_BAD_BAKE, "row %u of the section table is none of a compiled section",
                       reading->section - 1);
    return bake_check_section(reading->bytes, reading->size_bytes, &section, &kind, &reading->end, err);
}

static int take_compiled(struct reading *reading, struct err *err)
{
    const bool is_known = reading->header.compiled_version == BAKE_VERSION;
    int rc = 0;
    for (size_t k = 0; k < BAKE_SECTION_COUNT && rc == 0 && is_known; k++)
        if (posed_file_has_compiled(BAKE_SECTION_KINDS[k].id))
            rc = take_section(reading, &BAKE_SECTION_KINDS[k], err);
    for (uint32_t last_id = 0; rc == 0 && reading->section < reading->header.section_count;) {
        const uint32_t id = row(reading, reading->section).id;
        if (is_known || reading->header.compiled_version == 0)
            return err_set(err, ERR_BAD_BAKE, "section %u is one too many", id);
        rc = pass_section(reading, last_id, err);
        last_id = id;
    }
    return rc;
}

static int take_sections(struct reading *reading, struct err *err)
{
    const uint64_t table_bytes = (uint64_t)reading->header.section_count * sizeof(struct bake_section);
    if (table_bytes > reading->size_bytes - sizeof reading->header)
        return err_set(err, ERR_BAD_BAKE, "the header names %u sections, more than the file holds",
                       reading->header.section_count);
    const struct posed_file_version *version = posed_file_version(reading->header.version);
    reading->end = sizeof reading->header + table_bytes;
    int rc = 0;
    /* The pointer of an empty section is valid too, so sections that the file lacks get one. */
    for (size_t k = 0; k < BAKE_SECTION_COUNT; k++)
        bake_set_section(&reading->view, &BAKE_SECTION_KINDS[k], reading->bytes, 0);
    for (uint32_t i = 0; i < version->count && rc == 0; i++)
        rc = take_section(reading, posed_file_kind(version->sections[i].id), err);
    if (rc == 0)
        rc = take_compiled(reading, err);
    if (rc == 0 && reading->end != reading->size_bytes)
        rc = err_set(err, ERR_BAD_BAKE, "%llu bytes follow the last section",
                     (unsigned long long)(reading->size_bytes - reading->end));
    return rc;
}

/* --- compiled clips --- */

/* Checks the model and its rig, and makes the frames of the clips that the file says are compiled. */
static int restore(struct posed_file *file, const struct model *view, struct err *err)
{
    file->model = *view;
    file->model.compiled_clip_count = file->model.frame_time_count = 0;
    int rc = bake_check(&file->model, err);
    if (rc == 0 && view->compiled_clip_count > 0) {
        rc = clip_restore(&file->model, view, FRAMES_BYTES_MAX, &file->restored, err);
        clip_sections_use(&file->restored, &file->model);
        if (rc == 0)
            rc = bake_check_compiled(&file->model, err);
    }
    if (rc == 0 && file->model.frame_time_count != view->frame_time_count)
        rc = err_set(err, ERR_BAD_BAKE, "frame_times has elements that no clip has");
    return rc;
}

static int compile(struct posed_file *file, struct err *err)
{
    struct bake_builder *own = &file->own;
    const struct model *from = &file->model;
#define X(id, singular, plural, type, item_bytes)                                                                      \
    if (bake_add_##singular(own, from->singular##_count) != NULL && from->singular##_count > 0)                        \
        memcpy(own->plural, from->plural, from->singular##_count * sizeof(type));
#include "anim/model/model_sections.def"
#undef X
    clip_compile_all(own);
    if (own->is_failed)
        return err_set(err, ERR_NO_MEMORY, "no memory to compile the file's clips");
    file->model = bake_builder_view(own);
    file->is_compiled = true;
    return bake_check_compiled(&file->model, err);
}

int posed_file_open(struct posed_file *file, const void *bytes, uint64_t size_bytes, struct err *err)
{
    struct reading reading = {.bytes = bytes, .size_bytes = size_bytes};
    *file = (struct posed_file){0};
    bake_builder_init(&file->own, 0);
    int rc = check_header(bytes, size_bytes, &reading.header, err);
    if (rc == 0)
        rc = take_sections(&reading, err);
    if (rc == 0)
        rc = restore(file, &reading.view, err);
    if (rc == 0 && reading.header.compiled_version != BAKE_VERSION && file->model.clip_count > 0)
        rc = compile(file, err);
    if (rc < 0) {
        posed_file_fini(file);
        return rc;
    }
    file->version = reading.header.version;
    file->checksum = reading.header.checksum;
    return 0;
}

void posed_file_fini(struct posed_file *file)
{
    bake_builder_fini(&file->own);
    clip_sections_fini(&file->restored);
    *file = (struct posed_file){0};
}
