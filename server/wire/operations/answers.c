#include "wire/operations/answers.h"

#include "wire/crowd/body_crowd.h"
#include "wire/export/export.h"
#include "wire/glb/glb_size.h"
#include "wire/hits/raycast.h"
#include "wire/models/model_bodies.h"
#include "wire/pose/pose_bodies.h"

const struct operation OPERATIONS[] = {
#define OPERATION(symbol, name, path, noun, methods, traits, form, complete, body, frames, cost, bytes, least,         \
                  handler)                                                                                             \
    {body, frames, cost, bytes, least},
#include "wire/operations/operations.def"
};
