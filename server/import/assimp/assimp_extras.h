/* assimp_extras.h - between the two files that make extras and markers. */
#pragma once

#include "import/assimp/assimp.h"
#include "import/text/extras.h"

/* Those of FBX. The clips are those of the scene, in its order. */
int assimp_fbx_extras(struct assimp_job *job, struct extras *extras, struct err *err);

/* Markers come in any order. One too many, or without a finite time, is left out with a warning. */
int assimp_add_marker(struct assimp_job *job, const struct marker *marker, struct err *err);
