#include "tests/eval/probe_hits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RAYS_MAX = 1024, HITS_MAX = 1 << 14, MESH_HITS_MAX = 1 << 19 };

static void put_floats(const float *floats, size_t count)
{
    const unsigned char *at = (const unsigned char *)floats;
    for (size_t i = 0; i < count * sizeof *floats; i++)
        printf("%02x", at[i]);
}

static void put_error(const struct pe_error *error) { printf("error %d %s\n", error->status, error->message); }

void probe_hitboxes(const struct pe_model *model, int fit, uint32_t capacity, struct pe_hitboxes **hitboxes,
                    struct pe_scene **scene)
{
    struct pe_error error;
    pe_scene_free(*scene);
    pe_hitboxes_free(*hitboxes);
    *scene = NULL;
    if (pe_hitboxes_new(model, fit, hitboxes, &error) < 0 || pe_scene_new(scene, &error) < 0 ||
        pe_scene_reserve(*scene, *hitboxes, capacity, PE_LAYERS_MAX, &error) < 0) {
        put_error(&error);
        return;
    }
    for (uint32_t v = 0; v < pe_hitboxes_count(*hitboxes); v++) {
        struct pe_hitbox box;
        pe_hitbox_at(*hitboxes, v, &box);
        printf("%s%u %d %s %u %u %d ", v > 0 ? ";" : "", box.node, box.kind, box.name != NULL ? box.name : "-",
               box.vertex_count, box.outside_count, box.is_given);
        put_floats(box.center, 3);
        put_floats(box.end, 3);
        put_floats(box.rotation, 4);
        put_floats(box.half, 3);
        put_floats(&box.radius, 1);
    }
    putchar('\n');
}

static uint32_t read_rays(char *words, struct pe_ray *rays)
{
    uint32_t count = 0;
    for (char *word = strtok(words, " "); word != NULL; count++) {
        double numbers[11];
        for (int i = 0; i < 11; i++, word = strtok(NULL, " "))
            numbers[i] = word != NULL ? strtod(word, NULL) : 0;
        struct pe_ray *ray = &rays[count];
        *ray = (struct pe_ray){0};
        memcpy(ray->origin, numbers, sizeof ray->origin);
        memcpy(ray->direction, numbers + 3, sizeof ray->direction);
        ray->most = numbers[6];
        ray->radius = numbers[7];
        ray->at = numbers[8];
        ray->mask = (uint32_t)numbers[9];
        ray->has_ignored = numbers[10] >= 0;
        ray->ignored = numbers[10] < 0 ? 0 : (uint32_t)numbers[10];
    }
    return count;
}

void probe_rays(struct pe_scene *scene, char *words)
{
    static struct pe_ray rays[RAYS_MAX];
    static struct pe_hit hits[HITS_MAX];
    struct pe_error error;
    uint32_t found;
    char *numbers = strchr(words, ' ');
    const uint32_t count = read_rays(numbers, rays);
    if (pe_raycast(scene, rays, count, words[0] == 'a' ? PE_ALL : PE_NEAREST, hits, HITS_MAX, &found, &error) < 0) {
        put_error(&error);
        return;
    }
    for (uint32_t h = 0; h < found; h++) {
        const struct pe_hit *hit = &hits[h];
        printf("%s%u %u %u %u %d ", h > 0 ? ";" : "", hit->ray, hit->entity, hit->node, hit->part, hit->is_inside);
        put_floats(&hit->distance, 1);
        put_floats(hit->point, 3);
        put_floats(hit->normal, 3);
    }
    putchar('\n');
}

/* --- meshes --- */

void probe_meshes(const struct pe_model *model, struct probed_meshes *meshes)
{
    struct pe_error error;
    if (pe_mesh_new(model, &meshes->mesh, &error) < 0 || pe_caster_new(&meshes->caster, &error) < 0 ||
        pe_caster_reserve(meshes->caster, meshes->mesh, PE_LAYERS_MAX, RAYS_MAX, MESH_HITS_MAX, &error) < 0)
        put_error(&error);
    else
        puts("done");
}

static const struct pe_entity *keep(struct probed_pose *kept, const struct pe_entity *entity)
{
    if (entity == NULL)
        return NULL;
    kept->entity = *entity;
    for (uint32_t i = 0; i < entity->layer_count; i++)
        kept->layers[i] = entity->layers[i];
    kept->entity.layers = kept->layers;
    if (entity->world_from_scene != NULL) {
        memcpy(kept->world, entity->world_from_scene, sizeof kept->world);
        kept->entity.world_from_scene = kept->world;
    }
    return &kept->entity;
}

void probe_target(struct probed_meshes *meshes, const struct pe_entity *begin, const struct pe_entity *end,
                  uint32_t mask)
{
    struct probed_pose *poses = meshes->poses[meshes->count];
    meshes->targets[meshes->count++] = (struct pe_target){
        .mesh = meshes->mesh, .begin = keep(&poses[0], begin), .end = keep(&poses[1], end), .mask = mask};
}

void probe_mesh_rays(struct probed_meshes *meshes, char *words)
{
    static struct pe_ray rays[RAYS_MAX];
    static struct pe_hit hits[MESH_HITS_MAX];
    struct pe_error error;
    uint32_t found;
    const uint32_t count = read_rays(strchr(words, ' '), rays);
    if (pe_raycast_meshes(meshes->caster, meshes->targets, meshes->count, rays, count,
                          words[0] == 'a' ? PE_ALL : PE_NEAREST, hits, MESH_HITS_MAX, &found, &error) < 0) {
        put_error(&error);
        return;
    }
    for (uint32_t h = 0; h < found; h++) {
        const struct pe_hit *hit = &hits[h];
        printf("%s%u %u %u %u %u %d ", h > 0 ? ";" : "", hit->ray, hit->entity, hit->node, hit->part, hit->triangle,
               hit->is_inside);
        put_floats(&hit->distance, 1);
        put_floats(hit->point, 3);
        put_floats(hit->normal, 3);
        put_floats(hit->barycentric, 3);
    }
    putchar('\n');
}
