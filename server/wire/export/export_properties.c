/* export_properties.c - channels of the file that move materials, lights and cameras (KHR_animation_pointer). */
#include "anim/pose/appearance.h"
#include "wire/export/export_internal.h"

/* Whether the file contains the object and the texture of a property. */
static bool is_kept(const struct export *e, const struct property *property, uint32_t target)
{
    if (property->kind == PROPERTY_OF_LIGHT)
        return true; /* the file has all lights */
    if (property->kind == PROPERTY_OF_CAMERA)
        return e->keeps[e->model->cameras[target].node] == KEEP_ALL;
    if (e->surfaces.materials[target] == GLB_NONE)
        return false;
    if (property->slot < 0)
        return true;
    const int32_t texture = surfaces_texture_of(&e->surfaces, target, (uint32_t)property->slot);
    return e->surfaces.request->form != TEXTURES_NONE && texture >= 0 &&
           e->model->textures[texture].state == TEXTURE_FOUND;
}

static void mark_animated(struct export *e, const struct property *property, uint32_t id, uint32_t target)
{
    if (property->of_transform != NULL)
        e->animated[target] |= 1U << property->slot;
    else if (id == PROPERTY_EMISSIVE_STRENGTH)
        e->animated[target] |= 1U << SURFACES_STRENGTH;
}

bool export_take_properties(struct export *e, struct export_clip *clip)
{
    const struct model *source = clip->source;
    uint32_t count;
    const struct property_channel *channels = appearance_channels(source, clip->index, &count);
    for (uint32_t c = 0; c < count; c++) {
        const struct channel *channel = &channels[c].channel;
        const uint32_t id = channel->path - PATH_COUNT;
        const struct property property = property_of(id);
        if (!is_kept(e, &property, channel->node))
            continue;
        if (!export_take_channel(e, source, channel, (uint32_t)(&channels[c] - source->property_channels)))
            return false;
        mark_animated(e, &property, id, channel->node);
        clip->channel_count++;
        clip->property_count++;
    }
    return true;
}

void export_put_pointer(const struct export *e, const struct channel *channel, char out[PROPERTY_POINTER_SIZE])
{
    const uint32_t id = channel->path - PATH_COUNT, kind = property_of(id).kind;
    property_put_pointer(id,
                         kind == PROPERTY_OF_LIGHT    ? channel->node
                         : kind == PROPERTY_OF_CAMERA ? e->camera_places[channel->node]
                                                      : e->surfaces.materials[channel->node],
                         out);
}
