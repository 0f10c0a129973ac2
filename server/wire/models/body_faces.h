/* body_faces.h - the part of /v1/model about the face of a VRM file's human. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"

/* Writes ,"expressions":[..] and ,"look_at":{..}, each if the file has it. */
void body_put_faces(struct buf *out, const struct model *model);
