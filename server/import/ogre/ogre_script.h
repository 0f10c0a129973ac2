/* ogre_script.h - reads Ogre's material scripts. It takes the first pass of each material's first technique, and the
 * first texture unit of that pass with a picture of its own (Ogre manual, 3.1 "Material Scripts"). Pure; one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ogre_script_material {
    char *name;
    float diffuse[4], specular[3], emissive[3]; /* sRGB */
    float shininess;
    bool has_vertex_colors; /* vertex colours replace its diffuse colour */
    bool is_unlit;
    bool is_blended; /* by alpha */
    bool is_rejecting;
    float rejected_alpha; /* texels with less alpha are discarded */
    bool is_two_sided;
    char *texture; /* or NULL */
    uint32_t texcoord_set;
    bool is_clamped, is_mirrored;
    float scroll[2], scale[2], rotate_degrees; /* of the picture */
};

struct ogre_script {
    struct ogre_script_material *materials; /* [material_count] */
    size_t material_count, material_capacity;
};

/* Appends the materials of a NUL-terminated text. A derived material starts as a copy of its base if the script already
 * has that. Unknown content is skipped. */
void ogre_script_read(struct ogre_script *script, const char *text, size_t size_bytes);
void ogre_script_fini(struct ogre_script *script);
/* Returns the material of this name, or NULL. */
const struct ogre_script_material *ogre_script_find(const struct ogre_script *script, const char *name,
                                                    size_t size_bytes);
