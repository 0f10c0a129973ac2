/* The table of areas. */
#include "clients/cli/diff_report/areas.h"

#include "clients/cli/output/json.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *name, *title;
} AREAS[AREA_COUNT] = {
    [AREA_MOTION] = {"motion", "Motion"},
    [AREA_SKELETON] = {"skeleton", "Skeleton"},
    [AREA_SHAPE] = {"shape", "Shape"},
    [AREA_MATERIALS] = {"materials", "Materials"},
    [AREA_TEXTURES] = {"textures", "Textures"},
    [AREA_NAMES] = {"names", "Names"},
    [AREA_OTHER] = {"other", "Other differences"},
};

enum kind {
#define X(symbol, name, text) symbol,
#include "protocol/differences.def"
#undef X
    KIND_COUNT
};

static const char *const KINDS[] = {
#define X(symbol, name, text) name,
#include "protocol/differences.def"
#undef X
};

static const struct {
    enum kind kind;
    enum area area;
} ORDER[] = {
    {DIFFERENCE_POSE, AREA_MOTION},          {DIFFERENCE_CLIP_REMOVED, AREA_MOTION},
    {DIFFERENCE_CLIP_ADDED, AREA_MOTION},    {DIFFERENCE_CLIP_LENGTH, AREA_MOTION},
    {DIFFERENCE_CLIP_RANGE, AREA_MOTION},    {DIFFERENCE_LOOK, AREA_MOTION},
    {DIFFERENCE_UNIT, AREA_SKELETON},        {DIFFERENCE_UP, AREA_SKELETON},
    {DIFFERENCE_PLACEMENT, AREA_SKELETON},   {DIFFERENCE_JOINT_REMOVED, AREA_SKELETON},
    {DIFFERENCE_JOINT_ADDED, AREA_SKELETON}, {DIFFERENCE_JOINT_REPARENTED, AREA_SKELETON},
    {DIFFERENCE_REST, AREA_SKELETON},        {DIFFERENCE_WEIGHTS, AREA_SHAPE},
    {DIFFERENCE_MORPH_TARGETS, AREA_SHAPE},  {DIFFERENCE_MESH, AREA_SHAPE},
    {DIFFERENCE_TRIANGLES, AREA_SHAPE},      {DIFFERENCE_MATERIAL, AREA_MATERIALS},
    {DIFFERENCE_TEXTURE, AREA_TEXTURES},     {DIFFERENCE_JOINT_RENAMED, AREA_NAMES},
    {DIFFERENCE_CLIP_RENAMED, AREA_NAMES},
};
enum { ORDER_COUNT = sizeof ORDER / sizeof *ORDER };
_Static_assert((int)ORDER_COUNT == (int)KIND_COUNT, "every kind of differences.def has an area");

const char *area_name(enum area area) { return AREAS[area].name; }

const char *area_title(enum area area) { return AREAS[area].title; }

int area_rank(const char *kind)
{
    int rank = 0;
    while (rank < ORDER_COUNT && strcmp(KINDS[ORDER[rank].kind], kind) != 0)
        rank++;
    return rank;
}

/* Returns whether only the name of a material differs. */
static bool is_renamed(const cJSON *difference)
{
    const char *name = member_text(json_get(difference, "subject"), "material");
    return name[0] != '\0' && strcmp(member_text(difference, "new"), name) == 0 &&
           strcmp(member_text(difference, "old"), "") != 0;
}

enum area area_of(const cJSON *difference)
{
    const int rank = area_rank(member_text(difference, "kind"));
    if (rank == ORDER_COUNT)
        return AREA_OTHER;
    if (ORDER[rank].kind == DIFFERENCE_MATERIAL && is_renamed(difference))
        return AREA_NAMES;
    /* What is drawn at rest, and no joint's own place. */
    if (ORDER[rank].kind == DIFFERENCE_REST && json_get(json_get(difference, "subject"), "meshes") != NULL)
        return AREA_SHAPE;
    return ORDER[rank].area;
}
