/* ogre_script.h - Ogre's material scripts: of each material the first pass of the first technique, and the first
 * texture unit in it that has a picture of its own (Ogre manual, 3.1 "Material Scripts"). Pure; one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ogre_script_material {
    char *name;
    float diffuse[4], specular[3], emissive[3]; /* as painted on a screen */
    float shininess;
    bool has_vertex_colors; /* they are its diffuse colour */
    bool is_unlit;
    bool is_blended; /* by alpha */
    bool is_rejecting;
    float rejected_alpha; /* texels with less are not drawn */
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

/* Appends the materials of a text (NUL-terminated). One that is derived from another begins as a copy of it, where that
 * is there already. What it does not understand it passes over. */
void ogre_script_read(struct ogre_script *script, const char *text, size_t size_bytes);
void ogre_script_fini(struct ogre_script *script);
/* The material of this name, or NULL. */
const struct ogre_script_material *ogre_script_find(const struct ogre_script *script, const char *name,
                                                    size_t size_bytes);
