/* costs - what the constants of wire/reply/cost.h are on this machine.
 *
 *   costs MODEL.baked
 *
 * Each row asks for an answer that one constant dominates, and makes it many times: the constant, its value, what it
 * would have to be for the answer's cost to be its processor time, and how long the answer takes. A constant that is
 * too small lets an event loop make answers that are for a work thread. */
#include "anim/bake/bake.h"
#include "base/mem.h"
#include "tests/bench/programs/measure.h"
#include "wire/operations/answers.h"
#include "wire/operations/reply_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 31, SPENT_NS = 2000000 };

static const struct row {
    const char *constant;
    double value;
    const char *target;
} ROWS[] = {
    {"COST_NODE_NS", COST_NODE_NS, "/v1/pose?model=m&t=0:2:60&format=bin"},
    {"COST_NODE_NS, compiled", COST_NODE_NS, "/v1/palette?model=m&t=0:2:60&format=bin"},
    {"COST_PRINTED_NODE_NS", COST_PRINTED_NODE_NS, "/v1/pose?model=m&t=0:2:60"},
    {"COST_PRINTED_NODE_NS, compiled", COST_PRINTED_NODE_NS, "/v1/palette?model=m&t=0:2:60"},
    {"COST_VERTEX_NS", COST_VERTEX_NS, "/v1/mesh?model=m&t=0.5&format=bin"},
    {"COST_PRINTED_VERTEX_NS", COST_PRINTED_VERTEX_NS, "/v1/mesh?model=m&t=0.5"},
    {"COST_VERTEX_NS, bounds", COST_VERTEX_NS, "/v1/bounds?model=m&t=0.5"},
    {"COST_KEY_NS", COST_KEY_NS, "/v1/keys?model=m"},
    {"COST_INFLUENCE_NS", COST_INFLUENCE_NS, "/v1/mesh?model=m&t=0.5&weights=1"},
    {"COST_NODE_NS, list", COST_NODE_NS, "/v1/model?model=m"},
    {"COST_PIXEL_BYTE_NS", COST_PIXEL_BYTE_NS, "/v1/texture?model=m&texture=0"},
};

static void check(bool is_good, const char *what, const char *why)
{
    if (is_good)
        return;
    fprintf(stderr, "costs: %s: %s\n", what, why);
    exit(1);
}

static void load(const char *path, struct model *model)
{
    struct err err = {0};
    FILE *file = fopen(path, "rb");
    check(file != NULL && fseek(file, 0, SEEK_END) == 0, path, "cannot be read");
    const size_t size_bytes = (size_t)ftell(file);
    void *block = aligned_alloc(BAKE_ALIGNMENT, (size_bytes + BAKE_ALIGNMENT - 1) / BAKE_ALIGNMENT * BAKE_ALIGNMENT);
    rewind(file);
    check(block != NULL && fread(block, 1, size_bytes, file) == size_bytes, path, "cannot be read");
    fclose(file);
    check(bake_decode(block, size_bytes, model, &err) == 0, path, err.message);
}

/* Of one answer, the median of ROUNDS; each round makes as many as take SPENT_NS. */
static double answer_ns(struct workspace *workspace, const struct model *model, const struct request *request,
                        const struct limits *limits)
{
    double times[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        const double begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        int count = 0;
        do {
            struct reply reply;
            reply_init(&reply);
            reply_make(workspace, model, NULL, request, limits, &reply);
            check(reply.code == 0, "an answer", reply.message.data);
            reply_fini(&reply);
            count++;
        } while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin < SPENT_NS);
        times[r] = (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin) / count;
    }
    qsort(times, ROUNDS, sizeof *times, by_size);
    return times[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    struct model model;
    struct limits limits;
    struct workspace workspace;
    check(argc == 2, "usage", "costs MODEL.baked");
    load(argv[1], &model);
    limits_default(&limits);
    workspace_init(&workspace);
    workspace.entity.compiled.kernel = kernel_find("auto");
    printf("%-32s %8s %10s %12s\n", "constant", "is", "would be", "answer, us");
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct row *row = &ROWS[i];
        const struct request_head head = {.method = "GET", .target = row->target, .target_bytes = strlen(row->target)};
        struct request request;
        struct err err = {0};
        request_init(&request);
        check(request_parse(&request, &head, &limits, &err) == 0, row->target, err.message);
        const struct cost_input input = {.request = &request, .model = &model};
        const double ns = answer_ns(&workspace, &model, &request, &limits), cost_ns = reply_cost_ns(&input);
        printf("%-32s %8.0f %10.1f %12.1f\n", row->constant, row->value, row->value * ns / cost_ns, ns / 1000);
        request_fini(&request);
    }
    workspace_fini(&workspace);
    return 0;
}
