/* Shows that libposed-eval allocates nothing once models are open and evaluators have their room: no_allocation FILE...
 * evaluates everything of the files in every way, with the allocators of the library counted (-Wl,--wrap). Prints how
 * many evaluations that were and how many allocations; exit status 1 where there were any, or where something that must
 * succeed fails. */
#include "clients/eval/posed_eval_hits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long allocations, evaluations;
static int is_counting;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);

void *__wrap_malloc(size_t size)
{
    allocations += is_counting != 0;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations += is_counting != 0;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    allocations += is_counting != 0;
    return __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    allocations += is_counting != 0;
    return __real_aligned_alloc(alignment, size);
}

void __wrap_free(void *p)
{
    allocations += is_counting != 0 && p != NULL;
    __real_free(p);
}

enum { FLOATS_MAX = 1 << 21, SCENE_ENTITIES = 64, RAYS = 100, HITS_MAX = 1 << 16, CROWD = 42 };

struct walk {
    struct pe_model *model;
    struct pe_evaluator *evaluator;
    struct pe_info info;
    float *floats;
};

/* Everything that can be asked about an entity. */
static void ask(const struct walk *walk, const struct pe_entity *entity)
{
    struct pe_error error;
    struct pe_step step;
    if (pe_evaluate(walk->evaluator, entity, &error) < 0) {
        if (error.status == PE_E_RESERVE || error.status == PE_E_MEMORY) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        return;
    }
    evaluations++;
    for (int order = 0; order < 2; order++) {
        for (uint32_t s = 0; s < walk->info.skin_count; s++)
            for (int layout = PE_MAT4; layout <= PE_DUALQUAT; layout++)
                pe_palette(walk->evaluator, s, layout, walk->floats, FLOATS_MAX, &error);
        for (int layout = PE_MAT4; layout <= PE_DUALQUAT; layout++)
            pe_nodes(walk->evaluator, NULL, walk->info.node_count, layout, walk->floats, FLOATS_MAX, &error);
        pe_locals(walk->evaluator, NULL, walk->info.node_count, walk->floats, FLOATS_MAX, &error);
        for (uint32_t d = 0; d < walk->info.draw_count; d++)
            pe_vertices(walk->evaluator, d, walk->floats, walk->floats + FLOATS_MAX / 2, FLOATS_MAX / 2, &error);
        for (uint32_t n = 0; n < walk->info.node_count; n++) {
            pe_local_matrix(walk->evaluator, n, walk->floats, &error);
            pe_morph_weights(walk->evaluator, n, walk->floats, FLOATS_MAX, &error);
        }
        pe_root_step(walk->evaluator, &step, &error);
    }
}

static void play_clip(const struct walk *walk, int32_t clip)
{
    static const double WORLD[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1};
    struct pe_entity entity = {.model = walk->model, .clip = clip};
    for (int i = 0; i < 4; i++) {
        entity.time_s = 0.31 * i - 0.2;
        entity.motion = PE_MOTION_STAYS;
        entity.world_from_scene = NULL;
        ask(walk, &entity);
        entity.world_from_scene = WORLD;
        ask(walk, &entity);
        for (entity.motion = PE_MOTION_EXTRACT; entity.motion <= PE_MOTION_EXTRACT_TURN; entity.motion++)
            ask(walk, &entity);
    }
}

/* All layers that there may be, of all clips in turn, with masks; some additive. */
static void play_blends(const struct walk *walk)
{
    struct pe_layer layers[PE_LAYERS_MAX];
    struct pe_mask masks[PE_MASKS_MAX / PE_LAYERS_MAX];
    struct pe_entity entity = {.model = walk->model, .layers = layers};
    for (uint32_t m = 0; m < sizeof masks / sizeof *masks; m++)
        masks[m] = (struct pe_mask){m % walk->info.node_count, (int32_t)(m % 3)};
    for (uint32_t i = 0; i < PE_LAYERS_MAX; i++) {
        layers[i] = (struct pe_layer){0};
        layers[i].clip = walk->info.clip_count == 0 ? PE_REST_POSE : (int32_t)(i % walk->info.clip_count);
        layers[i].time_s = 0.17 * i;
        layers[i].weight = 0.1 + 0.05 * i;
        layers[i].is_additive = i > 0 && i % 3 == 0;
        layers[i].masks = masks;
    }
    for (int has_masks = 0; has_masks < 2; has_masks++) {
        for (uint32_t i = 0; i < PE_LAYERS_MAX; i++)
            layers[i].mask_count = has_masks ? sizeof masks / sizeof *masks : 0;
        for (entity.layer_count = 0; entity.layer_count <= PE_LAYERS_MAX; entity.layer_count++)
            ask(walk, &entity);
    }
}

/* Scenes with all the entities that there is room for, moving ones among them, and rays and balls at them, again and
 * again. */
static void cast(const struct walk *walk, struct pe_scene *scene, const struct pe_hitboxes *hitboxes)
{
    static struct pe_hit hits[HITS_MAX];
    struct pe_error error;
    struct pe_ray rays[RAYS];
    struct pe_entity entities[2];
    for (int round = 0; round < 3; round++) {
        uint32_t count = 0;
        for (uint32_t e = 0; e < SCENE_ENTITIES; e++) {
            const double world[16] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 5.0 * (e % 7), 0, 3.0 * e, 1};
            for (int pose = 0; pose < 2; pose++) {
                entities[pose] =
                    (struct pe_entity){.model = walk->model,
                                       .clip = (int32_t)(e % (walk->info.clip_count + !walk->info.clip_count)),
                                       .time_s = 0.1 * e + 0.03 * pose,
                                       .world_from_scene = world};
            }
            if (pe_scene_add(scene, hitboxes, &entities[0], e % 2 == 0 ? &entities[1] : NULL, 0, &error) < 0) {
                fprintf(stderr, "%s\n", error.message);
                exit(1);
            }
        }
        for (uint32_t r = 0; r < RAYS; r++) {
            rays[r] = (struct pe_ray){.direction = {0, 0, -1}};
            rays[r].origin[0] = 0.3 * r - 1;
            rays[r].origin[1] = 0.2 * (r % 20);
            rays[r].origin[2] = 500;
            rays[r].at = 0.01 * r;
            rays[r].radius = r % 3 == 0 ? 0.2 : 0;
        }
        for (int which = PE_NEAREST; which <= PE_ALL; which++)
            if (pe_raycast(scene, rays, RAYS, which, hits, HITS_MAX, &count, &error) < 0 || count == 0) {
                fprintf(stderr, "no ray hits anybody\n");
                exit(1);
            }
        if (pe_scene_add(scene, hitboxes, &entities[0], NULL, 1, &error) != PE_E_RESERVE)
            exit(1);
        pe_scene_clear(scene);
    }
}

/* The hits of each kind of volumes, in rooms of their own. */
static void play_hits(const struct walk *walk)
{
    struct pe_error error;
    for (int fit = PE_CAPSULE; fit <= PE_SPHERE; fit++) {
        struct pe_hitboxes *hitboxes = NULL;
        struct pe_scene *scene = NULL;
        if (pe_hitboxes_new(walk->model, fit, &hitboxes, &error) < 0 || pe_scene_new(&scene, &error) < 0 ||
            pe_scene_reserve(scene, hitboxes, SCENE_ENTITIES / 2, 1, &error) < 0 ||
            pe_scene_reserve(scene, hitboxes, SCENE_ENTITIES / 2, 1, &error) < 0) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        is_counting = 1;
        cast(walk, scene, hitboxes);
        is_counting = 0;
        pe_scene_free(scene);
        pe_hitboxes_free(hitboxes);
    }
}

/* The same rays at the triangles of all entities. */
static void play_meshes(const struct walk *walk)
{
    static struct pe_hit hits[HITS_MAX];
    static struct pe_entity entities[SCENE_ENTITIES][2];
    static double worlds[SCENE_ENTITIES][16];
    struct pe_target targets[SCENE_ENTITIES];
    struct pe_ray rays[RAYS];
    struct pe_error error;
    struct pe_mesh *mesh = NULL;
    struct pe_caster *caster = NULL;
    uint32_t count = 0;
    if (pe_mesh_new(walk->model, &mesh, &error) < 0 || pe_caster_new(&caster, &error) < 0 ||
        pe_caster_reserve(caster, mesh, 1, RAYS, HITS_MAX, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    is_counting = 1;
    for (uint32_t e = 0; e < SCENE_ENTITIES; e++) {
        const double world[16] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 5.0 * (e % 7), 0, 3.0 * e, 1};
        memcpy(worlds[e], world, sizeof world);
        for (int pose = 0; pose < 2; pose++)
            entities[e][pose] = (struct pe_entity){
                .model = walk->model, .time_s = 0.1 * e + 0.03 * pose, .world_from_scene = worlds[e]};
        targets[e] =
            (struct pe_target){.mesh = mesh, .begin = &entities[e][0], .end = e % 2 == 0 ? &entities[e][1] : NULL};
    }
    for (uint32_t r = 0; r < RAYS; r++)
        rays[r] = (struct pe_ray){.origin = {0.3 * r - 1, 0.2 * (r % 20), 500},
                                  .direction = {0, 0, -1},
                                  .at = 0.01 * r,
                                  .radius = r % 3 == 0 ? 0.05 : 0};
    for (int which = PE_NEAREST; which <= PE_ALL; which++)
        if (pe_raycast_meshes(caster, targets, SCENE_ENTITIES, rays, RAYS, which, hits, HITS_MAX, &count, &error) < 0 ||
            count == 0) {
            fprintf(stderr, "no ray hits a mesh\n");
            exit(1);
        }
    if (pe_raycast_meshes(caster, targets, SCENE_ENTITIES, rays, RAYS, PE_ALL, hits, 1, &count, &error) !=
        PE_E_ARGUMENT)
        exit(1);
    is_counting = 0;
    pe_caster_free(caster);
    pe_mesh_free(mesh);
}

/* Fills the members of a crowd: blends with masks, worlds, all that may be wanted of an entity in turn. */
static void fill_crowd(const struct walk *walk, struct pe_entity *entities, struct pe_layer (*layers)[2],
                       struct pe_member *members)
{
    static const struct pe_mask MASK = {0, PE_SUBTREE};
    static const double WORLD[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1};
    static const uint32_t FIRST = 0;
    const size_t share = FLOATS_MAX / CROWD;
    for (uint32_t i = 0; i < CROWD; i++) {
        for (uint32_t l = 0; l < 2; l++)
            layers[i][l] = (struct pe_layer){
                .clip = walk->info.clip_count == 0 ? PE_REST_POSE : (int32_t)((i + l) % walk->info.clip_count),
                .time_s = 0.07 * i,
                .weight = 1 - 0.4 * l,
                .mask_count = l == 1 && i % 2 == 0,
                .masks = &MASK};
        entities[i] = (struct pe_entity){.model = walk->model, .time_s = 0.05 * i};
        if (i % 3 > 0) {
            entities[i].layers = layers[i];
            entities[i].layer_count = i % 3;
        }
        entities[i].world_from_scene = i % 4 == 0 ? WORLD : NULL;
        members[i] = (struct pe_member){.entity = &entities[i],
                                        .what = i % 5 == 0 ? PE_MATRICES : PE_PALETTE,
                                        .layout = (int32_t)(i % 2),
                                        .items = i % 7 == 0 ? &FIRST : NULL,
                                        .item_count = i % 7 == 0,
                                        .out = walk->floats + i * share,
                                        .room = share};
    }
}

/* A crowd has the floats of its entities one by one. */
static void play_crowd(const struct walk *walk)
{
    static float alone[FLOATS_MAX / CROWD];
    static struct pe_entity entities[CROWD];
    static struct pe_layer layers[CROWD][2];
    static struct pe_member members[CROWD];
    static const uint32_t FIRST = 0;
    struct pe_error error;
    struct pe_crowd *crowd = NULL;
    struct pe_skin skin;
    if (pe_crowd_new(&crowd, &error) < 0 || pe_crowd_reserve(crowd, walk->model, CROWD, 2, CROWD, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    pe_skin_at(walk->model, 0, &skin);
    fill_crowd(walk, entities, layers, members);
    is_counting = 1;
    const int failed = pe_crowd_evaluate(crowd, members, CROWD, &error);
    for (uint32_t i = 0; i < CROWD && failed == 0; i++) {
        const int32_t layout = members[i].layout;
        const uint32_t count = members[i].item_count > 0        ? 1
                               : members[i].what == PE_MATRICES ? walk->info.node_count
                                                                : skin.joint_count;
        pe_evaluate(walk->evaluator, &entities[i], &error);
        if (members[i].what == PE_MATRICES)
            pe_nodes(walk->evaluator, members[i].item_count > 0 ? &FIRST : NULL, count, layout, alone,
                     FLOATS_MAX / CROWD, &error);
        else
            pe_palette(walk->evaluator, 0, layout, alone, FLOATS_MAX / CROWD, &error);
        if (memcmp(alone, members[i].out, (size_t)count * pe_layout_floats(layout) * sizeof *alone) != 0) {
            fprintf(stderr, "member %u of the crowd is not what its entity is alone\n", i);
            exit(1);
        }
        evaluations++;
    }
    members[3].skin = 9999;
    if (failed != 0 || pe_crowd_evaluate(crowd, members, CROWD, &error) != PE_E_ARGUMENT ||
        strstr(error.message, "member 3") == NULL ||
        pe_crowd_evaluate(crowd, members, CROWD + 1, &error) != PE_E_RESERVE) {
        fprintf(stderr, "%d members failed, or a wrong one is not refused: %s\n", failed, error.message);
        exit(1);
    }
    is_counting = 0;
    pe_crowd_free(crowd);
}

/* What is refused allocates nothing either. */
static void be_refused(const struct walk *walk, const struct pe_model *stranger)
{
    struct pe_error error;
    struct pe_entity entity = {.model = stranger};
    int32_t clip;
    uint32_t node;
    if (pe_evaluate(walk->evaluator, &entity, &error) != PE_E_RESERVE ||
        pe_palette(walk->evaluator, 0, PE_MAT4, walk->floats, FLOATS_MAX, &error) != PE_E_ARGUMENT) {
        fprintf(stderr, "a model without room is not refused\n");
        exit(1);
    }
    pe_find_clip(walk->model, "nobody's", &clip, &error);
    pe_find_node(walk->model, "nobody's", &node, &error);
    entity.model = walk->model;
    pe_evaluate(walk->evaluator, &entity, &error);
    pe_palette(walk->evaluator, 99999, PE_MAT4, walk->floats, FLOATS_MAX, &error);
    pe_palette(walk->evaluator, 0, 7, walk->floats, FLOATS_MAX, &error);
    pe_palette(walk->evaluator, 0, PE_MAT4, walk->floats, 3, &error);
}

int main(int argc, char **argv)
{
    struct pe_error error;
    struct pe_model *stranger = NULL;
    float *floats = malloc(FLOATS_MAX * sizeof *floats);
    if (argc < 2 || floats == NULL || pe_model_open(argv[1], 0, &stranger, &error) < 0)
        return 2;
    for (int i = 1; i < argc; i++) {
        struct walk walk = {.floats = floats};
        if (pe_model_open(argv[i], PE_OPEN_MAP, &walk.model, &error) < 0 ||
            pe_evaluator_new(&walk.evaluator, &error) < 0 ||
            pe_evaluator_reserve(walk.evaluator, walk.model, PE_LAYERS_MAX, &error) < 0) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        pe_model_info(walk.model, &walk.info);
        is_counting = 1;
        for (int32_t c = PE_REST_POSE; c < (int32_t)walk.info.clip_count; c++)
            play_clip(&walk, c);
        play_blends(&walk);
        be_refused(&walk, stranger);
        is_counting = 0;
        play_hits(&walk);
        play_meshes(&walk);
        play_crowd(&walk);
        pe_evaluator_free(walk.evaluator);
        pe_model_close(walk.model);
    }
    pe_model_close(stranger);
    free(floats);
    printf("%llu evaluations, %llu allocations\n", evaluations, allocations);
    return allocations != 0;
}
