/* Shows that libposed-eval allocates nothing once models are open and evaluators have their room. no_allocation FILE...
 * evaluates everything of the files in every way, and counts calls of the library's allocators (-Wl,--wrap). Prints the
 * numbers of evaluations and of allocations. Exit status 1 if there were any, or if a call that must succeed fails. */
#include "tests/eval/no_allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long long evaluations;
static unsigned long long allocations;
static int is_counting;

void counting_start(void) { is_counting = 1; }
void counting_stop(void) { is_counting = 0; }

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

/* Makes all calls about an entity. */
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

/* Plays the greatest number of layers, of all clips in turn, with masks; some additive. retargeted: what every second
 * layer plays, or NULL. */
static void play_blends(const struct walk *walk, const struct pe_retargeted_clip *retargeted)
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
        layers[i].retargeted = i % 2 == 1 ? retargeted : NULL;
    }
    for (int has_masks = 0; has_masks < 2; has_masks++) {
        for (uint32_t i = 0; i < PE_LAYERS_MAX; i++)
            layers[i].mask_count = has_masks ? sizeof masks / sizeof *masks : 0;
        for (entity.layer_count = 0; entity.layer_count <= PE_LAYERS_MAX; entity.layer_count++)
            ask(walk, &entity);
    }
}

void fill_pose(const struct walk *walk, struct filled_pose *out)
{
    const uint32_t count = walk->info.node_count < NODES_MAX ? walk->info.node_count : NODES_MAX;
    struct pe_pose *pose = &out->pose;
    struct pe_error error;
    const struct pe_entity rest = {.model = walk->model, .clip = PE_REST_POSE};
    *pose = (struct pe_pose){
        .nodes = out->nodes, .weights = out->weights, .node_count = count, .expressions = out->expressions};
    pe_evaluate(walk->evaluator, &rest, &error);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = count - 1 - i;
        struct pe_given_node *node = &out->nodes[i];
        *node = (struct pe_given_node){
            n, i % 5 == 4 ? PE_ROTATION : PE_WHOLE, {0.1 * n, 1, -1}, {0.6, 0, 0.8, 0}, {1, 2, 1}};
        const int weights = pe_morph_weights(walk->evaluator, n, walk->floats, FLOATS_MAX, &error);
        for (int w = 0; w < weights && w < WEIGHTS_MAX && (pose->weight_count == 0 || w > 0); w++)
            out->weights[pose->weight_count++] = (struct pe_given_weight){n, (uint32_t)w, 0.25};
        if (weights > 0 && pose->weight_count >= WEIGHTS_MAX)
            break;
    }
    out->weights_most = pose->weight_count;
    for (uint32_t e = 0; e < walk->info.expression_count && e < EXPRESSIONS_MAX; e++) {
        struct pe_expression expression;
        pe_expression_at(walk->model, e, &expression);
        out->weights_most += expression.weight_count;
        out->expressions[pose->expression_count++] = (struct pe_given_expression){e, 0.3};
    }
    if (walk->info.has_gaze)
        pose->look = (struct pe_look){.kind = PE_LOOK_POINT, .point = {1, 2, 3}};
}

/* Plays layers with poses and a motion, of the greatest number. */
static void play_poses(const struct walk *walk, const struct filled_pose *filled, const struct pe_given *motion)
{
    struct pe_layer layers[PE_LAYERS_MAX];
    const struct pe_mask mask = {0, PE_SUBTREE};
    struct pe_entity entity = {.model = walk->model, .layers = layers};
    for (uint32_t i = 0; i < PE_LAYERS_MAX; i++) {
        layers[i] = (struct pe_layer){.clip = walk->info.clip_count == 0 ? PE_REST_POSE : 0,
                                      .time_s = 0.1 * i,
                                      .weight = i % 4 == 1 ? 1 : 0.3,
                                      .is_additive = i % 5 == 4,
                                      .masks = &mask,
                                      .mask_count = i % 7 == 6};
        layers[i].pose = i % 2 == 1 ? &filled->pose : NULL;
        layers[i].given = i % 4 == 2 ? motion : NULL;
    }
    for (entity.layer_count = 0; entity.layer_count <= PE_LAYERS_MAX; entity.layer_count++)
        ask(walk, &entity);
}

/* Refused calls allocate nothing either. */
static void be_refused(const struct walk *walk)
{
    struct pe_error error;
    struct pe_entity entity = {.model = walk->stranger};
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
        struct walk walk = {.stranger = stranger, .floats = floats};
        if (pe_model_open(argv[i], PE_OPEN_MAP, &walk.model, &error) < 0 ||
            pe_evaluator_new(&walk.evaluator, &error) < 0 ||
            pe_evaluator_reserve(walk.evaluator, walk.model, PE_LAYERS_MAX, &error) < 0) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        pe_model_info(walk.model, &walk.info);
        struct pe_retargeted_clip *retargeted = NULL;
        if (walk.info.clip_count > 0)
            pe_retargeted_clip_new(&retargeted, walk.model, walk.model, 0, &error); /* its rig may have no names */
        static struct filled_pose filled;
        static const double TRANSFORMS[2][10] = {{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {1, 0, 0, 0, 0.6, 0, 0.8, 1, 1, 1}};
        const uint32_t node = 0;
        static const double SHOWN[2 * EXPRESSIONS_MAX] = {0.5, 1};
        struct pe_given *motion = NULL;
        fill_pose(&walk, &filled);
        const struct pe_given_frames frames = {.frame_count = 2,
                                               .node_count = 1,
                                               .nodes = &node,
                                               .transforms = TRANSFORMS[0],
                                               .rate = 10,
                                               .expression_count = filled.pose.expression_count,
                                               .expressions = filled.expressions,
                                               .expression_values = SHOWN,
                                               .look = filled.pose.look};
        if (pe_given_new(&motion, walk.model, &frames, &error) < 0) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        counting_start();
        play_poses(&walk, &filled, motion);
        for (int32_t c = PE_REST_POSE; c < (int32_t)walk.info.clip_count; c++)
            play_clip(&walk, c);
        play_blends(&walk, NULL);
        play_blends(&walk, retargeted);
        be_refused(&walk);
        counting_stop();
        play_hits(&walk);
        play_meshes(&walk);
        play_crowd(&walk);
        pe_given_free(motion);
        pe_retargeted_clip_free(retargeted);
        pe_evaluator_free(walk.evaluator);
        pe_model_close(walk.model);
    }
    pe_model_close(stranger);
    free(floats);
    printf("%llu evaluations, %llu allocations\n", evaluations, allocations);
    return allocations != 0;
}
