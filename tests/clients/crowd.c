/* The crowd of crowd_scene.py with the C client: crowd ADDRESS SCENE. */
#include "tests/clients/scene.h"

#include <stdio.h>
#include <string.h>

enum { MEMORY_BYTES = 1 << 24 };

static unsigned char memory[MEMORY_BYTES], sent[1 << 18];
static struct scene scene;

/* Computes the CRC-32 of zlib and PNG. */
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
    static struct posed server;
    struct posed_options options;
    struct posed_entities found;
    uint32_t i;
    int rc;
    if (argc != 3) {
        fprintf(stderr, "crowd ADDRESS SCENE\n");
        return 2;
    }
    if (read_scene(argv[2], &scene) < 0)
        return 1;
    memset(&options, 0, sizeof options);
    options.memory = memory;
    options.memory_bytes = sizeof memory;
    options.send_memory = sent;
    options.send_bytes = sizeof sent;
    rc = posed_connect(&server, argv[1], &options);
    for (i = 0; rc == 0 && i < scene.crowd.model_count; i++)
        rc = posed_open(&server, scene.paths[i], &scene.models[i]);
    if (rc == 0)
        rc = posed_pose_crowd(&server, &scene.crowd, &found);
    if (rc == 0)
        print(&found);
    else
        fprintf(stderr, "%s\n", server.error.message);
    posed_disconnect(&server);
    return rc == 0 ? 0 : 1;
}
