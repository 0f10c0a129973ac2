/* export_skins.c - skins: joints in their order, and inverse binds (glTF 2.0, 3.7.3). */
#include "wire/encode/json.h"
#include "wire/export/export_parts.h"

bool export_put_skins(struct export *e)
{
    const struct model *model = e->model;
    struct mat4 *binds = export_array(e, model->joint_count, sizeof *binds);
    bool is_first = true;
    for (uint32_t j = 0; binds != NULL && j < model->joint_count; j++)
        binds[j] = model->joints[j].joint_from_bind;
    for (uint32_t s = 0; binds != NULL && s < model->skin_count && !buf_failed(e->out); s++) {
        const struct skin *skin = &model->skins[s];
        if (e->skin_places[s] == GLB_NONE)
            continue;
        buf_put_text(e->out, is_first ? ",\"skins\":[{" : ",{");
        is_first = false;
        glb_put_name(e->out, model, skin->name);
        json_printf(e->out, "\"inverseBindMatrices\":%u,\"joints\":",
                    glb_add(e->glb, GLB_MATRIX, binds + skin->joint_first, skin->joint_count));
        for (uint32_t j = 0; j < skin->joint_count && !buf_failed(e->out); j++) {
            buf_put_char(e->out, j == 0 ? '[' : ',');
            json_put_uint(e->out, e->joint_places[skin->joint_first + j]);
        }
        buf_put_text(e->out, "]}");
    }
    if (!is_first)
        buf_put_char(e->out, ']');
    return binds != NULL;
}
