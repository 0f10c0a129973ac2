/* posed_file_format.c - the sections of each version of the file, and its checksum. */
#include "anim/posed_file/posed_file_format.h"

#include "anim/posed_file/posed_file.h"
#include "base/hash.h"

#include <string.h>

static const struct posed_file_section SECTIONS[] = {
#define X(version, id, item_bytes) {id, item_bytes},
#include "anim/posed_file/posed_file_sections.def"
#undef X
};

/* Each version has the first ones, so a later version adds its sections at the end. */
enum {
    COUNT_1 = 0
#define X(version, id, item_bytes) +((version) <= 1)
#include "anim/posed_file/posed_file_sections.def"
#undef X
    ,
    COUNT_2 = 0
#define X(version, id, item_bytes) +((version) <= 2)
#include "anim/posed_file/posed_file_sections.def"
#undef X
};

static const struct posed_file_version VERSIONS[] = {
    {1, SECTIONS, COUNT_1},
    {2, SECTIONS, COUNT_2},
    {3, SECTIONS, sizeof SECTIONS / sizeof *SECTIONS},
};
_Static_assert(sizeof VERSIONS / sizeof *VERSIONS == POSED_FILE_VERSION, "every version so far is read");

const struct posed_file_version *posed_file_version(uint32_t number)
{
    return number >= 1 && number <= POSED_FILE_VERSION ? &VERSIONS[number - 1] : NULL;
}

const struct bake_section_kind *posed_file_kind(uint32_t id)
{
    for (size_t i = 0; i < BAKE_SECTION_COUNT; i++)
        if (BAKE_SECTION_KINDS[i].id == id)
            return &BAKE_SECTION_KINDS[i];
    return NULL;
}

enum {
    NO_ID = 0,
#define X(id, singular, plural, type, item_bytes) ID_##plural = (id),
#include "anim/model/model_sections.def"
#undef X
};

bool posed_file_has_compiled(uint32_t id)
{
    return id >= MODEL_COMPILED_ID && id != ID_lane_blocks && id != ID_still_nodes && id != ID_lane_values;
}

uint32_t posed_file_count(const struct model *model, const struct bake_section_kind *kind)
{
    uint32_t count;
    memcpy(&count, (const char *)model + kind->count_offset, sizeof count);
    return kind->id == ID_rig_parts && count > 0 ? model->rig_node_count : count;
}

uint64_t posed_file_checksum(const struct posed_file_header *header, const void *rest, uint64_t rest_bytes)
{
    struct posed_file_header unsummed = *header;
    unsummed.checksum = 0;
    return hash64(hash64(HASH64_SEED, &unsummed, sizeof unsummed), rest, (size_t)rest_bytes);
}
