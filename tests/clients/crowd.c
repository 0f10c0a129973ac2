/* The crowd of crowd_scene.py by the C client: crowd ADDRESS SCENE. */
#include "clients/c/posed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THINGS_MAX = 8,
    ITEMS_MAX = 16,
    ENTITIES_MAX = 1024,
    LAYERS_MAX = 4,
    WORLD_NUMBERS = 12,
    MEMORY_BYTES = 1 << 24
};

struct scene {
    struct posed_model models[THINGS_MAX];
    const struct posed_model *model_list[THINGS_MAX];
    struct posed_mask_node mask_nodes[THINGS_MAX][ITEMS_MAX];
    struct posed_mask masks[THINGS_MAX];
    uint32_t items[THINGS_MAX][ITEMS_MAX];
    struct posed_wanted wanted[THINGS_MAX];
    struct posed_layer layers[ENTITIES_MAX][LAYERS_MAX];
    double worlds[ENTITIES_MAX][WORLD_NUMBERS];
    struct posed_entity entities[ENTITIES_MAX];
    struct posed_crowd crowd;
};

static unsigned char memory[MEMORY_BYTES], sent[1 << 18];
static struct scene scene;

static int find_word(const char *word, const char *const *words)
{
    int i = 0;
    while (words[i] != NULL && strcmp(words[i], word) != 0)
        i++;
    return i;
}

static double next_number(void)
{
    const char *word = strtok(NULL, " \n");
    return word == NULL ? 0 : strtod(word, NULL);
}

static int take_model(struct posed *server)
{
    const uint32_t place = scene.crowd.model_count++;
    scene.model_list[place] = &scene.models[place];
    return posed_open(server, strtok(NULL, " \n"), &scene.models[place]);
}

static void take_mask(void)
{
    static const char *const SCOPES[] = {"node", "subtree", "except", NULL};
    const uint32_t place = scene.crowd.mask_count++;
    const char *scope;
    scene.masks[place].nodes = scene.mask_nodes[place];
    while ((scope = strtok(NULL, " \n")) != NULL) {
        struct posed_mask_node *node = &scene.mask_nodes[place][scene.masks[place].node_count++];
        node->scope = (uint16_t)find_word(scope, SCOPES);
        node->node = (uint32_t)next_number();
    }
}

static void take_wanted(void)
{
    const uint32_t place = scene.crowd.wanted_count++;
    struct posed_wanted *wanted = &scene.wanted[place];
    const char *word;
    wanted->what = strcmp(strtok(NULL, " \n"), "nodes") == 0 ? POSED_WANT_NODES : POSED_WANT_PALETTE;
    if (wanted->what == POSED_WANT_PALETTE)
        wanted->skin = (int32_t)next_number();
    wanted->items = scene.items[place];
    while ((word = strtok(NULL, " \n")) != NULL)
        scene.items[place][wanted->item_count++] = (uint32_t)strtoul(word, NULL, 10);
}

static void take_entity(void)
{
    static const char *const LAYOUTS[] = {"mat4", "mat3x4", "dualquat", NULL};
    const uint32_t place = scene.crowd.entity_count++;
    struct posed_entity *entity = &scene.entities[place];
    const char *word;
    int i;
    entity->model = (uint16_t)next_number();
    entity->wanted = (uint16_t)next_number();
    entity->layout = (uint8_t)find_word(strtok(NULL, " \n"), LAYOUTS);
    entity->layers = scene.layers[place];
    for (i = 0; (word = strtok(NULL, " \n")) != NULL && i < WORLD_NUMBERS; i++)
        scene.worlds[place][i] = strtod(word, NULL);
    if (i > 0)
        entity->world_from_scene = scene.worlds[place];
}

static void take_layer(void)
{
    static const char *const WRAPS[] = {"loop", "clamp", "mirror", NULL};
    const uint32_t place = scene.crowd.entity_count - 1;
    struct posed_layer *layer = &scene.layers[place][scene.entities[place].layer_count++];
    posed_layer_init(layer);
    layer->clip = (int32_t)next_number();
    layer->time_s = next_number();
    layer->weight = next_number();
    layer->mask = (uint32_t)(next_number() + 1);
    layer->wrap = (uint8_t)find_word(strtok(NULL, " \n"), WRAPS);
    layer->mode = strcmp(strtok(NULL, " \n"), "additive") == 0 ? POSED_ADDITIVE : POSED_OVERRIDE;
    layer->reference_clip = (int32_t)next_number();
    layer->reference_time_s = next_number();
}

static int read_scene(struct posed *server, FILE *file)
{
    static char line[4096];
    int rc = 0;
    while (rc == 0 && fgets(line, sizeof line, file) != NULL) {
        const char *word = strtok(line, " \n");
        if (strcmp(word, "model") == 0)
            rc = take_model(server);
        else if (strcmp(word, "mask") == 0)
            take_mask();
        else if (strcmp(word, "wanted") == 0)
            take_wanted();
        else if (strcmp(word, "entity") == 0)
            take_entity();
        else
            take_layer();
    }
    scene.crowd.models = scene.model_list;
    scene.crowd.masks = scene.masks;
    scene.crowd.wanted = scene.wanted;
    scene.crowd.entities = scene.entities;
    return rc;
}

/* Of zlib and PNG. */
static unsigned crc(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint32_t sum = UINT32_MAX;
    size_t i;
    int bit;
    for (i = 0; i < size; i++)
        for (sum ^= at[i], bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? UINT32_C(0xedb88320) : 0);
    return ~sum;
}

static void print(const struct posed_entities *found)
{
    static const size_t MATRIX_BYTES[] = {64, 48, 32};
    struct posed_entity_error error;
    uint32_t i, next = 0;
    for (i = 0; i < found->entity_count; i++) {
        uint32_t count;
        const float *floats = posed_entity_floats(found, i, &count);
        if (posed_entity_error(found, next, &error) && error.entity == i) {
            printf("%u error %u\n", i, error.code);
            next++;
        } else {
            printf("%u %u %08x\n", i, count, crc(floats, count * MATRIX_BYTES[scene.entities[i].layout]));
        }
    }
    printf("all %zu %08x\n", found->floats_bytes, crc(found->floats, found->floats_bytes));
}

int main(int argc, char **argv)
{
    struct posed server;
    struct posed_options options;
    struct posed_entities found;
    FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
    int rc;
    if (file == NULL) {
        fprintf(stderr, "crowd ADDRESS SCENE\n");
        return 2;
    }
    memset(&options, 0, sizeof options);
    options.memory = memory;
    options.memory_bytes = sizeof memory;
    options.send_memory = sent;
    options.send_bytes = sizeof sent;
    rc = posed_connect(&server, argv[1], &options);
    if (rc == 0)
        rc = read_scene(&server, file);
    if (rc == 0)
        rc = posed_pose_crowd(&server, &scene.crowd, &found);
    if (rc == 0)
        print(&found);
    else
        fprintf(stderr, "%s\n", server.error.message);
    fclose(file);
    posed_disconnect(&server);
    return rc == 0 ? 0 : 1;
}
