#include "tests/clients/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const FITS[] = {"capsule", "box", "sphere", NULL};
static const char *const TESTS[] = {"volumes", "mesh", NULL};
static const char *const WHICH[] = {"nearest", "all", NULL};

static uint8_t find_word(const char *word, const char *const *words)
{
    uint8_t i = 0;
    while (words[i] != NULL && strcmp(words[i], word) != 0)
        i++;
    return i;
}

static const char *next_word(void)
{
    const char *word = strtok(NULL, " \n");
    return word == NULL ? "" : word;
}

static double next_number(void) { return strtod(next_word(), NULL); }

static void take_model(struct scene *scene)
{
    const uint32_t place = scene->crowd.model_count++;
    scene->model_list[place] = &scene->models[place];
    snprintf(scene->paths[place], PATH_BYTES, "%s", next_word());
}

static void take_mask(struct scene *scene)
{
    static const char *const SCOPES[] = {"node", "subtree", "except", NULL};
    const uint32_t place = scene->crowd.mask_count++;
    const char *scope;
    scene->masks[place].nodes = scene->mask_nodes[place];
    while ((scope = strtok(NULL, " \n")) != NULL) {
        struct posed_mask_node *node = &scene->mask_nodes[place][scene->masks[place].node_count++];
        node->scope = find_word(scope, SCOPES);
        node->node = (uint32_t)next_number();
    }
}

static void take_wanted(struct scene *scene)
{
    const uint32_t place = scene->crowd.wanted_count++;
    struct posed_wanted *wanted = &scene->wanted[place];
    const char *word;
    wanted->what = strcmp(next_word(), "nodes") == 0 ? POSED_WANT_NODES : POSED_WANT_PALETTE;
    if (wanted->what == POSED_WANT_PALETTE)
        wanted->skin = (int32_t)next_number();
    wanted->items = scene->items[place];
    while ((word = strtok(NULL, " \n")) != NULL)
        scene->items[place][wanted->item_count++] = (uint32_t)strtoul(word, NULL, 10);
}

static void take_entity(struct scene *scene)
{
    static const char *const LAYOUTS[] = {"mat4", "mat3x4", "dualquat", NULL};
    const uint32_t place = scene->crowd.entity_count++;
    struct posed_entity *entity = &scene->entities[place];
    const char *word;
    int i;
    entity->model = (uint16_t)next_number();
    entity->wanted = (uint16_t)next_number();
    entity->layout = find_word(next_word(), LAYOUTS);
    entity->layers = scene->layers[place];
    for (i = 0; (word = strtok(NULL, " \n")) != NULL && i < WORLD_NUMBERS; i++)
        scene->worlds[place][i] = strtod(word, NULL);
    if (i > 0)
        entity->world_from_scene = scene->worlds[place];
}

static void take_layer(struct scene *scene)
{
    static const char *const WRAPS[] = {"loop", "clamp", "mirror", NULL};
    const char *file;
    const uint32_t place = scene->crowd.entity_count - 1;
    struct posed_layer *layer = &scene->layers[place][scene->entities[place].layer_count++];
    posed_layer_init(layer);
    layer->clip = (int32_t)next_number();
    layer->time_s = next_number();
    layer->weight = next_number();
    layer->mask = (uint32_t)(next_number() + 1);
    layer->wrap = find_word(next_word(), WRAPS);
    layer->mode = strcmp(next_word(), "additive") == 0 ? POSED_ADDITIVE : POSED_OVERRIDE;
    layer->reference_clip = (int32_t)next_number();
    layer->reference_time_s = next_number();
    file = next_word();
    layer->clip_model = *file == '\0' ? 0 : (uint16_t)(strtoul(file, NULL, 10) + 1);
}

static void take_pose(struct scene *scene)
{
    static const uint32_t COUNTS[] = {3, 4, 3};
    const uint32_t place = scene->crowd.pose_count++;
    float *number = scene->given_numbers[place];
    const char *word;
    scene->poses[place].nodes = scene->given_nodes[place];
    scene->poses[place].numbers = number;
    while ((word = strtok(NULL, " \n")) != NULL) {
        struct posed_given_node *node = &scene->given_nodes[place][scene->poses[place].node_count++];
        node->node = (uint32_t)strtoul(word, NULL, 10);
        node->parts = (uint16_t)next_number();
        for (int p = 0; p < 3; p++)
            for (uint32_t i = 0; i < COUNTS[p] && (node->parts >> p & 1) != 0; i++)
                *number++ = (float)next_number();
    }
}

static void take_given(struct scene *scene)
{
    const uint32_t place = scene->crowd.entity_count - 1;
    struct posed_layer *layer = &scene->layers[place][scene->entities[place].layer_count++];
    posed_layer_init(layer);
    layer->clip = (int32_t)next_number();
    layer->weight = next_number();
    layer->mask = (uint32_t)(next_number() + 1);
    layer->mode = strcmp(next_word(), "additive") == 0 ? POSED_ADD_POSE : POSED_REPLACE;
}

static void take_target(struct scene *scene)
{
    struct posed_target *target = &scene->targets[scene->raycast.target_count++];
    scene->raycast.targets = scene->targets; /* a scene without targets uses its entities */
    target->begin = (uint32_t)next_number();
    target->end = (uint32_t)(next_number() + 1);
    target->mask = (uint32_t)next_number();
}

static void take_ray(struct scene *scene)
{
    struct posed_ray *ray = &scene->rays[scene->raycast.ray_count++];
    double most;
    int i;
    for (i = 0; i < 3; i++)
        ray->origin[i] = next_number();
    for (i = 0; i < 3; i++)
        ray->direction[i] = next_number();
    most = next_number();
    ray->most = most > 1e300 ? 0 : most; /* inf */
    ray->radius = next_number();
    ray->at = next_number();
    ray->mask = (uint32_t)next_number();
    ray->ignored = (uint32_t)(next_number() + 1);
}

static void take_cast(struct scene *scene)
{
    const uint32_t place = scene->cast_count++;
    scene->casts[place].fit = find_word(next_word(), FITS);
    scene->casts[place].test = find_word(next_word(), TESTS);
    scene->casts[place].which = find_word(next_word(), WHICH);
}

static int take_line(struct scene *scene, const char *word)
{
    static const struct {
        const char *word;
        void (*take)(struct scene *scene);
    } LINES[] = {{"model", take_model}, {"mask", take_mask}, {"wanted", take_wanted}, {"entity", take_entity},
                 {"layer", take_layer}, {"pose", take_pose}, {"given", take_given},   {"target", take_target},
                 {"ray", take_ray},     {"cast", take_cast}};
    size_t i;
    for (i = 0; i < sizeof LINES / sizeof *LINES; i++)
        if (word != NULL && strcmp(LINES[i].word, word) == 0) {
            LINES[i].take(scene);
            return 0;
        }
    fprintf(stderr, "a scene has no line '%s'\n", word == NULL ? "" : word);
    return -1;
}

int read_scene(const char *path, struct scene *scene)
{
    static char line[4096];
    FILE *file = fopen(path, "r");
    int rc = 0;
    if (file == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        return -1;
    }
    while (rc == 0 && fgets(line, sizeof line, file) != NULL)
        rc = take_line(scene, strtok(line, " \n"));
    fclose(file);
    scene->crowd.models = scene->model_list;
    scene->crowd.masks = scene->masks;
    scene->crowd.wanted = scene->wanted;
    scene->crowd.entities = scene->entities;
    scene->crowd.poses = scene->poses;
    scene->raycast.crowd = &scene->crowd;
    scene->raycast.rays = scene->rays;
    return rc;
}

static void print_floats(const float *floats, int count)
{
    uint32_t bits;
    int i;
    for (i = 0; i < count; i++) {
        memcpy(&bits, &floats[i], sizeof bits);
        printf(" %08x", bits);
    }
}

void print_hits(const struct scene *scene, uint32_t index, const struct posed_hit *hits, uint32_t count)
{
    uint32_t h;
    printf("cast %s %s %s %u\n", FITS[scene->casts[index].fit], TESTS[scene->casts[index].test],
           WHICH[scene->casts[index].which], count);
    for (h = 0; h < count; h++) {
        const struct posed_hit *hit = &hits[h];
        printf("%u %u %u %u %u %d", hit->ray, hit->entity, hit->node, hit->part, hit->triangle, hit->is_inside);
        print_floats(&hit->distance, 1);
        print_floats(hit->point, 3);
        print_floats(hit->normal, 3);
        print_floats(hit->barycentric, 3);
        putchar('\n');
    }
}
