/* entity_looks.h - the numbers of materials that expressions of given poses move while an entity plays: for
 * entity_clip.c. Pure; any thread.
 *
 * A row has, for each material that some layer gives, its LOOKS_VALUES: the parts of LOOKS_PARTS one after the other.
 */
#pragma once

#include "anim/entity/entity.h"
#include "anim/model/property.h"
#include "anim/pose/appearance.h"

/* A number, or several, of a material that a clip moves, and where they are in its row. Parts of a group stand together
 * in a clip, or not at all. */
struct looks_part {
    uint32_t property; /* PROPERTY_, rising */
    uint32_t first, count, group;
};
enum {
    LOOKS_PARTS = 3 + TEXTURE_SLOT_COUNT * (int)TRANSFORM_PARTS, /* base colour, emission, its strength, transforms */
    LOOKS_VALUES = 4 + 3 + 1 + TEXTURE_SLOT_COUNT * (2 + 2 + 1)
};
struct looks_part looks_part(uint32_t part);

struct entity_looks {
    uint32_t *materials; /* [count], rising */
    uint32_t count;
    struct appearance appearance;
};

/* Finds the materials that layers of the entity give. Returns 0 or ERR_NO_MEMORY. */
int entity_looks_init(struct entity_looks *looks, const struct entity *entity, struct err *err);
void entity_looks_fini(struct entity_looks *looks);

/* Fills a row with the numbers of the file. */
void entity_looks_rest(const struct entity_looks *looks, const struct model *model, float *out);
/* Fills a row with those of the layers' times. shown: the clip below whose materials are seen, or POSE_REST; pose: what
 * the layers make. Returns 0 or ERR_NO_MEMORY. */
int entity_looks_put(struct entity_looks *looks, const struct entity *entity, int32_t shown, const struct pose *pose,
                     float *out, struct err *err);
