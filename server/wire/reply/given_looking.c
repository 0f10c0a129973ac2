#include "wire/reply/given_looking.h"

#include "anim/retarget/rest_look.h"
#include "base/mem.h"

int given_look_find(struct given_look *out, const struct given_weights *weights, const struct request_look *asked,
                    struct err *err)
{
    const uint32_t binds = given_looks_binds(weights);
    if (rest_look_find(out, weights->model, err) < 0)
        return err->code;
    out->binds = mem_alloc((binds + (size_t)1) * sizeof *out->binds);
    return given_looks_find(out, weights, asked->kind, asked->target, err);
}
