/* A GLB that uses most of the format, cut at every byte and with every byte changed. It is either read or refused with
 * a reason, and every model that is read passes bake_finish()'s checks. */
#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <stdlib.h>

static const char JSON[] =
    "{'asset':{'version':'2.0'},'buffers':[{'byteLength':132}],'bufferViews':[{'buffer':0,'byteLength':132},"
    "{'buffer':0,'byteLength':132,'byteStride':12}],"
    "'accessors':[{'bufferView':1,'componentType':5126,'count':3,'type':'VEC3'},"
    "{'bufferView':0,'byteOffset':36,'componentType':5121,'count':3,'type':'VEC4'},"
    "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':3,'type':'VEC4'},"
    "{'bufferView':0,'byteOffset':96,'componentType':5126,'count':2,'type':'SCALAR'},"
    "{'bufferView':0,'byteOffset':104,'componentType':5123,'count':3,'type':'SCALAR'},"
    "{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':{'bufferView':0,'byteOffset':110,"
    "'componentType':5121},'values':{'bufferView':0,'byteOffset':112}}},"
    "{'bufferView':0,'byteOffset':124,'componentType':5122,'normalized':true,'count':2,'type':'SCALAR'}],"
    "'nodes':[{'children':[1],'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},{'name':'j'},"
    "{'mesh':0,'skin':0,'weights':[0.5]}],'scenes':[{'nodes':[0,2]}],'skins':[{'joints':[0,1]}],"
    "'materials':[{'alphaMode':'MASK'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,"
    "'WEIGHTS_0':2},'indices':4,'mode':5,'material':0,'targets':[{'POSITION':5}]}]}],"
    "'animations':[{'channels':[{'sampler':0,'target':{'node':2,'path':'weights'}}],"
    "'samplers':[{'input':3,'output':6,'interpolation':'STEP'}]}]}";

static size_t make(uint8_t **bytes)
{
    struct {
        float positions[9];
        uint8_t joints[12];
        float weights[12], times[2];
        uint16_t indices[3];
        uint8_t sparse[2];
        float values[3];
        int16_t keys[2];
        uint8_t rest[4];
    } bin = {.positions = {0, 0, 0, 1, 0, 0, 0, 1, 0},
             .joints = {0, 1},
             .weights = {0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1},
             .times = {0, 1},
             .indices = {0, 1, 2},
             .sparse = {1},
             .values = {0, 0, 1},
             .keys = {0, 32767}};
    return gltf_make_glb(JSON, &bin, sizeof bin, bytes);
}

static void check(struct gltf_run *run, const uint8_t *bytes, size_t size)
{
    gltf_run_bytes(run, -1, bytes, size);
    assert_true(run->rc <= 0);
    assert_true(run->rc == 0 || run->err.message[0] != '\0');
    assert_true(run->rc != ERR_INTERNAL && run->rc != ERR_NO_MEMORY);
}

TEST(gltf_damaged_everywhere)
{
    uint8_t *bytes;
    const size_t size = make(&bytes);
    struct gltf_run run;
    gltf_run_init(&run);
    run.limits.value[LIMIT_BAKED_BYTES] = 1 << 20;
    gltf_run_bytes(&run, -1, bytes, size);
    assert_true(gltf_succeeded(&run));
    assert_int_equal(run.builder.warning_count, 0);
    for (size_t cut = 0; cut < size; cut++) {
        check(&run, bytes, cut);
        assert_true(run.rc < 0);
    }
    size_t read = 0, refused = 0;
    for (size_t i = 0; i < size; i++) {
        static const uint8_t CHANGES[] = {0x01, 0x80, 0xff, 0x12};
        for (size_t c = 0; c < sizeof CHANGES; c++) {
            bytes[i] ^= CHANGES[c];
            check(&run, bytes, size);
            bytes[i] ^= CHANGES[c];
            read += run.rc == 0;
            refused += run.rc != 0;
        }
    }
    assert_true(read > 100 && refused > 1000);
    gltf_run_fini(&run);
    free(bytes);
}
