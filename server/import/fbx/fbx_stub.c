#include "import/fbx/fbx_material.h"
#include "base/mem.h"
#include <stdlib.h>
int fbx_read_materials(struct fbx *fbx, struct err *err){(void)fbx;(void)err;return 0;}
void fbx_slots_of(const struct fbx *fbx, uint32_t node, struct fbx_slots *slots){(void)fbx;(void)node;*slots=(struct fbx_slots){0};}
void fbx_slots_fini(struct fbx_slots *slots){(void)slots;}
void fbx_corner_uvs(const struct fbx *fbx, int32_t material, const struct fbx_surface *surface,const struct fbx_layer_element *uvs[2]){(void)fbx;(void)material; uvs[0]=surface->uv_count>0?&surface->uvs[0]:NULL; uvs[1]=NULL;}
