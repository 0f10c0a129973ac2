/* The casts of raycast_scene.py with the C client: raycast ADDRESS SCENE. Without a server: `raycast write SCENE`
 * prints the packet of the first cast, whose models have the handles 1, 2, .. and whose id is 25. `raycast read FILE`
 * reads an answer and prints "COUNT hits" or "status STATUS". */
#include "tests/clients/scene.h"

#include <stdio.h>
#include <string.h>

enum { MEMORY_BYTES = 1 << 24, HITS_MAX = 1 << 16 };

static unsigned char memory[MEMORY_BYTES], sent[1 << 18], kept[1 << 18];
static struct scene scene;
static struct posed_hit hits[HITS_MAX];

static void use_cast(uint32_t index)
{
    scene.raycast.fit = scene.casts[index].fit;
    scene.raycast.test = scene.casts[index].test;
    scene.raycast.which = scene.casts[index].which;
}

static int cast(struct posed *server, uint32_t index)
{
    struct posed_hits found;
    uint32_t count;
    int rc;
    use_cast(index);
    rc = posed_raycast(server, &scene.raycast, &found);
    if (rc < 0)
        return rc;
    count = posed_copy_hits(&found, 0, hits, HITS_MAX);
    if (count != found.hit_count) {
        fprintf(stderr, "%u hits are too many for this test\n", found.hit_count);
        return -1;
    }
    print_hits(&scene, index, hits, count);
    return 0;
}

static int write_packet(void)
{
    size_t bytes, i;
    for (i = 0; i < scene.crowd.model_count; i++)
        scene.models[i].handle = (uint32_t)i + 1;
    use_cast(0);
    bytes = posed_write_raycast(sent, sizeof sent, 25, &scene.raycast);
    for (i = 0; i < bytes; i++)
        printf("%02x", sent[i]);
    putchar('\n');
    return bytes > 0 ? 0 : 1;
}

/* Copies the hits in two parts, and checks the length of each. */
static int read_answer(const char *path)
{
    struct posed_hits found;
    FILE *file = fopen(path, "rb");
    const size_t bytes = file == NULL ? 0 : fread(memory, 1, sizeof memory, file);
    uint32_t first, rest;
    int rc;
    if (file != NULL)
        fclose(file);
    rc = posed_read_hits(memory, bytes, &found);
    if (rc < 0) {
        printf("status %d\n", rc);
        return 0;
    }
    first = posed_copy_hits(&found, 0, hits, 1);
    rest = posed_copy_hits(&found, first, hits, HITS_MAX);
    if (first > 1 || posed_copy_hits(&found, found.hit_count, hits, HITS_MAX) != 0)
        return 1;
    printf("%u hits\n", first + rest);
    return first + rest == found.hit_count ? 0 : 1;
}

int main(int argc, char **argv)
{
    static struct posed server;
    struct posed_options options;
    struct posed_model closed;
    uint32_t i;
    int rc;
    if (argc != 3) {
        fprintf(stderr, "raycast ADDRESS SCENE\n");
        return 2;
    }
    if (strcmp(argv[1], "read") == 0)
        return read_answer(argv[2]);
    if (read_scene(argv[2], &scene) < 0)
        return 1;
    if (strcmp(argv[1], "write") == 0)
        return write_packet();
    memset(&options, 0, sizeof options);
    options.memory = memory;
    options.memory_bytes = sizeof memory;
    options.send_memory = sent;
    options.send_bytes = sizeof sent;
    options.keep_memory = kept;
    options.keep_bytes = sizeof kept;
    rc = posed_connect(&server, argv[1], &options);
    /* A handle to be closed again, so that on another connection the models have other handles. */
    if (rc == 0)
        rc = posed_open(&server, scene.paths[0], &closed);
    for (i = 0; rc == 0 && i < scene.crowd.model_count; i++)
        rc = posed_open(&server, scene.paths[i], &scene.models[i]);
    if (rc == 0)
        rc = posed_close(&server, &closed);
    for (i = 0; rc == 0 && i < scene.cast_count; i++)
        rc = cast(&server, i);
    if (rc < 0) { /* the canonical form of an error: what a program sees of it */
        printf("error %u %s\n", server.error.code, server.error.message);
        fprintf(stderr, "%s\n", server.error.message);
    }
    posed_disconnect(&server);
    return rc == 0 ? 0 : 1;
}
