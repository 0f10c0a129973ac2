/* body_faces.h - the parts of /v1/model about the face of a VRM file's human, and about constraints of nodes. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"

/* Writes ,"expressions":[..] and ,"look_at":{..}, each if the file has it. */
void body_put_faces(struct buf *out, const struct model *model);

/* Writes ,"constraints":[..] if the file has any. */
void body_put_constraints(struct buf *out, const struct model *model);
