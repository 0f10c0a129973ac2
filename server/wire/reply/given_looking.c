#include "wire/reply/given_looking.h"

#include "anim/retarget/rest_look.h"
#include "base/mem.h"

int given_look_find(struct given_look *out, const struct given_weights *weights, const struct request_look *asked,
                    struct err *err)
{
    const uint32_t binds = given_looks_binds(weights);
    if (rest_look_find(out, weights->model, err) < 0)
        return err->code;
    if (out->eyes[0] < 0 && out->eyes[1] < 0 && binds == 0)
        return err_set(err, ERR_BAD_PARAMETER, "look: the model has neither eyes that turn nor expressions that look");
    out->binds = mem_alloc((binds + (size_t)1) * sizeof *out->binds);
    given_looks_find(out, weights, asked->kind, asked->target);
    return 0;
}
