/* The casts of raycast_scene.py in this process, with libposed-eval: eval_raycast FOLDER SCENE. FOLDER has NAME.posed
 * of each of the scene's models. */
#include "clients/eval/posed_eval_hits.h"
#include "tests/clients/scene.h"

#include <stdio.h>
#include <string.h>

enum { HITS_MAX = 1 << 16 };

/* A scene's entity, and the data that it points to. */
struct posing {
    struct pe_entity entity;
    struct pe_layer layers[LAYERS_MAX];
    double world[16];
};

static struct scene scene;
static struct pe_model *models[THINGS_MAX];
static struct pe_mask masks[THINGS_MAX][ITEMS_MAX];
static struct posing posings[ENTITIES_MAX];
static struct pe_ray rays[RAYS_MAX];
static struct pe_hit found[HITS_MAX];
static struct posed_hit hits[HITS_MAX];

static int open_models(const char *folder, struct pe_error *error)
{
    for (uint32_t i = 0; i < scene.crowd.model_count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.posed", folder, scene.paths[i]);
        if (pe_model_open(path, 0, &models[i], error) < 0)
            return error->status;
    }
    return 0;
}

static void take_layer(const struct posed_layer *asked, struct pe_layer *layer)
{
    *layer = (struct pe_layer){.clip = asked->clip,
                               .wrap = asked->wrap,
                               .time_s = asked->time_s,
                               .weight = asked->weight,
                               .is_additive = asked->mode == POSED_ADDITIVE,
                               .has_reference = asked->mode == POSED_ADDITIVE,
                               .reference_clip = asked->reference_clip,
                               .reference_time_s = asked->reference_time_s};
    if (asked->mask > 0) {
        layer->masks = masks[asked->mask - 1];
        layer->mask_count = scene.masks[asked->mask - 1].node_count;
    }
}

static void take_entities(void)
{
    for (uint32_t i = 0; i < scene.crowd.mask_count; i++)
        for (uint32_t n = 0; n < scene.masks[i].node_count; n++)
            masks[i][n] = (struct pe_mask){scene.mask_nodes[i][n].node, scene.mask_nodes[i][n].scope};
    for (uint32_t i = 0; i < scene.crowd.entity_count; i++) {
        const struct posed_entity *asked = &scene.entities[i];
        struct posing *posing = &posings[i];
        posing->entity = (struct pe_entity){
            .model = models[asked->model], .layers = posing->layers, .layer_count = asked->layer_count};
        for (uint32_t l = 0; l < asked->layer_count; l++)
            take_layer(&asked->layers[l], &posing->layers[l]);
        if (asked->world_from_scene == NULL)
            continue;
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                posing->world[4 * column + row] = asked->world_from_scene[4 * row + column];
        posing->world[15] = 1;
        posing->entity.world_from_scene = posing->world;
    }
}

static void take_rays(void)
{
    for (uint32_t i = 0; i < scene.raycast.ray_count; i++) {
        const struct posed_ray *asked = &scene.rays[i];
        rays[i] = (struct pe_ray){.most = asked->most,
                                  .radius = asked->radius,
                                  .at = asked->at,
                                  .mask = asked->mask,
                                  .has_ignored = asked->ignored > 0,
                                  .ignored = asked->ignored > 0 ? asked->ignored - 1 : 0};
        memcpy(rays[i].origin, asked->origin, sizeof rays[i].origin);
        memcpy(rays[i].direction, asked->direction, sizeof rays[i].direction);
    }
}

static const struct pe_entity *end_of(const struct posed_target *target)
{
    return target->end > 0 ? &posings[target->end - 1].entity : NULL;
}

static int at_volumes(int fit, int which, uint32_t *count, struct pe_error *error)
{
    struct pe_hitboxes *hitboxes[THINGS_MAX] = {NULL};
    struct pe_scene *posed = NULL;
    int rc = pe_scene_new(&posed, error);
    for (uint32_t i = 0; rc == 0 && i < scene.crowd.model_count; i++) {
        rc = pe_hitboxes_new(models[i], fit, &hitboxes[i], error);
        if (rc == 0)
            rc = pe_scene_reserve(posed, hitboxes[i], scene.raycast.target_count, LAYERS_MAX, error);
    }
    for (uint32_t i = 0; rc == 0 && i < scene.raycast.target_count; i++) {
        const struct posed_target *target = &scene.targets[i];
        rc = pe_scene_add(posed, hitboxes[scene.entities[target->begin].model], &posings[target->begin].entity,
                          end_of(target), target->mask, error);
    }
    if (rc == 0)
        rc = pe_raycast(posed, rays, scene.raycast.ray_count, which, found, HITS_MAX, count, error);
    pe_scene_free(posed);
    for (uint32_t i = 0; i < scene.crowd.model_count; i++)
        pe_hitboxes_free(hitboxes[i]);
    return rc;
}

static int at_meshes(int which, uint32_t *count, struct pe_error *error)
{
    static struct pe_target targets[ENTITIES_MAX];
    struct pe_mesh *meshes[THINGS_MAX] = {NULL};
    struct pe_caster *caster = NULL;
    int rc = pe_caster_new(&caster, error);
    for (uint32_t i = 0; rc == 0 && i < scene.crowd.model_count; i++) {
        rc = pe_mesh_new(models[i], &meshes[i], error);
        if (rc == 0)
            rc = pe_caster_reserve(caster, meshes[i], LAYERS_MAX, scene.raycast.ray_count, HITS_MAX, error);
    }
    for (uint32_t i = 0; i < scene.raycast.target_count; i++) {
        const struct posed_target *target = &scene.targets[i];
        targets[i] = (struct pe_target){.mesh = meshes[scene.entities[target->begin].model],
                                        .begin = &posings[target->begin].entity,
                                        .end = end_of(target),
                                        .mask = target->mask};
    }
    if (rc == 0)
        rc = pe_raycast_meshes(caster, targets, scene.raycast.target_count, rays, scene.raycast.ray_count, which, found,
                               HITS_MAX, count, error);
    pe_caster_free(caster);
    for (uint32_t i = 0; i < scene.crowd.model_count; i++)
        pe_mesh_free(meshes[i]);
    return rc;
}

/* Converts hits to the client's: the library returns the draw, the server the index of the primitive in the
 * mesh. */
static void take_hits(uint32_t count, int is_of_meshes)
{
    for (uint32_t h = 0; h < count; h++) {
        const struct pe_hit *hit = &found[h];
        struct pe_draw draw = {.primitive = hit->part};
        if (is_of_meshes)
            pe_draw_at(models[scene.entities[scene.targets[hit->entity].begin].model], hit->part, &draw);
        hits[h] = (struct posed_hit){.ray = hit->ray,
                                     .entity = hit->entity,
                                     .node = hit->node,
                                     .part = draw.primitive,
                                     .triangle = hit->triangle,
                                     .is_inside = hit->is_inside,
                                     .distance = hit->distance};
        memcpy(hits[h].point, hit->point, sizeof hit->point);
        memcpy(hits[h].normal, hit->normal, sizeof hit->normal);
        memcpy(hits[h].barycentric, hit->barycentric, sizeof hit->barycentric);
    }
}

int main(int argc, char **argv)
{
    struct pe_error error = {0};
    if (argc != 3) {
        fprintf(stderr, "eval_raycast FOLDER SCENE\n");
        return 2;
    }
    int rc = read_scene(argv[2], &scene);
    if (rc == 0)
        rc = open_models(argv[1], &error);
    if (rc == 0) {
        take_entities();
        take_rays();
    }
    for (uint32_t i = 0; rc == 0 && i < scene.cast_count; i++) {
        uint32_t count = 0;
        const int is_of_meshes = scene.casts[i].test == POSED_TEST_MESH;
        rc = is_of_meshes ? at_meshes(scene.casts[i].which, &count, &error)
                          : at_volumes(scene.casts[i].fit, scene.casts[i].which, &count, &error);
        if (rc == 0) {
            take_hits(count, is_of_meshes);
            print_hits(&scene, i, hits, count);
        }
    }
    if (rc < 0)
        fprintf(stderr, "%s\n", error.message);
    for (uint32_t i = 0; i < scene.crowd.model_count; i++)
        pe_model_close(models[i]);
    return rc == 0 ? 0 : 1;
}
